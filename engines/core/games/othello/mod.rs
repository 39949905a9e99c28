//! Othello, on bitboards.
//!
//! Squares are numbered from a1 in the top left corner (0) along the rows to h8 (63). The code of a
//! move is its square plus one; a pass, legal only if nothing else is, is [`PASS`].

mod board;
mod evaluation;
mod notation;
mod position;
mod rules;

pub use evaluation::Evaluation;
pub use position::{PASS, Position};
pub use rules::Othello;
