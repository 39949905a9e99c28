//! A helper: a thread that searches beside the main thread until the search is over.

use super::Known;
use super::crew::{Crew, Goal, Member, Task};
use super::plan::Plan;
use crate::game::{Game, Move};
use crate::limits::{Limits, Meter, Watch};
use crate::memory::Memory;
use crate::node::{Options, TableRules};
use crate::report::Report;
use crate::search::Search;
use crate::search::root::Root;
use crate::table::Table;

use std::sync::atomic::AtomicBool;

/// What a helper is given.
pub struct Helper<'a, G: Game> {
    /// What it shares with the other threads.
    pub crew: &'a Crew,
    /// How it chooses its passes.
    pub plan: Plan,
    /// The game.
    pub game: &'a G,
    /// As the main thread searches.
    pub options: Options,
    /// The table of all threads.
    pub table: &'a Table,
    /// Its own memory.
    pub memory: &'a mut Memory,
    /// The root.
    pub position: &'a G::Position,
    /// As in [`Request`](crate::player::Request).
    pub root_moves: &'a [Move],
    /// The limits of all threads.
    pub limits: Limits,
    /// As in [`Watch`].
    pub stop: &'a AtomicBool,
}

impl<G: Game> Helper<'_, G> {
    /// Searches until the search is over. A panic ends the search of all threads.
    pub fn run<R: TableRules, const EXACT: bool>(self) {
        let number = self.plan.helper;
        let crew = self.crew;
        // Also where it panics: the search ends, and the scope of the threads hands the panic on.
        let _ends = crew.ends_with_this();
        let watch =
            Watch { stop: self.stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        let meter = Meter::of_helper(self.limits, watch, Member::new(crew, number));
        let mut search: Search<'_, G, R> =
            Search::new(self.game, self.options, self.table, self.memory, meter);
        search.busy = crew.busy();
        let mut root = Root::new(self.position, &mut search, self.root_moves);
        while let Some((task, goal)) = crew.next(|goal| self.plan.choose(goal, crew)) {
            search.meter.begin_pass(Some(task));
            if let Some(known) = pass::<G, R, EXACT>(&mut root, &mut search, &task, &goal) {
                crew.bracket(&task).tell(task.tag(), &known, false);
            }
            search.meter.end_pass();
            search.meter.rest();
            if search.meter.stopped() {
                break;
            }
        }
        search.meter.publish_all();
    }
}

/// Searches a pass; what it proved, or none where it was abandoned.
fn pass<G: Game, R: TableRules, const EXACT: bool>(
    root: &mut Root<G>,
    search: &mut Search<'_, G, R>,
    task: &Task,
    goal: &Goal,
) -> Option<Known> {
    let (alpha, beta) = task.window;
    root.set_aside_these(&goal.aside);
    let Some(mv) = task.one else {
        let value = root.pass::<R, EXACT>(search, task.depth, alpha, beta)?;
        return Some(Known::by(value, task.window, root.moves()[0]));
    };
    let place = root.moves().iter().position(|&one| one == mv)?;
    let value = root.test::<R, EXACT>(search, task.depth, place, beta)?;
    Some(Known::by(value, task.window, mv))
}
