//! The evaluations. Their numbers are in `engines/data/othello.json`, which both backends read.
//!
//! Values are hundredths of a disc of the final difference. Weights are given at a few numbers of
//! discs (knots) and interpolated. `pst` has squares alone; `full` has mobility and other counts,
//! and patterns of lines and corners. All arithmetic is on integers.

mod patterns;
mod score;
mod terms;
mod weights;

use std::sync::OnceLock;

use super::Position;
use crate::value::Value;

use self::weights::Weights;

const JSON: &str = include_str!("../../../../data/othello.json");

/// The greatest final difference in hundredths of a disc.
const BOUND: Value = 6_400;

/// An evaluation by squares, or by terms and patterns.
pub struct Evaluation {
    weights: &'static Weights,
    has_terms: bool,
}

impl Evaluation {
    /// The evaluation of this name: `pst` or `full`.
    ///
    /// # Panics If there is none of this name, or the compiled-in data file is invalid.
    pub fn named(name: &str) -> &'static Evaluation {
        match name {
            "pst" => Evaluation::pst(),
            "full" => Evaluation::full(),
            _ => panic!("othello has no evaluation `{name}`"),
        }
    }

    /// The evaluation `pst`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn pst() -> &'static Evaluation {
        static PST: OnceLock<Evaluation> = OnceLock::new();
        PST.get_or_init(|| Evaluation { weights: weights(), has_terms: false })
    }

    /// The evaluation `full`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn full() -> &'static Evaluation {
        static FULL: OnceLock<Evaluation> = OnceLock::new();
        FULL.get_or_init(|| Evaluation { weights: weights(), has_terms: true })
    }

    /// The value for the side to move; `None` if the game is over.
    #[inline]
    pub(super) fn value(&self, position: &Position) -> Option<Value> {
        if position.is_over() {
            return None;
        }
        let stage = self.weights.stage(64 - position.empties());
        let sums = if self.has_terms {
            let terms = &self.weights.terms[stage.interval];
            terms::sums(position, terms)
                + patterns::sums(position, &self.weights.patterns[stage.interval])
        } else {
            terms::squares(position, &self.weights.squares[stage.interval])
        };
        Some(sums.at(stage).clamp(-BOUND, BOUND))
    }

    /// True if the evaluation uses more than squares.
    pub(super) fn has_terms(&self) -> bool {
        self.has_terms
    }
}

fn weights() -> &'static Weights {
    static WEIGHTS: OnceLock<Weights> = OnceLock::new();
    WEIGHTS.get_or_init(|| Weights::from_json(JSON).expect("engines/data/othello.json"))
}
