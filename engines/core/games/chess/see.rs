//! Static exchange evaluation: the gain of a capture if both sides keep capturing on its square,
//! least valuable men first, and either side may stop.
//!
//! Pins are ignored; sliders behind a man that left join in. The king captures only if the other
//! side cannot recapture. A promoting first move gains the difference and leaves the promoted man
//! on the square; later captures by pawns do not promote.

use cozy_chess::{
    BitBoard, Color, Piece, Square, get_bishop_moves, get_king_moves, get_knight_moves,
    get_pawn_attacks, get_rook_moves,
};

use super::board::Board;
use super::position::{en_passant_square, to_board_move};
use super::{Evaluation, Position};
use crate::game::Move;
use crate::value::Value;

/// The longest exchange: all men.
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

    // Step 2. Recaptures: each gains the man on the square less the gain of the answer.
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

    // Step 3. Either side stops when continuing would lose.
    for i in (1..=last).rev() {
        gains[i - 1] = -gains[i].max(-gains[i - 1]);
    }
    gains[0]
}

/// True if [`see`] is at least `least`, by the shortest exchange that decides it: each side
/// continues only if stopping would decide against it.
pub(super) fn gains_at_least(
    position: &Position,
    mv: Move,
    least: Value,
    evaluation: &Evaluation,
) -> bool {
    let board = position.board();
    let played = to_board_move(position, mv);
    let mover = board.side_to_move();
    if board.colors(mover).has(played.to) {
        return least <= 0; // castling
    }
    let moved = board.piece_on(played.from).expect("a legal move moves a man");
    let worth = |piece| evaluation.exchange_value(piece);

    // Step 1. The move itself. `surplus` is the mover's gain beyond `least` if the exchange stops
    // here.
    let mut occupied = board.occupied() ^ played.from.bitboard();
    let mut surplus = -least;
    if let Some(victim) = board.piece_on(played.to) {
        surplus += worth(victim);
    } else if moved == Piece::Pawn && en_passant_square(board).has(played.to) {
        surplus += worth(Piece::Pawn);
        occupied ^= Square::new(played.to.file(), played.from.rank()).bitboard();
    }
    let mut standing = moved;
    if let Some(promoted) = played.promotion {
        surplus += worth(promoted) - worth(Piece::Pawn);
        standing = promoted;
    }
    if surplus < 0 {
        return false;
    }
    // Enough even if the moved man is lost.
    if surplus >= worth(standing) {
        return true;
    }
    occupied |= played.to.bitboard();

    // Step 2. Recaptures. The side to move loses by stopping, and does not win by capturing and
    // being recaptured: only the last capture counts.
    let queens = board.pieces(Piece::Queen);
    let oblique = board.pieces(Piece::Bishop) | queens;
    let straight = board.pieces(Piece::Rook) | queens;
    let mut attackers = attackers_of(board, played.to, occupied);
    let mut side = mover;
    loop {
        side = !side;
        let Some((piece, from)) = least_valuable(board, attackers & board.colors(side)) else {
            break;
        };
        if piece == Piece::King && !(attackers & board.colors(!side)).is_empty() {
            break;
        }
        surplus += if side == mover { worth(standing) } else { -worth(standing) };
        standing = piece;
        // Decided if the capturing side still wins after losing this man too.
        let settled = if side == mover {
            surplus - worth(standing) >= 0
        } else {
            surplus + worth(standing) < 0
        };
        if settled {
            return side == mover;
        }
        occupied ^= from.bitboard();
        // Only lines through the man's square open up.
        if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen | Piece::King) {
            attackers |= get_bishop_moves(played.to, occupied) & oblique;
        }
        if matches!(piece, Piece::Rook | Piece::Queen | Piece::King) {
            attackers |= get_rook_moves(played.to, occupied) & straight;
        }
        attackers &= occupied;
    }
    // The side that cannot capture loses.
    side != mover
}

/// All men of both sides that attack `square` on a board of `occupied` men.
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
    use super::super::{Chess, move_from_uci, position_from_fen};
    use super::*;
    use crate::game::Game;

    fn value(fen: &str, uci: &str) -> Value {
        let pst = Evaluation::pst();
        let position = position_from_fen(fen, pst).unwrap();
        see(&position, move_from_uci(uci).unwrap(), pst)
    }

    #[test]
    fn exchanges_match_published_values() {
        // Chess Programming Wiki, "SEE - The Swap Algorithm".
        assert_eq!(value("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        let fen = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";
        assert_eq!(value(fen, "d3e5"), 100 - 320);
    }

    #[test]
    fn exchanges_by_special_moves() {
        assert_eq!(value("8/8/8/2pP4/8/8/8/K6k w - c6 0 1", "d5c6"), 100);
        assert_eq!(value("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q"), 500 + 950 - 100);
        assert_eq!(value("1r1r3k/P7/8/8/8/8/8/K7 w - - 0 1", "a7b8q"), 500 - 100);
        assert_eq!(value("6k1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1"), 0);
        assert_eq!(value("7k/3p4/8/4r3/8/8/8/K3R3 w - - 0 1", "e1e5"), 500);
        assert_eq!(value("7k/3p4/8/8/8/8/8/K3R3 w - - 0 1", "e1e6"), -500);
    }

    #[test]
    fn king_does_not_capture_into_an_attack() {
        // Rook takes a pawn defended by the king, with and without a second rook behind.
        assert_eq!(value("8/3k4/4p3/8/8/8/4R3/K7 w - - 0 1", "e2e6"), 100 - 500);
        assert_eq!(value("8/3k4/4p3/8/8/4R3/4R3/K7 w - - 0 1", "e3e6"), 100);
    }
    /// Every legal move of positions with many exchanges, with every relevant bound.
    #[test]
    fn exchange_test_matches_the_exchange_value() {
        let pst = Evaluation::pst();
        let chess = Chess::new(pst, 1);
        let mut asked = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
            "3r2k1/2qr1ppp/2bnn3/3p4/2PPP3/1BN2N2/3R1QPP/3R2K1 w - - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "4k3/8/4r3/2pP4/8/2R1B3/8/2K1Q3 w - c6 0 2",
        ] {
            let start = position_from_fen(fen, pst).unwrap();
            let mut positions = vec![start.clone()];
            positions.extend(legal(&chess, &start).into_iter().map(|mv| start.after(mv, pst)));
            for position in positions {
                for mv in legal(&chess, &position) {
                    let value = see(&position, mv, pst);
                    let bounds = [-950, -330, -320, -120, -60, -30, 0, 1, 100, 400, 1_000];
                    for least in bounds.into_iter().chain([value - 1, value, value + 1]) {
                        let found = gains_at_least(&position, mv, least, pst);
                        assert_eq!(found, value >= least, "{} {mv:?} {least}", position.fen());
                        asked += 1;
                    }
                }
            }
        }
        assert!(asked > 50_000, "{asked}");
    }

    fn legal(chess: &Chess, position: &Position) -> Vec<Move> {
        let mut moves = Vec::new();
        let targets = chess.targets(position);
        chess.tactical(position, &targets, |mv, _| moves.push(mv));
        chess.quiets(position, &targets, |mv, _| moves.push(mv));
        moves
    }
}
