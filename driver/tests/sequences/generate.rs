// SPDX-License-Identifier: MIT

//! Random sequences of calls.

use crate::call::{Call, Constants, Draw, Indirect};
use crate::scene::VIEWS;
use crate::shaders;
use crate::tables;
use fastrand::Rng;
use ntv::module::ShaderStage;
use ntv_driver::vk;

/// The sequence with this number.
pub(crate) fn sequence(seed: u64) -> Vec<Call> {
    let mut rng = Rng::with_seed(seed);
    let mut calls = Vec::new();
    // Most sequences begin with a valid draw.
    if rng.u8(..20) > 0 {
        prologue(&mut rng, &mut calls);
    }
    let count = rng.usize(4..28);
    for _ in 0..count {
        let call = call(&mut rng);
        // A draw shows the effect of the setters before it.
        calls.push(call);
        if rng.u8(..3) == 0 {
            calls.push(draw(&mut rng));
        }
    }
    calls.push(draw(&mut rng));
    calls
}

fn prologue(rng: &mut Rng, calls: &mut Vec<Call>) {
    calls.push(Call::Vertex(Some(index(rng, shaders::VERTEX))));
    calls.push(Call::Fragment(Some(index(rng, shaders::FRAGMENT))));
    calls.push(Call::Elements(if rng.bool() { 0 } else { rng.usize(..tables::elements().len()) }));
    calls.push(Call::VertexBuffers(0, vec![Some((0, 0)), Some((1, 0)), Some((0, 0))]));
    calls.push(Call::Framebuffer(if rng.bool() { 0 } else { rng.usize(..tables::FRAMEBUFFERS.len()) }));
    calls.push(Call::Viewports(0));
    calls.push(Call::Views(ShaderStage::Fragment, 0, vec![Some(3), Some(2), Some(5), Some(6)]));
    calls.push(Call::ShaderBuffers(ShaderStage::Fragment, 0, vec![Some((4, 0, 256))]));
    calls.push(Call::ShaderBuffers(ShaderStage::Compute, 0, vec![Some((4, 0, 256)), Some((5, 0, 1024))]));
    calls.push(Call::Images(ShaderStage::Fragment, 0, vec![Some(0)]));
    for stage in [ShaderStage::Vertex, ShaderStage::Fragment, ShaderStage::Compute] {
        calls.push(Call::Constants(stage, 0, Some(Constants::User(16, 1))));
    }
    for (stage, slot) in
        [(ShaderStage::Fragment, 1), (ShaderStage::Fragment, 2), (ShaderStage::Geometry, 1), (ShaderStage::Compute, 1)]
    {
        calls.push(Call::Constants(stage, slot, Some(Constants::Buffer(2, 0, 64))));
    }
    calls.push(Call::Views(ShaderStage::Compute, 0, vec![Some(3)]));
    calls.push(Call::Images(ShaderStage::Compute, 0, vec![Some(1)]));
    if rng.bool() {
        calls.push(Call::Compute(Some(index(rng, shaders::COMPUTE))));
    }
    calls.push(draw(rng));
}

fn index<T>(rng: &mut Rng, list: &[T]) -> usize {
    rng.usize(..list.len())
}

fn one<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.usize(..list.len())]
}

/// A value in most cases.
fn some<T>(rng: &mut Rng, make: impl FnOnce(&mut Rng) -> T) -> Option<T> {
    (rng.u8(..8) > 0).then(|| make(rng))
}

fn stage(rng: &mut Rng) -> ShaderStage {
    one(
        rng,
        &[
            ShaderStage::Vertex,
            ShaderStage::Fragment,
            ShaderStage::Fragment,
            ShaderStage::Geometry,
            ShaderStage::Compute,
        ],
    )
}

/// A few rows, and their first slot.
fn rows<T>(rng: &mut Rng, most: usize, make: impl Fn(&mut Rng) -> T) -> (usize, Vec<Option<T>>) {
    let first = rng.usize(..most);
    let count = rng.usize(1..=(most - first).min(2));
    (first, (0..count).map(|_| some(rng, &make)).collect())
}

