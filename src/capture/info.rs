//! The plan: buffers, and runs of components that go into them.

/// What is captured where, after NIR's `nir_xfb_info`. The default captures nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbInfo {
    /// The buffers, by their number.
    pub buffers: [XfbBuffer; 4],
    /// Runs of components, sorted by buffer and offset. They overlap neither in buffers nor, as outputs do not, in slots, and are
    /// as long as they can be.
    pub outputs: Vec<XfbOutput>,
    /// What `glGetTransformFeedbackVarying` reports, in the order of the list. With layout qualifiers: sorted by buffer and
    /// offset.
    pub varyings: Vec<XfbVarying>,
}

/// A buffer of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct XfbBuffer {
    /// Bytes of a vertex, a multiple of 4. It may be more than 0 where the buffer is not used.
    pub stride: u32,
    /// The vertex stream of all that it captures.
    pub stream: u32,
    /// Whether anything is captured in it: only then a buffer has to be bound.
    pub is_used: bool,
}

/// A run of 32-bit components of one slot that goes to successive bytes, after NIR's `nir_xfb_output_info`. A 64-bit component is
/// two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct XfbOutput {
    /// The buffer.
    pub buffer: u32,
    /// Bytes from the beginning of the vertex, a multiple of 4.
    pub offset: u32,
    /// The slot, a number of [`varying`](crate::op::names::varying).
    pub location: u32,
    /// The first component in the slot: 0 to 3.
    pub component: u8,
    /// How many components: 1 to 4.
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
    /// Elements that are captured: 1 for what is no array. Components for `gl_SkipComponents`, 0 for `gl_NextBuffer`.
    pub size: u32,
    /// The buffer; that which ends for `gl_NextBuffer`.
    pub buffer: u32,
    /// Bytes from the beginning of the vertex.
    pub offset: u32,
}

impl XfbInfo {
    /// Whether nothing is captured.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// Strides of all buffers in bytes.
    pub fn strides(&self) -> [u32; 4] {
        self.buffers.map(|buffer| buffer.stride)
    }

    /// The numbers of the buffers in which something is captured, as bits: `nir_xfb_info::buffers_written`.
    pub fn buffers_written(&self) -> u8 {
        self.buffers.iter().enumerate().fold(0, |bits, (number, buffer)| bits | u8::from(buffer.is_used) << number)
    }

    /// The vertex streams of which something is captured, as bits: `nir_xfb_info::streams_written`.
    pub fn streams_written(&self) -> u8 {
        self.used().fold(0, |bits, buffer| bits | 1u8.checked_shl(buffer.stream).unwrap_or(0))
    }

    /// The runs of the slot `location`.
    pub fn of_slot(&self, location: u32) -> impl Iterator<Item = &XfbOutput> {
        self.outputs.iter().filter(move |output| output.location == location)
    }

    /// The buffer, and the offset in bytes, of a 32-bit component of a slot, if that is captured.
    pub fn captured(&self, location: u32, component: u8) -> Option<(u32, u32)> {
        self.of_slot(location).find_map(|output| {
            let at = component.checked_sub(output.component).filter(|at| *at < output.num_components)?;
            Some((output.buffer, output.offset.saturating_add(u32::from(at) * 4)))
        })
    }

    /// Bytes that a vertex takes of all buffers that are used, those of all streams.
    pub fn bytes_per_vertex(&self) -> u64 {
        self.used().map(|buffer| u64::from(buffer.stride)).sum()
    }

    /// Bytes that a primitive of so many vertices takes of all buffers that are used.
    pub fn bytes_per_primitive(&self, vertices: u32) -> u64 {
        self.bytes_per_vertex().saturating_mul(vertices.into())
    }

    fn used(&self) -> impl Iterator<Item = &XfbBuffer> {
        self.buffers.iter().filter(|buffer| buffer.is_used)
    }

    /// Sorts the outputs, and joins those that are neighbours in one slot and in the buffer.
    pub(super) fn finish(&mut self) {
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
}
