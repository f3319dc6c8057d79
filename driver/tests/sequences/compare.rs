// SPDX-License-Identifier: MIT

//! The recorded commands of two drivers, without equivalent differences.
//!
//! [`normalize`] returns for each action the state that it uses. Some equal actions still have two forms: an attachment is
//! cleared at the begin of a rendering or within it, and the source of data is another part of upload memory. Barriers are left
//! out: the validation layer checks them on a device that computes.

use null_vulkan::{first_difference, normalize, Action, ActionKind, Command, StateKey};
use std::collections::BTreeMap;

/// A function that describes the numbers of a log.
pub(crate) type Describe<'a> = &'a dyn Fn(u64) -> String;

/// The actions of a log.
pub(crate) fn actions(log: &[Command], describe: Describe<'_>) -> Vec<Action> {
    let mut list = Vec::new();
    let mut clears = Vec::new();
    for mut action in normalize(log) {
        match (action.kind, action.name) {
            (ActionKind::Barrier, _) => continue,
            (_, "load op clear") => clears.push(Clear::of_load(&action)),
            (_, "vkCmdClearAttachments") => clears.extend(Clear::of_command(&action)),
            _ => {
                list.extend(settle(&mut clears));
                if action.name.starts_with("vkCmdCopyBuffer") {
                    remove_upload_offset(&mut action, describe);
                }
                list.push(action);
            }
        }
    }
    list.extend(settle(&mut clears));
    list
}

/// The first difference of two lists.
pub(crate) fn difference(ours: &[Action], theirs: &[Action], describe: Describe<'_>) -> Option<String> {
    first_difference(ours, theirs, describe)
}

/// `VkImageAspectFlags`.
const COLOR: u64 = 1;
const DEPTH: u64 = 2;
const STENCIL: u64 = 4;

/// The numbers that [`normalize`] gives to depth and stencil.
const DEPTH_NUMBER: u64 = 100;

/// A clear of an attachment.
#[derive(Clone, PartialEq)]
struct Clear {
    view: u64,
    aspect: u64,
    value: Vec<u64>,
    /// Offset, extent, first layer, layers.
    rect: Vec<u64>,
    area: Vec<u64>,
}

impl Clear {
    fn of_load(action: &Action) -> Clear {
        let [number, view] = [action.words[0], action.words[1]];
        let aspect = match number {
            DEPTH_NUMBER => DEPTH,
            number if number > DEPTH_NUMBER => STENCIL,
            _ => COLOR,
        };
        let area = action.state[&StateKey("render area", [0, 0])].clone();
        let rect = area[..4].iter().copied().chain([0, area[4]]).collect();
        Clear { view, aspect, value: value(aspect, &action.words[2..6]), rect, area }
    }

    fn of_command(action: &Action) -> Vec<Clear> {
        let area = &action.state[&StateKey("render area", [0, 0])];
        let (count, mut words) = (action.words[0], &action.words[1..]);
        let mut attachments = Vec::new();
        for _ in 0..count {
            // A color has its number and four words, depth and stencil have one word each.
            let len = if words[0] & COLOR != 0 { 6 } else { 3 };
            attachments.push(&words[..len]);
            words = &words[len..];
        }
        let mut list = Vec::new();
        for attachment in attachments {
            for aspect in [COLOR, DEPTH, STENCIL].into_iter().filter(|aspect| attachment[0] & aspect != 0) {
                let (number, value) = match aspect {
                    COLOR => (attachment[1], value(aspect, &attachment[2..])),
                    DEPTH => (DEPTH_NUMBER, value(aspect, &attachment[1..])),
                    _ => (DEPTH_NUMBER + 1, value(aspect, &attachment[1..])),
                };
                let target = action.state.get(&StateKey("attachment", [number as u32, 0]));
                let view = target.map_or(0, |target| target[0]);
                list.extend(words[1..].chunks_exact(6).map(|rect| {
                    let (value, rect, area) = (value.clone(), rect.to_vec(), area.clone());
                    Clear { view, aspect, value, rect, area }
                }));
            }
        }
        list
    }

    fn action(self) -> Action {
        let words = [self.view, self.aspect].into_iter().chain(self.value).chain(self.rect).collect();
        let state = BTreeMap::from([(StateKey("render area", [0, 0]), self.area)]);
        Action { kind: ActionKind::Clear, name: "clear of an attachment", words, state }
    }

    /// Whether this clear overwrites all of `other`.
    fn covers(&self, other: &Clear) -> bool {
        let is_whole = self.rect[..4] == self.area[..4];
        is_whole && (self.view, self.aspect, &self.area) == (other.view, other.aspect, &other.area)
    }
}

/// The words of a value that an aspect uses.
fn value(aspect: u64, words: &[u64]) -> Vec<u64> {
    match aspect {
        COLOR => words.to_vec(),
        DEPTH => words[..1].to_vec(),
        _ => words[1..2].to_vec(),
    }
}

/// Consecutive clears: removes overwritten ones, and sorts the others by their attachments.
fn settle(clears: &mut Vec<Clear>) -> Vec<Action> {
    let all = std::mem::take(clears);
    let is_left = |number: &usize| !all[number + 1..].iter().any(|later| later.covers(&all[*number]));
    let mut left: Vec<Clear> = (0..all.len()).filter(is_left).map(|number| all[number].clone()).collect();
    left.sort_by_key(|clear| (clear.view, clear.aspect));
    left.into_iter().map(Clear::action).collect()
}

/// Removes the offset in upload memory of a copy's source: the first word of each region.
fn remove_upload_offset(action: &mut Action, describe: Describe<'_>) {
    if !describe(action.words[0]).contains("~uploads") {
        return;
    }
    let place = if action.name == "vkCmdCopyBuffer" { 3 } else { 4 };
    if let Some(word) = action.words.get_mut(place) {
        *word = 0;
    }
}
