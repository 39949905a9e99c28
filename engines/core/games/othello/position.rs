//! A position: the discs of both sides, from the view of the side to move.

use super::board::{flips, moves};
use crate::game::Move;

/// The pass of a side that cannot place a disc while the opponent can.
pub const PASS: Move = Move(65);

/// A position, with the moves of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Discs of the side to move.
    own: u64,
    /// Discs of the opponent.
    other: u64,
    /// Where the side to move may place a disc.
    moves: u64,
    white_to_move: bool,
}

impl Position {
    /// The position with these discs of the side to move and of the opponent.
    #[inline]
    pub fn new(own: u64, other: u64, white_to_move: bool) -> Position {
        Position { own, other, moves: moves(own, other), white_to_move }
    }

    /// Discs of the side to move.
    #[inline(always)]
    pub fn own(&self) -> u64 {
        self.own
    }

    /// Discs of the opponent.
    #[inline(always)]
    pub fn other(&self) -> u64 {
        self.other
    }

    /// Where the side to move may place a disc; without the pass.
    #[inline(always)]
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// True if White is to move.
    #[inline(always)]
    pub fn white_to_move(&self) -> bool {
        self.white_to_move
    }

    /// The number of empty squares.
    #[inline(always)]
    pub fn empties(&self) -> u32 {
        (self.own | self.other).count_zeros()
    }

    /// True if the side to move must pass.
    #[inline(always)]
    pub fn must_pass(&self) -> bool {
        self.moves == 0 && moves(self.other, self.own) != 0
    }

    /// True if neither side can place a disc.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.moves == 0 && moves(self.other, self.own) == 0
    }

    /// Discs of the side to move less those of the opponent.
    #[inline(always)]
    pub fn lead(&self) -> i32 {
        self.own.count_ones() as i32 - self.other.count_ones() as i32
    }

    /// The discs after a legal move: of the new side to move, and of its opponent.
    #[inline(always)]
    pub(super) fn discs_after(&self, mv: Move) -> (u64, u64) {
        if mv == PASS {
            return (self.other, self.own);
        }
        let square = usize::from(mv.0 - 1);
        let turned = flips(self.own, self.other, square);
        (self.other ^ turned, self.own ^ turned ^ 1 << square)
    }

    /// The position after a legal move.
    #[inline]
    pub fn after(&self, mv: Move) -> Position {
        let (own, other) = self.discs_after(mv);
        Position::new(own, other, !self.white_to_move)
    }

    /// Computes the key of the discs and the side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        key(self.own, self.other, self.white_to_move)
    }
}

/// The key of a position with these discs, by two folded multiplications.
#[inline(always)]
pub(super) fn key(own: u64, other: u64, white_to_move: bool) -> u64 {
    const SIDES: [u64; 2] = [0x1D8E_4E27_C47D_124F, 0xEB44_ACCA_B455_D165];
    let discs = folded(own ^ 0xA076_1D64_78BD_642F, other ^ 0xE703_7ED1_A0B4_28DB);
    folded(discs ^ SIDES[usize::from(white_to_move)], discs.rotate_left(32) ^ 0x8EBC_6AF0_9C88_C6E3)
}

#[inline(always)]
fn folded(one: u64, another: u64) -> u64 {
    let product = u128::from(one) * u128::from(another);
    product as u64 ^ (product >> 64) as u64
}
