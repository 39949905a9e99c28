//! The native core of `mtdf`: game-tree search with interchangeable drivers.
//!
//! [`search`] is the one alpha-beta with memory that all [`drivers`] share; a [`player`] deepens it
//! iteratively over a [`game`]. Everything about Python is in `py`, behind a feature.
//!
//! # Contracts
//!
//! **Search.** Fail-soft: for a window (α, β) a search returns v. If v ≤ α, the value is at most v;
//! if v ≥ β, it is at least v; in between it is exactly v.
//!
//! **Exact mode.** The value is a function of (position, depth) alone: no pruning that can change
//! it, no draws by the path, no window-dependent quiescence, no table cut at the root, and table
//! entries of exactly that depth only. Every driver returns the plain minimax value; tests compare
//! with an [`oracle`] that prunes nothing. Selective mode adds draws by the path, and what
//! [`selective`] declares; every feature is a parameter.
//!
//! **Null windows** end when the bounds meet. In selective search a `tolerance` ends them when the
//! bounds are near; the value is then one between them, except for mates. With `best_move_stop` the
//! root ends the iteration when no other move can be better; the value is then a lower bound.
//!
//! **Proofs of a move.** `mtd-best` and `bns` search root moves one by one until the lower bound of
//! one is at least the upper bound of every other. That lower bound is the value. A crossing is a
//! pass that contradicts an earlier bound; the newer bound counts and ends the iteration, unless
//! `reopen` forgets the older one.
//!
//! **Unfinished iterations.** Depth 1 always finishes. When a limit ends a later one, an
//! open-window driver may adopt a move that raised α after the first root move; a null-window
//! driver a move that failed high at or above the last finished value (`adopt=all`: any that failed
//! high). A pass that fails low proves no move.
//!
//! **End of the game.** Where a game knows how many plies it can still last (`plies_left`), a
//! selective search of that depth leaves nothing out. Forced passes do not count.
//!
//! **Table.** An entry has a lower and an upper bound: fail low stores the upper one, fail high the
//! lower one, a value inside the window both. Storing one keeps the other if key and depth are
//! equal. The rules are a trait, so tests can substitute unsound ones and check that they are
//! caught. Mate values are relative to the node. A value that rests on a draw by the path is stored
//! only if the position it repeats is in its own subtree.
//!
//! **Limits** of nodes and CPU time count all threads. Threads reserve at most 64 nodes at a time:
//! the limit is never exceeded, and each thread may leave up to 64 nodes unused. Each thread may
//! exceed CPU time by 512 nodes. Only the main thread reports; nodes, counts and times in its
//! report are sums over all threads. [`parallel`] says why sharing is sound.

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
