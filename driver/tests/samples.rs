// SPDX-License-Identifier: MIT

//! Multisampled attachments on lavapipe: they are resolved, and each sample is fetched.

mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{Blit, Clear, ConstantBuffer, Context, Region, VertexBuffer};
use ntv_driver::resource::{Bind, SamplerView, Texture, TextureDescription};
use ntv_driver::vk;
use std::sync::Arc;
use support::*;

const SAMPLES: u32 = 4;

/// A fragment shader whose color is a sample of texture 0, with the number in block 0.
fn fetch() -> String {
    "shader: MESA_SHADER_FRAGMENT\nnum_textures: 1\nnum_ubos: 1\nfirst_ubo_is_default_ubo: true\n\
     decl_var uniform INTERP_MODE_NONE none sampler2DMS tex (0, 0, 0)\ndecl_function main () (entrypoint)\n\n\
     impl main {\n    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n    32x4 %1 = @load_frag_coord\n    \
     32 %2 = f2i32 %1.x\n    32 %3 = f2i32 %1.y\n    32x2 %4 = vec2 %2, %3\n    \
     32 %5 = @load_ubo (%0, %0) (access=none, align_mul=1073741824, align_offset=0, range_base=0, range=4)\n    \
     32 %6 = deref_var &tex (uniform sampler2DMS)\n    \
     32x4 %9 = (float32)txf_ms %6 (texture_deref), %6 (sampler_deref), %4 (coord), %5 (ms_index)\n    \
     @store_output (%9, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)\n    \
     // succs: b1\n    block b1:\n}\n"
        .into()
}

fn bind_corners(context: &mut Context, corners: [[f32; 2]; 3]) {
    let vertices = corners.map(|[x, y]| [x, y, 0.5, 1.0, 1.0, 0.5, 0.25, 1.0]).concat();
    let bytes: Vec<u8> = vertices.into_iter().flat_map(f32::to_le_bytes).collect();
    let buffer = context.create_buffer_with(&bytes).unwrap();
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).unwrap();
}

/// A context, and a multisampled attachment with a triangle whose long edge crosses pixels.
fn scene(device: &ntv_driver::device::Device) -> (Context, Arc<Texture>) {
    let mut context = context(device);
    for (stage, text) in [(ShaderStage::Vertex, vertex()), (ShaderStage::Fragment, fragment())] {
        let shader = shader(&context, &text);
        context.bind_shader(stage, Some(&shader)).unwrap();
    }
    let elements = context.create_vertex_elements_state(&elements()).unwrap();
    context.bind_vertex_elements_state(&elements);
    bind_corners(&mut context, [[-1.0, -1.0], [0.9, -1.0], [-1.0, 0.7]]);
    context.set_viewport_states(&[viewport(8.0)]);
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let description = TextureDescription { size: [8, 8, 1], samples: SAMPLES, bind, ..TextureDescription::default() };
    let samples = context.create_texture(description).unwrap();
    context.set_framebuffer_state(&framebuffer(&samples)).unwrap();
    context.clear(&Clear::color([0.0, 0.0, 0.0, 1.0])).unwrap();
    context.draw_triangles(3).unwrap();
    (context, samples)
}

fn resolve(src: &Arc<Texture>, dst: &Arc<Texture>) -> Blit {
    let all = Region::of_level(dst, 0);
    let (src, dst) = (Arc::clone(src), Arc::clone(dst));
    Blit { src, src_region: all, dst, dst_region: all, flip: [false; 2], linear: false }
}

#[test]
fn samples_are_fetched_one_by_one_and_brought_together() {
    let device = lavapipe(&[]);
    let (mut context, samples) = scene(&device);
    let resolved = target(&context).unwrap();
    context.blit(&resolve(&samples, &resolved)).unwrap();
    let resolved = pixels(&mut context, &resolved);

    let fetch = shader(&context, &fetch());
    context.bind_shader(ShaderStage::Fragment, Some(&fetch)).unwrap();
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&samples))]).unwrap();
    bind_corners(&mut context, [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]);
    let mut sums = vec![0u32; 64];
    for sample in 0..SAMPLES {
        let number = ConstantBuffer::User(sample.to_le_bytes().to_vec());
        context.set_constant_buffer(ShaderStage::Fragment, 0, Some(number)).unwrap();
        let target = target(&context).unwrap();
        context.set_framebuffer_state(&framebuffer(&target)).unwrap();
        context.draw_triangles(3).unwrap();
        let fetched = pixels(&mut context, &target);
        assert!(fetched.iter().all(|pixel| [[255, 128, 64, 255], [0, 0, 0, 255]].contains(pixel)), "{fetched:?}");
        sums.iter_mut().zip(&fetched).for_each(|(sum, pixel)| *sum += u32::from(pixel[0]));
    }
    let partly = sums.iter().filter(|sum| (1..255 * SAMPLES).contains(sum)).count();
    assert!(partly >= 4 && sums[0] == 255 * SAMPLES && sums[63] == 0, "{sums:?}");
    for (sum, resolved) in sums.iter().zip(&resolved) {
        assert!((sum / SAMPLES).abs_diff(resolved[0].into()) <= 1, "{sums:?} {resolved:?}");
    }
    drop(context);
    assert_silent(&device);
}

#[test]
fn unsupported_blits_are_errors() {
    let device = lavapipe(&[]);
    let (mut context, samples) = scene(&device);
    let target = target(&context).unwrap();
    let blit = resolve(&samples, &target);
    let small = Region { size: [4, 4, 1], ..blit.src_region };
    assert!(context.blit(&Blit { dst_region: small, ..blit.clone() }).is_err());
    assert!(context.blit(&Blit { flip: [true, false], ..blit.clone() }).is_err());
    assert!(context.blit(&resolve(&target, &samples)).is_err());
    let depth = |samples| {
        let (format, bind) = (vk::Format::D32_SFLOAT, Bind::DEPTH_STENCIL);
        let description =
            TextureDescription { size: [8, 8, 1], format, samples, bind, ..TextureDescription::default() };
        context.create_texture(description).unwrap()
    };
    let blit = resolve(&depth(SAMPLES), &depth(1));
    assert!(context.blit(&blit).is_err(), "Vulkan has no command that resolves depths");
    context.finish().unwrap();
    drop(context);
    assert_silent(&device);
}
