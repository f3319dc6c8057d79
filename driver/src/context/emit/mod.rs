// SPDX-License-Identifier: MIT

//! Handlers of dirty bits: they record what the command buffer does not have yet.
//!
//! | file | contents |
//! |-|-|
//! | `dynamic` | dynamic state, and its values in the command buffer |
//! | `fixed` | fixed-function state, and words of the pipeline's description for states that are not dynamic |
//! | `programs` | programs, keys, pipelines |
//! | `resources` | descriptors, vertex buffers, push constants |

mod dynamic;
mod fixed;
mod programs;
mod resources;

pub(super) use dynamic::Recorded;
pub(super) use fixed::{
    blend, blend_color, depth_stencil_alpha, multisample, patch_vertices, rasterizer, rect, scissor, stencil_ref,
    viewport,
};
pub(super) use programs::{compute_program, framebuffer, pipeline, program, rendering, shader_key};
pub(super) use resources::{
    accesses, compute_resources, images, push_constants, storage_buffers, stream_output, textures, uniform_buffers,
    uniforms, vertex_bindings, vertex_buffers, vertex_elements,
};
