//! Unsound table rules must be caught: each gives wrong values where [`Sound`] gives none.
//!
//! The first is published: one version of AlphaBetaWithMemory stores both bounds after failing
//! low and ignores the depth of entries.

use super::support::{OPTIONS, chess, endgames, exact, graphs, plaat};
use crate::drivers::Driver;
use crate::game::Game;
use crate::games::chess::Position;
use crate::games::random_tree::RandomTree;
use crate::guess::Guess;
use crate::node::{Sound, TableRules};
use crate::oracle::minimax;
use crate::player::Player;
use crate::table::TableSize;
use crate::value::{INFINITY, Value};

/// Stores both bounds on failing low, and uses entries of every depth.
struct Published;

impl TableRules for Published {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        if value <= alpha { (value, value) } else { Sound::bounds(value, alpha, beta) }
    }

    fn is_usable(_: bool, _: i32, _: i32) -> bool {
        true
    }
}

/// Stores both bounds on failing low.
struct StoresBoth;

impl TableRules for StoresBoth {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        Published::bounds(value, alpha, beta)
    }

    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        Sound::is_usable(exact, stored, wanted)
    }
}

/// Accepts deeper entries in exact mode, as selective search does.
struct AcceptsDeeper;

impl TableRules for AcceptsDeeper {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        Sound::bounds(value, alpha, beta)
    }

    fn is_usable(_: bool, stored: i32, wanted: i32) -> bool {
        stored >= wanted
    }
}

/// Uses entries of every depth, and stores correctly.
struct IgnoresDepth;

impl TableRules for IgnoresDepth {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        Sound::bounds(value, alpha, beta)
    }

    fn is_usable(_: bool, _: i32, _: i32) -> bool {
        true
    }
}

/// Exchanges lower and upper bounds.
struct SwapsBounds;

impl TableRules for SwapsBounds {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        if value <= alpha {
            (value, INFINITY)
        } else if value >= beta {
            (-INFINITY, value)
        } else {
            (value, value)
        }
    }

    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        Sound::is_usable(exact, stored, wanted)
    }
}

/// Treats a fail-soft value at alpha as exact: off by one.
struct WrongFailSoft;

impl TableRules for WrongFailSoft {
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        Sound::bounds(value, alpha - 1, beta)
    }

    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        Sound::is_usable(exact, stored, wanted)
    }
}

const MTDF: Driver = plaat(Guess::Previous);

/// The value found with these rules.
fn value<G: Game, R: TableRules>(game: G, at: &G::Position, driver: Driver, depth: u32) -> Value {
    let size = TableSize::Entries(1 << 16);
    let mut player = Player::new(game, driver, OPTIONS, size, at.clone());
    player.search_alone_by::<R>(&exact(depth)).value
}

/// The number of wrong values among 400 random graphs.
fn wrong_graphs<R: TableRules>(driver: Driver) -> usize {
    let playable = graphs(400).filter(|(graph, start)| graph.has_move(start));
    let is_wrong = |graph: &RandomTree, start: &u64| {
        value::<_, R>(*graph, start, driver, 5) != minimax(graph, start, 5, true)
    };
    playable.filter(|(graph, start)| is_wrong(graph, start)).count()
}

/// The number of endgames whose value differs from that of the sound rules at this depth.
fn wrong_endgames<R: TableRules>(driver: Driver, depth: u32) -> usize {
    let is_wrong = |position: &Position| {
        let sound = value::<_, Sound>(chess(1), position, Driver::AlphaBeta, depth);
        value::<_, R>(chess(1), position, driver, depth) != sound
    };
    endgames().iter().filter(|position| is_wrong(position)).count()
}

#[test]
fn mutant_with_the_published_rule_is_caught() {
    assert_eq!(wrong_graphs::<Sound>(MTDF), 0);
    let found = [wrong_graphs::<Published>(MTDF), wrong_graphs::<Published>(Driver::AlphaBeta)];
    assert!(found.iter().all(|&wrong| wrong >= 40), "{found:?} of 400 wrong");
}

#[test]
fn mutant_storing_both_bounds_is_caught_even_at_the_right_depth() {
    let found = [wrong_graphs::<StoresBoth>(MTDF), wrong_endgames::<StoresBoth>(MTDF, 4)];
    assert!(found.iter().all(|&wrong| wrong >= 5), "{found:?} wrong");
}

/// A position recurs at another depth after both sides move back and forth: from depth 5 on, and
/// rarely in openings.
#[test]
fn mutant_accepting_deeper_entries_is_caught_by_endgames() {
    let pvs = Driver::Pvs { window: 0, below: 0 };
    assert_eq!([wrong_endgames::<Sound>(MTDF, 7), wrong_endgames::<Sound>(pvs, 7)], [0, 0]);
    let found = [wrong_endgames::<AcceptsDeeper>(MTDF, 7), wrong_endgames::<AcceptsDeeper>(pvs, 7)];
    println!("{found:?}");
    assert!(found.iter().all(|&wrong| wrong >= 2), "{found:?} wrong");
}

#[test]
fn mutant_ignoring_the_depth_is_caught() {
    let found = [wrong_graphs::<IgnoresDepth>(MTDF), wrong_graphs::<IgnoresDepth>(Driver::Sss)];
    assert!(found.iter().all(|&wrong| wrong >= 40), "{found:?} of 400 wrong");
}

#[test]
fn mutant_swapping_the_bounds_is_caught() {
    let found = [wrong_graphs::<SwapsBounds>(MTDF), wrong_endgames::<SwapsBounds>(MTDF, 4)];
    assert!(found.iter().all(|&wrong| wrong >= 10), "{found:?} wrong");
}

#[test]
fn mutant_with_a_wrong_fail_soft_bound_is_caught() {
    let found = [wrong_graphs::<WrongFailSoft>(MTDF), wrong_endgames::<WrongFailSoft>(MTDF, 4)];
    assert!(found.iter().all(|&wrong| wrong >= 5), "{found:?} wrong");
}
