//! A chess position: the board, its key and its evaluation sums, kept up to date move by move.

use cozy_chess::{
    BitBoard, Color, File, Move as BoardMove, Piece, Rank, Square, get_between_rays,
    get_bishop_moves, get_bishop_rays, get_knight_moves, get_line_rays, get_pawn_attacks,
    get_rook_moves, get_rook_rays,
};

use super::Evaluation;
use super::board::{Board, castled_files};
use super::evaluation::Sums;
use super::keys::{KINDS, Keys, NO_KIND};
use crate::game::Move;

/// A board with the data that a search needs at every node.
#[derive(Clone, Debug)]
pub struct Position {
    board: Board,
    key: u64,
    sums: Sums,
    chess960: bool,
}

impl Position {
    /// A position of standard chess.
    pub fn new(board: Board, evaluation: &Evaluation) -> Position {
        Position { key: key_of(&board), sums: evaluation.sums(&board), board, chess960: false }
    }

    /// A position of Chess960.
    pub fn new_chess960(board: Board, evaluation: &Evaluation) -> Position {
        Position { chess960: true, ..Position::new(board, evaluation) }
    }

    /// True in Chess960, where castling is coded as king takes rook, because the king's own move
    /// may be an ordinary one.
    #[inline(always)]
    pub fn chess960(&self) -> bool {
        self.chess960
    }

    /// The position as FEN, in Chess960 as Shredder-FEN.
    pub fn fen(&self) -> String {
        if self.chess960 { format!("{:#}", self.board) } else { self.board.to_string() }
    }

    /// The board.
    #[inline(always)]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Equal for two positions if and only if placement, side to move, castling rights and the file
    /// of a legal en passant capture are equal.
    #[inline(always)]
    pub fn key(&self) -> u64 {
        self.key
    }

    #[inline(always)]
    pub(super) fn sums(&self) -> &Sums {
        &self.sums
    }

    /// The position after a legal move.
    #[inline]
    pub fn after(&self, mv: Move, evaluation: &Evaluation) -> Position {
        let mut next = self.clone();
        next.play(mv, evaluation, Keys::get());
        next
    }

    /// The key after a legal move, for prefetching; wrong if the move castles, promotes, captures
    /// en passant, ends a castling right or allows a legal en passant capture.
    #[inline(always)]
    pub(super) fn likely_key(&self, mv: Move, keys: &Keys) -> u64 {
        let (board, played) = (&self.board, to_board_move(self, mv));
        let (side, moved, taken) =
            (board.side_to_move(), board.kind_on(played.from), board.kind_on(played.to));
        let moves = keys.man(side, moved, played.from) ^ keys.man(side, moved, played.to);
        board.hash_without_ep() ^ keys.turn() ^ moves ^ keys.man(!side, taken, played.to)
    }

    /// Plays a legal move.
    #[inline(always)]
    pub(super) fn play(&mut self, mv: Move, evaluation: &Evaluation, keys: &Keys) {
        let played = to_board_move(self, mv);
        self.update_sums(played, evaluation);
        self.board.play(played, keys);
        self.key = key_of(&self.board);
    }

    /// The position with the turn passed; `None` in check. The clock continues, because the
    /// fifty-move rule holds below a null move too.
    pub fn after_null(&self) -> Option<Position> {
        let board = self.board.after_null(Keys::get())?;
        Some(Position { key: board.hash_without_ep(), board, ..*self })
    }

    #[inline]
    fn update_sums(&mut self, mv: BoardMove, evaluation: &Evaluation) {
        let (board, sums) = (&self.board, &mut self.sums);
        let side = board.side_to_move();
        let (moved, victim) = (board.kind_on(mv.from), board.kind_on(mv.to));
        *sums -= evaluation.term(side, moved, mv.from);
        if board.colors(side).has(mv.to) {
            let (king, rook) = castled_files(mv);
            let home = mv.from.rank();
            *sums -= evaluation.term(side, Piece::Rook as usize, mv.to);
            *sums += evaluation.term(side, Piece::King as usize, Square::new(king, home));
            *sums += evaluation.term(side, Piece::Rook as usize, Square::new(rook, home));
            return;
        }
        let stands = mv.promotion.map_or(moved, |piece| piece as usize);
        *sums += evaluation.term(side, stands, mv.to);
        *sums -= evaluation.term(!side, victim, mv.to);
        let by_pawn = moved == Piece::Pawn as usize && mv.from.file() != mv.to.file();
        if by_pawn && victim == NO_KIND {
            let victim = Square::new(mv.to.file(), mv.from.rank());
            *sums -= evaluation.term(!side, Piece::Pawn as usize, victim);
        }
    }
}

