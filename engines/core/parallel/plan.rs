//! Which pass a helper searches.

use super::bracket::Tag;
use super::crew::{Crew, Goal, Parallel, Task};
use crate::drivers::{Driver, around};
use crate::limits::Request;
use crate::options::Options;
use crate::value::{Bounds, MATE_BOUND, Value, null};

/// The input of a helper's choice besides goal and brackets.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The driver.
    pub driver: Driver,
    /// Values are multiples of this.
    pub grain: Value,
    /// The last depth.
    pub last: i32,
    /// Plies from one iteration to the next.
    pub step: i32,
    /// Bounds that lie no further apart end an iteration.
    pub tolerance: Value,
    /// Helpers may search deeper than the main thread: there is only one line.
    pub ahead: bool,
    /// The number of the helper, from 1.
    pub helper: usize,
    /// The number of helpers.
    pub helpers: usize,
}

impl Plan {
    /// The plan for any helper.
    pub fn of(
        driver: Driver,
        options: &Options,
        grain: Value,
        last: i32,
        request: &Request<'_>,
    ) -> Plan {
        let (tolerance, ahead) = (driver.tolerance(request.exact), request.lines <= 1);
        let (step, helpers) = (options.depth_step, options.threads - 1);
        Plan { driver, grain, last, step, tolerance, ahead, helper: 0, helpers }
    }

    /// The next pass of the helper, if any.
    pub fn choose(&self, goal: &Goal, crew: &Crew) -> Option<Task> {
        let same = Some(goal.task).filter(|task| !crew.settles(task));
        if crew.parallel() == Parallel::Abdada {
            return same;
        }
        let depths = self.depths(&goal.task);
        self.other_move(goal, crew)
            .or_else(|| depths.into_iter().find_map(|depth| self.pass(depth, goal, crew)))
            .or(same)
    }

    /// The depths to search, in order of preference. With open windows every other helper starts
    /// one iteration ahead.
    fn depths(&self, task: &Task) -> Vec<i32> {
        let deeper = if self.ahead { self.last } else { task.depth };
        let mut depths: Vec<i32> = (task.depth..=deeper).step_by(self.step as usize).collect();
        if task.one.is_some() {
            depths.remove(0);
        } else if !is_null(task.window) && self.helper % 2 == 1 && depths.len() > 1 {
            depths.swap(0, 1);
        }
        depths
    }

    /// A pass over a move that the main thread does not search, for drivers that prove a move.
    fn other_move(&self, goal: &Goal, crew: &Crew) -> Option<Task> {
        goal.task.one?;
        let others = crew.moves().iter().map(|(mv, _)| Task { one: Some(*mv), ..goal.task });
        let is_left_out =
            |task: &Task| task.one.is_some_and(|mv| goal.moves[..goal.aside].contains(&mv));
        let mut open = others
            .filter(|task| task.one != goal.task.one && !is_left_out(task) && !crew.settles(task));
        open.nth(self.helper - 1)
    }

    /// A pass over all moves at a depth.
    fn pass(&self, depth: i32, goal: &Goal, crew: &Crew) -> Option<Task> {
        let line = if depth == goal.task.depth { goal.task.line } else { 0 };
        let bounds = crew.depth(depth).known(Tag::new(depth, line))?.bounds;
        if bounds.have_met()
            || (bounds.are_finite() && bounds.upper - bounds.lower <= self.tolerance)
        {
            return None;
        }
        let ahead = depth != goal.task.depth;
        let window = if is_null(goal.task.window) {
            null(self.beside(goal, &bounds, ahead))
        } else if ahead {
            self.expected(goal.value, &bounds)
        } else {
            goal.task.window
        };
        let task = Task { depth, plies: depth, line, one: None, window };
        // There may be no window besides that of the main thread.
        (ahead || !is_null(window) || window != goal.task.window)
            .then_some(task)
            .filter(|task| !crew.settles(task))
    }

    /// The beta of a null window: alternately above and below that of the main thread, further away
    /// for each helper. An iteration ahead, the first helper takes the same one.
    fn beside(&self, goal: &Goal, bounds: &Bounds, ahead: bool) -> Value {
        let beta = goal.task.window.1;
        // At the extreme values the only direction is towards the previous value.
        let center = if beta.abs() > MATE_BOUND { goal.value } else { beta };
        let rank = self.helper - usize::from(ahead);
        let (far, parts) = (rank.div_ceil(2) as u32, self.helpers.div_ceil(2) as Value + 1);
        let distance = self.spacing() * ((1 << far.min(10)) - 1);
        let share = |room: Value| (room.max(0) * far as Value + parts - 1) / parts;
        let wanted = if rank % 2 == 1 {
            center
                + if bounds.are_finite() {
                    distance.min(share(bounds.upper - center))
                } else {
                    distance
                }
        } else {
            center
                - if bounds.are_finite() {
                    distance.min(share(center - 1 - bounds.lower))
                } else {
                    distance
                }
        };
        bounds.on_grain(wanted, self.grain)
    }

