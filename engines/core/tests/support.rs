//! Positions, variants and players for the tests.

use crate::drivers::{Convergence, Driver};
use crate::game::{Game, Move};
use crate::games::chess::{Chess, Evaluation, Position, position_from_fen};
use crate::games::random_tree::RandomTree;
use crate::guess::Guess;
use crate::limits::Limits;
use crate::ordering::OrderingOptions;
use crate::player::{Player, Request};
use crate::search::Options;
use crate::selective::Selectivity;
use crate::table::TableSize;
use crate::value::Value;

pub const OPTIONS: Options = Options {
    scout: false,
    quiescence: true,
    selective: Selectivity::EVERYTHING,
    ordering: OrderingOptions::ALL,
};

/// Each driver with each of its first guesses and windows.
pub fn drivers() -> Vec<Driver> {
    let windows = [0, 1, 25].map(|window| Driver::Pvs { window });
    let guesses = Guess::NAMES.map(|name| Driver::Mtdf {
        guess: Guess::by_name(name, 0.3).unwrap(),
        convergence: Convergence::Plaat,
    });
    [Driver::AlphaBeta].into_iter().chain(windows).chain(guesses).collect()
}

/// One of each driver.
pub fn one_of_each() -> [Driver; 3] {
    [
        Driver::AlphaBeta,
        Driver::Pvs { window: 25 },
        Driver::Mtdf { guess: Guess::Parity, convergence: Convergence::Plaat },
    ]
}

/// The positions of an EPD file.
fn positions(epd: &str) -> Vec<Position> {
    let fen = |line: &str| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    epd.lines().map(|line| position_from_fen(&fen(line), Evaluation::pst()).unwrap()).collect()
}

/// Endgames, in which positions come again at many depths.
pub fn endgames() -> Vec<Position> {
    positions(include_str!("../../../tests/data/endgames.epd"))
}

/// Openings of the package's book.
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

/// Small random graphs, each with a node to start from.
pub fn graphs(count: u64) -> impl Iterator<Item = (RandomTree, u64)> {
    (0..count).map(|seed| {
        let (nodes, width, range) = (12 + seed % 50, 2 + seed % 4, 1 + seed % 40);
        (RandomTree { seed, nodes, width, range }, seed % nodes)
    })
}

/// A request for an exact search.
pub fn exact(depth: u32) -> Request {
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    Request { limits, exact: true, ..Request::default() }
}

/// A request for a selective search of so many nodes.
pub fn nodes(nodes: u64) -> Request {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    Request { limits, variations: true, ..Request::default() }
}

/// All legal moves.
pub fn legal_moves<G: Game>(game: &G, position: &G::Position) -> Vec<Move> {
    let targets = game.targets(position);
    let mut moves = Vec::new();
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv| moves.push(mv));
    moves
}
