//! What a game must have to be played from outside of the core.

use crate::contest::Ended;
use crate::game::{Game, Move};
use crate::value::Value;

/// A game with texts for its positions and moves.
pub trait Playable: Game + Copy + Send + 'static {
    /// As the parameter `game` calls it.
    const NAME: &'static str;
    /// The position in which a game starts.
    const START: &'static str;
    /// Positions of all stages and of the odd corners of the rules, for the
    /// [bench](crate::bench).
    const BENCH: &'static [&'static str];

    /// The game with the evaluation of that name (`pst` or `full`), values being rounded to
    /// multiples of `grain` after adding `swing` for the side to move.
    fn with(evaluation: &str, grain: Value, swing: Value) -> Self;

    /// Reads a position; only games of Chess960 ask for `chess960`.
    ///
    /// # Errors
    /// One line that says what is wrong.
    fn read(&self, text: &str, chess960: bool) -> Result<Self::Position, String>;

    /// The text of a position, from which [`Playable::read`] makes an equal one.
    fn text(&self, position: &Self::Position) -> String;

    /// The name of a move, which says as much as its code, whatever the code is.
    fn move_name(mv: Move) -> String;

    /// True when White is to move.
    fn white_to_move(&self, position: &Self::Position) -> bool;

    /// The word for an ending by the rules of the game ([`Ended::Lost`] to [`Ended::Expired`]).
    fn word(ended: Ended) -> &'static str;
}
