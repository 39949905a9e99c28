//! The order of moves: table move, sound captures, killers, the counter-move and quiet moves by
//! history, losing captures. Moves are generated once per node and expanded in stages.

use std::ops::Range;

use crate::game::{Game, Merit, Move};
use crate::prefetch::prefetch;

/// Killers are kept for this many plies from the root.
const PLIES: usize = 256;
const KILLER: i32 = 1 << 20;
const COUNTER_MOVE: i32 = 1 << 19;
/// The absolute maximum of a history.
pub const HISTORY_BOUND: i32 = 1 << 14;

/// A move with its score.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    pub(crate) mv: Move,
    score: i32,
}

/// Which memories order moves in selective search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderingOptions {
    /// The last two quiet moves of a ply that cut.
    pub killers: bool,
    /// The quiet move that last refuted the previous move.
    pub counter_moves: bool,
    /// How often a quiet move cut after the previous move, and after the one before that.
    pub continuation_history: bool,
    /// How often a capture cut.
    pub capture_history: bool,
    /// A cut that the table already has for this position, depth and move is not rewarded again:
    /// later passes repeat the cuts of earlier ones.
    pub reward_once: bool,
    /// By how much each move that a quiet move leaves the other side lowers its score.
    pub replies: i32,
}

impl OrderingOptions {
    /// All memories.
    pub const ALL: OrderingOptions = OrderingOptions {
        killers: true,
        counter_moves: true,
        continuation_history: true,
        capture_history: true,
        reward_once: false,
        replies: 0,
    };
}

/// The moves before a node on which its move order depends.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// Distance from the root.
    pub ply: usize,
    /// The [slot](Game::slot) of the last move; [`Game::SLOTS`] for none and for a null move.
    pub last: usize,
    /// The slot of the move before that.
    pub before_last: usize,
}

/// Memories of moves that cut, besides the table.
pub struct Ordering {
    options: OrderingOptions,
    slots: usize,
    killers: [[Move; 2]; PLIES],
    history: Vec<i16>,
    counter_moves: Vec<Move>,
    continuation: Vec<i16>,
    captures: Vec<i16>,
}

impl Ordering {
    /// Empty memories for a game with that many slots for histories and for moves.
    pub fn new(histories: usize, slots: usize, options: OrderingOptions) -> Ordering {
        let continuations = if options.continuation_history { (slots + 1) * slots } else { 0 };
        Ordering {
            options,
            slots,
            killers: [[Move::NONE; 2]; PLIES],
            history: vec![0; histories],
            counter_moves: vec![Move::NONE; slots + 1],
            continuation: vec![0; continuations],
            captures: vec![0; slots * VICTIMS],
        }
    }

    /// Forgets everything.
    pub fn new_game(&mut self) {
        self.killers = [[Move::NONE; 2]; PLIES];
        self.history.fill(0);
        self.counter_moves.fill(Move::NONE);
        self.continuation.fill(0);
        self.captures.fill(0);
    }

    /// Clears the killers, which belong to a place in the tree.
    pub fn new_search(&mut self) {
        self.killers = [[Move::NONE; 2]; PLIES];
    }

    /// Rewards a quiet move that cut; `history` and `slot` are its indices.
    #[inline]
    pub fn reward(&mut self, at: &Context, mv: Move, history: usize, slot: usize, depth: i32) {
        if self.options.killers {
            let killers = &mut self.killers[at.ply % PLIES];
            if killers[0] != mv {
                *killers = [mv, killers[0]];
            }
        }
        if self.options.counter_moves {
            self.counter_moves[at.last] = mv;
        }
        self.change_quiet(at, history, slot, bonus(depth));
    }

    /// Punishes a quiet move that was tried before the one that cut.
    #[inline]
    pub fn punish(&mut self, at: &Context, history: usize, slot: usize, depth: i32) {
        self.change_quiet(at, history, slot, -bonus(depth));
    }

