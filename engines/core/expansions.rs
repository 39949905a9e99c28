//! Which nodes an iteration expands more than once: the price of passes that start at the root.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Expanded places that are kept in mind; with more of them an iteration is not counted further.
pub const MOST_PLACES: usize = 1 << 24;

/// What a pass expanded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expanded {
    /// Interior nodes whose moves were searched.
    pub all: u64,
    /// Those whose position had been expanded at the same depth before, in the iteration.
    pub again: u64,
}

/// The nodes that were expanded since the iteration began.
#[derive(Debug, Default)]
pub struct Expansions {
    places: HashSet<u64, BuildHasherDefault<KeyHasher>>,
    count: Expanded,
    full: bool,
}

impl Expansions {
    /// An iteration begins.
    pub fn clear(&mut self) {
        self.places.clear();
        self.full = false;
    }

    /// A pass begins.
    pub fn begin_pass(&mut self) {
        self.count = Expanded::default();
    }

    /// Counts a node whose moves were searched.
    pub fn add(&mut self, key: u64, depth: i32) {
        self.count.all += 1;
        // Depths lie apart by an odd constant: positions differ in all bits of their keys.
        let place = key ^ (depth as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if self.places.contains(&place) {
            self.count.again += 1;
        } else if self.places.len() < MOST_PLACES {
            self.places.insert(place);
        } else {
            self.full = true;
        }
    }

    /// What the pass expanded; none where there were too many nodes to keep in mind.
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
    fn a_place_is_a_position_at_a_depth() {
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
