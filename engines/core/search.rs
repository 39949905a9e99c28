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
//! under MTD(f) is always null, so that all drivers prune alike.

use crate::draws::Outcome;
use crate::game::{Game, Move};
use crate::limits::Meter;
use crate::ordering::{Arena, Context, HISTORY_BOUND, Ordering, OrderingOptions, Picked, Picker};
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::{Entry, Table};
use crate::value::{INFINITY, MATE_BOUND, Value, back_up, child_alpha, child_beta, is_mate};

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = 120;
/// Selective search goes no further from the root.
const MAX_PLY: usize = 240;
/// Moves from this number on are late: those that check are not extended.
const LATE: usize = 3;
/// At most so many moves are punished when a later one cuts.
const TRIED: usize = 32;
/// An exclusion search looks at this much less, in centipawns a ply, than the table move is worth.
const SINGULAR_MARGIN: Value = 2;
/// A stored bound this much shallower still tells whether a move may be singular.
const SINGULAR_STALENESS: i32 = 3;

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
    /// What selective search does.
    pub selective: Selectivity,
    /// Which memories order moves, in exact search too.
    pub ordering: OrderingOptions,
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

/// What a node of the current path shows to those below it.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The static value; `None` when a move is forced.
    pub(crate) static_value: Option<Value>,
    /// The slot of the move that is being searched; [`Game::SLOTS`] for a null move.
    pub(crate) slot: usize,
    /// The move that this node must do without.
    pub(crate) excluded: Move,
}

/// Frames before the root, so that every node has two predecessors.
const BEFORE_ROOT: usize = 2;

/// What a search keeps from one call to the next.
pub struct Memory {
    /// The transposition table.
    pub table: Table,
    /// Killers and histories.
    pub ordering: Ordering,
    /// Keys from the last irreversible move of the game to the current node.
    pub path: Vec<u64>,
    pub(crate) arena: Arena,
    pub(crate) frames: Vec<Frame>,
}

impl Memory {
    /// A memory for a game with so many [slots](Game::SLOTS).
    pub fn new(table: Table, ordering: Ordering, slots: usize) -> Memory {
        let frame = Frame { static_value: None, slot: slots, excluded: Move::NONE };
        Memory {
            table,
            ordering,
            path: Vec::with_capacity(512),
            arena: Vec::with_capacity(4096),
            frames: vec![frame; BEFORE_ROOT + MAX_PLY + 2],
        }
    }

    /// What was played before the node at `ply`.
    #[inline(always)]
    pub(crate) fn context(&self, ply: usize) -> Context {
        let place = ply + BEFORE_ROOT;
        let (last, before_last) = (self.frames[place - 1].slot, self.frames[place - 2].slot);
        Context { ply, last, before_last }
    }

    #[inline(always)]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }
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
    /// True for a move that may be reduced when it comes late: quiet, or losing material.
    pub(crate) reducible: bool,
    /// The histories of a quiet move.
    pub(crate) history: i32,
    /// True when the parent had no free choice.
    pub(crate) forced: bool,
    /// True when the parent's static value is better than two plies before.
    pub(crate) improving: bool,
    /// True when the move is to be searched one ply deeper.
    pub(crate) singular: bool,
}

/// A running search.
pub struct Search<'a, G: Game, R: TableRules = Sound> {
    pub(crate) game: &'a G,
    pub(crate) options: Options,
    pub(crate) memory: &'a mut Memory,
    pub(crate) meter: Meter<'a>,
    pub(crate) counts: Counts,
    /// Place of the root on the path.
    pub(crate) root: usize,
    /// Repetitions reach back to this place: the last null move.
    pub(crate) barrier: usize,
    /// No null move above this ply: a verification is running.
    no_null_before: usize,
    rules: std::marker::PhantomData<R>,
}

/// What a node of selective search knows before its moves.
struct Known {
    /// The static value; of no use when a move is forced.
    static_value: Value,
    /// The static value, corrected by what the table knows.
    estimate: Value,
    improving: bool,
    forced: bool,
}

