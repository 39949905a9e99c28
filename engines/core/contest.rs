//! A game between two players: search, play, check whether the rules end it.
//!
//! Other endings (adjudication, maximum length, interruption) are decided by the watcher of the
//! plies.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::game::Game;
use crate::limits::{Limits, Request, Watch};
use crate::player::Player;
use crate::report::Report;

/// How a game ended. Of several endings by the rules after the last ply, the first in this order is
/// reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The side to move has no move and has lost: in chess, mated.
    Lost,
    /// The side to move has no move, and the game is drawn.
    Stalled,
    /// The side to move has no move and has won, as in Othello by discs.
    Won,
    /// The position is a dead draw.
    Dead,
    /// The position occurred for the third time.
    Repeated,
    /// Too many plies without an irreversible move.
    Expired,
    /// The watcher ended it.
    Judged,
    /// The side to move failed: its search panicked, or it had no move. It has no ply.
    Failed,
    /// The side to move chose an illegal move. It has no ply.
    Illegal,
    /// The hook ended it within a search. It has no ply.
    Interrupted,
}

/// The callbacks of a contest.
pub struct Watcher<'a> {
    /// As in [`Watch`].
    pub hook: &'a mut dyn FnMut() -> bool,
    /// Called with the search of each move played, the side that moved (0 began) and the ending, if
    /// any; true ends a game that would go on.
    pub on_ply: &'a mut dyn FnMut(usize, &Report, Option<Ended>) -> bool,
}

/// One of the two players, and the flag that ends its search.
pub struct Side<'a, G: Game> {
    /// A player at the start of a new game.
    pub player: &'a mut Player<G>,
    /// As in [`Watch`].
    pub stop: &'a AtomicBool,
}

/// Plays a game to its end. `sides[0]` begins; both are at the same position, the first of the
/// game.
pub fn play<G: Game>(mut sides: [Side<'_, G>; 2], limits: Limits, watcher: Watcher<'_>) -> Ended {
    let request = Request { limits, ..Request::default() };
    let first = &*sides[0].player;
    let mut keys = vec![first.game().key(first.position())];
    let mut mover = 0;
    loop {
        let side = &mut sides[mover];
        let watch = Watch {
            stop: side.stop,
            hook: &mut *watcher.hook,
            on_iteration: &mut |_: &Report| false,
        };
        let search = AssertUnwindSafe(|| {
            side.player.search(&request, watch);
        });
        if catch_unwind(search).is_err() {
            return Ended::Failed;
        }
        let report = side.player.report();
        if report.interrupted {
            return Ended::Interrupted;
        }
        let mv = report.mv;
        if mv.is_none() {
            return Ended::Failed;
        }
        if sides.iter_mut().any(|side| !side.player.push(mv)) {
            return Ended::Illegal;
        }
        // A stop that came too late must not end the next search.
        sides.iter().for_each(|side| side.stop.store(false, Ordering::Relaxed));
        let player = &*sides[mover].player;
        let ending = ending(player.game(), player.position(), &mut keys);
        let judged = (watcher.on_ply)(mover, sides[mover].player.report(), ending);
        if let Some(ending) = ending {
            return ending;
        }
        if judged {
            return Ended::Judged;
        }
        mover = 1 - mover;
    }
}

/// Why the rules end the game at this position, if they do; records the position. `keys`: those of
/// the positions since the last irreversible move.
pub fn ending<G: Game>(game: &G, position: &G::Position, keys: &mut Vec<u64>) -> Option<Ended> {
    if !game.has_move(position) {
        return Some(match game.terminal_value(position) {
            0 => Ended::Stalled,
            value if value < 0 => Ended::Lost,
            _ => Ended::Won,
        });
    }
    let reversible = game.reversible_plies(position);
    if reversible == 0 {
        // Dead draws arise only here, and older positions cannot recur.
        if game.is_dead_draw(position) {
            return Some(Ended::Dead);
        }
        keys.clear();
    }
    let key = game.key(position);
    let before = keys.iter().filter(|&&earlier| earlier == key).count();
    keys.push(key);
    if before >= 2 {
        return Some(Ended::Repeated);
    }
    (reversible >= G::REVERSIBLE_LIMIT).then_some(Ended::Expired)
}
