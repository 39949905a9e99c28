//! A hybrid: MTD(f) first, and PVS on what its passes leave. Common practice without a publication
//! that we know.

use crate::drivers::bounds::{Bounds, close, null};
use crate::drivers::convergence::{Convergence, Pace};
use crate::value::Value;

/// The value of the root. Null windows as in MTD(f), until there were `null_passes` of them or the
/// value lies between two finite bounds; then one window over what the bounds leave open, in
/// which later moves are scouted.
pub fn hybrid(
    first_guess: Value,
    convergence: Convergence,
    null_passes: u32,
    grain: Value,
    pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let mut pace = Pace::new(convergence, grain);
    let mut passes = 0;
    let next = |bounds: &Bounds, last| {
        passes += 1;
        if passes >= null_passes || bounds.are_finite() {
            return (bounds.lower, bounds.upper);
        }
        null(pace.next(bounds, last))
    };
    close(first_guess, next, pass)
}
