//! A cache of what pawns and kings alone are worth: they move seldom, so that most positions of a
//! search share their structure with one seen before.
//!
//! A score is a function of the men that a slot names in full, so nothing depends on what was
//! searched before, and each thread has a cache of its own.

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

    /// Its place: products whose upper bits depend on all of it.
    #[inline(always)]
    fn slot(&self) -> usize {
        let kings = (self.kings[0] as u64) << 6 | self.kings[1] as u64;
        let mixed = self.pawns[0].wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ self.pawns[1].wrapping_mul(0xC2B2_AE3D_27D4_EB4F)
            ^ kings.wrapping_mul(0x1656_67B1_9E37_79F9 << 20);
        (mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> (64 - BITS)) as usize
    }
}

/// What slots have at first: no position has both kings on one square.
const NONE: Structure = Structure { pawns: [0; 2], kings: [Square::A1; 2] };

/// The scores of one thread.
pub(super) struct Kept([Cell<(Structure, Score)>; SLOTS]);

thread_local! {
    static KEPT: Kept = const { Kept([const { Cell::new((NONE, Score::ZERO)) }; SLOTS]) };
}

/// Hands out what this thread keeps: once an evaluation, for finding it takes time.
#[inline(always)]
pub(super) fn with_kept<T>(use_it: impl FnOnce(&Kept) -> T) -> T {
    KEPT.with(use_it)
}

impl Kept {
    /// The score of a structure, if it is kept.
    #[inline(always)]
    pub(super) fn get(&self, structure: Structure) -> Option<Score> {
        let (known, score) = self.0[structure.slot()].get();
        (known == structure).then_some(score)
    }

    /// Keeps the score of a structure from now on.
    #[inline(always)]
    pub(super) fn set(&self, structure: Structure, score: Score) {
        self.0[structure.slot()].set((structure, score));
    }
}
