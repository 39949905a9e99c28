//! A player: a position, what was learned, and iterative deepening with a driver.

use std::sync::atomic::AtomicBool;

use crate::drivers::Driver;
use crate::game::{Game, Move};
use crate::limits::{Limits, Meter, Watch, thread_cpu_us};
use crate::memory::Memory;
use crate::ordering::Ordering;
use crate::report::{Iteration, Pass, Report};
use crate::root::{OPEN, Root};
use crate::search::{Counts, MAX_DEPTH, Options, Search, Sound, TableRules};
use crate::table::{Table, TableSize};
use crate::value::{MATE, MATE_BOUND, Value};

/// What one search is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// What it may cost.
    pub limits: Limits,
    /// Fixed depth, nothing selective, no value that depends on the path.
    pub exact: bool,
    /// Replaces the first guess of every iteration of a driver that uses one.
    pub first_guess: Option<Value>,
    /// Report principal variations.
    pub variations: bool,
}

/// One player of a game.
pub struct Player<G: Game> {
    game: G,
    driver: Driver,
    options: Options,
    memory: Memory,
    position: G::Position,
    report: Report,
    /// What was learned stems from an exact search: its table holds other values.
    exact: bool,
}

impl<G: Game> Player<G> {
    /// A player that stands at `position` and has learned nothing.
    pub fn new(
        game: G,
        driver: Driver,
        options: Options,
        size: TableSize,
        position: G::Position,
    ) -> Player<G> {
        Player::with_table(game, driver, options, Table::new(size), position)
    }

    /// The same with an empty table that was made before.
    pub fn with_table(
        game: G,
        driver: Driver,
        options: Options,
        table: Table,
        position: G::Position,
    ) -> Player<G> {
        let ordering = Ordering::new(G::HISTORY_SLOTS, G::SLOTS, options.ordering);
        let memory = Memory::new(table, ordering, G::SLOTS);
        let options = Options { scout: driver.scouts(), ..options };
        Player { game, driver, options, memory, position, report: Report::default(), exact: false }
    }

    /// Gives its table away, and goes on without one.
    pub fn take_table(&mut self) -> Table {
        std::mem::replace(&mut self.memory.table, Table::new(TableSize::Entries(0)))
    }

    /// Forgets everything that was learned.
    pub fn new_game(&mut self) {
        self.memory.table.new_game();
        self.memory.ordering.new_game();
        self.exact = false;
    }

