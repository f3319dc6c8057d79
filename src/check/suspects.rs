//! Instructions of a valid shader for which there may be no translation: in most shaders none.
//!
//! Whoever vouches for a shader has it looked at for that alone, and most of it not even for that: what the shader has at all,
//! see [`Inventory`](crate::ir::Inventory), tells that there is nothing among its arithmetic, constants and phis. What is left
//! are pointers, and the few intrinsics and textures that are not like most. Where anything else may be odd, all instructions are
//! suspects.

use super::support::{self, BUFFERS};
use super::{features, stores, textures, variable};
use crate::analysis::kinds::list_intrinsics_and_texs;
use crate::ir::{ArrayIndex, Def, Deref, DerefKind, Inst, InstKind, Shader};
use crate::op::names::InterpMode;
use crate::op::{AluInfo, AluOp, AluSet, Base, Intrinsic, IntrinsicSet, Modes, ALU_OPS, INTRINSICS};
use crate::target::{Feature, Target};

/// Puts the suspects of a valid shader into `suspects`, in order. Whether there are any, or the shader as a whole is one.
pub(super) fn find(shader: &Shader, target: &Target, suspects: &mut Vec<Inst>) -> bool {
    let (has, variables) = (shader.inventory(), Variables::of(shader));
    suspects.clear();
    if has_odd_values(shader) || variables.has_values || has_odd_derefs(shader) {
        suspects.extend_from_slice(&shader.order);
    } else {
        let plain = if target.has(Feature::geometryStreams) { &PLAIN_WITH_STREAMS } else { &PLAIN };
        if has.has_textures() || !has.has_no_other(plain) {
            list_intrinsics_and_texs(shader, suspects);
            suspects.retain(|inst| !is_usual(shader, *inst, plain));
        }
    }
    !suspects.is_empty()
        || variables.are_odd
        || support::refused_primitives(&shader.info)
        || has.has_jumps() && support::jumps_in_front(shader).next().is_some()
        || features::lacks(target, &shader.info, variables.slots)
        || features::lacks_widths(target, shader)
        || stores::missing(shader, target).is_some()
}

/// What the variables of a shader have.
#[derive(Default)]
struct Variables {
    /// One may have no translation, or need a feature, whatever its slot.
    are_odd: bool,
    /// One starts with a value.
    has_values: bool,
    /// The slots of inputs and of outputs, a bit for each below 64.
    slots: [u64; 2],
}

impl Variables {
    fn of(shader: &Shader) -> Variables {
        let mut all = Variables::default();
        // Without a way out in between: in most shaders there is nothing odd to find.
        for variable in shader.vars.values() {
            all.are_odd |= variable.flags.intersects(variable::UNTRANSLATED_FLAGS)
                | (variable.interp == InterpMode::explicit)
                | (variable.stream != 0)
                | variable.capture.is_some();
            all.has_values |=
                variable.initializer.is_some() | variable.values.is_some() | (variable.mode == Modes::CONSTANT);
            let slot = variable.location.unwrap_or(u32::MAX);
            let bit = u64::from(slot < 64) << (slot % 64);
            all.slots[0] |= if variable.mode == Modes::SHADER_IN { bit } else { 0 };
            all.slots[1] |= if variable.mode == Modes::SHADER_OUT { bit } else { 0 };
        }
        all
    }
}

/// Whether vectors, booleans or pointers may be used as SPIR-V's are not.
fn has_odd_values(shader: &Shader) -> bool {
    let has = shader.inventory();
    let is_pointer = |def: Def| is_pointer(shader, def);
    // Each pointer that an intrinsic takes is one of its sources, so there must not be more.
    let num_pointers = shader.srcs.values().iter().map(|def| usize::from(is_pointer(*def))).sum::<usize>();
    has.has_wide_vectors()
        || has.has_some(&IntrinsicSet::BARYCENTRICS)
        || has.has_width(1) && has.has_any_alu(&MISREADING)
        || num_pointers != has.num_pointers()
        || shader.alu_srcs.values().iter().fold(false, |is_one, src| is_one | is_pointer(src.def))
        || has.has_phis() && shader.phi_srcs.values().iter().any(|src| is_pointer(src.def))
}

