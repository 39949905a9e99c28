//! Whole games between two players. The Python referee is the oracle of their plies; these tests
//! cover what it cannot cause.

use std::sync::atomic::{AtomicBool, Ordering};

use super::support::{player, read};
use crate::contest::{Ended, Side, Watcher, play};
use crate::drivers::Driver;
use crate::limits::Limits;
use crate::report::Report;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A game of two equal players; its ending, and the number of plies reported.
fn contest(
    fen: &str,
    limits: Limits,
    hook: &mut dyn FnMut() -> bool,
    judge: &mut dyn FnMut(usize, &Report) -> bool,
) -> (Ended, Vec<Option<Ended>>) {
    let start = read(fen);
    let mut players = [0, 1].map(|_| player(Driver::Pvs { window: 25, below: 0 }, 1 << 12, &start));
    let stops = [AtomicBool::new(false), AtomicBool::new(false)];
    let [one, two] = &mut players;
    let sides = [Side { player: one, stop: &stops[0] }, Side { player: two, stop: &stops[1] }];
    let mut told = Vec::new();
    let on_ply = &mut |mover: usize, report: &Report, ending: Option<Ended>| {
        assert_eq!(mover, told.len() % 2);
        told.push(ending);
        // Too late for the finished search; it must not end the next one.
        stops[1 - mover].store(true, Ordering::Relaxed);
        judge(mover, report)
    };
    let ended = play(sides, limits, Watcher { hook, on_ply });
    (ended, told)
}

fn at_depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

#[test]
fn judge_sees_every_ply_and_may_end_the_game() {
    let mut plies = 0;
    let judge = &mut |_: usize, _: &Report| {
        plies += 1;
        plies == 5
    };
    assert_eq!(contest(START, at_depth(2), &mut || false, judge), (Ended::Judged, vec![None; 5]));
}

#[test]
fn ending_by_the_rules_precedes_the_judge() {
    let fen = "7k/8/6K1/8/8/8/8/R7 w - - 99 80";
    let told = contest(fen, at_depth(2), &mut || false, &mut |_, _| true);
    assert_eq!(told, (Ended::Lost, vec![Some(Ended::Lost)]));
}

#[test]
fn panic_is_a_failure_of_the_side_to_move() {
    let told = contest(START, Limits::default(), &mut || panic!("on purpose"), &mut |_, _| false);
    assert_eq!(told, (Ended::Failed, vec![]));
}

#[test]
fn hook_ends_a_game_during_a_search() {
    let told = contest(START, Limits::default(), &mut || true, &mut |_, _| false);
    assert_eq!(told, (Ended::Interrupted, vec![]));
}
