//! What a search needs to know about a game.

use std::ops::Range;

use crate::value::Value;

/// A move in two bytes; every game has its own code, in which 0 is no move.
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
/// An implementation holds the settings (evaluation, grain); positions are values that are copied
/// by [`Game::make`]. The order in which moves are handed out must depend on the position only.
pub trait Game: Sync {
    /// A position, with whatever is kept beside it to evaluate fast.
    type Position: Clone + Send + Sync;
    /// The moves of a position in a compact form, made once a node and spelled out in stages.
    type Targets;
    /// What tells which moves of a position force the other side, made once a node.
    type Forcing;

    /// How many slots [`Game::history_slot`] uses.
    const HISTORY_SLOTS: usize;
    /// How many slots [`Game::slot`] uses.
    const SLOTS: usize;
    /// A game is drawn after this many plies without an irreversible move.
    const REVERSIBLE_LIMIT: u32 = u32::MAX;

    /// Equal for two positions exactly when the same moves lead to the same values: what no
    /// rule looks at (such as an en passant square without a legal capture) is not in it.
    fn key(&self, position: &Self::Position) -> u64;

    /// The key after a legal move, without making it: of most moves the right one, and of the others
    /// any. What is fetched from memory by it is a hint.
    fn likely_key(&self, position: &Self::Position, mv: Move) -> u64 {
        self.key(&self.make(position, mv))
    }

    /// The position after a legal move.
    fn make(&self, position: &Self::Position, mv: Move) -> Self::Position;

    /// Plays a legal move.
    fn play(&self, position: &mut Self::Position, mv: Move) {
        *position = self.make(position, mv);
    }

    /// True when `mv`, which may be any code, is a legal move here.
    fn is_legal(&self, position: &Self::Position, mv: Move) -> bool;

    /// True when the side to move has a legal move.
    fn has_move(&self, position: &Self::Position) -> bool;

    /// The value of a position without moves.
    fn terminal_value(&self, position: &Self::Position) -> Value;

    /// The evaluation for the side to move, within
    /// [`EVALUATION_BOUND`](crate::value::EVALUATION_BOUND) and rounded to the grain.
    fn static_value(&self, position: &Self::Position) -> Value;

    /// True when working out a static value takes longer than finding it in a cache.
    fn evaluates_slowly(&self) -> bool {
        false
    }

    /// All legal moves in compact form.
    fn targets(&self, position: &Self::Position) -> Self::Targets;

    /// Hands out the moves that change much (captures, promotions), each with what orders
    /// them.
    fn tactical(
        &self,
        position: &Self::Position,
        targets: &Self::Targets,
        each: impl FnMut(Move, Merit),
    );

    /// Hands out all other moves, each with its [slot](Game::slot).
    fn quiets(
        &self,
        position: &Self::Position,
        targets: &Self::Targets,
        each: impl FnMut(Move, usize),
    );

    /// True for a legal move that is not tactical.
    fn is_quiet(&self, position: &Self::Position, mv: Move) -> bool;

    /// True when a move gains at least so much, or loses at most so much, by exchange of
    /// material on its square.
    fn exchange_at_least(&self, position: &Self::Position, mv: Move, least: Value) -> bool;

    /// True when a tactical move loses material on its square.
    #[inline(always)]
    fn is_losing(&self, position: &Self::Position, mv: Move) -> bool {
        !self.exchange_at_least(position, mv, 0)
    }

    /// What [`Game::forces`] asks.
    fn forcing(&self, position: &Self::Position) -> Self::Forcing;

    /// True when a legal move leaves the other side no free choice ([`Game::is_forced`]).
    fn forces(&self, position: &Self::Position, forcing: &Self::Forcing, mv: Move) -> bool;

    /// False only where no move of [`Game::quiets`] forces the other side.
    fn may_force_quietly(&self, _: &Self::Position, _: &Self::Targets, _: &Self::Forcing) -> bool {
        true
    }

    /// How many moves [`Game::quiets`] hands out.
    fn count_quiets(&self, position: &Self::Position, targets: &Self::Targets) -> usize {
        let mut count = 0;
        self.quiets(position, targets, |_, _| count += 1);
        count
    }

    /// The most that a tactical move can gain at once, in centipawns.
    fn gain(&self, position: &Self::Position, mv: Move) -> Value;

    /// What a move takes, a number below [`VICTIMS`](crate::ordering::VICTIMS).
    fn victim(&self, position: &Self::Position, mv: Move) -> usize;

    /// Where the history of a quiet move is kept, below [`Game::HISTORY_SLOTS`].
    fn history_slot(&self, position: &Self::Position, mv: Move) -> usize;

    /// What a move does, whoever stood there before: which man comes to which square. Below
    /// [`Game::SLOTS`].
    fn slot(&self, position: &Self::Position, mv: Move) -> usize;

    /// Where the slots of the moves of the side to move lie.
    fn slots_to_move(&self, _: &Self::Position) -> Range<usize> {
        0..Self::SLOTS
    }

    /// True when the side to move has no free choice (in check): quiescence then searches all
    /// moves and may not stand pat, and selective search extends. Also where the game is over, unless
    /// [`Game::static_value`] is the value of its end: selective quiescence looks nowhere else.
    fn is_forced(&self, position: &Self::Position) -> bool;

    /// Hands out the moves that quiescence looks at when nothing is forced, with scores as in
    /// [`Game::tactical`]; those that lose material are left out afterwards.
    fn captures(&self, position: &Self::Position, each: impl FnMut(Move, Merit));

    /// As [`Game::captures`], and the other moves that quiescence of selective search looks at:
    /// promotions to the strongest man.
    fn loud(&self, position: &Self::Position, each: impl FnMut(Move, Merit));

    /// The position with the turn passed to the other side, where that is a fair way to prove
    /// that a move would be good enough; `None` where it is not.
    fn null_move(&self, position: &Self::Position) -> Option<Self::Position>;

    /// Plies since the last move that cannot be taken back.
    fn reversible_plies(&self, position: &Self::Position) -> u32;

    /// True when the position itself is drawn, whatever is played (insufficient material).
    fn is_dead_draw(&self, position: &Self::Position) -> bool;

    /// An upper bound of the plies until the game ends, passes apart; never greater after a move. A
    /// selective search that reaches so far prunes nothing: its value is that of the game, or within
    /// the driver's tolerance of it.
    fn plies_left(&self, _: &Self::Position) -> u32 {
        u32::MAX
    }

    /// Values, but for mates, are multiples of this.
    fn grain(&self) -> Value {
        1
    }
}
