//! What selective search leaves out, shortens and lengthens: the magnitude of every feature, and
//! the formulas they enter. All of them are parameters of a variant; 0 or `false` is off.

use crate::value::Value;

/// Which nodes of a search count as expected PV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedPv {
    /// The root, and the first move of each expected PV node; of later moves only what PVS has to
    /// search again because it fell inside an open window.
    First,
    /// Also a later move of such a node that raised alpha: it is searched again as expected PV,
    /// where the table does not answer at once.
    Raised,
    /// As [`ExpectedPv::Raised`], at the root only.
    Root,
    /// None at all: every node below the root is expected to be cut or to need all its moves.
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
    /// Skip a move to prove a cut.
    pub null_move: bool,
    /// Plies by which a null move is searched shallower.
    pub null_move_reduction: i32,
    /// A null move is searched one ply shallower for each so many plies of depth.
    pub null_move_slope: i32,
    /// From this depth on a null move's cut is verified by a search without null moves.
    pub null_move_verification: i32,
    /// Margin a ply by which a static value must beat beta to cut at once.
    pub reverse_futility: Value,
    /// Margin a ply by which a static value must miss alpha to be settled by quiescence.
    pub razoring: Value,
    /// Margin a ply by which a static value must miss alpha for quiet moves to be left out.
    pub futility: Value,
    /// Quiet moves of a shallow node that are always searched; late ones are left out.
    pub late_move_pruning: i32,
    /// Loss a ply, by exchange on the move's square, beyond which a move is left out.
    pub see_pruning: Value,
    /// Moves that check are not left out.
    pub spare_checks: bool,
    /// Margin by which a capture must miss alpha to be left out of quiescence.
    pub delta_pruning: Value,
    /// Search late quiet moves shallower.
    pub late_move_reductions: bool,
    /// Hundredths of a ply by which every late move is reduced.
    pub reduction_base: i32,
    /// Hundredths of a ply a late move is reduced for each ln(depth) x ln(number).
    pub reduction_slope: i32,
    /// Plies by which the best history shortens, and the worst lengthens, a reduction.
    pub history_reduction: i32,
    /// From this depth on a node without a table move is searched one ply shallower.
    pub internal_reduction: i32,
    /// Search one ply deeper when a move is forced.
    pub check_extension: bool,
    /// From this depth on a table move that no other comes near is searched one ply deeper.
    pub singular_extension: i32,
    /// Quiescence looks into the table and keeps its values there.
    pub quiescence_table: bool,
    /// Passes of an iteration that follow others which failed high are searched shallower by as
    /// many plies as there were, up to this number.
    pub fail_high_reduction: i32,
    /// At an expected cut node, a late move that failed high when it was reduced is searched again
    /// so many plies shallower than without a reduction.
    pub cut_reduction: i32,
    /// An iteration ends as soon as one root move remains that may be the best.
    pub best_move_stop: bool,
}

/// Depths up to which a margin may decide.
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
        reverse_futility: 0,
        razoring: 0,
        futility: 0,
        late_move_pruning: 0,
        see_pruning: 0,
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

    /// Every feature that the bench has, at its magnitudes.
    pub const EVERYTHING: Selectivity = Selectivity {
        expected_pv: ExpectedPv::First,
        null_move: true,
        null_move_reduction: 3,
        null_move_slope: 4,
        null_move_verification: 5,
        reverse_futility: 80,
        razoring: 250,
        futility: 100,
        late_move_pruning: 4,
        see_pruning: 60,
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

    /// By how much a static value must beat beta to cut at once; `None` where it may not.
    #[inline(always)]
    pub(crate) fn reverse_futility_margin(&self, depth: i32, improving: bool) -> Option<Value> {
        let on = self.reverse_futility > 0 && depth <= REVERSE_FUTILITY_DEPTH;
        on.then(|| self.reverse_futility * (depth - i32::from(improving)))
    }

    /// By how much a static value must miss alpha for quiescence to settle the node.
    #[inline(always)]
    pub(crate) fn razoring_margin(&self, depth: i32) -> Option<Value> {
        (self.razoring > 0 && depth <= RAZORING_DEPTH).then(|| self.razoring * depth)
    }

    /// By how much a static value must miss alpha for a quiet move to be left out.
    #[inline(always)]
    pub(crate) fn futility_margin(&self, depth: i32) -> Option<Value> {
        (self.futility > 0 && depth <= FUTILITY_DEPTH).then(|| self.futility * (depth + 1))
    }

    /// How many quiet moves of a node are searched before the others are left out.
    #[inline(always)]
    pub(crate) fn quiet_moves(&self, depth: i32, improving: bool) -> usize {
        if self.late_move_pruning == 0 || depth > LATE_MOVE_PRUNING_DEPTH {
            return usize::MAX;
        }
        let count = self.late_move_pruning + depth * depth;
        (if improving { count } else { count / 2 }).max(1) as usize
    }

    /// The least exchange value with which a move is searched; `None` for any.
    #[inline(always)]
    pub(crate) fn least_exchange(&self, depth: i32, quiet: bool) -> Option<Value> {
        if self.see_pruning == 0 || depth > SEE_PRUNING_DEPTH {
            return None;
        }
        let plies = if quiet { depth } else { 2 * depth };
        Some(-self.see_pruning * plies / 2)
    }

    /// The depth to which a null move is searched, where the estimate is `surplus` above beta.
    #[inline(always)]
    pub(crate) fn null_move_depth(&self, depth: i32, surplus: Value) -> i32 {
        let slope = if self.null_move_slope == 0 { 0 } else { depth / self.null_move_slope };
        let ahead = if self.null_move_slope == 0 { 0 } else { (surplus / 200).min(3) };
        (depth - 1 - self.null_move_reduction - slope - ahead).max(0)
    }

    /// Hundredths of a ply by which the move number `index` is reduced, before corrections.
    #[inline(always)]
    pub(crate) fn reduction(&self, depth: i32, index: usize) -> i32 {
        let logarithms = LN[(depth as usize).min(63)] * LN[index.min(63)] / 1024;
        self.reduction_base + self.reduction_slope * logarithms / 1024
    }
}

/// 1024 x ln(n), made of additions, multiplications and divisions only, which are the same on
/// every machine.
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
    fn logarithms_are_right() {
        for (n, &scaled) in LN.iter().enumerate().skip(1) {
            assert_eq!(scaled, ((n as f64).ln() * 1024.0).round() as i32, "{n}");
        }
    }

    #[test]
    fn what_is_off_decides_nothing() {
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
