//! Reading what stands outside of the body: the header of the shader, types, variables.

use super::decode::Reading;
use super::format::{self, pick, var_flags, TypeFlags, TypeKind, PRECISIONS};
use super::record::Record;
use crate::entity::Str;
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
    pub(super) fn shader_record(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let info = &mut self.shader.info;
        info.stage = record.pick("a stage", format::stage)?;
        if let Some(stage) = record.optional()? {
            let unknown = || record.behind(format_args!("expected a stage, found {stage}"));
            info.next_stage = Some(format::stage(stage).ok_or_else(unknown)?);
        }
        for size in &mut info.workgroup_size {
            *size = record.word()?;
        }
        info.workgroup_size_variable = record.flag()?;
        let text = &mut self.state.text;
        self.shader.entry.push_str(record.string(text)?.as_deref().unwrap_or("main"));
        info.source_hash = record.string(text)?.map(|hash| hash.into_owned()).unwrap_or_default();
        info.name = record.string(text)?.map(|name| name.into_owned());
        info.label = record.string(text)?.map(|label| label.into_owned());
        Ok(())
    }

    /// A field of the header and its value.
    pub(super) fn info(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let row = record.pick("a field of the header", |number| FIELDS.get(number as usize))?;
        match (row.field)(&mut self.shader.info) {
            FieldMut::Dec(field) | FieldMut::Hex(field, _) => *field = record.word()?,
            FieldMut::Flag(field) => *field = record.flag()?,
            FieldMut::Ranges(field) | FieldMut::Words(field, _) => {
                let low = record.word64()?;
                *field = u128::from(low) | u128::from(record.word64()?) << 64;
            }
            FieldMut::List(list) => list.copy_from_slice(record.words(list.len())?),
            FieldMut::Name(field) => *field = record.string(&mut self.state.text)?.unwrap_or_default().into_owned(),
        }
        Ok(())
    }

    pub(super) fn directive(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let key = record.string(&mut self.state.text)?.unwrap_or_default().into_owned();
        let value = record.string(&mut self.state.text)?.unwrap_or_default().into_owned();
        // What a dump has lost and said again, a wire has: it is only kept for printing.
        if key != "struct" && !is_directive(&key, &value) {
            return Err(record.error(format_args!("there is no directive `{key}={value}`")));
        }
        self.shader.info.directives.push((key, value));
        Ok(())
    }

    /// A string that has to be there, in the shader's table.
    fn name(&mut self, record: &mut Record<'_>) -> Result<Str, Error> {
        Ok(self.optional_name(record)?.unwrap_or_else(|| self.shader.strings.intern("")))
    }

    fn optional_name(&mut self, record: &mut Record<'_>) -> Result<Option<Str>, Error> {
        let text = record.string(&mut self.state.text)?;
        Ok(text.map(|text| self.shader.strings.intern(&text)))
    }

    /// A type that was written before.
    pub(super) fn type_row(&self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let number = record.word()?;
        let missing = || record.behind(format_args!("there is no type {number} before this"));
        pick(&self.state.types, number).ok_or_else(missing)
    }

    pub(super) fn ty(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
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
            TypeKind::Array => self.array(record)?,
            TypeKind::Struct => self.struct_type(record)?,
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
        Ok(())
    }

    /// A type without parts.
    fn leaf(&mut self, data: TypeData, scalars: Option<u32>) -> TypeRow {
        TypeRow { ty: self.shader.types.intern(data), depth: 1, parts: 1, scalars }
    }

    fn array(&mut self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let elem = self.type_row(record)?;
        let (len, stride) = (record.optional()?, record.word()?);
        let ty = self.shader.types.array(elem.ty, len, stride);
        let scalars = elem.scalars.and_then(|scalars| scalars.checked_mul(len?));
        Ok(TypeRow {
            ty,
            depth: elem.depth + 1,
            parts: elem.parts.saturating_add(1),
            scalars: scalars.filter(|n| *n != 0),
        })
    }

    fn struct_type(&mut self, record: &mut Record<'_>) -> Result<TypeRow, Error> {
        let name = self.name(record)?;
        let mut fields = Vec::new();
        let (mut depth, mut parts, mut scalars) = (1, 1u32, Some(0u32));
        while record.left() > 0 {
            let row = self.type_row(record)?;
            let offset = record.optional()?;
            fields.push(Field { name: self.name(record)?, ty: row.ty, offset });
            depth = depth.max(row.depth + 1);
            parts = parts.saturating_add(row.parts);
            scalars = scalars.and_then(|sum| sum.checked_add(row.scalars?));
        }
        let ty = self.shader.types.new_struct(name, fields);
        Ok(TypeRow { ty, depth, parts, scalars: scalars.filter(|n| *n != 0) })
    }

    pub(super) fn variable(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let row = self.type_row(record)?;
        let mode = record.pick("a mode", Modes::from_bits)?;
        let interp = record.pick("an interpolation", |number| pick(InterpMode::ALL, number))?;
        let precision = record.pick("a precision", |number| pick(PRECISIONS, number))?;
        let access = record.pick("access flags", Access::from_bits)?;
        let flags = record.pick("flags of a variable", var_flags)?;
        let location = record.optional()?;
        let location_frac = record.pick("a component", |number| u8::try_from(number).ok())?;
        let (driver_location, binding, descriptor_set) = (record.word()?, record.word()?, record.optional()?);
        let index = record.word()?;
        let image_format = self.state.names.format(record.word()?, record.at() - 1, self.wire)?;
        let stream = record.word()?;
        let (buffer, stride, offset) = (record.optional()?, record.word()?, record.word()?);
        let capture = buffer.map(|buffer| Capture { buffer, stride, offset });
        let name = self.name(record)?;
        let initializer = self.optional_name(record)?;
        let mut variable = Variable::new(name, row.ty, mode);
        (variable.interp, variable.precision, variable.access, variable.flags) = (interp, precision, access, flags);
        (variable.location, variable.location_frac, variable.driver_location) =
            (location, location_frac, driver_location);
        (variable.binding, variable.descriptor_set, variable.index) = (binding, descriptor_set, index);
        (variable.image_format, variable.stream, variable.capture) = (image_format, stream, capture);
        variable.initializer = initializer;
        let values = record.words(record.left())?;
        if !values.is_empty() {
            if values.len() % 2 != 0 || row.scalars != Some(values.len() as u32 / 2) {
                return Err(record.behind(format_args!("as many values as the type has scalars are two words each")));
            }
            let values = values.chunks_exact(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32);
            variable.values = Some(self.shader.consts.extend(values));
        }
        self.shader.vars.push(variable);
        Ok(())
    }
}

fn matrix_size(number: u32) -> Option<u8> {
    matches!(number, 2..=4).then_some(number as u8)
}
