//! NegaScout as published (Reinefeld, 1983): an open window at the root; its null windows and
//! searches again are inside the tree ([`Shape::NegaScout`](crate::drivers::Shape)).

use crate::value::{OPEN, Value};

/// The value of the root by one open pass.
pub fn negascout(mut pass: impl FnMut(Value, Value) -> Option<Value>) -> Option<Value> {
    pass(OPEN.0, OPEN.1)
}
