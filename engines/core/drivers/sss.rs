//! SSS* as a series of null windows from above (Stockman, 1979; Plaat, Schaeffer, Pijls and de
//! Bruin, 1996).

use crate::drivers::closing::{Ending, close};
use crate::drivers::passes::Window;
use crate::value::{Bounds, HIGHEST, Value, null};

/// The value of the root: from the highest value, each window at the last upper bound, until one
/// fails high. With an unlimited table and a fixed move order it evaluates the leaves of Stockman's
/// list in the same order.
pub fn sss(pass: impl Window) -> Option<Value> {
    close(HIGHEST, Ending::MET, |bounds: &Bounds, _| null(bounds.upper), pass)
}
