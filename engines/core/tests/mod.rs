//! Tests of the whole search; what concerns one module stands in that module.

mod exactness;
mod mutants;
mod perft;
mod playing;
mod selective;
mod support;
