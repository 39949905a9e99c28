//! Several threads: exact search returns the minimax value, limits count all threads, and all
//! threads end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::support::{
    OPTIONS, chess, drivers, endgames, exact, graphs, legal_moves, nodes, openings, plaat, provers,
    read, table_options,
};
use crate::drivers::Driver;
use crate::game::{Game, Move};
use crate::games::GAMES;
use crate::games::chess::{Chess, Position};
use crate::games::random_tree::RandomTree;
use crate::games::seat::Valued;
use crate::guess::Guess;
use crate::limits::{Limits, Meter, Request, Watch};
use crate::memory::Memory;
use crate::node::{NodeKind, Sound, TableRules};
use crate::options::Options;
use crate::oracle::minimax;
use crate::ordering;
use crate::parallel::{Busy, Crew, Goal, Parallel, Plan, Tag, Task, Team};
use crate::player::Player;
use crate::report::Report;
use crate::search::Search;
use crate::search::root::Root;
use crate::selective::Selectivity;
use crate::table::{Table, TableSize};
use crate::value::{OPEN, Value, from_child};

const THREADS: [usize; 3] = [2, 3, 8];

/// The options with this number of threads.
fn by(threads: usize, parallel: Parallel) -> Options {
    Options { threads, parallel, ..OPTIONS }
}

/// Every number of threads in both modes.
fn all_ways() -> impl Iterator<Item = Options> {
    THREADS
        .into_iter()
        .flat_map(|threads| Parallel::CHOICES.map(|(_, parallel)| by(threads, parallel)))
}

/// Checks the values of all iterations, and that the last move has the value.
fn check<G: Game + Copy>(player: &mut Player<G>, oracle: &[Value], quiescence: bool, what: &str) {
    let (game, start) = (*player.game(), player.position().clone());
    let report = player.search_alone(&exact(oracle.len() as u32));
    assert!(!report.stopped && report.iterations.iter().all(|iteration| iteration.finished));
    let found: Vec<Value> = report.iterations.iter().map(|iteration| iteration.value).collect();
    assert_eq!(found, oracle, "{what}");
    let after = game.make(&start, report.mv);
    let worth = from_child(minimax(&game, &after, oracle.len() as u32 - 1, quiescence));
    assert_eq!(worth, report.value, "the move, {what}");
    let sum: u64 = report.iterations.iter().map(|iteration| iteration.nodes).sum();
    assert_eq!(sum, report.nodes, "{what}");
    for one in &report.iterations {
        assert!(one.counts.interior + one.counts.leaves <= one.nodes, "{what}");
    }
}

#[test]
fn random_graphs_are_exact() {
    const DEPTH: u32 = 6;
    let ways: Vec<Options> = all_ways().collect();
    for (turn, (graph, start)) in
        graphs(1_200).filter(|(graph, start)| graph.has_move(start)).enumerate()
    {
        let oracle: Vec<Value> =
            (1..=DEPTH).map(|depth| minimax(&graph, &start, depth, false)).collect();
        let entries = [0, 1, 1 << 8, 1 << 8, 1 << 12][turn % 5];
        let driver = drivers()[turn / 6 % drivers().len()];
        let options = ways[turn % ways.len()];
        let size = TableSize::Entries(entries);
        let what = format!("{driver:?} {options:?} {entries} graph {}", graph.seed);
        check(&mut Player::new(graph, driver, options, size, start), &oracle, false, &what);
    }
}

#[test]
fn proofs_of_several_threads_hold() {
    let ways: Vec<Options> = all_ways().collect();
    for (turn, (graph, start)) in
        graphs(300).filter(|(graph, start)| graph.has_move(start)).enumerate()
    {
        let options = ways[turn % ways.len()];
        for driver in provers() {
            let size = TableSize::Entries([0, 1 << 8][turn % 2]);
            let mut player = Player::new(graph, driver, options, size, start);
            for one in &player.search_alone(&exact(5)).iterations {
                let best = minimax(&graph, &start, one.depth as u32, true);
                let after = graph.make(&start, one.mv);
                let worth = from_child(minimax(&graph, &after, one.depth as u32 - 1, true));
                assert_eq!(worth, best, "{driver:?} {options:?} graph {}", graph.seed);
                assert!(one.value <= best, "{driver:?} {options:?} graph {}", graph.seed);
            }
        }
    }
}

