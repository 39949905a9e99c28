//! The Zobrist numbers of boards.
//!
//! They are private to the move generator, so they are derived from hashes of boards that differ in
//! one man.

use std::sync::LazyLock;

use cozy_chess::{Board, BoardBuilder, Color, File, Piece, Rank, Square};

/// The kind of an empty square.
pub(super) const NO_KIND: usize = Piece::NUM;
/// Kinds of men, and none.
pub(super) const KINDS: usize = Piece::NUM + 1;

/// The numbers of men by color, kind and square, 0 for none; those of kings up to a constant, which
/// no move reveals.
pub(super) struct Keys {
    men: [[[u64; Square::NUM]; KINDS]; Color::NUM],
    turn: u64,
    rights: [[u64; File::NUM]; Color::NUM],
}

impl Keys {
    /// The numbers, derived once.
    pub(super) fn get() -> &'static Keys {
        static KEYS: LazyLock<Keys> = LazyLock::new(Keys::learn);
        &KEYS
    }

    /// The number of a man on a square.
    #[inline(always)]
    pub(super) fn man(&self, color: Color, kind: usize, square: Square) -> u64 {
        self.men[color as usize][kind][square as usize]
    }

    /// The number of the turn.
    #[inline(always)]
    pub(super) fn turn(&self) -> u64 {
        self.turn
    }

    /// The number of the right to castle with the rook of a file.
    pub(super) fn right(&self, color: Color, file: File) -> u64 {
        self.rights[color as usize][file as usize]
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

/// Derives the number of a man; 0 for pawns where none can stand.
fn learn_man(color: Color, piece: Piece, square: Square) -> u64 {
    use Square::{A1, A4, A8, E1, E8, H1, H4, H8};
    const CORNERS: [Square; 8] = [A1, A4, A8, E1, E8, H1, H4, H8];
    // The other men may stand anywhere if the boards are legal.
    let pairs = CORNERS.into_iter().flat_map(|own| CORNERS.map(|other| (own, other)));
    let differences = pairs.flat_map(|(own, other)| {
        Color::ALL.map(|turn| {
            let kings = [(Piece::King, color, own), (Piece::King, !color, other)];
            let man = (piece, color, square);
            if piece == Piece::King {
                // E1 is the reference, with number 0.
                let reference = (piece, color, E1);
                Some(hash(turn, &[man, kings[1]])? ^ hash(turn, &[reference, kings[1]])?)
            } else {
                Some(hash(turn, &[man, kings[0], kings[1]])? ^ hash(turn, &kings)?)
            }
        })
    });
    differences.flatten().next().unwrap_or(0)
}

/// Derives the number of the right to castle with the rook of a file.
fn learn_right(color: Color, file: File) -> u64 {
    let index = file as usize;
    let home = Rank::First.relative_to(color);
    // The king beside the rook, the other king out of reach.
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

/// The hash of a board of these men, if legal.
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
