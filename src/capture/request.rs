//! What the application asks to be captured, and what the device takes.

use crate::ir::XfbInfo;

/// How `glTransformFeedbackVaryings` lays varyings out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferMode {
    /// `GL_INTERLEAVED_ATTRIBS`: one after the other, in one buffer until `gl_NextBuffer`.
    #[default]
    Interleaved,
    /// `GL_SEPARATE_ATTRIBS`: each in a buffer of its own.
    Separate,
}

/// What is captured, said in one of OpenGL's two ways. If a shader has layout qualifiers for it, OpenGL ignores the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// As `glTransformFeedbackVaryings` says it.
    Varyings {
        /// Names of outputs, of members and of elements: `v`, `a[2]`, `s.b[1].c`, `Block[1].m`. In interleaved mode also
        /// `gl_SkipComponents1` to `4` and `gl_NextBuffer` (ARB_transform_feedback3).
        names: Vec<String>,
        /// How they are laid out.
        mode: BufferMode,
    },
    /// As layout qualifiers say it (ARB_enhanced_layouts).
    Layout {
        /// What has an `xfb_offset`.
        captures: Vec<LayoutCapture>,
        /// `xfb_stride` of each buffer in bytes. `None`: the least that holds what is captured, and a multiple of 8 if there are
        /// 64-bit components.
        strides: [Option<u32>; 4],
    },
}

impl Request {
    /// A list of names as `glTransformFeedbackVaryings` takes it.
    pub fn varyings<S: Into<String>>(names: impl IntoIterator<Item = S>, mode: BufferMode) -> Request {
        Request::Varyings { names: names.into_iter().map(Into::into).collect(), mode }
    }
}

/// The default asks for nothing.
impl Default for Request {
    fn default() -> Request {
        Request::Varyings { names: Vec::new(), mode: BufferMode::default() }
    }
}

/// An output, or a part of one, that has an `xfb_offset`.
///
/// An aggregate is flattened: its components follow in order, each at the next offset that is a multiple of its size. Block `i` of
/// an array of blocks goes to the buffer `buffer + i`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LayoutCapture {
    /// Its name: `v`, `s`, `Block`, `Block.m`. Members of a block that have offsets of their own are captures of their own.
    pub name: String,
    /// `xfb_buffer`.
    pub buffer: u32,
    /// `xfb_offset`: bytes from the beginning of the vertex, a multiple of the size of the first component, and of 8 if there is
    /// any 64-bit component in it.
    pub offset: u32,
}

/// What a device takes. The default is the least that OpenGL asks of every device (OpenGL 4.6, table 23.72).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XfbLimits {
    /// `GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS`: 32-bit components of a vertex in one buffer, in interleaved mode and with
    /// layout qualifiers. Gaps count, so it bounds the stride too.
    pub max_interleaved_components: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS`: varyings in separate mode. More than [`XfbInfo::BUFFERS`] are
    /// that many.
    pub max_separate_attribs: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS`: 32-bit components of one varying in separate mode.
    pub max_separate_components: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_BUFFERS`: buffers in interleaved mode and with layout qualifiers. More than
    /// [`XfbInfo::BUFFERS`] are that many.
    pub max_buffers: u32,
}

impl Default for XfbLimits {
    fn default() -> XfbLimits {
        XfbLimits {
            max_interleaved_components: 64,
            max_separate_attribs: 4,
            max_separate_components: 4,
            max_buffers: 4,
        }
    }
}

impl XfbLimits {
    /// These, no larger than a plan can say: strides in bytes are `u32`, also rounded up to 8.
    pub(super) fn capped(&self) -> XfbLimits {
        XfbLimits {
            max_interleaved_components: self.max_interleaved_components.min(u32::MAX / 8 * 2),
            max_separate_attribs: self.max_separate_attribs.min(XfbInfo::BUFFERS as u32),
            max_separate_components: self.max_separate_components.min(u32::MAX / 8 * 2),
            max_buffers: self.max_buffers.min(XfbInfo::BUFFERS as u32),
        }
    }
}
