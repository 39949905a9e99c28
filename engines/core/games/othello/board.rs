//! Bitboards of eight by eight squares: moves, flips and the images of a board.

/// The four corners.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;
/// All squares but the columns a and h: runs along rows lie inside them.
const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;
const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The steps toward higher squares, each with the squares that may lie between two others.
const STEPS: [(u32, u64); 4] =
    [(1, INNER_COLUMNS), (7, INNER_COLUMNS), (8, u64::MAX), (9, INNER_COLUMNS)];

/// The empty squares on which `own` may place a disc.
#[inline]
pub(super) fn moves(own: u64, other: u64) -> u64 {
    let mut found = 0;
    for (step, inner) in STEPS {
        found |= beyond(own, other & inner, step);
    }
    found & !(own | other)
}

/// The squares behind runs of `between` that start beside `own`, in both directions of a line.
///
/// Follows runs two discs at a time (parallel prefix).
#[inline(always)]
fn beyond(own: u64, between: u64, step: u32) -> u64 {
    let (mut up, mut down) = (between & own << step, between & own >> step);
    up |= between & up << step;
    down |= between & down >> step;
    let (pairs_up, pairs_down) = (between & between << step, between & between >> step);
    for _ in 0..2 {
        up |= pairs_up & up << (2 * step);
        down |= pairs_down & down >> (2 * step);
    }
    up << step | down >> step
}

/// The discs of `other` that a disc placed by `own` on `square` turns over.
#[inline]
pub(super) fn flips(own: u64, other: u64, square: usize) -> u64 {
    let rays = &RAYS[square];
    let mut found = 0;
    for ray in &rays.up {
        // A carry runs through all squares off the ray, and along it through `other`.
        let end = (other | !ray).wrapping_add(1) & own & ray;
        found |= end.wrapping_sub(u64::from(end != 0)) & ray;
    }
    for ray in &rays.down {
        // The nearest square that is not of `other` is the highest; without one the run has no end.
        let stops = ray & !other;
        let end = HIGHEST >> (stops | 1).leading_zeros() & stops & own;
        found |= end.wrapping_shl(1).wrapping_neg() & ray;
    }
    found
}

const HIGHEST: u64 = 1 << 63;

/// The lines from a square to the edges, without the square itself.
#[derive(Clone, Copy)]
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    let mut all = [Rays { up: [0; 4], down: [0; 4] }; 64];
    let mut square = 0;
    while square < 64 {
        let steps = [(0, 1), (1, -1), (1, 0), (1, 1)];
        let mut line = 0;
        while line < 4 {
            let (row, column) = steps[line];
            all[square].up[line] = ray(square, row, column);
            all[square].down[line] = ray(square, -row, -column);
            line += 1;
        }
        square += 1;
    }
    all
}

const fn ray(square: usize, row_step: i32, column_step: i32) -> u64 {
    let (mut row, mut column) = ((square / 8) as i32 + row_step, (square % 8) as i32 + column_step);
    let mut found = 0;
    while 0 <= row && row < 8 && 0 <= column && column < 8 {
        found |= 1 << (8 * row + column);
        row += row_step;
        column += column_step;
    }
    found
}

/// The neighbours of `discs` in all eight directions.
#[inline]
pub(super) fn beside(discs: u64) -> u64 {
    let columns = discs | (discs & NOT_H) << 1 | (discs & NOT_A) >> 1;
    (columns | columns << 8 | columns >> 8) & !discs
}

/// The board with rows and columns exchanged: mirrored at the line from a1 to h8.
#[inline]
pub(super) const fn transposed(mut board: u64) -> u64 {
    let mut swap = (board ^ board >> 7) & 0x00AA_00AA_00AA_00AA;
    board ^= swap ^ swap << 7;
    swap = (board ^ board >> 14) & 0x0000_CCCC_0000_CCCC;
    board ^= swap ^ swap << 14;
    swap = (board ^ board >> 28) & 0x0000_0000_F0F0_F0F0;
    board ^ swap ^ swap << 28
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The eight images of a board, itself first.
    pub fn images(board: u64) -> [u64; 8] {
        let turned = transposed(board);
        let four =
            |one: u64| [one, one.swap_bytes(), one.reverse_bits(), one.swap_bytes().reverse_bits()];
        let (straight, crossed) = (four(board), four(turned));
        std::array::from_fn(|i| if i < 4 { straight[i] } else { crossed[i - 4] })
    }

    /// Pseudorandom numbers.
    pub fn random(seed: u64) -> impl FnMut() -> u64 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        }
    }

    /// The discs that a move flips, square by square as in the rules.
    fn flips_by_walking(own: u64, other: u64, square: usize) -> u64 {
        let has = |board: u64, row: i32, column: i32| {
            (0..8).contains(&row)
                && (0..8).contains(&column)
                && board >> (8 * row + column) & 1 == 1
        };
        let mut found = 0;
        for (down, right) in (-1..=1).flat_map(|down| (-1..=1).map(move |right| (down, right))) {
            let (mut row, mut column) = (square as i32 / 8 + down, square as i32 % 8 + right);
            let mut run = 0;
            while (down, right) != (0, 0) && has(other, row, column) {
                run |= 1 << (8 * row + column);
                row += down;
                column += right;
            }
            if has(own, row, column) {
                found |= run;
            }
        }
        found
    }

    #[test]
    fn moves_and_flips_follow_the_rules() {
        let mut next = random(1);
        for round in 0..4_000 {
            let (sparse, split) = (next() | if round % 2 == 0 { next() } else { 0 }, next());
            let (own, other) = (sparse & split, sparse & !split);
            let mut expected = 0;
            for square in (0..64).filter(|square| (own | other) >> square & 1 == 0) {
                let turned = flips_by_walking(own, other, square);
                assert_eq!(flips(own, other, square), turned, "{own:x} {other:x} {square}");
                expected |= u64::from(turned != 0) << square;
            }
            assert_eq!(moves(own, other), expected, "{own:x} {other:x}");
        }
    }

    #[test]
    fn moves_are_symmetric() {
        let mut next = random(2);
        for _ in 0..1_000 {
            let (discs, split) = (next(), next());
            let (own, other) = (images(discs & split), images(discs & !split));
            let expected = images(moves(own[0], other[0]));
            assert_eq!(std::array::from_fn(|i| moves(own[i], other[i])), expected);
            assert_eq!(transposed(transposed(discs)), discs);
            assert_eq!(images(beside(discs))[5], beside(images(discs)[5]));
        }
        assert_eq!(transposed(0xFF), 0x0101_0101_0101_0101);
    }
}
