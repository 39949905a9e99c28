//! A type-erased player: hides the game from its owner.

use std::any::Any;
use std::sync::atomic::AtomicBool;

use super::playable::Playable;
use crate::bench::Row;
use crate::contest::{Ended, Side, Watcher, play};
use crate::drivers::Driver;
use crate::game::Move;
use crate::limits::{Limits, Request, Watch};
use crate::options::Options;
use crate::player::Player;
use crate::report::Report;
use crate::table::Table;
use crate::value::Value;

/// A [`Player`] of some game. No method is called per node, so searches are not slower.
pub trait Seat: Any + Send {
    /// As [`Player::new_game`].
    fn new_game(&mut self);

    /// Sets the position `text` after moves; unchanged on an error.
    ///
    /// # Errors One line about the problem.
    fn set_position(&mut self, text: &str, moves: &[Move], chess960: bool) -> Result<(), String>;

    /// Plays a move.
    ///
    /// # Errors One line about an illegal move.
    fn push(&mut self, mv: Move) -> Result<(), String>;

    /// True if `mv`, which may be any code, is legal.
    fn is_legal(&self, mv: Move) -> bool;

    /// The position as text.
    fn text(&self) -> String;

    /// True if White is to move.
    fn white_to_move(&self) -> bool;

    /// A function that names moves.
    fn namer(&self) -> fn(Move) -> String;

    /// The name of a move.
    fn move_name(&self, mv: Move) -> String {
        (self.namer())(mv)
    }

    /// The name of an ending by the rules.
    fn word(&self, ended: Ended) -> &'static str;

    /// As [`Player::search`].
    fn search(&mut self, request: &Request<'_>, watch: Watch<'_>);

    /// As [`Player::report`].
    fn report(&self) -> &Report;

    /// As [`Player::take_table`].
    fn take_table(&mut self) -> Table;

    /// The number of leaves of the tree of legal moves.
    fn perft(&self, depth: u32) -> u64;

    /// The static value for the side to move.
    fn static_value(&self) -> Value;

    /// As [`Player::quiescence_value`].
    fn quiescence_value(&mut self) -> Value;

    /// The game's [bench] searches(crate::bench).
    fn bench(&self) -> Vec<Row>;

    /// As [`crate::oracle::patient_minimax`].
    fn minimax(
        &self,
        depth: u32,
        quiescence: bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Option<Value>;

    /// Plays a whole game against a player of the same game at the same position, which moves
    /// second; `None` for another game.
    fn contest(
        &mut self,
        second: &mut dyn Seat,
        stops: [&AtomicBool; 2],
        limits: Limits,
        watcher: Watcher<'_>,
    ) -> Option<Ended>;
}

impl<G: Playable> Seat for Player<G> {
    fn new_game(&mut self) {
        Player::new_game(self);
    }

    fn set_position(&mut self, text: &str, moves: &[Move], chess960: bool) -> Result<(), String> {
        let position = self.game().read(text, chess960)?;
        Player::set_position(self, position, moves.iter().copied())
            .map_err(|mv| illegal::<G>(mv, text))
    }

    fn push(&mut self, mv: Move) -> Result<(), String> {
        if Player::push(self, mv) { Ok(()) } else { Err(illegal::<G>(mv, &self.text())) }
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.game().is_legal(self.position(), mv)
    }

    fn text(&self) -> String {
        self.game().text(self.position())
    }

    fn white_to_move(&self) -> bool {
        self.game().white_to_move(self.position())
    }

    fn namer(&self) -> fn(Move) -> String {
        G::move_name
    }

    fn word(&self, ended: Ended) -> &'static str {
        G::word(ended)
    }

    fn search(&mut self, request: &Request<'_>, watch: Watch<'_>) {
        Player::search(self, request, watch);
    }

    fn report(&self) -> &Report {
        Player::report(self)
    }

    fn take_table(&mut self) -> Table {
        Player::take_table(self)
    }

    fn perft(&self, depth: u32) -> u64 {
        crate::perft::perft(self.game(), self.position(), depth)
    }

    fn static_value(&self) -> Value {
        self.game().static_value(self.position())
    }

    fn quiescence_value(&mut self) -> Value {
        Player::quiescence_value(self)
    }

    fn bench(&self) -> Vec<Row> {
        crate::bench::bench::<G>()
    }

    fn minimax(
        &self,
        depth: u32,
        quiescence: bool,
        mut interrupted: &mut dyn FnMut() -> bool,
    ) -> Option<Value> {
        let (game, position) = (self.game(), self.position());
        crate::oracle::patient_minimax(game, position, depth, quiescence, &mut interrupted)
    }

    fn contest(
        &mut self,
        second: &mut dyn Seat,
        stops: [&AtomicBool; 2],
        limits: Limits,
        watcher: Watcher<'_>,
    ) -> Option<Ended> {
        let second: &mut dyn Any = second;
        let second = second.downcast_mut::<Player<G>>()?;
        let [one, two] = stops;
        let sides = [Side { player: self, stop: one }, Side { player: second, stop: two }];
        Some(play(sides, limits, watcher))
    }
}

fn illegal<G: Playable>(mv: Move, place: &str) -> String {
    format!("`{}` is not a legal move in `{place}`", G::move_name(mv))
}

/// A game and its evaluation.
#[derive(Clone, Copy)]
pub struct Valued {
    /// One of [`GAMES`](super::GAMES).
    pub seated: Seated,
    /// The name of the evaluation.
    pub evaluation: &'static str,
    /// Values are multiples of this.
    pub grain: Value,
    /// Added to every value for the side to move, before rounding.
    pub swing: Value,
}

impl Valued {
    /// A player at the start of the game.
    pub fn seat(&self, driver: Driver, options: Options, table: Table) -> Box<dyn Seat> {
        (self.seated)(self, driver, options, table)
    }
}

/// Makes a player of one game.
pub type Seated = fn(&Valued, Driver, Options, Table) -> Box<dyn Seat>;

/// A player of `G` at the start.
pub fn seated<G: Playable>(
    valued: &Valued,
    driver: Driver,
    options: Options,
    table: Table,
) -> Box<dyn Seat> {
    let game = G::with(valued.evaluation, valued.grain, valued.swing);
    let start = game.read(G::START, false).expect("a game starts at a position");
    Box::new(Player::with_table(game, driver, options, table, start))
}
