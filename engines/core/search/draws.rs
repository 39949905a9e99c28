//! Draws by the path: repetition and the fifty-move rule, in selective search only.
//!
//! Such a draw is 0 on this path only, so a value that depends on one must not be reused on another
//! path. Each value carries its *taint*: the path index of the earliest position that a draw below
//! it refers to (the bottom for the fifty-move rule). A node stores bounds only if that position is
//! not above it: a repetition within its own subtree occurs on every path. A cut has the taint of
//! the cutting move only. Near the fifty-move limit no table value is used, because the table has
//! no clocks.
//!
//! As in all programs, a stored value does not know that a move below it would repeat a position of
//! the current path.

use super::Search;
use crate::game::Game;
use crate::node::{Outcome, TableRules};
use crate::value::DRAW;

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The draw that ends a node of selective search, or the mate that precedes it.
    #[inline]
    pub(crate) fn drawn(&self, position: &G::Position, key: u64, place: usize) -> Option<Outcome> {
        let game = self.game;
        let reversible = game.reversible_plies(position);
        if reversible >= 4 {
            if let Some(earlier) = self.repeated(key, place, reversible as usize) {
                return Some(Outcome::drawn_since(earlier));
            }
        }
        if reversible >= G::REVERSIBLE_LIMIT {
            return Some(if game.is_forced(position) && !game.has_move(position) {
                Outcome::clean(game.terminal_value(position))
            } else {
                Outcome::drawn_since(0)
            });
        }
        game.is_dead_draw(position).then(|| Outcome::clean(DRAW))
    }

    /// The earlier occurrence of the position, in this search or in the game. One is enough: who
    /// can repeat a position once can do it again.
    #[inline]
    fn repeated(&self, key: u64, place: usize, reversible: usize) -> Option<usize> {
        let reach = reversible.min(place - self.barrier);
        let mut distances = (4..=reach).step_by(2);
        let back = distances.find(|back| self.memory.path[place - back] == key)?;
        Some(place - back)
    }

    /// True if the game ends within this many plies, not counting passes: the search prunes
    /// nothing, and its value is that of the game.
    #[inline(always)]
    pub(crate) fn reaches_end(&self, position: &G::Position, depth: i32) -> bool {
        let left = self.game.plies_left(position);
        left != u32::MAX && left <= depth as u32
    }

    /// The depth of a child of a node that is searched to the end of the game: a pass must not move
    /// the end out of reach.
    #[inline(always)]
    pub(crate) fn depth_to_end(&self, child: &G::Position, depth: i32) -> i32 {
        depth.max(self.game.plies_left(child) as i32)
    }

    /// True if no draw by the fifty-move rule is in reach.
    #[inline]
    pub(crate) fn is_far_from_limit(&self, position: &G::Position, depth: i32) -> bool {
        self.game.reversible_plies(position).saturating_add(depth as u32) < G::REVERSIBLE_LIMIT
    }
}
