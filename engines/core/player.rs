//! A player: a position, what was learned, and iterative deepening with a driver.

use std::panic::resume_unwind;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::drivers::{Driver, Passes, Start};
use crate::expansions::Expansions;
use crate::game::{Game, Move};
use crate::guess::Seen;
use crate::limits::{Limits, Meter, Request, Watch, thread_cpu_us};
use crate::memory::Memory;
use crate::node::{MAX_DEPTH, Sound, TableRules};
use crate::options::Options;
use crate::ordering::Ordering;
use crate::parallel::{Crew, Goal, Known, Member, Plan, Task, Team, Totals};
use crate::report::{Iteration, Pass, Report, crossings};
use crate::search::Search;
use crate::search::root::Root;
use crate::table::{Table, TableOptions, TableSize};
use crate::value::{Bounds, INFINITY, MATE, MATE_BOUND, OPEN, Value};

/// One player of a game.
pub struct Player<G: Game> {
    game: G,
    driver: Driver,
    options: Options,
    table: Table,
    memory: Memory,
    /// What each helper thread keeps between searches.
    helpers: Vec<Memory>,
    position: G::Position,
    report: Report,
    /// The key of the position that the game started from, and the plies since.
    place: (u64, usize),
    /// The position of the last search of this game, and the values of its iterations.
    searched: Option<((u64, usize), Vec<Value>)>,
    /// Whether the last search was exact: its table holds other values.
    exact: bool,
}

impl<G: Game> Player<G> {
    /// A new player at `position`.
    pub fn new(
        game: G,
        driver: Driver,
        options: Options,
        size: TableSize,
        position: G::Position,
    ) -> Player<G> {
        Player::with_table(game, driver, options, Table::new(size, options.table), position)
    }

    /// The same, reusing an empty table.
    pub fn with_table(
        game: G,
        driver: Driver,
        options: Options,
        table: Table,
        position: G::Position,
    ) -> Player<G> {
        let new = || {
            let ordering = Ordering::new(G::HISTORY_SLOTS, G::SLOTS, options.ordering);
            Memory::new(ordering, G::SLOTS, game.evaluates_slowly())
        };
        let memory = new();
        let helpers = (1..options.threads).map(|_| new()).collect();
        let options = Options { shape: driver.shape(), ..options };
        let place = (game.key(&position), 0);
        let (report, searched) = (Report::default(), None);
        Player {
            game,
            driver,
            options,
            table,
            memory,
            helpers,
            position,
            report,
            place,
            searched,
            exact: false,
        }
    }

    /// Takes the table away from the player.
    pub fn take_table(&mut self) -> Table {
        std::mem::replace(&mut self.table, Table::new(TableSize::Entries(0), TableOptions::BEST))
    }

    /// Forgets everything that was learned.
    pub fn new_game(&mut self) {
        self.table.new_game();
        self.memories().for_each(|memory| memory.ordering.new_game());
        self.searched = None;
        self.exact = false;
    }

    /// What all threads learned.
    fn memories(&mut self) -> impl Iterator<Item = &mut Memory> {
        std::iter::once(&mut self.memory).chain(&mut self.helpers)
    }

    /// Sets the position: `start`, the first of the game, and the moves after it.
    ///
    /// # Errors The first illegal move; the player is then unchanged.
    pub fn set_position(
        &mut self,
        start: G::Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<(), Move> {
        let position = std::mem::replace(&mut self.position, start);
        let path = std::mem::take(&mut self.memory.path);
        let place = std::mem::replace(&mut self.place, (self.game.key(&self.position), 0));
        for mv in moves {
            if !self.push(mv) {
                (self.position, self.memory.path, self.place) = (position, path, place);
                return Err(mv);
            }
        }
        Ok(())
    }

    /// Plays a move. Returns false, and changes nothing, if it is illegal.
    #[must_use]
    pub fn push(&mut self, mv: Move) -> bool {
        if !self.game.is_legal(&self.position, mv) {
            return false;
        }
        let key = self.game.key(&self.position);
        self.position = self.game.make(&self.position, mv);
        self.place.1 += 1;
        if self.game.reversible_plies(&self.position) == 0 {
            self.memory.path.clear();
        } else {
            self.memory.path.push(key);
        }
        true
    }

    /// The rules of its game.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The current position.
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
            Search::new(&self.game, self.options, &self.table, &mut self.memory, meter);
        search.leaf::<true>(&self.position, OPEN.0, OPEN.1, 0)
    }

