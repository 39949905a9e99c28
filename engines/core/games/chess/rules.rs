//! Chess as a [`Game`].

use std::ops::Range;

use cozy_chess::{BitBoard, Color, File, Piece, PieceMoves, Rank, Square, get_king_moves};

use super::board::Board;
use super::keys::{KINDS, Keys};
use super::position::{
    Checks, en_passant_square, has_pieces, is_insufficient_material, to_board_move,
};
use super::see::gains_at_least;
use super::{Evaluation, Position};
use crate::game::{Game, Merit, Move};
use crate::value::{DRAW, EVALUATION_BOUND, MATED, Value, round_to_grain};

/// The most groups of moves.
const GROUPS: usize = 18;
const FILE_A: u64 = File::A.bitboard().0;
const FILE_H: u64 = File::H.bitboard().0;

/// Chess with an evaluation, its grain and its swing.
#[derive(Clone, Copy)]
pub struct Chess {
    evaluation: &'static Evaluation,
    keys: &'static Keys,
    grain: Value,
    /// Added to every value for the side to move, before rounding.
    swing: Value,
}

impl Chess {
    /// Chess with this evaluation, rounded to multiples of `grain` centipawns.
    pub fn new(evaluation: &'static Evaluation, grain: Value) -> Chess {
        Chess { evaluation, keys: Keys::get(), grain, swing: 0 }
    }

    /// The same with another swing.
    pub fn with_swing(self, swing: Value) -> Chess {
        Chess { swing, ..self }
    }

    /// The evaluation.
    pub fn evaluation(&self) -> &'static Evaluation {
        self.evaluation
    }
}

/// The legal moves of a position, a group per man and per en passant capture.
pub struct Targets {
    groups: [PieceMoves; GROUPS],
    len: usize,
}

impl Targets {
    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &PieceMoves> {
        self.groups[..self.len].iter()
    }
}

impl Game for Chess {
    type Position = Position;
    type Targets = Targets;
    type Forcing = Checks;

    const HISTORY_SLOTS: usize = 2 * 64 * 64;
    const SLOTS: usize = 2 * Piece::NUM * Square::NUM;
    const REVERSIBLE_LIMIT: u32 = 100;

    #[inline(always)]
    fn key(&self, position: &Position) -> u64 {
        position.key()
    }

    #[inline(always)]
    fn likely_key(&self, position: &Position, mv: Move) -> u64 {
        position.likely_key(mv, self.keys)
    }

    #[inline]
    fn make(&self, position: &Position, mv: Move) -> Position {
        position.after(mv, self.evaluation)
    }

    #[inline]
    fn play(&self, position: &mut Position, mv: Move) {
        position.play(mv, self.evaluation, self.keys);
    }

    fn is_legal(&self, position: &Position, mv: Move) -> bool {
        let board = position.board();
        let to = Square::index(usize::from(mv.0 >> 6 & 63));
        let own = board.colors(board.side_to_move());
        let sane = matches!(mv.0 >> 12, 0 | 2..=5) && (position.chess960() || !own.has(to));
        sane && board.is_legal(to_board_move(position, mv))
    }

    #[inline]
    fn has_move(&self, position: &Position) -> bool {
        position.board().generate_moves(|_| true)
    }

    #[inline]
    fn terminal_value(&self, position: &Position) -> Value {
        if position.board().checkers().is_empty() { DRAW } else { MATED }
    }

