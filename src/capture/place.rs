//! Putting what is captured into buffers, in whichever way it was asked.

use super::resolve::Found;
use super::shape::Leaf;
use super::{XfbError, XfbInfo, XfbOutput, XfbPlace, XfbProblem, XfbVarying};
use crate::op::names::varying;
use std::collections::BTreeMap;

/// A plan in the making.
#[derive(Default)]
pub(super) struct Placer {
    pub(super) info: XfbInfo,
    /// Which entry of the request captures a component: by the number of the output, slot and component.
    taken: BTreeMap<(usize, u32, u8), usize>,
}

/// Where something goes.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// The number of the entry in the request.
    pub(super) entry: usize,
    pub(super) buffer: u32,
    /// In bytes. What is put there ends at a byte that is an `u32`: the limits see to that.
    pub(super) offset: u32,
}

impl Placer {
    /// The stride of a buffer that there is.
    pub(super) fn stride(&mut self, buffer: u32) -> &mut u32 {
        &mut self.info.buffers[buffer as usize].stride
    }

    /// Lists a varying for `glGetTransformFeedbackVarying`.
    pub(super) fn list(&mut self, name: &str, gl_type: u32, size: u32, target: Target) {
        let Target { buffer, offset, .. } = target;
        self.info.varyings.push(XfbVarying { name: name.into(), gl_type, size, buffer, offset });
    }

    /// Captures `leaf`, which `found` is and the request calls `name`.
    pub(super) fn put(&mut self, name: &str, found: Found<'_>, leaf: Leaf, target: Target) -> Result<(), XfbProblem> {
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

    /// Says that `buffer` captures something of `stream`.
    fn claim_buffer(&mut self, buffer: u32, stream: u32) -> Result<(), XfbProblem> {
        let claimed = &mut self.info.buffers[buffer as usize];
        if claimed.is_used && claimed.stream != stream {
            return Err(XfbProblem::Streams { buffer, has: claimed.stream, stream });
        }
        (claimed.is_used, claimed.stream) = (true, stream);
        Ok(())
    }

    /// The plan.
    pub(super) fn finish(mut self) -> XfbInfo {
        self.info.finish();
        self.info
    }
}

/// Refuses what does not end within the slots that NIR numbers. It bounds what is flattened.
pub(super) fn in_slots(location: u32, slots: u32) -> Result<(), XfbProblem> {
    if location.saturating_add(slots) > varying::END {
        return Err(XfbProblem::InvalidOutput { why: "it goes beyond the last slot" });
    }
    Ok(())
}

/// The error of entry `index`, which is called `name`.
pub(super) fn error(index: usize, name: &str, problem: XfbProblem) -> XfbError {
    XfbError { place: XfbPlace::Varying { index, name: name.into() }, problem }
}
