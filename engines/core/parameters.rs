//! The parameters of a variant, from the registry, all checked again.
//!
//! Each parameter is one row, at the field that it is read into. The same rows read values
//! ([`parse`]) and list what a driver has ([`parameters`]); a test compares the list with the
//! registry.

use std::fmt;

use crate::drivers::{Closing, Convergence, Driver, Reported};
use crate::games::GAMES;
use crate::games::seat::Valued;
use crate::guess::{Guess, GuessParameters};
use crate::options::{ChildBounds, Options};
use crate::ordering::OrderingOptions;
use crate::parallel::{MOST_THREADS, Parallel};
use crate::selective::{ExpectedPv, Selectivity};
use crate::table::{Replacement, TableOptions, TableSize};
use crate::value::Value;

/// A parameter's value as given.
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

impl fmt::Display for Raw {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Raw::Flag(flag) => write!(to, "{}", if *flag { "on" } else { "off" }),
            Raw::Int(value) => write!(to, "{value}"),
            Raw::Float(value) => write!(to, "{value}"),
            Raw::Text(text) => write!(to, "{text}"),
        }
    }
}

/// The domain of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// On or off.
    Flag,
    /// An integer in this range.
    Int(i64, i64),
    /// A number in this range.
    Float(f64, f64),
    /// One of these names.
    Choice(Vec<&'static str>),
}

/// A parameter's name and domain.
pub type Parameter = (&'static str, Kind);

impl fmt::Display for Kind {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Flag => write!(to, "on or off"),
            Kind::Int(low, high) => write!(to, "an integer from {low} to {high}"),
            Kind::Float(low, high) => write!(to, "a number from {low} to {high}"),
            Kind::Choice(names) => write!(to, "one of {}", names.join(", ")),
        }
    }
}

/// A complete, checked variant.
#[derive(Clone, Copy)]
pub struct Settings {
    /// The driver.
    pub driver: Driver,
    /// The size of the table.
    pub table: TableSize,
    /// The game with its evaluation.
    pub game: Valued,
    /// How the tree is searched.
    pub options: Options,
}

/// Reads a structure. A row has a field, the parameter's name if it differs, its reader and its
/// domain.
macro_rules! read {
    ($from:ident => $($structure:ident)::+ {
        $($field:ident $($name:literal)?: $how:ident $(($($limit:expr),+))?),+ $(,)?
    }) => {
        Read::Ok($($structure)::+ {
            $($field: $from.$how(read!(@ $field $($name)?) $(, $($limit),+)?)?,)+
        })
    };
    (@ $field:ident) => { stringify!($field) };
    (@ $field:ident $name:literal) => { $name };
}

type Read<T> = Result<T, String>;
type ReadDriver = fn(&mut Rows<'_>) -> Read<Driver>;

/// The drivers, with the rows of their own parameters.
const DRIVERS: [(&str, ReadDriver); 12] = [
    ("alphabeta", |_| Ok(Driver::AlphaBeta)),
    ("pvs", |rows| read!(rows => Driver::Pvs { window: int(0, 2_000), below: int(-100, 100) })),
    ("mtdf", |rows| {
        read!(rows => Driver::Mtdf {
            guess: guess,
            closing: closing,
            max_passes: int(0, 1_000),
        })
    }),
    ("negascout", |_| Ok(Driver::NegaScout)),
    ("hybrid", |rows| {
        read!(rows => Driver::Hybrid {
            guess: guess,
            closing: closing,
            null_passes: int(1, 1_000),
            cap: int(0, 1_000),
        })
    }),
    ("sss", |_| Ok(Driver::Sss)),
    ("dual", |_| Ok(Driver::Dual)),
    ("mtd-bi", |_| Ok(Driver::MtdBi)),
    ("mtd-step", |rows| read!(rows => Driver::MtdStep { stride: int(1, 1_000) })),
    ("mtd-best", |rows| read!(rows => Driver::MtdBest { guess: guess })),
    ("bns", |rows| read!(rows => Driver::Bns { guess: guess })),
    ("minimax", |_| Ok(Driver::Minimax)),
];

/// The rows of a driver. Values do not affect which rows are read.
struct Rows<'a> {
    /// The source; without values, each parameter takes a value of its domain.
    values: Option<&'a [(String, Raw)]>,
    /// What has been read.
    read: Vec<Parameter>,
}

