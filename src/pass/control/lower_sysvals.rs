// SPDX-License-Identifier: MIT

//! Computes system values that Vulkan does not have from those that it has.
//!
//! **What.** One table has the computation of each. The instance id is the instance index minus the base instance, the base
//! vertex is 0 in a draw without indices, the index of a workgroup follows from its id and the number of workgroups, and so on.
//!
//! **Why.** Vulkan's InstanceIndex and VertexIndex count from the first instance and vertex of the draw, GL's gl_InstanceID
//! from 0; BaseVertex is the first vertex where there are no indices; FrontFacing is a boolean; no value is counted in one
//! dimension (Vulkan, "Built-In Variables").
//!
//! Only the driver knows whether a draw has indices. It sets a push constant at
//! [`Target::indexed_draw_offset`](crate::target::Target), as zink does. For a vertex shader that writes its captures itself,
//! the state of the draw also has this bit; for a compute shader, only the state has it. Reads of the state are left to
//! `lower_captures`, as `load_is_indexed_draw`.
//!
//! DrawIndex counts the draws of one command. A driver that makes several commands of the draws of one command of the application
//! sets the number of draws before it at [`Target::draw_id_offset`](crate::target::Target), and gl_DrawID is the sum.
//!
//! zink subtracts the base instance and selects the base vertex before its translator runs. In a dump at zink's own level,
//! which declares zink's push constants, these system values are InstanceIndex and BaseVertex.
//!
//! Before:
//!
//! ```text
//! 32     %0 = @load_instance_id
//! ```
//!
//! After:
//!
//! ```text
//! 32    %0 = @load_instance_index
//! 32    %1 = @load_base_instance
//! 32    %2 = isub %0, %1
//! ```

use crate::capture::BackEnd;
use crate::ir::{rewrite, Builder, Def, Edit, Inst, Shader};
use crate::op::names::{pack_alu_type, varying, InterpMode, IoSemantics};
use crate::op::Intrinsic::{self, *};
use crate::op::{zink, AluOp, AluType, Base, Facts, Index, Modes};
use crate::pass::{Context, Pass};
use crate::target::{Feature, Target};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_sysvals",
    about: "computes system values that Vulkan does not have",
    facts: Facts::SYSTEM_VALUES.union(Facts::DRAW_IDS).union(Facts::DRAW_KINDS),
    removes: Facts::SYSTEM_VALUES,
    is_tidy: true,
    run,
    ..Pass::IDLE
};

/// Computes the system value that an instruction of this many bits loads.
type Compute = fn(&mut Builder<'_>, &Source<'_>, u8) -> Def;

/// The inputs of the computations.
struct Source<'a> {
    target: &'a Target,
    /// Whether zink's own passes have run.
    is_zink_level: bool,
    /// The stage that writes the captures of the shader, if it captures anything.
    captures: BackEnd,
}

const COMPUTED: &[(Intrinsic, Compute)] = &[
    (load_instance_id, |b, source, _| instance_id(b, source)),
    (load_vertex_id_zero_base, |b, _, _| difference(b, load_vertex_id, load_first_vertex)),
    (load_base_vertex, |b, source, _| base_vertex(b, source)),
    (load_is_indexed_draw, |b, source, _| {
        let indexed = is_indexed_draw(b, source);
        let (all, none) = (b.imm32(u32::MAX), b.imm32(0));
        b.alu(AluOp::bcsel, &[indexed, all, none])
    }),
    (load_front_face_fsign, |b, _, _| {
        let front = b.intrinsic(load_front_face, 1, 1, &[]).def();
        let (one, minus_one) = (b.imm32(1f32.to_bits()), b.imm32((-1f32).to_bits()));
        b.alu(AluOp::bcsel, &[front, one, minus_one])
    }),
    (load_pixel_coord, |b, _, _| {
        let coord = b.intrinsic(load_frag_coord, 4, 32, &[]).def();
        let corner = b.swizzle(coord, &[0, 1]);
        b.alu(AluOp::f2u16, &[corner])
    }),
    // FragCoord is at the sample that is shaded, if each is.
    (load_sample_pos_or_center, |b, _, _| {
        let coord = b.intrinsic(load_frag_coord, 4, 32, &[]).def();
        let place = b.swizzle(coord, &[0, 1]);
        b.alu(AluOp::ffract, &[place])
    }),
    (load_color0, |b, _, _| color(b, 0)),
    (load_color1, |b, _, _| color(b, 1)),
    // Vulkan adds the base of a dispatch to WorkgroupId and GlobalInvocationId (vkCmdDispatchBase).
    (load_base_workgroup_id, |b, _, bits| zeros(b, bits)),
    (load_base_global_invocation_id, |b, _, bits| zeros(b, bits)),
    (load_workgroup_index, |b, _, _| {
        let (id, count) = (vector(b, load_workgroup_id), vector(b, load_num_workgroups));
        linear(b, id, count)
    }),
    (load_global_invocation_index, |b, _, bits| {
        let (id, groups) = (vector(b, load_global_invocation_id), vector(b, load_num_workgroups));
        let size = vector(b, load_workgroup_size);
        let [id, groups, size] = [id, groups, size].map(|it| if bits == 64 { b.alu(AluOp::u2u64, &[it]) } else { it });
        let count = b.alu(AluOp::imul, &[groups, size]);
        linear(b, id, count)
    }),
];

