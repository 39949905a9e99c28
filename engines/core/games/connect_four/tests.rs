//! Counts of positions, solved positions, and the searches against plain minimax.

use super::*;
use crate::bench::OPTIONS;
use crate::guess::Guess;
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::oracle::minimax;
use crate::perft::perft;
use crate::player::Player;
use crate::table::TableSize;
use crate::tests::support::{drivers, exact, legal_moves, plaat, provers};
use crate::value::{MATE, is_mate};

fn game(evaluation: &str) -> ConnectFour {
    ConnectFour::with(evaluation, 1, 0)
}

fn empty() -> Position {
    game("pst").read(ConnectFour::START, false).expect("the start")
}

/// The position after moves, written as columns from 1, as in other solvers.
fn after(columns: &str) -> Position {
    let moves = columns.bytes().map(|column| Move(u16::from(column - b'0')));
    moves.fold(empty(), |position, mv| {
        assert!(game("pst").is_legal(&position, mv), "{columns}");
        game("pst").make(&position, mv)
    })
}

/// Positions of games with random moves, none of them over.
fn positions(count: u64, plies: u64) -> Vec<Position> {
    let mut state: u64 = 7;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut all = Vec::new();
    while all.len() < count as usize {
        let mut position = empty();
        for _ in 0..plies {
            let moves = legal_moves(&game("pst"), &position);
            if moves.is_empty() {
                break;
            }
            position = game("pst").make(&position, moves[random() % moves.len()]);
        }
        if !position.is_over() {
            all.push(position);
        }
    }
    all
}

#[test]
fn sequences_of_moves_are_counted() {
    let counts = [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234];
    for (depth, count) in (0..).zip(counts) {
        assert_eq!(perft(&game("pst"), &empty(), depth), count, "{depth}");
    }
}

#[test]
fn there_are_69_lines() {
    let corner_and_middle = [0, (3 * STRIDE + 2) as usize].map(lines_through);
    assert_eq!(corner_and_middle, [3, 13]);
    assert_eq!(lines_of(region(0..COLUMNS, 0..ROWS)), 4 * 69);
}

#[test]
fn open_lines_are_counted() {
    // Three in the bottom row, open to the right: a three, and a two further on.
    let three = region(0..3, 0..1);
    assert_eq!(open_lines(three, 0), THREE + TWO);
    assert_eq!(open_lines(three, bottom(3)), 0);
    assert_eq!(open_lines(region(0..1, 0..3), 0), THREE + TWO);
    assert_eq!(open_lines(region(0..1, 0..3), 1 << 3), 0);
}

#[test]
fn texts_survive_the_round_trip() {
    assert_eq!(game("pst").text(&empty()), ConnectFour::START);
    for position in positions(50, 17) {
        let text = game("pst").text(&position);
        assert_eq!(game("pst").read(&text, false), Ok(position), "{text}");
    }
    let rows = ["-------"; 4].into_iter().chain(["---o---", "-oxx--- x"]);
    assert_eq!(game("pst").text(&after("4432")), rows.collect::<String>());
}

