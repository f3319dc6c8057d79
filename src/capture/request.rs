// SPDX-License-Identifier: MIT

//! The application's request for captures, and the limits of the device.

use crate::ir::XfbInfo;

/// The buffer mode of `glTransformFeedbackVaryings`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BufferMode {
    /// `GL_INTERLEAVED_ATTRIBS`: one after the other, in one buffer until `gl_NextBuffer`.
    #[default]
    Interleaved,
    /// `GL_SEPARATE_ATTRIBS`: each varying in its own buffer.
    Separate,
}

/// The requested captures, in one of OpenGL's two forms. If a shader has layout qualifiers for captures, OpenGL ignores the list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Request {
    /// The arguments of `glTransformFeedbackVaryings`.
    Varyings {
        /// Names of outputs, of members and of elements: `v`, `a[2]`, `s.b[1].c`, `Block[1].m`. In interleaved mode also
        /// `gl_SkipComponents1` to `4` and `gl_NextBuffer` (ARB_transform_feedback3).
        names: Vec<String>,
        /// The buffer mode.
        mode: BufferMode,
    },
    /// Layout qualifiers (ARB_enhanced_layouts).
    Layout {
        /// The outputs with an `xfb_offset`.
        captures: Vec<LayoutCapture>,
        /// `xfb_stride` of each buffer in bytes. `None`: the smallest stride that holds the captures, rounded up to a multiple of 8
        /// if there are 64-bit components.
        strides: [Option<u32>; 4],
    },
}

impl Request {
    /// A list of names for `glTransformFeedbackVaryings`.
    pub fn varyings<S: Into<String>>(names: impl IntoIterator<Item = S>, mode: BufferMode) -> Request {
        Request::Varyings { names: names.into_iter().map(Into::into).collect(), mode }
    }
}

/// The default requests no captures.
impl Default for Request {
    fn default() -> Request {
        Request::Varyings { names: Vec::new(), mode: BufferMode::default() }
    }
}

/// An output, or a part of one, that has an `xfb_offset`.
///
/// An aggregate is flattened: its components follow in order, each at the next offset that is a multiple of its size. Block `i` of
/// an array of blocks is written to the buffer `buffer + i`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LayoutCapture {
    /// Its name: `v`, `s`, `Block`, `Block.m`. Members of a block that have their own offsets are separate captures.
    pub name: String,
    /// `xfb_buffer`.
    pub buffer: u32,
    /// `xfb_offset`: bytes from the beginning of the vertex, a multiple of the size of the first component, and of 8 if it has any
    /// 64-bit component.
    pub offset: u32,
}

/// The limits of a device. The defaults are the minimum of OpenGL (OpenGL 4.6, table 23.72).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct XfbLimits {
    /// `GL_MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS`: 32-bit components of a vertex in one buffer, in interleaved mode and with
    /// layout qualifiers. Gaps count, so it bounds the stride too.
    pub max_interleaved_components: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS`: varyings in separate mode. Larger values are reduced to [`XfbInfo::BUFFERS`].
    pub max_separate_attribs: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_SEPARATE_COMPONENTS`: 32-bit components of one varying in separate mode.
    pub max_separate_components: u32,
    /// `GL_MAX_TRANSFORM_FEEDBACK_BUFFERS`: buffers in interleaved mode and with layout qualifiers. Larger values are reduced to
    /// [`XfbInfo::BUFFERS`].
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
    /// These limits, reduced so that a plan can represent all values: strides in bytes are `u32`, also rounded up to 8.
    pub(super) fn capped(&self) -> XfbLimits {
        XfbLimits {
            max_interleaved_components: self.max_interleaved_components.min(u32::MAX / 8 * 2),
            max_separate_attribs: self.max_separate_attribs.min(XfbInfo::BUFFERS as u32),
            max_separate_components: self.max_separate_components.min(u32::MAX / 8 * 2),
            max_buffers: self.max_buffers.min(XfbInfo::BUFFERS as u32),
        }
    }
}
