//! The bench: fixed positions of a game, searched by fixed variants. Node counts and values hash to
//! the signature of the game: builds with one signature play alike. That of chess is the core's.

use crate::drivers::{Closing, Convergence, Driver, Reported};
use crate::games::playable::Playable;
use crate::guess::Guess;
use crate::limits::{Limits, Request};
use crate::options::Options;
use crate::ordering::OrderingOptions;
use crate::player::Player;
use crate::selective::Selectivity;
use crate::table::TableSize;
use crate::value::Value;

/// One search of the bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The position.
    pub fen: &'static str,
    /// The variant as text, which is hashed too.
    pub variant: &'static str,
    /// `exact` or `selective`.
    pub mode: &'static str,
    /// Nodes of all kinds.
    pub nodes: u64,
    /// The value found.
    pub value: Value,
}

struct Variant {
    name: &'static str,
    driver: Driver,
    entries: usize,
    grain: Value,
}

/// The variants, with every parameter given: no default of the registry matters.
const VARIANTS: [Variant; 7] = [
    Variant {
        name: "alphabeta:entries=2^14,grain=1",
        driver: Driver::AlphaBeta,
        entries: 1 << 14,
        grain: 1,
    },
    Variant {
        name: "pvs:window=0,entries=2^14,grain=1",
        driver: Driver::Pvs { window: 0, below: 0 },
        entries: 1 << 14,
        grain: 1,
    },
    Variant {
        name: "pvs:window=25,entries=2^10,grain=4",
        driver: Driver::Pvs { window: 25, below: 0 },
        entries: 1 << 10,
        grain: 4,
    },
    Variant {
        name: "mtdf:guess=parity,entries=2^14,grain=1",
        driver: Driver::Mtdf {
            guess: Guess::Parity,
            closing: Closing::by(Convergence::Plaat),
            max_passes: 0,
        },
        entries: 1 << 14,
        grain: 1,
    },
    Variant {
        name: "mtdf:guess=previous,entries=2^10,grain=4",
        driver: Driver::Mtdf {
            guess: Guess::Previous,
            closing: Closing::by(Convergence::Plaat),
            max_passes: 0,
        },
        entries: 1 << 10,
        grain: 4,
    },
    Variant {
        name: "mtdf:guess=average,entries=2^14,grain=10",
        driver: Driver::Mtdf {
            guess: Guess::Average,
            closing: Closing::by(Convergence::Plaat),
            max_passes: 0,
        },
        entries: 1 << 14,
        grain: 10,
    },
    Variant {
        name: "mtdf:guess=parity,entries=2^14,grain=1,eval=full",
        driver: Driver::Mtdf {
            guess: Guess::Parity,
            closing: Closing::by(Convergence::Plaat),
            max_passes: 0,
        },
        entries: 1 << 14,
        grain: 1,
    },
];

/// Further variants for [`Playable::BENCH_OPTIONS`].
const OF_A_GAME: [Variant; 2] = [
    Variant {
        name: "pvs:window=25,below=6,entries=2^14,grain=1,features=game,eval=full",
        driver: Driver::Pvs { window: 25, below: 6 },
        entries: 1 << 14,
        grain: 1,
    },
    Variant {
        name: "mtdf:guess=previous,convergence=bisect,below=6,tolerance=22,entries=2^14,grain=1,\
               features=game,eval=full",
        driver: Driver::Mtdf {
            guess: Guess::Previous,
            closing: Closing {
                convergence: Convergence::Bisect { step: 18 },
                below: 6,
                tolerance: 22,
                reported: Reported::Lower,
                reopen: false,
                adopts_all: true,
            },
            max_passes: 0,
        },
        entries: 1 << 14,
        grain: 1,
    },
];

impl Variant {
    /// Its name, else `pst`.
    fn evaluation(&self) -> &'static str {
        if self.name.ends_with("eval=full") { "full" } else { "pst" }
    }
}

/// How the bench searches.
pub const OPTIONS: Options =
    Options { quiescence: true, selective: Selectivity::EVERYTHING, ..Options::PLAIN };
/// How the bench searches with the features of a game, before they are added.
pub const OPTIONS_OF_A_GAME: Options = Options {
    selective: Selectivity {
        fail_high_reduction: 1,
        cut_reduction: 1,
        best_move_stop: true,
        ..OPTIONS.selective
    },
    ordering: OrderingOptions { reward_once: true, ..OPTIONS.ordering },
    ..OPTIONS
};
const EXACT: Limits = Limits { nodes: None, depth: Some(4), soft: None, hard: None, cpu: None };
const SELECTIVE: Limits =
    Limits { nodes: Some(6_000), depth: None, soft: None, hard: None, cpu: None };

