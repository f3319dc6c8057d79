//! Writing a shader: header, types, variables and control flow.

use super::format::{
    number_in, Control, Section, TypeFlags, TypeKind, HEADER_WORDS, HINTS, MAGIC, NONE, PRECISIONS, VERSION,
};
use crate::entity::{Id, SideTable};
use crate::ir::info::{FieldMut, DIRECTIVES, FIELDS};
use crate::ir::{Block, Cf, Def, Inst, Shader, ShaderInfo, Stage, Type, TypeData, Variable};
use crate::op::names::pack_alu_type;

/// Writes `shader`.
pub(super) fn encode(shader: &Shader) -> Vec<u32> {
    let mut writer = Writer {
        shader,
        sections: Default::default(),
        open: Section::Shader,
        text: Vec::new(),
        types: SideTable::with_len(None, shader.types.len()),
        num_types: 0,
        insts: SideTable::new(NONE),
        blocks: SideTable::new(NONE),
    };
    for (number, inst) in shader.order.iter().enumerate() {
        writer.insts.set(*inst, number as u32);
    }
    for (number, block) in shader.block_order().enumerate() {
        writer.blocks.set(block, number as u32);
    }
    writer.info();
    for ty in (0..shader.types.len()).map(Type::from_index) {
        writer.ty(ty);
    }
    for variable in shader.vars.values() {
        writer.variable(variable);
    }
    writer.control();
    shader.order.iter().for_each(|inst| writer.instruction(*inst));
    writer.join()
}

/// A wire that is being written.
pub(super) struct Writer<'a> {
    pub(super) shader: &'a Shader,
    sections: [Vec<u32>; Section::COUNT],
    /// The section that is written to.
    open: Section,
    /// All strings.
    text: Vec<u8>,
    /// Number of each type that was written.
    types: SideTable<Type, Option<u32>>,
    num_types: u32,
    /// Where each instruction stands.
    insts: SideTable<Inst, u32>,
    blocks: SideTable<Block, u32>,
}

impl Writer<'_> {
    /// What is pushed from now on goes to this section.
    pub(super) fn open(&mut self, section: Section) {
        self.open = section;
    }

    pub(super) fn push(&mut self, words: &[u32]) {
        self.sections[self.open as usize].extend_from_slice(words);
    }

    pub(super) fn push64(&mut self, value: u64) {
        self.push(&[value as u32, (value >> 32) as u32]);
    }

    /// The number of an instruction.
    pub(super) fn place(&self, inst: Inst) -> u32 {
        self.insts[inst]
    }

    /// The number of a value.
    pub(super) fn number(&self, def: Def) -> u32 {
        self.insts[def.inst()]
    }

    pub(super) fn block_number(&self, block: Block) -> u32 {
        self.blocks[block]
    }

    /// The whole wire.
    fn join(mut self) -> Vec<u32> {
        let mut words = vec![MAGIC, VERSION, 0, self.shader.order.len() as u32, self.text.len() as u32];
        self.text.resize(self.text.len().next_multiple_of(4), 0);
        self.sections[Section::Text as usize] = words_of(&self.text);
        let mut start = HEADER_WORDS as u32;
        for section in &self.sections {
            words.extend([start, section.len() as u32]);
            start += section.len() as u32;
        }
        self.sections.iter().for_each(|section| words.extend(section));
        words[2] = start;
        words
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
        self.open(Section::Shader);
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
        self.open(Section::Directive);
        let row = DIRECTIVES.iter().position(|row| row.0 == key).unwrap_or(0);
        let values = DIRECTIVES[row].1;
        if values.is_empty() {
            self.push(&[row as u32]);
            return self.string(Some(value));
        }
        let value = values.iter().position(|it| *it == value).unwrap_or(0);
        self.push(&[row as u32, value as u32, 0]);
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
                        self.type_row(ty);
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

    fn type_row(&mut self, ty: Type) {
        self.open(Section::Type);
        let flags = |array: bool, shadow: bool, bare: bool| {
            let mut flags = TypeFlags::empty();
            flags.set(TypeFlags::ARRAYED, array);
            flags.set(TypeFlags::SHADOW, shadow);
            flags.set(TypeFlags::BARE, bare);
            flags.bits()
        };
        match self.shader.types.get(ty) {
            TypeData::Void => self.push(&[TypeKind::Void as u32, 0, 0, 0]),
            TypeData::AtomicUint => self.push(&[TypeKind::AtomicUint as u32, 0, 0, 0]),
            TypeData::Scalar(scalar) => self.push(&[TypeKind::Vector as u32, pack_alu_type(scalar), 1, 0]),
            TypeData::Vector(scalar, n) => self.push(&[TypeKind::Vector as u32, pack_alu_type(scalar), n.into(), 0]),
            TypeData::Matrix { scalar, columns, rows } => {
                self.push(&[TypeKind::Matrix as u32, scalar.bits.into(), columns.into(), rows.into()]);
            }
            TypeData::Array { elem, len, stride } => {
                self.push(&[TypeKind::Array as u32, self.type_number(elem), len.unwrap_or(NONE), stride]);
            }
            TypeData::Sampler { shadow } => self.push(&[TypeKind::Sampler as u32, shadow.into(), 0, 0]),
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
                self.push(&[data.fields.len() as u32]);
                for field in &data.fields {
                    self.push(&[self.type_number(field.ty), field.offset.unwrap_or(NONE)]);
                    self.string(Some(&shader.strings[field.name]));
                }
            }
        }
    }

    fn variable(&mut self, variable: &Variable) {
        let shader = self.shader;
        self.open(Section::Variable);
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
        let values = variable.values.map_or(&[][..], |values| &shader.consts[values]);
        self.push(&[values.len() as u32]);
        self.open(Section::Value);
        values.iter().for_each(|value| self.push64(*value));
    }

    fn control(&mut self) {
        let shader = self.shader;
        self.open(Section::Control);
        let mut place = 0;
        for item in &shader.cf {
            let (kind, rest) = match *item {
                Cf::Block(_) => (Control::Block, [0, 0]),
                Cf::If { cond, hint } => (Control::If, [number_in(HINTS, &hint), self.number(cond)]),
                Cf::Else => (Control::Else, [0, 0]),
                Cf::EndIf => (Control::EndIf, [0, 0]),
                Cf::Loop => (Control::Loop, [0, 0]),
                Cf::Continue => (Control::Continue, [0, 0]),
                Cf::EndLoop => (Control::EndLoop, [0, 0]),
            };
            self.push(&[kind as u32 | rest[0] << 8, place, rest[1]]);
            if let Cf::Block(block) = item {
                place += shader.block_insts(*block).len() as u32;
            }
        }
    }
}

/// Whole words.
pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
