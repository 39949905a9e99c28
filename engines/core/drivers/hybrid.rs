//! A hybrid: MTD(f) first, then PVS on the remaining interval. Common practice; we know no
//! publication.

use crate::drivers::closing::{Closing, close};
use crate::drivers::convergence::Pace;
use crate::drivers::passes::{Start, Window};
use crate::drivers::pvs::Reach;
use crate::value::{Bounds, Value, null};

/// The value of the root. Null windows as in MTD(f), until there were `null_passes` or both bounds
/// are finite; then one window over the remaining interval. With a `cap`, a side without a bound is
/// open for that many centipawns only, and wider each time the window fails there.
pub fn hybrid(
    start: Start,
    closing: Closing,
    null_passes: u32,
    cap: Value,
    pass: impl Window,
) -> Option<Value> {
    let mut pace = Pace::new(closing.convergence, start.grain);
    let mut passes = 0;
    let mut reach = Reach::new(cap);
    let next = |bounds: &Bounds, last| {
        passes += 1;
        if passes >= null_passes || bounds.are_finite() {
            return reach.next(bounds);
        }
        null(pace.next(bounds, last))
    };
    close(closing.first(start), closing.ending(start), next, pass)
}
