//! In exact mode every driver returns the value of plain minimax.

use super::support::{
    OPTIONS, chess, drivers, endgames, exact, graphs, legal_moves, openings, plaat, provers,
    table_options,
};
use crate::drivers::Driver;
use crate::game::Game;
use crate::games::chess::{Chess, Evaluation, Position};
use crate::guess::Guess;
use crate::oracle::minimax;
use crate::player::Player;
use crate::table::TableSize;
use crate::value::{INFINITY, Value, from_child};

/// The values of the iterations of an exact search.
fn values<G: Game>(player: &mut Player<G>, depth: u32) -> Vec<Value> {
    let report = player.search_alone(&exact(depth));
    assert!(!report.stopped && report.iterations.iter().all(|iteration| iteration.finished));
    report.iterations.iter().map(|iteration| iteration.value).collect()
}

#[test]
fn exact_on_random_graphs() {
    const DEPTH: u32 = 6;
    for (graph, start) in graphs(2_400).filter(|(graph, start)| graph.has_move(start)) {
        let seed = graph.seed;
        let oracle: Vec<Value> =
            (1..=DEPTH).map(|depth| minimax(&graph, &start, depth, false)).collect();
        let entries = [0, 1, 2, 16, 256, 1 << 12][seed as usize % 6];
        let driver = drivers()[seed as usize / 6 % drivers().len()];
        let options = OPTIONS;
        let mut player = Player::new(graph, driver, options, TableSize::Entries(entries), start);
        assert_eq!(values(&mut player, DEPTH), oracle, "{driver:?} {entries} graph {seed}");
    }
}

/// The number of moves proved best that are not best.
fn wrong_proofs<G: Game + Copy>(
    game: &G,
    start: &G::Position,
    driver: Driver,
    depth: u32,
) -> usize {
    let mut wrong = 0;
    let size = TableSize::Entries(1 << 12);
    let mut player = Player::new(*game, driver, OPTIONS, size, start.clone());
    for iteration in &player.search_alone(&exact(depth)).iterations {
        let best = minimax(game, start, iteration.depth as u32, true);
        let after = game.make(start, iteration.mv);
        let value = from_child(minimax(game, &after, iteration.depth as u32 - 1, true));
        wrong += usize::from(value != best || iteration.value > best);
    }
    wrong
}

#[test]
fn proofs_name_a_move_of_the_minimax_value() {
    for (graph, start) in graphs(500).filter(|(graph, start)| graph.has_move(start)) {
        for driver in provers() {
            assert_eq!(wrong_proofs(&graph, &start, driver, 5), 0, "{driver:?} {}", graph.seed);
        }
    }
    for (position, depth) in endgames()[..16]
        .iter()
        .map(|one| (one, 4))
        .chain(openings()[..20].iter().map(|one| (one, 2)))
    {
        for (driver, grain) in provers().into_iter().zip([1, 10, 1, 10]) {
            let wrong = wrong_proofs(&chess(grain), position, driver, depth);
            assert_eq!(wrong, 0, "{driver:?} {}", position.board());
        }
    }
}

/// Null windows fail low or high, every bound holds for the value, and no pass of exact search
/// contradicts another.
#[test]
fn bounds_bracket_the_value_after_every_pass() {
    let mut passes = 0;
    for (graph, start) in graphs(400).filter(|(graph, start)| graph.has_move(start)) {
        for driver in drivers() {
            let size = TableSize::Entries([0, 16, 1 << 12][graph.seed as usize % 3]);
            let mut player = Player::new(graph, driver, OPTIONS, size, start);
            let report = player.search_alone(&exact(5));
            for iteration in &report.iterations {
                assert_eq!(iteration.crossings, 0, "{driver:?} {}", graph.seed);
                let value = iteration.value;
                for pass in &report.passes[iteration.passes.clone()] {
                    let (low, high) = (pass.value <= pass.alpha, pass.value >= pass.beta);
                    assert!(low || high || pass.beta - pass.alpha > 1);
                    assert!(!low || value <= pass.value, "{driver:?} {}", graph.seed);
                    assert!(!high || value >= pass.value, "{driver:?} {}", graph.seed);
                    assert!(low || high || value == pass.value);
                    passes += 1;
                }
            }
        }
    }
    assert!(passes > 100_000, "{passes}");
}

