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
struct Structure {
    pawns: [u64; 2],
    kings: [Square; 2],
}

impl Structure {
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

type Slot = Cell<(Structure, Score)>;

thread_local! {
    static SCORES: [Slot; SLOTS] = const { [const { Cell::new((NONE, Score::ZERO)) }; SLOTS] };
}

/// The score of the structure: the one kept, or what `score` says, which is kept from now on.
#[inline(always)]
pub(super) fn kept(white: &Camp, black: &Camp, score: impl FnOnce() -> Score) -> Score {
    let structure =
        Structure { pawns: [white.pawns(), black.pawns()], kings: [white.king, black.king] };
    SCORES.with(|scores| {
        let slot = &scores[structure.slot()];
        let (known, kept) = slot.get();
        if known == structure {
            return kept;
        }
        let fresh = score();
        slot.set((structure, fresh));
        fresh
    })
}
