//! Draughts as a [`Game`].

use std::ops::Range;

use super::board::Board;
use super::squares::{Direction, each, step};
use super::{Evaluation, Position, Side, moves, notation};
use crate::bench::OPTIONS_OF_A_GAME;
use crate::contest::Ended;
use crate::game::{Game, Merit, Move};
use crate::games::playable::Playable;
use crate::options::Options;
use crate::selective::Selectivity;
use crate::value::{EVALUATION_BOUND, MATED, Value, round_to_grain};

/// What [`Game::victim`] calls a capture of men only, of a king, and no capture.
const MAN: usize = 0;
const KING: usize = 1;
const NOTHING: usize = 2;

/// Draughts with an evaluation, its grain and its swing.
#[derive(Clone, Copy)]
pub struct Draughts {
    evaluation: &'static Evaluation,
    grain: Value,
    /// Added to every value for the side to move, before rounding.
    swing: Value,
}

impl Draughts {
    /// Draughts with this evaluation, rounded to multiples of `grain` centipawns.
    pub fn new(evaluation: &'static Evaluation, grain: Value) -> Draughts {
        Draughts { evaluation, grain, swing: 0 }
    }

    /// The same with another swing.
    pub fn with_swing(self, swing: Value) -> Draughts {
        Draughts { swing, ..self }
    }

    /// What both sides capture, as `side` sees it, until the side to move has no capture.
    fn captured(&self, board: &Board, side: Side) -> Value {
        let mut best = None;
        moves::captures(board, side, board.jumpers(side), |mv, taken| {
            let next = board.after(side, 1 << moves::from(mv), 1 << moves::to(mv), taken);
            let value = self.worth(board, side, taken) - self.captured(&next, side.other());
            best = best.max(Some(value));
        });
        best.unwrap_or(0)
    }

    /// The worth of the pieces that `side` takes.
    fn worth(&self, board: &Board, side: Side, taken: u32) -> Value {
        let kings = taken & board.kings(side.other());
        self.evaluation.worth((taken ^ kings).count_ones(), kings.count_ones())
    }
}

/// The legal moves of a position: pieces that can capture, or else the steps in each direction.
pub struct Targets {
    jumpers: u32,
    steps: [u32; Direction::ALL.len()],
}

impl Game for Draughts {
    type Position = Position;
    type Targets = Targets;
    type Forcing = ();

    const HISTORY_SLOTS: usize = 2 * 32 * 32;
    const SLOTS: usize = 2 * 2 * 32;
    /// Forty moves of each side.
    const REVERSIBLE_LIMIT: u32 = 80;

    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    #[inline(always)]
    fn make(&self, position: &Position, mv: Move) -> Position {
        position.after(mv)
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        moves::is_legal(position.board(), position.side_to_move(), mv)
    }

    #[inline]
    fn has_move(&self, position: &Position) -> bool {
        let (board, side) = (position.board(), position.side_to_move());
        board.has_step(side) || board.jumpers(side) != 0
    }

    fn terminal_value(&self, _: &Position) -> Value {
        MATED
    }