fn call(rng: &mut Rng) -> Call {
    match rng.u8(..20) {
        0..=5 => draw(rng),
        6..=8 => state(rng),
        9..=12 => slots(rng),
        13..=14 => shader(rng),
        15 => clear(rng),
        16..=17 => resource(rng),
        _ => other(rng),
    }
}

fn draw(rng: &mut Rng) -> Call {
    use vk::PrimitiveTopology as Topology;
    let modes = [
        Topology::TRIANGLE_LIST,
        Topology::TRIANGLE_STRIP,
        Topology::POINT_LIST,
        Topology::LINE_LIST,
        Topology::LINE_STRIP,
    ];
    let mode = if rng.bool() { Topology::TRIANGLE_LIST } else { one(rng, &modes) };
    let indices = (rng.u8(..3) == 0).then(|| (4 * rng.u64(..2), rng.bool(), rng.u8(..4) == 0));
    let runs = if rng.u8(..6) == 0 { 2 } else { 1 };
    let run = |rng: &mut Rng| (rng.u32(..2), one(rng, &[3, 3, 4, 6]), if rng.u8(..4) == 0 { 1 } else { 0 });
    let indirect = (rng.u8(..10) == 0).then(|| one(rng, &[Indirect::One, Indirect::Two, Indirect::Counted]));
    Call::Draw(Draw {
        mode,
        indices,
        instances: one(rng, &[1, 1, 1, 2]),
        first_instance: if rng.u8(..6) == 0 { 1 } else { 0 },
        runs: (0..runs).map(|_| run(rng)).collect(),
        indirect,
    })
}

fn state(rng: &mut Rng) -> Call {
    match rng.u8(..12) {
        0 => Call::Blend(rng.usize(..tables::blends().len())),
        1 => Call::Rasterizer(rng.usize(..tables::rasterizers().len())),
        2 => Call::DepthStencil(rng.usize(..tables::depth_stencils().len())),
        3 => Call::Elements(rng.usize(..tables::elements().len())),
        4 => Call::Viewports(rng.usize(..tables::viewports().len())),
        5 => Call::Scissors(rng.usize(..tables::scissors().len())),
        6 => Call::BlendColor(rng.u8(..3)),
        7 => Call::StencilRef(rng.u32(..2), rng.u32(..3)),
        8 => Call::SampleMask(one(rng, &[u32::MAX, 5, 0])),
        9 => Call::MinSamples(one(rng, &[0, 1, 4])),
        10 => Call::PatchVertices(one(rng, &[3, 3, 4])),
        _ => Call::Framebuffer(rng.usize(..tables::FRAMEBUFFERS.len())),
    }
}

fn constants(rng: &mut Rng) -> Constants {
    match rng.bool() {
        true => Constants::User(one(rng, &[4, 16, 16, 32]), rng.u8(..3)),
        // Rarely an offset that no device supports.
        false => {
            let offset = if rng.u8(..16) == 0 { 3 } else { 256 * rng.u64(..2) };
            Constants::Buffer(one(rng, &tables::UNIFORMS), offset, one(rng, &[16, 64, 256]))
        }
    }
}

fn slots(rng: &mut Rng) -> Call {
    match rng.u8(..9) {
        0 | 1 => Call::Constants(stage(rng), rng.usize(..3), some(rng, constants)),
        2 => {
            let buffer = |rng: &mut Rng| (one(rng, &tables::STORAGE), 256 * rng.u64(..2), 256);
            let (first, list) = rows(rng, 2, buffer);
            Call::ShaderBuffers(stage(rng), first, list)
        }
        3 | 4 => {
            let (first, list) = rows(rng, 4, |rng| rng.usize(..VIEWS));
            let of = stage(rng);
            // The shaders read texels at slot 3, and textures at the others: in most cases the view matches.
            let fits = |slot: usize, view: usize| if slot == 3 { 6 + view % 2 } else { view % 6 };
            let list = list.into_iter().enumerate().map(|(at, view)| view.map(|view| fits(first + at, view))).collect();
            Call::Views(of, first, list)
        }
        5 => {
            let (first, list) = rows(rng, 4, |rng| rng.usize(..tables::samplers().len()));
            Call::Samplers(stage(rng), first, list)
        }
        6 => {
            let (first, list) = rows(rng, 2, |rng| rng.usize(..2));
            Call::Images(stage(rng), first, list)
        }
        7 => {
            let (first, list) = rows(rng, 3, |rng| (one(rng, &tables::VERTICES), 32 * rng.u64(..2)));
            Call::VertexBuffers(first, list)
        }
        _ => {
            let sets: [&[Option<usize>]; 6] =
                [&[], &[Some(0)], &[Some(1)], &[Some(0), Some(1)], &[Some(3), Some(2)], &[None]];
            Call::Targets(one(rng, &sets).to_vec(), rng.bool())
        }
    }
}

