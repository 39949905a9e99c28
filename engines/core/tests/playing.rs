//! Selective search, as in games.

use std::collections::HashSet;

use super::support::{
    OPTIONS, chess, drivers, exact, legal_moves, nodes, one_of_each, openings, plaat, player,
    provers, read,
};
use crate::drivers::{Closing, Convergence, Driver};
use crate::game::{Game, Move};
use crate::games::chess::{Chess, move_from_uci, move_to_uci};
use crate::guess::Guess;
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::player::Player;
use crate::report::Report;
use crate::table::{Replacement, TableOptions, TableSize};
use crate::value::{DRAW, MATE, MATED, is_mate};

fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|uci| move_from_uci(uci).unwrap()).collect()
}

#[test]
fn mates_are_found() {
    let mates = [
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", "d1d8", 1),
        ("7k/8/8/8/8/1R6/R7/7K w - - 0 1", "b3g3 b3b7 a2a7 a2g2", 3),
        ("5rk1/6p1/6P1/7Q/8/8/8/6K1 w - - 0 1", "h5h7", 1),
        // A king hunt after a bishop sacrifice, and Philidor's smothered mate.
        ("r1b1kb1r/pppp1ppp/5q2/4n3/3KP3/2N3PN/PPP4P/R1BQ1B1R b kq - 0 1", "f8c5", 5),
        ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", "f6a6", 5),
        ("r6k/6pp/8/6N1/2Q5/8/8/6K1 w - - 0 1", "g5f7", 7),
    ];
    for driver in one_of_each() {
        for (fen, wanted, plies) in mates {
            let mut player = player(driver, 1 << 16, &read(fen));
            let report = player.search_alone(&nodes(100_000));
            let mv = move_to_uci(report.mv);
            assert_eq!(report.value, MATE - plies, "{driver:?} {fen} {mv}");
            assert!(wanted.contains(&mv), "{driver:?} {fen} {mv}");
        }
    }
}

#[test]
fn shortest_mate_is_found_after_a_longer_one() {
    let mates =
        [("7k/R7/4K3/3P4/1P6/8/8/8 w - - 0 1", 5), ("R7/1k6/7K/1b6/2N5/8/p2Q4/B7 w - - 0 1", 5)];
    for driver in one_of_each() {
        for (fen, plies) in mates {
            let mut player = player(driver, 1 << 16, &read(fen));
            let report = player.search_alone(&nodes(500_000));
            assert_eq!(report.value, MATE - plies, "{driver:?} {fen}");
        }
    }
}

