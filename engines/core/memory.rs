//! What a search keeps between calls, and the frames of the current path.

use crate::game::Move;
use crate::node::MAX_PLY;
use crate::ordering::{Arena, Context, Ordering};
use crate::static_values::StaticValues;
use crate::value::Value;

/// What a node of the current path provides to nodes below.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The static value; `None` if a move is forced.
    pub(crate) static_value: Option<Value>,
    /// The slot of the current move; [`Game::SLOTS`](crate::game::Game::SLOTS) for a null move.
    pub(crate) slot: usize,
    /// The excluded move of this node.
    pub(crate) excluded: Move,
}

/// Frames before the root, so that every node has two predecessors.
const BEFORE_ROOT: usize = 2;

/// What a search keeps between calls.
pub struct Memory {
    /// Killers and histories.
    pub ordering: Ordering,
    /// Static values, by key.
    pub(crate) static_values: StaticValues,
    /// Keys from the last irreversible move of the game to the current node.
    pub path: Vec<u64>,
    pub(crate) arena: Arena,
    pub(crate) frames: Vec<Frame>,
}

impl Memory {
    /// A memory for a game with this number of [slots](crate::game::Game::SLOTS), with or without
    /// cached static values.
    pub fn new(ordering: Ordering, slots: usize, keeps_values: bool) -> Memory {
        let frame = Frame { static_value: None, slot: slots, excluded: Move::NONE };
        Memory {
            ordering,
            static_values: StaticValues::new(keeps_values),
            path: Vec::with_capacity(512),
            arena: Vec::with_capacity(4096),
            frames: vec![frame; BEFORE_ROOT + MAX_PLY + 2],
        }
    }

    /// The moves before the node at `ply`.
    #[inline(always)]
    pub(crate) fn context(&self, ply: usize) -> Context {
        let place = ply + BEFORE_ROOT;
        let (last, before_last) = (self.frames[place - 1].slot, self.frames[place - 2].slot);
        Context { ply, last, before_last }
    }

    #[inline(always)]
    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE_ROOT]
    }
}
