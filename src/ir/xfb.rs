//! What transform feedback captures of a shader: NIR's `nir_xfb_info`.
//!
//! In text it is a row for each run of components, `VAR1.yz:0+16/24`: components y and z of the slot go to buffer 0, from byte 16 of
//! the 24 of each vertex on. `,stream=1` follows if it is not stream 0.

use crate::op::names::SlotKind;
use std::fmt;

/// What transform feedback captures of the outputs of a shader, and where to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbInfo {
    /// The buffers.
    pub buffers: [XfbBufferInfo; XfbInfo::BUFFERS],
    /// The runs of components that are captured: by buffer, then by offset.
    pub outputs: Vec<XfbOutputInfo>,
}

/// A buffer that transform feedback writes: `nir_xfb_buffer_info`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbBufferInfo {
    /// Bytes from one vertex to the next.
    pub stride: u32,
    /// The vertex stream that goes there.
    pub stream: u32,
}

/// Components of one slot that follow each other in the buffer, too: `nir_xfb_output_info`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct XfbOutputInfo {
    /// Which buffer.
    pub buffer: u32,
    /// Bytes from the start of the vertex to the first component.
    pub offset: u32,
    /// The slot, a `gl_varying_slot`.
    pub location: u32,
    /// The first component, of 32 bits each; a component of 64 bits is two of these.
    pub component: u8,
    /// How many; they do not reach beyond the slot.
    pub num_components: u8,
}

impl XfbInfo {
    /// The buffers of transform feedback that OpenGL has at least, and SPIR-V's drivers have at most.
    pub const BUFFERS: usize = 4;

    /// Nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.buffers = Default::default();
        self.outputs.clear();
    }

    /// Adds a run of components, unless it is there. One that goes on where another ends becomes a part of that.
    pub fn add(&mut self, new: XfbOutputInfo) {
        let follows = |run: &XfbOutputInfo| {
            let count = run.num_components;
            (run.buffer, run.location, run.component + count) == (new.buffer, new.location, new.component)
                && run.offset.saturating_add(4 * u32::from(count)) == new.offset
        };
        match self.outputs.iter_mut().find(|run| **run == new || follows(run)) {
            Some(run) if *run == new => {}
            Some(run) => run.num_components += new.num_components,
            None => self.outputs.push(new),
        }
    }

    /// Where component `component` of slot `location` goes: each buffer, and the offset there.
    pub fn places(&self, location: u32, component: u8) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.outputs.iter().filter_map(move |run| {
            let at = component.checked_sub(run.component).filter(|at| *at < run.num_components)?;
            (run.location == location).then_some((run.buffer, run.offset.saturating_add(4 * u32::from(at))))
        })
    }
}

/// A run of components and its buffer, as a text: see the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XfbRow {
    /// The buffer.
    pub buffer: XfbBufferInfo,
    /// The components.
    pub output: XfbOutputInfo,
}

impl XfbInfo {
    /// A row for each run.
    pub fn rows(&self) -> impl Iterator<Item = XfbRow> + '_ {
        let buffer = |output: &XfbOutputInfo| self.buffers.get(output.buffer as usize).copied().unwrap_or_default();
        self.outputs.iter().map(move |output| XfbRow { buffer: buffer(output), output: *output })
    }

    /// Adds a run and says what its buffer is.
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
        let XfbOutputInfo { buffer, offset, location, component, num_components } = self.output;
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
        let output = XfbOutputInfo { buffer, offset: number(offset)?, location, component, num_components };
        Ok(XfbRow { buffer: XfbBufferInfo { stride: number(stride)?, stream: number(stream)? }, output })
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
    fn runs_that_go_on_are_one() {
        let mut info = XfbInfo::default();
        for row in ["VAR1.x:0+4/16", "VAR1.x:0+4/16", "VAR1.y:0+8/16", "VAR1.w:0+12/16"] {
            info.add_row(row.parse().expect("a row"));
        }
        let rows: Vec<String> = info.rows().map(|row| row.to_string()).collect();
        assert_eq!(rows, ["VAR1.xy:0+4/16", "VAR1.w:0+12/16"]);
        assert_eq!(info.places(info.outputs[0].location, 1).collect::<Vec<_>>(), [(0, 8)]);
        assert_eq!(info.places(info.outputs[0].location, 2).next(), None);
    }
}
