//! The patterns of `full`: whole lines, and the corners of three by three squares.
//!
//! A pattern's state is a number in base 3 with a digit per square: 0 if empty, 1 for a disc of the
//! side to move, 2 for one of the opponent. Weights are symmetric under mirroring and antisymmetric
//! in the colours, so the direction of a line and the choice of corner do not matter.

use super::score::Score;
use crate::games::othello::Position;
use crate::games::othello::board::transposed;
use crate::value::Value;

/// A pattern: its name in the data file and its squares at one place of the board.
pub(super) struct Pattern {
    pub(super) name: &'static str,
    pub(super) squares: &'static str,
}

/// All patterns, in the order of their tables.
pub(super) const PATTERNS: [Pattern; 10] = [
    Pattern { name: "row1", squares: "a1 b1 c1 d1 e1 f1 g1 h1" },
    Pattern { name: "row2", squares: "a2 b2 c2 d2 e2 f2 g2 h2" },
    Pattern { name: "row3", squares: "a3 b3 c3 d3 e3 f3 g3 h3" },
    Pattern { name: "row4", squares: "a4 b4 c4 d4 e4 f4 g4 h4" },
    Pattern { name: "diagonal8", squares: "a1 b2 c3 d4 e5 f6 g7 h8" },
    Pattern { name: "diagonal7", squares: "b1 c2 d3 e4 f5 g6 h7" },
    Pattern { name: "diagonal6", squares: "c1 d2 e3 f4 g5 h6" },
    Pattern { name: "diagonal5", squares: "d1 e2 f3 g4 h5" },
    Pattern { name: "diagonal4", squares: "e1 f2 g3 h4" },
    Pattern { name: "corner", squares: "a1 b1 c1 a2 b2 c2 a3 b3 c3" },
];

/// The weights at the two knots of an interval.
type Cell = [i16; 2];

/// The weights of all patterns in one interval.
pub(super) struct Tables {
    rows: [Box<[Cell]>; 4],
    /// Lines of eight, seven, six, five and four squares.
    diagonals: [Box<[Cell]>; 5],
    corner: Box<[Cell]>,
}

impl Tables {
    /// The tables in the order of [`PATTERNS`], with a cell for each state.
    pub(super) fn new(tables: [Box<[Cell]>; PATTERNS.len()]) -> Tables {
        let [row1, row2, row3, row4, eight, seven, six, five, four, corner] = tables;
        Tables {
            rows: [row1, row2, row3, row4],
            diagonals: [eight, seven, six, five, four],
            corner,
        }
    }
}

/// The value of all patterns of a position.
#[inline]
pub(super) fn sums(position: &Position, tables: &Tables) -> Score {
    let (own, other) = (position.own(), position.other());
    let mut sums = Score::default();
    let mut add = |table: &[Cell], index: usize| {
        let [lower, upper] = table[index];
        sums = sums + Score { lower: Value::from(lower), upper: Value::from(upper) };
    };
    for (own, other) in [(own, other), (transposed(own), transposed(other))] {
        for (row, table) in tables.rows.iter().enumerate() {
            for row in [row, 7 - row] {
                add(table, number(own >> (8 * row) & 0xFF, other >> (8 * row) & 0xFF));
            }
        }
    }
    for (own, other) in [(own, other), (own.swap_bytes(), other.swap_bytes())] {
        let both = |line: Diagonal| number(line.of(own), line.of(other));
        add(&tables.diagonals[0], both(DIAGONALS[0][0]));
        for (table, lines) in tables.diagonals.iter().zip(&DIAGONALS).skip(1) {
            add(table, both(lines[0]));
            add(table, both(lines[1]));
        }
    }
    for (own, other) in [
        (own, other),
        (own.swap_bytes(), other.swap_bytes()),
        (own.reverse_bits(), other.reverse_bits()),
        (own.reverse_bits().swap_bytes(), other.reverse_bits().swap_bytes()),
    ] {
        add(&tables.corner, number(corner(own), corner(other)));
    }
    sums
}

/// The state of a pattern, from its squares as bits.
#[inline(always)]
fn number(own: u64, other: u64) -> usize {
    usize::from(BASE_3[own as usize & 511]) + 2 * usize::from(BASE_3[other as usize & 511])
}

/// The digits of a number in base 2, read in base 3.
static BASE_3: [u16; 512] = base_3();

const fn base_3() -> [u16; 512] {
    let mut all = [0; 512];
    let mut bits = 1;
    while bits < 512 {
        all[bits] = 3 * all[bits / 2] + (bits % 2) as u16;
        bits += 1;
    }
    all
}

/// The squares of the corner at a1, row after row.
#[inline(always)]
fn corner(board: u64) -> u64 {
    board & 7 | board >> 5 & 0o70 | board >> 10 & 0o700
}

