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
    const BENCH: &'static [&'static str] = &[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 3 9",
        "2r3k1/pp3ppp/2n1b3/3p4/3P4/2PB1N2/P4PPP/4R1K1 b - - 4 22",
        "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1",
        "8/5pk1/6p1/3P3p/1P5P/6P1/3r1PK1/1R6 b - - 2 41",
        "8/8/1p1k4/pPp2p2/P1P2P2/3K4/8/8 w - - 0 1",
        "4k3/8/8/2pP4/8/8/6q1/K6R w - c6 0 2",
        "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 90 60",
    ];

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
