//! What selective search prunes, reduces and extends: the magnitude of every feature, and the
//! formulas. All are parameters of a variant; 0 or `false` is off.

use crate::value::Value;

/// Which nodes of a search count as expected PV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedPv {
    /// The root, the first move of each expected PV node, and later moves that PVS searches again
    /// because they fell inside an open window.
    First,
    /// Also a later move of such a node that raised alpha: it is searched again as expected PV
    /// unless the table settles it.
    Raised,
    /// As [`ExpectedPv::Raised`], at the root only.
    Root,
    /// None: every node below the root is an expected cut or all node.
    None,
}

impl ExpectedPv {
    /// All choices by name.
    pub const CHOICES: [(&'static str, ExpectedPv); 4] = [
        ("first", ExpectedPv::First),
        ("raised", ExpectedPv::Raised),
        ("root", ExpectedPv::Root),
        ("none", ExpectedPv::None),
    ];
}

/// The features of selective search. Margins are centipawns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selectivity {
    /// Which nodes count as expected PV.
    pub expected_pv: ExpectedPv,
    /// Try a null move to prove a cut.
    pub null_move: bool,
    /// Plies of the null-move reduction.
    pub null_move_reduction: i32,
    /// Plies of depth for each further ply of null-move reduction.
    pub null_move_slope: i32,
    /// From this depth, null-move cuts are verified by a search without null moves.
    pub null_move_verification: i32,
    /// Beyond this value the game is decided: no margin cuts and no move is skipped.
    pub decided: Value,
    /// Reverse futility: margin per ply by which a static value must beat beta to cut.
    pub reverse_futility: Value,
    /// Razoring: margin per ply by which a static value must miss alpha for quiescence to settle
    /// the node.
    pub razoring: Value,
    /// Futility: margin per ply by which a static value must miss alpha to skip quiet moves.
    pub futility: Value,
    /// ProbCut: standard deviations, in hundredths, by which a shallower search must miss the window
    /// to settle a node.
    pub probcut: i32,
    /// Late-move pruning: quiet moves of a shallow node that are searched before the rest is
    /// skipped.
    pub late_move_pruning: i32,
    /// Loss per ply, by exchange on the move's square, beyond which a move is skipped.
    pub see_pruning: Value,
    /// Loss per ply, by the captures that a quiet move forces, beyond which it is skipped.
    pub offer_pruning: Value,
    /// Checks are not skipped.
    pub spare_checks: bool,
    /// Delta pruning: margin by which a capture must miss alpha to be skipped in quiescence.
    pub delta_pruning: Value,
    /// Late-move reductions of quiet moves.
    pub late_move_reductions: bool,
    /// Base reduction of late moves, in hundredths of a ply.
    pub reduction_base: i32,
    /// Reduction of late moves per ln(depth) x ln(number), in hundredths of a ply.
    pub reduction_slope: i32,
    /// Plies by which the best history lowers, and the worst raises, a reduction.
    pub history_reduction: i32,
    /// From this depth, a node without a table move is searched one ply shallower.
    pub internal_reduction: i32,
    /// Check extension: one ply deeper when a move is forced.
    pub check_extension: bool,
    /// Singular extension: from this depth, a table move far better than all others is searched one
    /// ply deeper.
    pub singular_extension: i32,
    /// Quiescence uses the table.
    pub quiescence_table: bool,
    /// After consecutive passes that failed high, the next pass is shallower by their number, at
    /// most this many plies.
    pub fail_high_reduction: i32,
    /// At an expected cut node, plies by which a reduced late move that failed high is still
    /// searched shallower.
    pub cut_reduction: i32,
    /// End an iteration when only one root move can be the best.
    pub best_move_stop: bool,
}

/// Maximum depth of margins.
const REVERSE_FUTILITY_DEPTH: i32 = 8;
const RAZORING_DEPTH: i32 = 3;
const FUTILITY_DEPTH: i32 = 7;
const LATE_MOVE_PRUNING_DEPTH: i32 = 8;
const SEE_PRUNING_DEPTH: i32 = 7;

impl Selectivity {
    /// Nothing selective.
    pub const OFF: Selectivity = Selectivity {
        expected_pv: ExpectedPv::First,
        null_move: false,
        null_move_reduction: 0,
        null_move_slope: 0,
        null_move_verification: 0,
        decided: 700,
        reverse_futility: 0,
        razoring: 0,
        futility: 0,
        probcut: 0,
        late_move_pruning: 0,
        see_pruning: 0,
        offer_pruning: 0,
        spare_checks: false,
        delta_pruning: 0,
        late_move_reductions: false,
        reduction_base: 0,
        reduction_slope: 0,
        history_reduction: 0,
        internal_reduction: 0,
        check_extension: false,
        singular_extension: 0,
        quiescence_table: false,
        fail_high_reduction: 0,
        cut_reduction: 0,
        best_move_stop: false,
    };

    /// The features of the bench, at its magnitudes.
    pub const EVERYTHING: Selectivity = Selectivity {
        expected_pv: ExpectedPv::First,
        null_move: true,
        null_move_reduction: 3,
        null_move_slope: 4,
        null_move_verification: 5,
        decided: 700,
        reverse_futility: 80,
        razoring: 250,
        futility: 100,
        probcut: 0,
        late_move_pruning: 4,
        see_pruning: 60,
        offer_pruning: 0,
        spare_checks: true,
        delta_pruning: 150,
        late_move_reductions: true,
        reduction_base: 40,
        reduction_slope: 45,
        history_reduction: 2,
        internal_reduction: 4,
        check_extension: true,
        singular_extension: 7,
        quiescence_table: true,
        fail_high_reduction: 0,
        cut_reduction: 0,
        best_move_stop: false,
    };

