//! Draughts: its moves against published counts, its keys, and every driver against minimax.

use serde_json::Value as Json;

use super::support::{OPTIONS, drivers, exact, legal_moves, provers};
use crate::contest::{Ended, Side as Seat, Watcher, play};
use crate::drivers::Driver;
use crate::game::{Game, Move};
use crate::games::draughts::{Draughts, Evaluation, Position, Side};
use crate::games::playable::Playable;
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::oracle::minimax;
use crate::perft::perft;
use crate::player::Player;
use crate::selective::Selectivity;
use crate::table::TableSize;
use crate::value::{MATE, MATED, Value, from_child};

/// Depths of the start position that take seconds.
const SLOW_DEPTH: usize = 9;

fn draughts() -> Draughts {
    Draughts::new(Evaluation::pst(), 1)
}

fn read(text: &str) -> Position {
    draughts().read(text, false).unwrap()
}

/// The positions of the data file with their counts from depth 1; the first one is the start.
fn counted() -> Vec<(String, Vec<u64>)> {
    let json: Json =
        serde_json::from_str(include_str!("../../../tests/data/perft_draughts.json")).unwrap();
    let of = |one: &Json| {
        let leaves = one["leaves"].as_array().unwrap();
        let leaves = leaves.iter().map(|count| count.as_u64().unwrap()).collect();
        (one["text"].as_str().unwrap().to_owned(), leaves)
    };
    json["positions"].as_array().unwrap().iter().map(of).collect()
}

fn check_perft(text: &str, depths: impl Iterator<Item = (usize, u64)>) {
    for (depth, leaves) in depths {
        let found = perft(&draughts(), &read(text), depth as u32);
        assert_eq!(found, leaves, "{text} at depth {depth}");
    }
}

#[test]
fn perft_matches_published_counts() {
    for (text, leaves) in counted() {
        check_perft(&text, (1..SLOW_DEPTH).zip(leaves));
    }
    assert_eq!(counted()[0].0, Draughts::START);
    assert_eq!(counted().len(), 11);
}

#[test]
#[ignore = "seconds: depths 9 and 10 of the start position"]
fn perft_matches_published_counts_to_depth_10() {
    let (text, leaves) = counted().swap_remove(0);
    check_perft(&text, (1..).zip(leaves).skip(SLOW_DEPTH - 1));
}

/// Games of random moves from the start, by seed: all their positions.
fn random_game(seed: u64) -> Vec<Position> {
    let (game, mut state) = (draughts(), seed);
    let mut positions = vec![read(Draughts::START)];
    while positions.len() < 200 {
        let position = positions.last().unwrap();
        let moves = legal_moves(&game, position);
        if moves.is_empty() {
            break;
        }
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        let mv = moves[(state >> 33) as usize % moves.len()];
        positions.push(game.make(position, mv));
    }
    positions
}

fn pieces(position: &Position) -> u32 {
    let board = position.board();
    (board.of(Side::Black) | board.of(Side::White)).count_ones()
}

/// Positions after at least eight random moves, a few of each game.
fn middlegames(games: u64) -> Vec<Position> {
    (0..games).flat_map(|seed| random_game(seed).into_iter().skip(8).step_by(9).take(3)).collect()
}

/// Positions of random games with few men and kings of both sides.
fn endgames(games: u64) -> Vec<Position> {
    let has_kings = |one: &Position| {
        let text = draughts().text(one);
        text.split(':').skip(1).all(|field| !field.starts_with(['W', 'B']) || field.contains('K'))
    };
    let few = |one: &Position| pieces(one) <= 7 && draughts().has_move(one) && has_kings(one);
    (0..games).flat_map(|seed| random_game(seed).into_iter().filter(few).take(1)).collect()
}

