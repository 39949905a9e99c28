//! The key of a position before it is made, so that its places in memory can be fetched meanwhile.
//!
//! The numbers that the move generator's hashes are made of are private to it. They are learned
//! from the hashes of boards that differ in one man.

use std::sync::LazyLock;

use cozy_chess::{Board, BoardBuilder, Color, File, Piece, Rank, Square};

use super::Position;
use super::board::KINDS;
use super::position::to_board_move;
use crate::game::Move;

/// The numbers of men on squares by color and kind, 0 for none; those of kings but for a common one, which no move shows.
pub(super) struct Keys {
    men: [[[u64; Square::NUM]; KINDS]; Color::NUM],
    turn: u64,
    rights: [[u64; File::NUM]; Color::NUM],
}

impl Keys {
    /// The numbers, learned once.
    pub(super) fn get() -> &'static Keys {
        static KEYS: LazyLock<Keys> = LazyLock::new(Keys::learn);
        &KEYS
    }

    /// What a man on a square adds.
    #[inline(always)]
    pub(super) fn man(&self, color: Color, kind: usize, square: Square) -> u64 {
        self.men[color as usize][kind][square as usize]
    }

    /// What the turn of the other side adds.
    #[inline(always)]
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    /// What the right to castle with the rook of a file adds.
    pub(super) fn right(&self, color: Color, file: File) -> u64 {
        self.rights[color as usize][file as usize]
    }

    /// The key after a legal move; another one where the move castles, promotes, takes en passant,
    /// or ends a right to castle, or where an en passant capture will be legal.
    #[inline(always)]
    pub(super) fn likely_key(&self, position: &Position, mv: Move) -> u64 {
        let board = position.board();
        let (side, played) = (board.side_to_move(), to_board_move(position, mv));
        let moved = &self.men[side as usize][board.kind_on(played.from)];
        let taken = &self.men[!side as usize][board.kind_on(played.to)];
        let moves = moved[played.from as usize] ^ moved[played.to as usize];
        board.hash_without_ep() ^ self.turn ^ moves ^ taken[played.to as usize]
    }

    fn learn() -> Keys {
        let mut men = [[[0; Square::NUM]; KINDS]; Color::NUM];
        for color in Color::ALL {
            for piece in Piece::ALL {
                for square in Square::ALL {
                    men[color as usize][piece as usize][square as usize] =
                        learn_man(color, piece, square);
                }
            }
        }
        let start = Board::default();
        let passed = start.null_move().expect("nobody is in check");
        let rights = Color::ALL.map(|color| File::ALL.map(|file| learn_right(color, file)));
        Keys { men, turn: start.hash() ^ passed.hash(), rights }
    }
}

/// What a man adds to a hash; 0 for pawns where none can stand.
fn learn_man(color: Color, piece: Piece, square: Square) -> u64 {
    use Square::{A1, A4, A8, E1, E8, H1, H4, H8};
    const CORNERS: [Square; 8] = [A1, A4, A8, E1, E8, H1, H4, H8];
    // Of the places of the other men any will do where the boards are legal.
    let pairs = CORNERS.into_iter().flat_map(|own| CORNERS.map(|other| (own, other)));
    let differences = pairs.flat_map(|(own, other)| {
        Color::ALL.map(|turn| {
            let kings = [(Piece::King, color, own), (Piece::King, !color, other)];
            let man = (piece, color, square);
            if piece == Piece::King {
                // E1 stands for nothing, for all pairs of squares alike.
                let reference = (piece, color, E1);
                Some(hash(turn, &[man, kings[1]])? ^ hash(turn, &[reference, kings[1]])?)
            } else {
                Some(hash(turn, &[man, kings[0], kings[1]])? ^ hash(turn, &kings)?)
            }
        })
    });
    differences.flatten().next().unwrap_or(0)
}

/// What the right to castle with the rook of a file adds to a hash.
fn learn_right(color: Color, file: File) -> u64 {
    let index = file as usize;
    let home = Rank::First.relative_to(color);
    // The king beside the rook, the other king where neither attacks.
    let king = File::index(if index == 0 { 1 } else { index - 1 });
    let far = File::index((index + 4) % File::NUM);
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = color;
    for (piece, color, square) in [
        (Piece::King, color, Square::new(king, home)),
        (Piece::Rook, color, Square::new(file, home)),
        (Piece::King, !color, Square::new(far, Rank::First.relative_to(!color))),
    ] {
        builder.board[square as usize] = Some((piece, color));
    }
    let without = builder.build().expect("a legal board");
    let rights = builder.castle_rights_mut(color);
    *(if index == 0 { &mut rights.long } else { &mut rights.short }) = Some(file);
    let with = builder.build().expect("a legal board");
    without.hash() ^ with.hash()
}

/// The hash of a board of these men, if it is legal.
fn hash(turn: Color, men: &[(Piece, Color, Square)]) -> Option<u64> {
    let mut builder = BoardBuilder::empty();
    builder.side_to_move = turn;
    for &(piece, color, square) in men {
        if builder.board[square as usize].replace((piece, color)).is_some() {
            return None;
        }
    }
    builder.build().ok().map(|board| board.hash())
}

#[cfg(test)]
mod tests {
    use super::super::{Chess, Evaluation, position_from_fen};
    use crate::game::Game;

    #[test]
    fn ordinary_moves_have_the_key_that_was_foretold() {
        let pst = Evaluation::pst();
        let chess = Chess::new(pst, 1);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 b - - 0 10",
            "8/8/2k5/3q4/8/4R3/1P3K2/8 b - - 0 1",
        ] {
            let start = position_from_fen(fen, pst).unwrap();
            let mut found = 0;
            let targets = chess.targets(&start);
            let mut check = |mv| {
                assert_eq!(chess.likely_key(&start, mv), chess.make(&start, mv).key(), "{fen}");
                found += 1;
            };
            chess.tactical(&start, &targets, |mv, _| check(mv));
            chess.quiets(&start, &targets, |mv, _| check(mv));
            assert!(found >= 19, "{fen}");
        }
    }
}
