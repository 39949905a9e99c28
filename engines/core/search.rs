//! The one alpha-beta with memory that all drivers share.
//!
//! A node is searched with a window and answers with a fail-soft value `v` (Step numbers below):
//! `v <= alpha` is an upper bound, `v >= beta` a lower bound, anything between is exact. In
//! *exact* mode the value bounded is the minimax value of the tree of that depth, a function of
//! (position, depth) alone. In *selective* mode pruning, reductions, extensions
//! ([`Selectivity`]) and draws by repetition and fifty moves come in.
//!
//! **Node types.** Every node is expected to be on the principal variation, to be cut, or to need
//! all its moves ([`NodeKind`]). The type follows from the path alone: the root is expected PV
//! under every driver, the first move of a PV node leads to a PV node, its other moves to cut
//! nodes, and from there cut and all nodes alternate; which later moves are searched again as
//! expected PV is a parameter ([`ExpectedPv`]). Nothing depends on the width of the window, which
//! under MTD(f) is always null, so that null windows prune alike under every driver.

use crate::draws::Outcome;
use crate::edge::Edge;
use crate::expansions::Expansions;
use crate::game::{Game, Move};
use crate::limits::Meter;
use crate::memory::Memory;
use crate::ordering::{Context, OrderingOptions, Picked, Picker};
use crate::pruning::{Known, LeftOut, Settled};
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::{Entry, TableOptions};
use crate::tried::Tried;
use crate::value::{INFINITY, MATE_BOUND, Value};

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = 120;
/// Selective search goes no further from the root.
pub(crate) const MAX_PLY: usize = 240;
/// What a node is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// On the principal variation.
    Pv,
    /// One of its moves will fail high.
    Cut,
    /// All its moves will fail low.
    All,
}

impl NodeKind {
    /// The kind of the child that the move number `index` leads to.
    #[inline(always)]
    pub(crate) fn child(self, index: usize) -> NodeKind {
        match self {
            NodeKind::Pv if index == 0 => NodeKind::Pv,
            NodeKind::Pv | NodeKind::All => NodeKind::Cut,
            NodeKind::Cut => NodeKind::All,
        }
    }
}

/// How the tree is searched below the root, which follows from the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every move with the whole window.
    AlphaBeta,
    /// Null windows after the first move of an expected PV node, and a whole one for what raises
    /// alpha there, as in PVS.
    Pvs,
    /// As PVS, but what raises alpha is searched again from the value it returned, and not at all
    /// where that is exact (Reinefeld, 1983).
    NegaScout,
    /// Every move with an open window, nothing cut, no table.
    Minimax,
}

/// How the table may be used. The product knows only [`Sound`]; tests put unsound rules in its
/// place and demand that they are caught.
pub trait TableRules {
    /// The lower and the upper bound that a fail-soft value proves.
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value);

    /// True when bounds that were stored for one depth may stand for another.
    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool;
}

/// The rules that keep every value right: on failing low an upper bound, on failing high a lower
/// bound, both only inside the window; in exact mode entries count at exactly their depth.
pub struct Sound;

impl TableRules for Sound {
    #[inline(always)]
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        let lower = if value > alpha { value } else { -INFINITY };
        let upper = if value < beta { value } else { INFINITY };
        (lower, upper)
    }

    #[inline(always)]
    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        if exact { stored == wanted } else { stored >= wanted }
    }
}

/// What a search does beside plain alpha-beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the driver wants the tree searched.
    pub shape: Shape,
    /// Search captures at the leaves until the position is quiet.
    pub quiescence: bool,
    /// What selective search does.
    pub selective: Selectivity,
    /// Which memories order moves, in exact search too.
    pub ordering: OrderingOptions,
    /// What the table keeps, and what makes room.
    pub table: TableOptions,
    /// Depth from which the table's bounds of the children may cut a node; 0 is never.
    pub enhanced_cuts: i32,
    /// Search a node without a table move shallower first.
    pub internal_deepening: bool,
}