#[test]
fn chess_is_exact() {
    let ways: Vec<Options> = all_ways().collect();
    let positions = endgames().into_iter().take(9).map(|position| (position, 4));
    let positions = positions.chain(openings().into_iter().step_by(90).map(|one| (one, 2)));
    for (turn, (position, depth)) in positions.enumerate() {
        let oracle: Vec<Value> =
            (1..=depth).map(|depth| minimax(&chess(1), &position, depth, true)).collect();
        for (place, driver) in drivers().into_iter().enumerate() {
            let options = ways[(turn + place) % ways.len()];
            let size = TableSize::Entries(1 << 8);
            let what = format!("{driver:?} {options:?} {}", position.board());
            let mut player = Player::new(chess(1), driver, options, size, position.clone());
            check(&mut player, &oracle, true, &what);
        }
    }
}

/// Contents, replacement and use of the table change no value.
#[test]
fn every_use_of_the_table_is_exact_for_several_threads() {
    let ways: Vec<Options> = all_ways().collect();
    let all = drivers();
    let mut turn = 0;
    for (graph, start) in graphs(60).filter(|(graph, start)| graph.has_move(start)) {
        let oracle: Vec<Value> =
            (1..=6).map(|depth| minimax(&graph, &start, depth, false)).collect();
        for options in table_options() {
            let Options { threads, parallel, .. } = ways[turn % ways.len()];
            let options = Options { threads, parallel, ..options };
            let driver = all[turn % all.len()];
            let size = TableSize::Entries([1, 1 << 8, 1 << 12][turn % 3]);
            let what = format!("{driver:?} {options:?} graph {}", graph.seed);
            check(&mut Player::new(graph, driver, options, size, start), &oracle, false, &what);
            turn += 1;
        }
    }
}

#[test]
fn every_game_is_exact() {
    for (name, seated) in GAMES {
        let valued = Valued { seated, evaluation: "pst", grain: 1, swing: 0 };
        for (turn, options) in all_ways().enumerate() {
            let driver = drivers()[5 * turn];
            let table = Table::new(TableSize::Entries(1 << 8), options.table);
            let mut seat = valued.seat(driver, options, table);
            let value = seat.minimax(4, true, &mut || false);
            let stop = AtomicBool::new(false);
            let (hook, on_iteration) = (&mut || false, &mut |_: &Report| false);
            seat.search(&exact(4), Watch { stop: &stop, hook, on_iteration });
            assert_eq!(Some(seat.report().value), value, "{name} {driver:?} {options:?}");
        }
    }
}

/// Later lines leave out the moves of earlier ones, whatever helpers search.
#[test]
fn variations_equal_those_of_one_thread() {
    let position = &endgames()[3];
    let driver = plaat(Guess::Parity);
    let lines = |options| {
        let size = TableSize::Entries(1 << 12);
        let mut player = Player::new(chess(1), driver, options, size, position.clone());
        let report = player.search_alone(&Request { lines: 3, ..exact(4) });
        report.iterations.iter().map(|one| (one.depth, one.line, one.value)).collect::<Vec<_>>()
    };
    let alone = lines(OPTIONS);
    for options in all_ways() {
        assert_eq!(lines(options), alone, "{options:?}");
    }
}

#[test]
fn node_limit_is_never_exceeded() {
    let ways = all_ways().collect::<Vec<_>>();
    for (turn, driver) in drivers().into_iter().enumerate() {
        let options = ways[turn % ways.len()];
        for limit in [1, 300, 5_000, 20_000] {
            let size = TableSize::Entries(1 << 12);
            let mut player = Player::new(chess(1), driver, options, size, openings()[7].clone());
            let report = player.search_alone(&nodes(limit));
            let first = report.iterations[0].nodes;
            let what = format!("{driver:?} {options:?} {limit}");
            assert!(report.iterations[0].finished && report.stopped, "{what}");
            assert!(report.nodes <= limit.max(first), "{} {what}", report.nodes);
            assert_eq!(report.overrun, first.saturating_sub(limit), "{what}");
            // Nodes that threads reserved and did not use.
            let spare = 64 * options.threads as u64;
            assert!(report.nodes + spare >= limit, "{} {what}", report.nodes);
            let sum: u64 = report.iterations.iter().map(|iteration| iteration.nodes).sum();
            assert_eq!(sum, report.nodes, "{what}");
        }
    }
}

