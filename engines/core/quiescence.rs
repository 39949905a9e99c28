//! The value of a leaf: captures are searched until the position is quiet.
//!
//! Stand pat, or a capture that does not lose material on its square; when a move is forced (in
//! check) all moves and no stand pat. Mate and stalemate are seen at every node. No table, no
//! depth counter, nothing that looks at the window: the value is a function of the position.

use crate::game::Game;
use crate::ordering::{Scored, take_best};
use crate::search::{Search, TableRules};
use crate::value::{DRAW, INFINITY, Value, back_up, child_alpha, child_beta};

/// Forced moves that change nothing come after those that do.
const QUIET: i32 = -1_000;

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The fail-soft value of a leaf, which is already counted.
    #[inline]
    pub(crate) fn leaf<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        alpha: Value,
        beta: Value,
    ) -> Value {
        if self.options.quiescence {
            self.quiesce::<EXACT>(position, alpha, beta)
        } else if self.game.has_move(position) {
            self.game.static_value(position)
        } else {
            self.game.terminal_value(position)
        }
    }

    fn quiesce<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let game = self.game;
        let arena = &mut self.memory.arena;
        let start = arena.len();
        let forced = game.is_forced(position);
        let mut best = -INFINITY;

        // Step 1. The end of the game, or what doing nothing is worth.
        if forced {
            let targets = game.targets(position);
            game.tactical(position, &targets, |mv, score| arena.push(Scored::new(mv, score)));
            game.quiets(position, &targets, |mv| arena.push(Scored::new(mv, QUIET)));
            if arena.len() == start {
                return game.terminal_value(position);
            }
        } else if !game.has_move(position) {
            return game.terminal_value(position);
        }
        if !EXACT && game.is_dead_draw(position) {
            arena.truncate(start);
            return DRAW;
        }
        if !forced {
            best = game.static_value(position);
            if best >= beta {
                return best;
            }
            game.captures(position, |mv, score| arena.push(Scored::new(mv, score)));
        }

        // Step 2. The moves.
        let mut low = alpha.max(best);
        let mut cursor = start;
        while let Some(mv) = take_best(&mut self.memory.arena, cursor) {
            cursor += 1;
            if !forced && game.is_losing(position, mv) {
                continue;
            }
            if !self.meter.tick() {
                return 0;
            }
            let child = game.make(position, mv);
            let (child_low, child_high) = (child_alpha(beta), child_beta(low));
            let value = back_up(self.quiesce::<EXACT>(&child, child_low, child_high));
            if self.meter.stopped() {
                return 0;
            }
            best = best.max(value);
            if best >= beta {
                break;
            }
            low = low.max(best);
        }
        self.memory.arena.truncate(start);
        best
    }
}
