//! Loads from uniform blocks by byte offset become loads through access chains.
//!
//! **What.** `load_ubo` and `load_ubo_vec4` become a load through a block variable `struct { uvec4 base[N]; }` with up
//! to three indices: member 0, the vec4 (`offset >> 4`), the lane (`offset >> 2 & 3`); see `lanes`.
//!
//! **Why.** Logical SPIR-V has no byte addresses: a load goes through OpAccessChain with typed indices. And an array in
//! a uniform block has a stride that is a multiple of 16, unless the device has an optional layout feature (Vulkan,
//! "Offset and Stride Assignment"), so `uvec4`, not `uint`, is the element.
//!
//! Where all block indices are constants there is one variable per block, whose N is the block's size: drivers promote
//! such blocks to registers. If any index is dynamic, the blocks that it may name become one array of blocks. Block 0
//! of a shader with `first_ubo_is_default_ubo` holds GL's loose uniforms, which no index reaches; it stays apart.
//!
//! A whole vec4 is loaded where several of its lanes are wanted anywhere in the shader: the loads are then equal, and
//! [`cse`](super::cse) leaves one. Nothing can write a uniform block meanwhile.
//!
//! Before:
//!
//! ```text
//! 32     %0 = load_const (0x00000000)
//! 32     %1 = load_const (0x00000014)
//! 32x2   %2 = @load_ubo (%0 (0x0), %1 (0x14)) (access=none, align_mul=1073741824, align_offset=20, range_base=0, range=32)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %2 = deref_var &ubo0 (ubo block)
//! 32    %3 = deref_struct &%2->base (ubo uvec4[2])  // &ubo0.base
//! 32    %4 = deref_array &(*%3)[1] (ubo uvec4)  // &ubo0.base[1]
//! 32x4  %5 = @load_deref (%4) (access=none)
//! 32x2  %6 = mov %5.yz
//! ```

use super::blocks::{block_type, vec4s, BasePointers, UVEC4};
use super::lanes::{self, Address, Others, Vec4Offset, Vec4s, Whole};
use super::{BufferAccess, Context, Forms, Pass};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader, TypeData, Var, Variable};
use crate::op::names::push_number;
use crate::op::{Access, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_ubo",
    about: "loads from uniform blocks by byte offset become access chains",
    removes: Forms::UBO_OFFSETS,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    if !shader.inventory().has_any(&[Intrinsic::load_ubo, Intrinsic::load_ubo_vec4]) {
        return false;
    }
    shader.with_spare(|shader, memory| lower(shader, context, memory))
}

/// What the pass allocates.
#[derive(Default)]
struct Memory {
    survey: Survey,
    blocks: Blocks,
    bases: BasePointers,
    vec4s: Vec4s,
}

fn lower(shader: &mut Shader, context: &Context, Memory { survey, blocks, bases, vec4s }: &mut Memory) -> bool {
    survey.look_at(shader, &context.target);
    if survey.loads == 0 {
        return false;
    }
    survey.declare(shader, &context.target, blocks);
    let whole = match context.buffer_access {
        BufferAccess::Lane => Whole::Never,
        BufferAccess::Auto => Whole::Always,
    };
    bases.clear();
    vec4s.clear();
    rewrite(shader, |b, inst| match UboLoad::new(b.shader, inst) {
        Some(load) => Edit::Replace(load.lower(b, blocks, (bases, vec4s), survey, whole)),
        None => Edit::Keep,
    })
}

/// A load, in either of its forms.
struct UboLoad {
    inst: Inst,
    block: Def,
    offset: Def,
    /// `load_ubo_vec4`: the offset counts vec4s, from this byte of one.
    vec4_start: Option<u32>,
}

