//! Plays Othello against itself for `recipes/tune_othello.py`.
//!
//!     cargo run --release --example othello_games -- FIRST GAMES NODES SEED
//!
//! Prints a line for each position in which a side placed a disc: the number of the game, the discs
//! of the side to move and of its opponent as hexadecimal bitboards, and the final disc difference
//! for the side to move. The games depend on the arguments and the core only.

use mtdf_core::bench::OPTIONS;
use mtdf_core::drivers::Driver;
use mtdf_core::game::{Game, Move};
use mtdf_core::games::othello::{Evaluation, Othello, Position};
use mtdf_core::games::playable::Playable;
use mtdf_core::limits::{Limits, Request};
use mtdf_core::player::Player;
use mtdf_core::table::TableSize;

/// A game begins after at least so many random moves.
const RANDOM_PLIES: u64 = 6;
/// And at most so many less one.
const MORE_RANDOM_PLIES: u64 = 19;
/// With so few empty squares the rest of the game is searched to its end, whatever that takes.
const SOLVED: u32 = 10;

/// The splitmix64 generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }
}

fn main() {
    let arguments: Vec<u64> =
        std::env::args().skip(1).map(|text| text.parse().expect("a number")).collect();
    let &[first, games, nodes, seed] = &arguments[..] else {
        panic!("othello_games FIRST GAMES NODES SEED");
    };
    let game = Othello::new(Evaluation::full(), 1, 0);
    for number in first..first + games {
        let start = opening(&game, &mut Random(seed << 40 ^ number << 8));
        print!("{}", lines(&game, start, nodes, number));
    }
}

/// A position after some random moves from which the game goes on.
fn opening(game: &Othello, random: &mut Random) -> Position {
    loop {
        let mut position = game.read(Othello::START, false).expect("the start is legal");
        for _ in 0..RANDOM_PLIES + random.below(MORE_RANDOM_PLIES) {
            let moves = legal_moves(game, &position);
            if !moves.is_empty() {
                let place = random.below(moves.len() as u64) as usize;
                game.play(&mut position, moves[place]);
            }
        }
        if game.has_move(&position) {
            return position;
        }
    }
}

fn legal_moves(game: &Othello, position: &Position) -> Vec<Move> {
    let targets = game.targets(position);
    let mut moves = Vec::new();
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv, _| moves.push(mv));
    moves
}

/// Plays one game, both sides with one memory, and tells its positions.
fn lines(game: &Othello, start: Position, nodes: u64, number: u64) -> String {
    let driver = Driver::Pvs { window: 25, below: 0 };
    let mut player = Player::new(*game, driver, OPTIONS, TableSize::Entries(1 << 14), start);
    let mut positions = Vec::new();
    while game.has_move(player.position()) {
        let position = *player.position();
        if position.moves() != 0 {
            positions.push(position);
        }
        let limits = if position.empties() > SOLVED {
            Limits { nodes: Some(nodes), ..Limits::default() }
        } else {
            Limits { depth: Some(2 * position.empties()), ..Limits::default() }
        };
        let mv = player.search_alone(&Request { limits, ..Request::default() }).mv;
        assert!(player.push(mv), "an illegal move in {}", game.text(&position));
    }
    let last = player.position();
    let line = |one: &Position| {
        let lead = if one.white_to_move() == last.white_to_move() { 1 } else { -1 } * last.lead();
        format!("{number} {:016x} {:016x} {lead}\n", one.own(), one.other())
    };
    positions.iter().map(line).collect()
}
