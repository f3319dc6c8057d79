// SPDX-License-Identifier: MIT

//! Turns accesses to storage blocks by byte offset into accesses through access chains.
//!
//! **What.** `load_ssbo`, `store_ssbo`, `ssbo_atomic` and `ssbo_atomic_swap` access a block variable `struct { uvec4 base[]; }`
//! with three indices, see `byte_access`; `get_ssbo_size` becomes the length of a `uint base[]` at the same binding, times 4.
//!
//! **Why.** Logical SPIR-V has no byte addresses. The size of a buffer is queried in units of 4 bytes, the smallest that GL can
//! bind, because OpArrayLength rounds down.
//!
//! A whole vec4 is loaded or stored only if the access covers its last lane, because the size of a buffer need not be a
//! multiple of 16.
//!
//! There is one variable per block index if all indices are constants. Otherwise, or with the directive `storage_blocks=array`,
//! there is one array of blocks. Bytes and 16-bit values that do not fill lanes use a `uint8_t base[]` or `uint16_t base[]` at
//! the same binding, if the target supports it (`storageBuffer8BitAccess`, `storageBuffer16BitAccess`). Otherwise they are
//! written by clearing and setting bits of their lane atomically: other invocations may write the other bytes of the lane.
//! 64-bit atomics, for which lanes are too small, use a `uint64_t base[]`, and loads and stores of 64 bits with them.
//!
//! If all accesses of the shader are to single lanes, or an access is to an unknown lane of a vec4, the binding is declared as
//! `uint base[]`: no code is needed to find the lane, and some compilers of GPUs merge such accesses better
//! (`docs/spirv-shapes.md`). It is also declared as `uvec4 base[]` if that serves accesses to several lanes at once. Variables that
//! alias the same bytes, some of which are written, are Aliased (SPIR-V 2.18.2).
//!
//! Before:
//!
//! ```text
//! @store_ssbo (%2, %0 (0x0), %1 (0x18)) (wrmask=x, access=none, align_mul=1073741824, align_offset=24)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var ssbo INTERP_MODE_NONE none block ssbo0@32 (~0, 0, 0)  // ntv: set=3 { uint[] base offset=0 stride=4 }
//! ...
//! 32    %3 = deref_var &ssbo0@32 (ssbo block)
//! 32    %4 = deref_struct &%3->base (ssbo uint[])  // &ssbo0@32.base
//! 32    %5 = deref_array &(*%4)[6] (ssbo uint)  // &ssbo0@32.base[6]
//! @store_deref (%5, %2) (wrmask=x, access=none)
//! ```

use super::blocks::{block_pointer, block_type, index_in, stem, vector_of, BasePointers, Element, UINT, UVEC4};
use super::byte_access::{self, is_narrow, Elements, Granularity, MemoryView, Offset, Whole};
use crate::analysis::block_table::BlockTable;
use crate::analysis::offsets::Offsets;
use crate::ir::{rewrite, AluFlags, ArrayIndex, Builder, Def, Edit, Inst, Shader, Var, Variable};
use crate::op::meaning::{MemoryAccess, MemoryKind, MemoryOperation};
use crate::op::{Access, AluOp, AtomicOp, Facts, Index, Intrinsic, Modes};
use crate::pass::{BufferAccess, Context, Pass};
use crate::target::{BlockArray, Descriptor, DescriptorLayout, DescriptorSlot, Feature, Target};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_ssbo",
    about: "turns accesses to storage blocks by byte offset into access chains",
    facts: Facts::SSBO_OFFSETS,
    removes: Facts::SSBO_OFFSETS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, memory: &mut BlockVars| {
        memory.clear();
        let Some(mut blocks) = Blocks::new(shader, context, memory) else { return false };
        lower(shader, context, &mut blocks);
        memory.offsets.forget(shader);
        true
    })
}