    /// Searches the position. An exact search starts with an empty memory, which is cleared
    /// afterwards.
    pub fn search(&mut self, request: &Request<'_>, watch: Watch<'_>) -> &Report {
        self.search_by::<Sound>(request, watch)
    }

    /// As [`Player::search`], without a way to interrupt it.
    pub fn search_alone(&mut self, request: &Request<'_>) -> &Report {
        self.search_alone_by::<Sound>(request)
    }

    /// As [`Player::search_alone`], with other rules for the table.
    pub(crate) fn search_alone_by<R: TableRules>(&mut self, request: &Request<'_>) -> &Report {
        let stop = AtomicBool::new(false);
        let watch =
            Watch { stop: &stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        self.search_by::<R>(request, watch)
    }

    fn search_by<R: TableRules>(&mut self, request: &Request<'_>, watch: Watch<'_>) -> &Report {
        let cpu_start = thread_cpu_us();
        if request.exact || self.exact {
            self.new_game();
        } else {
            self.table.new_search();
            self.memories().for_each(|memory| memory.ordering.new_search());
        }
        self.exact = request.exact;
        self.report.clear();
        let (start, ply) = self.place;
        let before =
            self.searched.take().filter(|&(place, _)| (place.0, place.1 + 2) == (start, ply));
        let game_values = before.map(|(_, values)| values).unwrap_or_default();
        let values = if request.exact {
            self.search_in::<R, true>(request, watch, game_values)
        } else {
            self.search_in::<R, false>(request, watch, game_values)
        };
        self.searched = (!request.exact).then_some((self.place, values));
        self.report.cpu_us += thread_cpu_us().saturating_sub(cpu_start);
        &self.report
    }

    /// Searches in one mode with the player's threads. Returns the values of the iterations.
    fn search_in<R: TableRules, const EXACT: bool>(
        &mut self,
        request: &Request<'_>,
        watch: Watch<'_>,
        game_values: Vec<Value>,
    ) -> Vec<Value> {
        let Player { game, driver, options, table, memory, helpers, position, report, .. } = self;
        let (game, table, position) = (&*game, &*table, &*position);
        let crew = (!helpers.is_empty()).then(|| Crew::new(helpers.len() + 1, options.parallel));
        let crew = crew.as_ref();
        // Rebuilt so that the watch is borrowed no longer than this search.
        let Watch { stop, hook, on_iteration } = watch;
        let watch = Watch { stop, hook, on_iteration };
        let meter = match crew {
            None => Meter::new(request.limits, watch),
            Some(crew) => Meter::of_main(request.limits, watch, Member::new(crew, 0)),
        };
        helpers.iter_mut().for_each(|helper| helper.path.clone_from(&memory.path));
        let mut search: Search<'_, G, R> = Search::new(game, *options, table, memory, meter);
        // With several threads, each would have to be asked.
        let counts = request.exact && request.expansions && crew.is_none();
        search.expansions = counts.then(Expansions::default);
        search.busy = crew.and_then(Crew::busy);
        let (driver, told) = (*driver, Totals::default());
        let values = vec![Vec::with_capacity(32)];
        let mut deepening = Deepening {
            search,
            driver,
            request,
            report,
            game_values,
            values,
            crew,
            told,
            told_at: Duration::ZERO,
        };
        let last = deepening.last();
        let team = crew.map(|crew| Team {
            crew,
            plan: Plan::of(driver, options, game.grain(), last, request),
            game,
            options: *options,
            table,
            position,
            root_moves: request.root_moves,
            limits: request.limits,
            stop,
        });
        std::thread::scope(|scope| {
            // Also after a panic, so that no thread waits for ever.
            let ends = crew.map(Crew::ends_with_this);
            let mut helping = Vec::with_capacity(helpers.len());
            if let Some(team) = &team {
                for (memory, number) in helpers.iter_mut().zip(1..) {
                    helping.push(scope.spawn(move || team.help::<R, EXACT>(number, memory)));
                }
            }
            deepening.run::<EXACT>(position);
            drop(ends);
            for helper in helping {
                helper.join().unwrap_or_else(|panic| resume_unwind(panic));
            }
        });
        deepening.settle();
        deepening.values.swap_remove(0)
    }
}

/// Iterative deepening of one search.
struct Deepening<'s, 'a, G: Game, R: TableRules> {
    search: Search<'a, G, R>,
    driver: Driver,
    request: &'s Request<'s>,
    report: &'s mut Report,
    /// The values of the player's search two plies earlier in this game.
    game_values: Vec<Value>,
    /// The values of the finished iterations, by line.
    values: Vec<Vec<Value>>,
    /// What it shares with other threads.
    crew: Option<&'a Crew>,
    /// Total use of the iterations reported so far.
    told: Totals,
    /// When the last of them ended, since the start of the search. The next one starts then, so
    /// that their times add up to that of the search.
    told_at: Duration,
}

/// The passes of one iteration, as its driver asks for them.
struct Iterating<'s, 'a, G: Game, R: TableRules, const EXACT: bool> {
    search: &'s mut Search<'a, G, R>,
    root: &'s mut Root<G>,
    report: &'s mut Report,
    /// What it shares with other threads that search this iteration.
    crew: Option<&'a Crew>,
    depth: i32,
    line: usize,
    /// The value of the previous iteration.
    previous: Value,
    /// The bounds of the root when its best move was learned; later ones may rest on another move.
    known: Bounds,
    /// An unfinished iteration plays the last move that failed high at this value or above.
    adopts_from: Option<Value>,
    /// The move to play if the iteration does not finish, with the value it proved.
    adopted: Option<(Move, Value)>,
    /// The number of consecutive passes that failed high.
    highs: i32,
    /// The value of an iteration that ended because one move remained.
    ended: Option<Value>,
}

impl<G: Game, R: TableRules, const EXACT: bool> Iterating<'_, '_, G, R, EXACT> {
    /// A null window proves a move that fails high at or above the value of the previous iteration;
    /// a driver may trust any that fails high.
    fn adopt(&mut self, mv: Move, value: Value, beta: Value) {
        if value >= beta && self.adopts_from.is_some_and(|least| beta >= least) {
            self.adopted = Some((mv, value));
        }
    }

