//! Writing a shader: header, types, variables and control flow, with the numbers of the IR.

use super::format::{number_in, Kind, Table, TypeFlags, TypeKind, HINTS, MAGIC, NONE, PRECISIONS, VERSION};
use crate::entity::{Id, SideTable};
use crate::ir::info::{FieldMut, FIELDS};
use crate::ir::{Cf, Shader, ShaderInfo, Stage, Type, TypeData, Variable};
use crate::op::names::{pack_alu_type, FORMATS};
use crate::op::{AluOp, Index, Intrinsic};

/// Writes `shader`.
pub(super) fn encode(shader: &Shader) -> Vec<u32> {
    let mut writer = Writer {
        shader,
        words: vec![MAGIC, VERSION, 0],
        record: None,
        types: SideTable::with_len(None, shader.types.len()),
        num_types: 0,
        named: Default::default(),
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
    writer.words[2] = writer.words.len() as u32;
    writer.words
}

/// A wire that is being written.
pub(super) struct Writer<'a> {
    pub(super) shader: &'a Shader,
    words: Vec<u32>,
    /// Where the open record starts.
    record: Option<usize>,
    /// Number of each type that was written.
    types: SideTable<Type, Option<u32>>,
    num_types: u32,
    /// By table, the numbers that have a name.
    named: [Vec<bool>; 4],
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

    fn string(&mut self, text: Option<&str>) {
        let Some(text) = text else { return self.push(&[NONE]) };
        self.push(&[text.len() as u32]);
        let words = text.as_bytes().chunks(4).map(|bytes| {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(word)
        });
        self.words.extend(words);
    }

    /// True the first time that `number` of `table` is asked for.
    fn is_new(&mut self, table: Table, number: u32) -> bool {
        let named = &mut self.named[table as usize];
        let at = number as usize;
        if at >= named.len() {
            named.resize(at + 1, false);
        }
        !std::mem::replace(&mut named[at], true)
    }

    fn name(&mut self, table: Table, number: u32, name: &str) {
        if self.is_new(table, number) {
            self.record(Kind::Name);
            self.push(&[table as u32, number]);
            self.string(Some(name));
        }
    }

    pub(super) fn name_alu(&mut self, op: AluOp) {
        self.name(Table::Alu, op as u32, op.name());
    }

    pub(super) fn name_format(&mut self, format: u32) {
        self.name(Table::Format, format, FORMATS.get(format as usize).map_or("none", |row| row.0));
    }

    pub(super) fn name_intrinsic(&mut self, op: Intrinsic) {
        if self.is_new(Table::Intrinsic, op as u32) {
            let indices: &[Index] = op.info().indices;
            indices.iter().for_each(|index| self.name(Table::Index, *index as u32, index.name()));
            self.record(Kind::Name);
            self.push(&[Table::Intrinsic as u32, op as u32]);
            self.string(Some(op.name()));
            indices.iter().for_each(|index| self.push(&[*index as u32]));
        }
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
        self.record(Kind::Info);
        for (number, row) in FIELDS.iter().enumerate() {
            self.field(number as u32, (row.field)(&mut copy));
        }
        for (key, value) in &info.directives {
            self.record(Kind::Directive);
            self.string(Some(key));
            self.string(Some(value));
        }
    }

    /// A field, unless it is zero.
    fn field(&mut self, number: u32, field: FieldMut<'_>) {
        let mut begin = || self.push(&[number]);
        match field {
            FieldMut::Dec(value) | FieldMut::Hex(value, _) if *value != 0 => {
                begin();
                self.push(&[*value]);
            }
            FieldMut::Flag(true) => {
                begin();
                self.push(&[1]);
            }
            FieldMut::Ranges(bits) | FieldMut::Words(bits, _) if *bits != 0 => {
                begin();
                self.push64(*bits as u64);
                self.push64((*bits >> 64) as u64);
            }
            FieldMut::Name(name) if !name.is_empty() => {
                begin();
                self.string(Some(name));
            }
            FieldMut::List(list) if list.iter().any(|value| *value != 0) => {
                begin();
                self.push(list);
            }
            _ => {}
        }
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
        self.record(Kind::Type);
        let flags = |array: bool, shadow: bool, bare: bool| {
            let mut flags = TypeFlags::empty();
            flags.set(TypeFlags::ARRAYED, array);
            flags.set(TypeFlags::SHADOW, shadow);
            flags.set(TypeFlags::BARE, bare);
            flags.bits()
        };
        match self.shader.types.get(ty) {
            TypeData::Void => self.push(&[TypeKind::Void as u32]),
            TypeData::AtomicUint => self.push(&[TypeKind::AtomicUint as u32]),
            TypeData::Scalar(scalar) => self.push(&[TypeKind::Vector as u32, pack_alu_type(scalar), 1]),
            TypeData::Vector(scalar, n) => self.push(&[TypeKind::Vector as u32, pack_alu_type(scalar), n.into()]),
            TypeData::Matrix { scalar, columns, rows } => {
                self.push(&[TypeKind::Matrix as u32, scalar.bits.into(), columns.into(), rows.into()]);
            }
            TypeData::Array { elem, len, stride } => {
                self.push(&[TypeKind::Array as u32, self.type_number(elem), len.unwrap_or(NONE), stride]);
            }
            TypeData::Sampler { shadow } => self.push(&[TypeKind::Sampler as u32, shadow.into()]),
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                let flags = flags(array, shadow, bare);
                self.push(&[TypeKind::Texture as u32, dim as u32, flags, pack_alu_type(texel)]);
            }
            TypeData::Image { dim, array, texel } => {
                let flags = flags(array, false, false);
                self.push(&[TypeKind::Image as u32, dim as u32, flags, pack_alu_type(texel)]);
            }
            TypeData::Struct(id) => {
                let shader = self.shader;
                let data = &shader.types.structs[id];
                self.push(&[TypeKind::Struct as u32]);
                self.string(Some(&shader.strings[data.name]));
                for field in &data.fields {
                    self.push(&[self.type_number(field.ty), field.offset.unwrap_or(NONE)]);
                    self.string(Some(&shader.strings[field.name]));
                }
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let shader = self.shader;
        if variable.image_format != 0 {
            self.name_format(variable.image_format);
        }
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
