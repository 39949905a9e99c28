//! What a search does beside plain alpha-beta.

use crate::drivers::Shape;
use crate::ordering::OrderingOptions;
use crate::parallel::Parallel;
use crate::selective::Selectivity;
use crate::table::TableOptions;

/// What the stored bounds of a node's children may do before its moves are searched, from the depth
/// [`Options::enhanced_cuts`] on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildBounds {
    /// The first upper bound that fails high here cuts.
    Cut,
    /// In exact search, all that they tell: the best of those bounds cuts, lower bounds of all
    /// children let the node fail low, and a child that is settled by its own bounds is not visited.
    Settle,
}

impl ChildBounds {
    /// All choices by name.
    pub const CHOICES: [(&'static str, ChildBounds); 2] =
        [("cut", ChildBounds::Cut), ("settle", ChildBounds::Settle)];
}

/// What a search does beside plain alpha-beta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the driver wants the tree searched.
    pub shape: Shape,
    /// Search captures at the leaves until the position is quiet.
    pub quiescence: bool,
    /// What selective search does.
    pub selective: Selectivity,
    /// Which memories order moves, in exact search too.
    pub ordering: OrderingOptions,
    /// What the table keeps, and what makes room.
    pub table: TableOptions,
    /// Depth from which the table's bounds of the children may cut a node; 0 is never.
    pub enhanced_cuts: i32,
    /// What these bounds may do.
    pub child_bounds: ChildBounds,
    /// In exact search, keep the bounds of quiescence nodes in the table.
    pub leaf_bounds: bool,
    /// A node that fails low keeps the move of the best value in the table, not the move that was
    /// there.
    pub best_of_low: bool,
    /// Search a node without a table move shallower first.
    pub internal_deepening: bool,
    /// Plies from one iteration to the next. The depth of the limit is always searched, and depth 1.
    pub depth_step: i32,
    /// Threads of a search, the main thread among them.
    pub threads: usize,
    /// How several threads share a search.
    pub parallel: Parallel,
}

impl Options {
    /// Nothing beside plain alpha-beta, without quiescence.
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