    /// The depth of the next pass. In selective search it may be shallower after passes that failed
    /// high, which it only confirms (Ethereal, pull request 131, in PVS).
    fn depth(&self) -> i32 {
        if EXACT || self.search.reaches_end(&self.root.position, self.depth) {
            return self.depth;
        }
        let most = self.search.options.selective.fail_high_reduction.min(self.depth - 1);
        self.depth - self.highs.min(most)
    }

    /// Counts a pass that failed high. A mate is always searched to the full depth.
    fn count_high(&mut self, value: Value, beta: Value) {
        let high = value >= beta && value.abs() < MATE_BOUND;
        self.highs = if high { self.highs + 1 } else { 0 };
    }

    /// Nodes and table statistics before a pass.
    fn begin(&mut self) -> Totals {
        if let Some(expansions) = &mut self.search.expansions {
            expansions.begin_pass();
        }
        self.mark()
    }

    /// Nodes and table statistics so far.
    fn mark(&self) -> Totals {
        self.search.meter.totals()
    }

    /// One pass over all moves, or over the one at an index. Bounds of other threads count; a pass
    /// that they settle is abandoned.
    fn together(
        &mut self,
        place: Option<usize>,
        plies: i32,
        window: (Value, Value),
    ) -> Option<Value> {
        let Some(crew) = self.crew else { return self.alone(place, plies, window) };
        let one = place.map(|place| self.root.moves()[place]);
        let task = Task { depth: self.depth, plies, line: self.line, one, window };
        let bracket = crew.bracket(&task);
        if !bracket.settles(task.tag(), window) {
            let (moves, aside) = (self.root.all_moves().to_vec(), self.root.aside());
            crew.post(Goal { task, moves, aside, value: self.previous });
            self.search.meter.begin_pass(Some(task));
            let found = self.alone(place, plies, window);
            let abandoned = self.search.meter.end_pass();
            if let Some(value) = found {
                let best = one.unwrap_or(self.root.moves()[0]);
                bracket.tell(task.tag(), &Known::by(value, window, best), true);
            } else if !abandoned {
                return None;
            }
        } else {
            // Forget the move that raised alpha in the previous pass.
            self.root.raised_late = None;
        }
        let known = bracket.known(task.tag())?;
        if place.is_none() {
            self.root.learn(&known);
            self.known = known.bounds;
        }
        known.bounds.settled(window.0, window.1)
    }

    /// The pass of this thread.
    fn alone(
        &mut self,
        place: Option<usize>,
        depth: i32,
        (alpha, beta): (Value, Value),
    ) -> Option<Value> {
        match place {
            None => self.root.pass::<R, EXACT>(self.search, depth, alpha, beta),
            Some(place) => self.root.test::<R, EXACT>(self.search, depth, place, beta),
        }
    }

