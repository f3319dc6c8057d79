// SPDX-License-Identifier: MIT

//! Textures and images of known content, read by a compute shader.

use crate::gpu::{floats, from_bytes, Gpu};
use ntv::text;
use ntv_driver::headless::{vk, Image, Resource, Resources, SamplerState, Slot};

/// A texture is sampled at level 0 and fetched at level 1, an image is loaded, and the results are stored to an image.
const SHADER: &str = "\
shader: MESA_SHADER_COMPUTE
name: images
workgroup_size: 4, 4, 1
num_textures: 1
num_images: 2
decl_var uniform INTERP_MODE_NONE none sampler2D plane (0, 0, 0)
decl_var image INTERP_MODE_NONE readonly r32_uint uimage2D source (0, 0, 0)
decl_var image INTERP_MODE_NONE writeonly r32g32b32a32_float image2D target (1, 1, 1)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32x2   %2 = load_const (0x3e800000, 0x3e800000)
    32x2   %3 = load_const (0x3e000000, 0x3e000000)
    32x3   %4 = @load_local_invocation_id
    32x2   %5 = mov %4.xy
    32x2   %6 = u2f32 %5
    32x2   %7 = ffma %6, %2, %3
    32     %8 = deref_var &plane (uniform sampler2D)
    32     %9 = deref_var &source (image uimage2D)
    32    %10 = deref_var &target (image image2D)
    32x4  %11 = (float32)txl %8 (texture_deref), %8 (sampler_deref), %7 (coord), %0 (lod)
    32x2  %12 = ushr %5, %1.xx
    32x4  %13 = (float32)txf %8 (texture_deref), %8 (sampler_deref), %12 (coord), %1 (lod)
    32x4  %14 = vec4 %4.x, %4.y, %0, %0
    32    %15 = @image_deref_load (%9, %14, %0, %0) (image_dim=2D, image_array=false, format=r32_uint, access=readonly, dest_type=uint32)
    32    %16 = u2f32 %15
    32x4  %17 = vec4 %11.x, %11.w, %13.y, %16
    @image_deref_store (%10, %14, %0, %17, %0) (image_dim=2D, image_array=false, format=r32g32b32a32_float, access=writeonly, src_type=float32)
    // succs: b1
    block b1:
}
";

#[test]
fn textures_and_images() {
    let gpu = Gpu::open();
    let module = gpu.module(&mut text::parse(SHADER).expect("a shader"));
    let slot = |set, binding| Slot { set, binding, element: 0 };
    let texel = |level: usize, i: usize| [i as f32, 100.0 * level as f32 + i as f32, 0.0, -(i as f32)];
    let level = |level: usize, n: usize| floats(&(0..n).flat_map(|i| texel(level, i)).collect::<Vec<f32>>());
    let float = vk::Format::R32G32B32A32_SFLOAT;
    let plane = Image { levels: vec![level(0, 16), level(1, 4)], ..Image::new_2d(float, 4, 4, vec![]) };
    let source: Vec<u8> = (0..16u32).flat_map(|i| (i * i).to_le_bytes()).collect();
    let target = slot(4, 1);
    let mut resources = Resources::from([
        (slot(2, 0), Resource::Sampled(plane, SamplerState::default())),
        (slot(4, 0), Resource::Image(Image::new_2d(vk::Format::R32_UINT, 4, 4, source))),
        (target, Resource::Image(Image::new_2d(float, 4, 4, vec![0; 256]))),
    ]);
    gpu.dispatch(&module, [1, 1, 1], &mut resources);
    let Resource::Image(image) = &resources[&target] else { panic!("not an image") };
    let got: Vec<f32> = from_bytes(&image.levels[0]).into_iter().map(f32::from_bits).collect();
    let want = (0..16).flat_map(|i| {
        let half = (i / 4 / 2) * 2 + i % 4 / 2;
        [texel(0, i)[0], texel(0, i)[3], texel(1, half)[1], (i * i) as f32]
    });
    assert_eq!(got, want.collect::<Vec<f32>>());
}
