// SPDX-License-Identifier: MIT

//! Turns loads from uniform blocks by byte offset into reads of vec4s, and declares the blocks.
//!
//! **What.** Each block becomes a variable `struct { uvec4 base[N]; }`. A `load_ubo` at a dynamic offset becomes `load_ubo_vec4`: a
//! vec4 (`offset >> 4`), and known lanes of it. Emission has an access chain for it: see `spirv::uniform`.
//!
//! **Why.** Logical SPIR-V has no byte addresses: a load needs an OpAccessChain with typed indices. And an array in a uniform
//! block has a stride that is a multiple of 16, unless the device has an optional layout feature (Vulkan, "Offset and Stride
//! Assignment"), so the element is `uvec4`, not `uint`. With such a feature ([`Target::has_tight_uniform_arrays`]) the block is
//! also declared as `uvec2 base[]`, `uint64_t base[]` and `uint base[]`, where that saves the arithmetic that finds a lane.
//!
//! **Offsets.** The alignment in NIR is often less than the known one: a GL array of vec4s has `align_mul=4`, although its
//! offset is `i << 4`. [`offsets`](crate::analysis::offsets) computes the known alignment, and the arithmetic is undone: the
//! number of the vec4 is `i`, without the upper bits that the shift would have lost. If `i` is known to be small, no mask is
//! needed, and the number of `(i << 4) + 32` is `i + 2`; otherwise it is that offset, shifted to the right.
//!
//! **Masks.** A compiler of GPUs that knows `uint base[]` undoes `x << 4 >> 2 << 2`, but none undoes `(x & 0x0fffffff) << 4`. So
//! if a mask would be needed, or a shift of the sum, a load of one vec4, or of one `uvec2`, is from `uint base[]`, where arrays may
//! be tight: see `docs/spirv-shapes.md`.
//!
//! **Numbers of 64 bits.** Where arrays may be tight, numbers of 64 bits at a dynamic offset that is a multiple of 8 are single
//! elements of `uint64_t base[]`, unless a mask would be needed. A compiler merges them as it likes; it does not merge `u64vec2`s.
//!
//! **Halves.** Where only the lower halves of 64-bit numbers are used, only they are loaded: see `lower_halves`.
//!
//! **What stays.** A load of 32-bit numbers, or of 64-bit ones where the target has them, at a constant offset into a block of its
//! own stays as it is, and so does `load_ubo_vec4`.
//!
//! **The rest.** If a lane is not known, if the numbers have other widths, or if a block is in an array or not in a uniform buffer,
//! loads become derefs of the variable with up to three indices: member 0, the vec4, the lane (`offset >> 2 & 3`); see
//! `byte_access`.
//!
//! **Bounds.** A whole vec4 is loaded only if all of it may be read: the load reads its last lane; or a load with a constant
//! offset, or NIR's range of a load, reaches to its end or further; or the driver promises [`Target::uniform_ranges_in_vec4s`].
//! Otherwise its lanes are loaded one by one: with robust buffer access a device may return zeros for all of a vector of which
//! one byte is outside the bound range (Vulkan, "Robust Buffer Access"). The required size of the range is noted in
//! [`Variable::min_range`]. A whole vec4 is loaded where several of its lanes are used anywhere in the shader.
//!
//! If all block indices are constants, there is one variable per block, whose N is the size of the block: drivers promote such
//! blocks to registers. If an index is dynamic, the blocks that it may select become one array of blocks. Block 0 of a shader
//! with `first_ubo_is_default_ubo` holds GL's loose uniforms, which no index selects; it stays separate. The directive
//! `uniform_blocks=array` has the same effect when the indices were made constants.
//!
//! Before:
//!
//! ```text
//! 32     %3 = ishl %1, %2 (0x4)
//! 32x4   %4 = @load_ubo (%0 (0x0), %3) (access=none, align_mul=4, align_offset=0, range_base=0, range=48)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var ubo INTERP_MODE_NONE readonly block ubo0 (~0, 0, 0)  // ntv: set=0 { uvec4[3] base offset=0 stride=16 }
//! ...
//! 32    %4 = load_const (0x0fffffff = 268435455)
//! 32    %5 = iand %1, %4 (0xfffffff)
//! 32x4  %6 = @load_ubo_vec4 (%0 (0x0), %5) (access=none, base=0, component=0)
//! ```
//!
//! [`Target::has_tight_uniform_arrays`]: crate::target::Target::has_tight_uniform_arrays
//! [`Target::uniform_ranges_in_vec4s`]: crate::target::Target::uniform_ranges_in_vec4s

