//! Search on several threads.
//!
//! The main thread searches as it would alone. *Helpers* share its table and have their own
//! histories and static values. The threads of one search are a [`Crew`]: the main thread posts a
//! [`Goal`] for every pass, helpers choose their own passes after it ([`plan`]), and the bounds of
//! all passes meet in one [`Bracket`] for each depth. A pass whose window the bracket settles is
//! abandoned, and its thread takes the next one.
//!
//! - *Lazy.* Under null windows helpers search other windows of the iteration, alternately above
//!   and below that of the main thread, so that the bracket closes from both sides. If no other
//!   window is left, and with open windows, they search at staggered depths.
//! - *ABDADA.* (Weill, The ABDADA distributed minimax search algorithm, ICCA Journal 19, 1996;
//!   simplified as by Hyatt and by Manzano.) All threads search the same pass. A move that another
//!   thread is searching is deferred to a second sweep of the node ([`Busy`]); the first move of a
//!   node is never deferred.
//!
//! **Why it is sound.** In exact mode a value is a function of (position, depth), so bounds of all
//! threads can be combined. In selective mode two searches of one depth may contradict each other.
//! There the bracket takes a helper's bound only if it agrees with all that is known, and what the
//! main thread finds replaces what contradicts it. So the main thread never meets a contradiction
//! that it would not meet alone, and each bound is one that it might have found itself: helpers
//! search the same root with the same rules and the same path.

mod bracket;
mod busy;
mod crew;
mod helper;
mod plan;

pub use bracket::{Bracket, Known, Tag};
pub use busy::{Busy, LEAST_DEPTH};
pub use crew::{Crew, Goal, Member, NODES_PER_SHARE, Parallel, Task, Totals};
pub use helper::Team;
pub use plan::Plan;

/// The maximum number of threads.
pub const MOST_THREADS: usize = 64;
