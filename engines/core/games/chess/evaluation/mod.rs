//! The evaluations. Their numbers are in `engines/data/NAME.json`, which both backends read.
//!
//! `pst` is material and square tables, tapered between middlegame and endgame. `full` adds
//! mobility, pawn structure, king safety, threats and endgame knowledge. Both are functions of the
//! position alone and symmetric in the colours; [`Evaluation::value`] is exact integer arithmetic.

mod camp;
mod endgame;
mod structure;
mod tables;
mod terms;
mod weights;

use std::sync::OnceLock;

use cozy_chess::{Color, Piece, Square};
use serde_json::Value as Json;

use super::board::Board;

use self::tables::Tables;
use self::weights::Weights;
use crate::value::{EVALUATION_BOUND, Value, round_to_grain};

pub use self::tables::Sums;

const PST_JSON: &str = include_str!("../../../../data/pst.json");
const FULL_JSON: &str = include_str!("../../../../data/full.json");

/// A tapered evaluation by material and squares, with or without the terms of `full`.
pub struct Evaluation {
    tables: Tables,
    weights: Option<Box<Weights>>,
}

impl Evaluation {
    /// The evaluation `pst`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn pst() -> &'static Evaluation {
        static PST: OnceLock<Evaluation> = OnceLock::new();
        PST.get_or_init(|| Evaluation::from_json(PST_JSON).expect("engines/data/pst.json"))
    }

    /// The evaluation `full`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn full() -> &'static Evaluation {
        static FULL: OnceLock<Evaluation> = OnceLock::new();
        FULL.get_or_init(|| Evaluation::from_json(FULL_JSON).expect("engines/data/full.json"))
    }

    fn from_json(text: &str) -> Result<Evaluation, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let weights = match &json["terms"] {
            Json::Null => None,
            _ => Some(Box::new(Weights::from_json(&json)?)),
        };
        Ok(Evaluation { tables: Tables::from_json(&json)?, weights })
    }

    /// The contribution of a man on its square to the sums, by its
    /// [kind](super::board::Board::kind_on).
    #[inline(always)]
    pub(super) fn term(&self, color: Color, kind: usize, square: Square) -> &Sums {
        self.tables.term(color, kind, square)
    }

    /// The sums of a whole board.
    pub(super) fn sums(&self, board: &Board) -> Sums {
        self.tables.sums(board)
    }

    /// The value for the side to move, clamped and rounded to `grain`; `sums` are those of the
    /// board.
    #[inline]
    pub(super) fn value(&self, board: &Board, sums: &Sums, grain: Value) -> Value {
        let white = match &self.weights {
            None => self.tapered(sums),
            Some(weights) => terms::white_value(board, sums, self.tables.phase_max, weights),
        };
        let value = if board.side_to_move() == Color::White { white } else { -white };
        round_to_grain(value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND), grain)
    }

    /// True if the evaluation uses more than the sums.
    pub(super) fn has_terms(&self) -> bool {
        self.weights.is_some()
    }

    /// White's value by the sums alone. The division truncates toward zero, so that it is
    /// symmetric.
    #[inline(always)]
    fn tapered(&self, sums: &Sums) -> Value {
        let phase = sums.phase.min(self.tables.phase_max);
        let weighted = sums.middlegame * phase + sums.endgame * (self.tables.phase_max - phase);
        weighted / self.tables.phase_max
    }

    /// The value of a man in static exchange evaluation.
    #[inline(always)]
    pub(super) fn exchange_value(&self, piece: Piece) -> Value {
        self.tables.exchange_value(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(evaluation: &Evaluation, board: &Board) -> Value {
        evaluation.value(board, &evaluation.sums(board), 1)
    }

    #[test]
    fn start_position_is_even_and_a_queen_counts() {
        let pst = Evaluation::pst();
        assert_eq!(value(pst, &Board::default()), 0);
        let ahead: Board =
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse().unwrap();
        let behind: Board =
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1".parse().unwrap();
        assert!(value(pst, &ahead) > 900, "{}", value(pst, &ahead));
        assert_eq!(value(pst, &behind), -value(pst, &ahead));
        assert!(value(Evaluation::full(), &ahead) > 700);
        assert!(value(Evaluation::full(), &behind) < -700);
    }

    #[test]
    fn broken_data_is_an_error() {
        assert!(Evaluation::from_json("{}").is_err());
        assert!(Evaluation::from_json("not json").is_err());
        let mut json: Json = serde_json::from_str(FULL_JSON).unwrap();
        json["terms"]["tempo"]["mg"] = Json::from(vec![1, 2]);
        assert!(Evaluation::from_json(&json.to_string()).is_err());
        let mut json: Json = serde_json::from_str(FULL_JSON).unwrap();
        json["terms"]["luck"] = json["terms"]["tempo"].clone();
        assert!(Evaluation::from_json(&json.to_string()).is_err());
    }
}
