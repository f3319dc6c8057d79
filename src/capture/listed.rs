// SPDX-License-Identifier: MIT

//! The plan of a list of names, as `glTransformFeedbackVaryings` takes it.

use super::name::{special, Special};
use super::place::{error, Placer, Target};
use super::resolve::resolve;
use super::{BufferMode, Output, XfbError, XfbInfo, XfbLimits, XfbProblem};

/// See [`plan_captures`](super::plan_captures).
pub(super) fn plan(
    outputs: &[Output],
    names: &[String],
    mode: BufferMode,
    limits: &XfbLimits,
) -> Result<XfbInfo, XfbError> {
    let limits = limits.capped();
    check_call(names, mode, &limits)?;
    let mut list = List { outputs, mode, limits, buffer: 0, placer: Placer::default() };
    for (entry, name) in names.iter().enumerate() {
        list.add(entry, name).map_err(|problem| error(entry, name, problem))?;
    }
    Ok(list.placer.finish())
}

/// Checks the errors of the call `glTransformFeedbackVaryings` itself, which precede linking.
fn check_call(names: &[String], mode: BufferMode, limits: &XfbLimits) -> Result<(), XfbError> {
    let mut buffer = 0;
    for (entry, name) in names.iter().enumerate() {
        let problem = match (mode, special(name)) {
            (BufferMode::Separate, Some(_)) => Some(XfbProblem::SpecialInSeparate),
            (BufferMode::Separate, None) => {
                let most = limits.max_separate_attribs;
                (entry >= most as usize).then_some(XfbProblem::TooManyVaryings { most })
            }
            (BufferMode::Interleaved, next) => {
                buffer += u32::from(next == Some(Special::NextBuffer));
                let most = limits.max_buffers;
                (buffer >= most).then_some(XfbProblem::TooManyBuffers { buffer, most })
            }
        };
        problem.map_or(Ok(()), |problem| Err(error(entry, name, problem)))?;
    }
    Ok(())
}

/// A plan to which the names of a list are added.
struct List<'a> {
    outputs: &'a [Output],
    mode: BufferMode,
    limits: XfbLimits,
    /// The buffer of the next varying.
    buffer: u32,
    placer: Placer,
}

impl List<'_> {
    fn add(&mut self, entry: usize, name: &str) -> Result<(), XfbProblem> {
        let target = Target { entry, buffer: self.buffer, offset: *self.placer.stride(self.buffer) };
        match special(name) {
            Some(Special::NextBuffer) => {
                self.placer.list(name, 0, 0, target);
                self.buffer += 1;
            }
            Some(Special::Skip(components)) => {
                self.grow(components)?;
                self.placer.list(name, 0, components, target);
            }
            None => {
                let found = resolve(self.outputs, name)?;
                let leaf = found.leaf()?;
                self.grow(leaf.components())?;
                self.placer.put(name, found, leaf, target)?;
                // In separate mode the last varying may be in the last buffer.
                self.buffer +=
                    u32::from(self.mode == BufferMode::Separate && self.buffer + 1 < XfbInfo::BUFFERS as u32);
            }
        }
        Ok(())
    }

    /// Reserves `more` components at the end of the buffer.
    fn grow(&mut self, more: u32) -> Result<(), XfbProblem> {
        let buffer = self.buffer;
        let stride = self.placer.stride(buffer);
        let components = (*stride / 4).saturating_add(more);
        match self.mode {
            BufferMode::Interleaved if components > self.limits.max_interleaved_components => {
                let most = self.limits.max_interleaved_components;
                Err(XfbProblem::InterleavedComponents { buffer, components, most })
            }
            BufferMode::Separate if more > self.limits.max_separate_components => {
                Err(XfbProblem::SeparateComponents { components: more, most: self.limits.max_separate_components })
            }
            _ => {
                *stride = components * 4;
                Ok(())
            }
        }
    }
}
