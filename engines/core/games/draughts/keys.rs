//! Zobrist keys: a random number for each kind of piece on each square, and one for the turn.

use super::board::{Board, Side};
use super::squares::each;

/// Men of Black and of White, kings of Black and of White.
const KINDS: usize = 4;

/// Included if Black is to move.
const BLACK_TO_MOVE: u64 = mixed(32 * KINDS as u64);

static PIECES: [[u64; 32]; KINDS] = pieces();

const fn pieces() -> [[u64; 32]; KINDS] {
    let mut keys = [[0; 32]; KINDS];
    let mut index = 0;
    while index < 32 * KINDS {
        keys[index / 32][index % 32] = mixed(index as u64);
        index += 1;
    }
    keys
}

/// The output of splitmix64 for a counter.
const fn mixed(counter: u64) -> u64 {
    let mut z = counter.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The key of one piece.
#[inline(always)]
pub(super) fn piece(side: Side, king: bool, square: usize) -> u64 {
    PIECES[side as usize | usize::from(king) << 1][square]
}

/// The number of the turn.
#[inline(always)]
pub(super) const fn turn() -> u64 {
    BLACK_TO_MOVE
}

/// The key of a whole position.
pub(super) fn whole(board: &Board, side: Side) -> u64 {
    let mut key = if side == Side::Black { BLACK_TO_MOVE } else { 0 };
    for owner in [Side::Black, Side::White] {
        for square in each(board.of(owner)) {
            key ^= piece(owner, board.has_king(1 << square), square);
        }
    }
    key
}
