//! The parameters of a variant, as they come from the registry: all of them, checked again.

use crate::drivers::{Convergence, Driver};
use crate::games::chess::Evaluation;
use crate::guess::{Coefficients, Guess, GuessParameters};
use crate::node::{Options, Shape};
use crate::ordering::OrderingOptions;
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::{Replacement, TableOptions, TableSize};
use crate::value::Value;

/// A parameter's value as it was handed over.
#[derive(Clone, Debug, PartialEq)]
pub enum Raw {
    /// On or off.
    Flag(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A name.
    Text(String),
}

/// A complete, checked variant.
#[derive(Clone, Copy)]
pub struct Settings {
    /// The driver.
    pub driver: Driver,
    /// The size of the table.
    pub table: TableSize,
    /// The evaluation.
    pub evaluation: &'static Evaluation,
    /// Evaluations are rounded to multiples of this.
    pub grain: Value,
    /// How the tree is searched.
    pub options: Options,
}

const TREE: [&str; 3] = ["eval", "grain", "quiescence"];
const GUESS: [&str; 16] = [
    "guess",
    "weight",
    "offset_odd",
    "offset_even",
    "rate",
    "trend",
    "regression_last",
    "regression_before",
    "regression_static",
    "regression_quiescence",
    "regression_odd",
    "regression_even",
    "regression_odd_phase",
    "regression_even_phase",
    "quantile_odd",
    "quantile_even",
];
const CONVERGENCE: [&str; 3] = ["convergence", "step", "side"];
/// Those of every driver that cuts.
const COMMON: [&str; 30] = [
    "hash",
    "entries",
    "bounds",
    "replacement",
    "etc",
    "iid",
    "expected_pv",
    "null_move",
    "null_move_reduction",
    "null_move_slope",
    "null_move_verification",
    "reverse_futility",
    "razoring",
    "futility",
    "late_move_pruning",
    "see_pruning",
    "spare_checks",
    "delta_pruning",
    "late_move_reductions",
    "reduction_base",
    "reduction_slope",
    "history_reduction",
    "internal_reduction",
    "check_extension",
    "singular_extension",
    "quiescence_table",
    "killers",
    "counter_moves",
    "continuation_history",
    "capture_history",
];

/// The names of a driver's parameters; `None` for an unknown driver.
pub fn names(driver: &str) -> Option<Vec<&'static str>> {
    let own: Vec<&'static str> = match driver {
        "minimax" => return Some(TREE.to_vec()),
        "alphabeta" | "negascout" | "sss" | "dual" | "mtd-bi" => Vec::new(),
        "pvs" => vec!["window"],
        "mtd-step" => vec!["stride"],
        "mtdf" => [&GUESS[..], &CONVERGENCE, &["max_passes"]].concat(),
        "hybrid" => [&GUESS[..], &CONVERGENCE, &["null_passes"]].concat(),
        "mtd-best" | "bns" => GUESS.to_vec(),
        _ => return None,
    };
    Some(own.into_iter().chain(TREE).chain(COMMON).collect())
}

/// Reads a complete set of parameters.
///
/// # Errors
/// One line about an unknown driver, an unknown or missing name, or a value that is out of range.
pub fn parse(driver: &str, values: &[(String, Raw)]) -> Result<Settings, String> {
    let known = names(driver).ok_or_else(|| format!("the core has no driver `{driver}`"))?;
    let given = Given { driver, values };
    if let Some((name, _)) = values.iter().find(|(name, _)| !known.contains(&name.as_str())) {
        return Err(format!("the core knows no parameter `{name}` of {driver}"));
    }
    let eval = given.text("eval")?;
    let evaluation = Evaluation::by_name(eval)
        .ok_or_else(|| format!("{driver}: the core has no evaluation `{eval}`"))?;
    let grain = given.int("grain", 1, 200)? as Value;
    let quiescence = given.flag("quiescence")?;
    if driver == "minimax" {
        let (driver, table) = (Driver::Minimax, TableSize::Entries(0));
        let options = Options { quiescence, ..NOTHING };
        return Ok(Settings { driver, table, evaluation, grain, options });
    }
    let options = Options {
        shape: Shape::AlphaBeta,
        quiescence,
        selective: given.selectivity()?,
        ordering: OrderingOptions {
            killers: given.flag("killers")?,
            counter_moves: given.flag("counter_moves")?,
            continuation_history: given.flag("continuation_history")?,
            capture_history: given.flag("capture_history")?,
        },
        table: given.table_options()?,
        enhanced_cuts: given.small("etc", 0, 120)?,
        internal_deepening: given.flag("iid")?,
    };
    let table = given.table_size()?;
    let driver = given.driver()?;
    Ok(Settings { driver, table, evaluation, grain, options })
}

