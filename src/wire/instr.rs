//! Reading instructions.

use super::decode::{PendingPhi, Reading};
use super::format::{self, alu_type, pick, Head, Kind, Step, TexFlags, JUMPS, WIDE_SWIZZLE};
use super::names::AluRow;
use super::record::Record;
use crate::entity::{Id, Slice};
use crate::error::Error;
use crate::ir::{AluFlags, AluSrc, ArrayIndex, Cf, Def, Deref, DerefKind, InstData, InstKind, Swizzle, TexData, Var};
use crate::op::old::OldAlu;
use crate::op::{AluOp, IndexKind, Modes};

impl<'a> Reading<'a> {
    /// A record of an instruction.
    pub(super) fn instruction(&mut self, kind: Kind, record: &mut Record<'a>) -> Result<(), Error> {
        if !matches!(self.shader.cf.last(), Some(Cf::Block(_))) {
            return Err(record.behind(format_args!("an instruction outside of a block")));
        }
        let [head, number] = record.array()?;
        let head = Head::unpack(head);
        let Head { num_components, bit_size, .. } = head;
        if !is_shape(num_components, bit_size) {
            return Err(record.behind(format_args!("a result of {num_components} components of {bit_size} bits")));
        }
        // What holds swizzles and constants has room for that; which of the sizes are allowed is for `check` to say.
        let (components, bits) = (head.num_components, head.bit_size);
        if components > 16 || bits > 64 || (components != 0 && bits == 0) {
            return Err(record.error(format_args!("a value of {components} components of {bits} bits")));
        }
        let kind = match kind {
            Kind::Alu => self.alu(head, record)?,
            Kind::Const => self.constant(head, record)?,
            Kind::Phi => self.phi(record)?,
            Kind::Deref => self.deref(head, record)?,
            Kind::Intrinsic => self.intrinsic(head, record)?,
            Kind::Tex => self.tex(head, record)?,
            Kind::Jump => InstKind::Jump(self.opcode(head, record, "a jump", |op| pick(JUMPS, op))?),
            _ => InstKind::Undef,
        };
        record.end()?;
        let inst = self.shader.append(InstData { num_components, bit_size, kind });
        if num_components != 0 && (number >= WIDE_SWIZZLE || !self.state.defs.define(number, inst.def())) {
            let problem = if number >= WIDE_SWIZZLE { "is too large a number" } else { "is defined twice" };
            return Err(record.error(format_args!("value {number} {problem}, by the record that ends here")));
        }
        Ok(())
    }

    /// What the opcode of an instruction, the word before the last, stands for.
    fn opcode<T>(
        &self,
        head: Head,
        record: &Record<'_>,
        what: &str,
        meaning: impl FnOnce(u32) -> Option<T>,
    ) -> Result<T, Error> {
        let unknown = || super::record::error(record.at() - 2, format_args!("expected {what}, found {}", head.op));
        meaning(head.op).ok_or_else(unknown)
    }

    fn alu(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let row = self.state.names.alu(head.op, record.at() - 2, self.wire)?;
        let flags = AluFlags::from_bits(head.flags)
            .ok_or_else(|| record.behind(format_args!("unknown flags {:#x} of an ALU instruction", head.flags)))?;
        let op = match row {
            AluRow::Op(op) => op,
            AluRow::Old(old) => return self.old_alu(old, head, flags, record),
        };
        let mut srcs = std::mem::take(&mut self.state.alu_srcs);
        srcs.clear();
        for operand in op.info().srcs {
            let read = operand.components(head.num_components);
            srcs.push(self.alu_src(read.into(), record)?);
        }
        let list = self.shader.push_alu_srcs(&srcs);
        self.state.alu_srcs = srcs;
        Ok(InstKind::Alu { op, flags, srcs: list })
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
        let src = self.alu_src(components.into(), record)?;
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
        self.shader.append(InstData { num_components, bit_size, kind }).def()
    }

    /// A value and which of its components are read.
    fn alu_src(&self, read: usize, record: &mut Record<'a>) -> Result<AluSrc, Error> {
        let [number, low] = record.array()?;
        let mut bits = u64::from(low);
        let def = self.def_of(number & !WIDE_SWIZZLE, record)?;
        if number & WIDE_SWIZZLE != 0 {
            bits |= u64::from(record.word()?) << 32;
        }
        Ok(AluSrc { def, swizzle: Swizzle::from_bits(bits, read) })
    }

