//! Reading instructions.

use super::decode::{PendingPhi, Reading};
use super::format::{self, alu_type, pick, Head, Kind, Step, TexFlags, JUMPS, WIDE_SWIZZLE};
use super::names::{is_value, old_alu, old_intrinsic};
use super::record::{error, unexpected, Record};
use super::values::Values;
use crate::entity::{Id, Slice};
use crate::error::Error;
use crate::ir::{
    AluFlags, AluSrc, ArrayIndex, Def, Deref, DerefKind, InstData, InstKind, Stage, Swizzle, TexData, Var,
};
use crate::op::old::OldAlu;
use crate::op::{AluOp, Index, Intrinsic, Modes, Operand};

/// The record of an instruction: what all of them have, and the rest.
#[derive(Clone, Copy)]
struct Parts<'a> {
    /// See [`Head`].
    head: u32,
    /// The number of the result.
    number: u32,
    operands: &'a [u32],
    /// Where the operands stand in the wire.
    at: usize,
}

impl Parts<'_> {
    fn op(&self) -> u32 {
        Head::unpack(self.head).op
    }

    fn num_components(&self) -> u8 {
        Head::unpack(self.head).num_components
    }
}

// Each kind of instruction that is frequent is read by a function of its own, for which the compiler knows what it makes. Errors
// come from functions that take values: what one refers to would have to be in memory all the time.
impl<'a> Reading<'a> {
    /// Takes the record of an instruction apart, which stands at `at`.
    #[inline(always)]
    fn begin(&self, words: &'a [u32], at: usize) -> Result<Parts<'a>, Error> {
        if !self.in_block {
            return Err(outside_of_block(at));
        }
        let &[_, head, number, ref operands @ ..] = words else { return Err(self.wrong_length(3, words, at)) };
        // What holds swizzles and constants has room for these; which of them are allowed where is for `check` to say.
        if !is_shape(Head::unpack(head)) {
            return Err(no_shape(at + 1, head));
        }
        Ok(Parts { head, number, operands, at: at + 3 })
    }

    /// Makes the instruction of a record.
    #[inline(always)]
    fn finish(&mut self, parts: Parts<'a>, kind: InstKind) -> Result<(), Error> {
        let Head { num_components, bit_size, .. } = Head::unpack(parts.head);
        let inst = self.shader.make(InstData { num_components, bit_size, kind });
        let number = parts.number;
        if num_components != 0 && (number >= WIDE_SWIZZLE || !self.state.values.define(number, inst.def())) {
            return Err(no_new_number(parts.at - 1, number));
        }
        Ok(())
    }

    /// The words that stand at `at`, one after the other.
    fn record(&self, words: &[u32], at: usize) -> Record<'a> {
        Record::new(&self.wire[..at + words.len()], at)
    }

    /// That `words`, which stand at `at`, should be `count`.
    #[cold]
    pub(super) fn wrong_length(&self, count: usize, words: &[u32], at: usize) -> Error {
        self.record(words, at).wrong_length(count)
    }

    #[inline(never)]
    pub(super) fn seldom(&mut self, kind: Kind, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let mut record = self.record(parts.operands, parts.at);
        let kind = match kind {
            Kind::Phi => self.phi(&mut record)?,
            Kind::Tex => self.tex(parts, &mut record)?,
            Kind::Jump => InstKind::Jump(opcode(parts, "a jump", |op| pick(JUMPS, op))?),
            _ => InstKind::Undef,
        };
        record.end()?;
        self.finish(parts, kind)
    }

    #[inline(never)]
    pub(super) fn alu(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let Some(op) = AluOp::ALL.get(parts.op() as usize).copied() else {
            return self.old_alu(words, at);
        };
        let flags = alu_flags(parts)?;
        let (pool, values) = (&mut self.shader.alu_srcs, &mut self.state.values);
        let mut src = |n: usize, def: u32, bits: u32, operand: &Operand| AluSrc {
            def: values.get(def, parts.at + 2 * n),
            swizzle: Swizzle::from_bits(bits.into(), Swizzle::unread(operand.components(parts.num_components()))),
        };
        let srcs = match (op.info().srcs, parts.operands) {
            // What most are, without a loop.
            ([a], &[def, bits]) => pool.push(&[src(0, def, bits, a)]),
            ([a, b], &[def, bits, def2, bits2]) => pool.push(&[src(0, def, bits, a), src(1, def2, bits2, b)]),
            (operands, words) if words.len() == 2 * operands.len() => {
                let pairs = words.chunks_exact(2).zip(operands).enumerate();
                pool.extend(pairs.map(|(n, (pair, operand))| src(n, pair[0], pair[1], operand)))
            }
            _ => return self.wide_alu(op, words, at),
        };
        self.finish(parts, InstKind::Alu { op, flags, srcs })
    }

