//! The Python interface.

mod contest;
mod info;
mod lines;
mod pipe;
mod plies;
mod rules;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::drivers::Driver;
use crate::game::{Game, Move};
use crate::games::chess::{Chess, Evaluation, move_from_uci, position_from_fen};
use crate::games::seat::Seat;
use crate::limits::{Limits, Request, Watch};
use crate::options::Options;
use crate::parameters::{self, Kind, Raw, Settings};
use crate::report::{Iteration, Report};
use crate::table::{Table, TableSize};
use crate::value::Value;

/// The native core of `mtdf`.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::contest::play_game;
    #[pymodule_export]
    use super::info::last_info;
    #[pymodule_export]
    use super::lines::follow_lines;
    #[pymodule_export]
    use super::pipe::read_answer;
    #[pymodule_export]
    use super::plies::play_plies;
    #[pymodule_export]
    use super::rules::PyChessRules;
    #[pymodule_export]
    use super::{
        PySearcher, bench, build_profile, chess_version, evaluate, minimax, parameters_of_drivers,
        perft, quiesce, see, version,
    };
}

/// Interval at which plain minimax checks for interruption.
const NODES_BETWEEN_SIGNALS: u64 = 1 << 18;

fn wrong(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}

/// The version of the core.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// `release` or `debug`.
#[pyfunction]
fn build_profile() -> &'static str {
    if cfg!(debug_assertions) { "debug" } else { "release" }
}

/// The version of the crate `cozy-chess`, on which chess is built.
#[pyfunction]
fn chess_version() -> &'static str {
    "0.3.4"
}

/// Each driver's parameters: names and domains, as fields of `engines.spec.Param`.
#[pyfunction(name = "parameters")]
fn parameters_of_drivers(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let drivers = PyDict::new(py);
    for driver in parameters::drivers() {
        let names = PyDict::new(py);
        for (name, kind) in parameters::parameters(driver).map_err(wrong)? {
            names.set_item(name, kind_dict(py, kind)?)?;
        }
        drivers.set_item(driver, names)?;
    }
    Ok(drivers)
}

fn kind_dict(py: Python<'_>, kind: Kind) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    match kind {
        Kind::Flag => fields.set_item("kind", "flag")?,
        Kind::Int(low, high) => {
            fields.set_item("kind", "int")?;
            fields.set_item("low", low)?;
            fields.set_item("high", high)?;
        }
        Kind::Float(low, high) => {
            fields.set_item("kind", "float")?;
            fields.set_item("low", low)?;
            fields.set_item("high", high)?;
        }
        Kind::Choice(names) => {
            fields.set_item("kind", "choice")?;
            fields.set_item("choices", PyTuple::new(py, names)?)?;
        }
    }
    Ok(fields)
}

/// The number of leaves of the tree of legal moves.
#[pyfunction]
#[pyo3(signature = (fen, depth, chess960 = false, game = "chess"))]
fn perft(py: Python<'_>, fen: &str, depth: u32, chess960: bool, game: &str) -> PyResult<u64> {
    let seat = seat_at(game, ("pst", 1, 0), false, (fen, chess960))?;
    Ok(py.detach(move || seat.perft(depth)))
}

/// The static value for the side to move.
#[pyfunction]
#[pyo3(signature = (fen, evaluation, grain, game = "chess"))]
fn evaluate(fen: &str, evaluation: &str, grain: Value, game: &str) -> PyResult<Value> {
    Ok(seat_at(game, (evaluation, grain, 0), false, (fen, false))?.static_value())
}

/// The static exchange value of a legal move of chess.
#[pyfunction]
fn see(fen: &str, uci: &str) -> PyResult<Value> {
    let evaluation = Evaluation::pst();
    let position = position_from_fen(fen, evaluation).map_err(wrong)?;
    let mv = move_from_uci(uci).filter(|&mv| Chess::new(evaluation, 1).is_legal(&position, mv));
    let mv = mv.ok_or_else(|| wrong(format!("`{uci}` is not a legal move in `{fen}`")))?;
    Ok(crate::games::chess::see(&position, mv, evaluation))
}

