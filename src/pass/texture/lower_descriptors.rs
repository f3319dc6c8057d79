// SPDX-License-Identifier: MIT

//! Textures and images are accessed by derefs into flat arrays.
//!
//! **What.** A texture instruction or image intrinsic that identifies its texture by the number of a unit or by a handle gets a
//! deref of a variable, or of an element of an array. A deref into an array of arrays becomes one into a single array.
//!
//! **Why.** SPIR-V loads a texture through a pointer to a variable, and a Vulkan binding is one texture or one array of them
//! (Vulkan 15.5.3, "DescriptorSet and Binding Assignment").
//!
//! A unit belongs to the variable whose bindings cover it. If no variable does, one is made, whose type is guessed from the
//! coordinates: a dump does not have it. A handle is an index into an array of [`BINDLESS_HANDLES`] descriptors; its type is
//! that of a declared variable that is compatible, because the handle was made from one.
//!
//! Before:
//!
//! ```text
//! 32x4   %3 = (float32)txl %2 (texture_offset), %2 (sampler_offset), %1 (coord), %0 (lod), 0 (texture), 0 (sampler)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %3 = deref_var &tex (uniform sampler2D[4])
//! 32    %4 = deref_array &(*%3)[%2] (uniform sampler2D)  // &tex[%2]
//! 32x4  %5 = (float32)txl %4 (texture_deref), %1 (0.500000, 0.500000) (coord), %0 (0.000000) (lod), 0 (sampler)
//! ```

use super::textures;
use crate::analysis::textures::{elements, image_texel, is_separate_sampler, variables_at};
use crate::analysis::textures::{Name, Texture, TextureKind};
use crate::entity::Id;
use crate::ir::{
    rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Shader, Tex, TexData, Type, Var, Variable,
};
use crate::op::meaning::ImageName;
use crate::op::names::{format_base, scalar_format, ImageDim};
use crate::op::{AluOp, Facts, Index, Intrinsic, Modes, TexSrcKind};
use crate::pass::{Context, Pass};
use crate::target::{bindless_binding, Descriptor, Target, BINDLESS_HANDLES};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_descriptors",
    about: "accesses textures and images by derefs into flat arrays",
    facts: Facts::TEXTURES.union(Facts::IMAGES),
    removes: Facts::UNNAMED_TEXTURES,
    is_tidy: true,
    run,
    ..Pass::IDLE
};

/// The maximum number of sources, and of indices, of one of them.
const MOST_SRCS: usize = 6;
const MOST_INDICES: usize = 6;

/// Sources that a deref of the texture replaces.
const UNNAMED: &[TexSrcKind] = {
    use TexSrcKind::*;
    &[texture_handle, texture_offset, sampler_handle, sampler_offset, sampler_deref]
};

/// The image intrinsic that takes a deref instead of a unit or handle, and whether `op` takes a handle.
fn by_pointer(op: Intrinsic) -> Option<(Intrinsic, bool)> {
    let image = op.meaning().image.filter(|image| image.name != ImageName::Deref)?;
    Some((Intrinsic::on_image(image.operation, ImageName::Deref)?, image.name == ImageName::Handle))
}

fn run(shader: &mut Shader, context: &Context) -> bool {
    if !may_change_images(shader) && shader.texs.values().all(|tex| is_flat(shader, tex)) {
        // The common case: no instruction to insert.
        for tex in shader.texs.ids() {
            if let Name::Pointer(pointer) = Name::of_texture(shader, &shader.texs[tex]) {
                let sampler = separate_sampler(shader, &shader.texs[tex]);
                set_pointers(&mut shader.texs[tex], pointer, sampler);
            }
        }
        if textures::uses_images(shader) {
            settle_formats(shader);
        }
        return false;
    }
    shader.with_spare(|shader, others: &mut Others| {
        others.clear();
        let mut names = Names { target: &context.target, declared: shader.vars.len(), others };
        names.guess_units(shader);
        let changed = rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
            InstKind::Tex(tex) => {
                names.texture(b, inst, tex);
                Edit::Keep
            }
            InstKind::Intrinsic { op, .. } => names.image(b, inst, op),
            _ => Edit::Keep,
        });
        settle_formats(shader);
        changed
    })
}

/// Whether an image may be identified other than by a deref into a flat array or of a single image.
fn may_change_images(shader: &Shader) -> bool {
    textures::uses_unnamed_images(shader)
        || textures::uses_images(shader) && shader.vars.ids().any(|var| is_nested(shader, var))
}

/// Whether `tex` identifies its texture by a deref into a flat array or of a single texture, and also its sampler if it has a
/// deref.
fn is_flat(shader: &Shader, tex: &TexData) -> bool {
    let is_flat = |name| match name {
        Name::Pointer(pointer) => !shader.deref_var(pointer).is_some_and(|var| is_nested(shader, var)),
        _ => false,
    };
    is_flat(Name::of_texture(shader, tex))
        && (tex.src(TexSrcKind::sampler_deref).is_none() || is_flat(Name::of_sampler(shader, tex)))
}

