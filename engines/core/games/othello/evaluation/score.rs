//! Numbers at knots, and interpolation between them.

use crate::value::Value;

/// The place of a number of discs among the knots.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stage {
    /// The interval.
    pub(super) interval: usize,
    /// Discs past its lower knot.
    past: Value,
    /// Discs between its knots.
    span: Value,
}

impl Stage {
    /// Beyond the outer knots, their weights apply.
    pub(super) fn new(discs: Value, knots: &[Value]) -> Stage {
        let inner = &knots[1..knots.len() - 1];
        let interval = inner.iter().filter(|&&knot| knot <= discs).count();
        let (lower, upper) = (knots[interval], knots[interval + 1]);
        Stage { interval, past: discs.clamp(lower, upper) - lower, span: upper - lower }
    }
}

/// A number at the two knots of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score {
    pub(super) lower: Value,
    pub(super) upper: Value,
}

impl Score {
    /// The interpolated number. The division truncates toward zero, so that it is symmetric.
    #[inline(always)]
    pub(super) fn at(self, stage: Stage) -> Value {
        (self.lower * (stage.span - stage.past) + self.upper * stage.past) / stage.span
    }
}

impl std::ops::Add for Score {
    type Output = Score;
    #[inline(always)]
    fn add(self, other: Score) -> Score {
        Score { lower: self.lower + other.lower, upper: self.upper + other.upper }
    }
}

impl std::ops::Sub for Score {
    type Output = Score;
    #[inline(always)]
    fn sub(self, other: Score) -> Score {
        Score { lower: self.lower - other.lower, upper: self.upper - other.upper }
    }
}

impl std::ops::Mul<Value> for Score {
    type Output = Score;
    #[inline(always)]
    fn mul(self, times: Value) -> Score {
        Score { lower: self.lower * times, upper: self.upper * times }
    }
}
