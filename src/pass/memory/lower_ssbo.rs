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

use super::block_vars::BlockVars;
use super::blocks::{block_pointer, vector_of, BasePointers, Element, UINT};
use super::byte_access::{self, is_narrow, Elements, Granularity, MemoryView, Offset, Whole};
use super::memory_inst::MemoryInst;
use crate::analysis::offsets::Offsets;
use crate::ir::{rewrite, AluFlags, ArrayIndex, Builder, Def, Edit, Inst, Shader, Var};
use crate::op::meaning::MemoryKind;
use crate::op::{self, AluOp, AtomicOp, Facts, Index, Intrinsic, Modes};
use crate::pass::{BufferAccess, Context, Pass};
use crate::target::{BlockArray, Descriptor, DescriptorLayout, Feature, Target};
use rustc_hash::FxHashMap;
use std::ops::Deref;

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
    shader.with_spare(|shader, tables: &mut Tables| {
        tables.bases.clear();
        tables.needed_views.clear();
        let Some(mut blocks) = StorageBlocks::new(shader, context, tables) else { return false };
        lower(shader, context, &mut blocks);
        tables.offsets.forget(shader);
        true
    })
}

fn lower(shader: &mut Shader, context: &Context, blocks: &mut StorageBlocks<'_>) {
    rewrite(shader, |b, inst| match BlockAccess::new(b.shader, inst) {
        Some(access) => lower_access(b, context, blocks, &access),
        None => Edit::Keep,
    });
}

fn lower_access(b: &mut Builder<'_>, context: &Context, blocks: &mut StorageBlocks<'_>, access: &BlockAccess) -> Edit {
    let block = access.block;
    let Some(offset) = access.offset(b.shader, &blocks.made.offsets) else {
        return Edit::Replace(size(b, blocks, access));
    };
    let qualifiers = access.qualifiers(b.shader);
    if blocks.has_elements(b.shader, context, access, offset) {
        let base = blocks.elements(b, block, access.bits);
        let elements = Elements { base, access: qualifiers, offset, offsets: &blocks.made.offsets };
        return access.lower_elements(b, elements);
    }
    let granularity = blocks.granularity(b.shader, offset, block);
    let address = offset.address(b, &blocks.made.offsets, granularity);
    let memory = blocks.memory(b, block, qualifiers, (context, offset.view(granularity)));
    access.lower_lanes(b, &context.target, &memory, address)
}

/// An access to a storage block.
struct BlockAccess {
    access: MemoryInst,
    /// The index of the block.
    block: Def,
    /// The byte offset; `None` for a size.
    offset: Option<Def>,
}

impl Deref for BlockAccess {
    type Target = MemoryInst;

    fn deref(&self) -> &MemoryInst {
        &self.access
    }
}

impl BlockAccess {
    fn new(shader: &Shader, inst: Inst) -> Option<BlockAccess> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let info = op.info().memory.filter(|info| info.kind == MemoryKind::Ssbo)?;
        let source = |at: u8| srcs[usize::from(at)];
        let (block, offset) = (source(info.block?), info.offset.map(source));
        Some(BlockAccess { access: MemoryInst::new(shader, inst, info)?, block, offset })
    }

    fn offset(&self, shader: &Shader, offsets: &Offsets) -> Option<Offset> {
        Some(Offset::new(shader, offsets, (self.offset?, 0, 0), self.alignment(shader)))
    }

    /// Whether the offset is not constant.
    fn is_dynamic(&self, shader: &Shader) -> bool {
        self.offset.is_some_and(|offset| shader.as_const_scalar(offset).is_none())
    }

    /// Whether it is to one number of 32 bits, or to none.
    fn is_single_lane(&self) -> bool {
        self.offset.is_none() || (self.components, self.bits) == (1, 32)
    }

    /// The views that it needs.
    fn needed_views(&self, target: &Target, offset: Offset) -> NeededViews {
        match self.bits {
            64 if self.operation.is_atomic() => return NeededViews { wide: true, ..NeededViews::default() },
            64 if is_wide(target, offset) => return NeededViews::default(),
            // These mostly have views of their own.
            8 | 16 => return NeededViews::default(),
            _ => {}
        }
        let is_known = offset.lanes() == Some(4);
        NeededViews { words: !is_known, vec4s: is_known && self.bytes() > 4, wide: false }
    }
}

fn size(b: &mut Builder<'_>, blocks: &mut StorageBlocks<'_>, access: &BlockAccess) -> Def {
    let (var, index) = blocks.find(b, access.block, UINT);
    let pointer = block_pointer(b, var, index);
    let len = b.intrinsic(Intrinsic::deref_buffer_array_length, 1, 32, &[pointer]);
    let qualifiers = access.qualifiers(b.shader);
    b.shader.set_index(len, Index::access, qualifiers);
    // A buffer has less than 2^32 bytes.
    let two = b.imm32(2);
    b.alu_with(AluOp::ishl, AluFlags::NO_UNSIGNED_WRAP, &[len.def().into(), two.into()], None)
}

