//! MTD(step): null windows from above by steps (Plaat, Schaeffer, Pijls and de Bruin, 1996).

use crate::drivers::closing::{Ending, close};
use crate::drivers::convergence::Answer;
use crate::drivers::passes::Window;
use crate::value::{Bounds, HIGHEST, Value, null};

/// The value of the root: from the highest value, each window `stride` below the value just
/// returned and above the lower bound, on multiples of the grain.
pub fn mtd_step(stride: Value, grain: Value, pass: impl Window) -> Option<Value> {
    let next = |bounds: &Bounds, last: Answer| null(bounds.on_grain(last.value - stride, grain));
    close(HIGHEST, Ending::MET, next, pass)
}
