//! The one alpha-beta with memory that all drivers share.
//!
//! A node is searched with a window and answers with a fail-soft value `v`: `v <= alpha` is an
//! upper bound, `v >= beta` a lower bound, anything between is exact. In *exact* mode the value
//! bounded is the minimax value of the tree of that depth, a function of (position, depth) alone.
//! In *selective* mode pruning, reductions, extensions ([`Selectivity`]) and draws by repetition and
//! fifty moves come in.
//!
//! **Node types.** Every node is expected to be on the principal variation, to be cut, or to need
//! all its moves ([`NodeKind`]). The type follows from the path alone: the root is expected PV
//! under every driver, the first move of a PV node leads to a PV node, its other moves to cut
//! nodes, and from there cut and all nodes alternate; which later moves are searched again as
//! expected PV is a parameter ([`ExpectedPv`]). Nothing depends on the width of the window, which
//! under MTD(f) is always null, so that null windows prune alike under every driver.
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

/// A move as threads see it that share a search.
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

    /// Says that this thread searches it.
    pub(crate) fn begin(self) {
        self.busy.begin(self.hash);
    }

    /// Says that it is searched.
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
    /// Place of the root on the path.
    pub(crate) root: usize,
    /// Repetitions reach back to this place: the last null move.
    pub(crate) barrier: usize,
    /// No null move above this ply: a verification is running.
    pub(crate) no_null_before: usize,
    /// Counted only where it is asked for, and in exact search only.
    pub(crate) expansions: Option<Expansions>,
    /// The moves that other threads are searching, where those are deferred.
    pub(crate) busy: Option<&'a Busy>,
    rules: std::marker::PhantomData<R>,
}

impl<'a, G: Game, R: TableRules> Search<'a, G, R> {
    /// A search from the position whose predecessors' keys are in `memory.path`.
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

    /// The static value of a position, worked out only where the cache does not know it.
    #[inline]
    pub(crate) fn static_value(&mut self, position: &G::Position, key: u64) -> Value {
        let game = self.game;
        self.memory.static_values.get(key, || game.static_value(position))
    }

    /// Fetches what a node with this key asks of the table and of the static values.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
        self.memory.static_values.prefetch(key);
    }

    /// Counts a node whose moves were searched.
    #[inline]
    pub(crate) fn expanded(&mut self, key: u64, depth: i32) {
        if let Some(expansions) = &mut self.expansions {
            expansions.add(key, depth);
        }
    }

    /// The hash of a move of a node under which threads see who is searching it; none where no move
    /// is deferred.
    #[inline(always)]
    pub(crate) fn claim(&self, key: u64, mv: Move, depth: i32) -> Option<Claim<'a>> {
        let busy = self.busy.filter(|_| depth >= LEAST_DEPTH)?;
        Some(Claim { busy, hash: Busy::hash(key, mv, depth) })
    }

    /// Gives back what an aborted search left.
    pub(crate) fn unwind(&mut self) {
        self.memory.path.truncate(self.root);
        self.memory.arena.clear();
        self.barrier = 0;
        self.no_null_before = 0;
    }

    /// Stores bounds that hold on every path; of others only the move. `outcome` is what they rest
    /// on, at the node at `place`.
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

    /// Stores what a pass at the root proved.
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
