// SPDX-License-Identifier: MIT

//! Reads a wire: its header, its records one after the other, and control flow.

use super::declare::TypeRow;
use super::format::{self, pick, record, Control, Head, HINTS, MAGIC, VERSION};
use super::words::{error, Read, Stop};
use crate::entity::Id;
use crate::error::Error;
use crate::ir::{rewrite, AluFlags, BlockData, Cf, Edit, Inst, InstData, Shader};

/// Reads wires, one after the other, and keeps its memory for reuse.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(super) types: Vec<TypeRow>,
    /// Instructions that are not in the wire, with the instruction that follows each. Their numbers follow those of the wire.
    pub(super) extras: Vec<(Inst, InstData)>,
    /// Memory for the name and the label of a shader.
    pub(super) labels: [Option<String>; 2],
    /// The reason why reading ended.
    pub(super) error: Option<Error>,
}

impl Decoder {
    /// Reads the shader in `words` into `shader`, which is emptied first, and again after an error.
    ///
    /// # Errors
    /// Returns the first word that is wrong, counted from 0, and the reason.
    pub fn decode(&mut self, words: &[u32], shader: &mut Shader) -> Result<(), Error> {
        if shader.info.name.is_some() || shader.info.label.is_some() {
            self.keep_labels(shader);
        }
        shader.clear();
        self.types.clear();
        self.extras.clear();
        let mut reading = Reading {
            state: self,
            shader,
            wire: words,
            rest: words,
            num_insts: 0,
            in_block: false,
            math: AluFlags::empty(),
        };
        match reading.all() {
            Ok(()) => Ok(()),
            Err(_) => Err(self.failed(words, shader)),
        }
    }

    #[cold]
    fn keep_labels(&mut self, shader: &mut Shader) {
        for (memory, text) in self.labels.iter_mut().zip([&mut shader.info.name, &mut shader.info.label]) {
            *memory = text.take().or(memory.take());
        }
    }

    #[cold]
    fn failed(&mut self, words: &[u32], shader: &mut Shader) -> Error {
        shader.clear();
        self.error.take().unwrap_or_else(|| no_wire(words))
    }
}

/// A wire that is being read.
pub(super) struct Reading<'a> {
    pub(super) state: &'a mut Decoder,
    pub(super) shader: &'a mut Shader,
    pub(super) wire: &'a [u32],
    /// The words that are not read yet.
    pub(super) rest: &'a [u32],
    /// The number of instructions.
    pub(super) num_insts: usize,
    /// Whether the last item of control flow is a block.
    in_block: bool,
    /// The math control of the ALU instructions that follow.
    pub(super) math: AluFlags,
}

impl Reading<'_> {
    fn all(&mut self) -> Read<()> {
        self.header()?;
        self.records()?;
        if self.shader.insts.len() != self.num_insts {
            return Err(self.other_count());
        }
        self.shader.order_all();
        self.shader.place_mesh_distances();
        if !self.state.extras.is_empty() {
            self.place_extras();
        }
        Ok(())
    }

    fn records(&mut self) -> Read<()> {
        while let [head, rest @ ..] = self.rest {
            self.rest = rest;
            let head = Head(*head);
            let is_sound = head.is_shape() | head.has_no_result();
            let kind = match head.record() {
                _ if !is_sound => return Err(self.no_shape(head, 1)),
                record::DEREF => self.deref(head)?,
                record::DEREF_VAR => self.deref_var(head)?,
                record::ALU => self.alu(head)?,
                record::INTRINSIC => self.intrinsic(head)?,
                record::CONST => self.constant(head)?,
                record::TEX => self.tex(head)?,
                record::PLAIN => self.plain(head)?,
                record::TYPE => {
                    self.type_record(head)?;
                    continue;
                }
                record::VARIABLE => {
                    self.variable()?;
                    continue;
                }
                record::CONTROL => {
                    self.control(head)?;
                    continue;
                }
                _ => {
                    self.other(head)?;
                    continue;
                }
            };
            if !self.in_block {
                return Err(self.outside_of_blocks());
            }
            let data = InstData { num_components: head.num_components(), bit_size: head.bit_size(), kind };
            self.shader.make_in_order(data);
        }
        Ok(())
    }

    /// Reads the records that few wires have.
    #[inline(never)]
    fn other(&mut self, head: Head) -> Read<()> {
        match head.record() {
            record::DIRECTIVE => self.directive(head),
            record::FACT => self.fact(head),
            record::NAME => self.name(head),
            record::VARIABLE_TYPE => self.variable_type(),
            record::PHI_SRC => self.phi_src(),
            record::MATH => {
                self.math = format::math(head.op()).ok_or_else(|| self.unexpected(1, "a math control", head.op()))?;
                Ok(())
            }
            other => Err(self.unexpected(1, "a record", other)),
        }
    }

    #[inline(never)]
    fn control(&mut self, head: Head) -> Read<()> {
        let item = match Control::from_number(head.op()) {
            Some(Control::Block) => Cf::Block(self.shader.blocks.push(BlockData::default())),
            Some(Control::If) => {
                let &[cond] = self.row()?;
                let cond = self.src(cond, 1)?;
                let hint = u32::from(head.flags());
                Cf::If { cond, hint: pick(HINTS, hint).ok_or_else(|| self.unexpected(2, "a hint", hint))? }
            }
            Some(Control::Else) => Cf::Else,
            Some(Control::EndIf) => Cf::EndIf,
            Some(Control::Loop) => Cf::Loop,
            Some(Control::Continue) => Cf::Continue,
            Some(Control::EndLoop) => Cf::EndLoop,
            None => return Err(self.unexpected(1, "an item of control flow", head.op())),
        };
        self.in_block = matches!(item, Cf::Block(_));
        self.shader.append_cf_at(item, self.shader.insts.len());
        Ok(())
    }

    /// Inserts the instructions that are not in the wire before their users.
    #[cold]
    fn place_extras(&mut self) {
        let extras = &self.state.extras;
        for (_, extra) in extras {
            self.shader.make(*extra);
        }
        let num_insts = self.num_insts;
        rewrite(self.shader, |builder, inst| {
            let first = extras.partition_point(|(before, _)| before.index() < inst.index());
            let own = extras[first..].iter().take_while(|(before, _)| *before == inst).count();
            (first..first + own)
                .for_each(|number| builder.shader.append_existing(Inst::from_index(num_insts + number)));
            Edit::Keep
        });
    }

    #[cold]
    fn other_count(&mut self) -> Stop {
        let (there, said) = (self.shader.insts.len(), self.num_insts);
        self.state.error = Some(error(3, format_args!("there are {there} instructions, not {said}")));
        Stop
    }

    #[cold]
    fn outside_of_blocks(&mut self) -> Stop {
        let number = self.shader.insts.len();
        self.stop(0, format_args!("instruction {number}, which ends here, is outside of a block"))
    }
}

/// The reason why `wire` has no valid header.
#[cold]
fn no_wire(wire: &[u32]) -> Error {
    match *wire {
        [MAGIC, VERSION, len, num_insts, ..] if len as usize == wire.len() => {
            error(3, format_args!("{num_insts} instructions, which are not there, or no header"))
        }
        [MAGIC, VERSION, len, ..] => error(2, format_args!("the wire has {} words, but should have {len}", wire.len())),
        [MAGIC, version, ..] if version != VERSION => {
            error(1, format_args!("version {version} of the format, but this ntv reads version {VERSION}"))
        }
        _ => error(0, format_args!("this is not a wire: it does not begin with {MAGIC:#x}, a version and a length")),
    }
}