/// Contents, replacement and use of the table change no value.
#[test]
fn every_use_of_the_table_is_exact() {
    let mut turn = 0;
    for (graph, start) in graphs(300).filter(|(graph, start)| graph.has_move(start)) {
        let oracle: Vec<Value> =
            (1..=6).map(|depth| minimax(&graph, &start, depth, false)).collect();
        for options in table_options() {
            let driver = drivers()[turn % drivers().len()];
            let size = TableSize::Entries([1, 2, 16, 256, 1 << 12][turn % 5]);
            let mut player = Player::new(graph, driver, options, size, start);
            assert_eq!(values(&mut player, 6), oracle, "{driver:?} {options:?} {}", graph.seed);
            turn += 1;
        }
    }
    for position in &endgames()[20..26] {
        let oracle: Vec<Value> =
            (1..=4).map(|depth| minimax(&chess(1), position, depth, true)).collect();
        for options in table_options() {
            for driver in [plaat(Guess::Parity), Driver::Pvs { window: 0, below: 0 }, Driver::Sss] {
                let size = TableSize::Entries([1 << 6, 1 << 12, 1 << 18][turn % 3]);
                let mut player = Player::new(chess(1), driver, options, size, position.clone());
                assert_eq!(values(&mut player, 4), oracle, "{driver:?} {options:?}");
                turn += 1;
            }
        }
    }
}

fn check_chess(positions: &[Position], depth: u32) {
    check_chess_by(Evaluation::pst(), positions, depth);
}

fn check_chess_by(evaluation: &'static Evaluation, positions: &[Position], depth: u32) {
    let sizes = [0, 1 << 8, 1 << 12, 1 << 16, 1 << 20];
    let mut turn = 0;
    for position in positions {
        let grain = [1, 4, 10, 25][turn % 4];
        let game = Chess::new(evaluation, grain);
        let position = &Position::new(position.board().clone(), evaluation);
        let oracle: Vec<Value> =
            (1..=depth).map(|depth| minimax(&game, position, depth, true)).collect();
        for driver in drivers() {
            let size = TableSize::Entries(sizes[turn % sizes.len()]);
            let options = OPTIONS;
            let mut player = Player::new(game, driver, options, size, position.clone());
            let found = values(&mut player, depth);
            assert_eq!(found, oracle, "{driver:?} {size:?} grain {grain} {}", position.board());
            turn += 1;
        }
    }
}

#[test]
fn exact_on_openings_to_depth_2() {
    check_chess(&openings()[..40], 2);
}

#[test]
fn exact_on_endgames_to_depth_4() {
    check_chess(&endgames()[..24], 4);
}

#[test]
fn exact_with_the_full_evaluation_to_depths_2_and_4() {
    check_chess_by(Evaluation::full(), &openings()[40..60], 2);
    check_chess_by(Evaluation::full(), &endgames()[..12], 4);
}

/// Takes minutes; the Python tests compare with stored values.
#[test]
#[ignore = "minutes: all openings and endgames to depth 4"]
fn exact_on_all_positions_to_depth_4() {
    check_chess(&openings()[..208], 4);
    check_chess(&endgames(), 4);
}

#[test]
fn mtdf_takes_two_passes_from_the_value() {
    let driver = plaat(Guess::Zero);
    for (place, position) in endgames().iter().chain(&openings()[..10]).enumerate() {
        let size = TableSize::Entries([0, 1 << 8, 1 << 16][place % 3]);
        let mut player = Player::new(chess(1), driver, OPTIONS, size, position.clone());
        let value = player.search_alone(&exact(3)).value;
        for guess in [value, value + 1] {
            let mut request = exact(3);
            request.first_guess = Some(guess);
            let report = player.search_alone(&request);
            let last = report.iterations.last().unwrap();
            assert_eq!((last.value, last.passes.len()), (value, 2), "{}", position.board());
        }
    }
}

/// Quiescence by its definition: no window at all. `None` when it has too many nodes.
fn unpruned_quiescence(game: &Chess, position: &Position, budget: &mut u32) -> Option<Value> {
    *budget = budget.checked_sub(1)?;
    if !game.has_move(position) {
        return Some(game.terminal_value(position));
    }
    let (mut best, mut moves) = (-INFINITY, Vec::new());
    if game.is_forced(position) {
        moves = legal_moves(game, position);
    } else {
        best = game.static_value(position);
        game.captures(position, |mv, _| moves.push(mv));
        moves.retain(|&mv| !game.is_losing(position, mv));
    }
    for mv in moves {
        best = best.max(from_child(unpruned_quiescence(game, &game.make(position, mv), budget)?));
    }
    Some(best)
}

#[test]
fn quiescence_of_the_oracle_matches_its_definition() {
    let game = chess(1);
    let mut compared = 0;
    for position in openings().iter().step_by(5).chain(&endgames()) {
        for mv in legal_moves(&game, position) {
            let child = game.make(position, mv);
            if let Some(value) = unpruned_quiescence(&game, &child, &mut 10_000) {
                assert_eq!(minimax(&game, &child, 0, true), value, "{}", child.board());
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}
