//! First guesses of null-window drivers.

use crate::value::{Value, divide_half_away};

/// Where the pass sequence of an iteration starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guess {
    /// Always 0.
    Zero,
    /// The static value of the root.
    Static,
    /// The value of the iteration before.
    Previous,
    /// The value two iterations back.
    Parity,
    /// The mean of the last two values, rounded half away from zero.
    Average,
    /// `weight` of the previous value and the rest of the one before it, rounded likewise.
    Blend {
        /// The share of the previous value, 0 to 1.
        weight: f64,
    },
}

impl Guess {
    /// The names of all guesses.
    pub const NAMES: [&'static str; 6] =
        ["zero", "static", "previous", "parity", "average", "blend"];

    /// The guess of that name.
    pub fn by_name(name: &str, weight: f64) -> Option<Guess> {
        Some(match name {
            "zero" => Guess::Zero,
            "static" => Guess::Static,
            "previous" => Guess::Previous,
            "parity" => Guess::Parity,
            "average" => Guess::Average,
            "blend" => Guess::Blend { weight },
            _ => return None,
        })
    }

    /// The first guess, from the values of the finished iterations and the root's static value.
    /// Where too few iterations are known the nearest older value stands in, at first `fixed`.
    pub fn first(self, values: &[Value], fixed: Value) -> Value {
        let back = |plies: usize| -> Value {
            let place = values.len().saturating_sub(plies);
            values.get(place).copied().unwrap_or(fixed)
        };
        let (last, before) = (back(1), back(2));
        match self {
            Guess::Zero => 0,
            Guess::Static => fixed,
            Guess::Previous => last,
            Guess::Parity => before,
            Guess::Average => divide_half_away(last + before, 2),
            Guess::Blend { weight } => {
                // `round` rounds halves away from zero.
                (weight * f64::from(last) + (1.0 - weight) * f64::from(before)).round() as Value
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(values: &[Value]) -> Vec<Value> {
        let guesses = Guess::NAMES.map(|name| Guess::by_name(name, 0.25).unwrap());
        guesses.iter().map(|guess| guess.first(values, 7)).collect()
    }

    #[test]
    fn guesses_follow_their_definitions() {
        assert_eq!(all(&[10, 20, 31]), [0, 7, 31, 20, 26, 23]);
        assert_eq!(all(&[-20, -31]), [0, 7, -31, -20, -26, -23]);
    }

    #[test]
    fn older_values_stand_in_for_missing_ones() {
        assert_eq!(all(&[]), [0, 7, 7, 7, 7, 7]);
        assert_eq!(all(&[5]), [0, 7, 5, 5, 5, 5]);
    }

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(Guess::by_name("parrot", 0.5), None);
    }
}
