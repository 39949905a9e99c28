//! Scaling of drawish endgames, and driving a bare king.

use cozy_chess::{BitBoard, Piece, Square};

use super::camp::{Camp, FILE_A, FILE_H, count, distance};
use super::weights::Endgame;
use crate::value::Value;

/// The full scale.
pub(super) const FULL_SCALE: i32 = 64;

/// Values for comparing material: knight, bishop, rook, queen.
const POINTS: [(Piece, i32); 4] =
    [(Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
const MINOR: i32 = 3;
const ROOK: i32 = 5;

/// The scale in 64ths of an endgame in which `strong` is ahead.
#[inline(always)]
pub(super) fn scale<const WHITE: bool>(strong: &Camp, weak: &Camp, weights: &Endgame) -> i32 {
    let pawns = strong.pawns();
    if pawns == 0 {
        return without_pawns(strong, weak, weights);
    }
    if has_wrong_rook_pawns::<WHITE>(strong, weak) {
        return 0;
    }
    if have_opposite_bishops(strong, weak) {
        let alone = strong.pieces() == strong.men_of(Piece::Bishop)
            && weak.pieces() == weak.men_of(Piece::Bishop);
        return weights.opposite_bishops[usize::from(!alone)];
    }
    (weights.pawns[0] + weights.pawns[1] * count(pawns)).min(FULL_SCALE)
}

#[inline(always)]
fn without_pawns(strong: &Camp, weak: &Camp, weights: &Endgame) -> i32 {
    let (own, other) = (points(strong), points(weak));
    if own - other <= MINOR {
        return match () {
            () if own < ROOK => weights.no_pawns[0],
            () if other <= MINOR => weights.no_pawns[1],
            () => weights.no_pawns[2],
        };
    }
    let two_knights =
        strong.pieces() == strong.men_of(Piece::Knight) && count(strong.pieces()) <= 2;
    if two_knights { weights.no_pawns[0] } else { FULL_SCALE }
}

#[inline(always)]
fn points(camp: &Camp) -> i32 {
    POINTS.iter().map(|&(piece, worth)| worth * count(camp.men_of(piece))).sum()
}

/// All pawns on one rook file, only bishops that cannot reach the promotion square, and the other
/// king on or beside it, or nearer to it than king and pawns of the strong side.
#[inline(always)]
fn has_wrong_rook_pawns<const WHITE: bool>(strong: &Camp, weak: &Camp) -> bool {
    let (pawns, bishops) = (strong.pawns(), strong.men_of(Piece::Bishop));
    let file = match () {
        () if pawns & !FILE_A == 0 => 0,
        () if pawns & !FILE_H == 0 => 7,
        () => return false,
    };
    let goal = Square::index(if WHITE { 56 + file } else { file });
    let light = BitBoard::LIGHT_SQUARES.0;
    let reach = if light & goal.bitboard().0 != 0 { light } else { !light };
    let near = distance(weak.king, goal);
    let first = if WHITE { pawns.leading_zeros() / 8 } else { pawns.trailing_zeros() / 8 };
    let nearest = near < distance(strong.king, goal) && near <= first as i32;
    strong.pieces() == bishops && bishops & reach == 0 && (near <= 1 || nearest)
}

#[inline(always)]
fn have_opposite_bishops(strong: &Camp, weak: &Camp) -> bool {
    let (ours, theirs) = (strong.men_of(Piece::Bishop), weak.men_of(Piece::Bishop));
    let light = BitBoard::LIGHT_SQUARES.0;
    count(ours) == 1 && count(theirs) == 1 && (ours & light == 0) != (theirs & light == 0)
}

/// The bonus of `strong` for driving a bare king to the edge or, with bishop and knight, to the
/// bishop's corner; 0 if the king is not bare or cannot be mated.
#[inline(always)]
pub(super) fn drive(strong: &Camp, weak: &Camp, weights: &Endgame) -> Value {
    if weak.men != weak.men_of(Piece::King) || !can_mate(strong) {
        return 0;
    }
    let [won, edge, close, corner] = weights.drive;
    let mut value =
        won + edge * from_centre(weak.king) + close * (7 - distance(strong.king, weak.king));
    let (knights, bishops) = (strong.men_of(Piece::Knight), strong.men_of(Piece::Bishop));
    if strong.pawns() == 0
        && strong.pieces() == knights | bishops
        && knights != 0
        && !on_both_colours(bishops)
    {
        value += corner * toward_corner(weak.king, bishops);
    }
    value
}

/// A queen, a rook, bishops of both colours, or bishop and knight.
#[inline(always)]
fn can_mate(strong: &Camp) -> bool {
    let (knights, bishops) = (strong.men_of(Piece::Knight), strong.men_of(Piece::Bishop));
    let heavy = strong.men_of(Piece::Rook) | strong.men_of(Piece::Queen);
    heavy != 0 || on_both_colours(bishops) || knights != 0 && bishops != 0
}

#[inline(always)]
pub(super) fn on_both_colours(men: u64) -> bool {
    let light = BitBoard::LIGHT_SQUARES.0;
    men & light != 0 && men & !light != 0
}

/// Steps along files and ranks from the four squares of the centre: 0 to 6.
#[inline(always)]
fn from_centre(square: Square) -> i32 {
    let (file, rank) = (square as i32 & 7, square as i32 >> 3);
    (3 - file).max(file - 4) + (3 - rank).max(rank - 4)
}

/// 7 in the corners of the bishop's colour, less 1 for each diagonal between; 0 on the long
/// diagonal of the other colour.
#[inline(always)]
fn toward_corner(square: Square, bishops: u64) -> i32 {
    let (file, rank) = (square as i32 & 7, square as i32 >> 3);
    let light = bishops & BitBoard::LIGHT_SQUARES.0 != 0;
    if light { (file - rank).abs() } else { (file + rank - 7).abs() }
}
