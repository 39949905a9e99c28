//! Options of a search besides plain alpha-beta.

use crate::drivers::Shape;
use crate::ordering::OrderingOptions;
use crate::parallel::Parallel;
use crate::selective::Selectivity;
use crate::table::TableOptions;

/// How stored bounds of children are used before a node's moves, from depth
/// [`Options::enhanced_cuts`] on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildBounds {
    /// The first upper bound that fails high here cuts.
    Cut,
    /// In exact search, all of them: the best bound cuts, bounds of all children let the node fail
    /// low, and a child settled by its own bounds is not visited.
    Settle,
}

impl ChildBounds {
    /// All choices by name.
    pub const CHOICES: [(&'static str, ChildBounds); 2] =
        [("cut", ChildBounds::Cut), ("settle", ChildBounds::Settle)];
}

/// Options of a search besides plain alpha-beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The driver's tree search.
    pub shape: Shape,
    /// Search captures at the leaves until the position is quiet.
    pub quiescence: bool,
    /// The selective features.
    pub selective: Selectivity,
    /// The memories that order moves, in exact search too.
    pub ordering: OrderingOptions,
    /// The rules of the table.
    pub table: TableOptions,
    /// Depth from which the table's bounds of the children may cut a node; 0 is never.
    pub enhanced_cuts: i32,
    /// How these bounds are used.
    pub child_bounds: ChildBounds,
    /// In exact search, keep the bounds of quiescence nodes in the table.
    pub leaf_bounds: bool,
    /// A node that fails low stores the move of the best value, instead of keeping the stored move.
    pub best_of_low: bool,
    /// Search a node without a table move shallower first.
    pub internal_deepening: bool,
    /// Plies from one iteration to the next. Depth 1 and the depth of the limit are always
    /// searched.
    pub depth_step: i32,
    /// Threads of a search, including the main one.
    pub threads: usize,
    /// How several threads share a search.
    pub parallel: Parallel,
}

impl Options {
    /// Plain alpha-beta without quiescence.
    pub const PLAIN: Options = Options {
        shape: Shape::AlphaBeta,
        quiescence: false,
        selective: Selectivity::OFF,
        ordering: OrderingOptions::ALL,
        table: TableOptions::BEST,
        enhanced_cuts: 0,
        child_bounds: ChildBounds::Cut,
        leaf_bounds: false,
        best_of_low: false,
        internal_deepening: false,
        depth_step: 1,
        threads: 1,
        parallel: Parallel::Lazy,
    };
}
