//! The board: men by kind and by square, checkers, pins, hash.
//!
//! It generates legal moves in the same order and with the same hashes as `cozy-chess`, whose
//! squares, attack tables and FEN reader it uses, and which is its oracle in tests. It is faster
//! because squares know their men, moves to one kind of target are generated alone, and a move is
//! played with few branches.

use std::fmt;
use std::str::FromStr;

use cozy_chess::{
    BitBoard, BoardBuilder, CastleRights, Color, FenParseError, File, Move as BoardMove, Piece,
    PieceMoves, Rank, Square, get_between_rays, get_bishop_moves, get_bishop_rays, get_king_moves,
    get_knight_moves, get_line_rays, get_pawn_attacks, get_pawn_quiets, get_rook_moves,
    get_rook_rays,
};

use super::keys::{Keys, NO_KIND};

const PAWN: usize = Piece::Pawn as usize;
const KNIGHT: usize = Piece::Knight as usize;
const BISHOP: usize = Piece::Bishop as usize;
const ROOK: usize = Piece::Rook as usize;
const KING: usize = Piece::King as usize;
/// The maximum of the clock of reversible plies.
const LAST_CLOCK: u8 = 100;

/// Men, turn, rights and clocks.
#[derive(Clone, Debug)]
pub struct Board {
    pieces: [BitBoard; Piece::NUM],
    colors: [BitBoard; Color::NUM],
    checkers: BitBoard,
    /// The men of the side to move that are pinned to their king, and men of the other side alone
    /// on such lines.
    pinned: BitBoard,
    hash: u64,
    /// The rooks that may castle.
    castling: BitBoard,
    /// The kind of man on each square.
    kinds: [u8; Square::NUM],
    rights: [CastleRights; Color::NUM],
    side_to_move: Color,
    en_passant: Option<File>,
    halfmove_clock: u8,
    fullmove_number: u16,
}

impl Default for Board {
    fn default() -> Board {
        Board::from(&cozy_chess::Board::default())
    }
}

impl FromStr for Board {
    type Err = FenParseError;

    fn from_str(fen: &str) -> Result<Board, FenParseError> {
        fen.parse().map(|board: cozy_chess::Board| Board::from(&board))
    }
}

impl From<&cozy_chess::Board> for Board {
    fn from(board: &cozy_chess::Board) -> Board {
        let rights = Color::ALL.map(|color| *board.castle_rights(color));
        let kinds = Square::ALL
            .map(|square| board.piece_on(square).map_or(NO_KIND as u8, |piece| piece as u8));
        let rooks = Color::ALL.into_iter().flat_map(|color| {
            let CastleRights { short, long } = rights[color as usize];
            let home = Rank::First.relative_to(color);
            [short, long].into_iter().flatten().map(move |file| Square::new(file, home))
        });
        Board {
            pieces: Piece::ALL.map(|piece| board.pieces(piece)),
            colors: Color::ALL.map(|color| board.colors(color)),
            checkers: board.checkers(),
            pinned: board.pinned(),
            hash: board.hash_without_ep(),
            castling: rooks.collect(),
            kinds,
            rights,
            side_to_move: board.side_to_move(),
            en_passant: board.en_passant(),
            halfmove_clock: board.halfmove_clock(),
            fullmove_number: board.fullmove_number(),
        }
    }
}

impl fmt::Display for Board {
    /// As FEN; as Shredder-FEN with `{:#}`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plain().fmt(formatter)
    }
}

impl Board {
    /// A board from a FEN, or from a Shredder-FEN.
    ///
    /// # Errors The problem.
    pub fn from_fen(fen: &str, shredder: bool) -> Result<Board, FenParseError> {
        cozy_chess::Board::from_fen(fen, shredder).map(|board| Board::from(&board))
    }

    /// The board of the crate.
    fn plain(&self) -> cozy_chess::Board {
        let mut builder = BoardBuilder::empty();
        for square in self.occupied() {
            let color =
                if self.colors(Color::White).has(square) { Color::White } else { Color::Black };
            builder.board[square as usize] = self.piece_on(square).map(|piece| (piece, color));
        }
        builder.side_to_move = self.side_to_move;
        builder.castle_rights = self.rights;
        builder.en_passant = self
            .en_passant
            .map(|file| Square::new(file, Rank::Sixth.relative_to(self.side_to_move)));
        builder.halfmove_clock = self.halfmove_clock;
        builder.fullmove_number = self.fullmove_number;
        builder.build().expect("only legal moves were played")
    }

