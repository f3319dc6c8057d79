// SPDX-License-Identifier: MIT

//! Texture operations: sampling, fetches, gathers and queries.
//!
//! Three properties select one of sixteen sampling instructions: an explicit level of detail, a comparison, a projector. Sparse
//! reads have eight of their own. All of them, also fetches and gathers, end in the same *image operands*: a mask, and one or two
//! words for each of its bits, lowest first (SPIR-V 3.14).
//!
//! ```text
//! %7 = (float32)txl %5 (texture_deref), %1 (coord), %2 (comparator), %3 (lod)
//!      %7 = OpImageSampleDrefExplicitLod %float %5 %1 %2 Lod %3
//! ```

use super::descriptor::{texel_base, Loaded};
use super::{internal, unsupported, Emit, Result};
use crate::ir::{Def, Inst, Precision, Swizzle, TexData};
use crate::op::{Access, AluType, Base, TexOp, TexSrcKind};
use spirv::{Capability, Decoration, ImageOperands, Op};

/// Image operands under construction. Bits are added from the lowest to the highest, as their words have that order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    mask: ImageOperands,
    words: [u32; 12],
    len: usize,
}

impl Operands {
    pub(super) fn new() -> Operands {
        Operands { mask: ImageOperands::NONE, words: [0; 12], len: 1 }
    }

    pub(super) fn add(&mut self, bit: ImageOperands, ids: &[u32]) {
        debug_assert!(bit.bits() > self.mask.bits());
        self.mask |= bit;
        self.words[self.len..self.len + ids.len()].copy_from_slice(ids);
        self.len += ids.len();
    }

    /// The words after the other operands: none if the mask is empty.
    pub(super) fn words(&mut self) -> &[u32] {
        self.words[0] = self.mask.bits();
        match self.mask.is_empty() {
            true => &[],
            false => &self.words[..self.len],
        }
    }
}

/// The result of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) id: u32,
    pub(super) ty: AluType,
    pub(super) n: u8,
}

/// The sampling instruction for an explicit level, a comparison, a projection and sparse reads.
fn sample_op(explicit: bool, compared: bool, projected: bool, sparse: bool) -> Result<Op> {
    use Op::*;
    let row = match (sparse, projected) {
        (false, false) => {
            [ImageSampleImplicitLod, ImageSampleExplicitLod, ImageSampleDrefImplicitLod, ImageSampleDrefExplicitLod]
        }
        (false, true) => [
            ImageSampleProjImplicitLod,
            ImageSampleProjExplicitLod,
            ImageSampleProjDrefImplicitLod,
            ImageSampleProjDrefExplicitLod,
        ],
        (true, false) => [
            ImageSparseSampleImplicitLod,
            ImageSparseSampleExplicitLod,
            ImageSparseSampleDrefImplicitLod,
            ImageSparseSampleDrefExplicitLod,
        ],
        (true, true) => return Err(internal("a sparse read with a projector")),
    };
    Ok(row[2 * usize::from(compared) + usize::from(explicit)])
}

