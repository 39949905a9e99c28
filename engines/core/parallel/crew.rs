//! What the threads of one search share besides the table.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::bracket::{Bracket, Tag};
use super::busy::Busy;
use crate::game::Move;
use crate::node::{Counts, MAX_DEPTH};
use crate::value::Value;

/// The most nodes that a thread reserves at once; it checks the other threads as often.
pub const NODES_PER_SHARE: u64 = 64;
/// How often at least an idle thread looks for work.
const NAP: Duration = Duration::from_millis(5);

/// How several threads share a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parallel {
    /// Other windows, or other depths, and the same table.
    Lazy,
    /// The same window and depth; moves that another thread is searching come last.
    Abdada,
}

impl Parallel {
    /// All choices by name.
    pub const CHOICES: [(&'static str, Parallel); 2] =
        [("lazy", Parallel::Lazy), ("abdada", Parallel::Abdada)];
}

/// One pass over the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// The depth of its iteration.
    pub depth: i32,
    /// The depth that it searches, which may be less.
    pub plies: i32,
    /// The line of its iteration.
    pub line: usize,
    /// The only root move that it searches; none for all moves.
    pub one: Option<Move>,
    /// Its window.
    pub window: (Value, Value),
}

impl Task {
    /// The tag of its iteration.
    pub fn tag(&self) -> Tag {
        Tag::new(self.depth, self.line)
    }
}

/// The pass of the main thread, after which helpers choose theirs.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The pass itself.
    pub task: Task,
    /// The root moves in the order of the main thread. In selective search a move's value depends
    /// on its place, so helpers use the same order.
    pub moves: Vec<Move>,
    /// The number of them that belong to earlier lines, which this line leaves out.
    pub aside: usize,
    /// The value of the previous iteration.
    pub value: Value,
}

/// What a thread has used and counted so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes of all kinds.
    pub nodes: u64,
    /// Nodes by kind, and table statistics.
    pub counts: Counts,
    /// CPU time in microseconds, if it is limited, and at the end.
    pub cpu_us: u64,
}

impl Totals {
    /// The sums of both.
    pub fn plus(&self, other: &Totals) -> Totals {
        Totals {
            nodes: self.nodes + other.nodes,
            counts: self.counts.plus(&other.counts),
            cpu_us: self.cpu_us + other.cpu_us,
        }
    }

    /// Use since `before`, without CPU time.
    pub fn since(&self, before: &Totals) -> Totals {
        let (nodes, counts) = (self.nodes - before.nodes, self.counts.since(&before.counts));
        Totals { nodes, counts, cpu_us: 0 }
    }
}

/// The totals of one thread, on its own cache line.
#[derive(Default)]
#[repr(align(128))]
struct Account(Mutex<Totals>);

/// What the threads of one search share.
pub struct Crew {
    accounts: Vec<Account>,
    parallel: Parallel,
    start: Instant,
    /// Nodes of the limit that threads reserved.
    granted: AtomicU64,
    over: AtomicBool,
    /// The greatest distance from the root that helpers reached, by depth.
    seldepths: Vec<AtomicUsize>,
    /// Bounds of the root, by depth.
    depths: Vec<Bracket>,
    /// Bounds of single root moves in this iteration, for drivers that prove a move.
    moves: OnceLock<Vec<(Move, Bracket)>>,
    goal: Mutex<Option<Goal>>,
    posted: Condvar,
    busy: Option<Busy>,
}