/// Whether the target has the atomic `inst` on a view of 16-bit floats.
fn has_narrow_atomic(shader: &Shader, target: &Target, inst: Inst) -> bool {
    let op = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize);
    let viewed = target.has(Feature::shaderFloat16) && target.has(Feature::storageBuffer16BitAccess);
    viewed && op.is_some_and(|op| target.has_float_atomic(*op, 16, false))
}

/// The storage blocks of a shader.
struct StorageBlocks<'m> {
    descriptors: DescriptorLayout,
    made: &'m mut Tables,
    /// Qualifiers of all of them.
    access: op::Access,
    /// Whether all accesses of the shader are to single lanes.
    only_lanes: bool,
}

/// Tables that are kept for the next shader.
#[derive(Default)]
struct Tables {
    vars: BlockVars,
    offsets: Offsets,
    bases: BasePointers,
    /// The views that the accesses to each variable need, by its first block.
    needed_views: FxHashMap<u32, NeededViews>,
}

/// Whether numbers of 64 bits at this offset are elements of their width, as their lane of a vec4 is not known.
fn is_wide(target: &Target, offset: Offset) -> bool {
    target.has(Feature::shaderInt64) && offset.lanes() == Some(2) && offset.is_multiple_of(8)
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

impl<'m> StorageBlocks<'m> {
    /// `None` if the shader has no access to a storage block.
    fn new(shader: &Shader, context: &Context, made: &'m mut Tables) -> Option<StorageBlocks<'m>> {
        let mut last = None;
        let mut dynamic = shader.info.has_block_array(false);
        let mut written = false;
        let (mut needs_views, mut has_vectors) = (false, false);
        for inst in &shader.order {
            let Some(access) = BlockAccess::new(shader, *inst) else { continue };
            let index = shader.as_const_scalar(access.block).map(|index| index as u32);
            dynamic |= index.is_none();
            written |= access.operation.writes();
            last = last.max(Some(index.unwrap_or(0)));
            has_vectors |= !access.is_single_lane();
            // Other accesses need no view but the common one.
            needs_views |= access.is_dynamic(shader) || access.operation.is_atomic() && access.bits == 64;
        }
        let count = last?.saturating_add(1).max(shader.info.num_ssbos);
        let descriptors = context.target.descriptors;
        let otherwise = descriptors.storage_blocks.or(dynamic.then_some(BlockArray { first: 0, count }));
        made.vars.collect(shader, Modes::SSBO, count, otherwise);
        let is_auto = context.buffer_access == BufferAccess::Auto;
        let only_lanes = is_auto && !has_vectors;
        let mut blocks = StorageBlocks {
            descriptors,
            made,
            only_lanes,
            access: if written { op::Access::empty() } else { op::Access::READONLY },
        };
        if needs_views && is_auto {
            blocks.collect_views(shader, &context.target);
        }
        Some(blocks)
    }

    /// Collects the views that all accesses need.
    fn collect_views(&mut self, shader: &Shader, target: &Target) {
        for inst in &shader.order {
            let Some(access) = BlockAccess::new(shader, *inst) else { continue };
            if access.is_dynamic(shader) {
                self.made.offsets.analyse(shader);
            }
            if let Some(offset) = access.offset(shader, &self.made.offsets) {
                let needed_views = access.needed_views(target, offset);
                let all = self.made.needed_views.entry(self.made.vars.first(shader, access.block)).or_default();
                *all = all.with(needed_views);
            }
        }
    }

    /// Whether an access is to single elements of its width.
    fn has_elements(&self, shader: &Shader, context: &Context, access: &BlockAccess, offset: Offset) -> bool {
        let target = &context.target;
        match (access.bits, access.mask(shader)) {
            (64, None) => true,
            (16, None) => has_narrow_atomic(shader, target, access.inst),
            (_, None) => false,
            (64, Some(_)) => {
                let is_wide = context.buffer_access == BufferAccess::Auto && is_wide(target, offset);
                is_wide || offset.is_multiple_of(8) && self.needed_views(shader, access.block).wide
            }
            (bits, Some(mask)) => byte_access::has_elements(target, bits) && is_narrow(offset, bits, mask, None),
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
        self.made.needed_views.get(&self.made.vars.first(shader, block)).copied().unwrap_or_default()
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
        let Tables { vars, .. } = &mut *self.made;
        let (first, index) = vars.place(b, block);
        let var = vars.get(first, element).unwrap_or_else(|| {
            let slot = vars.table.slot(&self.descriptors, Descriptor::StorageBuffer, first);
            let restrict = vars.table.of(first).map(|row| b.shader.vars[row.var].access & op::Access::RESTRICT);
            let access = self.access | restrict.unwrap_or_default();
            vars.declare(b.shader, (Modes::SSBO, access), (first, slot), (element, None))
        });
        (var, index)
    }
}
