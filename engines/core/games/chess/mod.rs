//! Chess, on the move generator of `cozy-chess`.
//!
//! Two peculiarities of that crate stay inside: it codes castling as king-takes-rook, which we use
//! in Chess960 only (in standard chess, the king's own move, e1g1); and its hash has the en passant
//! file after every double push, while [`Position::key`] has it only if a capture is legal.

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
