//! Quiescence: captures are searched until the position is quiet.
//!
//! **Exact.** Stand pat, or a capture that does not lose material on its square; in check all
//! moves, without standing pat. Mate and stalemate are detected at every node. Nothing depends on
//! depth or window: the value is a function of the position, so its bounds may be stored
//! (`leaf_bounds`).
//!
//! **Selective.** Also promotions to the strongest man. The table is used. Captures that cannot
//! reach alpha are skipped; in check, quiet moves are skipped once a move that avoids mate was
//! found. Stalemate is not detected.

use super::Search;
use crate::game::{Game, Move};
use crate::node::TableRules;
use crate::ordering::{Scored, take_best};
use crate::table::Entry;
use crate::value::{
    DRAW, INFINITY, MATE_BOUND, Value, child_alpha, child_beta, from_child, is_mate,
};

/// Quiet forced moves come after tactical ones.
const QUIET: i32 = -1_000;
/// In selective quiescence, where captures are scored by history too.
const FORCED_QUIET: i32 = i32::MIN / 2;

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The fail-soft value of a leaf `ply` plies from the root; the leaf is already counted.
    #[inline]
    pub(crate) fn leaf<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Value {
        if self.options.quiescence && EXACT {
            self.quiesce_exactly(position, alpha, beta, ply)
        } else if self.options.quiescence {
            self.quiesce(position, alpha, beta, ply)
        } else if self.game.has_move(position) {
            self.static_value(position, self.game.key(position))
        } else {
            self.game.terminal_value(position)
        }
    }

    fn quiesce_exactly(
        &mut self,
        position: &G::Position,
        alpha: Value,
        beta: Value,
        ply: usize,
    ) -> Value {
        self.seldepth = self.seldepth.max(ply);
        let game = self.game;
        let key = game.key(position);
        if self.options.leaf_bounds {
            if let Some(value) = self.settled_leaf(key, alpha, beta) {
                return value;
            }
        }
        let start = self.memory.arena.len();
        let forced = game.is_forced(position);
        let mut best = -INFINITY;

        // Step 1. The end of the game, or standing pat.
        if forced {
            let arena = &mut self.memory.arena;
            let targets = game.targets(position);
            game.tactical(position, &targets, |mv, merit| arena.push(Scored::new(mv, merit.score)));
            game.quiets(position, &targets, |mv, _| arena.push(Scored::new(mv, QUIET)));
            if arena.len() == start {
                return game.terminal_value(position);
            }
        } else if !game.has_move(position) {
            return game.terminal_value(position);
        } else {
            best = self.static_value(position, key);
            if best >= beta {
                self.keep_leaf(key, best, alpha, beta);
                return best;
            }
            let arena = &mut self.memory.arena;
            game.captures(position, |mv, merit| arena.push(Scored::new(mv, merit.score)));
        }

        // Step 2. The moves.
        let mut low = alpha.max(best);
        let mut cursor = start;
        while let Some((mv, _)) = take_best(&mut self.memory.arena, cursor) {
            cursor += 1;
            if !forced && game.is_losing(position, mv) {
                continue;
            }
            let mut child = position.clone();
            game.play(&mut child, mv);
            let (child_low, child_high) = (child_alpha(beta), child_beta(low));
            let known = if self.options.leaf_bounds {
                self.settled_before::<true>(&child, 0, child_low, child_high)
            } else {
                None
            };
            let value = match known {
                Some(value) => value,
                None if !self.meter.tick() => return 0,
                None => self.quiesce_exactly(&child, child_low, child_high, ply + 1),
            };
            if self.meter.stopped() {
                return 0;
            }
            best = best.max(from_child(value));
            if best >= beta {
                break;
            }
            low = low.max(best);
        }
        self.memory.arena.truncate(start);
        self.keep_leaf(key, best, alpha, beta);
        best
    }

    /// The table's answer for a node of exact quiescence. Its entries, like those of leaves, have
    /// depth 0.
    fn settled_leaf(&mut self, key: u64, alpha: Value, beta: Value) -> Option<Value> {
        if self.table.is_off() {
            return None;
        }
        self.meter.counts.probes += 1;
        let entry = self.table.probe(key, 0)?;
        self.meter.counts.hits += 1;
        let usable = R::is_usable(true, entry.depth, 0);
        let value = entry.settled(alpha, beta).filter(|_| usable)?;
        self.meter.counts.cutoffs += 1;
        Some(value)
    }

    /// Stores the bounds of a node of exact quiescence, if enabled.
    #[inline]
    fn keep_leaf(&mut self, key: u64, value: Value, alpha: Value, beta: Value) {
        if self.options.leaf_bounds {
            let (lower, upper) = R::bounds(value, alpha, beta);
            self.table.store(key, Entry { lower, upper, depth: 0, mv: Move::NONE, pv: false });
        }
    }

    fn quiesce(&mut self, position: &G::Position, alpha: Value, beta: Value, ply: usize) -> Value {
        self.seldepth = self.seldepth.max(ply);
        let game = self.game;
        let selective = self.options.selective;

        // Step 1. The table, where any depth will do. It was prefetched when the move was made; the
        // static value is computed meanwhile.
        let key = game.key(position);
        let forced = game.is_forced(position);
        let static_value = if forced { -INFINITY } else { self.static_value(position, key) };
        let uses_table = selective.quiescence_table && !self.table.is_off();
        let mut table_move = Move::NONE;
        let mut stored = None;
        if uses_table {
            self.meter.counts.probes += 1;
            if let Some(entry) = self.table.probe(key, 0) {
                self.meter.counts.hits += 1;
                if self.is_far_from_limit(position, 1) {
                    if let Some(value) = entry.settled(alpha, beta) {
                        self.meter.counts.cutoffs += 1;
                        return value;
                    }
                }
                table_move = entry.mv;
                stored = Some(entry);
            }
        }
        if game.is_dead_draw(position) {
            return DRAW;
        }

        // Step 2. Standing pat, and the moves.
        let mut best = -INFINITY;
        let start = self.memory.arena.len();
        if forced {
            self.push_forced(position, table_move);
            if self.memory.arena.len() == start {
                return game.terminal_value(position);
            }
        } else {
            best = static_value;
            let bound = stored.map_or(best, |entry: Entry| best.clamp(entry.lower, entry.upper));
            if !is_mate(bound) {
                best = bound;
            }
            if best >= beta {
                return best;
            }
            self.push_loud(position, table_move);
        }

        // Step 3. The moves.
        let hopeful = best + selective.delta_pruning;
        let mut low = alpha.max(best);
        let mut best_move = Move::NONE;
        let mut cursor = start;
        while let Some((mv, score)) = take_best(&mut self.memory.arena, cursor) {
            cursor += 1;
            if forced {
                if score < FORCED_QUIET / 2 && best > -MATE_BOUND {
                    break;
                }
                self.prefetch(game.likely_key(position, mv));
            } else {
                if selective.delta_pruning > 0 {
                    let hope = hopeful + game.gain(position, mv);
                    if hope <= alpha {
                        best = best.max(hope);
                        continue;
                    }
                }
                self.prefetch(game.likely_key(position, mv));
                if game.is_losing(position, mv) {
                    continue;
                }
            }
            if !self.meter.tick() {
                return 0;
            }
            let mut child = position.clone();
            game.play(&mut child, mv);
            let (child_low, child_high) = (child_alpha(beta), child_beta(low));
            let value = from_child(self.quiesce(&child, child_low, child_high, ply + 1));
            if self.meter.stopped() {
                return 0;
            }
            if value > best {
                (best, best_move) = (value, mv);
                if best >= beta {
                    break;
                }
                low = low.max(best);
            }
        }
        self.memory.arena.truncate(start);
        if uses_table {
            let (lower, upper) = R::bounds(best, alpha, beta);
            let entry = Entry { lower, upper, depth: 0, mv: best_move, pv: false };
            self.table.store(key, entry);
        }
        best
    }

    /// The moves of quiescence when nothing is forced.
    #[inline]
    fn push_loud(&mut self, position: &G::Position, table_move: Move) {
        let (game, memory) = (self.game, &mut *self.memory);
        let (ordering, arena) = (&memory.ordering, &mut memory.arena);
        game.loud(position, |mv, merit| {
            let first = if mv == table_move { 1 << 24 } else { 0 };
            arena.push(Scored::new(mv, first + ordering.capture_score(merit)));
        });
    }

    /// All moves, tactical ones first.
    #[inline]
    fn push_forced(&mut self, position: &G::Position, table_move: Move) {
        let (game, memory) = (self.game, &mut *self.memory);
        let (ordering, arena) = (&memory.ordering, &mut memory.arena);
        let targets = game.targets(position);
        let first = |mv| if mv == table_move { 1 << 24 } else { 0 };
        game.tactical(position, &targets, |mv, merit| {
            arena.push(Scored::new(mv, first(mv) + ordering.capture_score(merit)));
        });
        game.quiets(position, &targets, |mv, _| {
            let history = ordering.history(game.history_slot(position, mv));
            let score = if mv == table_move { first(mv) } else { FORCED_QUIET + history };
            arena.push(Scored::new(mv, score));
        });
    }
}
