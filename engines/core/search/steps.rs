//! The steps of a node.

use super::Search;
use super::edge::Edge;
use super::pruning::{Known, LeftOut, Settled};
use crate::game::{Game, Move};
use crate::memory::Memory;
use crate::node::{MAX_PLY, NodeKind, Outcome, TableRules};
use crate::options::ChildBounds;
use crate::ordering::{Context, Picked, Picker};
use crate::selective::ExpectedPv;
use crate::table::Entry;
use crate::value::{INFINITY, MATE_BOUND, Value};

/// The most moves that are punished when a later one cuts.
const TRIED: usize = 32;

/// The searched moves of a node that did not cut.
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
    /// Adds a searched move.
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

    /// The quiet moves, or the others.
    #[inline(always)]
    fn moves(&self, quiet: bool) -> &[Move] {
        let (moves, count) =
            if quiet { (&self.quiet, self.quiets) } else { (&self.tactical, self.tacticals) };
        &moves[..count.min(TRIED)]
    }
}

impl<G: Game, R: TableRules> Search<'_, G, R> {
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
        // Step 0. Skip a child that its parent found settled.
        if EXACT {
            if let Some(value) = self.settled_before::<EXACT>(position, depth, alpha, beta) {
                return Outcome::clean(value);
            }
        }
        // Step 1. Count the node and check the limits.
        if !self.meter.tick() {
            return Outcome::ABORTED;
        }
        let game = self.game;
        if depth == 0 {
            self.meter.counts.leaves += 1;
        } else {
            self.meter.counts.interior += 1;
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
                return Outcome::clean(self.static_value(position, key));
            }
        }
        if depth == 0 {
            return Outcome::clean(self.leaf::<EXACT>(position, alpha, beta, ply));
        }
        let excluded = if EXACT { Move::NONE } else { self.memory.frame(ply).excluded };
        // The table was prefetched when the move was made. The static value, which most nodes need,
        // is computed meanwhile.
        let forced = game.is_forced(position);
        let static_value = (!EXACT && !forced).then(|| self.static_value(position, key));
        let whole = !EXACT && self.reaches_end(position, depth);

        // Step 3. The table: bounds that settle the window, or a move.
        let mut table_move = Move::NONE;
        let mut stored = None;
        if !self.table.is_off() {
            self.meter.counts.probes += 1;
            if let Some(entry) = self.table.probe(key, depth) {
                self.meter.counts.hits += 1;
                if R::is_usable(EXACT, entry.depth, depth)
                    && (EXACT || self.may_cut(position, depth, kind, excluded, &entry))
                {
                    if let Some(value) = entry.settled(alpha, beta) {
                        self.meter.counts.cutoffs += 1;
                        return Outcome::clean(value);
                    }
                }
                if game.is_legal(position, entry.mv) {
                    table_move = entry.mv;
                    stored = Some(entry);
                    // Its best move is searched first, after the slow steps.
                    self.prefetch(game.likely_key(position, table_move));
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
            let settled = if EXACT && self.options.child_bounds == ChildBounds::Settle {
                self.settle_by_children(position, depth, alpha, beta)
            } else {
                self.cut_by_children::<EXACT>(position, depth, beta, kind)
            };
            if let Some((mv, value)) = settled {
                let (lower, upper) = R::bounds(value, alpha, beta);
                let pv = kind == NodeKind::Pv;
                self.table.store(key, Entry { lower, upper, depth, mv, pv });
                return Outcome::clean(value);
            }
        }
        self.memory.path.push(key);

        // Step 4. Pruning before any move.
        let mut known = Known { static_value: 0, estimate: 0, improving: false, forced };
        let mut depth = depth;
        if !EXACT {
            known = self.assess(static_value, ply, stored.as_ref());
            if kind != NodeKind::Pv && excluded.is_none() && !forced && !whole {
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
            // A node of depth 1 is not reduced: its moves are searched by quiescence already.
            let reduces = from > 0 && depth >= from.max(2) && !whole;
            if reduces && table_move.is_none() && kind != NodeKind::All {
                depth -= 1;
            }
        }

        // Step 5. Is the table move singular? An exclusion search stores nothing.
        let mut singular = false;
        if !EXACT && excluded.is_none() && !whole {
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
        // Quiet moves so far that were searched or deferred.
        let mut quiets = 0;
        let mut forcing = None;
        // Moves that another thread is searching are deferred to the end and keep their numbers.
        let mut deferred: Vec<(Picked, usize)> = Vec::new();
        let mut again = None;
        // Most nodes with hopeless quiet moves have no quiet check: then none is generated.
        let leaves_out = !EXACT && kind != NodeKind::Pv && excluded.is_none() && !whole;
        let Memory { ordering, arena, .. } = &mut *self.memory;
        let mut next = picker.next(game, position, ordering, arena);
        while let Some(picked) = next {
            self.prefetch(game.likely_key(position, picked.mv));
            let mut searched = picked.mv != excluded;
            let may_skip = !EXACT && kind != NodeKind::Pv && !whole && again.is_none();
            if may_skip && searched && index > 0 && best.value > -MATE_BOUND {
                let node = (depth, alpha, quiets);
                match self.left_out(position, &picked, node, &known, &mut forcing) {
                    LeftOut::Nothing => {}
                    LeftOut::ThisMove(at_most) => {
                        searched = false;
                        best.value = best.value.max(at_most);
                    }
                    LeftOut::QuietMoves(at_most) => {
                        searched = false;
                        best.value = best.value.max(at_most);
                        if self.options.selective.spare_checks {
                            let forcing = forcing.get_or_insert_with(|| game.forcing(position));
                            let arena = &mut self.memory.arena;
                            picker.keep_forcing(game, position, forcing, arena);
                        } else {
                            picker.skip_quiets();
                        }
                    }
                }
            }
            let claim = if searched { self.claim(key, picked.mv, depth) } else { None };
            if let Some(claim) = claim {
                if index > 0 && again.is_none() && claim.is_taken() {
                    deferred.push((picked, index));
                    index += 1;
                    quiets += usize::from(picked.quiet);
                    searched = false;
                } else {
                    claim.begin();
                }
            }
            if searched {
                self.memory.frame(ply).slot = game.slot(position, picked.mv);
                let mut child = position.clone();
                game.play(&mut child, picked.mv);
                let edge = Edge {
                    depth,
                    alpha: low,
                    beta,
                    kind,
                    index: again.unwrap_or(index),
                    reducible: picked.quiet || picked.losing,
                    history: if picked.quiet { picked.history() } else { 0 },
                    forced,
                    improving: known.improving,
                    singular: singular && picked.mv == table_move,
                    whole,
                };
                let outcome = self.edge::<EXACT>(&child, edge);
                if let Some(claim) = claim {
                    claim.end();
                }
                if self.meter.stopped() {
                    return Outcome::ABORTED;
                }
                if again.is_none() {
                    index += 1;
                    quiets += usize::from(picked.quiet);
                }
                if outcome.value >= beta {
                    best = outcome;
                    best_move = picked.mv;
                    if !self.has_learned(stored.as_ref(), picked.mv, depth) {
                        self.learn(position, &picked, &tried, &context, depth);
                    }
                    break;
                }
                if outcome.value > best.value {
                    best_move = picked.mv;
                    low = low.max(outcome.value);
                }
                best.join(outcome);
                tried.push(picked.mv, picked.quiet);
            }
            let mut at_most = None;
            if leaves_out && index > 0 && best.value > -MATE_BOUND && picker.is_before_quiets() {
                at_most = self.hopeless_quiets((depth, alpha, quiets), &known);
            }
            let Memory { ordering, arena, .. } = &mut *self.memory;
            picker.hope_for_force(at_most.is_some());
            next = picker.next(game, position, ordering, arena);
            if picker.take_passed_over() {
                best.value = best.value.max(at_most.unwrap_or(-INFINITY));
            }
            if next.is_none() && !deferred.is_empty() {
                let (picked, number) = deferred.remove(0);
                (next, again) = (Some(picked), Some(number));
            }
        }
        picker.release(&mut self.memory.arena);
        self.memory.path.pop();

        if EXACT && index > 0 {
            self.expanded(key, depth);
        }

        // Step 7. No move: the game is over, or the excluded move was the only one.
        if index == 0 {
            let value = if excluded.is_none() { game.terminal_value(position) } else { alpha };
            return Outcome::clean(value);
        }

        // Step 8. Store the result. Failing low proves no move better than another, so the earlier
        // best move stays, unless the option asks for that of the best bound.
        if excluded.is_none() {
            let stays = best.value <= alpha && !table_move.is_none() && !self.options.best_of_low;
            let kept = if stays { table_move } else { best_move };
            let (lower, upper) = R::bounds(best.value, alpha, beta);
            let pv = kind == NodeKind::Pv;
            self.store(key, place, Entry { lower, upper, depth, mv: kept, pv }, best);
        }
        best.above(place)
    }

    /// True if a stored bound may cut a node of selective search.
    #[inline(always)]
    fn may_cut(
        &self,
        position: &G::Position,
        depth: i32,
        kind: NodeKind,
        excluded: Move,
        entry: &Entry,
    ) -> bool {
        // A node searched again as expected PV was just stored as another kind.
        let again = kind == NodeKind::Pv
            && !entry.pv
            && matches!(self.options.selective.expected_pv, ExpectedPv::Raised | ExpectedPv::Root);
        excluded.is_none() && !again && self.is_far_from_limit(position, depth)
    }

    /// True if the table has this cut already and cuts count once.
    #[inline(always)]
    fn has_learned(&self, stored: Option<&Entry>, cut: Move, depth: i32) -> bool {
        let knows =
            |entry: &Entry| entry.mv == cut && entry.depth >= depth && entry.lower > -INFINITY;
        self.options.ordering.reward_once && stored.is_some_and(knows)
    }

    /// Rewards the move that cut and punishes those searched before it.
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
}