#[test]
fn finished_games_have_a_value_but_no_move() {
    for (fen, value) in
        [("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", MATED), ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", DRAW)]
    {
        let mut player = player(Driver::AlphaBeta, 256, &read(fen));
        let report = player.search_alone(&nodes(1000));
        assert_eq!((report.mv, report.value, report.nodes), (Move::NONE, value, 0));
    }
}

/// Plays White for `driver` against the best defence; true if White mates.
fn wins(driver: Driver, fen: &str, budget: u64) -> bool {
    let game = chess(1);
    let start = read(fen);
    let mut white = player(driver, 1 << 18, &start);
    let mut black = player(Driver::Pvs { window: 25, below: 0 }, 1 << 18, &start);
    for ply in 0..100 {
        if !game.has_move(white.position()) {
            return game.terminal_value(white.position()) == MATED;
        }
        let (mover, budget) = if ply % 2 == 0 { (&mut white, budget) } else { (&mut black, 8_000) };
        let mv = mover.search_alone(&nodes(budget)).mv;
        assert!(white.push(mv) && black.push(mv));
    }
    false
}

#[test]
fn rook_ending_is_won_at_two_thousand_nodes() {
    let starts = [
        "8/8/8/3k4/8/8/8/R3K3 w - - 0 1",
        "8/8/8/4k3/8/2K5/7R/8 w - - 0 1",
        "8/8/2k5/8/8/8/8/K6R w - - 0 1",
        "R7/8/8/8/4k3/8/8/7K w - - 0 1",
    ];
    for driver in one_of_each() {
        for fen in starts {
            assert!(wins(driver, fen, 2_000), "{driver:?} {fen}");
        }
    }
}

#[test]
fn all_but_the_slowest_drivers_win_a_rook_ending() {
    let slow = [Driver::Minimax, Driver::MtdBi, Driver::Sss, Driver::Dual];
    for driver in drivers().into_iter().filter(|driver| !slow.contains(driver)).chain(provers()) {
        assert!(wins(driver, "8/8/8/4k3/8/2K5/7R/8 w - - 0 1", 4_000), "{driver:?}");
    }
}

#[test]
fn queen_ending_is_won() {
    for driver in one_of_each() {
        assert!(wins(driver, "8/8/8/3k4/8/8/8/Q3K3 w - - 0 1", 4_000), "{driver:?}");
    }
}

/// White is a rook ahead; Black's moves are forced and repeat.
const CIRCLE: (&str, &str) = ("7k/5K2/8/8/8/8/8/R7 b - - 10 1", "h8h7 a1b1 h7h8 b1a1");

#[test]
fn repetition_is_a_draw_and_does_not_taint_the_table() {
    for driver in one_of_each() {
        let (fen, line) = CIRCLE;
        let mut player = player(driver, 1 << 16, &read(fen));
        player.set_position(read(fen), moves(line)).unwrap();
        let repeated = player.search_alone(&nodes(5_000));
        assert_eq!((repeated.value, repeated.mv), (DRAW, moves("h8h7")[0]), "{driver:?}");
        // The same position without history, with the same table.
        player.set_position(read(fen), []).unwrap();
        let fresh = player.search_alone(&nodes(5_000)).value;
        assert!(fresh < -400, "{driver:?} {fresh}");
        player.set_position(read(fen), moves(line)).unwrap();
        assert_eq!(player.search_alone(&nodes(5_000)).value, DRAW, "{driver:?}");
    }
}

#[test]
fn perpetual_check_is_found() {
    // Black threatens mate; the queen has perpetual check on e8 and h5.
    let fen = "6k1/6p1/8/8/8/7q/5P2/4Q1K1 w - - 0 1";
    for driver in one_of_each() {
        let mut player = player(driver, 1 << 16, &read(fen));
        let report = player.search_alone(&nodes(60_000));
        assert_eq!(move_to_uci(report.mv), "e1e8", "{driver:?} {}", report.value);
    }
}

#[test]
fn fifty_move_rule_is_a_draw_and_does_not_taint_the_table() {
    for driver in one_of_each() {
        let fen = |clock: u32| format!("8/8/8/3k4/8/8/8/R3K3 w - - {clock} 80");
        let mut player = player(driver, 1 << 16, &read(&fen(0)));
        assert!(player.search_alone(&nodes(20_000)).value > 400);
        player.set_position(read(&fen(97)), []).unwrap();
        assert_eq!(player.search_alone(&nodes(20_000)).value, DRAW, "{driver:?}");
        player.set_position(read(&fen(0)), []).unwrap();
        assert!(player.search_alone(&nodes(20_000)).value > 400, "{driver:?}");
        // Mate on the last move comes before the draw.
        player.set_position(read("7k/8/6K1/8/8/8/8/R7 w - - 99 80"), []).unwrap();
        assert_eq!(player.search_alone(&nodes(20_000)).value, MATE - 1, "{driver:?}");
    }
}

#[test]
fn dead_positions_are_draws_only_in_selective_mode() {
    for fen in ["8/8/3k4/8/8/3K4/8/6N1 w - - 0 1", "8/8/3k1b2/8/8/3K4/8/2B5 w - - 0 1"] {
        let mut knight = player(Driver::AlphaBeta, 1 << 12, &read(fen));
        assert_eq!(knight.search_alone(&nodes(2_000)).value, DRAW, "{fen}");
        let exact_value = knight.search_alone(&exact(2)).value;
        assert_ne!(exact_value, DRAW, "{fen}");
        assert_eq!(knight.search_alone(&nodes(2_000)).value, DRAW, "{fen} after exact");
    }
}

/// The drivers for games: the others start each iteration far from the value.
fn players() -> Vec<Driver> {
    let (guess, convergence) = (Guess::Parity, Convergence::Growth);
    let hybrid =
        Driver::Hybrid { guess, closing: Closing::by(convergence), null_passes: 2, cap: 0 };
    one_of_each().into_iter().chain(provers()).chain([hybrid, Driver::NegaScout]).collect()
}

#[test]
fn queen_is_not_given_away() {
    let game = chess(1);
    for driver in players() {
        for position in openings().iter().step_by(25) {
            let mut player = player(driver, 1 << 14, position);
            let chosen = player.search_alone(&nodes(700)).mv;
            let after = game.make(position, chosen);
            let mut judge =
                super::support::player(Driver::Pvs { window: 0, below: 0 }, 1 << 14, &after);
            let value = judge.search_alone(&nodes(20_000)).value;
            assert!(value < 350, "{driver:?} {} {} {value}", position.board(), move_to_uci(chosen));
        }
    }
}

#[test]
fn node_limits_are_exact_and_depth_1_always_completes() {
    for driver in drivers() {
        let mut player = player(driver, 1 << 12, &openings()[7]);
        for limit in [1, 7, 300, 1_000, 4_321] {
            player.new_game();
            let report = player.search_alone(&nodes(limit));
            let first = report.iterations[0].nodes;
            assert!(report.iterations[0].finished && report.depth >= 1);
            assert_eq!(report.nodes, limit.max(first), "{driver:?} {limit}");
            assert_eq!(report.overrun, first.saturating_sub(limit));
            let sum: u64 = report.iterations.iter().map(|iteration| iteration.nodes).sum();
            assert_eq!(sum, report.nodes);
            assert!(report.stopped);
        }
    }
}

#[test]
fn depth_limit_alone_ends_a_search() {
    let limits = Limits { depth: Some(3), ..Limits::default() };
    let mut player = player(Driver::Pvs { window: 25, below: 0 }, 1 << 12, &openings()[0]);
    let report = player.search_alone(&Request { limits, ..Request::default() });
    assert_eq!((report.depth, report.stopped, report.iterations.len()), (3, false, 3));
}

/// A move of an unfinished iteration is adopted with its value, or the old one is kept.
#[test]
fn unfinished_iterations_return_valid_bounds() {
    let mut adopted = HashSet::new();
    let mut below = 0;
    let closing = Closing { adopts_all: true, ..Closing::by(Convergence::Step { step: 20 }) };
    let trusting = Driver::Mtdf { guess: Guess::Previous, closing, max_passes: 0 };
    for driver in one_of_each().into_iter().chain([trusting]) {
        for position in openings().iter().step_by(60) {
            for limit in (150..3_000).step_by(75) {
                let mut player = player(driver, 1 << 12, position);
                let report = player.search_alone(&nodes(limit));
                let [.., before, last] = &report.iterations[..] else { continue };
                assert_eq!((report.mv, report.value), (last.mv, last.value));
                if last.finished || (last.mv, last.value) == (before.mv, before.value) {
                    continue;
                }
                adopted.insert(format!("{driver:?}"));
                assert_eq!(report.depth, before.depth);
                if matches!(driver, Driver::Mtdf { .. }) {
                    let proof = &report.passes[last.passes.clone()];
                    let all = driver == trusting;
                    assert!(all || last.value >= before.value);
                    below += u32::from(last.value < before.value);
                    assert!(proof.iter().any(|pass| {
                        pass.value >= pass.beta
                            && pass.value == last.value
                            && (all || pass.beta >= before.value)
                    }));
                } else {
                    assert_ne!(last.mv, before.mv, "only a later move is adopted");
                }
            }
        }
    }
    assert_eq!(adopted.len(), 4, "every driver adopted a move somewhere: {adopted:?}");
    assert!(below > 0, "a move was adopted that is worth less than the one before");
}

fn fingerprint(report: &Report) -> (Move, i32, u64, usize) {
    (report.mv, report.value, report.nodes, report.passes.len())
}

/// A game of one player against itself.
fn game_of(player: &mut Player<Chess>, start: usize) -> Vec<(Move, i32, u64, usize)> {
    player.new_game();
    player.set_position(openings()[start].clone(), []).unwrap();
    let mut game = Vec::new();
    for _ in 0..24 {
        game.push(fingerprint(player.search_alone(&nodes(700))));
        if game[game.len() - 1].0.is_none() || !player.push(game[game.len() - 1].0) {
            break;
        }
    }
    game
}

#[test]
fn games_are_independent_of_earlier_ones() {
    for (driver, entries) in drivers().into_iter().zip([1 << 8, 1 << 12, 0, 4].into_iter().cycle())
    {
        let mut used = player(driver, entries, &openings()[0]);
        let first = game_of(&mut used, 3);
        for other in 0..3 {
            game_of(&mut used, 10 + other);
        }
        used.search_alone(&exact(2));
        assert_eq!(game_of(&mut used, 3), first, "{driver:?} {entries}");
        let mut fresh = player(driver, entries, &openings()[0]);
        assert_eq!(game_of(&mut fresh, 3), first, "{driver:?} {entries}");
    }
}

#[test]
fn principal_variations_are_legal_and_start_with_the_best_move() {
    let game = chess(4);
    let mut longest = 0;
    for driver in drivers() {
        for entries in [0, 1 << 8, 1 << 16] {
            for start in openings().iter().step_by(100) {
                let size = TableSize::Entries(entries);
                let mut player = Player::new(game, driver, OPTIONS, size, start.clone());
                let report = player.search_alone(&nodes(5_000));
                for iteration in &report.iterations {
                    let line = &iteration.pv;
                    assert_eq!(line.first(), Some(&iteration.mv));
                    assert!(line.len() <= iteration.depth as usize);
                    longest = longest.max(line.len());
                    let mut position = start.clone();
                    for &mv in line {
                        assert!(legal_moves(&game, &position).contains(&mv));
                        position = game.make(&position, mv);
                    }
                }
            }
        }
    }
    assert!(longest >= 5, "{longest}");
}

#[test]
fn search_stops_at_a_certain_mate() {
    let mut player = player(plaat(Guess::Parity), 1 << 12, &read("7k/8/6K1/8/8/8/8/R7 w - - 0 1"));
    let report = player.search_alone(&Request::default());
    assert!(is_mate(report.value) && report.depth == 1 && !report.stopped);
}

/// The guess `game` starts with the value of the search two plies before, and is reset with the
/// game.
#[test]
fn guess_uses_the_last_search_of_the_game() {
    let mut player = player(plaat(Guess::Game), 1 << 14, &openings()[5]);
    let depth = |depth| Request {
        limits: Limits { depth: Some(depth), ..Limits::default() },
        ..Request::default()
    };
    let guesses = |report: &Report| -> Vec<i32> {
        report.iterations.iter().map(|one| one.first_guess.unwrap()).collect()
    };
    let values =
        |report: &Report| -> Vec<i32> { report.iterations.iter().map(|one| one.value).collect() };
    let first = player.search_alone(&depth(6));
    let (known, line) = (values(first), first.mv);
    assert!(player.push(line));
    let reply = player.search_alone(&depth(1)).mv;
    assert!(player.push(reply));
    let other = player.search_alone(&depth(4));
    // After one ply only, no guess is known.
    assert_ne!(guesses(other)[..3], known[2..5]);
    let mut again = super::support::player(plaat(Guess::Game), 1 << 14, &openings()[5]);
    again.search_alone(&depth(6));
    assert!(again.push(line) && again.push(reply));
    let found = guesses(again.search_alone(&depth(5)));
    assert_eq!(found[..4], known[2..6]);
    again.new_game();
    let forgotten = guesses(again.search_alone(&depth(5)));
    assert_ne!(forgotten[..4], known[2..6]);
}

#[test]
fn entries_age_with_each_search_of_a_game() {
    let remembers = |replacement, searches| {
        let table = TableOptions { replacement, ..TableOptions::BEST };
        let options = Options { table, ..OPTIONS };
        let [start, other] = [&openings()[0], &openings()[300]];
        let size = TableSize::Entries(4);
        let mut player = Player::new(chess(1), Driver::AlphaBeta, options, size, start.clone());
        let to = |depth| Request {
            limits: Limits { depth: Some(depth), ..Limits::default() },
            ..Request::default()
        };
        player.search_alone(&to(7));
        for _ in 0..searches {
            player.set_position(other.clone(), []).unwrap();
            player.search_alone(&to(2));
        }
        let found = player.take_table().probe(chess(1).key(start), 7);
        found.is_some_and(|entry| entry.depth == 7)
    };
    // A search counts as four plies: an entry of depth 7 has rank 3 after one, and a negative one
    // after two.
    assert_eq!([0, 1, 2].map(|n| remembers(Replacement::Age, n)), [true, true, false]);
    assert_eq!([0, 1, 2].map(|n| remembers(Replacement::Depth, n)), [true, true, true]);
}
