//! The order of moves: table move, sound captures, killers and quiet moves by history, losing
//! captures. Moves are generated once a node and spelled out when their turn comes.

use crate::game::{Game, Move};

/// Killers and histories of this many plies from the root are kept apart.
const PLIES: usize = 256;
const KILLER: i32 = 1 << 20;
const HISTORY_BOUND: i32 = 1 << 14;

/// A move with its score.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    mv: Move,
    score: i32,
}

/// What is remembered of quiet moves that cut, apart from the table.
pub struct Ordering {
    killers: [[Move; 2]; PLIES],
    history: Vec<i32>,
}

impl Ordering {
    /// Nothing remembered, for a game with that many history slots.
    pub fn new(slots: usize) -> Ordering {
        Ordering { killers: [[Move::NONE; 2]; PLIES], history: vec![0; slots] }
    }

    /// Forgets everything.
    pub fn new_game(&mut self) {
        self.killers = [[Move::NONE; 2]; PLIES];
        self.history.fill(0);
    }

    /// Lets what an earlier search of the game found count half.
    pub fn new_search(&mut self) {
        self.killers = [[Move::NONE; 2]; PLIES];
        self.history.iter_mut().for_each(|score| *score /= 2);
    }

    /// Rewards a quiet move that cut at `ply`.
    #[inline]
    pub fn reward(&mut self, slot: usize, mv: Move, ply: usize, depth: i32) {
        let killers = &mut self.killers[ply % PLIES];
        if killers[0] != mv {
            *killers = [mv, killers[0]];
        }
        self.change(slot, bonus(depth));
    }

    /// Punishes a quiet move that was tried before the one that cut.
    #[inline]
    pub fn punish(&mut self, slot: usize, depth: i32) {
        self.change(slot, -bonus(depth));
    }

    /// Moves a score toward ±[`HISTORY_BOUND`], the slower the nearer it is.
    #[inline]
    fn change(&mut self, slot: usize, bonus: i32) {
        let score = &mut self.history[slot];
        *score += bonus - *score * bonus.abs() / HISTORY_BOUND;
    }

    #[inline(always)]
    fn quiet_score(&self, slot: usize, mv: Move, ply: usize) -> i32 {
        let killers = &self.killers[ply % PLIES];
        if mv == killers[0] {
            KILLER + 1
        } else if mv == killers[1] {
            KILLER
        } else {
            self.history[slot]
        }
    }
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

/// A move as the picker hands it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    /// The move.
    pub mv: Move,
    /// True for a move that is neither a capture nor a promotion.
    pub quiet: bool,
}

/// Hands out the moves of one node, best first, each once.
pub struct Picker<G: Game> {
    stage: Stage,
    table_move: Move,
    targets: Option<G::Targets>,
    /// The arena holds losing captures from `start` to `losing` and moves not yet handed out
    /// from `cursor` on.
    start: usize,
    losing: usize,
    cursor: usize,
}

impl<G: Game> Picker<G> {
    /// A picker whose first move is `table_move`, which must be legal or none.
    #[inline]
    pub fn new(table_move: Move, arena: &Arena) -> Picker<G> {
        let (start, stage) = (arena.len(), Stage::Table);
        Picker { stage, table_move, targets: None, start, losing: start, cursor: start }
    }

    /// The next move, or `None` when all were handed out.
    #[inline]
    pub fn next(
        &mut self,
        game: &G,
        position: &G::Position,
        ordering: &Ordering,
        ply: usize,
        arena: &mut Arena,
    ) -> Option<Picked> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::Generate;
                    if !self.table_move.is_none() {
                        let quiet = game.is_quiet(position, self.table_move);
                        return Some(Picked { mv: self.table_move, quiet });
                    }
                }
                Stage::Generate => {
                    self.stage = Stage::Tactical;
                    let targets = self.targets.insert(game.targets(position));
                    game.tactical(position, targets, |mv, score| arena.push(Scored { mv, score }));
                }
                Stage::Tactical => match self.best(arena) {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) if game.is_losing(position, mv) => {
                        arena[self.losing] = Scored { mv, score: 0 };
                        self.losing += 1;
                    }
                    Some(mv) => return Some(Picked { mv, quiet: false }),
                    None => {
                        self.stage = Stage::Quiet;
                        arena.truncate(self.losing);
                        self.cursor = self.losing;
                        let targets = self.targets.as_ref().expect("generated before");
                        game.quiets(position, targets, |mv| {
                            let slot = game.history_slot(position, mv);
                            arena.push(Scored { mv, score: ordering.quiet_score(slot, mv, ply) });
                        });
                    }
                },
                Stage::Quiet => match self.best(arena) {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) => return Some(Picked { mv, quiet: true }),
                    None => {
                        self.stage = Stage::Losing;
                        self.cursor = self.start;
                    }
                },
                Stage::Losing => {
                    if self.cursor == self.losing {
                        return None;
                    }
                    self.cursor += 1;
                    return Some(Picked { mv: arena[self.cursor - 1].mv, quiet: false });
                }
            }
        }
    }

    /// Gives the node's part of the arena back.
    #[inline]
    pub fn release(self, arena: &mut Arena) {
        arena.truncate(self.start);
    }

    #[inline]
    fn best(&mut self, arena: &mut Arena) -> Option<Move> {
        let mv = take_best(arena, self.cursor)?;
        self.cursor += 1;
        Some(mv)
    }
}

/// The move of the highest score from `cursor` on, the first of several, moved to `cursor`.
#[inline]
pub fn take_best(arena: &mut Arena, cursor: usize) -> Option<Move> {
    let rest = arena.get_mut(cursor..)?;
    let (mut best, mut score) = (0, rest.first()?.score);
    for (i, scored) in rest.iter().enumerate().skip(1) {
        if scored.score > score {
            (best, score) = (i, scored.score);
        }
    }
    rest.swap(0, best);
    Some(rest[0].mv)
}

impl Scored {
    /// A move with a score.
    #[inline(always)]
    pub fn new(mv: Move, score: i32) -> Scored {
        Scored { mv, score }
    }
}