/// The value of exact quiescence with an open window.
#[pyfunction]
#[pyo3(signature = (fen, evaluation, grain, game = "chess"))]
fn quiesce(
    py: Python<'_>,
    fen: &str,
    evaluation: &str,
    grain: Value,
    game: &str,
) -> PyResult<Value> {
    let mut seat = seat_at(game, (evaluation, grain, 0), true, (fen, false))?;
    Ok(py.detach(|| seat.quiescence_value()))
}

/// The value of a tree of fixed depth by plain minimax: the oracle of the tests.
#[pyfunction]
#[pyo3(signature = (fen, depth, evaluation, grain, quiescence, swing=0, game = "chess"))]
#[allow(clippy::too_many_arguments)]
fn minimax(
    py: Python<'_>,
    fen: &str,
    depth: u32,
    evaluation: &str,
    grain: Value,
    quiescence: bool,
    swing: Value,
    game: &str,
) -> PyResult<Value> {
    let seat = seat_at(game, (evaluation, grain, swing), quiescence, (fen, false))?;
    let (mut nodes, mut signal) = (0u64, None);
    let mut interrupted = || {
        nodes += 1;
        if nodes % NODES_BETWEEN_SIGNALS == 0 {
            signal = Python::attach(|py| py.check_signals()).err();
        }
        signal.is_some()
    };
    let walk: &mut (dyn FnMut() -> bool + Send) = &mut interrupted;
    let value = py.detach(move || seat.minimax(depth, quiescence, walk));
    match (value, signal) {
        (Some(value), None) => Ok(value),
        (_, signal) => Err(signal.unwrap_or_else(|| wrong("the oracle was interrupted"))),
    }
}

/// A player without a table at a position (text, Chess960), with evaluation, grain and swing.
fn seat_at(
    game: &str,
    (evaluation, grain, swing): (&str, Value, Value),
    quiescence: bool,
    (text, chess960): (&str, bool),
) -> PyResult<Box<dyn Seat>> {
    let valued = parameters::game(game, evaluation, grain, swing).map_err(wrong)?;
    let options = Options { quiescence, ..Options::PLAIN };
    let table = Table::new(TableSize::Entries(0), options.table);
    let mut seat = valued.seat(Driver::AlphaBeta, options, table);
    seat.set_position(text, &[], chess960).map_err(wrong)?;
    Ok(seat)
}

