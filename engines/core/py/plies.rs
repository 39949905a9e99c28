//! Plies of a game between two external engines, without the interpreter between them: each search
//! displaces Python from the processor's caches, so it is slow.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::info::{Info, last_info};
use super::pipe::{Pipe, find};
use super::rules::{PyChessRules, Told};
use crate::games::chess::move_from_uci;

/// Bytes of an answer; the rest is read by the caller, which does not keep all of a long one.
const MOST: usize = 1 << 14;

/// One of the two engines.
#[derive(FromPyObject)]
pub struct Engine {
    /// The files of a [`Pipe`], and the clock of the process.
    input: i32,
    output: i32,
    aside: i32,
    clock: i32,
    /// What follows the line of the position.
    go: Vec<u8>,
    timeout_ms: Option<f64>,
    /// Its last answer in this game, which may come once more.
    answered: Vec<u8>,
}

/// Move, value, depth, nodes, microseconds of wall-clock time and of the engine's CPU time, and all
/// that it printed.
type Ply<'py> = (u16, Option<i64>, Option<i64>, Option<i64>, u64, u64, Bound<'py, PyBytes>);

/// A search that the caller ends: its begin on the engine's clock and on the monotonic one in
/// nanoseconds, how much of the command was written, and what came.
type Begun<'py> = (u64, u64, usize, Bound<'py, PyBytes>);

/// Plays on from `rules`, the first engine to move, as long as every answer is what is expected: one
/// line of a legal move, in time. Whatever else happens is for the caller, as the search that is
/// told last.
///
/// `position`: the command up to the moves; `moves`: those so far, each with a blank before it.
/// `judge` is called after each ply that does not end the game, with whether White moved and the
/// value; any answer but None ends the game.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn play_plies<'py>(
    mut rules: PyRefMut<'py, PyChessRules>,
    engines: (Engine, Engine),
    position: &[u8],
    mut moves: Vec<u8>,
    judge: &Bound<'py, PyAny>,
) -> PyResult<(Vec<Ply<'py>>, Option<Told>, Option<Bound<'py, PyAny>>, Option<Begun<'py>>)> {
    let py = judge.py();
    let mut engines = <[Engine; 2]>::from(engines);
    let mut plies = Vec::new();
    loop {
        let engine = &mut engines[plies.len() % 2];
        let word: &[u8] = if moves.is_empty() { b"" } else { b" moves" };
        let command = [position, word, &moves, &engine.go].concat();
        let (cpu, begin) = (nanoseconds(engine.clock), nanoseconds(libc::CLOCK_MONOTONIC));
        let mut pipe = Pipe::new(engine.output, engine.aside);
        let timeout_ms = engine.timeout_ms;
        let (written, text) =
            py.detach(|| pipe.ask(engine.input, &command, b"bestmove", timeout_ms, MOST));
        let end = nanoseconds(libc::CLOCK_MONOTONIC);
        let told = move_of(&text).filter(|&told| told != engine.answered);
        let mv = told.and_then(|told| move_from_uci(std::str::from_utf8(told).ok()?));
        let Some((told, mv)) = told.zip(mv).filter(|(_, mv)| rules.push(mv.0)) else {
            let begun = (cpu, begin, written, PyBytes::new(py, &text));
            return Ok((plies, None, None, Some(begun)));
        };
        moves.push(b' ');
        moves.extend_from_slice(told);
        engine.answered = told.to_vec();
        let (value, depth, nodes, ..): Info = last_info(&text);
        let wall_us = (end - begin) / 1000;
        let cpu_us = nanoseconds(engine.clock).saturating_sub(cpu) / 1000;
        let said = PyBytes::new(py, &text[..text.len() - 1]);
        plies.push((mv.0, value, depth, nodes, wall_us, cpu_us, said));
        let ended = rules.ending();
        if ended.is_some() {
            return Ok((plies, ended, None, None));
        }
        py.check_signals()?;
        let verdict = judge.call1((!rules.white_to_move(), value))?;
        if !verdict.is_none() {
            return Ok((plies, None, Some(verdict), None));
        }
    }
}

/// The move in an answer, as the engine writes it: in the last line, which is complete, and alone
/// has the word of an answer.
fn move_of(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_suffix(b"\n")?;
    let start = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |before| before + 1);
    let mut words = text[start..].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_answer = find(text, b"bestmove") == Some(start) && words.next() == Some(b"bestmove");
    words.next().filter(|_| is_answer)
}

fn nanoseconds(clock: i32) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives as long as the call. It stays 0 where there is no such clock.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
