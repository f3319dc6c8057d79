// SPDX-License-Identifier: MIT

//! Makes the NIR of a Vulkan driver into that of a Gallium driver.
//!
//! **What.** Mesa's reader of SPIR-V (vtn) names a block by descriptor set and binding (`vulkan_resource_index`,
//! `load_vulkan_descriptor`), and accesses its members through derefs of types with explicit offsets and strides. It has variables
//! for system values. Here the blocks become variables whose only member is an array of numbers, as zink makes them, with one
//! variable for each width; system values become the intrinsics of their names; the payload of a task shader is accessed by
//! byte offset; casts of textures are removed; a block of built-ins becomes a variable for each of its members.
//!
//! **Why.** The other parts of ntv have one form for a block, and one for a system value. SPIR-V -> vtn -> ntv -> SPIR-V then
//! works for drivers that do not use zink.
//!
//! It runs on a valid shader, before everything else that reads one: [`Translator`](crate::Translator) calls it, the interpreter
//! and the planner want its result.
//!
//! Before:
//!
//! ```text
//! 32    %1 = @vulkan_resource_index (%0 (0x0)) (desc_set=1, binding=4, desc_type=UBO)
//! 32    %2 = @load_vulkan_descriptor (%1) (desc_type=UBO)
//! 32    %3 = deref_cast (Light *)%2 (ubo Light)  (ptr_stride=0, align_mul=0, align_offset=0)
//! 32    %4 = deref_struct &%3->color (ubo vec3)
//! 32x3  %5 = @load_deref (%4) (access=none)
//! ```
//!
//! After, if `color` is at byte 16:
//!
//! ```text
//! 32    %1 = deref_var &light@32 (ubo struct)
//! 32    %2 = deref_struct &%1->base (ubo uint[7])  // &light@32.base
//! 32    %3 = deref_array &(*%2)[4] (ubo uint)  // &light@32.base[4]
//! 32    %4 = @load_deref (%3) (access=none)
//! 32    %5 = deref_array &(*%2)[5] (ubo uint)  // &light@32.base[5]
//! 32    %6 = @load_deref (%5) (access=none)
//! 32    %7 = deref_array &(*%2)[6] (ubo uint)  // &light@32.base[6]
//! 32    %8 = @load_deref (%7) (access=none)
//! 32x3  %9 = vec3 %4, %6, %8
//! ```

mod blocks;
mod io_blocks;
mod natural;
mod payload;
mod place;
mod pushed;
mod system_values;

use crate::error::Errors;
use crate::ir::{rewrite, Def, Deref, DerefKind, Edit, InstKind, Shader};
use crate::op::{Facts, Intrinsic, Modes};

/// Memory of textures, samplers and images.
const OPAQUE: Modes = Modes::UNIFORM.union(Modes::IMAGE);

/// Whether `shader` has descriptors by set and binding, variables of system values or of a payload, casts of textures, or matrices
/// in row-major order.
pub fn is_needed(shader: &Shader) -> bool {
    let inventory = shader.inventory();
    inventory.has(Intrinsic::load_vulkan_descriptor)
        || inventory.may_have(Facts::derefs(Modes::SYSTEM | Modes::TASK_PAYLOAD))
        || has_casts(shader)
        || pushed::is_needed(shader)
        || io_blocks::is_needed(shader)
}

/// Makes the blocks and system values of `shader`, which is valid, those of a Gallium driver. Most shaders have them already.
///
/// # Errors
/// An access without a translation, with its instruction. The shader is then unchanged, or has a part of the changes.
pub fn raise(shader: &mut Shader) -> Result<(), Errors> {
    if has_casts(shader) {
        drop_casts(shader);
    }
    io_blocks::raise(shader)?;
    system_values::raise(shader)?;
    pushed::raise(shader)?;
    payload::raise(shader)?;
    blocks::raise(shader)
}

/// Whether there is a cast of a texture or image. vtn casts a texture with a sampler to a texture and to a sampler.
fn has_casts(shader: &Shader) -> bool {
    let inventory = shader.inventory();
    let may_have = inventory.may_have(Facts::UNUSUAL_STEPS) && inventory.may_have(Facts::derefs(OPAQUE));
    may_have && shader.derefs.values().any(|deref| cast(shader, deref).is_some())
}

/// The deref that `deref` casts, if it is of a texture or image.
fn cast(shader: &Shader, deref: &Deref) -> Option<Def> {
    let DerefKind::Cast { parent, .. } = deref.kind else { return None };
    (OPAQUE.contains(deref.modes) && shader.as_deref(parent).is_some()).then_some(parent)
}

/// Replaces the casts by what they cast: the operation says whether it uses the texture or the sampler.
fn drop_casts(shader: &mut Shader) {
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        InstKind::Deref(deref) => cast(b.shader, &b.shader.derefs[deref]).map_or(Edit::Keep, Edit::Replace),
        _ => Edit::Keep,
    });
}

#[cfg(test)]
mod tests;
