// SPDX-License-Identifier: MIT

//! State that spans commands: renderings and transform feedback, and their continuation after an end.

use super::{Action, ActionKind, StateKey, Words};
use crate::encode::ATTACHMENT;
use ash::vk::{AttachmentLoadOp, AttachmentStoreOp};
use std::collections::BTreeMap;

/// An attachment of a rendering.
#[derive(Clone)]
struct Attachment {
    /// Its number: colors first, then depth and stencil.
    number: u32,
    view: u64,
    layout: u64,
    /// The mode, view and layout of its resolve.
    resolve: [u64; 3],
    load: u64,
    store: u64,
    clear: [u64; 4],
}

/// A rendering.
#[derive(Clone)]
pub(super) struct Rendering {
    /// Offset, extent, layers and the view mask.
    area: Vec<u64>,
    attachments: Vec<Attachment>,
    more: Vec<u64>,
}

impl Rendering {
    pub(super) fn read(words: &[u64]) -> Rendering {
        let mut words = Words(words);
        // The flags describe the recording of the rendering, not its result.
        words.next();
        let area = words.take(6).to_vec();
        let colors = words.next_u32();
        let attachments = (0..colors.saturating_add(2)).map_while(|number| {
            let words = words.take(ATTACHMENT);
            let at = |i: usize| words.get(i).copied().unwrap_or_default();
            (words.len() == ATTACHMENT).then(|| Attachment {
                // Depth and stencil have their own numbers, independent of the number of colors.
                number: if number < colors { number } else { number - colors + DEPTH },
                view: at(0),
                layout: at(1),
                resolve: [at(2), at(3), at(4)],
                load: at(5),
                store: at(6),
                clear: std::array::from_fn(|i| at(7 + i)),
            })
        });
        let attachments = attachments.filter(|attachment| attachment.view != 0).collect();
        Rendering { area, attachments, more: words.0.to_vec() }
    }

    /// Adds the state that draws use.
    pub(super) fn see(&self, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        state.insert(StateKey("render area", [0, 0]), self.area.iter().chain(&self.more).copied().collect());
        for attachment in &self.attachments {
            state.insert(StateKey("attachment", [attachment.number, 0]), vec![attachment.view, attachment.layout]);
        }
    }

    /// Whether this rendering continues `other`, which has ended.
    pub(super) fn resumes(&self, other: &Rendering) -> bool {
        let continues = |(now, before): (&Attachment, &Attachment)| {
            (now.number, now.view, now.layout) == (before.number, before.view, before.layout)
                && now.load == AttachmentLoadOp::LOAD.as_raw() as u64
                && before.store == AttachmentStoreOp::STORE.as_raw() as u64
                // A resolve in between is repeated at the end.
                && (before.resolve[0] == 0 || before.resolve == now.resolve)
        };
        let (now, before) = (&self.attachments, &other.attachments);
        let same = self.area == other.area && self.more == other.more && now.len() == before.len();
        same && now.iter().zip(before).all(continues)
    }

    fn action(&self, kind: ActionKind, name: &'static str, attachment: &Attachment, words: &[u64]) -> Action {
        let own = [u64::from(attachment.number), attachment.view];
        let state = BTreeMap::from([(StateKey("render area", [0, 0]), self.area.clone())]);
        Action { kind, name, words: own.iter().chain(words).copied().collect(), state }
    }

    /// The actions at its begin.
    pub(super) fn begin(&self) -> Vec<Action> {
        let action = |a: &Attachment| match AttachmentLoadOp::from_raw(a.load as i32) {
            AttachmentLoadOp::CLEAR => Some(self.action(ActionKind::Clear, "load op clear", a, &a.clear)),
            AttachmentLoadOp::DONT_CARE => Some(self.action(ActionKind::Discard, "load op don't care", a, &[])),
            _ => None,
        };
        self.attachments.iter().filter_map(action).collect()
    }

    /// The actions at its end.
    pub(super) fn end(&self) -> Vec<Action> {
        let resolve = |a: &Attachment| {
            (a.resolve[0] != 0).then(|| self.action(ActionKind::Copy, "resolve of an attachment", a, &a.resolve))
        };
        let discard = |a: &Attachment| {
            let discards = a.store == AttachmentStoreOp::DONT_CARE.as_raw() as u64;
            discards.then(|| self.action(ActionKind::Discard, "store op don't care", a, &[]))
        };
        self.attachments.iter().flat_map(|a| [resolve(a), discard(a)]).flatten().collect()
    }
}

/// The number of the depth attachment.
const DEPTH: u32 = 100;

/// Buffer, offset and size of each binding.
type Buffers = BTreeMap<u32, Vec<u64>>;

/// Transform feedback.
#[derive(Default)]
pub(super) struct Feedback {
    buffers: Buffers,
    is_active: bool,
    /// The words of the pending end, and the buffers at that time: the next begin may resume it.
    ended: Option<(Vec<u64>, Buffers)>,
}

impl Feedback {
    pub(super) fn bind(&mut self, words: &[u64]) {
        self.buffers.extend(Words(words).numbered(3).map(|(binding, buffer)| (binding, buffer.to_vec())));
    }

    /// Adds the state that draws use.
    pub(super) fn see(&self, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        for (binding, buffer) in self.buffers.iter().filter(|_| self.is_active) {
            state.insert(StateKey("feedback buffer", [*binding, 0]), buffer.clone());
        }
    }

    pub(super) fn begin(&mut self, words: &[u64]) -> Vec<Action> {
        self.is_active = true;
        let continues = |ended: &(Vec<u64>, _)| ended.0 == words && ended.1 == self.buffers && has_counters(words);
        if self.ended.as_ref().is_some_and(continues) {
            self.ended = None;
            return Vec::new();
        }
        let mut actions: Vec<Action> = self.flush().collect();
        let mut state = BTreeMap::new();
        self.see(&mut state);
        let name = "vkCmdBeginTransformFeedbackEXT";
        actions.push(Action { kind: ActionKind::Feedback, name, words: words.to_vec(), state });
        actions
    }

    pub(super) fn end(&mut self, words: &[u64]) {
        self.is_active = false;
        self.ended = Some((words.to_vec(), self.buffers.clone()));
    }

    /// The pending end, if there is one.
    pub(super) fn flush(&mut self) -> impl Iterator<Item = Action> {
        let action = |(words, _)| Action {
            kind: ActionKind::Feedback,
            name: "vkCmdEndTransformFeedbackEXT",
            words,
            state: BTreeMap::new(),
        };
        self.ended.take().map(action).into_iter()
    }

    /// Resets the state at a command buffer boundary.
    pub(super) fn clear(&mut self) {
        self.buffers.clear();
        self.is_active = false;
    }
}

/// Whether a begin or an end of transform feedback has counter buffers, so that it can continue.
fn has_counters(words: &[u64]) -> bool {
    let mut words = Words(words);
    words.next();
    let count = words.next() as usize;
    words.next() != 0 && words.take(count).iter().any(|buffer| *buffer != 0)
}
