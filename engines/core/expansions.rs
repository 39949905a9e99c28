//! Nodes that an iteration expands more than once: the cost of restarting at the root.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// The most expanded nodes that are remembered; an iteration with more is not counted.
pub const MOST_PLACES: usize = 1 << 24;

/// The expansions of a pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Expanded interior nodes.
    pub all: u64,
    /// Those expanded before in the iteration at the same depth.
    pub again: u64,
}

/// The nodes expanded in this iteration.
#[derive(Debug, Default)]
pub struct Expansions {
    places: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    count: Expanded,
    full: bool,
}

impl Expansions {
    /// Begins an iteration.
    pub fn clear(&mut self) {
        self.places.clear();
        self.full = false;
    }

    /// Begins a pass.
    pub fn begin_pass(&mut self) {
        self.count = Expanded::default();
    }

    /// Counts an expanded node.
    pub fn add(&mut self, key: u64, depth: i32) {
        self.count.all += 1;
        // Depths differ by an odd constant, positions in all bits of their keys.
        let place = key ^ (depth as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if self.places.contains(&place) {
            self.count.again += 1;
        } else if self.places.len() < MOST_PLACES {
            self.places.insert(place);
        } else {
            self.full = true;
        }
    }

    /// The expansions of the pass; none if there were too many nodes to remember.
    pub fn of_pass(&self) -> Option<Expanded> {
        (!self.full).then_some(self.count)
    }
}

/// Keys of positions are random numbers already.
#[derive(Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are written as whole numbers");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansions_are_counted_by_position_and_depth() {
        let mut seen = Expansions::default();
        for (key, depth) in [(5, 3), (5, 2), (6, 3), (5, 3)] {
            seen.add(key, depth);
        }
        assert_eq!(seen.of_pass(), Some(Expanded { all: 4, again: 1 }));
        seen.begin_pass();
        seen.add(6, 3);
        assert_eq!(
            seen.of_pass(),
            Some(Expanded { all: 1, again: 1 }),
            "passes share an iteration"
        );
        seen.clear();
        seen.begin_pass();
        seen.add(6, 3);
        assert_eq!(seen.of_pass(), Some(Expanded { all: 1, again: 0 }));
    }
}
