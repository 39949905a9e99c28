//! What the parts of the search share about a node: how it is searched, what it is expected to be,
//! what it answers.

use crate::ordering::OrderingOptions;
use crate::parallel::Parallel;
use crate::selective::Selectivity;
use crate::table::TableOptions;
use crate::value::{DRAW, INFINITY, Value};

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = 120;
/// Selective search goes no further from the root.
pub(crate) const MAX_PLY: usize = 240;

/// What a node is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// On the principal variation.
    Pv,
    /// One of its moves will fail high.
    Cut,
    /// All its moves will fail low.
    All,
}

impl NodeKind {
    /// The kind of the child that the move number `index` leads to.
    #[inline(always)]
    pub(crate) fn child(self, index: usize) -> NodeKind {
        match self {
            NodeKind::Pv if index == 0 => NodeKind::Pv,
            NodeKind::Pv | NodeKind::All => NodeKind::Cut,
            NodeKind::Cut => NodeKind::All,
        }
    }
}

/// How the tree is searched below the root, which follows from the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Every move with the whole window.
    AlphaBeta,
    /// Null windows after the first move of an expected PV node, and a whole one for what raises
    /// alpha there, as in PVS.
    Pvs,
    /// As PVS, but what raises alpha is searched again from the value it returned, and not at all
    /// where that is exact (Reinefeld, 1983).
    NegaScout,
    /// Every move with an open window, nothing cut, no table.
    Minimax,
}

/// How the table may be used. The product knows only [`Sound`]; tests put unsound rules in its
/// place and demand that they are caught.
pub trait TableRules {
    /// The lower and the upper bound that a fail-soft value proves.
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value);

    /// True when bounds that were stored for one depth may stand for another.
    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool;
}

/// The rules that keep every value right: on failing low an upper bound, on failing high a lower
/// bound, both only inside the window; in exact mode entries count at exactly their depth.
pub struct Sound;

impl TableRules for Sound {
    #[inline(always)]
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value) {
        let lower = if value > alpha { value } else { -INFINITY };
        let upper = if value < beta { value } else { INFINITY };
        (lower, upper)
    }

    #[inline(always)]
    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool {
        if exact { stored == wanted } else { stored >= wanted }
    }
}

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

/// What was counted in a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes with remaining depth.
    pub interior: u64,
    /// Nodes without.
    pub leaves: u64,
    /// Table: looked up.
    pub probes: u64,
    /// Table: found.
    pub hits: u64,
    /// Table: found and returned at once.
    pub cutoffs: u64,
}

impl Counts {
    /// The sums of both.
    pub fn plus(&self, other: &Counts) -> Counts {
        self.with(other, |one, other| one + other)
    }

    /// What was counted since `before`.
    pub fn since(&self, before: &Counts) -> Counts {
        self.with(before, |now, before| now - before)
    }

    fn with(&self, other: &Counts, how: impl Fn(u64, u64) -> u64) -> Counts {
        Counts {
            interior: how(self.interior, other.interior),
            leaves: how(self.leaves, other.leaves),
            probes: how(self.probes, other.probes),
            hits: how(self.hits, other.hits),
            cutoffs: how(self.cutoffs, other.cutoffs),
        }
    }
}

/// The taint of a value that rests on no draw by the path.
const CLEAN: u32 = u32::MAX;

/// What a node answers: a value with its [taint](crate::search::draws).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) value: Value,
    taint: u32,
}

impl Outcome {
    /// What a stopped search returns; nobody may look at it.
    pub(crate) const ABORTED: Outcome = Outcome { value: 0, taint: 0 };
    /// Before any move was searched.
    pub(crate) const NOTHING: Outcome = Outcome { value: -INFINITY, taint: CLEAN };

    /// A value that holds on every path.
    #[inline(always)]
    pub(crate) fn clean(value: Value) -> Outcome {
        Outcome { value, taint: CLEAN }
    }

    /// A draw that refers to the position at this place on the path.
    #[inline(always)]
    pub(crate) fn drawn_since(place: usize) -> Outcome {
        Outcome { value: DRAW, taint: place as u32 }
    }

    /// Another value that rests on the same.
    #[inline(always)]
    pub(crate) fn with_value(self, value: Value) -> Outcome {
        Outcome { value, ..self }
    }

    /// Takes one more move of a node into account: the best counts, and all are rested on.
    #[inline(always)]
    pub(crate) fn join(&mut self, other: Outcome) {
        self.value = self.value.max(other.value);
        self.taint = self.taint.min(other.taint);
    }

    /// True when the value holds on every path to the node at `place`.
    #[inline(always)]
    pub(crate) fn holds_at(self, place: usize) -> bool {
        self.taint as usize >= place
    }

    /// The outcome as seen above the node at `place`: what refers to the node itself or to
    /// positions below it is settled.
    #[inline(always)]
    pub(crate) fn above(self, place: usize) -> Outcome {
        if self.holds_at(place) { Outcome::clean(self.value) } else { self }
    }
}
