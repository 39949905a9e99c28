//! Minimax (Shannon, 1950): one open pass over a tree that cuts nothing
//! ([`Shape::Minimax`](crate::drivers::Shape)).

use crate::value::{OPEN, Value};

/// The value of the root by one pass.
pub fn minimax(mut pass: impl FnMut(Value, Value) -> Option<Value>) -> Option<Value> {
    pass(OPEN.0, OPEN.1)
}
