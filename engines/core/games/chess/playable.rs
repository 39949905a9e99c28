//! Chess from outside: texts and words.

use cozy_chess::Color;

use super::{
    Chess, Evaluation, Position, chess960_position_from_fen, move_to_uci, position_from_fen,
};
use crate::contest::Ended;
use crate::game::Move;
use crate::games::playable::Playable;
use crate::value::Value;

impl Playable for Chess {
    const NAME: &'static str = "chess";
    const START: &'static str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn with(evaluation: &str, grain: Value, swing: Value) -> Chess {
        let evaluation = if evaluation == "full" { Evaluation::full() } else { Evaluation::pst() };
        Chess::new(evaluation, grain).with_swing(swing)
    }

    fn read(&self, text: &str, chess960: bool) -> Result<Position, String> {
        let read = if chess960 { chess960_position_from_fen } else { position_from_fen };
        read(text, self.evaluation())
    }

    fn text(&self, position: &Position) -> String {
        position.fen()
    }

    fn move_name(mv: Move) -> String {
        move_to_uci(mv)
    }

    fn white_to_move(&self, position: &Position) -> bool {
        position.board().side_to_move() == Color::White
    }

    fn word(ended: Ended) -> &'static str {
        match ended {
            Ended::Stalled => "stalemate",
            Ended::Dead => "insufficient-material",
            Ended::Repeated => "threefold-repetition",
            Ended::Expired => "fifty-moves",
            _ => "checkmate",
        }
    }
}
