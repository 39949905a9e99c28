//! The weights of `full`, from its data file.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use serde_json::Value as Json;

use super::tables::{number, numbers};

/// A middlegame and an endgame number in one word, the endgame's in the upper half.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score(i64);

impl Score {
    pub(super) const ZERO: Score = Score(0);

    pub(super) const fn new(middlegame: i32, endgame: i32) -> Score {
        Score(((endgame as i64) << 32) + middlegame as i64)
    }

    #[inline(always)]
    pub(super) const fn middlegame(self) -> i32 {
        self.0 as i32
    }

    #[inline(always)]
    pub(super) const fn endgame(self) -> i32 {
        ((self.0 + (1 << 31)) >> 32) as i32
    }
}

impl Add for Score {
    type Output = Score;
    #[inline(always)]
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;
    #[inline(always)]
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline(always)]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Mul<i32> for Score {
    type Output = Score;
    #[inline(always)]
    fn mul(self, count: i32) -> Score {
        Score(self.0 * i64::from(count))
    }
}

impl AddAssign for Score {
    #[inline(always)]
    fn add_assign(&mut self, other: Score) {
        self.0 += other.0;
    }
}

impl SubAssign for Score {
    #[inline(always)]
    fn sub_assign(&mut self, other: Score) {
        self.0 -= other.0;
    }
}

/// Declares the weights once: their fields and how they are read.
macro_rules! weights {
    ($($(#[$doc:meta])* $name:ident: $len:expr,)*) => {
        /// The weights of the terms of `full`.
        pub(super) struct Weights {
            $($(#[$doc])* pub(super) $name: [Score; $len],)*
            pub(super) units: Units,
            pub(super) endgame: Endgame,
        }

        impl Weights {
            /// Reads the data file.
            pub(super) fn from_json(json: &Json) -> Result<Weights, String> {
                let terms = &json["terms"];
                let known = [$(stringify!($name)),*];
                let found = terms.as_object().into_iter().flatten();
                if let Some((name, _)) = found.into_iter().find(|(n, _)| !known.contains(&n.as_str())) {
                    return Err(format!("unknown term `{name}`"));
                }
                Ok(Weights {
                    $($name: scores(&terms[stringify!($name)])
                        .map_err(|error| format!("{}: {error}", stringify!($name)))?,)*
                    units: Units::from_json(&json["king_units"])?,
                    endgame: Endgame::from_json(&json["endgame"])?,
                })
            }
        }
    };
}

weights! {
    /// By the number of squares that a knight may move to.
    mobility_knight: 9,
    mobility_bishop: 14,
    mobility_rook: 15,
    mobility_queen: 28,
    /// Bishops on squares of both colours.
    bishop_pair: 1,
    /// Each own pawn on the colour of a bishop.
    bishop_pawns: 1,
    /// On a file without pawns.
    rook_open: 1,
    /// On a file without own pawns.
    rook_half_open: 1,
    /// On the seventh rank, with something to attack there.
    rook_seventh: 1,
    /// Protected by a pawn where no pawn can ever attack.
    knight_outpost: 1,
    bishop_outpost: 1,
    minor_behind_pawn: 1,
    isolated: 1,
    /// Isolated with no enemy pawn in front.
    isolated_open: 1,
    /// An own pawn stands behind on the file.
    doubled: 1,
    /// No pawn can ever protect it, and it cannot advance.
    backward: 1,
    /// Beside a pawn, by rank.
    phalanx: 8,
    /// Protected by a pawn, by rank.
    supported: 8,
    /// Passed pawns, by rank.
    passed: 8,
    passed_protected: 8,
    /// The square in front is occupied.
    passed_blocked: 8,
    /// The square in front is not attacked.
    passed_safe: 8,
    /// The whole way is neither attacked nor occupied.
    passed_free: 8,
    /// Times the distance of the own king to the square in front.
    passed_own_king: 8,
    passed_enemy_king: 8,
    /// No king can catch it.
    passed_unstoppable: 1,
    /// On the king's file and on its neighbours: by the rank of the own pawn.
    shelter: 16,
    /// Free and blocked: by the rank of the enemy's pawn.
    storm: 16,
    /// For the attacker, by attack units.
    king_danger: 64,
    /// A pawn attacks a knight, bishop, rook, queen.
    threat_pawn: 4,
    /// A knight or bishop attacks a pawn, …, queen.
    threat_minor: 5,
    threat_rook: 5,
    threat_king: 1,
    /// Attacked and not defended.
    hanging: 1,
    /// A safe push of a pawn would attack.
    threat_push: 1,
    space: 1,
    tempo: 1,
}

/// Units of attacks on a king; 32 of them are one step of the danger table.
pub(super) struct Units {
    /// Each attacking knight, bishop, rook, queen, times the number of attackers.
    pub(super) attacker: [i32; 4],
    /// Each attack on a square beside the king.
    pub(super) attack: i32,
    /// Each square of the zone that is not well defended.
    pub(super) weak: i32,
    /// A safe check by knight, bishop, rook, queen.
    pub(super) check: [i32; 4],
    /// The attacker has no queen.
    pub(super) no_queen: i32,
}

impl Units {
    fn from_json(json: &Json) -> Result<Units, String> {
        Ok(Units {
            attacker: numbers(&json["attacker"])?,
            attack: number(&json["attack"])?,
            weak: number(&json["weak"])?,
            check: numbers(&json["check"])?,
            no_queen: number(&json["no_queen"])?,
        })
    }
}

/// Endgame scales in 64ths, and weights for driving a bare king.
pub(super) struct Endgame {
    /// No pawns and a surplus of a minor piece at most: a minor piece, against a minor piece
    /// at most, otherwise.
    pub(super) no_pawns: [i32; 3],
    /// Bishops of opposite colours: alone, and with other men.
    pub(super) opposite_bishops: [i32; 2],
    /// Without pawns, and for each pawn.
    pub(super) pawns: [i32; 2],
    /// Against a bare king: won, for each step from the centre, for each step of the kings'
    /// distance that is saved, and for each step toward the corner of bishop and knight.
    pub(super) drive: [i32; 4],
}

impl Endgame {
    fn from_json(json: &Json) -> Result<Endgame, String> {
        Ok(Endgame {
            no_pawns: numbers(&json["no_pawns"])?,
            opposite_bishops: numbers(&json["opposite_bishops"])?,
            pawns: numbers(&json["pawns"])?,
            drive: numbers(&json["drive"])?,
        })
    }
}

fn scores<const N: usize>(json: &Json) -> Result<[Score; N], String> {
    let middlegame: [i32; N] = numbers(&json["mg"])?;
    let endgame: [i32; N] = numbers(&json["eg"])?;
    Ok(std::array::from_fn(|i| Score::new(middlegame[i], endgame[i])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_score_are_independent() {
        let sum = Score::new(7, -300) + Score::new(-20, 100) - Score::new(5, -1) * 4;
        assert_eq!((sum.middlegame(), sum.endgame()), (-33, -196));
        let back = -sum;
        assert_eq!((back.middlegame(), back.endgame()), (33, 196));
    }
}
