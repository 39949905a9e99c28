//! What the `info` lines of an engine say of its search: the rules of `last_info` and `parse_info`
//! in `engines/external/protocol.py`, against which tests hold this.

use pyo3::prelude::*;

use crate::value::{MATE, MATE_BOUND};

const MOST_DEPTH: i64 = 9_999;
const MOST_NODES: i64 = 1_000_000_000_000_000;
const MOST_DIGITS: usize = 18;

/// Value, depth, nodes, milliseconds, and what the value is.
pub(super) type Info = (Option<i64>, Option<i64>, Option<i64>, Option<i64>, &'static str);

const NOTHING: Info = (None, None, None, None, "exact");

/// What the lines before a `bestmove` say, from the last ones.
#[pyfunction]
pub fn last_info(text: &[u8]) -> Info {
    let mut chosen = None;
    let mut end = text.len();
    while let Some(at) = rfind(&text[..end], b" score ") {
        end = line_start(text, at);
        if let Some(info @ (Some(_), .., bound)) = parse(line_at(text, end)) {
            if bound == "exact" {
                chosen = Some(info);
                break;
            }
            chosen = chosen.or(Some(info));
        }
    }
    let found = chosen.unwrap_or(NOTHING);
    let Some(at) = rfind(text, b" nodes ") else { return found };
    match parse(line_at(text, line_start(text, at))) {
        Some((_, depth, nodes @ Some(_), time_ms, _)) => {
            let (value, of_value, .., bound) = found;
            (value, if chosen.is_some() { of_value } else { depth }, nodes, time_ms, bound)
        }
        _ => found,
    }
}

fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).rposition(|window| window == word)
}

/// The begin of the line with this place.
fn line_start(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |before| before + 1)
}

fn line_at(text: &[u8], start: usize) -> &[u8] {
    text[start..].split(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// What a line says of the main variation.
fn parse(line: &[u8]) -> Option<Info> {
    let end = line.windows(4).position(|window| window == b" pv ").unwrap_or(line.len());
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let words = line[..end].split(is_blank).filter(|word| !word.is_empty());
    let words: Vec<&[u8]> = words.take_while(|word| *word != b"string").collect();
    let place = |name: &[u8]| words.iter().position(|&word| word == name);
    let after = |name: &[u8]| words.get(place(name)? + 1).copied();
    let is_main = after(b"multipv").is_none_or(|line| line == b"1");
    if words.len() < 3 || words[0] != b"info" || !is_main {
        return None;
    }
    let (value, bound) = place(b"score").map_or((None, "exact"), |at| score(&words[at + 1..]));
    let number = |name: &[u8], most| whole(after(name)?).filter(|&number| number <= most);
    let (depth, nodes) = (number(b"depth", MOST_DEPTH), number(b"nodes", MOST_NODES));
    Some((value, depth, nodes, number(b"time", MOST_NODES), bound))
}

/// The words after `score`.
fn score(words: &[&[u8]]) -> (Option<i64>, &'static str) {
    let word = |place| words.get(place).copied().unwrap_or_default();
    let (sign, digits) = match word(1) {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    let (mate, bound) = (i64::from(MATE), i64::from(MATE_BOUND));
    let value = whole(digits).map(|size| sign * size).and_then(|number| match word(0) {
        b"cp" => Some(number.clamp(1 - bound, bound - 1)),
        b"mate" if number > 0 => Some((mate - (2 * number - 1)).max(bound)),
        b"mate" => Some(-(mate + 2 * number).max(bound)),
        _ => None,
    });
    match word(2) {
        _ if value.is_none() => (None, "exact"),
        b"lowerbound" => (value, "lower"),
        b"upperbound" => (value, "upper"),
        _ => (value, "exact"),
    }
}

fn whole(digits: &[u8]) -> Option<i64> {
    let makes_sense = digits.len() <= MOST_DIGITS && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| makes_sense)?.parse().ok()
}
