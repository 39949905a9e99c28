//! Node kinds and node results.

use crate::value::{DRAW, INFINITY, Value};

/// The greatest depth of an iteration.
pub const MAX_DEPTH: i32 = 120;
/// Selective search goes no further from the root.
pub(crate) const MAX_PLY: usize = 240;

/// The expected kind of a node.
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

/// How the table may be used. The program uses [`Sound`] only; tests substitute unsound rules and
/// check that they are caught.
pub trait TableRules {
    /// The lower and the upper bound that a fail-soft value proves.
    fn bounds(value: Value, alpha: Value, beta: Value) -> (Value, Value);

    /// True if bounds of one depth may be used for another.
    fn is_usable(exact: bool, stored: i32, wanted: i32) -> bool;
}

/// Sound rules: an upper bound on failing low, a lower bound on failing high, both inside the
/// window; exact mode uses entries of exactly its depth.
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

/// Counts of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Nodes with remaining depth.
    pub interior: u64,
    /// Nodes without remaining depth.
    pub leaves: u64,
    /// Table lookups.
    pub probes: u64,
    /// Table hits.
    pub hits: u64,
    /// Table cuts.
    pub cutoffs: u64,
}

impl Counts {
    /// The sums of both.
    pub fn plus(&self, other: &Counts) -> Counts {
        self.with(other, |one, other| one + other)
    }

    /// Counts since `before`.
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

/// The taint of a value that depends on no draw by the path.
const CLEAN: u32 = u32::MAX;

/// The result of a node: a value with its [taint](crate::search::draws).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) value: Value,
    taint: u32,
}

impl Outcome {
    /// The result of a stopped search; it must not be used.
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

    /// Another value with the same taint.
    #[inline(always)]
    pub(crate) fn with_value(self, value: Value) -> Outcome {
        Outcome { value, ..self }
    }

    /// Adds one more move of a node: the best value counts, with the taint of all.
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

    /// The outcome for the parent of the node at `place`: references to the node or below it are
    /// resolved.
    #[inline(always)]
    pub(crate) fn above(self, place: usize) -> Outcome {
        if self.holds_at(place) { Outcome::clean(self.value) } else { self }
    }
}
