//! What a search needs to know about a game.

use std::ops::Range;

use crate::value::Value;

/// A move in two bytes, coded by each game; 0 is no move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Move(pub u16);

impl Move {
    /// No move.
    pub const NONE: Move = Move(0);

    /// True for [`Move::NONE`].
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

/// What orders a tactical move.
#[derive(Clone, Copy, Debug)]
pub struct Merit {
    /// The best move has the highest.
    pub score: i32,
    /// The move's [slot](Game::slot).
    pub slot: usize,
    /// Its [victim](Game::victim).
    pub victim: usize,
}

/// The rules and the evaluation of a game of two players with alternating turns.
///
/// An implementation holds the settings (evaluation, grain); [`Game::make`] copies positions. The
/// order of generated moves must depend on the position only.
pub trait Game: Sync {
    /// A position, with data for fast evaluation.
    type Position: Clone + Send + Sync;
    /// The moves of a position in compact form, made once per node and expanded in stages.
    type Targets;
    /// Tells which moves of a position force the other side; made once per node.
    type Forcing;

    /// How many slots [`Game::history_slot`] uses.
    const HISTORY_SLOTS: usize;
    /// How many slots [`Game::slot`] uses.
    const SLOTS: usize;
    /// A game is drawn after this many plies without an irreversible move.
    const REVERSIBLE_LIMIT: u32 = u32::MAX;

    /// Equal for two positions if and only if the same moves lead to the same values. State that no
    /// rule reads, such as an en passant square without a legal capture, is left out.
    fn key(&self, position: &Self::Position) -> u64;

    /// The key after a legal move, without making it; wrong for some moves. Used for prefetching
    /// only.
    fn likely_key(&self, position: &Self::Position, mv: Move) -> u64 {
        self.key(&self.make(position, mv))
    }

    /// The position after a legal move.
    fn make(&self, position: &Self::Position, mv: Move) -> Self::Position;

    /// Plays a legal move.
    fn play(&self, position: &mut Self::Position, mv: Move) {
        *position = self.make(position, mv);
    }

    /// True if `mv`, which may be any code, is legal here.
    fn is_legal(&self, position: &Self::Position, mv: Move) -> bool;

    /// True when the side to move has a legal move.
    fn has_move(&self, position: &Self::Position) -> bool;

    /// The value of a position without moves.
    fn terminal_value(&self, position: &Self::Position) -> Value;

    /// The evaluation for the side to move, within
    /// [`EVALUATION_BOUND`](crate::value::EVALUATION_BOUND) and rounded to the grain.
    fn static_value(&self, position: &Self::Position) -> Value;

    /// True if computing a static value takes longer than a cache lookup.
    fn evaluates_slowly(&self) -> bool {
        false
    }

    /// All legal moves in compact form.
    fn targets(&self, position: &Self::Position) -> Self::Targets;

    /// Yields tactical moves (captures, promotions), each with its merit.
    fn tactical(
        &self,
        position: &Self::Position,
        targets: &Self::Targets,
        each: impl FnMut(Move, Merit),
    );

    /// Yields all other moves, each with its [slot](Game::slot).
    fn quiets(
        &self,
        position: &Self::Position,
        targets: &Self::Targets,
        each: impl FnMut(Move, usize),
    );

    /// True for a legal move that is not tactical.
    fn is_quiet(&self, position: &Self::Position, mv: Move) -> bool;

    /// True if the exchange on the move's square gains at least this value.
    fn exchange_at_least(&self, position: &Self::Position, mv: Move, least: Value) -> bool;

    /// True if the captures that a quiet move makes compulsory gain at least this value.
    fn offer_at_least(&self, _: &Self::Position, _: Move, _: Value) -> bool {
        true
    }

    /// True when a tactical move loses material on its square.
    #[inline(always)]
    fn is_losing(&self, position: &Self::Position, mv: Move) -> bool {
        !self.exchange_at_least(position, mv, 0)
    }

    /// The input of [`Game::forces`].
    fn forcing(&self, position: &Self::Position) -> Self::Forcing;

    /// True when a legal move leaves the other side no free choice ([`Game::is_forced`]).
    fn forces(&self, position: &Self::Position, forcing: &Self::Forcing, mv: Move) -> bool;

    /// False only where no move of [`Game::quiets`] forces the other side.
    fn may_force_quietly(&self, _: &Self::Position, _: &Self::Targets, _: &Self::Forcing) -> bool {
        true
    }

    /// The number of moves of [`Game::quiets`].
    fn count_quiets(&self, position: &Self::Position, targets: &Self::Targets) -> usize {
        let mut count = 0;
        self.quiets(position, targets, |_, _| count += 1);
        count
    }

    /// How many moves a legal move leaves the other side; `None` in games that are not ordered by
    /// it.
    fn replies(&self, _: &Self::Position, _: Move) -> Option<i32> {
        None
    }

    /// The standard deviation of the value of a search of `depth` plies from that of one of
    /// `shallow` plies; `None` where it was not measured.
    fn deviation(&self, _: &Self::Position, _depth: i32, _shallow: i32) -> Option<Value> {
        None
    }

    /// The most that one tactical move can gain, in centipawns.
    fn gain(&self, position: &Self::Position, mv: Move) -> Value;

    /// What a move captures, a number below [`VICTIMS`](crate::ordering::VICTIMS).
    fn victim(&self, position: &Self::Position, mv: Move) -> usize;

    /// The index of a quiet move's history, below [`Game::HISTORY_SLOTS`].
    fn history_slot(&self, position: &Self::Position, mv: Move) -> usize;

    /// The man and target square of a move, below [`Game::SLOTS`].
    fn slot(&self, position: &Self::Position, mv: Move) -> usize;

    /// The range of slots of the side to move.
    fn slots_to_move(&self, _: &Self::Position) -> Range<usize> {
        0..Self::SLOTS
    }

    /// True when the side to move has no free choice (in check): quiescence then searches all moves
    /// without standing pat, and selective search extends. Also true if the game is over, unless
    /// [`Game::static_value`] is its final value: selective quiescence does not check otherwise.
    fn is_forced(&self, position: &Self::Position) -> bool;

    /// Yields the moves of quiescence when nothing is forced, scored as in [`Game::tactical`];
    /// those that lose material are skipped later.
    fn captures(&self, position: &Self::Position, each: impl FnMut(Move, Merit));

    /// As [`Game::captures`], with promotions to the strongest man, for selective quiescence.
    fn loud(&self, position: &Self::Position, each: impl FnMut(Move, Merit));

    /// The position after a null move; `None` if passing proves nothing.
    fn null_move(&self, position: &Self::Position) -> Option<Self::Position>;

    /// Plies since the last move that cannot be taken back.
    fn reversible_plies(&self, position: &Self::Position) -> u32;

    /// True if the position is a dead draw (insufficient material).
    fn is_dead_draw(&self, position: &Self::Position) -> bool;

    /// An upper bound of the plies until the game ends, not counting passes; a move never raises
    /// it. A selective search of that depth prunes nothing: its value is that of the game, within
    /// the driver's tolerance, or with `best_move_stop` a lower bound of it.
    fn plies_left(&self, _: &Self::Position) -> u32 {
        u32::MAX
    }

    /// Values other than mates are multiples of this.
    fn grain(&self) -> Value {
        1
    }
}
