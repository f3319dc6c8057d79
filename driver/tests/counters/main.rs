// SPDX-License-Identifier: MIT

//! The costs of changes, as counts: every setter of a context, over the implementation that computes nothing.

#![allow(clippy::print_stdout, reason = "tests print their results")]

mod cases;
mod dynamic;
mod scene;
#[path = "../support/shaders.rs"]
mod shaders;
#[path = "../support/mod.rs"]
mod support;

use cases::{rasterizer, Case, Seen, CASES};
use ntv::module::ShaderStage;
use ntv::Key;
use ntv_driver::context::{BlendState, Clear, Counters, Dirty, FramebufferState, RasterizerState, RtBlendState};
use ntv_driver::device::DynamicState;
use ntv_driver::resource::SamplerView;
use ntv_driver::state::BitSet;
use scene::{Scene, Shaders, TestDevice};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Devices on which all optional states are dynamic, and on which none is.
fn test_devices() -> [TestDevice; 2] {
    let states: Vec<&str> = DynamicState::ALL.iter().map(|state| state.feature()).collect();
    [TestDevice::without(&[]), TestDevice::without(&states)]
}

/// The handlers that ran between two counts.
fn handlers(before: &Counters, after: &Counters) -> u64 {
    after.sync.handlers - before.sync.handlers
}

/// Counts without those that a value may change when it is set and set back: derived values are recomputed, and there is one more
/// state.
fn but_derived(counters: Counters) -> Counters {
    Counters { derived: 0, states: 0, ..counters }
}

/// Counts without handlers that recorded nothing.
fn but_handlers(counters: Counters) -> Counters {
    Counters { sync: Default::default(), ..but_derived(counters) }
}

/// A scene after a case has set its first value and a command has run.
fn settled(device: &TestDevice, case: &Case) -> Scene {
    let mut scene = Scene::new(device, case.shaders);
    (case.set)(&mut scene, false).expect("a value");
    scene.command();
    scene.command();
    scene
}

fn each_case(test: impl Fn(&TestDevice, &Case)) {
    for device in &test_devices() {
        for case in CASES {
            let _named = Named(case);
            test(device, case);
        }
    }
}

/// Prints the name of a failing case.
struct Named<'a>(&'a Case);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        let Case { setter, what, shaders, .. } = self.0;
        if std::thread::panicking() {
            println!("in {setter}: {what}, with {shaders:?}");
        }
    }
}

#[test]
fn every_setter_is_in_the_table() {
    let known: BTreeSet<&str> = CASES.iter().map(|case| case.setter).collect();
    // Calls that set bits and are not setters.
    let commands = ["resource_copy_region", "blit", "buffer_subdata", "launch_grid", "flush", "draw_vbo"];
    let rows = Dirty::TABLE.iter().flat_map(|row| row.setters).copied();
    let of_table: BTreeSet<&str> = rows.filter(|name| !commands.contains(name)).collect();
    assert_eq!(known, of_table);
    let mut of_source = BTreeSet::new();
    for file in Path::new(env!("CARGO_MANIFEST_DIR")).join("src/context").read_dir().unwrap() {
        let path = file.unwrap().path();
        let text = if path.is_file() { std::fs::read_to_string(&path).unwrap() } else { continue };
        let functions = text.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn "));
        let setters = functions.filter(|name| name.starts_with("set_") || name.starts_with("bind_"));
        of_source.extend(setters.map(|name| name[..name.find('(').unwrap()].to_owned()));
    }
    assert_eq!(known, of_source.iter().map(String::as_str).collect());
}

#[test]
fn setters_set_the_bits_of_the_table() {
    let mut set: BTreeMap<&str, BitSet<Dirty>> = BTreeMap::new();
    // If shaders capture, the targets are in shader buffers.
    for device in [TestDevice::without(&[]), TestDevice::without(&["VK_EXT_transform_feedback"])] {
        for case in CASES {
            let mut scene = settled(&device, case);
            let before = scene.context.dirty();
            (case.set)(&mut scene, true).expect("another value");
            *set.entry(case.setter).or_default() |= scene.context.dirty() - before;
        }
    }
    for (setter, bits) in set {
        let rows = Dirty::TABLE.iter().filter(|row| row.setters.contains(&setter));
        let of_table = rows.fold(BitSet::EMPTY, |bits, row| bits | BitSet::of(&[row.bit]));
        assert_eq!(bits, of_table, "{setter}");
    }
}

#[test]
fn an_equal_value_costs_nothing() {
    each_case(|device, case| {
        let mut scene = settled(device, case);
        let (before, dirty) = (scene.context.counters(), scene.context.dirty());
        (case.set)(&mut scene, false).unwrap();
        assert_eq!(scene.context.dirty(), dirty);
        assert_eq!(scene.command(), scene.unchanged(before));
    });
}