/// A search of the bench: position, variant, mode, nodes and value.
type Searched = (&'static str, &'static str, &'static str, u64, Value);

/// The bench searches of a game; they hash to its signature.
#[pyfunction]
#[pyo3(signature = (game = "chess"))]
fn bench(py: Python<'_>, game: &str) -> PyResult<Vec<Searched>> {
    let valued = parameters::game(game, "pst", 1, 0).map_err(wrong)?;
    let table = Table::new(TableSize::Entries(0), Options::PLAIN.table);
    let seat = valued.seat(Driver::AlphaBeta, Options::PLAIN, table);
    let rows = py.detach(move || seat.bench());
    let told = rows.into_iter().map(|row| (row.fen, row.variant, row.mode, row.nodes, row.value));
    Ok(told.collect())
}

/// The result of `Searcher.go`: move, value, depth, nodes, passes, time_us, cpu_us, overrun.
type Told = (u16, Value, i32, u64, usize, u64, u64, u64);

/// A player: position, table, histories. One thread may search while others call `stop`.
#[pyclass(frozen, name = "Searcher", module = "engines._core")]
struct PySearcher {
    player: Mutex<Box<dyn Seat>>,
    /// Stays set until it ends a search or the position changes, so that a stop just before a
    /// search is not lost.
    stop: AtomicBool,
}

#[pymethods]
impl PySearcher {
    #[new]
    #[pyo3(signature = (driver, parameters, old = None))]
    fn new(
        driver: &str,
        parameters: &Bound<'_, PyDict>,
        old: Option<&PySearcher>,
    ) -> PyResult<PySearcher> {
        let mut values = Vec::with_capacity(parameters.len());
        for (name, value) in parameters {
            values.push((name.extract::<String>()?, raw(&value)?));
        }
        let Settings { driver, table: size, game, options } =
            parameters::parse(driver, &values).map_err(wrong)?;
        let table = match old {
            Some(old) => old.idle()?.take_table().renewed(size, options.table),
            None => Table::new(size, options.table),
        };
        let player = Mutex::new(game.seat(driver, options, table));
        Ok(PySearcher { player, stop: AtomicBool::new(false) })
    }

    /// Clears everything learned; the position stays.
    fn new_game(&self) -> PyResult<()> {
        self.idle()?.new_game();
        self.stop.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// Sets the position `fen` after `moves`; unchanged on an error. In Chess960 castling moves are
    /// king takes rook until another position is set.
    #[pyo3(
        signature = (fen, moves = Vec::new(), chess960 = false),
        text_signature = "($self, fen, moves=(), chess960=False)"
    )]
    fn set_position(&self, fen: &str, moves: Vec<u16>, chess960: bool) -> PyResult<()> {
        self.stop.store(false, Ordering::Relaxed);
        let moves: Vec<Move> = moves.into_iter().map(Move).collect();
        self.idle()?.set_position(fen, &moves, chess960).map_err(wrong)
    }

    /// Plays one legal move.
    #[pyo3(name = "push")]
    fn play(&self, mv: u16) -> PyResult<()> {
        self.stop.store(false, Ordering::Relaxed);
        self.idle()?.push(Move(mv)).map_err(wrong)
    }

    /// True if `mv`, which may be any code, is legal.
    #[pyo3(text_signature = "($self, mv)")]
    fn is_legal(&self, mv: u16) -> PyResult<bool> {
        Ok(self.idle()?.is_legal(Move(mv)))
    }

    /// Searches and returns (move, value, depth, nodes, passes, time_us, cpu_us, overrun).
    #[pyo3(signature = (
        nodes = None, depth = None, soft_ms = None, hard_ms = None, cpu_ms = None,
    ))]
    fn go(
        &self,
        py: Python<'_>,
        nodes: Option<i64>,
        depth: Option<i64>,
        soft_ms: Option<i64>,
        hard_ms: Option<i64>,
        cpu_ms: Option<i64>,
    ) -> PyResult<Told> {
        let limits = limits(nodes, depth, soft_ms, hard_ms, cpu_ms)?;
        let request = Request { limits, ..Request::default() };
        self.run(py, &request, None, |seat| {
            let report = seat.report();
            if report.mv.is_none() {
                return Err(wrong("there is no legal move to search"));
            }
            let time_us = micros(report.time);
            Ok((
                report.mv.0,
                report.value,
                report.depth,
                report.nodes,
                report.passes.len(),
                time_us,
                report.cpu_us,
                report.overrun,
            ))
        })
    }

    /// Searches and returns all fields of `engines.spec.SearchResult`. Calls `on_iteration` after
    /// each iteration.
    #[pyo3(signature = (
        nodes = None, depth = None, soft_ms = None, hard_ms = None, cpu_ms = None, exact = false,
        first_guess = None, on_iteration = None, expansions = false, root_moves = Vec::new(),
        lines = 1,
    ), text_signature = "($self, nodes=None, depth=None, soft_ms=None, hard_ms=None, \
        cpu_ms=None, exact=False, first_guess=None, on_iteration=None, expansions=False, \
        root_moves=(), lines=1)")]
    #[allow(clippy::too_many_arguments)]
    fn search<'py>(
        &self,
        py: Python<'py>,
        nodes: Option<i64>,
        depth: Option<i64>,
        soft_ms: Option<i64>,
        hard_ms: Option<i64>,
        cpu_ms: Option<i64>,
        exact: bool,
        first_guess: Option<Value>,
        on_iteration: Option<Bound<'py, PyAny>>,
        expansions: bool,
        root_moves: Vec<u16>,
        lines: usize,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = limits(nodes, depth, soft_ms, hard_ms, cpu_ms)?;
        if let Some(guess) = first_guess.filter(|guess| guess.abs() > crate::value::MATE) {
            return Err(wrong(format!("first_guess={guess} is not a value")));
        }
        let root_moves: Vec<Move> = root_moves.into_iter().map(Move).collect();
        if let Some(&mv) = root_moves.iter().find(|mv| !self.is_legal(mv.0).unwrap_or(false)) {
            let seat = self.idle()?;
            let (name, place) = (seat.move_name(mv), seat.text());
            return Err(wrong(format!("`{name}` is not a legal move in `{place}`")));
        }
        let root_moves = root_moves.as_slice();
        let request =
            Request { limits, exact, first_guess, variations: true, expansions, root_moves, lines };
        let callback = on_iteration.map(Bound::unbind);
        self.run(py, &request, callback, |seat| report_dict(py, seat))
    }

    /// Ends a running search soon; callable from another thread.
    #[pyo3(name = "stop")]
    fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl PySearcher {
    /// The player, unless it is searching.
    fn idle(&self) -> PyResult<MutexGuard<'_, Box<dyn Seat>>> {
        self.player.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => PyRuntimeError::new_err("a search is still running"),
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("the core failed in a search"),
        })
    }

    /// One search without the GIL; signals are checked about 20 times a second.
    fn run<T>(
        &self,
        py: Python<'_>,
        request: &Request<'_>,
        on_iteration: Option<Py<PyAny>>,
        tell: impl FnOnce(&dyn Seat) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut player = self.idle()?;
        // A copy of the guard's target, because the guard itself is not `Send`.
        let searching: &mut dyn Seat = &mut **player;
        let name = searching.namer();
        let error = py.detach(|| {
            let mut signal: Option<PyErr> = None;
            let mut raised: Option<PyErr> = None;
            let watch = Watch {
                stop: &self.stop,
                hook: &mut || {
                    signal = Python::attach(|py| py.check_signals()).err();
                    signal.is_some()
                },
                on_iteration: &mut |report| {
                    let Some(callback) = &on_iteration else { return false };
                    raised = Python::attach(|py| show(py, callback, report, name)).err();
                    raised.is_some()
                },
            };
            let search = AssertUnwindSafe(|| {
                searching.search(request, watch);
            });
            match catch_unwind(search) {
                Ok(()) => signal.or(raised),
                Err(_) => Some(PyRuntimeError::new_err("the core failed; this is a bug")),
            }
        });
        self.stop.store(false, Ordering::Relaxed);
        match error {
            Some(error) => Err(error),
            None => tell(&**player),
        }
    }
}

