//! Positions as PDN writes them in its FEN tag, and the names of moves.
//!
//! `B:W21,22,K31:B1,2` has the side to move, then the squares of each side; `K` marks a king. An
//! extension of PDN is `:H<plies>`, the plies since the last capture or move of a man, if any.
//! `engines/rules/draughts.py` has the same format and errors.

use std::fmt::Write;

use super::board::{Board, Side};
use super::moves;
use super::position::Position;
use super::squares::each;
use crate::game::Move;

/// The most pieces of a side.
const MOST: u32 = 12;
/// The most digits of a clock.
const CLOCK_DIGITS: usize = 3;

/// Reads a position.
///
/// # Errors One line about the problem.
pub(super) fn read(text: &str) -> Result<Position, String> {
    parse(text).map_err(|reason| format!("`{text}` is not a draughts position: {reason}"))
}

fn parse(text: &str) -> Result<Position, String> {
    let trimmed = text.trim();
    let mut fields = trimmed.strip_suffix('.').unwrap_or(trimmed).split(':');
    let side = match fields.next() {
        Some("B") => Side::Black,
        Some("W") => Side::White,
        other => return Err(format!("the side to move is B or W, not `{}`", other.unwrap_or(""))),
    };
    let mut sides: [Option<Squares>; 2] = [None, None];
    let (mut clock, mut full_moves) = (None, None);
    for field in fields {
        let twice = match field.chars().next() {
            Some('B') => sides[0].replace(Squares::read(&field[1..])?).is_some(),
            Some('W') => sides[1].replace(Squares::read(&field[1..])?).is_some(),
            Some('H') => clock.replace(count(field)?).is_some(),
            Some('F') => full_moves.replace(count(field)?).is_some(),
            _ => return Err(format!("the field `{field}` is unknown")),
        };
        if twice {
            return Err(format!("the field {} comes twice", &field[..1]));
        }
    }
    let [Some(black), Some(white)] = sides else {
        return Err("the men of both sides are needed, as in B:W32:B1".into());
    };
    let board = board(black, white)?;
    Ok(Position::new(board, side, clock.unwrap_or(0)))
}

/// The number in a field `H` or `F`.
fn count(field: &str) -> Result<u16, String> {
    let digits = &field[1..];
    let sane = (1..=CLOCK_DIGITS).contains(&digits.len())
        && digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| sane);
    number.ok_or_else(|| format!("`{field}` is not {} and up to three digits", &field[..1]))
}

/// The squares of one side.
#[derive(Default)]
struct Squares {
    men: u32,
    kings: u32,
}

impl Squares {
    /// Reads `21,22,K31` or `1-12`.
    fn read(list: &str) -> Result<Squares, String> {
        let mut squares = Squares::default();
        for item in list.split(',').filter(|_| !list.is_empty()) {
            let (king, numbers) = match item.strip_prefix('K') {
                Some(numbers) => (true, numbers),
                None => (false, item),
            };
            let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
            let (first, last) = (square(first, item)?, square(last, item)?);
            if first > last {
                return Err(format!("the range `{item}` is empty"));
            }
            for square in first..=last {
                if (squares.men | squares.kings) >> square & 1 == 1 {
                    return Err(twice(square));
                }
                *(if king { &mut squares.kings } else { &mut squares.men }) |= 1 << square;
            }
        }
        Ok(squares)
    }

    fn all(&self) -> u32 {
        self.men | self.kings
    }
}

/// The square of a PDN number, from 0.
fn square(digits: &str, item: &str) -> Result<usize, String> {
    let sane = (1..=2).contains(&digits.len()) && digits.bytes().all(|d| d.is_ascii_digit());
    let number = digits.parse::<usize>().ok().filter(|number| sane && (1..=32).contains(number));
    let number = number.ok_or_else(|| format!("`{item}` is not a square from 1 to 32"))?;
    Ok(number - 1)
}

fn twice(square: usize) -> String {
    format!("square {} is named twice", square + 1)
}

