//! The games.

pub mod chess;
pub mod draughts;
pub mod playable;
#[cfg(test)]
pub mod random_tree;