/// The crate's form of a move: castling is king-takes-rook. Any code gives a move, legal or not.
#[inline]
pub(super) fn to_board_move(position: &Position, mv: Move) -> BoardMove {
    let board = &position.board;
    let from = Square::index(usize::from(mv.0 & 63));
    let mut to = Square::index(usize::from(mv.0 >> 6 & 63));
    let promotion = match mv.0 >> 12 {
        0 => None,
        code => Piece::try_index(usize::from(code) - 1),
    };
    if !position.chess960 && board.pieces(Piece::King).has(from) && from.rank() == to.rank() {
        match (from.file(), to.file()) {
            (File::E, File::G) => to = Square::new(File::H, from.rank()),
            (File::E, File::C) => to = Square::new(File::A, from.rank()),
            _ => {}
        }
    }
    BoardMove { from, to, promotion }
}

/// The target square of an en passant capture, legal or not.
#[inline]
pub(super) fn en_passant_square(board: &Board) -> BitBoard {
    match board.en_passant() {
        Some(file) => Square::new(file, Rank::Sixth.relative_to(board.side_to_move())).bitboard(),
        None => BitBoard::EMPTY,
    }
}

#[inline]
fn key_of(board: &Board) -> u64 {
    match board.en_passant() {
        None => board.hash_without_ep(),
        Some(file) if can_capture_en_passant(board, file) => {
            board.hash_without_ep() ^ EN_PASSANT[file as usize]
        }
        Some(_) => board.hash_without_ep(),
    }
}

fn can_capture_en_passant(board: &Board, file: File) -> bool {
    let side = board.side_to_move();
    let target = Square::new(file, Rank::Sixth.relative_to(side));
    let takers = get_pawn_attacks(target, !side) & board.colored_pieces(side, Piece::Pawn);
    !takers.is_empty()
        && board.generate_moves_for(takers, BitBoard::FULL, |moves| moves.to.has(target))
}

/// Keys of a legal en passant capture by file: the first outputs of SplitMix64 from seed 0.
const EN_PASSANT: [u64; File::NUM] = {
    let mut keys = [0; File::NUM];
    let mut state: u64 = 0;
    let mut i = 0;
    while i < keys.len() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        keys[i] = z ^ (z >> 31);
        i += 1;
    }
    keys
};

/// True if neither side can ever mate: the dead positions named by the rules of chess.
///
/// As in python-chess: bare kings, one minor piece, or only bishops on squares of one colour.
#[inline]
pub(super) fn is_insufficient_material(board: &Board) -> bool {
    let heavy = board.pieces(Piece::Pawn) | board.pieces(Piece::Rook) | board.pieces(Piece::Queen);
    if !heavy.is_empty() {
        return false;
    }
    let (knights, bishops) = (board.pieces(Piece::Knight), board.pieces(Piece::Bishop));
    if !knights.is_empty() {
        return (knights | bishops).len() == 1;
    }
    bishops.is_subset(BitBoard::DARK_SQUARES) || bishops.is_subset(BitBoard::LIGHT_SQUARES)
}

/// The checking moves of a position.
pub struct Checks {
    king: Square,
    /// The squares from which each kind of man checks.
    from: [BitBoard; KINDS],
    /// The men whose move discovers a check.
    hiding: BitBoard,
}

impl Checks {
    #[inline]
    pub(super) fn new(position: &Position) -> Checks {
        let board = &position.board;
        let side = board.side_to_move();
        let (king, occupied) = (board.king(!side), board.occupied());
        let (straight, oblique) =
            (get_rook_moves(king, occupied), get_bishop_moves(king, occupied));
        let none = BitBoard::EMPTY;
        let (pawn, knight) = (get_pawn_attacks(king, !side), get_knight_moves(king));
        let from = [pawn, knight, oblique, straight, straight | oblique, none, none];
        let queens = board.pieces(Piece::Queen);
        let sliders = get_bishop_rays(king) & !oblique & (board.pieces(Piece::Bishop) | queens)
            | get_rook_rays(king) & !straight & (board.pieces(Piece::Rook) | queens);
        let mut hiding = none;
        for slider in sliders & board.colors(side) {
            let between = (get_between_rays(slider, king) & occupied).0;
            if between & (between - 1) == 0 {
                hiding |= BitBoard(between);
            }
        }
        Checks { king, from, hiding }
    }

