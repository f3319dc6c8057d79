//! Reading a wire: its header, its records in order, and control flow.

use super::declare::TypeRow;
use super::format::{kind, pick, Kind, HEADER_WORDS, HINTS, MAGIC, VERSION};
use super::record::{error, Record};
use super::values::Values;
use crate::entity::Numbering;
use crate::error::Error;
use crate::ir::{Block, Cf, Inst, InstKind, PhiSrc, Shader, MOST_KEPT};

/// Reads wires, one after the other, and keeps its memory in between, but for the largest table of large shaders.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(super) types: Vec<TypeRow>,
    pub(super) values: Values,
    pub(super) blocks: Numbering<Block>,
    /// Phis, whose sources may be written later, with their records from the first source on.
    pub(super) phis: Vec<PendingPhi>,
    /// Memory for the name and the label of a shader.
    pub(super) labels: [String; 2],
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
        self.clear(words.len());
        self.labels = [&mut shader.info.name, &mut shader.info.label].map(|text| text.take().unwrap_or_default());
        shader.clear();
        let result = Reading { state: self, shader, wire: words, in_block: false }.shader();
        // A number that means nothing comes before any other error: reading would have ended there.
        let result = self.values.sound().and(result);
        if shader.num_defs() > MOST_KEPT {
            self.values = Values::default();
        }
        if result.is_err() {
            shader.clear();
        }
        result
    }

    fn clear(&mut self, num_words: usize) {
        self.types.clear();
        self.values.clear(num_words);
        self.blocks.clear();
        self.phis.clear();
    }
}

/// A wire that is being read.
pub(super) struct Reading<'a> {
    pub(super) state: &'a mut Decoder,
    pub(super) shader: &'a mut Shader,
    /// The wire without the text.
    pub(super) wire: &'a [u32],
    /// The last item of control flow is a block.
    pub(super) in_block: bool,
}

impl<'a> Reading<'a> {
    fn shader(&mut self) -> Result<(), Error> {
        self.header()?;
        let wire = self.wire;
        if !wire.get(HEADER_WORDS).is_some_and(|word| word & 0xff == Kind::Shader as u32) {
            return Err(no_other_first(HEADER_WORDS));
        }
        let mut at = HEADER_WORDS;
        while let [first, ..] = wire[at..] {
            let (kind, len) = (first & 0xff, (first >> 8) as usize);
            let Some(words) = wire[at..].get(..len).filter(|_| len != 0) else {
                return Err(error(at, format_args!("a record of {len} words, but {} are left", wire.len() - at)));
            };
            match kind {
                kind::ALU => self.alu(words, at)?,
                kind::DEREF => self.deref(words, at)?,
                kind::INTRINSIC => self.intrinsic(words, at)?,
                _ => self.less_frequent(kind, words, at)?,
            }
            at += len;
        }
        self.shader.append_made();
        self.resolve_phis()
    }

    /// What is not most of a wire: so few kinds are compared, not looked up.
    #[inline(never)]
    fn less_frequent(&mut self, kind: u32, words: &'a [u32], at: usize) -> Result<(), Error> {
        match kind {
            kind::CONST => self.constant(words, at),
            kind::VARIABLE => self.variable(words, at),
            kind::VECTOR => self.vector(words, at),
            kind::ARRAY => self.array(words, at),
            kind::STRUCT => self.struct_type(words, at),
            kind::BLOCK => self.block(words, at),
            _ => self.other(kind, words, at),
        }
    }

    /// Takes the text, which is no record, from the end of the wire.
    fn header(&mut self) -> Result<(), Error> {
        match *self.wire {
            [MAGIC, VERSION, len, bytes, ..] if len as usize == self.wire.len() => {
                let num_words = (bytes as usize).div_ceil(4);
                let Some(end) = self.wire.len().checked_sub(num_words).filter(|end| *end >= HEADER_WORDS) else {
                    return Err(error(
                        3,
                        format_args!("a text of {bytes} bytes, of which {num_words} words are not there"),
                    ));
                };
                let (wire, text) = self.wire.split_at(end);
                self.wire = wire;
                self.shader.strings.set_text(text, bytes as usize);
                Ok(())
            }
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

    #[inline(never)]
    fn other(&mut self, kind: u32, words: &'a [u32], at: usize) -> Result<(), Error> {
        let mut record = Record::new(&self.wire[..at + words.len()], at + 1);
        match Kind::from_number(kind) {
            Some(Kind::Shader) if at == HEADER_WORDS => return self.shader_record(words, at),
            Some(Kind::Shader) => return Err(no_other_first(at)),
            Some(Kind::Directive) => self.directive(&mut record)?,
            Some(Kind::Remark) => self.remark(&mut record)?,
            Some(
                kind @ (Kind::Void | Kind::Matrix | Kind::Sampler | Kind::Texture | Kind::Image | Kind::AtomicUint),
            ) => self.leaf(kind, &mut record)?,
            Some(Kind::If) => {
                let cond = record.def(&mut self.state.values);
                let hint = record.pick("a hint", |number| pick(HINTS, number))?;
                self.control(Cf::If { cond, hint });
            }
            Some(Kind::Else) => self.control(Cf::Else),
            Some(Kind::EndIf) => self.control(Cf::EndIf),
            Some(Kind::Loop) => self.control(Cf::Loop),
            Some(Kind::Continue) => self.control(Cf::Continue),
            Some(Kind::EndLoop) => self.control(Cf::EndLoop),
            Some(kind) => return self.seldom(kind, words, at),
            None => return Err(error(at, format_args!("there are no records of kind {kind}"))),
        }
        record.end()
    }

    /// Control flow behind the instructions before.
    fn control(&mut self, cf: Cf) {
        self.shader.append_cf_of_made(cf);
        self.in_block = false;
    }

    fn block(&mut self, words: &[u32], at: usize) -> Result<(), Error> {
        let &[_, number] = words else { return Err(self.wrong_length(2, words, at)) };
        let block = self.shader.append_block_of_made();
        self.in_block = true;
        match self.state.blocks.define(number, block) {
            true => Ok(()),
            false => Err(error(at + 1, format_args!("block {number} stands twice"))),
        }
    }

    fn resolve_phis(&mut self) -> Result<(), Error> {
        let Reading { state, shader, wire, .. } = self;
        for phi in &state.phis {
            for at in (phi.start..phi.end).step_by(2) {
                if state.blocks.get(wire[at]).is_none() {
                    return Err(error(at, format_args!("there is no block {}", wire[at])));
                }
                if state.values.find(wire[at + 1]).is_none() {
                    return Err(error(at + 1, format_args!("value {} is not defined", wire[at + 1])));
                }
            }
            let pairs = wire[phi.start..phi.end].chunks_exact(2);
            let srcs = pairs
                .filter_map(|pair| Some(PhiSrc { pred: state.blocks.get(pair[0])?, def: state.values.find(pair[1])? }));
            let srcs = shader.phi_srcs.extend(srcs);
            shader.set_kind(phi.inst, InstKind::Phi(srcs));
        }
        Ok(())
    }
}

#[cold]
fn no_other_first(at: usize) -> Error {
    error(at, format_args!("the first record, and no other, is that of the shader"))
}
