//! Perft: how many leaves the tree of legal moves has, the test of a move generator.

use crate::game::Game;

/// The number of move sequences of that length.
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
