//! What drivers know, and the root as they see it.

use crate::value::{Bounds, Value};

/// What a driver knows before an iteration.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    /// The first guess, for a driver that uses one.
    pub first_guess: Option<Value>,
    /// The value of the iteration before.
    pub previous: Option<Value>,
    /// Values are multiples of this.
    pub grain: Value,
    /// The value must be found to the last centipawn.
    pub exact: bool,
}

impl Start {
    /// The first guess; 0 for a driver that uses none.
    pub(super) fn guess(self) -> Value {
        self.first_guess.unwrap_or_default()
    }
}

/// What a driver may ask of the root. Each call is `None` when it was stopped.
pub trait Passes {
    /// One pass: the fail-soft value of the root for a window.
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value>;

    /// What is known of the root's value in this iteration by passes of other threads as well. It
    /// contradicts no pass of this iteration.
    fn known(&self) -> Bounds {
        Bounds::OPEN
    }

    /// The number of moves.
    fn count(&self) -> usize;

    /// A pass over one move alone, by the null window at `beta`.
    fn test(&mut self, place: usize, beta: Value) -> Option<Value>;

    /// Tells that the move at this place was proved to be the best; it comes first from now on.
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
