// SPDX-License-Identifier: MIT

//! The memory use of an unlimited number of draws and programs is that of a few.
//!
//! `NTV_DRAWS=N` draws N times over the null implementation, with a new program for each hundred draws.

#![allow(clippy::print_stdout, reason = "tests print their results")]

#[path = "support/null.rs"]
mod null;
mod support;

use ntv::module::ShaderStage;
use ntv_driver::context::{BlendState, ConstantBuffer, Context, RtBlendState, VertexBuffer, VertexElement};
use ntv_driver::device::{Device, DeviceOptions};
use ntv_driver::program::Shader;
use ntv_driver::resource::{Bind, Sampler, SamplerState, SamplerView, Texture, TextureDescription};
use ntv_driver::vk;
use null::{alive, numbered_fragment, open, Shared};
use null_vulkan::{World, WorldOptions};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use support::{elements, framebuffer, shader};

/// While it lives, no other test allocates memory.
fn alone() -> MutexGuard<'static, ()> {
    static TESTS: Mutex<()> = Mutex::new(());
    TESTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of bytes of memory that this process uses.
fn resident() -> u64 {
    let numbers = std::fs::read_to_string("/proc/self/statm").expect("Linux reports the memory of a process");
    // The second number is the number of resident pages.
    numbers.split(' ').nth(1).expect("numbers").parse::<u64>().expect("a number") * 4096
}

/// The draws of a long-running application: it creates programs, resources and states, uses some of each, and drops them.
struct Application {
    context: Context,
    shared: Shared,
    fragments: VecDeque<Arc<Shader>>,
    textures: VecDeque<Arc<Texture>>,
    samplers: Vec<Arc<Sampler>>,
    drawn: u64,
}

/// The number of programs, and of textures, at a time.
const AT_ONCE: usize = 8;

impl Application {
    fn new(device: &Device) -> Application {
        let mut context = support::context(device);
        let shared = Shared::new(&mut context);
        shared.bind(&mut context);
        let filters = [vk::Filter::NEAREST, vk::Filter::LINEAR];
        let sampler = |mag_filter| SamplerState { mag_filter, ..SamplerState::default() };
        let samplers = filters.map(|filter| context.create_sampler_state(&sampler(filter)).expect("a sampler")).into();
        let (fragments, textures) = Default::default();
        Application { context, shared, fragments, textures, samplers, drawn: 0 }
    }

    /// Creates a new program, and another texture. The oldest ones are dropped.
    fn change_program(&mut self, number: u32) {
        let context = &mut self.context;
        let fragment = shader(context, &numbered_fragment(number));
        context.bind_shader(ShaderStage::Fragment, Some(&fragment)).expect("a fragment shader");
        self.fragments.push_back(fragment);
        if self.fragments.len() > AT_ONCE {
            let old = self.fragments.pop_front().expect("the oldest");
            // Both ways to drop it.
            match number % 2 {
                0 => context.delete_shader(&old),
                _ => drop(old),
            }
        }
        let size = [4 + number % 4, 4, 1];
        let description = TextureDescription { size, bind: Bind::SAMPLER_VIEW, ..TextureDescription::default() };
        self.textures.push_back(context.create_texture(description).expect("a texture"));
        if self.textures.len() > AT_ONCE {
            self.textures.pop_front();
        }
        self.change_states(number);
    }

    /// Changes states, which are rarely equal.
    fn change_states(&mut self, number: u32) {
        let context = &mut self.context;
        let [position, color] = elements();
        let color = VertexElement { src_offset: 4 * (number / 4 % 500), ..color };
        let elements = context.create_vertex_elements_state(&[position, color]).expect("elements");
        context.bind_vertex_elements_state(&elements);
        let rgb = (vk::BlendOp::ADD, vk::BlendFactor::from_raw(number as i32 % 15), vk::BlendFactor::ONE);
        let row = RtBlendState { blend_enable: number.is_multiple_of(2), rgb, ..RtBlendState::default() };
        let blend = context.create_blend_state(&BlendState::all(row));
        context.bind_blend_state(&blend);
        let target = support::target(context).expect("a target");
        context.set_framebuffer_state(&framebuffer(&target)).expect("a framebuffer");
        let buffer = context.create_buffer_with(&support::triangle([1.0; 4])).expect("vertices");
        context.set_vertex_buffers(0, &[Some(VertexBuffer { buffer, offset: 0 })]).expect("vertex buffers");
    }