    fn tell(&mut self, (alpha, beta): (Value, Value), value: Value, mark: Totals, mv: Move) {
        let now = self.mark();
        let nodes = now.nodes - mark.nodes;
        let counts = now.counts.since(&mark.counts);
        let (probes, hits) = (counts.probes, counts.hits);
        let best = self.root.moves()[0];
        let expanded = self.search.expansions.as_ref().and_then(Expansions::of_pass);
        let pass = Pass { alpha, beta, value, nodes, mv, best, probes, hits, expanded };
        self.report.passes.push(pass);
    }
}

impl<G: Game, R: TableRules, const EXACT: bool> Passes for Iterating<'_, '_, G, R, EXACT> {
    fn pass(&mut self, alpha: Value, beta: Value) -> Option<Value> {
        let before = self.begin();
        let depth = self.depth();
        let returned = self.together(None, depth, (alpha, beta));
        // The move of an unfinished iteration: with open windows the last one, not the first,
        // that raised alpha; with null windows the last one that failed high.
        if beta - alpha > 1 {
            self.adopted = self.root.raised_late.or(self.adopted);
        } else if let Some(value) = returned {
            self.adopt(self.root.moves()[0], value, beta);
        }
        let value = returned?;
        self.tell((alpha, beta), value, before, Move::NONE);
        self.count_high(value, beta);
        if !EXACT && self.search.options.selective.best_move_stop {
            self.ended = self.root.proven();
            if self.ended.is_some() {
                return None;
            }
        }
        Some(value)
    }

    fn known(&self) -> Bounds {
        self.known
    }

    fn count(&self) -> usize {
        self.root.moves().len()
    }

    fn test(&mut self, place: usize, beta: Value) -> Option<Value> {
        let before = self.begin();
        let value = self.together(Some(place), self.depth, (beta - 1, beta))?;
        let mv = self.root.moves()[place];
        self.adopt(mv, value, beta);
        self.tell((beta - 1, beta), value, before, mv);
        Some(value)
    }

    fn choose(&mut self, place: usize) {
        self.root.choose(self.search, place);
    }
}

impl<G: Game, R: TableRules> Deepening<'_, '_, G, R> {
    fn run<const EXACT: bool>(&mut self, position: &G::Position) {
        let mut root = Root::new(position, &mut self.search, self.request.root_moves);
        if root.moves().is_empty() {
            self.report.value = self.search.game.terminal_value(position);
        } else {
            self.deepen::<EXACT>(&mut root);
        }
    }

    /// Reports the use of all threads after they ended, including what they searched after the last
    /// reported iteration.
    fn settle(&mut self) {
        let meter = &self.search.meter;
        let (totals, time) = (meter.totals(), meter.elapsed());
        if let (Some(crew), Some(last)) = (self.crew, self.report.iterations.last_mut()) {
            let late = totals.since(&self.told);
            last.nodes += late.nodes;
            last.counts = last.counts.plus(&late.counts);
            last.time += time.saturating_sub(self.told_at);
            last.seldepth = last.seldepth.max(crew.reached(last.depth));
            self.report.cpu_us = crew.others(0).cpu_us;
        }
        self.report.nodes = totals.nodes;
        self.report.overrun = meter.overrun();
        self.report.time = time;
        self.report.stopped = meter.stopped();
        self.report.interrupted = meter.interrupted();
    }

    /// The last depth.
    fn last(&self) -> i32 {
        let last = self.request.limits.depth.map_or(MAX_DEPTH, |depth| depth as i32);
        last.clamp(1, MAX_DEPTH)
    }

    fn deepen<const EXACT: bool>(&mut self, root: &mut Root<G>) {
        self.values.resize(self.request.lines.clamp(1, root.moves().len()), Vec::new());
        for depth in 1..=self.last() {
            if depth == 2 {
                self.search.meter.arm();
            }
            if depth > 1 && self.search.meter.is_over() {
                return;
            }
            if self.is_left_out(depth) {
                // Callers that ask for the value get the last one found.
                for values in &mut self.values {
                    values.extend(values.last().copied());
                }
                continue;
            }
            let mut mates = 0;
            for line in 0..self.values.len() {
                // The callback of the previous line may have ended the search.
                if line > 0 && self.search.meter.stopped() {
                    return;
                }
                let Some(value) = self.iteration::<EXACT>(root, depth, line) else {
                    return;
                };
                self.values[line].push(value);
                mates += usize::from(!EXACT && self.is_mate_for_good(value, depth));
                root.set_aside();
            }
            // A deeper search finds nothing beyond the end of the game.
            let ended = !EXACT && self.search.reaches_end(&root.position, depth);
            if ended || mates == self.values.len() {
                return;
            }
            root.take_back();
        }
    }