/// A search that does nothing beside what it must.
const NOTHING: Options = Options {
    shape: Shape::AlphaBeta,
    quiescence: false,
    selective: Selectivity::OFF,
    ordering: OrderingOptions::ALL,
    table: TableOptions::BEST,
    enhanced_cuts: 0,
    internal_deepening: false,
};

struct Given<'a> {
    driver: &'a str,
    values: &'a [(String, Raw)],
}

impl Given<'_> {
    fn driver(&self) -> Result<Driver, String> {
        let count = |name, low| self.int(name, low, 1000).map(|value| value as u32);
        Ok(match self.driver {
            "pvs" => Driver::Pvs { window: self.small("window", 0, 2000)? },
            "negascout" => Driver::NegaScout,
            "mtdf" => Driver::Mtdf {
                guess: self.guess()?,
                convergence: self.convergence()?,
                max_passes: count("max_passes", 0)?,
            },
            "hybrid" => Driver::Hybrid {
                guess: self.guess()?,
                convergence: self.convergence()?,
                null_passes: count("null_passes", 1)?,
            },
            "sss" => Driver::Sss,
            "dual" => Driver::Dual,
            "mtd-bi" => Driver::MtdBi,
            "mtd-step" => Driver::MtdStep { stride: self.small("stride", 1, 1000)? },
            "mtd-best" => Driver::MtdBest { guess: self.guess()? },
            "bns" => Driver::Bns { guess: self.guess()? },
            _ => Driver::AlphaBeta,
        })
    }

    fn table_size(&self) -> Result<TableSize, String> {
        let driver = self.driver;
        let (hash, entries) = (self.int("hash", 0, 65_536)?, self.int("entries", 0, 1 << 30)?);
        if entries != 0 && !(entries as u64).is_power_of_two() {
            return Err(format!("{driver}: entries={entries} is not a power of two"));
        }
        let table = match entries {
            0 => TableSize::Megabytes(hash as usize),
            entries => TableSize::Entries(entries as usize),
        };
        if table.is_available() {
            return Ok(table);
        }
        Err(format!("{driver}: there is no memory for a table of {} entries", table.entries()))
    }

    fn table_options(&self) -> Result<TableOptions, String> {
        let both_bounds = self.choice("bounds", |name| match name {
            "one" => Some(false),
            "two" => Some(true),
            _ => None,
        })?;
        let replacement = self.choice("replacement", Replacement::by_name)?;
        Ok(TableOptions { both_bounds, replacement })
    }

    /// A name that stands for something.
    fn choice<T>(&self, name: &str, known: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        let text = self.text(name)?;
        known(text).ok_or_else(|| format!("{}: the core has no {name} `{text}`", self.driver))
    }

    fn selectivity(&self) -> Result<Selectivity, String> {
        let expected_pv = self.choice("expected_pv", ExpectedPv::by_name)?;
        let reduction = self.small("null_move_reduction", 1, 6)?;
        Ok(Selectivity {
            expected_pv,
            null_move: self.flag("null_move")?.then_some(reduction),
            null_move_slope: self.small("null_move_slope", 0, 12)?,
            null_move_verification: self.small("null_move_verification", 0, 120)?,
            reverse_futility: self.small("reverse_futility", 0, 1_000)?,
            razoring: self.small("razoring", 0, 2_000)?,
            futility: self.small("futility", 0, 1_000)?,
            late_move_pruning: self.small("late_move_pruning", 0, 100)?,
            see_pruning: self.small("see_pruning", 0, 1_000)?,
            spare_checks: self.flag("spare_checks")?,
            delta_pruning: self.small("delta_pruning", 0, 2_000)?,
            late_move_reductions: self.flag("late_move_reductions")?,
            reduction_base: self.small("reduction_base", -200, 400)?,
            reduction_slope: self.small("reduction_slope", 0, 200)?,
            history_reduction: self.small("history_reduction", 0, 8)?,
            internal_reduction: self.small("internal_reduction", 0, 120)?,
            check_extension: self.flag("check_extension")?,
            singular_extension: self.small("singular_extension", 0, 120)?,
            quiescence_table: self.flag("quiescence_table")?,
        })
    }

    fn convergence(&self) -> Result<Convergence, String> {
        let step = self.small("step", 1, 1000)?;
        let above = self.choice("side", |name| match name {
            "above" => Some(true),
            "below" => Some(false),
            _ => None,
        })?;
        self.choice("convergence", |name| Convergence::by_name(name, step, above))
    }

    fn small(&self, name: &str, low: i64, high: i64) -> Result<i32, String> {
        self.int(name, low, high).map(|value| value as i32)
    }

    fn value(&self, name: &str) -> Result<&Raw, String> {
        let found = self.values.iter().find(|(given, _)| given == name);
        let missing = || format!("{}: parameter `{name}` is missing", self.driver);
        found.map(|(_, value)| value).ok_or_else(missing)
    }

    fn wrong<T>(&self, name: &str, value: &Raw, wanted: &str) -> Result<T, String> {
        Err(format!("{}: {name}={value:?} is not {wanted}", self.driver))
    }

    fn flag(&self, name: &str) -> Result<bool, String> {
        match self.value(name)? {
            Raw::Flag(flag) => Ok(*flag),
            other => self.wrong(name, other, "on or off"),
        }
    }

    fn int(&self, name: &str, low: i64, high: i64) -> Result<i64, String> {
        match self.value(name)? {
            Raw::Int(value) if (low..=high).contains(value) => Ok(*value),
            other => self.wrong(name, other, &format!("an integer from {low} to {high}")),
        }
    }

    fn text(&self, name: &str) -> Result<&str, String> {
        match self.value(name)? {
            Raw::Text(text) => Ok(text),
            other => self.wrong(name, other, "a name"),
        }
    }

    fn guess(&self) -> Result<Guess, String> {
        let weight = match self.value("weight")? {
            Raw::Float(weight) if (0.0..=1.0).contains(weight) => *weight,
            Raw::Int(weight @ 0..=1) => *weight as f64,
            other => return self.wrong("weight", other, "a number from 0 to 1"),
        };
        let parameters = GuessParameters {
            weight,
            odd: self.small("offset_odd", -200, 200)?,
            even: self.small("offset_even", -200, 200)?,
            rate: self.small("rate", 0, 100)?,
            slope: self.small("trend", -200, 200)?,
            coefficients: Coefficients {
                last: self.small("regression_last", -2_000, 2_000)?,
                before: self.small("regression_before", -2_000, 2_000)?,
                fixed: self.small("regression_static", -2_000, 2_000)?,
                quiet: self.small("regression_quiescence", -2_000, 2_000)?,
                odd: self.small("regression_odd", -200_000, 200_000)?,
                even: self.small("regression_even", -200_000, 200_000)?,
                odd_phase: self.small("regression_odd_phase", -10_000, 10_000)?,
                even_phase: self.small("regression_even_phase", -10_000, 10_000)?,
            },
            quantile_odd: self.small("quantile_odd", -200, 200)?,
            quantile_even: self.small("quantile_even", -200, 200)?,
        };
        self.choice("guess", |name| Guess::by_name(name, &parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete() -> Vec<(String, Raw)> {
        [
            ("guess", Raw::Text("parity".into())),
            ("weight", Raw::Float(0.5)),
            ("offset_odd", Raw::Int(10)),
            ("offset_even", Raw::Int(-10)),
            ("rate", Raw::Int(50)),
            ("trend", Raw::Int(50)),
            ("regression_last", Raw::Int(1)),
            ("regression_before", Raw::Int(2)),
            ("regression_static", Raw::Int(3)),
            ("regression_quiescence", Raw::Int(4)),
            ("regression_odd", Raw::Int(5)),
            ("regression_even", Raw::Int(6)),
            ("regression_odd_phase", Raw::Int(7)),
            ("regression_even_phase", Raw::Int(8)),
            ("quantile_odd", Raw::Int(9)),
            ("quantile_even", Raw::Int(10)),
            ("convergence", Raw::Text("growth".into())),
            ("step", Raw::Int(20)),
            ("side", Raw::Text("above".into())),
            ("max_passes", Raw::Int(7)),
            ("bounds", Raw::Text("one".into())),
            ("replacement", Raw::Text("two-tier".into())),
            ("etc", Raw::Int(2)),
            ("iid", Raw::Flag(true)),
            ("hash", Raw::Int(1)),
            ("entries", Raw::Int(0)),
            ("eval", Raw::Text("pst".into())),
            ("grain", Raw::Int(4)),
            ("quiescence", Raw::Flag(true)),
            ("expected_pv", Raw::Text("raised".into())),
            ("null_move", Raw::Flag(false)),
            ("null_move_reduction", Raw::Int(3)),
            ("null_move_slope", Raw::Int(4)),
            ("null_move_verification", Raw::Int(8)),
            ("reverse_futility", Raw::Int(80)),
            ("razoring", Raw::Int(250)),
            ("futility", Raw::Int(100)),
            ("late_move_pruning", Raw::Int(4)),
            ("see_pruning", Raw::Int(60)),
            ("spare_checks", Raw::Flag(true)),
            ("delta_pruning", Raw::Int(150)),
            ("late_move_reductions", Raw::Flag(true)),
            ("reduction_base", Raw::Int(-20)),
            ("reduction_slope", Raw::Int(45)),
            ("history_reduction", Raw::Int(2)),
            ("internal_reduction", Raw::Int(4)),
            ("check_extension", Raw::Flag(true)),
            ("singular_extension", Raw::Int(7)),
            ("quiescence_table", Raw::Flag(true)),
            ("killers", Raw::Flag(true)),
            ("counter_moves", Raw::Flag(false)),
            ("continuation_history", Raw::Flag(true)),
            ("capture_history", Raw::Flag(true)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    fn error_with(name: &str, value: Raw) -> String {
        let mut values = complete();
        values.iter_mut().find(|(given, _)| given == name).unwrap().1 = value;
        parse("mtdf", &values).err().expect("an error")
    }

    #[test]
    fn a_complete_set_is_read() {
        let settings = parse("mtdf", &complete()).unwrap();
        let (guess, convergence, max_passes) = (Guess::Parity, Convergence::Growth, 7);
        assert_eq!(settings.driver, Driver::Mtdf { guess, convergence, max_passes });
        assert_eq!((settings.table.entries(), settings.grain), (65_536, 4));
        let Options { selective, ordering, table, .. } = settings.options;
        let Options { enhanced_cuts, internal_deepening, .. } = settings.options;
        assert_eq!((table.both_bounds, table.replacement), (false, Replacement::TwoTier));
        assert_eq!((enhanced_cuts, internal_deepening), (2, true));
        assert_eq!((selective.null_move, selective.expected_pv), (None, ExpectedPv::Raised));
        assert_eq!((selective.reduction_base, selective.singular_extension), (-20, 7));
        assert_eq!((ordering.killers, ordering.counter_moves), (true, false));
    }

    #[test]
    fn unknown_missing_and_wrong_are_refused() {
        for driver in Driver::NAMES {
            assert!(names(driver).is_some());
            assert!(parse(driver, &[]).err().unwrap().contains("missing"));
        }
        assert!(parse("scout", &complete()).err().unwrap().contains("scout"));
        assert!(parse("pvs", &complete()).err().unwrap().contains("guess"));
        assert!(error_with("guess", Raw::Text("parrot".into())).contains("parrot"));
        assert!(error_with("expected_pv", Raw::Text("all".into())).contains("all"));
        assert!(error_with("convergence", Raw::Text("slow".into())).contains("slow"));
        assert!(error_with("side", Raw::Text("left".into())).contains("left"));
        assert!(error_with("bounds", Raw::Text("three".into())).contains("three"));
        assert!(error_with("replacement", Raw::Text("never".into())).contains("never"));
        assert!(error_with("razoring", Raw::Int(-1)).contains("0 to 2000"));
        assert!(error_with("eval", Raw::Text("nnue".into())).contains("nnue"));
        assert!(error_with("entries", Raw::Int(100)).contains("power of two"));
        assert!(error_with("grain", Raw::Int(0)).contains("1 to 200"));
        assert!(error_with("weight", Raw::Float(f64::NAN)).contains("0 to 1"));
        assert!(error_with("null_move", Raw::Int(1)).contains("on or off"));
    }
}
