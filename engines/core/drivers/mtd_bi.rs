//! MTD(bi), Coplan's C* with memory: null windows in the middle of the bounds (Coplan, 1982;
//! Plaat, Schaeffer, Pijls and de Bruin, 1996).

use crate::drivers::closing::{Ending, close};
use crate::drivers::passes::Window;
use crate::value::{Bounds, HIGHEST, Value, null};

/// The value of the root by bisection of all values, on multiples of the grain.
pub fn mtd_bi(grain: Value, pass: impl Window) -> Option<Value> {
    let middle = |bounds: &Bounds, _| {
        let (lower, upper) = (bounds.lower.max(-HIGHEST), bounds.upper.min(HIGHEST));
        null(bounds.on_grain(lower + (upper - lower + 1) / 2, grain))
    };
    close(0, Ending::MET, middle, pass)
}
