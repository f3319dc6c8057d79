// SPDX-License-Identifier: MIT

//! The state of a command buffer during the walk over a log.

use super::draw::{Bound, COMPUTE};
use super::scope::{Feedback, Rendering};
use super::{Action, ActionKind, StateKey};
use crate::command::{BEGIN, END};
use std::collections::BTreeMap;

/// The state after some commands.
#[derive(Default)]
pub(super) struct Tracker {
    bound: Bound,
    rendering: Option<Rendering>,
    /// The rendering that has ended, whose end actions are pending.
    ended: Option<Rendering>,
    /// A render pass object: its begin.
    pass: Option<Vec<u64>>,
    subpass: u64,
    feedback: Feedback,
    condition: Option<Vec<u64>>,
    actions: Vec<Action>,
}

/// The kinds of commands, by their names without `vkCmd`.
const ACTIONS: &[(&str, ActionKind)] = &[
    ("CopyBuffer", ActionKind::Copy),
    ("CopyImage", ActionKind::Copy),
    ("BlitImage", ActionKind::Copy),
    ("CopyBufferToImage", ActionKind::Copy),
    ("CopyImageToBuffer", ActionKind::Copy),
    ("ResolveImage", ActionKind::Copy),
    ("UpdateBuffer", ActionKind::Copy),
    ("FillBuffer", ActionKind::Clear),
    ("ClearColorImage", ActionKind::Clear),
    ("ClearDepthStencilImage", ActionKind::Clear),
    ("SetEvent", ActionKind::Event),
    ("ResetEvent", ActionKind::Event),
    ("WaitEvents", ActionKind::Barrier),
    ("PipelineBarrier", ActionKind::Barrier),
    ("BeginQuery", ActionKind::Query),
    ("EndQuery", ActionKind::Query),
    ("BeginQueryIndexedEXT", ActionKind::Query),
    ("EndQueryIndexedEXT", ActionKind::Query),
    ("ResetQueryPool", ActionKind::Query),
    ("WriteTimestamp", ActionKind::Query),
    ("CopyQueryPoolResults", ActionKind::Query),
];

/// Commands with the same words in both forms.
const TWO_FORMS: &[&str] = &[
    "vkCmdCopyBuffer",
    "vkCmdCopyImage",
    "vkCmdBlitImage",
    "vkCmdCopyBufferToImage",
    "vkCmdCopyImageToBuffer",
    "vkCmdResolveImage",
    "vkCmdBeginRenderPass",
    "vkCmdNextSubpass",
    "vkCmdEndRenderPass",
];

impl Tracker {
    pub(super) fn command(&mut self, name: &'static str, words: &[u64]) {
        if self.bound.take(name, words) {
            return;
        }
        match name {
            BEGIN | END => self.boundary(words.first().is_some_and(|word| *word != 0)),
            "vkCmdBeginRendering" => self.begin_rendering(words),
            "vkCmdEndRendering" => {
                self.flush_rendering();
                self.ended = self.rendering.take();
            }
            "vkCmdBindTransformFeedbackBuffersEXT" => self.feedback.bind(words),
            "vkCmdBeginTransformFeedbackEXT" => {
                // The begin decides whether it resumes, so the pending end is not flushed before it.
                let actions = self.feedback.begin(words);
                if !actions.is_empty() {
                    self.flush_rendering();
                    self.actions.extend(actions);
                }
            }
            "vkCmdEndTransformFeedbackEXT" => self.feedback.end(words),
            "vkCmdBeginConditionalRenderingEXT" => self.condition = Some(words.to_vec()),
            "vkCmdEndConditionalRenderingEXT" => self.condition = None,
            // The executed commands follow it.
            "vkCmdExecuteCommands" => {}
            _ if name.contains("DebugUtilsLabel") => {}
            _ => self.action(name, words),
        }
    }

    /// Begins or ends a command buffer: all state is reset, but a secondary one inherits the attachments.
    fn boundary(&mut self, is_secondary: bool) {
        self.bound.clear();
        if !is_secondary {
            self.feedback.clear();
            self.condition = None;
            self.pass = None;
        }
    }

    fn begin_rendering(&mut self, words: &[u64]) {
        let rendering = Rendering::read(words);
        match self.ended.take() {
            Some(ended) if rendering.resumes(&ended) => {}
            ended => {
                self.ended = ended;
                self.flush();
                self.actions.extend(rendering.begin());
            }
        }
        self.rendering = Some(rendering);
    }

    fn flush_rendering(&mut self) {
        if let Some(ended) = self.ended.take() {
            self.actions.extend(ended.end());
        }
    }

    /// Emits the pending ends that were not resumed.
    fn flush(&mut self) {
        self.actions.extend(self.feedback.flush());
        self.flush_rendering();
    }

    fn action(&mut self, name: &'static str, words: &[u64]) {
        let stem = name.strip_prefix("vkCmd").unwrap_or(name);
        let plain = stem.strip_suffix('2').unwrap_or(stem);
        let known = ACTIONS.iter().find(|row| row.0 == plain).map(|row| row.1);
        let mut state = BTreeMap::new();
        let kind = match stem {
            _ if stem.starts_with("Draw") => {
                self.bound.see_draw(stem.contains("Indexed"), &mut state);
                self.see_targets(&mut state);
                self.feedback.see(&mut state);
                ActionKind::Draw
            }
            _ if stem.starts_with("Dispatch") => {
                self.bound.see_pipeline(COMPUTE, &mut state);
                ActionKind::Dispatch
            }
            "ClearAttachments" => {
                self.see_targets(&mut state);
                ActionKind::Clear
            }
            "BeginRenderPass" | "BeginRenderPass2" | "NextSubpass" | "NextSubpass2" | "EndRenderPass"
            | "EndRenderPass2" => ActionKind::RenderPass,
            _ => known.unwrap_or(ActionKind::Other),
        };
        if let Some(condition) = &self.condition {
            if matches!(kind, ActionKind::Draw | ActionKind::Dispatch) || stem == "ClearAttachments" {
                state.insert(StateKey("condition", [0, 0]), condition.clone());
            }
        }
        // A barrier may be between an end and the begin that resumes it.
        if kind != ActionKind::Barrier {
            self.flush();
        }
        self.render_pass(plain, words);
        let name = TWO_FORMS.iter().find(|form| **form == name.trim_end_matches('2')).copied().unwrap_or(name);
        self.actions.push(Action { kind, name, words: words.to_vec(), state });
    }

    /// Tracks the current render pass object.
    fn render_pass(&mut self, plain: &str, words: &[u64]) {
        match plain {
            "BeginRenderPass" => (self.pass, self.subpass) = (Some(words.to_vec()), 0),
            "NextSubpass" => self.subpass += 1,
            "EndRenderPass" => self.pass = None,
            _ => {}
        }
    }

    fn see_targets(&self, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        if let Some(rendering) = &self.rendering {
            rendering.see(state);
        }
        if let Some(pass) = &self.pass {
            state.insert(StateKey("render pass", [0, 0]), pass.iter().copied().chain([self.subpass]).collect());
        }
    }

    pub(super) fn finish(mut self) -> Vec<Action> {
        self.flush();
        self.actions
    }
}