use super::block_vars::BlockVars;
use super::blocks::{
    elements, least_range, vec4s, vector_of, BasePointers, Element, MadeOnce, U64VEC2, UINT, UINT64, UVEC2, UVEC4,
};
use super::byte_access::{
    self, is_single, is_wide, load_wide, uniform_granularity, Elements, Granularity, Offset, Whole,
};
use super::lower_halves::load_lower_halves;
use crate::analysis::offsets::{Offsets, Split, Term};
use crate::analysis::uniform_reads::{is_emitted, range_end, UniformRead};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, Edit, Inst, Shader, TypeData, Var, Variable};
use crate::op::{Access, Facts, Index, Intrinsic, Modes};
use crate::pass::{BufferAccess, Context, Pass};
use crate::target::{BlockArray, Descriptor};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_ubo",
    about: "turns loads from uniform blocks by byte offset into access chains",
    facts: Facts::UBO_OFFSETS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    shader.with_spare(|shader, memory| lower(shader, context, memory))
}

/// Tables that are kept for the next shader.
#[derive(Default)]
struct UboTables {
    offsets: Offsets,
    survey: Survey,
    blocks: UniformBlocks,
    bases: BasePointers,
    indices: MadeOnce<Term>,
    read: FxHashSet<Def>,
}

fn lower(shader: &mut Shader, context: &Context, memory: &mut UboTables) -> bool {
    let UboTables { offsets, survey, blocks, bases, indices, read } = memory;
    load_lower_halves(shader, read);
    survey.collect(shader, context, offsets);
    if survey.loads.is_empty() {
        return false;
    }
    blocks.collect(shader, context, survey.dynamic.is_some(), &survey.blocks);
    survey.leaves_vec4s = leaves_vec4s(context);
    survey.are_emitted &= blocks.vars.arrays.is_empty();
    survey.declare(shader, context, blocks);
    if survey.leaves_vec4s && survey.are_emitted {
        offsets.forget(shader);
        return true;
    }
    bases.clear();
    indices.clear();
    let (mut number, mut has_derefs, is_tidy) = (0, false, shader.is_tidy());
    rewrite(shader, |b, inst| {
        let Some(load) = UboLoad::new(b.shader, inst) else { return Edit::Keep };
        number += 1;
        if survey.leaves_vec4s && !blocks.is_in_array(b.shader, &load) {
            if UniformRead::new(b.shader, &context.target, inst).is_some() {
                return Edit::Keep;
            }
            if let Some(value) = load.read_vec4s(b, number - 1, (survey, offsets), indices, context) {
                return Edit::Replace(value);
            }
        }
        has_derefs = true;
        Edit::Replace(load.lower(b, (survey, offsets), blocks, bases, context))
    });
    // Indices are made once, and emission skips the arithmetic that nothing uses now.
    shader.set_tidy(is_tidy && !has_derefs);
    offsets.forget(shader);
    true
}

/// Whether reads of vec4s of blocks that are not in an array are left to emission: see the [module](self).
fn leaves_vec4s(context: &Context) -> bool {
    context.buffer_access == BufferAccess::Auto && context.placements.is_empty()
}

/// A load, in either of its forms.
struct UboLoad {
    inst: Inst,
    block: Def,
    offset: Def,
    /// For `load_ubo_vec4`: the offset is in vec4s, plus this byte within one.
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

    /// The offset in bytes.
    fn offset(&self, shader: &Shader, offsets: &Offsets) -> Offset {
        match (self.const_offset(shader), self.vec4_start) {
            (Some(byte), _) => Offset::constant(self.offset, byte),
            (None, None) => {
                let align = (shader.index(self.inst, Index::align_mul), shader.index(self.inst, Index::align_offset));
                Offset::new(shader, offsets, (self.offset, 0, 0), align)
            }
            (None, Some(start)) => {
                let base = shader.index(self.inst, Index::base);
                Offset::new(shader, offsets, (self.offset, 4, (base << 4) + start), (1, 0))
            }
        }
    }

