//! Whether there may be no translation of a valid shader: for most there is one for sure.
//!
//! Whoever vouches for a shader has it looked at for that alone. What the shader has at all, see
//! [`Inventory`](crate::ir::Inventory), its variables and its textures tell which [`Features`] the rules may ask for. If the
//! target has them all, no rule can refuse the shader, and none is asked. Nothing is decided here: where there is a doubt, the rules
//! look at the whole shader.
//!
//! A running driver asks this of each shader with cold caches, so what few shaders have is asked in functions that are not inlined.

use super::feature_check::{lacked_by, Features, DOUBT};
use super::features::{self, MAY_NEED, PLAIN};
use super::support::{self, BUFFERS, MISREADING};
use super::{blocks, stores, textures};
use crate::ir::{ArrayIndex, Def, DerefKind, InstKind, Inventory, Shader, Stage, VarFlags};
use crate::op::names::InterpMode;
use crate::op::Modes;
use crate::target::{Feature, Target};

/// Whether a rule may refuse a valid shader.
#[inline(never)]
pub(super) fn has_doubts(shader: &Shader, target: &Target) -> bool {
    let has = shader.inventory();
    let mut needs = of_variables(shader) | features::of_header(&shader.info);
    if !has.has_no_other(&PLAIN) {
        needs |= of_intrinsics(has);
    }
    if has.has_width(8 | 16 | 64) || shader.types.has_width(8 | 16 | 64) {
        needs |= features::width_needs(shader);
    }
    if has.has_textures() {
        needs |= textures::may_need(shader);
    }
    if has.has_unusual_steps() {
        needs |= of_derefs(shader);
    }
    needs & lacked_by(target) != 0
        || has.has_wide_vectors()
        || has.has_width(1) && has.has_any_alu(&MISREADING) && has_misread_booleans(shader)
        || has.has_derefs(support::untranslated_modes(&shader.types))
        || has_pointers_as_values(shader)
        || has.has_jumps() && has_jumps_in_front(shader)
        || stores::lacks(target, shader)
        || !shader.xfb_info.is_empty()
        || shader.stage() == Stage::Geometry && support::refused_primitives(&shader.info)
}

/// Whether an if or a loop is after a jump.
#[inline(never)]
fn has_jumps_in_front(shader: &Shader) -> bool {
    support::jumps_in_front(shader).next().is_some()
}

/// What variables may need.
fn of_variables(shader: &Shader) -> Features {
    const ODD_FLAGS: VarFlags =
        VarFlags::FB_FETCH_OUTPUT.union(VarFlags::PER_VIEW).union(VarFlags::PER_PRIMITIVE).union(VarFlags::SAMPLE);
    let (mut is_odd, mut has_values, mut modes, mut slots) = (false, false, Modes::empty(), [0; 2]);
    for variable in shader.vars.values() {
        is_odd |= variable.flags.intersects(ODD_FLAGS)
            | (variable.interp == InterpMode::explicit)
            | (variable.stream != 0)
            | variable.capture.is_some();
        has_values |= variable.initializer.is_some() | variable.values.is_some();
        modes |= variable.mode;
        let bit = variable.location.and_then(|slot| 1u64.checked_shl(slot)).unwrap_or(0);
        slots[0] |= if variable.mode == Modes::SHADER_IN { bit } else { 0 };
        slots[1] |= if variable.mode == Modes::SHADER_OUT { bit } else { 0 };
    }
    if has_values || modes.intersects(Modes::UNIFORM | Modes::IMAGE | Modes::CONSTANT) {
        is_odd |= has_refused_variables(shader);
    }
    if modes.intersects(BUFFERS) {
        is_odd |= has_lost_layouts(shader);
    }
    let of_slots = if (slots[0] | slots[1]) & features::ODD_SLOTS != 0 { of_slots(shader, slots) } else { 0 };
    of_slots | if is_odd { DOUBT } else { 0 }
}

/// Whether it is not known where members of blocks are.
#[inline(never)]
fn has_lost_layouts(shader: &Shader) -> bool {
    shader.vars.values().any(|variable| blocks::has_lost_layout(shader, variable))
}

/// Whether a pointer to some variable is refused.
#[inline(never)]
fn has_refused_variables(shader: &Shader) -> bool {
    shader.vars.values().any(|variable| {
        support::refused_initializer(variable).is_some()
            || textures::is_loose_uniform(&shader.types, variable.mode, variable.ty)
    })
}

/// What these slots of inputs and of outputs may need, a bit for each.
#[inline(never)]
fn of_slots(shader: &Shader, slots: [u64; 2]) -> Features {
    let mut needs = 0;
    for (output, slots) in [false, true].into_iter().zip(slots) {
        features::slot_needs(shader.stage(), output, slots, &mut |feature| needs |= 1 << feature as u8);
    }
    needs
}

/// What intrinsics may need.
#[inline(never)]
fn of_intrinsics(has: &Inventory) -> Features {
    has.intrinsics().fold(0, |needs, op| needs | MAY_NEED[op as usize])
}

/// What steps of pointers may need.
#[inline(never)]
fn of_derefs(shader: &Shader) -> Features {
    use Feature::*;
    /// Which of several buffers is not known.
    const INDEXING: Features = 1 << shaderUniformBufferArrayDynamicIndexing as u8
        | 1 << shaderUniformBufferArrayNonUniformIndexing as u8
        | 1 << shaderStorageBufferArrayDynamicIndexing as u8
        | 1 << shaderStorageBufferArrayNonUniformIndexing as u8;
    shader.derefs.values().fold(0, |needs, deref| {
        needs
            | match deref.kind {
                DerefKind::Var(_) | DerefKind::Struct { .. } | DerefKind::Array { index: ArrayIndex::Imm(_), .. } => 0,
                DerefKind::Array { index: ArrayIndex::Def(index), .. } if is_pointer(shader, index) => DOUBT,
                DerefKind::Array { .. } if deref.modes.intersects(BUFFERS) => INDEXING,
                DerefKind::Array { .. } => 0,
                DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => DOUBT,
            }
    })
}

/// Whether a pointer is used as a value, other than by textures and pointers.
fn has_pointers_as_values(shader: &Shader) -> bool {
    // Each pointer that an intrinsic takes is one of its sources, so there must not be more.
    let num_pointers = shader.srcs.values().iter().filter(|def| is_pointer(shader, **def)).count();
    num_pointers != shader.inventory().num_pointers()
        || shader.alu_srcs.values().iter().any(|src| is_pointer(shader, src.def))
        || shader.inventory().has_phis() && shader.phi_srcs.values().iter().any(|src| is_pointer(shader, src.def))
}

fn is_pointer(shader: &Shader, def: Def) -> bool {
    matches!(shader.def(def).kind, InstKind::Deref(_))
}

/// Whether an ALU operation on numbers is given numbers of one bit.
#[inline(never)]
fn has_misread_booleans(shader: &Shader) -> bool {
    shader.insts.values().any(|data| match data.kind {
        InstKind::Alu { op, srcs, .. } => support::misreads_booleans(shader, op, &shader.alu_srcs[srcs]),
        _ => false,
    })
}
