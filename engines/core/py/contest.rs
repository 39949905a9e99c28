//! A whole game between two searchers, for Python.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;

use super::{PySearcher, limits, micros, wrong};
use crate::contest::{Ended, Watcher};
use crate::games::seat::Seat;
use crate::report::Report;

/// The result of `play_game`: the ending, whether White won by the rules (`None` for nobody), the
/// judge's last answer, and the columns move (code), value, depth, nodes, passes, time_us, cpu_us,
/// overrun.
type Told = (
    &'static str,
    Option<bool>,
    Option<Py<PyAny>>,
    Vec<u16>,
    Vec<i32>,
    Vec<i32>,
    Vec<u64>,
    Vec<usize>,
    Vec<u64>,
    Vec<u64>,
    Vec<u64>,
);

/// The searches of a game by column.
#[derive(Default)]
struct Columns {
    moves: Vec<u16>,
    values: Vec<i32>,
    depths: Vec<i32>,
    nodes: Vec<u64>,
    passes: Vec<usize>,
    time_us: Vec<u64>,
    cpu_us: Vec<u64>,
    overruns: Vec<u64>,
}

impl Columns {
    fn push(&mut self, report: &Report) {
        self.moves.push(report.mv.0);
        self.values.push(report.value);
        self.depths.push(report.depth);
        self.nodes.push(report.nodes);
        self.passes.push(report.passes.len());
        self.time_us.push(micros(report.time));
        self.cpu_us.push(report.cpu_us);
        self.overruns.push(report.overrun);
    }

    fn tell(self, ended: &'static str, winner: Option<bool>, verdict: Option<Py<PyAny>>) -> Told {
        let Columns { moves, values, depths, nodes, passes, time_us, cpu_us, overruns } = self;
        (ended, winner, verdict, moves, values, depths, nodes, passes, time_us, cpu_us, overruns)
    }
}

/// Plays a game from `fen`. After each ply that does not end it, `judge` is called with whether
/// White moved and the value; any answer but None ends the game. With `chess960` castling moves are
/// king takes rook.
#[pyfunction]
#[pyo3(signature = (white, black, fen, judge, nodes = None, depth = None, chess960 = false))]
pub fn play_game(
    white: &Bound<'_, PySearcher>,
    black: &Bound<'_, PySearcher>,
    fen: &str,
    judge: Py<PyAny>,
    nodes: Option<i64>,
    depth: Option<i64>,
    chess960: bool,
) -> PyResult<Told> {
    let py = white.py();
    if white.is(black) {
        return Err(wrong("a searcher cannot play itself"));
    }
    let limits = limits(nodes, depth, None, None, None)?;
    let (white, black) = (white.get(), black.get());
    let mut guards = [white.idle()?, black.idle()?];
    for (guard, searcher) in guards.iter_mut().zip([white, black]) {
        guard.new_game();
        guard.set_position(fen, &[], chess960).map_err(wrong)?;
        searcher.stop.store(false, Ordering::Relaxed);
    }
    let white_begins = guards[0].white_to_move();
    // Copies of the guards' targets, because the guards themselves are not `Send`.
    let [one, two] = &mut guards;
    let (one, two): (&mut dyn Seat, &mut dyn Seat) = (&mut ***one, &mut ***two);
    let mut columns = Columns::default();
    let mut verdict: PyResult<Option<Py<PyAny>>> = Ok(None);
    let ended = py.detach(|| {
        let mut signal: PyResult<()> = Ok(());
        let watcher = Watcher {
            hook: &mut || {
                signal = Python::attach(|py| py.check_signals());
                signal.is_err()
            },
            on_ply: &mut |mover, report, ending| {
                columns.push(report);
                if ending.is_some() {
                    return false;
                }
                let by_white = (mover == 0) == white_begins;
                verdict = Python::attach(|py| ask(py, &judge, by_white, report));
                !matches!(verdict, Ok(None))
            },
        };
        let ended = if white_begins {
            one.contest(two, [&white.stop, &black.stop], limits, watcher)
        } else {
            two.contest(one, [&black.stop, &white.stop], limits, watcher)
        };
        signal.map(|()| ended)
    });
    let ended = ended?.ok_or_else(|| wrong("the two searchers play two games"))?;
    let white_to_move = guards[0].white_to_move();
    let winner = match ended {
        Ended::Lost => Some(!white_to_move),
        Ended::Won => Some(white_to_move),
        _ => None,
    };
    let word = match ended {
        Ended::Judged => "judged",
        Ended::Failed => "failed",
        Ended::Illegal => "illegal",
        // Raise what interrupted it.
        Ended::Interrupted => "interrupted",
        ended => guards[0].word(ended),
    };
    Ok(columns.tell(word, winner, verdict?))
}

fn ask(
    py: Python<'_>,
    judge: &Py<PyAny>,
    white: bool,
    report: &Report,
) -> PyResult<Option<Py<PyAny>>> {
    py.check_signals()?;
    let verdict = judge.bind(py).call1((white, report.value))?;
    Ok((!verdict.is_none()).then(|| verdict.unbind()))
}