/// What was counted in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes with remaining depth.
    pub interior: u64,
    /// Nodes without.
    pub leaves: u64,
    /// Table: looked up.
    pub probes: u64,
    /// Table: found.
    pub hits: u64,
    /// Table: found and returned at once.
    pub cutoffs: u64,
}

/// A running search.
pub struct Search<'a, G: Game, R: TableRules = Sound> {
    pub(crate) game: &'a G,
    pub(crate) options: Options,
    pub(crate) memory: &'a mut Memory,
    pub(crate) meter: Meter<'a>,
    pub(crate) counts: Counts,
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
    rules: std::marker::PhantomData<R>,
}

impl<'a, G: Game, R: TableRules> Search<'a, G, R> {
    /// A search from the position whose predecessors' keys are in `memory.path`.
    pub fn new(game: &'a G, options: Options, memory: &'a mut Memory, meter: Meter<'a>) -> Self {
        let root = memory.path.len();
        let (counts, rules) = (Counts::default(), std::marker::PhantomData);
        Search {
            game,
            options,
            memory,
            meter,
            counts,
            seldepth: 0,
            root,
            barrier: 0,
            no_null_before: 0,
            expansions: None,
            rules,
        }
    }

    /// Counts a node whose moves were searched.
    #[inline]
    pub(crate) fn expanded(&mut self, key: u64, depth: i32) {
        if let Some(expansions) = &mut self.expansions {
            expansions.add(key, depth);
        }
    }

    /// Gives back what an aborted search left.
    pub(crate) fn unwind(&mut self) {
        self.memory.path.truncate(self.root);
        self.memory.arena.clear();
        self.barrier = 0;
        self.no_null_before = 0;
    }

