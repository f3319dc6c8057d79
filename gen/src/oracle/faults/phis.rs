// SPDX-License-Identifier: MIT

//! Rewrites phis to a form that drivers handle correctly.

use ntv::ir::builder::vec_op;
use ntv::ir::{AluFlags, AluSrc, Block, BlockData, Inst, InstData, InstKind, PhiSrc, Swizzle};
use ntv::op::AluOp;
use ntv::Shader;
use std::collections::BTreeMap;

/// Puts phis before those of the same block whose value they read, except for phis that read each other's values: a module has
/// them in reverse order.
pub(super) fn order(shader: &mut Shader) -> bool {
    let mut changed = false;
    for block in shader.block_order().collect::<Vec<_>>() {
        let phis = shader.block_insts(block).iter().take_while(|inst| shader.phi(**inst).is_some());
        let mut left: Vec<Inst> = phis.copied().collect();
        let mut at = shader.blocks[block].start as usize;
        while !left.is_empty() {
            let takes = |phi: &Inst, other: &Inst| {
                let srcs = shader.phi(*phi).unwrap_or_default();
                phi != other && srcs.iter().any(|src| src.def.inst() == *other)
            };
            let free = left.iter().position(|phi| !left.iter().any(|other| takes(other, phi)));
            let phi = left.remove(free.unwrap_or(0));
            changed |= std::mem::replace(&mut shader.order[at], phi) != phi;
            at += 1;
        }
    }
    changed
}

/// Replaces the phi of a vector by a phi for each component.
pub(super) fn split(shader: &mut Shader) -> bool {
    let mut ends: BTreeMap<Block, Vec<Inst>> = BTreeMap::new();
    let mut parts: BTreeMap<Inst, Vec<Inst>> = BTreeMap::new();
    for phi in shader.order.clone() {
        let data = shader.insts[phi];
        let (Some(srcs), Some(vec)) = (shader.phi(phi).map(<[_]>::to_vec), vec_op(data.num_components.into())) else {
            continue;
        };
        let components = (0..data.num_components).map(|c| {
            let srcs = srcs.iter().map(|src| {
                let part = new_alu(shader, AluOp::mov, (1, data.bit_size), &[channel(src.def.inst(), c)]);
                ends.entry(src.pred).or_default().push(part);
                PhiSrc { def: part.def(), ..*src }
            });
            let srcs: Vec<PhiSrc> = srcs.collect();
            let kind = InstKind::Phi(shader.phi_srcs.push(&srcs));
            shader.make(InstData { num_components: 1, kind, ..data })
        });
        let components: Vec<Inst> = components.collect();
        let srcs: Vec<AluSrc> = components.iter().map(|part| channel(*part, 0)).collect();
        let srcs = shader.push_alu_srcs(&srcs);
        shader.set_kind(phi, InstKind::Alu { op: vec, flags: AluFlags::empty(), srcs });
        parts.insert(phi, components);
    }
    insert(shader, &parts, &ends);
    !parts.is_empty()
}

/// Inserts the `parts` of a former phi among the phis, the vector after them, and the instructions of `ends` at the ends of
/// blocks.
fn insert(shader: &mut Shader, parts: &BTreeMap<Inst, Vec<Inst>>, ends: &BTreeMap<Block, Vec<Inst>>) {
    let mut order = Vec::new();
    for block in shader.block_order().collect::<Vec<_>>() {
        let insts = shader.block_insts(block);
        let is_phi = |inst: &Inst| shader.phi(*inst).is_some() || parts.contains_key(inst);
        let (phis, rest) = insts.split_at(insts.iter().take_while(|inst| is_phi(inst)).count());
        let (rest, jump) = rest.split_at(rest.len() - usize::from(shader.block_jump(block).is_some()));
        let start = order.len() as u32;
        order.extend(phis.iter().flat_map(|phi| parts.get(phi).cloned().unwrap_or(vec![*phi])));
        order.extend(phis.iter().filter(|phi| parts.contains_key(phi)));
        order.extend(rest);
        order.extend(ends.get(&block).into_iter().flatten());
        order.extend(jump);
        shader.blocks[block] = BlockData { start, end: order.len() as u32 };
    }
    shader.order = order;
}

fn channel(inst: Inst, component: u8) -> AluSrc {
    AluSrc { def: inst.def(), swizzle: Swizzle::splat(component) }
}

fn new_alu(shader: &mut Shader, op: AluOp, (num_components, bit_size): (u8, u8), srcs: &[AluSrc]) -> Inst {
    let srcs = shader.push_alu_srcs(srcs);
    shader.make(InstData { num_components, bit_size, kind: InstKind::Alu { op, flags: AluFlags::empty(), srcs } })
}
