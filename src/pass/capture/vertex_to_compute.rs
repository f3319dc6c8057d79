//! A captured vertex shader becomes a compute shader: the third back end of transform feedback, after `lower_captures`.
//!
//! **What.** An invocation is a vertex of a draw: x of its number is the vertex's in the instance, y the instance's. Inputs become
//! variables of the shader's own, which are filled at the start from vertex buffers: see [`drawn_vertex`]. Outputs become such, too;
//! what is captured of them was stored to buffers before. VertexIndex and the like are computed from the state of the draw.
//! Invocations beyond the draw end at once.
//!
//! **Why.** Neither VK_EXT_transform_feedback nor `vertexPipelineStoresAndAtomics` is everywhere. Storage buffers in compute
//! shaders are.
//!
//! ```text
//! place, instance = GlobalInvocationId.xy
//! if place >= vertices || instance >= instances { return }
//! VertexIndex = is_list ? list[list_first + place] : first_vertex + place
//! InstanceIndex = first_instance + instance
//! inputs = attributes of this vertex and this instance
//! ... the vertex shader, which ends with its stores to the buffers
//! ```

use super::drawn_vertex;
use crate::ir::{Shader, Stage, Var};
use crate::pass::Context;

/// Vertices of a workgroup.
const GROUP: [u32; 3] = [64, 1, 1];

/// Makes a compute shader of a vertex shader that stores its captures. `state` is the variable of the draw's state.
pub(super) fn run(shader: &mut Shader, context: &Context, state: Var) {
    drawn_vertex::run(shader, context, state);
    shader.info.stage = Stage::Compute;
    shader.info.workgroup_size = GROUP;
}
