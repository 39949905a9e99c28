//! Null-window sequences: the first window, the next ones, and the end.

use crate::drivers::convergence::{Answer, Convergence};
use crate::drivers::passes::{Start, Window};
use crate::value::{Bounds, MATE_BOUND, Value, ceil_to_grain, null};

/// What MTD(f) and the hybrid share besides the first guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// The rule for the next window.
    pub convergence: Convergence,
    /// How far the first window lies below the first guess.
    pub below: Value,
    /// Bounds that lie no further apart end an iteration of selective search.
    pub tolerance: Value,
    /// The value reported between such bounds.
    pub reported: Reported,
    /// In selective search, drop a bound that a later pass contradicts instead of ending the
    /// iteration.
    pub reopen: bool,
    /// An unfinished iteration plays a move that failed high anywhere, not only at or above the
    /// previous value.
    pub adopts_all: bool,
}

impl Closing {
    /// A convergence from the first guess itself until the bounds meet.
    pub const fn by(convergence: Convergence) -> Closing {
        let (below, tolerance, reported) = (0, 0, Reported::Lower);
        Closing { convergence, below, tolerance, reported, reopen: false, adopts_all: false }
    }

    /// The beta of the first window; on the grain if it is moved away from the guess.
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

/// How near the bounds must be, and what happens when they contradict each other. For selective
/// search only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Bounds that lie no further apart end the iteration.
    pub tolerance: Value,
    /// The value reported between them.
    pub reported: Reported,
    /// The first guess of the iteration.
    pub estimate: Value,
    /// Drop a bound that a later pass contradicts by more than the tolerance, instead of ending the
    /// iteration.
    pub reopen: bool,
}

/// The value reported between bounds that a tolerance left apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reported {
    /// The lower bound: the proved value of the best move.
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

/// The most reopenings of an iteration.
const REOPENINGS: u32 = 2;

impl Ending {
    /// Only when the bounds have met.
    pub const MET: Ending =
        Ending { tolerance: 0, reported: Reported::Lower, estimate: 0, reopen: false };

    /// The value to report if the bounds are near enough. Mates are always exact.
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

/// The value of the root by null windows from `first`, clamped to the range of values, until the
/// bounds meet or are within the tolerance of `ending`. `next` chooses the next window. A wider
/// window that contains the value ends the iteration.
///
/// Bounds of other threads count too, unless they contradict known ones.
///
/// Every window lies inside the bounds, so bounds only tighten, except at the [`REOPENINGS`]
/// reopenings at most.
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