#[test]
fn stop_ends_all_threads_at_once() {
    for (_, parallel) in Parallel::CHOICES {
        for driver in [plaat(Guess::Parity), Driver::Pvs { window: 25, below: 0 }] {
            let size = TableSize::Entries(1 << 16);
            let start = openings()[3].clone();
            let mut player = Player::new(chess(1), driver, by(8, parallel), size, start);
            let stop = AtomicBool::new(false);
            let mut late = Duration::ZERO;
            std::thread::scope(|scope| {
                let stopped = scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(300));
                    stop.store(true, Ordering::Relaxed);
                    Instant::now()
                });
                let hook = &mut || false;
                let on_iteration = &mut |_: &Report| false;
                player.search(&Request::default(), Watch { stop: &stop, hook, on_iteration });
                late = stopped.join().unwrap().elapsed();
            });
            println!("{parallel:?} {driver:?}: {late:?} after the stop");
            assert!(late < Duration::from_secs(1), "{parallel:?} {driver:?} {late:?}");
        }
    }
}

#[test]
fn time_limits_and_the_hook_end_all_threads() {
    let search = |limits, interrupts: bool| {
        let size = TableSize::Entries(1 << 12);
        let options = by(3, Parallel::Lazy);
        let driver = plaat(Guess::Parity);
        let mut player = Player::new(chess(1), driver, options, size, openings()[3].clone());
        let stop = AtomicBool::new(false);
        let (hook, on_iteration) = (&mut || interrupts, &mut |_: &Report| false);
        let request = Request { limits, ..Request::default() };
        let report = player.search(&request, Watch { stop: &stop, hook, on_iteration });
        assert!(report.stopped && report.interrupted == interrupts);
        (report.time, Duration::from_micros(report.cpu_us))
    };
    let limit = Duration::from_millis(150);
    let hard = Limits { hard: Some(limit), ..Limits::default() };
    assert!(search(hard, false).0 >= limit);
    let cpu = Limits { cpu: Some(limit), ..Limits::default() };
    let (_, used) = search(cpu, false);
    assert!(used >= limit && used < 2 * limit, "{used:?}");
    search(Limits::default(), true);
}

/// Helpers search while an iteration is reported; that time counts.
#[test]
fn times_of_iterations_add_up_to_the_search() {
    const PAUSE: Duration = Duration::from_millis(3);
    for threads in [1, 3] {
        let options = by(threads, Parallel::Lazy);
        let size = TableSize::Entries(1 << 12);
        let start = openings()[3].clone();
        let mut player = Player::new(chess(1), plaat(Guess::Parity), options, size, start);
        let (stop, hook) = (AtomicBool::new(false), &mut || false);
        let on_iteration = &mut |_: &Report| {
            std::thread::sleep(PAUSE);
            false
        };
        let report = player.search(&exact(4), Watch { stop: &stop, hook, on_iteration });
        let times = report.iterations.iter().map(|iteration| iteration.time);
        let (all, time) = (times.sum::<Duration>(), report.time);
        // With one thread the last iteration stays as reported, before the pause.
        let is_whole = if threads == 1 { all < time } else { all == time };
        assert!(is_whole, "{threads} threads: {all:?} of {time:?}");
        assert!(report.time >= 3 * PAUSE && report.iterations[1].time >= PAUSE);
    }
}

