//! The one alpha-beta with memory that all drivers share.
//!
//! A node is searched with a window and answers with a fail-soft value `v` (Step numbers below):
//! `v <= alpha` is an upper bound, `v >= beta` a lower bound, anything between is exact. In
//! *exact* mode the value bounded is the minimax value of the tree of that depth, a function of
//! (position, depth) alone. In *selective* mode null moves, reductions, extensions and draws by
//! repetition and fifty moves come in.
//!
//! **Node types.** Every node is expected to be on the principal variation, to be cut, or to need
//! all its moves ([`NodeKind`]). The type follows from the path alone: the root is expected PV
//! under every driver, the first move of a PV node leads to a PV node, its other moves to cut
//! nodes, and from there cut and all nodes alternate; a PVS re-search after a scout failed high
//! is PV again. Nothing depends on the width of the window, which under MTD(f) is always null,
//! so that all drivers prune alike.

use crate::draws::Outcome;
use crate::game::{Game, Move};
use crate::limits::Meter;
use crate::ordering::{Arena, Ordering, Picker};
use crate::table::{Entry, Table};
use crate::value::{INFINITY, Value, back_up, child_alpha, child_beta, is_mate};

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = 120;
/// Selective search goes no further from the root.
const MAX_PLY: usize = 240;
/// Moves from this number on are late: quiet ones are reduced, those that check not extended.
const LATE: usize = 3;
/// At most so many quiet moves are punished when a later one cuts.
const TRIED: usize = 24;

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
    fn child(self, index: usize) -> NodeKind {
        match self {
            NodeKind::Pv if index == 0 => NodeKind::Pv,
            NodeKind::Pv | NodeKind::All => NodeKind::Cut,
            NodeKind::Cut => NodeKind::All,
        }
    }
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
    /// Null windows after the first move of an expected PV node, as in PVS.
    pub scout: bool,
    /// Search captures at the leaves until the position is quiet.
    pub quiescence: bool,
    /// Selective: skip a move to prove a cut, searched shallower by so many plies.
    pub null_move: Option<i32>,
    /// Selective: search late quiet moves shallower.
    pub late_move_reductions: bool,
    /// Selective: search one ply deeper when a move is forced.
    pub check_extension: bool,
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

/// What a search keeps from one call to the next.
pub struct Memory {
    /// The transposition table.
    pub table: Table,
    /// Killers and histories.
    pub ordering: Ordering,
    /// Keys from the last irreversible move of the game to the current node.
    pub path: Vec<u64>,
    pub(crate) arena: Arena,
}

/// A move from a node to its child, as the child's search needs it.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// Remaining depth of the parent.
    pub(crate) depth: i32,
    /// The parent's window.
    pub(crate) alpha: Value,
    pub(crate) beta: Value,
    /// The parent's kind.
    pub(crate) kind: NodeKind,
    /// Number of the move, from 0.
    pub(crate) index: usize,
    pub(crate) quiet: bool,
    /// True when the parent had no free choice.
    pub(crate) forced: bool,
}

/// A running search.
pub struct Search<'a, G: Game, R: TableRules = Sound> {
    pub(crate) game: &'a G,
    pub(crate) options: Options,
    pub(crate) memory: &'a mut Memory,
    pub(crate) meter: Meter<'a>,
    pub(crate) counts: Counts,
    /// Place of the root on the path.
    root: usize,
    /// Repetitions reach back to this place: the last null move.
    pub(crate) barrier: usize,
    rules: std::marker::PhantomData<R>,
}

impl<'a, G: Game, R: TableRules> Search<'a, G, R> {
    /// A search from the position whose predecessors' keys are in `memory.path`.
    pub fn new(game: &'a G, options: Options, memory: &'a mut Memory, meter: Meter<'a>) -> Self {
        let root = memory.path.len();
        let (counts, rules) = (Counts::default(), std::marker::PhantomData);
        Search { game, options, memory, meter, counts, root, barrier: 0, rules }
    }

    /// Gives back what an aborted search left.
    pub(crate) fn unwind(&mut self) {
        self.memory.path.truncate(self.root);
        self.memory.arena.clear();
        self.barrier = 0;
    }

