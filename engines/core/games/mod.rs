//! The games.

pub mod chess;
pub mod connect_four;
pub mod draughts;
pub mod othello;
pub mod playable;
#[cfg(test)]
pub mod random_tree;
pub mod seat;

use playable::Playable;
use seat::{Seated, seated};

/// All games, by their value of the parameter `game`.
pub const GAMES: [(&str, Seated); 4] = [
    entry::<chess::Chess>(),
    entry::<othello::Othello>(),
    entry::<draughts::Draughts>(),
    entry::<connect_four::ConnectFour>(),
];

const fn entry<G: Playable>() -> (&'static str, Seated) {
    (G::NAME, seated::<G>)
}
