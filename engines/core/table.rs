//! The transposition table: both bounds of a node, with the depth for which they hold.
//!
//! An entry is two words (`slot.rs`): lower bound, upper bound, best move, depth and stamp, packed,
//! and the full 64-bit key XOR these data. Four entries are a bucket of one cache line. The stamp
//! names the game (1 to 31) and the search within the game (modulo 8): entries of another game are
//! treated as empty in every respect, so a new game starts from an empty table at no cost; the
//! memory is cleared at every 31st game.
//!
//! Several threads may probe and store at once, without locks (Hyatt and Mann, A lockless
//! transposition table implementation for parallel search, ICGA Journal 25, 2002). Both bounds, the
//! depth and the move are one word, so bounds of two searches never mix. Of two simultaneous stores
//! one may get lost, or both stay; both are valid.

mod slot;

use self::slot::Slot;
use crate::game::Move;
use crate::prefetch::prefetch;
use crate::value::{Bounds, INFINITY, Value};

const WAYS: usize = 4;
const LINE_BYTES: usize = 64;
const SLOT_BYTES: usize = LINE_BYTES / WAYS;
const LAST_GAME: u8 = 31;
const AGES: u8 = 8;

/// The rank of a slot when an entry is replaced; entries that stay rank higher.
const EMPTY: i32 = i32::MIN + 1;
const REPLACED: i32 = i32::MIN;

/// Which entry a new one replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// The entry in the key's only slot.
    Always,
    /// The shallowest entry of the bucket; the new one is dropped if all are deeper.
    Depth,
    /// A key has two slots: the first keeps the deeper entry, the second the other (Breuker,
    /// Uiterwijk and van den Herik, 1994: TwoDeep).
    TwoTier,
    /// The shallowest and oldest entry of the bucket; the age of one search counts as four plies.
    Age,
}

impl Replacement {
    /// All choices by name.
    pub const CHOICES: [(&'static str, Replacement); 4] = [
        ("always", Replacement::Always),
        ("depth", Replacement::Depth),
        ("two-tier", Replacement::TwoTier),
        ("age", Replacement::Age),
    ];
}

/// How a table keeps entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableOptions {
    /// An entry keeps the other bound of an earlier search of the same depth.
    pub both_bounds: bool,
    /// Which entry is replaced.
    pub replacement: Replacement,
}

impl TableOptions {
    /// Both bounds; the shallowest and oldest entry is replaced.
    pub const BEST: TableOptions =
        TableOptions { both_bounds: true, replacement: Replacement::Age };
}

/// How large a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSize {
    /// The size in MB (2^20 bytes) of 16-byte entries; 0 is no table.
    Megabytes(usize),
    /// The number of entries, a power of two; 0 is no table.
    Entries(usize),
}

impl TableSize {
    /// The number of entries.
    pub fn entries(self) -> usize {
        match self {
            TableSize::Megabytes(mb) => mb * (1 << 20) / SLOT_BYTES,
            TableSize::Entries(entries) => entries,
        }
    }

    /// True if the system can allocate that much memory. Checked first, because a failing
    /// allocation ends the process.
    pub fn is_available(self) -> bool {
        let mut trial: Vec<Slot> = Vec::new();
        let given = trial.try_reserve_exact(self.entries()).is_ok();
        // Without this the optimiser removes the allocation and assumes success.
        std::hint::black_box(&trial);
        given
    }
}

/// The entry of a node. Unknown bounds are infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value is at least this.
    pub lower: Value,
    /// The value is at most this.
    pub upper: Value,
    /// The remaining depth for which both bounds hold.
    pub depth: i32,
    /// The best move known, or none.
    pub mv: Move,
    /// True when both bounds were found at expected PV nodes.
    pub pv: bool,
}

impl Entry {
    /// The stored bound that settles the window, if any.
    #[inline(always)]
    pub(crate) fn settled(&self, alpha: Value, beta: Value) -> Option<Value> {
        Bounds { lower: self.lower, upper: self.upper }.settled(alpha, beta)
    }

    fn pack(&self, stamp: u8) -> u64 {
        u64::from(self.lower as i16 as u16)
            | u64::from(self.upper as i16 as u16) << 16
            | u64::from(self.mv.0) << 32
            | (self.depth as u64 & 0x7F) << 48
            | u64::from(self.pv) << 55
            | u64::from(stamp) << 56
    }