    /// The value of a move for its parent, by searching the child it leads to.
    #[inline]
    pub(crate) fn edge<const EXACT: bool>(&mut self, child: &G::Position, edge: Edge) -> Outcome {
        let late = edge.index >= LATE && edge.quiet && !edge.forced;
        let checks = !EXACT && self.game.is_forced(child);
        // Early moves that force the other side are extended; late ones are at least not reduced.
        let extended = checks && !late && self.options.check_extension;
        let depth = edge.depth - 1 + i32::from(extended);
        let kind = edge.kind.child(edge.index);
        let scouts = self.options.scout && edge.kind == NodeKind::Pv && edge.index > 0;
        let beta = if scouts { edge.alpha + 1 } else { edge.beta };

        // A late quiet move is first searched shallower, and in full when that fails high.
        if !EXACT && late && !checks && self.options.late_move_reductions {
            let reduction = reduction(&edge).min(depth);
            if reduction > 0 {
                let outcome = self.visit::<EXACT>(child, depth - reduction, edge.alpha, beta, kind);
                if self.meter.stopped() || outcome.value <= edge.alpha {
                    return outcome;
                }
            }
        }
        let outcome = self.visit::<EXACT>(child, depth, edge.alpha, beta, kind);
        let inside = edge.alpha < outcome.value && outcome.value < edge.beta;
        if scouts && inside && !self.meter.stopped() {
            return self.visit::<EXACT>(child, depth, edge.alpha, edge.beta, NodeKind::Pv);
        }
        outcome
    }

    /// Searches a child with its parent's window and answers from its parent's view.
    #[inline]
    fn visit<const EXACT: bool>(
        &mut self,
        child: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
        kind: NodeKind,
    ) -> Outcome {
        let (alpha, beta) = (child_alpha(beta), child_beta(alpha));
        let outcome = self.node::<EXACT>(child, depth, alpha, beta, kind, false);
        outcome.with_value(back_up(outcome.value))
    }

