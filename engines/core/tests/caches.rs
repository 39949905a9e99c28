//! Caches change no value: static values, sums and keys against those of positions read from text.

use std::thread;

use cozy_chess::{Piece, Square};

use crate::game::{Game, Move};
use crate::games::chess::{
    Board, Chess, Evaluation, Position, chess960_position_from_fen, position_from_fen,
};
use crate::static_values::StaticValues;

const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];
const CHESS960_STARTS: [&str; 2] = [
    "1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9",
    "r4kr1/pppppppp/8/8/8/8/PPPPPPPP/R4KR1 w GAga - 0 1",
];
const GAMES: u64 = 12;
const PLIES: usize = 120;

/// What the games covered.
#[derive(Default)]
struct Seen {
    positions: usize,
    castlings: usize,
    promotions: usize,
    en_passants: usize,
    nulls: usize,
    foretold: usize,
}

#[test]
fn cached_values_equal_those_of_fresh_positions() {
    let chess = Chess::new(Evaluation::full(), 1);
    let mut values = StaticValues::new(true);
    let mut seen = Seen::default();
    for game in 0..GAMES {
        for fen in STARTS {
            let start = position_from_fen(fen, chess.evaluation()).unwrap();
            play(&chess, start, game, &mut values, &mut seen);
        }
        for fen in CHESS960_STARTS {
            let start = chess960_position_from_fen(fen, chess.evaluation()).unwrap();
            play(&chess, start, game, &mut values, &mut seen);
        }
    }
    let kinds = [seen.castlings, seen.promotions, seen.en_passants, seen.nulls];
    assert!(kinds.iter().all(|&count| count > 5), "{kinds:?}");
    assert!(seen.positions > 5_000, "{}", seen.positions);
    // Most moves are plain ones, whose key is predicted.
    assert!(10 * seen.foretold > 9 * seen.positions, "{}", seen.foretold);
}

/// A random game: compares every position, also after null moves.
fn play(chess: &Chess, start: Position, seed: u64, values: &mut StaticValues, seen: &mut Seen) {
    let mut random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut position = start;
    for _ in 0..PLIES {
        compare(chess, &position, values);
        if let Some(passed) = chess.null_move(&position) {
            compare(chess, &passed, values);
            seen.nulls += 1;
        }
        let moves = super::support::legal_moves(chess, &position);
        if moves.is_empty() {
            break;
        }
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        let any = moves[(random >> 33) as usize % moves.len()];
        // En passant is too rare in random games.
        let mv = moves.into_iter().find(|&mv| takes_en_passant(&position, mv)).unwrap_or(any);
        let next = chess.make(&position, mv);
        note(chess, &position, mv, &next, seen);
        position = next;
    }
}

fn compare(chess: &Chess, position: &Position, values: &mut StaticValues) {
    let fen = position.fen();
    let read = if position.chess960() { chess960_position_from_fen } else { position_from_fen };
    let anew = read(&fen, chess.evaluation()).unwrap();
    assert_eq!(position.key(), anew.key(), "{fen}");
    // A new thread has an empty pawn cache.
    let value = thread::scope(|scope| scope.spawn(|| chess.static_value(&anew)).join().unwrap());
    for _ in 0..2 {
        assert_eq!(values.get(position.key(), || chess.static_value(position)), value, "{fen}");
    }
}

fn takes_en_passant(position: &Position, mv: Move) -> bool {
    let board = position.board();
    let [from, to] = [mv.0 & 63, mv.0 >> 6 & 63].map(|code| Square::index(usize::from(code)));
    let is_taking = board.pieces(Piece::Pawn).has(from) && from.file() != to.file();
    is_taking && !board.occupied().has(to)
}

fn note(chess: &Chess, position: &Position, mv: Move, next: &Position, seen: &mut Seen) {
    let (before, after) = (position.board(), next.board());
    let side = before.side_to_move();
    let rights = before.castle_rights(side);
    let rooks = |board: &Board| board.colored_pieces(side, Piece::Rook);
    let both_moved = rooks(before) != rooks(after) && before.king(side) != after.king(side);
    let may_castle = rights.short.is_some() || rights.long.is_some();
    seen.positions += 1;
    seen.castlings += usize::from(may_castle && both_moved);
    seen.promotions += usize::from(mv.0 >> 12 != 0);
    seen.en_passants += usize::from(takes_en_passant(position, mv));
    seen.foretold += usize::from(chess.likely_key(position, mv) == next.key());
}
