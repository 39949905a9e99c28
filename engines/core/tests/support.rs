//! Positions, variants and players for the tests.

pub use crate::bench::OPTIONS;
use crate::drivers::{Closing, Convergence, Driver};
use crate::game::{Game, Move};
use crate::games::chess::{Chess, Evaluation, Position, position_from_fen};
use crate::games::random_tree::RandomTree;
use crate::guess::{Guess, GuessParameters};
use crate::limits::{Limits, Request};
use crate::options::{ChildBounds, Options};
use crate::player::Player;
use crate::table::{Replacement, TableOptions, TableSize};
use crate::value::Value;

/// All guesses, with parameters.
fn guesses() -> [Guess; 11] {
    let parameters =
        GuessParameters { weight: 0.3, offset_odd: 12, offset_even: -9, rate: 40, trend: 60 };
    Guess::choices(parameters).map(|(_, guess)| guess)
}

/// MTD(f) as published.
pub const fn plaat(guess: Guess) -> Driver {
    Driver::Mtdf { guess, closing: Closing::by(Convergence::Plaat), max_passes: 0 }
}

/// Each driver with each of its first guesses, windows and convergences that finds a value.
pub fn drivers() -> Vec<Driver> {
    let guess = Guess::Parity;
    let choices = Convergence::choices(15, true).into_iter().enumerate();
    let rules = choices.flat_map(|(place, (_, convergence))| {
        let (max_passes, null_passes) = ([0, 3][place % 2], 1 + place as u32 % 3);
        [
            Driver::Mtdf { guess, closing: Closing::by(convergence), max_passes },
            Driver::Hybrid { guess, closing: Closing::by(convergence), null_passes, cap: 0 },
        ]
    });
    let others = [
        Driver::AlphaBeta,
        Driver::Pvs { window: 0, below: 0 },
        Driver::Pvs { window: 1, below: 0 },
        Driver::Pvs { window: 25, below: 0 },
        Driver::NegaScout,
        Driver::Sss,
        Driver::Dual,
        Driver::MtdBi,
        Driver::MtdStep { stride: 30 },
        Driver::Minimax,
    ];
    others.into_iter().chain(guesses().map(plaat)).chain(rules).collect()
}

/// The drivers that prove a best move instead of a value.
pub fn provers() -> [Driver; 4] {
    [
        Driver::MtdBest { guess: Guess::Previous },
        Driver::MtdBest { guess: Guess::Zero },
        Driver::Bns { guess: Guess::Previous },
        Driver::Bns { guess: Guess::Zero },
    ]
}

/// One of each of the first drivers for games.
pub fn one_of_each() -> [Driver; 3] {
    [Driver::AlphaBeta, Driver::Pvs { window: 25, below: 0 }, plaat(Guess::Parity)]
}

/// The options with each other choice of table contents and use.
pub fn table_options() -> Vec<Options> {
    let mut all: Vec<Options> = Replacement::CHOICES
        .iter()
        .flat_map(|&(_, replacement)| {
            [true, false].map(|both_bounds| TableOptions { both_bounds, replacement })
        })
        .map(|table| Options { table, ..OPTIONS })
        .collect();
    for depth in [1, 2] {
        all.push(Options { enhanced_cuts: depth, ..OPTIONS });
    }
    for depth in [1, 3] {
        let settle = Options { enhanced_cuts: depth, child_bounds: ChildBounds::Settle, ..OPTIONS };
        all.push(settle);
        all.push(Options { leaf_bounds: true, best_of_low: true, ..settle });
    }
    all.push(Options { leaf_bounds: true, ..OPTIONS });
    all.push(Options { best_of_low: true, ..OPTIONS });
    all.push(Options { internal_deepening: true, ..OPTIONS });
    let table = TableOptions { both_bounds: false, replacement: Replacement::TwoTier };
    all.push(Options { table, enhanced_cuts: 2, internal_deepening: true, ..OPTIONS });
    all
}

/// The positions of an EPD file.
fn positions(epd: &str) -> Vec<Position> {
    let fen = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    epd.lines().map(|line| position_from_fen(&fen(line), Evaluation::pst()).unwrap()).collect()
}

/// Endgames, in which positions recur at many depths.
pub fn endgames() -> Vec<Position> {
    positions(include_str!("../../../tests/data/endgames.epd"))
}

/// Openings of the default book.
pub fn openings() -> Vec<Position> {
    positions(include_str!("../../../toolkit/data/openings_default.epd"))
}

pub fn chess(grain: Value) -> Chess {
    Chess::new(Evaluation::pst(), grain)
}

pub fn read(fen: &str) -> Position {
    position_from_fen(fen, Evaluation::pst()).unwrap()
}

/// A chess player at a position.
pub fn player(driver: Driver, entries: usize, position: &Position) -> Player<Chess> {
    Player::new(chess(1), driver, OPTIONS, TableSize::Entries(entries), position.clone())
}

/// Small random graphs, each with a start node.
pub fn graphs(count: u64) -> impl Iterator<Item = (RandomTree, u64)> {
    (0..count).map(|seed| {
        let (nodes, width, range) = (12 + seed % 50, 2 + seed % 4, 1 + seed % 40);
        (RandomTree { seed, nodes, width, range }, seed % nodes)
    })
}

/// A request for an exact search.
pub fn exact(depth: u32) -> Request<'static> {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    Request { limits, exact: true, ..Request::default() }
}

/// A request for a selective search with a node limit.
pub fn nodes(nodes: u64) -> Request<'static> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    Request { limits, variations: true, ..Request::default() }
}

/// All legal moves.
pub fn legal_moves<G: Game>(game: &G, position: &G::Position) -> Vec<Move> {
    let targets = game.targets(position);
    let mut moves = Vec::new();
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv, _| moves.push(mv));
    moves
}
