// SPDX-License-Identifier: MIT

//! Reads of vec4s of uniform blocks, and the lanes of each vec4 that they read.
//!
//! ```text
//! 32    %3 = @load_ubo (%0 (0x0), %1 (0x10))     lane x of vec4 1 of block 0
//! 32x2  %4 = @load_ubo (%0 (0x0), %2 (0x18))     lanes z and w of it: of three lanes, so all of it is loaded, once
//! 64x3  %6 = @load_ubo (%0 (0x0), %5 (0x20))     both lanes of vec4 2, as two numbers of 64 bits, and one lane of vec4 3
//! 32    %8 = @load_ubo_vec4 (%0 (0x0), %7) (access=none, base=1, component=2)     lane z of vec4 %7 + 1
//! ```

use super::value_types::ValueTypes;
use crate::ir::{Block, Def, Inst, Shader};
use crate::op::{Access, AluOp, Base, Facts, Index, Intrinsic, Modes};
use crate::target::{Feature, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// A read of adjacent numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UniformRead {
    pub block: u32,
    /// A value that is added to the number of each vec4.
    pub index: Option<Def>,
    /// The width of the numbers.
    pub bits: u8,
    /// The first of them, counted from the start of the block or from that vec4, and how many there are.
    first: u32,
    count: u8,
}

/// The part of a read that is in one vec4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UniformPiece {
    pub vec4: u32,
    /// The first lane, and the number of lanes: there are four of 32 bits, or two of 64 bits.
    pub lane: u8,
    pub count: u8,
}

impl UniformRead {
    /// The read of `inst`; `None` if it is not such a read.
    pub(crate) fn new(shader: &Shader, target: &Target, inst: Inst) -> Option<UniformRead> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        if !matches!(op, Intrinsic::load_ubo | Intrinsic::load_ubo_vec4) {
            return None;
        }
        let block = shader.as_const_scalar(srcs[0])? as u32;
        let offset = shader.as_const_scalar(srcs[1]).map(|offset| offset as u32);
        let (bits, count) = (shader.insts[inst].bit_size, shader.insts[inst].num_components);
        let byte = match op {
            Intrinsic::load_ubo => offset?,
            _ => {
                let vec4 = offset.unwrap_or(0).wrapping_add(shader.index(inst, Index::base));
                vec4.checked_mul(16)?.checked_add(u32::from(bits) / 8 * shader.index(inst, Index::component))?
            }
        };
        let index = offset.is_none().then_some(srcs[1]);
        let is_read = is_emitted(shader, target, inst) && byte % (u32::from(bits) / 8) == 0;
        is_read.then(|| UniformRead { block, index, bits, first: byte / (u32::from(bits) / 8), count })
    }

    /// The read of `count` numbers of `bits` bits from byte `byte` of vec4 `index + vec4` on, which is below 2^28.
    pub(crate) fn of_vec4(block: u32, (index, vec4): (Def, u32), byte: u32, (count, bits): (u8, u8)) -> UniformRead {
        let first = (16 * vec4 + byte) / (u32::from(bits) / 8);
        UniformRead { block, index: Some(index), bits, first, count }
    }

    /// The number of lanes of a vec4.
    pub(crate) fn lanes(self) -> u8 {
        128 / self.bits
    }

    /// The parts of it, in order.
    pub(crate) fn pieces(self) -> impl Iterator<Item = UniformPiece> {
        let lanes = u32::from(self.lanes());
        let (mut next, end) = (self.first, self.first + u32::from(self.count));
        std::iter::from_fn(move || {
            let (vec4, lane) = (next / lanes, next % lanes);
            let count = (lanes - lane).min(end - next);
            next += count;
            (count != 0).then_some(UniformPiece { vec4, lane: lane as u8, count: count as u8 })
        })
    }

    /// Its only part, if it has one.
    pub(crate) fn single_piece(self) -> Option<UniformPiece> {
        self.pieces().next().filter(|piece| piece.count == self.count)
    }

    fn key(self, piece: UniformPiece) -> Vec4Key {
        (self.block, self.index, piece.vec4, self.bits)
    }

    /// One past the last byte.
    fn end(self) -> u32 {
        (self.first + u32::from(self.count)).saturating_mul(u32::from(self.bits) / 8)
    }
}

/// Whether emission has such loads from uniform blocks: by their width and access.
pub(crate) fn is_emitted(shader: &Shader, target: &Target, inst: Inst) -> bool {
    let access = Access::from_bits_retain(shader.index(inst, Index::access));
    let is_there = match shader.insts[inst].bit_size {
        32 => true,
        // Handles of textures have 64 bits, half of which are used.
        64 => has_64_bits(target) && !shader.facts().intersects(Facts::UNNAMED_TEXTURES),
        _ => false,
    };
    is_there && shader.insts[inst].num_components <= 4 && !access.intersects(Access::ATOMIC | Access::VOLATILE)
}

/// The end of the range of a load in NIR: one past its last byte. `load_ubo_vec4` has no range.
pub(crate) fn range_end(shader: &Shader, inst: Inst) -> Option<u32> {
    let range = shader.index(inst, Index::range);
    let is_known = range != 0 && range != u32::MAX;
    shader.index(inst, Index::range_base).checked_add(range).filter(|_| is_known)
}

