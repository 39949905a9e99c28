//! The terms of `full`. Each is computed for one side and counts for it.

use cozy_chess::{
    BitBoard, Color, Piece, Square, get_bishop_moves, get_knight_moves, get_rook_moves,
};

use super::super::board::Board;
use super::camp::{
    CENTRE_FILES, Camp, FILE_A, beside, count, distance, down, each, fill_down, fill_up, rank,
    rank_squares, up,
};
use super::endgame;
use super::structure::{Kept, Structure, with_kept};
use super::tables::Sums;
use super::weights::{Score, Weights};
use crate::value::Value;

/// Pieces in the order of the weights by kind.
const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
/// Units per step of the danger table.
const UNITS_A_STEP: i32 = 32;
/// The maximum distance of kings to passed pawns.
const FAR: i32 = 5;

/// White's value of a position.
///
/// The sum of tables and terms is tapered and its endgame part scaled. One division truncates
/// toward zero, so that the value is symmetric.
#[inline]
pub(super) fn white_value(board: &Board, sums: &Sums, phase_max: i32, weights: &Weights) -> Value {
    with_kept(|kept| {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
        {
            // SAFETY: the processor supports the features that the function was compiled for.
            return unsafe { white_value_with_popcnt(board, sums, phase_max, weights, kept) };
        }
        white_value_anywhere(board, sums, phase_max, weights, kept)
    })
}

/// The same, compiled with popcount instructions, which a generic build lacks: saves a sixth of a
/// node's time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,bmi1,bmi2")]
fn white_value_with_popcnt(
    board: &Board,
    sums: &Sums,
    phase_max: i32,
    weights: &Weights,
    kept: &Kept,
) -> Value {
    white_value_anywhere(board, sums, phase_max, weights, kept)
}

#[inline(always)]
fn white_value_anywhere(
    board: &Board,
    sums: &Sums,
    phase_max: i32,
    weights: &Weights,
    kept: &Kept,
) -> Value {
    let mut white = Camp::new::<true>(board);
    let mut black = Camp::new::<false>(board);
    let occupied = white.men | black.men;
    let mut score = pieces::<true>(&mut white, &black, occupied, weights);
    score -= pieces::<false>(&mut black, &white, occupied, weights);
    let (white, black) = (&white, &black);
    let turn = board.side_to_move();
    score += side::<true>(white, black, turn == Color::White, weights);
    score -= side::<false>(black, white, turn == Color::Black, weights);
    let structure = Structure::new(white, black);
    score += match kept.get(structure) {
        Some(score) => score,
        None => {
            let fresh =
                alone::<true>(white, black, weights) - alone::<false>(black, white, weights);
            kept.set(structure, fresh);
            fresh
        }
    };

    let middlegame = sums.middlegame + score.middlegame();
    let end = sums.endgame + score.endgame();
    let phase = sums.phase.min(phase_max);
    let scale = if end > 0 {
        endgame::scale::<true>(white, black, &weights.endgame)
    } else {
        endgame::scale::<false>(black, white, &weights.endgame)
    };
    let full = endgame::FULL_SCALE;
    let tapered =
        (middlegame * phase * full + end * (phase_max - phase) * scale) / (phase_max * full);
    tapered + endgame::drive(white, black, &weights.endgame)
        - endgame::drive(black, white, &weights.endgame)
}

/// The terms of pawns and kings alone.
#[inline(always)]
fn alone<const WHITE: bool>(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    pawns::<WHITE>(us, them, weights) + shelter::<WHITE>(us, them, weights)
}

/// All other terms, which need both sides' attacks.
#[inline(always)]
fn side<const WHITE: bool>(us: &Camp, them: &Camp, turn: bool, weights: &Weights) -> Score {
    let mut score = passed::<WHITE>(us, them, turn, weights);
    score += attack(us, them, weights);
    score += threats::<WHITE>(us, them, weights);
    score += space::<WHITE>(us, them, weights);
    if turn {
        score += weights.tempo[0];
    }
    score
}