impl<'a, G: Game, R: TableRules> Search<'a, G, R> {
    /// A search from the position whose predecessors' keys are in `memory.path`.
    pub fn new(game: &'a G, options: Options, memory: &'a mut Memory, meter: Meter<'a>) -> Self {
        let root = memory.path.len();
        let (counts, rules) = (Counts::default(), std::marker::PhantomData);
        Search { game, options, memory, meter, counts, root, barrier: 0, no_null_before: 0, rules }
    }

    /// Gives back what an aborted search left.
    pub(crate) fn unwind(&mut self) {
        self.memory.path.truncate(self.root);
        self.memory.arena.clear();
        self.barrier = 0;
        self.no_null_before = 0;
    }

    /// The value of a move for its parent, by searching the child it leads to.
    #[inline]
    pub(crate) fn edge<const EXACT: bool>(&mut self, child: &G::Position, edge: Edge) -> Outcome {
        let selective = &self.options.selective;
        let raised = !EXACT
            && match selective.expected_pv {
                ExpectedPv::Raised => true,
                ExpectedPv::Root => self.memory.path.len() == self.root + 1,
                ExpectedPv::First | ExpectedPv::None => false,
            };
        let late = edge.index >= LATE && edge.reducible && !edge.forced;
        let checks = !EXACT && self.game.is_forced(child);
        // Early moves that force the other side are extended; late ones are at least not reduced.
        let extended = edge.singular || (checks && !late && selective.check_extension);
        let depth = edge.depth - 1 + i32::from(extended);
        let kind = self.child_kind::<EXACT>(&edge);
        let later = edge.kind == NodeKind::Pv && edge.index > 0;
        let scouts = self.options.scout && later;
        let beta = if scouts { edge.alpha + 1 } else { edge.beta };

        // A late move is first searched shallower, and in full when that fails high.
        if !EXACT && edge.index > 0 && edge.reducible && !checks && !extended {
            let reduction = self.reduction(&edge).min(depth - 1);
            if reduction > 0 {
                let outcome = self.visit::<EXACT>(child, depth - reduction, edge.alpha, beta, kind);
                if self.meter.stopped() || outcome.value <= edge.alpha {
                    return outcome;
                }
            }
        }
        let outcome = self.visit::<EXACT>(child, depth, edge.alpha, beta, kind);
        let above = edge.alpha < outcome.value;
        let again = (scouts && outcome.value < edge.beta) || (raised && later);
        if above && again && !self.meter.stopped() {
            let kind = if EXACT || selective_kind(self.options.selective.expected_pv) {
                NodeKind::Pv
            } else {
                kind
            };
            return self.visit::<EXACT>(child, depth, edge.alpha, edge.beta, kind);
        }
        outcome
    }

    #[inline(always)]
    fn child_kind<const EXACT: bool>(&self, edge: &Edge) -> NodeKind {
        let kind = edge.kind.child(edge.index);
        let none = !EXACT && !selective_kind(self.options.selective.expected_pv);
        if none && kind == NodeKind::Pv { NodeKind::Cut } else { kind }
    }

