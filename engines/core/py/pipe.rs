//! Reading the answer of an engine from a pipe, without the interpreter for each line.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes of one read.
const CHUNK: usize = 1 << 14;

/// What a pipe brings until a line with `word` is complete, `begun` being the begin of its line.
///
/// Returns earlier at the end of the pipe, after `timeout_ms`, after `most` bytes, at a signal, and
/// when the file descriptor `aside` is readable: all of that is for the caller to see.
#[pyfunction]
pub fn read_answer<'py>(
    py: Python<'py>,
    output: i32,
    aside: i32,
    word: &[u8],
    begun: Vec<u8>,
    timeout_ms: Option<f64>,
    most: usize,
) -> Bound<'py, PyBytes> {
    let mut pipe = Pipe::new(output, aside);
    let start = begun.len();
    let text = py.detach(|| pipe.read(begun, word, timeout_ms, most));
    PyBytes::new(py, &text[start..])
}

/// The output of an engine.
pub(super) struct Pipe {
    /// The output, and what else may happen.
    watched: [libc::pollfd; 2],
}

impl Pipe {
    pub(super) fn new(output: i32, aside: i32) -> Pipe {
        let watched =
            [output, aside].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        Pipe { watched }
    }

    /// Writes `command` to `input` and reads the answer, as [`read_answer`]; `timeout_ms` begins
    /// after it was written. How much was written, and what came.
    ///
    /// Nothing is written where something is there to be seen already; where only a part could be
    /// written, nothing is read.
    pub(super) fn ask(
        &mut self,
        input: i32,
        command: &[u8],
        word: &[u8],
        timeout_ms: Option<f64>,
        most: usize,
    ) -> (usize, Vec<u8>) {
        if self.is_ready() {
            return (0, Vec::new());
        }
        // SAFETY: the pointer and the length are those of a slice.
        let written = unsafe { libc::write(input, command.as_ptr().cast(), command.len()) };
        let written = usize::try_from(written).unwrap_or(0); // the caller tries again, and fails
        if written < command.len() {
            return (written, Vec::new());
        }
        (written, self.read(Vec::new(), word, timeout_ms, most))
    }

    /// Whether anything is there to be seen now.
    fn is_ready(&mut self) -> bool {
        // SAFETY: the structures live as long as the call, and are as many as it says.
        unsafe { libc::poll(self.watched.as_mut_ptr(), self.watched.len() as libc::nfds_t, 0) != 0 }
    }

    /// `text` and what follows it.
    fn read(
        &mut self,
        mut text: Vec<u8>,
        word: &[u8],
        timeout_ms: Option<f64>,
        most: usize,
    ) -> Vec<u8> {
        // Beyond a year there is no difference.
        let patience = timeout_ms.map(|ms| Duration::from_secs_f64((ms / 1e3).clamp(0.0, 3e7)));
        let deadline = patience.map(|patience| Instant::now() + patience);
        let most = text.len() + most;
        let mut seen = 0;
        while text.len() < most && self.waits(deadline) && self.take(&mut text) {
            match find(&text[seen..], word) {
                Some(at) if text[seen + at..].contains(&b'\n') => break,
                Some(at) => seen += at,
                None => seen = (text.len() + 1).saturating_sub(word.len()),
            }
        }
        text
    }

    /// Whether output comes in time, and nothing beside it.
    fn waits(&mut self, deadline: Option<Instant>) -> bool {
        let left_ms = deadline.map_or(-1, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
        });
        // SAFETY: the structures live as long as the call, and are as many as it says.
        let ready = unsafe {
            libc::poll(self.watched.as_mut_ptr(), self.watched.len() as libc::nfds_t, left_ms)
        };
        ready == 1 && self.watched[0].revents & libc::POLLIN != 0
    }

    /// Append what is there; whether there was anything.
    fn take(&mut self, text: &mut Vec<u8>) -> bool {
        text.reserve(CHUNK);
        let room = text.spare_capacity_mut();
        // SAFETY: the pointer and the length are those of the spare capacity.
        let read = unsafe { libc::read(self.watched[0].fd, room.as_mut_ptr().cast(), room.len()) };
        let Ok(read) = usize::try_from(read) else { return false };
        // SAFETY: so many bytes of it were written.
        unsafe { text.set_len(text.len() + read) };
        read > 0
    }
}

pub(super) fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}