/// Mobility and places of knights, bishops, rooks and queens. Their attacks are added to `us`.
///
/// Bishops see through queens, rooks through rooks and queens of their own side.
#[inline(always)]
fn pieces<const WHITE: bool>(
    us: &mut Camp,
    them: &Camp,
    occupied: u64,
    weights: &Weights,
) -> Score {
    let mut score = Score::ZERO;
    let area = !(us.pawns() | us.men_of(Piece::King) | them.pawn_attacks);
    let units = &weights.units.attacker;
    let outposts = outposts::<WHITE>(us, them);
    let queens = us.men_of(Piece::Queen);

    for square in each(us.men_of(Piece::Knight)) {
        let attacks = get_knight_moves(square).0;
        us.attack(Piece::Knight, attacks, them, units[0]);
        score += weights.mobility_knight[count(attacks & area) as usize];
    }
    let through = BitBoard(occupied & !queens);
    let bishops = us.men_of(Piece::Bishop);
    for square in each(bishops) {
        let attacks = get_bishop_moves(square, through).0;
        us.attack(Piece::Bishop, attacks, them, units[1]);
        score += weights.mobility_bishop[count(attacks & area) as usize];
        score += weights.bishop_pawns[0] * count(us.pawns() & same_colour(square));
    }
    let rooks = us.men_of(Piece::Rook);
    let through = BitBoard(occupied & !(queens | rooks));
    for square in each(rooks) {
        let attacks = get_rook_moves(square, through).0;
        us.attack(Piece::Rook, attacks, them, units[2]);
        score += weights.mobility_rook[count(attacks & area) as usize];
        let file = FILE_A << (square as usize & 7);
        if us.pawns() & file == 0 {
            let open = them.pawns() & file == 0;
            score += if open { weights.rook_open[0] } else { weights.rook_half_open[0] };
        }
    }
    for square in each(queens) {
        let all = BitBoard(occupied);
        let attacks = get_bishop_moves(square, all).0 | get_rook_moves(square, all).0;
        us.attack(Piece::Queen, attacks, them, units[3]);
        score += weights.mobility_queen[count(attacks & area) as usize];
    }

    if endgame::on_both_colours(bishops) {
        score += weights.bishop_pair[0];
    }
    score += weights.knight_outpost[0] * count(us.men_of(Piece::Knight) & outposts);
    score += weights.bishop_outpost[0] * count(bishops & outposts);
    let minors = us.men_of(Piece::Knight) | bishops;
    score += weights.minor_behind_pawn[0] * count(minors & down::<WHITE>(us.pawns()));
    let seventh = rooks & rank_squares::<WHITE>(6);
    let targets = them.pawns() & rank_squares::<WHITE>(6)
        | them.men_of(Piece::King) & rank_squares::<WHITE>(7);
    if targets != 0 {
        score += weights.rook_seventh[0] * count(seventh);
    }
    score
}

/// The squares on ranks 4 to 6 that a pawn protects and no enemy pawn can ever attack.
#[inline(always)]
fn outposts<const WHITE: bool>(us: &Camp, them: &Camp) -> u64 {
    let ranks = rank_squares::<WHITE>(3) | rank_squares::<WHITE>(4) | rank_squares::<WHITE>(5);
    ranks & us.pawn_attacks & !them.pawn_span
}

#[inline(always)]
fn same_colour(square: Square) -> u64 {
    let light = BitBoard::LIGHT_SQUARES;
    if light.has(square) { light.0 } else { BitBoard::DARK_SQUARES.0 }
}

/// The structure of pawns.
#[inline(always)]
fn pawns<const WHITE: bool>(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    let mut score = Score::ZERO;
    let pawns = us.pawns();
    let neighbours = beside(pawns);
    let files = fill_up::<true>(fill_up::<false>(neighbours));
    let isolated = pawns & !files;
    score += weights.isolated[0] * count(isolated);
    score += weights.isolated_open[0] * count(isolated & !them.pawn_front);
    score += weights.doubled[0] * count(pawns & us.pawn_front);
    let alone = pawns & files & !fill_up::<WHITE>(neighbours);
    let stopped = them.pawn_attacks | them.pawns();
    score += weights.backward[0] * count(up::<WHITE>(alone) & stopped);
    for square in each(pawns & neighbours) {
        score += weights.phalanx[rank::<WHITE>(square)];
    }
    for square in each(pawns & us.pawn_attacks) {
        score += weights.supported[rank::<WHITE>(square)];
    }
    score
}

