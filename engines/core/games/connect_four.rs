//! Connect Four: the smallest example of a game that is played for its end.
//!
//! Seven columns of six rows. A disc falls to the lowest empty square of its column; four in a row
//! win, and a full board is a draw. White begins. The board is one word with seven bits per column,
//! from the bottom; the top bit is always empty, so that no line runs into the next column (Pascal
//! Pons, Solving Connect 4, 2015, after John Tromp).

use super::playable::Playable;
use crate::contest::Ended;
use crate::game::{Game, Merit, Move};
use crate::value::{DRAW, EVALUATION_BOUND, MATED, Value, round_to_grain};

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;
const SQUARES: u32 = COLUMNS * ROWS;
/// Bits per column.
const STRIDE: u32 = ROWS + 1;
/// Bits of a board.
const BITS: usize = (COLUMNS * STRIDE) as usize;
/// The columns from the middle outwards: the order of moves.
const ORDER: [u32; COLUMNS as usize] = [3, 2, 4, 1, 5, 0, 6];

/// The directions of lines: the distance between squares, and the squares where one starts.
/// Columns, rows and two diagonals: 69 lines.
const WAYS: [(u32, u64); 4] = [
    (1, region(0..COLUMNS, 0..3)),
    (STRIDE, region(0..4, 0..ROWS)),
    (STRIDE + 1, region(0..4, 0..3)),
    (STRIDE - 1, region(0..4, 3..ROWS)),
];

/// The value of a line through a square to a disc on it, in centipawns.
const LINE: Value = 4;
/// The value of an open line by its number of own discs, in the full evaluation.
const THREE: Value = 60;
const TWO: Value = 12;

/// `PLANES[i]` has the squares whose number of lines has bit `i` set, so that a sum over discs
/// takes four popcounts.
const PLANES: [u64; 4] = {
    let mut planes = [0; 4];
    let mut square = 0;
    while square < BITS {
        let lines = lines_through(square);
        let mut plane = 0;
        while plane < planes.len() {
            planes[plane] |= (lines as u64 >> plane & 1) << square;
            plane += 1;
        }
        square += 1;
    }
    planes
};

const fn region(columns: std::ops::Range<u32>, rows: std::ops::Range<u32>) -> u64 {
    let (mut squares, mut column) = (0, columns.start);
    while column < columns.end {
        let mut row = rows.start;
        while row < rows.end {
            squares |= 1 << (column * STRIDE + row);
            row += 1;
        }
        column += 1;
    }
    squares
}

const fn lines_through(square: usize) -> u32 {
    let (mut lines, mut way) = (0, 0);
    while way < WAYS.len() {
        let (distance, starts) = WAYS[way];
        let mut place = 0;
        while place < 4 {
            let back = place * distance as usize;
            if square >= back && starts >> (square - back) & 1 == 1 {
                lines += 1;
            }
            place += 1;
        }
        way += 1;
    }
    lines
}

const fn bottom(column: u32) -> u64 {
    1 << (column * STRIDE)
}

const fn top(column: u32) -> u64 {
    1 << (column * STRIDE + ROWS - 1)
}

/// The board from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The discs of the side to move.
    own: u64,
    /// All discs.
    filled: u64,
    /// The other side has four in a row.
    lost: bool,
}

impl Position {
    fn other(&self) -> u64 {
        self.own ^ self.filled
    }

    fn white_to_move(&self) -> bool {
        self.filled.count_ones() % 2 == 0
    }

    fn empty_squares(&self) -> u32 {
        SQUARES - self.filled.count_ones()
    }

    fn is_over(&self) -> bool {
        self.lost || self.empty_squares() == 0
    }

    fn takes(&self, column: u32) -> bool {
        self.filled & top(column) == 0
    }

    /// The square where a disc lands in a column that is not full.
    fn landing(&self, column: u32) -> u64 {
        (self.filled + bottom(column)) & region(column..column + 1, 0..ROWS)
    }

    fn after(&self, column: u32) -> Position {
        let disc = self.landing(column);
        let (own, filled) = (self.other(), self.filled | disc);
        Position { own, filled, lost: has_four(self.own | disc) }
    }
}