    fn constant(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let count = usize::from(head.num_components);
        let values = if head.bit_size == 64 {
            let pairs = record.words(2 * count)?.chunks_exact(2);
            self.shader.consts.extend(pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32))
        } else {
            self.shader.consts.extend(record.words(count)?.iter().map(|word| u64::from(*word)))
        };
        Ok(InstKind::Const(values))
    }

    /// The sources are looked up at the end.
    fn phi(&mut self, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let inst = self.shader.insts.next_id();
        let start = record.at();
        let words = record.words(record.left())?;
        if words.len() % 2 != 0 {
            return Err(record.behind(format_args!("a source of a phi is a block and a value")));
        }
        self.state.phis.push(PendingPhi { inst, start, end: record.at() });
        Ok(InstKind::Phi(Slice::default()))
    }

    fn deref(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let step = self.opcode(head, record, "a step of a pointer", Step::from_number)?;
        let ty = self.type_row(record)?.ty;
        let modes = record.pick("modes", Modes::from_bits)?;
        let kind = match step {
            Step::Var => DerefKind::Var(self.var(record)?),
            Step::Array => DerefKind::Array { parent: self.def(record)?, index: ArrayIndex::Def(self.def(record)?) },
            Step::ArrayImm => DerefKind::Array { parent: self.def(record)?, index: imm(record)? },
            Step::ArrayWildcard => DerefKind::ArrayWildcard { parent: self.def(record)? },
            Step::PtrAsArray => {
                DerefKind::PtrAsArray { parent: self.def(record)?, index: ArrayIndex::Def(self.def(record)?) }
            }
            Step::PtrAsArrayImm => DerefKind::PtrAsArray { parent: self.def(record)?, index: imm(record)? },
            Step::Struct => DerefKind::Struct { parent: self.def(record)?, field: record.word()? },
            Step::Cast => DerefKind::Cast {
                parent: self.def(record)?,
                stride: record.word()?,
                align_mul: record.word()?,
                align_offset: record.word()?,
            },
        };
        Ok(InstKind::Deref(Deref { kind, ty, modes }))
    }

    /// A variable that was written before.
    fn var(&self, record: &mut Record<'a>) -> Result<Var, Error> {
        let count = self.shader.vars.len();
        record.pick("a variable written before this", |number| {
            ((number as usize) < count).then(|| Var::from_index(number as usize))
        })
    }

    fn intrinsic(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let row = self.state.names.intrinsic(head.op, record.at() - 2, self.wire)?;
        let info = row.op.info();
        let missing = usize::from(row.missing_srcs);
        let (num_srcs, num_indices) = (info.srcs.len() - missing, row.indices().len());
        if record.left() != num_srcs + num_indices {
            let left = record.left();
            let expected = format_args!("expected {num_srcs} sources and {num_indices} indices");
            return Err(record.error(format_args!("`{}` has {left} operands, {expected}", info.name)));
        }
        let mut srcs = std::mem::take(&mut self.state.srcs);
        srcs.clear();
        for number in record.words(num_srcs)? {
            srcs.push(self.def_of(*number, record)?);
        }
        for _ in 0..missing {
            srcs.push(self.emit(1, 32, InstKind::Undef));
        }
        let mut values = [0; 16];
        for (slot, value) in row.implied.into_iter().flatten() {
            values[usize::from(slot)] = value;
        }
        for index in row.indices() {
            let value = record.word()?;
            let Some((slot, kind)) = *index else {
                if value != 0 {
                    let message = format_args!("an index that `{}` does not have is {value}, not 0", info.name);
                    return Err(record.behind(message));
                }
                continue;
            };
            let at = record.at() - 1;
            values[usize::from(slot)] = match kind {
                IndexKind::AluOp => match self.state.names.alu(value, at, self.wire)? {
                    AluRow::Op(op) => op as u32,
                    AluRow::Old(_) => return Err(record.behind(format_args!("this opcode reduces nothing"))),
                },
                IndexKind::Format => self.state.names.format(value, at, self.wire)?,
                _ => value,
            };
        }
        let indices = self.shader.indices.push(&values[..info.indices.len()]);
        let list = self.shader.srcs.push(&srcs);
        self.state.srcs = srcs;
        Ok(InstKind::Intrinsic { op: row.op, srcs: list, indices })
    }

    fn tex(&mut self, head: Head, record: &mut Record<'a>) -> Result<InstKind, Error> {
        let op = self.opcode(head, record, "a texture operation", format::tex_op)?;
        let dest_type = record.pick("a type of a result", alu_type)?;
        let flags = record.pick("flags of a texture operation", TexFlags::from_bits)?;
        let component = record.pick("a component", |number| u8::try_from(number).ok())?;
        let (texture_index, sampler_index) = (record.word()?, record.word()?);
        let mut offsets = None;
        if flags.contains(TexFlags::OFFSETS) {
            let mut pairs = [[0; 2]; 4];
            for pair in &mut pairs {
                let word = record.word()?;
                *pair = [word as i8, (word >> 8) as i8];
            }
            offsets = Some(pairs);
        }
        let mut srcs = Vec::with_capacity(record.left() / 2);
        while record.left() > 0 {
            srcs.push((record.pick("a kind of source", format::tex_src)?, self.def(record)?));
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

/// Whether there are such results; no components and no bits are no result.
fn is_shape(num_components: u8, bit_size: u8) -> bool {
    let is_value = matches!(num_components, 1..=5 | 8 | 16) && matches!(bit_size, 1 | 8 | 16 | 32 | 64);
    is_value || (num_components, bit_size) == (0, 0)
}

/// A constant index.
fn imm(record: &mut Record<'_>) -> Result<ArrayIndex, Error> {
    Ok(ArrayIndex::Imm(record.word64()? as i64))
}
