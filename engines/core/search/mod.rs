//! The one alpha-beta with memory that all drivers share.
//!
//! A node is searched with a window and returns a fail-soft value `v`: `v <= alpha` is an upper
//! bound, `v >= beta` a lower bound, anything between is exact. *Exact* mode bounds the minimax
//! value of the tree of that depth, a function of (position, depth) alone. *Selective* mode adds
//! pruning, reductions, extensions ([`Selectivity`]) and draws by repetition and fifty moves.
//!
//! **Node types.** Every node is an expected PV, cut or all node ([`NodeKind`]). The type follows
//! from the path alone: the root is expected PV under every driver, the first move of a PV node
//! leads to a PV node, its other moves to cut nodes, and below them cut and all nodes alternate.
//! Which later moves are searched again as expected PV is a parameter ([`ExpectedPv`]). Nothing
//! depends on the width of the window, which is always null under MTD(f), so null windows prune
//! alike under every driver.
//!
//! [`ExpectedPv`]: crate::selective::ExpectedPv
//! [`NodeKind`]: crate::node::NodeKind
//! [`Selectivity`]: crate::selective::Selectivity

pub mod draws;
mod edge;
mod enhancements;
mod minimax;
mod pruning;
mod quiescence;
pub mod root;
mod steps;

use crate::expansions::Expansions;
use crate::game::{Game, Move};
use crate::limits::Meter;
use crate::memory::Memory;
use crate::node::{Outcome, Sound, TableRules};
use crate::options::Options;
use crate::parallel::{Busy, LEAST_DEPTH};
use crate::table::{Entry, Table};
use crate::value::{INFINITY, Value};

/// A move, for threads that share a search.
#[derive(Clone, Copy)]
pub(crate) struct Claim<'a> {
    busy: &'a Busy,
    hash: u64,
}

impl Claim<'_> {
    /// True while another thread searches it.
    pub(crate) fn is_taken(self) -> bool {
        self.busy.has(self.hash)
    }

    /// Marks it as under search by this thread.
    pub(crate) fn begin(self) {
        self.busy.begin(self.hash);
    }

    /// Removes the mark.
    pub(crate) fn end(self) {
        self.busy.end(self.hash);
    }
}

/// A running search.
pub struct Search<'a, G: Game, R: TableRules = Sound> {
    pub(crate) game: &'a G,
    pub(crate) options: Options,
    /// The transposition table, which other threads may share.
    pub(crate) table: &'a Table,
    pub(crate) memory: &'a mut Memory,
    pub(crate) meter: Meter<'a>,
    /// The greatest distance from the root of a node of the iteration.
    pub(crate) seldepth: usize,
    /// Index of the root on the path.
    pub(crate) root: usize,
    /// Repetitions reach back to this index: the last null move.
    pub(crate) barrier: usize,
    /// No null move above this ply: a verification is running.
    pub(crate) no_null_before: usize,
    /// Counted on request, in exact search only.
    pub(crate) expansions: Option<Expansions>,
    /// The moves that other threads are searching, if these are deferred.
    pub(crate) busy: Option<&'a Busy>,
    rules: std::marker::PhantomData<R>,
}

impl<'a, G: Game, R: TableRules> Search<'a, G, R> {
    /// A search from a position; `memory.path` has the keys of its predecessors.
    pub fn new(
        game: &'a G,
        options: Options,
        table: &'a Table,
        memory: &'a mut Memory,
        meter: Meter<'a>,
    ) -> Self {
        let root = memory.path.len();
        let rules = std::marker::PhantomData;
        Search {
            game,
            options,
            table,
            memory,
            meter,
            seldepth: 0,
            root,
            barrier: 0,
            no_null_before: 0,
            expansions: None,
            busy: None,
            rules,
        }
    }

    /// The static value of a position, cached.
    #[inline]
    pub(crate) fn static_value(&mut self, position: &G::Position, key: u64) -> Value {
        let game = self.game;
        self.memory.static_values.get(key, || game.static_value(position))
    }

    /// Prefetches the table and static-value slots of a key.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
        self.memory.static_values.prefetch(key);
    }

    /// Counts an expanded node.
    #[inline]
    pub(crate) fn expanded(&mut self, key: u64, depth: i32) {
        if let Some(expansions) = &mut self.expansions {
            expansions.add(key, depth);
        }
    }

    /// The hash of a move for [`Busy`]; none if no move is deferred.
    #[inline(always)]
    pub(crate) fn claim(&self, key: u64, mv: Move, depth: i32) -> Option<Claim<'a>> {
        let busy = self.busy.filter(|_| depth >= LEAST_DEPTH)?;
        Some(Claim { busy, hash: Busy::hash(key, mv, depth) })
    }

    /// Cleans up after an aborted search.
    pub(crate) fn unwind(&mut self) {
        self.memory.path.truncate(self.root);
        self.memory.arena.clear();
        self.barrier = 0;
        self.no_null_before = 0;
    }

    /// Stores bounds that hold on every path; of others, only the move. `outcome` has their taint,
    /// at the node at `place`.
    #[inline]
    pub(crate) fn store(&mut self, key: u64, place: usize, entry: Entry, outcome: Outcome) {
        if outcome.holds_at(place) {
            self.table.store(key, entry);
        } else if !entry.mv.is_none() {
            self.store_move(key, entry.mv, entry.pv);
        }
    }

    /// Stores a move without any bound.
    pub(crate) fn store_move(&mut self, key: u64, mv: Move, pv: bool) {
        let (lower, upper) = (-INFINITY, INFINITY);
        self.table.store(key, Entry { lower, upper, depth: 0, mv, pv });
    }

    /// Stores the bounds that a pass at the root proved.
    pub(crate) fn store_root(
        &mut self,
        key: u64,
        depth: i32,
        mv: Move,
        window: (Value, Value),
        outcome: Outcome,
    ) {
        let (lower, upper) = R::bounds(outcome.value, window.0, window.1);
        self.store(key, self.root, Entry { lower, upper, depth, mv, pv: true }, outcome);
    }
}
