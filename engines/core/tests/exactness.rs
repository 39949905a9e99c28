//! In exact mode every driver returns the value of plain minimax.

use super::support::{chess, drivers, endgames, exact, graphs, legal_moves, openings};
use crate::drivers::{Convergence, Driver};
use crate::game::Game;
use crate::games::chess::{Chess, Evaluation, Position};
use crate::guess::Guess;
use crate::oracle::minimax;
use crate::player::Player;
use crate::table::TableSize;
use crate::value::{INFINITY, Value, back_up};

/// The values of the iterations of an exact search.
fn values<G: Game>(player: &mut Player<G>, depth: u32) -> Vec<Value> {
    let report = player.search_alone(&exact(depth));
    assert!(!report.stopped && report.iterations.iter().all(|iteration| iteration.finished));
    report.iterations.iter().map(|iteration| iteration.value).collect()
}

#[test]
fn random_graphs() {
    const DEPTH: u32 = 6;
    for (graph, start) in graphs(600).filter(|(graph, start)| graph.has_move(start)) {
        let seed = graph.seed;
        let oracle: Vec<Value> =
            (1..=DEPTH).map(|depth| minimax(&graph, &start, depth, false)).collect();
        let entries = [0, 1, 2, 16, 256, 1 << 12][seed as usize % 6];
        let driver = drivers()[seed as usize / 6 % drivers().len()];
        let options = super::support::OPTIONS;
        let mut player = Player::new(graph, driver, options, TableSize::Entries(entries), start);
        assert_eq!(values(&mut player, DEPTH), oracle, "{driver:?} {entries} graph {seed}");
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
            let options = super::support::OPTIONS;
            let mut player = Player::new(game, driver, options, size, position.clone());
            let found = values(&mut player, depth);
            assert_eq!(found, oracle, "{driver:?} {size:?} grain {grain} {}", position.board());
            turn += 1;
        }
    }
}

#[test]
fn openings_to_depth_2() {
    check_chess(&openings()[..40], 2);
}

#[test]
fn endgames_to_depth_4() {
    check_chess(&endgames()[..24], 4);
}

#[test]
fn the_full_evaluation_to_depths_2_and_4() {
    check_chess_by(Evaluation::full(), &openings()[40..60], 2);
    check_chess_by(Evaluation::full(), &endgames()[..12], 4);
}

/// Minutes; the Python tests compare with values that were worked out once.
#[test]
#[ignore = "minutes: all openings and endgames to depth 4"]
fn everything_to_depth_4() {
    check_chess(&openings()[..208], 4);
    check_chess(&endgames(), 4);
}

#[test]
fn from_the_value_itself_mtdf_takes_two_passes() {
    let driver = Driver::Mtdf { guess: Guess::Zero, convergence: Convergence::Plaat };
    for (place, position) in endgames().iter().chain(&openings()[..10]).enumerate() {
        let size = TableSize::Entries([0, 1 << 8, 1 << 16][place % 3]);
        let mut player =
            Player::new(chess(1), driver, super::support::OPTIONS, size, position.clone());
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
        best = best.max(back_up(unpruned_quiescence(game, &game.make(position, mv), budget)?));
    }
    Some(best)
}

#[test]
fn the_oracle_s_quiescence_is_that_of_the_definition() {
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
