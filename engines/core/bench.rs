//! The bench: fixed positions searched by fixed variants. Its node counts and values hash to the
//! core's signature: two builds of one signature play the same.

use crate::drivers::{Closing, Convergence, Driver};
use crate::games::chess::{Chess, Evaluation, position_from_fen};
use crate::guess::Guess;
use crate::limits::Limits;
use crate::node::Options;
use crate::player::{Player, Request};
use crate::selective::Selectivity;
use crate::table::TableSize;
use crate::value::Value;

/// Openings, middlegames, endgames, tactics, and the odd corners of the rules.
const POSITIONS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 b - - 3 9",
    "2r3k1/pp3ppp/2n1b3/3p4/3P4/2PB1N2/P4PPP/4R1K1 b - - 4 22",
    "8/8/8/3k4/8/8/4R3/4K3 w - - 0 1",
    "8/5pk1/6p1/3P3p/1P5P/6P1/3r1PK1/1R6 b - - 2 41",
    "8/8/1p1k4/pPp2p2/P1P2P2/3K4/8/8 w - - 0 1",
    "4k3/8/8/2pP4/8/8/6q1/K6R w - c6 0 2",
    "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 90 60",
];

/// One search of the bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The position.
    pub fen: &'static str,
    /// The variant, in words that are hashed with the rest.
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

/// The variants, with every parameter said: no default of the registry has a part in it.
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

impl Variant {
    /// That of its name; `pst` where it has none.
    fn evaluation(&self) -> &'static Evaluation {
        if self.name.ends_with("eval=full") { Evaluation::full() } else { Evaluation::pst() }
    }
}

/// How the bench searches.
pub const OPTIONS: Options =
    Options { quiescence: true, selective: Selectivity::EVERYTHING, ..Options::PLAIN };
const EXACT: Limits = Limits { nodes: None, depth: Some(4), soft: None, hard: None, cpu: None };
const SELECTIVE: Limits =
    Limits { nodes: Some(6_000), depth: None, soft: None, hard: None, cpu: None };

/// All searches of the bench, in a fixed order.
pub fn bench() -> Vec<Row> {
    bench_by(OPTIONS)
}

fn bench_by(options: Options) -> Vec<Row> {
    let mut rows = Vec::with_capacity(2 * POSITIONS.len() * VARIANTS.len());
    for variant in &VARIANTS {
        let evaluation = variant.evaluation();
        let chess = Chess::new(evaluation, variant.grain);
        let positions = POSITIONS
            .map(|fen| (fen, position_from_fen(fen, evaluation).expect("the positions are legal")));
        let start = positions[0].1.clone();
        let size = TableSize::Entries(variant.entries);
        let mut player = Player::new(chess, variant.driver, options, size, start);
        for (fen, position) in positions {
            for (mode, limits) in [("exact", EXACT), ("selective", SELECTIVE)] {
                player.new_game();
                player.set_position(position.clone(), []).expect("no moves");
                let request = Request { limits, exact: mode == "exact", ..Request::default() };
                let report = player.search_alone(&request);
                let (nodes, value) = (report.nodes, report.value);
                rows.push(Row { fen, variant: variant.name, mode, nodes, value });
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A feature that no row shows could change and leave the signature as it is.
    #[test]
    fn every_feature_shows_in_the_bench() {
        let rows = bench();
        for (name, without) in crate::tests::features::without_each(OPTIONS) {
            assert_ne!(bench_by(without), rows, "{name}");
        }
    }

    #[test]
    fn the_bench_repeats_itself() {
        let rows = bench();
        assert_eq!(rows.len(), 2 * POSITIONS.len() * VARIANTS.len());
        assert_eq!(rows, bench());
        assert!(rows.iter().all(|row| row.nodes > 0));
    }
}