fn lower(shader: &mut Shader, context: &Context, blocks: &mut Blocks<'_>) {
    rewrite(shader, |b, inst| {
        let Some((access, block)) = access(b.shader, inst) else {
            return Edit::Keep;
        };
        match access.operation {
            MemoryOperation::Size => Edit::Replace(size(b, blocks, inst, block)),
            MemoryOperation::Load => Edit::Replace(load(b, context, blocks, inst, block)),
            MemoryOperation::Store => {
                store(b, context, blocks, inst, block);
                Edit::Remove
            }
            MemoryOperation::Atomic | MemoryOperation::AtomicSwap => {
                Edit::Replace(atomic(b, context, blocks, inst, block))
            }
        }
    });
}

fn load(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let access = b.shader.index(inst, Index::access);
    let size = (b.shader.insts[inst].num_components, b.shader.insts[inst].bit_size);
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if blocks.has_elements(b.shader, context, block, (offset, size.1, (1 << size.0) - 1)) {
        let base = blocks.elements(b, block, size.1);
        return Elements { base, access, offset, offsets: &blocks.made.offsets }.load(b, size);
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, access, (context, offset.view(granularity)));
    byte_access::load(b, &memory, address, size, byte_access::NO_OTHERS)
}

fn store(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) {
    let access = b.shader.index(inst, Index::access);
    let value = source(b.shader, inst, 0);
    let (bits, mask) = (b.shader.bit_size(value), b.shader.index(inst, Index::write_mask));
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if blocks.has_elements(b.shader, context, block, (offset, bits, mask)) {
        let base = blocks.elements(b, block, bits);
        return Elements { base, access, offset, offsets: &blocks.made.offsets }.store(b, (value, mask));
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, access, (context, offset.view(granularity)));
    byte_access::store(b, &memory, address, value, mask);
}

/// The access of `inst` to a storage block, and its block index; `None` if it has no such access.
fn access(shader: &Shader, inst: Inst) -> Option<(MemoryAccess, Def)> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    let access = op.info().memory.filter(|access| access.kind == MemoryKind::Ssbo)?;
    Some((access, srcs[usize::from(access.block?)]))
}

fn source(shader: &Shader, inst: Inst, i: usize) -> Def {
    shader.as_intrinsic(inst).map(|(_, srcs)| srcs[i]).expect("an intrinsic")
}

/// The byte offset of an access, if it has one.
fn offset_source(shader: &Shader, inst: Inst) -> Option<Def> {
    let (op, srcs) = shader.as_intrinsic(inst)?;
    Some(srcs[usize::from(op.info().memory?.offset?)])
}

/// The byte offset of an access. Atomics are aligned to their width.
fn offset(shader: &Shader, offsets: &Offsets, inst: Inst) -> Offset {
    let (access, _) = access(shader, inst).expect("an access");
    let align = match access.operation.is_atomic() {
        true => (u32::from(shader.insts[inst].bit_size) / 8, 0),
        false => (shader.index(inst, Index::align_mul), shader.index(inst, Index::align_offset)),
    };
    Offset::new(shader, offsets, (offset_source(shader, inst).expect("an offset"), 0, 0), align)
}

fn size(b: &mut Builder<'_>, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let (var, index) = blocks.find(b, block, UINT);
    let pointer = block_pointer(b, var, index);
    let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]);
    let access = b.shader.index(inst, Index::access);
    b.shader.set_index(len, Index::access, access);
    // A buffer has less than 2^32 bytes.
    let two = b.imm32(2);
    b.alu_with(AluOp::ishl, AluFlags::NO_UNSIGNED_WRAP, &[len.def().into(), two.into()], None)
}