    /// The constant offset in bytes; `None` if it is dynamic.
    fn const_offset(&self, shader: &Shader) -> Option<u32> {
        let offset = shader.as_const_scalar(self.offset)? as u32;
        let Some(start) = self.vec4_start else { return Some(offset) };
        Some(offset.wrapping_add(shader.index(self.inst, Index::base)).wrapping_mul(16).wrapping_add(start))
    }

    /// One past the last byte that may be read, if known.
    fn end(&self, shader: &Shader) -> Option<u32> {
        match self.const_offset(shader) {
            Some(offset) => offset.checked_add(self.bytes(shader)),
            None => range_end(shader, self.inst),
        }
    }

    /// When whole vec4s may be loaded: see the [module](self), "Bounds".
    fn whole(&self, shader: &Shader, survey: &Survey, context: &Context) -> Whole {
        if context.buffer_access == BufferAccess::Lane {
            return Whole::Never;
        }
        if context.target.uniform_ranges_in_vec4s {
            return Whole::Always;
        }
        let own = range_end(shader, self.inst).unwrap_or(0);
        let block = self.const_block(shader).and_then(|block| survey.blocks.get(&block));
        let readable = block.map_or(own, |block| block.readable.max(own));
        match (self.const_offset(shader), self.end(shader)) {
            (Some(_), _) => Whole::Until(readable),
            (None, Some(end)) if end.div_ceil(16) <= readable / 16 => Whole::Always,
            (None, _) => Whole::Covered,
        }
    }

    /// Whether it is at a dynamic offset in bytes, and reads known lanes of vec4s as emission has them.
    fn is_of_vec4s(&self, shader: &Shader, offset: Offset, element: Element, context: &Context) -> bool {
        let bytes = u32::from(self.size(shader).1) / 8;
        let is_in_bytes = self.vec4_start.is_none() && offset.as_static().is_none();
        let has_known_lanes = offset.lanes() == Some(4) && offset.is_multiple_of(bytes);
        let is_in_block = self.const_block(shader).is_some();
        let is_vec4 = element == UVEC4;
        is_in_bytes && has_known_lanes && is_in_block && is_vec4 && is_emitted(shader, &context.target, self.inst)
    }

    /// The load as reads of vec4s, for emission; `None` if its lanes are not known.
    fn read_vec4s(
        &self,
        b: &mut Builder<'_>,
        number: usize,
        (survey, offsets): (&Survey, &Offsets),
        indices: &mut MadeOnce<Term>,
        context: &Context,
    ) -> Option<Def> {
        let offset = self.offset(b.shader, offsets);
        let element = element_of(b.shader, offsets, context, offset, self.size(b.shader).1);
        if !self.is_of_vec4s(b.shader, offset, element, context) {
            return None;
        }
        let (vec4, byte) = offset.vec4_and_byte(b, offsets, indices)?;
        let (size, access) = (self.size(b.shader), b.shader.index(self.inst, Index::access));
        let read = UniformRead::of_vec4(self.const_block(b.shader)?, vec4, byte, size);
        // Emission does not know NIR's range of the load. So all of a vec4 is read here, if several of its lanes are used.
        let may_widen =
            !context.target.uniform_ranges_in_vec4s && self.whole(b.shader, survey, context) == Whole::Always;
        let mut components = [self.block; 4];
        let mut len = 0;
        for (piece, ahead) in read.pieces().zip(0..) {
            let lanes_used = survey.lanes_of(number, ahead).count_ones() / (u32::from(size.1) / 32);
            let widens = may_widen && lanes_used > 1;
            let (first, count) = if widens { (0, read.lanes()) } else { (piece.lane, piece.count) };
            let indices = [(Index::access, access), (Index::base, piece.vec4), (Index::component, first.into())];
            let srcs = [self.block, vec4.0];
            let loaded = b.intrinsic_with(Intrinsic::load_ubo_vec4, count, size.1, &srcs, &indices).def();
            let lanes: [u8; 4] = std::array::from_fn(|lane| piece.lane - first + lane as u8);
            if piece.count == size.0 {
                return Some(b.swizzle(loaded, &lanes[..usize::from(size.0)]));
            }
            for lane in &lanes[..usize::from(piece.count)] {
                components[len] = b.channel(loaded, *lane);
                len += 1;
            }
        }
        Some(b.vec(&components[..len]))
    }