#[test]
fn a_value_that_is_set_back_costs_nothing() {
    each_case(|device, case| {
        let mut scene = settled(device, case);
        // Both values were used before, so that programs and pipelines of both exist.
        (case.set)(&mut scene, true).unwrap();
        scene.command();
        (case.set)(&mut scene, false).unwrap();
        scene.command();
        let before = scene.command();
        let dirty = scene.context.dirty();
        (case.set)(&mut scene, true).unwrap();
        (case.set)(&mut scene, false).unwrap();
        if case.setter == "set_stream_output_targets" {
            // A capture ends when its target is unbound, and begins again.
            return assert!(scene.command().sync.handlers > before.sync.handlers);
        }
        assert_eq!(scene.context.dirty(), dirty);
        assert_eq!(but_derived(scene.command()), but_derived(scene.unchanged(before)));
    });
}

#[test]
fn only_consumers_see_another_value() {
    each_case(|device, case| {
        let mut scene = settled(device, case);
        for other in [true, false, true] {
            let before = scene.context.counters();
            (case.set)(&mut scene, other).unwrap();
            let (after, unchanged) = (scene.command(), scene.unchanged(before));
            match case.seen {
                Seen::Yes => {
                    assert!(handlers(&before, &after) > 0);
                    assert_ne!(but_handlers(after), but_handlers(unchanged), "nothing is recorded");
                }
                Seen::ByHandler => assert_eq!(but_handlers(after), but_handlers(unchanged)),
                Seen::No => assert_eq!(but_derived(after), but_derived(unchanged)),
            }
            let before = scene.context.counters();
            assert_eq!(scene.command(), scene.unchanged(before), "the next command records no state");
        }
    });
}

#[test]
fn an_unchanged_draw_is_one_command() {
    for device in test_devices() {
        let recorded = |draws: u64| {
            let before = device.world.recorded_commands();
            let mut scene = Scene::new(&device, Shaders::Draw("moved by uniforms", "two textures"));
            for _ in 0..draws {
                scene.command();
            }
            scene.context.flush().unwrap();
            let mut after = device.world.recorded_commands();
            after.iter_mut().for_each(|(name, count)| *count -= before.get(name).copied().unwrap_or(0));
            after
        };
        let (mut one, many) = (recorded(1), recorded(11));
        *one.get_mut("vkCmdDraw").unwrap() += 10;
        assert_eq!(one, many);
    }
}

#[test]
fn a_clear_leaves_a_texture_to_the_next_draw() {
    let device = TestDevice::without(&[]);
    let mut scene = Scene::new(&device, Shaders::Draw("plain", "texture"));
    scene.command();
    let view = SamplerView::whole(&scene.textures[1]);
    scene.context.set_sampler_views(ShaderStage::Fragment, 0, &[Some(view)]).unwrap();
    let pending = scene.context.dirty();
    assert!(pending.contains(Dirty::Textures));
    let before = scene.context.counters();
    for clear in [Clear::color([1.0; 4]), Clear { scissor: Some(Default::default()), ..Clear::color([0.0; 4]) }] {
        scene.context.clear(&clear).unwrap();
        let after = scene.context.counters();
        assert_eq!((handlers(&before, &after), after.sets_written), (0, before.sets_written));
        assert_eq!(scene.context.dirty(), pending);
    }
    let after = scene.command();
    assert_eq!(after.sets_written, before.sets_written + 1);
    assert!(!scene.context.dirty().contains(Dirty::Textures));
}

#[test]
fn a_bit_of_one_stage_makes_no_module_of_another() {
    let device = TestDevice::without(&[]);
    let mut scene = Scene::new(&device, Shaders::Draw("plain", "plain"));
    let before = scene.context.counters().modules.modules_made;
    let mut made = Vec::new();
    for (early_fragment_tests, default_point_size) in [(false, false), (true, false), (true, true), (false, true)] {
        let state = RasterizerState { early_fragment_tests, default_point_size, ..RasterizerState::default() };
        rasterizer(&mut scene, state).unwrap();
        made.push(scene.command().modules.modules_made - before);
    }
    // A vertex and a fragment shader; another fragment shader; another vertex shader; both exist.
    assert_eq!(made, [2, 3, 4, 4]);
    // The vertex shader flips the image: no fragment shader depends on the orientation.
    let framebuffer =
        FramebufferState { orientation: Key::FLIP_Y, ..scene.framebuffer(&[&Arc::clone(&scene.targets[0])]) };
    scene.context.set_framebuffer_state(&framebuffer).unwrap();
    assert_eq!(scene.command().modules.modules_made - before, 5);
}

#[test]
fn blending_makes_no_pipeline_where_there_are_no_colors() {
    for device in test_devices() {
        let mut scene = Scene::new(&device, Shaders::Draw("plain", "plain"));
        let framebuffer = scene.framebuffer(&[]);
        scene.context.set_framebuffer_state(&framebuffer).unwrap();
        let before = scene.command();
        scene.bind_blend(BlendState::all(RtBlendState::alpha_over())).unwrap();
        let after = scene.command();
        assert_eq!((after.pipelines, after.transitions), (before.pipelines, before.transitions));
        assert_eq!(after.modules, before.modules);
    }
}
