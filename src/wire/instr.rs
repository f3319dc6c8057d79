//! Reading instructions: each section with a loop of its own.

use super::decode::Reading;
use super::format::{self, alu_type, pick, plain, row, Head, Section, Step, TexFlags, JUMPS, WIDE};
use super::names::{is_value, old_alu, old_intrinsic};
use super::words::{ends_early, error, rows, unexpected};
use crate::entity::{Id, Slice};
use crate::error::Error;
use crate::ir::{
    AluFlags, AluSrc, ArrayIndex, Block, Def, Deref, DerefKind, Inst, InstData, InstKind, PhiSrc, Shader, Stage,
    Swizzle, TexData, TexSrcs, Var, Variable,
};
use crate::op::old::OldAlu;
use crate::op::{AluOp, Index, Intrinsic, Modes};

/// An instruction as it begins in all sections.
#[derive(Clone, Copy)]
struct Parts<'a> {
    /// Its place in program order, which is the number of its result.
    number: u32,
    /// See [`Head`].
    head: u32,
    /// The words behind, to the end of the section.
    operands: &'a [u32],
    /// Where the operands stand in the wire.
    at: usize,
}

impl<'a> Parts<'a> {
    fn op(&self) -> u32 {
        Head::unpack(self.head).op
    }

    fn num_components(&self) -> u8 {
        Head::unpack(self.head).num_components
    }

    /// The first `count` operands.
    #[inline(always)]
    fn first(&self, count: usize) -> Result<&'a [u32], Error> {
        self.operands.get(..count).ok_or_else(|| ends_early(self.at + self.operands.len()))
    }
}

