// SPDX-License-Identifier: MIT

//! The effect of a log, independent of its redundant commands: for each action, such as a draw, the state that it uses.
//!
//! Redundant binds, states that no draw uses, the end of a rendering followed by the begin of the same one: none of them changes
//! the result of [`normalize`]. Missing state changes it: after the begin of a command buffer, after a pipeline in which it was
//! not dynamic, after a bind of a set with an incompatible layout. So if one driver records only changes and another records
//! everything, they have equal actions, or one of them is wrong:
//!
//! ```
//! use null_vulkan::{normalize, Command};
//!
//! let begin = Command { name: "vkBeginCommandBuffer", words: vec![0] };
//! let width = |width: f32| Command { name: "vkCmdSetLineWidth", words: vec![width.to_bits().into()] };
//! let draw = Command { name: "vkCmdDraw", words: vec![3, 1, 0, 0] };
//! // A pipeline with dynamic line width.
//! let line_width = ash::vk::DynamicState::LINE_WIDTH.as_raw() as u64;
//! let pipeline = Command { name: "vkCmdBindPipeline", words: vec![0, 77, 1, line_width, 0, 1, 1, 0, 0] };
//! let log = [begin.clone(), width(1.0), pipeline.clone(), width(2.0), draw.clone(), width(2.0), draw.clone()];
//! let short = [begin, pipeline, width(2.0), draw.clone(), draw];
//! assert_eq!(normalize(&log), normalize(&short));
//! ```
//!
//! The state that an action uses:
//!
//! - a draw: the pipeline and its dynamic states, the vertex buffers of its bindings, the sets and push constants of its layout,
//!   the index buffer if it has indices, its attachments, the transform feedback and the condition if there are any. A state that
//!   another one disables (`vkCmdSetStencilReference` while the stencil test is off) is not used;
//! - a dispatch: the compute pipeline, its sets and push constants, the condition;
//! - a clear of attachments: the attachments, the condition;
//! - all other actions: only their arguments.
//!
//! Attachments that a rendering clears, discards or resolves at its begin or end are separate actions. Renderings of the same
//! attachments that load the results of the previous one, with only barriers in between, count as one; the same applies to
//! transform feedback that resumes immediately. Labels are left out. The `2` forms of commands have the names of the original
//! forms.

mod draw;
mod dynamic;
mod scope;
mod tracker;

use crate::command::Command;
use std::collections::BTreeMap;
use std::fmt::Write;
use tracker::Tracker;

/// The kind of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// A draw.
    Draw,
    /// A dispatch of a compute shader.
    Dispatch,
    /// A clear of an image, a buffer or attachments.
    Clear,
    /// A copy, blit or resolve, including that of attachments at the end of a rendering; an update of a buffer.
    Copy,
    /// The contents of an attachment are discarded.
    Discard,
    /// A begin or end of a render pass object.
    RenderPass,
    /// A query begins, ends, is reset, copied, or gets a timestamp.
    Query,
    /// Transform feedback begins or ends.
    Feedback,
    /// An event is set or reset.
    Event,
    /// A barrier, or a wait for events.
    Barrier,
    /// A command that is not supported.
    Other,
}

/// A state: its name, and numbers that identify an instance (the number of a viewport, a vertex buffer, a set).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateKey(pub &'static str, pub [u32; 2]);

/// An action, with the state that it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The kind of the action.
    pub kind: ActionKind,
    /// The command's name, or the name of an operation at the begin or end of a rendering.
    pub name: &'static str,
    /// The command's arguments as in the log.
    pub words: Vec<u64>,
    /// The states that it uses, as words of the log. States that were never set are left out.
    pub state: BTreeMap<StateKey, Vec<u64>>,
}

/// The actions of a log.
pub fn normalize(log: &[Command]) -> Vec<Action> {
    let mut tracker = Tracker::default();
    for command in log {
        tracker.command(command.name, &command.words);
    }
    tracker.finish()
}

/// The first difference of two lists of actions, as text; `None` if they are equal. `describe` returns the description of a word,
/// see [`World::describe`](crate::World::describe).
pub fn first_difference(ours: &[Action], theirs: &[Action], describe: impl Fn(u64) -> String) -> Option<String> {
    let place = (0..ours.len().max(theirs.len())).find(|i| ours.get(*i) != theirs.get(*i))?;
    let mut text = format!("action {place}");
    // Writing to a string cannot fail.
    let _ = match (ours.get(place), theirs.get(place)) {
        (Some(ours), Some(theirs)) if ours.name == theirs.name && ours.words == theirs.words => {
            write!(text, ", {}:", ours.name).and_then(|()| differing_states(&mut text, ours, theirs, describe))
        }
        (ours, theirs) => {
            let show = |action: Option<&Action>| {
                action.map_or("nothing".to_owned(), |action| format!("{} {:?}", action.name, action.words))
            };
            write!(text, ": {} and {}", show(ours), show(theirs))
        }
    };
    Some(text)
}

fn differing_states(
    text: &mut String,
    ours: &Action,
    theirs: &Action,
    describe: impl Fn(u64) -> String,
) -> std::fmt::Result {
    let mut keys: Vec<&StateKey> = ours.state.keys().chain(theirs.state.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    let word = |word: &u64| if *word >> 32 == 0 { word.to_string() } else { describe(*word) };
    let words = |words: &Vec<u64>| words.iter().map(word).collect::<Vec<_>>().join(" ");
    let show = |action: &Action, key: &StateKey| action.state.get(key).map_or("not set".to_owned(), words);
    for key in keys.into_iter().filter(|key| ours.state.get(key) != theirs.state.get(key)) {
        write!(text, " {} {:?}: {} and {};", key.0, key.1, show(ours, key), show(theirs, key))?;
    }
    Ok(())
}

/// Reads words; missing words are 0.
pub(crate) struct Words<'a>(pub(crate) &'a [u64]);

impl<'a> Words<'a> {
    pub(crate) fn next(&mut self) -> u64 {
        self.take(1).first().copied().unwrap_or_default()
    }

    pub(crate) fn next_u32(&mut self) -> u32 {
        self.next() as u32
    }

    /// The next `n` words, or as many as there are.
    pub(crate) fn take(&mut self, n: usize) -> &'a [u64] {
        let (taken, rest) = self.0.split_at(n.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// The count, and then as many elements of `width` words.
    pub(crate) fn list(&mut self, width: usize) -> impl Iterator<Item = &'a [u64]> {
        let count = self.next() as usize;
        self.take(count.saturating_mul(width)).chunks_exact(width)
    }

    /// A first number, the count, and then as many elements of `width` words, with their numbers.
    pub(crate) fn numbered(&mut self, width: usize) -> impl Iterator<Item = (u32, &'a [u64])> {
        let first = self.next_u32();
        self.list(width).enumerate().map(move |(i, element)| (first.wrapping_add(i as u32), element))
    }
}
