//! The native core of `mtdf`: game-tree search with interchangeable drivers.
//!
//! [`search`] is the one alpha-beta with memory that all [`drivers`] share; a [`player`] deepens
//! it iteratively over a [`game`]. Everything about Python is in `py`, behind a feature.

#![deny(missing_docs)]

pub mod bench;
pub mod contest;
pub mod drivers;
pub mod expansions;
pub mod game;
pub mod games;
pub mod guess;
pub mod limits;
pub mod memory;
pub mod node;
pub mod options;
pub mod oracle;
pub mod ordering;
pub mod parallel;
pub mod parameters;
pub mod perft;
pub mod player;
mod prefetch;
#[cfg(feature = "python")]
mod py;
pub mod report;
pub mod search;
pub mod selective;
pub mod static_values;
pub mod table;
pub mod value;

#[cfg(test)]
mod tests;