    /// Searches a node below the root.
    fn node<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
        kind: NodeKind,
        after_null: bool,
    ) -> Outcome {
        debug_assert!(alpha < beta && depth >= 0);
        // Step 1. Count the node and look at the limits.
        if !self.meter.tick() {
            return Outcome::ABORTED;
        }
        let game = self.game;
        let forced = game.is_forced(position);
        if depth == 0 {
            self.counts.leaves += 1;
        } else {
            self.counts.interior += 1;
        }

        // Step 2. Draws, and the end of the line.
        let place = self.memory.path.len();
        let key = game.key(position);
        if !EXACT {
            if let Some(outcome) = self.drawn(position, key, place) {
                return outcome;
            }
            if place - self.root >= MAX_PLY {
                return Outcome::clean(game.static_value(position));
            }
        }
        if depth == 0 {
            return Outcome::clean(self.leaf::<EXACT>(position, alpha, beta));
        }

        // Step 3. The table: bounds that settle the window, or at least a move.
        let mut table_move = Move::NONE;
        if !self.memory.table.is_off() {
            self.counts.probes += 1;
            if let Some(entry) = self.memory.table.probe(key, depth) {
                self.counts.hits += 1;
                if R::is_usable(EXACT, entry.depth, depth)
                    && (EXACT || self.is_far_from_limit(position, depth))
                {
                    if let Some(value) = settled(&entry, alpha, beta) {
                        self.counts.cutoffs += 1;
                        return Outcome::clean(value);
                    }
                }
                if game.is_legal(position, entry.mv) {
                    table_move = entry.mv;
                }
            }
        }

        self.memory.path.push(key);

        // Step 4. Null move: when even passing fails high, a move will.
        if !EXACT && kind != NodeKind::Pv && !after_null && !forced && depth >= 2 {
            if let Some(outcome) = self.null_move(position, depth, beta, kind) {
                self.memory.path.pop();
                if self.meter.stopped() {
                    return Outcome::ABORTED;
                }
                let bounds = (outcome.value, INFINITY);
                self.store(key, place, depth, Move::NONE, bounds, outcome);
                return outcome.above(place);
            }
        }

        // Step 5. The moves, best first.
        let ply = place - self.root;
        let mut picker: Picker<G> = Picker::new(table_move, &self.memory.arena);
        let mut best = Outcome::NOTHING;
        let mut best_move = Move::NONE;
        let mut low = alpha;
        let mut index = 0;
        let mut tried = [Move::NONE; TRIED];
        let mut quiets = 0;
        let Memory { ordering, arena, .. } = &mut *self.memory;
        let mut next = picker.next(game, position, ordering, ply, arena);
        while let Some(picked) = next {
            let child = game.make(position, picked.mv);
            let quiet = picked.quiet;
            let edge = Edge { depth, alpha: low, beta, kind, index, quiet, forced };
            let outcome = self.edge::<EXACT>(&child, edge);
            if self.meter.stopped() {
                return Outcome::ABORTED;
            }
            index += 1;
            if outcome.value >= beta {
                best = outcome;
                best_move = picked.mv;
                if quiet {
                    self.learn(position, picked.mv, &tried[..quiets], ply, depth);
                }
                break;
            }
            if outcome.value > best.value {
                best_move = picked.mv;
                low = low.max(outcome.value);
            }
            best.join(outcome);
            if quiet && quiets < TRIED {
                tried[quiets] = picked.mv;
                quiets += 1;
            }
            let Memory { ordering, arena, .. } = &mut *self.memory;
            next = picker.next(game, position, ordering, ply, arena);
        }
        picker.release(&mut self.memory.arena);
        self.memory.path.pop();

        // Step 6. No move at all: the game is over here.
        if index == 0 {
            return Outcome::clean(game.terminal_value(position));
        }

        // Step 7. Keep what was proved. After failing low no move is better than another, and
        // the one that once was best stays.
        let kept =
            if best.value <= alpha && !table_move.is_none() { table_move } else { best_move };
        self.store(key, place, depth, kept, R::bounds(best.value, alpha, beta), best);
        best.above(place)
    }

    /// The value of passing when that fails high, else `None`. Answers also when stopped.
    fn null_move(
        &mut self,
        position: &G::Position,
        depth: i32,
        beta: Value,
        kind: NodeKind,
    ) -> Option<Outcome> {
        let reduction = self.options.null_move?;
        if is_mate(beta) || self.game.static_value(position) < beta {
            return None;
        }
        let passed = self.game.null_move(position)?;
        let barrier = std::mem::replace(&mut self.barrier, self.memory.path.len());
        let depth = (depth - 1 - reduction).max(0);
        let (low, high) = (child_alpha(beta), child_beta(beta - 1));
        let outcome = self.node::<false>(&passed, depth, low, high, kind.child(1), true);
        self.barrier = barrier;
        let value = back_up(outcome.value);
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        // A mate that is found by passing proves no mate.
        let value = if is_mate(value) { value.clamp(beta - 1, beta) } else { value };
        (value >= beta).then_some(outcome.with_value(value))
    }

    /// Rewards the quiet move that cut and punishes those that were tried before it.
    #[inline]
    fn learn(&mut self, position: &G::Position, mv: Move, tried: &[Move], ply: usize, depth: i32) {
        let ordering = &mut self.memory.ordering;
        ordering.reward(self.game.history_slot(position, mv), mv, ply, depth);
        for &other in tried {
            ordering.punish(self.game.history_slot(position, other), depth);
        }
    }

    /// Stores bounds that hold on every path; of others only the move.
    #[inline]
    pub(crate) fn store(
        &mut self,
        key: u64,
        place: usize,
        depth: i32,
        mv: Move,
        bounds: (Value, Value),
        outcome: Outcome,
    ) {
        let (lower, upper) = bounds;
        if outcome.holds_at(place) {
            self.memory.table.store(key, Entry { lower, upper, depth, mv });
        } else if !mv.is_none() {
            let entry = Entry { lower: -INFINITY, upper: INFINITY, depth: 0, mv };
            self.memory.table.store(key, entry);
        }
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
        let bounds = R::bounds(outcome.value, window.0, window.1);
        self.store(key, self.root, depth, mv, bounds, outcome);
    }
}

/// Plies by which a late quiet move is searched shallower.
#[inline]
fn reduction(edge: &Edge) -> i32 {
    if edge.depth < 3 {
        return 0;
    }
    let later = i32::from(edge.index >= 6) + i32::from(edge.index >= 12 && edge.depth >= 6);
    1 + later - i32::from(edge.kind == NodeKind::Pv)
}

/// The stored bound that answers for the whole window, if there is one.
#[inline(always)]
fn settled(entry: &Entry, alpha: Value, beta: Value) -> Option<Value> {
    if entry.lower >= beta || entry.lower == entry.upper {
        Some(entry.lower)
    } else if entry.upper <= alpha {
        Some(entry.upper)
    } else {
        None
    }
}
