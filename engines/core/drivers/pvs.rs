//! Principal variation search with aspiration (Marsland and Campbell, 1982; Reinefeld, 1983).
//!
//! The null windows after the first move are searched inside the tree; here the root's window is
//! chosen.

use crate::value::{INFINITY, OPEN, Value};

/// Each time a side fails its distance grows by this factor, and beyond [`WIDEST`] it is open.
const GROWTH: Value = 4;
const WIDEST: Value = 1_000;

/// The value of the root. The window lies `window` around the value of the iteration before,
/// and the side that fails is moved out; with `window` 0, or no such value, it is open.
pub fn pvs(
    window: Value,
    previous: Option<Value>,
    mut pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let Some(center) = previous.filter(|_| window > 0) else {
        return pass(OPEN.0, OPEN.1);
    };
    let (mut below, mut above) = (window, window);
    loop {
        let alpha = if below > WIDEST { -INFINITY } else { (center - below).max(-INFINITY) };
        let beta = if above > WIDEST { INFINITY } else { (center + above).min(INFINITY) };
        let value = pass(alpha, beta)?;
        if value <= alpha {
            below *= GROWTH;
        } else if value >= beta {
            above *= GROWTH;
        } else {
            return Some(value);
        }
    }
}
