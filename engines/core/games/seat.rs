//! Every game behind one interface: what asks for a game by its name holds no type of it.
//!
//! A search runs in the type of its game. Only its call goes through these traits, once a search.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

use super::playable::Playable;
use crate::contest::{self, Ended, Side, Watcher};
use crate::drivers::Driver;
use crate::game::Move;
use crate::limits::{Limits, Watch};
use crate::node::Options;
use crate::parameters::{GameSettings, Settings};
use crate::player::{Player, Request};
use crate::report::Report;
use crate::table::{Table, TableSize};
use crate::value::Value;

/// Plain minimax looks this often whether it was interrupted.
const NODES_BETWEEN_LOOKS: u64 = 1 << 18;

/// A game, and what can be asked without a player. Every error is one line.
pub trait Rules: Sync {
    /// As the parameter `game` calls it.
    fn name(&self) -> &'static str;

    /// A player at the start of a game, with an empty table that was made before.
    fn seat(&self, settings: &Settings, table: Table) -> Box<dyn Seat>;

    /// The number of move sequences of that length from a position.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn perft(&self, text: &str, depth: u32, chess960: bool) -> Result<u64, String>;

    /// The static value of a position for the side to move.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn evaluate(&self, settings: &GameSettings, text: &str) -> Result<Value, String>;

    /// The value of exact quiescence with an open window.
    ///
    /// # Errors
    /// What is wrong with the text.
    fn quiesce(&self, settings: &GameSettings, text: &str) -> Result<Value, String>;

    /// The value of a tree of fixed depth by plain minimax, after moves that are played first.
    /// `None` when `interrupted`, which is asked now and then, ended it.
    ///
    /// # Errors
    /// What is wrong with the text or the moves.
    fn minimax(
        &self,
        settings: &GameSettings,
        start: (&str, &[Move]),
        depth: u32,
        quiescence: bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Value>, String>;
}

/// The rules of a game as a value.
pub struct Of<G>(PhantomData<fn() -> G>);

impl<G: Playable> Of<G> {
    /// That value.
    pub const GAME: Of<G> = Of(PhantomData);
    /// For what no evaluation has a part in.
    const ANY_EVALUATION: (&str, Value, Value) = ("pst", 1, 0);
}

impl<G: Playable> Rules for Of<G> {
    fn name(&self) -> &'static str {
        G::NAME
    }

    fn seat(&self, settings: &Settings, table: Table) -> Box<dyn Seat> {
        let game: G = game_of(&settings.game);
        let start = game.read(G::START, false).expect("every game starts somewhere");
        Box::new(Player::with_table(game, settings.driver, settings.options, table, start))
    }

    fn perft(&self, text: &str, depth: u32, chess960: bool) -> Result<u64, String> {
        let (evaluation, grain, swing) = Self::ANY_EVALUATION;
        let game = G::with(evaluation, grain, swing);
        Ok(crate::perft::perft(&game, &game.read(text, chess960)?, depth))
    }

    fn evaluate(&self, settings: &GameSettings, text: &str) -> Result<Value, String> {
        let game: G = game_of(settings);
        Ok(game.static_value(&game.read(text, false)?))
    }

    fn quiesce(&self, settings: &GameSettings, text: &str) -> Result<Value, String> {
        let game: G = game_of(settings);
        let position = game.read(text, false)?;
        let options = Options { quiescence: true, ..Options::PLAIN };
        let size = TableSize::Entries(0);
        let mut player = Player::new(game, Driver::AlphaBeta, options, size, position);
        Ok(player.quiescence_value())
    }

    fn minimax(
        &self,
        settings: &GameSettings,
        (text, moves): (&str, &[Move]),
        depth: u32,
        quiescence: bool,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Value>, String> {
        let game: G = game_of(settings);
        let mut position = game.read(text, false)?;
        for &mv in moves {
            if !game.is_legal(&position, mv) {
                return Err(illegal::<G>(mv, &game.text(&position)));
            }
            position = game.make(&position, mv);
        }
        let mut nodes = 0u64;
        let mut look = || {
            nodes += 1;
            nodes % NODES_BETWEEN_LOOKS == 0 && interrupted()
        };
        Ok(crate::oracle::patient_minimax(&game, &position, depth, quiescence, &mut look))
    }
}

fn game_of<G: Playable>(settings: &GameSettings) -> G {
    G::with(settings.evaluation, settings.grain, settings.swing)
}

fn illegal<G: Playable>(mv: Move, text: &str) -> String {
    format!("`{}` is not a legal move in `{text}`", G::move_name(mv))
}

/// How a contest ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// One word.
    pub word: &'static str,
    /// Who won by the rules of the game: true for White, false for Black; `None` for a draw, and
    /// where something else ended it.
    pub winner: Option<bool>,
}

