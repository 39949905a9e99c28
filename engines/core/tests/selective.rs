//! The parts of selective search, against their definitions.

use super::features::without_each;
use super::support::{
    OPTIONS, chess, endgames, legal_moves, nodes, one_of_each, openings, plaat, read,
};
use crate::drivers::{Closing, Convergence, Driver};
use crate::game::Game;
use crate::games::chess::{Evaluation, Position, see};
use crate::games::random_tree::RandomTree;
use crate::guess::Guess;
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::oracle::minimax;
use crate::ordering::{Context, Ordering, OrderingOptions, Picker};
use crate::player::Player;
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::TableSize;
use crate::value::from_child;

/// Openings, endgames, and positions in which every special kind of move checks.
fn positions() -> Vec<Position> {
    let odd = [
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "5k2/8/8/8/8/8/8/4K2R w K - 0 1",
        "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "8/8/8/1k1pP2R/8/8/8/4K3 w - d6 0 2",
        "8/2k5/8/3pP3/8/8/8/4K2B w - d6 0 2",
        "3k4/P7/8/8/8/8/8/4K3 w - - 0 1",
        "2k5/4P3/8/8/8/8/8/4K3 w - - 0 1",
        "8/8/3k4/8/3N4/8/3R4/3K4 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    ];
    let mut all = openings();
    all.extend(endgames());
    all.extend(odd.map(read));
    all
}

#[test]
fn gives_check_matches_the_position_after_the_move() {
    let game = chess(1);
    let mut checks = 0;
    for position in positions() {
        for mv in legal_moves(&game, &position) {
            let expected = game.is_forced(&game.make(&position, mv));
            assert_eq!(
                game.forces(&position, &game.forcing(&position), mv),
                expected,
                "{} {mv:?}",
                position.board()
            );
            checks += usize::from(expected);
        }
    }
    assert!(checks > 250, "{checks}");
}

#[test]
fn exchange_threshold_matches_its_value() {
    let game = chess(1);
    for position in positions() {
        for mv in legal_moves(&game, &position) {
            let value = see(&position, mv, Evaluation::pst());
            for least in [-900, -331, -100, -1, 0, 1, 100, 320, 900, value - 1, value, value + 1] {
                let enough = game.exchange_at_least(&position, mv, least);
                assert_eq!(enough, value >= least, "{} {mv:?} {least}", position.board());
            }
        }
    }
}

#[test]
fn picker_yields_each_move_once_and_may_skip_quiet_ones() {
    let game = chess(1);
    let ordering = Ordering::new(
        <crate::games::chess::Chess as Game>::HISTORY_SLOTS,
        <crate::games::chess::Chess as Game>::SLOTS,
        OrderingOptions::ALL,
    );
    let context = Context { ply: 0, last: 3, before_last: 5 };
    for position in positions() {
        let mut all = legal_moves(&game, &position);
        let Some(&table_move) = all.last() else { continue };
        for skips in [false, true] {
            let mut arena = Vec::new();
            let mut picker: Picker<_> = Picker::new(table_move, context, &arena);
            if skips {
                picker.skip_quiets();
            }
            let mut found = Vec::new();
            while let Some(picked) = picker.next(&game, &position, &ordering, &mut arena) {
                assert_eq!(picked.quiet, game.is_quiet(&position, picked.mv));
                assert!(!picked.losing || game.is_losing(&position, picked.mv));
                found.push(picked.mv);
            }
            picker.release(&mut arena);
            assert!(arena.is_empty() && found[0] == table_move);
            if skips {
                all.retain(|&mv| mv == table_move || !game.is_quiet(&position, mv));
            }
            found.sort_by_key(|mv| mv.0);
            all.sort_by_key(|mv| mv.0);
            assert_eq!(found, all, "{}", position.board());
        }
    }
}

/// Nodes of a search of fixed depth over some positions, with a full table.
fn cost(driver: Driver, options: Options) -> u64 {
    let mut sum = 0;
    for position in openings().iter().step_by(90) {
        let size = TableSize::Entries(1 << 10);
        let mut player = Player::new(chess(1), driver, options, size, position.clone());
        let mut request = nodes(u64::MAX);
        request.limits.nodes = None;
        request.limits.depth = Some(9);
        sum += player.search_alone(&request).nodes;
    }
    sum
}

#[test]
fn every_feature_changes_the_search() {
    let everything = OPTIONS;
    let pvs = Driver::Pvs { window: 25, below: 0 };
    let mtdf = plaat(Guess::Previous);
    let [by_pvs, by_mtdf] = [pvs, mtdf].map(|driver| cost(driver, everything));
    for (name, without) in without_each(everything) {
        // An open window rarely leaves one move: one must fail high after all failed low.
        let (driver, all) = if name == "best_move_stop" { (mtdf, by_mtdf) } else { (pvs, by_pvs) };
        assert_ne!(cost(driver, without), all, "{name}");
    }
}

#[test]
fn expected_pv_changes_the_tree_of_every_driver() {
    for driver in one_of_each() {
        let mut costs = ExpectedPv::CHOICES.map(|(name, expected_pv)| {
            let mut options = OPTIONS;
            options.selective.expected_pv = expected_pv;
            (cost(driver, options), name)
        });
        costs.sort_unstable();
        for pair in costs.windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{driver:?} {} {}", pair[0].1, pair[1].1);
        }
    }
}

/// With nothing else selective, no draws and no table, the best move is that of plain minimax, with
/// a lower bound.
#[test]
fn only_remaining_move_is_the_best() {
    let selective = Selectivity { best_move_stop: true, ..Selectivity::OFF };
    let options = Options { selective, ..Options::PLAIN };
    let growth = Closing::by(Convergence::Growth);
    let drivers = [
        plaat(Guess::Previous),
        Driver::Mtdf { guess: Guess::Zero, closing: growth, max_passes: 0 },
        Driver::Hybrid { guess: Guess::Previous, closing: growth, null_passes: 2, cap: 9 },
        Driver::Pvs { window: 5, below: 0 },
    ];
    let mut ended = 0;
    for seed in 0..400 {
        let graph = RandomTree { seed, nodes: 1 << 60, width: 2 + seed % 4, range: 300 };
        if !graph.has_move(&seed) {
            continue;
        }
        for driver in drivers {
            let mut player = Player::new(graph, driver, options, TableSize::Entries(0), seed);
            let limits = Limits { depth: Some(5), ..Limits::default() };
            let request = Request { limits, ..Request::default() };
            for one in &player.search_alone(&request).iterations {
                let best = minimax(&graph, &seed, one.depth as u32, false);
                let after = graph.make(&seed, one.mv);
                let value = from_child(minimax(&graph, &after, one.depth as u32 - 1, false));
                assert!(value == best && one.value <= best, "{driver:?} {seed} {one:?}");
                ended += u32::from(one.value < best);
            }
        }
    }
    assert!(ended > 200, "{ended}");
}

/// The depth of a pass: reduced by the number of consecutive earlier passes that failed high.
#[test]
fn passes_after_a_fail_high_are_shallower() {
    let cost = |most| {
        let selective = Selectivity { fail_high_reduction: most, ..OPTIONS.selective };
        let options = Options { selective, ..OPTIONS };
        // From far below the value, every pass but the last fails high.
        let below = Convergence::Step { step: 40 };
        let closing = Closing { below: 100, ..Closing::by(below) };
        let driver = Driver::Mtdf { guess: Guess::Previous, closing, max_passes: 0 };
        cost(driver, options)
    };
    let costs = [0, 1, 2].map(cost);
    assert!(costs[0] > costs[1] && costs[1] > costs[2], "{costs:?}");
}