    fn lower(
        &self,
        b: &mut Builder<'_>,
        (survey, offsets): (&Survey, &Offsets),
        blocks: &UniformBlocks,
        bases: &mut BasePointers,
        context: &Context,
    ) -> Def {
        let size = self.size(b.shader);
        let offset = self.offset(b.shader, offsets);
        let element = element_of(b.shader, offsets, context, offset, size.1);
        let Some((var, index)) = blocks.find(b, self, element) else {
            return b.constant(size.1, &[0; 16][..usize::from(size.0)]);
        };
        let access = b.shader.index(self.inst, Index::access);
        let base = bases.get(b, var, index);
        match element {
            U64VEC2 => return load_wide(b, (base, access), (offset, offsets), size.0),
            UINT64 => return Elements { base, access, offset, offsets }.load(b, size),
            _ => {}
        }
        let address = offset.address(b, offsets, granularity(b.shader, offsets, context, offset));
        let lanes = element.components.into();
        let (len, whole) = (blocks.len(var), self.whole(b.shader, survey, context));
        let memory = byte_access::MemoryView {
            base,
            access,
            whole,
            lanes,
            len,
            shared: false,
            in_pairs: false,
            at_address: false,
        };
        byte_access::load(b, &memory, address, size)
    }
}

/// The needs of the loads of a shader, collected before any of them is lowered.
#[derive(Default)]
struct Survey {
    /// In order: the block, if its index is constant, and the first vec4, if its lanes are known.
    loads: Vec<Option<(u32, Split)>>,
    /// Blocks with a constant index.
    blocks: FxHashMap<u32, BlockReads>,
    /// The indices of these, in order.
    indices: Vec<u32>,
    /// The range that loads with dynamic indices read of any block, if there are such loads.
    dynamic: Option<BlockReads>,
    /// Whether reads of vec4s are left to emission, and whether all loads are such already.
    leaves_vec4s: bool,
    are_emitted: bool,
    /// Whether bytes that are read through a constant index certainly exist.
    are_bytes_certain: bool,
    /// The lanes of each vec4 that are used.
    lanes: FxHashMap<(u32, Split), u8>,
}

/// The possible views of blocks.
const VIEWS: [Element; 5] = [UVEC4, U64VEC2, UVEC2, UINT64, UINT];

fn view_bit(element: Element) -> u8 {
    VIEWS.iter().position(|view| *view == element).map_or(0, |at| 1 << at)
}

/// The view of the block for a load of numbers of `bits` bits at this offset.
fn element_of(shader: &Shader, offsets: &Offsets, context: &Context, offset: Offset, bits: u8) -> Element {
    let granularity = granularity(shader, offsets, context, offset);
    // Handles of textures have 64 bits, half of which are used.
    let has_handles = shader.facts().intersects(Facts::UNNAMED_TEXTURES);
    match bits.into() {
        bits if is_wide(context, offset, bits) => U64VEC2,
        bits if !has_handles && is_single(context, granularity, offset, bits) => UINT64,
        _ => vector_of(offset.view(granularity)),
    }
}

/// The views for a load at an offset: see the [module](self), "Masks".
fn granularity(shader: &Shader, offsets: &Offsets, context: &Context, offset: Offset) -> Granularity {
    match uniform_granularity(context) {
        // Other blocks are clamped by the element.
        Granularity::All if context.placements.is_empty() && offset.loses_bits(shader, offsets) => Granularity::Words,
        all => all,
    }
}

/// The information about a block.
#[derive(Clone, Copy)]
struct BlockReads {
    /// One past the last byte that is read, `None` if unknown.
    end: Option<u32>,
    /// One past the last byte that certainly exists: a load reads it, or its range in NIR includes it.
    readable: u32,
    /// The views of the block, a bit for each of [`VIEWS`], and those if reads of vec4s are left to emission.
    views: u8,
    kept_views: u8,
}

/// The declaration of a block, or of an array of blocks.
#[derive(Clone, Copy)]
struct Declared {
    block: BlockReads,
    /// The number of bytes in the declaration.
    size: Option<u32>,
    /// The minimum number of bytes of the bound range.
    min_range: u32,
}

impl BlockReads {
    const UNREAD: BlockReads = BlockReads { end: Some(0), readable: 0, views: 0, kept_views: 0 };

    /// The number of bytes of it, of which `declared` are declared.
    fn size(self, declared: Option<u32>) -> Option<u32> {
        self.end.map_or(declared, |end| Some(declared.map_or(end, |size| size.max(end))))
    }

