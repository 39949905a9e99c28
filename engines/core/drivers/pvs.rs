//! Principal variation search with aspiration (Marsland and Campbell, 1982; Reinefeld, 1983).
//!
//! Null windows after the first move are searched inside the tree; this file chooses the root's
//! window.

use crate::value::{Bounds, INFINITY, OPEN, Value};

/// Each time a side fails, its distance grows by this factor; beyond [`WIDEST`] it is open.
const GROWTH: Value = 4;
const WIDEST: Value = 1_000;

/// The value of the root. The window is `window` around the previous value less `below`; a side
/// that fails is widened. With `window` 0, or without a previous value, it is open.
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

/// The window with these distances down and up; a side beyond the limit is open.
pub fn around(center: Value, down: Value, up: Value) -> (Value, Value) {
    let alpha = if down > WIDEST { -INFINITY } else { (center - down).max(-INFINITY) };
    let beta = if up > WIDEST { INFINITY } else { (center + up).min(INFINITY) };
    (alpha, beta)
}

/// How far a window reaches beyond the only known bound.
pub struct Reach(Value);

impl Reach {
    /// The first distance in centipawns; 0 is unlimited.
    pub fn new(first: Value) -> Reach {
        Reach(if first == 0 { WIDEST + 1 } else { first })
    }

    /// The window over the remaining interval. A side without a bound moves further away each time.
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