// Errors come from functions that take values: what one refers to would have to be in memory all the time.
impl<'a> Reading<'a> {
    /// Reads a section of instructions, each with `read`, which says how many operands it had.
    #[inline(always)]
    fn instructions(
        &mut self,
        section: Section,
        mut read: impl FnMut(&mut Self, Parts<'a>) -> Result<usize, Error>,
    ) -> Result<(), Error> {
        let (mut words, start) = self.section(section);
        let end = start + words.len();
        while let [number, head, operands @ ..] = words {
            let parts = Parts { number: *number, head: *head, operands, at: end - operands.len() };
            let count = read(self, parts)?;
            words = operands.get(count..).unwrap_or_default();
        }
        match words.is_empty() {
            true => Ok(()),
            false => Err(ends_early(end)),
        }
    }

    /// Puts an instruction with a result in its place.
    #[inline(always)]
    fn define(&mut self, parts: Parts<'a>, kind: InstKind) -> Result<(), Error> {
        shape(parts)?;
        self.fill(parts, kind)
    }

    #[inline(always)]
    fn fill(&mut self, parts: Parts<'a>, kind: InstKind) -> Result<(), Error> {
        let Head { num_components, bit_size, .. } = Head::unpack(parts.head);
        if !self.shader.fill(parts.number, InstData { num_components, bit_size, kind }) {
            return Err(no_place(parts.at - 2, parts.number));
        }
        self.num_vacant -= 1;
        Ok(())
    }

    /// The value `number`, which is operand `n`.
    #[inline(always)]
    fn src(&mut self, parts: Parts<'a>, n: usize, number: u32) -> Def {
        self.sources.get(&self.shader.insts, number, parts.number, parts.at + n)
    }

    /// Instructions without operands, and phis, whose operands may come later.
    #[inline(never)]
    pub(super) fn plain(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Plain);
        for (at, &[number, head]) in rows::<{ row::PLAIN }>(words, start)? {
            let parts = Parts { number, head, operands: &[], at: at + 2 };
            match parts.op() {
                plain::UNDEF => self.define(parts, InstKind::Undef)?,
                plain::PHI => self.define(parts, InstKind::Phi(Slice::default()))?,
                op => {
                    let jump = op.checked_sub(plain::JUMP).and_then(|op| pick(JUMPS, op));
                    let jump = jump.ok_or_else(|| unexpected(at + 1, "an instruction without operands", op))?;
                    if !has_no_result(head) {
                        return Err(no_shape(at + 1, head));
                    }
                    self.fill(parts, InstKind::Jump(jump))?;
                }
            }
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn phi_srcs(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::PhiSrc);
        let num_insts = self.num_insts as u32;
        let mut rows = rows::<{ row::PHI_SRC }>(words, start)?.peekable();
        while let Some(&(at, &[number, ..])) = rows.peek() {
            if !matches!(self.shader.insts.at(number as usize), Some(InstData { kind: InstKind::Phi(srcs), .. }) if srcs.is_empty())
            {
                return Err(unexpected(at, "a phi of which all sources follow", number));
            }
            let first = self.shader.phi_srcs.values().len();
            while let Some((at, &[_, pred, def])) = rows.next_if(|(_, row)| row[0] == number) {
                if pred as usize >= self.shader.blocks.len() {
                    return Err(unexpected(at + 1, "a block", pred));
                }
                let def = self.sources.get(&self.shader.insts, def, num_insts, at + 2);
                self.shader.phi_srcs.push(&[PhiSrc { pred: Block::from_index(pred as usize), def }]);
            }
            let srcs = self.shader.phi_srcs.since(first);
            self.shader.set_kind(Inst::from_index(number as usize), InstKind::Phi(srcs));
        }
        Ok(())
    }

    pub(super) fn alus(&mut self) -> Result<(), Error> {
        self.alus_of::<1, 4>(Section::Alu1)?;
        self.alus_of::<2, 6>(Section::Alu2)?;
        self.alus_of::<3, 8>(Section::Alu3)?;
        self.alus_of::<4, 10>(Section::Alu4)?;
        self.other_alus()
    }

    /// ALU instructions of `N` sources, in rows of `ROW` words.
    #[inline(never)]
    fn alus_of<const N: usize, const ROW: usize>(&mut self, section: Section) -> Result<(), Error> {
        let (words, start) = self.section(section);
        self.shader.alu_srcs.reserve(words.len() / ROW * N);
        for (at, row) in rows::<ROW>(words, start)? {
            let parts = Parts { number: row[0], head: row[1], operands: &row[2..], at: at + 2 };
            let head = Head::unpack(parts.head);
            let (Some(op), Some(flags)) = (pick(AluOp::ALL, head.op), AluFlags::from_bits(head.flags)) else {
                return Err(no_alu(at + 1, parts.head));
            };
            if op.info().srcs.len() != N {
                return Err(error(at + 1, format_args!("{} has another number of sources", op.name())));
            }
            let Reading { sources, shader, .. } = self;
            let Shader { insts, alu_srcs, .. } = &mut **shader;
            let srcs: [AluSrc; N] = std::array::from_fn(|n| AluSrc {
                def: sources.get(insts, row[2 + 2 * n], parts.number, at + 2 + 2 * n),
                swizzle: Swizzle::from_first(row[3 + 2 * n]),
            });
            let srcs = alu_srcs.push(&srcs);
            self.define(parts, InstKind::Alu { op, flags, srcs })?;
        }
        Ok(())
    }

    /// ALU instructions of any number of sources, those that read more than eight components of one, and those of older releases.
    #[inline(never)]
    fn other_alus(&mut self) -> Result<(), Error> {
        self.instructions(Section::Alu, |reading, parts| {
            let Head { op, flags, .. } = Head::unpack(parts.head);
            let is_wide = flags & WIDE != 0;
            let flags = AluFlags::from_bits(flags & !WIDE).unwrap_or_default();
            let Some(op) = pick(AluOp::ALL, op) else {
                return reading.old_alu(parts, flags, is_wide);
            };
            let mut count = 0;
            let first = reading.shader.alu_srcs.values().len();
            for _ in op.info().srcs {
                let src = reading.alu_src(parts, &mut count, is_wide)?;
                reading.shader.alu_srcs.push(&[src]);
            }
            let srcs = reading.shader.alu_srcs.since(first);
            reading.define(parts, InstKind::Alu { op, flags, srcs })?;
            Ok(count)
        })
    }

    /// A source behind `count` operands.
    fn alu_src(&mut self, parts: Parts<'a>, count: &mut usize, is_wide: bool) -> Result<AluSrc, Error> {
        let words = &parts.first(*count + 2 + usize::from(is_wide))?[*count..];
        let mut swizzle = Swizzle::from_first(words[1]);
        if let Some(high) = words.get(2) {
            (0..8).for_each(|n| swizzle.set(8 + n, (high >> (4 * n)) as u8));
        }
        let def = self.src(parts, *count, words[0]);
        *count += words.len();
        Ok(AluSrc { def, swizzle })
    }

    /// An opcode of an older release: its instruction now, behind those that it takes besides.
    #[cold]
    #[inline(never)]
    fn old_alu(&mut self, parts: Parts<'a>, flags: AluFlags, is_wide: bool) -> Result<usize, Error> {
        let old = old_alu(parts.op(), parts.at - 1)?;
        let (components, mut count) = (parts.num_components(), 0);
        let src = self.alu_src(parts, &mut count, is_wide)?;
        self.sources.are_sound()?;
        let of = *self.shader.def(src.def);
        if of.bit_size == 0 {
            // It stands behind this in its section.
            return Err(error(parts.at, format_args!("value {:?} is not read before this use", src.def)));
        }
        let kind = match old {
            OldAlu::NotZero(op) => {
                let zero = InstKind::Const(self.shader.consts.push(&[0]));
                let zero = AluSrc { def: self.extra(parts, 1, of.bit_size, zero), swizzle: Swizzle::splat(0) };
                InstKind::Alu { op, flags, srcs: self.shader.push_alu_srcs(&[src, zero]) }
            }
            OldAlu::Intrinsic(op) => {
                let plain = of.num_components == components;
                let value = if plain && src.swizzle.is_identity(components.into()) {
                    src.def
                } else {
                    let srcs = self.shader.push_alu_srcs(&[src]);
                    let mov = InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs };
                    self.extra(parts, components, of.bit_size, mov)
                };
                let (srcs, indices) = (self.shader.srcs.push(&[value]), Slice::default());
                InstKind::Intrinsic { op, srcs, indices }
            }
        };
        self.define(parts, kind)?;
        Ok(count)
    }

