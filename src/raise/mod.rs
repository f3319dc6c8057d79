// SPDX-License-Identifier: MIT

//! Makes the NIR of zink, and of a Vulkan driver, into that of a Gallium driver.
//!
//! **What.** Uniform and storage blocks are accessed by the number of the block and a byte offset. zink has derefs of variables
//! instead, arrays of numbers, one for each width, and offsets of shared memory in elements. Mesa's reader of SPIR-V (vtn) names a block by descriptor set and binding
//! (`vulkan_resource_index`, `load_vulkan_descriptor`), and accesses its members through derefs of types with explicit offsets and
//! strides. The variables stay, as declarations of the sets, bindings and sizes of their blocks:
//! [`block_table`](crate::analysis::block_table).
//!
//! vtn also has variables for system values, which become the intrinsics of their names. The payload of a task shader is accessed by
//! byte offset; casts of textures are removed; a block of built-ins becomes a variable for each of its members.
//!
//! **Why.** The other parts of ntv have one form for a block, and one for a system value. The dumps of zink's translator can be read,
//! and SPIR-V -> vtn -> ntv -> SPIR-V works for drivers that do not use zink.
//!
//! It runs on a valid shader, before everything else that reads one: [`Translator`](crate::Translator) calls it, the planner wants its
//! result, and the interpreter that of a Vulkan driver's.
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
//! 32    %1 = load_const (0x00000000 = 0.000000)
//! 32    %2 = load_const (0x00000010 = 16)
//! 32x3  %3 = @load_ubo (%1 (0x0), %2 (0x10)) (access=none, align_mul=4, align_offset=0, range_base=0, range=-1)
//! ```
//!
//! And zink's blocks:
//!
//! ```text
//! 32    %2 = deref_struct &%1->base (ssbo uint[])  // &ssbos@32[0].base
//! 32    %3 = deref_array &(*%2)[%0] (ssbo uint)  // &ssbos@32[0].base[%0]
//! 32    %4 = @load_deref (%3) (access=none)
//! ```
//!
//! ```text
//! 32    %1 = load_const (0x00000000 = 0.000000)
//! 32    %2 = load_const (0x00000002)
//! 32    %3 = ishl.nuw %0, %2 (0x2)
//! 32    %4 = @load_ssbo (%1 (0x0), %3) (access=none, align_mul=4, align_offset=0)
//! ```

mod blocks;
mod io_blocks;
mod natural;
mod payload;
mod place;
mod pushed;
mod system_values;
mod units;

use crate::error::Errors;
use crate::ir::{rewrite, Def, Deref, DerefKind, Edit, InstKind, Shader};
use crate::op::{Facts, Intrinsic, Modes};
use crate::target::DescriptorLayout;

pub use units::say_offset_units;

/// Memory of textures, samplers and images.
const OPAQUE: Modes = Modes::UNIFORM.union(Modes::IMAGE);

/// Whether `shader` has derefs of blocks, offsets that count elements, or a form that only drivers of Vulkan have.
pub fn is_needed(shader: &Shader) -> bool {
    blocks::is_needed(shader) || units::is_needed(shader) || is_of_vulkan(shader)
}

/// Whether `shader` has descriptors by set and binding, variables of system values or of a payload, casts of textures, or matrices
/// in row-major order.
pub fn is_of_vulkan(shader: &Shader) -> bool {
    let inventory = shader.inventory();
    inventory.has(Intrinsic::load_vulkan_descriptor)
        || inventory.may_have(Facts::derefs(Modes::SYSTEM | Modes::TASK_PAYLOAD))
        || has_casts(shader)
        || pushed::is_needed(shader)
        || io_blocks::is_needed(shader)
}

/// Makes the blocks and system values of `shader`, which is valid, those of a Gallium driver. Most shaders have them already. Blocks
/// whose set is not in the shader are in that of `layout`.
///
/// # Errors
/// An access without a translation, with its instruction. The shader is then unchanged, or has a part of the changes.
pub fn raise(shader: &mut Shader, layout: &DescriptorLayout) -> Result<(), Errors> {
    if !is_needed(shader) {
        return Ok(());
    }
    if has_casts(shader) {
        drop_casts(shader);
    }
    // The derefs of blocks tell the unit of other offsets.
    units::raise(shader);
    io_blocks::raise(shader)?;
    system_values::raise(shader)?;
    pushed::raise(shader)?;
    payload::raise(shader)?;
    blocks::raise(shader, layout)?;
    // The facts about the derefs are gone with them.
    shader.record_again();
    Ok(())
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
