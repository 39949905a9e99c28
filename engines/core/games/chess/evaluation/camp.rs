//! One side's men and attacks as bitboards.

use cozy_chess::{BitBoard, Color, Piece, Square, get_king_moves};

use super::super::board::Board;

pub(super) const FILE_A: u64 = 0x0101_0101_0101_0101;
pub(super) const FILE_H: u64 = FILE_A << 7;
/// Files c to f.
pub(super) const CENTRE_FILES: u64 = FILE_A << 2 | FILE_A << 3 | FILE_A << 4 | FILE_A << 5;
const RANK_1: u64 = 0xFF;

/// One step forward.
#[inline(always)]
pub(super) fn up<const WHITE: bool>(squares: u64) -> u64 {
    if WHITE { squares << 8 } else { squares >> 8 }
}

/// One step back.
#[inline(always)]
pub(super) fn down<const WHITE: bool>(squares: u64) -> u64 {
    if WHITE { squares >> 8 } else { squares << 8 }
}

/// The squares and all squares in front of them.
#[inline(always)]
pub(super) fn fill_up<const WHITE: bool>(mut squares: u64) -> u64 {
    if WHITE {
        squares |= squares << 8;
        squares |= squares << 16;
        squares | squares << 32
    } else {
        squares |= squares >> 8;
        squares |= squares >> 16;
        squares | squares >> 32
    }
}

/// The squares and all squares behind them.
#[inline(always)]
pub(super) fn fill_down<const WHITE: bool>(squares: u64) -> u64 {
    if WHITE { fill_up::<false>(squares) } else { fill_up::<true>(squares) }
}

/// The neighbours to the left and right.
#[inline(always)]
pub(super) fn beside(squares: u64) -> u64 {
    (squares & !FILE_A) >> 1 | (squares & !FILE_H) << 1
}

/// A rank as its side counts it, from 0.
#[inline(always)]
pub(super) fn rank<const WHITE: bool>(square: Square) -> usize {
    let rank = square as usize >> 3;
    if WHITE { rank } else { 7 - rank }
}

/// All squares of a rank as its side counts it, from 0.
#[inline(always)]
pub(super) fn rank_squares<const WHITE: bool>(rank: usize) -> u64 {
    RANK_1 << (8 * if WHITE { rank } else { 7 - rank })
}

#[inline(always)]
pub(super) fn count(squares: u64) -> i32 {
    squares.count_ones() as i32
}

/// Steps of a king between two squares.
#[inline(always)]
pub(super) fn distance(one: Square, other: Square) -> i32 {
    let files = (one as i32 & 7) - (other as i32 & 7);
    let ranks = (one as i32 >> 3) - (other as i32 >> 3);
    files.abs().max(ranks.abs())
}

/// The squares of a set.
#[inline(always)]
pub(super) fn each(squares: u64) -> impl Iterator<Item = Square> {
    BitBoard(squares).into_iter()
}

/// One side.
pub(super) struct Camp {
    pub(super) men: u64,
    /// The men by kind.
    pub(super) of: [u64; Piece::NUM],
    pub(super) king: Square,
    /// Squares attacked by pawns.
    pub(super) pawn_attacks: u64,
    /// Squares that pawns attack now or after advancing.
    pub(super) pawn_span: u64,
    /// All squares in front of pawns, on their files.
    pub(super) pawn_front: u64,
    /// The square of the king and those around it, moved off the edge of the board.
    pub(super) zone: u64,
    /// Squares attacked by each kind of man.
    pub(super) by: [u64; Piece::NUM],
    /// Squares attacked at least once, and at least twice.
    pub(super) all: u64,
    pub(super) twice: u64,
    /// Pieces that attack the enemy's zone, the sum of their units, and their attacks on the
    /// squares beside the enemy's king.
    pub(super) attackers: i32,
    pub(super) attacker_units: i32,
    pub(super) king_hits: i32,
}

impl Camp {
    /// The side's men, with the attacks of king and pawns only.
    #[inline(always)]
    pub(super) fn new<const WHITE: bool>(board: &Board) -> Camp {
        let color = if WHITE { Color::White } else { Color::Black };
        let men = board.colors(color).0;
        let of = Piece::ALL.map(|piece| board.pieces(piece).0 & men);
        let pawns = of[Piece::Pawn as usize];
        let king = Square::index(of[Piece::King as usize].trailing_zeros() as usize);
        let ahead = up::<WHITE>(pawns);
        let (left, right) = ((ahead & !FILE_A) >> 1, (ahead & !FILE_H) << 1);
        let king_attacks = get_king_moves(king).0;
        let mut by = [0; Piece::NUM];
        by[Piece::Pawn as usize] = left | right;
        by[Piece::King as usize] = king_attacks;
        let (file, line) = ((king as usize & 7).clamp(1, 6), (king as usize >> 3).clamp(1, 6));
        let centre = Square::index(8 * line + file);
        Camp {
            men,
            of,
            king,
            pawn_attacks: left | right,
            pawn_span: fill_up::<WHITE>(left | right),
            pawn_front: fill_up::<WHITE>(ahead),
            zone: get_king_moves(centre).0 | centre.bitboard().0,
            by,
            all: left | right | king_attacks,
            twice: left & right | (left | right) & king_attacks,
            attackers: 0,
            attacker_units: 0,
            king_hits: 0,
        }
    }

    #[inline(always)]
    pub(super) fn pawns(&self) -> u64 {
        self.of[Piece::Pawn as usize]
    }

    /// The men of a kind.
    #[inline(always)]
    pub(super) fn men_of(&self, piece: Piece) -> u64 {
        self.of[piece as usize]
    }

    /// Squares attacked by a kind of man.
    #[inline(always)]
    pub(super) fn attacks_by(&self, piece: Piece) -> u64 {
        self.by[piece as usize]
    }

    /// Knights, bishops, rooks and queens.
    #[inline(always)]
    pub(super) fn pieces(&self) -> u64 {
        self.men & !self.pawns() & !self.men_of(Piece::King)
    }

    /// Adds the attacks of one piece.
    #[inline(always)]
    pub(super) fn attack(&mut self, piece: Piece, attacks: u64, enemy: &Camp, units: i32) {
        self.twice |= self.all & attacks;
        self.all |= attacks;
        self.by[piece as usize] |= attacks;
        if attacks & enemy.zone != 0 {
            self.attackers += 1;
            self.attacker_units += units;
            self.king_hits += count(attacks & enemy.by[Piece::King as usize]);
        }
    }
}