/// Passed pawns: no enemy pawn can stop or capture them, and no own pawn is in front.
#[inline(always)]
fn passed<const WHITE: bool>(us: &Camp, them: &Camp, turn: bool, weights: &Weights) -> Score {
    let mut score = Score::ZERO;
    let behind = fill_down::<WHITE>(down::<WHITE>(us.pawns()));
    let occupied = us.men | them.men;
    for square in each(us.pawns() & !(them.pawn_front | them.pawn_span | behind)) {
        let rank = rank::<WHITE>(square);
        let stop = up::<WHITE>(square.bitboard().0);
        let path = fill_up::<WHITE>(stop);
        score += weights.passed[rank];
        if us.pawn_attacks & square.bitboard().0 != 0 {
            score += weights.passed_protected[rank];
        }
        if occupied & stop != 0 {
            score += weights.passed_blocked[rank];
        }
        if them.all & stop == 0 {
            score += weights.passed_safe[rank];
        }
        if (them.all | occupied) & path == 0 {
            score += weights.passed_free[rank];
        }
        let front = Square::index(stop.trailing_zeros() as usize);
        score += weights.passed_own_king[rank] * distance(us.king, front).min(FAR);
        score += weights.passed_enemy_king[rank] * distance(them.king, front).min(FAR);
        if them.pieces() == 0 && occupied & path == 0 {
            let goal = Square::index(square as usize & 7 | if WHITE { 56 } else { 0 });
            let steps = 7 - rank as i32 - i32::from(rank == 1);
            if distance(them.king, goal) - i32::from(!turn) > steps {
                score += weights.passed_unstoppable[0];
            }
        }
    }
    score
}

/// Own pawns in front of the king, and advancing enemy pawns, on three files.
#[inline(always)]
fn shelter<const WHITE: bool>(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    let mut score = Score::ZERO;
    let king_file = us.king as usize & 7;
    let centre = king_file.clamp(1, 6);
    let line = 0xFF << (us.king as usize & 56);
    let ahead = fill_up::<WHITE>(line);
    for file in centre - 1..=centre + 1 {
        let squares = (FILE_A << file) & ahead;
        let own = nearest::<WHITE>(us.pawns() & squares);
        let enemy = nearest::<WHITE>(them.pawns() & squares);
        let blocked = own != 0 && own + 1 == enemy;
        score += weights.shelter[8 * usize::from(file != king_file) + own];
        score += weights.storm[8 * usize::from(blocked) + enemy];
    }
    score
}

/// The rank of the pawn nearest to the own first rank; 0 without pawns.
#[inline(always)]
fn nearest<const WHITE: bool>(pawns: u64) -> usize {
    if pawns == 0 {
        0
    } else if WHITE {
        pawns.trailing_zeros() as usize >> 3
    } else {
        pawns.leading_zeros() as usize >> 3
    }
}

/// The attack of `us` on their king: units, mapped by a table. One piece alone counts only with a
/// queen on the board.
#[inline(always)]
fn attack(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    let queens = us.men_of(Piece::Queen);
    if us.attackers < if queens == 0 { 2 } else { 1 } {
        return Score::ZERO;
    }
    let units = &weights.units;
    let near = them.attacks_by(Piece::King) | them.attacks_by(Piece::Queen);
    let weak = us.all & !them.twice & (!them.all | near);
    let mut danger = us.attackers * us.attacker_units;
    danger += units.weak * count(them.zone & weak) + units.attack * us.king_hits;
    if queens == 0 {
        danger += units.no_queen;
    }
    let safe = !us.men & (!them.all | weak & us.twice);
    let through = BitBoard((us.men | them.men) & !them.men_of(Piece::Queen));
    let lines = get_rook_moves(them.king, through).0;
    let diagonals = get_bishop_moves(them.king, through).0;
    let queen_safe = safe & !them.attacks_by(Piece::Queen);
    let checks = [
        get_knight_moves(them.king).0 & safe,
        diagonals & safe,
        lines & safe,
        (lines | diagonals) & queen_safe,
    ];
    for (kind, piece) in PIECES.into_iter().enumerate() {
        if us.attacks_by(piece) & checks[kind] != 0 {
            danger += units.check[kind];
        }
    }
    let last = weights.king_danger.len() as i32 - 1;
    weights.king_danger[(danger / UNITS_A_STEP).clamp(0, last) as usize]
}

