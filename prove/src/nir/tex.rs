// SPDX-License-Identifier: MIT

//! Textures and images.

use super::deref::Memory;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::term::Term;
use crate::world::{self, Space, Texel};
use ntv::ir::{Def, Inst, TexData, Type, TypeData, Var};
use ntv::op::meaning::{ImageName, ImageOperation};
use ntv::op::names::ImageDim;
use ntv::op::{Intrinsic, Modes, TexOp, TexSrcKind};
use ntv::target::Descriptor;
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
    fn opaque(&self, inst: Inst, def: Def) -> Step<(Var, Opaque)> {
        let pointer = self.pointer(inst, def)?;
        let Memory::Opaque { element } = pointer.memory else {
            return self.unsupported(inst, "a deref that is not of a texture or image");
        };
        let variable = &self.shader.vars[pointer.var];
        let kind = if variable.mode == Modes::IMAGE { Descriptor::Image } else { Descriptor::Texture };
        let set = variable.descriptor_set.unwrap_or_else(|| self.target.descriptor_set(kind));
        Ok((pointer.var, (set, variable.binding, element)))
    }

    /// The texture with a number: the variable that has it.
    fn texture_by_number(&self, machine: &mut Machine<'_>, number: u32) -> Option<(Var, Opaque)> {
        let shader = self.shader;
        let set = self.target.descriptor_set(Descriptor::Texture);
        let is_texture = |var: Var| self.opaque_shape(shader.vars[var].ty).is_some();
        let count = |var: Var| shader.types.as_array(shader.vars[var].ty).and_then(|(_, len)| len);
        let holds = |var: Var| {
            let first = shader.vars[var].binding;
            (first..first + count(var).unwrap_or(1)).contains(&number)
        };
        let var = shader
            .vars
            .ids()
            .find(|var| shader.vars[*var].mode == Modes::UNIFORM && is_texture(*var) && holds(*var))?;
        let first = shader.vars[var].binding;
        let element = count(var).map(|_| machine.arena.constant(32, (number - first).into()));
        Some((var, (set, first, element)))
    }

    /// Runs a texture instruction.
    pub(super) fn tex(&mut self, machine: &mut Machine<'_>, inst: Inst, tex: &TexData) -> Step<()> {
        let data = self.shader.insts[inst];
        let deref = tex.src(TexSrcKind::texture_deref);
        let texture = match deref {
            Some(deref) => Some(self.opaque(inst, deref)?),
            None => self.texture_by_number(machine, tex.texture_index),
        };
        let Some((var, texture)) = texture else { return self.unsupported(inst, "a texture without a variable") };
        let Some((dim, is_array)) = self.opaque_shape(self.shader.vars[var].ty) else {
            return self.unsupported(inst, "a texture of an unknown type");
        };
        let others = [TexSrcKind::texture_handle, TexSrcKind::texture_offset, TexSrcKind::plane];
        if others.iter().any(|kind| tex.src(*kind).is_some()) || tex.is_sparse || tex.offsets.is_some() {
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
        let mut operands = Vec::new();
        for (kind, def) in tex.srcs.iter() {
            let of_descriptor = [TexSrcKind::texture_deref, TexSrcKind::sampler_deref, TexSrcKind::sampler_offset];
            if of_descriptor.contains(kind) {
                continue;
            }
            if *kind == TexSrcKind::lod && tex.op == TexOp::query_levels {
                continue;
            }
            let mut terms = self.scalars(machine, *def);
            let dimensions = usize::from(dim.coordinates());
            match kind {
                TexSrcKind::coord => {
                    let layer = usize::from(is_array && tex.op != TexOp::lod);
                    terms.truncate(dimensions + layer);
                }
                TexSrcKind::offset | TexSrcKind::ddx | TexSrcKind::ddy => terms.truncate(dimensions),
                _ => {}
            }
            operands.push((kind.name(), terms));
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
        // The result of a comparison is one number, which all components have.
        let is_comparison = tex.src(TexSrcKind::comparator).is_some() && tex.op != TexOp::tg4;
        let texel = Texel { operation, shape: shape(dim, is_array), texture, sampler: None, operands };
        let terms = (0..data.num_components)
            .map(|c| texel.component(machine.arena, data.bit_size, if is_comparison { 0 } else { c.into() }))
            .collect();
        self.set(machine, inst, terms);
        Ok(())
    }

    /// Runs an operation on a storage image.
    pub(super) fn image(&mut self, machine: &mut Machine<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Step<()> {
        let Some(access) = op.meaning().image else { return self.unsupported(inst, "not an image") };
        if access.name != ImageName::Deref {
            return self.unsupported(inst, "an image without a deref");
        }
        let (var, (set, binding, element)) = self.opaque(inst, srcs[0])?;
        let Some((dim, is_array)) = self.opaque_shape(self.shader.vars[var].ty) else {
            return self.unsupported(inst, "an image of an unknown type");
        };
        let shape = shape(dim, is_array);
        let data = self.shader.insts[inst];
        if access.operation.is_query() {
            let operation = match access.operation {
                ImageOperation::Samples => "query samples",
                _ => "query size",
            };
            let texture = (set, binding, element);
            let texel = Texel { operation: operation.into(), shape, texture, sampler: None, operands: Vec::new() };
            let terms =
                (0..data.num_components).map(|c| texel.component(machine.arena, data.bit_size, c.into())).collect();
            self.set(machine, inst, terms);
            return Ok(());
        }
        let Some(number) = element.map_or(Some(0), |element| machine.arena.as_const(element)) else {
            return self.unsupported(inst, "an image of an array by an index that is not constant");
        };
        let space = Space::Image(set, binding, number as u32);
        let image = (space, &*shape);
        // The face of a cube is in its layer.
        let count = usize::from(dim.coordinates()) + usize::from(is_array && dim != ImageDim::cube);
        let mut place = self.scalars(machine, srcs[1]);
        place.truncate(count);
        if dim == ImageDim::ms {
            place.push(self.scalar(machine, srcs[2]));
        }
        match access.operation {
            ImageOperation::Load => {
                let terms = (0..data.num_components)
                    .map(|c| world::load_texel(machine, image, &place, data.bit_size, c.into()))
                    .collect();
                self.set(machine, inst, terms);
            }
            ImageOperation::Store => {
                let texel = self.scalars(machine, srcs[3]);
                world::store_texel(machine, image, &place, &texel);
            }
            ImageOperation::Atomic | ImageOperation::AtomicSwap => {
                let operands = srcs.get(3..).unwrap_or_default();
                let args: Vec<Term> = operands.iter().flat_map(|src| self.scalars(machine, *src)).collect();
                let name = self.atomic_name(inst);
                let result = world::texel_atomic(machine, image, &name, &place, &args, data.bit_size);
                self.set(machine, inst, vec![result]);
            }
            _ => return self.unsupported(inst, "an operation on an image of this kind"),
        }
        Ok(())
    }
}