/// A player of some game. Every error is one line, and after one nothing has changed.
pub trait Seat: Send {
    /// As [`Playable::NAME`].
    fn game(&self) -> &'static str;

    /// As [`Player::new_game`].
    fn new_game(&mut self);

    /// Stands at a position after moves.
    ///
    /// # Errors
    /// What is wrong with the text or the moves.
    fn set_position(&mut self, text: &str, moves: &[Move], chess960: bool) -> Result<(), String>;

    /// Plays a move.
    ///
    /// # Errors
    /// It is not legal.
    fn push(&mut self, mv: Move) -> Result<(), String>;

    /// Whether all these moves are legal where the player stands.
    ///
    /// # Errors
    /// The first one is named that is not.
    fn check_moves(&self, moves: &[Move]) -> Result<(), String>;

    /// True when the side to move may play `mv`, which may be any code.
    fn is_legal(&self, mv: Move) -> bool;

    /// Whose turn it is.
    fn white_to_move(&self) -> bool;

    /// [`Playable::move_name`] of the game.
    fn speller(&self) -> fn(Move) -> String;

    /// As [`Player::search`].
    fn search(&mut self, request: &Request<'_>, watch: Watch<'_>);

    /// The report of the last search.
    fn report(&self) -> &Report;

    /// As [`Player::take_table`].
    fn take_table(&mut self) -> Table;

    /// Plays a game as White from where both stand, as after a new game. `stops` are of White and
    /// of Black.
    ///
    /// # Errors
    /// Black plays another game.
    fn contest(
        &mut self,
        black: &mut dyn Seat,
        stops: [&AtomicBool; 2],
        limits: Limits,
        watcher: Watcher<'_>,
    ) -> Result<Finish, String>;

    /// The player itself, for one of the same game.
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<G: Playable> Seat for Player<G> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn new_game(&mut self) {
        self.new_game();
    }

    fn set_position(&mut self, text: &str, moves: &[Move], chess960: bool) -> Result<(), String> {
        let position = self.game().read(text, chess960)?;
        let played = moves.iter().copied();
        self.set_position(position, played).map_err(|mv| illegal::<G>(mv, text))
    }

    fn push(&mut self, mv: Move) -> Result<(), String> {
        if self.push(mv) { Ok(()) } else { Err(illegal::<G>(mv, &place(self))) }
    }

    fn check_moves(&self, moves: &[Move]) -> Result<(), String> {
        match moves.iter().find(|&&mv| !self.is_legal(mv)) {
            None => Ok(()),
            Some(&mv) => Err(illegal::<G>(mv, &place(self))),
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.game().is_legal(self.position(), mv)
    }

    fn white_to_move(&self) -> bool {
        self.game().white_to_move(self.position())
    }

    fn speller(&self) -> fn(Move) -> String {
        G::move_name
    }

    fn search(&mut self, request: &Request<'_>, watch: Watch<'_>) {
        self.search(request, watch);
    }

    fn report(&self) -> &Report {
        self.report()
    }

    fn take_table(&mut self) -> Table {
        self.take_table()
    }

    fn contest(
        &mut self,
        black: &mut dyn Seat,
        stops: [&AtomicBool; 2],
        limits: Limits,
        watcher: Watcher<'_>,
    ) -> Result<Finish, String> {
        check_one_game(self, black)?;
        let black = black.as_any().downcast_mut::<Player<G>>().expect("names tell games apart");
        let mut sides =
            [Side { player: &mut *self, stop: stops[0] }, Side { player: black, stop: stops[1] }];
        if !sides[0].player.white_to_move() {
            sides.reverse();
        }
        let ended = contest::play(sides, limits, watcher);
        // Both sides know every ply, so that the side to move at the end is known here.
        let winner = match ended {
            Ended::Lost => Some(!self.white_to_move()),
            Ended::Won => Some(self.white_to_move()),
            _ => None,
        };
        Ok(Finish { word: word::<G>(ended), winner })
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Whether two players play the same game.
///
/// # Errors
/// They do not.
pub fn check_one_game(one: &dyn Seat, other: &dyn Seat) -> Result<(), String> {
    if one.game() == other.game() {
        return Ok(());
    }
    Err(format!("a player of {} cannot play a player of {}", one.game(), other.game()))
}

fn place<G: Playable>(player: &Player<G>) -> String {
    player.game().text(player.position())
}

fn word<G: Playable>(ended: Ended) -> &'static str {
    match ended {
        Ended::Judged => "judged",
        Ended::Failed => "failed",
        Ended::Illegal => "illegal",
        // What interrupted it is raised.
        Ended::Interrupted => "interrupted",
        by_rules => G::word(by_rules),
    }
}
