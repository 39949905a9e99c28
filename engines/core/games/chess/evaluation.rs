//! The evaluation `pst`: material and square tables, tapered between middlegame and endgame.
//!
//! The numbers stand in `engines/data/pst.json`, which both backends read.

use std::ops::{AddAssign, SubAssign};
use std::sync::OnceLock;

use cozy_chess::{Board, Color, Piece, Square};
use serde_json::Value as Json;

use crate::value::{EVALUATION_BOUND, Value, to_grain};

const PST_JSON: &str = include_str!("../../../data/pst.json");
const NAMES: [&str; Piece::NUM] = ["p", "n", "b", "r", "q", "k"];

/// Sums over the men of a position, from White's view: middlegame, endgame, and the phase
/// (how much material is left, of both sides together).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    middlegame: i32,
    endgame: i32,
    phase: i32,
}

impl AddAssign<&Sums> for Sums {
    #[inline(always)]
    fn add_assign(&mut self, other: &Sums) {
        self.middlegame += other.middlegame;
        self.endgame += other.endgame;
        self.phase += other.phase;
    }
}

impl SubAssign<&Sums> for Sums {
    #[inline(always)]
    fn sub_assign(&mut self, other: &Sums) {
        self.middlegame -= other.middlegame;
        self.endgame -= other.endgame;
        self.phase -= other.phase;
    }
}

/// A tapered evaluation by material and squares.
pub struct Evaluation {
    terms: [[[Sums; Square::NUM]; Piece::NUM]; Color::NUM],
    phase_max: i32,
    exchange: [Value; Piece::NUM],
}

impl Evaluation {
    /// The names of all evaluations.
    pub const NAMES: [&'static str; 1] = ["pst"];

    /// The evaluation of that name.
    pub fn by_name(name: &str) -> Option<&'static Evaluation> {
        (name == "pst").then(Evaluation::pst)
    }

    /// The evaluation `pst`.
    ///
    /// # Panics
    /// When the data file that was compiled in is not as documented.
    pub fn pst() -> &'static Evaluation {
        static PST: OnceLock<Evaluation> = OnceLock::new();
        PST.get_or_init(|| Evaluation::from_json(PST_JSON).expect("engines/data/pst.json"))
    }

    fn from_json(text: &str) -> Result<Evaluation, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut terms = [[[Sums::default(); Square::NUM]; Piece::NUM]; Color::NUM];
        let mut exchange = [0; Piece::NUM];
        for (piece, name) in NAMES.iter().enumerate() {
            let middlegame = squares(&json["mg"][name])?;
            let endgame = squares(&json["eg"][name])?;
            let phase = number(&json["phase"][name])?;
            exchange[piece] = number(&json["see"][name])?;
            for square in 0..Square::NUM {
                let (mg, eg) = (middlegame[square], endgame[square]);
                terms[Color::White as usize][piece][square] =
                    Sums { middlegame: mg, endgame: eg, phase };
                terms[Color::Black as usize][piece][square ^ 56] =
                    Sums { middlegame: -mg, endgame: -eg, phase };
            }
        }
        Ok(Evaluation { terms, phase_max: number(&json["phase_max"])?, exchange })
    }

    /// What one man on its square adds to the sums.
    #[inline(always)]
    pub(super) fn term(&self, color: Color, piece: Piece, square: Square) -> &Sums {
        &self.terms[color as usize][piece as usize][square as usize]
    }

    /// The sums of a whole board.
    pub(super) fn sums(&self, board: &Board) -> Sums {
        let mut sums = Sums::default();
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in board.colored_pieces(color, piece) {
                    sums += self.term(color, piece, square);
                }
            }
        }
        sums
    }

    /// The value for the side to move, clamped and rounded to `grain`. The taper divides
    /// White's value and cuts toward zero, so that both sides see the same number.
    #[inline]
    pub(super) fn value(&self, sums: &Sums, side: Color, grain: Value) -> Value {
        let phase = sums.phase.min(self.phase_max);
        let weighted = sums.middlegame * phase + sums.endgame * (self.phase_max - phase);
        let white = weighted / self.phase_max;
        let value = if side == Color::White { white } else { -white };
        to_grain(value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND), grain)
    }

    /// What a man is worth in static exchange evaluation.
    #[inline(always)]
    pub(super) fn exchange_value(&self, piece: Piece) -> Value {
        self.exchange[piece as usize]
    }
}

fn number(json: &Json) -> Result<i32, String> {
    let number = json.as_i64().and_then(|n| i32::try_from(n).ok());
    number.ok_or_else(|| format!("expected a number, found {json}"))
}

fn squares(json: &Json) -> Result<[i32; Square::NUM], String> {
    let list = json.as_array().ok_or_else(|| format!("expected a table, found {json}"))?;
    let numbers = list.iter().map(number).collect::<Result<Vec<i32>, String>>()?;
    numbers.try_into().map_err(|wrong: Vec<i32>| format!("{} squares", wrong.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_position_is_even_and_a_queen_counts() {
        let pst = Evaluation::pst();
        let even = pst.sums(&Board::default());
        assert_eq!(pst.value(&even, Color::White, 1), 0);
        let board: Board =
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse().unwrap();
        let ahead = pst.value(&pst.sums(&board), Color::White, 1);
        assert!(ahead > 900, "{ahead}");
        assert_eq!(pst.value(&pst.sums(&board), Color::Black, 1), -ahead);
    }

    #[test]
    fn broken_data_is_an_error() {
        assert!(Evaluation::from_json("{}").is_err());
        assert!(Evaluation::from_json("not json").is_err());
    }
}
