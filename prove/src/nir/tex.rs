// SPDX-License-Identifier: MIT

//! Textures and images.

use super::deref::Memory;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::{Arena, Term};
use crate::world::{self, Choices, Space, Texel};
use ntv::analysis::textures::{variables_at, Name, Texture};
use ntv::ir::{Def, Inst, InstKind, Shader, TexData, Type, TypeData, Var};
use ntv::op::meaning::{ImageName, ImageOperation};
use ntv::op::names::{unpack_alu_type, ImageDim};
use ntv::op::{AluOp, Base, Index, Intrinsic, Modes, TexOp, TexSrcKind};
use ntv::target::{bindless_binding, Descriptor, BINDLESS_HANDLES};
use spirv::Dim;

/// A descriptor: set, binding, and the element in an array.
type Opaque = (u32, u32, Option<Term>);

/// The name of the shape of a texture or image, by the dimension that SPIR-V has for it.
fn shape(dim: ImageDim, is_array: bool) -> String {
    let of_module = match dim {
        ImageDim::dim_1d => Dim::Dim1D,
        ImageDim::dim_3d => Dim::Dim3D,
        ImageDim::cube => Dim::DimCube,
        ImageDim::buf => Dim::DimBuffer,
        ImageDim::subpass | ImageDim::subpass_ms => Dim::DimSubpassData,
        _ => Dim::Dim2D,
    };
    world::shape(of_module, is_array, matches!(dim, ImageDim::ms | ImageDim::subpass_ms))
}

