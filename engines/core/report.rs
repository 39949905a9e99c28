//! What a search tells about itself.

use std::ops::Range;
use std::time::Duration;

use crate::game::Move;
use crate::search::Counts;
use crate::value::Value;

/// One call of the driver: a null window (beta - 1, beta), or an open one.
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
}

/// One depth of iterative deepening.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// The depth.
    pub depth: i32,
    /// The value; of an unfinished iteration what its adopted move proved, or the value of the
    /// iteration before.
    pub value: Value,
    /// Where the pass sequence started, for a driver that guesses.
    pub first_guess: Option<Value>,
    /// The finished passes, as places in [`Report::passes`].
    pub passes: Range<usize>,
    /// Nodes of all kinds.
    pub nodes: u64,
    /// Nodes by kind, and the table's answers.
    pub counts: Counts,
    /// Time of the iteration.
    pub time: Duration,
    /// The best move.
    pub mv: Move,
    /// The principal variation, or nothing where none was asked for.
    pub variation: Vec<Move>,
    /// False when a limit cut it short.
    pub finished: bool,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The best move; none when there is no legal one.
    pub mv: Move,
    /// The value of the last finished iteration, or what the adopted move of an unfinished one
    /// proved.
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
    /// Forgets the last search but keeps the memory for the next.
    pub fn clear(&mut self) {
        let (mut passes, mut iterations) =
            (std::mem::take(&mut self.passes), std::mem::take(&mut self.iterations));
        passes.clear();
        iterations.clear();
        *self = Report { passes, iterations, ..Report::default() };
    }
}
