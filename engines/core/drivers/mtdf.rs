//! MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996).

use crate::drivers::closing::{Closing, close};
use crate::drivers::convergence::Pace;
use crate::drivers::passes::{Start, Window};
use crate::value::{Bounds, Value, null};

/// The value of the root by null windows from a first guess, until the bounds meet or, in games,
/// lie within a tolerance.
///
/// A pass at `beta` that fails high returns a lower bound, one that fails low an upper bound. After
/// `max_passes` null windows, unless that is 0, one window over the remaining interval ends the
/// iteration.
pub fn mtdf(start: Start, closing: Closing, max_passes: u32, pass: impl Window) -> Option<Value> {
    let mut pace = Pace::new(closing.convergence, start.grain);
    let mut passes = 0;
    let next = |bounds: &Bounds, last| {
        passes += 1;
        if passes == max_passes {
            return (bounds.lower, bounds.upper);
        }
        null(pace.next(bounds, last))
    };
    close(closing.first(start), closing.ending(start), next, pass)
}