#[test]
fn invalid_positions_are_refused_in_one_line() {
    let start = ConnectFour::START;
    let lowest = |discs: &str| format!("{}{discs}", "-".repeat(35));
    for (text, reason) in [
        (start.replace('x', ""), "side is"),
        (start.replace(' ', ""), "a space"),
        (start[1..].to_owned(), "42 squares"),
        (start.replace(" x", " w"), "side is"),
        (start.replace(" x", " o"), "take turns"),
        (start.replacen('-', "k", 1), "a square is"),
        (start.replacen('-', "x", 1).replace(" x", " o"), "in the air"),
        (lowest("xxxxoo- x"), "take turns"),
        (lowest("xxxxooo o").replacen("-------x", "ooo----x", 1), "take turns"),
        (format!("{}{}", "-".repeat(28), "ooo----xxxxo-- x"), "to move has four"),
    ] {
        let error = game("pst").read(&text, false).expect_err(&text);
        assert!(error.contains(reason) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn moves_and_slots_meet_their_contracts() {
    let game = game("full");
    for position in positions(200, 24) {
        let moves = legal_moves(&game, &position);
        for code in 0..=u16::MAX {
            assert_eq!(game.is_legal(&position, Move(code)), moves.contains(&Move(code)));
        }
        let mut slots: Vec<usize> = moves.iter().map(|&mv| game.slot(&position, mv)).collect();
        slots.sort_unstable();
        slots.dedup();
        assert_eq!(slots.len(), moves.len());
        assert!(slots.iter().all(|slot| game.slots_to_move(&position).contains(slot)));
        for mv in moves {
            let next = game.make(&position, mv);
            assert_eq!(game.forces(&position, &(), mv), game.is_forced(&next));
            assert!(game.plies_left(&next) < game.plies_left(&position));
        }
    }
}

#[test]
fn every_driver_finds_the_value_of_minimax() {
    for evaluation in ["pst", "full"] {
        let game = game(evaluation);
        for position in positions(6, 15) {
            for depth in 1..=5 {
                let value = minimax(&game, &position, depth, true);
                for driver in drivers().into_iter().chain(provers()) {
                    let size = TableSize::Entries(1 << 10);
                    let mut player = Player::new(game, driver, OPTIONS, size, position);
                    let found = player.search_alone(&exact(depth)).clone();
                    let mv = found.mv;
                    if driver.proves_a_move() {
                        let child = minimax(&game, &game.make(&position, mv), depth - 1, true);
                        assert_eq!(crate::value::from_child(child), value, "{driver:?}");
                    } else {
                        assert_eq!(found.value, value, "{driver:?} at depth {depth}");
                    }
                }
            }
        }
    }
}

/// The value of a selective search with all features to the end of the game.
#[test]
fn selective_search_prunes_nothing_where_it_reaches_the_end() {
    let game = game("full");
    let options = Options { enhanced_cuts: 2, internal_deepening: true, ..OPTIONS };
    for plies in [30, 32, 34] {
        for position in positions(25, plies) {
            let left = game.plies_left(&position);
            let value = minimax(&game, &position, left, true);
            for driver in drivers().into_iter().step_by(3) {
                for options in [OPTIONS, options] {
                    let size = TableSize::Entries(1 << 12);
                    let mut player = Player::new(game, driver, options, size, position);
                    let limits = Limits { depth: Some(left + 20), ..Limits::default() };
                    let request = Request { limits, ..Request::default() };
                    let found = player.search_alone(&request);
                    assert!(found.depth <= left as i32, "no deeper than the game");
                    let found = (found.value, found.depth);
                    let text = game.text(&position);
                    // A proved mate ends the search before the end of the game.
                    if found.1 == left as i32 || !is_mate(value) {
                        assert_eq!(found, (value, left as i32), "{driver:?} {text}");
                    } else {
                        assert_eq!(found.0.signum(), value.signum(), "{driver:?} {text}");
                    }
                }
            }
        }
    }
}

/// The value of the whole game after moves, by exact search.
fn solved(columns: &str) -> Value {
    let position = after(columns);
    let driver = plaat(Guess::Previous);
    let size = TableSize::Entries(1 << 18);
    let mut player = Player::new(game("pst"), driver, Options::PLAIN, size, position);
    player.search_alone(&exact(position.empty_squares())).value
}

/// Positions of Pascal Pons' test sets L3 and L2 (blog.gamesolver.org), whose score is the number
/// of discs that the winner has left, including the winning one; 0 for a draw.
#[test]
fn values_match_those_of_other_solvers() {
    for (columns, score) in [
        ("2252576253462244111563365343671351441", -1),
        ("7422341735647741166133573473242566", 1),
        ("23163416124767223154467471272416755633", 0),
        ("243335424257", 12),
        ("5512243243536", 13),
        ("7343363417254", 14),
        ("43745416472735", -13),
        ("6146", 18),
    ] {
        let plies = columns.len() as Value;
        let last_disc = 22 - Value::abs(score);
        let value = match score {
            0 => 0,
            1.. => MATE - (2 * (last_disc - plies / 2) - 1),
            _ => 2 * (last_disc - (plies + 1) / 2) - MATE,
        };
        let (depth, position) = ((MATE - value.abs()) as u32, after(columns));
        let found = if score == 0 || depth > 9 {
            solved(columns)
        } else {
            // A win found at its own depth is the shortest, and deeper searches find the same.
            minimax(&game("pst"), &position, depth, false)
        };
        assert_eq!(found, value, "{columns}");
    }
}
