//! Static values by key: a cache of evaluations.
//!
//! A search revisits most positions, in later passes and iterations and from quiescence, and the
//! evaluation takes most of a node's time. A static value is a function of the key, so the cache is
//! never cleared, and no value depends on earlier searches.

use crate::prefetch::prefetch;
use crate::value::Value;

/// Bits of a value in a slot, and key bits implied by its index; the slot has the other key bits,
/// so that the whole key is compared.
const BITS: u32 = 14;
const SLOTS: usize = 1 << BITS;
/// Added to a value, so that none is stored as 0, which means an empty slot.
const BIAS: Value = 1 << (BITS - 1);

/// The cache of one player, 128 KiB so that it fits the processor's caches; indexed by the last
/// bits of the key.
pub struct StaticValues {
    slots: Option<Box<[u64; SLOTS]>>,
}

impl StaticValues {
    /// An empty cache; it stores nothing if `keeps` is false.
    pub fn new(keeps: bool) -> StaticValues {
        let empty = || vec![0; SLOTS].into_boxed_slice().try_into().expect("one word a slot");
        StaticValues { slots: keeps.then(empty) }
    }

    /// Prefetches the slot of a key.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        if let Some(slots) = &self.slots {
            prefetch(&slots[key as usize % SLOTS]);
        }
    }

    /// The cached value of a key, or that of `evaluate`, which is then cached unless it needs too
    /// many bits.
    #[inline(always)]
    pub fn get(&mut self, key: u64, evaluate: impl FnOnce() -> Value) -> Value {
        let Some(slots) = &mut self.slots else { return evaluate() };
        let slot = &mut slots[key as usize % SLOTS];
        let kept = (*slot & (SLOTS as u64 - 1)) as Value;
        if *slot >> BITS == key >> BITS && kept != 0 {
            return kept - BIAS;
        }
        let value = evaluate();
        if value.abs() < BIAS {
            *slot = key >> BITS << BITS | (value + BIAS) as u64;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::EVALUATION_BOUND;

    #[test]
    fn cached_value_is_kept_until_replaced() {
        let mut values = StaticValues::new(true);
        let keys = [0, 1, u64::MAX, 1 << BITS, 7 << BITS | 1];
        for (key, value) in keys.into_iter().zip([0, 1 - BIAS, BIAS - 1, -1, 5]) {
            assert_eq!(values.get(key, || value), value);
            assert_eq!(values.get(key, || unreachable!()), value);
        }
        // The fourth key replaced the first, and the fifth the second.
        assert_eq!(values.get(0, || 9), 9);
        assert_eq!(values.get(1, || 10), 10);
        assert_eq!(values.get(u64::MAX, || unreachable!()), BIAS - 1);
    }

    #[test]
    fn value_too_large_for_a_slot_is_computed_again() {
        let mut values = StaticValues::new(true);
        assert_eq!(values.get(5, || 7), 7);
        for large in [BIAS, -BIAS, EVALUATION_BOUND, -EVALUATION_BOUND] {
            assert_eq!(values.get(3, || large), large);
            assert_eq!(values.get(3, || 2 * large), 2 * large);
        }
        assert_eq!(values.get(5, || unreachable!()), 7);
    }

    #[test]
    fn empty_cache_computes_each_value_again() {
        let mut values = StaticValues::new(false);
        assert_eq!((values.get(3, || 1), values.get(3, || 2)), (1, 2));
    }
}
