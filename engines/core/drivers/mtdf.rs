//! MTD(f) (Plaat, Schaeffer, Pijls and de Bruin, Artificial Intelligence 87, 1996).

use crate::value::{INFINITY, Value};

/// How the null windows of an iteration move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convergence {
    /// As published: the next window lies at the bound just found.
    Plaat,
    /// Beyond it by a step that doubles with each pass that fails the same way and halves after
    /// the value was crossed.
    Growth,
}

impl Convergence {
    /// The names of all choices.
    pub const NAMES: [&'static str; 2] = ["plaat", "growth"];

    /// The choice of that name.
    pub fn by_name(name: &str) -> Option<Convergence> {
        let place = Convergence::NAMES.iter().position(|&known| known == name)?;
        Some([Convergence::Plaat, Convergence::Growth][place])
    }
}

/// The value of the root by null windows alone, from a first guess until the bounds meet.
///
/// A pass at `beta` either fails high, and what it returns is a lower bound, or low, and it is an
/// upper bound. Bounds move one way only: a selective search may contradict itself, and then the
/// newer bound ends the iteration.
pub fn mtdf(
    first_guess: Value,
    convergence: Convergence,
    mut pass: impl FnMut(Value, Value) -> Option<Value>,
) -> Option<Value> {
    let (mut lower, mut upper) = (-INFINITY, INFINITY);
    let mut beta = first_guess.max(1 - INFINITY);
    let (mut step, mut failed_high) = (1, None);
    loop {
        let g = pass(beta - 1, beta)?;
        let high = g >= beta;
        if high {
            lower = g;
        } else {
            upper = g;
        }
        if lower >= upper {
            return Some(g);
        }
        if convergence == Convergence::Growth {
            step = match failed_high {
                None => step,
                Some(before) if before == high => step * 2,
                Some(_) => (step / 2).max(1),
            };
            failed_high = Some(high);
        }
        beta = if high { (lower + step).min(upper) } else { (upper + 1 - step).max(lower + 1) };
    }
}
