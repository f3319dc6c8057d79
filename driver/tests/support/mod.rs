// SPDX-License-Identifier: MIT

//! Helpers of the driver's tests: devices, shaders, a first scene.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod implementation;

use ntv_driver::context::{
    BlendState, Context, ContextOptions, DrawInfo, FramebufferState, RasterizerState, VertexElement, Viewport,
};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::program::Shader;
use ntv_driver::resource::{Bind, Surface, Texture, TextureDescription};
use ntv_driver::{vk, Result};
use std::sync::Arc;

/// Opens lavapipe, or the device whose name contains `NTV_DEVICE`, with the validation layer and `without` some features.
///
/// # Panics
/// If the driver or the layer is missing: a test that cannot check its result has failed.
pub(crate) fn lavapipe(without: &[&str]) -> Device {
    let options = DeviceOptions {
        name: Some(std::env::var("NTV_DEVICE").unwrap_or_else(|_| "llvmpipe".into())),
        validation: true,
        synchronization: true,
        timeout: std::time::Duration::from_secs(60),
        without: without.iter().map(ToString::to_string).collect(),
        ..DeviceOptions::default()
    };
    Device::open(&options).expect("lavapipe and the validation layer, which `cargo xtask test` installs")
}

/// A context of `device`.
pub(crate) fn context(device: &Device) -> Context {
    Context::new(device, ContextOptions::default()).expect("a context")
}

/// Fails if the validation layer reported a message.
pub(crate) fn assert_silent(device: &Device) {
    let messages = device.take_messages();
    assert!(messages.is_empty(), "messages of the validation layer:\n{}", messages.join("\n"));
}

/// The shader of a NIR text.
pub(crate) fn shader(context: &Context, text: &str) -> Arc<Shader> {
    let shader = ntv::text::parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    context.create_shader(shader).expect("a shader")
}

fn stage(name: &str, head: &str, body: &str) -> String {
    format!(
        "shader: MESA_SHADER_{name}\n{head}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
         32 %0 = load_const (0x00000000)\n{body}    // succs: b1\n    block b1:\n}}\n"
    )
}

const ATTRIBUTE: &str = "io location=VERT_ATTRIB_GENERIC";

/// A vertex shader: attribute 0 is the position, attribute 1 is written to `VAR0`.
pub(crate) fn vertex() -> String {
    stage("VERTEX", "", &format!("    \
        32x4 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, {ATTRIBUTE}0 slots=1)\n    \
        32x4 %2 = @load_input (%0) (base=1, range=1, component=0, dest_type=float32, {ATTRIBUTE}1 slots=1)\n    \
        @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)\n    \
        @store_output (%2, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n"))
}

const STORE_COLOR: &str = "@store_output (%9, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, \
                           io location=FRAG_RESULT_DATA0 slots=1)\n";

