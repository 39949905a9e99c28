//! Uses of the table before the moves of a node: cuts by the bounds of its children, and internal
//! iterative deepening. Both are options, and neither changes an exact value.

use super::Search;
use crate::game::{Game, Move};
use crate::node::{NodeKind, TableRules};
use crate::options::ChildBounds;
use crate::selective::ExpectedPv;
use crate::value::{INFINITY, Value, from_child};

/// The least depth of internal deepening, and its reduction in plies.
const INTERNAL_DEPTH: i32 = 4;
const INTERNAL_REDUCTION: i32 = 2;

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// Enhanced transposition cut-off (Plaat, Schaeffer, Pijls and de Bruin, 1996): a move whose
    /// child has a stored upper bound that fails high here, with its value. The path ends above the
    /// node.
    #[cold]
    #[inline(never)]
    pub(crate) fn cut_by_children<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
        beta: Value,
        kind: NodeKind,
    ) -> Option<(Move, Value)> {
        let selective = &self.options.selective;
        let searched_again = matches!(selective.expected_pv, ExpectedPv::Raised | ExpectedPv::Root);
        let far = self.is_far_from_limit(position, depth);
        if self.table.is_off() || (!EXACT && (!far || (kind == NodeKind::Pv && searched_again))) {
            return None;
        }
        let game = self.game;
        let children = self.children_to_probe::<EXACT>(position, depth);
        let place = self.memory.path.len() + 1;
        self.memory.path.push(game.key(position));
        let found = children.into_iter().find_map(|(mv, key, wanted)| {
            self.meter.counts.probes += 1;
            let entry = self.table.probe(key, wanted)?;
            self.meter.counts.hits += 1;
            let value = from_child(entry.upper);
            let cuts = R::is_usable(EXACT, entry.depth, wanted) && value >= beta;
            let counts =
                cuts && (EXACT || self.drawn(&game.make(position, mv), key, place).is_none());
            counts.then_some((mv, value))
        });
        self.memory.path.pop();
        self.meter.counts.cutoffs += u64::from(found.is_some());
        found
    }

    /// The moves of a node with the keys of their children and the depths to which those would be
    /// searched. All slots of the table are prefetched, so that reading them waits once.
    #[inline]
    fn children_to_probe<const EXACT: bool>(
        &self,
        position: &G::Position,
        depth: i32,
    ) -> Vec<(Move, u64, i32)> {
        let game = self.game;
        let whole = !EXACT && self.reaches_end(position, depth);
        let mut children = Vec::with_capacity(64);
        let mut add = |mv| {
            let child = game.make(position, mv);
            let key = game.key(&child);
            self.table.prefetch(key);
            // A check may be searched deeper.
            let extended =
                !EXACT && self.options.selective.check_extension && game.is_forced(&child);
            let mut wanted = depth - 1 + i32::from(extended);
            if whole {
                wanted = self.depth_to_end(&child, wanted);
            }
            children.push((mv, key, wanted));
        };
        let targets = game.targets(position);
        game.tactical(position, &targets, |mv, _| add(mv));
        game.quiets(position, &targets, |mv, _| add(mv));
        children
    }

    /// What the stored bounds of all children prove in exact search: the best lower bound that
    /// fails high, with its move, or an upper bound that fails low.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_by_children(
        &mut self,
        position: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Option<(Move, Value)> {
        if self.table.is_off() {
            return None;
        }
        let children = self.children_to_probe::<true>(position, depth);
        // The value is at least `most` by one move, and at most `least` if every move is bounded.
        let (mut most, mut least) = ((Move::NONE, -INFINITY), -INFINITY);
        for &(mv, key, wanted) in &children {
            self.meter.counts.probes += 1;
            let entry = self.table.probe(key, wanted);
            self.meter.counts.hits += u64::from(entry.is_some());
            let usable = entry.filter(|entry| R::is_usable(true, entry.depth, wanted));
            let (lower, upper) = usable.map_or((-INFINITY, INFINITY), |one| (one.lower, one.upper));
            if from_child(upper) > most.1 {
                most = (mv, from_child(upper));
            }
            least = least.max(from_child(lower));
        }
        let settled = if most.1 >= beta {
            Some(most)
        } else {
            (!children.is_empty() && least <= alpha).then_some((Move::NONE, least))
        };
        self.meter.counts.cutoffs += u64::from(settled.is_some());
        settled
    }

    /// The table's answer for a node of exact search before its visit, if its parent reads
    /// children's bounds.
    #[inline]
    pub(crate) fn settled_before<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let from = self.options.enhanced_cuts;
        if self.options.child_bounds == ChildBounds::Cut || from == 0 || depth + 1 < from {
            return None;
        }
        let entry = self.table.probe(self.game.key(position), depth)?;
        let usable = R::is_usable(EXACT, entry.depth, depth);
        if usable { entry.settled(alpha, beta) } else { None }
    }

    /// Internal iterative deepening (Scott, 1969): a shallower search of the node leaves its best
    /// move in the table. It depends on the kind of the node, never on its window. Returns the
    /// move, or none.
    #[cold]
    #[inline(never)]
    pub(crate) fn deepen_internally<const EXACT: bool>(
        &mut self,
        position: &G::Position,
        depth: i32,
        alpha: Value,
        beta: Value,
        kind: NodeKind,
    ) -> Move {
        if depth < INTERNAL_DEPTH || kind == NodeKind::All || self.table.is_off() {
            return Move::NONE;
        }
        self.node::<EXACT>(position, depth - INTERNAL_REDUCTION, alpha, beta, kind);
        if self.meter.stopped() {
            return Move::NONE;
        }
        let game = self.game;
        let entry = self.table.probe(game.key(position), depth - INTERNAL_REDUCTION);
        let mv = entry.map_or(Move::NONE, |entry| entry.mv);
        if game.is_legal(position, mv) { mv } else { Move::NONE }
    }
}