#[test]
fn all_parallel_modes_find_a_mate() {
    let (fen, plies) = ("r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5);
    for options in all_ways() {
        for driver in [plaat(Guess::Parity), Driver::Pvs { window: 25, below: 0 }] {
            let size = TableSize::Entries(1 << 16);
            let mut player = Player::new(chess(1), driver, options, size, read(fen));
            let report = player.search_alone(&nodes(400_000));
            assert_eq!(report.value, crate::value::MATE - plies, "{driver:?} {options:?}");
        }
    }
}

/// Searches with its own memory and table. Returns the result, the nodes and the greatest distance
/// from the root.
fn search_once<T>(
    options: Options,
    busy: Option<&Busy>,
    search_it: impl FnOnce(&mut Search<'_, Chess, Sound>) -> T,
) -> (T, u64, usize) {
    let (game, stop) = (chess(1), AtomicBool::new(false));
    let table = Table::new(TableSize::Entries(1 << 12), options.table);
    let (mut memory, hook, on_iteration) =
        (new_memory(options), &mut || false, &mut |_: &Report| false);
    let meter = Meter::new(Limits::default(), Watch { stop: &stop, hook, on_iteration });
    let mut search = Search::new(&game, options, &table, &mut memory, meter);
    search.busy = busy;
    let found = search_it(&mut search);
    (found, search.meter.totals().nodes, search.seldepth)
}

fn new_memory(options: Options) -> Memory {
    let ordering = ordering::Ordering::new(Chess::HISTORY_SLOTS, Chess::SLOTS, options.ordering);
    Memory::new(ordering, Chess::SLOTS, true)
}

/// The same by a helper with this move order and depth.
fn help_once(
    options: Options,
    position: &Position,
    moves: &[Move],
    depth: i32,
) -> (Value, u64, usize) {
    let (game, stop, crew) = (chess(1), AtomicBool::new(false), Crew::new(2, options.parallel));
    // After passes that failed high, a pass is shallower than its iteration.
    let iteration = depth + 1;
    let task = Task { depth: iteration, plies: depth, line: 0, one: None, window: OPEN };
    crew.post(Goal { task, moves: moves.to_vec(), aside: 0, value: 0 });
    let table = Table::new(TableSize::Entries(1 << 12), options.table);
    let request = Request::default();
    let team = Team {
        crew: &crew,
        plan: Plan::of(Driver::AlphaBeta, &options, 1, iteration, &request),
        game: &game,
        options,
        table: &table,
        position,
        root_moves: &[],
        limits: Limits::default(),
        stop: &stop,
    };
    let value = std::thread::scope(|scope| {
        scope.spawn(|| team.help::<Sound, false>(1, &mut new_memory(options)));
        loop {
            let known = crew.depth(iteration).known(Tag::new(iteration, 0)).unwrap();
            if known.bounds.have_met() {
                crew.end();
                return known.bounds.lower;
            }
            std::thread::yield_now();
        }
    });
    (value, crew.others(0).nodes, crew.reached(iteration))
}

/// In move order: in selective search a move's value depends on its number.
#[test]
fn helper_searches_the_pass_of_the_main_thread() {
    const DEPTH: i32 = 4;
    let (game, mut moved) = (chess(1), false);
    let options = Options { selective: Selectivity::EVERYTHING, ..by(2, Parallel::Abdada) };
    for position in openings().into_iter().step_by(60) {
        let mut results = Vec::new();
        let mut moves = legal_moves(&game, &position);
        for _ in 0..2 {
            let by_main = search_once(options, None, |search| {
                let mut root = Root::new(&position, search, &[]);
                root.take_order(&moves, 0);
                root.pass::<Sound, false>(search, DEPTH, OPEN.0, OPEN.1).unwrap()
            });
            assert_eq!(help_once(options, &position, &moves, DEPTH), by_main);
            results.push(by_main);
            moves.reverse();
        }
        moved |= results[0].0 != results[1].0;
    }
    assert!(moved, "some value depends on the order");
}

/// Late moves are pruned by the number of quiet moves before them, including deferred ones.
#[test]
fn other_threads_do_not_change_which_moves_are_pruned() {
    const DEPTH: i32 = 3;
    let game = chess(1);
    // There are quiet moves only, so that their order does not depend on timing.
    let position = read("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let by_number = |late_move_pruning| {
        let selective = Selectivity { late_move_pruning, ..Selectivity::OFF };
        Options { selective, ..OPTIONS }
    };
    let search_node = |options, busy: Option<&Busy>| {
        let (outcome, nodes, _) = search_once(options, busy, |search| {
            search.node::<false>(&position, DEPTH, 599, 600, NodeKind::All)
        });
        (outcome.value, nodes)
    };
    let busy = Busy::default();
    for mv in legal_moves(&game, &position) {
        busy.begin(Busy::hash(game.key(&position), mv, DEPTH));
    }
    let alone = search_node(by_number(2), None);
    assert_eq!(search_node(by_number(2), Some(&busy)), alone);
    assert!(alone.1 < search_node(by_number(0), None).1, "something is left out");
}

/// Rules under which the main thread searches almost nothing.
struct MainRests;

impl TableRules for MainRests {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        if std::thread::current().name().is_some() {
            std::thread::sleep(Duration::from_millis(20));
        }
        Sound::bounds(value, alpha, beta)
    }

    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        Sound::is_usable(exact, stored, wanted)
    }
}