impl UboLoad {
    fn new(shader: &Shader, inst: Inst) -> Option<UboLoad> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let vec4_start = match op {
            Intrinsic::load_ubo => None,
            Intrinsic::load_ubo_vec4 => {
                let component = shader.index(inst, Index::component);
                Some(component * u32::from(shader.insts[inst].bit_size) / 8 % 16)
            }
            _ => return None,
        };
        Some(UboLoad { inst, block: srcs[0], offset: srcs[1], vec4_start })
    }

    /// The constant block index; `None` if it is dynamic.
    fn const_block(&self, shader: &Shader) -> Option<u32> {
        shader.as_const_scalar(self.block).map(|block| block as u32)
    }

    fn size(&self, shader: &Shader) -> (u8, u8) {
        (shader.insts[self.inst].num_components, shader.insts[self.inst].bit_size)
    }

    fn bytes(&self, shader: &Shader) -> u32 {
        let (components, bits) = self.size(shader);
        u32::from(components) * u32::from(bits) / 8
    }

    /// The offset, if its remainder modulo 16 is known. Offsets in vec4s are `None` unless constant.
    fn vec4_offset(&self, shader: &Shader) -> Option<Vec4Offset> {
        if let Some(start) = self.vec4_start {
            let index = shader.as_const_scalar(self.offset)? as u32;
            let index = index.wrapping_add(shader.index(self.inst, Index::base));
            return Some(Vec4Offset { dynamic: None, constant: index.wrapping_mul(16).wrapping_add(start) });
        }
        let (mul, rem) = (shader.index(self.inst, Index::align_mul), shader.index(self.inst, Index::align_offset));
        Vec4Offset::new(shader, self.offset, mul, rem)
    }

    fn address(&self, b: &mut Builder<'_>) -> Address {
        if let Some(byte) = self.vec4_start {
            if let Some(Vec4Offset { constant, .. }) = self.vec4_offset(b.shader) {
                return Address::Static { byte: constant };
            }
            let base = b.shader.index(self.inst, Index::base);
            return Address::Vec4 { index: b.iadd_imm(self.offset, u64::from(base)), byte };
        }
        let (mul, rem) = (b.shader.index(self.inst, Index::align_mul), b.shader.index(self.inst, Index::align_offset));
        Address::new(b, self.offset, mul, rem)
    }

    /// One past the last byte that may be read, if that is known.
    fn end(&self, shader: &Shader) -> Option<u32> {
        let bytes = self.bytes(shader);
        if let Some(Vec4Offset { dynamic: None, constant }) = self.vec4_offset(shader) {
            return constant.checked_add(bytes);
        }
        if self.vec4_start.is_some() {
            return None;
        }
        let range = shader.index(self.inst, Index::range);
        let end = shader.index(self.inst, Index::range_base).checked_add(range)?;
        (range != 0 && range != u32::MAX).then_some(end)
    }

    fn lower(
        &self,
        b: &mut Builder<'_>,
        blocks: &Blocks,
        (bases, vec4s): (&mut BasePointers, &mut Vec4s),
        survey: &Survey,
        whole: Whole,
    ) -> Def {
        let size = self.size(b.shader);
        let Some((var, index)) = blocks.find(b, self) else {
            return b.constant(size.1, &[0; 16][..usize::from(size.0)]);
        };
        let access = b.shader.index(self.inst, Index::access);
        let wanted = self.vec4_offset(b.shader).map(|offset| (self.const_block(b.shader), offset));
        let address = self.address(b);
        let base = bases.get(b, var, index);
        let len = blocks.len(var);
        let memory = lanes::Memory { base, access, whole, len, shared: false, in_pairs: false, at_address: false };
        let lanes = |vec4| wanted.map_or(0, |(block, offset)| survey.lanes_of(block, offset, 16 * vec4));
        lanes::load(b, &memory, address, size, Others { lanes, vec4s: Some(vec4s) })
    }
}

/// What the loads of a shader want, found before any of them is lowered.
#[derive(Default)]
struct Survey {
    loads: u32,
    /// Of each block with a constant index: one past the last byte read, `None` if unknown.
    ends: FxHashMap<u32, Option<u32>>,
    /// These, in order.
    indices: Vec<u32>,
    /// Some load has a dynamic block index.
    dynamic: bool,
    /// One past the last byte that any load through a dynamic index reads, `None` if unknown.
    dynamic_end: Option<u32>,
    /// Lanes wanted of each vec4.
    lanes: FxHashMap<(Option<u32>, Vec4Offset), u8>,
}

impl Survey {
    /// Forgets the last shader, and finds what there is to find in this one.
    fn look_at(&mut self, shader: &Shader, target: &Target) {
        self.loads = 0;
        self.ends.clear();
        (self.dynamic, self.dynamic_end) = (false, Some(0));
        self.lanes.clear();
        for inst in &shader.order {
            if let Some(load) = UboLoad::new(shader, *inst) {
                self.add(shader, target, &load);
            }
        }
    }

    fn add(&mut self, shader: &Shader, target: &Target, load: &UboLoad) {
        self.loads += 1;
        let end = load.end(shader).filter(|end| *end <= target.max_uniform_buffer_range);
        let block = load.const_block(shader);
        let known = match block {
            Some(block) => self.ends.entry(block).or_insert(Some(0)),
            None => {
                self.dynamic = true;
                &mut self.dynamic_end
            }
        };
        *known = known.zip(end).map(|(a, b)| a.max(b));
        if let Some(offset) = load.vec4_offset(shader) {
            for dword in 0..(load.bytes(shader) + offset.constant % 4).div_ceil(4) {
                let (vec4, lane) = offset.lane(dword);
                *self.lanes.entry((block, vec4)).or_default() |= 1 << lane;
            }
        }
    }

    /// Lanes wanted of the vec4 that is `ahead` bytes behind the one of `offset`.
    fn lanes_of(&self, block: Option<u32>, offset: Vec4Offset, ahead: u32) -> u8 {
        // Two dynamic indices may name different blocks, so their lanes are not counted together.
        let Some(block) = block else { return 0 };
        let vec4 = Vec4Offset { constant: (offset.constant & !15).wrapping_add(ahead), ..offset };
        self.lanes.get(&(Some(block), vec4)).copied().unwrap_or(0)
    }

