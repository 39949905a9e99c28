//! The drivers: each turns passes over the root into the value of one iteration.

mod alphabeta;
mod mtdf;
mod pvs;

pub use alphabeta::alphabeta;
pub use mtdf::{Convergence, mtdf};
pub use pvs::pvs;

use crate::guess::Guess;
use crate::value::Value;

/// A driver with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// Alpha-beta with an open window.
    AlphaBeta,
    /// Principal variation search.
    Pvs {
        /// Half width of the aspiration window; 0 is open.
        window: Value,
    },
    /// MTD(f).
    Mtdf {
        /// Where the pass sequence starts.
        guess: Guess,
        /// How it goes on.
        convergence: Convergence,
    },
}

impl Driver {
    /// The names of all drivers.
    pub const NAMES: [&'static str; 3] = ["alphabeta", "pvs", "mtdf"];

    /// True when expected PV nodes search their later moves with null windows first.
    pub fn scouts(self) -> bool {
        matches!(self, Driver::Pvs { .. })
    }

    /// True when the root is searched with null windows only. It decides which move of an
    /// unfinished iteration may be adopted.
    pub fn has_null_windows(self) -> bool {
        matches!(self, Driver::Mtdf { .. })
    }

    /// The first guess of an iteration, for a driver that uses one.
    pub fn first_guess(self, values: &[Value], fixed: Value) -> Option<Value> {
        match self {
            Driver::Mtdf { guess, .. } => Some(guess.first(values, fixed)),
            Driver::AlphaBeta | Driver::Pvs { .. } => None,
        }
    }

    /// The value of one iteration by calls of `pass(alpha, beta)`; `None` as soon as one is.
    pub fn iterate(
        self,
        first_guess: Option<Value>,
        previous: Option<Value>,
        pass: impl FnMut(Value, Value) -> Option<Value>,
    ) -> Option<Value> {
        match self {
            Driver::AlphaBeta => alphabeta(pass),
            Driver::Pvs { window } => pvs(window, previous, pass),
            Driver::Mtdf { convergence, .. } => {
                mtdf(first_guess.unwrap_or_default(), convergence, pass)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{INFINITY, MATE};

    /// A fail-soft pass over a tree of value `truth` that misses by up to `slack`.
    fn tree(truth: Value, slack: Value) -> impl Fn(Value, Value) -> Value {
        move |alpha, beta| {
            if truth >= beta {
                beta.max(truth - slack)
            } else if truth <= alpha {
                alpha.min(truth + slack)
            } else {
                truth
            }
        }
    }

    #[test]
    fn every_driver_finds_the_value_from_every_guess() {
        let drivers = [
            Driver::AlphaBeta,
            Driver::Pvs { window: 0 },
            Driver::Pvs { window: 1 },
            Driver::Pvs { window: 25 },
            Driver::Mtdf { guess: Guess::Zero, convergence: Convergence::Plaat },
            Driver::Mtdf { guess: Guess::Zero, convergence: Convergence::Growth },
        ];
        for truth in [-MATE, -300, -1, 0, 1, 26, 5_000, MATE - 3] {
            for guess in [-MATE, -301, 0, 1, 25, MATE] {
                for slack in [0, 1, 40, INFINITY] {
                    let tree = tree(truth, slack);
                    for driver in drivers {
                        let found = driver.iterate(Some(guess), Some(guess), |alpha, beta| {
                            assert!(alpha < beta);
                            Some(tree(alpha, beta))
                        });
                        assert_eq!(found, Some(truth), "{driver:?} from {guess}, slack {slack}");
                    }
                }
            }
        }
    }

    #[test]
    fn mtdf_uses_null_windows_and_two_passes_from_the_value_itself() {
        for truth in [-MATE, -17, 0, 250, MATE - 1] {
            for guess in [truth, truth + 1] {
                let mut passes = 0;
                let tree = tree(truth, 0);
                let found = mtdf(guess, Convergence::Plaat, |alpha, beta| {
                    assert_eq!(beta, alpha + 1);
                    passes += 1;
                    Some(tree(alpha, beta))
                });
                assert_eq!((found, passes), (Some(truth), 2));
            }
        }
    }

    #[test]
    fn aspiration_opens_only_the_side_that_failed() {
        let mut windows = Vec::new();
        let tree = tree(90, 0);
        pvs(25, Some(0), |alpha, beta| {
            windows.push((alpha, beta));
            Some(tree(alpha, beta))
        });
        assert_eq!(windows, [(-25, 25), (-25, 100)]);
    }

    #[test]
    fn a_stopped_pass_stops_the_driver() {
        for driver in [Driver::AlphaBeta, Driver::Pvs { window: 5 }] {
            assert_eq!(driver.iterate(None, Some(3), |_, _| None), None);
        }
        let mut passes = 0;
        let stopped = mtdf(0, Convergence::Plaat, |_, beta| {
            passes += 1;
            (passes < 3).then_some(beta)
        });
        assert_eq!((stopped, passes), (None, 3));
    }
}
