//! The moves that threads are searching, by a hash of position, move and depth.
//!
//! The table is small and loses entries. A missed move is searched twice, a falsely found one
//! later. Neither changes a value.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Move;

const BUCKETS: usize = 1 << 11;
const WAYS: usize = 4;

/// Moves at nodes of less remaining depth are never deferred: they finish too soon to matter.
pub const LEAST_DEPTH: i32 = 3;

/// The moves under search.
pub struct Busy(Vec<AtomicU64>);

impl Default for Busy {
    fn default() -> Busy {
        Busy((0..BUCKETS * WAYS).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Busy {
    /// The hash of a move at a node. Never 0, which means no move.
    #[inline(always)]
    pub fn hash(key: u64, mv: Move, depth: i32) -> u64 {
        let edge = u64::from(mv.0) << 8 | depth as u64;
        (key ^ edge.wrapping_mul(0x9E37_79B9_7F4A_7C15)).max(1)
    }

    fn bucket(&self, hash: u64) -> &[AtomicU64] {
        let start = hash as usize % BUCKETS * WAYS;
        &self.0[start..start + WAYS]
    }

    /// True while any thread searches the move.
    #[inline]
    pub fn has(&self, hash: u64) -> bool {
        self.bucket(hash).iter().any(|place| place.load(Ordering::Relaxed) == hash)
    }

    /// Marks the move as under search.
    #[inline]
    pub fn begin(&self, hash: u64) {
        let bucket = self.bucket(hash);
        let free = bucket.iter().find(|place| matches!(place.load(Ordering::Relaxed), 0));
        free.unwrap_or(&bucket[0]).store(hash, Ordering::Relaxed);
    }

    /// Removes the mark.
    #[inline]
    pub fn end(&self, hash: u64) {
        for place in self.bucket(hash) {
            if place.load(Ordering::Relaxed) == hash {
                place.store(0, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_is_busy_until_its_search_ends() {
        let busy = Busy::default();
        let hashes: Vec<u64> = (0..6).map(|depth| Busy::hash(77, Move(3), depth)).collect();
        hashes.iter().for_each(|&hash| busy.begin(hash));
        assert!(hashes.iter().all(|&hash| busy.has(hash)));
        busy.end(hashes[2]);
        let left: Vec<bool> = hashes.iter().map(|&hash| busy.has(hash)).collect();
        assert_eq!(left, [true, true, false, true, true, true]);
    }

    #[test]
    fn full_bucket_drops_a_move() {
        let busy = Busy::default();
        let hashes: Vec<u64> = (1..=5).map(|place| place * BUCKETS as u64).collect();
        hashes.iter().for_each(|&hash| busy.begin(hash));
        assert_eq!(hashes.iter().filter(|&&hash| busy.has(hash)).count(), WAYS);
        hashes.iter().for_each(|&hash| busy.end(hash));
        assert!(busy.0.iter().all(|place| place.load(Ordering::Relaxed) == 0));
    }
}
