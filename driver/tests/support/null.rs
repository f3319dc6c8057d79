// SPDX-License-Identifier: MIT

//! Scenes over the implementation that computes nothing, which counts live objects.
#![allow(dead_code, reason = "each test uses a part")]

use crate::support::{elements, framebuffer, shader, target, triangle, vertex, viewport};
use ntv::module::ShaderStage;
use ntv_driver::context::{ConstantBuffer, Context, ContextOptions, VertexBuffer};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::program::Shader;
use ntv_driver::resource::SamplerView;
use ntv_driver::vk;
use null_vulkan::{World, WorldOptions};
use std::sync::Arc;

/// A device of a world.
pub(crate) fn open(world: &Arc<World>, without: &[&str]) -> Device {
    let options = DeviceOptions {
        implementation: crate::support::implementation::null(world),
        without: without.iter().map(ToString::to_string).collect(),
        ..DeviceOptions::default()
    };
    Device::open(&options).expect("a null device")
}

/// A world with delayed completion of submissions, which detects premature destruction, and its device.
pub(crate) fn late(without: &[&str]) -> (Arc<World>, Device) {
    let world = World::new(WorldOptions { lag: 2, ..WorldOptions::default() });
    let device = open(&world, without);
    (world, device)
}

/// The number of live objects of a type.
pub(crate) fn alive(world: &World, ty: vk::ObjectType) -> u64 {
    world.live_objects().iter().find(|row| row.0 == ty).map_or(0, |row| row.1)
}

/// A fragment shader that is different for each number; it samples a texture and reads uniforms.
pub(crate) fn numbered_fragment(number: u32) -> String {
    let head = "num_ubos: 1\nfirst_ubo_is_default_ubo: true\nnum_textures: 1\n\
                decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)\n";
    format!(
        "shader: MESA_SHADER_FRAGMENT\n{head}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
         32 %0 = load_const (0x00000000)\n    \
         32x2 %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
         32x4 %3 = @load_interpolated_input (%2, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
         32x4 %4 = @load_ubo (%0, %0) (access=none, align_mul=1073741824, align_offset=0, range_base=0, range=16)\n    \
         32x2 %5 = mov %3.xy\n    32x4 %6 = (float32)tex %5 (coord), 0 (texture), 0 (sampler)\n    \
         32 %7 = load_const (0x{number:08x})\n    32x4 %8 = fmul %4, %7.xxxx\n    32x4 %9 = fadd %8, %6\n    \
         @store_output (%9, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
         io location=FRAG_RESULT_DATA0 slots=1)\n    // succs: b1\n    block b1:\n}}\n"
    )
}

/// The objects that contexts may share.
pub(crate) struct Shared {
    pub(crate) vertex: Arc<Shader>,
    pub(crate) fragment: Arc<Shader>,
    pub(crate) vertices: Arc<ntv_driver::resource::Buffer>,
    pub(crate) uniforms: Arc<ntv_driver::resource::Buffer>,
    pub(crate) texture: Arc<ntv_driver::resource::Texture>,
}

impl Shared {
    pub(crate) fn new(context: &mut Context) -> Shared {
        Shared {
            vertex: shader(context, &vertex()),
            fragment: shader(context, &numbered_fragment(0)),
            vertices: context.create_buffer_with(&triangle([1.0; 4])).expect("a buffer"),
            uniforms: context.create_buffer_with(&[0; 256]).expect("a buffer"),
            texture: target(context).expect("a texture"),
        }
    }

    /// A context with all of them bound, and its own framebuffer.
    pub(crate) fn context(&self, device: &Device) -> Context {
        let mut context = Context::new(device, ContextOptions::default()).expect("a context");
        self.bind(&mut context);
        context
    }

    pub(crate) fn bind(&self, context: &mut Context) {
        for shader in [&self.vertex, &self.fragment] {
            context.bind_shader(shader.stage(), Some(shader)).unwrap();
        }
        let elements = context.create_vertex_elements_state(&elements()).unwrap();
        context.bind_vertex_elements_state(&elements);
        let vertices = VertexBuffer { buffer: Arc::clone(&self.vertices), offset: 0 };
        context.set_vertex_buffers(0, &[Some(vertices)]).unwrap();
        let range = ntv_driver::context::BufferRange::whole(&self.uniforms);
        context.set_constant_buffer(ShaderStage::Fragment, 0, Some(ConstantBuffer::Buffer(range))).unwrap();
        context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&self.texture))]).unwrap();
        context.set_viewport_states(&[viewport(8.0)]);
        let target = target(context).unwrap();
        context.set_framebuffer_state(&framebuffer(&target)).unwrap();
    }
}
