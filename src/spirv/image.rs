// SPDX-License-Identifier: MIT

//! Storage images: reads, writes, atomics and queries.
//!
//! NIR's coordinates always have four components; SPIR-V takes as many as the image has dimensions.

use super::atomic::atomic_op;
use super::descriptor::texel_base;
use super::tex::{Given, Operands};
use super::{unsupported, Emit, Result};
use crate::analysis::textures::{Texture, TextureKind};
use crate::ir::{AluSrc, Def, Inst, Swizzle, Var};
use crate::op::meaning::{ImageName, ImageOperation};
use crate::op::{Access, AluType, Base, Index, Intrinsic};
use crate::target::Feature;
use spirv::{Capability, Decoration, ImageOperands, Op, StorageClass};

impl Emit<'_> {
    /// Emits an image intrinsic; `None` if it is one without a result.
    pub(super) fn image(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Result<Option<u32>> {
        use ImageOperation::{Atomic, AtomicSwap, Load, Samples, Size, SparseLoad, Store};
        let image = op.meaning().image.filter(|image| image.name == ImageName::Deref);
        match image.map(|image| image.operation) {
            Some(Load) => self.image_load(inst, Op::ImageRead, srcs).map(Some),
            Some(SparseLoad) => self.image_load(inst, Op::ImageSparseRead, srcs).map(Some),
            Some(Store) => self.image_store(inst, srcs).map(|()| None),
            Some(Atomic | AtomicSwap) => self.image_atomic(inst, srcs).map(Some),
            Some(Size) => self.image_query(inst, Op::ImageQuerySize, srcs[0]).map(Some),
            Some(Samples) => self.image_query(inst, Op::ImageQuerySamples, srcs[0]).map(Some),
            _ => Err(unsupported(op.name())),
        }
    }

    /// The coordinates of a texel: as many components as the image has dimensions.
    fn texel_coordinates(&mut self, texture: &Texture, point: Def) -> Result<u32> {
        let src = AluSrc { def: point, swizzle: Swizzle::IDENTITY };
        let base = self.integer_base(point);
        self.src(&src, texture.coordinates(), base)
    }

    /// The operands of a read or write: the sample, and the operands of the Vulkan memory model (SPIR-V 3.14).
    fn texel_operands(
        &mut self,
        texture: &Texture,
        var: Var,
        sample: Def,
        access: Access,
        make: ImageOperands,
    ) -> Result<Operands> {
        let mut operands = Operands::new();
        if texture.dim.is_multisample() {
            let base = self.integer_base(sample);
            let sample = self.value(sample, base)?;
            operands.add(ImageOperands::SAMPLE, &[sample]);
        }
        let access = access | self.shader.vars[var].access;
        if self.vmm && !texture.dim.is_subpass() {
            if access.contains(Access::COHERENT) {
                let scope = self.memory_scope(StorageClass::Image);
                operands.add(make, &[scope]);
            }
            operands.add(ImageOperands::NON_PRIVATE_TEXEL, &[]);
            if access.contains(Access::VOLATILE) {
                operands.add(ImageOperands::VOLATILE_TEXEL, &[]);
            }
        }
        Ok(operands)
    }

    /// Declares the capability for reads or writes of an image without a format.
    fn format_capability(&mut self, texture: &Texture, var: Var, capability: Capability) {
        if self.shader.vars[var].image_format == 0 && !texture.dim.is_subpass() {
            self.m.capability(capability);
        }
    }

    fn image_load(&mut self, inst: Inst, op: Op, srcs: &[Def]) -> Result<u32> {
        let access = self.access(inst);
        let loaded = self.load_texture(srcs[0], access)?;
        self.note_access(loaded.var, access, true, false);
        self.format_capability(&loaded.texture, loaded.var, Capability::StorageImageReadWithoutFormat);
        let point = self.texel_coordinates(&loaded.texture, srcs[1])?;
        let make = ImageOperands::MAKE_TEXEL_VISIBLE;
        let mut operands = self.texel_operands(&loaded.texture, loaded.var, srcs[2], access, make)?;
        let given = self.read(inst, op, 4, &loaded, &[loaded.id, point], &mut operands)?;
        Ok(self.given_as(inst, given))
    }

    fn image_store(&mut self, inst: Inst, srcs: &[Def]) -> Result<()> {
        let access = self.access(inst);
        let loaded = self.load_texture(srcs[0], access)?;
        self.note_access(loaded.var, access, false, true);
        self.format_capability(&loaded.texture, loaded.var, Capability::StorageImageWriteWithoutFormat);
        let point = self.texel_coordinates(&loaded.texture, srcs[1])?;
        let texel = self.texel(&loaded.texture, srcs[3])?;
        let make = ImageOperands::MAKE_TEXEL_AVAILABLE;
        let mut operands = self.texel_operands(&loaded.texture, loaded.var, srcs[2], access, make)?;
        self.m.code.op2(Op::ImageWrite, &[loaded.id, point, texel], operands.words());
        Ok(())
    }

    /// A value to be written: of the image's type, with four components, which all formats accept.
    fn texel(&mut self, texture: &Texture, value: Def) -> Result<u32> {
        let ty = AluType::new(texel_base(texture), texture.texel.bits);
        let (n, bits) = (self.shader.num_components(value), self.shader.bit_size(value));
        // Missing components are never read.
        let mut swizzle = Swizzle::IDENTITY;
        (usize::from(n)..4).for_each(|c| swizzle.set(c, n - 1));
        let id = self.src(&AluSrc { def: value, swizzle }, 4, ty.base)?;
        if bits == ty.bits {
            return Ok(id);
        }
        let op = match ty.base {
            Base::Float => Op::FConvert,
            Base::Int => Op::SConvert,
            _ => Op::UConvert,
        };
        let wide = self.m.numeric(ty.base, ty.bits, 4);
        Ok(self.m.value(op, wide, &[id]))
    }

    fn image_atomic(&mut self, inst: Inst, srcs: &[Def]) -> Result<u32> {
        let access = self.access(inst);
        let (image, texture, var) = self.image_pointer(srcs[0], access)?;
        self.note_access(var, access, true, true);
        let ty = AluType::new(texel_base(&texture), texture.texel.bits);
        if self.shader.insts[inst].bit_size != ty.bits {
            return Err(unsupported("an atomic of another width than its image's"));
        }
        let point = self.texel_coordinates(&texture, srcs[1])?;
        let sample = match texture.dim.is_multisample() {
            true => self.value(srcs[2], self.integer_base(srcs[2]))?,
            // "must be 0" where there are no samples (SPIR-V, OpImageTexelPointer).
            false => self.m.uint(0),
        };
        let number = self.m.numeric(ty.base, ty.bits, 1);
        let pointer = self.m.pointer(StorageClass::Image, number);
        let texel = self.m.value(Op::ImageTexelPointer, pointer, &[image, point, sample]);
        if self.state.non_uniform.contains(&image) {
            self.decorate_non_uniform(texel);
        }
        let op = atomic_op(self.shader.index(inst, Index::atomic_op), srcs.len() - 3)?;
        self.atomic_capability(op, ty.bits);
        let scope = self.memory_scope(StorageClass::Image);
        let semantics = self.atomic_semantics(access | self.shader.vars[var].access);
        let id = self.atomic(op, (ty.base, number), [texel, scope, semantics], &srcs[3..])?;
        Ok(self.given_as(inst, Given { id, ty, n: 1 }))
    }

    fn image_query(&mut self, inst: Inst, op: Op, pointer: Def) -> Result<u32> {
        let loaded = self.load_texture(pointer, self.access(inst))?;
        let given = self.query(inst, op, &loaded);
        Ok(self.given_as(inst, given))
    }

    /// Decorations of an image that depend on its uses in the code.
    pub(super) fn decorate_image(&mut self, var: Var) {
        let state = self.state.vars[var];
        let Some(id) = state.ids.into_iter().find(|id| *id != 0) else { return };
        // An image with only size queries is not read. Without the feature for reads without a format, this must be explicit
        // (Vulkan, VUID-RuntimeSpirv-apiVersion-07955).
        let is_unknown = self.shader.vars[var].image_format == 0;
        let says_unread = state.written || is_unknown && !self.target.has(Feature::shaderStorageImageReadWithoutFormat);
        let aliased = !state.access.contains(Access::RESTRICT) && self.images_may_alias();
        let mut decorate = |wanted: bool, decoration| {
            if wanted {
                self.m.decorate(id, decoration, &[]);
            }
        };
        // Devices without StorageImageReadWithoutFormat, fragmentStoresAndAtomics, ... require these.
        decorate(!state.written, Decoration::NonWritable);
        decorate(!state.read && says_unread, Decoration::NonReadable);
        decorate(state.access.contains(Access::RESTRICT), Decoration::Restrict);
        decorate(aliased, Decoration::Aliased);
        // The Vulkan memory model has image operands instead (SPIR-V 2.18.3).
        decorate(!self.vmm && state.access.contains(Access::COHERENT), Decoration::Coherent);
        decorate(!self.vmm && state.access.contains(Access::VOLATILE), Decoration::Volatile);
    }

    /// GL may bind one texture to several image units. SPIR-V requires a decoration for variables that alias (SPIR-V 2.18.2). It is
    /// not needed if no image is written.
    fn images_may_alias(&self) -> bool {
        let images = || self.state.vars.memory.iter().filter(|var| self.is_storage_image(**var));
        images().nth(1).is_some() && images().any(|var| self.state.vars[*var].written)
    }

    /// True for variables of storage images; attachments are only read.
    pub(super) fn is_storage_image(&self, var: Var) -> bool {
        Texture::of_var(self.shader, var)
            .is_some_and(|texture| texture.kind == TextureKind::Storage && !texture.dim.is_subpass())
    }
}
