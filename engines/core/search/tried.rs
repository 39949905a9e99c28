//! What a node remembers of its moves until one of them cuts.

use crate::game::Move;

/// At most so many moves are punished when a later one cuts.
const TRIED: usize = 32;

/// The moves of a node that were searched and did not cut.
pub(crate) struct Tried {
    quiet: [Move; TRIED],
    /// Quiet moves so far.
    pub(crate) quiets: usize,
    tactical: [Move; TRIED],
    tacticals: usize,
}

impl Default for Tried {
    fn default() -> Tried {
        let none = [Move::NONE; TRIED];
        Tried { quiet: none, quiets: 0, tactical: none, tacticals: 0 }
    }
}

impl Tried {
    /// Takes in a move that was searched.
    #[inline(always)]
    pub(crate) fn push(&mut self, mv: Move, quiet: bool) {
        let (moves, count) = if quiet {
            (&mut self.quiet, &mut self.quiets)
        } else {
            (&mut self.tactical, &mut self.tacticals)
        };
        if *count < TRIED {
            moves[*count] = mv;
        }
        *count += 1;
    }

    /// The quiet moves, or the others.
    #[inline(always)]
    pub(crate) fn moves(&self, quiet: bool) -> &[Move] {
        let (moves, count) =
            if quiet { (&self.quiet, self.quiets) } else { (&self.tactical, self.tacticals) };
        &moves[..count.min(TRIED)]
    }
}
