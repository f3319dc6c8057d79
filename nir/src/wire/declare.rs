// SPDX-License-Identifier: MIT

//! Reads the records outside of the body: the header of the shader, types, variables.

use super::decode::Reading;
use super::format::{
    self, flag, kind, name, pick, variable, Head, TypeFlags, TypeKind, HEADER_WORDS, MAGIC, NONE, NO_STAGE, PRECISIONS,
    VERSION,
};
use super::instr::long;
use super::names;
use super::words::{Read, Stop};
use crate::entity::Id;
use crate::ir::info::{Directive, FieldMut, DIRECTIVES, FIELDS};
use crate::ir::{Capture, Field, Type, TypeData, Var, VarFlags, Variable};
use crate::op::names::InterpMode;
use crate::op::{Access, AluType, Base, Index, Modes};

/// The most levels of arrays and structs: functions on types are recursive.
const MAX_DEPTH: u32 = 64;
/// The most arrays and struct members of a type, each counted as often as it occurs.
const MAX_PARTS: u32 = 1 << 16;

/// A type by the writer's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeRow {
    pub(super) ty: Type,
    depth: u32,
    parts: u32,
}

impl Reading<'_> {
    /// Reads the header. If the wire has none, reading ends without an error.
    pub(super) fn header(&mut self) -> Read<()> {
        let &[magic, version, len, num_insts, stages, x, y, z, num_textures, num_ubos, num_ssbos, num_images, float_controls, shared_size, derivative_group, depth_layout] =
            self.wire.first_chunk::<HEADER_WORDS>().ok_or(Stop)?;
        self.rest = &self.wire[HEADER_WORDS..];
        // An instruction has at least one word, so its memory is in proportion to the wire.
        if magic != MAGIC
            || version != VERSION
            || len as usize != self.wire.len()
            || num_insts as usize > self.rest.len()
        {
            return Err(Stop);
        }
        self.num_insts = num_insts as usize;
        self.shader.reserve_insts(self.num_insts);
        let info = &mut self.shader.info;
        let (stage, next) = (format::stage(stages & 0xff), format::stage(stages >> 8 & 0xff));
        info.next_stage = next;
        info.workgroup_size = [x, y, z];
        info.workgroup_size_variable = stages & flag::WORKGROUP_SIZE_VARIABLE != 0;
        info.first_ubo_is_default_ubo = stages & flag::FIRST_UBO_IS_DEFAULT_UBO != 0;
        info.num_textures = num_textures;
        info.num_ubos = num_ubos;
        info.num_ssbos = num_ssbos;
        info.num_images = num_images;
        info.float_controls_execution_mode = float_controls;
        info.shared_size = shared_size;
        info.derivative_group = derivative_group;
        info.depth_layout = depth_layout;
        match stage {
            Some(stage) if stages & flag::UNKNOWN == 0 && (next.is_some() || stages >> 8 & 0xff == NO_STAGE) => {
                info.stage = stage;
            }
            _ => return Err(self.unexpected(HEADER_WORDS - 4, "stages and flags", stages)),
        }
        self.shader.entry.push_str("main");
        Ok(())
    }

    /// Reads a fact that NIR does not have: a key and a value by their numbers. A wire does not need the directives of dumps; they
    /// are only kept for printing.
    pub(super) fn directive(&mut self, head: Head) -> Read<()> {
        let &[word] = self.row()?;
        let Some((key, values)) = pick(DIRECTIVES, head.op()) else {
            return Err(self.unexpected(2, "a directive", head.op()));
        };
        let directive = if values.is_empty() {
            let text = self.string(word)?;
            let text = self.shader.strings[text].to_string();
            if key == "xfb" {
                let row = text.parse().map_err(|_| self.unexpected(1, "a capture of transform feedback", word))?;
                self.shader.xfb_info.add_row(row);
                return Ok(());
            }
            Directive::Struct(text.into())
        } else {
            let value = values.get(word as usize);
            value.ok_or_else(|| self.unexpected(1, "a value of a directive", word))?.1.clone()
        };
        self.shader.info.say(directive);
        Ok(())
    }

    /// Reads a field of the header of a dump.
    #[cold]
    pub(super) fn fact(&mut self, head: Head) -> Read<()> {
        let Some(row) = FIELDS.get(head.op() as usize) else {
            return Err(self.unexpected(1, "a header field", head.op()));
        };
        let count = match (row.field)(&mut self.shader.info) {
            FieldMut::Ranges(_) | FieldMut::Words(..) => 4,
            FieldMut::List(list) => list.len(),
            FieldMut::Dec(_) | FieldMut::Hex(..) | FieldMut::Flag(_) | FieldMut::Name(_) => 1,
        };
        let words = self.words(count)?;
        match (row.field)(&mut self.shader.info) {
            FieldMut::Dec(value) | FieldMut::Hex(value, _) => *value = words[0],
            FieldMut::Flag(value) => match words[0] {
                word @ 0..=1 => *value = word == 1,
                word => return Err(self.unexpected(1, "0 or 1", word)),
            },
            FieldMut::Ranges(bits) | FieldMut::Words(bits, _) => {
                *bits = words.iter().rev().fold(0, |bits, word| bits << 32 | u128::from(*word));
            }
            FieldMut::Name(_) => {
                let text = self.string(words[0])?;
                if let FieldMut::Name(name) = (row.field)(&mut self.shader.info) {
                    name.clear();
                    name.push_str(&self.shader.strings[text]);
                }
            }
            FieldMut::List(list) => list.copy_from_slice(words),
        }
        Ok(())
    }

    /// Reads a name of the shader.
    #[cold]
    pub(super) fn name(&mut self, head: Head) -> Read<()> {
        let &[len] = self.row()?;
        let text = self.string(len)?;
        let text = &self.shader.strings[text];
        let memory = match head.op() {
            name::ENTRY => &mut self.shader.entry,
            name::SOURCE_HASH => &mut self.shader.info.source_hash,
            name::SHADER => {
                self.shader.info.name.get_or_insert_with(|| self.state.labels[0].take().unwrap_or_default())
            }
            name::LABEL => {
                self.shader.info.label.get_or_insert_with(|| self.state.labels[1].take().unwrap_or_default())
            }
            other => return Err(self.unexpected(1, "a kind of name", other)),
        };
        memory.clear();
        memory.push_str(text);
        Ok(())
    }

    /// The type `number`, which is `back` words before the rest and was defined before.
    #[inline(always)]
    pub(super) fn type_row(&mut self, number: u32, back: usize) -> Read<TypeRow> {
        match self.state.types.get(number as usize) {
            Some(row) => Ok(*row),
            None => Err(self.unexpected(back, "a type written before this", number)),
        }
    }

    #[inline(never)]
    pub(super) fn type_record(&mut self, head: Head) -> Read<()> {
        let &[a, b, c] = self.row()?;
        let row = match head.op() {
            kind::STRUCT => self.struct_type(a, c)?,
            kind::ARRAY => {
                let elem = self.type_row(a, 3)?;
                let ty = self.shader.types.array(elem.ty, optional(b), c);
                TypeRow { ty, depth: elem.depth + 1, parts: elem.parts.saturating_add(1) }
            }
            kind => TypeRow { ty: self.leaf(kind, [a, b, c])?, depth: 1, parts: 1 },
        };
        if row.depth > MAX_DEPTH || row.parts > MAX_PARTS {
            return Err(self.stop(0, format_args!("the type that ends here is too large")));
        }
        self.state.types.push(row);
        Ok(())
    }

    /// Reads a struct, whose members follow its name.
    fn struct_type(&mut self, num_members: u32, len: u32) -> Read<TypeRow> {
        let name = self.string(len)?;
        let (mut depth, mut parts) = (1, 1u32);
        let mut fields = self.shader.types.memory_of_fields();
        for _ in 0..num_members {
            let &[ty, offset, len] = self.row()?;
            let row = self.type_row(ty, 3)?;
            fields.push(Field { name: self.string(len)?, ty: row.ty, offset: optional(offset) });
            depth = depth.max(row.depth + 1);
            parts = parts.saturating_add(row.parts);
        }
        Ok(TypeRow { ty: self.shader.types.new_struct_of(name, fields), depth, parts })
    }

    /// Reads a type without parts.
    #[inline(always)]
    fn leaf(&mut self, kind: u32, [a, b, c]: [u32; 3]) -> Read<Type> {
        if kind != kind::VECTOR {
            return self.opaque(kind, [a, b, c]);
        }
        let scalar = format::scalar(a).ok_or_else(|| self.unexpected(3, "a type of numbers", a))?;
        // 1 to 5, 8 or 16.
        if b > 16 || 1 << b & 0x1_013eu32 == 0 {
            return Err(self.unexpected(2, "1 to 5, 8 or 16 components", b));
        }
        Ok(match c {
            0 => self.shader.types.vector(scalar, b as u8),
            _ if b == 1 => return Err(self.unexpected(1, "no stride of a type with 1 component", c)),
            stride => self.shader.types.intern(TypeData::Strided { scalar, components: b as u8, stride }),
        })
    }

    /// Reads a type without parts that is not a vector.
    #[inline(never)]
    fn opaque(&mut self, kind: u32, [a, b, c]: [u32; 3]) -> Read<Type> {
        let data = match TypeKind::from_number(kind).ok_or_else(|| self.unexpected(4, "a kind of types", kind))? {
            TypeKind::Matrix => {
                if !matches!(a, 16 | 32 | 64) || !matches!((b, c), (2..=4, 2..=4)) {
                    return Err(self.stop(3, format_args!("a matrix of {b} columns of {c} floats of {a} bits")));
                }
                TypeData::Matrix { scalar: AluType::new(Base::Float, a as u8), columns: b as u8, rows: c as u8 }
            }
            TypeKind::Sampler if a < 2 => TypeData::Sampler { shadow: a == 1 },
            TypeKind::Sampler => return Err(self.unexpected(3, "0 or 1", a)),
            image @ (TypeKind::Texture | TypeKind::Image) => {
                let dim = format::dim(a).ok_or_else(|| self.unexpected(3, "a dimensionality", a))?;
                let flags = TypeFlags::from_bits(b).ok_or_else(|| self.unexpected(2, "flags of a type", b))?;
                let texel = format::texel(c).ok_or_else(|| self.unexpected(1, "a type of texels", c))?;
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
        Ok(self.shader.types.intern(data))
    }

    #[inline(never)]
    pub(super) fn variable(&mut self) -> Read<()> {
        let &[ty, traits, qualifiers, location, driver_location, binding, set, index, len] =
            self.row::<{ variable::WORDS }>()?;
        let row = self.type_row(ty, 9)?;
        let interp = pick(InterpMode::ALL, traits >> variable::INTERP & 7);
        let flags = VarFlags::from_bits(qualifiers >> variable::FLAGS);
        let (Some(interp), Some(flags), 0) = (interp, flags, traits & variable::UNKNOWN) else {
            return Err(self.stop(8, format_args!("traits {traits:#x} and {qualifiers:#x} of a variable")));
        };
        let name = self.string(len)?;
        let mut var = Variable::new(name, row.ty, Modes::from_bits_truncate(traits & variable::MODES));
        var.interp = interp;
        var.precision = PRECISIONS[(traits >> variable::PRECISION & 3) as usize];
        var.access = Access::from_bits_truncate(qualifiers & !(!0 << variable::FLAGS));
        var.flags = flags;
        var.location = optional(location);
        var.location_frac = (traits >> variable::LOCATION_FRAC) as u8;
        var.driver_location = driver_location;
        var.binding = binding;
        var.descriptor_set = optional(set);
        var.index = index;
        if traits & variable::MORE != 0 {
            self.more_of_variable(&mut var)?;
        }
        self.shader.declare(var);
        Ok(())
    }

    /// Reads the words that few variables have.
    #[inline(never)]
    fn more_of_variable(&mut self, var: &mut Variable) -> Read<()> {
        let &[format, stream, buffer, stride, offset, num_values] = self.row::<{ variable::MORE_WORDS }>()?;
        if !names::is_value(Index::format, format) {
            return Err(self.unexpected(6, "an image format", format));
        }
        var.image_format = format;
        var.stream = stream;
        var.capture = optional(buffer).map(|buffer| Capture { buffer, stride, offset });
        if num_values != 0 {
            if self.shader.types.num_scalars(var.ty) != Some(num_values) {
                return Err(self.stop(1, format_args!("not as many values as the type has scalars")));
            }
            let values = self.words((num_values as usize).saturating_mul(2))?;
            var.values = Some(self.shader.consts.extend(values.chunks_exact(2).map(long)));
        }
        let &[len] = self.row()?;
        if len != NONE {
            var.initializer = Some(self.string(len)?);
        }
        Ok(())
    }

    /// Reads the type of a variable that was not known when the variable was written.
    pub(super) fn variable_type(&mut self) -> Read<()> {
        let &[var, ty] = self.row()?;
        let ty = self.type_row(ty, 1)?.ty;
        match self.shader.vars.at_mut(var as usize) {
            Some(var) if var.values.is_none() => {
                var.ty = ty;
                Ok(())
            }
            _ => Err(self.unexpected(2, "a variable without values", var)),
        }
    }

    /// The variable `number`, which is `back` words before the rest.
    #[inline(always)]
    pub(super) fn var(&mut self, number: u32, back: usize) -> Read<(Var, Type, Modes)> {
        match self.shader.vars.at(number as usize) {
            Some(var) => Ok((Var::from_index(number as usize), var.ty, var.mode)),
            None => Err(self.unexpected(back, "a variable", number)),
        }
    }
}

/// A number, or `None` for [`NONE`](format::NONE).
fn optional(word: u32) -> Option<u32> {
    (word != NONE).then_some(word)
}
