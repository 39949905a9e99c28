//! The men and kings on the board.

use super::squares::{BOTTOM_ROW, Direction, TOP_ROW, step};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Starts at the top and moves first.
    Black,
    /// Starts at the bottom.
    White,
}

impl Side {
    /// The opponent.
    #[inline(always)]
    pub const fn other(self) -> Side {
        match self {
            Side::Black => Side::White,
            Side::White => Side::Black,
        }
    }

    /// The directions in which men of this side move.
    #[inline(always)]
    pub(super) const fn forward(self) -> [Direction; 2] {
        match self {
            Side::Black => [Direction::DownLeft, Direction::DownRight],
            Side::White => [Direction::UpLeft, Direction::UpRight],
        }
    }

    /// The crowning squares of this side.
    #[inline(always)]
    pub(super) const fn crowning_row(self) -> u32 {
        match self {
            Side::Black => BOTTOM_ROW,
            Side::White => TOP_ROW,
        }
    }
}

/// The pieces as sets of squares: bit `n` is square `n + 1` of PDN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Men and kings of Black and of White.
    pieces: [u32; 2],
    /// Kings of both sides.
    kings: u32,
}

impl Board {
    /// A board with these men and kings of Black and White, which must not overlap.
    pub(super) const fn new(pieces: [u32; 2], kings: u32) -> Board {
        Board { pieces, kings }
    }

    /// Men and kings of a side.
    #[inline(always)]
    pub const fn of(&self, side: Side) -> u32 {
        self.pieces[side as usize]
    }

    /// Men of a side.
    #[inline(always)]
    pub const fn men(&self, side: Side) -> u32 {
        self.of(side) & !self.kings
    }

    /// Kings of a side.
    #[inline(always)]
    pub const fn kings(&self, side: Side) -> u32 {
        self.of(side) & self.kings
    }

    /// Empty squares.
    #[inline(always)]
    pub(super) const fn empty(&self) -> u32 {
        !(self.pieces[0] | self.pieces[1])
    }

    /// True if any of the squares has a king.
    #[inline(always)]
    pub(super) const fn has_king(&self, squares: u32) -> bool {
        self.kings & squares != 0
    }

    /// The pieces of a side that may move in a direction.
    #[inline(always)]
    pub(super) fn movers(&self, side: Side, direction: Direction) -> u32 {
        if side.forward().contains(&direction) { self.of(side) } else { self.kings(side) }
    }

    /// The pieces of a side that can capture.
    #[inline(always)]
    pub(super) fn jumpers(&self, side: Side) -> u32 {
        let (enemies, empty) = (self.of(side.other()), self.empty());
        let mut jumpers = 0;
        for direction in Direction::ALL {
            let back = direction.back();
            let over = enemies & step(back, empty);
            jumpers |= self.movers(side, direction) & step(back, over);
        }
        jumpers
    }

    /// The squares to which a side can step in a direction, even if it must capture.
    #[inline(always)]
    pub(super) fn steps(&self, side: Side, direction: Direction) -> u32 {
        step(direction, self.movers(side, direction)) & self.empty()
    }

    /// True if a side has a step, even if it must capture.
    #[inline(always)]
    pub(super) fn has_step(&self, side: Side) -> bool {
        Direction::ALL.into_iter().any(|direction| self.steps(side, direction) != 0)
    }

    /// The board after a piece moved and captured the pieces on `taken`. A man that reaches the
    /// last row is crowned.
    #[inline(always)]
    pub(super) fn after(&self, side: Side, from: u32, to: u32, taken: u32) -> Board {
        let mut pieces = self.pieces;
        pieces[side as usize] = pieces[side as usize] & !from | to;
        pieces[side.other() as usize] &= !taken;
        let crowned = self.has_king(from) || to & side.crowning_row() != 0;
        let king = if crowned { to } else { 0 };
        Board { pieces, kings: self.kings & !(from | taken) | king }
    }
}
