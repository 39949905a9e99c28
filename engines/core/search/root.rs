//! The root: its move order is kept from pass to pass, and the table never cuts it.

use std::ops::Range;

use super::Search;
use super::edge::Edge;
use crate::drivers::Shape;
use crate::game::{Game, Move};
use crate::node::{NodeKind, Outcome, TableRules};
use crate::ordering::Picker;
use crate::parallel::Known;
use crate::value::{Bounds, INFINITY, Value, from_child};

/// The root of a search.
pub struct Root<G: Game> {
    /// The position.
    pub position: G::Position,
    /// The moves to search, usually all legal ones: those set aside, the one that last raised
    /// alpha, the others.
    moves: Vec<Move>,
    /// The bounds of each move in this iteration.
    bounds: Vec<Bounds>,
    /// The number of moves set aside, with which earlier lines of this depth begin.
    aside: usize,
    /// True if legal moves are left out: values are then not those of the position.
    restricted: bool,
    /// The last move after the first that raised alpha in the current or last pass, with its proved
    /// value.
    pub raised_late: Option<(Move, Value)>,
}

impl<G: Game> Root<G> {
    /// The root with its moves in initial order: the legal ones of `only`, or all legal moves if
    /// there are none.
    pub fn new<R: TableRules>(
        position: &G::Position,
        search: &mut Search<'_, G, R>,
        only: &[Move],
    ) -> Root<G> {
        let game = search.game;
        let known = search.table.probe(game.key(position), 0).map(|entry| entry.mv);
        let table_move = known.filter(|&mv| game.is_legal(position, mv)).unwrap_or(Move::NONE);
        let memory = &mut *search.memory;
        let mut picker: Picker<G> = Picker::new(table_move, memory.context(0), &memory.arena);
        let mut moves = Vec::with_capacity(64);
        while let Some(picked) = picker.next(game, position, &memory.ordering, &mut memory.arena) {
            moves.push(picked.mv);
        }
        picker.release(&mut memory.arena);
        let legal = moves.len();
        if moves.iter().any(|mv| only.contains(mv)) {
            moves.retain(|mv| only.contains(mv));
        }
        let restricted = moves.len() < legal;
        let (position, bounds) = (position.clone(), vec![Bounds::OPEN; moves.len()]);
        Root { position, moves, bounds, aside: 0, restricted, raised_late: None }
    }

    /// The moves that passes search, the best known one first.
    pub fn moves(&self) -> &[Move] {
        &self.moves[self.aside..]
    }

    /// Clears the bounds of the previous iteration.
    pub fn forget_bounds(&mut self) {
        self.bounds.fill(Bounds::OPEN);
    }

    /// The lower bound of the first move, if no other move can be better.
    pub fn proven(&self) -> Option<Value> {
        let (best, others) = self.bounds[self.aside..].split_first()?;
        let known = best.lower > -INFINITY;
        (known && others.iter().all(|other| other.upper <= best.lower)).then_some(best.lower)
    }

    /// Sets the best move aside for the next line of this depth.
    pub fn set_aside(&mut self) {
        self.aside += 1;
    }

    /// Restores all moves that were set aside, for the next depth.
    pub fn take_back(&mut self) {
        self.aside = 0;
    }

    /// Copies the order and the number of moves set aside from another root of the position.
    pub fn take_order(&mut self, moves: &[Move], aside: usize) {
        self.moves.copy_from_slice(moves);
        self.aside = aside;
    }

    /// The moves of all lines.
    pub fn all_moves(&self) -> &[Move] {
        &self.moves
    }

    /// The number of moves set aside.
    pub fn aside(&self) -> usize {
        self.aside
    }

    /// Adopts the best move of all threads, with its lower bound.
    pub fn learn(&mut self, known: &Known) {
        let place = self.moves().iter().position(|&mv| mv == known.mv);
        if let Some(place) = place.filter(|_| known.bounds.lower > -INFINITY) {
            self.move_to_front(place);
            let best = &mut self.bounds[self.aside];
            best.lower = best.lower.max(known.bounds.lower);
        }
    }

    /// True if the best searched move may not be the best of the position.
    fn is_partial(&self) -> bool {
        self.restricted || self.aside > 0
    }

    /// Moves the move at this index to the front.
    fn move_to_front(&mut self, place: usize) {
        self.moves[self.aside..=self.aside + place].rotate_right(1);
        self.bounds[self.aside..=self.aside + place].rotate_right(1);
    }

    /// One pass: the fail-soft value of the root for a window; `None` if stopped.
    ///
    /// A move that raises alpha goes to the front for later passes.
    pub fn pass<R: TableRules, const EXACT: bool>(
        &mut self,
        search: &mut Search<'_, G, R>,
        depth: i32,
        alpha: Value,
        beta: Value,
    ) -> Option<Value> {
        let (total, best) =
            self.search_moves::<R, EXACT>(search, depth, (alpha, beta), 0..self.moves().len())?;
        if !self.is_partial() {
            let (mv, key) = (self.moves()[best], search.game.key(&self.position));
            search.store_root(key, depth, mv, (alpha, beta), total);
        }
        if total.value > alpha {
            self.move_to_front(best);
        }
        Some(total.value)
    }

