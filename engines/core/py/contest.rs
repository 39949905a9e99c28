//! A whole game between two searchers, for Python.

use std::sync::atomic::Ordering;

use pyo3::prelude::*;

use super::{PySearcher, limits, micros, wrong};
use crate::contest::Watcher;
use crate::games::seat::{Finish, Seat, check_one_game};
use crate::report::Report;

/// What `play_game` tells: how the game ended, who won by the rules (true for White), what the judge
/// said last, and the columns move
/// (code), value, depth, nodes, passes, time_us, cpu_us, overrun.
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

    fn tell(self, finish: Finish, verdict: Option<Py<PyAny>>) -> Told {
        let Finish { word, winner } = finish;
        let Columns { moves, values, depths, nodes, passes, time_us, cpu_us, overruns } = self;
        (word, winner, verdict, moves, values, depths, nodes, passes, time_us, cpu_us, overruns)
    }
}

/// Plays a game from `fen`; `judge` is asked after each ply that leaves it open, with whether
/// White moved and the value: whatever but None it answers ends the game. In a game of `chess960`
/// castling moves are king takes rook.
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
    check_one_game(&**guards[0], &**guards[1]).map_err(wrong)?;
    for (guard, searcher) in guards.iter_mut().zip([white, black]) {
        stand(&mut ***guard, searcher, fen, chess960)?;
    }
    let white_begins = guards[0].white_to_move();
    // Copies of the guards' targets, for the guards themselves may not leave this thread.
    let [one, two] = &mut guards;
    let (one, two): (&mut dyn Seat, &mut dyn Seat) = (&mut ***one, &mut ***two);
    let mut columns = Columns::default();
    let mut verdict: PyResult<Option<Py<PyAny>>> = Ok(None);
    let finish = py.detach(|| {
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
        let finish = one.contest(two, [&white.stop, &black.stop], limits, watcher);
        signal.map(|()| finish)
    });
    let finish = finish?.map_err(wrong)?;
    Ok(columns.tell(finish, verdict?))
}

/// Makes a searcher stand at a position as in a new game.
fn stand(player: &mut dyn Seat, searcher: &PySearcher, fen: &str, chess960: bool) -> PyResult<()> {
    player.set_position(fen, &[], chess960).map_err(wrong)?;
    player.new_game();
    searcher.stop.store(false, Ordering::Relaxed);
    Ok(())
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
