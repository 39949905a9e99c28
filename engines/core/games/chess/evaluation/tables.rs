//! Material and square tables, tapered between middlegame and endgame, as sums that a position
//! updates incrementally.

use std::ops::{AddAssign, SubAssign};

use cozy_chess::{Color, Piece, Square};
use serde_json::Value as Json;

use super::super::board::Board;
use super::super::keys::KINDS;
use crate::value::Value;

const NAMES: [&str; Piece::NUM] = ["p", "n", "b", "r", "q", "k"];

/// Sums over the men of a position, from White's view: middlegame, endgame, and the phase
/// (how much material is left, of both sides together).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub(super) middlegame: i32,
    pub(super) endgame: i32,
    pub(super) phase: i32,
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

/// Square tables including material, the phase of each man, and exchange values.
pub(super) struct Tables {
    terms: [[[Sums; Square::NUM]; KINDS]; Color::NUM],
    pub(super) phase_max: i32,
    exchange: [Value; Piece::NUM],
}

impl Tables {
    pub(super) fn from_json(json: &Json) -> Result<Tables, String> {
        let mut terms = [[[Sums::default(); Square::NUM]; KINDS]; Color::NUM];
        let mut exchange = [0; Piece::NUM];
        for (piece, name) in NAMES.iter().enumerate() {
            let middlegame: [i32; Square::NUM] = numbers(&json["mg"][name])?;
            let endgame: [i32; Square::NUM] = numbers(&json["eg"][name])?;
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
        Ok(Tables { terms, phase_max: number(&json["phase_max"])?, exchange })
    }

    /// The contribution of a man on its square to the sums, by its
    /// [kind](super::super::board::Board::kind_on): an empty square nothing.
    #[inline(always)]
    pub(super) fn term(&self, color: Color, kind: usize, square: Square) -> &Sums {
        &self.terms[color as usize][kind][square as usize]
    }

    /// The sums of a whole board.
    pub(super) fn sums(&self, board: &Board) -> Sums {
        let mut sums = Sums::default();
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in board.colored_pieces(color, piece) {
                    sums += self.term(color, piece as usize, square);
                }
            }
        }
        sums
    }

    /// The value of a man in static exchange evaluation.
    #[inline(always)]
    pub(super) fn exchange_value(&self, piece: Piece) -> Value {
        self.exchange[piece as usize]
    }
}

/// An integer of a data file.
pub(super) fn number(json: &Json) -> Result<i32, String> {
    let number = json.as_i64().and_then(|n| i32::try_from(n).ok());
    number.ok_or_else(|| format!("expected a number, found {json}"))
}

/// A list of exactly `N` integers of a data file.
pub(super) fn numbers<const N: usize>(json: &Json) -> Result<[i32; N], String> {
    let list = json.as_array().ok_or_else(|| format!("expected a table, found {json}"))?;
    let numbers = list.iter().map(number).collect::<Result<Vec<i32>, String>>()?;
    numbers.try_into().map_err(|wrong: Vec<i32>| format!("{} numbers, not {N}", wrong.len()))
}
