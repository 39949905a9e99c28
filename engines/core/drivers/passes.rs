//! The driver's view of the root and of earlier iterations.

use crate::value::{Bounds, Value};

/// What a driver knows before an iteration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// The first guess, for a driver that uses one.
    pub first_guess: Option<Value>,
    /// The previous value.
    pub previous: Option<Value>,
    /// Values are multiples of this.
    pub grain: Value,
    /// The exact value is required.
    pub exact: bool,
}

impl Start {
    /// The first guess; 0 for a driver that uses none.
    pub(super) fn guess(self) -> Value {
        self.first_guess.unwrap_or_default()
    }
}

/// The root, for a driver. Each call returns `None` if the search was stopped.
pub trait Passes {
    /// One pass: the fail-soft value of the root for a window.
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value>;

    /// Bounds of the root in this iteration, with those of other threads. They contradict no pass
    /// of this iteration.
    fn known(&self) -> Bounds {
        Bounds::OPEN
    }

    /// The number of moves.
    fn count(&self) -> usize;

    /// A pass over one move, with the null window at `beta`.
    fn test(&mut self, place: usize, beta: Value) -> Option<Value>;

    /// Marks the move at this index as proved best; it comes first from now on.
    fn choose(&mut self, place: usize);
}

/// The whole root, to be searched with windows.
pub trait Window {
    /// As [`Passes::pass`].
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value>;

    /// As [`Passes::known`].
    fn known(&self) -> Bounds {
        Bounds::OPEN
    }
}

impl<F: FnMut(Value, Value) -> Option<Value>> Window for F {
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value> {
        self(alpha, beta)
    }
}

/// All moves of a root.
pub struct Whole<'a, P: Passes>(pub &'a mut P);

impl<P: Passes> Window for Whole<'_, P> {
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value> {
        self.0.pass(alpha, beta)
    }

    fn known(&self) -> Bounds {
        self.0.known()
    }
}