/// The deref of the sampler of `tex`, if it is not that of its texture.
fn separate_sampler(shader: &Shader, tex: &TexData) -> Option<Def> {
    match Name::of_sampler(shader, tex) {
        Name::Pointer(sampler) if tex.op.samples() && is_separate_sampler(shader, sampler) => Some(sampler),
        _ => None,
    }
}

/// Makes `tex` identify its texture and its sampler only by these derefs.
fn set_pointers(tex: &mut TexData, pointer: Def, sampler: Option<Def>) {
    tex.srcs.retain(|kind| !UNNAMED.contains(&kind));
    (tex.texture_index, tex.sampler_index) = (0, 0);
    match tex.srcs.iter_mut().find(|(kind, _)| *kind == TexSrcKind::texture_deref) {
        Some(src) => src.1 = pointer,
        None => tex.srcs.insert(0, TexSrcKind::texture_deref, pointer),
    }
    sampler.into_iter().for_each(|sampler| tex.set_src(TexSrcKind::sampler_deref, sampler));
}

/// The variables for units and handles.
struct Names<'a> {
    target: &'a Target,
    /// The number of variables that the shader declares itself. Those after them were made for undeclared units.
    declared: usize,
    others: &'a mut Others,
}

/// Arrays of bindless descriptors, and flat copies of arrays of arrays.
type Others = FxHashMap<Key, Var>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    /// Descriptors of this type and format.
    Bindless(Type, u32),
    /// The elements of this array of arrays.
    Flat(Var),
}