/// Locks even if a thread panicked: the content is always replaced as a whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Crew {
    /// A crew of `threads` threads, including the main one, whose search starts now.
    pub fn new(threads: usize, parallel: Parallel) -> Crew {
        Crew {
            accounts: (0..threads).map(|_| Account::default()).collect(),
            parallel,
            start: Instant::now(),
            granted: AtomicU64::new(0),
            over: AtomicBool::new(false),
            seldepths: (0..=MAX_DEPTH).map(|_| AtomicUsize::new(0)).collect(),
            depths: (0..=MAX_DEPTH).map(|depth| Bracket::new(Tag::new(depth, 0))).collect(),
            moves: OnceLock::new(),
            goal: Mutex::new(None),
            posted: Condvar::new(),
            busy: (parallel == Parallel::Abdada).then(Busy::default),
        }
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.accounts.len()
    }

    /// How the threads share the search.
    pub fn parallel(&self) -> Parallel {
        self.parallel
    }

    /// When the search started.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// The moves under search, if threads defer those of others.
    pub fn busy(&self) -> Option<&Busy> {
        self.busy.as_ref()
    }

    /// Begins a line of a depth, without bounds of its moves.
    pub fn open(&self, depth: i32, line: usize, moves: &[Move]) {
        let tag = Tag::new(depth, line);
        // Keep what helpers found for the first line before it began.
        if line > 0 {
            self.depths[depth as usize].open(tag);
        }
        let new = || moves.iter().map(|&mv| (mv, Bracket::new(tag))).collect();
        self.moves.get_or_init(new).iter().for_each(|(_, bracket)| bracket.open(tag));
    }

    /// Ends a line of a depth: all passes of it are abandoned.
    pub fn close(&self, depth: i32) {
        self.depths[depth as usize].close();
        self.moves().iter().for_each(|(_, bracket)| bracket.close());
    }

    /// The bounds of single root moves.
    pub fn moves(&self) -> &[(Move, Bracket)] {
        self.moves.get().map_or(&[], Vec::as_slice)
    }

    /// The bounds of the root at a depth.
    pub fn depth(&self, depth: i32) -> &Bracket {
        &self.depths[depth as usize]
    }

    /// The bracket of a pass.
    pub fn bracket(&self, task: &Task) -> &Bracket {
        let of_move = |mv| self.moves().iter().find(|(known, _)| *known == mv);
        match task.one {
            None => self.depth(task.depth),
            Some(mv) => &of_move(mv).expect("a move of the root").1,
        }
    }

    /// True if a pass is useless now.
    pub fn settles(&self, task: &Task) -> bool {
        self.bracket(task).settles(task.tag(), task.window)
    }

    /// Posts the pass of the main thread.
    pub fn post(&self, goal: Goal) {
        *lock(&self.goal) = Some(goal);
        self.posted.notify_all();
    }

    /// The next pass of a helper with its goal; none when the search is over. Waits until `choose`
    /// finds one.
    pub fn next(&self, choose: impl Fn(&Goal) -> Option<Task>) -> Option<(Task, Goal)> {
        let mut goal = lock(&self.goal);
        while !self.is_over() {
            if let Some(posted) = &*goal {
                if let Some(task) = choose(posted) {
                    return Some((task, posted.clone()));
                }
            }
            let waited = self.posted.wait_timeout(goal, NAP);
            goal = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    /// Ends the search of all threads.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.posted.notify_all();
    }

    /// Ends the search of all threads on drop.
    pub fn ends_with_this(&self) -> impl Drop + use<'_> {
        struct Ends<'a>(&'a Crew);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.end();
            }
        }
        Ends(self)
    }

    /// True when all threads have to end.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Counts nodes that the main thread used before the limit applied.
    pub fn grant_first(&self, nodes: u64) {
        self.granted.store(nodes, Ordering::Relaxed);
    }

    /// Reserves nodes of the limit for one thread; 0 if none are left. When few are left it grants
    /// few, so that every thread gets some.
    pub fn grant(&self, limit: u64) -> u64 {
        let share = |granted: u64| {
            let left = limit.saturating_sub(granted);
            left.div_ceil(2 * self.threads() as u64).min(NODES_PER_SHARE)
        };
        let taken = self.granted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |granted| {
            Some(granted + share(granted))
        });
        taken.map_or(0, share)
    }

    /// Returns nodes that a thread did not use.
    pub fn give_back(&self, nodes: u64) {
        self.granted.fetch_sub(nodes, Ordering::Relaxed);
    }

    /// True if no nodes of the limit are left.
    pub fn has_granted(&self, limit: u64) -> bool {
        self.granted.load(Ordering::Relaxed) >= limit
    }

    /// Records the distance from the root that a helper's pass reached.
    pub fn reach(&self, depth: i32, seldepth: usize) {
        self.seldepths[depth as usize].fetch_max(seldepth, Ordering::Relaxed);
    }

    /// The greatest distance from the root that helpers reached in an iteration.
    pub fn reached(&self, depth: i32) -> usize {
        self.seldepths[depth as usize].load(Ordering::Relaxed)
    }

    /// Publishes the use of a thread.
    pub fn publish(&self, number: usize, totals: Totals) {
        *lock(&self.accounts[number].0) = totals;
    }

    /// The published use of all threads but one.
    pub fn others(&self, number: usize) -> Totals {
        let others = self.accounts.iter().enumerate().filter(|&(place, _)| place != number);
        others.fold(Totals::default(), |sum, (_, account)| sum.plus(&lock(&account.0)))
    }
}

/// One thread of a crew, for its meter.
pub struct Member<'a> {
    /// The crew.
    pub crew: &'a Crew,
    /// Its number; the main thread has 0.
    pub number: usize,
    /// The current pass, which it may abandon.
    pub task: Option<Task>,
    /// Whether it abandoned its last pass.
    pub abandoned: bool,
    /// The node count that it may reach, if nodes are limited.
    pub granted: u64,
    /// The node count at which it publishes its use.
    pub next_report: u64,
}

impl<'a> Member<'a> {
    /// A new thread with this number.
    pub fn new(crew: &'a Crew, number: usize) -> Member<'a> {
        Member { crew, number, task: None, abandoned: false, granted: 0, next_report: 0 }
    }

    /// True if its pass is useless; it is then abandoned.
    pub fn abandons(&mut self) -> bool {
        self.abandoned = self.task.is_some_and(|task| self.crew.settles(&task));
        self.abandoned
    }
}