    /// True for a depth that the step between iterations skips. Steps lead to the depth of the
    /// limit, or start at depth 1 without one.
    fn is_left_out(&self, depth: i32) -> bool {
        let end = self.request.limits.depth.map_or(1, |depth| (depth as i32).min(MAX_DEPTH));
        depth > 1 && (end - depth) % self.search.options.depth_step != 0
    }

    /// Far beyond a mate's length no shorter one is expected. Its own length is not enough: pruning
    /// and extensions can find longer mates first.
    fn is_mate_for_good(&self, value: Value, depth: i32) -> bool {
        let plies = MATE - value.abs();
        // A move proved best has only a lower bound, which does not prove being mated.
        let proven = value > 0 || !self.driver.proves_a_move();
        proven && value.abs() > MATE_BOUND && 2 * plies - 1 <= depth
    }

    /// The first guess of the next iteration of a line, for drivers that use one.
    fn first_guess(&self, position: &G::Position, line: usize) -> Option<Value> {
        let guess = self.driver.guess()?;
        if self.request.first_guess.is_some() {
            return self.request.first_guess;
        }
        Some(guess.first(&Seen {
            values: &self.values[line],
            static_value: self.search.game.static_value(position),
            // These are values of the best move only.
            game: if line == 0 { &self.game_values } else { &[] },
        }))
    }

    /// One iteration of a line. Returns its value, or `None` if it was stopped.
    fn iteration<const EXACT: bool>(
        &mut self,
        root: &mut Root<G>,
        depth: i32,
        line: usize,
    ) -> Option<Value> {
        let first_pass = self.report.passes.len();
        let previous = self.values[line].last().copied();
        self.search.seldepth = 0;
        let first_guess = self.first_guess(&root.position, line);
        if let Some(expansions) = &mut self.search.expansions {
            expansions.clear();
        }
        let grain = self.search.game.grain();
        let begin = Start { first_guess, previous, grain, exact: EXACT };
        root.forget_bounds();
        // Depth 1 always finishes, before another thread could help.
        let crew = self.crew.filter(|_| depth > 1);
        if let Some(crew) = crew {
            crew.open(depth, line, root.all_moves());
        }
        let mut passes: Iterating<'_, '_, G, R, EXACT> = Iterating {
            search: &mut self.search,
            root,
            report: &mut *self.report,
            crew,
            depth,
            line,
            previous: previous.unwrap_or_default(),
            known: Bounds::OPEN,
            adopts_from: if self.driver.adopts_all() { Some(-INFINITY) } else { previous },
            adopted: None,
            highs: 0,
            ended: None,
        };
        let value = self.driver.iterate(begin, &mut passes).or(passes.ended);
        let adopted = passes.adopted;
        if let Some(crew) = crew {
            crew.close(depth);
        }

        // The result: the iteration's own move and value, the adopted ones, or the old ones.
        let before = self.report.iterations.iter().rev().find(|before| before.line == line);
        let standing = before.map_or((Move::NONE, 0), |before| (before.mv, before.value));
        let (mv, best) = match value {
            Some(value) => (root.moves()[0], value),
            None => adopted.unwrap_or(standing),
        };
        let pv = match (self.request.variations, value.is_some() || adopted.is_some()) {
            (false, _) => Vec::new(),
            (true, true) => root.principal_variation::<R, EXACT>(&mut self.search, mv, depth),
            (true, false) => before.map_or_else(Vec::new, |before| before.pv.clone()),
        };
        if line == 0 {
            (self.report.mv, self.report.value) = (mv, best);
            self.report.depth = if value.is_some() { depth } else { self.report.depth };
        }
        let table = self.search.table;
        let hashfull = if self.request.variations { table.permille() } else { 0 };
        let totals = self.search.meter.totals();
        let used = totals.since(&self.told);
        self.told = totals;
        let (now, begin) = (self.search.meter.elapsed(), self.told_at);
        self.told_at = now;
        // A helper that settled the value searched at least this depth.
        let of_helpers = crew.map_or(0, |crew| crew.reached(depth).max(depth as usize));
        self.report.iterations.push(Iteration {
            depth,
            line,
            lines: self.values.len(),
            value: best,
            first_guess,
            passes: first_pass..self.report.passes.len(),
            crossings: crossings(&self.report.passes[first_pass..]),
            nodes: used.nodes,
            counts: used.counts,
            time: now.saturating_sub(begin),
            mv,
            pv,
            seldepth: self.search.seldepth.max(of_helpers),
            hashfull,
            finished: value.is_some(),
        });
        self.search.meter.show(self.report);
        value
    }
}