/// A line from upper left to lower right.
#[derive(Clone, Copy)]
struct Diagonal {
    squares: u64,
    /// By its square nearest to column a.
    column: u32,
}

impl Diagonal {
    const fn new(first: u32, length: u32) -> Diagonal {
        let (mut squares, mut place) = (0, 0);
        while place < length {
            squares |= 1 << (first + 9 * place);
            place += 1;
        }
        Diagonal { squares, column: first % 8 }
    }

    /// Its squares as bits. No two are in one column, so rows can be added.
    #[inline(always)]
    fn of(self, board: u64) -> u64 {
        (board & self.squares).wrapping_mul(0x0101_0101_0101_0101) >> 56 >> self.column
    }
}

/// The diagonals of each length: above the longest, and below.
static DIAGONALS: [[Diagonal; 2]; 5] = [
    [Diagonal::new(0, 8), Diagonal::new(0, 8)],
    [Diagonal::new(1, 7), Diagonal::new(8, 7)],
    [Diagonal::new(2, 6), Diagonal::new(16, 6)],
    [Diagonal::new(3, 5), Diagonal::new(24, 5)],
    [Diagonal::new(4, 4), Diagonal::new(32, 4)],
];

/// The same number read from the other end, or with rows and columns of a corner exchanged.
pub(super) fn mirrored(pattern: &Pattern, number: usize) -> usize {
    let digits = digits(pattern, number);
    let last = digits.len() - 1;
    let from = |place: usize| {
        if pattern.name == "corner" { place % 3 * 3 + place / 3 } else { last - place }
    };
    (0..digits.len()).rev().fold(0, |sum, place| 3 * sum + digits[from(place)])
}

/// The same number with the colours exchanged.
pub(super) fn exchanged(pattern: &Pattern, number: usize) -> usize {
    digits(pattern, number).iter().rev().fold(0, |sum, digit| 3 * sum + (3 - digit) % 3)
}

/// The digits of a pattern's number, its first square first.
fn digits(pattern: &Pattern, number: usize) -> Vec<usize> {
    let length = pattern.length() as u32;
    (0..length).map(|place| number / 3_usize.pow(place) % 3).collect()
}

impl Pattern {
    /// How many squares it has.
    pub(super) fn length(&self) -> usize {
        self.squares.split(' ').count()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::games::othello::board::tests::{images, random};

    /// The squares of a pattern at all its places, each once.
    fn places(pattern: &Pattern) -> Vec<Vec<usize>> {
        let named = pattern
            .squares
            .split(' ')
            .map(|name| usize::from((name.as_bytes()[1] - b'1') * 8 + name.as_bytes()[0] - b'a'));
        let squares: Vec<[u64; 8]> = named.map(|square| images(1 << square)).collect();
        let mut seen = BTreeSet::new();
        (0..8)
            .map(|image| squares.iter().map(|one| one[image]).collect::<Vec<u64>>())
            .filter(|place| seen.insert(place.iter().fold(0, |all, square| all | square)))
            .map(|place| place.iter().map(|square| square.trailing_zeros() as usize).collect())
            .collect()
    }

    /// A weight that depends on the pattern and its number, without regard to the way it is read.
    fn weight(place: usize, number: usize) -> i16 {
        let pattern = &PATTERNS[place];
        let (back, turned) = (mirrored(pattern, number), exchanged(pattern, number));
        let class = |one: usize| (one.min(mirrored(pattern, one)) * 31 + place * 77) as i64 % 251;
        (class(number.min(back)) - class(turned)) as i16
    }

    #[test]
    fn pattern_sums_match_their_squares() {
        let cells = |place: usize| {
            let numbers = 0..3_usize.pow(PATTERNS[place].length() as u32);
            numbers.map(|number| [weight(place, number), -weight(place, number) / 2]).collect()
        };
        let tables = Tables::new(std::array::from_fn(cells));
        let mut next = random(3);
        for _ in 0..300 {
            let (discs, split) = (next() | next(), next());
            let position = Position::new(discs & split, discs & !split, false);
            let mut expected = Score::default();
            for (place, pattern) in PATTERNS.iter().enumerate() {
                for squares in places(pattern) {
                    let digit = |square: &usize| {
                        (position.own() >> square & 1) + 2 * (position.other() >> square & 1)
                    };
                    let number =
                        squares.iter().rev().fold(0, |sum, square| 3 * sum + digit(square));
                    let lower = Value::from(weight(place, number as usize));
                    expected = expected + Score { lower, upper: -lower / 2 };
                }
            }
            assert_eq!(sums(&position, &tables), expected);
        }
    }

    #[test]
    fn patterns_cover_all_their_places() {
        let counts: Vec<usize> = PATTERNS.iter().map(|pattern| places(pattern).len()).collect();
        assert_eq!(counts, [4, 4, 4, 4, 2, 4, 4, 4, 4, 4]);
    }
}
