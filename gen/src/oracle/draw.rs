// SPDX-License-Identifier: MIT

//! Draws with a vertex shader and a fragment shader: a point on each pixel.

use super::{keyed, undefined_behaviour, written, Undefined, Written, LIMITS};
use crate::shader::{POINTS, ROW};
use crate::Stimulus;
use ntv::ir::{Inst, InstKind, Stage};
use ntv::module::OptionId;
use ntv::op::names::{frag_result, unpack_alu_type, IoSemantics};
use ntv::op::{Base, Index, Intrinsic};
use ntv::{Key, Shader};
use ntv_driver::headless::{vk, Attachment, Attribute, Device, Draw, Resources};
use ntv_interp::draw::{self, Drawn};
use ntv_interp::{Buffer, Slot};

/// Render targets, and attributes.
const SLOTS: usize = 4;

const SIZE: [u32; 2] = [ROW, POINTS / ROW];

/// Bytes of four words for each point.
const BYTES: usize = 16 * POINTS as usize;

/// The interpreter's results of a draw with `key`; `Err` has the reason if they are undefined.
pub(super) fn expect(shaders: &[Shader], stimulus: &Stimulus, key: &Key) -> Result<Written, Undefined> {
    // A discarded primitive has no fragments.
    let stages = if key.has(OptionId::Discard) { 1 } else { shaders.len() };
    let attributes: Vec<(u32, Vec<[u32; 4]>)> =
        (0..).zip(attributes(stimulus)).map(|(location, bytes)| (location, vectors(bytes))).collect();
    let draw = draw::Draw {
        shaders: &shaders[..stages],
        vertices: POINTS,
        instances: 1,
        patch_vertices: 0,
        attributes: &attributes,
        size: SIZE,
        targets: &[],
        captures: &[],
        floats: stimulus.inputs.floats,
    };
    let mut resources = stimulus.resources();
    let missing = |why: &str| Undefined { why: why.to_string(), is_condition: false };
    let drawn = draw::draw(&draw, &mut resources, LIMITS).map_err(missing)?;
    undefined_behaviour(drawn.faults.iter().map(|(_, fault)| fault))?;
    Ok(written(resources.storage, resources.images, targets(&drawn, key)))
}

/// Whether the first colour of a fragment shader has floats.
fn has_floats(shaders: &[Shader]) -> bool {
    shaders.iter().filter(|shader| shader.stage() == Stage::Fragment).any(|shader| {
        let is_first = |inst: Inst| {
            IoSemantics::unpack(shader.index(inst, Index::io_semantics)).location == frag_result::DATA0
                && unpack_alu_type(shader.index(inst, Index::src_type)).base == Base::Float
        };
        let is_store =
            |inst: &Inst| matches!(shader.insts[*inst].kind, InstKind::Intrinsic { op: Intrinsic::store_output, .. });
        shader.order.iter().copied().filter(is_store).any(is_first)
    })
}

/// Draws `shaders` on `device` with the words of each stage; returns the render targets.
pub(super) fn run(
    device: &Device,
    shaders: &[Shader],
    modules: &[Vec<u32>],
    push_constants: &[u8],
    stimulus: &Stimulus,
    resources: &mut Resources,
) -> Result<Vec<Buffer>, ntv_driver::headless::Error> {
    let modules: Vec<&[u32]> = modules.iter().map(Vec::as_slice).collect();
    let format = vk::Format::R32G32B32A32_UINT;
    let attribute = |(location, bytes)| Attribute { location, format, bytes, per_instance: false };
    let attributes: Vec<Attribute<'_>> = (0..).zip(attributes(stimulus)).map(attribute).collect();
    let mut attachments = vec![Attachment { format, clear: vec![0; 16] }; SLOTS];
    if has_floats(shaders) {
        attachments[0].format = vk::Format::R32G32B32A32_SFLOAT;
    }
    let draw = Draw {
        modules: &modules,
        topology: vk::PrimitiveTopology::POINT_LIST,
        vertices: POINTS,
        attributes: &attributes,
        push_constants,
        size: SIZE,
        attachments: &attachments,
        ..Draw::default()
    };
    let drawn = device.draw(&draw, resources)?;
    Ok(drawn.attachments.into_iter().map(Buffer::new).collect())
}

/// The attributes, whose data is also at the start of a uniform block.
fn attributes(stimulus: &Stimulus) -> impl Iterator<Item = &[u8]> {
    stimulus.uniform.first().into_iter().flat_map(|block| block.bytes.chunks_exact(BYTES).take(SLOTS))
}

fn vectors(bytes: &[u8]) -> Vec<[u32; 4]> {
    let word = |at: &[u8], c: usize| (0..4).rev().fold(0, |word, byte| word << 8 | u32::from(at[4 * c + byte]));
    bytes.chunks_exact(16).map(|at| [0, 1, 2, 3].map(|c| word(at, c))).collect()
}

/// The render targets with `key`, with the bits that are undefined.
fn targets(drawn: &Drawn, key: &Key) -> Vec<Buffer> {
    let mut targets = vec![Buffer::zeroed(BYTES); SLOTS];
    for (pixel, outputs) in &drawn.fragments {
        let mut outputs = outputs.clone();
        let passes =
            outputs.get_mut(&Slot::new(frag_result::DATA0)).map_or(Some(true), |colour| keyed::colour(key, colour));
        let [x, y] = keyed::place(key, *pixel, SIZE);
        for (location, target) in (frag_result::DATA0..).zip(&mut targets) {
            for (c, word) in outputs.get(&Slot::new(location)).into_iter().flatten().enumerate() {
                let at = 16 * (y * ROW + x) as usize + 4 * c;
                let undef = if passes.is_none() { u32::MAX } else { word.undef as u32 };
                target.undef[at..at + 4].copy_from_slice(&undef.to_le_bytes());
                if passes != Some(false) {
                    target.bytes[at..at + 4].copy_from_slice(&(word.value as u32).to_le_bytes());
                }
            }
        }
    }
    targets
}
