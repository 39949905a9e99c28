//! Tests of the whole search. Tests of one module are in that module.

mod caches;
mod contest;
mod draughts;
mod enhancements;
mod exactness;
pub mod features;
mod mutants;
mod othello;
mod perft;
mod pinned;
mod playing;
mod selective;
pub mod support;
mod threads;
mod whole;