    /// Draws `draws` times, with a new program each `of` draws. Uniforms, textures and samplers change in between.
    fn run(&mut self, draws: u64, of: u64) {
        for _ in 0..draws {
            let number = self.drawn;
            if number.is_multiple_of(of) {
                self.change_program((number / of) as u32);
            }
            if number.is_multiple_of(4) {
                let bytes = number.to_le_bytes().repeat(2);
                let uniforms = Some(ConstantBuffer::User(bytes));
                self.context.set_constant_buffer(ShaderStage::Fragment, 0, uniforms).expect("uniforms");
            }
            if number.is_multiple_of(10) {
                let texture = &self.textures[(number / 10) as usize % self.textures.len()];
                let views = [Some(SamplerView::whole(texture))];
                self.context.set_sampler_views(ShaderStage::Fragment, 0, &views).expect("a view");
                let sampler = &self.samplers[(number / of) as usize % 2];
                self.context
                    .bind_sampler_states(ShaderStage::Fragment, 0, &[Some(Arc::clone(sampler))])
                    .expect("a sampler");
            }
            if number.is_multiple_of(250) {
                self.context.buffer_subdata(&self.shared.uniforms, 0, &[1; 64]).expect("bytes");
            }
            self.context.draw_triangles(3).expect("a draw");
            if number % 1000 == 999 {
                self.context.flush().expect("a frame");
            }
            self.drawn += 1;
        }
    }
}

/// The memory that may be added after a tenth of the work: the reserve of the allocator, and the last growth of tables.
const CEILING: u64 = 16 << 20;

#[test]
fn draws_and_programs_use_no_more_memory_over_the_null_implementation() {
    let _alone = alone();
    let draws = std::env::var("NTV_DRAWS").ok().and_then(|number| number.parse().ok()).unwrap_or(1_000_000);
    let world = World::new(WorldOptions::unchecked());
    let device = open(&world, &["vertexInputDynamicState", "extendedDynamicState3ColorBlendEquation"]);
    let mut application = Application::new(&device);
    let start = Instant::now();
    application.run(draws / 10, 100);
    let (before, live) = (resident(), world.live_objects());
    application.run(draws - draws / 10, 100);
    let after = resident();
    let counters = application.context.counters();
    let (used, seconds) = (after.saturating_sub(before), start.elapsed().as_secs_f32());
    println!(
        "{draws} draws with {} programs in {seconds:.1} s: {} KiB, and then {} KiB more",
        counters.programs_built,
        before >> 10,
        used >> 10
    );
    assert_eq!((counters.draws, counters.programs_built), (draws, draws / 100));
    assert!(used < CEILING, "{} KiB more", used >> 10);
    for (ty, count) in world.live_objects() {
        let before = live.iter().find(|row| row.0 == ty).map_or(0, |row| row.1);
        // The counts do not grow, except for pending batches and pools.
        assert!(count <= before + before / 2 + 64, "{count} of {ty:?}, of which there were {before}");
    }
    assert!(counters.programs <= AT_ONCE + 2 && counters.pipelines_kept <= 64, "{counters:?}");
    assert!(alive(&world, vk::ObjectType::SHADER_MODULE) <= 2 * AT_ONCE as u64 + 4);
    drop(application);
    drop(device);
    assert_eq!(world.live_objects(), []);
    assert_eq!(world.take_messages(), [""; 0]);
}

#[test]
fn draws_and_programs_use_no_more_memory_on_lavapipe() {
    let _alone = alone();
    let options =
        DeviceOptions { name: Some("llvmpipe".into()), timeout: Duration::from_secs(60), ..DeviceOptions::default() };
    let device = Device::open(&options).expect("lavapipe, which `cargo xtask test` installs");
    let mut application = Application::new(&device);
    let start = Instant::now();
    application.run(10_000, 100);
    application.context.finish().expect("the device is done");
    let before = resident();
    application.run(10_000, 100);
    application.context.finish().expect("the device is done");
    let used = resident().saturating_sub(before);
    let counters = application.context.counters();
    println!("20000 draws in {:.1} s: {} KiB more", start.elapsed().as_secs_f32(), used >> 10);
    assert_eq!((counters.draws, counters.programs_built), (20_000, 200));
    assert!(counters.programs <= AT_ONCE + 2, "{counters:?}");
    // lavapipe compiles a shader again for each sampled format, and keeps the code.
    assert!(used < 4 * CEILING, "{} KiB more", used >> 10);
}
