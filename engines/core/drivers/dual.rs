//! DUAL*, the mirror of SSS*: null windows from below (Marsland, Reinefeld and Schaeffer, 1987;
//! Plaat, Schaeffer, Pijls and de Bruin, 1996).

use crate::drivers::closing::{Ending, close};
use crate::drivers::passes::Window;
use crate::value::{Bounds, HIGHEST, Value, null};

/// The value of the root: from the lowest value, each window just above the last lower bound, until
/// one fails low.
pub fn dual(pass: impl Window) -> Option<Value> {
    close(1 - HIGHEST, Ending::MET, |bounds: &Bounds, _| null(bounds.lower + 1), pass)
}
