//! Selective search near the end of games: nothing is pruned, whatever passes cost.

use super::support::{OPTIONS, drivers};
use crate::game::{Game, Merit, Move};
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::oracle::minimax;
use crate::player::Player;
use crate::selective::Selectivity;
use crate::table::TableSize;
use crate::value::Value;

/// A random tree that ends after a number of plies; some nodes have only a pass.
#[derive(Clone, Copy)]
struct Passing {
    seed: u64,
}

/// A node of the tree.
#[derive(Clone, Copy)]
struct Node {
    hash: u64,
    left: u32,
    /// Whether the last move was a pass; there are never two in a row.
    passed: bool,
}

impl Passing {
    fn random(&self, node: &Node, purpose: u64) -> u64 {
        let mut z = self.seed ^ node.hash ^ (purpose << 48);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn must_pass(&self, node: &Node) -> bool {
        node.left > 0 && !node.passed && self.random(node, 1) % 3 == 0
    }

    fn count(&self, node: &Node) -> u64 {
        match node.left {
            0 => 0,
            _ if self.must_pass(node) => 1,
            _ => 2 + self.random(node, 2) % 4,
        }
    }
}

impl Game for Passing {
    type Position = Node;
    type Targets = ();
    type Forcing = ();

    const HISTORY_SLOTS: usize = 8;
    const SLOTS: usize = 8;

    fn key(&self, node: &Node) -> u64 {
        self.random(node, 3 + u64::from(node.left) + (u64::from(node.passed) << 8))
    }

    fn make(&self, node: &Node, mv: Move) -> Node {
        let hash = self.random(node, 1_000 + u64::from(mv.0)) % 500;
        let passed = self.must_pass(node);
        Node { hash, left: node.left - u32::from(!passed), passed }
    }

    fn is_legal(&self, node: &Node, mv: Move) -> bool {
        !mv.is_none() && u64::from(mv.0) <= self.count(node)
    }

    fn has_move(&self, node: &Node) -> bool {
        node.left > 0
    }

    fn terminal_value(&self, node: &Node) -> Value {
        (self.random(node, 4) % 401) as Value - 200
    }

    fn static_value(&self, node: &Node) -> Value {
        (self.random(node, 5) % 1_201) as Value - 600
    }

    fn targets(&self, _: &Node) {}

    fn tactical(&self, _: &Node, (): &(), _: impl FnMut(Move, Merit)) {}

    fn quiets(&self, node: &Node, (): &(), mut each: impl FnMut(Move, usize)) {
        (1..=self.count(node) as u16).for_each(|code| each(Move(code), usize::from(code)));
    }

    fn is_quiet(&self, _: &Node, _: Move) -> bool {
        true
    }

    fn exchange_at_least(&self, node: &Node, mv: Move, least: Value) -> bool {
        least <= 0 && self.random(node, 6 + u64::from(mv.0)) % 2 == 0
    }

    fn forcing(&self, _: &Node) {}

    fn forces(&self, node: &Node, (): &(), mv: Move) -> bool {
        self.is_forced(&self.make(node, mv))
    }

    fn deviation(&self, _: &Node, _: i32, _: i32) -> Option<Value> {
        Some(40)
    }

    fn gain(&self, _: &Node, _: Move) -> Value {
        0
    }

    fn victim(&self, _: &Node, _: Move) -> usize {
        0
    }

    fn history_slot(&self, _: &Node, mv: Move) -> usize {
        usize::from(mv.0)
    }

    fn slot(&self, _: &Node, mv: Move) -> usize {
        usize::from(mv.0)
    }

    fn is_forced(&self, node: &Node) -> bool {
        node.left == 0
    }

    fn captures(&self, _: &Node, _: impl FnMut(Move, Merit)) {}

    fn loud(&self, _: &Node, _: impl FnMut(Move, Merit)) {}

    fn null_move(&self, node: &Node) -> Option<Node> {
        (!node.passed).then_some(Node { passed: true, ..*node })
    }

    fn reversible_plies(&self, _: &Node) -> u32 {
        0
    }

    fn is_dead_draw(&self, _: &Node) -> bool {
        false
    }

    fn plies_left(&self, node: &Node) -> u32 {
        node.left
    }
}

/// The value of the last iteration, and its depth.
fn selective(game: Passing, start: Node, depth: u32, options: Options) -> Vec<(Value, i32)> {
    let found = drivers().into_iter().map(|driver| {
        let mut player = Player::new(game, driver, options, TableSize::Entries(1 << 10), start);
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        let report = player.search_alone(&Request { limits, ..Request::default() });
        (report.value, report.depth)
    });
    found.collect()
}

#[test]
fn search_that_reaches_the_end_prunes_nothing() {
    let reducing = Selectivity {
        fail_high_reduction: 2,
        cut_reduction: 2,
        probcut: 50,
        ..Selectivity::EVERYTHING
    };
    let more =
        Options { selective: reducing, enhanced_cuts: 1, internal_deepening: true, ..OPTIONS };
    let mut wrong_before = 0;
    for seed in 0..60 {
        let (game, left) = (Passing { seed }, 6);
        let start = Node { hash: seed, left, passed: false };
        // Passes take plies of the oracle's depth, at most one for each other move.
        let value = minimax(&game, &start, 2 * left + 1, true);
        for options in [OPTIONS, more] {
            for found in selective(game, start, left + 9, options) {
                assert_eq!(found, (value, left as i32), "{seed}");
            }
            let shallower = selective(game, start, left - 1, options);
            wrong_before += shallower.iter().filter(|found| found.0 != value).count();
        }
    }
    assert!(wrong_before > 1_000, "{wrong_before}");
}
