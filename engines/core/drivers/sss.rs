//! SSS* as a series of null windows from above (Stockman, 1979; Plaat, Schaeffer, Pijls and de
//! Bruin, 1996).

use crate::drivers::closing::{Ending, close};
use crate::drivers::passes::Window;
use crate::value::{Bounds, HIGHEST, Value, null};

/// The value of the root: from above all values, each window at the upper bound just found, until
/// one does not fail low. With an unlimited table and a fixed order of moves it evaluates the
/// leaves that Stockman's list evaluates, in the same order.
pub fn sss(pass: impl Window) -> Option<Value> {
    close(HIGHEST, Ending::MET, |bounds: &Bounds, _| null(bounds.upper), pass)
}
