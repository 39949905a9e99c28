//! How the null windows of an iteration of MTD(f) move.
//!
//! Windows lie at multiples of the grain, between which all windows are equivalent, except those of
//! `plaat` and `growth`, which are older than that rule.

use crate::value::{Bounds, Value};

/// The longest secant step, in units of how far the last pass returned beyond its window.
const LEAP: i64 = 8;

/// The rule for the next window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// As published: the next window lies at the bound just found.
    Plaat,
    /// Beyond that bound by a step that doubles with each pass that fails the same way and halves
    /// after a crossing.
    Growth,
    /// Beyond that bound by a fixed step.
    Step {
        /// In centipawns.
        step: Value,
    },
    /// Quickly to one side of the value by doubling steps, then as published, so that the value is
    /// crossed once.
    OneSide {
        /// The first step.
        step: Value,
        /// The side from which the value is approached.
        above: bool,
    },
    /// As growth until both bounds are known, then in their middle.
    Bisect {
        /// The first step.
        step: Value,
    },
    /// Where the line through the last two passes predicts that a pass returns its own window; as
    /// growth if there is none.
    Secant,
}

impl Convergence {
    /// All choices by name, with their parameters.
    pub fn choices(step: Value, above: bool) -> [(&'static str, Convergence); 6] {
        [
            ("plaat", Convergence::Plaat),
            ("growth", Convergence::Growth),
            ("step", Convergence::Step { step }),
            ("one-side", Convergence::OneSide { step, above }),
            ("bisect", Convergence::Bisect { step }),
            ("secant", Convergence::Secant),
        ]
    }
}

impl Convergence {
    /// The fixed or first step, if any.
    pub fn step(self) -> Option<Value> {
        match self {
            Convergence::Step { step }
            | Convergence::OneSide { step, .. }
            | Convergence::Bisect { step } => Some(step),
            Convergence::Plaat | Convergence::Growth | Convergence::Secant => None,
        }
    }
}

/// The last null window and its result.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The window was (beta - 1, beta).
    pub beta: Value,
    /// The fail-soft value returned.
    pub value: Value,
    /// True when it failed high.
    pub high: bool,
}

/// The windows of one iteration by a rule.
pub struct Pace {
    convergence: Convergence,
    grain: Value,
    step: Value,
    before: Option<Answer>,
}

impl Pace {
    /// Before the first pass.
    pub fn new(convergence: Convergence, grain: Value) -> Pace {
        let first = if convergence == Convergence::Secant { grain } else { 1 };
        let step = convergence.step().map_or(first, |step| step.max(grain));
        Pace { convergence, grain, step, before: None }
    }

    /// The beta after an answer.
    pub fn next(&mut self, bounds: &Bounds, last: Answer) -> Value {
        let before = self.before.replace(last);
        match self.convergence {
            Convergence::Plaat => self.beyond(bounds, last.high, 1),
            Convergence::Growth => {
                self.grow(before, last.high);
                self.beyond(bounds, last.high, self.step)
            }
            Convergence::Step { step } => self.on_grain(bounds, last.high, step),
            Convergence::OneSide { above, .. } => {
                if last.high != above {
                    return self.on_grain(bounds, last.high, 1);
                }
                let step = self.step;
                self.step *= 2;
                self.on_grain(bounds, last.high, step)
            }
            Convergence::Bisect { .. } if bounds.are_finite() => {
                let middle = bounds.lower + (bounds.upper - bounds.lower + 1) / 2;
                bounds.on_grain(middle, self.grain)
            }
            Convergence::Secant => {
                self.grow(before, last.high);
                let leap = before.and_then(|before| secant(before, last)).unwrap_or(self.step);
                self.on_grain(bounds, last.high, leap)
            }
            Convergence::Bisect { .. } => {
                self.grow(before, last.high);
                self.on_grain(bounds, last.high, self.step)
            }
        }
    }

    fn grow(&mut self, before: Option<Answer>, high: bool) {
        let least = if self.convergence == Convergence::Secant { self.grain } else { 1 };
        self.step = match before {
            None => self.step,
            Some(before) if before.high == high => self.step * 2,
            Some(_) => (self.step / 2).max(least),
        };
    }

    /// `step` beyond the bound just found, inside the bounds. 1 gives the published window.
    fn beyond(&self, bounds: &Bounds, high: bool, step: Value) -> Value {
        bounds.clamp(if high { bounds.lower + step } else { bounds.upper + 1 - step })
    }

    fn on_grain(&self, bounds: &Bounds, high: bool, step: Value) -> Value {
        bounds.on_grain(self.beyond(bounds, high, step), self.grain)
    }
}

/// How far beyond the bound just found two passes predict the value, if they do: the secant method
/// on how far a pass returns beyond its own window, which is 0 at the value.
fn secant(before: Answer, last: Answer) -> Option<Value> {
    let excess = |answer: Answer| i64::from(answer.value - answer.beta + Value::from(answer.high));
    let (first, second) = (excess(before), excess(last));
    let (run, rise) = (i64::from(last.beta - before.beta), second - first);
    if rise == 0 {
        return None;
    }
    let leap = (second * run).abs() / rise.abs();
    // The line must continue in the direction in which the last pass failed.
    let onward = -second.signum() * run.signum() * rise.signum();
    if onward != if last.high { 1 } else { -1 } {
        return None;
    }
    // Measured from the window of the last pass, less what it returned beyond it.
    let beyond = leap.min(LEAP * second.abs()) - second.abs() + 1;
    (beyond >= 1).then_some(beyond as Value)
}
