//! Reading instructions.

use super::decode::{PendingPhi, Reading};
use super::format::{self, alu_type, pick, Head, Kind, Step, TexFlags, JUMPS, WIDE_SWIZZLE};
use super::names::{AluRow, IntrinsicRow, Names};
use super::record::Record;
use super::values::Values;
use crate::entity::{Id, Slice};
use crate::error::Error;
use crate::ir::{AluFlags, AluSrc, ArrayIndex, Cf, Def, Deref, DerefKind, InstData, InstKind, Swizzle, TexData, Var};
use crate::op::old::OldAlu;
use crate::op::{AluOp, IndexKind, Modes};

impl<'a> Reading<'a> {
    /// What every record of an instruction begins with: opcode and shape, and the number of the result.
    #[inline(always)]
    fn begin(&self, record: &mut Record<'a>) -> Result<(Head, u32), Error> {
        if !matches!(self.shader.cf.last(), Some(Cf::Block(_))) {
            return Err(record.behind(format_args!("an instruction outside of a block")));
        }
        let [head, number] = record.array();
        let head = Head::unpack(head);
        let Head { num_components, bit_size, .. } = head;
        // What holds swizzles and constants has room for these; which of them are allowed where is for `check` to say.
        if record.lacks_words() || !is_shape(num_components, bit_size) {
            return Err(record.behind(format_args!("a result of {num_components} components of {bit_size} bits")));
        }
        Ok((head, number))
    }