#[test]
fn incremental_keys_equal_those_of_a_fresh_board() {
    let game = draughts();
    let mut compared = 0;
    for seed in 0..100 {
        for position in random_game(seed) {
            assert_eq!(read(&game.text(&position)), position);
            for mv in legal_moves(&game, &position) {
                let child = game.make(&position, mv);
                assert_eq!(game.key(&read(&game.text(&child))), game.key(&child));
                compared += 1;
            }
        }
    }
    assert!(compared > 20_000, "{compared}");
}

#[test]
fn key_covers_everything_but_the_clock() {
    let game = draughts();
    let keys = ["B:W32:B1", "B:W32:B1:H9"].map(|text| game.key(&read(text)));
    assert_eq!(keys[0], keys[1]);
    for other in ["W:W32:B1", "B:WK32:B1", "B:W31:B1", "B:W32:B1,2"] {
        assert_ne!(game.key(&read(other)), keys[0]);
    }
}

/// Legality, quietness, forcing moves and counts agree with the move lists.
#[test]
fn move_queries_match_the_move_list() {
    let game = draughts();
    for position in middlegames(30).iter().chain(&endgames(60)) {
        let moves = legal_moves(&game, position);
        let legal = (0..=u16::MAX).map(Move).filter(|&mv| game.is_legal(position, mv));
        let mut sorted = moves.clone();
        sorted.sort_by_key(|mv| mv.0);
        assert_eq!(legal.collect::<Vec<_>>(), sorted, "{}", game.text(position));
        assert_eq!(game.has_move(position), !moves.is_empty());
        let captures = moves.iter().filter(|&&mv| !game.is_quiet(position, mv)).count();
        assert_eq!(game.is_forced(position), captures > 0 || moves.is_empty());
        assert!(captures == 0 || captures == moves.len());
        let targets = game.targets(position);
        assert_eq!(game.count_quiets(position, &targets), moves.len() - captures);
        let slots = game.slots_to_move(position);
        game.tactical(position, &targets, |mv, merit| {
            assert_eq!(merit.slot, game.slot(position, mv));
            assert_eq!(merit.victim, game.victim(position, mv));
            assert!(game.gain(position, mv) >= 100 && slots.contains(&merit.slot));
        });
        game.quiets(position, &targets, |mv, slot| assert_eq!(slot, game.slot(position, mv)));
        for mv in moves {
            let forced = game.is_forced(&game.make(position, mv));
            assert_eq!(game.forces(position, &(), mv), forced);
            assert!(game.history_slot(position, mv) < Draughts::HISTORY_SLOTS);
        }
    }
}

