//! The games.

pub mod chess;
pub mod connect_four;
pub mod playable;
#[cfg(test)]
pub mod random_tree;
pub mod seat;

use seat::{Of, Rules};

/// All games that can be played, in the order in which they are told: the choices of the parameter
/// `game`.
pub static GAMES: [&dyn Rules; 2] =
    [&Of::<chess::Chess>::GAME, &Of::<connect_four::ConnectFour>::GAME];
