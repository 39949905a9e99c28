//! First guesses of null-window drivers.

use crate::value::{MATE, Value, divide_half_away};

/// Means that are learned within a search are kept in tenths of a centipawn.
const TENTHS: Value = 10;
/// Rates and trends are in percent.
const PERCENT: Value = 100;

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
    /// The previous value and so much more, by the parity of the iteration.
    Offset {
        /// For odd depths, in centipawns.
        odd: Value,
        /// For even depths.
        even: Value,
    },
    /// The previous value and the mean change from even to odd depths, or from odd to even ones.
    Drift {
        /// The weight of the last change in the exponential mean, in percent.
        rate: Value,
    },
    /// The exponential mean of the values of this parity.
    Ema {
        /// The weight of the last value, in percent.
        rate: Value,
    },
    /// The value two iterations back, and a share of what it changed from two before it.
    Trend {
        /// The share, in percent.
        trend: Value,
    },
    /// What the last search of this game, two plies ago, found when it looked as far into the
    /// game: at a depth two plies greater.
    Game,
}

/// The parameters of the guesses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GuessParameters {
    /// See [`Guess::Blend`].
    pub weight: f64,
    /// See [`Guess::Offset`].
    pub offset_odd: Value,
    /// See [`Guess::Offset`].
    pub offset_even: Value,
    /// See [`Guess::Drift`] and [`Guess::Ema`].
    pub rate: Value,
    /// See [`Guess::Trend`].
    pub trend: Value,
}

/// What a guess is made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// The values of the finished iterations, depth 1 first.
    pub values: &'a [Value],
    /// The static value of the root.
    pub static_value: Value,
    /// The values of the player's search two plies earlier in the same game, depth 1 first.
    pub game: &'a [Value],
}

impl Seen<'_> {
    /// The value so many iterations back, where there was one.
    fn known(&self, plies: usize) -> Option<Value> {
        Some(self.values[self.values.len().checked_sub(plies)?])
    }

    /// The value so many iterations back; where too few are known, the oldest, at first the
    /// static value.
    fn back(&self, plies: usize) -> Value {
        self.known(plies).or(self.values.first().copied()).unwrap_or(self.static_value)
    }

    /// The depth of the iteration to come.
    fn depth(&self) -> usize {
        self.values.len() + 1
    }

    /// What belongs to the parity of that depth.
    fn by_parity(&self, odd: Value, even: Value) -> Value {
        if self.depth() % 2 == 1 { odd } else { even }
    }
}

impl Guess {
    /// All guesses by name, with their parameters.
    pub fn choices(parameters: GuessParameters) -> [(&'static str, Guess); 11] {
        let GuessParameters { weight, rate, trend, .. } = parameters;
        let (odd, even) = (parameters.offset_odd, parameters.offset_even);
        let offset = Guess::Offset { odd, even };
        [
            ("zero", Guess::Zero),
            ("static", Guess::Static),
            ("previous", Guess::Previous),
            ("parity", Guess::Parity),
            ("average", Guess::Average),
            ("blend", Guess::Blend { weight }),
            ("offset", offset),
            ("drift", Guess::Drift { rate }),
            ("ema", Guess::Ema { rate }),
            ("trend", Guess::Trend { trend }),
            ("game", Guess::Game),
        ]
    }

    /// The first guess of the next iteration, a value. Where too few iterations are known the
    /// nearest older value stands in, at first the static one.
    pub fn first(self, seen: &Seen<'_>) -> Value {
        let (last, before) = (seen.back(1), seen.back(2));
        let guess = match self {
            Guess::Zero => 0,
            Guess::Static => seen.static_value,
            Guess::Previous => last,
            Guess::Parity => before,
            Guess::Average => divide_half_away(last + before, 2),
            Guess::Blend { weight } => {
                // `round` rounds halves away from zero.
                (weight * f64::from(last) + (1.0 - weight) * f64::from(before)).round() as Value
            }
            Guess::Offset { odd, even } => last + seen.by_parity(odd, even),
            Guess::Drift { rate } => last + divide_half_away(drift(seen, rate), TENTHS),
            Guess::Ema { rate } => mean(seen, rate),
            Guess::Trend { trend } => {
                let change = seen.known(4).map_or(0, |older| before - older);
                before + divide_half_away(trend * change, PERCENT)
            }
            Guess::Game => seen.game.get(seen.depth() + 1).copied().unwrap_or(before),
        };
        guess.clamp(-MATE, MATE)
    }
}

/// An exponential mean, one step on: towards `new`, which like it is in tenths.
fn towards(mean: Value, new: Value, rate: Value) -> Value {
    mean + divide_half_away(rate * (new - mean), PERCENT)
}

/// The mean change to depths of this parity from the depth before, in tenths; at first 0.
fn drift(seen: &Seen<'_>, rate: Value) -> Value {
    let pairs = seen.values.windows(2).enumerate();
    // The place of a pair plus 2 is the depth of its second value.
    pairs
        .filter(|(place, _)| place % 2 == seen.depth() % 2)
        .fold(0, |mean, (_, pair)| towards(mean, TENTHS * (pair[1] - pair[0]), rate))
}

/// The mean of the values at depths of this parity; at first the nearest other one.
fn mean(seen: &Seen<'_>, rate: Value) -> Value {
    let same = seen.values.iter().skip((seen.depth() + 1) % 2).step_by(2);
    let mean = same.fold(None, |mean, &value| {
        let value = TENTHS * value;
        Some(mean.map_or(value, |mean| towards(mean, value, rate)))
    });
    mean.map_or(seen.back(1), |mean| divide_half_away(mean, TENTHS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: GuessParameters =
        GuessParameters { weight: 0.25, offset_odd: 5, offset_even: -3, rate: 50, trend: 50 };
    fn all(values: &[Value]) -> Vec<Value> {
        let seen = Seen { values, static_value: 7, game: &[1, 2, 3, 4] };
        Guess::choices(PARAMETERS).map(|(_, guess)| guess.first(&seen)).to_vec()
    }

    #[test]
    fn guesses_follow_their_definitions() {
        assert_eq!(all(&[10, 20, 31]), [0, 7, 31, 20, 26, 23, 28, 36, 20, 20, 20]);
        assert_eq!(all(&[-20, -31]), [0, 7, -31, -20, -26, -23, -26, -31, -20, -20, -20]);
        // Depth 7: changes to odd depths were +20, then -10; their values 10, 40 and 50.
        let seven = all(&[10, 20, 40, 60, 50, 70]);
        assert_eq!(&seven[6..], [70 + 5, 70, 38, 50 + 5, 50]);
    }

    #[test]
    fn missing_values_are_replaced_by_older_ones() {
        assert_eq!(all(&[]), [0, 7, 7, 7, 7, 7, 12, 7, 7, 7, 3]);
        assert_eq!(all(&[5]), [0, 7, 5, 5, 5, 5, 2, 5, 5, 5, 4]);
    }

    #[test]
    fn guess_is_a_valid_value() {
        let seen = Seen { values: &[-MATE, 0, 0, MATE - 1], ..Seen::default() };
        let ends = GuessParameters { offset_odd: 200, rate: 100, trend: 200, ..PARAMETERS };
        for (name, guess) in Guess::choices(ends) {
            let guess = guess.first(&seen);
            assert!((-MATE..=MATE).contains(&guess), "{name} {guess}");
        }
    }
}
