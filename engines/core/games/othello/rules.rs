//! Othello as a [`Game`].

use std::ops::Range;

use super::board::{CORNERS, moves};
use super::position::key;
use super::{Evaluation, PASS, Position};
use crate::game::{Game, Merit, Move};
use crate::value::{EVALUATION_BOUND, Value, round_to_grain};

/// The value of one disc of the final difference.
pub(super) const DISC: Value = 100;

/// The number of move codes of one side: squares and the pass.
const MOVES: usize = PASS.0 as usize;

/// Othello with an evaluation, its grain and its swing.
#[derive(Clone, Copy)]
pub struct Othello {
    evaluation: &'static Evaluation,
    grain: Value,
    /// Added to every value for the side to move, before rounding.
    swing: Value,
}

impl Othello {
    /// Othello with this evaluation, rounded to multiples of `grain` hundredths of a disc after
    /// adding `swing`.
    pub fn new(evaluation: &'static Evaluation, grain: Value, swing: Value) -> Othello {
        Othello { evaluation, grain, swing }
    }
}

impl Game for Othello {
    type Position = Position;
    /// Where discs may be placed; empty in a position that is not over means a pass.
    type Targets = u64;
    type Forcing = ();

    const HISTORY_SLOTS: usize = 2 * MOVES;
    const SLOTS: usize = 2 * MOVES;

    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    #[inline(always)]
    fn likely_key(&self, position: &Position, mv: Move) -> u64 {
        let (own, other) = position.discs_after(mv);
        key(own, other, !position.white_to_move())
    }

    #[inline]
    fn make(&self, position: &Position, mv: Move) -> Position {
        position.after(mv)
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        match mv {
            PASS => position.must_pass(),
            Move(1..=64) => position.moves() >> (mv.0 - 1) & 1 == 1,
            _ => false,
        }
    }

    #[inline]
    fn has_move(&self, position: &Position) -> bool {
        !position.is_over()
    }

    /// The final disc difference; empty squares do not count.
    #[inline]
    fn terminal_value(&self, position: &Position) -> Value {
        round_to_grain(DISC * position.lead(), self.grain)
    }

    #[inline]
    fn static_value(&self, position: &Position) -> Value {
        match self.evaluation.value(position) {
            None => self.terminal_value(position),
            Some(value) => {
                let value = (value + self.swing).clamp(-EVALUATION_BOUND, EVALUATION_BOUND);
                round_to_grain(value, self.grain)
            }
        }
    }

    fn evaluates_slowly(&self) -> bool {
        self.evaluation.has_terms()
    }

    #[inline(always)]
    fn targets(&self, position: &Position) -> u64 {
        position.moves()
    }

    /// Corners are never flipped, and few moves are better.
    #[inline]
    fn tactical(&self, position: &Position, targets: &u64, mut each: impl FnMut(Move, Merit)) {
        for mv in moves_to(targets & CORNERS) {
            each(mv, Merit { score: 0, slot: self.slot(position, mv), victim: 0 });
        }
    }

    #[inline]
    fn quiets(&self, position: &Position, targets: &u64, mut each: impl FnMut(Move, usize)) {
        for mv in moves_to(targets & !CORNERS) {
            each(mv, self.slot(position, mv));
        }
        if *targets == 0 && position.must_pass() {
            each(PASS, self.slot(position, PASS));
        }
    }

    #[inline]
    fn is_quiet(&self, _: &Position, mv: Move) -> bool {
        mv == PASS || CORNERS >> (mv.0 - 1) & 1 == 0
    }

    fn exchange_at_least(&self, _: &Position, _: Move, _: Value) -> bool {
        true
    }

    fn forcing(&self, _: &Position) {}

    #[inline]
    fn forces(&self, position: &Position, (): &(), mv: Move) -> bool {
        let (own, other) = position.discs_after(mv);
        moves(own, other) == 0 && moves(other, own) != 0
    }

    fn count_quiets(&self, position: &Position, targets: &u64) -> usize {
        if *targets == 0 {
            usize::from(position.must_pass())
        } else {
            (targets & !CORNERS).count_ones() as usize
        }
    }

    #[inline]
    fn replies(&self, position: &Position, mv: Move) -> Option<i32> {
        let (own, other) = position.discs_after(mv);
        Some(moves(own, other).count_ones() as i32)
    }

    fn deviation(&self, position: &Position, depth: i32, shallow: i32) -> Option<Value> {
        Some(deviation(position.empties(), depth, shallow))
    }

    fn gain(&self, _: &Position, _: Move) -> Value {
        0
    }

    fn victim(&self, _: &Position, _: Move) -> usize {
        0
    }

    #[inline(always)]
    fn history_slot(&self, position: &Position, mv: Move) -> usize {
        self.slot(position, mv)
    }

    #[inline(always)]
    fn slot(&self, position: &Position, mv: Move) -> usize {
        usize::from(position.white_to_move()) * MOVES + usize::from(mv.0) - 1
    }

    #[inline(always)]
    fn slots_to_move(&self, position: &Position) -> Range<usize> {
        let first = usize::from(position.white_to_move()) * MOVES;
        first..first + MOVES
    }

    #[inline(always)]
    fn is_forced(&self, position: &Position) -> bool {
        position.must_pass()
    }

    fn captures(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    fn loud(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    /// A side that may place a disc may not pass.
    fn null_move(&self, _: &Position) -> Option<Position> {
        None
    }

    fn reversible_plies(&self, _: &Position) -> u32 {
        0
    }

    fn is_dead_draw(&self, _: &Position) -> bool {
        false
    }

    fn plies_left(&self, position: &Position) -> u32 {
        position.empties()
    }

    fn grain(&self) -> Value {
        self.grain
    }
}

/// The moves to these squares, in ascending order.
#[inline(always)]
fn moves_to(mut squares: u64) -> impl Iterator<Item = Move> {
    std::iter::from_fn(move || {
        let square = squares.trailing_zeros() as u16;
        squares &= squares.wrapping_sub(1);
        (square < 64).then_some(Move(square + 1))
    })
}

/// The standard deviation of the value of `depth` plies from that of `shallow` plies, rounded from
/// what `recipes/fit_probcut.py` measures.
fn deviation(empties: u32, depth: i32, shallow: i32) -> Value {
    let of_one = if empties >= 30 { 24 } else { 40 };
    of_one * (8 + depth - shallow)
}