    /// The margin over beta at which a static value cuts; `None` if it may not.
    #[inline(always)]
    pub(crate) fn reverse_futility_margin(&self, depth: i32, improving: bool) -> Option<Value> {
        let on = self.reverse_futility > 0 && depth <= REVERSE_FUTILITY_DEPTH;
        on.then(|| self.reverse_futility * (depth - i32::from(improving)))
    }

    /// The margin below alpha at which quiescence settles the node.
    #[inline(always)]
    pub(crate) fn razoring_margin(&self, depth: i32) -> Option<Value> {
        (self.razoring > 0 && depth <= RAZORING_DEPTH).then(|| self.razoring * depth)
    }

    /// The margin below alpha at which a quiet move is skipped.
    #[inline(always)]
    pub(crate) fn futility_margin(&self, depth: i32) -> Option<Value> {
        (self.futility > 0 && depth <= FUTILITY_DEPTH).then(|| self.futility * (depth + 1))
    }

    /// The number of quiet moves searched before the rest is skipped.
    #[inline(always)]
    pub(crate) fn quiet_moves(&self, depth: i32, improving: bool) -> usize {
        if self.late_move_pruning == 0 || depth > LATE_MOVE_PRUNING_DEPTH {
            return usize::MAX;
        }
        let count = self.late_move_pruning + depth * depth;
        (if improving { count } else { count / 2 }).max(1) as usize
    }

    /// The least exchange value of a searched move; `None` for any.
    #[inline(always)]
    pub(crate) fn least_exchange(&self, depth: i32, quiet: bool) -> Option<Value> {
        if self.see_pruning == 0 || depth > SEE_PRUNING_DEPTH {
            return None;
        }
        let plies = if quiet { depth } else { 2 * depth };
        Some(-self.see_pruning * plies / 2)
    }

    /// The least that the captures after a quiet move may gain; `None` if it may lose anything.
    #[inline(always)]
    pub(crate) fn least_offer(&self, depth: i32) -> Option<Value> {
        let prunes = self.offer_pruning > 0 && depth <= SEE_PRUNING_DEPTH;
        prunes.then_some(-self.offer_pruning * depth / 2)
    }

    /// The depth of a null move if the estimate is `surplus` above beta.
    #[inline(always)]
    pub(crate) fn null_move_depth(&self, depth: i32, surplus: Value) -> i32 {
        let slope = if self.null_move_slope == 0 { 0 } else { depth / self.null_move_slope };
        let ahead = if self.null_move_slope == 0 { 0 } else { (surplus / 200).min(3) };
        (depth - 1 - self.null_move_reduction - slope - ahead).max(0)
    }

    /// The reduction of move number `index` in hundredths of a ply, before corrections.
    #[inline(always)]
    pub(crate) fn reduction(&self, depth: i32, index: usize) -> i32 {
        let logarithms = LN[(depth as usize).min(63)] * LN[index.min(63)] / 1024;
        self.reduction_base + self.reduction_slope * logarithms / 1024
    }
}

/// 1024 x ln(n), by additions, multiplications and divisions only, so that all machines agree.
const LN: [i32; 64] = {
    use std::f64::consts::LN_2;
    let mut table = [0; 64];
    let mut n = 1;
    while n < 64 {
        let mut x = n as f64;
        let mut halvings = 0;
        while x > 1.5 {
            x /= 2.0;
            halvings += 1;
        }
        // ln x = 2 artanh((x - 1) / (x + 1)).
        let y = (x - 1.0) / (x + 1.0);
        let (mut power, mut sum, mut k) = (y, 0.0, 1);
        while k < 40 {
            sum += power / k as f64;
            power *= y * y;
            k += 2;
        }
        table[n] = ((2.0 * sum + halvings as f64 * LN_2) * 1024.0 + 0.5) as i32;
        n += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_scaled_and_rounded() {
        for (n, &scaled) in LN.iter().enumerate().skip(1) {
            assert_eq!(scaled, ((n as f64).ln() * 1024.0).round() as i32, "{n}");
        }
    }

    #[test]
    fn disabled_features_decide_nothing() {
        let off = Selectivity::OFF;
        for depth in 0..20 {
            assert_eq!(off.reverse_futility_margin(depth, false), None);
            assert_eq!(off.razoring_margin(depth), None);
            assert_eq!(off.futility_margin(depth), None);
            assert_eq!(off.quiet_moves(depth, false), usize::MAX);
            assert_eq!(off.least_exchange(depth, true), None);
            assert_eq!(off.reduction(depth, 9), 0);
        }
    }

    #[test]
    fn later_moves_and_deeper_nodes_are_reduced_more() {
        let some = Selectivity { reduction_base: 50, reduction_slope: 40, ..Selectivity::OFF };
        for depth in 1..40 {
            for index in 1..60 {
                assert!(some.reduction(depth, index) <= some.reduction(depth + 1, index));
                assert!(some.reduction(depth, index) <= some.reduction(depth, index + 1));
            }
        }
    }
}
