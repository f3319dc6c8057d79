// SPDX-License-Identifier: MIT

//! The plan of layout qualifiers: GLSL 4.60, section 4.4.2.1 "Transform Feedback Layout Qualifiers".

use super::place::{error, in_slots, Placer, Target};
use super::resolve::{resolve, OutputPart};
use super::{LayoutCapture, Output, OutputType, XfbError, XfbInfo, XfbLimits, XfbPlace, XfbProblem};

/// See [`plan_captures`](super::plan_captures).
pub(super) fn plan(
    outputs: &[Output],
    captures: &[LayoutCapture],
    strides: &[Option<u32>; 4],
    limits: &XfbLimits,
) -> Result<XfbInfo, XfbError> {
    let mut layout = Layout {
        outputs,
        strides,
        limits: limits.capped(),
        wide: [false; 4],
        spaces: Vec::new(),
        placer: Placer::default(),
    };
    layout.check_declared()?;
    for (entry, capture) in captures.iter().enumerate() {
        layout.add(entry, capture).map_err(|problem| error(entry, &capture.name, problem))?;
    }
    layout.set_strides()?;
    let mut info = layout.placer.finish();
    info.varyings.sort_by_key(|varying| (varying.buffer, varying.offset));
    Ok(info)
}

/// The bytes that a capture uses in a buffer.
struct Space {
    entry: usize,
    buffer: u32,
    start: u32,
    end: u32,
}

/// A plan to which captures are added one by one.
struct Layout<'a> {
    outputs: &'a [Output],
    strides: &'a [Option<u32>; 4],
    limits: XfbLimits,
    /// Whether 64-bit components are written to a buffer.
    wide: [bool; 4],
    spaces: Vec<Space>,
    placer: Placer,
}