    #[inline(always)]
    fn unpack(data: u64) -> Entry {
        Entry {
            lower: Value::from(data as u16 as i16),
            upper: Value::from((data >> 16) as u16 as i16),
            mv: Move((data >> 32) as u16),
            depth: depth_of(data),
            pv: data >> 55 & 1 == 1,
        }
    }
}

#[inline(always)]
fn depth_of(data: u64) -> i32 {
    i32::from((data >> 48) as u8 & 0x7F)
}

#[inline(always)]
fn game_of(data: u64) -> u8 {
    (data >> 59) as u8
}

#[inline(always)]
fn age_of(data: u64) -> u8 {
    (data >> 56) as u8 % AGES
}

/// The table. All its answers depend only on what was stored since [`Table::new_game`].
pub struct Table {
    slots: Box<[Slot]>,
    /// The first slot on a cache line boundary.
    offset: usize,
    buckets: usize,
    /// Entries per bucket: four, fewer in tables of one or two entries.
    ways: usize,
    options: TableOptions,
    game: u8,
    age: u8,
}

impl Table {
    /// An empty table.
    pub fn new(size: TableSize, options: TableOptions) -> Table {
        let entries = size.entries();
        let ways = entries.min(WAYS);
        let buckets = entries.div_ceil(WAYS);
        let slack = WAYS - 1;
        let slots = slot::empty(if buckets == 0 { 0 } else { buckets * WAYS + slack });
        ask_for_large_pages(&slots);
        let misaligned = slots.as_ptr() as usize % LINE_BYTES / SLOT_BYTES;
        let offset = if misaligned == 0 { 0 } else { WAYS - misaligned };
        Table { slots, offset, buckets, ways, options, game: 1, age: 0 }
    }

    /// An empty table, reusing this one's memory if the size fits.
    pub fn renewed(mut self, size: TableSize, options: TableOptions) -> Table {
        let entries = size.entries();
        if (self.buckets, self.ways) != (entries.div_ceil(WAYS), entries.min(WAYS)) {
            drop(self);
            return Table::new(size, options);
        }
        self.options = options;
        self.new_game();
        self
    }

    /// True for a table without entries.
    #[inline(always)]
    pub fn is_off(&self) -> bool {
        self.buckets == 0
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.buckets * self.ways
    }

    /// How full the table is with entries of this game, in thousandths, from the first thousand
    /// slots.
    pub fn permille(&self) -> u32 {
        let sample = self.entries().min(1000);
        let places = (0..sample).map(|place| place / self.ways * WAYS + place % self.ways);
        let used = places
            .filter(|place| game_of(self.slots[self.offset + place].data()) == self.game)
            .count();
        (used * 1000).checked_div(sample).unwrap_or(0) as u32
    }

    /// Empties the table logically.
    pub fn new_game(&mut self) {
        self.age = 0;
        if self.game == LAST_GAME {
            self.slots.iter().for_each(Slot::clear);
            self.game = 0;
        }
        self.game += 1;
    }

    /// Starts a new search of the same game.
    pub fn new_search(&mut self) {
        self.age = (self.age + 1) % AGES;
    }

    /// The entry of a key: that of exactly `depth`, else the deepest.
    #[inline]
    pub fn probe(&self, key: u64, depth: i32) -> Option<Entry> {
        if self.is_off() {
            return None;
        }
        let mut found: Option<u64> = None;
        for slot in self.bucket(key) {
            let data = slot.data();
            if slot.key(data) == key && game_of(data) == self.game {
                if depth_of(data) == depth {
                    return Some(Entry::unpack(data));
                }
                if found.is_none_or(|other| depth_of(other) < depth_of(data)) {
                    found = Some(data);
                }
            }
        }
        found.map(Entry::unpack)
    }

    /// Prefetches the bucket of a key.
    #[inline(always)]
    pub fn prefetch(&self, key: u64) {
        if !self.is_off() {
            prefetch(&self.slots[self.start(key)]);
        }
    }

