//! What null windows have proved of a value, and the loop of all drivers that are made of them.

use crate::value::{INFINITY, MATE, Value};

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

    /// Takes in what a null window at `beta` returned; true when it failed high.
    pub fn learn(&mut self, value: Value, beta: Value) -> bool {
        let high = value >= beta;
        if high {
            self.lower = value;
        } else {
            self.upper = value;
        }
        high
    }

    /// True when nothing is left between the bounds. Beyond each other, they are a contradiction
    /// of a selective search, and the newer one ends the iteration.
    pub fn have_met(&self) -> bool {
        self.lower >= self.upper
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
/// lies beyond them, until the bounds meet. `next` says the
/// window that follows; one that is wider than a null window is the last.
///
/// Every beta lies inside the bounds, so they move one way only.
pub fn close(
    first: Value,
    mut next: impl FnMut(&Bounds, Answer) -> (Value, Value),
    mut pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let mut bounds = Bounds::OPEN;
    let (mut alpha, mut beta) = null(bounds.clamp(first));
    loop {
        let value = pass(alpha, beta)?;
        if beta - alpha > 1 {
            return Some(value);
        }
        let high = bounds.learn(value, beta);
        if bounds.have_met() {
            return Some(value);
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