    /// Rewards a capture that cut, or punishes one that was tried before.
    #[inline]
    pub fn change_capture(&mut self, slot: usize, victim: usize, depth: i32, cut: bool) {
        if self.options.capture_history {
            let bonus = if cut { bonus(depth) } else { -bonus(depth) };
            change(&mut self.captures[slot * VICTIMS + victim], bonus);
        }
    }

    #[inline]
    fn change_quiet(&mut self, at: &Context, history: usize, slot: usize, bonus: i32) {
        change(&mut self.history[history], bonus);
        if self.options.continuation_history {
            change(&mut self.continuation[at.last * self.slots + slot], bonus);
            change(&mut self.continuation[at.before_last * self.slots + slot], bonus);
        }
    }

    /// What scores the quiet moves of a node.
    #[inline]
    fn quiet_scores(&self, at: &Context) -> QuietScores<'_> {
        let row = |slot: usize| {
            let start = slot * self.slots;
            self.continuation.get(start..start + self.slots).unwrap_or(&[])
        };
        let counter_move = self.counter_moves[at.last];
        QuietScores {
            killers: self.killers[at.ply % PLIES],
            counter_move: if self.options.counter_moves { counter_move } else { Move::NONE },
            history: &self.history,
            continuations: [row(at.last), row(at.before_last)],
        }
    }

    /// Prefetches the scores of a node's quiet moves, whose slots lie in `of_side`.
    #[inline]
    fn prefetch_quiets(&self, at: &Context, of_side: Range<usize>) {
        for row in [at.last, at.before_last] {
            let (start, end) = (row * self.slots + of_side.start, row * self.slots + of_side.end);
            for line in self.continuation.get(start..end).unwrap_or(&[]).chunks(32) {
                prefetch(&line[0]);
            }
        }
    }

    /// How often a quiet move cut, wherever it was played.
    #[inline(always)]
    pub(crate) fn history(&self, history: usize) -> i32 {
        i32::from(self.history[history])
    }

    /// The score of a capture: by victim and attacker, then by capture history.
    #[inline(always)]
    pub(crate) fn capture_score(&self, merit: Merit) -> i32 {
        256 * merit.score + i32::from(self.captures[merit.slot * VICTIMS + merit.victim]) / 4
    }
}

/// The tables that score the quiet moves of one node, looked up once.
struct QuietScores<'a> {
    killers: [Move; 2],
    /// None where counter-moves are off.
    counter_move: Move,
    history: &'a [i16],
    /// After the last move and after the one before it, by slot; empty where they are off.
    continuations: [&'a [i16]; 2],
}

impl QuietScores<'_> {
    /// The score of a move: its merit, or the sum of its histories, within ±3 x [`HISTORY_BOUND`].
    #[inline(always)]
    fn score(&self, mv: Move, history: usize, slot: usize) -> i32 {
        if mv == self.killers[0] {
            KILLER + 1
        } else if mv == self.killers[1] {
            KILLER
        } else if mv == self.counter_move {
            COUNTER_MOVE
        } else {
            let of = |row: &[i16]| row.get(slot).map_or(0, |&score| i32::from(score));
            let [last, before_last] = self.continuations;
            i32::from(self.history[history]) + of(last) + of(before_last)
        }
    }
}

/// Kinds of men that can be captured, and none.
pub const VICTIMS: usize = 8;

/// Moves a score toward ±[`HISTORY_BOUND`], more slowly near it.
#[inline(always)]
fn change(score: &mut i16, bonus: i32) {
    let old = i32::from(*score);
    *score = (old + bonus - old * bonus.abs() / HISTORY_BOUND) as i16;
}

fn bonus(depth: i32) -> i32 {
    (depth * depth * 16).min(2048)
}

/// The move lists of all nodes on the current path, one after the other. A node owns what it
/// pushed until its [`Picker`] is [released](Picker::release).
pub type Arena = Vec<Scored>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    Generate,
    Tactical,
    Quiet,
    Losing,
}

/// A move from the picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The move.
    pub mv: Move,
    /// True for a move that is neither a capture nor a promotion.
    pub quiet: bool,
    /// True for a tactical move that loses material on its square and is not the table move.
    pub losing: bool,
    /// Score of a quiet move: killer, counter-move, or histories; 0 for the table move.
    pub score: i32,
}

