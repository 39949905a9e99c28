//! Values: centipawns from the side to move, mates counted from the node itself.
//!
//! A mated node is worth [`MATED`]. A child's value is negated for its parent and, if it is a mate,
//! moved one ply toward zero ([`from_child`]). So the table can hold values as they are: they do
//! not depend on the distance from the root. Windows are moved the other way ([`child_alpha`],
//! [`child_beta`]), so that a child fails high if and only if its parent's move fails low.

/// A value in centipawns from the side to move.
pub type Value = i32;

/// The value of a mate, before subtracting plies.
pub const MATE: Value = 32_000;
/// The value of a node whose side to move is mated.
pub const MATED: Value = -MATE;
/// Values beyond this bound are mates; evaluations stay inside [`EVALUATION_BOUND`].
pub const MATE_BOUND: Value = 31_000;
/// Evaluations are clamped to this bound on both sides.
pub const EVALUATION_BOUND: Value = 30_000;
/// Beyond all values and all null windows at any ply; an open window is (-INFINITY, INFINITY). Fits
/// in 16 bits.
pub const INFINITY: Value = 32_700;
/// The window that holds every value.
pub const OPEN: (Value, Value) = (-INFINITY, INFINITY);
/// Values of a root lie strictly between `-MATE` and `MATE`: infinity in publications.
pub const HIGHEST: Value = MATE;
/// The value of a draw.
pub const DRAW: Value = 0;

/// The value of a move, from the value of its child node.
#[inline(always)]
pub const fn from_child(child: Value) -> Value {
    if child > MATE_BOUND {
        1 - child
    } else if child < -MATE_BOUND {
        -1 - child
    } else {
        -child
    }
}

/// The child's alpha for the node's beta: the greatest child value `c` with `from_child(c) >= beta`.
#[inline(always)]
pub const fn child_alpha(beta: Value) -> Value {
    if beta > MATE_BOUND {
        if beta >= INFINITY { -INFINITY } else { -beta - 1 }
    } else if beta <= -MATE_BOUND {
        1 - beta
    } else {
        -beta
    }
}

/// The child's beta for the node's alpha: the least child value `c` with `from_child(c) <= alpha`.
#[inline(always)]
pub const fn child_beta(alpha: Value) -> Value {
    if alpha >= MATE_BOUND {
        -alpha - 1
    } else if alpha < -MATE_BOUND {
        if alpha <= -INFINITY { INFINITY } else { 1 - alpha }
    } else {
        -alpha
    }
}

/// True for a value that is a mate for one of the sides.
#[inline]
pub const fn is_mate(value: Value) -> bool {
    value > MATE_BOUND || value < -MATE_BOUND
}

/// `numerator / denominator` rounded to the nearest integer, halves away from zero.
#[inline]
pub const fn divide_half_away(numerator: Value, denominator: Value) -> Value {
    let magnitude = (2 * numerator.abs() + denominator) / (2 * denominator);
    if numerator < 0 { -magnitude } else { magnitude }
}

/// The multiple of `grain` nearest to `value`, halves away from zero.
#[inline]
pub const fn round_to_grain(value: Value, grain: Value) -> Value {
    if grain == 1 { value } else { divide_half_away(value, grain) * grain }
}

/// The least multiple of `grain` that is not below `value`: windows between two multiples are
/// equivalent.
pub fn ceil_to_grain(value: Value, grain: Value) -> Value {
    (value + grain - 1).div_euclid(grain) * grain
}

/// The null window at `beta`.
pub fn null(beta: Value) -> (Value, Value) {
    (beta - 1, beta)
}

/// Bounds of a value; unknown ones are infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
}

impl Bounds {
    /// Before any pass.
    pub const OPEN: Bounds = Bounds { lower: -INFINITY, upper: INFINITY };

    /// Adds the result of a null window at `beta`; true if it failed high.
    pub fn learn(&mut self, value: Value, beta: Value) -> bool {
        let high = value >= beta;
        if high {
            self.lower = value;
        } else {
            self.upper = value;
        }
        high
    }

    /// Adds the result of a pass with any window.
    pub fn take(&mut self, value: Value, alpha: Value, beta: Value) {
        if value > alpha {
            self.lower = value;
        }
        if value < beta {
            self.upper = value;
        }
    }

    /// Adds bounds of other threads that do not contradict these; true if they are tighter.
    pub fn agree(&mut self, others: &Bounds) -> bool {
        let before = *self;
        if others.lower <= self.upper {
            self.lower = self.lower.max(others.lower);
        }
        if others.upper >= self.lower {
            self.upper = self.upper.min(others.upper);
        }
        *self != before
    }

    /// True if the bounds have met. Crossed bounds are a contradiction of selective search; the
    /// newer one ends the iteration.
    pub fn have_met(&self) -> bool {
        self.lower >= self.upper
    }

    /// The bound that settles the window, if any.
    #[inline(always)]
    pub fn settled(&self, alpha: Value, beta: Value) -> Option<Value> {
        if self.lower >= beta || self.lower == self.upper {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    /// Drops the bound that the last pass contradicted.
    pub fn reopen(&mut self, high: bool) {
        if high {
            self.upper = INFINITY;
        } else {
            self.lower = -INFINITY;
        }
    }

    /// True if both bounds are known.
    pub fn are_finite(&self) -> bool {
        self.lower > -INFINITY && self.upper < INFINITY
    }

    /// The beta nearest to `wanted` that lies inside the bounds and the range of values.
    pub fn clamp(&self, wanted: Value) -> Value {
        wanted.clamp(1 - HIGHEST, HIGHEST).clamp(self.lower + 1, self.upper)
    }

    /// As [`Bounds::clamp`], at a multiple of `grain`, unless only mates are left.
    pub fn on_grain(&self, wanted: Value, grain: Value) -> Value {
        self.clamp(ceil_to_grain(self.clamp(wanted), grain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_move_one_ply_toward_zero() {
        assert_eq!(from_child(MATED), MATE - 1);
        assert_eq!(from_child(MATE - 1), -(MATE - 2));
        assert_eq!(from_child(150), -150);
    }

    #[test]
    fn child_fails_high_exactly_when_parent_fails_low() {
        let interesting = (-MATE..=MATE).filter(|v| v.abs() < 40 || v.abs() > 30_950);
        let values: Vec<Value> = interesting.collect();
        for &bound in values.iter().chain(&[-INFINITY, INFINITY]) {
            for &child in &values {
                assert_eq!(
                    from_child(child) >= bound,
                    child <= child_alpha(bound),
                    "{child} {bound}"
                );
                assert_eq!(
                    from_child(child) <= bound,
                    child >= child_beta(bound),
                    "{child} {bound}"
                );
            }
        }
    }

    #[test]
    fn null_windows_stay_one_unit_wide() {
        for alpha in -MATE - 1..=MATE {
            assert_eq!(child_beta(alpha) - child_alpha(alpha + 1), 1, "{alpha}");
        }
    }

    #[test]
    fn halves_of_a_grain_round_away_from_zero() {
        assert_eq!(
            [round_to_grain(5, 10), round_to_grain(-5, 10), round_to_grain(4, 10)],
            [10, -10, 0]
        );
        assert_eq!([round_to_grain(2, 5), round_to_grain(3, 5), round_to_grain(-3, 5)], [0, 5, -5]);
        assert_eq!(round_to_grain(-17, 1), -17);
    }
}