    /// Plies by which a late move is searched shallower.
    #[inline]
    fn reduction(&self, edge: &Edge) -> i32 {
        let selective = &self.options.selective;
        if !selective.late_move_reductions || edge.depth < 3 || edge.forced {
            return 0;
        }
        let hundredths = selective.reduction(edge.depth, edge.index + 1)
            + 100 * i32::from(!edge.improving)
            + 100 * i32::from(edge.kind == NodeKind::Cut)
            - 100 * i32::from(edge.kind == NodeKind::Pv)
            - 100 * selective.history_reduction * edge.history / (2 * HISTORY_BOUND);
        (hundredths / 100).max(0)
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
        let outcome = self.node::<EXACT>(child, depth, alpha, beta, kind);
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
            return Outcome::clean(self.leaf::<EXACT>(position, alpha, beta));
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
                        let bounds = (outcome.value, INFINITY);
                        self.store(key, place, depth, Move::NONE, bounds, outcome, kind);
                    }
                    return settled.outcome().above(place);
                }
            }
            let from = self.options.selective.internal_reduction;
            if from > 0 && depth >= from && table_move.is_none() && kind != NodeKind::All {
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
                    LeftOut::ThisMove => searched = false,
                    LeftOut::QuietMoves(at_most) => {
                        searched = false;
                        best.value = best.value.max(at_most);
                        picker.skip_quiets();
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
            let bounds = R::bounds(best.value, alpha, beta);
            self.store(key, place, depth, kept, bounds, best, kind);
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

    /// The static value, what the table makes of it, and whether it grows.
    #[inline]
    fn assess(
        &mut self,
        position: &G::Position,
        ply: usize,
        forced: bool,
        stored: Option<&Entry>,
    ) -> Known {
        if forced {
            self.memory.frame(ply).static_value = None;
            return Known { static_value: 0, estimate: 0, improving: false, forced };
        }
        let static_value = self.game.static_value(position);
        self.memory.frame(ply).static_value = Some(static_value);
        let before = self.memory.frames[ply + BEFORE_ROOT - 2].static_value;
        let improving = ply >= 2 && before.is_some_and(|before| static_value > before);
        let mut estimate = static_value;
        if let Some(entry) = stored {
            if entry.lower > estimate && !is_mate(entry.lower) && entry.lower != INFINITY {
                estimate = entry.lower;
            } else if entry.upper < estimate && !is_mate(entry.upper) {
                estimate = entry.upper;
            }
        }
        Known { static_value, estimate, improving, forced }
    }

    /// What is settled without looking at the moves; also some outcome when stopped.
    fn settle(
        &mut self,
        position: &G::Position,
        depth: i32,
        window: (Value, Value),
        kind: NodeKind,
        known: &Known,
    ) -> Option<Settled> {
        let (alpha, beta) = window;
        let selective = self.options.selective;
        if is_mate(beta) || is_mate(alpha) {
            return None;
        }
        // Reverse futility: the static value is so good that some move will keep it above beta.
        if let Some(margin) = selective.reverse_futility_margin(depth, known.improving) {
            if known.estimate - margin >= beta {
                let value = beta + (known.estimate - beta) / 3;
                return Some(Settled::ByMargin(Outcome::clean(value)));
            }
        }
        // Razoring: so bad that only a capture can help.
        if let Some(margin) = selective.razoring_margin(depth) {
            if known.estimate + margin <= alpha {
                let value = self.leaf::<false>(position, alpha, alpha + 1);
                if self.meter.stopped() || value <= alpha {
                    return Some(Settled::ByMargin(Outcome::clean(value)));
                }
            }
        }
        let outcome = self.null_move(position, depth, beta, kind, known)?;
        Some(Settled::ByNullMove(outcome))
    }

    /// The value of passing when that fails high, else `None`. Answers also when stopped.
    fn null_move(
        &mut self,
        position: &G::Position,
        depth: i32,
        beta: Value,
        kind: NodeKind,
        known: &Known,
    ) -> Option<Outcome> {
        let selective = self.options.selective;
        let reduction = selective.null_move?;
        let ply = self.memory.path.len() - 1 - self.root;
        let after_null = self.memory.context(ply).last == G::SLOTS && ply > 0;
        if depth < 2 || after_null || ply < self.no_null_before || known.estimate < beta {
            return None;
        }
        let passed = self.game.null_move(position)?;
        self.memory.frame(ply).slot = G::SLOTS;
        let barrier = std::mem::replace(&mut self.barrier, self.memory.path.len());
        let shallow = selective.null_move_depth(reduction, depth, known.estimate - beta);
        let (low, high) = (child_alpha(beta), child_beta(beta - 1));
        let outcome = self.node::<false>(&passed, shallow, low, high, kind.child(1));
        self.barrier = barrier;
        let value = back_up(outcome.value);
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        // A mate that is found by passing proves no mate.
        let value = if is_mate(value) { value.clamp(beta - 1, beta) } else { value };
        if value < beta {
            return None;
        }
        let verified_from = selective.null_move_verification;
        if verified_from == 0 || depth < verified_from || self.no_null_before > 0 {
            return Some(outcome.with_value(value));
        }
        // In zugzwang passing is better than any move: search the moves, for some plies without
        // null moves.
        self.no_null_before = ply + 1 + (3 * shallow as usize) / 4;
        let key = self.memory.path.pop().expect("the node itself");
        let verified = self.node::<false>(position, shallow.max(1), beta - 1, beta, kind);
        self.memory.path.push(key);
        self.no_null_before = 0;
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        (verified.value >= beta).then_some(outcome.with_value(value))
    }

    /// Whether a move, and perhaps all quiet ones after it, is left out. `node` is depth, alpha
    /// and the number of quiet moves so far.
    #[inline]
    fn left_out(
        &self,
        position: &G::Position,
        picked: &Picked,
        node: (i32, Value, usize),
        known: &Known,
    ) -> LeftOut {
        let (depth, alpha, quiets) = node;
        let selective = &self.options.selective;
        if known.forced || is_mate(alpha) || !(picked.quiet || picked.losing) {
            return LeftOut::Nothing;
        }
        if picked.quiet {
            if quiets >= selective.quiet_moves(depth, known.improving) {
                return LeftOut::QuietMoves(-INFINITY);
            }
            if let Some(margin) = selective.futility_margin(depth) {
                if known.static_value + margin <= alpha {
                    return LeftOut::QuietMoves(known.static_value + margin);
                }
            }
        }
        match selective.least_exchange(depth, picked.quiet) {
            Some(least) if !self.game.exchange_at_least(position, picked.mv, least) => {
                LeftOut::ThisMove
            }
            _ => LeftOut::Nothing,
        }
    }

    /// The bound that no other move may reach if the table's move is to be singular.
    #[inline]
    fn singular_bound(&self, entry: &Entry, depth: i32) -> Option<Value> {
        let from = self.options.selective.singular_extension;
        let known = from > 0
            && depth >= from
            && entry.depth >= depth - SINGULAR_STALENESS
            && entry.lower > -INFINITY
            && !is_mate(entry.lower);
        known.then(|| entry.lower - SINGULAR_MARGIN * depth)
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
        kind: NodeKind,
    ) {
        let (lower, upper) = bounds;
        let pv = kind == NodeKind::Pv;
        if outcome.holds_at(place) {
            self.memory.table.store(key, Entry { lower, upper, depth, mv, pv });
        } else if !mv.is_none() {
            let entry = Entry { lower: -INFINITY, upper: INFINITY, depth: 0, mv, pv };
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
        self.store(key, self.root, depth, mv, bounds, outcome, NodeKind::Pv);
    }
}

/// True when nodes below the root may be expected PV.
#[inline(always)]
fn selective_kind(expected: ExpectedPv) -> bool {
    expected != ExpectedPv::None
}

/// What a node does without.
enum LeftOut {
    Nothing,
    ThisMove,
    /// The quiet moves from this one on, which are worth at most so much.
    QuietMoves(Value),
}

/// What settled a node before its moves.
enum Settled {
    /// The static value, perhaps with quiescence: nothing that another depth could use.
    ByMargin(Outcome),
    /// A null move.
    ByNullMove(Outcome),
}

impl Settled {
    fn outcome(&self) -> Outcome {
        match self {
            Settled::ByMargin(outcome) | Settled::ByNullMove(outcome) => *outcome,
        }
    }
}

/// The moves of a node that were searched and did not cut.
struct Tried {
    quiet: [Move; TRIED],
    quiets: usize,
    tactical: [Move; TRIED],
    tacticals: usize,
}

impl Default for Tried {
    fn default() -> Tried {
        let none = [Move::NONE; TRIED];
        Tried { quiet: none, quiets: 0, tactical: none, tacticals: 0 }
    }
}

impl Tried {
    #[inline(always)]
    fn push(&mut self, mv: Move, quiet: bool) {
        let (moves, count) = if quiet {
            (&mut self.quiet, &mut self.quiets)
        } else {
            (&mut self.tactical, &mut self.tacticals)
        };
        if *count < TRIED {
            moves[*count] = mv;
        }
        *count += 1;
    }

    #[inline(always)]
    fn moves(&self, quiet: bool) -> &[Move] {
        let (moves, count) =
            if quiet { (&self.quiet, self.quiets) } else { (&self.tactical, self.tacticals) };
        &moves[..count.min(TRIED)]
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
