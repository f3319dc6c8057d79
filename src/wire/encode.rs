//! Writing a shader: header, types, variables and control flow, with the numbers of the IR.

use super::format::{number_in, Kind, TypeFlags, HINTS, MAGIC, NONE, PRECISIONS, VERSION};
use crate::entity::{Id, SideTable};
use crate::ir::info::{FieldMut, DIRECTIVES, FIELDS};
use crate::ir::{Cf, Shader, ShaderInfo, Stage, Type, TypeData, Variable};
use crate::op::names::pack_alu_type;

/// Writes `shader`.
pub(super) fn encode(shader: &Shader) -> Vec<u32> {
    let mut writer = Writer {
        shader,
        words: vec![MAGIC, VERSION, 0, 0],
        text: Vec::new(),
        record: None,
        types: SideTable::with_len(None, shader.types.len()),
        num_types: 0,
    };
    writer.info();
    for ty in (0..shader.types.len()).map(Type::from_index) {
        writer.ty(ty);
    }
    for variable in shader.vars.values() {
        writer.variable(variable);
    }
    writer.body();
    writer.close();
    writer.words[3] = writer.text.len() as u32;
    writer.text.resize(writer.text.len().next_multiple_of(4), 0);
    writer
        .words
        .extend(writer.text.chunks(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])));
    writer.words[2] = writer.words.len() as u32;
    writer.words
}

/// A wire that is being written.
pub(super) struct Writer<'a> {
    pub(super) shader: &'a Shader,
    words: Vec<u32>,
    /// All strings.
    text: Vec<u8>,
    /// Where the open record starts.
    record: Option<usize>,
    /// Number of each type that was written.
    types: SideTable<Type, Option<u32>>,
    num_types: u32,
}

