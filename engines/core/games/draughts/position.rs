//! A board with its turn, clock and key.

use super::board::{Board, Side};
use super::squares::each;
use super::{keys, moves};
use crate::game::Move;

/// A position of draughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    key: u64,
    board: Board,
    side: Side,
    /// Plies since the last capture or move of a man.
    clock: u16,
}

impl Position {
    /// A position with `side` to move and this clock.
    pub(super) fn new(board: Board, side: Side, clock: u16) -> Position {
        Position { key: keys::whole(&board, side), board, side, clock }
    }

    /// The board.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Side {
        self.side
    }

    /// Plies since the last capture or move of a man.
    #[inline(always)]
    pub fn clock(&self) -> u16 {
        self.clock
    }

    /// The key, without the clock.
    #[inline(always)]
    pub(super) fn key(&self) -> u64 {
        self.key
    }

    /// The position after a legal move.
    #[inline]
    pub(super) fn after(&self, mv: Move) -> Position {
        let (board, side) = (&self.board, self.side);
        let (from, to) = (moves::from(mv), moves::to(mv));
        let taken = if moves::is_capture(mv) { moves::taken(board, side, mv) } else { 0 };
        let by_king = board.has_king(1 << from);
        let next = board.after(side, 1 << from, 1 << to, taken);
        let mut key = self.key
            ^ keys::turn()
            ^ keys::piece(side, by_king, from)
            ^ keys::piece(side, next.has_king(1 << to), to);
        for square in each(taken) {
            key ^= keys::piece(side.other(), board.has_king(1 << square), square);
        }
        let reversible = by_king && taken == 0;
        let clock = if reversible { self.clock.saturating_add(1) } else { 0 };
        Position { key, board: next, side: side.other(), clock }
    }
}
