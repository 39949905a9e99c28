//! The two-byte code of a move: from, to << 5, capture << 10, path << 11.
//!
//! Squares are those of PDN less one. `path` numbers captures with the same from and to, in
//! lexicographic order of their landing squares; at most nine share both, see `jumps.rs`. The
//! Python rules use the same code (`engines/rules/draughts.py`).

use super::board::{Board, Side};
use super::jumps::Jumps;
use super::squares::{each, step};
use crate::game::Move;

/// The capture bit.
const CAPTURE: u16 = 1 << 10;

/// The origin square of a move.
#[inline(always)]
pub(super) const fn from(mv: Move) -> usize {
    (mv.0 & 31) as usize
}

/// The target square of a move.
#[inline(always)]
pub(super) const fn to(mv: Move) -> usize {
    (mv.0 >> 5 & 31) as usize
}

/// True for the code of a capture.
#[inline(always)]
pub(super) const fn is_capture(mv: Move) -> bool {
    mv.0 & CAPTURE != 0
}

/// The number of a capture among those with the same from and to.
#[inline(always)]
pub(super) const fn path(mv: Move) -> u16 {
    mv.0 >> 11
}

/// The code of a step.
#[inline(always)]
pub(super) const fn quiet(from: usize, to: usize) -> Move {
    Move(from as u16 | (to as u16) << 5)
}

/// Yields the captures of a side with the pieces that each takes. `jumpers` are its pieces that can
/// capture.
#[inline]
pub(super) fn captures(
    board: &Board,
    side: Side,
    jumpers: u32,
    mut hand_out: impl FnMut(Move, u32),
) {
    for from in each(jumpers) {
        let mut paths = [0; 32];
        Jumps::new(board, side, 1 << from).each_path(1 << from, &mut |landing, taken| {
            let to = landing.trailing_zeros() as usize;
            let code = quiet(from, to).0 | CAPTURE | paths[to] << 11;
            paths[to] += 1;
            hand_out(Move(code), taken);
            false
        });
    }
}

/// The pieces that a capture takes; 0 for codes that are not a path of the piece.
#[inline]
pub(super) fn taken(board: &Board, side: Side, mv: Move) -> u32 {
    let (from, to) = (1 << from(mv), 1 << to(mv));
    let (mut left, mut found) = (path(mv), 0);
    Jumps::new(board, side, from).each_path(from, &mut |landing, taken| {
        if landing != to {
            return false;
        }
        if left == 0 {
            found = taken;
            return true;
        }
        left -= 1;
        false
    });
    found
}

/// True if `mv`, which may be any code, is legal.
pub(super) fn is_legal(board: &Board, side: Side, mv: Move) -> bool {
    let (from, to) = (1 << from(mv), 1 << to(mv));
    if board.of(side) & from == 0 {
        return false;
    }
    if is_capture(mv) {
        return taken(board, side, mv) != 0;
    }
    let goes = |direction| board.movers(side, direction) & from != 0 && step(direction, from) == to;
    path(mv) == 0
        && board.empty() & to != 0
        && super::squares::Direction::ALL.into_iter().any(goes)
        && board.jumpers(side) == 0
}
