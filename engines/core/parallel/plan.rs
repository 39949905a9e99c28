//! Which pass a helper searches while the main thread searches its own.

use super::crew::{Crew, Goal, Task};
use super::{Parallel, Tag};
use crate::drivers::{Bounds, Driver, around, null};
use crate::value::{MATE_BOUND, Value};

/// What a helper's choice depends on, beside the goal and the brackets.
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
    /// Helpers may search deeper than the main thread: there is one line only.
    pub ahead: bool,
    /// The number of the helper, from 1.
    pub helper: usize,
    /// The number of helpers.
    pub helpers: usize,
}

impl Plan {
    /// The next pass of the helper; none where there is nothing to do.
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

    /// The depths to search, the first choice first. With open windows every other helper starts
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

    /// A pass over another move than that of the main thread, for a driver that proves a move.
    fn other_move(&self, goal: &Goal, crew: &Crew) -> Option<Task> {
        goal.task.one?;
        let others = crew.moves().iter().map(|(mv, _)| Task { one: Some(*mv), ..goal.task });
        let is_left_out = |task: &Task| task.one.is_some_and(|mv| goal.aside.contains(&mv));
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
        let task = Task { depth, line, one: None, window };
        // Beside the window of the main thread there may be no other one.
        (ahead || !is_null(window) || window != goal.task.window)
            .then_some(task)
            .filter(|task| !crew.settles(task))
    }

    /// The beta of another null window than that of the main thread: by turns above and below it,
    /// further away for each helper. An iteration ahead, the first helper takes the same one.
    fn beside(&self, goal: &Goal, bounds: &Bounds, ahead: bool) -> Value {
        let beta = goal.task.window.1;
        // From the ends of all values there is no other way than towards what was found before.
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

    /// The distance of null windows.
    fn spacing(&self) -> Value {
        self.driver.spacing().max(self.grain)
    }

    /// The open window of an iteration ahead: where its value is expected, as the driver would.
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
