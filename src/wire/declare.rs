//! Reading what stands outside of the body: the header of the shader, types, variables.

use super::decode::Reading;
use super::format::{self, pick, Kind, TypeFlags, NONE, PRECISIONS, SHADER_WORDS};
use super::names;
use super::record::{error, unexpected, Record};
use crate::entity::{part, Slice, Str};
use crate::error::Error;
use crate::ir::info::DIRECTIVES;
use crate::ir::{Capture, Field, ShaderInfo, Type, TypeData, VarFlags, Variable};
use crate::op::names::InterpMode;
use crate::op::{Access, AluType, Base, Index, Modes};

/// Arrays and structs within each other: code that walks types recurs.
const MAX_DEPTH: u32 = 64;
/// Arrays and struct members of a type, each counted as often as it occurs.
const MAX_PARTS: u32 = 1 << 16;

/// A type by the writer's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeRow {
    pub(super) ty: Type,
    depth: u32,
    parts: u32,
    /// Scalars that it consists of, if it has numbers and nothing else.
    scalars: Option<u32>,
}

// Errors come from functions that take values: what one refers to would have to be in memory all the time.
impl<'a> Reading<'a> {
    pub(super) fn shader_record(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let Ok(words) = <&[u32; SHADER_WORDS]>::try_from(words) else {
            return Err(self.wrong_length(SHADER_WORDS, words, at));
        };
        let &[_, stage, next_stage, x, y, z, variable_size, ref strings @ ..] =
            words.first_chunk::<15>().unwrap_or(&[0; 15]);
        let info = &mut self.shader.info;
        info.stage = format::stage(stage).ok_or_else(|| unexpected(at + 1, "a stage", stage))?;
        if let Some(stage) = optional(next_stage) {
            info.next_stage = Some(format::stage(stage).ok_or_else(|| unexpected(at + 2, "a stage", stage))?);
        }
        info.workgroup_size = [x, y, z];
        info.workgroup_size_variable = variable_size != 0;
        let text = self.shader.strings.text();
        let string = |n: usize| part_of(text, strings[2 * n], strings[2 * n + 1], at + 7 + 2 * n);
        self.shader.entry.push_str(string(0)?.unwrap_or("main"));
        info.source_hash.push_str(string(1)?.unwrap_or_default());
        for (n, (label, memory)) in
            [&mut info.name, &mut info.label].into_iter().zip(&mut self.state.labels).enumerate()
        {
            *label = string(2 + n)?.map(|text| {
                memory.clear();
                memory.push_str(text);
                std::mem::take(memory)
            });
        }
        let fields = words.last_chunk::<{ ShaderInfo::NUM_WORDS }>().unwrap_or(&[0; ShaderInfo::NUM_WORDS]);
        match info.set_fields(fields, text) && variable_size < 2 {
            true => Ok(()),
            false => Err(error(at, format_args!("the header has a field that is more than 1, or beyond the text"))),
        }
    }

    /// What NIR does not say: a key and a value by their numbers.
    pub(super) fn directive(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let (key, values) = record.pick("a directive", |number| pick(DIRECTIVES, number))?;
        let value = record.pick("a value of a directive", |number| pick(values, number))?;
        self.shader.info.directives.push((key.into(), value.into()));
        Ok(())
    }

    /// What a dump has lost and said again, a wire has: it is only kept for printing.
    pub(super) fn remark(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let (start, len) = (record.word(), record.word());
        let text = part(self.shader.strings.text(), start, len);
        let text = text.ok_or_else(|| record.behind(format_args!("{OUTSIDE}")))?.to_string();
        self.shader.info.directives.push(("struct".into(), text.into()));
        Ok(())
    }

    /// A string of the shader's table, the words of which stand at `at`.
    #[inline(always)]
    fn name(&mut self, start: u32, len: u32, at: usize) -> Result<Str, Error> {
        self.shader.strings.add_part(start, len).ok_or_else(|| outside(at))
    }

