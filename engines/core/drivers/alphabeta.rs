//! Alpha-beta: one pass with an open window (Knuth and Moore, 1975).

use crate::value::{OPEN, Value};

/// The value of the root by one open pass.
pub fn alphabeta(mut pass: impl FnMut(Value, Value) -> Option<Value>) -> Option<Value> {
    pass(OPEN.0, OPEN.1)
}
