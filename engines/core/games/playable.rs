//! What a game needs to be played from outside the core.

use crate::contest::Ended;
use crate::game::{Game, Move};
use crate::options::Options;
use crate::value::Value;

/// A game with texts for its positions and moves.
pub trait Playable: Game + Copy + Send + 'static {
    /// The value of the parameter `game`.
    const NAME: &'static str;
    /// The start position.
    const START: &'static str;
    /// Positions of all stages and of special cases of the rules, for the [bench](crate::bench).
    const BENCH: &'static [&'static str];
    /// The options of the searches that the bench has in this game only.
    const BENCH_OPTIONS: Option<Options> = None;

    /// The game with the evaluation of this name (`pst` or `full`). Values get `swing` added for
    /// the side to move, then are rounded to multiples of `grain`.
    fn with(evaluation: &str, grain: Value, swing: Value) -> Self;

    /// Reads a position; `chess960` applies to chess only.
    ///
    /// # Errors One line about the problem.
    fn read(&self, text: &str, chess960: bool) -> Result<Self::Position, String>;

    /// The text of a position; [`Playable::read`] is the inverse.
    fn text(&self, position: &Self::Position) -> String;

    /// The name of a move, unique for any code.
    fn move_name(mv: Move) -> String;

    /// True if White is to move.
    fn white_to_move(&self, position: &Self::Position) -> bool;

    /// The name of an ending by the rules ([`Ended::Lost`] to [`Ended::Expired`]).
    fn word(ended: Ended) -> &'static str;
}