/// Names moves.
type Namer = fn(Move) -> String;

fn show(py: Python<'_>, callback: &Py<PyAny>, report: &Report, name: Namer) -> PyResult<()> {
    let last = report.iterations.last().expect("shown after an iteration");
    callback.call1(py, (iteration_dict(py, report, last, name)?,)).map(|_| ())
}

fn micros(time: Duration) -> u64 {
    time.as_micros() as u64
}

/// A parameter's value. The order matters: Python's booleans are integers.
fn raw(value: &Bound<'_, PyAny>) -> PyResult<Raw> {
    if value.is_instance_of::<PyBool>() {
        Ok(Raw::Flag(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        Ok(Raw::Int(value.extract()?))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Raw::Float(value.extract()?))
    } else if value.is_instance_of::<PyString>() {
        Ok(Raw::Text(value.extract()?))
    } else {
        Err(wrong(format!("a parameter cannot have the value {value}")))
    }
}

fn limits(
    nodes: Option<i64>,
    depth: Option<i64>,
    soft_ms: Option<i64>,
    hard_ms: Option<i64>,
    cpu_ms: Option<i64>,
) -> PyResult<Limits> {
    let number = |name: &str, value: Option<i64>| match value {
        None => Ok(None),
        Some(value) => match u64::try_from(value) {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(wrong(format!("{name}={value} is negative"))),
        },
    };
    let time = |name, value| Ok::<_, PyErr>(number(name, value)?.map(Duration::from_millis));
    Ok(Limits {
        nodes: number("nodes", nodes)?,
        depth: number("depth", depth)?.map(|depth| depth.min(u64::from(u32::MAX)) as u32),
        soft: time("soft_ms", soft_ms)?,
        hard: time("hard_ms", hard_ms)?,
        cpu: time("cpu_ms", cpu_ms)?,
    })
}

fn report_dict<'py>(py: Python<'py>, seat: &dyn Seat) -> PyResult<Bound<'py, PyDict>> {
    let (report, name) = (seat.report(), seat.namer());
    let fields = PyDict::new(py);
    let mv = (!report.mv.is_none()).then(|| name(report.mv));
    fields.set_item("move", mv)?;
    fields.set_item("value", report.value)?;
    fields.set_item("depth", report.depth)?;
    fields.set_item("nodes", report.nodes)?;
    fields.set_item("time_us", micros(report.time))?;
    fields.set_item("cpu_us", report.cpu_us)?;
    fields.set_item("passes", report.passes.len())?;
    fields.set_item("overrun", report.overrun)?;
    fields.set_item("stopped", report.stopped)?;
    let iterations = PyList::empty(py);
    for iteration in &report.iterations {
        iterations.append(iteration_dict(py, report, iteration, name)?)?;
    }
    fields.set_item("iterations", iterations)?;
    Ok(fields)
}