impl Layout<'_> {
    /// Refuses declared strides that are invalid whatever is captured.
    fn check_declared(&self) -> Result<(), XfbError> {
        let XfbLimits { max_interleaved_components, max_buffers, .. } = self.limits;
        for (buffer, stride) in (0u32..).zip(self.strides).filter_map(|(buffer, stride)| Some((buffer, (*stride)?))) {
            if buffer >= max_buffers {
                return Err(stride_error(buffer, XfbProblem::TooManyBuffers { buffer, most: max_buffers }));
            }
            check_stride(buffer, stride, 4, max_interleaved_components)?;
        }
        Ok(())
    }

    fn add(&mut self, entry: usize, capture: &LayoutCapture) -> Result<(), XfbProblem> {
        let found = resolve(self.outputs, &capture.name)?;
        let alignment = if found.ty.is_wide() { 8 } else { 4 };
        if capture.offset % alignment != 0 {
            return Err(XfbProblem::OffsetAlignment { offset: capture.offset, alignment });
        }
        // This check precedes the flattening. A compact array may have more elements than slots; `put` checks those.
        if !found.is_compact {
            in_slots(found.location, found.ty.slots())?;
        }
        let target = Target { entry, buffer: capture.buffer, offset: capture.offset };
        self.add_blocks(&capture.name, found, target).map(|_| ())
    }

    /// Captures each block of an array in the next buffer, or anything else in one buffer. Returns the buffer after the last.
    fn add_blocks(&mut self, name: &str, found: OutputPart<'_>, target: Target) -> Result<u32, XfbProblem> {
        if !is_array_of_blocks(found.ty) {
            self.add_whole(name, found, target)?;
            return Ok(target.buffer.saturating_add(1));
        }
        found.elements().enumerate().try_fold(target.buffer, |buffer, (index, element)| {
            self.add_blocks(&format!("{name}[{index}]"), element, Target { buffer, ..target })
        })
    }

    /// Captures all of `found` in one buffer.
    fn add_whole(&mut self, name: &str, found: OutputPart<'_>, target: Target) -> Result<(), XfbProblem> {
        let Target { entry, buffer, offset: start } = target;
        let most = self.limits.max_buffers;
        if buffer >= most {
            return Err(XfbProblem::TooManyBuffers { buffer, most });
        }
        // The size without inner padding is a lower bound, so the result of flattening stays below the limit.
        self.end_in_limit(target, u64::from(start) + 4 * u64::from(found.ty.components()))?;
        let mut parts = Vec::new();
        let wide = found.ty.is_wide();
        let end = flatten(name, found, start.into(), &mut parts).next_multiple_of(if wide { 8 } else { 4 });
        let end = self.end_in_limit(target, end)?;
        let overlaps = |space: &&Space| space.buffer == buffer && space.start < end && start < space.end;
        let overlapped = self.spaces.iter().find(overlaps).map(|space| space.entry);
        for (name, part, offset) in parts {
            // It is below `end`, which is a `u32`.
            let offset = offset as u32;
            self.placer.put(&name, part, part.leaf()?, Target { offset, ..target })?;
        }
        if let Some(other) = overlapped {
            return Err(XfbProblem::Overlap { other, buffer });
        }
        self.spaces.push(Space { entry, buffer, start, end });
        self.wide[buffer as usize] |= wide;
        Ok(())
    }

    /// `end` in bytes, if a capture may end there.
    fn end_in_limit(&self, target: Target, end: u64) -> Result<u32, XfbProblem> {
        let (buffer, most) = (target.buffer, self.limits.max_interleaved_components);
        match self.strides[buffer as usize] {
            Some(stride) if end > stride.into() => return Err(XfbProblem::BeyondStride { end, stride }),
            _ => {}
        }
        let small = u32::try_from(end).ok().filter(|end| *end <= most * 4);
        small.ok_or_else(|| {
            let components = u32::try_from(end.div_ceil(4)).unwrap_or(u32::MAX);
            XfbProblem::InterleavedComponents { buffer, components, most }
        })
    }

    /// Sets the declared strides, and for the other buffers the smallest stride that holds the captures.
    fn set_strides(&mut self) -> Result<(), XfbError> {
        for (buffer, declared) in (0u32..).zip(self.strides) {
            let ends = self.spaces.iter().filter(|space| space.buffer == buffer).map(|space| space.end);
            let alignment = if self.wide[buffer as usize] { 8 } else { 4 };
            // `XfbLimits::capped` leaves space for the padding.
            let least = ends.max().unwrap_or(0).next_multiple_of(alignment);
            let stride = declared.unwrap_or(least);
            check_stride(buffer, stride, alignment, self.limits.max_interleaved_components)?;
            *self.placer.stride(buffer) = stride;
        }
        Ok(())
    }
}

/// Refuses a stride that is not a multiple of `alignment`, or that has more than `most` components.
fn check_stride(buffer: u32, stride: u32, alignment: u32, most: u32) -> Result<(), XfbError> {
    if stride % alignment != 0 {
        return Err(stride_error(buffer, XfbProblem::StrideAlignment { stride, alignment }));
    }
    if stride > most * 4 {
        return Err(stride_error(buffer, XfbProblem::StrideLimit { stride, most }));
    }
    Ok(())
}

fn stride_error(buffer: u32, problem: XfbProblem) -> XfbError {
    XfbError { place: XfbPlace::Buffer(buffer), problem }
}

fn is_array_of_blocks(ty: &OutputType) -> bool {
    match ty {
        OutputType::Array(element, _) => matches!(**element, OutputType::Block(_)) || is_array_of_blocks(element),
        _ => false,
    }
}

/// Appends the parts of `found` that have types in OpenGL, each with its name and offset. Returns the first byte after the last
/// part.
fn flatten<'a>(name: &str, found: OutputPart<'a>, offset: u64, parts: &mut Vec<(String, OutputPart<'a>, u64)>) -> u64 {
    if let Ok(leaf) = found.leaf() {
        let start = offset.next_multiple_of(leaf.basic.component_bytes().into());
        parts.push((name.into(), found, start));
        return start + 4 * u64::from(leaf.components());
    }
    let end = found
        .elements()
        .enumerate()
        .fold(offset, |offset, (index, element)| flatten(&format!("{name}[{index}]"), element, offset, parts));
    found.members().fold(end, |offset, (member, found)| flatten(&format!("{name}.{member}"), found, offset, parts))
}