    /// Stands at a position after moves from `start`, which nothing preceded.
    ///
    /// # Errors
    /// The first move that is not legal; then nothing has changed.
    pub fn set_position(
        &mut self,
        start: G::Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<(), Move> {
        let position = std::mem::replace(&mut self.position, start);
        let path = std::mem::take(&mut self.memory.path);
        for mv in moves {
            if !self.push(mv) {
                (self.position, self.memory.path) = (position, path);
                return Err(mv);
            }
        }
        Ok(())
    }

    /// Plays a move; false, and nothing changed, when it is not legal.
    #[must_use]
    pub fn push(&mut self, mv: Move) -> bool {
        if !self.game.is_legal(&self.position, mv) {
            return false;
        }
        let key = self.game.key(&self.position);
        self.position = self.game.make(&self.position, mv);
        if self.game.reversible_plies(&self.position) == 0 {
            self.memory.path.clear();
        } else {
            self.memory.path.push(key);
        }
        true
    }

    /// The rules that it plays by.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// Where the player stands.
    pub fn position(&self) -> &G::Position {
        &self.position
    }

    /// The report of the last search.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The value of the position as a leaf of an exact search.
    pub fn quiescence_value(&mut self) -> Value {
        let stop = AtomicBool::new(false);
        let watch =
            Watch { stop: &stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        let meter = Meter::new(Limits::default(), watch);
        let mut search: Search<'_, G> =
            Search::new(&self.game, self.options, &mut self.memory, meter);
        search.leaf::<true>(&self.position, OPEN.0, OPEN.1)
    }

    /// Searches the position. An exact search starts from an empty memory, and what it learned is
    /// forgotten before the next search.
    pub fn search(&mut self, request: &Request, watch: Watch<'_>) -> &Report {
        self.search_by::<Sound>(request, watch)
    }

    /// As [`Player::search`], with nobody who could interrupt it.
    pub fn search_alone(&mut self, request: &Request) -> &Report {
        self.search_alone_by::<Sound>(request)
    }

    /// As [`Player::search_alone`], by other rules for the table.
    pub(crate) fn search_alone_by<R: TableRules>(&mut self, request: &Request) -> &Report {
        let stop = AtomicBool::new(false);
        let watch =
            Watch { stop: &stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        self.search_by::<R>(request, watch)
    }

    fn search_by<R: TableRules>(&mut self, request: &Request, watch: Watch<'_>) -> &Report {
        let cpu_start = thread_cpu_us();
        if request.exact || self.exact {
            self.new_game();
        } else {
            self.memory.table.new_search();
            self.memory.ordering.new_search();
        }
        self.exact = request.exact;
        self.report.clear();
        // Rebuilt so that the watch is borrowed no longer than this search.
        let Watch { stop, hook, on_iteration } = watch;
        let meter = Meter::new(request.limits, Watch { stop, hook, on_iteration });
        let search: Search<'_, G, R> =
            Search::new(&self.game, self.options, &mut self.memory, meter);
        let mut deepening =
            Deepening { search, driver: self.driver, request, report: &mut self.report };
        if request.exact {
            deepening.run::<true>(&self.position);
        } else {
            deepening.run::<false>(&self.position);
        }
        self.report.cpu_us = thread_cpu_us().saturating_sub(cpu_start);
        &self.report
    }
}

/// Iterative deepening of one search.
struct Deepening<'s, 'a, G: Game, R: TableRules> {
    search: Search<'a, G, R>,
    driver: Driver,
    request: &'s Request,
    report: &'s mut Report,
}

impl<G: Game, R: TableRules> Deepening<'_, '_, G, R> {
    fn run<const EXACT: bool>(&mut self, position: &G::Position) {
        let mut root = Root::new(position, &mut self.search);
        if root.moves.is_empty() {
            self.report.value = self.search.game.terminal_value(position);
        } else {
            self.deepen::<EXACT>(&mut root);
        }
        let meter = &self.search.meter;
        self.report.nodes = meter.nodes();
        self.report.overrun = meter.overrun();
        self.report.time = meter.elapsed();
        self.report.stopped = meter.stopped();
        self.report.interrupted = meter.interrupted();
    }

    fn deepen<const EXACT: bool>(&mut self, root: &mut Root<G>) {
        let last = self.request.limits.depth.map_or(MAX_DEPTH, |depth| depth as i32);
        let fixed = self.search.game.static_value(&root.position);
        let mut values: Vec<Value> = Vec::with_capacity(32);
        for depth in 1..=last.clamp(1, MAX_DEPTH) {
            if depth == 2 {
                self.search.meter.arm();
            }
            if depth > 1 && self.search.meter.is_over() {
                return;
            }
            let Some(value) = self.iteration::<EXACT>(root, depth, &values, fixed) else {
                return;
            };
            values.push(value);
            // Far beyond a mate's length no shorter one is expected. Its own length is not enough:
            // what is left out and what is extended lets longer mates be seen first.
            let plies = MATE - value.abs();
            if !EXACT && value.abs() > MATE_BOUND && 2 * plies - 1 <= depth {
                return;
            }
        }
    }

    /// One iteration: its value, or `None` when it was stopped.
    fn iteration<const EXACT: bool>(
        &mut self,
        root: &mut Root<G>,
        depth: i32,
        values: &[Value],
        fixed: Value,
    ) -> Option<Value> {
        let start = self.search.meter.elapsed();
        let (nodes, counts) = (self.search.meter.nodes(), self.search.counts);
        let first_pass = self.report.passes.len();
        let previous = values.last().copied();
        let guess = self.driver.first_guess(values, fixed);
        let first_guess = guess.map(|guess| self.request.first_guess.unwrap_or(guess));
        let null_windows = self.driver.has_null_windows();
        let mut adopted: Option<(Move, Value)> = None;

        let (search, report) = (&mut self.search, &mut *self.report);
        let value = self.driver.iterate(first_guess, previous, |alpha, beta| {
            let before = search.meter.nodes();
            let returned = root.pass::<R, EXACT>(search, depth, alpha, beta);
            // The move of an unfinished iteration: with open windows the last one, not the first,
            // that raised alpha; with null windows the last one that failed high at or above the
            // value of the iteration before.
            if !null_windows {
                adopted = root.raised_late.or(adopted);
            } else if let Some(value) = returned {
                if value >= beta && previous.is_some_and(|previous| beta >= previous) {
                    adopted = Some((root.moves[0], value));
                }
            }
            let value = returned?;
            let nodes = search.meter.nodes() - before;
            report.passes.push(Pass { alpha, beta, value, nodes });
            Some(value)
        });

        // What stands: the iteration's own move and value, the adopted ones, or the old ones.
        let standing = (self.report.mv, self.report.value);
        let (mv, best) = match value {
            Some(value) => (root.moves[0], value),
            None => adopted.unwrap_or(standing),
        };
        (self.report.mv, self.report.value) = (mv, best);
        if value.is_some() {
            self.report.depth = depth;
        }
        let variation = match (self.request.variations, value) {
            (false, _) => Vec::new(),
            (true, Some(_)) => root.principal_variation(&self.search, mv, depth),
            (true, None) => vec![mv],
        };
        self.report.iterations.push(Iteration {
            depth,
            value: best,
            first_guess,
            passes: first_pass..self.report.passes.len(),
            nodes: self.search.meter.nodes() - nodes,
            counts: difference(&self.search.counts, &counts),
            time: self.search.meter.elapsed().saturating_sub(start),
            mv,
            variation,
            finished: value.is_some(),
        });
        self.search.meter.show(self.report);
        value
    }
}

fn difference(now: &Counts, before: &Counts) -> Counts {
    Counts {
        interior: now.interior - before.interior,
        leaves: now.leaves - before.leaves,
        probes: now.probes - before.probes,
        hits: now.hits - before.hits,
        cutoffs: now.cutoffs - before.cutoffs,
    }
}