    /// An ALU instruction that reads more than eight components of a source.
    #[cold]
    #[inline(never)]
    fn wide_alu(&mut self, op: AluOp, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let flags = alu_flags(parts)?;
        let mut record = self.record(parts.operands, parts.at);
        let values = &mut self.state.values;
        let operands = op.info().srcs.iter();
        let srcs = operands.map(|operand| alu_src(operand.components(parts.num_components()), &mut record, values));
        let srcs = self.shader.alu_srcs.extend(srcs);
        record.end()?;
        self.finish(parts, InstKind::Alu { op, flags, srcs })
    }

    /// An opcode of an older release: its instruction now, behind those that it takes besides.
    #[cold]
    #[inline(never)]
    fn old_alu(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let old = old_alu(parts.op(), at + 1)?;
        let flags = alu_flags(parts)?;
        let components = parts.num_components();
        let mut record = self.record(parts.operands, parts.at);
        let src = alu_src(components, &mut record, &mut self.state.values);
        self.state.values.sound()?;
        record.end()?;
        let bits = self.shader.bit_size(src.def);
        let kind = match old {
            OldAlu::NotZero(op) => {
                let zero = InstKind::Const(self.shader.consts.push(&[0]));
                let zero = AluSrc { def: self.emit(1, bits, zero), swizzle: Swizzle::splat(0) };
                InstKind::Alu { op, flags, srcs: self.shader.push_alu_srcs(&[src, zero]) }
            }
            OldAlu::Intrinsic(op) => {
                let plain = self.shader.num_components(src.def) == components;
                let value = if plain && src.swizzle.is_identity(components.into()) {
                    src.def
                } else {
                    let srcs = self.shader.push_alu_srcs(&[src]);
                    self.emit(components, bits, InstKind::Alu { op: AluOp::mov, flags: AluFlags::empty(), srcs })
                };
                let (srcs, indices) = (self.shader.srcs.push(&[value]), Slice::default());
                InstKind::Intrinsic { op, srcs, indices }
            }
        };
        self.finish(parts, kind)
    }

    /// An instruction that the wire does not have.
    fn emit(&mut self, num_components: u8, bit_size: u8, kind: InstKind) -> Def {
        self.shader.make(InstData { num_components, bit_size, kind }).def()
    }

