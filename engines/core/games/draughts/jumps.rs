//! The capture paths of one piece.

use super::board::{Board, Side};
use super::squares::{Direction, step};

/// The state of a capture that decides where the piece can jump.
pub(super) struct Jumps {
    directions: &'static [Direction],
    enemies: u32,
    empty: u32,
}

impl Jumps {
    /// The jumps of a side's piece from `from`, which becomes empty.
    #[inline(always)]
    pub(super) fn new(board: &Board, side: Side, from: u32) -> Jumps {
        let directions = match (board.has_king(from), side) {
            (true, _) => &Direction::ALL[..],
            (false, Side::White) => &Direction::ALL[..2],
            (false, Side::Black) => &Direction::ALL[2..],
        };
        Jumps { directions, enemies: board.of(side.other()), empty: board.empty() | from }
    }

    /// Yields the end and the captures of each complete path from `from` until `each` returns true;
    /// returns whether it did. Paths come in lexicographic order of their landing squares.
    ///
    /// A jumped man stays until the path ends and is not jumped twice. This does not affect landing
    /// squares, because a piece never lands on squares that it can jump.
    #[inline]
    pub(super) fn each_path(&self, from: u32, each: &mut impl FnMut(u32, u32) -> bool) -> bool {
        self.follow(from, 0, each)
    }

    fn follow(&self, at: u32, taken: u32, each: &mut impl FnMut(u32, u32) -> bool) -> bool {
        let mut complete = true;
        for &direction in self.directions {
            let over = step(direction, at) & self.enemies & !taken;
            let to = step(direction, over) & self.empty;
            if to != 0 {
                complete = false;
                if self.follow(to, taken | over, each) {
                    return true;
                }
            }
        }
        complete && taken != 0 && each(at, taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::draughts::squares::each;

    /// A king jumps between squares of one colour of a grid of 4 by 4, over its 9 inner cells, each
    /// of which it can cross on one diagonal only. So all sets of enemies that matter can be tried:
    /// a man on a square where it would land is the same as no enemies beside that square.
    #[test]
    fn at_most_nine_paths_have_the_same_ends() {
        let mut most = 0;
        for from in each(u32::MAX) {
            let cells = jumpable(1 << from);
            let mut enemies = 0u32;
            loop {
                let board = Board::new([1 << from, enemies], 1 << from);
                let mut counts = [0; 32];
                Jumps::new(&board, Side::Black, 1 << from).each_path(1 << from, &mut |to, _| {
                    counts[to.trailing_zeros() as usize] += 1;
                    false
                });
                most = counts.into_iter().fold(most, usize::max);
                enemies = enemies.wrapping_sub(cells) & cells;
                if enemies == 0 {
                    break;
                }
            }
        }
        assert_eq!(most, 9);
    }

    /// All squares that a king from this square may ever jump.
    fn jumpable(from: u32) -> u32 {
        let (mut landings, mut cells) = (from, 0);
        for _ in 0..8 {
            for direction in Direction::ALL {
                let over = step(direction, landings);
                let to = step(direction, over);
                cells |= step(direction.back(), to);
                landings |= to;
            }
        }
        cells
    }
}
