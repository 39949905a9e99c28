//! Every feature of the search, toggled one at a time.

use crate::options::Options;
use crate::ordering::OrderingOptions;
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::{Replacement, TableOptions};

type Change = fn(&mut Selectivity, &Selectivity);
type Forget = fn(&mut OrderingOptions);

/// The options without each feature in turn, with its name.
pub fn without_each(options: Options) -> Vec<(&'static str, Options)> {
    let changes: [(&str, Change); 20] = [
        ("null_move", |s, off| s.null_move = off.null_move),
        ("null_move_slope", |s, off| s.null_move_slope = off.null_move_slope),
        ("null_move_verification", |s, off| s.null_move_verification = off.null_move_verification),
        ("reverse_futility", |s, off| s.reverse_futility = off.reverse_futility),
        ("razoring", |s, off| s.razoring = off.razoring),
        ("futility", |s, off| s.futility = off.futility),
        ("late_move_pruning", |s, off| s.late_move_pruning = off.late_move_pruning),
        ("see_pruning", |s, off| s.see_pruning = off.see_pruning),
        ("spare_checks", |s, off| s.spare_checks = off.spare_checks),
        ("delta_pruning", |s, off| s.delta_pruning = off.delta_pruning),
        ("late_move_reductions", |s, off| s.late_move_reductions = off.late_move_reductions),
        ("history_reduction", |s, off| s.history_reduction = off.history_reduction),
        ("internal_reduction", |s, off| s.internal_reduction = off.internal_reduction),
        ("check_extension", |s, off| s.check_extension = off.check_extension),
        ("singular_extension", |s, off| s.singular_extension = off.singular_extension),
        ("quiescence_table", |s, off| s.quiescence_table = off.quiescence_table),
        ("expected_pv", |s, _| s.expected_pv = ExpectedPv::Raised),
        ("fail_high_reduction", |s, _| s.fail_high_reduction = 1),
        ("cut_reduction", |s, _| s.cut_reduction = 1),
        ("best_move_stop", |s, _| s.best_move_stop = true),
    ];
    let memories: [(&str, Forget); 5] = [
        ("killers", |o| o.killers = false),
        ("counter_moves", |o| o.counter_moves = false),
        ("continuation_history", |o| o.continuation_history = false),
        ("capture_history", |o| o.capture_history = false),
        ("reward_once", |o| o.reward_once = true),
    ];
    let changed = changes.map(|(name, change)| {
        let mut without = options;
        change(&mut without.selective, &Selectivity::OFF);
        (name, without)
    });
    let forgotten = memories.map(|(name, forget)| {
        let mut without = options;
        forget(&mut without.ordering);
        (name, without)
    });
    changed.into_iter().chain(forgotten).chain(of_the_table(options)).collect()
}

/// The options with each other use of the table.
fn of_the_table(options: Options) -> Vec<(&'static str, Options)> {
    let table = options.table;
    let by = |replacement| Options { table: TableOptions { replacement, ..table }, ..options };
    let one = TableOptions { both_bounds: false, ..table };
    vec![
        ("bounds", Options { table: one, ..options }),
        ("replacement=always", by(Replacement::Always)),
        ("replacement=depth", by(Replacement::Depth)),
        ("replacement=two-tier", by(Replacement::TwoTier)),
        ("etc", Options { enhanced_cuts: 2, ..options }),
        ("low_move", Options { best_of_low: true, ..options }),
        ("iid", Options { internal_deepening: true, ..options }),
        ("depth_step", Options { depth_step: 2, ..options }),
    ]
}
