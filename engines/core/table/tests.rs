//! What the table keeps, and what makes room.

use super::*;

fn entry(lower: Value, upper: Value, depth: i32, mv: u16) -> Entry {
    Entry { lower, upper, depth, mv: Move(mv), pv: false }
}

fn table(entries: usize) -> Table {
    Table::new(TableSize::Entries(entries), TableOptions::BEST)
}

#[test]
fn entries_survive_packing() {
    for original in [entry(-INFINITY, INFINITY, 0, 0), entry(-32_000, 31_999, 127, 0xFFFF)] {
        assert_eq!(Entry::unpack(original.pack(0xFF)), original);
    }
}

#[test]
fn table_sizes_are_exact() {
    assert_eq!(Table::new(TableSize::Megabytes(16), TableOptions::BEST).entries(), 1 << 20);
    for power in 0..12 {
        assert_eq!(table(1 << power).entries(), 1 << power);
    }
    let off = table(0);
    off.store(1, entry(0, 0, 1, 1));
    assert_eq!(off.probe(1, 1), None);
}

#[test]
fn impossible_table_size_is_refused() {
    assert!(TableSize::Entries(1 << 20).is_available());
    assert!(!TableSize::Entries(1 << 58).is_available());
}

#[test]
fn buckets_are_aligned_to_cache_lines() {
    let table = table(1 << 10);
    assert_eq!(&raw const table.slots[table.offset] as usize % LINE_BYTES, 0);
    let last = table.start(u64::MAX);
    assert_eq!(last, table.offset + (table.buckets - 1) * WAYS);
    assert!(last + WAYS <= table.slots.len());
}

#[test]
fn both_bounds_of_one_depth_are_kept() {
    let table = table(256);
    table.store(7, entry(-10, INFINITY, 3, 5));
    table.store(7, entry(-INFINITY, 20, 3, 0));
    assert_eq!(table.probe(7, 3), Some(entry(-10, 20, 3, 5)));
    table.store(7, entry(-INFINITY, -15, 3, 0));
    assert_eq!(table.probe(7, 3), Some(entry(-INFINITY, -15, 3, 5)), "contradicted bound");
    table.store(7, entry(1, INFINITY, 4, 0));
    assert_eq!(table.probe(7, 3), Some(entry(1, INFINITY, 4, 5)), "bounds of another depth");
}

#[test]
fn bounds_of_expected_pv_nodes_are_kept_apart() {
    let found = |first: (Entry, bool), second: (Entry, bool)| {
        let table = table(256);
        for (stored, pv) in [first, second] {
            table.store(7, Entry { pv, ..stored });
        }
        table.probe(7, 3).unwrap()
    };
    let low = entry(-10, INFINITY, 3, 5);
    let high = entry(-INFINITY, 20, 3, 0);
    let both = entry(-10, 20, 3, 5);
    let upper_alone = entry(-INFINITY, 20, 3, 5);
    assert_eq!(found((low, true), (high, true)), Entry { pv: true, ..both });
    assert_eq!(found((low, true), (high, false)), Entry { pv: false, ..both });
    assert_eq!(found((low, false), (high, true)), Entry { pv: true, ..upper_alone });
}

#[test]
fn deeper_entry_survives_a_shallower_one() {
    let table = table(256);
    table.store(7, entry(1, 1, 6, 5));
    table.store(7, entry(2, 2, 4, 6));
    assert_eq!(table.probe(7, 6), Some(entry(1, 1, 6, 5)));
    assert_eq!(table.probe(7, 4), Some(entry(2, 2, 4, 6)));
    assert_eq!(table.probe(7, 5), Some(entry(1, 1, 6, 5)));
}

#[test]
fn each_depth_of_a_key_is_stored_once() {
    let table = table(4);
    table.store(7, entry(1, 1, 6, 5));
    table.store(7, entry(2, 2, 4, 6));
    table.store(7, entry(3, 3, 6, 5));
    assert_eq!(table.probe(7, 4), Some(entry(3, 3, 6, 5)));
    let used = table.bucket(7).iter().filter(|slot| slot.data() != 0).count();
    assert_eq!(used, 1);
}

#[test]
fn shallowest_and_oldest_entries_are_replaced() {
    let mut table = table(4);
    for key in 0..4 {
        table.store(key, entry(0, 0, 5 + key as i32, 1));
    }
    table.store(9, entry(0, 0, 1, 1));
    assert_eq!(table.probe(0, 5), None, "the shallowest is gone");
    table.new_search();
    for key in 10..13 {
        table.store(key, entry(0, 0, 4, 1));
    }
    assert!(table.probe(3, 8).is_some(), "deep enough to outlive one search");
    assert!((10..13).all(|key| table.probe(key, 4).is_some()));
}

