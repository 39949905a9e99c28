//! Further uses of the table, and steps of depth: each has its effect. Exactness is tested with the
//! other options of the table.

use super::support::{OPTIONS, chess, endgames, exact, nodes, openings, plaat};
use crate::drivers::Driver;
use crate::games::chess::{Chess, Position};
use crate::guess::Guess;
use crate::options::{ChildBounds, Options};
use crate::player::Player;
use crate::report::Report;
use crate::table::TableSize;
use crate::value::Value;

const SETTLE: Options = Options { enhanced_cuts: 1, child_bounds: ChildBounds::Settle, ..OPTIONS };

fn player(driver: Driver, options: Options, position: &Position) -> Player<Chess> {
    Player::new(chess(1), driver, options, TableSize::Entries(1 << 16), position.clone())
}

/// Interior nodes, leaves and nodes of quiescence of exact searches.
fn costs(driver: Driver, options: Options) -> [u64; 3] {
    let mut sums = [0; 3];
    for position in openings().iter().step_by(90).chain(endgames().iter().step_by(9)) {
        let mut player = player(driver, options, position);
        let report = player.search_alone(&exact(5));
        let counts = report.iterations.iter().map(|one| one.counts);
        let (interior, leaves) =
            counts.fold((0, 0), |(a, b), one| (a + one.interior, b + one.leaves));
        for (sum, count) in
            sums.iter_mut().zip([interior, leaves, report.nodes - interior - leaves])
        {
            *sum += count;
        }
    }
    sums
}

#[test]
fn bounds_of_children_and_of_leaves_save_nodes() {
    for driver in [Driver::Pvs { window: 0, below: 0 }, plaat(Guess::Parity)] {
        let plain = costs(driver, OPTIONS);
        let cut = costs(driver, Options { enhanced_cuts: 1, ..OPTIONS });
        let settle = costs(driver, SETTLE);
        let leaves = costs(driver, Options { leaf_bounds: true, ..OPTIONS });
        let both = costs(driver, Options { leaf_bounds: true, ..SETTLE });
        // Settled children are not visited, so there are fewer interior nodes of all kinds.
        assert!(settle[0] * 10 < cut[0] * 9 && cut[0] < plain[0], "{plain:?} {cut:?} {settle:?}");
        // Bounds of leaves save quiescence nodes; with bounds of children, leaves too.
        assert!(leaves[2] * 20 < plain[2] * 19, "{plain:?} {leaves:?}");
        assert!(both[1] * 20 < settle[1] * 19, "{settle:?} {both:?}");
    }
}

#[test]
fn rules_of_exact_search_do_not_affect_selective_search() {
    let changed = Options { leaf_bounds: true, ..SETTLE };
    let cut = Options { enhanced_cuts: 1, ..OPTIONS };
    for position in openings().iter().step_by(90) {
        let found = [cut, changed].map(|options| {
            let mut player = player(Driver::Pvs { window: 25, below: 0 }, options, position);
            let report = player.search_alone(&nodes(8_000));
            (report.mv, report.value, report.depth, report.passes.len())
        });
        assert_eq!(found[0], found[1], "{}", position.board());
    }
}

/// The depths of the iterations.
fn depths(report: &Report) -> Vec<i32> {
    report.iterations.iter().map(|one| one.depth).collect()
}

#[test]
fn depth_steps_end_at_the_depth_limit() {
    let position = &endgames()[7];
    let cases: [(i32, u32, &[i32]); 7] = [
        (1, 4, &[1, 2, 3, 4]),
        (2, 1, &[1]),
        (2, 2, &[1, 2]),
        (2, 6, &[1, 2, 4, 6]),
        (2, 5, &[1, 3, 5]),
        (3, 6, &[1, 3, 6]),
        (4, 6, &[1, 2, 6]),
    ];
    // Alpha-beta at every depth, which other tests compare with minimax.
    let mut every = player(Driver::AlphaBeta, OPTIONS, position);
    let all: Vec<Value> =
        every.search_alone(&exact(6)).iterations.iter().map(|one| one.value).collect();
    for (depth_step, depth, wanted) in cases {
        for driver in [Driver::Pvs { window: 25, below: 0 }, plaat(Guess::Parity), Driver::Dual] {
            let mut player = player(driver, Options { depth_step, ..OPTIONS }, position);
            let report = player.search_alone(&exact(depth));
            assert_eq!(depths(report), wanted, "{driver:?} {depth_step}");
            let oracle: Vec<Value> = wanted.iter().map(|&depth| all[depth as usize - 1]).collect();
            let found: Vec<Value> = report.iterations.iter().map(|one| one.value).collect();
            assert_eq!(found, oracle, "{driver:?} {depth_step}");
        }
    }
    // Without a depth limit they start at depth 1.
    let mut player = player(plaat(Guess::Parity), Options { depth_step: 2, ..OPTIONS }, position);
    let found = depths(player.search_alone(&nodes(20_000)));
    assert!(
        found.len() > 2 && found.iter().enumerate().all(|(i, &depth)| depth == 2 * i as i32 + 1)
    );
}

/// For a guess, a skipped depth has the value of the previous iteration.
#[test]
fn guesses_use_the_last_value_at_skipped_depths() {
    let mut different = 0;
    for position in &endgames()[..20] {
        for guess in [Guess::Previous, Guess::Parity] {
            let options = Options { depth_step: 2, ..OPTIONS };
            let mut player = player(plaat(guess), options, position);
            let report = player.search_alone(&exact(5));
            let guesses: Vec<_> = report.iterations.iter().map(|one| one.first_guess).collect();
            let values: Vec<_> = report.iterations.iter().map(|one| Some(one.value)).collect();
            assert_eq!(guesses[1..], values[..2], "{guess:?} {}", position.board());
            different += usize::from(values[0] != values[1]);
        }
    }
    assert!(different > 5, "{different}");
}

#[test]
fn best_move_after_a_fail_low_changes_the_order() {
    for driver in [Driver::Pvs { window: 0, below: 0 }, plaat(Guess::Parity)] {
        let best = costs(driver, Options { best_of_low: true, ..OPTIONS });
        assert_ne!(best, costs(driver, OPTIONS), "{driver:?}");
    }
}
