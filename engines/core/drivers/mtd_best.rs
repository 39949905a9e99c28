//! MTD(best): proves the best move, not its value (Plaat, Schaeffer, Pijls and de Bruin, 1996,
//! after the stop criterion of Berliner's B*, 1979).

use crate::drivers::passes::Passes;
use crate::value::{Bounds, MATE, MATE_BOUND, Value, ceil_to_grain};

/// Proves a move: its lower bound is at least every other move's upper bound. The strategy is
/// "disprove the rest": find the first move that reaches the first guess, lowered by doubling steps
/// while none does; then search every other move with a null window just above its bound. A move
/// that fails high replaces it. Ties do not, so the proof always ends.
///
/// Returns the lower bound of the move, which is also a lower bound of the root's value.
pub fn mtd_best(first_guess: Value, grain: Value, root: &mut impl Passes) -> Option<Value> {
    let mut bounds = vec![Bounds::OPEN; root.count()];
    let mut best = raised(first_guess, grain, &mut bounds, root)?;
    while let Some(rival) = rival(best, &bounds) {
        let beta = bounds[best].lower + 1;
        let value = root.test(rival, beta)?;
        if bounds[rival].learn(value, beta) {
            best = rival;
        }
    }
    root.choose(best);
    Some(bounds[best].lower)
}

/// The first move that may be better than `best`.
fn rival(best: usize, bounds: &[Bounds]) -> Option<usize> {
    let least = bounds[best].lower;
    (0..bounds.len()).find(|&place| place != best && bounds[place].upper > least)
}

/// The first move found that fails high, from the first guess downwards.
fn raised(
    first_guess: Value,
    grain: Value,
    bounds: &mut [Bounds],
    root: &mut impl Passes,
) -> Option<usize> {
    let (mut beta, mut step) = (Bounds::OPEN.clamp(first_guess), grain);
    loop {
        for (place, known) in bounds.iter_mut().enumerate() {
            if known.upper >= beta && known.learn(root.test(place, beta)?, beta) {
                return Some(place);
            }
        }
        let upper = bounds.iter().map(|known| known.upper).max().unwrap_or(beta - 1);
        beta = below(upper, step, grain);
        step *= 2;
    }
}

/// The beta `step` below an upper bound, on the grain. It stays above mates as long as the bound
/// does, because the bound that it proves may be reported.
pub fn below(upper: Value, step: Value, grain: Value) -> Value {
    let floor = if upper > -MATE_BOUND { -MATE_BOUND } else { -MATE };
    ceil_to_grain(upper + 1 - step, grain).clamp(floor, upper)
}
