// SPDX-License-Identifier: MIT

//! Each Vulkan call of a context that can fail fails once: the error is clear, nothing leaks, and the context continues to work
//! unless the device is lost.

#[path = "../../tests/support/mod.rs"]
mod shared;
mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{
    BlendState, Blit, BufferRange, Clear, ConstantBuffer, Context, ContextOptions, DrawIndirect, DrawInfo, DrawStart,
    Indices, Query, QueryKind, RasterizerState, Region, RtBlendState, VertexBuffer,
};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::resource::{Bind, SamplerView, Texture, TextureDescription};
use ntv_driver::{vk, ErrorKind, Implementation, Result};
use null_vulkan::faults::{FaultPlan, Faults};
use null_vulkan::{World, WorldOptions};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use support::*;

/// The features that a device lacks, and whether the scenario has a query.
#[derive(Clone, Copy)]
struct Kind {
    without: &'static [&'static str],
    has_query: bool,
}

/// Uses all features of a context: draws, dispatches, copies, queries, transform feedback, reads.
fn scenario(context: &mut Context, has_query: bool) -> Result<Vec<u8>> {
    let target = support::target(context)?;
    bind(context, &target)?;
    let counted = if has_query { begin(context)? } else { Vec::new() };
    capture(context)?;
    for query in &counted {
        context.end_query(query)?;
        context.query_result(query, Duration::from_secs(60))?;
    }
    draw(context)?;
    read_while_drawing(context)?;
    copy(context, &target)?;
    let mut bytes = compute(context)?;
    bytes.extend(context.read_texture(&target, Region::of_level(&target, 0))?);
    Ok(bytes)
}

/// Binds the state of draws.
fn bind(context: &mut Context, target: &Arc<Texture>) -> Result<()> {
    let captured = "// ntv: xfb=POS.x:0+0/4\ndecl_function";
    let vertex = shader(context, &vertex().replace("decl_function", captured));
    let plain = shader(context, &fragment_with_uniforms());
    context.bind_shader(ShaderStage::Vertex, Some(&vertex))?;
    context.bind_shader(ShaderStage::Fragment, Some(&plain))?;
    let elements = context.create_vertex_elements_state(&elements())?;
    context.bind_vertex_elements_state(&elements);
    let buffer = context.create_buffer_with(&triangle([1.0, 0.5, 0.25, 1.0]))?;
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })])?;
    context.set_viewport_states(&[viewport(8.0)]);
    context.set_framebuffer_state(&framebuffer(target))?;
    context.clear(&Clear::color([0.0; 4]))?;
    context.set_constant_buffer(ShaderStage::Fragment, 0, Some(ConstantBuffer::User(1.0f32.to_le_bytes().repeat(4))))
}

/// Begins queries of each kind that lie within a draw.
fn begin(context: &mut Context) -> Result<Vec<Arc<Query>>> {
    let timestamp = context.create_query(QueryKind::Timestamp)?;
    context.end_query(&timestamp)?;
    context.query_result(&timestamp, Duration::from_secs(60))?;
    let kinds = [QueryKind::OcclusionCounter, QueryKind::PipelineStatistics, QueryKind::TimeElapsed];
    let begun = kinds.map(|kind| {
        let query = context.create_query(kind)?;
        context.begin_query(&query).map(|()| query)
    });
    begun.into_iter().collect()
}

/// Captures, in two batches, and draws the captured vertices.
fn capture(context: &mut Context) -> Result<()> {
    let buffer = context.create_buffer_with(&[0; 64])?;
    let output = context.create_stream_output_target(BufferRange::whole(&buffer))?;
    context.set_stream_output_targets(&[Some(Arc::clone(&output))], false)?;
    context.draw_triangles(3)?;
    context.flush()?;
    context.draw_triangles(3)?;
    context.set_stream_output_targets(&[], false)?;
    context.draw_stream_output(&info(), &output)
}

/// Draws with textures, indices, indirect parameters, and other pipelines.
fn draw(context: &mut Context) -> Result<()> {
    let textured = shader(context, &fragment_with_texture());
    let texture = support::target(context)?;
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &[7; 256])?;
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&texture))])?;
    context.bind_shader(ShaderStage::Fragment, Some(&textured))?;
    context.draw_triangles(3)?;

    let words = |list: &[u32]| list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let buffer = context.create_buffer_with(&words(&[0, 1, 2]))?;
    let indices = Indices { buffer, offset: 0, ty: vk::IndexType::UINT32, restart: false };
    let indexed = DrawInfo { indices: Some(indices), ..info() };
    context.draw_vbo(&indexed, None, &[DrawStart { count: 3, ..DrawStart::default() }])?;
    let buffer = context.create_buffer_with(&words(&[3, 1, 0, 0, 0]))?;
    let count = context.create_buffer_with(&words(&[1]))?;
    for (info, count) in [(&indexed, None), (&info(), Some((count, 0)))] {
        let indirect = DrawIndirect { buffer: Arc::clone(&buffer), offset: 0, stride: 20, draw_count: 1, count };
        context.draw_vbo(info, Some(&indirect), &[])?;
    }

    let row = RtBlendState::alpha_over();
    let blend = context.create_blend_state(&BlendState { logicop: None, ..BlendState::all(row) });
    context.bind_blend_state(&blend);
    let lines = RasterizerState { fill: vk::PolygonMode::LINE, ..RasterizerState::default() };
    let rasterizer = context.create_rasterizer_state(&lines);
    context.bind_rasterizer_state(&rasterizer);
    context.draw_vbo(
        &DrawInfo { mode: vk::PrimitiveTopology::LINE_LIST, ..info() },
        None,
        &[DrawStart { count: 2, ..DrawStart::default() }],
    )?;
    plain(context);
    Ok(())
}