impl Emit<'_> {
    /// Emits a texture instruction.
    pub(super) fn tex(&mut self, inst: Inst, tex: &TexData) -> Result<u32> {
        let pointer = tex
            .src(TexSrcKind::texture_deref)
            .ok_or_else(|| internal("a texture instruction without a texture deref"))?;
        let access = non_uniform(tex.texture_non_uniform);
        let loaded = self.load_texture(pointer, access)?;
        let given = match tex.op {
            TexOp::tex | TexOp::txb | TexOp::txl | TexOp::txd => self.sample(inst, tex, &loaded)?,
            TexOp::txf | TexOp::txf_ms => self.fetch(inst, tex, &loaded)?,
            TexOp::tg4 => self.gather(inst, tex, &loaded)?,
            TexOp::lod => self.query_lod(tex, &loaded)?,
            TexOp::txs => self.query_size(inst, tex, &loaded)?,
            TexOp::query_levels => self.query(inst, Op::ImageQueryLevels, &loaded),
            TexOp::texture_samples => self.query(inst, Op::ImageQuerySamples, &loaded),
            TexOp::samples_identical => return Err(unsupported("samples_identical")),
        };
        Ok(self.given_as(inst, given))
    }

    /// The source of this kind, with the base type that the operation requires.
    fn number(&mut self, tex: &TexData, kind: TexSrcKind) -> Result<Option<u32>> {
        let Some(def) = tex.src(kind) else { return Ok(None) };
        let base = match kind.base(tex.op) {
            Some(Base::Float) => Base::Float,
            _ => self.integer_base(def),
        };
        self.value(def, base).map(Some)
    }

    /// The signedness that an integer already has, for operations that accept both.
    pub(super) fn integer_base(&self, def: Def) -> Base {
        match self.base(def) {
            Base::Int if !self.is_literal(def) => Base::Int,
            _ => Base::Uint,
        }
    }

    fn sample(&mut self, inst: Inst, tex: &TexData, loaded: &Loaded) -> Result<Given> {
        let sampler = tex.src(TexSrcKind::sampler_deref);
        let id = self.with_sampler(loaded, sampler, non_uniform(tex.sampler_non_uniform))?;
        let compare = self.number(tex, TexSrcKind::comparator)?;
        let projector = tex.src(TexSrcKind::projector);
        let explicit = matches!(tex.op, TexOp::txl | TexOp::txd);
        let op = sample_op(explicit, compare.is_some(), projector.is_some(), tex.is_sparse)?;
        let point = self.point(tex, projector)?;

        let mut operands = Operands::new();
        if let Some(bias) = self.number(tex, TexSrcKind::bias)? {
            operands.add(ImageOperands::BIAS, &[bias]);
        }
        if tex.op == TexOp::txl {
            let lod = self.number(tex, TexSrcKind::lod)?.ok_or_else(|| internal("txl without a lod"))?;
            operands.add(ImageOperands::LOD, &[lod]);
        }
        if let (Some(ddx), Some(ddy)) = (self.number(tex, TexSrcKind::ddx)?, self.number(tex, TexSrcKind::ddy)?) {
            operands.add(ImageOperands::GRAD, &[ddx, ddy]);
        }
        self.add_offset(tex, &mut operands)?;
        if let Some(least) = self.number(tex, TexSrcKind::min_lod)? {
            self.m.capability(Capability::MinLod);
            operands.add(ImageOperands::MIN_LOD, &[least]);
        }
        let n = if compare.is_some() { 1 } else { 4 };
        let first = [id, point, compare.unwrap_or(0)];
        let given = self.read(inst, op, n, loaded, &first[..2 + usize::from(compare.is_some())], &mut operands)?;
        Ok(if compare.is_some() { self.shadow(inst, loaded, given) } else { given })
    }

    /// The coordinates, followed by the projector if there is one.
    fn point(&mut self, tex: &TexData, projector: Option<Def>) -> Result<u32> {
        let def = tex.src(TexSrcKind::coord).ok_or_else(|| internal("no coordinates"))?;
        let point = self.number(tex, TexSrcKind::coord)?.ok_or_else(|| internal("no coordinates"))?;
        let Some(projector) = projector else { return Ok(point) };
        let projector = self.value(projector, Base::Float)?;
        let ty = self.m.numeric(Base::Float, 32, self.shader.num_components(def) + 1);
        Ok(self.pure(Op::CompositeConstruct, ty, &[point, projector]))
    }

    /// An offset: constant if possible, as only gathers accept others, and that is a feature.
    fn add_offset(&mut self, tex: &TexData, operands: &mut Operands) -> Result<()> {
        if let Some(offset) = tex.src(TexSrcKind::offset) {
            if let Some(values) = self.shader.as_const(offset) {
                // ConstOffset requires a constant (SPIR-V, ConstOffset); it is signed, as it may be negative.
                let offset = self.m.constant_vector(Base::Int, self.shader.bit_size(offset), values);
                operands.add(ImageOperands::CONST_OFFSET, &[offset]);
            } else if tex.op == TexOp::tg4 {
                self.m.capability(Capability::ImageGatherExtended);
                let offset = self.value(offset, self.integer_base(offset))?;
                operands.add(ImageOperands::OFFSET, &[offset]);
            } else {
                return Err(unsupported("an offset that is not constant"));
            }
        }
        if let Some(offsets) = tex.offsets {
            self.m.capability(Capability::ImageGatherExtended);
            let parts = offsets.map(|pair| self.m.constant_vector(Base::Int, 32, &pair.map(|x| x as i64 as u64)));
            let pair = self.m.numeric(Base::Int, 32, 2);
            let ty = self.m.array(pair, 4);
            let offsets = self.m.global(Op::ConstantComposite, ty, &parts);
            operands.add(ImageOperands::CONST_OFFSETS, &[offsets]);
        }
        Ok(())
    }

    fn fetch(&mut self, inst: Inst, tex: &TexData, loaded: &Loaded) -> Result<Given> {
        let op = if tex.is_sparse { Op::ImageSparseFetch } else { Op::ImageFetch };
        let image = self.image_of(loaded);
        let point = self.point(tex, None)?;
        let mut operands = Operands::new();
        if loaded.texture.has_levels() {
            if let Some(lod) = self.number(tex, TexSrcKind::lod)? {
                operands.add(ImageOperands::LOD, &[lod]);
            }
        }
        self.add_offset(tex, &mut operands)?;
        if loaded.texture.dim.is_multisample() {
            let sample = match self.number(tex, TexSrcKind::ms_index)? {
                Some(sample) => sample,
                None => self.m.uint(0),
            };
            operands.add(ImageOperands::SAMPLE, &[sample]);
        }
        self.read(inst, op, 4, loaded, &[image, point], &mut operands)
    }

    fn gather(&mut self, inst: Inst, tex: &TexData, loaded: &Loaded) -> Result<Given> {
        let sampler = tex.src(TexSrcKind::sampler_deref);
        let id = self.with_sampler(loaded, sampler, non_uniform(tex.sampler_non_uniform))?;
        let point = self.point(tex, None)?;
        let (op, last) = match self.number(tex, TexSrcKind::comparator)? {
            Some(compare) if tex.is_sparse => (Op::ImageSparseDrefGather, compare),
            Some(compare) => (Op::ImageDrefGather, compare),
            None => {
                let component = self.m.uint(u32::from(tex.component));
                (if tex.is_sparse { Op::ImageSparseGather } else { Op::ImageGather }, component)
            }
        };
        let mut operands = Operands::new();
        self.add_offset(tex, &mut operands)?;
        self.read(inst, op, 4, loaded, &[id, point, last], &mut operands)
    }

    /// A read of `n` numbers: the instruction, and for a sparse one the type of its result.
    pub(super) fn read(
        &mut self,
        inst: Inst,
        op: Op,
        n: u8,
        loaded: &Loaded,
        first: &[u32],
        operands: &mut Operands,
    ) -> Result<Given> {
        let ty = AluType::new(texel_base(&loaded.texture), loaded.texture.texel.bits);
        let texel = self.m.numeric(ty.base, ty.bits, n);
        let sparse = matches!(
            op,
            Op::ImageSparseSampleImplicitLod
                | Op::ImageSparseSampleExplicitLod
                | Op::ImageSparseSampleDrefImplicitLod
                | Op::ImageSparseSampleDrefExplicitLod
                | Op::ImageSparseFetch
                | Op::ImageSparseGather
                | Op::ImageSparseDrefGather
                | Op::ImageSparseRead
        );
        let result = if sparse {
            self.m.capability(Capability::SparseResidency);
            let code = self.m.numeric(Base::Uint, 32, 1);
            self.m.global_type(Op::TypeStruct, &[code, texel])
        } else {
            texel
        };
        let mut id = self.m.id();
        let mut words = [0; 5];
        words[..2].copy_from_slice(&[result, id]);
        words[2..2 + first.len()].copy_from_slice(first);
        self.m.code.op2(op, &words[..2 + first.len()], operands.words());
        let half = self.shader.insts[inst].bit_size == 16;
        if half || matches!(self.shader.vars[loaded.var].precision, Precision::Medium | Precision::Low) {
            self.m.decorate(id, Decoration::RelaxedPrecision, &[]);
        }
        if sparse {
            self.state.sparse_reads.insert(inst.def(), id);
            id = self.m.value(Op::CompositeExtract, texel, &[id, 1]);
        }
        Ok(Given { id, ty, n })
    }

    fn query_lod(&mut self, tex: &TexData, loaded: &Loaded) -> Result<Given> {
        self.m.capability(Capability::ImageQuery);
        let sampler = tex.src(TexSrcKind::sampler_deref);
        let id = self.with_sampler(loaded, sampler, non_uniform(tex.sampler_non_uniform))?;
        let point = self.point(tex, None)?;
        let ty = self.m.numeric(Base::Float, 32, 2);
        Ok(Given { id: self.m.value(Op::ImageQueryLod, ty, &[id, point]), ty: AluType::new(Base::Float, 32), n: 2 })
    }

    fn query_size(&mut self, inst: Inst, tex: &TexData, loaded: &Loaded) -> Result<Given> {
        if !loaded.texture.has_levels() {
            return Ok(self.query(inst, Op::ImageQuerySize, loaded));
        }
        let lod = match self.number(tex, TexSrcKind::lod)? {
            Some(lod) => lod,
            None => self.m.uint(0),
        };
        Ok(self.query_with(inst, Op::ImageQuerySizeLod, loaded, &[lod]))
    }

    /// A query of a texture or image with integer results.
    pub(super) fn query(&mut self, inst: Inst, op: Op, loaded: &Loaded) -> Given {
        self.query_with(inst, op, loaded, &[])
    }

    fn query_with(&mut self, inst: Inst, op: Op, loaded: &Loaded, more: &[u32]) -> Given {
        self.m.capability(Capability::ImageQuery);
        let image = self.image_of(loaded);
        let n = match op {
            Op::ImageQuerySize | Op::ImageQuerySizeLod => loaded.texture.dim.extents() + u8::from(loaded.texture.array),
            _ => 1,
        };
        let base = match self.base(inst.def()) {
            Base::Uint => Base::Uint,
            _ => Base::Int,
        };
        let ty = self.m.numeric(base, 32, n);
        let operands = [image, more.first().copied().unwrap_or(0)];
        Given { id: self.pure(op, ty, &operands[..1 + more.len()]), ty: AluType::new(base, 32), n }
    }

    /// Converts the result of an instruction to NIR's result: one number splat over all components or the needed components, with
    /// NIR's width, and with the base type that its users need.
    pub(super) fn given_as(&mut self, inst: Inst, given: Given) -> u32 {
        let data = self.shader.insts[inst];
        let Given { mut id, ty, n } = given;
        let swizzle = if n == 1 { Swizzle::splat(0) } else { Swizzle::IDENTITY };
        if n > 1 && data.num_components > n {
            id = self.pad(given, data.num_components);
        } else {
            id = self.swizzled(id, ty.base, ty.bits, n, swizzle, data.num_components);
        }
        if data.bit_size != ty.bits {
            let op = match ty.base {
                Base::Float => Op::FConvert,
                Base::Int => Op::SConvert,
                _ => Op::UConvert,
            };
            let narrow = self.m.numeric(ty.base, data.bit_size, data.num_components);
            id = self.m.value(op, narrow, &[id]);
        }
        let base = self.base(inst.def());
        if base == ty.base {
            return id;
        }
        let wanted = self.type_as(inst.def(), base);
        self.m.value(Op::Bitcast, wanted, &[id])
    }

    /// Extends a vector with ones: the extents of missing dimensions.
    fn pad(&mut self, given: Given, n: u8) -> u32 {
        let one = self.m.constant(given.ty.base, given.ty.bits, super::constants::one(given.ty.base, given.ty.bits));
        let ty = self.m.numeric(given.ty.base, given.ty.bits, n);
        let parts = [given.id, one, one, one];
        self.pure(Op::CompositeConstruct, ty, &parts[..1 + usize::from(n - given.n).min(3)])
    }

    /// The residency code of a sparse read.
    pub(super) fn residency_code(&mut self, texels: Def) -> Result<u32> {
        let read = self.state.sparse_reads.get(&texels).copied();
        let read = read.ok_or_else(|| internal(format!("{texels} has no residency code")))?;
        let uint = self.m.numeric(Base::Uint, 32, 1);
        Ok(self.pure(Op::CompositeExtract, uint, &[read, 0]))
    }

    /// Whether a residency code means that all texels are resident.
    pub(super) fn is_resident(&mut self, inst: Inst, code: Def) -> Result<u32> {
        self.m.capability(Capability::SparseResidency);
        let code = self.value(code, Base::Uint)?;
        let ty = self.m.numeric(Base::Bool, 1, 1);
        let id = self.m.value(Op::ImageSparseTexelsResident, ty, &[code]);
        let bits = self.shader.insts[inst].bit_size;
        if bits == 1 {
            return Ok(id);
        }
        let base = self.base(inst.def());
        let (yes, no) = (self.m.constant(base, bits, u64::MAX), self.m.constant(base, bits, 0));
        let ty = self.m.numeric(base, bits, 1);
        Ok(self.m.value(Op::Select, ty, &[id, yes, no]))
    }
}

fn non_uniform(flag: bool) -> Access {
    if flag {
        Access::NON_UNIFORM
    } else {
        Access::empty()
    }
}
