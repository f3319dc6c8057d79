// SPDX-License-Identifier: MIT

//! Writes a shader: header, types, variables and control flow.

use super::format::{
    flag, name, number_in, record, variable, Control, Head, TypeFlags, TypeKind, HEADER_WORDS, HINTS, MAGIC, NONE,
    NO_STAGE, PRECISIONS, VERSION,
};
use crate::entity::{Id, SideTable};
use crate::ir::info::{Directive, FieldMut, DIRECTIVES, FIELDS};
use crate::ir::{AluFlags, Block, Cf, Def, Inst, InstKind, Shader, ShaderInfo, Stage, Type, TypeData, Variable};
use crate::op::names::pack_alu_type;

/// Writes `shader`.
pub(super) fn encode(shader: &Shader) -> Vec<u32> {
    let mut writer = Writer {
        shader,
        words: Vec::new(),
        types: SideTable::with_len(None, shader.types.len()),
        num_types: 0,
        insts: SideTable::new(NONE),
        blocks: SideTable::new(NONE),
        math: AluFlags::empty(),
    };
    for (number, inst) in shader.order.iter().enumerate() {
        writer.insts.set(*inst, number as u32);
    }
    for (number, block) in shader.block_order().enumerate() {
        writer.blocks.set(block, number as u32);
    }
    writer.header();
    writer.facts();
    for ty in (0..shader.types.len()).map(Type::from_index) {
        writer.ty(ty);
    }
    for variable in shader.vars.values() {
        writer.variable(variable);
    }
    writer.body();
    writer.phi_srcs();
    writer.words[2] = writer.words.len() as u32;
    writer.words
}

/// A wire that is being written.
pub(super) struct Writer<'a> {
    pub(super) shader: &'a Shader,
    words: Vec<u32>,
    /// The number of each written type.
    types: SideTable<Type, Option<u32>>,
    num_types: u32,
    /// The position of each instruction.
    insts: SideTable<Inst, u32>,
    blocks: SideTable<Block, u32>,
    /// The math control of the ALU instructions that follow.
    pub(super) math: AluFlags,
}