fn atomic(b: &mut Builder<'_>, context: &Context, blocks: &mut Blocks<'_>, inst: Inst, block: Def) -> Def {
    let bits = b.shader.insts[inst].bit_size;
    let offset = offset(b.shader, &blocks.made.offsets, inst);
    if bits == 64 || bits == 16 && has_narrow_atomic(b.shader, &context.target, inst) {
        let base = blocks.elements(b, block, bits);
        let element = offset.element(b, &blocks.made.offsets, u32::from(bits / 8));
        let pointer = b.deref_array(base, element);
        return byte_access::atomic_at(b, inst, pointer, 2);
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, 0, (context, offset.view(granularity)));
    byte_access::atomic(b, &context.target, &memory, address, (inst, 2))
}

/// Whether the target has the atomic `inst` on a view of 16-bit floats.
fn has_narrow_atomic(shader: &Shader, target: &Target, inst: Inst) -> bool {
    let op = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize);
    let viewed = target.has(Feature::shaderFloat16) && target.has(Feature::storageBuffer16BitAccess);
    viewed && op.is_some_and(|op| target.has_float_atomic(*op, 16, false))
}

/// The block variables of a shader.
struct Blocks<'m> {
    descriptors: DescriptorLayout,
    made: &'m mut BlockVars,
    /// Qualifiers of all of them.
    access: Access,
    /// Whether all accesses of the shader are to single lanes.
    only_lanes: bool,
}

/// Information about the shader, and its block variables so far; kept for the next shader.
#[derive(Default)]
struct BlockVars {
    table: BlockTable,
    /// The blocks that are arrays.
    arrays: Vec<BlockArray>,
    offsets: Offsets,
    bases: BasePointers,
    /// The views that the accesses to each variable need, by its first block.
    needed_views: FxHashMap<u32, NeededViews>,
    /// By the first block and the element.
    vars: FxHashMap<(u32, u8, u8), Var>,
}

impl BlockVars {
    fn clear(&mut self) {
        self.bases.clear();
        self.vars.clear();
        self.needed_views.clear();
    }
}

/// Whether an operation is at an offset that is not constant.
fn is_dynamic(shader: &Shader, inst: Inst) -> bool {
    offset_source(shader, inst).is_some_and(|offset| shader.as_const_scalar(offset).is_none())
}

/// Whether an access is to one number of 32 bits, or to none.
fn is_single_lane(shader: &Shader, operation: MemoryOperation, inst: Inst) -> bool {
    match operation {
        MemoryOperation::Size => true,
        _ => accessed_numbers(shader, operation, inst) == (1, 32),
    }
}

/// The number of the components of an access, and their width.
fn accessed_numbers(shader: &Shader, operation: MemoryOperation, inst: Inst) -> (u8, u8) {
    match operation {
        MemoryOperation::Store => {
            let value = source(shader, inst, 0);
            (shader.num_components(value), shader.bit_size(value))
        }
        _ => (shader.insts[inst].num_components, shader.insts[inst].bit_size),
    }
}

/// Whether numbers of 64 bits at this offset are elements of their width, as their lane of a vec4 is not known.
fn is_wide(target: &Target, offset: Offset) -> bool {
    target.has(Feature::shaderInt64) && offset.lanes() == Some(2) && offset.is_multiple_of(8)
}

/// The views that an access needs.
fn needed_views(
    shader: &Shader,
    target: &Target,
    offsets: &Offsets,
    operation: MemoryOperation,
    inst: Inst,
) -> NeededViews {
    let (components, bits) = accessed_numbers(shader, operation, inst);
    let offset = offset(shader, offsets, inst);
    match bits {
        64 if operation.is_atomic() => return NeededViews { wide: true, ..NeededViews::default() },
        64 if is_wide(target, offset) => return NeededViews::default(),
        // These mostly have views of their own.
        8 | 16 => return NeededViews::default(),
        _ => {}
    }
    let is_known = offset.lanes() == Some(4);
    let bytes = u32::from(components) * u32::from(bits) / 8;
    NeededViews { words: !is_known, vec4s: is_known && bytes > 4, wide: false }
}