impl Writer<'_> {
    /// Opens a record; it ends where the next one begins.
    pub(super) fn record(&mut self, kind: Kind) {
        self.close();
        self.record = Some(self.words.len());
        self.words.push(kind as u32);
    }

    fn close(&mut self) {
        if let Some(start) = self.record.take() {
            self.words[start] |= ((self.words.len() - start) as u32) << 8;
        }
    }

    pub(super) fn push(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    pub(super) fn push64(&mut self, value: u64) {
        self.push(&[value as u32, (value >> 32) as u32]);
    }

    /// Where a string stands in the text, and how many bytes it has.
    fn string(&mut self, text: Option<&str>) {
        let Some(text) = text else { return self.push(&[0, NONE]) };
        self.push(&[self.text.len() as u32, text.len() as u32]);
        self.text.extend_from_slice(text.as_bytes());
    }

    fn info(&mut self) {
        let info = &self.shader.info;
        let stage = |stage: Stage| Stage::NAMES.iter().position(|row| row.0 == stage).unwrap_or(0) as u32;
        self.record(Kind::Shader);
        self.push(&[stage(info.stage), info.next_stage.map_or(NONE, stage)]);
        self.push(&info.workgroup_size);
        self.push(&[info.workgroup_size_variable.into()]);
        self.string(Some(&self.shader.entry));
        self.string(Some(&info.source_hash));
        self.string(info.name.as_deref());
        self.string(info.label.as_deref());
        // The table gives out fields to change; what is written is a copy.
        let mut copy: ShaderInfo = info.clone();
        for row in FIELDS {
            self.field((row.field)(&mut copy));
        }
        for (key, value) in &info.directives {
            self.directive(key, value);
        }
    }

    fn field(&mut self, field: FieldMut<'_>) {
        match field {
            FieldMut::Dec(value) | FieldMut::Hex(value, _) => self.push(&[*value]),
            FieldMut::Flag(value) => self.push(&[(*value).into()]),
            FieldMut::Ranges(bits) | FieldMut::Words(bits, _) => {
                self.push64(*bits as u64);
                self.push64((*bits >> 64) as u64);
            }
            FieldMut::Name(name) => self.string(Some(name)),
            FieldMut::List(list) => self.push(list),
        }
    }

    fn directive(&mut self, key: &str, value: &str) {
        let Some(row) = DIRECTIVES.iter().position(|row| row.0 == key) else {
            self.record(Kind::Remark);
            return self.string(Some(value));
        };
        let value = DIRECTIVES[row].1.iter().position(|it| *it == value).unwrap_or(0);
        self.record(Kind::Directive);
        self.push(&[row as u32, value as u32]);
    }

    /// Writes `root` behind the types that it is made of, without recursion.
    fn ty(&mut self, root: Type) {
        let mut way = vec![root];
        while let Some(ty) = way.last().copied() {
            let part = match self.shader.types.get(ty) {
                TypeData::Array { elem, .. } => Some(elem).filter(|elem| self.types[*elem].is_none()),
                TypeData::Struct(id) => {
                    let mut fields = self.shader.types.structs[id].fields.iter().map(|field| field.ty);
                    fields.find(|ty| self.types[*ty].is_none())
                }
                _ => None,
            };
            match part {
                // No deeper than there are types: a type that contains itself, which `check` refuses, ends here.
                Some(part) if way.len() <= self.shader.types.len() => way.push(part),
                _ => {
                    if self.types[ty].is_none() {
                        self.type_record(ty);
                        self.types.set(ty, Some(self.num_types));
                        self.num_types += 1;
                    }
                    way.pop();
                }
            }
        }
    }

    pub(super) fn type_number(&self, ty: Type) -> u32 {
        self.types[ty].unwrap_or(NONE)
    }

    fn type_record(&mut self, ty: Type) {
        let flags = |array: bool, shadow: bool, bare: bool| {
            let mut flags = TypeFlags::empty();
            flags.set(TypeFlags::ARRAYED, array);
            flags.set(TypeFlags::SHADOW, shadow);
            flags.set(TypeFlags::BARE, bare);
            flags.bits()
        };
        match self.shader.types.get(ty) {
            TypeData::Void => self.whole(Kind::Void, &[]),
            TypeData::AtomicUint => self.whole(Kind::AtomicUint, &[]),
            TypeData::Scalar(scalar) => self.whole(Kind::Vector, &[pack_alu_type(scalar), 1]),
            TypeData::Vector(scalar, n) => self.whole(Kind::Vector, &[pack_alu_type(scalar), n.into()]),
            TypeData::Matrix { scalar, columns, rows } => {
                self.whole(Kind::Matrix, &[scalar.bits.into(), columns.into(), rows.into()]);
            }
            TypeData::Array { elem, len, stride } => {
                self.whole(Kind::Array, &[self.type_number(elem), len.unwrap_or(NONE), stride]);
            }
            TypeData::Sampler { shadow } => self.whole(Kind::Sampler, &[shadow.into()]),
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                let flags = flags(array, shadow, bare);
                self.whole(Kind::Texture, &[dim as u32, flags, pack_alu_type(texel)]);
            }
            TypeData::Image { dim, array, texel } => {
                let flags = flags(array, false, false);
                self.whole(Kind::Image, &[dim as u32, flags, pack_alu_type(texel)]);
            }
            TypeData::Struct(id) => {
                let shader = self.shader;
                let data = &shader.types.structs[id];
                self.record(Kind::Struct);
                self.string(Some(&shader.strings[data.name]));
                for field in &data.fields {
                    self.push(&[self.type_number(field.ty), field.offset.unwrap_or(NONE)]);
                    self.string(Some(&shader.strings[field.name]));
                }
            }
        }
    }

    /// A record of these words.
    fn whole(&mut self, kind: Kind, words: &[u32]) {
        self.record(kind);
        self.push(words);
    }

    fn variable(&mut self, variable: &Variable) {
        let shader = self.shader;
        self.record(Kind::Variable);
        self.push(&[
            self.type_number(variable.ty),
            variable.mode.bits(),
            variable.interp as u32,
            number_in(PRECISIONS, &variable.precision),
            variable.access.bits(),
            variable.flags.bits(),
            variable.location.unwrap_or(NONE),
            variable.location_frac.into(),
            variable.driver_location,
            variable.binding,
            variable.descriptor_set.unwrap_or(NONE),
            variable.index,
            variable.image_format,
            variable.stream,
        ]);
        let capture = variable.capture.map(|capture| [capture.buffer, capture.stride, capture.offset]);
        self.push(&capture.unwrap_or([NONE, 0, 0]));
        self.string(Some(&shader.strings[variable.name]));
        self.string(variable.initializer.map(|text| &shader.strings[text]));
        for value in variable.values.map_or(&[][..], |values| &shader.consts[values]) {
            self.push64(*value);
        }
    }

    fn body(&mut self) {
        let shader = self.shader;
        for item in &shader.cf {
            match *item {
                Cf::Block(block) => {
                    self.record(Kind::Block);
                    self.push(&[block.index() as u32]);
                    shader.block_insts(block).iter().for_each(|inst| self.instruction(*inst));
                }
                Cf::If { cond, hint } => {
                    self.record(Kind::If);
                    self.push(&[cond.index() as u32, number_in(HINTS, &hint)]);
                }
                Cf::Else => self.record(Kind::Else),
                Cf::EndIf => self.record(Kind::EndIf),
                Cf::Loop => self.record(Kind::Loop),
                Cf::Continue => self.record(Kind::Continue),
                Cf::EndLoop => self.record(Kind::EndLoop),
            }
        }
    }
}
