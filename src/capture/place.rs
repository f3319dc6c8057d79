// SPDX-License-Identifier: MIT

//! Places captures in buffers, for both kinds of requests.

use super::resolve::OutputPart;
use super::shape::Leaf;
use super::{XfbError, XfbInfo, XfbOutput, XfbPlace, XfbProblem, XfbVarying};
use crate::op::names::varying;
use std::collections::BTreeMap;

/// A plan under construction.
#[derive(Default)]
pub(super) struct Placer {
    pub(super) info: XfbInfo,
    /// The entry of the request that captures a component, by the index of the output, slot and component.
    taken: BTreeMap<(usize, u32, u8), usize>,
}

/// The position of a capture.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// The index of the entry in the request.
    pub(super) entry: usize,
    pub(super) buffer: u32,
    /// The offset in bytes. The limits ensure that the end of the capture is a `u32`.
    pub(super) offset: u32,
}

impl Placer {
    /// The stride of a buffer, which is added if it is new.
    pub(super) fn stride(&mut self, buffer: u32) -> &mut u32 {
        &mut self.info.buffers[buffer as usize].stride
    }

    /// Adds a varying to the list for `glGetTransformFeedbackVarying`.
    pub(super) fn list(&mut self, name: &str, gl_type: u32, size: u32, target: Target) {
        let Target { buffer, offset, .. } = target;
        self.info.varyings.push(XfbVarying { name: name.into(), gl_type, size, buffer, offset });
    }

    /// Captures `leaf`, the type of `found`, which the request calls `name`.
    pub(super) fn put(
        &mut self,
        name: &str,
        found: OutputPart<'_>,
        leaf: Leaf,
        target: Target,
    ) -> Result<(), XfbProblem> {
        in_slots(leaf.location, leaf.slots())?;
        self.claim_buffer(target.buffer, found.stream)?;
        for k in 0..leaf.components() {
            let (location, component) = leaf.slot(k);
            if let Some(other) = self.taken.insert((found.output, location, component), target.entry) {
                return Err(XfbProblem::Twice { other });
            }
            let offset = target.offset + k * 4;
            self.info.outputs.push(XfbOutput { buffer: target.buffer, offset, location, component, num_components: 1 });
        }
        self.list(name, leaf.basic.gl_type().unwrap_or(0), leaf.length, target);
        Ok(())
    }

    /// Records that `buffer` captures outputs of `stream`.
    fn claim_buffer(&mut self, buffer: u32, stream: u32) -> Result<(), XfbProblem> {
        let claimed = &mut self.info.buffers[buffer as usize];
        if claimed.is_used && claimed.stream != stream {
            return Err(XfbProblem::Streams { buffer, has: claimed.stream, stream });
        }
        (claimed.is_used, claimed.stream) = (true, stream);
        Ok(())
    }

    /// The finished plan.
    pub(super) fn finish(mut self) -> XfbInfo {
        self.info.finish();
        self.info
    }
}

/// Refuses outputs that end beyond the slots of NIR. This bounds the size of flattened types.
pub(super) fn in_slots(location: u32, slots: u32) -> Result<(), XfbProblem> {
    if location.saturating_add(slots) > varying::END {
        return Err(XfbProblem::InvalidOutput { why: "it ends after the last slot" });
    }
    Ok(())
}

/// The error of the entry `index`, called `name`.
pub(super) fn error(index: usize, name: &str, problem: XfbProblem) -> XfbError {
    XfbError { place: XfbPlace::Varying { index, name: name.into() }, problem }
}