    /// Searches a node below the root.
    pub(crate) fn node<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
        kind: NodeKind,
    ) -> Outcome {
        debug_assert!(alpha < beta && depth >= 0);
        // Step 1. Count the node and look at the limits.
        if !self.meter.tick() {
            return Outcome::ABORTED;
        }
        let game = self.game;
        if depth == 0 {
            self.counts.leaves += 1;
        } else {
            self.counts.interior += 1;
        }

        // Step 2. Draws, and the end of the line.
        let place = self.memory.path.len();
        let ply = place - self.root;
        self.seldepth = self.seldepth.max(ply);
        let key = game.key(position);
        if !EXACT {
            if let Some(outcome) = self.drawn(position, key, place) {
                return outcome;
            }
            if ply >= MAX_PLY {
                return Outcome::clean(game.static_value(position));
            }
        }
        if depth == 0 {
            return Outcome::clean(self.leaf::<EXACT>(position, alpha, beta, ply));
        }
        let excluded = if EXACT { Move::NONE } else { self.memory.frame(ply).excluded };

        // Step 3. The table: bounds that settle the window, or at least a move.
        let mut table_move = Move::NONE;
        let mut stored = None;
        if !self.memory.table.is_off() {
            self.counts.probes += 1;
            if let Some(entry) = self.memory.table.probe(key, depth) {
                self.counts.hits += 1;
                if R::is_usable(EXACT, entry.depth, depth)
                    && (EXACT || self.may_cut(position, depth, kind, excluded, &entry))
                {
                    if let Some(value) = settled(&entry, alpha, beta) {
                        self.counts.cutoffs += 1;
                        return Outcome::clean(value);
                    }
                }
                if game.is_legal(position, entry.mv) {
                    table_move = entry.mv;
                    stored = Some(entry);
                }
            }
        }

        if self.options.internal_deepening && table_move.is_none() && excluded.is_none() {
            table_move = self.deepen_internally::<EXACT>(position, depth, alpha, beta, kind);
            if self.meter.stopped() {
                return Outcome::ABORTED;
            }
        }
        let from = self.options.enhanced_cuts;
        if from > 0 && depth >= from && excluded.is_none() {
            if let Some((mv, value)) = self.cut_by_children::<EXACT>(position, depth, beta, kind) {
                let entry =
                    Entry { lower: value, upper: INFINITY, depth, mv, pv: kind == NodeKind::Pv };
                self.memory.table.store(key, entry);
                return Outcome::clean(value);
            }
        }
        self.memory.path.push(key);

        // Step 4. What the static value settles, before any move.
        let forced = game.is_forced(position);
        let mut known = Known { static_value: 0, estimate: 0, improving: false, forced };
        let mut depth = depth;
        if !EXACT {
            known = self.assess(position, ply, forced, stored.as_ref());
            if kind != NodeKind::Pv && excluded.is_none() && !forced {
                if let Some(settled) = self.settle(position, depth, (alpha, beta), kind, &known) {
                    self.memory.path.pop();
                    if self.meter.stopped() {
                        return Outcome::ABORTED;
                    }
                    if let Settled::ByNullMove(outcome) = settled {
                        let (lower, upper) = (outcome.value, INFINITY);
                        let entry = Entry { lower, upper, depth, mv: Move::NONE, pv: false };
                        self.store(key, place, entry, outcome);
                    }
                    return settled.outcome().above(place);
                }
            }
            let from = self.options.selective.internal_reduction;
            // A node of depth 1 is left as it is: its moves are searched by quiescence already.
            if from > 0 && depth >= from.max(2) && table_move.is_none() && kind != NodeKind::All {
                depth -= 1;
            }
        }

        // Step 5. Is the table's move singular? Nothing of an exclusion search is stored.
        let mut singular = false;
        if !EXACT && excluded.is_none() {
            if let Some(bound) = stored.and_then(|entry| self.singular_bound(&entry, depth)) {
                self.memory.path.pop();
                self.memory.frame(ply).excluded = table_move;
                let half = (depth - 1) / 2;
                let others = self.node::<EXACT>(position, half, bound - 1, bound, kind);
                self.memory.frame(ply).excluded = Move::NONE;
                if self.meter.stopped() {
                    return Outcome::ABORTED;
                }
                self.memory.path.push(key);
                singular = others.value < bound;
            }
        }

        // Step 6. The moves, best first.
        let context = self.memory.context(ply);
        let mut picker: Picker<G> = Picker::new(table_move, context, &self.memory.arena);
        let mut best = Outcome::NOTHING;
        let mut best_move = Move::NONE;
        let mut low = alpha;
        let mut index = 0;
        let mut tried = Tried::default();
        let Memory { ordering, arena, .. } = &mut *self.memory;
        let mut next = picker.next(game, position, ordering, arena);
        while let Some(picked) = next {
            let mut searched = picked.mv != excluded;
            if !EXACT && searched && index > 0 && kind != NodeKind::Pv && best.value > -MATE_BOUND {
                let node = (depth, alpha, tried.quiets);
                match self.left_out(position, &picked, node, &known) {
                    LeftOut::Nothing => {}
                    LeftOut::ThisMove(at_most) => {
                        searched = false;
                        best.value = best.value.max(at_most);
                    }
                    LeftOut::QuietMoves(at_most) => {
                        searched = false;
                        best.value = best.value.max(at_most);
                        if self.options.selective.spare_checks {
                            picker.stop_sorting();
                        } else {
                            picker.skip_quiets();
                        }
                    }
                }
            }
            if searched {
                self.memory.frame(ply).slot = game.slot(position, picked.mv);
                let child = game.make(position, picked.mv);
                self.memory.table.prefetch(game.key(&child));
                let edge = Edge {
                    depth,
                    alpha: low,
                    beta,
                    kind,
                    index,
                    reducible: picked.quiet || picked.losing,
                    history: if picked.quiet { picked.history() } else { 0 },
                    forced,
                    improving: known.improving,
                    singular: singular && picked.mv == table_move,
                };
                let outcome = self.edge::<EXACT>(&child, edge);
                if self.meter.stopped() {
                    return Outcome::ABORTED;
                }
                index += 1;
                if outcome.value >= beta {
                    best = outcome;
                    best_move = picked.mv;
                    self.learn(position, &picked, &tried, &context, depth);
                    break;
                }
                if outcome.value > best.value {
                    best_move = picked.mv;
                    low = low.max(outcome.value);
                }
                best.join(outcome);
                tried.push(picked.mv, picked.quiet);
            }
            let Memory { ordering, arena, .. } = &mut *self.memory;
            next = picker.next(game, position, ordering, arena);
        }
        picker.release(&mut self.memory.arena);
        self.memory.path.pop();

        if EXACT && index > 0 {
            self.expanded(key, depth);
        }

        // Step 7. No move at all: the game is over here, or the excluded move was the only one.
        if index == 0 {
            let value = if excluded.is_none() { game.terminal_value(position) } else { alpha };
            return Outcome::clean(value);
        }

        // Step 8. Keep what was proved. After failing low no move is better than another, and
        // the one that once was best stays.
        if excluded.is_none() {
            let kept =
                if best.value <= alpha && !table_move.is_none() { table_move } else { best_move };
            let (lower, upper) = R::bounds(best.value, alpha, beta);
            let pv = kind == NodeKind::Pv;
            self.store(key, place, Entry { lower, upper, depth, mv: kept, pv }, best);
        }
        best.above(place)
    }

    /// True when a stored bound may answer for a node of selective search.
    #[inline(always)]
    fn may_cut(
        &self,
        position: &G::Position,
        depth: i32,
        kind: NodeKind,
        excluded: Move,
        entry: &Entry,
    ) -> bool {
        // What is searched again as expected PV was stored a moment ago as another kind.
        let again = kind == NodeKind::Pv
            && !entry.pv
            && matches!(self.options.selective.expected_pv, ExpectedPv::Raised | ExpectedPv::Root);
        excluded.is_none() && !again && self.is_far_from_limit(position, depth)
    }

    /// Rewards the move that cut and punishes those that were tried before it.
    #[inline]
    fn learn(
        &mut self,
        position: &G::Position,
        cut: &Picked,
        tried: &Tried,
        at: &Context,
        depth: i32,
    ) {
        let (game, ordering) = (self.game, &mut self.memory.ordering);
        let slot = game.slot(position, cut.mv);
        if cut.quiet {
            ordering.reward(at, cut.mv, game.history_slot(position, cut.mv), slot, depth);
            for &other in tried.moves(true) {
                let (history, slot) =
                    (game.history_slot(position, other), game.slot(position, other));
                ordering.punish(at, history, slot, depth);
            }
        } else {
            ordering.change_capture(slot, game.victim(position, cut.mv), depth, true);
        }
        for &other in tried.moves(false) {
            let slot = game.slot(position, other);
            ordering.change_capture(slot, game.victim(position, other), depth, false);
        }
    }

    /// Stores bounds that hold on every path; of others only the move. `outcome` is what they rest
    /// on, at the node at `place`.
    #[inline]
    pub(crate) fn store(&mut self, key: u64, place: usize, entry: Entry, outcome: Outcome) {
        if outcome.holds_at(place) {
            self.memory.table.store(key, entry);
        } else if !entry.mv.is_none() {
            self.store_move(key, entry.mv, entry.pv);
        }
    }

    /// Stores a move without any bound.
    pub(crate) fn store_move(&mut self, key: u64, mv: Move, pv: bool) {
        let (lower, upper) = (-INFINITY, INFINITY);
        self.memory.table.store(key, Entry { lower, upper, depth: 0, mv, pv });
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

/// The stored bound that answers for the whole window, if there is one.
#[inline(always)]
pub(crate) fn settled(entry: &Entry, alpha: Value, beta: Value) -> Option<Value> {
    if entry.lower >= beta || entry.lower == entry.upper {
        Some(entry.lower)
    } else if entry.upper <= alpha {
        Some(entry.upper)
    } else {
        None
    }
}
