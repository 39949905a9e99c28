//! Principal variation search with aspiration (Marsland and Campbell, 1982; Reinefeld, 1983).
//!
//! The null windows after the first move are searched inside the tree; here the root's window is
//! chosen.

use crate::value::{Bounds, INFINITY, OPEN, Value};

/// Each time a side fails its distance grows by this factor, and beyond [`WIDEST`] it is open.
const GROWTH: Value = 4;
const WIDEST: Value = 1_000;

/// The value of the root. The window lies `window` around the value of the iteration before, less
/// `below`, and the side that fails is moved out; with `window` 0, or no such value, it is open.
pub fn pvs(
    window: Value,
    below: Value,
    previous: Option<Value>,
    mut pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let Some(previous) = previous.filter(|_| window > 0) else {
        return pass(OPEN.0, OPEN.1);
    };
    let center = previous - below;
    let (mut down, mut up) = (window, window);
    loop {
        let (alpha, beta) = around(center, down, up);
        let value = pass(alpha, beta)?;
        if value <= alpha {
            down *= GROWTH;
        } else if value >= beta {
            up *= GROWTH;
        } else {
            return Some(value);
        }
    }
}

/// The window that reaches so far down and up; a side that would reach too far is open.
pub fn around(center: Value, down: Value, up: Value) -> (Value, Value) {
    let alpha = if down > WIDEST { -INFINITY } else { (center - down).max(-INFINITY) };
    let beta = if up > WIDEST { INFINITY } else { (center + up).min(INFINITY) };
    (alpha, beta)
}

/// How far a window reaches beyond the only bound that is known.
pub struct Reach(Value);

impl Reach {
    /// So many centipawns at first; 0 is to the end of all values.
    pub fn new(first: Value) -> Reach {
        Reach(if first == 0 { WIDEST + 1 } else { first })
    }

    /// The window over what the bounds leave open. A side without a bound is further away each time.
    pub fn next(&mut self, bounds: &Bounds) -> (Value, Value) {
        let (mut alpha, mut beta) = (bounds.lower, bounds.upper);
        if self.0 <= WIDEST {
            if bounds.upper == INFINITY {
                beta = (bounds.lower + self.0).clamp(bounds.lower + 1, INFINITY);
            } else if bounds.lower == -INFINITY {
                alpha = (bounds.upper - self.0).max(-INFINITY);
            }
        }
        self.0 *= GROWTH;
        (alpha, beta)
    }
}
