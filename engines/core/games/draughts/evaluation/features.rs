//! The features of one side, as in `engines/reference/games/draughts.py`.

use super::super::squares::Direction::{DownLeft, DownRight, UpLeft, UpRight};
use super::super::squares::{Direction, each, step};
use super::camp::Camp;
use super::weights::Weights;

/// 10, 11, 14, 15, 18, 19, 22, 23 of PDN.
const CENTRE: u32 = 0x0066_6600;
/// The four columns on the left.
const LEFT: u32 = 0x3333_3333;
/// 1, 5, 28 and 32 of PDN.
const DOUBLE_CORNERS: u32 = 0x8800_0011;
/// The rows that the side moving up counts for the opposition: 1, 3, 5 and 7.
const SYSTEM: u32 = 0xF0F0_F0F0;

/// The squares that a man may reach by moving up, by its square.
static WAYS_UP: [u32; 32] = ways_up();

const fn ways_up() -> [u32; 32] {
    let mut ways = [0; 32];
    let mut square = 0;
    while square < 32 {
        let mut row = 1 << square;
        while row != 0 {
            row = step(UpLeft, row) | step(UpRight, row);
            ways[square] |= row;
        }
        square += 1;
    }
    ways
}

impl Camp {
    /// Men and kings by their squares.
    #[inline(always)]
    pub(super) fn squares(&self, weights: &Weights) -> i32 {
        let men: i32 = each(self.men).map(|square| weights.man[square]).sum();
        men + each(self.kings).map(|square| weights.king[square]).sum::<i32>()
    }

    /// All terms but those of the turn.
    #[inline]
    pub(super) fn terms(&self, weights: &Weights) -> i32 {
        let mut sum = self.formation(weights) + self.steps_of_men(weights);
        sum += self.runaways(weights);
        sum += weights.threats[count(self.jumpers()).min(weights.threats.len() - 1)];
        if self.kings != 0 {
            sum += self.steps_of_kings(weights);
        }
        sum + self.balance(weights)
    }

    /// Further features of the side to move.
    #[inline(always)]
    pub(super) fn turn(&self, weights: &Weights) -> i32 {
        let mut sum = weights.turn[0];
        let own = self.own();
        if count(own) == count(self.enemies) {
            let odd = count((own | self.enemies) & SYSTEM) % 2 == 1;
            sum += if odd { weights.opposition[0] } else { -weights.opposition[0] };
        }
        sum
    }

    /// Relations between pieces.
    #[inline(always)]
    fn formation(&self, weights: &Weights) -> i32 {
        let own = self.own();
        let left = count(own & LEFT);
        let tilt = left.abs_diff(count(own) - left).min(weights.tilt.len() - 1);
        let backed = count(self.men & step(UpRight, own)) + count(self.men & step(UpLeft, own));
        weights.back_rank[(self.men >> 28) as usize]
            + weights.centre[count(own & CENTRE)]
            + weights.tilt[tilt]
            + weights.backed[0] * backed as i32
    }

    #[inline(always)]
    fn steps_of_men(&self, weights: &Weights) -> i32 {
        let empty = self.empty();
        let left = step(UpLeft, self.men) & empty;
        let right = step(UpRight, self.men) & empty;
        let safe_left = left & !self.taken_after(UpLeft, UpRight);
        let safe_right = right & !self.taken_after(UpRight, UpLeft);
        let free = step(DownRight, empty) | step(DownLeft, empty);
        weights.steps[0] * (count(left) + count(right)) as i32
            + weights.safe_steps[0] * (count(safe_left) + count(safe_right)) as i32
            + weights.stuck_men[0] * count(self.men & !free) as i32
    }

    /// The squares where a piece that came by a step `way` can be captured; `side` is the other
    /// forward direction. The square that it left is empty.
    #[inline(always)]
    fn taken_after(&self, way: Direction, side: Direction) -> u32 {
        let empty = self.empty();
        let in_front = step(way.back(), self.enemies);
        let beside = step(side.back(), self.enemies) & step(side, empty);
        let behind = step(side, self.enemy_kings) & step(side.back(), empty);
        in_front | beside | behind
    }

    #[inline(always)]
    fn runaways(&self, weights: &Weights) -> i32 {
        let free = |square: &usize| WAYS_UP[*square] & self.enemies == 0;
        each(self.men).filter(free).map(|square| weights.runaway[square / 4 - 1]).sum()
    }

    /// The pieces that could capture.
    #[inline(always)]
    fn jumpers(&self) -> u32 {
        let empty = self.empty();
        let over = |way: Direction| step(way.back(), self.enemies & step(way.back(), empty));
        let up = self.own() & (over(UpLeft) | over(UpRight));
        up | self.kings & (over(DownLeft) | over(DownRight))
    }

    #[inline(always)]
    fn steps_of_kings(&self, weights: &Weights) -> i32 {
        let empty = self.empty();
        let mut steps = 0;
        let mut free = 0;
        for direction in Direction::ALL {
            let movers = self.kings & step(direction.back(), empty);
            steps += count(movers);
            free |= movers;
        }
        let sole = if self.enemy_kings == 0 { weights.sole_kings[0] } else { 0 };
        let stuck = count(self.kings & !free) as i32;
        weights.king_steps[0] * steps as i32 + weights.stuck_kings[0] * stuck + sole
    }

    /// Features that depend on who has more pieces.
    #[inline(always)]
    fn balance(&self, weights: &Weights) -> i32 {
        let (own, enemies) = (count(self.own()), count(self.enemies));
        if own > enemies {
            let lead = (own - enemies).min(weights.ahead.len());
            weights.ahead[lead - 1] + weights.far_kings[0] * self.distance_of_kings()
        } else if own < enemies {
            weights.refuge[0] * count(self.kings & DOUBLE_CORNERS) as i32
        } else {
            0
        }
    }

    /// The sum of diagonal steps from each king to the nearest enemy, ignoring pieces between.
    #[inline(always)]
    fn distance_of_kings(&self) -> i32 {
        let (mut near, mut far, mut sum) = (self.enemies, self.kings, 0);
        // No distance without enemies.
        while far != 0 && near != 0 {
            near |= Direction::ALL.into_iter().fold(0, |all, way| all | step(way, near));
            sum += count(far) as i32;
            far &= !near;
        }
        sum
    }
}

#[inline(always)]
fn count(squares: u32) -> usize {
    squares.count_ones() as usize
}