#[test]
fn entries_of_another_game_are_not_found() {
    let mut used = table(64);
    for game in 0..100_u64 {
        used.new_game();
        let mut fresh = table(64);
        for i in 0..300_u64 {
            let key = (i * 17 + game * 5).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            assert_eq!(used.probe(key, 2), fresh.probe(key, 2));
            let stored = entry(i as Value, INFINITY, (i * 7 % 11) as i32, i as u16);
            used.store(key, stored);
            fresh.store(key, stored);
            if i % 50 == 0 {
                used.new_search();
                fresh.new_search();
            }
        }
    }
}

fn by(replacement: Replacement, entries: usize) -> Table {
    let options = TableOptions { replacement, ..TableOptions::BEST };
    Table::new(TableSize::Entries(entries), options)
}

#[test]
fn table_with_one_bound_keeps_one() {
    let options = TableOptions { both_bounds: false, ..TableOptions::BEST };
    for (_, replacement) in Replacement::CHOICES {
        let size = TableSize::Entries(256);
        let mut table = Table::new(size, TableOptions { replacement, ..options });
        table.store(7, entry(-10, INFINITY, 3, 5));
        table.store(7, entry(-INFINITY, 20, 3, 0));
        assert_eq!(table.probe(7, 3), Some(entry(-INFINITY, 20, 3, 5)), "{replacement:?}");
        table.store(7, entry(4, 4, 3, 6));
        assert_eq!(table.probe(7, 3), Some(entry(4, 4, 3, 6)), "{replacement:?}");
        table = by(replacement, 256);
        table.store(7, entry(-10, INFINITY, 3, 5));
        table.store(7, entry(-INFINITY, 20, 3, 0));
        assert_eq!(table.probe(7, 3), Some(entry(-10, 20, 3, 5)), "{replacement:?}");
    }
}

#[test]
fn always_replace_keeps_the_newest() {
    let table = by(Replacement::Always, 4);
    table.store(8, entry(1, 1, 9, 1));
    table.store(12, entry(2, 2, 1, 2));
    table.store(13, entry(3, 3, 1, 3));
    assert_eq!(table.probe(8, 9), None, "the same place");
    assert!(table.probe(12, 1).is_some() && table.probe(13, 1).is_some());
}

#[test]
fn depth_replace_keeps_the_deepest_of_any_age() {
    let mut table = by(Replacement::Depth, 4);
    for key in 0..4 {
        table.store(key, entry(0, 0, 5 + key as i32, 1));
    }
    for _ in 0..6 {
        table.new_search();
    }
    table.store(9, entry(0, 0, 4, 1));
    assert_eq!(table.probe(9, 4), None, "shallower than all");
    table.store(9, entry(0, 0, 5, 1));
    assert!(table.probe(9, 5).is_some() && table.probe(0, 5).is_none());
}

#[test]
fn two_tiers_keep_the_deepest_and_the_newest() {
    let table = by(Replacement::TwoTier, 4);
    for (key, depth) in [(2, 5), (4, 7), (6, 3)] {
        table.store(key, entry(0, 0, depth, 1));
    }
    let kept = [2, 4, 6].map(|key| table.probe(key, 0).is_some());
    assert_eq!(kept, [false, true, true], "7 took the place of 5, and 3 its second place");
    table.store(1, entry(0, 0, 1, 1));
    assert!([1, 4, 6].iter().all(|&key| table.probe(key, 0).is_some()), "another pair");
    for entries in [1, 2] {
        let small = by(Replacement::TwoTier, entries);
        small.store(3, entry(0, 0, 2, 1));
        small.store(5, entry(0, 0, 1, 1));
        assert!(small.probe(5, 1).is_some());
        assert_eq!(small.probe(3, 2).is_some(), entries == 2);
    }
}

#[test]
fn replacement_schemes_differ() {
    let kept = |replacement| {
        let table = by(replacement, 4);
        // All of one place, one pair and one bucket.
        let stores = [(0, 9), (4, 8), (8, 1), (12, 2), (16, 0)];
        for (key, depth) in stores {
            table.store(key, entry(0, 0, depth, 1));
        }
        stores.map(|(key, depth)| table.probe(key, depth).is_some())
    };
    assert_eq!(kept(Replacement::Always), [false, false, false, false, true]);
    assert_eq!(kept(Replacement::Depth), [true, true, true, true, false], "shallower than all");
    assert_eq!(
        kept(Replacement::TwoTier),
        [true, false, false, false, true],
        "the deepest and the newest"
    );
    assert_eq!(kept(Replacement::Age), [true, true, false, true, true], "the shallowest went");
}
