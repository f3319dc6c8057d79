// SPDX-License-Identifier: MIT

//! State that is dynamic if the device supports it, and otherwise a part of pipelines.

use crate::cases::rasterizer;
use crate::scene::{Scene, Shaders, TestDevice};
use ntv_driver::context::{BlendState, Counters, RasterizerState, RtBlendState};
use ntv_driver::device::DynamicState;
use ntv_driver::{vk, Result};
use std::collections::BTreeSet;

/// A state, the shaders with which it is a part of pipelines, and a function that sets only this state to one of two values.
type StateCase = (&'static str, Shaders, fn(&mut Scene, bool) -> Result<()>);

const PLAIN: Shaders = Shaders::Draw("plain", "plain");

fn row(scene: &mut Scene, row: RtBlendState) -> Result<()> {
    scene.bind_blend(BlendState::all(row))
}

const ROWS: &[StateCase] = &[
    ("vertexInputDynamicState", PLAIN, |scene, other| scene.bind_elements(if other { 0 } else { 16 })),
    ("extendedDynamicState2LogicOp", PLAIN, |scene, other| {
        let op = if other { vk::LogicOp::XOR } else { vk::LogicOp::AND };
        scene.bind_blend(BlendState { logicop: Some(op), ..BlendState::default() })
    }),
    ("extendedDynamicState3LogicOpEnable", PLAIN, |scene, other| {
        scene.bind_blend(BlendState { logicop: other.then_some(vk::LogicOp::COPY), ..BlendState::default() })
    }),
    ("extendedDynamicState3ColorBlendEnable", PLAIN, |scene, other| {
        row(scene, RtBlendState { blend_enable: other, ..RtBlendState::alpha_over() })
    }),
    ("extendedDynamicState3ColorBlendEquation", PLAIN, |scene, other| {
        row(
            scene,
            if other { RtBlendState::alpha_over() } else { RtBlendState { blend_enable: true, ..Default::default() } },
        )
    }),
    ("extendedDynamicState3ColorWriteMask", PLAIN, |scene, other| {
        let colormask = if other { vk::ColorComponentFlags::R } else { vk::ColorComponentFlags::RGBA };
        row(scene, RtBlendState { colormask, ..RtBlendState::default() })
    }),
    ("extendedDynamicState3PolygonMode", PLAIN, |scene, other| {
        let fill = if other { vk::PolygonMode::LINE } else { vk::PolygonMode::FILL };
        rasterizer(scene, RasterizerState { fill, ..RasterizerState::default() })
    }),
    ("extendedDynamicState3DepthClampEnable", PLAIN, |scene, other| {
        rasterizer(scene, RasterizerState { depth_clip: other, ..RasterizerState::default() })
    }),
    ("extendedDynamicState3DepthClipEnable", PLAIN, |scene, other| {
        rasterizer(scene, RasterizerState { depth_clip: other, ..RasterizerState::default() })
    }),
    ("extendedDynamicState3DepthClipNegativeOneToOne", PLAIN, |scene, other| {
        rasterizer(scene, RasterizerState { clip_halfz: other, ..RasterizerState::default() })
    }),
    ("extendedDynamicState3ProvokingVertexMode", PLAIN, |scene, other| {
        rasterizer(scene, RasterizerState { flatshade_first: other, ..RasterizerState::default() })
    }),
    ("extendedDynamicState3RasterizationSamples", PLAIN, |scene, other| {
        let framebuffer = scene.framebuffer(&[if other { &scene.samples } else { &scene.targets[0] }]);
        scene.context.set_framebuffer_state(&framebuffer)
    }),
    ("extendedDynamicState3SampleMask", PLAIN, |scene, other| {
        scene.context.set_sample_mask(if other { 1 } else { u32::MAX });
        Ok(())
    }),
    ("extendedDynamicState3AlphaToCoverageEnable", PLAIN, |scene, other| {
        scene.bind_blend_of_samples(BlendState { alpha_to_coverage: other, ..BlendState::default() })
    }),
    ("extendedDynamicState3AlphaToOneEnable", PLAIN, |scene, other| {
        scene.bind_blend_of_samples(BlendState { alpha_to_one: other, ..BlendState::default() })
    }),
    ("extendedDynamicState2PatchControlPoints", Shaders::Tessellation, |scene, other| {
        scene.context.set_patch_vertices(if other { 4 } else { 3 });
        Ok(())
    }),
];

fn made(counters: &Counters) -> u64 {
    counters.pipelines.created + counters.pipelines.linked
}

#[test]
fn every_state_is_in_the_table() {
    let of_device: BTreeSet<&str> = DynamicState::ALL.iter().map(|state| state.feature()).collect();
    assert_eq!(ROWS.iter().map(|row| row.0).collect::<BTreeSet<_>>(), of_device);
}

#[test]
fn state_that_commands_set_makes_no_pipeline() {
    let device = TestDevice::without(&[]);
    for (feature, shaders, set) in ROWS {
        let mut scene = Scene::new(&device, *shaders);
        set(&mut scene, false).unwrap();
        let before = scene.command();
        set(&mut scene, true).unwrap();
        let after = scene.command();
        assert_eq!((made(&after), after.transitions), (made(&before), before.transitions), "{feature}");
        assert_ne!(after.commands, before.commands, "{feature}");
    }
}

#[test]
fn state_of_pipelines_makes_one_for_each_value() {
    for (feature, shaders, set) in ROWS {
        let device = TestDevice::without(&[feature]);
        let mut scene = Scene::new(&device, *shaders);
        set(&mut scene, false).unwrap();
        let first = scene.command();
        set(&mut scene, true).unwrap();
        let second = scene.command();
        assert_eq!(made(&second), made(&first) + 1, "{feature}");
        assert_eq!(second.modules.modules_made, first.modules.modules_made, "{feature}");
        set(&mut scene, false).unwrap();
        let back = scene.command();
        // The first lookup finds it by its description, later ones by the transition.
        assert_eq!((made(&back), back.pipelines.hits), (made(&second), second.pipelines.hits + 1), "{feature}");
        for (time, other) in (1..).zip([true, false, true, false]) {
            set(&mut scene, other).unwrap();
            let again = scene.command();
            assert_eq!((made(&again), again.pipelines), (made(&back), back.pipelines), "{feature}");
            assert_eq!(again.transitions.hits, back.transitions.hits + time, "{feature}");
        }
    }
}