    /// Stores bounds; an infinite one is unknown. The other bound of an entry of the same key and
    /// depth is kept unless the new one contradicts it, and so is its move if there is no new one.
    /// A shallower entry of the key is replaced, a deeper one stays; otherwise [`Replacement`]
    /// decides.
    #[inline]
    pub fn store(&self, key: u64, entry: Entry) {
        if self.is_off() {
            return;
        }
        match self.options {
            TableOptions::BEST => self.store_in_bucket::<true>(key, entry, 4),
            TableOptions { both_bounds, replacement } => {
                self.store_otherwise(key, entry, both_bounds, replacement);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn store_otherwise(&self, key: u64, entry: Entry, both_bounds: bool, replacement: Replacement) {
        match (replacement, both_bounds) {
            (Replacement::Age, _) => self.store_in_bucket::<false>(key, entry, 4),
            (Replacement::Depth, true) => self.store_in_bucket::<true>(key, entry, 0),
            (Replacement::Depth, false) => self.store_in_bucket::<false>(key, entry, 0),
            (Replacement::Always, _) => self.store_in_tiers(key, entry, both_bounds, 1),
            (Replacement::TwoTier, _) => self.store_in_tiers(key, entry, both_bounds, 2),
        }
    }

    /// Stores in the one or two slots of a key. Of two, the first keeps the deeper entry.
    fn store_in_tiers(&self, key: u64, mut entry: Entry, both_bounds: bool, tiers: usize) {
        let (game, age) = (self.game, self.age);
        let tiers = tiers.min(self.ways);
        let first = key as usize % (self.ways / tiers) * tiers;
        let places = &self.bucket(key)[first..first + tiers];
        for slot in places {
            let data = slot.data();
            if slot.key(data) == key && game_of(data) == game && depth_of(data) <= entry.depth {
                inherit(&mut entry, &Entry::unpack(data), both_bounds);
                slot.clear();
            }
        }
        let mut target = 0;
        let kept = places[0].data();
        if tiers == 2 && game_of(kept) == game {
            if depth_of(kept) > entry.depth {
                target = 1;
            } else {
                places[1].store(places[0].key(kept), kept);
            }
        }
        places[target].store(key, entry.pack(game << 3 | age));
    }

    /// Stores in the bucket of a key; the age of one search counts as `plies_a_search`. With 0, an
    /// entry shallower than the whole bucket is dropped.
    #[inline(always)]
    fn store_in_bucket<const BOTH: bool>(&self, key: u64, mut entry: Entry, plies_a_search: i32) {
        let (game, age) = (self.game, self.age);
        let bucket = self.bucket(key);
        let (mut victim, mut least) = (0, i32::MAX);
        for (place, slot) in bucket.iter().enumerate() {
            let data = slot.data();
            let worth = if game_of(data) != game {
                EMPTY
            } else if slot.key(data) == key && depth_of(data) <= entry.depth {
                inherit(&mut entry, &Entry::unpack(data), BOTH);
                slot.clear();
                REPLACED
            } else {
                let searches_ago = (age + AGES - age_of(data)) % AGES;
                depth_of(data) - plies_a_search * i32::from(searches_ago)
            };
            if worth < least {
                (least, victim) = (worth, place);
            }
        }
        if plies_a_search == 0 && least > entry.depth {
            return;
        }
        bucket[victim].store(key, entry.pack(game << 3 | age));
    }

    #[inline(always)]
    fn start(&self, key: u64) -> usize {
        let bucket = ((u128::from(key) * self.buckets as u128) >> 64) as usize;
        self.offset + bucket * WAYS
    }

    #[inline(always)]
    fn bucket(&self, key: u64) -> &[Slot] {
        let start = self.start(key);
        &self.slots[start..start + self.ways]
    }
}

/// Advises the system to use large pages, which makes lookups cheaper.
fn ask_for_large_pages(slots: &[Slot]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let start = (slots.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (slots.as_ptr() as usize + size_of_val(slots)) / PAGE * PAGE;
        if start < end {
            // SAFETY: the range lies inside `slots`, and the advice changes no content.
            unsafe {
                libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = slots;
}

/// Completes a new entry with what is still valid of an older one of the same key.
#[inline(always)]
fn inherit(entry: &mut Entry, old: &Entry, both_bounds: bool) {
    if entry.mv.is_none() {
        entry.mv = old.mv;
    }
    // Bounds of an expected PV node serve other nodes, not the reverse.
    if !both_bounds || old.depth != entry.depth || (entry.pv && !old.pv) {
        return;
    }
    if entry.lower == -INFINITY && old.lower <= entry.upper {
        entry.lower = old.lower;
    }
    if entry.upper == INFINITY && old.upper >= entry.lower {
        entry.upper = old.upper;
    }
}

#[cfg(test)]
mod tests;
