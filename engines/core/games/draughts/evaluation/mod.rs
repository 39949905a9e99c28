//! The evaluations. Their numbers are in `engines/data/draughts.json`, which both backends read.
//!
//! `pst` counts men and kings by their squares only. `full` adds the terms of [`features`]. Both
//! interpolate three stages by the number of pieces; values are exact integers, symmetric in the
//! sides.

mod camp;
mod features;
mod weights;

use std::sync::OnceLock;

use serde_json::Value as Json;

use self::camp::Camp;
use self::weights::{STAGES, Weights};
use super::board::Side;
use super::position::Position;
use crate::value::{EVALUATION_BOUND, Value};

const DATA: &str = include_str!("../../../../data/draughts.json");

/// The pieces of a full board.
const PIECES: usize = 24;
/// The sum of the stages' shares.
const WHOLE: i32 = 24;

/// An evaluation of draughts.
pub struct Evaluation {
    /// The weights by the number of pieces on the board, times [`WHOLE`].
    blended: Vec<Weights>,
    /// True if the evaluation uses more than squares.
    has_terms: bool,
    /// The values of a man and a king in captures.
    worth: [Value; 2],
}

impl Evaluation {
    /// The evaluation `pst`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn pst() -> &'static Evaluation {
        static PST: OnceLock<Evaluation> = OnceLock::new();
        PST.get_or_init(|| Evaluation::from_json(DATA, "pst").expect("engines/data/draughts.json"))
    }

    /// The evaluation `full`.
    ///
    /// # Panics If the compiled-in data file is invalid.
    pub fn full() -> &'static Evaluation {
        static FULL: OnceLock<Evaluation> = OnceLock::new();
        FULL.get_or_init(|| {
            Evaluation::from_json(DATA, "full").expect("engines/data/draughts.json")
        })
    }

    fn from_json(text: &str, name: &str) -> Result<Evaluation, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut stages = Vec::new();
        for stage in STAGES {
            stages.push(Weights::from_json(&json[name], stage)?);
        }
        Ok(Evaluation {
            blended: (0..=PIECES).map(|count| Weights::blend(&stages, shares(count))).collect(),
            has_terms: json[name].get("terms").is_some(),
            worth: [
                weights::number(&json["worth"]["man"])?,
                weights::number(&json["worth"]["king"])?,
            ],
        })
    }

    /// The value for the side to move, clamped to [`EVALUATION_BOUND`].
    #[inline]
    pub(super) fn value(&self, position: &Position) -> Value {
        let (board, side) = (position.board(), position.side_to_move());
        let own = Camp::of(board, side);
        let other = Camp::of(board, side.other());
        let count = (board.of(Side::Black) | board.of(Side::White)).count_ones() as usize;
        let weights = &self.blended[count];
        let mut sum = own.squares(weights) - other.squares(weights);
        if self.has_terms {
            sum += own.terms(weights) - other.terms(weights) + own.turn(weights);
        }
        (sum / WHOLE).clamp(-EVALUATION_BOUND, EVALUATION_BOUND)
    }

    /// True if the evaluation uses more than squares.
    pub(super) fn has_terms(&self) -> bool {
        self.has_terms
    }

    /// The value of these men and kings in captures.
    #[inline(always)]
    pub(super) fn worth(&self, men: u32, kings: u32) -> Value {
        men as Value * self.worth[0] + kings as Value * self.worth[1]
    }
}

/// The shares of opening, middle and ending by the number of pieces: the opening's falls from 24
/// pieces to 12, the ending's rises from there to 4.
const fn shares(count: usize) -> [i32; STAGES.len()] {
    let count = if count < 4 { 4 } else { count as i32 };
    if count >= 12 {
        let opening = 2 * (count - 12);
        [opening, WHOLE - opening, 0]
    } else {
        let middle = 3 * (count - 4);
        [0, middle, WHOLE - middle]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::draughts::notation::read;

    #[test]
    fn phase_shares_add_up() {
        assert!((0..=PIECES).all(|count| shares(count).iter().sum::<i32>() == WHOLE));
        assert_eq!([shares(24), shares(12), shares(4), shares(0)].map(|s| s[1]), [0, 24, 0, 0]);
    }

    #[test]
    fn extra_man_counts_alike_for_both_sides() {
        for evaluation in [Evaluation::pst(), Evaluation::full()] {
            let ahead = evaluation.value(&read("W:W21-32:B1-10,12").unwrap());
            let turned = evaluation.value(&read("B:W21,23-32:B1-12").unwrap());
            assert_eq!(ahead, turned);
            assert!((50..200).contains(&ahead), "{ahead}");
        }
    }

    #[test]
    fn broken_data_is_an_error() {
        assert!(Evaluation::from_json("{}", "pst").is_err());
        assert!(Evaluation::from_json("not json", "pst").is_err());
        let mut json: Json = serde_json::from_str(DATA).unwrap();
        json["full"]["terms"]["luck"] = json["full"]["terms"]["turn"].clone();
        assert!(Evaluation::from_json(&json.to_string(), "full").is_err());
        let mut json: Json = serde_json::from_str(DATA).unwrap();
        json["pst"]["man"]["opening"] = Json::from(vec![1, 2]);
        assert!(Evaluation::from_json(&json.to_string(), "pst").is_err());
    }
}
