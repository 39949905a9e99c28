//! The board from one side's view, turned so that its men move up.

use super::super::board::{Board, Side};

/// The pieces from one side's view. Turning the board reverses the bits of its sets.
#[derive(Clone, Copy)]
pub(super) struct Camp {
    /// Own men.
    pub(super) men: u32,
    /// Own kings.
    pub(super) kings: u32,
    /// Enemy men and kings.
    pub(super) enemies: u32,
    /// Enemy kings.
    pub(super) enemy_kings: u32,
}

impl Camp {
    /// The view of a side.
    #[inline(always)]
    pub(super) fn of(board: &Board, side: Side) -> Camp {
        let seen = |squares: u32| match side {
            Side::White => squares,
            Side::Black => squares.reverse_bits(),
        };
        Camp {
            men: seen(board.men(side)),
            kings: seen(board.kings(side)),
            enemies: seen(board.of(side.other())),
            enemy_kings: seen(board.kings(side.other())),
        }
    }

    /// Own men and kings.
    #[inline(always)]
    pub(super) const fn own(&self) -> u32 {
        self.men | self.kings
    }

    /// Empty squares.
    #[inline(always)]
    pub(super) const fn empty(&self) -> u32 {
        !(self.own() | self.enemies)
    }
}