/// A fragment shader: the color is `VAR0`.
pub(crate) fn fragment() -> String {
    stage("FRAGMENT", "", &format!("    \
        32x2 %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
        32x4 %9 = @load_interpolated_input (%2, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        {STORE_COLOR}"))
}

/// A fragment shader: the color is `VAR0` times loose uniforms, from block 0.
pub(crate) fn fragment_with_uniforms() -> String {
    let head = "num_ubos: 1\nfirst_ubo_is_default_ubo: true\n";
    stage("FRAGMENT", head, &format!("    \
        32x2 %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
        32x4 %3 = @load_interpolated_input (%2, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        32x4 %4 = @load_ubo (%0, %0) (access=none, align_mul=1073741824, align_offset=0, range_base=0, range=16)\n    \
        32x4 %9 = fmul %3, %4\n    {STORE_COLOR}"))
}

/// A fragment shader: the color is the first vec4 of uniform block 1.
pub(crate) fn fragment_with_block() -> String {
    let head = "num_ubos: 2\nfirst_ubo_is_default_ubo: true\n";
    stage(
        "FRAGMENT",
        head,
        &format!(
            "    \
        32 %1 = load_const (0x00000001)\n    \
        32x4 %9 = @load_ubo (%1, %0) (access=none, align_mul=1073741824, align_offset=0, range_base=0, range=16)\n    \
        {STORE_COLOR}"
        ),
    )
}

/// A fragment shader: the color is the texel of texture 0 at `VAR0.xy`.
pub(crate) fn fragment_with_texture() -> String {
    let head = "num_textures: 1\ndecl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 0, 0)\n";
    stage("FRAGMENT", head, &format!("    \
        32x2 %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)\n    \
        32x2 %3 = @load_interpolated_input (%2, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)\n    \
        32x4 %9 = (float32)tex %3 (coord), 0 (texture), 0 (sampler)\n    {STORE_COLOR}"))
}

/// A fragment shader: the color is the first texel of texel buffer 0.
pub(crate) fn fragment_with_texels() -> String {
    let head = "num_textures: 1\ndecl_var uniform INTERP_MODE_NONE none samplerBuffer texels (0, 0, 0)\n";
    stage(
        "FRAGMENT",
        head,
        &format!(
            "    \
        32 %2 = deref_var &texels (uniform samplerBuffer)\n    \
        32x4 %9 = (float32)txf %2 (texture_deref), %2 (sampler_deref), %0 (coord), %0 (lod)\n    {STORE_COLOR}"
        ),
    )
}

/// A fragment shader: the color is doubled.
pub(crate) fn fragment_that_doubles() -> String {
    stage("FRAGMENT", "", &format!("    \
        32x4 %1 = @load_output (%0) (base=0, range=1, component=0, dest_type=float32, io location=FRAG_RESULT_DATA0 slots=1 fbfetch)\n    \
        32x4 %9 = fadd %1, %1\n    {STORE_COLOR}"))
}

/// A compute shader: each of 4 invocations adds 1 to its own word of storage block 0.
pub(crate) fn increment() -> String {
    stage(
        "COMPUTE",
        "workgroup_size: 4, 1, 1\nnum_ssbos: 1\n",
        "    \
        32x3 %1 = @load_local_invocation_id\n    \
        32 %2 = load_const (0x00000002)\n    \
        32 %3 = ishl %1.x, %2\n    \
        32 %4 = @load_ssbo (%0, %3) (access=none, align_mul=4, align_offset=0)\n    \
        32 %5 = load_const (0x00000001)\n    \
        32 %6 = iadd %4, %5\n    \
        @store_ssbo (%6, %0, %3) (wrmask=x, access=none, align_mul=4, align_offset=0)\n",
    )
}

/// Four floats.
pub(crate) const VEC4: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

/// Two attributes of four floats in one vertex buffer.
pub(crate) fn elements() -> [VertexElement; 2] {
    let element =
        VertexElement { vertex_buffer_index: 0, src_offset: 0, src_stride: 32, src_format: VEC4, instance_divisor: 0 };
    [element, VertexElement { src_offset: 16, ..element }]
}

/// A triangle that covers everything, with `color` at each vertex.
pub(crate) fn triangle(color: [f32; 4]) -> Vec<u8> {
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let vertex = |[x, y]: [f32; 2]| [[x, y, 0.5, 1.0], color].concat();
    corners.into_iter().flat_map(vertex).flat_map(|number: f32| number.to_le_bytes()).collect()
}

/// A color attachment of 8 by 8 pixels.
pub(crate) fn target(context: &Context) -> Result<Arc<Texture>> {
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    context.create_texture(TextureDescription { size: [8, 8, 1], bind, ..TextureDescription::default() })
}

/// A framebuffer with one color.
pub(crate) fn framebuffer(texture: &Arc<Texture>) -> FramebufferState {
    FramebufferState { colors: vec![Some(Surface::new(texture))], ..FramebufferState::default() }
}

/// A viewport that covers a square attachment.
pub(crate) fn viewport(size: f32) -> Viewport {
    Viewport { rect: [0.0, 0.0, size, size], ..Viewport::default() }
}

/// The texels of level 0.
pub(crate) fn pixels(context: &mut Context, texture: &Arc<Texture>) -> Vec<[u8; 4]> {
    let region = ntv_driver::context::Region::of_level(texture, 0);
    let bytes = context.read_texture(texture, region).expect("texels");
    bytes.chunks_exact(4).map(|texel| [texel[0], texel[1], texel[2], texel[3]]).collect()
}

/// The parameters of a default draw.
pub(crate) fn info() -> DrawInfo {
    DrawInfo::default()
}

/// Sets a default state, in which draws overwrite the color.
pub(crate) fn plain(context: &mut Context) {
    let blend = context.create_blend_state(&BlendState::default());
    context.bind_blend_state(&blend);
    let rasterizer = context.create_rasterizer_state(&RasterizerState::default());
    context.bind_rasterizer_state(&rasterizer);
}
