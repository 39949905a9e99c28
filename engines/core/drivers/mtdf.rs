//! MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996).

use crate::drivers::bounds::{Bounds, close, null};
use crate::drivers::convergence::{Convergence, Pace};
use crate::value::Value;

/// The value of the root by null windows, from a first guess until the bounds meet.
///
/// A pass at `beta` either fails high, and what it returns is a lower bound, or low, and it is an
/// upper bound. After `max_passes` null windows, where that is not 0, one window over what the
/// bounds leave open ends the iteration.
pub fn mtdf(
    first_guess: Value,
    convergence: Convergence,
    max_passes: u32,
    grain: Value,
    pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let mut pace = Pace::new(convergence, grain);
    let mut passes = 0;
    let next = |bounds: &Bounds, last| {
        passes += 1;
        if passes == max_passes {
            return (bounds.lower, bounds.upper);
        }
        null(pace.next(bounds, last))
    };
    close(first_guess, next, pass)
}