    #[inline(never)]
    pub(super) fn constant(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let Head { num_components, bit_size, .. } = Head::unpack(parts.head);
        let count = usize::from(num_components) << u8::from(bit_size == 64);
        if parts.operands.len() != count {
            return Err(self.wrong_length(count, parts.operands, parts.at));
        }
        let consts = &mut self.shader.consts;
        let values = match bit_size {
            1..=32 if num_components == 1 => consts.push(&[parts.operands[0].into()]),
            64 => {
                consts.extend(parts.operands.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32))
            }
            _ => consts.extend(parts.operands.iter().map(|word| u64::from(*word))),
        };
        self.finish(parts, InstKind::Const(values))
    }

    /// The sources are looked up at the end.
    fn phi(&mut self, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let inst = self.shader.insts.next_id();
        let start = record.at();
        let words = record.words(record.left());
        if words.len() % 2 != 0 {
            return Err(record.behind(format_args!("a source of a phi is a block and a value")));
        }
        self.state.phis.push(PendingPhi { inst, start, end: record.at() });
        Ok(InstKind::Phi(Slice::default()))
    }

    #[inline(never)]
    pub(super) fn deref(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let step = opcode(parts, "a step of a pointer", Step::from_number)?;
        let &[ty, modes, ref operands @ ..] = parts.operands else {
            return Err(self.wrong_length(2, parts.operands, parts.at));
        };
        let ty = self.type_row(ty, parts.at)?.ty;
        let modes = Modes::from_bits(modes).ok_or_else(|| unexpected(parts.at + 1, "modes", modes))?;
        let kind = self.step(step, operands, parts.at + 2)?;
        let deref = self.shader.derefs.push(Deref { kind, ty, modes });
        self.finish(parts, InstKind::Deref(deref))
    }

    /// A step of a pointer, from what stands behind its type and modes.
    #[inline(always)]
    fn step(&mut self, step: Step, words: &'a [u32], at: usize) -> Result<DerefKind, Error> {
        let values = &mut self.state.values;
        let imm = |low: u32, high: u32| ArrayIndex::Imm((u64::from(low) | u64::from(high) << 32) as i64);
        Ok(match (step, words) {
            (Step::Var, &[number]) => match (number as usize) < self.shader.vars.len() {
                true => DerefKind::Var(Var::from_index(number as usize)),
                false => return Err(unexpected(at, "a variable written before this", number)),
            },
            (Step::Array, &[parent, index]) => {
                DerefKind::Array { parent: values.get(parent, at), index: ArrayIndex::Def(values.get(index, at + 1)) }
            }
            (Step::ArrayImm, &[parent, low, high]) => {
                DerefKind::Array { parent: values.get(parent, at), index: imm(low, high) }
            }
            (Step::ArrayWildcard, &[parent]) => DerefKind::ArrayWildcard { parent: values.get(parent, at) },
            (Step::PtrAsArray, &[parent, index]) => DerefKind::PtrAsArray {
                parent: values.get(parent, at),
                index: ArrayIndex::Def(values.get(index, at + 1)),
            },
            (Step::PtrAsArrayImm, &[parent, low, high]) => {
                DerefKind::PtrAsArray { parent: values.get(parent, at), index: imm(low, high) }
            }
            (Step::Struct, &[parent, field]) => DerefKind::Struct { parent: values.get(parent, at), field },
            (Step::Cast, &[parent, stride, align_mul, align_offset]) => {
                DerefKind::Cast { parent: values.get(parent, at), stride, align_mul, align_offset }
            }
            _ => return Err(self.wrong_length(step.num_words(), words, at)),
        })
    }

    #[inline(never)]
    pub(super) fn intrinsic(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let Some(op) = Intrinsic::ALL.get(parts.op() as usize).copied() else {
            return self.old_intrinsic(words, at);
        };
        let info = op.info();
        let num_srcs = info.srcs.len();
        if parts.operands.len() != num_srcs + info.indices.len() {
            return Err(wrong_operands(op, num_srcs, parts.operands.len(), parts.at));
        }
        let (srcs, indices) = parts.operands.split_at(num_srcs);
        if info.has_index(Index::format) || info.has_index(Index::reduction_op) {
            are_values(op, indices, parts.at + num_srcs)?;
        }
        let Reading { state, shader, .. } = self;
        let mut src = |n: usize, number: u32| state.values.get(number, parts.at + n);
        let srcs = match *srcs {
            // What most have, without a loop.
            [a] => shader.srcs.push(&[src(0, a)]),
            [a, b] => shader.srcs.push(&[src(0, a), src(1, b)]),
            _ => shader.srcs.extend(srcs.iter().enumerate().map(|(n, number)| src(n, *number))),
        };
        let indices = shader.indices.extend(indices.iter().copied());
        self.finish(parts, InstKind::Intrinsic { op, srcs, indices })
    }

    /// An intrinsic of an older release: what it is today, with the indices that the old name implied.
    #[cold]
    #[inline(never)]
    fn old_intrinsic(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let parts = self.begin(words, at)?;
        let tess_ctrl = self.shader.info.stage == Stage::TessCtrl;
        let old = old_intrinsic(parts.op(), tess_ctrl, parts.at - 2)?;
        let (op, info) = (old.op, old.op.info());
        let num_srcs = info.srcs.len() - old.missing_srcs;
        if parts.operands.len() != num_srcs + info.indices.len() {
            return Err(wrong_operands(op, num_srcs, parts.operands.len(), parts.at));
        }
        let (srcs, indices) = parts.operands.split_at(num_srcs);
        are_values(op, indices, parts.at + num_srcs)?;
        let mut undefined = self.shader.insts.next_id().def();
        for _ in 0..old.missing_srcs {
            undefined = self.emit(1, 32, InstKind::Undef);
        }
        let values = &mut self.state.values;
        let srcs = srcs.iter().enumerate().map(|(n, src)| values.get(*src, parts.at + n));
        let srcs = self.shader.srcs.extend(srcs.chain((0..old.missing_srcs).map(|_| undefined)));
        let indices = self.shader.indices.push(indices);
        for (index, value) in old.indices {
            if let Some(slot) = info.index_slot(index) {
                self.shader.indices[indices][slot] = value;
            }
        }
        self.finish(parts, InstKind::Intrinsic { op, srcs, indices })
    }

    fn tex(&mut self, parts: Parts<'a>, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let op = opcode(parts, "a texture operation", format::tex_op)?;
        let dest_type = record.pick("a type of a result", alu_type)?;
        let flags = record.pick("flags of a texture operation", TexFlags::from_bits)?;
        let component = record.pick("a component", |number| u8::try_from(number).ok())?;
        let (texture_index, sampler_index) = (record.word(), record.word());
        let mut offsets = None;
        if flags.contains(TexFlags::OFFSETS) {
            let mut pairs = [[0; 2]; 4];
            for pair in &mut pairs {
                let word = record.word();
                *pair = [word as i8, (word >> 8) as i8];
            }
            offsets = Some(pairs);
        }
        let mut srcs = Vec::with_capacity(record.left() / 2);
        while record.left() > 0 {
            srcs.push((record.pick("a kind of source", format::tex_src)?, record.def(&mut self.state.values)));
        }
        let tex = self.shader.texs.push(TexData {
            op,
            dest_type,
            srcs,
            texture_index,
            sampler_index,
            component,
            offsets,
            is_gather_implicit_lod: flags.contains(TexFlags::GATHER_IMPLICIT_LOD),
            texture_non_uniform: flags.contains(TexFlags::TEXTURE_NON_UNIFORM),
            sampler_non_uniform: flags.contains(TexFlags::SAMPLER_NON_UNIFORM),
            is_sparse: flags.contains(TexFlags::SPARSE),
        });
        Ok(InstKind::Tex(tex))
    }
}