impl Names<'_> {
    /// Makes variables for undeclared texture units. Coordinates provide more information than queries, so they are examined
    /// first.
    fn guess_units(&mut self, shader: &mut Shader) {
        for with_coordinates in [true, false] {
            for at in 0..shader.order.len() {
                let InstKind::Tex(id) = shader.insts[shader.order[at]].kind else { continue };
                let tex = &shader.texs[id];
                let Name::Unit(unit, offset) = Name::of_texture(shader, tex) else { continue };
                let has_coordinates = tex.src(TexSrcKind::coord).is_some();
                let inst = shader.order[at];
                if has_coordinates == with_coordinates && self.texture_at(shader, inst, tex, unit).is_none() {
                    let texture = textures::guess(shader, inst, tex);
                    self.make_unit(shader, texture, unit, offset.is_some());
                }
            }
        }
    }

    /// Makes a variable for `unit`, and for all units after it if the unit is the first of a dynamic range.
    fn make_unit(&mut self, shader: &mut Shader, texture: Texture, unit: u32, indexed: bool) -> Var {
        let storage = texture.kind == TextureKind::Storage;
        let known = if storage { shader.info.num_images } else { shader.info.num_textures };
        let mut ty = texture.ty(&mut shader.types);
        if indexed {
            let len = known.checked_sub(unit).filter(|len| *len > 0).unwrap_or(MAX_UNITS);
            ty = shader.types.array(ty, Some(len), 0);
        }
        let (name, mode) = if storage { ("image", Modes::IMAGE) } else { ("texture", Modes::UNIFORM) };
        let name = shader.strings.format(format_args!("{name}{unit}"));
        shader.vars.push(Variable { driver_location: unit, binding: unit, ..Variable::new(name, ty, mode) })
    }

    /// The variable, and the element in it, for texture unit `unit` where `inst` reads it.
    fn texture_at(&self, shader: &Shader, inst: Inst, tex: &TexData, unit: u32) -> Option<(Var, u32)> {
        let made = |fits: &dyn Fn(Texture) -> bool| {
            let mut made = self.units_at(shader, false, unit).filter(|(var, _)| var.index() >= self.declared);
            made.find(|(var, _)| Texture::of_var(shader, *var).is_some_and(fits))
        };
        let declared = self.units_at(shader, false, unit).next().filter(|(var, _)| var.index() < self.declared);
        declared
            .or_else(|| made(&|texture| textures::suits(shader, tex, &texture)))
            .or_else(|| made(&|texture| texture == textures::guess(shader, inst, tex)))
    }

    /// The variables, and the elements in them, that may be unit `unit`, except variables that were made for other identifiers.
    fn units_at<'s>(&'s self, shader: &'s Shader, storage: bool, unit: u32) -> impl Iterator<Item = (Var, u32)> + 's {
        variables_at(shader, storage, unit).filter(|(var, _)| !self.others.values().any(|other| other == var))
    }

    /// Makes `tex` identify its texture by a deref, and its sampler if the texture has none.
    fn texture(&mut self, b: &mut Builder<'_>, inst: Inst, id: Tex) {
        let pointer = match Name::of_texture(b.shader, &b.shader.texs[id]) {
            Name::Pointer(pointer) => self.flat(b, pointer),
            Name::Unit(unit, added) => self.unit(b, inst, id, unit, added),
            Name::Handle(handle) => {
                let texture = textures::of_handle(b.shader, inst, &b.shader.texs[id]);
                self.handle(b, texture, 0, handle)
            }
        };
        let sampler = separate_sampler(b.shader, &b.shader.texs[id]).map(|sampler| self.flat(b, sampler));
        set_pointers(&mut b.shader.texs[id], pointer, sampler);
    }

    /// Makes an image intrinsic identify its image by a deref.
    fn image(&mut self, b: &mut Builder<'_>, inst: Inst, op: Intrinsic) -> Edit {
        let InstKind::Intrinsic { srcs: slice, .. } = b.shader.insts[inst].kind else { return Edit::Keep };
        let Some((new_op, by_handle)) = by_pointer(op) else {
            let is_image = op.info().index_slot(Index::image_dim).is_some();
            if let Some(pointer) = b.shader.srcs[slice].first().copied().filter(|_| is_image) {
                let flat = self.flat(b, pointer);
                b.shader.srcs[slice][0] = flat;
            }
            return Edit::Keep;
        };
        let image = b.shader.srcs[slice][0];
        let texture = Texture::said_of_image(b.shader, inst);
        let pointer = match by_handle {
            true => {
                let format = textures::format_of_handle(b.shader, inst, texture);
                self.handle(b, texture, format, image)
            }
            false => self.image_unit(b, inst, texture, image),
        };
        let (mut srcs, count) = ([pointer; MOST_SRCS], slice.len());
        srcs[1..count].copy_from_slice(&b.shader.srcs[slice][1..]);
        let mut indices = [(Index::format, 0); MOST_INDICES];
        for (to, index) in indices.iter_mut().zip(new_op.info().indices) {
            *to = (*index, b.shader.index(inst, *index));
        }
        let data = b.shader.insts[inst];
        let new = b.intrinsic_with(new_op, data.num_components, data.bit_size, &srcs[..count], &indices);
        if data.has_def() {
            Edit::Replace(new.def())
        } else {
            Edit::Remove
        }
    }

    /// A deref of texture unit `unit`, plus `offset`.
    fn unit(&mut self, b: &mut Builder<'_>, inst: Inst, tex: Tex, unit: u32, offset: Option<Def>) -> Def {
        let Some((var, element)) = self.texture_at(b.shader, inst, &b.shader.texs[tex], unit) else {
            // Not reached: a variable was guessed for every undeclared unit.
            return b.undef(1, 32);
        };
        let index = match offset {
            None => ArrayIndex::Imm(element.into()),
            Some(offset) => ArrayIndex::Def(b.iadd_imm(offset, element.into())),
        };
        self.element(b, var, index)
    }

    /// A deref of the image at `unit`, which may be dynamic and then starts from `range_base`.
    fn image_unit(&mut self, b: &mut Builder<'_>, inst: Inst, texture: Texture, unit: Def) -> Def {
        let constant = b.shader.as_const_scalar(unit).map(|unit| unit as u32);
        let first = constant.unwrap_or_else(|| b.shader.index(inst, Index::range_base));
        let fits = |var: &Var| {
            let declared = Texture::of_var(b.shader, *var);
            declared.is_some_and(|declared| textures::suits_image(b.shader, inst, &declared, &texture))
        };
        let known = self.units_at(b.shader, true, first).find(|(var, _)| fits(var));
        let (var, element) = match known {
            Some(found) => found,
            None => {
                let var = self.make_unit(b.shader, texture, first, constant.is_none());
                b.shader.vars[var].image_format = b.shader.index(inst, Index::format);
                (var, 0)
            }
        };
        let index = match constant {
            Some(_) => ArrayIndex::Imm(element.into()),
            None => ArrayIndex::Def(b.iadd_imm(unit, u64::from(element.wrapping_sub(first)))),
        };
        self.element(b, var, index)
    }

    /// A deref of the descriptor for `handle`.
    fn handle(&mut self, b: &mut Builder<'_>, texture: Texture, format: u32, handle: Def) -> Def {
        let var = self.bindless(b.shader, texture, format);
        let handle = b.channel(handle, 0);
        let index =
            if b.shader.bit_size(handle) == 64 { b.alu(AluOp::unpack_64_2x32_split_x, &[handle]) } else { handle };
        let pointer = b.deref_var(var);
        b.deref_array(pointer, ArrayIndex::Def(index))
    }

    fn bindless(&mut self, shader: &mut Shader, texture: Texture, format: u32) -> Var {
        let ty = texture.ty(&mut shader.types);
        if let Some(var) = self.others.get(&Key::Bindless(ty, format)) {
            return *var;
        }
        let storage = texture.kind == TextureKind::Storage;
        let binding = bindless_binding(storage, texture.dim == ImageDim::buf);
        let [texel, kind, dim, array, shadow] = shader.types.opaque_name(ty);
        let name = shader.strings.format(format_args!("bindless_{texel}{kind}{dim}{array}{shadow}"));
        let array = shader.types.array(ty, Some(BINDLESS_HANDLES), 0);
        let var = shader.vars.push(Variable {
            driver_location: binding,
            binding,
            descriptor_set: Some(self.target.descriptor_set(Descriptor::Bindless)),
            image_format: format,
            ..Variable::new(name, array, if storage { Modes::IMAGE } else { Modes::UNIFORM })
        });
        self.others.insert(Key::Bindless(ty, format), var);
        var
    }

    /// `pointer`, or a deref into a flat array if it is one into an array of arrays.
    fn flat(&mut self, b: &mut Builder<'_>, pointer: Def) -> Def {
        let Some(var) = b.shader.deref_var(pointer).filter(|var| is_nested(b.shader, *var)) else { return pointer };
        let Some(index) = flat_index(b, pointer) else { return pointer };
        self.element(b, var, index)
    }

    /// A deref of element `index` of `var`, counting those of inner arrays.
    fn element(&mut self, b: &mut Builder<'_>, var: Var, index: ArrayIndex) -> Def {
        let var = if is_nested(b.shader, var) { self.flat_copy(b.shader, var) } else { var };
        let pointer = b.deref_var(var);
        match b.shader.types.as_array(b.shader.vars[var].ty) {
            None => pointer,
            Some(_) => b.deref_array(pointer, index),
        }
    }

    /// The variable that has the elements of `var` in one array.
    fn flat_copy(&mut self, shader: &mut Shader, var: Var) -> Var {
        *self.others.entry(Key::Flat(var)).or_insert_with(|| {
            let mut flat = shader.vars[var].clone();
            let len = elements(&shader.types, flat.ty);
            let elem = shader.types.without_arrays(flat.ty);
            flat.ty = shader.types.array(elem, Some(len), 0);
            shader.vars.push(flat)
        })
    }
}

