//! The weights, from the data file.

use serde_json::Value as Json;

use super::patterns::{PATTERNS, Pattern, Tables, exchanged, mirrored};
use super::score::{Score, Stage};
use super::terms::{CLASS_NAMES, Terms};
use crate::value::Value;

/// All weights, by interval between two knots.
pub(super) struct Weights {
    stages: [Stage; 65],
    pub(super) squares: Vec<[Score; CLASS_NAMES.len()]>,
    pub(super) terms: Vec<Terms>,
    pub(super) patterns: Vec<Tables>,
}

impl Weights {
    pub(super) fn from_json(text: &str) -> Result<Weights, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let knots = numbers(&json["knots"], "knots")?;
        if knots.len() < 2 || knots.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("knots: at least two numbers in ascending order".to_owned());
        }
        let file = File { json: &json, knots: knots.len() };
        Ok(Weights {
            stages: std::array::from_fn(|discs| Stage::new(discs as Value, &knots)),
            squares: file.intervals(|lower| file.squares(lower))?,
            terms: file.intervals(|lower| file.terms(lower))?,
            patterns: file.intervals(|lower| file.patterns(lower))?,
        })
    }

    /// The place of a number of discs among the knots.
    #[inline(always)]
    pub(super) fn stage(&self, discs: u32) -> Stage {
        self.stages[discs as usize]
    }
}

/// A data file and its number of knots.
struct File<'a> {
    json: &'a Json,
    knots: usize,
}

impl File<'_> {
    /// Applies `read` to each interval, by its lower knot.
    fn intervals<T>(&self, read: impl Fn(usize) -> Result<T, String>) -> Result<Vec<T>, String> {
        (0..self.knots - 1).map(read).collect()
    }

    fn squares(&self, lower: usize) -> Result<[Score; CLASS_NAMES.len()], String> {
        let mut weights = [Score::default(); CLASS_NAMES.len()];
        for (weight, name) in weights.iter_mut().zip(CLASS_NAMES) {
            *weight = self.single(&self.json["pst"][name], name, lower)?;
        }
        Ok(weights)
    }

    fn terms(&self, lower: usize) -> Result<Terms, String> {
        let terms = &self.json["terms"];
        let single = |name: &str| self.single(&terms[name], name, lower);
        Ok(Terms {
            mobility: self.table(&terms["mobility"], "mobility", lower)?,
            potential: single("potential")?,
            frontier: single("frontier")?,
            corner_moves: single("corner_moves")?,
            parity: self.table(&terms["parity"], "parity", lower)?,
        })
    }

    /// A weight at the two knots of an interval.
    fn single(&self, json: &Json, name: &str, lower: usize) -> Result<Score, String> {
        let weights = numbers(json, name)?;
        if weights.len() != self.knots {
            return Err(format!("{name}: {} numbers, one for each knot", self.knots));
        }
        Ok(Score { lower: weights[lower], upper: weights[lower + 1] })
    }

    /// A table of weights at the two knots of an interval.
    fn table<const N: usize>(
        &self,
        json: &Json,
        name: &str,
        lower: usize,
    ) -> Result<[Score; N], String> {
        let [low, high] = self.knots(json, name, lower)?;
        if low.len() != N || high.len() != N {
            return Err(format!("{name}: {N} numbers at every knot"));
        }
        Ok(std::array::from_fn(|i| Score { lower: low[i], upper: high[i] }))
    }

    /// The numbers at the two knots of an interval.
    fn knots(&self, json: &Json, name: &str, lower: usize) -> Result<[Vec<Value>; 2], String> {
        let knots = json.as_array().ok_or_else(|| format!("{name}: no list"))?;
        if knots.len() != self.knots {
            return Err(format!("{name}: {} lists, one for each knot", self.knots));
        }
        Ok([numbers(&knots[lower], name)?, numbers(&knots[lower + 1], name)?])
    }

    fn patterns(&self, lower: usize) -> Result<Tables, String> {
        let table = |pattern: &Pattern| {
            let json = &self.json["patterns"][pattern.name];
            if json["squares"].as_str() != Some(pattern.squares) {
                return Err(format!("{}: other squares", pattern.name));
            }
            let [low, high] = self.knots(&json["weights"], pattern.name, lower)?;
            let (low, high) = (spread(pattern, &low)?, spread(pattern, &high)?);
            Ok(low.into_iter().zip(high).map(|(low, high)| [low, high]).collect())
        };
        let tables: Result<Vec<Box<[[i16; 2]]>>, String> = PATTERNS.iter().map(table).collect();
        Ok(Tables::new(tables?.try_into().expect("one for each pattern")))
    }
}

/// A weight for every state of a pattern. The file has one for each class of states under mirroring
/// and exchange of colours, in the order of their least states. A state that both together leave
/// unchanged has no weight.
fn spread(pattern: &Pattern, weights: &[Value]) -> Result<Vec<i16>, String> {
    let wrong = || format!("{}: weights are too many, too few or too great", pattern.name);
    let mut all = vec![None; 3_usize.pow(pattern.length() as u32)];
    let mut weights = weights.iter();
    for number in 0..all.len() {
        if all[number].is_some() {
            continue;
        }
        let back = mirrored(pattern, number);
        let (turned, both) = (exchanged(pattern, number), exchanged(pattern, back));
        let weight = if turned == number || both == number {
            0
        } else {
            let weight = weights.next().filter(|weight| weight.abs() <= i16::MAX.into());
            *weight.ok_or_else(wrong)? as i16
        };
        (all[turned], all[both]) = (Some(-weight), Some(-weight));
        (all[number], all[back]) = (Some(weight), Some(weight));
    }
    if weights.next().is_some() {
        return Err(wrong());
    }
    Ok(all.into_iter().map(|weight| weight.expect("every number was met")).collect())
}

fn numbers(json: &Json, name: &str) -> Result<Vec<Value>, String> {
    let number = |one: &Json| one.as_i64().and_then(|number| Value::try_from(number).ok());
    let list = json.as_array().and_then(|list| list.iter().map(number).collect());
    list.ok_or_else(|| format!("{name}: no list of whole numbers"))
}