#[test]
fn move_names_distinguish_paths() {
    for (text, expected) in [
        ("W:WK14:B9,10,17,18", ["14x5", "14x7", "14x21", "14x23"].as_slice()),
        // Around four men back to its square, both ways; and to the same square on two paths.
        ("W:WK2:B6,7,14,15", &["2x2", "2x2/1"]),
        ("W:W18:B6,7,14,15", &["18x2", "18x2/1"]),
    ] {
        let names = legal_moves(&draughts(), &read(text)).into_iter().map(Draughts::move_name);
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn side_without_a_move_loses() {
    let game = draughts();
    for text in ["W:W6:B2,1,10", "W:W:B1", "B:WK32:B"] {
        let position = read(text);
        assert!(!game.has_move(&position) && game.is_forced(&position));
        assert_eq!(game.terminal_value(&position), MATED);
    }
    // Black takes the last man.
    let mut player =
        Player::new(game, Driver::AlphaBeta, OPTIONS, TableSize::Entries(16), read("B:W18:B15"));
    assert_eq!(player.search_alone(&exact(2)).value, MATE - 1);
}

fn values(player: &mut Player<Draughts>, depth: u32) -> Vec<Value> {
    let report = player.search_alone(&exact(depth));
    assert!(!report.stopped && report.iterations.iter().all(|iteration| iteration.finished));
    report.iterations.iter().map(|iteration| iteration.value).collect()
}

fn check_drivers(evaluation: &'static Evaluation, positions: &[Position], depth: u32) {
    let sizes = [0, 1 << 8, 1 << 12, 1 << 16];
    let mut turn = 0;
    for position in positions {
        let game = Draughts::new(evaluation, [1, 4, 10, 25][turn % 4]);
        let oracle: Vec<Value> =
            (1..=depth).map(|depth| minimax(&game, position, depth, true)).collect();
        for driver in drivers() {
            let size = TableSize::Entries(sizes[turn % sizes.len()]);
            let mut player = Player::new(game, driver, OPTIONS, size, *position);
            let text = game.text(position);
            assert_eq!(values(&mut player, depth), oracle, "{driver:?} {size:?} {text}");
            turn += 1;
        }
    }
}

#[test]
fn every_driver_finds_the_value_of_middlegames() {
    let positions: Vec<Position> = middlegames(10).into_iter().take(24).collect();
    check_drivers(Evaluation::pst(), &positions[..16], 4);
    check_drivers(Evaluation::full(), &positions[16..], 4);
}

#[test]
fn every_driver_finds_the_value_of_endgames() {
    let positions = endgames(80);
    assert!(positions.len() >= 24, "{}", positions.len());
    check_drivers(Evaluation::pst(), &positions[..16], 4);
    check_drivers(Evaluation::full(), &positions[16..24], 4);
}

#[test]
fn proofs_name_a_move_of_the_minimax_value() {
    let game = draughts();
    let positions: Vec<Position> =
        middlegames(5).into_iter().chain(endgames(30)).filter(|one| game.has_move(one)).collect();
    for position in &positions {
        for driver in provers() {
            let size = TableSize::Entries(1 << 12);
            let mut player = Player::new(game, driver, OPTIONS, size, *position);
            for iteration in &player.search_alone(&exact(3)).iterations {
                let depth = iteration.depth as u32;
                let child = game.make(position, iteration.mv);
                let value = from_child(minimax(&game, &child, depth - 1, true));
                assert_eq!(value, minimax(&game, position, depth, true), "{driver:?}");
            }
        }
    }
}

/// Plays a game of two equal players from a position to its end.
fn ending(text: &str, nodes: u64) -> (Ended, Position) {
    let size = TableSize::Entries(1 << 12);
    let player = || Player::new(draughts(), Driver::AlphaBeta, OPTIONS, size, read(text));
    let (mut first, mut second) = (player(), player());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let sides =
        [Seat { player: &mut first, stop: &stop }, Seat { player: &mut second, stop: &stop }];
    let watcher = Watcher { hook: &mut || false, on_ply: &mut |_, _, _| false };
    let ended = play(sides, limits, watcher);
    (ended, *first.position())
}

#[test]
fn games_end_by_the_rules() {
    let (ended, last) = ending("B:W18:B15", 100);
    assert_eq!((ended, Draughts::word(ended)), (Ended::Lost, "no-moves"));
    assert!(!draughts().has_move(&last));
    let (ended, _) = ending("W:WK32:BK1", 1_000);
    assert_eq!((ended, Draughts::word(ended)), (Ended::Repeated, "threefold-repetition"));
    let (ended, last) = ending("W:WK32:BK1:H79", 1_000);
    assert_eq!((ended, Draughts::word(ended)), (Ended::Expired, "forty-moves"));
    assert_eq!(draughts().reversible_plies(&last), 80);
}

/// What the captures that follow gain for the side to move, by the men and kings that are left.
fn exchanged(position: &Position) -> Value {
    let (game, side) = (draughts(), position.side_to_move());
    let worth = |of: &Position| {
        let board = of.board();
        let [men, kings] = [board.men(side.other()), board.kings(side.other())];
        (100 * men.count_ones() + 137 * kings.count_ones()) as Value
    };
    let captures =
        legal_moves(&game, position).into_iter().filter(|&mv| !game.is_quiet(position, mv));
    let after = captures.map(|mv| game.make(position, mv));
    after.map(|after| worth(position) - worth(&after) - exchanged(&after)).max().unwrap_or(0)
}

#[test]
fn offers_lose_what_the_captures_after_them_take() {
    let (game, mut losses) = (draughts(), 0);
    for position in middlegames(60).iter().chain(&endgames(60)) {
        for mv in legal_moves(&game, position).into_iter().filter(|&mv| game.is_quiet(position, mv))
        {
            let gain = -exchanged(&game.make(position, mv));
            assert!(game.offer_at_least(position, mv, gain), "{}", game.text(position));
            assert!(!game.offer_at_least(position, mv, gain + 1), "{}", game.text(position));
            losses += usize::from(gain < 0);
        }
    }
    assert!(losses > 100, "{losses}");
}

#[test]
fn each_feature_of_draughts_changes_the_search() {
    let visited = |selective| -> u64 {
        let options = Options { selective, ..OPTIONS };
        let nodes = middlegames(12).into_iter().map(|position| {
            let size = TableSize::Entries(1 << 14);
            let mut player = Player::new(draughts(), drivers()[0], options, size, position);
            let limits = Limits { depth: Some(7), ..Limits::default() };
            player.search_alone(&Request { limits, ..Request::default() }).nodes
        });
        nodes.sum()
    };
    let before = OPTIONS.selective;
    let all = visited(before);
    assert_ne!(visited(Selectivity { probcut: 100, ..before }), all);
    assert_ne!(visited(Selectivity { offer_pruning: 40, ..before }), all);
}

#[test]
fn chess960_is_refused() {
    let refusal = draughts().read(Draughts::START, true).unwrap_err();
    assert_eq!(refusal, "draughts has no Chess960");
}

#[test]
fn swing_and_grain_work_as_in_chess() {
    let position = read(Draughts::START);
    assert_eq!(Draughts::with("pst", 1, 0).static_value(&position), 0);
    assert_eq!(Draughts::with("pst", 10, 14).static_value(&position), 10);
    assert_eq!(Draughts::with("pst", 10, -15).static_value(&position), -20);
}

/// Values and moves computed by Python: `tests/data/make_draughts_values.py`.
#[test]
fn values_and_moves_equal_those_of_the_reference() {
    let json: Json =
        serde_json::from_str(include_str!("../../../tests/data/draughts_values.json")).unwrap();
    let rows = json["values"].as_array().unwrap();
    for row in rows {
        let text = row["text"].as_str().unwrap();
        for name in ["pst", "full"] {
            let value = Draughts::with(name, 1, 0).static_value(&read(text));
            assert_eq!(Some(i64::from(value)), row[name].as_i64(), "{name} {text}");
        }
        let mut moves: Vec<u64> =
            legal_moves(&draughts(), &read(text)).into_iter().map(|mv| u64::from(mv.0)).collect();
        moves.sort_unstable();
        let theirs: Vec<u64> =
            row["moves"].as_array().unwrap().iter().map(|code| code.as_u64().unwrap()).collect();
        assert_eq!(moves, theirs, "{text}");
    }
    assert!(rows.len() >= 400, "{}", rows.len());
}

#[test]
fn values_change_sign_with_colours() {
    for position in middlegames(40).iter().chain(&endgames(80)) {
        let text = draughts().text(position);
        for name in ["pst", "full"] {
            let value = |text: &str| Draughts::with(name, 1, 0).static_value(&read(text));
            assert_eq!(value(&text), value(&turned(&text)), "{name} {text}");
        }
    }
}

/// The text of a position with the colours exchanged and the board turned.
fn turned(text: &str) -> String {
    let field = |field: &str| {
        let letter = if field.starts_with('W') { "B" } else { "W" };
        let squares = field[1..].split(',').filter(|item| !item.is_empty()).map(|item| {
            let number: u32 = item.trim_start_matches('K').parse().unwrap();
            format!("{}{}", if item.starts_with('K') { "K" } else { "" }, 33 - number)
        });
        format!("{letter}{}", squares.collect::<Vec<_>>().join(","))
    };
    let fields = text.split(':').filter(|field| !field.starts_with('H'));
    fields.map(field).collect::<Vec<_>>().join(":")
}