/// The maximum number of texture or image units of a stage in GL.
const MAX_UNITS: u32 = 32;

fn is_nested(shader: &Shader, var: Var) -> bool {
    let outer = shader.types.as_array(shader.vars[var].ty);
    outer.is_some_and(|(elem, _)| shader.types.as_array(elem).is_some())
}

/// The index into a flat array that corresponds to the indices of `pointer`.
fn flat_index(b: &mut Builder<'_>, mut pointer: Def) -> Option<ArrayIndex> {
    let mut constant = 0u32;
    let mut dynamic: Option<Def> = None;
    loop {
        let deref = *b.shader.as_deref(pointer)?;
        let (parent, index) = match deref.kind {
            DerefKind::Var(_) => break,
            DerefKind::Array { parent, index } => (parent, index),
            _ => return None,
        };
        let scale = elements(&b.shader.types, deref.ty);
        match index {
            ArrayIndex::Imm(index) => constant = constant.wrapping_add((index as u32).wrapping_mul(scale)),
            ArrayIndex::Def(index) => {
                let scale = b.imm(b.shader.bit_size(index), scale.into());
                let term = b.alu(AluOp::imul, &[index, scale]);
                dynamic = Some(dynamic.map_or(term, |sum| b.iadd(sum, term)));
            }
        }
        pointer = parent;
    }
    Some(match dynamic {
        None => ArrayIndex::Imm(constant.into()),
        Some(dynamic) => ArrayIndex::Def(b.iadd_imm(dynamic, constant.into())),
    })
}

/// Gives images the formats that Vulkan requires: for each image one of numbers of its own type, and any format for atomics
/// (VUID-StandaloneSpirv-OpImageTexelPointer-04658).
fn settle_formats(shader: &mut Shader) {
    for at in 0..shader.order.len() {
        let inst = shader.order[at];
        let Some((op, srcs)) = shader.as_intrinsic(inst) else { continue };
        let is_atomic = matches!(op, Intrinsic::image_deref_atomic | Intrinsic::image_deref_atomic_swap);
        if op.info().index_slot(Index::image_dim).is_none() {
            continue;
        }
        let Some(var) = srcs.first().and_then(|pointer| shader.deref_var(*pointer)) else { continue };
        let texel = image_texel(shader, inst);
        let format = shader.vars[var].image_format;
        if format_base(format).is_some_and(|base| base != texel.base) {
            shader.vars[var].image_format = 0;
        }
        if is_atomic {
            shader.vars[var].image_format = scalar_format(texel);
        }
    }
}
