//! The report of a search.

use std::ops::Range;
use std::time::Duration;

use crate::expansions::Expanded;
use crate::game::Move;
use crate::node::Counts;
use crate::value::{INFINITY, Value};

/// One call of the driver, with a null window (beta - 1, beta) or an open one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Values up to this fail low.
    pub alpha: Value,
    /// Values from this fail high.
    pub beta: Value,
    /// The fail-soft value returned.
    pub value: Value,
    /// Nodes of the pass.
    pub nodes: u64,
    /// The only root move searched; none for a pass over all moves.
    pub mv: Move,
    /// The best known root move after the pass.
    pub best: Move,
    /// Table lookups in the pass.
    pub probes: u64,
    /// Table hits in the pass.
    pub hits: u64,
    /// Expanded nodes; none if not counted.
    pub expanded: Option<Expanded>,
}

/// How often a pass of an iteration contradicted an earlier one: its bound crosses the other.
/// Bounds are those of the root, or of the one move searched. This happens in selective search
/// only, and the newer bound counts.
pub fn crossings(passes: &[Pass]) -> u32 {
    let mut known: Vec<(Move, Value, Value)> = Vec::new();
    let mut count = 0;
    for pass in passes {
        let place = known.iter().position(|&(mv, ..)| mv == pass.mv).unwrap_or_else(|| {
            known.push((pass.mv, -INFINITY, INFINITY));
            known.len() - 1
        });
        let (_, lower, upper) = &mut known[place];
        let (is_lower, is_upper) = (pass.value > pass.alpha, pass.value < pass.beta);
        count += u32::from((is_lower && pass.value > *upper) || (is_upper && pass.value < *lower));
        if is_lower {
            *lower = pass.value;
        }
        if is_upper {
            *upper = pass.value;
        }
    }
    count
}

/// One depth of iterative deepening, or one of its lines.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// The depth.
    pub depth: i32,
    /// Number of the line, from 0; it leaves out the moves of earlier lines.
    pub line: usize,
    /// Number of lines at each depth.
    pub lines: usize,
    /// The value; in an unfinished iteration, what its adopted move proved, or the previous value.
    pub value: Value,
    /// The first guess, for drivers that use one.
    pub first_guess: Option<Value>,
    /// The finished passes, as places in [`Report::passes`].
    pub passes: Range<usize>,
    /// Passes that contradicted an earlier one, see [`crossings`].
    pub crossings: u32,
    /// Nodes of all kinds.
    pub nodes: u64,
    /// Nodes by kind and table statistics.
    pub counts: Counts,
    /// Time of the iteration.
    pub time: Duration,
    /// The best move.
    pub mv: Move,
    /// The principal variation, if requested. It starts with the best move, even in an unfinished
    /// iteration.
    pub pv: Vec<Move>,
    /// The greatest distance of a node from the root.
    pub seldepth: usize,
    /// Thousandths of the table that this game has filled; 0 if no variation was requested.
    pub hashfull: u32,
    /// False when a limit cut it short.
    pub finished: bool,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The best move; none if there is no legal move.
    pub mv: Move,
    /// The value of the last finished iteration, or that of the adopted move of an unfinished one.
    pub value: Value,
    /// The depth of the last finished iteration.
    pub depth: i32,
    /// Nodes of all kinds.
    pub nodes: u64,
    /// Time from start to end.
    pub time: Duration,
    /// CPU time of the searching thread in microseconds.
    pub cpu_us: u64,
    /// Nodes beyond the limit.
    pub overrun: u64,
    /// A limit or the stop flag ended the search before its depth.
    pub stopped: bool,
    /// The interruption hook ended the search.
    pub interrupted: bool,
    /// All finished passes.
    pub passes: Vec<Pass>,
    /// The iterations.
    pub iterations: Vec<Iteration>,
}

impl Report {
    /// Clears the report but keeps its memory.
    pub fn clear(&mut self) {
        let (mut passes, mut iterations) =
            (std::mem::take(&mut self.passes), std::mem::take(&mut self.iterations));
        passes.clear();
        iterations.clear();
        *self = Report { passes, iterations, ..Report::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(mv: u16, alpha: Value, beta: Value, value: Value) -> Pass {
        let (mv, best) = (Move(mv), Move::NONE);
        Pass { alpha, beta, value, nodes: 1, mv, best, probes: 0, hits: 0, expanded: None }
    }

    #[test]
    fn contradicting_bounds_are_a_crossing() {
        let agree = [pass(0, 9, 10, 12), pass(0, 19, 20, 15), pass(0, 12, 15, 13)];
        assert_eq!(crossings(&agree), 0);
        let met = [pass(0, 9, 10, 12), pass(0, 12, 13, 12)];
        assert_eq!(crossings(&met), 0, "equal bounds are the value");
        let inverted = [pass(0, 9, 10, 12), pass(0, 12, 13, 11)];
        assert_eq!(crossings(&inverted), 1);
        let aspiration = [pass(0, -25, 25, -30), pass(0, -100, 25, -29)];
        assert_eq!(crossings(&aspiration), 1);
        let moves = [pass(1, 9, 10, 12), pass(2, 12, 13, 3), pass(2, 1, 2, 4), pass(1, 5, 9, 8)];
        assert_eq!(crossings(&moves), 2, "the bounds of each move");
    }
}
