//! Best Node Search: proves the best move, not its value (Rutko, Fuzzified tree search in real
//! domain games, 2011).

use crate::drivers::mtd_best::below;
use crate::drivers::passes::Passes;
use crate::value::{Bounds, INFINITY, Value};

/// Proves a move: a null window on every root move that is not known to be worse, until one alone
/// reaches it or the interval of the root's value is closed. Of tied moves the first in root order
/// is taken; the publication takes the last.
///
/// The next window lies at (n - 1) / n of the interval, where n moves reached the last window that
/// any reached, as published; if an end is unknown, beyond the other one by a step that doubles.
/// Unlike the publication, fail-soft bounds of moves are kept.
///
/// Returns the lower bound of the move: the lower end of the final interval.
pub fn bns(first_guess: Value, grain: Value, root: &mut impl Passes) -> Option<Value> {
    let mut bounds = vec![Bounds::OPEN; root.count()];
    let mut left: Vec<usize> = (0..bounds.len()).collect();
    let mut interval = Bounds::OPEN;
    let (mut test, mut step) = (interval.clamp(first_guess), grain);
    let best = loop {
        let better = better(test, &left, &mut bounds, root)?;
        match better[..] {
            [] => {
                interval.upper = left.iter().map(|&place| bounds[place].upper).max()?.min(test - 1)
            }
            [alone] => break alone,
            _ => {
                let lowest = better.iter().map(|&place| bounds[place].lower).max()?;
                (interval.lower, left) = (lowest.max(test), better);
            }
        }
        if interval.have_met() {
            break highest(&left, &bounds)?;
        }
        test = next(&interval, left.len(), step, grain);
        if !interval.are_finite() {
            step *= 2;
        }
    };
    root.choose(best);
    Some(bounds[best].lower)
}

/// The moves of `left` that reach `test`, by known bounds or a null window.
fn better(
    test: Value,
    left: &[usize],
    bounds: &mut [Bounds],
    root: &mut impl Passes,
) -> Option<Vec<usize>> {
    let mut better = Vec::with_capacity(left.len());
    for &place in left {
        let known = &mut bounds[place];
        let reaches = known.lower >= test
            || (known.upper >= test && known.learn(root.test(place, test)?, test));
        if reaches {
            better.push(place);
        }
    }
    Some(better)
}

/// The first of the moves with the highest lower bound.
fn highest(left: &[usize], bounds: &[Bounds]) -> Option<usize> {
    let most = left.iter().map(|&place| bounds[place].lower).max()?;
    left.iter().copied().find(|&place| bounds[place].lower == most)
}

fn next(interval: &Bounds, count: usize, step: Value, grain: Value) -> Value {
    if interval.lower == -INFINITY {
        return below(interval.upper, step, grain);
    }
    let wanted = if interval.upper == INFINITY {
        interval.lower + step
    } else {
        let count = count as Value;
        interval.lower + (interval.upper + 1 - interval.lower) * (count - 1) / count
    };
    interval.on_grain(wanted, grain)
}