fn run(shader: &mut Shader, context: &Context) -> bool {
    let captures = if context.captures.is_within(shader) { context.captures } else { BackEnd::Extension };
    let source = Source { target: &context.target, is_zink_level: is_zink_level(shader), captures };
    rewrite(shader, |b, inst| match b.shader.as_intrinsic(inst) {
        Some((op, _)) => lower(b, inst, op, &source).map_or(Edit::Keep, Edit::Replace),
        None => Edit::Keep,
    })
}

fn lower(b: &mut Builder<'_>, inst: Inst, op: Intrinsic, source: &Source<'_>) -> Option<Def> {
    let bits = b.shader.insts[inst].bit_size;
    if let Some((_, compute)) = COMPUTED.iter().find(|row| row.0 == op) {
        return Some(compute(b, source, bits));
    }
    match op {
        load_global_invocation_id if bits == 64 => {
            let id = vector(b, op);
            Some(b.alu(AluOp::u2u64, &[id]))
        }
        load_front_face | load_helper_invocation if bits == 32 => {
            let boolean = b.intrinsic(op, 1, 1, &[]).def();
            Some(b.alu(AluOp::b2b32, &[boolean]))
        }
        load_input => face(b, inst),
        load_draw_id if !source.is_zink_level => {
            let offset = source.target.draw_id_offset?;
            let zero = b.imm32(0);
            let first = push_constant(b, zero, offset);
            let drawn = scalar(b, op);
            Some(b.iadd(drawn, first))
        }
        _ => None,
    }
}

/// Whether the shader went through zink's own passes, all of which add this variable to graphics stages.
fn is_zink_level(shader: &Shader) -> bool {
    shader.vars.values().any(|v| v.mode == Modes::PUSH_CONST && &shader.strings[v.name] == zink::PUSH_CONSTANTS)
}

fn scalar(b: &mut Builder<'_>, op: Intrinsic) -> Def {
    b.intrinsic(op, 1, 32, &[]).def()
}

fn vector(b: &mut Builder<'_>, op: Intrinsic) -> Def {
    b.intrinsic(op, 3, 32, &[]).def()
}

/// Three zeros of this many bits.
fn zeros(b: &mut Builder<'_>, bits: u8) -> Def {
    let zero = b.imm(bits, 0);
    b.vec(&[zero; 3])
}

fn difference(b: &mut Builder<'_>, minuend: Intrinsic, subtrahend: Intrinsic) -> Def {
    let (minuend, subtrahend) = (scalar(b, minuend), scalar(b, subtrahend));
    b.alu(AluOp::isub, &[minuend, subtrahend])
}

/// Where the base instance is not available, all draws have 0.
fn instance_id(b: &mut Builder<'_>, source: &Source<'_>) -> Def {
    if source.is_zink_level || !source.target.has(Feature::shaderDrawParameters) {
        return scalar(b, load_instance_index);
    }
    difference(b, load_instance_index, load_base_instance)
}

fn base_vertex(b: &mut Builder<'_>, source: &Source<'_>) -> Def {
    let first = scalar(b, load_first_vertex);
    if source.is_zink_level {
        return first;
    }
    let indexed = is_indexed_draw(b, source);
    let zero = b.imm32(0);
    b.alu(AluOp::bcsel, &[indexed, first, zero])
}

fn is_indexed_draw(b: &mut Builder<'_>, source: &Source<'_>) -> Def {
    let zero = b.imm32(0);
    let is_listed = (source.captures != BackEnd::Extension).then(|| {
        let word = scalar(b, load_is_indexed_draw);
        b.alu(AluOp::ine, &[word, zero])
    });
    if let (BackEnd::Compute, Some(is_listed)) = (source.captures, is_listed) {
        return is_listed;
    }
    let word = push_constant(b, zero, source.target.indexed_draw_offset);
    let is_indexed = b.alu(AluOp::ine, &[word, zero]);
    is_listed.map_or(is_indexed, |is_listed| b.alu(AluOp::ior, &[is_listed, is_indexed]))
}