    #[inline]
    fn static_value(&self, position: &Position) -> Value {
        if self.swing == 0 {
            return self.evaluation.value(position.board(), position.sums(), self.grain);
        }
        let value = self.evaluation.value(position.board(), position.sums(), 1) + self.swing;
        round_to_grain(value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND), self.grain)
    }

    fn evaluates_slowly(&self) -> bool {
        self.evaluation.has_terms()
    }

    #[inline]
    fn targets(&self, position: &Position) -> Targets {
        let none = PieceMoves { piece: Piece::Pawn, from: Square::A1, to: BitBoard::EMPTY };
        let mut targets = Targets { groups: [none; GROUPS], len: 0 };
        position.board().generate_moves(|group| {
            targets.groups[targets.len] = group;
            targets.len += 1;
            false
        });
        targets
    }

    #[inline]
    fn tactical(&self, position: &Position, targets: &Targets, mut each: impl FnMut(Move, Merit)) {
        let board = position.board();
        let taken = Taken::new(board);
        for group in targets.iter() {
            let to = group.to & (taken.by(group.piece) | taken.promotions(group.piece));
            for square in to {
                taken.hand_out(group, square, &mut each);
            }
        }
    }

    #[inline]
    fn quiets(&self, position: &Position, targets: &Targets, mut each: impl FnMut(Move, usize)) {
        let board = position.board();
        let own = board.colors(board.side_to_move());
        let taken = Taken::new(board);
        for group in targets.iter() {
            let tactical = taken.by(group.piece) | taken.promotions(group.piece);
            let man = slot_of_man(board, group.piece as usize);
            for to in group.to & !tactical {
                if group.piece == Piece::King && own.has(to) && !position.chess960() {
                    let mv = castling(group.from, to);
                    each(mv, man | usize::from(mv.0 >> 6 & 63));
                } else {
                    each(encode(group.from, to), man | to as usize);
                }
            }
        }
    }

    #[inline]
    fn is_quiet(&self, position: &Position, mv: Move) -> bool {
        let board = position.board();
        let taken = Taken::new(board);
        let from = Square::index(usize::from(mv.0 & 63));
        let to = Square::index(usize::from(mv.0 >> 6 & 63));
        let by_pawn = board.pieces(Piece::Pawn).has(from);
        let piece = if by_pawn { Piece::Pawn } else { Piece::King };
        !(taken.by(piece) | taken.promotions(piece)).has(to)
    }

    #[inline]
    fn exchange_at_least(&self, position: &Position, mv: Move, least: Value) -> bool {
        gains_at_least(position, mv, least, self.evaluation)
    }

    #[inline]
    fn forcing(&self, position: &Position) -> Checks {
        Checks::new(position)
    }

    #[inline]
    fn forces(&self, position: &Position, checks: &Checks, mv: Move) -> bool {
        checks.has(position, mv)
    }

    #[inline]
    fn may_force_quietly(&self, position: &Position, targets: &Targets, checks: &Checks) -> bool {
        let board = position.board();
        let taken = Taken::new(board);
        let own = board.colors(board.side_to_move());
        targets.iter().any(|group| {
            let to = group.to & !(taken.by(group.piece) | taken.promotions(group.piece));
            // Castling moves onto an own man; the rook may check.
            !(to & (checks.squares(group.piece, group.from) | own)).is_empty()
        })
    }

    fn count_quiets(&self, position: &Position, targets: &Targets) -> usize {
        let taken = Taken::new(position.board());
        let tactical = |piece| taken.by(piece) | taken.promotions(piece);
        targets.iter().map(|group| (group.to & !tactical(group.piece)).len() as usize).sum()
    }

    #[inline]
    fn gain(&self, position: &Position, mv: Move) -> Value {
        let to = Square::index(usize::from(mv.0 >> 6 & 63));
        let worth = |piece| self.evaluation.exchange_value(piece);
        // A pawn that captures on an empty square takes a pawn.
        let taken = worth(position.board().piece_on(to).unwrap_or(Piece::Pawn));
        match mv.0 >> 12 {
            0 => taken,
            code => taken + worth(Piece::index(usize::from(code) - 1)) - worth(Piece::Pawn),
        }
    }

    #[inline(always)]
    fn victim(&self, position: &Position, mv: Move) -> usize {
        position.board().kind_on(Square::index(usize::from(mv.0 >> 6 & 63)))
    }

    #[inline(always)]
    fn slot(&self, position: &Position, mv: Move) -> usize {
        let board = position.board();
        let from = Square::index(usize::from(mv.0 & 63));
        slot_of_man(board, board.kind_on(from)) | usize::from(mv.0 >> 6 & 63)
    }

    #[inline(always)]
    fn slots_to_move(&self, position: &Position) -> Range<usize> {
        let first = slot_of_man(position.board(), 0);
        first..first + Self::SLOTS / 2
    }

    #[inline(always)]
    fn history_slot(&self, position: &Position, mv: Move) -> usize {
        let side = position.board().side_to_move() as usize;
        side << 12 | usize::from(mv.0 & 0xFFF)
    }

    #[inline(always)]
    fn is_forced(&self, position: &Position) -> bool {
        !position.board().checkers().is_empty()
    }

    #[inline]
    fn captures(&self, position: &Position, mut each: impl FnMut(Move, Merit)) {
        let board = position.board();
        let taken = Taken::new(board);
        board.generate_moves_for(taken.takers(), taken.goals(), |group| {
            for square in group.to & taken.by(group.piece) {
                taken.hand_out(&group, square, &mut each);
            }
            false
        });
    }

    #[inline]
    fn loud(&self, position: &Position, mut each: impl FnMut(Move, Merit)) {
        let board = position.board();
        let taken = Taken::new(board);
        board.generate_moves_for(taken.takers(), taken.goals(), |group| {
            let to = group.to & (taken.by(group.piece) | taken.promotions(group.piece));
            for square in to {
                taken.hand_out(&group, square, &mut |mv, merit| {
                    if matches!(mv.0 >> 12, 0 | QUEEN_CODE) {
                        each(mv, merit);
                    }
                });
            }
            false
        });
    }

    fn null_move(&self, position: &Position) -> Option<Position> {
        let board = position.board();
        has_pieces(board, board.side_to_move()).then(|| position.after_null()).flatten()
    }

    #[inline(always)]
    fn reversible_plies(&self, position: &Position) -> u32 {
        u32::from(position.board().halfmove_clock())
    }

    #[inline]
    fn is_dead_draw(&self, position: &Position) -> bool {
        is_insufficient_material(position.board())
    }

    fn grain(&self) -> Value {
        self.grain
    }
}