fn iteration_dict<'py>(
    py: Python<'py>,
    report: &Report,
    iteration: &Iteration,
    name: Namer,
) -> PyResult<Bound<'py, PyDict>> {
    let passes = PyList::empty(py);
    for pass in &report.passes[iteration.passes.clone()] {
        let fields = PyDict::new(py);
        fields.set_item("alpha", pass.alpha)?;
        fields.set_item("beta", pass.beta)?;
        fields.set_item("value", pass.value)?;
        fields.set_item("nodes", pass.nodes)?;
        fields.set_item("move", (!pass.mv.is_none()).then(|| name(pass.mv)))?;
        fields.set_item("best", name(pass.best))?;
        fields.set_item("probes", pass.probes)?;
        fields.set_item("hits", pass.hits)?;
        fields.set_item("expanded", pass.expanded.map(|count| count.all))?;
        fields.set_item("re_expanded", pass.expanded.map(|count| count.again))?;
        passes.append(fields)?;
    }
    let counts = &iteration.counts;
    let fields = PyDict::new(py);
    fields.set_item("depth", iteration.depth)?;
    fields.set_item("line", iteration.line + 1)?;
    fields.set_item("lines", iteration.lines)?;
    fields.set_item("value", iteration.value)?;
    fields.set_item("first_guess", iteration.first_guess)?;
    fields.set_item("passes", passes)?;
    fields.set_item("crossings", iteration.crossings)?;
    fields.set_item("interior", counts.interior)?;
    fields.set_item("leaves", counts.leaves)?;
    fields.set_item("quiescence", iteration.nodes - counts.interior - counts.leaves)?;
    fields.set_item("probes", counts.probes)?;
    fields.set_item("hits", counts.hits)?;
    fields.set_item("cutoffs", counts.cutoffs)?;
    fields.set_item("time_us", micros(iteration.time))?;
    fields.set_item("move", name(iteration.mv))?;
    let line: Vec<String> = iteration.pv.iter().map(|&mv| name(mv)).collect();
    fields.set_item("pv", line)?;
    fields.set_item("seldepth", iteration.seldepth)?;
    fields.set_item("hashfull", iteration.hashfull)?;
    fields.set_item("finished", iteration.finished)?;
    Ok(fields)
}