/// The word of the push constants at this offset.
fn push_constant(b: &mut Builder<'_>, zero: Def, offset: u32) -> Def {
    let indices = [(Index::base, offset), (Index::range, 4), (Index::align_mul, 4)];
    b.intrinsic_with(load_push_constant, 1, 32, &[zero], &indices).def()
}

/// `x + count.x * (y + count.y * z)`.
fn linear(b: &mut Builder<'_>, id: Def, count: Def) -> Def {
    let [x, y, z] = [0, 1, 2].map(|c| b.channel(id, c));
    let [width, height] = [0, 1].map(|c| b.channel(count, c));
    let rows = b.alu(AluOp::imul, &[height, z]);
    let rows = b.iadd(y, rows);
    let before = b.alu(AluOp::imul, &[width, rows]);
    b.iadd(x, before)
}

/// The front or back colour that the rasterizer chose: an input with the interpolation of the header.
fn color(b: &mut Builder<'_>, number: u32) -> Def {
    let info = &b.shader.info;
    let (mode, sample, centroid) = match number {
        0 => (&info.color0_interp, info.color0_sample, info.color0_centroid),
        _ => (&info.color1_interp, info.color1_sample, info.color1_centroid),
    };
    let mode = InterpMode::from_name(mode).unwrap_or(InterpMode::none);
    let semantics = IoSemantics { location: varying::COL0 + number, num_slots: 1, ..IoSemantics::default() };
    let indices =
        [(Index::dest_type, pack_alu_type(AluType::new(Base::Float, 32))), (Index::io_semantics, semantics.pack())];
    let zero = b.imm32(0);
    if mode == InterpMode::flat {
        return b.intrinsic_with(load_input, 4, 32, &[zero], &indices).def();
    }
    let barycentric = match (sample, centroid) {
        (true, _) => load_barycentric_sample,
        (_, true) => load_barycentric_centroid,
        _ => load_barycentric_pixel,
    };
    let at = b.intrinsic_with(barycentric, 2, 32, &[], &[(Index::interp_mode, mode as u32)]).def();
    b.intrinsic_with(load_interpolated_input, 4, 32, &[at, zero], &indices).def()
}

/// The face as an input: a 32-bit boolean, or the sign of a float.
fn face(b: &mut Builder<'_>, inst: Inst) -> Option<Def> {
    let semantics = IoSemantics::unpack(b.shader.index(inst, Index::io_semantics));
    if b.shader.stage() != crate::ir::Stage::Fragment || semantics.location != varying::FACE {
        return None;
    }
    let is_float = crate::op::names::unpack_alu_type(b.shader.index(inst, Index::dest_type)).base == Base::Float;
    let values = if is_float { [1f32.to_bits(), (-1f32).to_bits()] } else { [u32::MAX, 0] };
    let front = b.intrinsic(load_front_face, 1, 1, &[]).def();
    let [yes, no] = values.map(|value| b.imm32(value));
    Some(b.alu(AluOp::bcsel, &[front, yes, no]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    /// zink makes several draws of one command of the application, and says how many were before each.
    #[test]
    fn the_id_of_a_draw_is_counted_from_the_first_of_a_command() {
        const DRAW: &str = "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n    \
            block b0:   // preds:\n    32  %0 = @load_draw_id\n    32  %1 = load_const (0x00000000)\n    \
            @store_output (%0, %1 (0x0)) (base=0, range=1, wrmask=x, component=0, src_type=int32, io location=VARYING_SLOT_VAR0 \
            slots=1, xfb(), xfb2())\n    // succs: b1\n    block b1:\n}\n";
        let pushed = |draw_id_offset| {
            let mut shader = text::parse(DRAW).expect("a shader");
            let mut context = Context::default();
            context.target.draw_id_offset = draw_id_offset;
            PASS.apply(&mut shader, &context);
            let is_pushed = |inst: &Inst| shader.as_intrinsic(*inst).is_some_and(|(op, _)| op == load_push_constant);
            let found = shader.order.iter().copied().find(is_pushed);
            found.map(|inst| {
                let added = shader.order.iter().any(|sum| matches!(shader.as_alu(sum.def()), Some((AluOp::iadd, _))));
                (shader.index(inst, Index::base), added)
            })
        };
        assert_eq!(pushed(None), None);
        assert_eq!(pushed(Some(4)), Some((4, true)));
    }
}
