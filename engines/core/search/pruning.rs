//! Pruning of selective search: by the static value, a null move, the number of a move, or the
//! material it loses.

use super::Search;
use crate::game::Game;
use crate::node::{NodeKind, Outcome, TableRules};
use crate::ordering::Picked;
use crate::table::Entry;
use crate::value::{INFINITY, Value, child_alpha, child_beta, from_child, is_mate};

/// The margin of an exclusion search below the table move's value, in centipawns per ply.
const SINGULAR_MARGIN: Value = 2;
/// How much shallower a stored bound may be for a singular test.
const SINGULAR_STALENESS: i32 = 3;
/// The least depth at which a shallower search may settle a node.
const PROBCUT_DEPTH: i32 = 3;

/// The depth of the shallower search: about half, and as odd or even, because values swing between
/// odd and even depths.
fn probcut_depth(depth: i32) -> i32 {
    let half = depth / 2;
    half - (depth - half) % 2
}

/// What a node of selective search knows before its moves.
pub(crate) struct Known {
    /// The static value; unused if a move is forced.
    pub(crate) static_value: Value,
    /// The static value, corrected by the table's bound.
    pub(crate) estimate: Value,
    pub(crate) improving: bool,
    pub(crate) forced: bool,
}

/// What a node skips.
pub(crate) enum LeftOut {
    Nothing,
    /// This move, with an upper bound of its value.
    ThisMove(Value),
    /// All quiet moves from this one, with an upper bound of their values.
    QuietMoves(Value),
}

/// The upper bound of a hopeless move, and whether it covers all later quiet moves.
struct AtMost {
    value: Value,
    all_quiets: bool,
}

/// The reason that settled a node before its moves.
pub(crate) enum Settled {
    /// The static value, perhaps with quiescence; not valid for another depth.
    ByMargin(Outcome),
    /// A null move.
    ByNullMove(Outcome),
}

