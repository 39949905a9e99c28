//! Plays draughts against itself for `recipes/tune_draughts.py`.
//!
//!     cargo run --release --example draughts_games -- FIRST GAMES NODES SEED
//!
//! Prints a line a game: the result for White (1-0, 1/2-1/2, 0-1), the text of the position after
//! some random moves, then each move's code. The games depend on the arguments and the core only.

use std::sync::atomic::AtomicBool;

use mtdf_core::bench::OPTIONS;
use mtdf_core::contest::{Ended, Side, Watcher, play};
use mtdf_core::drivers::Driver;
use mtdf_core::game::{Game, Move};
use mtdf_core::games::draughts::{Draughts, Evaluation, Position};
use mtdf_core::games::playable::Playable;
use mtdf_core::limits::Limits;
use mtdf_core::player::Player;
use mtdf_core::table::TableSize;

/// A game begins after at least so many random moves, and up to four more.
const RANDOM_PLIES: u64 = 6;
/// A game of so many plies is called a draw.
const MOST_PLIES: usize = 250;

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
        panic!("draughts_games FIRST GAMES NODES SEED");
    };
    let game = Draughts::new(Evaluation::full(), 1);
    for number in first..first + games {
        let start = opening(&game, &mut Random(seed << 40 ^ number << 8));
        println!("{}", line(&game, start, nodes));
    }
}

/// A position after some random moves from which the game goes on.
fn opening(game: &Draughts, random: &mut Random) -> Position {
    loop {
        let mut position = game.read(Draughts::START, false).expect("the start is legal");
        for _ in 0..RANDOM_PLIES + random.below(5) {
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

fn legal_moves(game: &Draughts, position: &Position) -> Vec<Move> {
    let targets = game.targets(position);
    let mut moves = Vec::new();
    game.tactical(position, &targets, |mv, _| moves.push(mv));
    game.quiets(position, &targets, |mv, _| moves.push(mv));
    moves
}

/// Plays one game and says how it went.
fn line(game: &Draughts, start: Position, nodes: u64) -> String {
    let player = || {
        let driver = Driver::Pvs { window: 25, below: 0 };
        Player::new(*game, driver, OPTIONS, TableSize::Entries(1 << 14), start)
    };
    let (mut first, mut second) = (player(), player());
    let stop = AtomicBool::new(false);
    let mut moves = Vec::new();
    let ended = play(
        [Side { player: &mut first, stop: &stop }, Side { player: &mut second, stop: &stop }],
        Limits { nodes: Some(nodes), ..Limits::default() },
        Watcher {
            hook: &mut || false,
            on_ply: &mut |_, report, _| {
                moves.push(report.mv.0.to_string());
                moves.len() >= MOST_PLIES
            },
        },
    );
    let result = match ended {
        Ended::Lost if game.white_to_move(first.position()) => "0-1",
        Ended::Lost => "1-0",
        Ended::Repeated | Ended::Expired | Ended::Judged => "1/2-1/2",
        _ => panic!("{ended:?} after {} in {}", moves.join(" "), game.text(&start)),
    };
    format!("{result} {} {}", game.text(&start), moves.join(" "))
}
