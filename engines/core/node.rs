//! What the parts of the search share about a node: what it is expected to be, what it answers.

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
