//! Text in and out: a position is 64 characters from a1 on and the side to move.

use super::{Evaluation, Othello, PASS, Position};
use crate::bench::OPTIONS_OF_A_GAME;
use crate::contest::Ended;
use crate::game::Move;
use crate::games::playable::Playable;
use crate::options::Options;
use crate::ordering::OrderingOptions;
use crate::selective::Selectivity;
use crate::value::Value;

const BLACK: char = 'X';
const WHITE: char = 'O';
const EMPTY: char = '-';

impl Playable for Othello {
    const NAME: &'static str = "othello";
    const START: &'static str =
        "---------------------------OX------XO--------------------------- X";
    const BENCH_OPTIONS: Option<Options> = Some(Options {
        selective: Selectivity { decided: 3_000, probcut: 100, ..OPTIONS_OF_A_GAME.selective },
        ordering: OrderingOptions { replies: 900, ..OPTIONS_OF_A_GAME.ordering },
        ..OPTIONS_OF_A_GAME
    });
    const BENCH: &'static [&'static str] = &[
        "---------------------------OX------XO--------------------------- X",
        "--------------------XO----XXXX----OXXO-----X-XO----------------- O",
        "------------------OOOOXO--OOXXXX-OOOXOXX--OXOXXO--XOXX---XXXXXX- O",
        "----------OX-X----OOOO----OXO-----OOX-----OX-X------------------ X",
        "-XXXXXX---OXOX--OOXOXXXXXXXXXXXXXXOXOXOX-XXOOXOX--OOOO-----OOOO- O",
        "XXXXXXX-XXOXOOO-XXXOXOOXXXXXOXOXXOXOXXOXXOOOOXOXXOOOOOXX---OOOOX X",
        "-XXXX-----XXXX---OXOXOO--XXXXXO---XOXOOO--XXOXXX--XXXX----XXXXX- O",
        "-XXXXO--O-XXOO--OOXOXOXXOXOXOOX-OXXOXXOOOXXXXXOOO-XXXX-O--XXXXX- X",
    ];

    fn with(evaluation: &str, grain: Value, swing: Value) -> Othello {
        Othello::new(Evaluation::named(evaluation), grain, swing)
    }

    fn read(&self, text: &str, chess960: bool) -> Result<Position, String> {
        if chess960 {
            return Err("othello has no Chess960".to_owned());
        }
        read(text).map_err(|reason| format!("`{text}` is not a legal othello position: {reason}"))
    }

    fn text(&self, position: &Position) -> String {
        let (own, other) = if position.white_to_move() { (WHITE, BLACK) } else { (BLACK, WHITE) };
        let disc =
            |square: u32| match (position.own() >> square & 1, position.other() >> square & 1) {
                (1, _) => own,
                (_, 1) => other,
                _ => EMPTY,
            };
        (0..64).map(disc).chain([' ', own]).collect()
    }

    fn move_name(mv: Move) -> String {
        if mv == PASS {
            return "pass".to_owned();
        }
        let square = mv.0.wrapping_sub(1);
        format!("{}{}", char::from(b'a' + (square % 8) as u8), square / 8 + 1)
    }

    fn white_to_move(&self, position: &Position) -> bool {
        position.white_to_move()
    }

    /// A game of Othello ends in one way.
    fn word(_: Ended) -> &'static str {
        "most-discs"
    }
}

/// The position of a text, or what is wrong with it.
fn read(text: &str) -> Result<Position, String> {
    let (squares, side) = text.split_once(' ').ok_or("the side to move is missing")?;
    let white_to_move = match side {
        "X" => false,
        "O" => true,
        _ => return Err(format!("the side to move is X or O, not `{side}`")),
    };
    let found = squares.chars().count();
    if found != 64 {
        return Err(format!("a board has 64 squares, this one has {found}"));
    }
    let (mut black, mut white) = (0, 0);
    for (square, disc) in squares.chars().enumerate() {
        match disc {
            BLACK => black |= 1 << square,
            WHITE => white |= 1 << square,
            EMPTY => {}
            _ => return Err(format!("a square is X, O or -, not `{disc}`")),
        }
    }
    if black | white == 0 {
        return Err("the board is empty".to_owned());
    }
    let (own, other) = if white_to_move { (white, black) } else { (black, white) };
    Ok(Position::new(own, other, white_to_move))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn othello() -> Othello {
        Othello::with("pst", 1, 0)
    }

    #[test]
    fn texts_survive_the_round_trip() {
        let after = "-------------------X-------XX------XO--------------------------- O";
        for text in [Othello::START, after] {
            let position = othello().read(text, false).unwrap();
            assert_eq!(othello().text(&position), text);
        }
        let start = othello().read(Othello::START, false).unwrap();
        assert_eq!(othello().text(&start.after(Move(20))), after);
    }

    #[test]
    fn invalid_positions_are_refused() {
        let board = &Othello::START[..64];
        for (text, reason) in [
            (board.to_owned(), "the side to move is missing"),
            (format!("{board} B"), "the side to move is X or O, not `B`"),
            (format!("{board} X "), "the side to move is X or O, not `X `"),
            (format!("{} X", &board[1..]), "a board has 64 squares, this one has 63"),
            (format!("{}.X X", &board[2..]), "a square is X, O or -, not `.`"),
            (format!("{} X", "-".repeat(64)), "the board is empty"),
        ] {
            let message = format!("`{text}` is not a legal othello position: {reason}");
            assert_eq!(othello().read(&text, false), Err(message));
        }
        assert_eq!(othello().read(Othello::START, true), Err("othello has no Chess960".to_owned()));
    }

    #[test]
    fn moves_are_named() {
        let names = [1, 8, 9, 20, 64, 65].map(|code| Othello::move_name(Move(code)));
        assert_eq!(names, ["a1", "h1", "a2", "d3", "h8", "pass"]);
    }
}