fn shader(rng: &mut Rng) -> Call {
    match rng.u8(..10) {
        0..=2 => Call::Vertex(some(rng, |rng| index(rng, shaders::VERTEX))),
        3..=6 => Call::Fragment(some(rng, |rng| index(rng, shaders::FRAGMENT))),
        7 => Call::Compute(some(rng, |rng| index(rng, shaders::COMPUTE))),
        8 => Call::Geometry(rng.bool()),
        _ => Call::Tessellation(rng.bool()),
    }
}

fn clear(rng: &mut Rng) -> Call {
    let depth = rng.bool().then(|| rng.u8(..3));
    let stencil = (rng.u8(..3) == 0).then(|| rng.u32(..3));
    let scissor = (rng.u8(..3) == 0).then(|| rng.usize(..tables::scissors().len()));
    Call::Clear(one(rng, &[0, 1, 1, 3]), rng.u8(..3), depth, stencil, scissor)
}

fn resource(rng: &mut Rng) -> Call {
    let buffer = |rng: &mut Rng| rng.usize(..tables::BUFFERS.len());
    let texture = |rng: &mut Rng| rng.usize(..tables::TEXTURES);
    match rng.u8(..14) {
        0..=2 => {
            let number = buffer(rng);
            let size = tables::BUFFERS[number];
            match rng.bool() {
                true => Call::BufferSubdata(number, 0, size as usize, rng.u8(..3)),
                false => Call::BufferSubdata(number, 32 * rng.u64(..4), 64, rng.u8(..3)),
            }
        }
        3 => {
            let number = texture(rng);
            Call::TextureSubdata(number, rng.u32(..tables::texture(number).levels), rng.u8(..3))
        }
        4 => {
            // Indirect parameters and indices do not change.
            let list = [0, 1, 2, 3, 4, 5, 8, 9, 10];
            Call::CopyBuffer(one(rng, &list), one(rng, &[0, 1, 2, 3, 10]), 64 * rng.u64(..2), 64)
        }
        5 => Call::ClearBuffer(one(rng, &[2, 3, 4, 5, 9, 10]), 64 * rng.u64(..3), 64, 0),
        6 => Call::CopyTexture(rng.usize(..tables::COPIES)),
        7 => Call::Blit(rng.usize(..tables::BLITS.len())),
        8 => Call::GenerateMipmap(2),
        9 => Call::InvalidateBuffer(buffer(rng)),
        10 => Call::InvalidateTexture(texture(rng)),
        11 => Call::ReplaceBuffer(buffer(rng)),
        12 => Call::ReplaceTexture(texture(rng)),
        _ => match rng.u8(..8) {
            0 => Call::ReplaceFragment(index(rng, shaders::FRAGMENT)),
            _ => Call::InvalidateBuffer(one(rng, &tables::VERTICES)),
        },
    }
}

fn other(rng: &mut Rng) -> Call {
    match rng.u8(..12) {
        0..=2 => Call::Dispatch(one(rng, &[[1, 1, 1], [2, 1, 1]])),
        3 => Call::DispatchIndirect,
        4 | 5 => Call::BeginQuery(rng.usize(..crate::scene::QUERIES.len())),
        6 | 7 => Call::EndQuery(rng.usize(..crate::scene::QUERIES.len())),
        8 => Call::MemoryBarrier,
        9 => Call::Flush,
        10 => match rng.u8(..4) {
            0 => Call::Finish,
            _ => Call::DrawCaptured(rng.usize(..tables::TARGETS.len())),
        },
        _ => Call::Switch,
    }
}