    /// Declares the block variables: `blocks`, instead of those of the last shader.
    fn declare(&mut self, shader: &mut Shader, target: &Target, blocks: &mut Blocks) {
        blocks.clear(u32::from(shader.info.first_ubo_is_default_ubo));
        self.indices.clear();
        self.indices.extend(self.ends.keys());
        self.indices.sort_unstable();
        let indices = &self.indices;
        if self.dynamic {
            let array = indices.iter().copied().filter(|index| *index >= blocks.first);
            let count = array.clone().map(|index| index.saturating_add(1)).max().unwrap_or(0).max(shader.info.num_ubos);
            let count = count.saturating_sub(blocks.first).max(1);
            let ends = array.map(|index| self.ends[&index]).chain([self.dynamic_end]);
            let end = ends.reduce(|a, b| a.zip(b).map(|(a, b)| a.max(b))).flatten();
            let var = blocks.declare(shader, target, "ubos", blocks.first, end);
            let block = shader.vars[var].ty;
            shader.vars[var].ty = shader.types.array(block, Some(count), 0);
            blocks.array = Some((var, count));
        }
        for index in indices.iter().copied() {
            if blocks.array.is_none() || index < blocks.first {
                let declared = declared_size(shader, index);
                let end = self.ends[&index].map_or(declared, |end| Some(declared.map_or(end, |size| size.max(end))));
                blocks.declare_one(shader, target, index, end);
            }
        }
    }
}

/// Bytes of block `index` if its declaration says: GL's loose uniforms are declared as `vec4[n]`.
fn declared_size(shader: &Shader, index: u32) -> Option<u32> {
    let declared = |v: &Variable| v.mode == Modes::UBO && v.driver_location == index && index == 0;
    let uniforms = shader.vars.values().find(|v| declared(v) && shader.strings[v.name].starts_with("uniform_0"))?;
    match shader.types.get(uniforms.ty) {
        TypeData::Array { len: Some(len), .. } => len.checked_mul(16),
        _ => None,
    }
}

/// The block variables of a shader.
#[derive(Default)]
struct Blocks {
    /// The first block that a dynamic index may name.
    first: u32,
    /// Blocks from `first` on as one variable, and how many.
    array: Option<(Var, u32)>,
    /// Blocks that have a variable of their own.
    single: FxHashMap<u32, Var>,
    /// Number of vec4s of each.
    lens: FxHashMap<Var, u32>,
    /// Memory for a name.
    name: String,
}

impl Blocks {
    /// Forgets the blocks of the last shader.
    fn clear(&mut self, first: u32) {
        (self.first, self.array) = (first, None);
        self.single.clear();
        self.lens.clear();
    }

    /// Declares block `index` as a variable of its own.
    fn declare_one(&mut self, shader: &mut Shader, target: &Target, index: u32, end: Option<u32>) {
        let mut name = std::mem::take(&mut self.name);
        name.clear();
        name.push_str("ubo");
        push_number(&mut name, index);
        let var = self.declare(shader, target, &name, index, end);
        self.single.insert(index, var);
        self.name = name;
    }

    fn declare(&mut self, shader: &mut Shader, target: &Target, name: &str, index: u32, end: Option<u32>) -> Var {
        let len = vec4s(end.unwrap_or(target.max_uniform_buffer_range));
        let ty = block_type(shader, UVEC4, Some(len));
        let is_default = shader.info.first_ubo_is_default_ubo && index == 0;
        let descriptor = if is_default { Descriptor::DefaultUniforms } else { Descriptor::UniformBuffer };
        let var = shader.vars.push(Variable {
            driver_location: index,
            binding: index,
            descriptor_set: Some(target.descriptor_set(descriptor)),
            access: Access::READONLY,
            ..Variable::new(shader.strings.add(name), ty, Modes::UBO)
        });
        self.lens.insert(var, len);
        var
    }

    fn len(&self, var: Var) -> Option<u32> {
        self.lens.get(&var).copied()
    }

    /// The variable that holds the block of `load`, and which of its blocks. `None` for a constant index that names none.
    fn find(&self, b: &mut Builder<'_>, load: &UboLoad) -> Option<(Var, Option<ArrayIndex>)> {
        let block = load.const_block(b.shader);
        if let Some(var) = block.and_then(|block| self.single.get(&block)) {
            return Some((*var, None));
        }
        let (var, count) = self.array?;
        let index = match block {
            Some(block) => {
                let index = block.checked_sub(self.first).filter(|index| *index < count)?;
                ArrayIndex::Imm(i64::from(index))
            }
            None => {
                let scalar = b.channel(load.block, 0);
                ArrayIndex::Def(b.iadd_imm(scalar, u64::from(self.first.wrapping_neg())))
            }
        };
        Some((var, Some(index)))
    }
}