/// Draws with texel buffers, and with programs that read and sample their attachments.
fn read_while_drawing(context: &mut Context) -> Result<()> {
    let [texels, doubles, textured] =
        [fragment_with_texels(), fragment_that_doubles(), fragment_with_texture()].map(|text| shader(context, &text));
    let buffer = context.create_buffer_with(&1.0f32.to_le_bytes().repeat(4))?;
    let view = SamplerView::Buffer { buffer, format: VEC4, offset: 0, size: 16 };
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(view)])?;
    context.bind_shader(ShaderStage::Fragment, Some(&texels))?;
    context.draw_triangles(3)?;
    context.bind_shader(ShaderStage::Fragment, Some(&doubles))?;
    context.draw_triangles(3)?;
    context.texture_barrier();
    context.draw_triangles(3)?;
    let target = support::target(context)?;
    context.set_framebuffer_state(&framebuffer(&target))?;
    context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(SamplerView::whole(&target))])?;
    context.bind_shader(ShaderStage::Fragment, Some(&textured))?;
    context.draw_triangles(3)
}

/// Copies, scales, generates levels, and resolves samples.
fn copy(context: &mut Context, target: &Arc<Texture>) -> Result<()> {
    let bind = Bind::RENDER_TARGET | Bind::SAMPLER_VIEW;
    let description = TextureDescription { size: [8, 8, 1], bind, ..TextureDescription::default() };
    let samples = context.create_texture(TextureDescription { samples: 4, ..description })?;
    context.set_framebuffer_state(&framebuffer(&samples))?;
    context.clear(&Clear::color([1.0; 4]))?;
    let levels = context.create_texture(TextureDescription { levels: 4, ..description })?;
    let all = Region::of_level(target, 0);
    for src in [&samples, target] {
        let (src, dst) = (Arc::clone(src), Arc::clone(&levels));
        context.blit(&Blit { src, src_region: all, dst, dst_region: all, flip: [false; 2], linear: false })?;
    }
    context.generate_mipmap(&levels)?;
    context.resource_copy_region(target, (0, [0; 3]), &levels, all)?;
    context.invalidate_texture(&levels)
}

/// Dispatches, also with indirect parameters.
fn compute(context: &mut Context) -> Result<Vec<u8>> {
    let increment = shader(context, &increment());
    context.bind_shader(ShaderStage::Compute, Some(&increment))?;
    let words = context.create_buffer_with(&[0; 16])?;
    context.set_shader_buffers(ShaderStage::Compute, 0, &[Some(BufferRange::whole(&words))])?;
    context.launch_grid([1, 1, 1])?;
    context.buffer_subdata(&words, 0, &[1; 4])?;
    let groups = context.create_buffer_with(&[1u32; 3].map(u32::to_le_bytes).concat())?;
    context.launch_grid_indirect(&groups, 0)?;
    context.memory_barrier();
    let copied = context.create_buffer_with(&[0; 16])?;
    context.copy_buffer((&copied, 0), (&words, 0), 16)?;
    let fence = context.flush()?;
    fence.wait(Duration::from_secs(60))?;
    fence.is_reached()?;
    context.read_buffer(&copied, 0, 16)
}

fn open(implementation: Implementation, without: &[&str], cache: &Path) -> Result<(Device, Context)> {
    let device = Device::open(&DeviceOptions {
        timeout: Duration::from_secs(60),
        without: without.iter().map(ToString::to_string).collect(),
        implementation,
        ..DeviceOptions::default()
    })?;
    let options = ContextOptions { pipeline_cache: Some(cache.to_path_buf()), ..ContextOptions::default() };
    let context = Context::new(&device, options)?;
    Ok((device, context))
}

/// The outcome of a run with a fault: the result of the first try, and that of the second unless opening failed.
type Outcome = (Result<Vec<u8>>, Option<Result<Vec<u8>>>);

fn run(implementation: Implementation, kind: Kind, cache: &Path) -> Outcome {
    let (device, mut context) = match open(implementation, kind.without, cache) {
        Ok(opened) => opened,
        Err(error) => return (Err(error), None),
    };
    let first = scenario(&mut context, kind.has_query);
    let again = scenario(&mut context, kind.has_query);
    drop(context);
    drop(device);
    (first, Some(again))
}