/// What the opcode of an instruction stands for.
#[inline(always)]
fn opcode<T>(parts: Parts<'_>, what: &str, meaning: impl FnOnce(u32) -> Option<T>) -> Result<T, Error> {
    meaning(parts.op()).ok_or_else(|| unexpected(parts.at - 2, what, parts.op()))
}

#[inline(always)]
fn alu_flags(parts: Parts<'_>) -> Result<AluFlags, Error> {
    AluFlags::from_bits(Head::unpack(parts.head).flags).ok_or_else(|| unknown_flags(parts.at - 2, parts.head))
}

/// A value, and which of its components are read by an operand of `read`.
#[inline(always)]
fn alu_src(read: u8, record: &mut Record<'_>, values: &mut Values) -> AluSrc {
    let number = record.word();
    let def = values.get(number & !WIDE_SWIZZLE, record.at() - 1);
    let mut bits = u64::from(record.word());
    if number & WIDE_SWIZZLE != 0 {
        bits |= u64::from(record.word()) << 32;
    }
    AluSrc { def, swizzle: Swizzle::from_bits(bits, Swizzle::unread(read)) }
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
fn outside_of_block(at: usize) -> Error {
    error(at, format_args!("an instruction outside of a block"))
}

#[cold]
fn no_shape(at: usize, head: u32) -> Error {
    let Head { num_components, bit_size, .. } = Head::unpack(head);
    error(at, format_args!("a result of {num_components} components of {bit_size} bits"))
}

#[cold]
fn unknown_flags(at: usize, head: u32) -> Error {
    error(at, format_args!("unknown flags {:#x} of an ALU instruction", Head::unpack(head).flags))
}

#[cold]
fn no_new_number(at: usize, number: u32) -> Error {
    let problem = if number >= WIDE_SWIZZLE { "is too large a number" } else { "is defined twice" };
    error(at, format_args!("value {number} {problem}"))
}

#[cold]
fn wrong_operands(op: Intrinsic, srcs: usize, operands: usize, at: usize) -> Error {
    let (name, indices) = (op.name(), op.info().indices.len());
    error(at, format_args!("`{name}` has {operands} operands, expected {srcs} sources and {indices} indices"))
}

/// Whether there are such results; no components and no bits are no result.
fn is_shape(head: Head) -> bool {
    const SHAPES: [u32; 128] = shapes();
    SHAPES[usize::from(head.bit_size & 127)] >> (head.num_components & 31) & 1 != 0
}

/// By the width, a bit for each number of components.
const fn shapes() -> [u32; 128] {
    let sizes = 0b11_1110 | 1 << 8 | 1 << 16;
    let mut shapes = [0; 128];
    (shapes[0], shapes[1], shapes[8], shapes[16], shapes[32], shapes[64]) = (1, sizes, sizes, sizes, sizes, sizes);
    shapes
}
