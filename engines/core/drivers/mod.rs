//! The drivers: each turns passes over the root into the value of one iteration, or into a move.

mod alphabeta;
mod bns;
mod closing;
mod convergence;
mod dual;
mod hybrid;
mod minimax;
mod mtd_best;
mod mtd_bi;
mod mtd_step;
mod mtdf;
mod negascout;
mod passes;
mod pvs;
mod sss;

pub use alphabeta::alphabeta;
pub use bns::bns;
pub use closing::{Closing, Reported};
pub use convergence::{Answer, Convergence};
pub use dual::dual;
pub use hybrid::hybrid;
pub use minimax::minimax;
pub use mtd_best::mtd_best;
pub use mtd_bi::mtd_bi;
pub use mtd_step::mtd_step;
pub use mtdf::mtdf;
pub use negascout::negascout;
use passes::Whole;
pub use passes::{Passes, Start, Window};
pub use pvs::{around, pvs};
pub use sss::sss;

use crate::guess::Guess;
use crate::value::Value;

/// How the driver searches the tree below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every move with the whole window.
    AlphaBeta,
    /// Null windows after the first move of an expected PV node, and the whole window for moves
    /// that raise alpha, as in PVS.
    Pvs,
    /// As PVS, but a move that raises alpha is searched again from the value it returned, unless
    /// that is exact (Reinefeld, 1983).
    NegaScout,
    /// Every move with an open window, no cuts, no table.
    Minimax,
}

/// A driver with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Driver {
    /// Minimax without any cut.
    Minimax,
    /// Alpha-beta with an open window.
    AlphaBeta,
    /// Principal variation search.
    Pvs {
        /// Half width of the aspiration window; 0 is open.
        window: Value,
        /// How far the window lies below the previous value.
        below: Value,
    },
    /// NegaScout as published.
    NegaScout,
    /// MTD(f).
    Mtdf {
        /// The first guess.
        guess: Guess,
        /// The rule for later windows.
        closing: Closing,
        /// Null windows after which one window over the remaining interval ends an iteration; 0 is
        /// never.
        max_passes: u32,
    },
    /// MTD(f), then PVS on the remaining interval.
    Hybrid {
        /// The first guess.
        guess: Guess,
        /// The rule for later windows.
        closing: Closing,
        /// Maximum number of null windows.
        null_passes: u32,
        /// How far the window after them reaches on a side without a bound; 0 is unlimited.
        cap: Value,
    },
    /// SSS* as null windows from above.
    Sss,
    /// DUAL* as null windows from below.
    Dual,
    /// Null windows in the middle of the bounds.
    MtdBi,
    /// Null windows from above by steps.
    MtdStep {
        /// The step.
        stride: Value,
    },
    /// The best move by disproving the others.
    MtdBest {
        /// The first guess.
        guess: Guess,
    },
    /// Best Node Search.
    Bns {
        /// The first separation value.
        guess: Guess,
    },
}

impl Driver {
    /// The tree below the root.
    pub fn shape(self) -> Shape {
        match self {
            Driver::Minimax => Shape::Minimax,
            Driver::Pvs { .. } | Driver::Hybrid { .. } => Shape::Pvs,
            Driver::NegaScout => Shape::NegaScout,
            _ => Shape::AlphaBeta,
        }
    }

    /// True if the driver may search the whole root again after a window failed high.
    pub fn repeats_passes(self) -> bool {
        match self {
            Driver::Minimax | Driver::AlphaBeta | Driver::NegaScout | Driver::Sss => false,
            Driver::Pvs { .. } | Driver::Mtdf { .. } | Driver::Hybrid { .. } => true,
            Driver::Dual | Driver::MtdBi | Driver::MtdStep { .. } => true,
            Driver::MtdBest { .. } | Driver::Bns { .. } => false,
        }
    }

    /// True if the driver proves a move: values of its iterations are lower bounds.
    pub fn proves_a_move(self) -> bool {
        matches!(self, Driver::MtdBest { .. } | Driver::Bns { .. })
    }

    /// True if an unfinished iteration plays any move that failed high.
    pub fn adopts_all(self) -> bool {
        match self {
            Driver::Mtdf { closing, .. } | Driver::Hybrid { closing, .. } => closing.adopts_all,
            _ => false,
        }
    }

    /// The distance between null windows of several threads, in centipawns.
    pub fn spacing(self) -> Value {
        const OTHERWISE: Value = 10;
        match self {
            Driver::Mtdf { closing, .. } | Driver::Hybrid { closing, .. } => {
                closing.convergence.step().unwrap_or(OTHERWISE)
            }
            Driver::MtdStep { stride } => stride,
            _ => OTHERWISE,
        }
    }

    /// Bounds that lie no further apart end an iteration.
    pub fn tolerance(self, exact: bool) -> Value {
        match self {
            Driver::Mtdf { closing, .. } | Driver::Hybrid { closing, .. } if !exact => {
                closing.tolerance
            }
            _ => 0,
        }
    }

    /// Its rule for the first guess, if any.
    pub fn guess(self) -> Option<Guess> {
        match self {
            Driver::Mtdf { guess, .. }
            | Driver::Hybrid { guess, .. }
            | Driver::MtdBest { guess }
            | Driver::Bns { guess } => Some(guess),
            _ => None,
        }
    }

    /// The value of one iteration, or the bound of the move proved best; `None` if a pass was
    /// stopped.
    pub fn iterate(self, start: Start, root: &mut impl Passes) -> Option<Value> {
        let (first, grain) = (start.guess(), start.grain);
        match self {
            Driver::MtdBest { .. } => mtd_best(first, grain, root),
            Driver::Bns { .. } => bns(first, grain, root),
            Driver::Minimax => minimax(|alpha, beta| root.pass(alpha, beta)),
            Driver::AlphaBeta => alphabeta(|alpha, beta| root.pass(alpha, beta)),
            Driver::NegaScout => negascout(|alpha, beta| root.pass(alpha, beta)),
            Driver::Pvs { window, below } => {
                pvs(window, below, start.previous, |alpha, beta| root.pass(alpha, beta))
            }
            Driver::Mtdf { closing, max_passes, .. } => {
                mtdf(start, closing, max_passes, Whole(root))
            }
            Driver::Hybrid { closing, null_passes, cap, .. } => {
                hybrid(start, closing, null_passes, cap, Whole(root))
            }
            Driver::Sss => sss(Whole(root)),
            Driver::Dual => dual(Whole(root)),
            Driver::MtdBi => mtd_bi(grain, Whole(root)),
            Driver::MtdStep { stride } => mtd_step(stride, grain, Whole(root)),
        }
    }
}

#[cfg(test)]
mod tests;