/// The views that the accesses to a binding need.
#[derive(Clone, Copy, Default)]
struct NeededViews {
    /// Whether some are to an unknown lane: words need no code to find it.
    words: bool,
    /// Whether some are to several lanes of one vec4.
    vec4s: bool,
    /// Whether some are atomics of 64 bits, which have a view of their own.
    wide: bool,
}

impl NeededViews {
    fn with(self, other: NeededViews) -> NeededViews {
        NeededViews { words: self.words | other.words, vec4s: self.vec4s | other.vec4s, wide: self.wide | other.wide }
    }
}

impl<'m> Blocks<'m> {
    /// `None` if the shader has no access to a storage block.
    fn new(shader: &Shader, context: &Context, made: &'m mut BlockVars) -> Option<Blocks<'m>> {
        let mut last = None;
        let mut dynamic = shader.info.has_block_array(false);
        let mut written = false;
        let (mut needs_views, mut has_vectors) = (false, false);
        for inst in &shader.order {
            let Some((access, block)) = access(shader, *inst) else { continue };
            let index = shader.as_const_scalar(block).map(|index| index as u32);
            dynamic |= index.is_none();
            written |= access.operation.writes();
            last = last.max(Some(index.unwrap_or(0)));
            has_vectors |= !is_single_lane(shader, access.operation, *inst);
            // Other accesses need no view but the common one.
            needs_views |=
                is_dynamic(shader, *inst) || access.operation.is_atomic() && shader.insts[*inst].bit_size == 64;
        }
        let count = last?.saturating_add(1).max(shader.info.num_ssbos);
        let descriptors = context.target.descriptors;
        made.table.collect(shader, Modes::SSBO);
        let otherwise = descriptors.storage_blocks.or(dynamic.then_some(BlockArray { first: 0, count }));
        made.arrays.clear();
        made.arrays.extend(made.table.arrays(count, otherwise));
        let is_auto = context.buffer_access == BufferAccess::Auto;
        let only_lanes = is_auto && !has_vectors;
        let mut blocks =
            Blocks { descriptors, made, only_lanes, access: if written { Access::empty() } else { Access::READONLY } };
        if needs_views && is_auto {
            blocks.collect_views(shader, &context.target);
        }
        Some(blocks)
    }

    /// Collects the views that all accesses need.
    fn collect_views(&mut self, shader: &Shader, target: &Target) {
        for inst in &shader.order {
            let Some((access, block)) = access(shader, *inst) else { continue };
            if is_dynamic(shader, *inst) {
                self.made.offsets.analyse(shader);
            }
            if access.operation != MemoryOperation::Size {
                let needed_views = needed_views(shader, target, &self.made.offsets, access.operation, *inst);
                let all = self.made.needed_views.entry(self.first(shader, block)).or_default();
                *all = all.with(needed_views);
            }
        }
    }

    /// The array that has `block`; `None` if it is a variable of its own.
    fn array_of(&self, shader: &Shader, block: Def) -> Option<BlockArray> {
        let with = |block: u32| self.made.arrays.iter().copied().find(|array| array.has(block));
        let nearest = || self.made.arrays.first().copied();
        match shader.as_const_scalar(block).map(|index| index as u32) {
            // The driver gives a shader only arrays that have all of its blocks.
            Some(block) => with(block).or_else(|| nearest().filter(|_| self.made.table.rows().is_empty())),
            None => self.made.table.array_of(shader, block).map_or_else(nearest, |row| with(row.first)),
        }
    }

    /// The number of the first block of the variable that has `block`.
    fn first(&self, shader: &Shader, block: Def) -> u32 {
        let own = || shader.as_const_scalar(block).map_or(0, |index| index as u32);
        self.array_of(shader, block).map_or_else(own, |array| array.first)
    }

    /// Whether an access is to single elements of its width.
    fn has_elements(
        &self,
        shader: &Shader,
        context: &Context,
        block: Def,
        (offset, bits, mask): (Offset, u8, u32),
    ) -> bool {
        match bits {
            64 => {
                let is_auto = context.buffer_access == BufferAccess::Auto;
                let is_wide = is_auto && is_wide(&context.target, offset);
                is_wide || offset.is_multiple_of(8) && self.needed_views(shader, block).wide
            }
            _ => byte_access::has_elements(&context.target, bits) && is_narrow(offset, bits, mask, None),
        }
    }

    /// The view for an access at an offset: one view serves all accesses unless two are worthwhile.
    fn granularity(&self, shader: &Shader, offset: Offset, block: Def) -> Granularity {
        match self.needed_views(shader, block) {
            _ if self.only_lanes => Granularity::Words,
            NeededViews { words: false, .. } => Granularity::Vec4s,
            NeededViews { vec4s: true, .. } if offset.lanes() == Some(4) => Granularity::Vec4s,
            _ => Granularity::Words,
        }
    }

    fn needed_views(&self, shader: &Shader, block: Def) -> NeededViews {
        self.made.needed_views.get(&self.first(shader, block)).copied().unwrap_or_default()
    }

    fn memory(
        &mut self,
        b: &mut Builder<'_>,
        block: Def,
        access: u32,
        (context, lanes): (&Context, u32),
    ) -> MemoryView {
        let (var, index) = self.find(b, block, vector_of(lanes));
        let whole = match context.buffer_access {
            BufferAccess::Lane => Whole::Never,
            BufferAccess::Auto => Whole::Covered,
        };
        MemoryView {
            base: self.made.bases.get(b, var, index),
            access,
            whole,
            lanes,
            len: None,
            shared: true,
            in_pairs: false,
            at_address: false,
        }
    }

    /// A deref of the elements of `bits` bits of `block`.
    fn elements(&mut self, b: &mut Builder<'_>, block: Def, bits: u8) -> Def {
        let (var, index) = self.find(b, block, Element { bits, components: 1 });
        self.made.bases.get(b, var, index)
    }

    /// The variable that has `block` as an array of `element`, and the index of the block in it.
    fn find(&mut self, b: &mut Builder<'_>, block: Def, element: Element) -> (Var, Option<ArrayIndex>) {
        let (array, first) = (self.array_of(b.shader, block), self.first(b.shader, block));
        let key = (first, element.bits, element.components);
        let known = self.made.vars.get(&key).copied();
        let var = known.unwrap_or_else(|| {
            let var = self.declare(b.shader, element, (first, array));
            self.made.vars.insert(key, var);
            var
        });
        (var, array.map(|array| index_in(b, array, block)))
    }

    /// Declares the variable of the blocks from `first` on.
    fn declare(&self, shader: &mut Shader, element: Element, (first, array): (u32, Option<BlockArray>)) -> Var {
        let block = block_type(shader, element, None);
        let ty = array.map_or(block, |array| shader.types.array(block, Some(array.count), 0));
        let bits = element.bits;
        let row = self.made.table.of(first).copied();
        let declared = row.map(|row| stem(&shader.strings[shader.vars[row.var].name]).to_string());
        let strings = &mut shader.strings;
        let name = match (&declared, array, element == UVEC4) {
            (Some(stem), _, true) => strings.add(stem),
            (Some(stem), _, false) => strings.format(format_args!("{stem}@{bits}")),
            (None, Some(_), true) => strings.add("ssbos"),
            (None, Some(_), false) => strings.format(format_args!("ssbos@{bits}")),
            (None, None, true) => strings.format(format_args!("ssbo{first}")),
            (None, None, false) => strings.format(format_args!("ssbo{first}@{bits}")),
        };
        let DescriptorSlot { set, binding } = self.made.table.slot(&self.descriptors, Descriptor::StorageBuffer, first);
        shader.vars.push(Variable {
            driver_location: first,
            binding,
            descriptor_set: Some(set),
            access: self.access | row.map_or(Access::empty(), |row| shader.vars[row.var].access & Access::RESTRICT),
            ..Variable::new(name, ty, Modes::SSBO)
        })
    }
}
