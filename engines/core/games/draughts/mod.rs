//! English draughts (checkers), on bitboards of the 32 dark squares.
//!
//! Squares are PDN numbers less one: Black's men start on 0 to 11 and move down to higher numbers,
//! White's on 20 to 31 and move up. Captures are compulsory with free choice; each distinct path of
//! jumps is a move. A side without a legal move has lost.

mod board;
mod evaluation;
mod jumps;
mod keys;
mod moves;
mod notation;
mod position;
mod rules;
mod squares;

pub use board::{Board, Side};
pub use evaluation::Evaluation;
pub use position::Position;
pub use rules::{Draughts, Targets};