impl Rows<'_> {
    fn settings(&mut self, driver: ReadDriver) -> Read<Settings> {
        let (game, quiescence) = (self.game()?, self.flag("quiescence")?);
        let driver = driver(self)?;
        if driver == Driver::Minimax {
            let options = Options { quiescence, ..Options::PLAIN };
            return Ok(Settings { driver, table: TableSize::Entries(0), game, options });
        }
        let options = Options {
            shape: driver.shape(),
            quiescence,
            selective: self.selectivity(driver.repeats_passes())?,
            ordering: read!(self => OrderingOptions {
                killers: flag,
                counter_moves: flag,
                continuation_history: flag,
                capture_history: flag,
                reward_once: flag,
                replies: int(0, 4_000),
            })?,
            table: read!(self => TableOptions {
                both_bounds "bounds": choice(&[("one", false), ("two", true)]),
                replacement: choice(&Replacement::CHOICES),
            })?,
            enhanced_cuts: self.int("etc", 0, 30)?,
            child_bounds: self.choice("etc_rule", &ChildBounds::CHOICES)?,
            leaf_bounds: self.flag("leaf_bounds")?,
            best_of_low: self.choice("low_move", &[("old", false), ("best", true)])?,
            internal_deepening: self.flag("iid")?,
            depth_step: self.int("depth_step", 1, 4)?,
            threads: self.int("threads", 1, MOST_THREADS as u32)? as usize,
            parallel: self.choice("parallel", &Parallel::CHOICES)?,
        };
        Ok(Settings { driver, table: self.table_size()?, game, options })
    }

    fn game(&mut self) -> Read<Valued> {
        read!(self => Valued {
            seated "game": choice(&GAMES),
            evaluation "eval": choice(&[("pst", "pst"), ("full", "full")]),
            grain: int(1, 200),
            swing: int(0, 200),
        })
    }

    /// `repeats`: whether the driver makes several passes in an iteration; only then parameters of
    /// later passes and of early ends are read.
    fn selectivity(&mut self, repeats: bool) -> Read<Selectivity> {
        read!(self => Selectivity {
            expected_pv: choice(&ExpectedPv::CHOICES),
            null_move: flag,
            null_move_reduction: int(1, 6),
            null_move_slope: int(0, 12),
            null_move_verification: int(0, 30),
            decided: int(100, 10_000),
            reverse_futility: int(0, 300),
            razoring: int(0, 1_000),
            futility: int(0, 400),
            probcut: int(0, 400),
            late_move_pruning: int(0, 30),
            see_pruning: int(0, 300),
            offer_pruning: int(0, 300),
            spare_checks: flag,
            delta_pruning: int(0, 1_000),
            late_move_reductions: flag,
            reduction_base: int(-200, 400),
            reduction_slope: int(0, 200),
            history_reduction: int(0, 8),
            internal_reduction: int(0, 30),
            check_extension: flag,
            singular_extension: int(0, 30),
            quiescence_table: flag,
            fail_high_reduction: int_if(repeats, 0, 3),
            cut_reduction: int(0, 3),
            best_move_stop: flag_if(repeats),
        })
    }

    fn table_size(&mut self) -> Read<TableSize> {
        let hash: u32 = self.int("hash", 0, 65_536)?;
        let entries: u32 = self.int("entries", 0, 1 << 30)?;
        if entries != 0 && !entries.is_power_of_two() {
            return Err(format!("entries={entries} is not a power of two"));
        }
        let table = match entries {
            0 => TableSize::Megabytes(hash as usize),
            entries => TableSize::Entries(entries as usize),
        };
        if table.is_available() {
            return Ok(table);
        }
        Err(format!("there is no memory for a table of {} entries", table.entries()))
    }

    fn guess(&mut self, name: &'static str) -> Read<Guess> {
        let parameters = read!(self => GuessParameters {
            weight: float(0.0, 1.0),
            offset_odd: int(-200, 200),
            offset_even: int(-200, 200),
            rate: int(0, 100),
            trend: int(-200, 200),
        })?;
        self.choice(name, &Guess::choices(parameters))
    }

    fn closing(&mut self, _: &'static str) -> Read<Closing> {
        read!(self => Closing {
            convergence: convergence,
            below: int(-100, 100),
            tolerance: int(0, 64),
            reported: choice(&Reported::CHOICES),
            reopen: flag,
            adopts_all "adopt": choice(&[("proven", false), ("all", true)]),
        })
    }

    fn convergence(&mut self, name: &'static str) -> Read<Convergence> {
        let step = self.int("step", 1, 1_000)?;
        let above = self.choice("side", &[("above", true), ("below", false)])?;
        self.choice(name, &Convergence::choices(step, above))
    }

    fn flag(&mut self, name: &'static str) -> Read<bool> {
        self.value(name, Kind::Flag, false, |raw| match raw {
            Raw::Flag(flag) => Some(*flag),
            _ => None,
        })
    }

    fn int<T>(&mut self, name: &'static str, low: T, high: T) -> Read<T>
    where
        T: Copy + Into<i64> + TryFrom<i64>,
    {
        let (least, most) = (low.into(), high.into());
        self.value(name, Kind::Int(least, most), low, |raw| match raw {
            Raw::Int(value) if (least..=most).contains(value) => T::try_from(*value).ok(),
            _ => None,
        })
    }

    /// An integer that some drivers lack; 0 for these.
    fn int_if(&mut self, name: &'static str, has: bool, low: i32, high: i32) -> Read<i32> {
        if has { self.int(name, low, high) } else { Ok(0) }
    }

    /// A flag that some drivers lack; off for these.
    fn flag_if(&mut self, name: &'static str, has: bool) -> Read<bool> {
        if has { self.flag(name) } else { Ok(false) }
    }

    fn float(&mut self, name: &'static str, low: f64, high: f64) -> Read<f64> {
        let number = |raw: &Raw| match raw {
            Raw::Float(value) => Some(*value),
            Raw::Int(value) => Some(*value as f64),
            _ => None,
        };
        let inside = |value: &f64| (low..=high).contains(value);
        self.value(name, Kind::Float(low, high), low, |raw| number(raw).filter(inside))
    }

    /// The choice of this name.
    fn choice<T: Copy>(&mut self, name: &'static str, all: &[(&'static str, T)]) -> Read<T> {
        let kind = Kind::Choice(all.iter().map(|&(name, _)| name).collect());
        self.value(name, kind, all[0].1, |raw| match raw {
            Raw::Text(text) => all.iter().find(|(name, _)| name == text).map(|&(_, choice)| choice),
            _ => None,
        })
    }

    fn value<T>(
        &mut self,
        name: &'static str,
        kind: Kind,
        example: T,
        read: impl Fn(&Raw) -> Option<T>,
    ) -> Read<T> {
        let found = match self.values.map(|values| values.iter().find(|(given, _)| given == name)) {
            None => Ok(example),
            Some(None) => Err(format!("parameter `{name}` is missing")),
            Some(Some((_, raw))) => read(raw).ok_or_else(|| format!("{name}={raw} is not {kind}")),
        };
        self.read.push((name, kind));
        found
    }
}

