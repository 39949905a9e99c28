//! Uses of the table before the moves of a node: cuts by the bounds of its children, and internal
//! iterative deepening. Both are options, and neither changes an exact value.

use super::Search;
use crate::game::{Game, Move};
use crate::node::{NodeKind, TableRules};
use crate::options::ChildBounds;
use crate::ordering::Scored;
use crate::selective::ExpectedPv;
use crate::value::{INFINITY, Value, from_child};

/// The least depth of internal deepening, and its reduction in plies.
const INTERNAL_DEPTH: i32 = 4;
const INTERNAL_REDUCTION: i32 = 2;
/// The most moves of a position.
const MOST_MOVES: usize = 256;

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
        let mut moves = Vec::with_capacity(64);
        let targets = game.targets(position);
        game.tactical(position, &targets, |mv, _| moves.push(mv));
        game.quiets(position, &targets, |mv, _| moves.push(mv));
        let place = self.memory.path.len() + 1;
        let whole = !EXACT && self.reaches_end(position, depth);
        self.memory.path.push(game.key(position));
        let found = moves.into_iter().find_map(|mv| {
            let child = game.make(position, mv);
            let key = game.key(&child);
            // A check may be searched deeper.
            let extended =
                !EXACT && self.options.selective.check_extension && game.is_forced(&child);
            let mut wanted = depth - 1 + i32::from(extended);
            if whole {
                wanted = self.depth_to_end(&child, wanted);
            }
            self.meter.counts.probes += 1;
            let entry = self.table.probe(key, wanted)?;
            self.meter.counts.hits += 1;
            let value = from_child(entry.upper);
            let cuts = R::is_usable(EXACT, entry.depth, wanted) && value >= beta;
            let counts = cuts && (EXACT || self.drawn(&child, key, place).is_none());
            counts.then_some((mv, value))
        });
        self.memory.path.pop();
        self.meter.counts.cutoffs += u64::from(found.is_some());
        found
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
        let game = self.game;
        let (first, targets) = (self.memory.arena.len(), game.targets(position));
        let arena = &mut self.memory.arena;
        game.tactical(position, &targets, |mv, _| arena.push(Scored::new(mv, 0)));
        game.quiets(position, &targets, |mv, _| arena.push(Scored::new(mv, 0)));
        // All slots are prefetched before the first is read.
        let mut keys = [0; MOST_MOVES];
        for (key, scored) in keys.iter_mut().zip(&self.memory.arena[first..]) {
            *key = game.key(&game.make(position, scored.mv));
            self.table.prefetch(*key);
        }
        // The value is at least `most` by one move, and at most `least` if every move is bounded.
        let (mut most, mut least) = ((Move::NONE, -INFINITY), -INFINITY);
        for (place, key) in (first..self.memory.arena.len()).zip(keys) {
            let mv = self.memory.arena[place].mv;
            self.meter.counts.probes += 1;
            let entry = self.table.probe(key, depth - 1);
            self.meter.counts.hits += u64::from(entry.is_some());
            let usable = entry.filter(|entry| R::is_usable(true, entry.depth, depth - 1));
            let (lower, upper) = usable.map_or((-INFINITY, INFINITY), |one| (one.lower, one.upper));
            if from_child(upper) > most.1 {
                most = (mv, from_child(upper));
            }
            least = least.max(from_child(lower));
        }
        let any = self.memory.arena.len() > first;
        self.memory.arena.truncate(first);
        let settled = if most.1 >= beta {
            Some(most)
        } else {
            (any && least <= alpha).then_some((Move::NONE, least))
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