    #[inline]
    fn static_value(&self, position: &Position) -> Value {
        let value = self.evaluation.value(position) + self.swing;
        round_to_grain(value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND), self.grain)
    }

    fn evaluates_slowly(&self) -> bool {
        self.evaluation.has_terms()
    }

    #[inline]
    fn targets(&self, position: &Position) -> Targets {
        let (board, side) = (position.board(), position.side_to_move());
        let jumpers = board.jumpers(side);
        let steps = match jumpers {
            0 => Direction::ALL.map(|direction| board.steps(side, direction)),
            _ => [0; Direction::ALL.len()],
        };
        Targets { jumpers, steps }
    }

    #[inline]
    fn tactical(&self, position: &Position, targets: &Targets, mut each: impl FnMut(Move, Merit)) {
        let (board, side) = (position.board(), position.side_to_move());
        moves::captures(board, side, targets.jumpers, |mv, taken| {
            let kings = taken & board.kings(side.other());
            let score = 16 * (taken.count_ones() + kings.count_ones()) as i32;
            let victim = if kings != 0 { KING } else { MAN };
            each(mv, Merit { score, slot: slot(board, side, mv), victim });
        });
    }

    #[inline]
    fn quiets(
        &self,
        position: &Position,
        targets: &Targets,
        mut hand_out: impl FnMut(Move, usize),
    ) {
        let (board, side) = (position.board(), position.side_to_move());
        for (direction, steps) in Direction::ALL.into_iter().zip(targets.steps) {
            for to in each(steps) {
                let from = step(direction.back(), 1 << to).trailing_zeros() as usize;
                let mv = moves::quiet(from, to);
                hand_out(mv, slot(board, side, mv));
            }
        }
    }

    #[inline(always)]
    fn is_quiet(&self, _: &Position, mv: Move) -> bool {
        !moves::is_capture(mv)
    }

    /// Captures are compulsory, so no exchange can be declined.
    fn exchange_at_least(&self, _: &Position, _: Move, _: Value) -> bool {
        true
    }

    fn offer_at_least(&self, position: &Position, mv: Move, least: Value) -> bool {
        let after = position.after(mv);
        -self.captured(after.board(), after.side_to_move()) >= least
    }

    fn forcing(&self, _: &Position) {}

    /// The move leaves the other side a capture, or no move.
    #[inline]
    fn forces(&self, position: &Position, (): &(), mv: Move) -> bool {
        self.is_forced(&position.after(mv))
    }

    fn count_quiets(&self, _: &Position, targets: &Targets) -> usize {
        targets.steps.iter().map(|steps| steps.count_ones() as usize).sum()
    }

    fn gain(&self, position: &Position, mv: Move) -> Value {
        let (board, side) = (position.board(), position.side_to_move());
        if !moves::is_capture(mv) {
            return 0;
        }
        self.worth(board, side, moves::taken(board, side, mv))
    }

    fn victim(&self, position: &Position, mv: Move) -> usize {
        let (board, side) = (position.board(), position.side_to_move());
        if !moves::is_capture(mv) {
            NOTHING
        } else if board.has_king(moves::taken(board, side, mv)) {
            KING
        } else {
            MAN
        }
    }

    #[inline(always)]
    fn slot(&self, position: &Position, mv: Move) -> usize {
        slot(position.board(), position.side_to_move(), mv)
    }

    #[inline(always)]
    fn slots_to_move(&self, position: &Position) -> Range<usize> {
        let first = position.side_to_move() as usize * Self::SLOTS / 2;
        first..first + Self::SLOTS / 2
    }

    #[inline(always)]
    fn history_slot(&self, position: &Position, mv: Move) -> usize {
        let side = position.side_to_move() as usize;
        side << 10 | moves::to(mv) << 5 | moves::from(mv)
    }

    /// The side to move must capture, or has lost.
    #[inline(always)]
    fn is_forced(&self, position: &Position) -> bool {
        let (board, side) = (position.board(), position.side_to_move());
        board.jumpers(side) != 0 || !board.has_step(side)
    }

    /// There are none where nothing is forced.
    fn captures(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    /// There are none where nothing is forced.
    fn loud(&self, _: &Position, _: impl FnMut(Move, Merit)) {}

    /// Zugzwang is common, so a null move proves nothing.
    fn null_move(&self, _: &Position) -> Option<Position> {
        None
    }

    #[inline(always)]
    fn reversible_plies(&self, position: &Position) -> u32 {
        u32::from(position.clock())
    }

    fn is_dead_draw(&self, _: &Position) -> bool {
        false
    }

    /// Rounded from what `recipes/fit_probcut.py` measures, about the same with few pieces.
    fn deviation(&self, _: &Position, depth: i32, shallow: i32) -> Option<Value> {
        Some(5 * (8 + depth - shallow) / 2)
    }

    fn grain(&self) -> Value {
        self.grain
    }
}

impl Playable for Draughts {
    const NAME: &'static str = "draughts";
    const START: &'static str =
        "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";
    const BENCH_OPTIONS: Option<Options> = Some(Options {
        selective: Selectivity { probcut: 80, offer_pruning: 40, ..OPTIONS_OF_A_GAME.selective },
        ..OPTIONS_OF_A_GAME
    });
    const BENCH: &'static [&'static str] = &[
        "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
        "W:W17,18,21,24,25,28,29,30,31,32:B1,2,3,4,5,6,7,8,12,13",
        "B:W9,15,21,22,28,30,31,32:B1,2,3,4,6,8,12",
        "B:WK8,K9,16,19,21,32:B12,13,26,K31:H1",
        "W:W17,18,21,22,23,28,30,31,32:B2,3,7,9,10,11,12,13,20",
        "B:WK4,10,12,32:B2,3,K26,K31",
        "B:W7,21,23,25,30,31,32:B1,3,6,8,12,13,14",
        "W:W19,21,22,26,30:B1,10,12,13,14,15",
        "B:WK9,27:BK10,13,22:H70",
    ];

    fn with(evaluation: &str, grain: Value, swing: Value) -> Draughts {
        let evaluation = if evaluation == "full" { Evaluation::full() } else { Evaluation::pst() };
        Draughts::new(evaluation, grain).with_swing(swing)
    }

    fn read(&self, text: &str, chess960: bool) -> Result<Position, String> {
        if chess960 { Err("draughts has no Chess960".into()) } else { notation::read(text) }
    }

    fn text(&self, position: &Position) -> String {
        notation::text(position)
    }

    fn move_name(mv: Move) -> String {
        notation::move_name(mv)
    }

    fn white_to_move(&self, position: &Position) -> bool {
        position.side_to_move() == Side::White
    }

    fn word(ended: Ended) -> &'static str {
        match ended {
            Ended::Repeated => "threefold-repetition",
            Ended::Expired => "forty-moves",
            _ => "no-moves",
        }
    }
}

/// Side, kind and target of a move.
#[inline(always)]
fn slot(board: &Board, side: Side, mv: Move) -> usize {
    let kind = usize::from(board.has_king(1 << moves::from(mv)));
    (side as usize) << 6 | kind << 5 | moves::to(mv)
}