    /// The men of a kind.
    #[inline(always)]
    pub fn pieces(&self, piece: Piece) -> BitBoard {
        self.pieces[piece as usize]
    }

    /// The men of a side.
    #[inline(always)]
    pub fn colors(&self, color: Color) -> BitBoard {
        self.colors[color as usize]
    }

    /// The men of a side and kind.
    #[inline(always)]
    pub fn colored_pieces(&self, color: Color, piece: Piece) -> BitBoard {
        self.colors(color) & self.pieces(piece)
    }

    /// All men.
    #[inline(always)]
    pub fn occupied(&self) -> BitBoard {
        self.colors[0] | self.colors[1]
    }

    /// The square of a side's king.
    #[inline(always)]
    pub fn king(&self, color: Color) -> Square {
        let king = self.colored_pieces(color, Piece::King).0;
        Square::index(king.trailing_zeros() as usize & 63)
    }

    /// The kind of man on a square as the index of its [`Piece`], or [`NO_KIND`].
    #[inline(always)]
    pub(super) fn kind_on(&self, square: Square) -> usize {
        usize::from(self.kinds[square as usize])
    }

    /// The kind of man on a square.
    #[inline(always)]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::try_index(self.kind_on(square))
    }

    /// The side to move.
    #[inline(always)]
    pub fn side_to_move(&self) -> Color {
        self.side_to_move
    }

    /// The checkers of the side to move.
    #[inline(always)]
    pub fn checkers(&self) -> BitBoard {
        self.checkers
    }

    /// The file of a pawn that just moved two squares.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<File> {
        self.en_passant
    }

    /// The files of the rooks that may castle.
    #[inline(always)]
    pub fn castle_rights(&self, color: Color) -> &CastleRights {
        &self.rights[color as usize]
    }

    /// Plies since the last capture or move of a pawn, up to 100.
    #[inline(always)]
    pub fn halfmove_clock(&self) -> u8 {
        self.halfmove_clock
    }

    /// A hash of men, turn and castling rights.
    #[inline(always)]
    pub fn hash_without_ep(&self) -> u64 {
        self.hash
    }

    /// Plays a legal move; castling is king takes rook.
    #[inline]
    pub(super) fn play(&mut self, mv: BoardMove, keys: &Keys) {
        let side = self.side_to_move;
        let (kind, victim) = (self.kind_on(mv.from), self.kind_on(mv.to));
        let (from, to) = (mv.from.bitboard(), mv.to.bitboard());
        let castles = self.colors(side).has(mv.to);
        let king = self.king(!side);
        self.hash ^= keys.turn();
        let irreversible = kind == PAWN || (victim != NO_KIND && !castles);
        let clock = (self.halfmove_clock + 1).min(LAST_CLOCK);
        self.halfmove_clock = if irreversible { 0 } else { clock };
        self.fullmove_number = self.fullmove_number.saturating_add(side as u16);

        let en_passant = self.en_passant.take();
        let mut checkers = BitBoard::EMPTY;
        if castles {
            self.castle(mv, keys);
        } else {
            let moves = from | to;
            self.pieces[kind] ^= moves;
            self.colors[side as usize] ^= moves;
            let taken = if victim == NO_KIND { BitBoard::EMPTY } else { to };
            self.pieces[victim.min(KING)] ^= taken;
            self.colors[!side as usize] ^= taken;
            self.kinds[mv.from as usize] = NO_KIND as u8;
            self.kinds[mv.to as usize] = kind as u8;
            self.hash ^= keys.man(side, kind, mv.from)
                ^ keys.man(side, kind, mv.to)
                ^ keys.man(!side, victim, mv.to);
            if kind == KNIGHT {
                checkers = get_knight_moves(king) & to;
            } else if kind == PAWN {
                checkers = self.finish_pawn_move(mv, en_passant, king, keys);
            }
        }
        // Castling rights lost by a move of king or rook, or by capture of the rook.
        if !self.castling.is_empty() {
            let of_king = if kind == KING { self.colors(side) } else { BitBoard::EMPTY };
            if castles || !(self.castling & (from | to | of_king)).is_empty() {
                self.end_rights(side, kind == KING, mv, keys);
            }
        }
        self.side_to_move = !side;
        self.look_along_lines(king, side, checkers);
    }

    /// The part of a move that only pawns have. Returns the checkers.
    #[inline(always)]
    fn finish_pawn_move(
        &mut self,
        mv: BoardMove,
        en_passant: Option<File>,
        king: Square,
        keys: &Keys,
    ) -> BitBoard {
        let (side, to) = (self.side_to_move, mv.to.bitboard());
        if let Some(promotion) = mv.promotion {
            self.pieces[PAWN] ^= to;
            self.pieces[promotion as usize] ^= to;
            self.kinds[mv.to as usize] = promotion as u8;
            self.hash ^= keys.man(side, PAWN, mv.to) ^ keys.man(side, promotion as usize, mv.to);
            let near = promotion == Piece::Knight;
            return if near { get_knight_moves(king) & to } else { BitBoard::EMPTY };
        }
        if (mv.from as i32 - mv.to as i32).abs() == 16 {
            self.en_passant = Some(mv.to.file());
        } else if let Some(file) = en_passant {
            if mv.to == Square::new(file, Rank::Sixth.relative_to(side)) {
                let victim = Square::new(file, Rank::Fifth.relative_to(side));
                self.pieces[PAWN] ^= victim.bitboard();
                self.colors[!side as usize] ^= victim.bitboard();
                self.kinds[victim as usize] = NO_KIND as u8;
                self.hash ^= keys.man(!side, PAWN, victim);
            }
        }
        get_pawn_attacks(king, !side) & to
    }

    #[cold]
    #[inline(never)]
    fn castle(&mut self, mv: BoardMove, keys: &Keys) {
        let (side, home) = (self.side_to_move, mv.from.rank());
        let (king, rook) = castled_files(mv);
        let (king, rook) = (Square::new(king, home), Square::new(rook, home));
        self.pieces[KING] ^= mv.from.bitboard() ^ king.bitboard();
        self.pieces[ROOK] ^= mv.to.bitboard() ^ rook.bitboard();
        self.colors[side as usize] ^= mv.from.bitboard() ^ mv.to.bitboard();
        self.colors[side as usize] ^= king.bitboard() ^ rook.bitboard();
        self.kinds[mv.from as usize] = NO_KIND as u8;
        self.kinds[mv.to as usize] = NO_KIND as u8;
        self.kinds[king as usize] = KING as u8;
        self.kinds[rook as usize] = ROOK as u8;
        self.hash ^= keys.man(side, KING, mv.from) ^ keys.man(side, KING, king);
        self.hash ^= keys.man(side, ROOK, mv.to) ^ keys.man(side, ROOK, rook);
    }

    #[cold]
    #[inline(never)]
    fn end_rights(&mut self, side: Color, all_own: bool, mv: BoardMove, keys: &Keys) {
        for color in Color::ALL {
            let home = Rank::First.relative_to(color);
            let ended = |right: Option<File>| {
                right.filter(|&file| {
                    let rook = Square::new(file, home);
                    color == side && all_own || rook == mv.from || rook == mv.to
                })
            };
            let CastleRights { short, long } = self.rights[color as usize];
            for file in [ended(short), ended(long)].into_iter().flatten() {
                self.castling ^= Square::new(file, home).bitboard();
                self.hash ^= keys.right(color, file);
                let rights = &mut self.rights[color as usize];
                let right =
                    if rights.short == Some(file) { &mut rights.short } else { &mut rights.long };
                *right = None;
            }
        }
    }

    /// Sets checkers and pinned men on lines between the king of the side to move and sliders.
    #[inline(always)]
    fn look_along_lines(&mut self, king: Square, attacker: Color, mut checkers: BitBoard) {
        let queens = self.pieces(Piece::Queen);
        let sliders = get_bishop_rays(king) & (self.pieces(Piece::Bishop) | queens)
            | get_rook_rays(king) & (self.pieces(Piece::Rook) | queens);
        let (occupied, mut pinned) = (self.occupied(), BitBoard::EMPTY);
        for square in sliders & self.colors(attacker) {
            let between = get_between_rays(square, king) & occupied;
            if between.is_empty() {
                checkers |= square.bitboard();
            }
            let single = between.0 & between.0.wrapping_sub(1) == 0;
            pinned |= if single { between } else { BitBoard::EMPTY };
        }
        (self.checkers, self.pinned) = (checkers, pinned);
    }

    /// The board with the turn passed; `None` in check. The clock goes on.
    pub(super) fn after_null(&self, keys: &Keys) -> Option<Board> {
        if !self.checkers.is_empty() {
            return None;
        }
        let mut next = self.clone();
        let side = self.side_to_move;
        next.halfmove_clock = (self.halfmove_clock + 1).min(LAST_CLOCK);
        next.fullmove_number = self.fullmove_number.saturating_add(side as u16);
        next.en_passant = None;
        next.hash ^= keys.turn();
        next.side_to_move = !side;
        next.look_along_lines(self.king(!side), side, BitBoard::EMPTY);
        Some(next)
    }

    /// Yields the legal moves in groups until the listener returns true; then returns true.
    #[inline]
    pub fn generate_moves(&self, listener: impl FnMut(PieceMoves) -> bool) -> bool {
        self.generate_moves_for(BitBoard::FULL, BitBoard::FULL, listener)
    }

    /// The same for some men and target squares. The en passant square is always a target.
    #[inline]
    pub fn generate_moves_for(
        &self,
        men: BitBoard,
        goals: BitBoard,
        mut listener: impl FnMut(PieceMoves) -> bool,
    ) -> bool {
        let checkers = self.checkers.0;
        let goals = goals & !self.colors(self.side_to_move);
        if checkers == 0 {
            self.all_legals::<_, false>(men, goals, goals, &mut listener)
        } else if checkers & (checkers - 1) == 0 {
            let king = self.king(self.side_to_move);
            let checker = Square::index(checkers.trailing_zeros() as usize & 63);
            let blocks = get_between_rays(checker, king) | self.checkers;
            self.all_legals::<_, true>(men, goals & blocks, goals, &mut listener)
        } else {
            self.king_legals::<_, true>(men, goals, &mut listener)
        }
    }

    #[inline(always)]
    fn all_legals<F: FnMut(PieceMoves) -> bool, const IN_CHECK: bool>(
        &self,
        men: BitBoard,
        goals: BitBoard,
        king_goals: BitBoard,
        listener: &mut F,
    ) -> bool {
        let blockers = self.occupied();
        let knight = |square| get_knight_moves(square);
        let bishop = |square| get_bishop_moves(square, blockers);
        let rook = |square| get_rook_moves(square, blockers);
        let queen = |square| bishop(square) | rook(square);
        self.pawn_legals::<F, IN_CHECK>(men, goals, listener)
            || self.legals::<F, IN_CHECK>(Piece::Knight, knight, men, goals, listener)
            || self.legals::<F, IN_CHECK>(Piece::Bishop, bishop, men, goals, listener)
            || self.legals::<F, IN_CHECK>(Piece::Rook, rook, men, goals, listener)
            || self.legals::<F, IN_CHECK>(Piece::Queen, queen, men, goals, listener)
            || self.king_legals::<F, IN_CHECK>(men, king_goals, listener)
    }

    /// The moves of one kind of man, pinned men last; in check these cannot move.
    #[inline(always)]
    fn legals<F: FnMut(PieceMoves) -> bool, const IN_CHECK: bool>(
        &self,
        piece: Piece,
        reach: impl Fn(Square) -> BitBoard,
        men: BitBoard,
        goals: BitBoard,
        listener: &mut F,
    ) -> bool {
        let side = self.side_to_move;
        let men = self.colored_pieces(side, piece) & men;
        for from in men & !self.pinned {
            let to = reach(from) & goals;
            if !to.is_empty() && listener(PieceMoves { piece, from, to }) {
                return true;
            }
        }
        // A pinned knight cannot move.
        if IN_CHECK || piece == Piece::Knight {
            return false;
        }
        for from in men & self.pinned {
            let to = reach(from) & goals & get_line_rays(self.king(side), from);
            if !to.is_empty() && listener(PieceMoves { piece, from, to }) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn pawn_legals<F: FnMut(PieceMoves) -> bool, const IN_CHECK: bool>(
        &self,
        men: BitBoard,
        goals: BitBoard,
        listener: &mut F,
    ) -> bool {
        let side = self.side_to_move;
        let (blockers, enemies) = (self.occupied(), self.colors(!side));
        let reach =
            |from| get_pawn_quiets(from, side, blockers) | get_pawn_attacks(from, side) & enemies;
        if self.legals::<F, IN_CHECK>(Piece::Pawn, reach, men, goals, listener) {
            return true;
        }
        match self.en_passant {
            Some(file) => self.en_passant_legals(file, men, listener),
            None => false,
        }
    }

    /// En passant captures, each a group. Two men leave their squares, so the king's lines are
    /// checked on the board after the capture; it does not answer a check by another man.
    #[cold]
    #[inline(never)]
    fn en_passant_legals<F: FnMut(PieceMoves) -> bool>(
        &self,
        file: File,
        men: BitBoard,
        listener: &mut F,
    ) -> bool {
        let side = self.side_to_move;
        let king = self.king(side);
        let goal = Square::new(file, Rank::Sixth.relative_to(side));
        let victim = Square::new(file, Rank::Fifth.relative_to(side)).bitboard();
        let enemies = self.colors(!side);
        let queens = self.pieces(Piece::Queen);
        let oblique = enemies & (self.pieces(Piece::Bishop) | queens);
        let straight = enemies & (self.pieces(Piece::Rook) | queens);
        let takers = get_pawn_attacks(goal, !side) & self.colored_pieces(side, Piece::Pawn) & men;
        for from in takers {
            let occupied = self.occupied() ^ victim ^ from.bitboard() | goal.bitboard();
            let seen = get_bishop_moves(king, occupied) & oblique
                | get_rook_moves(king, occupied) & straight;
            let group = PieceMoves { piece: Piece::Pawn, from, to: goal.bitboard() };
            if seen.is_empty() && listener(group) {
                return true;
            }
        }
        false
    }

    #[inline(always)]
    fn king_legals<F: FnMut(PieceMoves) -> bool, const IN_CHECK: bool>(
        &self,
        men: BitBoard,
        goals: BitBoard,
        listener: &mut F,
    ) -> bool {
        let side = self.side_to_move;
        let from = self.king(side);
        if !men.has(from) {
            return false;
        }
        let mut to = BitBoard::EMPTY;
        for square in get_king_moves(from) & goals {
            if self.is_safe_for_king(square) {
                to |= square.bitboard();
            }
        }
        // Castling has no target square: it is included only with all targets.
        let CastleRights { short, long } = self.rights[side as usize];
        let may_castle = short.is_some() || long.is_some();
        if !IN_CHECK && may_castle && goals == !self.colors(side) {
            to |= self.castling_moves(from);
        }
        !to.is_empty() && listener(PieceMoves { piece: Piece::King, from, to })
    }

    /// The rooks with which the king can castle.
    #[inline(never)]
    fn castling_moves(&self, king: Square) -> BitBoard {
        let side = self.side_to_move;
        let home = Rank::First.relative_to(side);
        let rights = self.rights[side as usize];
        let possible = |right: Option<File>, goals| match right {
            Some(rook) if self.can_castle(king, rook, goals) => Square::new(rook, home).bitboard(),
            _ => BitBoard::EMPTY,
        };
        possible(rights.short, (File::G, File::F)) | possible(rights.long, (File::C, File::D))
    }

    fn can_castle(&self, king: Square, rook: File, goals: (File, File)) -> bool {
        let home = king.rank();
        let rook = Square::new(rook, home);
        let (king_goal, rook_goal) = (Square::new(goals.0, home), Square::new(goals.1, home));
        let others = self.occupied() ^ king.bitboard() ^ rook.bitboard();
        let safe = get_between_rays(king, king_goal) | king_goal.bitboard();
        let empty = safe | get_between_rays(king, rook) | rook_goal.bitboard();
        !self.pinned.has(rook)
            && (others & empty).is_empty()
            && safe.into_iter().all(|square| self.is_safe_for_king(square))
    }

    /// True if the king of the side to move would not be attacked there.
    #[inline(always)]
    fn is_safe_for_king(&self, square: Square) -> bool {
        let side = self.side_to_move;
        let enemies = self.colors(!side);
        let of = |piece| self.pieces(piece) & enemies;
        let king = self.colored_pieces(side, Piece::King);
        let occupied = self.occupied() ^ king | square.bitboard();
        let queens = of(Piece::Queen);
        let near = get_knight_moves(square) & of(Piece::Knight)
            | get_king_moves(square) & of(Piece::King)
            | get_pawn_attacks(square, side) & of(Piece::Pawn);
        if !near.is_empty() {
            return false;
        }
        // From most squares no slider is in line even on an empty board.
        let oblique = get_bishop_rays(square) & (of(Piece::Bishop) | queens);
        let straight = get_rook_rays(square) & (of(Piece::Rook) | queens);
        (oblique.is_empty() || (get_bishop_moves(square, occupied) & oblique).is_empty())
            && (straight.is_empty() || (get_rook_moves(square, occupied) & straight).is_empty())
    }

    /// True for a legal move; accepts any move.
    pub(super) fn is_legal(&self, mv: BoardMove) -> bool {
        let side = self.side_to_move;
        if !self.colors(side).has(mv.from) {
            return false;
        }
        let (kind, king) = (self.kind_on(mv.from), self.king(side));
        let to = mv.to.bitboard();
        let last_rank = Rank::Eighth.relative_to(side) == mv.to.rank();
        let promotes = kind == PAWN && last_rank;
        if promotes != mv.promotion.is_some()
            || matches!(mv.promotion, Some(Piece::Pawn | Piece::King))
        {
            return false;
        }
        if kind == KING {
            let steps = (get_king_moves(king) & to & !self.colors(side)).is_empty();
            let castles = self.checkers.is_empty() && self.castling.has(mv.to);
            return !steps && self.is_safe_for_king(mv.to)
                || castles && self.castling_moves(king).has(mv.to);
        }
        // Only this man's moves to this square.
        let blockers = self.occupied();
        let may_reach = match kind {
            KNIGHT => get_knight_moves(mv.from).has(mv.to),
            PAWN => true,
            _ => {
                let straight = get_rook_rays(mv.from).has(mv.to);
                let oblique = get_bishop_rays(mv.from).has(mv.to);
                let lines = match kind {
                    ROOK => straight,
                    BISHOP => oblique,
                    _ => straight || oblique,
                };
                lines && (get_between_rays(mv.from, mv.to) & blockers).is_empty()
            }
        };
        if !may_reach {
            return false;
        }
        if kind == PAWN {
            return self.is_legal_for_pawn(mv);
        }
        let checkers = self.checkers.0;
        let answers = if checkers == 0 {
            BitBoard::FULL
        } else if checkers & (checkers - 1) == 0 {
            let checker = Square::index(checkers.trailing_zeros() as usize & 63);
            get_between_rays(checker, king) | self.checkers
        } else {
            BitBoard::EMPTY
        };
        let stays = !self.pinned.has(mv.from) || get_line_rays(king, mv.from).has(mv.to);
        stays && (answers & to & !self.colors(side)).has(mv.to)
    }

    #[inline]
    fn is_legal_for_pawn(&self, mv: BoardMove) -> bool {
        let (men, goals) = (mv.from.bitboard(), mv.to.bitboard());
        let same_goal = |group: PieceMoves| group.to.has(mv.to);
        let checkers = self.checkers.0;
        if checkers & checkers.wrapping_sub(1) != 0 {
            return false;
        }
        self.generate_moves_for(men, goals, same_goal)
    }
}

/// The squares of king and rook after castling (king takes rook).
pub(super) fn castled_files(mv: BoardMove) -> (File, File) {
    if mv.from.file() < mv.to.file() { (File::G, File::F) } else { (File::C, File::D) }
}

#[cfg(test)]
mod tests {
    use super::super::{Evaluation, Position, chess960_position_from_fen, position_from_fen};
    use super::*;

    /// Castling with every right, en passant from both sides and along pins, promotions, checks.
    const STANDARD: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        "4k3/8/8/2pPp3/8/8/6B1/K3R2q w - c6 0 2",
        "8/8/8/1k1pP2Q/8/8/8/4K3 w - d6 0 1",
        "4k3/8/8/8/8/8/r6r/R3K2R b KQ - 97 65535",
    ];
    const CHESS960: [&str; 4] = [
        "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
        "r4kr1/8/8/8/8/8/8/R4KR1 w GAga - 0 1",
        "2rkr3/8/8/8/8/8/8/2RKR3 b ECec - 0 1",
        "rr1k1r1r/8/8/8/8/8/8/RR1K1R1R w FBfb - 0 1",
    ];

    fn starts() -> Vec<Position> {
        let pst = Evaluation::pst();
        let standard = STANDARD.map(|fen| position_from_fen(fen, pst).unwrap());
        let chess960 = CHESS960.map(|fen| chess960_position_from_fen(fen, pst).unwrap());
        standard.into_iter().chain(chess960).collect()
    }

    fn groups(
        generate: impl FnOnce(&mut dyn FnMut(PieceMoves) -> bool) -> bool,
    ) -> Vec<PieceMoves> {
        let mut found = Vec::new();
        let ended = generate(&mut |group| {
            found.push(group);
            false
        });
        assert!(!ended);
        found
    }

    fn compare(board: &Board, oracle: &cozy_chess::Board) {
        let fresh = Board::from(oracle);
        assert_eq!(format!("{board:?}"), format!("{fresh:?}"), "{oracle}");
        assert_eq!(format!("{board} {board:#}"), format!("{oracle} {oracle:#}"));
        let expected = groups(|each| oracle.generate_moves(each));
        assert_eq!(groups(|each| board.generate_moves(each)), expected, "{oracle}");
        assert_eq!(board.generate_moves(|_| true), !expected.is_empty(), "{oracle}");
        // The same for some targets: the rest of each group, without castling.
        let enemies = oracle.colors(!oracle.side_to_move());
        let captures = |all: &[PieceMoves]| {
            let to_enemies = all.iter().map(|group| (group.from, group.to & enemies));
            to_enemies.filter(|(_, to)| !to.is_empty()).collect::<Vec<_>>()
        };
        let found = groups(|each| board.generate_moves_for(BitBoard::FULL, enemies, each));
        assert_eq!(captures(&found), captures(&expected), "{oracle}");
    }

    #[test]
    fn random_games_match_the_oracle() {
        let keys = Keys::get();
        let mut random: u64 = 19;
        let (mut played, mut passed, mut castled, mut en_passant) = (0, 0, 0, 0);
        for start in starts() {
            for _ in 0..40 {
                let (mut board, mut oracle) = (start.board().clone(), start.board().plain());
                for _ in 0..60 {
                    compare(&board, &oracle);
                    if let (Some(next), Some(expected)) =
                        (board.after_null(keys), oracle.null_move())
                    {
                        compare(&next, &expected);
                        passed += 1;
                    }
                    let moves: Vec<BoardMove> =
                        groups(|each| oracle.generate_moves(each)).into_iter().flatten().collect();
                    if moves.is_empty() {
                        break;
                    }
                    random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
                    let mv = moves[(random >> 33) as usize % moves.len()];
                    castled += u32::from(oracle.colors(oracle.side_to_move()).has(mv.to));
                    en_passant += u32::from(
                        oracle.piece_on(mv.from) == Some(Piece::Pawn)
                            && mv.from.file() != mv.to.file()
                            && oracle.piece_on(mv.to).is_none(),
                    );
                    board.play(mv, keys);
                    oracle.play_unchecked(mv);
                    played += 1;
                }
            }
        }
        assert!(played > 10_000 && passed > 5_000, "{played} {passed}");
        assert!(castled > 50 && en_passant > 10, "{castled} {en_passant}");
    }

    #[test]
    fn legality_of_every_move_matches_the_oracle() {
        let keys = Keys::get();
        let promotions = [None].into_iter().chain(Piece::ALL.map(Some));
        let all: Vec<BoardMove> = Square::ALL
            .into_iter()
            .flat_map(|from| Square::ALL.map(|to| (from, to)))
            .flat_map(|(from, to)| {
                promotions.clone().map(move |promotion| BoardMove { from, to, promotion })
            })
            .collect();
        for start in starts() {
            let oracle = start.board().plain();
            let next = groups(|each| oracle.generate_moves(each)).into_iter().flatten();
            let boards = next.map(|mv| {
                let (mut board, mut oracle) = (start.board().clone(), oracle.clone());
                board.play(mv, keys);
                oracle.play_unchecked(mv);
                (board, oracle)
            });
            for (board, oracle) in boards.chain([(start.board().clone(), oracle.clone())]) {
                for &mv in &all {
                    assert_eq!(board.is_legal(mv), oracle.is_legal(mv), "{oracle} {mv}");
                }
            }
        }
    }
}