    /// The type `number`, which stands at `at` and was written before.
    #[inline(always)]
    pub(super) fn type_row(&self, number: u32, at: usize) -> Result<&TypeRow, Error> {
        self.state.types.get(number as usize).ok_or_else(|| unexpected(at, "a type written before this", number))
    }

    /// A scalar or a vector.
    #[inline(never)]
    pub(super) fn vector(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let &[_, scalar, components] = words else { return Err(self.wrong_length(3, words, at)) };
        let scalar = format::scalar(scalar).ok_or_else(|| unexpected(at + 1, "a type of numbers", scalar))?;
        // 1 to 5, 8 or 16.
        if components > 16 || 1 << components & 0x1_013eu32 == 0 {
            return Err(unexpected(at + 2, "1 to 5, 8 or 16 components", components));
        }
        let ty = self.shader.types.vector(scalar, components as u8);
        self.state.types.push(TypeRow { ty, depth: 1, parts: 1, scalars: Some(components) });
        Ok(())
    }

    #[inline(never)]
    pub(super) fn array(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let &[_, elem, len, stride] = words else { return Err(self.wrong_length(4, words, at)) };
        let elem = *self.type_row(elem, at + 1)?;
        let len = optional(len);
        let ty = self.shader.types.array(elem.ty, len, stride);
        let scalars = elem.scalars.and_then(|scalars| scalars.checked_mul(len?)).filter(|n| *n != 0);
        self.add_type(TypeRow { ty, depth: elem.depth + 1, parts: elem.parts.saturating_add(1), scalars }, at)
    }

    #[inline(never)]
    pub(super) fn struct_type(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let &[_, start, len, ref members @ ..] = words else { return Err(self.wrong_length(3, words, at)) };
        if members.len() % 4 != 0 {
            return Err(error(at, format_args!("a member of a struct is four words")));
        }
        let name = self.name(start, len, at + 1)?;
        let (mut depth, mut parts, mut scalars) = (1, 1u32, Some(0u32));
        let mut fields = self.shader.types.memory_of_fields();
        for (n, member) in members.chunks_exact(4).enumerate() {
            let at = at + 3 + 4 * n;
            let row = *self.type_row(member[0], at)?;
            fields.push(Field {
                name: self.name(member[2], member[3], at + 2)?,
                ty: row.ty,
                offset: optional(member[1]),
            });
            depth = depth.max(row.depth + 1);
            parts = parts.saturating_add(row.parts);
            scalars = scalars.and_then(|sum| sum.checked_add(row.scalars?));
        }
        let ty = self.shader.types.new_struct_of(name, fields);
        self.add_type(TypeRow { ty, depth, parts, scalars: scalars.filter(|n| *n != 0) }, at)
    }

    /// A type without parts that is no vector.
    #[inline(never)]
    pub(super) fn leaf(&mut self, kind: Kind, record: &mut Record<'_>) -> Result<(), Error> {
        let mut scalars = None;
        let data = match kind {
            Kind::Matrix => {
                let bits =
                    record.pick("a width of floats", |bits| matches!(bits, 16 | 32 | 64).then_some(bits as u8))?;
                let columns = record.pick("2 to 4 columns", matrix_size)?;
                let rows = record.pick("2 to 4 rows", matrix_size)?;
                scalars = Some(u32::from(columns) * u32::from(rows));
                TypeData::Matrix { scalar: AluType::new(Base::Float, bits), columns, rows }
            }
            Kind::Sampler => TypeData::Sampler { shadow: record.flag()? },
            Kind::Texture | Kind::Image => {
                let dim = record.pick("a dimensionality", format::dim)?;
                let flags = record.pick("flags of a type", TypeFlags::from_bits)?;
                let texel = record.pick("a type of texels", format::texel)?;
                let (array, shadow) = (flags.contains(TypeFlags::ARRAYED), flags.contains(TypeFlags::SHADOW));
                let bare = flags.contains(TypeFlags::BARE);
                match kind {
                    Kind::Texture => TypeData::Texture { dim, shadow, array, texel, bare },
                    _ => TypeData::Image { dim, array, texel },
                }
            }
            Kind::AtomicUint => TypeData::AtomicUint,
            _ => TypeData::Void,
        };
        let ty = self.shader.types.intern(data);
        self.state.types.push(TypeRow { ty, depth: 1, parts: 1, scalars });
        Ok(())
    }

