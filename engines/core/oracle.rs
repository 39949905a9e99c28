//! The oracle of the tests: plain minimax that shares no code with the searches.
//!
//! It has no windows above the leaves, no table, no move order and no counters, so it can be wrong
//! only if the rules of the game are. It is slow on purpose.

use crate::game::{Game, Move};
use crate::value::{INFINITY, Value, child_alpha, child_beta, from_child};

/// The exact value of the tree of this depth; every move is searched.
pub fn minimax<G: Game>(game: &G, position: &G::Position, depth: u32, quiescence: bool) -> Value {
    patient_minimax(game, position, depth, quiescence, &mut || false).expect("nobody ends it")
}

/// As [`minimax`]; `interrupted` is called at every leaf and quiescence node, and ends the search
/// if true.
pub fn patient_minimax<G: Game>(
    game: &G,
    position: &G::Position,
    depth: u32,
    quiescence: bool,
    interrupted: &mut impl FnMut() -> bool,
) -> Option<Value> {
    if depth == 0 {
        return if quiescence {
            open_quiescence(game, position, -INFINITY, INFINITY, interrupted)
        } else if interrupted() {
            None
        } else if game.has_move(position) {
            Some(game.static_value(position))
        } else {
            Some(game.terminal_value(position))
        };
    }
    let mut best = None;
    for mv in legal_moves(game, position) {
        let child = game.make(position, mv);
        let value = patient_minimax(game, &child, depth - 1, quiescence, interrupted)?;
        best = best.max(Some(from_child(value)));
    }
    best.or_else(|| Some(game.terminal_value(position)))
}

/// The value of a leaf by alpha-beta without ordering; exact if inside the window.
fn open_quiescence<G: Game>(
    game: &G,
    position: &G::Position,
    alpha: Value,
    beta: Value,
    interrupted: &mut impl FnMut() -> bool,
) -> Option<Value> {
    if interrupted() {
        return None;
    }
    if !game.has_move(position) {
        return Some(game.terminal_value(position));
    }
    let mut moves = Vec::new();
    let mut best = -INFINITY;
    if game.is_forced(position) {
        moves = legal_moves(game, position);
    } else {
        best = game.static_value(position);
        game.captures(position, |mv, _| moves.push(mv));
        moves.retain(|&mv| !game.is_losing(position, mv));
    }
    for mv in moves {
        if best >= beta {
            break;
        }
        let (low, high) = (child_alpha(beta), child_beta(alpha.max(best)));
        let child = open_quiescence(game, &game.make(position, mv), low, high, interrupted)?;
        best = best.max(from_child(child));
    }
    Some(best)
}

fn legal_moves<G: Game>(game: &G, position: &G::Position) -> Vec<Move> {
    let targets = game.targets(position);
    let mut moves = Vec::new();
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv, _| moves.push(mv));
    moves
}
