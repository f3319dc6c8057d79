//! Reading what stands outside of the body: the header of the shader, types, variables.

use super::decode::Reading;
use super::format::{self, kind, pick, row, Section, TypeFlags, TypeKind, NONE, PRECISIONS, SHADER_WORDS};
use super::names;
use super::words::{ends_early, error, rows, unexpected};
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
    #[inline(never)]
    pub(super) fn shader_section(&mut self) -> Result<(), Error> {
        let (words, at) = self.section(Section::Shader);
        let Ok(words) = <&[u32; SHADER_WORDS]>::try_from(words) else {
            return Err(error(at, format_args!("the shader has {SHADER_WORDS} words, not {}", words.len())));
        };
        let &[stage, next_stage, x, y, z, variable_size, ref strings @ ..] =
            words.first_chunk::<14>().unwrap_or(&[0; 14]);
        let info = &mut self.shader.info;
        info.stage = format::stage(stage).ok_or_else(|| unexpected(at, "a stage", stage))?;
        if let Some(stage) = optional(next_stage) {
            info.next_stage = Some(format::stage(stage).ok_or_else(|| unexpected(at + 1, "a stage", stage))?);
        }
        info.workgroup_size = [x, y, z];
        info.workgroup_size_variable = variable_size != 0;
        let text = self.shader.strings.text();
        let string = |n: usize| part_of(text, strings[2 * n], strings[2 * n + 1], at + 6 + 2 * n);
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

    /// What NIR does not say: a key and a value by their numbers. What a dump has lost and said again, a wire has: it is only kept
    /// for printing.
    #[inline(never)]
    pub(super) fn directives(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Directive);
        for (at, &[key, value, len]) in rows::<{ row::DIRECTIVE }>(words, start)? {
            let (key, values) = pick(DIRECTIVES, key).ok_or_else(|| unexpected(at, "a directive", key))?;
            let pair = if values.is_empty() {
                let text = part(self.shader.strings.text(), value, len).ok_or_else(|| outside(at + 1))?;
                (key.into(), text.to_string().into())
            } else {
                let value = pick(values, value).ok_or_else(|| unexpected(at + 1, "a value of a directive", value))?;
                (key.into(), value.into())
            };
            self.shader.info.directives.push(pair);
        }
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

    #[inline(never)]
    pub(super) fn types(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Type);
        let mut rows = rows::<{ row::TYPE }>(words, start)?;
        while let Some((at, &[kind, a, b, c])) = rows.next() {
            let row = match kind {
                // What most are, compared one by one.
                kind::ARRAY => self.array(a, b, c, at)?,
                kind::VECTOR => self.vector(a, b, at)?,
                kind::STRUCT if c as usize <= rows.len() => {
                    self.struct_type(a, b, rows.by_ref().take(c as usize), at)?
                }
                kind::STRUCT => return Err(ends_early(start + words.len())),
                _ => self.leaf(kind, [a, b, c], at)?,
            };
            if row.depth > MAX_DEPTH || row.parts > MAX_PARTS {
                return Err(error(at, format_args!("the type is too large")));
            }
            self.state.types.push(row);
        }
        Ok(())
    }

    /// A scalar or a vector.
    #[inline(always)]
    fn vector(&mut self, scalar: u32, components: u32, at: usize) -> Result<TypeRow, Error> {
        let scalar = format::scalar(scalar).ok_or_else(|| unexpected(at + 1, "a type of numbers", scalar))?;
        // 1 to 5, 8 or 16.
        if components > 16 || 1 << components & 0x1_013eu32 == 0 {
            return Err(unexpected(at + 2, "1 to 5, 8 or 16 components", components));
        }
        let ty = self.shader.types.vector(scalar, components as u8);
        Ok(TypeRow { ty, depth: 1, parts: 1, scalars: Some(components) })
    }

    #[inline(always)]
    fn array(&mut self, elem: u32, len: u32, stride: u32, at: usize) -> Result<TypeRow, Error> {
        let elem = *self.type_row(elem, at + 1)?;
        let len = optional(len);
        let ty = self.shader.types.array(elem.ty, len, stride);
        let scalars = elem.scalars.and_then(|scalars| scalars.checked_mul(len?)).filter(|n| *n != 0);
        Ok(TypeRow { ty, depth: elem.depth + 1, parts: elem.parts.saturating_add(1), scalars })
    }

    /// A struct, whose `members` are rows as well.
    #[inline(always)]
    fn struct_type<'w>(
        &mut self,
        start: u32,
        len: u32,
        members: impl Iterator<Item = (usize, &'w [u32; row::TYPE])>,
        at: usize,
    ) -> Result<TypeRow, Error> {
        let name = self.name(start, len, at + 1)?;
        let (mut depth, mut parts, mut scalars) = (1, 1u32, Some(0u32));
        let mut fields = self.shader.types.memory_of_fields();
        for (at, &[ty, offset, start, len]) in members {
            let row = *self.type_row(ty, at)?;
            fields.push(Field { name: self.name(start, len, at + 2)?, ty: row.ty, offset: optional(offset) });
            depth = depth.max(row.depth + 1);
            parts = parts.saturating_add(row.parts);
            scalars = scalars.and_then(|sum| sum.checked_add(row.scalars?));
        }
        let ty = self.shader.types.new_struct_of(name, fields);
        Ok(TypeRow { ty, depth, parts, scalars: scalars.filter(|n| *n != 0) })
    }

    /// A type without parts that is no vector.
    #[inline(never)]
    fn leaf(&mut self, kind: u32, [a, b, c]: [u32; 3], at: usize) -> Result<TypeRow, Error> {
        let mut scalars = None;
        let data = match TypeKind::from_number(kind).ok_or_else(|| unexpected(at, "a kind of types", kind))? {
            TypeKind::Matrix => {
                if !matches!(a, 16 | 32 | 64) || !matches!((b, c), (2..=4, 2..=4)) {
                    return Err(error(at + 1, format_args!("a matrix of {b} columns of {c} floats of {a} bits")));
                }
                scalars = Some(b * c);
                TypeData::Matrix { scalar: AluType::new(Base::Float, a as u8), columns: b as u8, rows: c as u8 }
            }
            TypeKind::Sampler if a < 2 => TypeData::Sampler { shadow: a == 1 },
            TypeKind::Sampler => return Err(unexpected(at + 1, "0 or 1", a)),
            image @ (TypeKind::Texture | TypeKind::Image) => {
                let dim = format::dim(a).ok_or_else(|| unexpected(at + 1, "a dimensionality", a))?;
                let flags = TypeFlags::from_bits(b).ok_or_else(|| unexpected(at + 2, "flags of a type", b))?;
                let texel = format::texel(c).ok_or_else(|| unexpected(at + 3, "a type of texels", c))?;
                let (array, shadow) = (flags.contains(TypeFlags::ARRAYED), flags.contains(TypeFlags::SHADOW));
                let bare = flags.contains(TypeFlags::BARE);
                match image {
                    TypeKind::Texture => TypeData::Texture { dim, shadow, array, texel, bare },
                    _ => TypeData::Image { dim, array, texel },
                }
            }
            TypeKind::AtomicUint => TypeData::AtomicUint,
            _ => TypeData::Void,
        };
        Ok(TypeRow { ty: self.shader.types.intern(data), depth: 1, parts: 1, scalars })
    }

    #[inline(never)]
    pub(super) fn variables(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Variable);
        let (mut values, values_start) = self.section(Section::Value);
        for (at, row) in rows::<{ row::VARIABLE }>(words, start)? {
            let num_values = (row[row::VARIABLE - 1] as usize).saturating_mul(2);
            if num_values > values.len() {
                return Err(ends_early(values_start + values.len()));
            }
            let (own, rest) = values.split_at(num_values);
            self.variable(row, own, at)?;
            values = rest;
        }
        match values.is_empty() {
            true => Ok(()),
            false => Err(error(values_start, format_args!("{} words are of no variable", values.len()))),
        }
    }

    #[inline(always)]
    fn variable(&mut self, row: &[u32; row::VARIABLE], values: &[u32], at: usize) -> Result<(), Error> {
        let &[ty, mode, interp, precision, access, flags, location, location_frac, driver_location, binding, set, index, image_format, stream, buffer, stride, offset, name, name_len, initializer, initializer_len, _] =
            row;
        let row = *self.type_row(ty, at)?;
        let name = self.name(name, name_len, at + 17)?;
        let initializer = match initializer_len {
            NONE => None,
            len => Some(self.name(initializer, len, at + 19)?),
        };
        let values = self.values(row, values, at + 21)?;
        if !names::is_value(Index::format, image_format) {
            return Err(unexpected(at + 12, "an image format", image_format));
        }
        self.shader.declare(Variable {
            name,
            ty: row.ty,
            mode: Modes::from_bits(mode).ok_or_else(|| unexpected(at + 1, "a mode", mode))?,
            interp: pick(InterpMode::ALL, interp).ok_or_else(|| unexpected(at + 2, "an interpolation", interp))?,
            precision: pick(PRECISIONS, precision).ok_or_else(|| unexpected(at + 3, "a precision", precision))?,
            access: Access::from_bits(access).ok_or_else(|| unexpected(at + 4, "access flags", access))?,
            flags: VarFlags::from_bits(flags).ok_or_else(|| unexpected(at + 5, "flags of a variable", flags))?,
            location: optional(location),
            location_frac: u8::try_from(location_frac).map_err(|_| unexpected(at + 7, "a component", location_frac))?,
            driver_location,
            binding,
            descriptor_set: optional(set),
            min_range: 0,
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
        if row.scalars != Some(values.len() as u32 / 2) {
            return Err(wrong_values(at));
        }
        let values = values.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
        Ok(Some(self.shader.consts.extend(values)))
    }
}

#[cold]
fn wrong_values(at: usize) -> Error {
    error(at, format_args!("not as many values as the type has scalars"))
}

#[cold]
fn outside(at: usize) -> Error {
    error(at, format_args!("the string is no part of the text"))
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