    #[inline(always)]
    fn add_type(&mut self, row: TypeRow, at: usize) -> Result<(), Error> {
        if row.depth > MAX_DEPTH || row.parts > MAX_PARTS {
            return Err(error(at, format_args!("the type is too large")));
        }
        self.state.types.push(row);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn variable(&mut self, words: &'a [u32], at: usize) -> Result<(), Error> {
        let &[_, ty, mode, interp, precision, access, flags, location, location_frac, driver_location, binding, set, index, image_format, stream, buffer, stride, offset, name, name_len, initializer, initializer_len, ref values @ ..] =
            words
        else {
            return Err(self.wrong_length(22, words, at));
        };
        let row = *self.type_row(ty, at + 1)?;
        let name = self.name(name, name_len, at + 18)?;
        let initializer = match initializer_len {
            NONE => None,
            len => Some(self.name(initializer, len, at + 20)?),
        };
        let values = self.values(row, values, at + 22)?;
        if !names::is_value(Index::format, image_format) {
            return Err(unexpected(at + 13, "an image format", image_format));
        }
        self.shader.vars.push(Variable {
            name,
            ty: row.ty,
            mode: Modes::from_bits(mode).ok_or_else(|| unexpected(at + 2, "a mode", mode))?,
            interp: pick(InterpMode::ALL, interp).ok_or_else(|| unexpected(at + 3, "an interpolation", interp))?,
            precision: pick(PRECISIONS, precision).ok_or_else(|| unexpected(at + 4, "a precision", precision))?,
            access: Access::from_bits(access).ok_or_else(|| unexpected(at + 5, "access flags", access))?,
            flags: VarFlags::from_bits(flags).ok_or_else(|| unexpected(at + 6, "flags of a variable", flags))?,
            location: optional(location),
            location_frac: u8::try_from(location_frac).map_err(|_| unexpected(at + 8, "a component", location_frac))?,
            driver_location,
            binding,
            descriptor_set: optional(set),
            index,
            capture: optional(buffer).map(|buffer| Capture { buffer, stride, offset }),
            stream,
            image_format,
            initializer,
            values,
        });
        Ok(())
    }

    /// The values of a variable, if there are any.
    #[inline(always)]
    fn values(&mut self, row: TypeRow, values: &[u32], at: usize) -> Result<Option<Slice>, Error> {
        if values.is_empty() {
            return Ok(None);
        }
        if values.len() % 2 != 0 || row.scalars != Some(values.len() as u32 / 2) {
            return Err(wrong_values(at));
        }
        let values = values.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
        Ok(Some(self.shader.consts.extend(values)))
    }
}

#[cold]
fn wrong_values(at: usize) -> Error {
    error(at, format_args!("as many values as the type has scalars are two words each"))
}

const OUTSIDE: &str = "the string is no part of the text";

#[cold]
fn outside(at: usize) -> Error {
    error(at, format_args!("{OUTSIDE}"))
}

/// The string of `len` bytes at `start`, if it is not "none".
fn part_of(text: &str, start: u32, len: u32, at: usize) -> Result<Option<&str>, Error> {
    match len {
        NONE => Ok(None),
        _ => part(text, start, len).map(Some).ok_or_else(|| outside(at)),
    }
}

/// A number, unless it is "none".
fn optional(word: u32) -> Option<u32> {
    (word != NONE).then_some(word)
}

fn matrix_size(number: u32) -> Option<u8> {
    matches!(number, 2..=4).then_some(number as u8)
}
