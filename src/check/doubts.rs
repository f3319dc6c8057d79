// SPDX-License-Identifier: MIT

//! A quick test whether a valid shader may have no translation. Most shaders certainly have one.
//!
//! This is the only check of a shader that its caller guarantees to be valid. The shader's [`Inventory`](crate::ir::Inventory),
//! its variables and its textures determine which [`Features`] the rules may require. If the target has them all, no rule can
//! refuse the shader, and no rule runs. Nothing is decided here: in case of doubt, the rules check the whole shader.
//!
//! A running driver does this for each shader with cold caches, so the tests for rare properties are in functions that are not
//! inlined.

use super::feature_check::{lacked_by, Features, DOUBT};
use super::features::{self, SlotNeed, MAY_NEED, WITHOUT_NEEDS};
use super::support::{self, MISREADING};
use super::{io, kernels, stores, textures};
use crate::ir::{ArrayIndex, Def, DerefKind, InstData, InstKind, Inventory, Shader, VarFlags, Variable};
use crate::op::names::{varying, InterpMode};
use crate::op::{intrinsics_where, Facts, IntrinsicSet, Modes};
use crate::target::Target;

/// A search for features that a shader may need.
type Search = fn(&Shader) -> Features;

/// The facts that make each search worthwhile; those of widths are about types, too.
const SEARCHES: [(Facts, Search); 11] = [
    (Facts::widths(8 | 16 | 64), features::width_needs),
    (Facts::BITS_1, |shader| doubt_if(has_misread_booleans(shader))),
    (ALWAYS_DOUBTFUL, |_| DOUBT),
    (Facts::EXPLICIT_IO, |shader| doubt_if(has_barycentrics_as_values(shader))),
    (Facts::BITS_64, |shader| doubt_if(io::split_access(shader).is_some())),
    (Facts::JUMPS, |shader| doubt_if(support::jumps_before_ifs_and_loops(shader).next().is_some())),
    (Facts::UNUSUAL_STEPS, of_derefs),
    (Facts::DEREFS, |shader| doubt_if(has_untranslated_modes(shader) || has_derefs_as_values(shader))),
    (Facts::TEXTURES, textures::may_need),
    (Facts::GEOMETRY_STAGE, |shader| doubt_if(support::refused_primitives(&shader.info))),
    (Facts::KERNEL_STAGE, kernels::may_need),
];

const ALWAYS_DOUBTFUL: Facts = Facts::WIDE_VECTORS
    .union(Facts::CAPTURED_SLOTS)
    .union(Facts::MESH_STAGE)
    .union(Facts::UNUSUAL_SLOTS)
    .union(Facts::FRAMEBUFFER_READS);

/// Whether a rule may refuse a valid shader.
#[inline(never)]
pub(super) fn has_doubts(shader: &Shader, target: &Target) -> bool {
    let lacked = lacked_by(target);
    let mut needs = of_variables(shader) | features::of_header(&shader.info);
    if !shader.inventory().has_no_other(&WITHOUT_NEEDS) {
        needs |= of_intrinsics(shader.inventory());
    }
    let facts = shader.facts() | Facts::widths(shader.types.widths());
    needs & lacked != 0
        || stores::lacks(target, shader)
        || SEARCHES.iter().any(|(mask, search)| facts.intersects(*mask) && search(shader) & lacked != 0)
}

const fn doubt_if(is_doubtful: bool) -> Features {
    if is_doubtful {
        DOUBT
    } else {
        0
    }
}

fn has_untranslated_modes(shader: &Shader) -> bool {
    shader.inventory().may_have(Facts::derefs(support::untranslated_modes(&shader.types)))
}

/// The features that variables, and the slots of inputs and outputs, may need.
fn of_variables(shader: &Shader) -> Features {
    const RARE_FLAGS: VarFlags =
        VarFlags::FB_FETCH_OUTPUT.union(VarFlags::PER_VIEW).union(VarFlags::PER_PRIMITIVE).union(VarFlags::SAMPLE);
    let (mut is_doubtful, mut has_values, mut modes, mut slots) =
        (false, false, Modes::empty(), shader.inventory().slots());
    for variable in shader.vars.values() {
        is_doubtful |= variable.flags.intersects(RARE_FLAGS)
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
        is_doubtful |= has_refused_variables(shader);
    }
    let of_slots = if (slots[0] | slots[1]) & features::SLOTS_WITH_NEEDS != 0 { of_slots(shader, slots) } else { 0 };
    of_slots | doubt_if(is_doubtful)
}

