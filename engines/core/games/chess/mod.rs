//! Chess, on the move generator of `cozy-chess`.
//!
//! Two traps of that crate end here: castling moves are king-takes-rook inside it, and elsewhere
//! only in games of Chess960 (in standard chess they are the king's own move, e1g1); and its hash
//! holds the en passant file after every double push, while [`Position::key`] holds it only where
//! a capture is legal.

mod board;
mod evaluation;
mod keys;
mod notation;
mod playable;
mod position;
mod rules;
mod see;

pub use board::Board;
pub use evaluation::Evaluation;
pub use notation::{chess960_position_from_fen, move_from_uci, move_to_uci, position_from_fen};
pub use position::Position;
pub use rules::Chess;
pub use see::see;