impl Picked {
    /// The histories of a quiet move; 0 if it is ordered by other merits.
    #[inline(always)]
    pub fn history(&self) -> i32 {
        if self.score >= COUNTER_MOVE { HISTORY_BOUND } else { self.score }
    }
}

/// Yields the moves of one node, best first, each once.
pub struct Picker<G: Game> {
    stage: Stage,
    table_move: Move,
    context: Context,
    targets: Option<G::Targets>,
    /// Quiet moves are skipped from now on.
    skips_quiets: bool,
    /// Quiet moves are yielded unordered.
    in_any_order: bool,
    /// Quiet moves matter only if one of them forces the other side.
    hopes_for_force: bool,
    /// Quiet moves were skipped: none forced the other side.
    passed_over: bool,
    /// The arena has losing captures from `start` to `losing`, and remaining moves from `cursor`
    /// on.
    start: usize,
    losing: usize,
    cursor: usize,
}

impl<G: Game> Picker<G> {
    /// A picker whose first move is `table_move`, which must be legal or none.
    #[inline]
    pub fn new(table_move: Move, context: Context, arena: &Arena) -> Picker<G> {
        let (start, stage) = (arena.len(), Stage::Table);
        Picker {
            stage,
            table_move,
            context,
            targets: None,
            skips_quiets: false,
            in_any_order: false,
            hopes_for_force: false,
            passed_over: false,
            start,
            losing: start,
            cursor: start,
        }
    }

    /// Skips the remaining quiet moves.
    #[inline(always)]
    pub fn skip_quiets(&mut self) {
        self.skips_quiets = true;
    }

    /// Of the remaining quiet moves, yields only those that force the other side, unordered, which
    /// is cheaper.
    #[inline(never)]
    pub fn keep_forcing(
        &mut self,
        game: &G,
        position: &G::Position,
        forcing: &G::Forcing,
        arena: &mut Arena,
    ) {
        self.in_any_order = true;
        let targets = self.targets.as_ref().expect("generated before");
        let mut kept = self.cursor;
        if game.may_force_quietly(position, targets, forcing) {
            for place in self.cursor..arena.len() {
                let scored = arena[place];
                if game.forces(position, forcing, scored.mv) {
                    arena[kept] = scored;
                    kept += 1;
                }
            }
        }
        arena.truncate(kept);
    }

    /// True as long as no quiet move was generated.
    #[inline(always)]
    pub fn is_before_quiets(&self) -> bool {
        matches!(self.stage, Stage::Generate | Stage::Tactical)
    }

    /// Passes over all quiet moves if it comes to them and none forces the other side.
    #[inline(always)]
    pub fn hope_for_force(&mut self, hope: bool) {
        self.hopes_for_force = hope;
    }

    /// True once after quiet moves were skipped.
    #[inline(always)]
    pub fn take_passed_over(&mut self) -> bool {
        std::mem::take(&mut self.passed_over)
    }

