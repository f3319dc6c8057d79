// SPDX-License-Identifier: MIT

//! Transform feedback: plans which 32-bit component of which slot is written to which byte of which buffer.
//!
//! OpenGL captures outputs of the last stage before rasterization by name. In NIR, outputs are slots and components, so arrays,
//! structs, matrices and blocks need no separate cases once the names are resolved. [`plan_captures`] resolves them when a program is
//! linked, from the frontend's description of the outputs ([`Output`]), the application's request ([`Request`]) and the device's
//! limits ([`XfbLimits`]). The result is an [`XfbInfo`], plain data after NIR's `nir_xfb_info`. Every back end uses only that, so
//! all of them capture the same bytes. A link error of OpenGL is an [`XfbError`], with a place and a message.
//!
//! | GLSL | slots | captured as |
//! |-|-|-|
//! | `vec3 v` | one, three components | `v` |
//! | `dvec3 d` | two, four components and two | `d` |
//! | `mat2x3 m` | one for each column | `m` |
//! | `float a[3]` | one for each element | `a`, `a[1]` |
//! | `float a[2][3]` | one for each element | `a[1]`, `a[1][2]` |
//! | `S s` | each member begins a new one | `s.member` |
//! | `Block { vec4 v; }` | each member begins a new one | `Block.v`, in arrays of blocks `Block[1].v` |
//! | `float gl_ClipDistance[6]` | compact: four elements share one | `gl_ClipDistance`, `gl_ClipDistance[5]` |
//!
//! A [`BackEnd`] writes the captures: the device, or the shader itself, which reads a [`CaptureState`] for each draw. A vertex
//! shader that runs as a compute shader reads its inputs through [`Attribute`]s. The [`kernels`] keep the necessary counts on the
//! device, and a [`Query`] computes their differences between its begin and its end.
//!
//! Sources: OpenGL 4.6, section 7.3 (link errors), section 11.1.2.1 "Output Variables" (names and limits) and section 13.3 (the
//! layout of captures); GLSL 4.60, section 4.4.2.1 "Transform Feedback Layout Qualifiers"; Mesa's `gl_nir_link_varyings.c` where
//! these leave a choice. The choices:
//!
//! - In interleaved and separate mode, components follow each other without padding, also those of doubles. OpenGL does not define
//!   the result of a double at an offset that is not a multiple of 8, and requires the application to avoid it with
//!   `gl_SkipComponents`. Mesa's linker packs tightly too.
//! - The limit of interleaved components applies to each buffer, not to all together, and skipped components count.
//! - A varying whose components another varying already captures is an error: `a` twice, and also `a` and `a[1]`. Mesa compares
//!   only names and accepts the second case.
//! - Structs, blocks, arrays of these and arrays of arrays have no type that `glGetTransformFeedbackVarying` could report.
//!   `glTransformFeedbackVaryings` has to name their members and elements. Layout qualifiers take them whole.
//! - Buffers with only skipped components are not used: they need not be bound.
//!
//! ```
//! use ntv::capture::{plan_captures, ScalarType, BufferMode, Output, Request, OutputType, XfbLimits};
//! use ntv::op::names::varying;
//!
//! let outputs = [
//!     Output::new("gl_Position", OutputType::vector(ScalarType::Float, 4), varying::POS),
//!     Output::new("weights", OutputType::scalar(ScalarType::Float).array(3), varying::VAR0),
//! ];
//! let request = Request::varyings(["weights[2]", "gl_SkipComponents1", "gl_Position"], BufferMode::Interleaved);
//! let info = plan_captures(&outputs, &request, &XfbLimits::default())?;
//! assert_eq!(info.buffers[0].stride, 24);
//! assert_eq!(info.captured(varying::VAR0 + 2, 0), Some((0, 0)));
//! assert_eq!(info.captured(varying::POS, 3), Some((0, 20)));
//!
//! let request = Request::varyings(["weights[3]"], BufferMode::Separate);
//! let error = plan_captures(&outputs, &request, &XfbLimits::default()).unwrap_err();
//! assert_eq!(error.to_string(), "varying 0 \"weights[3]\": weights has 3 elements");
//! # Ok::<(), ntv::capture::XfbError>(())
//! ```

