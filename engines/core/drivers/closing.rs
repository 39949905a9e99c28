//! How null windows close in on the value: where they begin, how they move, when they end.

use crate::drivers::convergence::{Answer, Convergence};
use crate::drivers::passes::{Start, Window};
use crate::value::{Bounds, MATE_BOUND, Value, ceil_to_grain, null};

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

/// How near the bounds must come to each other, and what happens when they contradict each other.
/// Both concern selective search only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Bounds that lie no further apart end the iteration.
    pub tolerance: Value,
    /// The value between them that is reported then.
    pub reported: Reported,
    /// What the iteration expected.
    pub estimate: Value,
    /// A bound that a later pass contradicts by more than the tolerance is forgotten, instead of
    /// ending the iteration.
    pub reopen: bool,
}

/// The value reported of bounds that a tolerance left apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// The lower bound: what the best move was proved to be worth.
    Lower,
    /// The middle, rounded down.
    Middle,
    /// The value between them that is nearest to the first guess.
    Estimate,
}

impl Reported {
    /// All choices by name.
    pub const CHOICES: [(&'static str, Reported); 3] = [
        ("lower", Reported::Lower),
        ("middle", Reported::Middle),
        ("estimate", Reported::Estimate),
    ];
}

/// So often an iteration reopens a contradicted bound.
const REOPENINGS: u32 = 2;

impl Ending {
    /// When the bounds have met, and not before.
    pub const MET: Ending =
        Ending { tolerance: 0, reported: Reported::Lower, estimate: 0, reopen: false };

    /// The value to report where the bounds are near enough. Mates are always told exactly.
    fn tolerated(&self, bounds: &Bounds) -> Option<Value> {
        let (lower, upper) = (bounds.lower, bounds.upper);
        let near = lower < upper && bounds.are_finite() && upper - lower <= self.tolerance;
        if !near || lower < -MATE_BOUND || upper > MATE_BOUND {
            return None;
        }
        Some(match self.reported {
            Reported::Lower => lower,
            Reported::Middle => lower + (upper - lower) / 2,
            Reported::Estimate => self.estimate.clamp(lower, upper),
        })
    }
}

/// The value of the root by null windows from `first` on, or from the end of all values where it
/// lies beyond them, until the bounds meet, or are as near to each other as `ending` tolerates.
/// `next` says the window that follows. A wider one that holds the value ends the iteration.
///
/// Bounds that other threads proved meanwhile count as well, as long as they contradict none.
///
/// Every window lies inside the bounds, so they move one way only, except where a contradicted
/// bound is reopened, which happens [`REOPENINGS`] times at most.
pub fn close(
    first: Value,
    ending: Ending,
    mut next: impl FnMut(&Bounds, Answer) -> (Value, Value),
    mut pass: impl Window,
) -> Option<Value> {
    let mut bounds = Bounds::OPEN;
    let mut reopenings = if ending.reopen { REOPENINGS } else { 0 };
    let (mut alpha, mut beta) = null(bounds.clamp(first));
    loop {
        let value = pass.pass(alpha, beta)?;
        if alpha < value && value < beta {
            return Some(value);
        }
        let high = bounds.learn(value, beta);
        if bounds.agree(&pass.known()) && bounds.have_met() {
            return Some(bounds.lower);
        }
        if let Some(value) = ending.tolerated(&bounds) {
            return Some(value);
        }
        if bounds.have_met() {
            if reopenings == 0 || bounds.lower - bounds.upper <= ending.tolerance {
                return Some(value);
            }
            reopenings -= 1;
            bounds.reopen(high);
        }
        (alpha, beta) = next(&bounds, Answer { beta, value, high });
        debug_assert!(bounds.lower <= alpha && alpha < beta && beta <= bounds.upper);
    }
}