/// The possible captures of a position.
struct Taken<'a> {
    board: &'a Board,
    enemies: BitBoard,
    en_passant: BitBoard,
    last_rank: BitBoard,
}

impl Taken<'_> {
    #[inline(always)]
    fn new(board: &Board) -> Taken<'_> {
        let side = board.side_to_move();
        Taken {
            board,
            enemies: board.colors(!side),
            en_passant: en_passant_square(board),
            last_rank: last_rank(side),
        }
    }

    /// The men that may capture or promote.
    #[inline(always)]
    fn takers(&self) -> BitBoard {
        let side = self.board.side_to_move();
        let (men, king) = (self.board.colors(side), self.board.king(side));
        // Legal king moves are expensive to generate, and the king seldom captures.
        let idle_king = (get_king_moves(king) & self.enemies).is_empty();
        let men = if idle_king { men ^ king.bitboard() } else { men };
        // The same holds for most of the pawns.
        let targets = self.enemies | self.en_passant;
        let (left, right) = ((targets.0 & !FILE_A) >> 1, (targets.0 & !FILE_H) << 1);
        let goals = left | right | self.last_rank.0;
        let from = if side == Color::White { goals >> 8 } else { goals << 8 };
        men & (!self.board.pieces(Piece::Pawn) | BitBoard(from))
    }

    /// The target squares of captures and promotions.
    #[inline(always)]
    fn goals(&self) -> BitBoard {
        self.enemies | self.last_rank
    }

    /// The capture targets of a kind of man.
    #[inline(always)]
    fn by(&self, piece: Piece) -> BitBoard {
        if piece == Piece::Pawn { self.enemies | self.en_passant } else { self.enemies }
    }

    /// The promotion targets of a kind of man.
    #[inline(always)]
    fn promotions(&self, piece: Piece) -> BitBoard {
        if piece == Piece::Pawn { self.last_rank } else { BitBoard::EMPTY }
    }

    /// Yields the tactical moves of a man to a square: most valuable victim first, then least
    /// valuable attacker; a promotion counts as its gain.
    #[inline(always)]
    fn hand_out(&self, group: &PieceMoves, to: Square, each: &mut impl FnMut(Move, Merit)) {
        let victim = self.board.kind_on(to);
        let worth =
            if self.en_passant.has(to) { RANKS[Piece::Pawn as usize] } else { RANKS[victim] };
        let mv = encode(group.from, to);
        let merit = Merit {
            score: 16 * worth - RANKS[group.piece as usize],
            slot: slot_of_man(self.board, group.piece as usize) | to as usize,
            victim,
        };
        if group.piece == Piece::Pawn && self.last_rank.has(to) {
            for promoted in [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight] {
                let gain = if promoted == Piece::Queen { 16 * 5 } else { -16 * 6 };
                let merit = Merit { score: merit.score + gain, ..merit };
                each(Move(mv.0 | (promoted as u16 + 1) << 12), merit);
            }
        } else {
            each(mv, merit);
        }
    }
}

/// The first slot of a kind of man of the side to move.
#[inline(always)]
fn slot_of_man(board: &Board, kind: usize) -> usize {
    (board.side_to_move() as usize * Piece::NUM + kind) << 6
}

/// The code of a promotion to a queen.
const QUEEN_CODE: u16 = Piece::Queen as u16 + 1;

/// The men by value, for ordering captures, and no man.
const RANKS: [i32; KINDS] = [1, 2, 3, 4, 5, 6, 0];

#[inline(always)]
fn last_rank(side: Color) -> BitBoard {
    Rank::Eighth.relative_to(side).bitboard()
}

#[inline(always)]
fn encode(from: Square, to: Square) -> Move {
    Move(from as u16 | (to as u16) << 6)
}

/// The king's own move for king-takes-rook, the code of standard chess.
#[inline]
fn castling(king: Square, rook: Square) -> Move {
    let file = if king < rook { File::G } else { File::C };
    encode(king, Square::new(file, king.rank()))
}