    /// The next move, or `None` at the end.
    #[inline]
    pub fn next(
        &mut self,
        game: &G,
        position: &G::Position,
        ordering: &Ordering,
        arena: &mut Arena,
    ) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::Generate;
                    if !self.table_move.is_none() {
                        let quiet = game.is_quiet(position, self.table_move);
                        return Some(Picked {
                            mv: self.table_move,
                            quiet,
                            losing: false,
                            score: 0,
                        });
                    }
                }
                Stage::Generate => {
                    self.stage = Stage::Tactical;
                    self.push_tactical(game, position, ordering, arena);
                }
                Stage::Tactical => match self.best(arena) {
                    Some((mv, _)) if mv == self.table_move => {}
                    Some((mv, score)) if game.is_losing(position, mv) => {
                        arena[self.losing] = Scored { mv, score };
                        self.losing += 1;
                    }
                    Some((mv, score)) => {
                        return Some(Picked { mv, quiet: false, losing: false, score });
                    }
                    None => {
                        self.stage = Stage::Quiet;
                        arena.truncate(self.losing);
                        self.cursor = self.losing;
                        if self.hopes_for_force && self.passes_over(game, position) {
                            self.stage = Stage::Losing;
                            self.cursor = self.start;
                        } else if !self.skips_quiets {
                            self.push_quiets(game, position, ordering, arena);
                        }
                    }
                },
                Stage::Quiet => match self.next_quiet(arena) {
                    Some((mv, _)) if mv == self.table_move => {}
                    Some((mv, score)) if !self.skips_quiets => {
                        return Some(Picked { mv, quiet: true, losing: false, score });
                    }
                    _ => {
                        self.stage = Stage::Losing;
                        self.cursor = self.start;
                    }
                },
                Stage::Losing => {
                    if self.cursor == self.losing {
                        return None;
                    }
                    let Scored { mv, score } = arena[self.cursor];
                    self.cursor += 1;
                    return Some(Picked { mv, quiet: false, losing: true, score });
                }
            }
        }
    }

    // Separate from `next`, which is called for every move and would pay for their stack frames.
    #[inline(never)]
    fn push_tactical(
        &mut self,
        game: &G,
        position: &G::Position,
        ordering: &Ordering,
        arena: &mut Arena,
    ) {
        ordering.prefetch_quiets(&self.context, game.slots_to_move(position));
        let targets = self.targets.insert(game.targets(position));
        game.tactical(position, targets, |mv, merit| {
            arena.push(Scored { mv, score: ordering.capture_score(merit) });
        });
    }

    #[inline(never)]
    fn push_quiets(
        &self,
        game: &G,
        position: &G::Position,
        ordering: &Ordering,
        arena: &mut Arena,
    ) {
        let targets = self.targets.as_ref().expect("generated before");
        let scores = ordering.quiet_scores(&self.context);
        let weight = ordering.options.replies;
        let now = if weight > 0 { game.count_quiets(position, targets) as i32 } else { 0 };
        game.quiets(position, targets, |mv, slot| {
            let mut score = scores.score(mv, game.history_slot(position, mv), slot);
            if weight > 0 && score < COUNTER_MOVE {
                score += game.replies(position, mv).map_or(0, |replies| weight * (now - replies));
            }
            arena.push(Scored { mv, score });
        });
    }

    /// True where no quiet move forces the other side.
    #[inline(never)]
    fn passes_over(&mut self, game: &G, position: &G::Position) -> bool {
        let targets = self.targets.as_ref().expect("generated before");
        if game.may_force_quietly(position, targets, &game.forcing(position)) {
            return false;
        }
        let quiets = game.count_quiets(position, targets);
        let table_move = !self.table_move.is_none() && game.is_quiet(position, self.table_move);
        self.passed_over = quiets > usize::from(table_move);
        true
    }

    /// Releases the node's part of the arena.
    #[inline]
    pub fn release(self, arena: &mut Arena) {
        arena.truncate(self.start);
    }

    #[inline]
    fn next_quiet(&mut self, arena: &mut Arena) -> Option<(Move, i32)> {
        if !self.in_any_order {
            return self.best(arena);
        }
        let scored = arena.get(self.cursor)?;
        self.cursor += 1;
        Some((scored.mv, scored.score))
    }

    #[inline]
    fn best(&mut self, arena: &mut Arena) -> Option<(Move, i32)> {
        let found = take_best(arena, self.cursor)?;
        self.cursor += 1;
        Some(found)
    }
}

/// The move of the highest score from `cursor` on, the first of several, moved to `cursor`.
#[inline]
pub fn take_best(arena: &mut Arena, cursor: usize) -> Option<(Move, i32)> {
    let rest = arena.get_mut(cursor..)?;
    let (mut best, mut score) = (0, rest.first()?.score);
    for (i, scored) in rest.iter().enumerate().skip(1) {
        if scored.score > score {
            (best, score) = (i, scored.score);
        }
    }
    rest.swap(0, best);
    Some((rest[0].mv, score))
}

impl Scored {
    /// A move with a score.
    #[inline(always)]
    pub fn new(mv: Move, score: i32) -> Scored {
        Scored { mv, score }
    }
}
