//! What null windows have proved of a value, and the loop of all drivers that are made of them.

use crate::drivers::passes::Window;
use crate::value::{INFINITY, MATE, MATE_BOUND, Value};

/// Values of a root lie strictly above `-MATE` and below `MATE`: what print calls infinite.
pub const HIGHEST: Value = MATE;

/// Bounds of a value; what is not known is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
}

impl Bounds {
    /// Before any pass.
    pub const OPEN: Bounds = Bounds { lower: -INFINITY, upper: INFINITY };

    /// Takes in what a pass that failed returned, with `beta` as its upper end; true when it failed
    /// high.
    pub fn learn(&mut self, value: Value, beta: Value) -> bool {
        let high = value >= beta;
        if high {
            self.lower = value;
        } else {
            self.upper = value;
        }
        high
    }

    /// Takes in what a pass with a window returned, whether it failed or not.
    pub fn take(&mut self, value: Value, alpha: Value, beta: Value) {
        if value > alpha {
            self.lower = value;
        }
        if value < beta {
            self.upper = value;
        }
    }

    /// Takes in what other threads proved, unless it lies beyond these bounds; true when it says
    /// more than they do.
    pub fn agree(&mut self, others: &Bounds) -> bool {
        let before = *self;
        if others.lower <= self.upper {
            self.lower = self.lower.max(others.lower);
        }
        if others.upper >= self.lower {
            self.upper = self.upper.min(others.upper);
        }
        *self != before
    }

    /// True when nothing is left between the bounds. Beyond each other, they are a contradiction
    /// of a selective search, and the newer one ends the iteration.
    pub fn have_met(&self) -> bool {
        self.lower >= self.upper
    }

    /// The bound that answers for the whole window, if there is one.
    #[inline(always)]
    pub fn settled(&self, alpha: Value, beta: Value) -> Option<Value> {
        if self.lower >= beta || self.lower == self.upper {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    /// Forgets the bound that the last pass contradicted.
    fn reopen(&mut self, high: bool) {
        if high {
            self.upper = INFINITY;
        } else {
            self.lower = -INFINITY;
        }
    }

    /// True when the value was approached from both sides.
    pub fn are_finite(&self) -> bool {
        self.lower > -INFINITY && self.upper < INFINITY
    }

    /// The next null window's beta nearest to `wanted` that must raise a bound, and lies among the
    /// values that there are.
    pub fn clamp(&self, wanted: Value) -> Value {
        wanted.clamp(1 - HIGHEST, HIGHEST).clamp(self.lower + 1, self.upper)
    }

    /// As [`Bounds::clamp`], at a multiple of `grain` unless mates leave none.
    pub fn on_grain(&self, wanted: Value, grain: Value) -> Value {
        self.clamp(ceil_to_grain(self.clamp(wanted), grain))
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

/// What the last null window asked and found.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The window was (beta - 1, beta).
    pub beta: Value,
    /// The fail-soft value returned.
    pub value: Value,
    /// True when it failed high.
    pub high: bool,
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

/// The null window at `beta`.
pub fn null(beta: Value) -> (Value, Value) {
    (beta - 1, beta)
}

/// The nearest multiple of `grain` that is not below `value`: windows between two of them ask the
/// same.
pub fn ceil_to_grain(value: Value, grain: Value) -> Value {
    (value + grain - 1).div_euclid(grain) * grain
}