/// The board of both sides, if valid.
fn board(black: Squares, white: Squares) -> Result<Board, String> {
    if let Some(square) = each(black.all() & white.all()).next() {
        return Err(twice(square));
    }
    for (squares, side, name) in [(&black, Side::Black, "Black"), (&white, Side::White, "White")] {
        if let Some(square) = each(squares.men & side.crowning_row()).next() {
            return Err(format!("a man of {name} on square {} would be a king", square + 1));
        }
        if squares.all().count_ones() > MOST {
            return Err(format!("{name} has more than {MOST} men"));
        }
    }
    if black.all() | white.all() == 0 {
        return Err("the board is empty".into());
    }
    Ok(Board::new([black.all(), white.all()], black.kings | white.kings))
}

/// The canonical text of a position: White before Black, numbers ascending.
pub(super) fn text(position: &Position) -> String {
    let board = position.board();
    let mut text = letter(position.side_to_move()).to_string();
    for side in [Side::White, Side::Black] {
        text.push(':');
        text.push(letter(side));
        for (place, square) in each(board.of(side)).enumerate() {
            let comma = if place > 0 { "," } else { "" };
            let king = if board.has_king(1 << square) { "K" } else { "" };
            write!(text, "{comma}{king}{}", square + 1).expect("a String takes all");
        }
    }
    if position.clock() > 0 {
        write!(text, ":H{}", position.clock()).expect("a String takes all");
    }
    text
}

fn letter(side: Side) -> char {
    match side {
        Side::Black => 'B',
        Side::White => 'W',
    }
}

/// The name of a move, which needs no position: `11-15`, `15x22`, `15x22/1` for the second path.
pub(super) fn move_name(mv: Move) -> String {
    let sign = if moves::is_capture(mv) { 'x' } else { '-' };
    let name = format!("{}{sign}{}", moves::from(mv) + 1, moves::to(mv) + 1);
    match moves::path(mv) {
        0 => name,
        path => format!("{name}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_in_all_forms_and_written_in_one() {
        for (given, canonical) in [
            (
                "B:W21-32:B1-12.",
                "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
            ),
            ("W:BK2,K14:W29,9,10", "W:W9,10,29:BK2,K14"),
            (" W:W18:BK1:H7:F30 ", "W:W18:BK1:H7"),
            ("B:WK3-5:B:H0", "B:WK3,K4,K5:B"),
        ] {
            let position = read(given).unwrap();
            assert_eq!(text(&position), canonical);
            assert_eq!(read(canonical).unwrap(), position);
        }
    }

    #[test]
    fn impossible_positions_are_refused_in_one_line() {
        for (given, reason) in [
            ("", "the side to move is B or W, not ``"),
            ("X:W1:B2", "the side to move is B or W, not `X`"),
            ("B:W21", "the men of both sides are needed, as in B:W32:B1"),
            ("B:W21:B1:W22", "the field W comes twice"),
            ("B:W21:B1:H1:H1", "the field H comes twice"),
            ("B:W21:B1:Z", "the field `Z` is unknown"),
            ("B:W21:B1:", "the field `` is unknown"),
            ("B:W21:B1:H", "`H` is not H and up to three digits"),
            ("B:W21:B1:H+1", "`H+1` is not H and up to three digits"),
            ("B:W21:B1:F1000", "`F1000` is not F and up to three digits"),
            ("B:W21,:B1", "`` is not a square from 1 to 32"),
            ("B:W33:B1", "`33` is not a square from 1 to 32"),
            ("B:WK0:B1", "`K0` is not a square from 1 to 32"),
            ("B:W9-7:B1", "the range `9-7` is empty"),
            ("B:W21,K21:B1", "square 21 is named twice"),
            ("B:W21:BK21", "square 21 is named twice"),
            ("B:W4:B1", "a man of White on square 4 would be a king"),
            ("B:W21:B29", "a man of Black on square 29 would be a king"),
            ("B:W32:BK1-13", "Black has more than 12 men"),
            ("B:W:B", "the board is empty"),
            ("B:Wé:B1", "`é` is not a square from 1 to 32"),
        ] {
            let whole = format!("`{given}` is not a draughts position: {reason}");
            assert_eq!(read(given).unwrap_err(), whole);
        }
    }

    #[test]
    fn move_names_show_ambiguous_paths() {
        assert_eq!(move_name(Move(10 | 14 << 5)), "11-15");
        assert_eq!(move_name(Move(14 | 21 << 5 | 1 << 10)), "15x22");
        assert_eq!(move_name(Move(14 | 21 << 5 | 1 << 10 | 1 << 11)), "15x22/1");
    }
}
