//! Reading what stands outside of the body: the header of the shader, types, variables.

use super::decode::{Decoder, Reading};
use super::format::{self, pick, var_flags, TypeFlags, TypeKind, NONE, PRECISIONS};
use super::record::{unexpected, Record};
use crate::entity::{Slice, Str};
use crate::error::Error;
use crate::ir::info::{is_directive, FieldMut, FIELDS};
use crate::ir::{Capture, Field, Type, TypeData, Variable};
use crate::op::names::InterpMode;
use crate::op::{Access, AluType, Base, Modes};

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

impl Reading<'_> {
    pub(super) fn shader_record(&mut self, mut record: Record<'_>) -> Result<(), Error> {
        let info = &mut self.shader.info;
        info.stage = record.pick("a stage", format::stage)?;
        if let Some(stage) = record.optional() {
            info.next_stage = Some(record.meant(stage, "a stage", format::stage)?);
        }
        info.workgroup_size = record.array();
        info.workgroup_size_variable = record.flag()?;
        let Decoder { text, labels, .. } = &mut *self.state;
        self.shader.entry.push_str(record.string(text).as_deref().unwrap_or("main"));
        info.source_hash.push_str(record.string(text).as_deref().unwrap_or(""));
        for (label, memory) in [&mut info.name, &mut info.label].into_iter().zip(labels) {
            *label = record.string(text).map(|text| {
                memory.clear();
                memory.push_str(&text);
                std::mem::take(memory)
            });
        }
        record.end()
    }

    /// Fields of the header, each with its value.
    #[inline(never)]
    pub(super) fn info(&mut self, mut record: Record<'_>) -> Result<(), Error> {
        while record.left() > 0 {
            let row = record.pick("a field of the header", |number| FIELDS.get(number as usize))?;
            match (row.field)(&mut self.shader.info) {
                FieldMut::Dec(field) | FieldMut::Hex(field, _) => *field = record.word(),
                FieldMut::Flag(field) => *field = record.flag()?,
                FieldMut::Ranges(field) | FieldMut::Words(field, _) => {
                    let low = record.word64();
                    *field = u128::from(low) | u128::from(record.word64()) << 64;
                }
                FieldMut::List(list) => list.iter_mut().for_each(|value| *value = record.word()),
                FieldMut::Name(field) => {
                    field.clear();
                    field.push_str(record.string(&mut self.state.text).as_deref().unwrap_or(""));
                }
            }
        }
        record.end()
    }

    pub(super) fn directive(&mut self, mut record: Record<'_>) -> Result<(), Error> {
        let key = record.string(&mut self.state.text).unwrap_or_default().into_owned();
        let value = record.string(&mut self.state.text).unwrap_or_default().into_owned();
        // What a dump has lost and said again, a wire has: it is only kept for printing.
        if key != "struct" && !is_directive(&key, &value) {
            return Err(record.error(format_args!("there is no directive `{key}={value}`")));
        }
        self.shader.info.directives.push((key, value));
        record.end()
    }

    /// A string that has to be there, in the shader's table.
    #[inline(always)]
    fn name(&mut self, record: &mut Record<'_>) -> Str {
        let (words, len) = record.string_words().unwrap_or_default();
        self.shader.strings.add_words(words, len)
    }

    #[inline(always)]
    fn optional_name(&mut self, record: &mut Record<'_>) -> Option<Str> {
        let (words, len) = record.string_words()?;
        Some(self.shader.strings.add_words(words, len))
    }

    /// The type `number`, which stands at `at` and was written before.
    #[inline(always)]
    pub(super) fn type_row(&self, number: u32, at: usize) -> Result<&TypeRow, Error> {
        self.state.types.get(number as usize).ok_or_else(|| unexpected(at, "a type written before this", number))
    }

    /// The type that the next word names.
    #[inline(always)]
    fn next_type(&self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let at = record.at();
        let number = record.word();
        match record.lacks_words() {
            true => Err(record.wrong_length(0)),
            false => self.type_row(number, at).copied(),
        }
    }

    #[inline(never)]
    pub(super) fn ty(&mut self, mut record: Record<'_>) -> Result<(), Error> {
        let kind = record.pick("a kind of type", TypeKind::from_number)?;
        let row = match kind {
            TypeKind::Void => self.leaf(TypeData::Void, None),
            TypeKind::AtomicUint => self.leaf(TypeData::AtomicUint, None),
            TypeKind::Vector => {
                let scalar = record.pick("a type of numbers", format::scalar)?;
                let components = record.pick("1 to 5, 8 or 16 components", |n| match n {
                    1..=5 | 8 | 16 => Some(n as u8),
                    _ => None,
                })?;
                let ty = self.shader.types.vector(scalar, components);
                TypeRow { ty, depth: 1, parts: 1, scalars: Some(components.into()) }
            }
            TypeKind::Matrix => {
                let bits =
                    record.pick("a width of floats", |bits| matches!(bits, 16 | 32 | 64).then_some(bits as u8))?;
                let columns = record.pick("2 to 4 columns", matrix_size)?;
                let rows = record.pick("2 to 4 rows", matrix_size)?;
                let scalar = AluType::new(Base::Float, bits);
                self.leaf(TypeData::Matrix { scalar, columns, rows }, Some(u32::from(columns) * u32::from(rows)))
            }
            TypeKind::Array => self.array(&mut record)?,
            TypeKind::Struct => self.struct_type(&mut record)?,
            TypeKind::Sampler => {
                let shadow = record.flag()?;
                self.leaf(TypeData::Sampler { shadow }, None)
            }
            TypeKind::Texture | TypeKind::Image => {
                let dim = record.pick("a dimensionality", format::dim)?;
                let flags = record.pick("flags of a type", TypeFlags::from_bits)?;
                let texel = record.pick("a type of texels", format::texel)?;
                let (array, shadow) = (flags.contains(TypeFlags::ARRAYED), flags.contains(TypeFlags::SHADOW));
                let bare = flags.contains(TypeFlags::BARE);
                self.leaf(
                    match kind {
                        TypeKind::Texture => TypeData::Texture { dim, shadow, array, texel, bare },
                        _ => TypeData::Image { dim, array, texel },
                    },
                    None,
                )
            }
        };
        if row.depth > MAX_DEPTH || row.parts > MAX_PARTS {
            return Err(record.behind(format_args!("the type is too large")));
        }
        self.state.types.push(row);
        record.end()
    }

    /// A type without parts.
    fn leaf(&mut self, data: TypeData, scalars: Option<u32>) -> TypeRow {
        TypeRow { ty: self.shader.types.intern(data), depth: 1, parts: 1, scalars }
    }

    #[inline(always)]
    fn array(&mut self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let elem = self.next_type(record)?;
        let (len, stride) = (record.optional(), record.word());
        let ty = self.shader.types.array(elem.ty, len, stride);
        let scalars = elem.scalars.and_then(|scalars| scalars.checked_mul(len?));
        Ok(TypeRow {
            ty,
            depth: elem.depth + 1,
            parts: elem.parts.saturating_add(1),
            scalars: scalars.filter(|n| *n != 0),
        })
    }

    #[inline(always)]
    fn struct_type(&mut self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let name = self.name(record);
        let (mut depth, mut parts, mut scalars) = (1, 1u32, Some(0u32));
        self.state.fields.clear();
        while record.left() > 0 {
            let at = record.at();
            let &[number, offset] = record.first()?;
            let row = *self.type_row(number, at)?;
            let field = Field { name: self.name(record), ty: row.ty, offset: optional(offset) };
            self.state.fields.push(field);
            depth = depth.max(row.depth + 1);
            parts = parts.saturating_add(row.parts);
            scalars = scalars.and_then(|sum| sum.checked_add(row.scalars?));
        }
        let ty = self.shader.types.new_struct(name, &self.state.fields);
        Ok(TypeRow { ty, depth, parts, scalars: scalars.filter(|n| *n != 0) })
    }

    #[inline(never)]
    pub(super) fn variable(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let mut record = Record::new(&self.wire[..at + words.len()], at + 1);
        let &[ty, mode, interp, precision, access, flags, location, location_frac, driver_location, binding, set, index, format, stream, buffer, stride, offset] =
            record.first()?;
        let row = *self.type_row(ty, at + 1)?;
        let image_format = match format {
            0 => 0,
            number => self.state.names.format(number, at + 13, self.wire)?,
        };
        let name = self.name(&mut record);
        let initializer = self.optional_name(&mut record);
        let values = self.values(row, record)?;
        self.shader.vars.push(Variable {
            name,
            ty: row.ty,
            mode: Modes::from_bits(mode).ok_or_else(|| unexpected(at + 2, "a mode", mode))?,
            interp: pick(InterpMode::ALL, interp).ok_or_else(|| unexpected(at + 3, "an interpolation", interp))?,
            precision: pick(PRECISIONS, precision).ok_or_else(|| unexpected(at + 4, "a precision", precision))?,
            access: Access::from_bits(access).ok_or_else(|| unexpected(at + 5, "access flags", access))?,
            flags: var_flags(flags).ok_or_else(|| unexpected(at + 6, "flags of a variable", flags))?,
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

    /// The values of a variable, which end its record, if there are any.
    #[inline(always)]
    fn values(&mut self, row: TypeRow, record: Record<'_>) -> Result<Option<Slice>, Error> {
        let values = record.rest();
        if values.is_empty() {
            record.end()?;
            return Ok(None);
        }
        if values.len() % 2 != 0 || row.scalars != Some(values.len() as u32 / 2) {
            return Err(wrong_values(record));
        }
        let values = values.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
        Ok(Some(self.shader.consts.extend(values)))
    }
}

#[cold]
fn wrong_values(record: Record<'_>) -> Error {
    record.error(format_args!("as many values as the type has scalars are two words each"))
}

/// A number, unless it is "none".
fn optional(word: u32) -> Option<u32> {
    (word != NONE).then_some(word)
}

fn matrix_size(number: u32) -> Option<u8> {
    matches!(number, 2..=4).then_some(number as u8)
}
