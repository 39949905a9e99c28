//! How null windows close in on the value: where they begin, how they move, when they end.

use crate::drivers::Start;
use crate::drivers::bounds::{Ending, Reported, ceil_to_grain};
use crate::drivers::convergence::Convergence;
use crate::value::Value;

/// What MTD(f) and the hybrid share beside the first guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The rule for the next window.
    pub convergence: Convergence,
    /// The first window lies so far below the first guess.
    pub below: Value,
    /// Bounds that lie no further apart end an iteration of selective search.
    pub tolerance: Value,
    /// The value reported of such bounds.
    pub reported: Reported,
    /// In selective search a bound that a later pass contradicts is forgotten, instead of ending
    /// the iteration.
    pub reopen: bool,
    /// An unfinished iteration plays a move that failed high anywhere, not only at or above the
    /// value of the iteration before.
    pub adopts_all: bool,
}

impl Closing {
    /// By a convergence, from the first guess itself until the bounds have met.
    pub const fn by(convergence: Convergence) -> Closing {
        let (below, tolerance, reported) = (0, 0, Reported::Lower);
        Closing { convergence, below, tolerance, reported, reopen: false, adopts_all: false }
    }

    /// The beta of the first window; moved away from the guess, it lies on the grain.
    pub(super) fn first(&self, start: Start) -> Value {
        let wanted = start.guess() - self.below;
        if self.below == 0 { wanted } else { ceil_to_grain(wanted, start.grain) }
    }

    /// When an iteration ends.
    pub(super) fn ending(&self, start: Start) -> Ending {
        if start.exact {
            return Ending::MET;
        }
        let Closing { tolerance, reported, reopen, .. } = *self;
        Ending { tolerance, reported, estimate: start.guess(), reopen }
    }
}
