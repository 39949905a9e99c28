//! Following the variations that engines print, for their moves and what they lead to.

use pyo3::prelude::*;

use super::wrong;
use crate::game::{Game, Move};
use crate::games::chess::{
    Chess, Evaluation, chess960_position_from_fen, move_from_uci, position_from_fen,
};

/// For each of `lines`, a ply of the game and a variation in UCI from the position before it: the
/// codes of its moves before the first illegal one, and whether they end in checkmate.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)]
pub fn follow_lines(
    fen: &str,
    chess960: bool,
    moves: Vec<u16>,
    lines: Vec<(usize, String)>,
) -> PyResult<Vec<(Vec<u16>, bool)>> {
    let evaluation = Evaluation::pst();
    let game = Chess::new(evaluation, 1);
    let read = if chess960 { chess960_position_from_fen } else { position_from_fen };
    let mut position = read(fen, evaluation).map_err(wrong)?;
    let (mut ply, mut found) = (0, Vec::with_capacity(lines.len()));
    for (at, line) in &lines {
        while ply < *at {
            let mv = moves.get(ply).map(|&code| Move(code));
            let mv = mv.filter(|&mv| game.is_legal(&position, mv));
            game.play(&mut position, mv.ok_or_else(|| wrong(format!("ply {ply} is illegal")))?);
            ply += 1;
        }
        let (mut after, mut codes) = (position.clone(), Vec::new());
        for word in line.split_ascii_whitespace() {
            let mv = move_from_uci(word).filter(|&mv| game.is_legal(&after, mv));
            let Some(mv) = mv else { break };
            game.play(&mut after, mv);
            codes.push(mv.0);
        }
        let mated = !game.has_move(&after) && game.terminal_value(&after) != 0;
        found.push((codes, mated));
    }
    Ok(found)
}
