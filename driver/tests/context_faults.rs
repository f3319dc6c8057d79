//! Every Vulkan call of a context that can fail fails once: there is a clear error, nothing leaks, and the context goes on working
//! unless the device is lost.

mod support;

use ntv::module::Stage;
use ntv_driver::context::{
    BufferRange, Clear, ConstantBuffer, Context, ContextOptions, QueryKind, Region, VertexBuffer,
};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::faults::{FaultPlan, Faults};
use ntv_driver::null::{World, WorldOptions};
use ntv_driver::resource::SamplerView;
use ntv_driver::{vk, ErrorKind, Implementation, Result};
use std::sync::Arc;
use std::time::Duration;
use support::*;

/// Uses all that a context has: draws, dispatches, copies, queries, transform feedback, reads.
fn scenario(context: &mut Context, has_query: bool) -> Result<Vec<u8>> {
    let captured = "// ntv: xfb=POS.x:0+0/4\ndecl_function";
    let vertex = shader(context, &vertex().replace("decl_function", captured));
    let [plain, textured] = [fragment_with_uniforms(), fragment_with_texture()].map(|text| shader(context, &text));
    let target = support::target(context)?;
    context.bind_shader(Stage::Vertex, Some(&vertex))?;
    let elements = context.create_vertex_elements_state(&elements())?;
    context.bind_vertex_elements_state(&elements);
    let buffer = context.create_buffer_with(&triangle([1.0, 0.5, 0.25, 1.0]))?;
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer: Arc::clone(&buffer), offset: 0 })])?;
    context.set_viewport_states(&[viewport(8.0)]);
    context.set_framebuffer_state(&framebuffer(&target))?;
    context.clear(&Clear::color([0.0; 4]))?;
    context.bind_shader(Stage::Fragment, Some(&plain))?;
    context.set_constant_buffer(Stage::Fragment, 0, Some(ConstantBuffer::User(1.0f32.to_le_bytes().repeat(4))))?;
    let query = context.create_query(QueryKind::OcclusionCounter)?;
    if has_query {
        context.begin_query(&query)?;
    }
    let output = context.create_stream_output_target(BufferRange::whole(&buffer))?;
    let other = context.create_buffer_with(&triangle([1.0; 4]))?;
    context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer: other, offset: 0 })])?;
    context.set_stream_output_targets(&[Some(output)], false)?;
    context.draw_triangles(3)?;
    context.set_stream_output_targets(&[], false)?;
    context.flush()?;
    context.draw_triangles(3)?;
    if has_query {
        context.end_query(&query)?;
        context.query_result(&query, Duration::from_secs(60))?;
    }

    let texture = support::target(context)?;
    context.texture_subdata(&texture, Region::of_level(&texture, 0), &[7; 256])?;
    context.set_sampler_views(Stage::Fragment, 0, &[Some(SamplerView::whole(&texture))])?;
    context.bind_shader(Stage::Fragment, Some(&textured))?;
    context.draw_triangles(3)?;

    let increment = shader(context, &increment());
    context.bind_shader(Stage::Compute, Some(&increment))?;
    let words = context.create_buffer_with(&[0; 16])?;
    context.set_shader_buffers(Stage::Compute, 0, &[Some(BufferRange::whole(&words))])?;
    context.launch_grid([1, 1, 1])?;
    context.buffer_subdata(&words, 0, &[1; 4])?;
    let mut bytes = context.read_buffer(&words, 0, 16)?;
    bytes.extend(context.read_texture(&target, Region::of_level(&target, 0))?);
    Ok(bytes)
}

fn open(implementation: Implementation, without: &[&str]) -> Result<(Device, Context)> {
    let device = Device::open(&DeviceOptions {
        timeout: Duration::from_secs(60),
        without: without.iter().map(ToString::to_string).collect(),
        implementation,
        ..DeviceOptions::default()
    })?;
    let context = Context::new(&device, ContextOptions::default())?;
    Ok((device, context))
}

/// What a run with a fault did: whether it was in opening, the first result, and that of the same once more.
type Outcome = (Result<Vec<u8>>, Option<Result<Vec<u8>>>);

fn run(implementation: Implementation, without: &[&str], has_query: bool) -> Outcome {
    let (device, mut context) = match open(implementation, without) {
        Ok(opened) => opened,
        Err(error) => return (Err(error), None),
    };
    let first = scenario(&mut context, has_query);
    let again = scenario(&mut context, has_query);
    drop(context);
    drop(device);
    (first, Some(again))
}

/// Fails each call of the scenario over the implementation that `make` gives.
fn fail_each(make: impl Fn() -> (Implementation, Box<dyn Fn(&str)>), (without, has_query): (&[&str], bool), step: u64) {
    let (implementation, _) = make();
    let (expected, _) = run(implementation, without, has_query);
    let expected = expected.expect("without faults");
    for result in
        [vk::Result::ERROR_OUT_OF_HOST_MEMORY, vk::Result::ERROR_OUT_OF_DEVICE_MEMORY, vk::Result::ERROR_DEVICE_LOST]
    {
        let mut nth = 1;
        loop {
            let faults = Faults::new(FaultPlan { nth, result, ..FaultPlan::default() });
            let (implementation, check) = make();
            let (first, again) = run(implementation.with_faults(&faults), without, has_query);

            let Some(name) = faults.failed() else { break };
            let place = format!("call {nth}, {name}: {result}");
            let lost = result == vk::Result::ERROR_DEVICE_LOST;
            match (&first, &again) {
                // The driver asked for something else, or did without.
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
            check(&place);
            nth += step;
        }
        assert!(nth > 20, "{nth} calls can fail with {result}");
    }
}

#[test]
fn each_call_fails_over_the_null_implementation() {
    let lesser = &["VK_EXT_graphics_pipeline_library", "vertexInputDynamicState"][..];
    for (without, step) in [(&[][..], 1), (lesser, 5)] {
        let make = || {
            let world = World::new(WorldOptions::default());
            let implementation = Implementation::Null(Arc::clone(&world));
            let check = move |place: &str| {
                assert_eq!(world.take_messages(), [""; 0], "{place}");
                assert!(world.live_objects().is_empty(), "{place}: {:?}", world.live_objects());
            };
            (implementation, Box::new(check) as Box<dyn Fn(&str)>)
        };
        fail_each(make, (without, true), step);
    }
}

#[test]
fn calls_fail_over_lavapipe() {
    // Each takes a tenth of a second: every seventh call. Without a query, since lavapipe 22.3 crashes where one spans a rendering
    // in which nothing is drawn because a pipeline is missing; lavapipe 25.0 does not.
    let make = || (Implementation::Loader, Box::new(|_: &str| {}) as Box<dyn Fn(&str)>);
    fail_each(make, (&[], false), 7);
}