/// Whether numbers of 64 bits stay such: no pass splits them.
pub(crate) fn has_64_bits(target: &Target) -> bool {
    target.has(Feature::shaderInt64) && target.has(Feature::shaderFloat64)
}

impl UniformPiece {
    fn has_last_lane(self, read: UniformRead) -> bool {
        self.lane + self.count == read.lanes()
    }

    /// A bit for each lane.
    fn mask(self) -> u8 {
        ((1 << self.count) - 1) << self.lane
    }
}

/// What is read of a vec4.
#[derive(Clone, Copy, Debug, Default)]
struct Vec4 {
    lanes: u8,
    /// The votes of all users for floats.
    float: i16,
}

/// All such reads of a shader.
#[derive(Clone, Debug, Default)]
pub(crate) struct UniformReads {
    vec4s: FxHashMap<Vec4Key, Vec4>,
    /// One past the last byte of each block that certainly exists.
    ends: FxHashMap<u32, u32>,
    /// The blocks of the IR in which the last lane of a vec4 at an index is read, so that all of it exists there.
    wholes: FxHashSet<(Vec4Key, Block)>,
    /// The values that are stored to variables of functions, and their components.
    stored: FxHashSet<Def>,
}

/// A block, an index, the number of a vec4, and a width.
type Vec4Key = (u32, Option<Def>, u32, u8);

impl UniformReads {
    /// Collects the reads of `shader`, whose values have these types.
    pub(crate) fn collect(&mut self, shader: &Shader, target: &Target, types: &ValueTypes) {
        self.vec4s.clear();
        self.ends.clear();
        self.wholes.clear();
        self.stored.clear();
        if !shader.facts().intersects(Facts::UBO_OFFSETS) {
            return;
        }
        let mut has_index = false;
        for inst in &shader.order {
            let Some(read) = UniformRead::new(shader, target, *inst) else { continue };
            has_index |= read.index.is_some();
            for piece in read.pieces() {
                let vec4 = self.vec4s.entry(read.key(piece)).or_default();
                vec4.lanes |= piece.mask();
                vec4.float = vec4.float.saturating_add(types.float_votes(inst.def()));
            }
            if read.index.is_some() {
                continue;
            }
            let end = self.ends.entry(read.block).or_default();
            *end = (*end).max(read.end()).max(range_end(shader, *inst).unwrap_or(0));
        }
        if has_index && !target.uniform_ranges_in_vec4s {
            self.collect_wholes(shader, target);
        }
        if shader.facts().intersects(Facts::derefs(Modes::FUNCTION_TEMP)) {
            self.collect_stored(shader);
        }
    }

    #[inline(never)]
    fn collect_stored(&mut self, shader: &Shader) {
        for inst in &shader.order {
            let Some((Intrinsic::store_deref, &[pointer, value])) = shader.as_intrinsic(*inst) else { continue };
            if shader.as_deref(pointer).is_some_and(|deref| deref.modes == Modes::FUNCTION_TEMP) {
                self.stored.insert(value);
                if let Some((AluOp::vec2 | AluOp::vec3 | AluOp::vec4, components)) = shader.as_alu(value) {
                    self.stored.extend(components.iter().map(|component| component.def));
                }
            }
        }
    }

    #[inline(never)]
    fn collect_wholes(&mut self, shader: &Shader, target: &Target) {
        for block in shader.block_order() {
            let reads = shader.block_insts(block).iter().filter_map(|inst| UniformRead::new(shader, target, *inst));
            for read in reads.filter(|read| read.index.is_some()) {
                let last = read.pieces().filter(|piece| piece.has_last_lane(read));
                self.wholes.extend(last.map(|piece| (read.key(piece), block)));
            }
        }
    }

    /// Whether all of the vec4 is loaded for the value `def` in the block `at` of the IR: several lanes of it are used, and all of it
    /// may be read. `least` bytes of its block certainly exist; `None` if whole vec4s exist.
    ///
    /// A compiler of GPUs makes phis of variables of functions, which have no swizzle: a lane of a vec4 would take an instruction to
    /// move it in each block before a phi. So what is stored to them is loaded lane by lane, if it is not all of a vec4. See
    /// `docs/spirv-shapes.md`.
    ///
    /// With robust buffer access a device may return zeros for all of a vector of which one byte is outside of the bound range
    /// (Vulkan, "Robust Buffer Access").
    pub(crate) fn is_whole(
        &self,
        (def, read, piece): (Def, UniformRead, UniformPiece),
        least: Option<u32>,
        at: Block,
    ) -> bool {
        if piece.count != read.lanes() && self.stored.contains(&def) {
            return false;
        }
        let exists = match (least, read.index) {
            (None, _) => true,
            (Some(_), Some(_)) => self.wholes.contains(&(read.key(piece), at)),
            (Some(least), None) => piece.vec4 < self.ends.get(&read.block).map_or(least, |end| least.max(*end)) / 16,
        };
        let may = exists || piece.has_last_lane(read);
        may && self.of(read, piece).lanes.count_ones() > 1
    }

    /// Whether most users of the vec4 want floats.
    pub(crate) fn base(&self, read: UniformRead, piece: UniformPiece) -> Base {
        match self.of(read, piece).float {
            1.. => Base::Float,
            _ => Base::Uint,
        }
    }

    fn of(&self, read: UniformRead, piece: UniformPiece) -> Vec4 {
        self.vec4s.get(&read.key(piece)).copied().unwrap_or_default()
    }
}
