//! Minimax as a reference: every move of every node to the full depth. It shares only node counts,
//! limits and draw rules with the drivers.

use super::Search;
use crate::game::Game;
use crate::node::{MAX_PLY, Outcome, TableRules};
use crate::ordering::Scored;
use crate::value::{OPEN, from_child};

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The minimax value of a node below the root; leaves are searched with an open window.
    pub(crate) fn minimax<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
    ) -> Outcome {
        if !self.meter.tick() {
            return Outcome::ABORTED;
        }
        let game = self.game;
        let place = self.memory.path.len();
        let ply = place - self.root;
        self.seldepth = self.seldepth.max(ply);
        let key = game.key(position);
        if depth == 0 {
            self.meter.counts.leaves += 1;
        } else {
            self.meter.counts.interior += 1;
        }
        if !EXACT {
            if let Some(outcome) = self.drawn(position, key, place) {
                return outcome;
            }
        }
        if depth == 0 || ply >= MAX_PLY {
            return Outcome::clean(self.leaf::<EXACT>(position, OPEN.0, OPEN.1, ply));
        }
        let arena = &mut self.memory.arena;
        let start = arena.len();
        let targets = game.targets(position);
        game.tactical(position, &targets, |mv, merit| arena.push(Scored::new(mv, merit.score)));
        game.quiets(position, &targets, |mv, _| arena.push(Scored::new(mv, 0)));
        let end = arena.len();
        let whole = !EXACT && self.reaches_end(position, depth);
        self.memory.path.push(key);
        let mut best = Outcome::NOTHING;
        for index in start..end {
            let child = game.make(position, self.memory.arena[index].mv);
            let below = if whole { self.depth_to_end(&child, depth - 1) } else { depth - 1 };
            let outcome = self.minimax::<EXACT>(&child, below);
            if self.meter.stopped() {
                return Outcome::ABORTED;
            }
            best.join(outcome.with_value(from_child(outcome.value)));
        }
        self.memory.arena.truncate(start);
        self.memory.path.pop();
        if start == end {
            return Outcome::clean(game.terminal_value(position));
        }
        if EXACT {
            self.expanded(key, depth);
        }
        best.above(place)
    }
}