/// The names of all drivers.
pub fn drivers() -> impl Iterator<Item = &'static str> {
    DRIVERS.iter().map(|&(name, _)| name)
}

/// A driver's parameters: names and domains.
///
/// # Errors
/// One line about an unknown driver.
pub fn parameters(driver: &str) -> Result<Vec<Parameter>, String> {
    read(driver, None).map(|(_, rows)| rows)
}

/// Reads a complete set of parameters.
///
/// # Errors One line about an unknown driver, an unknown or missing name, or a value out of range.
pub fn parse(driver: &str, values: &[(String, Raw)]) -> Result<Settings, String> {
    let (settings, rows) = read(driver, Some(values))?;
    match values.iter().find(|(given, _)| rows.iter().all(|(name, _)| name != given)) {
        None => Ok(settings),
        Some((name, _)) => Err(format!("the core knows no parameter `{name}` of {driver}")),
    }
}

/// Reads the game, its evaluation, the grain and the swing.
///
/// # Errors One line about an unknown game or evaluation, or a grain or swing out of range.
pub fn game(game: &str, evaluation: &str, grain: Value, swing: Value) -> Result<Valued, String> {
    let values = [
        ("game".to_owned(), Raw::Text(game.to_owned())),
        ("eval".to_owned(), Raw::Text(evaluation.to_owned())),
        ("grain".to_owned(), Raw::Int(grain.into())),
        ("swing".to_owned(), Raw::Int(swing.into())),
    ];
    Rows { values: Some(&values), read: Vec::new() }.game()
}

