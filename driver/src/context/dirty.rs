//! The dirty bits of a context: what the command buffer does not have yet, and what brings it there.
//!
//! The rows are in the order in which handlers run. Those of the phase [`Phase::Outside`] may end the rendering, for a barrier or
//! for other attachments; `Rendering` begins one; the rest records into it.

use super::{emit, Context};
use crate::bits;
use crate::dirty_bits;
use crate::error::Result;

bits! {
    /// What looks at state.
    pub enum Command {
        /// A draw.
        Draw,
        /// A dispatch: Gallium's `launch_grid`.
        Dispatch,
        /// A clear of the framebuffer.
        Clear,
    }
}

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Before the rendering begins; it may end the one that there is.
    Outside,
    /// Where the rendering begins.
    Begin,
    /// Within the rendering.
    Inside,
}

dirty_bits! {
    /// What of a context's state the command buffer does not have yet.
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
    /// What transform feedback writes.
    StreamOutput {
        setters: ["set_stream_output_targets"],
        commands: [Draw],
        phase: Outside,
        handler: emit::stream_output,
        after: [Program],
        invalidates: [Rendering, ShaderKey],
    }
    /// Where vertices come from.
    VertexBuffers {
        setters: ["set_vertex_buffers", "bind_vertex_elements_state"],
        commands: [Draw],
        phase: Outside,
        handler: emit::vertex_buffers,
        after: [Program],
        invalidates: [Rendering, VertexBindings],
    }
    /// Accesses of what is bound, after commands that were not draws.
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
    /// What the compute shader sees.
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
    /// What modules depend on.
    ShaderKey {
        setters: ["bind_rasterizer_state", "bind_blend_state", "set_min_samples", "set_stream_output_targets"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::shader_key,
        after: [Program, Framebuffer, StreamOutput],
        invalidates: [Pipeline],
    }
    /// Attributes of vertices.
    VertexElements {
        setters: ["bind_vertex_elements_state"],
        commands: [Draw],
        phase: Inside,
        handler: emit::vertex_elements,
        after: [Program],
        invalidates: [Pipeline],
    }
    /// Vertices of a patch.
    PatchVertices {
        setters: ["set_patch_vertices"],
        commands: [Draw],
        phase: Inside,
        handler: emit::patch_vertices,
        after: [Program],
        invalidates: [Pipeline],
    }
    /// How colours are blended.
    Blend {
        setters: ["bind_blend_state"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::blend,
        after: [Framebuffer],
        invalidates: [Multisample, Pipeline],
    }
    /// How primitives become fragments.
    Rasterizer {
        setters: ["bind_rasterizer_state"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::rasterizer,
        after: [Framebuffer],
        invalidates: [Multisample, Scissor, Pipeline],
    }
    /// Samples of a pixel.
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
    /// Vertex buffers in the command buffer, and their strides where commands do not set the vertex input.
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
    /// The reference of stencil tests.
    StencilRef {
        setters: ["set_stencil_ref"],
        commands: [Draw],
        phase: Inside,
        handler: emit::stencil_ref,
        after: [],
        invalidates: [],
    }
    /// The constant of blending.
    BlendColor {
        setters: ["set_blend_color"],
        commands: [Draw],
        phase: Inside,
        handler: emit::blend_color,
        after: [],
        invalidates: [],
    }
    /// Where the picture is in the target.
    Viewport {
        setters: ["set_viewport_states"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::viewport,
        after: [Framebuffer],
        invalidates: [Scissor],
    }
    /// What of the target may be drawn to.
    Scissor {
        setters: ["set_scissor_states"],
        commands: [Draw],
        not_for: [Clear],
        phase: Inside,
        handler: emit::scissor,
        after: [Framebuffer, Rasterizer],
        invalidates: [],
    }
    /// Uniforms of the driver, and those that are in push constants.
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