/// All searches of a game's bench, in a fixed order.
pub fn bench<G: Playable>() -> Vec<Row> {
    let mut found: Vec<Row> =
        VARIANTS.iter().flat_map(|variant| rows::<G>(variant, OPTIONS)).collect();
    if let Some(options) = G::BENCH_OPTIONS {
        found.extend(OF_A_GAME.iter().flat_map(|variant| rows::<G>(variant, options)));
    }
    found
}

/// The searches of one variant.
fn rows<G: Playable>(variant: &Variant, options: Options) -> Vec<Row> {
    let game = G::with(variant.evaluation(), variant.grain, 0);
    let read = |text| game.read(text, false).expect("the positions are legal");
    let (size, start) = (TableSize::Entries(variant.entries), read(G::START));
    let mut player = Player::new(game, variant.driver, options, size, start);
    let mut rows = Vec::with_capacity(2 * G::BENCH.len());
    for &fen in G::BENCH {
        for (mode, limits) in [("exact", EXACT), ("selective", SELECTIVE)] {
            player.new_game();
            player.set_position(read(fen), []).expect("no moves");
            let request = Request { limits, exact: mode == "exact", ..Request::default() };
            let report = player.search_alone(&request);
            let (nodes, value) = (report.nodes, report.value);
            rows.push(Row { fen, variant: variant.name, mode, nodes, value });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;
    use crate::games::chess::Chess;
    use crate::games::draughts::Draughts;
    use crate::games::othello::Othello;
    use crate::games::seat::Valued;
    use crate::table::Table;

    /// A feature that no row uses could change without changing the signature.
    #[test]
    fn every_feature_changes_the_bench() {
        let with: Vec<_> = VARIANTS.iter().map(|variant| rows::<Chess>(variant, OPTIONS)).collect();
        for (name, without) in crate::tests::features::without_each(OPTIONS) {
            let mut each = VARIANTS.iter().zip(&with);
            let changes = each.any(|(variant, with)| rows::<Chess>(variant, without) != *with);
            assert!(changes, "{name}");
        }
    }

    /// Switches a feature off.
    type Turn = fn(&mut Options);

    /// The features of a game's own options that change no search of its bench.
    fn idle<G: Playable>(off: &[(&'static str, Turn)]) -> Vec<&'static str> {
        let options = G::BENCH_OPTIONS.expect("the game has features of its own");
        let found = |options| OF_A_GAME.iter().flat_map(move |one| rows::<G>(one, options));
        let with: Vec<_> = found(options).collect();
        let changes = |turn: Turn| {
            let mut without = options;
            turn(&mut without);
            !found(without).eq(with.iter().cloned())
        };
        off.iter().filter(|(_, turn)| !changes(*turn)).map(|(name, _)| *name).collect()
    }

    #[test]
    fn every_feature_of_a_game_changes_its_bench() {
        let of_both: [(&str, Turn); 5] = [
            ("probcut", |o| o.selective.probcut = 0),
            ("fail_high_reduction", |o| o.selective.fail_high_reduction = 0),
            ("cut_reduction", |o| o.selective.cut_reduction = 0),
            ("best_move_stop", |o| o.selective.best_move_stop = false),
            ("reward_once", |o| o.ordering.reward_once = false),
        ];
        let (mut othello, mut draughts) = (of_both.to_vec(), of_both.to_vec());
        othello.push(("replies", |o| o.ordering.replies = 0));
        draughts.push(("offer_pruning", |o| o.selective.offer_pruning = 0));
        assert_eq!(idle::<Othello>(&othello), [""; 0]);
        assert_eq!(idle::<Draughts>(&draughts), [""; 0]);
    }

    #[test]
    fn bench_is_deterministic() {
        for (name, seated) in GAMES {
            let valued = Valued { seated, evaluation: "pst", grain: 1, swing: 0 };
            let table = Table::new(TableSize::Entries(0), OPTIONS.table);
            let seat = valued.seat(Driver::AlphaBeta, OPTIONS, table);
            let rows = seat.bench();
            assert_eq!(rows, seat.bench(), "{name}");
            assert!(rows.len() >= 8 * 2 * VARIANTS.len(), "{name} has few positions");
            assert!(rows.iter().all(|row| row.nodes > 0), "{name}");
        }
    }
}
