//! A cache of scores of pawns and kings, which move seldom, so most positions share their structure
//! with earlier ones.
//!
//! A slot has its complete key, so scores do not depend on earlier searches. Each thread has a
//! cache.

use std::cell::Cell;

use super::camp::Camp;
use super::weights::Score;
use cozy_chess::Square;

const SLOTS: usize = 1 << 11;
const BITS: u32 = SLOTS.trailing_zeros();

/// Pawns and kings of both sides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Structure {
    pawns: [u64; 2],
    kings: [Square; 2],
}

impl Structure {
    #[inline(always)]
    pub(super) fn new(white: &Camp, black: &Camp) -> Structure {
        Structure { pawns: [white.pawns(), black.pawns()], kings: [white.king, black.king] }
    }

    /// The slot index: upper bits of products, which depend on the whole key.
    #[inline(always)]
    fn slot(&self) -> usize {
        let kings = (self.kings[0] as u64) << 6 | self.kings[1] as u64;
        let mixed = self.pawns[0].wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ self.pawns[1].wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ kings.wrapping_mul(0x1656_67B1_9E37_79F9 << 20);
        (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (64 - BITS)) as usize
    }
}

/// The initial slot: no position has both kings on one square.
const NONE: Structure = Structure { pawns: [0; 2], kings: [Square::A1; 2] };

/// The cache of one thread.
pub(super) struct Kept([Cell<(Structure, Score)>; SLOTS]);

thread_local! {
    static KEPT: Kept = const { Kept([const { Cell::new((NONE, Score::ZERO)) }; SLOTS]) };
}

/// Calls a function with this thread's cache; once per evaluation, because access takes time.
#[inline(always)]
pub(super) fn with_kept<T>(use_it: impl FnOnce(&Kept) -> T) -> T {
    KEPT.with(use_it)
}

impl Kept {
    /// The cached score of a structure.
    #[inline(always)]
    pub(super) fn get(&self, structure: Structure) -> Option<Score> {
        let (known, score) = self.0[structure.slot()].get();
        (known == structure).then_some(score)
    }

    /// Caches the score of a structure.
    #[inline(always)]
    pub(super) fn set(&self, structure: Structure, score: Score) {
        self.0[structure.slot()].set((structure, score));
    }
}