mod attribute;
mod draw;
mod emission;
mod error;
mod explicit;
mod geometry;
pub mod kernels;
mod listed;
mod name;
mod place;
mod query;
mod request;
mod resolve;
mod shape;

pub(crate) use attribute::Numbers;
pub use attribute::{Attribute, AttributeFormat, VERTEX_BUFFER_BINDING};
pub(crate) use draw::word;
pub use draw::{fitting, CaptureState, DrawList, ProvokingVertex, Topology};
pub use draw::{BUFFER_BINDING, LIST_BINDING, STATE_BINDING, STATE_WORDS};
pub use emission::emission_list;
pub use error::{XfbError, XfbPlace, XfbProblem};
pub use geometry::{CompactBuffer, CompactParameters, GeometryOutput, COMPACT_WORDS, COUNTS_BINDING};
pub use query::{Counted, PrimitiveCounters, Query};
pub use request::{BufferMode, LayoutCapture, Request, XfbLimits};
pub use shape::{Basic, Member, Output, OutputType, ScalarType};

use crate::ir::{Inst, Shader};
use crate::op::names::IoXfb;
use crate::op::Index;

pub use crate::ir::{XfbBuffer, XfbInfo, XfbOutput, XfbVarying};

/// The part of the system that writes the captures of transform feedback.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BackEnd {
    /// The device: VK_EXT_transform_feedback.
    #[default]
    Extension,
    /// The vertex or geometry shader, which writes to storage buffers while it draws: for devices with
    /// `vertexPipelineStoresAndAtomics`. The shader runs once; a separate draw for the captures would run it twice. The captures of
    /// a geometry shader have to be compacted, see [`kernels`]. Tessellation evaluation shaders cannot capture: a driver adds a
    /// geometry shader after them that passes all inputs on.
    ///
    /// A draw with indices becomes a draw without indices, over a [list](DrawList) of vertices. Vertex fetch does not read the
    /// list, so the vertex shader reads the vertex buffers itself if it has their layout: see [`Attribute`].
    Storage,
    /// A compute shader that does the work of the vertex shader and writes the captures to storage buffers: for devices that have
    /// neither. It is dispatched for a draw without indices or with a [list](DrawList), with 64 vertices in a workgroup: the
    /// numbers of workgroups are `ceil(vertices / 64)`, `instances` and 1, within the limits of the device. The visible draw uses a
    /// module of the same shader without captures.
    ///
    /// It reads vertex buffers as storage buffers, see [`Attribute`], and has the shader's other resources at the same bindings as
    /// a vertex shader. Bound ranges are whole words and contain all elements of the draw. Normalized numbers differ from those of
    /// vertex fetch by at most the error of a division. A vertex shader that writes memory is refused, as it would write twice. A
    /// shader without captures stays a vertex shader.
    Compute,
}

impl BackEnd {
    /// Whether `shader` writes captures itself.
    pub fn is_within(self, shader: &Shader) -> bool {
        self != BackEnd::Extension && is_captured(shader)
    }
}

/// Whether something may be captured of `shader`: by slot, by variable, or by store.
pub fn is_captured(shader: &Shader) -> bool {
    let is_store = |inst: &Inst| {
        [Index::io_xfb, Index::io_xfb2].iter().any(|index| IoXfb::unpack(shader.index(*inst, *index)).is_capture())
    };
    !shader.xfb_info.is_empty()
        || shader.vars.values().any(|variable| variable.capture.is_some())
        || shader.order.iter().any(is_store)
}

/// Plans the captures of `request` from `outputs`, the outputs of the last stage before rasterization in any order.
///
/// An empty request has an empty plan.
///
/// # Errors
/// Returns the errors of `glTransformFeedbackVaryings`, then OpenGL's link errors: the first one in the order of the request. See
/// [`XfbProblem`].
pub fn plan_captures(outputs: &[Output], request: &Request, limits: &XfbLimits) -> Result<XfbInfo, XfbError> {
    match request {
        Request::Varyings { names, mode } => listed::plan(outputs, names, *mode, limits),
        Request::Layout { captures, strides } => explicit::plan(outputs, captures, strides, limits),
    }
}
