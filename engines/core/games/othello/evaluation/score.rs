//! Numbers at knots, and what they are between them.

use crate::value::Value;

/// Where a number of discs lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stage {
    /// In which interval.
    pub(super) interval: usize,
    /// How many discs past its lower knot.
    past: Value,
    /// How many discs lie between its knots.
    span: Value,
}

impl Stage {
    /// Beyond the outer knots their own weights count.
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
    /// The number between the knots. The division cuts toward zero, so that both sides see the
    /// same size.
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