    /// The distance between null windows.
    fn spacing(&self) -> Value {
        self.driver.spacing().max(self.grain)
    }

    /// The open window of the next iteration, chosen as its driver would.
    fn expected(&self, value: Value, bounds: &Bounds) -> (Value, Value) {
        let whole = (bounds.lower, bounds.upper);
        let Driver::Pvs { window, below } = self.driver else { return whole };
        let (alpha, beta) = around(value - below, window, window);
        let inside = (alpha.max(bounds.lower), beta.min(bounds.upper));
        if window > 0 && inside.0 < inside.1 { inside } else { whole }
    }
}

fn is_null((alpha, beta): (Value, Value)) -> bool {
    beta - alpha == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drivers::{Closing, Convergence};
    use crate::game::Move;
    use crate::guess::Guess;
    use crate::parallel::Known;

    fn plan(driver: Driver, helper: usize) -> Plan {
        let (grain, last, step, tolerance) = (5, 9, 1, 0);
        Plan { driver, grain, last, step, tolerance, ahead: true, helper, helpers: 4 }
    }

    fn mtdf() -> Driver {
        let closing = Closing::by(Convergence::Step { step: 20 });
        Driver::Mtdf { guess: Guess::Previous, closing, max_passes: 0 }
    }

    fn goal(window: (Value, Value)) -> Goal {
        let task = Task { depth: 4, plies: 4, line: 0, one: None, window };
        Goal { task, moves: Vec::new(), aside: 0, value: 7 }
    }

    /// Depth and window that each helper chooses with these bounds.
    fn choices(driver: Driver, goal: &Goal, known: &[Known]) -> Vec<(i32, (Value, Value))> {
        let crew = Crew::new(5, Parallel::Lazy);
        let tag = Tag::new(4, 0);
        known.iter().for_each(|known| crew.depth(4).tell(tag, known, true));
        let chosen = (1..=4).map(|helper| plan(driver, helper).choose(goal, &crew).unwrap());
        chosen.map(|task| (task.depth, task.window)).collect()
    }

    fn low(value: Value) -> Known {
        Known::by(value, (value, value + 1), Move::NONE)
    }

    fn high(value: Value) -> Known {
        Known::by(value, (value - 1, value), Move(1))
    }

    #[test]
    fn helpers_alternate_windows_above_and_below() {
        let found = choices(mtdf(), &goal(null(10)), &[]);
        assert_eq!(found, [30, -10, 70, -50].map(|beta| (4, null(beta))));
    }

    #[test]
    fn windows_lie_inside_the_bracket_else_helpers_take_the_next_depth() {
        let found = choices(mtdf(), &goal(null(10)), &[high(-20), low(40)]);
        assert_eq!(found, [20, 0, 30, -10].map(|beta| (4, null(beta))));
        // No other multiple of the grain is left.
        let found = choices(mtdf(), &goal(null(10)), &[high(5), low(10)]);
        assert!(found.iter().all(|&(depth, _)| depth == 5), "{found:?}");
    }

    #[test]
    fn helpers_of_sss_search_near_the_last_value() {
        let found = choices(Driver::Sss, &goal(null(crate::value::MATE)), &[]);
        assert!(
            found.iter().all(|&(depth, (_, beta))| depth == 4 && beta.abs() <= 50),
            "{found:?}"
        );
    }

    #[test]
    fn every_other_helper_searches_open_windows_one_iteration_ahead() {
        let pvs = Driver::Pvs { window: 25, below: 2 };
        let found = choices(pvs, &goal((-20, 30)), &[]);
        assert_eq!(found, [(5, (-20, 30)), (4, (-20, 30)), (5, (-20, 30)), (4, (-20, 30))]);
        let last = Plan { last: 4, ..plan(pvs, 1) };
        let crew = Crew::new(5, Parallel::Lazy);
        assert_eq!(last.choose(&goal((-20, 30)), &crew), Some(goal((-20, 30)).task));
    }

    #[test]
    fn one_thread_tests_a_move_and_none_a_closed_pass() {
        let crew = Crew::new(5, Parallel::Lazy);
        crew.open(4, 0, &[1, 2, 3].map(Move));
        let driver = Driver::MtdBest { guess: Guess::Zero };
        let task = Task { one: Some(Move(2)), ..goal(null(3)).task };
        let goal = Goal { task, ..goal(null(3)) };
        let one = |helper| plan(driver, helper).choose(&goal, &crew).map(|task| task.one);
        assert_eq!([one(1), one(2)], [1, 3].map(|mv| Some(Some(Move(mv)))));
        assert_eq!(one(3), Some(None), "a pass over all moves, an iteration ahead");
        crew.close(4);
        let same = Crew::new(5, Parallel::Abdada);
        same.open(4, 0, &[1, 2, 3].map(Move));
        assert_eq!(plan(driver, 1).choose(&goal, &same), Some(task));
        same.close(4);
        assert_eq!(plan(driver, 1).choose(&goal, &same), None);
    }
}
