//! The men and kings on the board.

use super::squares::{BOTTOM_ROW, Direction, TOP_ROW, step};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Begins at the top and moves first.
    Black,
    /// Begins at the bottom.
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

    /// The directions in which men of this side go.
    #[inline(always)]
    pub(super) const fn forward(self) -> [Direction; 2] {
        match self {
            Side::Black => [Direction::DownLeft, Direction::DownRight],
            Side::White => [Direction::UpLeft, Direction::UpRight],
        }
    }

    /// The squares on which men of this side are crowned.
    #[inline(always)]
    pub(super) const fn crowning_row(self) -> u32 {
        match self {
            Side::Black => BOTTOM_ROW,
            Side::White => TOP_ROW,
        }
    }
}

/// What stands where, as sets of squares: bit `n` is square `n + 1` of PDN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Board {
    /// Men and kings of Black and of White.
    pieces: [u32; 2],
    /// Kings of both sides.
    kings: u32,
}

impl Board {
    /// A board with these men and kings of Black and White; no square belongs to two of them.
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

    /// Squares on which nothing stands.
    #[inline(always)]
    pub(super) const fn empty(&self) -> u32 {
        !(self.pieces[0] | self.pieces[1])
    }

    /// True when a king stands on any of the squares.
    #[inline(always)]
    pub(super) const fn has_king(&self, squares: u32) -> bool {
        self.kings & squares != 0
    }

    /// The men and kings of a side that may go in a direction.
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

    /// The squares to which a side can step in a direction, captures or not.
    #[inline(always)]
    pub(super) fn steps(&self, side: Side, direction: Direction) -> u32 {
        step(direction, self.movers(side, direction)) & self.empty()
    }

    /// True when a side has a step to make, captures or not.
    #[inline(always)]
    pub(super) fn has_step(&self, side: Side) -> bool {
        Direction::ALL.into_iter().any(|direction| self.steps(side, direction) != 0)
    }

    /// The board after a piece went from one square to another and took what stood on `taken`.
    /// A man that reaches the last row is crowned.
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