impl Writer<'_> {
    pub(super) fn push(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    /// Begins a record without a result and without flags.
    fn begin(&mut self, record: u32, op: u32) {
        self.push(&[Head::new(record, op, 0).0]);
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

    /// The length of a string, and its bytes in whole words.
    fn string(&mut self, text: &str) {
        self.push(&[text.len() as u32]);
        self.text(text);
    }

    /// Writes the bytes of a string in whole words.
    fn text(&mut self, text: &str) {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        self.push(&words_of(&bytes));
    }

    fn header(&mut self) {
        let info = &self.shader.info;
        let stage = |stage: Stage| Stage::NAMES.iter().position(|row| row.0 == stage).unwrap_or(0) as u32;
        let flags = [
            (info.workgroup_size_variable, flag::WORKGROUP_SIZE_VARIABLE),
            (info.first_ubo_is_default_ubo, flag::FIRST_UBO_IS_DEFAULT_UBO),
        ];
        let flags = flags.iter().fold(0, |all, (is_set, flag)| all | if *is_set { *flag } else { 0 });
        let stages = stage(info.stage) | info.next_stage.map_or(NO_STAGE, stage) << 8 | flags;
        let [x, y, z] = info.workgroup_size;
        let header: [u32; HEADER_WORDS] = [
            MAGIC,
            VERSION,
            0,
            self.shader.order.len() as u32,
            stages,
            x,
            y,
            z,
            info.num_textures,
            info.num_ubos,
            info.num_ssbos,
            info.num_images,
            info.float_controls_execution_mode,
            info.shared_size,
            info.derivative_group,
            info.depth_layout,
        ];
        self.push(&header);
    }

    /// Writes the records that few shaders have, and the fields of dumps.
    fn facts(&mut self) {
        let info = &self.shader.info;
        let names = [
            (name::ENTRY, Some(&self.shader.entry).filter(|entry| *entry != "main")),
            (name::SOURCE_HASH, Some(&info.source_hash).filter(|hash| !hash.is_empty())),
            (name::SHADER, info.name.as_ref()),
            (name::LABEL, info.label.as_ref()),
        ];
        for (of, text) in names {
            if let Some(text) = text {
                self.begin(record::NAME, of);
                self.string(text);
            }
        }
        // The table returns mutable fields, so a copy is written.
        let (mut copy, mut none): (ShaderInfo, _) = (info.clone(), ShaderInfo::default());
        copy.num_textures = 0;
        copy.num_ubos = 0;
        copy.num_ssbos = 0;
        copy.num_images = 0;
        copy.float_controls_execution_mode = 0;
        copy.shared_size = 0;
        copy.derivative_group = 0;
        copy.depth_layout = 0;
        copy.first_ubo_is_default_ubo = false;
        for (number, row) in FIELDS.iter().enumerate() {
            if (row.field)(&mut copy) != (row.field)(&mut none) {
                self.begin(record::FACT, number as u32);
                self.fact((row.field)(&mut copy));
            }
        }
        for directive in &info.directives {
            let (row, value) = directive.numbers();
            self.begin(record::DIRECTIVE, row as u32);
            match directive {
                Directive::Struct(text) => self.string(text),
                _ => self.push(&[value as u32]),
            }
        }
        for row in self.shader.xfb_info.rows() {
            // The last kind of directive.
            self.begin(record::DIRECTIVE, DIRECTIVES.len() as u32 - 1);
            self.string(&row.to_string());
        }
    }

    fn fact(&mut self, field: FieldMut<'_>) {
        match field {
            FieldMut::Dec(value) | FieldMut::Hex(value, _) => self.push(&[*value]),
            FieldMut::Flag(value) => self.push(&[(*value).into()]),
            FieldMut::Ranges(bits) | FieldMut::Words(bits, _) => {
                self.push64(*bits as u64);
                self.push64((*bits >> 64) as u64);
            }
            FieldMut::Name(name) => self.string(name),
            FieldMut::List(list) => self.push(list),
        }
    }

    /// Writes `root` after its parts, without recursion.
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
                // The depth is at most the number of types: a type that contains itself, which `check` refuses, ends here.
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
        let flags = |array: bool, shadow: bool, bare: bool| {
            let mut flags = TypeFlags::empty();
            flags.set(TypeFlags::ARRAYED, array);
            flags.set(TypeFlags::SHADOW, shadow);
            flags.set(TypeFlags::BARE, bare);
            flags.bits()
        };
        let (kind, words) = match self.shader.types.get(ty) {
            TypeData::Void => (TypeKind::Void, [0; 3]),
            TypeData::AtomicUint => (TypeKind::AtomicUint, [0; 3]),
            TypeData::Scalar(scalar) => (TypeKind::Vector, [pack_alu_type(scalar), 1, 0]),
            TypeData::Vector(scalar, n) => (TypeKind::Vector, [pack_alu_type(scalar), n.into(), 0]),
            TypeData::Strided { scalar, components, stride } => {
                (TypeKind::Vector, [pack_alu_type(scalar), components.into(), stride])
            }
            TypeData::Matrix { scalar, columns, rows } => {
                (TypeKind::Matrix, [scalar.bits.into(), columns.into(), rows.into()])
            }
            TypeData::Array { elem, len, stride } => {
                (TypeKind::Array, [self.type_number(elem), len.unwrap_or(NONE), stride])
            }
            TypeData::Sampler { shadow } => (TypeKind::Sampler, [shadow.into(), 0, 0]),
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                (TypeKind::Texture, [dim as u32, flags(array, shadow, bare), pack_alu_type(texel)])
            }
            TypeData::Image { dim, array, texel } => {
                (TypeKind::Image, [dim as u32, flags(array, false, false), pack_alu_type(texel)])
            }
            TypeData::Struct(id) => {
                let data = &self.shader.types.structs[id];
                (TypeKind::Struct, [data.fields.len() as u32, 0, self.shader.strings[data.name].len() as u32])
            }
        };
        self.begin(record::TYPE, kind as u32);
        self.push(&words);
        let shader = self.shader;
        if let Some(data) = shader.types.as_struct(ty) {
            self.text(&shader.strings[data.name]);
            for field in &data.fields {
                self.push(&[self.type_number(field.ty), field.offset.unwrap_or(NONE)]);
                self.string(&shader.strings[field.name]);
            }
        }
    }

    fn variable(&mut self, of: &Variable) {
        let shader = self.shader;
        let values = of.values.map_or(&[][..], |values| &shader.consts[values]);
        let more = (of.image_format, of.stream, of.capture, of.initializer) != (0, 0, None, None) || !values.is_empty();
        let traits = of.mode.bits()
            | (of.interp as u32) << variable::INTERP
            | number_in(PRECISIONS, &of.precision) << variable::PRECISION
            | u32::from(of.location_frac) << variable::LOCATION_FRAC
            | if more { variable::MORE } else { 0 };
        self.begin(record::VARIABLE, 0);
        self.push(&[
            self.type_number(of.ty),
            traits,
            of.access.bits() | of.flags.bits() << variable::FLAGS,
            of.location.unwrap_or(NONE),
            of.driver_location,
            of.binding,
            of.descriptor_set.unwrap_or(NONE),
            of.index,
        ]);
        self.string(&shader.strings[of.name]);
        if !more {
            return;
        }
        let capture = of.capture.map_or([NONE, 0, 0], |capture| [capture.buffer, capture.stride, capture.offset]);
        self.push(&[of.image_format, of.stream]);
        self.push(&capture);
        self.push(&[values.len() as u32]);
        values.iter().for_each(|value| self.push64(*value));
        match of.initializer {
            Some(text) => self.string(&shader.strings[text]),
            None => self.push(&[NONE]),
        }
    }

    /// Writes control flow, and the instructions of each block after it.
    fn body(&mut self) {
        let shader = self.shader;
        for item in &shader.cf {
            let (kind, hint) = match item {
                Cf::Block(_) => (Control::Block, 0),
                Cf::If { hint, .. } => (Control::If, number_in(HINTS, hint) as u8),
                Cf::Else => (Control::Else, 0),
                Cf::EndIf => (Control::EndIf, 0),
                Cf::Loop => (Control::Loop, 0),
                Cf::Continue => (Control::Continue, 0),
                Cf::EndLoop => (Control::EndLoop, 0),
            };
            self.push(&[Head::new(record::CONTROL, kind as u32, hint).0]);
            match *item {
                Cf::If { cond, .. } => self.push(&[self.number(cond)]),
                Cf::Block(block) => shader.block_insts(block).iter().for_each(|inst| self.instruction(*inst)),
                _ => {}
            }
        }
    }

    /// Writes the sources of phis, which may be values after the phi.
    fn phi_srcs(&mut self) {
        let shader = self.shader;
        for inst in &shader.order {
            let InstKind::Phi(srcs) = shader.insts[*inst].kind else { continue };
            for src in &shader.phi_srcs[srcs] {
                self.begin(record::PHI_SRC, 0);
                self.push(&[self.place(*inst), self.block_number(src.pred), self.number(src.def)]);
            }
        }
    }
}

/// The bytes as whole words.
pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}
