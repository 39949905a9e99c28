//! One entry shared by threads: two words, the first is the key XOR the second.
//!
//! Words are loaded and stored separately and in no order, so a reader may find words of two
//! stores. If their data differ, the XOR differs from the keys of both stores, and matches a third
//! key only if all 64 bits are equal. If the data are equal, either word will do.

use std::sync::atomic::{AtomicU64, Ordering};

/// A word shared by threads. Tests substitute another type.
pub(super) trait Word {
    /// Loads the word.
    fn load(&self) -> u64;
    /// Replaces the word.
    fn store(&self, word: u64);
}

impl Word for AtomicU64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        AtomicU64::load(self, Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, word: u64) {
        AtomicU64::store(self, word, Ordering::Relaxed);
    }
}

/// A slot for one entry. All zeros is no entry.
#[repr(C)]
pub(super) struct Slot<W = AtomicU64> {
    check: W,
    data: W,
}

impl<W: Word> Slot<W> {
    /// The last data, for any key.
    #[inline(always)]
    pub(super) fn data(&self) -> u64 {
        self.data.load()
    }

    /// The key that these data, read here, were stored for; during a concurrent store, a key that
    /// nobody asks for.
    #[inline(always)]
    pub(super) fn key(&self, data: u64) -> u64 {
        self.check.load() ^ data
    }

    /// Stores data for a key.
    #[inline(always)]
    pub(super) fn store(&self, key: u64, data: u64) {
        self.check.store(key ^ data);
        self.data.store(data);
    }

    /// Clears the entry.
    #[inline(always)]
    pub(super) fn clear(&self) {
        self.data.store(0);
    }
}

/// Empty slots, in memory that the system clears on first use.
pub(super) fn empty(count: usize) -> Box<[Slot]> {
    type Zeros = [u64; 2];
    const { assert!(size_of::<Slot>() == size_of::<Zeros>()) };
    const { assert!(align_of::<Slot>() == align_of::<Zeros>()) };
    let zeros: Box<[Zeros]> = vec![[0; 2]; count].into_boxed_slice();
    // SAFETY: a slot has the size, alignment and representation of two words, and the memory is not
    // shared.
    unsafe { Box::from_raw(Box::into_raw(zeros) as *mut [Slot]) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU64;
    use loom::thread;

    use super::{Slot, Word};

    impl Word for AtomicU64 {
        fn load(&self) -> u64 {
            AtomicU64::load(self, Ordering::Relaxed)
        }

        fn store(&self, word: u64) {
            AtomicU64::store(self, word, Ordering::Relaxed);
        }
    }

    /// Keys that differ as keys of positions do, and data that differ in a few bits.
    const STORED: [(u64, u64); 3] = [
        (0x9E37_79B9_7F4A_7C15, 0x0800_0001_0010_FFF0),
        (0xBF58_476D_1CE4_E5B9, 0x0800_0001_0010_FFF1),
        (0x9E37_79B9_7F4A_7C15, 0x0800_0002_0020_0005),
    ];

    fn new() -> Slot<AtomicU64> {
        Slot { check: AtomicU64::new(0), data: AtomicU64::new(0) }
    }

    /// What a probe accepts: the data, if the key is one that was stored.
    fn probe(slot: &Slot<AtomicU64>) -> Option<(u64, u64)> {
        let data = slot.data();
        let key = slot.key(data);
        STORED.iter().any(|stored| stored.0 == key && data != 0).then_some((key, data))
    }

    /// Two threads store and a third probes, in every order that relaxed atomics allow; with a
    /// thread that clears first, in those that switch between threads twice at most.
    fn check(first: (u64, u64), second: (u64, u64), clears: bool) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = clears.then_some(2);
        model.check(move || {
            let slot = Arc::new(new());
            let store = |(key, data): (u64, u64), clears| {
                let slot = Arc::clone(&slot);
                thread::spawn(move || {
                    if clears {
                        slot.clear();
                    }
                    slot.store(key, data);
                })
            };
            let threads = [store(first, false), store(second, clears)];
            if let Some(found) = probe(&slot) {
                assert!(found == first || found == second, "a torn entry was believed: {found:x?}");
            }
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let last = probe(&slot);
            assert!(last.is_none_or(|found| found == first || found == second), "{last:x?}");
        });
    }

    #[test]
    fn torn_entry_is_rejected() {
        let [one, two, again] = STORED;
        check(one, two, false);
        check(one, again, false);
        check(one, one, false);
        check(one, two, true);
        check(one, again, true);
    }

    /// The check of the test itself: without the XOR, words of two stores pass for an entry.
    #[test]
    #[should_panic(expected = "torn")]
    fn plain_keys_would_accept_torn_entries() {
        loom::model(|| {
            let [one, _, again] = STORED;
            let words = Arc::new([AtomicU64::new(one.0), AtomicU64::new(one.1)]);
            let writer = Arc::clone(&words);
            let thread = thread::spawn(move || {
                Word::store(&writer[0], STORED[1].0);
                Word::store(&writer[1], again.1);
            });
            let found = (Word::load(&words[0]), Word::load(&words[1]));
            assert!(found == one || found == (STORED[1].0, again.1), "torn: {found:x?}");
            thread.join().unwrap();
        });
    }
}