/// ALU opcodes that may be given numbers of one bit, but have no meaning for them.
static MISREADING: AluSet = {
    let (mut set, mut at) = (AluSet::of(&[]), 0);
    while at < ALU_OPS.len() {
        let op = AluOp::ALL[at];
        if takes_integers(&ALU_OPS[at]) && !support::takes_booleans(op, &ALU_OPS[at]) {
            set = set.union(AluSet::of(&[op]));
        }
        at += 1;
    }
    set
};

/// Whether a source is an integer of any width. Floats of any width have 16 bits or more.
const fn takes_integers(info: &AluInfo) -> bool {
    let mut at = 0;
    while at < info.srcs.len() {
        let ty = info.srcs[at].ty;
        if matches!(ty.bits, 0 | 1) && matches!(ty.base, Base::Int | Base::Uint) {
            return true;
        }
        at += 1;
    }
    false
}

fn is_pointer(shader: &Shader, def: Def) -> bool {
    matches!(shader.def(def).kind, InstKind::Deref(_))
}

/// Whether a pointer may have no translation, or need a feature.
fn has_odd_derefs(shader: &Shader) -> bool {
    let has = shader.inventory();
    let has_booleans = shader.types.has_booleans();
    has.has_derefs(support::untranslated_modes(has_booleans))
        || (has.has_unusual_steps() || has.has_derefs(Modes::UNIFORM | Modes::IMAGE))
            && shader.derefs.values().any(|deref| is_odd_deref(shader, deref))
}

fn is_odd_deref(shader: &Shader, deref: &Deref) -> bool {
    let is_odd_step = match deref.kind {
        DerefKind::Var(_) | DerefKind::Struct { .. } | DerefKind::Array { index: ArrayIndex::Imm(_), .. } => false,
        // Which of several buffers is not known may need a feature.
        DerefKind::Array { parent, index: ArrayIndex::Def(index) } => {
            is_pointer(shader, index)
                || deref.modes.intersects(BUFFERS)
                    && shader.as_deref(parent).is_some_and(|deref| matches!(deref.kind, DerefKind::Var(_)))
        }
        DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => true,
    };
    is_odd_step || textures::is_loose_uniform(shader, deref)
}

/// Whether a candidate has a translation for sure.
fn is_usual(shader: &Shader, inst: Inst, plain: &IntrinsicSet) -> bool {
    match shader.insts[inst].kind {
        InstKind::Intrinsic { op, .. } => plain.contains(op),
        InstKind::Tex(tex) => textures::is_usual(shader, &shader.texs[tex]),
        _ => false,
    }
}

/// What has a translation if it is for the first stream, or the target has others.
const OF_STREAMS: IntrinsicSet = IntrinsicSet::of(&[
    Intrinsic::emit_vertex,
    Intrinsic::emit_vertex_with_counter,
    Intrinsic::end_primitive,
    Intrinsic::end_primitive_with_counter,
]);

/// The same of a target with streams.
static PLAIN_WITH_STREAMS: IntrinsicSet = plain().union(OF_STREAMS);

/// Intrinsics that have a translation whatever their operands.
static PLAIN: IntrinsicSet = plain();

const fn plain() -> IntrinsicSet {
    let (mut set, mut at) = (IntrinsicSet::of(&[]), 0);
    while at < INTRINSICS.len() {
        let (op, info) = (Intrinsic::ALL[at], &INTRINSICS[at]);
        if support::is_translated(op, info) && !features::may_need(op, info) {
            set = set.union(IntrinsicSet::of(&[op]));
        }
        at += 1;
    }
    set
}
