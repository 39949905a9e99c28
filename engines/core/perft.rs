//! Perft: the number of leaves of the tree of legal moves, to test move generators.

use crate::game::Game;

/// The number of legal move sequences of this length.
pub fn perft<G: Game>(game: &G, position: &G::Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let targets = game.targets(position);
    let mut moves = Vec::with_capacity(64);
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv, _| moves.push(mv));
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&mv| perft(game, &game.make(position, mv), depth - 1)).sum()
}
