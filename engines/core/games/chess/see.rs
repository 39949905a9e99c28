//! Static exchange evaluation: what a capture gains when both sides go on capturing on its
//! square, least valuable men first, and either side may stop.
//!
//! Pins are ignored; sliders behind a man that has left join in. The king takes part only when
//! the other side has nothing left to recapture with. A promoting first move gains the
//! difference and leaves the promoted man on the square; later captures by pawns do not promote.

use cozy_chess::{
    BitBoard, Board, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::position::{en_passant_square, to_board_move};
use super::{Evaluation, Position};
use crate::game::Move;
use crate::value::Value;

/// No exchange is longer than there are men.
const LONGEST: usize = 33;

/// The exchange value of a legal move for the side that makes it, in centipawns. A quiet move
/// gains nothing and may lose the man; castling is worth nothing.
pub fn see(position: &Position, mv: Move, evaluation: &Evaluation) -> Value {
    let board = position.board();
    let played = to_board_move(position, mv);
    let mut side = board.side_to_move();
    if board.colors(side).has(played.to) {
        return 0;
    }
    let moved = board.piece_on(played.from).expect("a legal move moves a man");
    let worth = |piece| evaluation.exchange_value(piece);

    // Step 1. The move itself.
    let mut occupied = board.occupied() ^ played.from.bitboard();
    let mut gains = [0; LONGEST];
    if let Some(victim) = board.piece_on(played.to) {
        gains[0] = worth(victim);
    } else if moved == Piece::Pawn && en_passant_square(board).has(played.to) {
        gains[0] = worth(Piece::Pawn);
        occupied ^= Square::new(played.to.file(), played.from.rank()).bitboard();
    }
    let mut standing = moved;
    if let Some(promoted) = played.promotion {
        gains[0] += worth(promoted) - worth(Piece::Pawn);
        standing = promoted;
    }
    occupied |= played.to.bitboard();

    // Step 2. Recaptures, each gaining the man on the square less what the answer gains.
    let mut last = 0;
    loop {
        side = !side;
        let attackers = attackers_of(board, played.to, occupied);
        let Some((piece, from)) = least_valuable(board, attackers & board.colors(side)) else {
            break;
        };
        if piece == Piece::King && !(attackers & board.colors(!side)).is_empty() {
            break;
        }
        last += 1;
        gains[last] = worth(standing) - gains[last - 1];
        standing = piece;
        occupied ^= from.bitboard();
    }

    // Step 3. Either side stops where going on would cost it.
    for i in (1..=last).rev() {
        gains[i - 1] = -gains[i].max(-gains[i - 1]);
    }
    gains[0]
}

/// True when [`see`] is at least `least`, without looking at more than that needs.
#[inline]
pub(super) fn gains_at_least(
    position: &Position,
    mv: Move,
    least: Value,
    evaluation: &Evaluation,
) -> bool {
    let board = position.board();
    let from = Square::index(usize::from(mv.0 & 63));
    let to = Square::index(usize::from(mv.0 >> 6 & 63));
    if position.chess960() && board.colors(board.side_to_move()).has(to) {
        return least <= 0; // castling
    }
    // Whoever takes at least what it risks cannot lose, and nobody gains more than it takes.
    if let (Some(moved), victim, 0) = (board.piece_on(from), board.piece_on(to), mv.0 >> 12) {
        let gained = victim.map_or(0, |victim| evaluation.exchange_value(victim));
        if gained - evaluation.exchange_value(moved) >= least {
            return true;
        }
        if gained < least && (victim.is_some() || moved != Piece::Pawn) {
            return false;
        }
    }
    see(position, mv, evaluation) >= least
}

/// All men of both sides that attack `square` when only `occupied` stand.
#[inline]
fn attackers_of(board: &Board, square: Square, occupied: BitBoard) -> BitBoard {
    let queens = board.pieces(Piece::Queen);
    let pawns = board.pieces(Piece::Pawn);
    let found = get_pawn_attacks(square, Color::Black) & pawns & board.colors(Color::White)
        | get_pawn_attacks(square, Color::White) & pawns & board.colors(Color::Black)
        | get_knight_moves(square) & board.pieces(Piece::Knight)
        | get_king_moves(square) & board.pieces(Piece::King)
        | get_bishop_moves(square, occupied) & (board.pieces(Piece::Bishop) | queens)
        | get_rook_moves(square, occupied) & (board.pieces(Piece::Rook) | queens);
    found & occupied
}

#[inline]
fn least_valuable(board: &Board, men: BitBoard) -> Option<(Piece, Square)> {
    Piece::ALL
        .into_iter()
        .find_map(|piece| Some((piece, (men & board.pieces(piece)).next_square()?)))
}

#[cfg(test)]
mod tests {
    use super::super::{move_from_uci, position_from_fen};
    use super::*;

    fn value(fen: &str, uci: &str) -> Value {
        let pst = Evaluation::pst();
        let position = position_from_fen(fen, pst).unwrap();
        see(&position, move_from_uci(uci).unwrap(), pst)
    }

    #[test]
    fn published_exchanges() {
        // Chess Programming Wiki, "SEE - The Swap Algorithm".
        assert_eq!(value("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(value(fen, "d3e5"), 100 - 320);
    }

    #[test]
    fn special_moves() {
        assert_eq!(value("8/8/8/2pP4/8/8/8/K6k w - c6 0 1", "d5c6"), 100);
        assert_eq!(value("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q"), 500 + 950 - 100);
        assert_eq!(value("1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q"), 500 - 100);
        assert_eq!(value("6k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"), 0);
        assert_eq!(value("7k/3p4/8/4r3/8/8/8/K3R3 w - - 0 1", "e1e5"), 500);
        assert_eq!(value("7k/3p4/8/8/8/8/8/K3R3 w - - 0 1", "e1e6"), -500);
    }

    #[test]
    fn the_king_does_not_capture_into_an_attack() {
        // Rook takes a pawn that the king defends, with and without a second rook behind.
        assert_eq!(value("8/3k4/4p3/8/8/8/4R3/K7 w - - 0 1", "e2e6"), 100 - 500);
        assert_eq!(value("8/3k4/4p3/8/8/4R3/4R3/K7 w - - 0 1", "e3e6"), 100);
    }
}
