//! Transform feedback, planned: which 32-bit component of which slot goes to which byte of which buffer.
//!
//! OpenGL captures outputs of the last stage before rasterization by name. In NIR outputs are slots and components, so arrays,
//! structs, matrices and blocks vanish as cases once the names are resolved. [`plan`] resolves them when a program is linked, of
//! what the frontend knows of the outputs ([`Output`]), what the application asks ([`Request`]) and what the device takes
//! ([`XfbLimits`]). The [`XfbInfo`] that comes out is plain data, after NIR's `nir_xfb_info`; every back end works from it alone,
//! so that all capture the same bytes. What OpenGL says is a link error is an [`XfbError`], a place and a sentence.
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
//! A [`BackEnd`] carries the plan out: the device, or the shader itself, which is told of each draw by a [`CaptureState`]. One that
//! runs as a compute shader finds its inputs by [`Attribute`]s.
//! The [`kernels`] keep the counts that this needs on the device, and a [`Query`] says what they were between its begin and its end.
//!
//! Sources: OpenGL 4.6, section 7.3 (link errors), section 11.1.2.1 "Output Variables" (names and limits) and section 13.3 (what is
//! written where); GLSL 4.60, section 4.4.2.1 "Transform Feedback Layout Qualifiers"; Mesa's `gl_nir_link_varyings.c` where these
//! leave a choice. The choices:
//!
//! - In interleaved and separate mode components follow each other without padding, also those of doubles. OpenGL leaves
//!   undefined what a double at an offset that is no multiple of 8 gives, and asks the application to see to it with
//!   `gl_SkipComponents`. Mesa's linker packs tightly too.
//! - The limit of interleaved components is of one buffer, not of all together, and what is skipped counts.
//! - A varying whose components another captures already is an error: `a` twice, and also `a` and `a[1]`. Mesa compares just
//!   names and lets the second pass.
//! - Structs, blocks, arrays of these and arrays of arrays have no type that `glGetTransformFeedbackVarying` could report.
//!   `glTransformFeedbackVaryings` has to name their members and elements. Layout qualifiers take them whole.
//! - Buffers into which only components are skipped are not used: nothing need be bound there.
//!
//! ```
//! use ntv::capture::{plan, Base, BufferMode, Output, Request, Type, XfbLimits};
//! use ntv::op::names::varying;
//!
//! let outputs = [
//!     Output::new("gl_Position", Type::vector(Base::Float, 4), varying::POS),
//!     Output::new("weights", Type::scalar(Base::Float).array(3), varying::VAR0),
//! ];
//! let request = Request::varyings(["weights[2]", "gl_SkipComponents1", "gl_Position"], BufferMode::Interleaved);
//! let info = plan(&outputs, &request, &XfbLimits::default())?;
//! assert_eq!(info.buffers[0].stride, 24);
//! assert_eq!(info.captured(varying::VAR0 + 2, 0), Some((0, 0)));
//! assert_eq!(info.captured(varying::POS, 3), Some((0, 20)));
//!
//! let request = Request::varyings(["weights[3]"], BufferMode::Separate);
//! let error = plan(&outputs, &request, &XfbLimits::default()).unwrap_err();
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
pub use query::{Counted, Counters, Query};
pub use request::{BufferMode, LayoutCapture, Request, XfbLimits};
pub use shape::{Base, Basic, Member, Output, Type};

pub use crate::ir::{XfbBuffer, XfbInfo, XfbOutput, XfbVarying};

/// Who writes what transform feedback captures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BackEnd {
    /// The device: VK_EXT_transform_feedback.
    #[default]
    Extension,
    /// The vertex or geometry shader, to storage buffers, while it draws: for devices with `vertexPipelineStoresAndAtomics`. It runs as
    /// often as it would without captures, where a draw of its own for the captures would have it run twice. What a geometry shader
    /// writes has to be compacted, see [`kernels`]. Of tessellation evaluation shaders nothing is captured: a driver puts a geometry
    /// shader that passes everything on after them.
    ///
    /// A draw with indices becomes one without, over a [list](DrawList) of vertices. Vertex fetch does not know the list, so
    /// the vertex shader reads attributes itself if it is told where they are: see [`Attribute`].
    Storage,
    /// A compute shader that does all that a vertex shader does, and writes what is captured to storage buffers: for devices that have
    /// neither. It is dispatched for a draw without indices, or over a [list](DrawList), with 64 vertices in a workgroup:
    /// `ceil(vertices / 64)`, `instances` and 1 are how many workgroups there are, within the limits of the device. The draw that is
    /// seen takes a module of the same shader without captures.
    ///
    /// It reads vertex buffers as storage buffers, see [`Attribute`], and has the shader's other resources where a vertex shader
    /// has them. Ranges have whole words, and hold all elements that the draw has. Numbers that were normalized are within what a
    /// division may be off of what vertex fetch gives. A vertex shader that writes memory is refused, as it would do so twice. One
    /// without captures stays one.
    Compute,
}

/// Plans what `request` asks of `outputs`, those of the last stage before rasterization in any order.
///
/// A request for nothing gives the empty plan.
///
/// # Errors
/// What `glTransformFeedbackVaryings` would refuse, then what OpenGL says is a link error: the first in the order of the
/// request. See [`XfbProblem`].
pub fn plan(outputs: &[Output], request: &Request, limits: &XfbLimits) -> Result<XfbInfo, XfbError> {
    match request {
        Request::Varyings { names, mode } => listed::plan(outputs, names, *mode, limits),
        Request::Layout { captures, strides } => explicit::plan(outputs, captures, strides, limits),
    }
}