/// Whether a deref of some variable is refused.
#[inline(never)]
fn has_refused_variables(shader: &Shader) -> bool {
    // A variable without derefs may have any type and any initializer.
    let is_accessed = |variable: &&Variable| shader.inventory().may_have(Facts::derefs(variable.mode));
    shader.vars.values().filter(is_accessed).any(|variable| {
        support::refused_initializer(variable).is_some()
            || textures::is_loose_uniform(&shader.types, variable.mode, variable.ty)
    })
}

/// The features that these slots of inputs and of outputs, a bit for each, may need.
#[inline(never)]
fn of_slots(shader: &Shader, slots: [u64; 2]) -> Features {
    /// With cull distances there may be too many of both.
    const CULL: u64 = 1 << varying::CULL_DIST0 | 1 << varying::CULL_DIST1;
    let mut needs = if (slots[0] | slots[1]) & CULL != 0 { DOUBT } else { 0 };
    for (output, slots) in [false, true].into_iter().zip(slots) {
        features::slot_needs(shader.stage(), output, slots, &mut |need| {
            needs |= match need {
                SlotNeed::Features(any) => 1 << any[0].0 as u8,
                SlotNeed::Stage(_) => DOUBT,
            };
        });
    }
    needs
}

/// Whether a barycentric is a source of something else than `load_interpolated_input`.
fn has_barycentrics_as_values(shader: &Shader) -> bool {
    const BARYCENTRICS: IntrinsicSet =
        intrinsics_where!(|info, meaning| meaning.sampling.is_some() && info.pointers == 0);
    shader.inventory().has_some(&BARYCENTRICS)
        && shader.order.iter().any(|inst| support::misuses_barycentric(shader, *inst))
}

/// The features that intrinsics may need.
#[inline(never)]
fn of_intrinsics(has: &Inventory) -> Features {
    has.intrinsics().fold(0, |needs, op| needs | MAY_NEED[op as usize])
}

/// The features that derefs may need.
#[inline(never)]
fn of_derefs(shader: &Shader) -> Features {
    shader.derefs.values().fold(0, |needs, deref| {
        needs
            | match deref.kind {
                DerefKind::Var(_) | DerefKind::Struct { .. } | DerefKind::Array { index: ArrayIndex::Imm(_), .. } => 0,
                DerefKind::Array { index: ArrayIndex::Def(index), .. } if is_deref(shader, index) => DOUBT,
                DerefKind::Array { .. } => 0,
                DerefKind::ArrayWildcard { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => DOUBT,
            }
    })
}

/// Whether a deref is used as a value, other than by texture instructions and derefs.
fn has_derefs_as_values(shader: &Shader) -> bool {
    // Each deref that an intrinsic accesses is one of its sources, so there must not be more.
    let num_pointers = shader.srcs.values().iter().filter(|def| is_deref(shader, **def)).count();
    num_pointers != shader.inventory().num_pointers()
        || shader.alu_srcs.values().iter().any(|src| is_deref(shader, src.def))
        || shader.inventory().may_have(Facts::PHIS)
            && shader.phi_srcs.values().iter().any(|src| is_deref(shader, src.def))
}

fn is_deref(shader: &Shader, def: Def) -> bool {
    matches!(shader.def(def).kind, InstKind::Deref(_))
}

/// Whether an ALU operation on numbers has sources of one bit.
fn has_misread_booleans(shader: &Shader) -> bool {
    let misreads = |data: &InstData| match data.kind {
        InstKind::Alu { op, srcs, .. } => support::misreads_booleans(shader, op, &shader.alu_srcs[srcs]),
        _ => false,
    };
    shader.inventory().has_any_alu(&MISREADING) && shader.insts.values().any(misreads)
}
