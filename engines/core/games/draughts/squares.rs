//! Sets of the 32 dark squares, and steps along the diagonals.
//!
//! Bit `n` is square `n + 1` of PDN, row `n / 4` from the top. A row holds every other column: the
//! even rows columns 1, 3, 5, 7, the odd rows columns 0, 2, 4, 6. So a diagonal step is a different
//! shift in even and odd rows.

/// Rows 0, 2, 4 and 6.
const EVEN: u32 = 0x0F0F_0F0F;
/// The first square of each row.
const FIRST: u32 = 0x1111_1111;
/// The last square of each row.
const LAST: u32 = 0x8888_8888;

/// The crowning squares of White, at the top.
pub(super) const TOP_ROW: u32 = 0x0000_000F;
/// The crowning squares of Black.
pub(super) const BOTTOM_ROW: u32 = 0xF000_0000;

/// A diagonal direction, ordered by ascending landing squares of jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    UpLeft,
    UpRight,
    DownLeft,
    DownRight,
}

use Direction::{DownLeft, DownRight, UpLeft, UpRight};

impl Direction {
    /// All directions, in order.
    pub(super) const ALL: [Direction; 4] = [UpLeft, UpRight, DownLeft, DownRight];

    /// The opposite direction.
    #[inline(always)]
    pub(super) const fn back(self) -> Direction {
        match self {
            UpLeft => DownRight,
            UpRight => DownLeft,
            DownLeft => UpRight,
            DownRight => UpLeft,
        }
    }
}

/// The squares one step away from `squares`, without those off the board.
#[inline(always)]
pub(super) const fn step(direction: Direction, squares: u32) -> u32 {
    let (even, odd) = (squares & EVEN, squares & !EVEN);
    match direction {
        UpLeft => even >> 4 | (odd & !FIRST) >> 5,
        UpRight => (even & !LAST) >> 3 | odd >> 4,
        DownLeft => even << 4 | (odd & !FIRST) << 3,
        DownRight => (even & !LAST) << 5 | odd << 4,
    }
}

/// The squares of a set, ascending.
#[inline(always)]
pub(super) fn each(mut squares: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (squares != 0).then(|| {
            let square = squares.trailing_zeros() as usize;
            squares &= squares - 1;
            square
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The square at a row and column.
    fn at(row: i32, column: i32) -> u32 {
        let dark = (row + column) % 2 != 0;
        let inside = (0..8).contains(&row) && (0..8).contains(&column);
        if dark && inside { 1 << (4 * row + column / 2) } else { 0 }
    }

    #[test]
    fn steps_are_diagonal() {
        for row in 0..8 {
            for column in (0..8).filter(|column| (row + column) % 2 != 0) {
                let square = at(row, column);
                let around = Direction::ALL.map(|direction| step(direction, square));
                let expected = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
                    .map(|(down, right)| at(row + down, column + right));
                assert_eq!(around, expected, "{row} {column}");
            }
        }
    }

    #[test]
    fn opposite_step_leads_back() {
        for square in each(u32::MAX) {
            for direction in Direction::ALL {
                let there = step(direction, 1 << square);
                assert!(there == 0 || step(direction.back(), there) == 1 << square);
            }
        }
    }

    #[test]
    fn jumps_are_sorted_by_direction() {
        for square in each(u32::MAX) {
            let landings = Direction::ALL.map(|way| step(way, step(way, 1 << square)));
            let landings: Vec<u32> = landings.into_iter().filter(|&landing| landing != 0).collect();
            assert!(landings.is_sorted());
        }
    }
}