#[test]
fn seldepth_is_the_maximum_over_threads() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let driver = plaat(Guess::Parity);
    let size = TableSize::Entries(1 << 12);
    let seldepth = |report: &Report| report.iterations.last().unwrap().seldepth;
    let mut alone = Player::new(chess(1), driver, OPTIONS, size, read(fen));
    let wanted = seldepth(alone.search_alone(&exact(3)));
    for (_, parallel) in Parallel::CHOICES {
        let mut player = Player::new(chess(1), driver, by(3, parallel), size, read(fen));
        let found = seldepth(player.search_alone_by::<MainRests>(&exact(3)));
        println!("{parallel:?}: {found}, one thread {wanted}");
        assert!(found + 2 >= wanted, "{parallel:?} {found} {wanted}");
    }
}

/// Rules under which every helper panics.
struct FailsInHelpers;

impl TableRules for FailsInHelpers {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        assert!(std::thread::current().name().is_some(), "a helper fails on purpose");
        Sound::bounds(value, alpha, beta)
    }

    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        Sound::is_usable(exact, stored, wanted)
    }
}

#[test]
fn panic_in_a_helper_ends_the_search_cleanly() {
    for options in all_ways() {
        let size = TableSize::Entries(1 << 12);
        let driver = plaat(Guess::Parity);
        let mut player = Player::new(chess(1), driver, options, size, endgames()[3].clone());
        // Without a limit, only the panic can end it.
        let search = AssertUnwindSafe(|| {
            player.search_alone_by::<FailsInHelpers>(&Request::default());
        });
        assert!(catch_unwind(search).is_err(), "{options:?}");
        let mut fresh = Player::new(chess(1), driver, OPTIONS, size, endgames()[3].clone());
        let value = fresh.search_alone(&exact(4)).value;
        assert_eq!(player.search_alone(&exact(4)).value, value, "{options:?}");
    }
}

/// The values of all nodes of a graph at each depth, by dynamic programming.
fn minimax_of_all(graph: &RandomTree, depth: usize) -> Vec<Vec<Value>> {
    let leaf = |node| {
        if graph.has_move(&node) { graph.static_value(&node) } else { graph.terminal_value(&node) }
    };
    let mut values = vec![(0..graph.nodes).map(leaf).collect::<Vec<Value>>()];
    for before in 0..depth {
        let deeper = |node| {
            let after = |mv| from_child(values[before][graph.make(&node, mv) as usize]);
            legal_moves(graph, &node).into_iter().map(after).max().unwrap_or_else(|| leaf(node))
        };
        let row = (0..graph.nodes).map(deeper).collect();
        values.push(row);
    }
    values
}

/// Prints how many of 10,000 exact searches with several threads are wrong.
#[test]
#[ignore = "minutes: 10,000 exact searches"]
fn ten_thousand_searches_are_exact() {
    const DEPTH: usize = 9;
    let ways: Vec<Options> = all_ways().collect();
    let all: Vec<Driver> = drivers().into_iter().chain(provers()).collect();
    let all: Vec<Driver> = all.into_iter().filter(|one| *one != Driver::Minimax).collect();
    let (mut searches, mut values, mut moves, mut shared) = (0, 0, 0, 0);
    for seed in 0.. {
        let (nodes, width, range) = (1_000 + seed % 5_000, 4 + seed % 5, 1 + seed % 60);
        let graph = RandomTree { seed, nodes, width, range };
        let start = seed % nodes;
        if !graph.has_move(&start) {
            continue;
        }
        let oracle = minimax_of_all(&graph, DEPTH);
        let worth = |mv| from_child(oracle[DEPTH - 1][graph.make(&start, mv) as usize]);
        let value = oracle[DEPTH][start as usize];
        for _ in 0..8 {
            let (options, driver) = (ways[searches % ways.len()], all[searches / 8 % all.len()]);
            let size = TableSize::Entries([1 << 8, 1 << 8, 1 << 14, 0][searches % 4]);
            let nodes = |options| {
                let mut player = Player::new(graph, driver, options, size, start);
                let report = player.search_alone(&exact(DEPTH as u32));
                (report.nodes, report.value, report.mv)
            };
            let (used, found, mv) = nodes(options);
            let is_right = if driver.proves_a_move() { found <= value } else { found == value };
            values += usize::from(!is_right);
            moves += usize::from(worth(mv) != value);
            shared += usize::from(searches % 10 == 0 && used != nodes(OPTIONS).0);
            searches += 1;
        }
        if searches >= 10_000 {
            break;
        }
    }
    println!("{searches} searches: {values} wrong values, {moves} wrong moves");
    println!("of each tenth, {shared} took other nodes than one thread does");
    assert_eq!((values, moves), (0, 0));
    // On a busy machine helpers start when most of these searches are done.
    assert!(shared > 0, "the helpers had nothing to do");
}