/// Men attacked by less valuable ones, or weakly defended.
#[inline(always)]
fn threats<const WHITE: bool>(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    let mut score = Score::ZERO;
    let pieces = them.pieces();
    if pieces & us.pawn_attacks != 0 {
        for (kind, piece) in PIECES.into_iter().enumerate() {
            score += weights.threat_pawn[kind] * count(them.men_of(piece) & us.pawn_attacks);
        }
    }
    let strong = them.pawn_attacks | them.twice & !us.twice;
    let weak = (them.pawns() | pieces) & us.all & !strong;
    let minors = us.attacks_by(Piece::Knight) | us.attacks_by(Piece::Bishop);
    let by_minor = (weak | pieces) & minors;
    let by_rook = weak & us.attacks_by(Piece::Rook);
    if by_minor | by_rook != 0 {
        for victim in 0..5 {
            score += weights.threat_minor[victim] * count(them.of[victim] & by_minor);
            score += weights.threat_rook[victim] * count(them.of[victim] & by_rook);
        }
    }
    score += weights.threat_king[0] * count(weak & us.attacks_by(Piece::King));
    score += weights.hanging[0] * count(weak & (!them.all | pieces & us.twice));

    let free = !(us.men | them.men);
    let once = up::<WHITE>(us.pawns()) & free;
    let pushes = once | up::<WHITE>(once & rank_squares::<WHITE>(2)) & free;
    let safe = pushes & !them.pawn_attacks & (us.all | !them.all);
    let attacks = beside(up::<WHITE>(safe));
    score += weights.threat_push[0] * count(attacks & pieces & !us.pawn_attacks);
    score
}

/// Safe squares in the centre of the own half; those behind own pawns count twice.
#[inline(always)]
fn space<const WHITE: bool>(us: &Camp, them: &Camp, weights: &Weights) -> Score {
    let ranks = rank_squares::<WHITE>(1) | rank_squares::<WHITE>(2) | rank_squares::<WHITE>(3);
    let safe = CENTRE_FILES & ranks & !us.pawns() & !them.pawn_attacks;
    let behind = fill_down::<WHITE>(down::<WHITE>(us.pawns()));
    weights.space[0] * (count(safe) + count(safe & behind & !them.all))
}

#[cfg(test)]
mod tests {
    use super::super::super::board::Board;
    use super::super::Evaluation;
    use crate::value::Value;

    fn value(fen: &str) -> Value {
        let board: Board = fen.parse().unwrap();
        let full = Evaluation::full();
        full.value(&board, &full.sums(&board), 1)
    }

    #[test]
    fn elementary_mates_drive_the_king_to_the_edge() {
        for (centre, edge) in [
            ("3K4/8/8/3k4/8/8/8/1Q6 w - - 0 1", "3k4/8/8/3K4/8/8/8/1Q6 w - - 0 1"),
            ("3K4/8/8/3k4/8/8/8/1R6 w - - 0 1", "3k4/8/8/3K4/8/8/8/1R6 w - - 0 1"),
            // Dark bishop: a8 is the wrong corner, h8 the right one.
            ("k7/8/8/3K4/8/8/8/2B1N3 w - - 0 1", "7k/8/8/4K3/8/8/8/2B1N3 w - - 0 1"),
        ] {
            assert!(value(centre) + 20 < value(edge), "{centre} {edge}");
            assert!(value(centre) > 400, "{centre}");
        }
    }

    #[test]
    fn unwinnable_positions_are_worth_little() {
        for fen in [
            "8/8/3k4/8/8/3K4/3NN3/8 w - - 0 1",
            "k7/8/8/P7/8/8/1B6/2K5 w - - 0 1",
            "8/8/4k3/8/4r3/8/8/2KRB3 w - - 0 1",
        ] {
            assert!(value(fen).abs() < 160, "{fen} {}", value(fen));
        }
    }
}
