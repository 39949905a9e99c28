//! A game of chess without players, for a referee.

use pyo3::prelude::*;

use super::wrong;
use crate::contest::{Ended, ending};
use crate::game::{Game, Move};
use crate::games::chess::{
    Chess, Evaluation, Position, chess960_position_from_fen, position_from_fen,
};
use crate::games::playable::Playable;

/// A position of chess and those before it that can occur again.
#[pyclass(name = "ChessRules", module = "engines._core")]
pub struct PyChessRules {
    game: Chess,
    position: Position,
    keys: Vec<u64>,
    codes: Vec<u16>,
}

/// How the rules end a game: the reason, and whether White won.
pub(super) type Told = (&'static str, Option<bool>);

#[pymethods]
impl PyChessRules {
    #[new]
    fn new(fen: &str, chess960: bool) -> PyResult<PyChessRules> {
        let evaluation = Evaluation::pst();
        let game = Chess::new(evaluation, 1);
        let read = if chess960 { chess960_position_from_fen } else { position_from_fen };
        let position = read(fen, evaluation).map_err(wrong)?;
        let keys = vec![game.key(&position)];
        Ok(PyChessRules { game, position, keys, codes: Vec::new() })
    }

    /// Plays a move, which may be any code; false, and nothing done, when it is illegal.
    #[pyo3(text_signature = "($self, code)")]
    pub(super) fn push(&mut self, code: u16) -> bool {
        let legal = self.game.is_legal(&self.position, Move(code));
        if legal {
            self.game.play(&mut self.position, Move(code));
            self.codes.push(code);
        }
        legal
    }

    /// The codes of the moves from the one with this number on.
    #[pyo3(text_signature = "($self, number)")]
    fn moves_from(&self, number: usize) -> Vec<u16> {
        self.codes[number..].to_vec()
    }

    /// Whose turn it is.
    #[pyo3(text_signature = "($self)")]
    pub(super) fn white_to_move(&self) -> bool {
        self.game.white_to_move(&self.position)
    }

    /// How the rules end the game after the last push: the reason, and whether White won. Counts
    /// the position.
    #[pyo3(text_signature = "($self)")]
    pub(super) fn ending(&mut self) -> Option<Told> {
        let ended = ending(&self.game, &self.position, &mut self.keys)?;
        let winner = (ended == Ended::Lost).then(|| !self.game.white_to_move(&self.position));
        Some((<Chess as Playable>::word(ended), winner))
    }
}
