//! The games.

pub mod chess;
#[cfg(test)]
pub mod random_tree;