    fn with(self, other: BlockReads) -> BlockReads {
        BlockReads {
            end: self.end.zip(other.end).map(|(a, b)| a.max(b)),
            readable: self.readable.max(other.readable),
            views: self.views | other.views,
            kept_views: self.kept_views | other.kept_views,
        }
    }
}

impl Survey {
    /// Forgets the previous shader, and collects the needs of this one.
    fn collect(&mut self, shader: &Shader, context: &Context, offsets: &mut Offsets) {
        self.loads.clear();
        self.blocks.clear();
        self.dynamic = shader.info.has_block_array(true).then_some(BlockReads::UNREAD);
        self.are_bytes_certain = self.dynamic.is_none();
        self.lanes.clear();
        self.are_emitted = true;
        for load in shader.order.iter().filter_map(|inst| UboLoad::new(shader, *inst)) {
            if load.const_offset(shader).is_none() {
                offsets.analyse(shader);
            }
            self.add(shader, context, &load, offsets);
        }
    }

    fn add(&mut self, shader: &Shader, context: &Context, load: &UboLoad, offsets: &Offsets) {
        let most =
            load.const_block(shader).map_or_else(|| context.most_bytes(0, u32::MAX), |at| context.most_bytes(at, 1));
        let end = load.end(shader).filter(|end| *end <= most);
        let readable = end.unwrap_or(0).max(range_end(shader, load.inst).unwrap_or(0));
        let offset = load.offset(shader, offsets);
        let element = element_of(shader, offsets, context, offset, load.size(shader).1);
        let view = view_bit(element);
        let is_read = UniformRead::new(shader, &context.target, load.inst).is_some();
        self.are_emitted &= is_read;
        let kept_view = match load.size(shader).1 {
            _ if !is_read && !load.is_of_vec4s(shader, offset, element, context) => view,
            64 => view_bit(U64VEC2),
            _ => view_bit(UVEC4),
        };
        let block = load.const_block(shader);
        let are_bytes_certain = self.are_bytes_certain || block.is_some_and(|block| block < first_in_array(shader));
        let more = BlockReads {
            end,
            readable: if are_bytes_certain { readable } else { 0 },
            views: view,
            kept_views: kept_view,
        };
        let known = match block {
            Some(block) => self.blocks.entry(block).or_insert(BlockReads::UNREAD),
            None => self.dynamic.get_or_insert(BlockReads::UNREAD),
        };
        *known = known.with(more);
        let first = offset.vec4(shader, offsets, 0);
        // Two dynamic indices may select different blocks, so their lanes are not combined.
        let (Some(block), Some((split, lane))) = (block, first) else { return self.loads.push(None) };
        self.loads.push(Some((block, split)));
        for dword in lane..lane + (load.bytes(shader) + offset.start()).div_ceil(4) {
            let vec4 = Split { after: split.after.wrapping_add(dword / 4), ..split };
            *self.lanes.entry((block, vec4)).or_default() |= 1 << (dword % 4);
        }
    }

    /// The lanes that are used of the vec4 that is `ahead` vec4s after the first of a load.
    fn lanes_of(&self, load: usize, ahead: u32) -> u8 {
        let Some((block, split)) = self.loads[load] else { return 0 };
        let vec4 = Split { after: split.after.wrapping_add(ahead), ..split };
        self.lanes.get(&(block, vec4)).copied().unwrap_or(0)
    }

    /// Declares the block variables.
    fn declare(&mut self, shader: &mut Shader, context: &Context, blocks: &mut UniformBlocks) {
        self.indices.clear();
        self.indices.extend(self.blocks.keys());
        self.indices.sort_unstable();
        for at in 0..blocks.vars.arrays.len() {
            let array = blocks.vars.arrays[at];
            let is_in = |index: &&u32| array.has(**index);
            let read = self.indices.iter().filter(is_in).map(|index| self.blocks[index]);
            let block = read.fold(self.dynamic.unwrap_or(BlockReads::UNREAD), BlockReads::with);
            let declared = blocks.vars.table.of(array.first).and_then(|row| row.bytes);
            let size = block.size(declared);
            blocks.declare(shader, context, array.first, Declared { block, size, min_range: 0 });
        }
        for index in self.indices.iter().copied() {
            if blocks.is_at_array(index) {
                continue;
            }
            let (declared, mut block) = (declared_size(shader, index, blocks), self.blocks[&index]);
            if self.leaves_vec4s {
                block.views = block.kept_views;
            }
            let size = block.size(declared);
            let min_range = least_range(&context.target, block.end.unwrap_or(0));
            blocks.declare(shader, context, index, Declared { block, size, min_range });
        }
    }
}

