//! MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996).

use crate::value::{INFINITY, Value};

/// The value of the root by null windows alone, from a first guess until the bounds meet.
pub fn mtdf(
    first_guess: Value,
    mut pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let (mut lower, mut upper) = (-INFINITY, INFINITY);
    let mut g = first_guess;
    loop {
        let beta = if g == lower { g + 1 } else { g };
        g = pass(beta - 1, beta)?;
        if g < beta {
            upper = g;
        } else {
            lower = g;
        }
        if lower >= upper {
            return Some(g);
        }
    }
}
