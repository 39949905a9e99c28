//! A synthetic game for tests: a random graph of nodes with few values and many transpositions.
//!
//! A child is a hash of its parent and the move, modulo `nodes`, so a node occurs at many remaining
//! depths, as in endgames. Some nodes have no moves.

use crate::game::{Game, Merit, Move};
use crate::value::Value;

/// A random graph.
#[derive(Clone, Copy, Debug)]
pub struct RandomTree {
    /// The seed of the graph.
    pub seed: u64,
    /// The number of nodes.
    pub nodes: u64,
    /// The most moves of a node.
    pub width: u64,
    /// Values lie in -range..=range.
    pub range: u64,
}

impl RandomTree {
    fn random(&self, node: u64, purpose: u64) -> u64 {
        let mut z = self.seed ^ node.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ purpose << 56;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn move_count(&self, node: u64) -> u64 {
        if self.random(node, 1) % 16 == 0 { 0 } else { 1 + self.random(node, 2) % self.width }
    }

    fn value(&self, node: u64) -> Value {
        (self.random(node, 3) % (2 * self.range + 1)) as Value - self.range as Value
    }
}

impl Game for RandomTree {
    type Position = u64;
    type Targets = u64;
    type Forcing = ();

    const HISTORY_SLOTS: usize = 64;
    const SLOTS: usize = 64;

    fn key(&self, node: &u64) -> u64 {
        self.random(*node, 4)
    }

    fn make(&self, node: &u64, mv: Move) -> u64 {
        self.random(*node, 8 + u64::from(mv.0)) % self.nodes
    }

    fn is_legal(&self, node: &u64, mv: Move) -> bool {
        !mv.is_none() && u64::from(mv.0) <= self.move_count(*node)
    }

    fn has_move(&self, node: &u64) -> bool {
        self.move_count(*node) > 0
    }

    fn terminal_value(&self, node: &u64) -> Value {
        self.value(*node)
    }

    fn static_value(&self, node: &u64) -> Value {
        self.value(*node)
    }

    fn targets(&self, node: &u64) -> u64 {
        self.move_count(*node)
    }

    fn tactical(&self, _: &u64, _: &u64, _: impl FnMut(Move, Merit)) {}

    fn quiets(&self, node: &u64, targets: &u64, mut each: impl FnMut(Move, usize)) {
        (1..=*targets).map(|i| Move(i as u16)).for_each(|mv| each(mv, self.slot(node, mv)));
    }

    fn is_quiet(&self, _: &u64, _: Move) -> bool {
        true
    }

    fn exchange_at_least(&self, _: &u64, _: Move, _: Value) -> bool {
        true
    }

    fn forcing(&self, _: &u64) {}

    fn forces(&self, _: &u64, (): &(), _: Move) -> bool {
        false
    }

    fn gain(&self, _: &u64, _: Move) -> Value {
        0
    }

    fn victim(&self, _: &u64, _: Move) -> usize {
        0
    }

    fn slot(&self, _: &u64, mv: Move) -> usize {
        usize::from(mv.0) % Self::SLOTS
    }

    fn history_slot(&self, _: &u64, mv: Move) -> usize {
        usize::from(mv.0) % Self::HISTORY_SLOTS
    }

    fn is_forced(&self, _: &u64) -> bool {
        false
    }

    fn captures(&self, _: &u64, _: impl FnMut(Move, Merit)) {}

    fn loud(&self, _: &u64, _: impl FnMut(Move, Merit)) {}

    fn null_move(&self, _: &u64) -> Option<u64> {
        None
    }

    fn reversible_plies(&self, _: &u64) -> u32 {
        0
    }

    fn is_dead_draw(&self, _: &u64) -> bool {
        false
    }
}