    /// A pass over one move with the null window at `beta`; failing low gives no bound of the root.
    /// The move order stays.
    pub fn test<R: TableRules, const EXACT: bool>(
        &mut self,
        search: &mut Search<'_, G, R>,
        depth: i32,
        place: usize,
        beta: Value,
    ) -> Option<Value> {
        let window = (beta - 1, beta);
        let found = self.search_moves::<R, EXACT>(search, depth, window, place..place + 1);
        found.map(|(outcome, _)| outcome.value)
    }

    /// Moves the move proved best to the front, and stores it in the table for later searches.
    pub fn choose<R: TableRules>(&mut self, search: &mut Search<'_, G, R>, place: usize) {
        self.move_to_front(place);
        if !self.is_partial() {
            let (mv, key) = (self.moves()[0], search.game.key(&self.position));
            search.store_move(key, mv, true);
        }
    }

    /// Searches some of the moves. Returns their outcome and the index of the best.
    fn search_moves<R: TableRules, const EXACT: bool>(
        &mut self,
        search: &mut Search<'_, G, R>,
        depth: i32,
        (alpha, beta): (Value, Value),
        places: Range<usize>,
    ) -> Option<(Outcome, usize)> {
        debug_assert!(alpha < beta && depth >= 1 && !places.is_empty());
        let game = search.game;
        self.raised_late = None;
        if !search.meter.tick() {
            return None;
        }
        search.meter.counts.interior += 1;
        let key = game.key(&self.position);
        let forced = game.is_forced(&self.position);
        let static_value = (!forced).then(|| search.static_value(&self.position, key));
        let whole = !EXACT && search.reaches_end(&self.position, depth);
        search.memory.frame(0).static_value = static_value;
        search.memory.path.push(key);
        let mut total = Outcome::NOTHING;
        let (mut low, mut best) = (alpha, places.start);
        // Moves that another thread is searching are deferred to the end.
        let mut deferred: Vec<usize> = Vec::new();
        let mut sweep = places.clone();
        loop {
            let (index, first_sweep) = match (sweep.next(), deferred.is_empty()) {
                (Some(index), _) => (index, true),
                (None, false) => (deferred.remove(0), false),
                (None, true) => break,
            };
            let mv = self.moves()[index];
            let claim = search.claim(key, mv, depth);
            if let Some(claim) = claim {
                if first_sweep && index > places.start && claim.is_taken() {
                    deferred.push(index);
                    continue;
                }
                claim.begin();
            }
            search.memory.frame(0).slot = game.slot(&self.position, mv);
            let child = game.make(&self.position, mv);
            let edge = Edge {
                depth,
                alpha: low,
                beta,
                kind: NodeKind::Pv,
                index,
                reducible: game.is_quiet(&self.position, mv),
                history: 0,
                forced,
                improving: true,
                singular: false,
                whole,
            };
            let outcome = if search.options.shape == Shape::Minimax {
                let below = if whole { search.depth_to_end(&child, depth - 1) } else { depth - 1 };
                let outcome = search.minimax::<EXACT>(&child, below);
                outcome.with_value(from_child(outcome.value))
            } else {
                search.edge::<EXACT>(&child, edge)
            };
            if let Some(claim) = claim {
                claim.end();
            }
            if search.meter.stopped() {
                search.unwind();
                return None;
            }
            self.bounds[self.aside + index].take(outcome.value, low, beta);
            if outcome.value > total.value {
                best = index;
            }
            total.join(outcome);
            if outcome.value > low {
                low = outcome.value;
                if index > 0 {
                    self.raised_late = Some((mv, outcome.value));
                }
            }
            if outcome.value >= beta {
                break;
            }
        }
        search.unwind();
        if EXACT {
            search.expanded(key, depth);
        }
        Some((total, best))
    }

    /// The principal variation: `first`, then legal table moves up to `depth`. It ends at the end
    /// of the game; in selective search also at a repetition, the fifty-move rule or a dead draw,
    /// in exact search at a repetition within the line.
    pub fn principal_variation<R: TableRules, const EXACT: bool>(
        &self,
        search: &mut Search<'_, G, R>,
        first: Move,
        depth: i32,
    ) -> Vec<Move> {
        let game = search.game;
        let mut line = vec![first];
        search.memory.path.push(game.key(&self.position));
        let mut position = game.make(&self.position, first);
        while (line.len() as i32) < depth {
            let (key, place) = (game.key(&position), search.memory.path.len());
            let ended = if EXACT {
                search.memory.path[search.root..].contains(&key)
            } else {
                search.drawn(&position, key, place).is_some()
            };
            if ended {
                break;
            }
            let entry = search.table.probe(key, depth - line.len() as i32);
            let Some(mv) = entry.map(|entry| entry.mv).filter(|&mv| game.is_legal(&position, mv))
            else {
                break;
            };
            search.memory.path.push(key);
            line.push(mv);
            position = game.make(&position, mv);
        }
        search.memory.path.truncate(search.root);
        line
    }
}