    /// Makes the instruction that has the result `number`.
    #[inline(always)]
    fn finish(&mut self, head: Head, number: u32, record: Record<'_>, kind: InstKind) -> Result<(), Error> {
        record.end()?;
        let Head { num_components, bit_size, .. } = head;
        let inst = self.shader.make(InstData { num_components, bit_size, kind });
        if num_components != 0 && (number >= WIDE_SWIZZLE || !self.state.values.define(number, inst.def())) {
            let problem = if number >= WIDE_SWIZZLE { "is too large a number" } else { "is defined twice" };
            return Err(record.error(format_args!("value {number} {problem}, by the record that ends here")));
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn seldom(&mut self, kind: Kind, mut record: Record<'a>) -> Result<(), Error> {
        let (head, number) = self.begin(&mut record)?;
        let kind = match kind {
            Kind::Phi => self.phi(&mut record)?,
            Kind::Tex => self.tex(head, &mut record)?,
            Kind::Jump => InstKind::Jump(opcode(head, record, "a jump", |op| pick(JUMPS, op))?),
            _ => InstKind::Undef,
        };
        self.finish(head, number, record, kind)
    }

    #[inline(always)]
    pub(super) fn alu(&mut self, mut record: Record<'a>) -> Result<(), Error> {
        let (head, number) = self.begin(&mut record)?;
        let row = *self.state.names.alu(head.op, record.at() - 2, self.wire)?;
        let flags = AluFlags::from_bits(head.flags)
            .ok_or_else(|| record.behind(format_args!("unknown flags {:#x} of an ALU instruction", head.flags)))?;
        let op = match row {
            AluRow::Op(op) => op,
            AluRow::Old(old) => {
                let kind = self.old_alu(old, head, flags, &mut record)?;
                return self.finish(head, number, record, kind);
            }
        };
        let values = &mut self.state.values;
        let operands = op.info().srcs.iter();
        let srcs = operands.map(|operand| alu_src(operand.components(head.num_components), &mut record, values));
        let srcs = self.shader.alu_srcs.extend(srcs);
        self.finish(head, number, record, InstKind::Alu { op, flags, srcs })
    }

    /// An opcode of an older release: its instruction now, behind those that it takes besides.
    fn old_alu(
        &mut self,
        old: OldAlu,
        head: Head,
        flags: AluFlags,
        record: &mut Record<'a>,
    ) -> Result<InstKind, Error> {
        let components = head.num_components;
        let src = alu_src(components, record, &mut self.state.values);
        self.state.values.sound()?;
        let bits = self.shader.bit_size(src.def);
        Ok(match old {
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
        })
    }

    /// An instruction that the wire does not have.
    fn emit(&mut self, num_components: u8, bit_size: u8, kind: InstKind) -> Def {
        self.shader.make(InstData { num_components, bit_size, kind }).def()
    }

    #[inline(always)]
    pub(super) fn constant(&mut self, mut record: Record<'a>) -> Result<(), Error> {
        let (head, number) = self.begin(&mut record)?;
        let count = usize::from(head.num_components);
        let values = if head.bit_size == 64 {
            let pairs = record.words(2 * count).chunks_exact(2);
            self.shader.consts.extend(pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32))
        } else {
            self.shader.consts.extend(record.words(count).iter().map(|word| u64::from(*word)))
        };
        self.finish(head, number, record, InstKind::Const(values))
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

    #[inline(always)]
    pub(super) fn deref(&mut self, mut record: Record<'a>) -> Result<(), Error> {
        let (head, number) = self.begin(&mut record)?;
        let step = opcode(head, record, "a step of a pointer", Step::from_number)?;
        let ty = self.type_row(&mut record)?.ty;
        let modes = record.pick("modes", Modes::from_bits)?;
        let values = &mut self.state.values;
        let kind = match step {
            Step::Var => DerefKind::Var(self.var(&mut record)?),
            Step::Array => DerefKind::Array { parent: record.def(values), index: ArrayIndex::Def(record.def(values)) },
            Step::ArrayImm => DerefKind::Array { parent: record.def(values), index: imm(&mut record) },
            Step::ArrayWildcard => DerefKind::ArrayWildcard { parent: record.def(values) },
            Step::PtrAsArray => {
                DerefKind::PtrAsArray { parent: record.def(values), index: ArrayIndex::Def(record.def(values)) }
            }
            Step::PtrAsArrayImm => DerefKind::PtrAsArray { parent: record.def(values), index: imm(&mut record) },
            Step::Struct => DerefKind::Struct { parent: record.def(values), field: record.word() },
            Step::Cast => DerefKind::Cast {
                parent: record.def(values),
                stride: record.word(),
                align_mul: record.word(),
                align_offset: record.word(),
            },
        };
        let deref = self.shader.derefs.push(Deref { kind, ty, modes });
        self.finish(head, number, record, InstKind::Deref(deref))
    }

    /// A variable that was written before.
    fn var(&self, record: &mut Record<'a>) -> Result<Var, Error> {
        let count = self.shader.vars.len();
        record.pick("a variable written before this", |number| {
            ((number as usize) < count).then(|| Var::from_index(number as usize))
        })
    }

    #[inline(always)]
    pub(super) fn intrinsic(&mut self, mut record: Record<'a>) -> Result<(), Error> {
        let (head, number) = self.begin(&mut record)?;
        let Reading { state, shader, wire } = self;
        let row = state.names.intrinsic(head.op, record.at() - 2, wire)?;
        let op = row.op;
        let missing = usize::from(row.missing_srcs);
        let (num_srcs, num_indices) = (op.info().srcs.len() - missing, row.indices().len());
        if record.left() != num_srcs + num_indices {
            let left = record.left();
            let expected = format_args!("expected {num_srcs} sources and {num_indices} indices");
            return Err(record.error(format_args!("`{}` has {left} operands, {expected}", op.name())));
        }
        let mut undefined = shader.insts.next_id();
        for _ in 0..missing {
            undefined = shader.make(InstData { num_components: 1, bit_size: 32, kind: InstKind::Undef });
        }
        let srcs = (0..num_srcs).map(|_| record.def(&mut state.values));
        let srcs = shader.srcs.extend(srcs.chain((0..missing).map(|_| undefined.def())));
        let indices = match row.is_plain {
            true => shader.indices.push(record.words(num_indices)),
            false => shader.indices.push(&indices(row, &mut record, &state.names, wire)?[..op.info().indices.len()]),
        };
        self.finish(head, number, record, InstKind::Intrinsic { op, srcs, indices })
    }

    fn tex(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let op = opcode(head, *record, "a texture operation", format::tex_op)?;
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

/// What the opcode of an instruction, the word before the last, stands for.
#[inline(always)]
fn opcode<T>(head: Head, record: Record<'_>, what: &str, meaning: impl FnOnce(u32) -> Option<T>) -> Result<T, Error> {
    let unknown = || record.error_at(record.at() - 2, format_args!("expected {what}, found {}", head.op));
    meaning(head.op).ok_or_else(unknown)
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
    AluSrc { def, swizzle: Swizzle::from_bits(bits, read.into()) }
}

/// The indices of an intrinsic, which has others, or in another order, than its records.
fn indices(row: &IntrinsicRow, record: &mut Record<'_>, names: &Names, wire: &[u32]) -> Result<[u32; 16], Error> {
    let mut values = [0; 16];
    for (slot, value) in row.implied.into_iter().flatten() {
        values[usize::from(slot)] = value;
    }
    for index in row.indices() {
        let value = record.word();
        let Some((slot, kind)) = *index else {
            if value != 0 {
                let message = format_args!("an index that `{}` does not have is {value}, not 0", row.op.name());
                return Err(record.behind(message));
            }
            continue;
        };
        let at = record.at() - 1;
        values[usize::from(slot)] = match kind {
            IndexKind::AluOp => match *names.alu(value, at, wire)? {
                AluRow::Op(op) => op as u32,
                AluRow::Old(_) => return Err(record.behind(format_args!("this opcode reduces nothing"))),
            },
            IndexKind::Format if value != 0 => names.format(value, at, wire)?,
            _ => value,
        };
    }
    Ok(values)
}

/// Whether there are such results; no components and no bits are no result.
fn is_shape(num_components: u8, bit_size: u8) -> bool {
    const SHAPES: [u32; 128] = shapes();
    SHAPES[usize::from(bit_size & 127)] >> (num_components & 31) & 1 != 0
}

/// By the width, a bit for each number of components.
const fn shapes() -> [u32; 128] {
    let sizes = 0b11_1110 | 1 << 8 | 1 << 16;
    let mut shapes = [0; 128];
    (shapes[0], shapes[1], shapes[8], shapes[16], shapes[32], shapes[64]) = (1, sizes, sizes, sizes, sizes, sizes);
    shapes
}

/// A constant index.
fn imm(record: &mut Record<'_>) -> ArrayIndex {
    ArrayIndex::Imm(record.word64() as i64)
}
