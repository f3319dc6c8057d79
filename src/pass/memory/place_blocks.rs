// SPDX-License-Identifier: MIT

//! Turns uniform blocks into storage blocks if the plan puts them into storage buffers.
//!
//! **What.** Variables of mode `ubo` whose block is of [`Class::Storage`] become `ssbo` variables with the same set and
//! binding, and derefs of them become derefs of these. Their arrays lose their length. It is the last pass: all other passes
//! treat such a block as a uniform one, so it is read by the same `byte_access` code, and they may assume that it is not
//! written.
//!
//! **Why.** The range of a uniform buffer is limited (`maxUniformBufferRange`), and so is the number of uniform buffers;
//! storage buffers are larger, and there may be more of them. [`plan`](crate::plan) chooses the blocks. A block keeps its set
//! and binding: only the type of its descriptor changes.
//!
//! The variables are read-only: SPIR-V's NonWritable. Reads beyond the bound range follow the same rules as for a uniform
//! buffer if the device has robust buffer access (Vulkan, "Robust Buffer Access"). If not, the plan requires dynamic offsets to
//! be clamped to the range: the index of an element becomes `umin(index, length - 1)`.
//!
//! Before:
//!
//! ```text
//! 32     %1 = deref_var &ubo1 (ubo block)
//! 32     %2 = deref_struct &%1->base (ubo uvec4[4096])  // &ubo1.base
//! 32     %3 = deref_array &(*%2)[%0] (ubo uvec4)  // &ubo1.base[%0]
//! 32x4   %4 = @load_deref (%3) (access=none)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %1 = deref_var &ubo1#0 (ssbo block)
//! 32    %2 = deref_struct &%1->base (ssbo uvec4[])  // &ubo1#0.base
//! 32    %3 = deref_array &(*%2)[%0] (ssbo uvec4)  // &ubo1#0.base[%0]
//! 32x4  %4 = @load_deref (%3) (access=none)
//! ```

use super::blocks::{block_pointer, block_type, pointed_block, Element, MadeOnce, UINT};
use crate::entity::SideTable;
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Deref, DerefKind, Edit, Inst, Shader, Var, Variable};
use crate::op::{Access, AluOp, Facts, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use crate::plan::Class;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "place_blocks",
    about: "turns uniform blocks into storage blocks if the plan puts them into storage buffers",
    facts: Facts::derefs(Modes::UBO),
    met_by: |context| Facts::all_if(!context.placements.has_storage()),
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, tables: &mut Tables| {
        tables.stored.clear();
        tables.lengths.clear();
        rewrite(shader, |b, inst| tables.visit(b, inst, context))
    })
}

/// The storage block that replaces a uniform one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stored {
    var: Option<Var>,
    /// The block as an array of words: its length is read if dynamic offsets must be clamped.
    words: Option<Var>,
}

#[derive(Default)]
struct Tables {
    /// By the uniform block, and by the storage block that it became.
    stored: SideTable<Var, Option<Stored>>,
    /// The number of words of each block.
    lengths: MadeOnce<(Var, Option<ArrayIndex>)>,
}

impl Tables {
    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst, context: &Context) -> Edit {
        let Some(deref) = b.shader.as_deref(inst.def()).copied() else { return Edit::Keep };
        if deref.modes != Modes::UBO {
            return Edit::Keep;
        }
        match deref.kind {
            DerefKind::Var(var) => match self.stored(b.shader, context, var).var {
                Some(stored) => Edit::Replace(b.deref_var(stored)),
                None => Edit::Keep,
            },
            DerefKind::Array { parent, index } if is_stored(b.shader, parent) => {
                let index = self.clamped_index(b, parent, index);
                Edit::Replace(b.deref_array(parent, index))
            }
            DerefKind::Struct { parent, field } if is_stored(b.shader, parent) => {
                Edit::Replace(b.deref_struct(parent, field))
            }
            _ => Edit::Keep,
        }
    }

    /// The replacement of a uniform block, or an empty one if it stays.
    fn stored(&mut self, shader: &mut Shader, context: &Context, var: Var) -> Stored {
        if let Some(known) = self.stored[var] {
            return known;
        }
        let variable = shader.vars[var].clone();
        let placement = context.placements.of_array(variable.driver_location, count(shader, &variable));
        let mut made = Stored::default();
        if placement.class == Class::Storage {
            made.var = element(shader, &variable).map(|element| declare(shader, &variable, element));
            made.words = placement.clamp.then(|| declare(shader, &variable, UINT));
        }
        made.var.into_iter().for_each(|stored| self.stored.set(stored, Some(made)));
        self.stored.set(var, Some(made));
        made
    }

    /// The index of an element, clamped to the length of `array` if that is required and the index is not a constant.
    fn clamped_index(&mut self, b: &mut Builder<'_>, array: Def, index: ArrayIndex) -> ArrayIndex {
        let ArrayIndex::Def(number) = index else { return index };
        let Some(&Deref { kind: DerefKind::Struct { parent: block, .. }, ty, .. }) = b.shader.as_deref(array) else {
            return index;
        };
        let Some((var, of)) = pointed_block(b.shader, block) else { return index };
        let Some(words) = self.stored[var].and_then(|stored| stored.words) else { return index };
        let vector = b.shader.types.element(ty).and_then(|vector| b.shader.types.as_vector(vector));
        let bits = vector.map_or(32, |(scalar, components)| u32::from(scalar.bits) * u32::from(components));
        let length = self.lengths.get_or_make(b, (words, of), |b| {
            let pointer = block_pointer(b, words, of);
            b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]).def()
        });
        // The index of the last element that exists.
        let last = b.iadd_imm(length, u64::from(u32::MAX));
        let last = b.ushr_imm(last, (bits / 32).trailing_zeros());
        let number = b.channel(number, 0);
        ArrayIndex::Def(b.alu(AluOp::umin, &[number, last]))
    }
}

/// Whether `pointer` is a deref of a block that was moved.
fn is_stored(shader: &Shader, pointer: Def) -> bool {
    shader.as_deref(pointer).is_some_and(|pointer| pointer.modes == Modes::SSBO)
}

/// The number of blocks of a variable.
fn count(shader: &Shader, variable: &Variable) -> u32 {
    shader.types.as_array(variable.ty).map_or(1, |(_, count)| count.unwrap_or(u32::MAX))
}

/// The element type of the array in the block.
fn element(shader: &Shader, variable: &Variable) -> Option<Element> {
    let block = shader.types.as_struct(shader.types.without_arrays(variable.ty))?;
    let (vector, _) = shader.types.as_array(block.fields.first()?.ty)?;
    let (scalar, components) = shader.types.as_vector(vector)?;
    Some(Element { bits: scalar.bits, components })
}

/// Declares the storage block with the bytes of a uniform one.
fn declare(shader: &mut Shader, uniform: &Variable, element: Element) -> Var {
    let mut ty = block_type(shader, element, None);
    if let Some((_, count)) = shader.types.as_array(uniform.ty) {
        ty = shader.types.array(ty, count, 0);
    }
    let access = uniform.access | Access::READONLY;
    shader.vars.push(Variable { ty, access, mode: Modes::SSBO, ..uniform.clone() })
}
