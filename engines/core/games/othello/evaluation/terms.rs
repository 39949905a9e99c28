//! Counts on bitboards, and their weights.

use super::score::Score;
use crate::games::othello::Position;
use crate::games::othello::board::{CORNERS, beside, moves};
use crate::value::Value;

/// The classes of squares under the symmetries of the board, in the order of [`CLASS_NAMES`].
const CLASSES: [u64; CLASS_NAMES.len()] = [
    0x8100_0000_0000_0081,
    0x4281_0000_0000_8142,
    0x2400_8100_0081_0024,
    0x1800_0081_8100_0018,
    0x0042_0000_0000_4200,
    0x0024_4200_0042_2400,
    0x0018_0042_4200_1800,
    0x0000_2400_0024_0000,
    0x0000_1824_2418_0000,
    0x0000_0018_1800_0000,
];

/// One square of each class.
pub(super) const CLASS_NAMES: [&str; 10] =
    ["a1", "b1", "c1", "d1", "b2", "c2", "d2", "c3", "d3", "d4"];

/// The number of distinct move counts; larger counts are the last.
const MOBILITIES: usize = 21;
/// The possible numbers of quadrants with an odd number of empty squares, including 0.
const ODD_QUADRANTS: usize = 5;

const QUADRANTS: [u64; 4] =
    [0x0000_0000_0F0F_0F0F, 0x0000_0000_F0F0_F0F0, 0x0F0F_0F0F_0000_0000, 0xF0F0_F0F0_0000_0000];

/// The weights of counts in one interval.
pub(super) struct Terms {
    /// By the number of moves.
    pub(super) mobility: [Score; MOBILITIES],
    /// An empty square beside a disc of the opponent.
    pub(super) potential: Score,
    /// A disc beside an empty square.
    pub(super) frontier: Score,
    /// A corner that can be occupied.
    pub(super) corner_moves: Score,
    /// By the number of quadrants with an odd number of empty squares, for the side to move.
    pub(super) parity: [Score; ODD_QUADRANTS],
}

/// The value of the squares of discs.
pub(super) fn squares(position: &Position, weights: &[Score; CLASSES.len()]) -> Score {
    let mut sums = Score::default();
    for (class, &weight) in CLASSES.iter().zip(weights) {
        sums = sums + weight * difference(position.own() & class, position.other() & class);
    }
    sums
}

/// The value of the counts of a position.
#[inline]
pub(super) fn sums(position: &Position, terms: &Terms) -> Score {
    let (own, other) = (position.own(), position.other());
    let empty = !(own | other);
    let (ours, theirs) = (position.moves(), moves(other, own));
    let (beside_own, beside_other) = (beside(own), beside(other));
    let mobility = terms.mobility[mobility(ours)] - terms.mobility[mobility(theirs)];
    let potential = difference(beside_other & empty, beside_own & empty);
    let beside_empty = beside(empty);
    let frontier = difference(own & beside_empty, other & beside_empty);
    let corner_moves = difference(ours & CORNERS, theirs & CORNERS);
    let odd = QUADRANTS.iter().filter(|&&quadrant| (empty & quadrant).count_ones() % 2 == 1);
    mobility
        + terms.potential * potential
        + terms.frontier * frontier
        + terms.corner_moves * corner_moves
        + terms.parity[odd.count()]
}

#[inline(always)]
fn mobility(moves: u64) -> usize {
    (moves.count_ones() as usize).min(MOBILITIES - 1)
}

/// The difference between the numbers of squares of two boards.
#[inline(always)]
fn difference(ours: u64, theirs: u64) -> Value {
    ours.count_ones() as Value - theirs.count_ones() as Value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::othello::board::tests::images;

    #[test]
    fn each_class_is_a_square_and_its_images() {
        assert_eq!(CLASSES.iter().fold(0, |all, class| all ^ class), u64::MAX);
        for (name, class) in CLASS_NAMES.iter().zip(CLASSES) {
            let square = (name.as_bytes()[1] - b'1') * 8 + name.as_bytes()[0] - b'a';
            let orbit = images(1 << square).iter().fold(0, |all, image| all | image);
            assert_eq!(orbit, class, "{name}");
        }
    }
}
