// SPDX-License-Identifier: MIT

//! The captures of transform feedback of a shader: NIR's `nir_xfb_info`, and its `nir_xfb_varyings_info`.
//!
//! In text it is a row for each run of components, `VAR1.yz:0+16/24`: components y and z of the slot are written to buffer 0,
//! from byte 16 of the 24 of each vertex on. `,stream=1` follows if it is not stream 0. Text does not have the varyings that
//! OpenGL reports.

use crate::op::names::SlotKind;
use std::fmt;

/// The captures and their buffers, after NIR's `nir_xfb_info`. The default captures nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbInfo {
    /// The buffers, by their number.
    pub buffers: [XfbBuffer; XfbInfo::BUFFERS],
    /// Runs of components, sorted by buffer and offset. They overlap neither in buffers nor in slots, because outputs do not,
    /// and are as long as possible.
    pub outputs: Vec<XfbOutput>,
    /// The varyings that `glGetTransformFeedbackVarying` reports, in the order of the list. With layout qualifiers: sorted by
    /// buffer and offset. Only a plan (`capture::plan_captures`) has them.
    pub varyings: Vec<XfbVarying>,
}

/// A buffer of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbBuffer {
    /// The number of bytes of a vertex, a multiple of 4. It may be more than 0 for an unused buffer.
    pub stride: u32,
    /// The vertex stream of all its captures.
    pub stream: u32,
    /// Whether it has captures: only then a buffer has to be bound.
    pub is_used: bool,
}

/// A run of 32-bit components of one slot that is written to consecutive bytes, after NIR's `nir_xfb_output_info`. A 64-bit
/// component is two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct XfbOutput {
    /// The buffer.
    pub buffer: u32,
    /// The offset in bytes from the beginning of the vertex, a multiple of 4.
    pub offset: u32,
    /// The slot, a number of [`varying`](crate::op::names::varying).
    pub location: u32,
    /// The first component in the slot: 0 to 3.
    pub component: u8,
    /// The number of components: 1 to 4.
    pub num_components: u8,
}

/// A varying as OpenGL reports it: OpenGL 4.6, section 11.1.2.1, `glGetTransformFeedbackVarying`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XfbVarying {
    /// Its name as in the request; with layout qualifiers the names of the parts of an aggregate.
    pub name: String,
    /// OpenGL's number of its type, that of an element for an array: 0x8b51 for `GL_FLOAT_VEC3`. 0, `GL_NONE`, for
    /// `gl_NextBuffer` and `gl_SkipComponents`.
    pub gl_type: u32,
    /// The number of captured elements: 1 for a varying that is not an array. Components for `gl_SkipComponents`, 0 for
    /// `gl_NextBuffer`.
    pub size: u32,
    /// The buffer; for `gl_NextBuffer` the one that ends.
    pub buffer: u32,
    /// The offset in bytes from the beginning of the vertex.
    pub offset: u32,
}

impl XfbInfo {
    /// The maximum number of buffers: NIR's `NIR_MAX_XFB_BUFFERS`.
    pub const BUFFERS: usize = 4;

    /// The number of vertex streams: NIR's `NIR_MAX_XFB_STREAMS`.
    pub const STREAMS: u32 = 4;

    /// Whether nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Strides of all buffers in bytes.
    pub fn strides(&self) -> [u32; 4] {
        self.buffers.map(|buffer| buffer.stride)
    }

    /// The buffers with captures, as bits: `nir_xfb_info::buffers_written`.
    pub fn buffers_written(&self) -> u8 {
        self.buffers.iter().enumerate().fold(0, |bits, (number, buffer)| bits | u8::from(buffer.is_used) << number)
    }

    /// The vertex streams with captures, as bits: `nir_xfb_info::streams_written`.
    pub fn streams_written(&self) -> u8 {
        self.used().fold(0, |bits, buffer| bits | 1u8.checked_shl(buffer.stream).unwrap_or(0))
    }

    /// The runs of the slot `location`.
    pub fn of_slot(&self, location: u32) -> impl Iterator<Item = &XfbOutput> {
        self.outputs.iter().filter(move |output| output.location == location)
    }

    /// The buffer, and the offset in bytes, of a 32-bit component of a slot, if it is captured.
    pub fn captured(&self, location: u32, component: u8) -> Option<(u32, u32)> {
        self.of_slot(location).find_map(|output| {
            let at = component.checked_sub(output.component).filter(|at| *at < output.num_components)?;
            Some((output.buffer, output.offset.saturating_add(u32::from(at) * 4)))
        })
    }

    /// The number of bytes of a vertex in all used buffers, of all streams.
    pub fn bytes_per_vertex(&self) -> u64 {
        self.used().map(|buffer| u64::from(buffer.stride)).sum()
    }

    /// The number of bytes of a primitive with this number of vertices in all used buffers.
    pub fn bytes_per_primitive(&self, vertices: u32) -> u64 {
        self.bytes_per_vertex().saturating_mul(vertices.into())
    }

    fn used(&self) -> impl Iterator<Item = &XfbBuffer> {
        self.buffers.iter().filter(|buffer| buffer.is_used)
    }

    /// Sorts the outputs, and joins those that are adjacent in one slot and in the buffer.
    pub fn finish(&mut self) {
        self.outputs.sort_unstable();
        self.outputs.dedup_by(|next, run| {
            let bytes = u32::from(run.num_components) * 4;
            let is_next = (next.buffer, next.location) == (run.buffer, run.location)
                && next.offset == run.offset.saturating_add(bytes)
                && next.component == run.component + run.num_components;
            run.num_components += if is_next { next.num_components } else { 0 };
            is_next
        });
    }

