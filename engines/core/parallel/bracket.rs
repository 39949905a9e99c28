//! The bounds that all threads proved in one iteration, of the root or of one of its moves, in one
//! word.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Move;
use crate::value::{Bounds, INFINITY, Value};

/// Which iteration a bracket belongs to: its depth and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u16);

impl Tag {
    /// The tag of a line of a depth. There are no more lines than a position has moves.
    pub fn new(depth: i32, line: usize) -> Tag {
        debug_assert!((0..128).contains(&depth) && line < 256);
        Tag((depth as u16) << 8 | line as u16)
    }
}

/// The tag of a closed bracket.
const CLOSED: u16 = u16::MAX;

/// Bounds, and the move that proved the lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The bounds.
    pub bounds: Bounds,
    /// The move that proved the lower bound, if any.
    pub mv: Move,
}

impl Known {
    const NOTHING: Known = Known { bounds: Bounds::OPEN, mv: Move::NONE };

    /// The bounds that a pass with this window and this return value proved, with its best move.
    pub fn by(value: Value, (alpha, beta): (Value, Value), best: Move) -> Known {
        let mut bounds = Bounds::OPEN;
        bounds.take(value, alpha, beta);
        Known { bounds, mv: if value > alpha { best } else { Move::NONE } }
    }

    /// Merges a helper's bounds; one that contradicts known bounds is dropped.
    fn agree(&mut self, new: &Known) {
        let Bounds { lower, upper } = new.bounds;
        if lower > self.bounds.lower && lower <= self.bounds.upper {
            (self.bounds.lower, self.mv) = (lower, new.mv);
        }
        if upper < self.bounds.upper && upper >= self.bounds.lower {
            self.bounds.upper = upper;
        }
    }

    /// Merges the main thread's bounds; known bounds that contradict them are dropped.
    fn follow(&mut self, new: &Known) {
        let Bounds { lower, upper } = new.bounds;
        if lower > self.bounds.upper {
            self.bounds.upper = INFINITY;
        }
        if upper < self.bounds.lower {
            (self.bounds.lower, self.mv) = (-INFINITY, Move::NONE);
        }
        self.agree(new);
    }

    fn pack(&self, tag: u16) -> u64 {
        u64::from(self.bounds.lower as i16 as u16)
            | u64::from(self.bounds.upper as i16 as u16) << 16
            | u64::from(self.mv.0) << 32
            | u64::from(tag) << 48
    }

    fn unpack(word: u64) -> Known {
        let lower = Value::from(word as u16 as i16);
        let upper = Value::from((word >> 16) as u16 as i16);
        Known { bounds: Bounds { lower, upper }, mv: Move((word >> 32) as u16) }
    }
}

fn tag_of(word: u64) -> u16 {
    (word >> 48) as u16
}

/// Bounds shared by threads, in one word, so that no interleaving mixes two results.
pub struct Bracket(AtomicU64);

impl Bracket {
    /// A bracket without bounds.
    pub fn new(tag: Tag) -> Bracket {
        Bracket(AtomicU64::new(Known::NOTHING.pack(tag.0)))
    }

    /// Resets the bracket for another iteration.
    pub fn open(&self, tag: Tag) {
        self.0.store(Known::NOTHING.pack(tag.0), Ordering::Relaxed);
    }

    /// Ends the iteration: later results for it are dropped.
    pub fn close(&self) {
        self.0.store(Known::NOTHING.pack(CLOSED), Ordering::Relaxed);
    }

    /// The known bounds; none if the bracket belongs to another iteration.
    pub fn known(&self, tag: Tag) -> Option<Known> {
        let word = self.0.load(Ordering::Relaxed);
        (tag_of(word) == tag.0).then(|| Known::unpack(word))
    }

    /// True if a pass with this window is useless: it is settled, or its iteration is over.
    pub fn settles(&self, tag: Tag, (alpha, beta): (Value, Value)) -> bool {
        self.known(tag).is_none_or(|known| known.bounds.settled(alpha, beta).is_some())
    }

    /// Merges a result of the main thread or of a helper.
    pub fn tell(&self, tag: Tag, new: &Known, is_main: bool) {
        let told = |word: u64| {
            let mut known = Known::unpack(word);
            if is_main {
                known.follow(new);
            } else {
                known.agree(new);
            }
            (tag_of(word) == tag.0).then(|| known.pack(tag.0))
        };
        // The iteration is over.
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: Tag = Tag(5 << 8);

    fn high(value: Value, mv: u16) -> Known {
        Known::by(value, (value - 1, value), Move(mv))
    }

    fn low(value: Value) -> Known {
        Known::by(value, (value, value + 1), Move(9))
    }

    fn after(told: &[(Known, bool)]) -> (Value, Value, u16) {
        let bracket = Bracket::new(TAG);
        told.iter().for_each(|(known, is_main)| bracket.tell(TAG, known, *is_main));
        let Known { bounds, mv } = bracket.known(TAG).unwrap();
        (bounds.lower, bounds.upper, mv.0)
    }

    #[test]
    fn bounds_of_all_threads_close_the_bracket() {
        let found = after(&[(high(-7, 1), true), (low(40), false), (high(3, 2), false)]);
        assert_eq!(found, (3, 40, 2));
        assert_eq!(after(&[(high(3, 2), false), (high(1, 4), true)]), (3, INFINITY, 2));
    }

    #[test]
    fn main_thread_overrides_a_contradicting_helper() {
        assert_eq!(after(&[(low(10), true), (high(12, 1), false)]), (-INFINITY, 10, 0));
        assert_eq!(after(&[(high(12, 1), true), (low(10), false)]), (12, INFINITY, 1));
        assert_eq!(after(&[(low(10), false), (high(12, 1), true)]), (12, INFINITY, 1));
        assert_eq!(after(&[(high(12, 1), false), (low(10), true)]), (-INFINITY, 10, 0));
        let inside = Known::by(4, (0, 9), Move(3));
        assert_eq!(after(&[(high(6, 1), false), (inside, true)]), (4, 4, 3));
    }

    #[test]
    fn late_bounds_are_dropped() {
        let bracket = Bracket::new(TAG);
        let next = Tag::new(5, 1);
        assert!(!bracket.settles(TAG, (0, 1)) && bracket.settles(next, (0, 1)));
        bracket.tell(TAG, &high(1, 2), false);
        assert!(bracket.settles(TAG, (0, 1)) && !bracket.settles(TAG, (1, 2)));
        bracket.open(next);
        bracket.tell(TAG, &high(1, 2), true);
        assert_eq!(bracket.known(next), Some(Known::NOTHING));
        bracket.close();
        assert!(bracket.settles(next, (0, 1)) && bracket.known(next).is_none());
    }
}
