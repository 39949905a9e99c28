//! From a node to its child: extensions, reductions and re-searches.

use super::Search;
use crate::drivers::Shape;
use crate::game::Game;
use crate::node::{NodeKind, Outcome, TableRules};
use crate::ordering::HISTORY_BOUND;
use crate::selective::ExpectedPv;
use crate::value::{Value, child_alpha, child_beta, from_child};

/// Moves from this number on are late: checks among them are not extended.
const LATE: usize = 3;

/// A move from a node to its child, with what the child's search needs.
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
    /// True for a move that may be reduced when late: quiet, or losing material.
    pub(crate) reducible: bool,
    /// The histories of a quiet move.
    pub(crate) history: i32,
    /// True if the parent had no free choice.
    pub(crate) forced: bool,
    /// True if the parent's static value is better than two plies before.
    pub(crate) improving: bool,
    /// True if the move is extended by one ply.
    pub(crate) singular: bool,
    /// True if the parent is searched to the end of the game without pruning.
    pub(crate) whole: bool,
}

impl<G: Game, R: TableRules> Search<'_, G, R> {
    /// The value of a move for its parent, by searching its child.
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
        // Early moves that force the other side are extended, late ones are not reduced.
        let extended = edge.singular || (checks && !late && selective.check_extension);
        let mut depth = edge.depth - 1 + i32::from(extended);
        if edge.whole {
            depth = self.depth_to_end(child, depth);
        }
        let kind = self.below_root::<EXACT>(edge.kind.child(edge.index));
        let later = edge.kind == NodeKind::Pv && edge.index > 0;
        let shape = self.options.shape;
        let scouts = later && matches!(shape, Shape::Pvs | Shape::NegaScout);
        let beta = if scouts { edge.alpha + 1 } else { edge.beta };

        // A late move is searched at reduced depth first; if that fails high, at full depth, or
        // nearly so at an expected cut node.
        let may_reduce = !EXACT && edge.index > 0 && edge.reducible && !edge.whole;
        if may_reduce && !checks && !extended {
            let reduction = self.reduction(&edge).min(depth - 1);
            if reduction > 0 {
                let outcome = self.visit::<EXACT>(child, depth - reduction, edge.alpha, beta, kind);
                if self.meter.stopped() || outcome.value <= edge.alpha {
                    return outcome;
                }
                if edge.kind == NodeKind::Cut {
                    let shallower = self.options.selective.cut_reduction;
                    if reduction <= shallower {
                        return outcome;
                    }
                    depth -= shallower;
                }
            }
        }
        let outcome = self.visit::<EXACT>(child, depth, edge.alpha, beta, kind);
        let above = edge.alpha < outcome.value;
        let again = (scouts && outcome.value < edge.beta) || (raised && later);
        if above && again && !self.meter.stopped() {
            let kind = self.below_root::<EXACT>(NodeKind::Pv);
            let mut alpha = edge.alpha;
            if scouts && shape == Shape::NegaScout {
                // In a tree of fixed depth without quiescence leaves are exact, so the result of a
                // scout of one or two plies is exact.
                if EXACT && !self.options.quiescence && edge.depth <= 2 {
                    return outcome;
                }
                alpha = outcome.value;
            }
            return self.visit::<EXACT>(child, depth, alpha, edge.beta, kind);
        }
        outcome
    }

    /// The kind of a node below the root, where there may be no expected PV node.
    #[inline(always)]
    fn below_root<const EXACT: bool>(&self, kind: NodeKind) -> NodeKind {
        let none = !EXACT && self.options.selective.expected_pv == ExpectedPv::None;
        if none && kind == NodeKind::Pv { NodeKind::Cut } else { kind }
    }

    /// The reduction of a late move in plies.
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

    /// Searches a child with its parent's window. Returns the value for the parent.
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
        outcome.with_value(from_child(outcome.value))
    }
}
