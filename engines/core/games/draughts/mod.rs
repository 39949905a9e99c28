//! English draughts (checkers), on bitboards of the 32 dark squares.
//!
//! Squares have the numbers of PDN less one: Black's men start on 0 to 11 and go down to higher
//! numbers, White's on 20 to 31 and go up. Captures are compulsory with free choice; each distinct
//! path of jumps is a move. A side without a legal move has lost.

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
