//! The root as drivers see it.

use crate::value::Value;

/// What a driver may ask of the root. Each call is `None` when it was stopped.
pub trait Passes {
    /// One pass: the fail-soft value of the root for a window.
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value>;

    /// The number of moves.
    fn count(&self) -> usize;

    /// A pass over one move alone, by the null window at `beta`.
    fn test(&mut self, place: usize, beta: Value) -> Option<Value>;

    /// Tells that the move at this place was proved to be the best; it comes first from now on.
    fn choose(&mut self, place: usize);
}
