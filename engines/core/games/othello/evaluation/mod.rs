//! The evaluations. Their numbers stand in `engines/data/othello.json`, which both backends read.
//!
//! Values are hundredths of a disc of the final difference. Weights stand at a few numbers of discs
//! (knots) and are interpolated between them. `pst` weighs squares alone; `full` weighs mobility
//! and other counts, and the patterns of lines and corners. All arithmetic is on integers.

mod patterns;
mod score;
mod terms;
mod weights;

use std::sync::OnceLock;

use super::Position;
use crate::value::Value;

use self::weights::Weights;

const JSON: &str = include_str!("../../../../data/othello.json");

/// No final difference is greater, in hundredths of a disc.
const BOUND: Value = 6_400;

/// An evaluation by squares, or by terms and patterns.
pub struct Evaluation {
    weights: &'static Weights,
    has_terms: bool,
}

impl Evaluation {
    /// The evaluation of that name: `pst` or `full`.
    ///
    /// # Panics
    /// When there is none of that name, or the data file that was compiled in is not as documented.
    pub fn named(name: &str) -> &'static Evaluation {
        match name {
            "pst" => Evaluation::pst(),
            "full" => Evaluation::full(),
            _ => panic!("othello has no evaluation `{name}`"),
        }
    }

    /// The evaluation `pst`.
    ///
    /// # Panics
    /// When the data file that was compiled in is not as documented.
    pub fn pst() -> &'static Evaluation {
        static PST: OnceLock<Evaluation> = OnceLock::new();
        PST.get_or_init(|| Evaluation { weights: weights(), has_terms: false })
    }

    /// The evaluation `full`.
    ///
    /// # Panics
    /// When the data file that was compiled in is not as documented.
    pub fn full() -> &'static Evaluation {
        static FULL: OnceLock<Evaluation> = OnceLock::new();
        FULL.get_or_init(|| Evaluation { weights: weights(), has_terms: true })
    }

    /// The value for the side to move; `None` where the game is over.
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

    /// True for the evaluation that looks at more than squares.
    pub(super) fn has_terms(&self) -> bool {
        self.has_terms
    }
}

fn weights() -> &'static Weights {
    static WEIGHTS: OnceLock<Weights> = OnceLock::new();
    WEIGHTS.get_or_init(|| Weights::from_json(JSON).expect("engines/data/othello.json"))
}
