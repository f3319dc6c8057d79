//! Handlers of dirty bits: they record what the command buffer does not have yet.
//!
//! | file | what |
//! |-|-|
//! | `dynamic` | commands that set state, and what the command buffer has of it |
//! | `fixed` | state of the fixed function, and words of the pipeline's description where the device has no dynamic state |
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
