//! Requests, limits and interruption of a search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::game::Move;
use crate::node::Counts;
use crate::parallel::{Member, NODES_PER_SHARE, Task, Totals};
use crate::report::Report;
use crate::value::Value;

/// Nodes between two looks at the clock.
const NODES_PER_POLL: u64 = 512;
/// The least time between two calls of the interruption hook.
const HOOK_PERIOD: Duration = Duration::from_millis(50);

/// The limits of one search. Without any, it ends at the greatest depth or by the stop flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of nodes of all kinds.
    pub nodes: Option<u64>,
    /// The last depth.
    pub depth: Option<u32>,
    /// No new iteration starts after this.
    pub soft: Option<Duration>,
    /// The search ends here.
    pub hard: Option<Duration>,
    /// The same in CPU time, summed over threads.
    pub cpu: Option<Duration>,
}

/// A request for one search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// Its limits.
    pub limits: Limits,
    /// Exact mode: fixed depth, nothing selective, no value that depends on the path.
    pub exact: bool,
    /// Replaces the first guess of every iteration, for drivers that use one.
    pub first_guess: Option<Value>,
    /// Report principal variations.
    pub variations: bool,
    /// Count re-expanded nodes of an exact search.
    pub expansions: bool,
    /// Root moves to search; all legal ones if none of these is legal.
    pub root_moves: &'a [Move],
    /// Number of lines: the best root moves searched at each depth, each without those before it.
    /// From 1 to the number of moves.
    pub lines: usize,
}

/// Ways to end a search from outside.
pub struct Watch<'a> {
    /// Set by another thread to end the search.
    pub stop: &'a AtomicBool,
    /// Called about 20 times a second, so never in a short search; true ends the search.
    pub hook: &'a mut dyn FnMut() -> bool,
    /// Called with the report after each iteration; true ends the search.
    pub on_iteration: &'a mut dyn FnMut(&Report) -> bool,
}

/// Counts nodes and says when to stop.
///
/// Until [`Meter::arm`] only the hook can end the search: depth 1 always finishes.
///
/// Each thread has a meter. Threads reserve nodes a few at a time
/// ([`Crew::grant`](crate::parallel::Crew::grant)), so together they never exceed the limit, but
/// may leave some nodes unused. CPU time is added up when the clock is read, so each thread may
/// exceed it by the nodes between two readings. Only the main thread calls the hook.
pub struct Meter<'a> {
    limits: Limits,
    watch: Watch<'a>,
    start: Instant,
    last_hook: Instant,
    cpu_clock: fn() -> u64,
    cpu_start: u64,
    /// Nodes by kind and table statistics of this thread.
    pub(crate) counts: Counts,
    nodes: u64,
    next_look: u64,
    armed: bool,
    stopped: bool,
    interrupted: bool,
    /// The other threads of the search, if any.
    member: Option<Member<'a>>,
}

impl<'a> Meter<'a> {
    /// A meter that starts now.
    pub fn new(limits: Limits, watch: Watch<'a>) -> Meter<'a> {
        Meter::with_clock(limits, watch, thread_cpu_us)
    }

    /// As [`Meter::new`], with another source of CPU time in microseconds.
    fn with_clock(limits: Limits, watch: Watch<'a>, cpu_clock: fn() -> u64) -> Meter<'a> {
        let start = Instant::now();
        Meter {
            limits,
            watch,
            start,
            last_hook: start,
            cpu_clock,
            cpu_start: cpu_clock(),
            counts: Counts::default(),
            nodes: 0,
            next_look: NODES_PER_POLL,
            armed: false,
            stopped: false,
            interrupted: false,
            member: None,
        }
    }

    /// The meter of the main thread of several.
    pub fn of_main(limits: Limits, watch: Watch<'a>, member: Member<'a>) -> Meter<'a> {
        let next_look = NODES_PER_SHARE;
        Meter { member: Some(member), next_look, ..Meter::new(limits, watch) }
    }

    /// The meter of a helper; limits apply from its start.
    pub fn of_helper(limits: Limits, watch: Watch<'a>, member: Member<'a>) -> Meter<'a> {
        let start = member.crew.start();
        let meter = Meter::of_main(limits, watch, member);
        Meter { start, armed: true, next_look: 0, ..meter }
    }