fn has_four(discs: u64) -> bool {
    WAYS.iter().any(|&(distance, _)| {
        let pairs = discs & discs >> distance;
        pairs & pairs >> (2 * distance) != 0
    })
}

fn column_of(mv: Move) -> u32 {
    u32::from(mv.0) - 1
}

fn move_into(column: u32) -> Move {
    Move(column as u16 + 1)
}

/// The number of lines through these discs, counted for each disc.
fn lines_of(discs: u64) -> Value {
    let planes = PLANES.iter().enumerate();
    planes.map(|(place, plane)| ((discs & plane).count_ones() << place) as Value).sum()
}

/// The value of the lines with two or three discs of `own` and none of `other`.
fn open_lines(own: u64, other: u64) -> Value {
    let ways = WAYS.iter().map(|&(distance, starts)| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|place| own >> (place * distance));
        let closed = (0..4).fold(0, |all, place| all | other >> (place * distance));
        let open = starts & !closed;
        let threes = a & b & (c ^ d) | (a ^ b) & c & d;
        let twos = a & b & !(c | d) | !(a | b) & c & d | (a ^ b) & (c ^ d);
        let count = |lines: u64| (lines & open).count_ones() as Value;
        THREE * count(threes) + TWO * count(twos)
    });
    ways.sum()
}

/// Connect Four with an evaluation, its grain and its swing.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour {
    /// Whether open lines count.
    full: bool,
    grain: Value,
    swing: Value,
}

impl Game for ConnectFour {
    type Position = Position;
    type Targets = ();
    type Forcing = ();

    const HISTORY_SLOTS: usize = 2 * BITS;
    const SLOTS: usize = 2 * BITS;

    fn key(&self, position: &Position) -> u64 {
        // The sum is unique for each position, and the mixing is a bijection.
        let mut z = position.own + position.filled + 1;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn make(&self, position: &Position, mv: Move) -> Position {
        position.after(column_of(mv))
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        (1..=COLUMNS as u16).contains(&mv.0) && !position.lost && position.takes(column_of(mv))
    }

    fn has_move(&self, position: &Position) -> bool {
        !position.is_over()
    }

    fn terminal_value(&self, position: &Position) -> Value {
        if position.lost { MATED } else { DRAW }
    }

    fn static_value(&self, position: &Position) -> Value {
        let (own, other) = (position.own, position.other());
        let mut value = LINE * (lines_of(own) - lines_of(other)) + self.swing;
        if self.full {
            value += open_lines(own, other) - open_lines(other, own);
        }
        round_to_grain(value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND), self.grain)
    }

    fn targets(&self, _: &Position) {}

    fn tactical(&self, _: &Position, (): &(), _: impl FnMut(Move, Merit)) {}

    fn quiets(&self, position: &Position, (): &(), mut each: impl FnMut(Move, usize)) {
        if position.lost {
            return;
        }
        for column in ORDER.into_iter().filter(|&column| position.takes(column)) {
            let mv = move_into(column);
            each(mv, self.slot(position, mv));
        }
    }

    fn is_quiet(&self, _: &Position, _: Move) -> bool {
        true
    }

    fn exchange_at_least(&self, _: &Position, _: Move, least: Value) -> bool {
        least <= 0
    }

    fn forcing(&self, _: &Position) {}

    /// A move that ends the game leaves no choice.
    fn forces(&self, position: &Position, (): &(), mv: Move) -> bool {
        position.after(column_of(mv)).is_over()
    }

    fn gain(&self, _: &Position, _: Move) -> Value {
        0
    }

    fn victim(&self, _: &Position, _: Move) -> usize {
        0
    }

    fn history_slot(&self, position: &Position, mv: Move) -> usize {
        self.slot(position, mv)
    }

    fn slot(&self, position: &Position, mv: Move) -> usize {
        let side = if position.white_to_move() { 0 } else { BITS };
        side + position.landing(column_of(mv)).trailing_zeros() as usize
    }

    fn slots_to_move(&self, position: &Position) -> std::ops::Range<usize> {
        let first = if position.white_to_move() { 0 } else { BITS };
        first..first + BITS
    }

    fn is_forced(&self, position: &Position) -> bool {
        position.is_over()
    }