/// Fails each call of the scenario on the implementation of `make`, and returns the names of these functions.
fn fail_each(make: impl Fn() -> (Implementation, Box<dyn Fn(&str)>), kind: Kind, step: u64) -> BTreeSet<&'static str> {
    let folder = tempfile::tempdir().expect("a folder");
    let cache = folder.path().join("cache");
    let (implementation, _) = make();
    let (expected, _) = run(implementation, kind, &cache);
    let expected = expected.expect("without faults");
    let mut names = BTreeSet::new();
    for result in
        [vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::Result::ERROR_DEVICE_LOST]
    {
        let mut nth = 1;
        loop {
            let faults = Faults::new(FaultPlan { nth, result, ..FaultPlan::default() });
            let (implementation, check) = make();
            let outcome = run(support::implementation::with_faults(implementation, &faults), kind, &cache);

            let Some(name) = faults.failed() else { break };
            names.insert(name);
            let place = format!("call {nth}, {name}: {result}");
            judge(&outcome, &expected, result, &place);
            check(&place);
            nth += step;
        }
        assert!(nth > 20, "{nth} calls can fail with {result}");
    }
    names
}

/// Fails unless the fault had the expected outcome.
fn judge((first, again): &Outcome, expected: &[u8], result: vk::Result, place: &str) {
    let lost = result == vk::Result::ERROR_DEVICE_LOST;
    match (first, again) {
        // The driver requested another object, or did without it.
        (Ok(bytes), _) => assert_eq!(*bytes, expected, "{place}"),
        (Err(error), None) => assert_ne!(error.message, "", "{place}"),
        (Err(error), Some(again)) => {
            let kind = if lost { ErrorKind::DeviceLost } else { ErrorKind::OutOfMemory };
            assert_eq!(error.kind, kind, "{place}: {error}");
            match again {
                Ok(bytes) => assert_eq!(*bytes, expected, "{place}"),
                Err(error) => assert!(lost, "{place}: and then {error}"),
            }
        }
    }
}

/// Calls whose result the driver checks, and that do not fail here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("vkResetDescriptorPool", "Vulkan defines no error for it"),
    ("vkCreateDebugUtilsMessengerEXT", "only used with the validation layer: tests/faults.rs"),
    ("vkEnumerateInstanceLayerProperties", "only used with the validation layer: tests/faults.rs"),
    ("vkGetPipelineExecutablePropertiesKHR", "only used for statistics of compilers: cargo xtask bench --backends"),
    ("vkGetPipelineExecutableStatisticsKHR", "only used for statistics of compilers: cargo xtask bench --backends"),
];

/// The calls whose result the driver checks: its sources name them in these places. A library allocates memory.
fn calls_of_the_driver() -> BTreeSet<String> {
    let mut names = BTreeSet::from(["vkAllocateMemory", "vkMapMemory"].map(String::from));
    for path in shared::files(&shared::root().join("driver/src"), &["rs"]) {
        let text = std::fs::read_to_string(&path).expect("a source");
        let calls = text.split(".during(\"").skip(1).filter_map(|rest| rest.split('"').next());
        names.extend(calls.filter(|name| name.starts_with("vk")).map(ToString::to_string));
    }
    names
}

#[test]
fn each_call_fails_over_the_null_implementation() {
    let kind = |without| Kind { without, has_query: true };
    let mut failed = BTreeSet::new();
    for (kind, step) in [
        (kind(&[]), 1),
        (kind(&["VK_EXT_graphics_pipeline_library", "vertexInputDynamicState"]), 5),
        (kind(&["VK_EXT_transform_feedback"]), 5),
    ] {
        let make = || {
            let world = World::new(WorldOptions { lag: 2, ..WorldOptions::default() });
            let implementation = support::implementation::null(&world);
            let check = move |place: &str| {
                assert_eq!(world.take_messages(), [""; 0], "{place}");
                assert!(world.live_objects().is_empty(), "{place}: {:?}", world.live_objects());
            };
            (implementation, Box::new(check) as Box<dyn Fn(&str)>)
        };
        failed.extend(fail_each(make, kind, step));
    }
    let missing = |name: &String| !failed.contains(name.as_str()) && !ELSEWHERE.iter().any(|row| row.0 == name);
    let missed: Vec<String> = calls_of_the_driver().into_iter().filter(missing).collect();
    assert!(missed.is_empty(), "no call of these failed: {missed:?}");
    for (name, why) in ELSEWHERE {
        assert!(!failed.contains(name), "{name} fails here, but the list says: {why}");
    }
}

#[test]
fn calls_fail_over_lavapipe() {
    // Each run takes a tenth of a second, so only every seventh call fails. There is no query, since lavapipe 22.3 crashes if one
    // spans a rendering without draws because a pipeline is missing; lavapipe 25.0 does not.
    let make = || (Implementation::default(), Box::new(|_: &str| {}) as Box<dyn Fn(&str)>);
    fail_each(make, Kind { without: &[], has_query: false }, 7);
}