    /// An instruction that the wire does not have, before the one that is read.
    fn extra(&mut self, parts: Parts<'a>, num_components: u8, bit_size: u8, kind: InstKind) -> Def {
        let inst = self.shader.make(InstData { num_components, bit_size, kind });
        self.state.extras.push((Inst::from_index(parts.number as usize), inst));
        inst.def()
    }

    #[inline(never)]
    pub(super) fn consts(&mut self) -> Result<(), Error> {
        self.instructions(Section::Const, |reading, parts| {
            let Head { num_components, bit_size, .. } = Head::unpack(parts.head);
            let words = parts.first(usize::from(num_components) << u8::from(bit_size == 64))?;
            let consts = &mut reading.shader.consts;
            let values = match (bit_size, words) {
                (1..=32, &[value]) => consts.push(&[value.into()]),
                (64, words) => {
                    consts.extend(words.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32))
                }
                (_, words) => consts.extend(words.iter().map(|word| u64::from(*word))),
            };
            reading.define(parts, InstKind::Const(values))?;
            Ok(words.len())
        })
    }

    /// Pointers to variables.
    #[inline(never)]
    pub(super) fn deref_vars(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::DerefVar);
        for (at, &[number, head, var]) in rows::<{ row::DEREF_VAR }>(words, start)? {
            let Some(&Variable { ty, mode: modes, .. }) = self.shader.vars.at(var as usize) else {
                return Err(unexpected(at + 2, "a variable", var));
            };
            let parts = Parts { number, head, operands: &[], at: at + 2 };
            let kind = DerefKind::Var(Var::from_index(var as usize));
            self.define_deref(parts, Deref { kind, ty, modes }, true)?;
        }
        Ok(())
    }

    /// Steps on from pointers.
    #[inline(never)]
    pub(super) fn derefs(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Deref);
        for (at, &[number, head, ty, modes, ref operands @ ..]) in rows::<{ row::DEREF }>(words, start)? {
            let parts = Parts { number, head, operands, at: at + 2 };
            let ty = self.type_row(ty, at + 2)?.ty;
            let modes = Modes::from_bits(modes).ok_or_else(|| unexpected(at + 3, "modes", modes))?;
            let kind = self.step(parts, *operands, at + 4)?;
            self.define_deref(parts, Deref { kind, ty, modes }, Step::ARE_USUAL >> (parts.op() & 31) & 1 != 0)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn define_deref(&mut self, parts: Parts<'a>, deref: Deref, is_usual: bool) -> Result<(), Error> {
        let Head { num_components, bit_size, .. } = shape(parts)?;
        if !self.shader.fill_deref(parts.number, num_components, bit_size, deref, is_usual) {
            return Err(no_place(parts.at - 2, parts.number));
        }
        self.num_vacant -= 1;
        Ok(())
    }

    /// A step of a pointer, from what stands behind its type and modes.
    #[inline(always)]
    fn step(&mut self, parts: Parts<'a>, [first, a, b, c]: [u32; 4], at: usize) -> Result<DerefKind, Error> {
        if parts.op() == Step::Var as u32 {
            return match (first as usize) < self.shader.vars.len() {
                true => Ok(DerefKind::Var(Var::from_index(first as usize))),
                false => Err(unexpected(at, "a variable", first)),
            };
        }
        let mut value = |n: usize, number: u32| self.sources.get(&self.shader.insts, number, parts.number, at + n);
        let parent = value(0, first);
        let imm = ArrayIndex::Imm((u64::from(a) | u64::from(b) << 32) as i64);
        Ok(match Step::from_number(parts.op()) {
            Some(Step::ArrayImm) => DerefKind::Array { parent, index: imm },
            Some(Step::Array) => DerefKind::Array { parent, index: ArrayIndex::Def(value(1, a)) },
            Some(Step::Struct) => DerefKind::Struct { parent, field: a },
            Some(Step::Var | Step::ArrayWildcard) => DerefKind::ArrayWildcard { parent },
            Some(Step::PtrAsArray) => DerefKind::PtrAsArray { parent, index: ArrayIndex::Def(value(1, a)) },
            Some(Step::PtrAsArrayImm) => DerefKind::PtrAsArray { parent, index: imm },
            Some(Step::Cast) => DerefKind::Cast { parent, stride: a, align_mul: b, align_offset: c },
            None => return Err(unexpected(at - 3, "a step of a pointer", parts.op())),
        })
    }

    #[inline(never)]
    pub(super) fn intrinsics(&mut self) -> Result<(), Error> {
        // The values of all indices are among these words: they are copied once.
        let (words, start) = self.section(Section::Intrinsic);
        let all = self.shader.indices.push(words);
        let mut next = 0;
        self.instructions(Section::Intrinsic, |reading, parts| {
            // So that what has a result is known where it is used.
            if parts.number < next {
                return Err(not_in_order(parts.at - 2, parts.number));
            }
            next = parts.number.saturating_add(1);
            let Some(op) = pick(Intrinsic::ALL, parts.op()) else {
                return reading.old_intrinsic(parts);
            };
            let info = op.info();
            let (num_srcs, num_indices) = (info.srcs.len(), info.indices.len());
            let words = parts.first(num_srcs + num_indices)?;
            let indices = all.part(parts.at + num_srcs - start, num_indices);
            if info.has_index(Index::format) || info.has_index(Index::reduction_op) {
                are_values(op, &words[num_srcs..], parts.at + num_srcs)?;
            }
            let srcs = words[..num_srcs].iter().enumerate();
            let srcs =
                srcs.map(|(n, number)| reading.sources.get(&reading.shader.insts, *number, parts.number, parts.at + n));
            let srcs = reading.shader.srcs.extend(srcs);
            reading.intrinsic(parts, InstKind::Intrinsic { op, srcs, indices })?;
            Ok(words.len())
        })
    }

    /// An intrinsic has a result or none.
    #[inline(always)]
    fn intrinsic(&mut self, parts: Parts<'a>, kind: InstKind) -> Result<(), Error> {
        match has_no_result(parts.head) {
            true => self.fill(parts, kind),
            false => self.define(parts, kind),
        }
    }

    /// An intrinsic of an older release: what it is today, with the indices that the old name implied.
    #[cold]
    #[inline(never)]
    fn old_intrinsic(&mut self, parts: Parts<'a>) -> Result<usize, Error> {
        let tess_ctrl = self.shader.info.stage == Stage::TessCtrl;
        let old = old_intrinsic(parts.op(), tess_ctrl, parts.at - 1)?;
        let (op, info) = (old.op, old.op.info());
        let num_srcs = info.srcs.len() - old.missing_srcs;
        let words = parts.first(num_srcs + info.indices.len())?;
        let (srcs, indices) = words.split_at(num_srcs);
        are_values(op, indices, parts.at + num_srcs)?;
        let first = self.shader.srcs.values().len();
        for (n, src) in srcs.iter().enumerate() {
            let src = self.src(parts, n, *src);
            self.shader.srcs.push(&[src]);
        }
        for _ in 0..old.missing_srcs {
            let undefined = self.extra(parts, 1, 32, InstKind::Undef);
            self.shader.srcs.push(&[undefined]);
        }
        let srcs = self.shader.srcs.since(first);
        let indices = self.shader.indices.push(indices);
        for (index, value) in old.indices {
            if let Some(slot) = info.index_slot(index) {
                self.shader.indices[indices][slot] = value;
            }
        }
        self.intrinsic(parts, InstKind::Intrinsic { op, srcs, indices })?;
        Ok(words.len())
    }

    #[inline(never)]
    pub(super) fn texs(&mut self) -> Result<(), Error> {
        self.instructions(Section::Tex, Self::tex)
    }

    fn tex(&mut self, parts: Parts<'a>) -> Result<usize, Error> {
        const FIXED: usize = 6;
        let at = parts.at;
        let Some(&[dest_type, bits, texture_index, sampler_index, low, high]) = parts.operands.first_chunk::<FIXED>()
        else {
            return Err(ends_early(at + parts.operands.len()));
        };
        let [flags, component, num_srcs, _] = bits.to_le_bytes();
        let op = format::tex_op(parts.op()).ok_or_else(|| unexpected(at - 1, "a texture operation", parts.op()))?;
        let dest_type = alu_type(dest_type).ok_or_else(|| unexpected(at, "a type of a result", dest_type))?;
        let flags =
            TexFlags::from_bits(flags).ok_or_else(|| unexpected(at + 1, "flags of a texture operation", bits))?;
        let words = parts.first(FIXED + 2 * usize::from(num_srcs))?;
        let mut srcs = TexSrcs::new();
        for (n, pair) in words[FIXED..].chunks_exact(2).enumerate() {
            let n = FIXED + 2 * n;
            let kind = format::tex_src(pair[0]).ok_or_else(|| unexpected(at + n, "a kind of source", pair[0]))?;
            if !srcs.push(kind, self.src(parts, n + 1, pair[1])) {
                return Err(error(at + n, format_args!("more sources than there are kinds of them")));
            }
        }
        let offsets = [low, low >> 16, high, high >> 16].map(|pair| [pair as i8, (pair >> 8) as i8]);
        let tex = self.shader.texs.push(TexData {
            op,
            dest_type,
            srcs,
            texture_index,
            sampler_index,
            component,
            offsets: flags.contains(TexFlags::OFFSETS).then_some(offsets),
            is_gather_implicit_lod: flags.contains(TexFlags::GATHER_IMPLICIT_LOD),
            texture_non_uniform: flags.contains(TexFlags::TEXTURE_NON_UNIFORM),
            sampler_non_uniform: flags.contains(TexFlags::SAMPLER_NON_UNIFORM),
            is_sparse: flags.contains(TexFlags::SPARSE),
        });
        self.define(parts, InstKind::Tex(tex))?;
        Ok(words.len())
    }
}

