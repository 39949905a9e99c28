//! A helper: a thread that searches beside the main thread until the search is over.

use super::bracket::Known;
use super::crew::{Crew, Goal, Member, Task};
use super::plan::Plan;
use crate::game::{Game, Move};
use crate::limits::{Limits, Meter, Watch};
use crate::memory::Memory;
use crate::node::TableRules;
use crate::options::Options;
use crate::report::Report;
use crate::search::Search;
use crate::search::root::Root;
use crate::table::Table;

use std::sync::atomic::AtomicBool;

/// The input of all helpers of a search.
pub struct Team<'a, G: Game> {
    /// Shared with the main thread.
    pub crew: &'a Crew,
    /// How they choose their passes.
    pub plan: Plan,
    /// The game.
    pub game: &'a G,
    /// The options of the main thread.
    pub options: Options,
    /// The table of all threads.
    pub table: &'a Table,
    /// The root.
    pub position: &'a G::Position,
    /// As in [`Request`](crate::limits::Request).
    pub root_moves: &'a [Move],
    /// The limits of all threads.
    pub limits: Limits,
    /// As in [`Watch`].
    pub stop: &'a AtomicBool,
}

impl<G: Game> Team<'_, G> {
    /// Runs helper `number`, from 1, with its own memory until the search is over.
    pub fn help<R: TableRules, const EXACT: bool>(&self, helper: usize, memory: &mut Memory) {
        let crew = self.crew;
        // After a panic too the search ends; the main thread propagates the panic.
        let _ends = crew.ends_with_this();
        let plan = Plan { helper, ..self.plan };
        let watch =
            Watch { stop: self.stop, hook: &mut || false, on_iteration: &mut |_: &Report| false };
        let meter = Meter::of_helper(self.limits, watch, Member::new(crew, helper));
        let mut search: Search<'_, G, R> =
            Search::new(self.game, self.options, self.table, memory, meter);
        search.busy = crew.busy();
        let mut root = Root::new(self.position, &mut search, self.root_moves);
        while let Some((task, goal)) = crew.next(|goal| plan.choose(goal, crew)) {
            search.meter.begin_pass(Some(task));
            let found = pass::<G, R, EXACT>(&mut root, &mut search, &task, &goal);
            crew.reach(task.depth, std::mem::take(&mut search.seldepth));
            if let Some(known) = found {
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

/// Searches a pass. Returns its bounds, or none if it was abandoned.
fn pass<G: Game, R: TableRules, const EXACT: bool>(
    root: &mut Root<G>,
    search: &mut Search<'_, G, R>,
    task: &Task,
    goal: &Goal,
) -> Option<Known> {
    let (alpha, beta) = task.window;
    root.take_order(&goal.moves, goal.aside);
    let Some(mv) = task.one else {
        let value = root.pass::<R, EXACT>(search, task.plies, alpha, beta)?;
        return Some(Known::by(value, task.window, root.moves()[0]));
    };
    let place = root.moves().iter().position(|&one| one == mv)?;
    let value = root.test::<R, EXACT>(search, task.plies, place, beta)?;
    Some(Known::by(value, task.window, mv))
}
