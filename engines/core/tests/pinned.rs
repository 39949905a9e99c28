//! Node counts of drivers and choices that the bench lacks, the same on every machine.

use super::support::{
    OPTIONS, chess, drivers, endgames, exact, nodes, openings, plaat, provers, table_options,
};
use crate::drivers::Driver;
use crate::games::chess::Position;
use crate::guess::Guess;
use crate::options::Options;
use crate::player::Player;
use crate::table::TableSize;

/// Nodes of exact searches of this depth, and a hash of the results of selective ones of 2,000
/// nodes.
fn cost(driver: Driver, options: Options, depth: u32) -> (u64, u64) {
    let mut positions: Vec<Position> = openings().into_iter().step_by(125).collect();
    positions.extend_from_slice(&endgames()[..4]);
    positions.iter().fold((0, 0), |(exactly, folded), position| {
        let size = TableSize::Entries(1 << 10);
        let mut player = Player::new(chess(5), driver, options, size, position.clone());
        let exactly = exactly + player.search_alone(&exact(depth)).nodes;
        let report = player.search_alone(&nodes(2_000));
        let found = report.passes.len() as u64 * 1_000 + u64::from(report.mv.0);
        (exactly, (folded * 31 + found) % 1_000_000_007)
    })
}

const MTDF: Driver = plaat(Guess::Parity);

#[test]
fn signatures_beyond_the_bench_are_pinned() {
    let mut found: Vec<(u64, u64)> =
        drivers().into_iter().map(|one| cost(one, OPTIONS, 3)).collect();
    found.extend(provers().map(|driver| cost(driver, OPTIONS, 3)));
    found.extend(table_options().into_iter().map(|options| cost(MTDF, options, 5)));
    assert_eq!(found, PINNED);
}

/// In the order of `drivers`, `provers` and `table_options`.
#[rustfmt::skip]
const PINNED: [(u64, u64); 55] = [
    (10_393, 178_900_520),
    (10_237, 450_799_733),
    (10_866, 540_296_944),
    (9_514, 217_620_793),
    (9_309, 989_794_377),
    (22_711, 882_362_409),
    (10_604, 312_915_435),
    (14_219, 851_221_337),
    (16_613, 785_080_202),
    (1_222_296, 633_334_693),
    (9_475, 714_488_564),
    (9_043, 521_348_646),
    (11_852, 912_131_417),
    (14_336, 48_230_468),
    (12_732, 806_823_125),
    (13_031, 207_809_518),
    (11_171, 214_428_168),
    (11_852, 783_585_815),
    (14_336, 281_474_270),
    (14_336, 477_823_008),
    (14_336, 48_230_468),
    (14_336, 48_230_468),
    (10_695, 1_901_064),
    (10_968, 384_822_814),
    (10_975, 603_210_414),
    (11_569, 124_937_600),
    (11_929, 142_783_376),
    (11_322, 179_925_148),
    (10_695, 1_901_064),
    (11_233, 604_803_436),
    (11_294, 876_105_207),
    (11_120, 195_860_205),
    (11_199, 725_853_174),
    (11_280, 377_107_829),
    (11_056, 176_206_897),
    (15_050, 29_957_317),
    (18_191, 566_754_458),
    (360_697, 708_042_025),
    (360_697, 708_043_025),
    (273_586, 48_230_468),
    (273_586, 46_308_468),
    (289_092, 48_230_468),
    (289_092, 46_308_468),
    (280_350, 48_230_468),
    (280_350, 46_308_468),
    (276_120, 662_985_884),
    (276_120, 49_191_468),
    (269_993, 662_985_884),
    (254_074, 721_703_442),
    (276_656, 49_191_468),
    (275_939, 109_710_026),
    (281_281, 48_230_468),
    (277_041, 107_788_026),
    (280_350, 49_191_468),
    (288_296, 48_230_468),
];