    /// The target squares where a plain move of a man gives check.
    #[inline]
    pub(super) fn squares(&self, piece: Piece, from: Square) -> BitBoard {
        let uncovers = self.hiding.has(from);
        let uncovered = if uncovers { !get_line_rays(self.king, from) } else { BitBoard::EMPTY };
        self.from[piece as usize] | uncovered
    }

    /// True if a legal move checks.
    #[inline]
    pub(super) fn has(&self, position: &Position, mv: Move) -> bool {
        let board = &position.board;
        let played = to_board_move(position, mv);
        let kind = board.kind_on(played.from);
        if played.promotion.is_some()
            || board.colors(board.side_to_move()).has(played.to)
            || (kind == Piece::Pawn as usize && en_passant_square(board).has(played.to))
        {
            return checks_in_an_odd_way(board, played);
        }
        self.from[kind].has(played.to)
            || self.hiding.has(played.from) && !get_line_rays(self.king, played.from).has(played.to)
    }
}

/// The same for castling, en passant and promotions.
#[cold]
#[inline(never)]
fn checks_in_an_odd_way(board: &Board, played: BoardMove) -> bool {
    let mut next = board.clone();
    next.play(played, Keys::get());
    !next.checkers().is_empty()
}

/// True if `side` has more than king and pawns.
#[inline]
pub(super) fn has_pieces(board: &Board, side: Color) -> bool {
    let humble = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
    !(board.colors(side) & !humble).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::{Chess, chess960_position_from_fen, position_from_fen};
    use super::*;
    use crate::game::Game;

    #[test]
    fn predicted_keys_of_ordinary_moves_are_correct() {
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

    /// Castling both ways, en passant, promotions with and without a capture.
    const STARTS: [&str; 4] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];

    #[test]
    fn incremental_sums_equal_those_of_a_fresh_position() {
        for evaluation in [Evaluation::pst(), Evaluation::full()] {
            let chess = Chess::new(evaluation, 1);
            for fen in STARTS {
                let start = position_from_fen(fen, evaluation).unwrap();
                compare(&chess, &start, evaluation, 3);
            }
        }
    }

    /// King and rook side by side, one of them in its place, and inner rooks.
    const CHESS960_STARTS: [&str; 4] = [
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
        "r4kr1/8/8/8/8/8/8/R4KR1 w GAga - 0 1",
        "2rkr3/8/8/8/8/8/8/2RKR3 b ECec - 0 1",
        "rr1k1r1r/8/8/8/8/8/8/RR1K1R1R w FBfb - 0 1",
    ];

    #[test]
    fn incremental_sums_equal_those_of_a_fresh_position_in_chess960() {
        for evaluation in [Evaluation::pst(), Evaluation::full()] {
            let chess = Chess::new(evaluation, 1);
            for fen in CHESS960_STARTS {
                let start = chess960_position_from_fen(fen, evaluation).unwrap();
                compare(&chess, &start, evaluation, 2);
            }
        }
    }

    #[test]
    fn castling_gains_nothing_in_exchanges_and_may_give_check() {
        let pst = Evaluation::pst();
        let chess = Chess::new(pst, 1);
        let fen = "3k4/8/8/8/8/8/8/R1K5 w A - 0 1";
        let start = chess960_position_from_fen(fen, pst).unwrap();
        let castling = Move(2);
        assert!(chess.is_legal(&start, castling) && chess.is_quiet(&start, castling));
        assert!(chess.forces(&start, &chess.forcing(&start), castling));
        assert!(chess.exchange_at_least(&start, castling, 0));
        assert!(!chess.exchange_at_least(&start, castling, 1));
        assert_eq!(start.fen(), fen);
    }

    #[test]
    fn piece_kinds_match_the_board() {
        for fen in STARTS {
            let board = position_from_fen(fen, Evaluation::pst()).unwrap().board;
            for square in Square::ALL {
                let kind = board.piece_on(square).map_or(NO_KIND, |piece| piece as usize);
                assert_eq!(board.kind_on(square), kind);
            }
        }
    }

    fn compare(chess: &Chess, position: &Position, evaluation: &Evaluation, depth: u32) {
        let fresh = Position::new(position.board.clone(), evaluation);
        assert_eq!(position.sums, fresh.sums, "{}", position.board);
        assert_eq!(position.key, fresh.key, "{}", position.board);
        if depth > 0 {
            let targets = chess.targets(position);
            let mut moves = Vec::new();
            chess.tactical(position, &targets, |mv, _| moves.push(mv));
            chess.quiets(position, &targets, |mv, _| moves.push(mv));
            for mv in moves {
                compare(chess, &position.after(mv, evaluation), evaluation, depth - 1);
            }
        }
    }
}