impl Nir<'_> {
    /// The dimension of a type of a texture or image, and whether it has layers.
    fn opaque_shape(&self, ty: Type) -> Option<(ImageDim, bool)> {
        let types = &self.shader.types;
        match types.get(types.without_arrays(ty)) {
            TypeData::Texture { dim, array, .. } | TypeData::Image { dim, array, .. } => Some((dim, array)),
            _ => None,
        }
    }

    /// The descriptor at a deref.
    fn opaque(&self, machine: &mut Machine<'_>, inst: Inst, def: Def) -> Step<(Var, Opaque)> {
        let pointer = self.accessed(machine, inst, def)?;
        let Memory::Opaque { element } = pointer.memory else {
            return self.unsupported(inst, "a deref that is not of a texture or image");
        };
        let var = self.variable_of(inst, pointer)?;
        let variable = &self.shader.vars[var];
        let is_attachment = self.opaque_shape(variable.ty).is_some_and(|(dim, _)| dim.is_subpass());
        let length = self.shader.types.as_array(variable.ty).and_then(|(_, length)| length);
        let kind = match variable.mode {
            _ if length == Some(BINDLESS_HANDLES) => Descriptor::Bindless,
            _ if is_attachment => Descriptor::DefaultUniforms,
            Modes::IMAGE => Descriptor::Image,
            _ => Descriptor::Texture,
        };
        let set = variable.descriptor_set.unwrap_or_else(|| self.target.descriptor_set(kind));
        Ok((var, (set, variable.binding, element)))
    }

    /// The texture with a number: the variable that has it.
    fn texture_by_number(&self, machine: &mut Machine<'_>, number: u32) -> Option<(Var, Opaque)> {
        let shader = self.shader;
        let set = self.target.descriptor_set(Descriptor::Texture);
        let is_texture = |var: Var| self.opaque_shape(shader.vars[var].ty).is_some();
        let holds = |var: Var| {
            let first = u64::from(shader.vars[var].binding);
            (first..first + elements_of(shader, var)).contains(&number.into())
        };
        let var = shader
            .vars
            .ids()
            .find(|var| shader.vars[*var].mode == Modes::UNIFORM && is_texture(*var) && holds(*var))?;
        let first = shader.vars[var].binding;
        let is_array = shader.types.as_array(shader.vars[var].ty).is_some();
        let element = is_array.then(|| machine.arena.constant(32, (number - first).into()));
        Some((var, (set, first, element)))
    }

    /// The texture that an instruction reads, its dimension, whether it has layers, and the name of its shape.
    fn texture_of(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        tex: &TexData,
    ) -> Step<(Opaque, (ImageDim, bool), String)> {
        let handle = tex.src(TexSrcKind::texture_handle);
        if let Some(handle) = handle.filter(|handle| self.shader.as_deref(*handle).is_none()) {
            let Some(dim) = self.dimension_of_handle(inst, tex) else {
                return self.unsupported(inst, "a bindless texture of an unknown dimension");
            };
            let place = self.descriptor_of_handle(machine, handle, (false, dim));
            return Ok((place, (dim, false), world::BINDLESS.into()));
        }
        let offset = tex.src(TexSrcKind::texture_offset).map(|offset| self.scalar(machine, offset));
        // After zink's lowering, a handle is a deref.
        let texture = match tex.src(TexSrcKind::texture_deref).or(handle) {
            Some(deref) => Some(self.opaque(machine, inst, deref)?),
            None => self.texture_by_number(machine, tex.texture_index),
        };
        let Some((var, (set, binding, element))) = texture else {
            let Some(dim) = self.dimension_of_handle(inst, tex) else {
                return self.unsupported(inst, "a texture of an unknown dimension");
            };
            let place = self.unit_without_variable(machine, tex.texture_index, offset);
            return Ok((place, (dim, false), shape(dim, false)));
        };
        let element = match (element, offset) {
            (Some(element), Some(offset)) => Some(machine.arena.add(element, offset)),
            (element, None) => element,
            (None, Some(_)) => return self.unsupported(inst, "an offset of a texture that is in no array"),
        };
        let Some((dim, is_array)) = self.opaque_shape(self.shader.vars[var].ty) else {
            return self.unsupported(inst, "a texture of an unknown type");
        };
        let shape = if self.is_bindless(var) { world::BINDLESS.into() } else { shape(dim, is_array) };
        Ok(((set, binding, element), (dim, is_array), shape))
    }

    /// A unit that has no variable: a binding of its own, or an element of the array of all units from one on to which an offset is added.
    fn unit_without_variable(&self, machine: &mut Machine<'_>, unit: u32, offset: Option<Term>) -> Opaque {
        let set = self.target.descriptor_set(Descriptor::Texture);
        let first = |inst: &Inst| match self.shader.insts[*inst].kind {
            InstKind::Tex(tex) => match Name::of_texture(self.shader, &self.shader.texs[tex]) {
                Name::Unit(first, Some(_)) if first <= unit => Some(first),
                _ => None,
            },
            _ => None,
        };
        let Some(first) = self.shader.order.iter().filter_map(first).min() else { return (set, unit, None) };
        let element = machine.arena.constant(32, (unit - first).into());
        let element = offset.map_or(element, |offset| machine.arena.add(element, offset));
        (set, first, Some(element))
    }

    /// Whether a variable is the array of all bindless textures or images.
    fn is_bindless(&self, var: Var) -> bool {
        let array = self.shader.types.as_array(self.shader.vars[var].ty);
        array.is_some_and(|(_, length)| length == Some(BINDLESS_HANDLES))
    }

    /// The dimension of a texture without a variable, as far as the coordinates or the result of a query tell: a handle and a unit have none.
    fn dimension_of_handle(&self, inst: Inst, tex: &TexData) -> Option<ImageDim> {
        let count = match tex.src(TexSrcKind::coord) {
            Some(coord) => self.shader.num_components(coord),
            None => self.shader.insts[inst].num_components,
        };
        let has_level = tex.src(TexSrcKind::lod).is_some();
        Some(match (tex.op, count) {
            (TexOp::txf_ms, 2) => ImageDim::ms,
            (TexOp::txf, 1) if !has_level => ImageDim::buf,
            (_, 1) => ImageDim::dim_1d,
            (_, 2) => ImageDim::dim_2d,
            (_, 3) => ImageDim::dim_3d,
            _ => return None,
        })
    }

    /// The descriptor of a handle: its low word is the element in the array of all textures or images.
    fn descriptor_of_handle(
        &mut self,
        machine: &mut Machine<'_>,
        handle: Def,
        (is_storage, dim): (bool, ImageDim),
    ) -> Opaque {
        let handle = self.scalar(machine, handle);
        let element = machine.arena.trunc(handle, 32);
        self.limit_index(machine, element, BINDLESS_HANDLES.into());
        let set = self.target.descriptor_set(Descriptor::Bindless);
        (set, bindless_binding(is_storage, dim == ImageDim::buf), Some(element))
    }

    /// Runs a texture instruction.
    pub(super) fn tex(&mut self, machine: &mut Machine<'_>, inst: Inst, tex: &TexData) -> Step<()> {
        let data = self.shader.insts[inst];
        let (texture, (dim, is_array), shape) = self.texture_of(machine, inst, tex)?;
        if tex.src(TexSrcKind::plane).is_some() {
            return self.unsupported(inst, "a texture instruction with these operands");
        }
        let operation = match tex.op {
            TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd => "sample".to_owned(),
            TexOp::txf | TexOp::txf_ms => "fetch".to_owned(),
            TexOp::tg4 => format!("gather {}", tex.component),
            TexOp::txs => "query size".to_owned(),
            TexOp::query_levels => "query levels".to_owned(),
            TexOp::texture_samples => "query samples".to_owned(),
            TexOp::lod => "query lod".to_owned(),
            TexOp::samples_identical => return self.unsupported(inst, "a query of identical samples"),
        };
        if tex.op == TexOp::lod && !self.shader.info.has_implicit_lod() {
            let zeros = vec![machine.arena.constant(data.bit_size, 0); data.num_components.into()];
            self.set(machine, inst, zeros);
            return Ok(());
        }
        let operands = self.tex_operands(machine, tex, (dim, is_array));
        // The result of a comparison is one number, which all components have.
        let is_comparison = tex.src(TexSrcKind::comparator).is_some() && tex.op != TexOp::tg4;
        let sampler = match tex.op.fetches() || tex.op.is_query() && tex.op != TexOp::lod {
            true => None,
            false => self.separate_sampler(machine, inst, tex)?,
        };
        let texel = Texel { operation, shape, texture, sampler, operands };
        let has_code = tex.joins_residency(data.num_components);
        let of_texel = usize::from(data.num_components) - usize::from(has_code);
        let count = if is_comparison { 1 } else { of_texel };
        let wide = data.bit_size.max(32);
        let code = tex.is_sparse.then(|| texel.clone().residency(machine.arena, dim.coordinates().into()));
        let terms = texel.components(machine.arena, &vec![wide; count], dim.coordinates().into());
        let base = tex.dest_type.base;
        let mut terms: Vec<Term> =
            terms.into_iter().map(|term| narrowed(machine.arena, term, data.bit_size, base)).collect();
        terms.resize(of_texel, terms[0]);
        self.add_code(machine, inst, &mut terms, code);
        self.set(machine, inst, terms);
        Ok(())
    }

    /// Appends a residency code to the components of a texel, or keeps it if the result has none.
    fn add_code(&mut self, machine: &mut Machine<'_>, inst: Inst, terms: &mut Vec<Term>, code: Option<Term>) {
        let Some(code) = code else { return };
        let data = self.shader.insts[inst];
        match terms.len() < usize::from(data.num_components) {
            true => terms.push(narrowed(machine.arena, code, data.bit_size, Base::Uint)),
            false => drop(self.residencies.insert(inst.def(), code)),
        }
    }

    /// The sampler, if it is a variable of its own.
    fn separate_sampler(&self, machine: &mut Machine<'_>, inst: Inst, tex: &TexData) -> Step<Option<Opaque>> {
        let Some(def) = tex.src(TexSrcKind::sampler_deref) else { return Ok(None) };
        let (var, sampler) = self.opaque(machine, inst, def)?;
        Ok(self.opaque_shape(self.shader.vars[var].ty).is_none().then_some(sampler))
    }

    /// The operands with their names, as [`Texel`] has them.
    fn tex_operands(
        &self,
        machine: &mut Machine<'_>,
        tex: &TexData,
        (dim, is_array): (ImageDim, bool),
    ) -> Vec<(&'static str, Vec<Term>)> {
        use TexSrcKind::{sampler_handle, sampler_offset, texture_handle, texture_offset};
        let mut operands = Vec::new();
        let dimensions = usize::from(dim.coordinates());
        for (kind, def) in tex.srcs.iter() {
            let Some(base) = kind.base(tex.op) else { continue };
            let names_texture = [texture_offset, texture_handle, sampler_offset, sampler_handle].contains(kind);
            if names_texture || *kind == TexSrcKind::lod && tex.op == TexOp::query_levels {
                continue;
            }
            let mut terms = self.scalars(machine, *def);
            let zero = machine.arena.constant(machine.arena.width(terms[0]), 0);
            let count = match kind {
                TexSrcKind::coord => dimensions + usize::from(is_array && tex.op != TexOp::lod),
                TexSrcKind::offset | TexSrcKind::ddx | TexSrcKind::ddy => dimensions,
                _ => 1,
            };
            terms.resize(count, zero);
            let terms = terms.into_iter().map(|term| widened(machine.arena, term, base)).collect();
            operands.push((kind.name(), terms));
        }
        if let Some(offsets) = tex.offsets {
            let number = |it: i8| machine.arena.constant(32, it as u64);
            operands.push(("offsets", offsets.as_flattened().iter().copied().map(number).collect()));
        }
        // Without derivatives, the level of detail is 0, or the bias.
        if tex.op.has_implicit_lod() && !self.shader.info.has_implicit_lod() {
            match operands.iter_mut().find(|operand| operand.0 == "bias") {
                Some(bias) => bias.0 = "lod",
                None => operands.push(("lod", vec![machine.arena.constant(32, 0)])),
            }
        }
        // A fetch or a query without a level is of level 0; some textures have no levels.
        if matches!(tex.op, TexOp::txf | TexOp::txs) {
            let has_levels = !matches!(dim, ImageDim::buf | ImageDim::ms);
            match (has_levels, operands.iter().any(|operand| operand.0 == "lod")) {
                (true, false) => operands.push(("lod", vec![machine.arena.constant(32, 0)])),
                (false, true) => operands.retain(|operand| operand.0 != "lod"),
                _ => {}
            }
        }
        operands
    }

    /// The storage image that an intrinsic accesses, its dimension, whether it has layers, and the number of elements of its array.
    fn image_of(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        name: ImageName,
        image: Def,
    ) -> Step<(Opaque, (ImageDim, bool), u64)> {
        Ok(match name {
            ImageName::Deref => {
                let (var, place) = self.opaque(machine, inst, image)?;
                let Some(shape) = self.opaque_shape(self.shader.vars[var].ty) else {
                    return self.unsupported(inst, "an image of an unknown type");
                };
                (place, shape, elements_of(self.shader, var))
            }
            ImageName::Handle => {
                let said = Texture::of_image(self.shader, inst);
                let place = self.descriptor_of_handle(machine, image, (true, said.dim));
                (place, (said.dim, said.array), BINDLESS_HANDLES.into())
            }
            ImageName::Unit => {
                let Some(unit) = self.shader.as_const_scalar(image) else {
                    return self.unsupported(inst, "an image of a unit that is not constant");
                };
                let said = Texture::said_of_image(self.shader, inst);
                let known = variables_at(self.shader, true, unit as u32).next();
                let Some((var, element)) = known else {
                    let set = self.target.descriptor_set(Descriptor::Image);
                    return Ok(((set, unit as u32, None), (said.dim, said.array), 1));
                };
                let variable = &self.shader.vars[var];
                let set = variable.descriptor_set.unwrap_or_else(|| self.target.descriptor_set(Descriptor::Image));
                let is_array = self.shader.types.as_array(variable.ty).is_some();
                let element = is_array.then(|| machine.arena.constant(32, element.into()));
                let shape = self.opaque_shape(variable.ty).unwrap_or((said.dim, said.array));
                ((set, variable.binding, element), shape, elements_of(self.shader, var))
            }
        })
    }

    /// Runs an operation on a storage image.
    pub(super) fn image(&mut self, machine: &mut Machine<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Step<()> {
        let Some(access) = op.meaning().image else { return self.unsupported(inst, "not an image") };
        let (place, (dim, is_array), length) = self.image_of(machine, inst, access.name, srcs[0])?;
        let (set, binding, element) = place;
        let is_bindless = length == u64::from(BINDLESS_HANDLES);
        let shape = shape(dim, is_array);
        let data = self.shader.insts[inst];
        if access.operation.is_query() {
            let operation = if access.operation == ImageOperation::Samples { "query samples" } else { "query size" };
            let texture = (set, binding, element);
            let texel = Texel { operation: operation.into(), shape, texture, sampler: None, operands: Vec::new() };
            self.query_image(machine, inst, texel, dim.extents() + u8::from(is_array));
            return Ok(());
        }
        // The face of a cube is in its layer.
        let count = usize::from(dim.coordinates()) + usize::from(is_array && dim != ImageDim::cube);
        let mut place = self.scalars(machine, srcs[1]);
        place.truncate(count);
        if matches!(dim, ImageDim::ms | ImageDim::subpass_ms) {
            place.push(self.scalar(machine, srcs[2]));
        }
        let place: Vec<Term> = place.into_iter().map(|term| widened(machine.arena, term, Base::Int)).collect();
        let wide = data.bit_size.max(32);
        if dim.is_subpass() && access.operation == ImageOperation::Load {
            let operands = vec![("coord", place[..count].to_vec()), ("ms_index", place[count..].to_vec())];
            let operands = operands.into_iter().filter(|operand| !operand.1.is_empty()).collect();
            let texture = (set, binding, element);
            let texel = Texel { operation: "fetch".into(), shape, texture, sampler: None, operands };
            let terms = texel.components(machine.arena, &vec![wide; data.num_components.into()], count);
            self.set_texel(machine, inst, terms);
            return Ok(());
        }
        let element = element.unwrap_or_else(|| machine.arena.constant(32, 0));
        let space = |number| Space::Image(set, binding, number);
        let choices = match is_bindless {
            true => Some(vec![(None, space(world::ALL_ELEMENTS))]),
            false => world::choices(machine.arena, element, Some(length), space),
        };
        let Some(choices) = choices else {
            return self.unsupported(inst, "an image of a large array by an index that is not constant");
        };
        let place = if is_bindless { [&[element], &place[..]].concat() } else { place };
        match access.operation {
            ImageOperation::Load | ImageOperation::SparseLoad => {
                let is_sparse = access.operation == ImageOperation::SparseLoad;
                self.load_texels(machine, inst, is_sparse, (&choices, &shape, &place));
            }
            ImageOperation::Store => {
                let base = unpack_alu_type(self.shader.index(inst, Index::src_type)).base;
                let texel = self.scalars(machine, srcs[3]);
                let mut texel: Vec<Term> = texel.into_iter().map(|term| widened(machine.arena, term, base)).collect();
                texel.resize(4, machine.arena.undefined(machine.arena.width(texel[0])));
                world::change_chosen(machine, &choices, |machine, space| {
                    world::store_texel(machine, (space, &shape), &place, &texel);
                });
            }
            ImageOperation::Atomic | ImageOperation::AtomicSwap => {
                let operands = srcs.get(3..).unwrap_or_default();
                let args: Vec<Term> = operands.iter().flat_map(|src| self.scalars(machine, *src)).collect();
                let name = self.atomic_name(inst);
                let result = world::of_chosen(machine, &choices, None, |machine, space| {
                    world::texel_atomic(machine, (space, &*shape), &name, &place, &args, data.bit_size)
                });
                self.set(machine, inst, result.into_iter().collect());
            }
            _ => return self.unsupported(inst, "an operation on an image of this kind"),
        }
        Ok(())
    }

    /// Loads a texel of an image that is chosen, and its residency code if it is a sparse read.
    fn load_texels(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        is_sparse: bool,
        (choices, shape, place): (&Choices, &str, &[Term]),
    ) {
        let data = self.shader.insts[inst];
        let wide = data.bit_size.max(32);
        let mut terms = Vec::new();
        // A sparse one has four components, and maybe the code.
        let count = if is_sparse { data.num_components.min(4) } else { data.num_components };
        for c in 0..count {
            terms.extend(world::of_chosen(machine, choices, None, |machine, space| {
                world::load_texel(machine, (space, shape), place, wide, c.into())
            }));
        }
        let mut code = None;
        if is_sparse {
            code = world::of_chosen(machine, choices, None, |machine, space| {
                world::residency_of_texel(machine, (space, shape), place)
            });
        }
        self.add_code(machine, inst, &mut terms, code);
        self.set_texel(machine, inst, terms);
    }

    /// Runs an operation on residency codes; false if it is another one.
    pub(super) fn residency(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        op: Intrinsic,
        srcs: &[Def],
    ) -> Step<bool> {
        let result = match op {
            Intrinsic::is_sparse_texels_resident | Intrinsic::is_sparse_resident_zink => {
                let code = self.scalars(machine, srcs[0]);
                let resident = world::is_resident(machine.arena, code[code.len() - 1]);
                machine.arena.sext(resident, self.shader.insts[inst].bit_size)
            }
            // Of two codes, it is one that is not resident, if there is one.
            Intrinsic::sparse_residency_code_and => {
                let [x, y] = [srcs[0], srcs[1]].map(|code| self.scalar(machine, code));
                let first = world::is_resident(machine.arena, x);
                machine.arena.ite(first, y, x)
            }
            Intrinsic::sparse_residency_code => match self.residencies.get(&srcs[0]) {
                Some(code) => *code,
                None => return self.unsupported(inst, "the residency code of what is not read"),
            },
            _ => return Ok(false),
        };
        self.set(machine, inst, vec![result]);
        Ok(true)
    }

    /// Runs a query of so many components. NIR leaves more of them open.
    fn query_image(&self, machine: &mut Machine<'_>, inst: Inst, texel: Texel, components: u8) {
        let data = self.shader.insts[inst];
        let widths = vec![data.bit_size; data.num_components.min(components).into()];
        let mut terms = texel.components(machine.arena, &widths, 0);
        terms.resize(data.num_components.into(), machine.arena.undefined(data.bit_size));
        self.set(machine, inst, terms);
    }

    /// Sets the result of a load from an image, whose type the instruction has.
    fn set_texel(&self, machine: &mut Machine<'_>, inst: Inst, terms: Vec<Term>) {
        let base = unpack_alu_type(self.shader.index(inst, Index::dest_type)).base;
        let width = self.shader.insts[inst].bit_size;
        let terms = terms.into_iter().map(|term| narrowed(machine.arena, term, width, base)).collect();
        self.set(machine, inst, terms);
    }
}

/// The number of elements of an array of textures or images, of any depth.
fn elements_of(shader: &Shader, var: Var) -> u64 {
    let (mut ty, mut count) = (shader.vars[var].ty, 1);
    while let Some((element, length)) = shader.types.as_array(ty) {
        (ty, count) = (element, u64::from(length.unwrap_or(1)).saturating_mul(count));
    }
    count
}

/// A number of 16 bits as one of 32, as SPIR-V's instructions have them.
pub(super) fn widened(arena: &mut Arena, term: Term, base: Base) -> Term {
    match (arena.width(term), base) {
        (16, Base::Float) => arena.scalar(AluOp::f2f32, 32, &[term]),
        (16, Base::Uint) => arena.zext(term, 32),
        (16, _) => arena.sext(term, 32),
        _ => term,
    }
}

/// A component of 32 bits as one of `width` bits.
pub(super) fn narrowed(arena: &mut Arena, term: Term, width: u8, base: Base) -> Term {
    match (width, base) {
        (16, Base::Float) => arena.scalar(AluOp::f2f16, 16, &[term]),
        (16, _) => arena.trunc(term, 16),
        _ => term,
    }
}
