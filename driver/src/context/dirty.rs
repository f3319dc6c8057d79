// SPDX-License-Identifier: MIT

//! The dirty bits of a context: the state that the command buffer does not have yet, and the handlers that record it.
//!
//! The rows are in the order of the handlers. Handlers of the phase [`Phase::Outside`] may end the rendering, for a barrier or
//! for other attachments; `Rendering` begins one; the others record into it.

use super::{emit, Context};
use crate::bits;
use crate::dirty_bits;
use crate::error::Result;

bits! {
    /// The commands that use state.
    pub enum Command {
        /// A draw.
        Draw,
        /// A dispatch: Gallium's `launch_grid`.
        Dispatch,
        /// A clear of the framebuffer.
        Clear,
    }
}

/// The phase of a handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the rendering begins; it may end the current one.
    Outside,
    /// At the begin of the rendering.
    Begin,
    /// Within the rendering.
    Inside,
}

dirty_bits! {
    /// The state of a context that the command buffer does not have yet.
    pub enum Dirty, commands Command, phases Phase, handlers fn(&mut Context) -> Result<()>;

    /// The shaders of the graphics pipeline.
    Program {
        setters: ["bind_shader"],
        commands: [Draw],
        not_for: [Clear],
        phase: Outside,
        handler: emit::program,
        after: [],
        invalidates: [
            Uniforms, UniformBuffers, Textures, StorageBuffers, Images, StreamOutput, Rendering, ShaderKey,
            VertexElements, VertexBuffers, PatchVertices, Multisample, PushConstants, Pipeline
        ],
    }
    /// The attachments.
    Framebuffer {
        setters: ["set_framebuffer_state"],
        commands: [Draw, Clear],
        phase: Outside,
        handler: emit::framebuffer,
        after: [],
        invalidates: [Uniforms, Rendering, Viewport, Scissor, Multisample, Blend, Rasterizer, ShaderKey, Pipeline],
    }
    /// Constant buffer 0 of shaders with loose uniforms, and attachments that shaders read.
    Uniforms {
        setters: ["set_constant_buffer"],
        commands: [Draw],
        not_for: [Clear],
        phase: Outside,
        handler: emit::uniforms,
        after: [Program, Framebuffer],
        invalidates: [Rendering, PushConstants],
    }
    /// Constant buffers.
    UniformBuffers {
        setters: ["set_constant_buffer"],
        commands: [Draw],
        phase: Outside,
        handler: emit::uniform_buffers,
        after: [Program],
        invalidates: [Rendering],
    }
    /// Sampler views and samplers.
    Textures {
        setters: ["set_sampler_views", "bind_sampler_states"],
        commands: [Draw],
        phase: Outside,
        handler: emit::textures,
        after: [Program],
        invalidates: [Rendering],
    }
    /// Shader buffers.
    StorageBuffers {
        setters: ["set_shader_buffers", "set_stream_output_targets"],
        commands: [Draw],
        phase: Outside,
        handler: emit::storage_buffers,
        after: [Program],
        invalidates: [Rendering],
    }
    /// Shader images.
    Images {
        setters: ["set_shader_images"],
        commands: [Draw],
        phase: Outside,
        handler: emit::images,
        after: [Program],
        invalidates: [Rendering],
    }
    /// The targets of transform feedback.
    StreamOutput {
        setters: ["set_stream_output_targets"],
        commands: [Draw],
        phase: Outside,
        handler: emit::stream_output,
        after: [Program],
        invalidates: [Rendering, ShaderKey],
    }
    /// The vertex buffers that are bound.
    VertexBuffers {
        setters: ["set_vertex_buffers", "bind_vertex_elements_state"],
        commands: [Draw],
        phase: Outside,
        handler: emit::vertex_buffers,
        after: [Program],
        invalidates: [Rendering, VertexBindings],
    }
    /// The accesses to bound resources, after commands other than draws.
    Accesses {
        setters: ["resource_copy_region", "blit", "buffer_subdata", "launch_grid"],
        commands: [Draw],
        phase: Outside,
        handler: emit::accesses,
        after: [Uniforms, UniformBuffers, Textures, StorageBuffers, Images, VertexBuffers],
        invalidates: [Rendering],
    }
    /// The compute shader.
    ComputeProgram {
        setters: ["bind_shader"],
        commands: [Dispatch],
        phase: Outside,
        handler: emit::compute_program,
        after: [],
        invalidates: [ComputeResources],
    }
    /// The resources of the compute shader.
    ComputeResources {
        setters: [
            "set_constant_buffer", "set_sampler_views", "bind_sampler_states", "set_shader_buffers", "set_shader_images"
        ],
        commands: [Dispatch],
        phase: Outside,
        handler: emit::compute_resources,
        after: [ComputeProgram],
        invalidates: [Rendering, PushConstants],
    }
    /// Whether there is a rendering to the attachments.
    Rendering {
        setters: ["flush"],
        commands: [Draw],
        not_for: [Clear, Dispatch],
        phase: Begin,
        handler: emit::rendering,
        after: [Framebuffer, Accesses],
        invalidates: [],
    }
    /// The state that modules depend on.
    ShaderKey {
        setters: ["bind_rasterizer_state", "bind_blend_state", "set_min_samples", "set_stream_output_targets"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::shader_key,
        after: [Program, Framebuffer, StreamOutput],
        invalidates: [Pipeline],
    }
    /// The attributes of vertices.
    VertexElements {
        setters: ["bind_vertex_elements_state"],
        commands: [Draw],
        phase: Inside,
        handler: emit::vertex_elements,
        after: [Program],
        invalidates: [Pipeline],
    }
    /// The number of vertices of a patch.
    PatchVertices {
        setters: ["set_patch_vertices"],
        commands: [Draw],
        phase: Inside,
        handler: emit::patch_vertices,
        after: [Program],
        invalidates: [Pipeline],
    }
    /// The blend state.
    Blend {
        setters: ["bind_blend_state"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::blend,
        after: [Framebuffer],
        invalidates: [Multisample, Pipeline],
    }
    /// The rasterizer state.
    Rasterizer {
        setters: ["bind_rasterizer_state"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::rasterizer,
        after: [Framebuffer],
        invalidates: [Multisample, Scissor, Pipeline],
    }
    /// The multisample state.
    Multisample {
        setters: ["set_sample_mask", "set_min_samples"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::multisample,
        after: [Framebuffer, Blend, Rasterizer],
        invalidates: [Pipeline],
    }
    /// The pipeline.
    Pipeline {
        setters: [],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::pipeline,
        after: [Program, ShaderKey, VertexElements, PatchVertices, Blend, Rasterizer, Multisample],
        invalidates: [VertexBindings],
    }
    /// The vertex buffers in the command buffer, and their strides if the vertex input is not dynamic.
    VertexBindings {
        setters: [],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::vertex_bindings,
        after: [VertexBuffers, Pipeline],
        invalidates: [],
    }
    /// Tests of depth and stencil.
    DepthStencilAlpha {
        setters: ["bind_depth_stencil_alpha_state"],
        commands: [Draw],
        phase: Inside,
        handler: emit::depth_stencil_alpha,
        after: [],
        invalidates: [],
    }
    /// The stencil reference.
    StencilRef {
        setters: ["set_stencil_ref"],
        commands: [Draw],
        phase: Inside,
        handler: emit::stencil_ref,
        after: [],
        invalidates: [],
    }
    /// The blend constant.
    BlendColor {
        setters: ["set_blend_color"],
        commands: [Draw],
        phase: Inside,
        handler: emit::blend_color,
        after: [],
        invalidates: [],
    }
    /// The viewports.
    Viewport {
        setters: ["set_viewport_states"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::viewport,
        after: [Framebuffer],
        invalidates: [Scissor],
    }
    /// The scissors.
    Scissor {
        setters: ["set_scissor_states"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::scissor,
        after: [Framebuffer, Rasterizer],
        invalidates: [],
    }
    /// The driver's own uniforms, and constant buffers in push constants.
    PushConstants {
        setters: ["set_constant_buffer", "set_push_constants", "draw_vbo"],
        commands: [Draw],
        not_for: [Dispatch],
        phase: Inside,
        handler: emit::push_constants,
        after: [Program, Uniforms],
        invalidates: [],
    }
}