    fn captures(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    fn loud(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    fn null_move(&self, _: &Position) -> Option<Position> {
        None
    }

    fn reversible_plies(&self, _: &Position) -> u32 {
        0
    }

    fn is_dead_draw(&self, _: &Position) -> bool {
        false
    }

    fn plies_left(&self, position: &Position) -> u32 {
        if position.lost { 0 } else { position.empty_squares() }
    }

    fn evaluates_slowly(&self) -> bool {
        self.full
    }

    fn grain(&self) -> Value {
        self.grain
    }
}

impl Playable for ConnectFour {
    const NAME: &'static str = "connect-four";
    const START: &'static str = "------------------------------------------ x";
    const BENCH: &'static [&'static str] = &[
        "------------------------------------------ x",
        "--------------x------x------x-o----o-xo-ox o",
        "-------o-x--o-x-oo-x-x-xx-o-x-oo-x-o-xo-ox x",
        "-----------------o-----ox----oxo-x-xoxo-x- x",
        "--xo----oxx----xxo---xoox-o-ooxo-x-xoxo-x- o",
        "xoxo-x-xoxx-o-oxxo-x-xoox-o-ooxooxoxoxoxxo x",
        "---------------x--xx--o--ox--x--oooox--oxx o",
        "-o------x-xoo--x-oxx--o-xoxoxx-xoooox-ooxx x",
    ];

    fn with(evaluation: &str, grain: Value, swing: Value) -> ConnectFour {
        ConnectFour { full: evaluation == "full", grain, swing }
    }

    fn read(&self, text: &str, chess960: bool) -> Result<Position, String> {
        if chess960 {
            return Err("connect-four has no Chess960".to_owned());
        }
        read(text).map_err(|fault| format!("`{text}` is not a position of Connect Four: {fault}"))
    }

    fn text(&self, position: &Position) -> String {
        let white = if position.white_to_move() { position.own } else { position.other() };
        let disc = |square: u32| match (position.filled >> square & 1, white >> square & 1) {
            (0, _) => '-',
            (_, 1) => 'x',
            _ => 'o',
        };
        let mut text: String = squares().map(disc).collect();
        text.push_str(if position.white_to_move() { " x" } else { " o" });
        text
    }

    fn move_name(mv: Move) -> String {
        match mv.0 {
            column @ 1..=7 => char::from(b'a' + column as u8 - 1).to_string(),
            other => format!("{other:#x}"),
        }
    }

    fn white_to_move(&self, position: &Position) -> bool {
        position.white_to_move()
    }

    fn word(ended: Ended) -> &'static str {
        match ended {
            Ended::Lost => "four-in-a-row",
            Ended::Stalled => "full-board",
            other => unreachable!("no rule of Connect Four ends a game so: {other:?}"),
        }
    }
}

/// The squares in the order of the text: row by row from the top.
fn squares() -> impl Iterator<Item = u32> {
    (0..ROWS).rev().flat_map(|row| (0..COLUMNS).map(move |column| column * STRIDE + row))
}

fn read(text: &str) -> Result<Position, &'static str> {
    let (board, side) = text.split_once(' ').ok_or("it is a board, a space and a side")?;
    if board.len() != SQUARES as usize {
        return Err("a board has 42 squares");
    }
    let (mut white, mut black) = (0, 0);
    for (square, disc) in squares().zip(board.chars()) {
        match disc {
            'x' => white |= 1 << square,
            'o' => black |= 1 << square,
            '-' => {}
            _ => return Err("a square is `x`, `o` or `-`"),
        }
    }
    let filled: u64 = white | black;
    // In columns filled from the bottom, adding 1 leaves one bit per column.
    if filled & (filled + region(0..COLUMNS, 0..1)) != 0 {
        return Err("a disc hangs in the air");
    }
    let white_to_move = match side {
        "x" => true,
        "o" => false,
        _ => return Err("the side is `x` or `o`"),
    };
    if white.count_ones() != black.count_ones() + u32::from(!white_to_move) {
        return Err("White begins, and the sides take turns");
    }
    let (own, other) = if white_to_move { (white, black) } else { (black, white) };
    if has_four(own) {
        return Err("the side to move has four in a row");
    }
    Ok(Position { own, filled, lost: has_four(other) })
}

#[cfg(test)]
mod tests;
