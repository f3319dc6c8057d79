// SPDX-License-Identifier: MIT

//! Turns a captured vertex shader into a compute shader: the third back end of transform feedback, after `lower_captures`.
//!
//! **What.** An invocation is a vertex of a draw: x of its id is the vertex in the instance, y the instance. Inputs become
//! private variables, which are filled at the start from vertex buffers: see [`drawn_vertex`]. Outputs become private
//! variables, too; their captures have been stored to buffers before. VertexIndex and similar system values are computed from
//! the state of the draw. Invocations beyond the draw end at once.
//!
//! **Why.** Some targets have neither VK_EXT_transform_feedback nor `vertexPipelineStoresAndAtomics`. All have storage buffers
//! in compute shaders.
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

/// The number of vertices of a workgroup.
const GROUP: [u32; 3] = [64, 1, 1];

/// Turns a vertex shader that stores its captures into a compute shader. `state` is the variable of the draw's state.
pub(super) fn run(shader: &mut Shader, context: &Context, state: Var) {
    drawn_vertex::run(shader, context, state);
    shader.info.stage = Stage::Compute;
    shader.info.workgroup_size = GROUP;
}