/// The first block that may have a dynamic index.
fn first_in_array(shader: &Shader) -> u32 {
    u32::from(shader.info.first_ubo_is_default_ubo)
}

/// The number of bytes of block `index` if its declaration has it: GL's loose uniforms are declared as `vec4[n]`.
fn declared_size(shader: &Shader, index: u32, blocks: &UniformBlocks) -> Option<u32> {
    if let Some(declared) = blocks.vars.table.of(index) {
        return declared.bytes;
    }
    let declared = |v: &Variable| v.mode == Modes::UBO && v.driver_location == index && index == 0;
    let uniforms = shader.vars.values().find(|v| declared(v) && shader.strings[v.name].starts_with("uniform_0"))?;
    match shader.types.get(uniforms.ty) {
        TypeData::Array { len: Some(len), .. } => len.checked_mul(16),
        _ => None,
    }
}

/// The uniform blocks of a shader.
#[derive(Default)]
struct UniformBlocks {
    vars: BlockVars,
    /// The number of vec4s of each variable.
    lens: FxHashMap<Var, u32>,
}

impl UniformBlocks {
    /// Forgets the blocks of the previous shader, and collects the arrays of this one.
    fn collect(&mut self, shader: &Shader, context: &Context, is_dynamic: bool, read: &FxHashMap<u32, BlockReads>) {
        self.lens.clear();
        // The blocks that an index may select are counted by the header, or by higher constant indices.
        let first = first_in_array(shader);
        let last = read.keys().copied().filter(|index| *index >= first).max();
        let end = last.map_or(0, |last| last.saturating_add(1)).max(shader.info.num_ubos);
        let all = BlockArray { first, count: end.saturating_sub(first).max(1) };
        let otherwise = context.target.descriptors.uniform_blocks.or(is_dynamic.then_some(all));
        self.vars.collect(shader, Modes::UBO, end, otherwise);
    }

    /// Whether a block is in an array, or would be if the array were longer.
    fn is_at_array(&self, block: u32) -> bool {
        let BlockVars { table, arrays, .. } = &self.vars;
        let is_beyond = || table.of(block).is_none() && arrays.iter().any(|array| block >= array.first);
        self.vars.array_with(block).is_some() || is_beyond()
    }

    /// Whether a load is from an element of an array.
    fn is_in_array(&self, shader: &Shader, load: &UboLoad) -> bool {
        load.const_block(shader).map_or(true, |block| self.is_at_array(block))
    }

    /// Declares the blocks from `first` on: a variable for each view.
    fn declare(&mut self, shader: &mut Shader, context: &Context, first: u32, declared: Declared) {
        let array = self.vars.array_with(first);
        let most = context.most_bytes(first, array.map_or(1, |array| array.count));
        let len = vec4s(declared.size.unwrap_or(most));
        let is_default = shader.info.first_ubo_is_default_ubo && first == 0;
        let descriptor = if is_default { Descriptor::DefaultUniforms } else { Descriptor::UniformBuffer };
        let slot = self.vars.table.slot(&context.target.descriptors, descriptor, first);
        for element in VIEWS.into_iter().filter(|element| declared.block.views & view_bit(*element) != 0) {
            let elements = (element, Some(elements(len, element)));
            let var = self.vars.declare(shader, (Modes::UBO, Access::READONLY), (first, slot), elements);
            shader.vars[var].min_range = declared.min_range;
            self.lens.insert(var, len);
        }
    }

    fn len(&self, var: Var) -> Option<u32> {
        self.lens.get(&var).copied()
    }

    /// The variable that has the block of `load` in such elements, and the index of the block in it. `None` for a constant
    /// index without a block.
    fn find(&self, b: &mut Builder<'_>, load: &UboLoad, element: Element) -> Option<(Var, Option<ArrayIndex>)> {
        let (first, index) = self.vars.place(b, load.block);
        Some((self.vars.get(first, element)?, index))
    }
}