impl Settled {
    pub(crate) fn outcome(&self) -> Outcome {
        match self {
            Settled::ByMargin(outcome) | Settled::ByNullMove(outcome) => *outcome,
        }
    }
}

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The estimate from static value and table, and whether the side is improving; none if a move
    /// is forced.
    #[inline]
    pub(crate) fn assess(
        &mut self,
        static_value: Option<Value>,
        ply: usize,
        stored: Option<&Entry>,
    ) -> Known {
        self.memory.frame(ply).static_value = static_value;
        let Some(static_value) = static_value else {
            return Known { static_value: 0, estimate: 0, improving: false, forced: true };
        };
        let before = if ply < 2 { None } else { self.memory.frame(ply - 2).static_value };
        let improving = before.is_some_and(|before| static_value > before);
        let mut estimate = static_value;
        if let Some(entry) = stored {
            if entry.lower > estimate && !is_mate(entry.lower) {
                estimate = entry.lower;
            } else if entry.upper < estimate && !is_mate(entry.upper) {
                estimate = entry.upper;
            }
        }
        Known { static_value, estimate, improving, forced: false }
    }

    /// The outcome settled without moves, if any; also an outcome if stopped. None during the
    /// verification of a null move.
    pub(crate) fn settle(
        &mut self,
        position: &G::Position,
        depth: i32,
        window: (Value, Value),
        kind: NodeKind,
        known: &Known,
    ) -> Option<Settled> {
        let (alpha, beta) = window;
        let selective = self.options.selective;
        let ply = self.memory.path.len() - 1 - self.root;
        if is_mate(beta) || is_mate(alpha) || ply < self.no_null_before {
            return None;
        }
        if alpha.abs() >= selective.decided {
            return Some(Settled::ByNullMove(self.null_move(position, depth, beta, kind, known)?));
        }
        // Reverse futility: the static value is so good that some move should keep it above beta.
        if let Some(margin) = selective.reverse_futility_margin(depth, known.improving) {
            if known.estimate - margin >= beta {
                let value = beta + (known.estimate - beta) / 3;
                return Some(Settled::ByMargin(Outcome::clean(value)));
            }
        }
        // Razoring: so bad that only a capture can help.
        if let Some(margin) = selective.razoring_margin(depth) {
            if known.estimate + margin <= alpha {
                let value = self.leaf::<false>(position, alpha, alpha + 1, ply);
                if self.meter.stopped() || value <= alpha {
                    return Some(Settled::ByMargin(Outcome::clean(value)));
                }
            }
        }
        if let Some(outcome) = self.probcut(position, depth, window, kind, known) {
            return Some(Settled::ByMargin(outcome));
        }
        let outcome = self.null_move(position, depth, beta, kind, known)?;
        Some(Settled::ByNullMove(outcome))
    }

    /// The outcome that a shallower search makes probable (Buro, ProbCut: an effective selective
    /// extension of the alpha-beta algorithm, ICCA Journal 18(2), 1995): its value misses the window
    /// by more than `probcut` hundredths of the standard deviation of what the full depth adds.
    /// Also returns if stopped.
    fn probcut(
        &mut self,
        position: &G::Position,
        depth: i32,
        (alpha, beta): (Value, Value),
        kind: NodeKind,
        known: &Known,
    ) -> Option<Outcome> {
        let factor = self.options.selective.probcut;
        if factor == 0 || depth < PROBCUT_DEPTH {
            return None;
        }
        let shallow = probcut_depth(depth);
        let margin = factor * self.game.deviation(position, depth, shallow)? / 100;
        let (low, sign) = if known.estimate >= beta {
            (beta + margin - 1, 1)
        } else if known.estimate <= alpha {
            (alpha - margin, -1)
        } else {
            return None;
        };
        let key = self.memory.path.pop().expect("the node itself");
        let outcome = self.node::<false>(position, shallow, low, low + 1, kind);
        self.memory.path.push(key);
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        let misses = if sign > 0 { outcome.value > low } else { outcome.value <= low };
        let proves = misses && !is_mate(outcome.value);
        proves.then(|| outcome.with_value(outcome.value - sign * margin))
    }

    /// The value of a null move if it fails high, else `None`. Also returns if stopped.
    pub(crate) fn null_move(
        &mut self,
        position: &G::Position,
        depth: i32,
        beta: Value,
        kind: NodeKind,
        known: &Known,
    ) -> Option<Outcome> {
        let selective = self.options.selective;
        let ply = self.memory.path.len() - 1 - self.root;
        let after_null = self.memory.context(ply).last == G::SLOTS;
        if !selective.null_move || depth < 2 || after_null || known.estimate < beta {
            return None;
        }
        let passed = self.game.null_move(position)?;
        self.prefetch(self.game.key(&passed));
        self.memory.frame(ply).slot = G::SLOTS;
        let barrier = std::mem::replace(&mut self.barrier, self.memory.path.len());
        let shallow = selective.null_move_depth(depth, known.estimate - beta);
        let (low, high) = (child_alpha(beta), child_beta(beta - 1));
        let outcome = self.node::<false>(&passed, shallow, low, high, kind.child(1));
        self.barrier = barrier;
        let value = from_child(outcome.value);
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        // A mate found by a null move proves no mate.
        let value = if is_mate(value) { value.clamp(beta - 1, beta) } else { value };
        if value < beta {
            return None;
        }
        let verified_from = selective.null_move_verification;
        if verified_from == 0 || depth < verified_from || self.no_null_before > 0 {
            return Some(outcome.with_value(value));
        }
        // In zugzwang a null move is better than any move: verify by searching the moves, for some
        // plies without null moves and margins.
        self.no_null_before = ply + 1 + (3 * shallow as usize) / 4;
        let key = self.memory.path.pop().expect("the node itself");
        let verified = self.node::<false>(position, shallow.max(1), beta - 1, beta, kind);
        self.memory.path.push(key);
        self.no_null_before = 0;
        if self.meter.stopped() {
            return Some(Outcome::ABORTED);
        }
        // The cut depends on both searches.
        let mut both = outcome;
        both.join(verified);
        (verified.value >= beta).then_some(both.with_value(value))
    }

    /// Whether a move, or all later quiet moves too, is skipped. `node` is depth, alpha and the
    /// number of quiet moves so far; `forcing` is computed when needed.
    #[inline]
    pub(crate) fn left_out(
        &self,
        position: &G::Position,
        picked: &Picked,
        node: (i32, Value, usize),
        known: &Known,
        forcing: &mut Option<G::Forcing>,
    ) -> LeftOut {
        if known.forced || is_mate(node.1) || !(picked.quiet || picked.losing) {
            return LeftOut::Nothing;
        }
        if self.gives_away(position, picked, node) {
            return LeftOut::ThisMove(-INFINITY);
        }
        let Some(at_most) = self.hopeless(position, picked, node, known) else {
            return LeftOut::Nothing;
        };
        let game = self.game;
        let mut spared = || {
            let forcing = forcing.get_or_insert_with(|| game.forcing(position));
            game.forces(position, forcing, picked.mv)
        };
        if self.options.selective.spare_checks && spared() {
            LeftOut::Nothing
        } else if at_most.all_quiets {
            LeftOut::QuietMoves(at_most.value)
        } else {
            LeftOut::ThisMove(at_most.value)
        }
    }

    /// True if the captures that follow a quiet move lose too much.
    #[inline]
    fn gives_away(
        &self,
        position: &G::Position,
        picked: &Picked,
        (depth, alpha, _): (i32, Value, usize),
    ) -> bool {
        let selective = &self.options.selective;
        selective.least_offer(depth).is_some_and(|least| {
            picked.quiet
                && alpha.abs() < selective.decided
                && !self.game.offer_at_least(position, picked.mv, least)
        })
    }

    /// An upper bound of the remaining quiet moves, if their number or the static value skips all
    /// that do not check. `node` is as in [`Search::left_out`].
    #[inline]
    pub(crate) fn hopeless_quiets(
        &self,
        node: (i32, Value, usize),
        known: &Known,
    ) -> Option<Value> {
        let (depth, alpha, quiets) = node;
        let selective = &self.options.selective;
        if known.forced || alpha.abs() >= selective.decided {
            return None;
        }
        if quiets >= selective.quiet_moves(depth, known.improving) {
            return Some(-INFINITY);
        }
        let value = known.static_value + selective.futility_margin(depth)?;
        (value <= alpha).then_some(value)
    }

    /// An upper bound of a move that is skipped by its number, the static value or its loss; `None`
    /// for a move to search.
    #[inline]
    fn hopeless(
        &self,
        position: &G::Position,
        picked: &Picked,
        node: (i32, Value, usize),
        known: &Known,
    ) -> Option<AtMost> {
        let (depth, alpha, _) = node;
        let selective = &self.options.selective;
        if alpha.abs() >= selective.decided {
            return None;
        }
        if picked.quiet {
            if let Some(value) = self.hopeless_quiets(node, known) {
                return Some(AtMost { value, all_quiets: true });
            }
        }
        let least = selective.least_exchange(depth, picked.quiet)?;
        let sound = self.game.exchange_at_least(position, picked.mv, least);
        (!sound).then_some(AtMost { value: -INFINITY, all_quiets: false })
    }

    /// The bound that no other move may reach if the table move is singular.
    #[inline]
    pub(crate) fn singular_bound(&self, entry: &Entry, depth: i32) -> Option<Value> {
        let from = self.options.selective.singular_extension;
        let known = from > 0
            && depth >= from
            && entry.depth >= depth - SINGULAR_STALENESS
            && entry.lower > -INFINITY
            && !is_mate(entry.lower);
        known.then(|| entry.lower - SINGULAR_MARGIN * depth)
    }
}