fn read(driver: &str, values: Option<&[(String, Raw)]>) -> Read<(Settings, Vec<Parameter>)> {
    let unknown = || format!("the core has no driver `{driver}`");
    let (_, own) = DRIVERS.iter().find(|(name, _)| *name == driver).ok_or_else(unknown)?;
    let mut rows = Rows { values, read: Vec::new() };
    let settings = rows.settings(*own).map_err(|error| format!("{driver}: {error}"))?;
    Ok((settings, rows.read))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A complete set of parameters: those given, and the first value of the domain for all others.
    fn with(driver: &str, given: &[(&str, Raw)]) -> Vec<(String, Raw)> {
        let first = |kind: Kind| match kind {
            Kind::Flag => Raw::Flag(false),
            Kind::Int(low, _) => Raw::Int(low),
            Kind::Float(low, _) => Raw::Float(low),
            Kind::Choice(names) => Raw::Text(names[0].to_owned()),
        };
        let value = |name: &str, kind| {
            let found = given.iter().find(|(given, _)| *given == name);
            found.map_or_else(|| first(kind), |(_, value)| value.clone())
        };
        let rows = parameters(driver).unwrap().into_iter();
        rows.map(|(name, kind)| (name.to_owned(), value(name, kind))).collect()
    }

    fn text(text: &str) -> Raw {
        Raw::Text(text.to_owned())
    }

    fn error_with(name: &str, value: Raw) -> String {
        parse("mtdf", &with("mtdf", &[(name, value)])).err().expect("an error")
    }

    #[test]
    fn complete_parameters_are_read() {
        let given = [
            ("guess", text("trend")),
            ("trend", Raw::Int(-7)),
            ("convergence", text("one-side")),
            ("step", Raw::Int(20)),
            ("side", text("below")),
            ("max_passes", Raw::Int(7)),
            ("below", Raw::Int(-3)),
            ("tolerance", Raw::Int(16)),
            ("reported", text("middle")),
            ("reopen", Raw::Flag(true)),
            ("adopt", text("all")),
            ("hash", Raw::Int(1)),
            ("replacement", text("two-tier")),
            ("etc", Raw::Int(2)),
            ("etc_rule", text("settle")),
            ("leaf_bounds", Raw::Flag(true)),
            ("low_move", text("best")),
            ("iid", Raw::Flag(true)),
            ("depth_step", Raw::Int(2)),
            ("expected_pv", text("raised")),
            ("reduction_base", Raw::Int(-20)),
            ("singular_extension", Raw::Int(7)),
            ("killers", Raw::Flag(true)),
            ("fail_high_reduction", Raw::Int(2)),
            ("cut_reduction", Raw::Int(1)),
            ("best_move_stop", Raw::Flag(true)),
            ("reward_once", Raw::Flag(true)),
        ];
        let settings = parse("mtdf", &with("mtdf", &given)).unwrap();
        let convergence = Convergence::OneSide { step: 20, above: false };
        let closing = Closing {
            convergence,
            below: -3,
            tolerance: 16,
            reported: Reported::Middle,
            reopen: true,
            adopts_all: true,
        };
        let driver = Driver::Mtdf { guess: Guess::Trend { trend: -7 }, closing, max_passes: 7 };
        assert_eq!((settings.driver, settings.table.entries()), (driver, 65_536));
        let selective = Selectivity {
            expected_pv: ExpectedPv::Raised,
            null_move_reduction: 1,
            decided: 100,
            reduction_base: -20,
            singular_extension: 7,
            fail_high_reduction: 2,
            cut_reduction: 1,
            best_move_stop: true,
            ..Selectivity::OFF
        };
        let options = Options {
            selective,
            ordering: OrderingOptions {
                killers: true,
                counter_moves: false,
                continuation_history: false,
                capture_history: false,
                reward_once: true,
                replies: 0,
            },
            table: TableOptions { both_bounds: false, replacement: Replacement::TwoTier },
            enhanced_cuts: 2,
            child_bounds: ChildBounds::Settle,
            leaf_bounds: true,
            best_of_low: true,
            internal_deepening: true,
            depth_step: 2,
            ..Options::PLAIN
        };
        assert_eq!(settings.options, options);
    }

    #[test]
    fn unknown_missing_and_wrong_parameters_are_refused() {
        for driver in drivers() {
            assert!(parse(driver, &with(driver, &[])).is_ok());
            assert!(parse(driver, &[]).err().unwrap().contains("missing"));
        }
        assert!(parse("scout", &[]).err().unwrap().contains("scout"));
        let more = [with("pvs", &[]), vec![("guess".to_owned(), text("zero"))]].concat();
        assert!(parse("pvs", &more).err().unwrap().contains("guess"));
        assert!(error_with("guess", text("parrot")).contains("parrot"));
        assert!(error_with("side", text("left")).contains("one of above, below"));
        assert!(error_with("entries", Raw::Int(100)).contains("power of two"));
        assert!(error_with("weight", Raw::Float(f64::NAN)).contains("0 to 1"));
        assert!(error_with("null_move", Raw::Int(1)).contains("on or off"));
        let error = game("chess", "nnue", 1, 0).err().unwrap();
        assert!(error.contains("eval=nnue is not one of pst, full"), "{error}");
        assert!(error_with("grain", Raw::Flag(true)).contains("grain=on is not an integer"));
        assert!(error_with("guess", Raw::Float(0.5)).contains("guess=0.5 is not one of"));
        assert!(
            error_with("razoring", Raw::Int(-1))
                .contains("razoring=-1 is not an integer from 0 to 1000")
        );
        assert!(game("chess", "pst", 0, 0).err().unwrap().contains("1 to 200"));
    }
}
