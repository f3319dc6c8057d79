//! Reading a wire: its header, its records in order, and control flow.

use super::declare::TypeRow;
use super::format::{pick, Kind, HEADER_WORDS, HINTS, MAGIC, VERSION};
use super::names::Names;
use super::record::{error, Record};
use crate::entity::Numbering;
use crate::error::Error;
use crate::ir::{AluSrc, Block, Cf, Def, Inst, InstKind, PhiSrc, Shader, Stage};

/// Reads wires, one after the other, and keeps its memory in between.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(super) names: Names,
    pub(super) types: Vec<TypeRow>,
    pub(super) defs: Numbering<Def>,
    pub(super) blocks: Numbering<Block>,
    /// Phis, whose sources may be written later, with their records from the first source on.
    pub(super) phis: Vec<PendingPhi>,
    /// Memory for a string.
    pub(super) text: Vec<u8>,
    /// Memory for the sources of an instruction.
    pub(super) srcs: Vec<Def>,
    /// Memory for the sources of an ALU instruction.
    pub(super) alu_srcs: Vec<AluSrc>,
}

/// A phi without its sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPhi {
    pub(super) inst: Inst,
    /// Where the sources stand in the wire.
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Decoder {
    /// Reads the shader in `words` into `shader`, which is emptied first, and again after an error.
    ///
    /// # Errors
    /// Says what is wrong with which word, counted from 0.
    pub fn decode(&mut self, words: &[u32], shader: &mut Shader) -> Result<(), Error> {
        self.clear();
        shader.clear();
        let result = Reading { state: self, shader, wire: words }.shader();
        if result.is_err() {
            shader.clear();
        }
        result
    }

    fn clear(&mut self) {
        self.names.clear();
        self.types.clear();
        self.defs.clear();
        self.blocks.clear();
        self.phis.clear();
    }
}

/// A wire that is being read.
pub(super) struct Reading<'a> {
    pub(super) state: &'a mut Decoder,
    pub(super) shader: &'a mut Shader,
    pub(super) wire: &'a [u32],
}

impl<'a> Reading<'a> {
    fn shader(&mut self) -> Result<(), Error> {
        self.header()?;
        let wire = self.wire;
        let mut at = HEADER_WORDS;
        while at < wire.len() {
            let (kind, len) = (wire[at] & 0xff, (wire[at] >> 8) as usize);
            if len == 0 || len > wire.len() - at {
                return Err(error(at, format_args!("a record of {len} words, but {} are left", wire.len() - at)));
            }
            let Some(kind) = Kind::from_number(kind) else {
                return Err(error(at, format_args!("there are no records of kind {kind}")));
            };
            if (kind == Kind::Shader) != (at == HEADER_WORDS) {
                return Err(error(at, format_args!("the first record, and no other, is that of the shader")));
            }
            let mut record = Record::new(&wire[at + 1..at + len], at + 1);
            self.record(kind, &mut record)?;
            at += len;
        }
        self.resolve_phis()
    }

    fn header(&self) -> Result<(), Error> {
        match *self.wire {
            [MAGIC, VERSION, len, ..] if len as usize == self.wire.len() => Ok(()),
            [MAGIC, VERSION, len, ..] => {
                Err(error(2, format_args!("the wire has {} words, but should have {len}", self.wire.len())))
            }
            [MAGIC, version, ..] if version != VERSION => {
                Err(error(1, format_args!("version {version} of the format, but this ntv reads version {VERSION}")))
            }
            _ => Err(error(
                0,
                format_args!("this is no wire: it does not begin with {MAGIC:#x}, a version and a length"),
            )),
        }
    }

    fn record(&mut self, kind: Kind, record: &mut Record<'a>) -> Result<(), Error> {
        match kind {
            Kind::Alu
            | Kind::Const
            | Kind::Undef
            | Kind::Phi
            | Kind::Deref
            | Kind::Intrinsic
            | Kind::Tex
            | Kind::Jump => return self.instruction(kind, record),
            Kind::Name => {
                let tess_ctrl = self.shader.info.stage == Stage::TessCtrl;
                return self.state.names.define(record, &mut self.state.text, tess_ctrl);
            }
            Kind::Shader => self.shader_record(record)?,
            Kind::Info => self.info(record)?,
            Kind::Directive => self.directive(record)?,
            Kind::Type => self.ty(record)?,
            Kind::Variable => self.variable(record)?,
            Kind::Block => self.block(record)?,
            Kind::If => {
                let cond = self.def(record)?;
                let hint = record.pick("a hint", |number| pick(HINTS, number))?;
                self.shader.append_cf(Cf::If { cond, hint });
            }
            Kind::Else => self.shader.append_cf(Cf::Else),
            Kind::EndIf => self.shader.append_cf(Cf::EndIf),
            Kind::Loop => self.shader.append_cf(Cf::Loop),
            Kind::Continue => self.shader.append_cf(Cf::Continue),
            Kind::EndLoop => self.shader.append_cf(Cf::EndLoop),
        }
        record.end()
    }

    fn block(&mut self, record: &mut Record<'_>) -> Result<(), Error> {
        let number = record.word()?;
        let block = self.shader.append_new_block();
        match self.state.blocks.define(number, block) {
            true => Ok(()),
            false => Err(record.behind(format_args!("block {number} stands twice"))),
        }
    }

    /// A value that was made before.
    pub(super) fn def(&self, record: &mut Record<'_>) -> Result<Def, Error> {
        let number = record.word()?;
        self.def_of(number, record)
    }

    /// The value `number`, which is named by the words that were just taken.
    pub(super) fn def_of(&self, number: u32, record: &Record<'_>) -> Result<Def, Error> {
        let undefined = || record.behind(format_args!("value {number} is not defined before this use"));
        self.state.defs.get(number).ok_or_else(undefined)
    }

    fn resolve_phis(&mut self) -> Result<(), Error> {
        let Reading { state, shader, wire } = self;
        for phi in &state.phis {
            for at in (phi.start..phi.end).step_by(2) {
                if state.blocks.get(wire[at]).is_none() {
                    return Err(error(at, format_args!("there is no block {}", wire[at])));
                }
                if state.defs.get(wire[at + 1]).is_none() {
                    return Err(error(at + 1, format_args!("value {} is not defined", wire[at + 1])));
                }
            }
            let pairs = wire[phi.start..phi.end].chunks_exact(2);
            let srcs = pairs
                .filter_map(|pair| Some(PhiSrc { pred: state.blocks.get(pair[0])?, def: state.defs.get(pair[1])? }));
            let srcs = shader.phi_srcs.extend(srcs);
            shader.set_kind(phi.inst, InstKind::Phi(srcs));
        }
        Ok(())
    }
}