    /// Counts one node. If it is over the limit, the search must unwind and use no value.
    #[inline(always)]
    #[must_use]
    pub fn tick(&mut self) -> bool {
        if self.nodes >= self.next_look && self.look() {
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Applies the limits from now on.
    pub fn arm(&mut self) {
        self.armed = true;
        self.next_look = self.nodes;
        if let Some(member) = &mut self.member {
            member.granted = self.nodes;
            member.crew.grant_first(self.nodes);
        }
    }

    /// Begins a pass, which other threads may settle; it is then abandoned.
    pub fn begin_pass(&mut self, task: Option<Task>) {
        if let Some(member) = &mut self.member {
            member.task = task;
        }
    }

    /// Ends a pass; true if it was abandoned and the search continues.
    pub fn end_pass(&mut self) -> bool {
        let Some(member) = &mut self.member else { return false };
        let abandoned = std::mem::take(&mut member.abandoned) && !member.crew.is_over();
        member.task = None;
        if abandoned {
            self.stopped = false;
            self.next_look = self.nodes;
        }
        abandoned
    }

    /// Returns a helper's unused nodes between passes.
    pub fn rest(&mut self) {
        let Some(member) = &mut self.member else { return };
        if self.limits.nodes.is_some() {
            member.crew.give_back(member.granted - self.nodes.min(member.granted));
            member.granted = self.nodes;
            self.next_look = self.nodes;
        }
        self.publish();
    }

    /// Publishes this thread's use.
    fn publish(&mut self) {
        let cpu_us = if self.limits.cpu.is_some() { self.cpu_us() } else { 0 };
        self.publish_with(cpu_us);
    }

    /// Publishes this thread's total use.
    pub fn publish_all(&mut self) {
        self.publish_with(self.cpu_us());
    }

    /// CPU time of this thread since the search started.
    fn cpu_us(&self) -> u64 {
        (self.cpu_clock)().saturating_sub(self.cpu_start)
    }

    fn publish_with(&mut self, cpu_us: u64) {
        if let Some(member) = &mut self.member {
            let totals = Totals { nodes: self.nodes, counts: self.counts, cpu_us };
            member.crew.publish(member.number, totals);
            member.next_report = self.nodes + NODES_PER_POLL;
        }
    }

    /// Published totals of all threads, without CPU time.
    pub fn totals(&self) -> Totals {
        let others = self.member.as_ref().map(|member| member.crew.others(member.number));
        let own = Totals { nodes: self.nodes, counts: self.counts, cpu_us: 0 };
        others.map_or(own, |others| Totals { cpu_us: 0, ..own.plus(&others) })
    }

    /// Nodes of all threads beyond the limit.
    pub fn overrun(&self) -> u64 {
        self.totals().nodes.saturating_sub(self.limits.nodes.unwrap_or(u64::MAX))
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// True if the search must unwind.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// True if the hook ended the search.
    pub fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// Reports an iteration to the watcher.
    pub fn show(&mut self, report: &Report) {
        if (self.watch.on_iteration)(report) {
            (self.stopped, self.interrupted) = (true, true);
        }
    }

    /// True if no new iteration may start.
    pub fn is_over(&mut self) -> bool {
        let soft = self.limits.soft.is_some_and(|soft| self.elapsed() >= soft);
        let over = self.member.as_ref().is_some_and(|member| member.crew.is_over());
        self.stopped = self.stopped || self.must_stop() || soft || over;
        self.stopped
    }

    #[cold]
    fn look(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        self.stopped = if self.member.is_some() { self.looks_around() } else { self.must_stop() };
        // After a stop every node comes here again, so that the search unwinds at once.
        if !self.stopped {
            let most = self.granted().unwrap_or(u64::MAX);
            let period = if self.member.is_some() { NODES_PER_SHARE } else { NODES_PER_POLL };
            self.next_look = (self.nodes + period).min(most);
        }
        self.stopped
    }

    /// The check of one of several threads: often at the others, sometimes at clocks.
    fn looks_around(&mut self) -> bool {
        let Some(member) = &mut self.member else { return false };
        if member.crew.is_over() || member.abandons() {
            return true;
        }
        if self.nodes >= member.next_report {
            self.publish();
            if self.must_stop() {
                return true;
            }
        }
        self.asks_in_vain()
    }

    /// True if the thread has used its nodes and no more are left.
    fn asks_in_vain(&mut self) -> bool {
        let (true, Some(limit), Some(member)) = (self.armed, self.limits.nodes, &mut self.member)
        else {
            return false;
        };
        if self.nodes < member.granted {
            return false;
        }
        let more = member.crew.grant(limit);
        member.granted = self.nodes + more;
        more == 0
    }

    /// The node count that this thread may reach, if nodes are limited.
    fn granted(&self) -> Option<u64> {
        let limit = self.limits.nodes.filter(|_| self.armed)?;
        Some(self.member.as_ref().map_or(limit, |member| member.granted))
    }

    fn must_stop(&mut self) -> bool {
        if self.nodes >= NODES_PER_POLL && self.last_hook.elapsed() >= HOOK_PERIOD {
            self.last_hook = Instant::now();
            self.interrupted = (self.watch.hook)();
        }
        self.interrupted || (self.armed && self.is_used_up())
    }

    fn is_used_up(&self) -> bool {
        self.are_nodes_used_up()
            || self.watch.stop.load(Ordering::Relaxed)
            || self.limits.hard.is_some_and(|hard| self.elapsed() >= hard)
            || self.limits.cpu.is_some_and(|cpu| self.cpu_elapsed() >= cpu)
    }

    fn are_nodes_used_up(&self) -> bool {
        let Some(limit) = self.limits.nodes else { return false };
        match &self.member {
            None => self.nodes >= limit,
            Some(member) => self.nodes >= member.granted && member.crew.has_granted(limit),
        }
    }

    fn cpu_elapsed(&self) -> Duration {
        let others = self.member.as_ref().map(|member| member.crew.others(member.number).cpu_us);
        Duration::from_micros(self.cpu_us() + others.unwrap_or(0))
    }
}

/// CPU time of the calling thread, in microseconds; 0 if the system does not report it.
pub fn thread_cpu_us() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the one structure that the call writes.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    if failed != 0 { 0 } else { time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1_000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Hook<'a> = &'a mut dyn FnMut() -> bool;

    fn with_meter(
        limits: Limits,
        stop: &AtomicBool,
        hook: Hook<'_>,
        check: impl FnOnce(Meter<'_>),
    ) {
        let on_iteration = &mut |_: &Report| false;
        check(Meter::new(limits, Watch { stop, hook, on_iteration }));
    }

    #[test]
    fn node_limit_is_exact_once_armed() {
        let limits = Limits { nodes: Some(5_000), ..Limits::default() };
        with_meter(limits, &AtomicBool::new(false), &mut || false, |mut meter| {
            (0..3).for_each(|_| assert!(meter.tick()));
            meter.arm();
            while meter.tick() {}
            assert_eq!((meter.totals().nodes, meter.overrun()), (5_000, 0));
            assert!(meter.stopped() && !meter.tick());
        });
    }

    #[test]
    fn nodes_before_arming_are_an_overrun() {
        let limits = Limits { nodes: Some(10), hard: Some(Duration::ZERO), ..Limits::default() };
        with_meter(limits, &AtomicBool::new(true), &mut || false, |mut meter| {
            (0..9_000).for_each(|_| assert!(meter.tick()));
            meter.arm();
            assert!(!meter.tick());
            assert_eq!(meter.overrun(), 8_990);
        });
    }

    #[test]
    fn stop_flag_and_hook_end_a_search() {
        let stop = AtomicBool::new(false);
        with_meter(Limits::default(), &stop, &mut || false, |mut meter| {
            meter.arm();
            assert!(meter.tick());
            stop.store(true, Ordering::Relaxed);
            while meter.tick() {}
            assert!(meter.totals().nodes <= 2 * NODES_PER_POLL && !meter.interrupted());
        });
        with_meter(Limits::default(), &AtomicBool::new(false), &mut || true, |mut meter| {
            while meter.tick() {}
            assert!(meter.interrupted() && meter.elapsed() >= HOOK_PERIOD);
        });
    }

    thread_local! {
        static FALSE_CLOCK: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn cpu_limit_ends_a_search_at_the_next_check() {
        FALSE_CLOCK.set(7_000);
        let limits = Limits { cpu: Some(Duration::from_millis(3)), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let watch =
            Watch { stop: &stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        let mut meter = Meter::with_clock(limits, watch, || FALSE_CLOCK.get());
        FALSE_CLOCK.set(9_999);
        meter.arm();
        (0..10_000).for_each(|_| assert!(meter.tick()));
        assert!(!meter.is_over());
        FALSE_CLOCK.set(10_000);
        let before = meter.totals().nodes;
        while meter.tick() {}
        assert!(meter.totals().nodes - before <= NODES_PER_POLL && meter.is_over());
    }

    #[test]
    fn cpu_limit_has_no_effect_before_arming() {
        FALSE_CLOCK.set(0);
        let limits = Limits { cpu: Some(Duration::from_millis(1)), ..Limits::default() };
        let stop = AtomicBool::new(false);
        let watch =
            Watch { stop: &stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        let mut meter = Meter::with_clock(limits, watch, || FALSE_CLOCK.get());
        FALSE_CLOCK.set(1_000_000);
        (0..10_000).for_each(|_| assert!(meter.tick()));
        meter.arm();
        assert!(!meter.tick());
    }

    #[test]
    fn cpu_clock_advances() {
        let start = thread_cpu_us();
        while thread_cpu_us() < start + 100 {}
    }
}