/// The shape of a result. What holds swizzles and constants has room for these; which of them are allowed where is for `check` to say.
#[inline(always)]
fn shape(parts: Parts<'_>) -> Result<Head, Error> {
    let head = Head::unpack(parts.head);
    match is_shape(head) {
        true => Ok(head),
        false => Err(no_shape(parts.at - 1, parts.head)),
    }
}

/// Refuses indices, which stand from `at` on, that have a value that they cannot have.
#[cold]
fn are_values(op: Intrinsic, indices: &[u32], at: usize) -> Result<(), Error> {
    for (n, (index, value)) in op.info().indices.iter().zip(indices).enumerate() {
        if !is_value(*index, *value) {
            return Err(error(at + n, format_args!("{} is {value}, which has no name", index.name())));
        }
    }
    Ok(())
}

#[cold]
fn no_shape(at: usize, head: u32) -> Error {
    let Head { num_components, bit_size, .. } = Head::unpack(head);
    error(at, format_args!("a result of {num_components} components of {bit_size} bits"))
}

/// Opcodes of older releases stand elsewhere.
#[cold]
fn no_alu(at: usize, head: u32) -> Error {
    let Head { op, flags, .. } = Head::unpack(head);
    error(at, format_args!("there is no ALU opcode {op} of today with flags {flags:#x}"))
}

#[cold]
fn no_place(at: usize, number: u32) -> Error {
    error(at, format_args!("instruction {number} stands twice, or is more than there are"))
}

#[cold]
fn not_in_order(at: usize, number: u32) -> Error {
    error(at, format_args!("instruction {number} stands behind a later one"))
}

/// No components and no bits are no result.
fn has_no_result(head: u32) -> bool {
    let Head { num_components, bit_size, .. } = Head::unpack(head);
    num_components == 0 && bit_size == 0
}

/// Whether there are such results.
fn is_shape(head: Head) -> bool {
    const SHAPES: [u32; 128] = shapes();
    SHAPES[usize::from(head.bit_size & 127)] >> (head.num_components & 31) & 1 != 0
}

/// By the width, a bit for each number of components.
const fn shapes() -> [u32; 128] {
    let sizes = 0b11_1110 | 1 << 8 | 1 << 16;
    let mut shapes = [0; 128];
    (shapes[1], shapes[8], shapes[16], shapes[32], shapes[64]) = (sizes, sizes, sizes, sizes, sizes);
    shapes
}
