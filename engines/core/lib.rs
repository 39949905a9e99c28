//! The native core of `mtdf`: game-tree search with interchangeable drivers.
//!
//! [`search`] is the one alpha-beta with memory that all [`drivers`] share; a [`player`] deepens
//! it iteratively over a [`game`]. Everything about Python is in `py`, behind a feature.

#![deny(missing_docs)]

pub mod bench;
pub mod contest;
pub mod draws;
pub mod drivers;
mod edge;
mod enhancements;
pub mod expansions;
pub mod game;
pub mod games;
pub mod guess;
pub mod limits;
pub mod memory;
pub mod oracle;
pub mod ordering;
pub mod parameters;
pub mod perft;
mod plain;
pub mod player;
mod pruning;
#[cfg(feature = "python")]
mod py;
pub mod quiescence;
pub mod report;
pub mod root;
pub mod search;
pub mod selective;
pub mod table;
mod tried;
pub mod value;

#[cfg(test)]
mod tests;