    /// Forgets all captures.
    pub fn clear(&mut self) {
        self.buffers = Default::default();
        self.outputs.clear();
        self.varyings.clear();
    }

    /// Adds a run of components, unless it is present. A run that continues another is joined with it.
    pub fn add(&mut self, new: XfbOutput) {
        if let Some(buffer) = self.buffers.get_mut(new.buffer as usize) {
            buffer.is_used = true;
        }
        let place = |c: u8| Some((new.buffer, new.offset.saturating_add(u32::from(c) * 4)));
        if (0..new.num_components).any(|c| self.captured(new.location, new.component.saturating_add(c)) != place(c)) {
            self.outputs.push(new);
            self.finish();
        }
    }
}

/// A run of components and its buffer: a row of text such as `VAR1.yz:0+16/24`, or `VAR1.yz:0+16/24,stream=1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XfbRow {
    /// The buffer.
    pub buffer: XfbBuffer,
    /// The components.
    pub output: XfbOutput,
}

impl XfbInfo {
    /// A row for each run.
    pub fn rows(&self) -> impl Iterator<Item = XfbRow> + '_ {
        let buffer = |output: &XfbOutput| self.buffers.get(output.buffer as usize).copied().unwrap_or_default();
        self.outputs.iter().map(move |output| XfbRow { buffer: buffer(output), output: *output })
    }

    /// Adds a run and sets the properties of its buffer.
    pub fn add_row(&mut self, row: XfbRow) {
        if let Some(buffer) = self.buffers.get_mut(row.output.buffer as usize) {
            *buffer = row.buffer;
        }
        self.add(row.output);
    }
}

const COMPONENTS: &str = "xyzw";

impl fmt::Display for XfbRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let XfbOutput { buffer, offset, location, component, num_components } = self.output;
        let mut slot = String::new();
        SlotKind::Varying.push_short_name(location, &mut slot);
        let (first, end) = (usize::from(component), usize::from(component) + usize::from(num_components));
        let components = COMPONENTS.get(first..end).unwrap_or_default();
        write!(f, "{slot}.{components}:{buffer}+{offset}/{}", self.buffer.stride)?;
        match self.buffer.stream {
            0 => Ok(()),
            stream => write!(f, ",stream={stream}"),
        }
    }
}

impl std::str::FromStr for XfbRow {
    type Err = String;

    fn from_str(text: &str) -> Result<XfbRow, String> {
        let form = || format!("`{text}` is not SLOT.COMPONENTS:BUFFER+OFFSET/STRIDE, as VAR1.yz:0+16/24");
        let number = |text: &str| text.parse::<u32>().map_err(|_| form());
        let (place, rest) = text.split_once(':').ok_or_else(form)?;
        let (slot, components) = place.split_once('.').ok_or_else(form)?;
        let location = SlotKind::Varying.from_name(&format!("VARYING_SLOT_{slot}"));
        let location = location.ok_or_else(|| format!("`{slot}` is not a slot of varyings"))?;
        let component = COMPONENTS.find(components).filter(|_| !components.is_empty()).ok_or_else(form)?;
        let (rest, stream) = rest.split_once(",stream=").unwrap_or((rest, "0"));
        let (buffer, rest) = rest.split_once('+').ok_or_else(form)?;
        let (offset, stride) = rest.split_once('/').ok_or_else(form)?;
        let buffer = number(buffer)?;
        if buffer as usize >= XfbInfo::BUFFERS {
            return Err(format!("transform feedback has no buffer {buffer}"));
        }
        let (component, num_components) = (component as u8, components.len() as u8);
        let output = XfbOutput { buffer, offset: number(offset)?, location, component, num_components };
        let buffer = XfbBuffer { stride: number(stride)?, stream: number(stream)?, is_used: true };
        Ok(XfbRow { buffer, output })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_are_written() {
        for text in ["VAR1.yz:0+16/24", "POS.xyzw:3+0/16", "CLIP_DIST0.w:1+4/8,stream=2"] {
            assert_eq!(text.parse::<XfbRow>().map(|row| row.to_string()), Ok(text.to_string()));
        }
        for wrong in [
            "",
            "VAR1",
            "VAR1.:0+0/4",
            "VAR1.xz:0+0/4",
            "VARX.x:0+0/4",
            "VAR1.x:4+0/4",
            "VAR1.x:0+0",
            "VAR1.x:0+0/4,stream=",
        ] {
            assert!(wrong.parse::<XfbRow>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn adjacent_runs_are_joined() {
        let mut info = XfbInfo::default();
        for row in ["VAR1.x:0+4/16", "VAR1.x:0+4/16", "VAR1.y:0+8/16", "VAR1.w:0+12/16", "VAR1.x:0+4/16"] {
            info.add_row(row.parse().expect("a row"));
        }
        let rows: Vec<String> = info.rows().map(|row| row.to_string()).collect();
        assert_eq!(rows, ["VAR1.xy:0+4/16", "VAR1.w:0+12/16"]);
        assert_eq!(info.captured(info.outputs[0].location, 1), Some((0, 8)));
        assert_eq!(info.captured(info.outputs[0].location, 2), None);
    }
}
