// SPDX-License-Identifier: MIT

//! Finds the shaders of a text and parses each, line by line.

use super::cursor::{Cursor, Lines, Span};
use super::dialect22::Registers;
use super::layout::Members;
use super::quoted::{has_marks, is_prefixed, Plain, FIRST_LINE};
use super::Found;
use crate::entity::Numbering;
use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::{Block, Cf, Def, Directive, Inst, InstData, InstKind, LineNumber, Shader, Stage, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most errors that are reported for one shader.
const MAX_ERRORS: usize = 20;

/// Finds and parses every shader in `text`.
pub(super) fn find(text: &str) -> Vec<Found> {
    // Most texts have dumps at the start of lines and no colors, which a search of the whole text would only confirm.
    if let Some(found) = parse_plain(text, true) {
        if found.iter().all(|found| found.shader.is_ok() && found.notes.is_empty()) || !has_marks(text) {
            return found;
        }
    }
    let plain = Plain::new(text);
    let mut found = parse_plain(plain.text(), false).unwrap_or_default();
    for Found { shader, notes, .. } in &mut found {
        let errors = shader.as_mut().err().map_or(&mut [][..], |errors| &mut errors.0);
        errors.iter_mut().chain(notes).for_each(|error| plain.restore(error));
    }
    found
}

/// The shaders of a text; `None` if one starts after a prefix and such texts are `refused`.
fn parse_plain(text: &str, refused: bool) -> Option<Vec<Found>> {
    let mut lines = Lines::new(text);
    let mut found = Vec::new();
    let mut parser = Parser::new();
    while let Some(first) = lines.next() {
        if starts_shader(&first) {
            let (line, shader) = (first.number(), parser.shader(first, &mut lines));
            found.push(Found { line, shader, notes: std::mem::take(&mut parser.notes) });
        } else if refused && is_prefixed(first.rest()) {
            return None;
        }
    }
    Some(found)
}

fn starts_shader(line: &Cursor<'_>) -> bool {
    line.peek() == b's' && line.rest().starts_with(FIRST_LINE)
}

/// The state of the parse of one shader; the tables are reused for the next.
pub(super) struct Parser<'a> {
    pub(super) shader: Shader,
    /// The line being read.
    pub(super) line: u32,
    pub(super) defs: Numbering<Def>,
    pub(super) blocks: Numbering<Block>,
    pub(super) vars: FxHashMap<&'a str, Var>,
    /// Printed types, `None` for structs.
    pub(super) types: FxHashMap<&'a str, Option<Type>>,
    /// Structs in casts.
    pub(super) cast_structs: FxHashMap<&'a str, Type>,
    /// Members of structs with a directive.
    pub(super) members: FxHashMap<&'a str, Members>,
    /// The number of structs around each struct.
    pub(super) struct_depths: Vec<usize>,
    /// Phi sources, which may precede the definitions of their blocks and values.
    pub(super) phi_srcs: Vec<PendingPhiSrc<'a>>,
    /// Open control flow constructs, outermost first.
    pub(super) open: Vec<Open>,
    pub(super) registers: Registers,
    /// Memory for the sources of an intrinsic.
    pub(super) src_list: Vec<Def>,
    /// Results of lines with an error.
    pub(super) broken: FxHashSet<Def>,
    /// Whether this line uses such a result, so that an error in it may follow from the other.
    pub(super) uses_broken: bool,
    /// The first row of the header's table to search: fields are in its order.
    pub(super) next_field: usize,
    pub(super) part: Part,
    /// The line of the shader that starts before this one is complete.
    next_shader: Option<u32>,
    /// Whether the dump is of Mesa 26.
    pub(super) is_26: bool,
    /// What instructions preserve, as bits of the header's float controls.
    pub(super) preserved: u32,
    errors: Vec<Error>,
    notes: Vec<Error>,
}

/// The progress of the parse.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Header, variables, functions without a body.
    Header,
    /// `decl_function` of the entry point was read.
    Declared,
    /// Inside `impl`.
    Body,
    /// Inside `impl`, after the end block.
    EndBlock,
    /// After `impl`.
    Done,
}

/// An open control flow construct.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Open {
    Then,
    Else,
    Loop,
    Continue,
}

/// A source of a phi that is resolved at the end.
pub(super) struct PendingPhiSrc<'a> {
    pub(super) phi: Inst,
    pub(super) index: usize,
    pub(super) pred: u32,
    pub(super) def: u32,
    pub(super) cursor: Cursor<'a>,
    pub(super) pred_span: Span,
    pub(super) def_span: Span,
}

/// The action after a line.
pub(super) enum Flow {
    /// Read the next.
    Next,
    /// Stop, as the rest of this shader cannot be parsed.
    Stop,
}

impl<'a> Parser<'a> {
    fn new() -> Parser<'a> {
        Parser {
            shader: Shader::default(),
            line: 0,
            defs: Numbering::new(),
            blocks: Numbering::new(),
            vars: FxHashMap::default(),
            types: FxHashMap::default(),
            cast_structs: FxHashMap::default(),
            members: FxHashMap::default(),
            struct_depths: Vec::new(),
            phi_srcs: Vec::new(),
            open: Vec::new(),
            registers: Registers::default(),
            src_list: Vec::new(),
            broken: FxHashSet::default(),
            uses_broken: false,
            next_field: 0,
            part: Part::Header,
            next_shader: None,
            is_26: false,
            preserved: 0,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn reset(&mut self) {
        self.defs.clear();
        self.blocks.clear();
        self.vars.clear();
        self.types.clear();
        self.cast_structs.clear();
        self.members.clear();
        self.struct_depths.clear();
        self.phi_srcs.clear();
        self.open.clear();
        self.registers.clear();
        self.broken.clear();
        self.next_field = 0;
        self.part = Part::Header;
        (self.next_shader, self.is_26, self.preserved) = (None, false, 0);
    }

    /// Parses the shader whose first line is `first`, and leaves `lines` after its last.
    fn shader(&mut self, first: Cursor<'a>, lines: &mut Lines<'a>) -> Result<Shader, Errors> {
        self.reset();
        self.line = first.number();
        self.header_line(first);
        let mut ahead = lines.clone();
        while let Some(line) = ahead.next() {
            // A dump in a log may be incomplete.
            if starts_shader(&line) || self.is_over(line) {
                self.next_shader = starts_shader(&line).then_some(line.number());
                break;
            }
            self.line = line.number();
            *lines = ahead.clone();
            if let Flow::Stop = self.any_line(line) {
                break;
            }
        }
        self.finish(lines.number());
        let shader = std::mem::take(&mut self.shader);
        match std::mem::take(&mut self.errors) {
            errors if errors.is_empty() => Ok(shader),
            errors => Err(Errors(errors)),
        }
    }

    /// True if `line` does not belong to this shader.
    fn is_over(&self, mut line: Cursor<'a>) -> bool {
        self.part == Part::Done && !line.at_end() && !line.rest().starts_with("decl_function ")
    }

    fn any_line(&mut self, mut line: Cursor<'a>) -> Flow {
        if line.at_end() && !line.rest().starts_with("// ntv:") {
            return Flow::Next;
        }
        match self.part {
            Part::Body | Part::EndBlock => self.body_line(line),
            _ => {
                self.header_line(line);
                Flow::Next
            }
        }
    }

    /// Reports `error` unless there are too many.
    pub(super) fn report(&mut self, error: Error) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Adds a note, unless there are too many.
    pub(super) fn remark(&mut self, note: Error) {
        if self.notes.len() < MAX_ERRORS {
            self.notes.push(note);
        }
    }

    /// Makes the checks that need the whole shader.
    fn finish(&mut self, last_line: u32) {
        if self.part == Part::Done {
            self.resolve_phis();
            if self.is_26 {
                self.renumber_float_controls();
            }
            if self.is_from_spirv() {
                self.shader.info.directives.insert(0, Directive::SlotsOfLocations);
            }
            self.shader.place_mesh_distances();
            return;
        }
        let missing = match self.part {
            _ if !self.errors.is_empty() => return,
            Part::Header | Part::Declared => "the shader has no entry point: expected `impl main {`",
            _ => "the shader ends within its function: expected `}`",
        };
        let message = match self.next_shader {
            Some(next) => format!(
                "another shader starts in line {next}, before this one is complete: lines of several threads are mixed, or the dump was cut off"
            ),
            None => missing.to_string(),
        };
        self.report(Error::new(ErrorKind::Syntax, Place::line(last_line), message));
    }

    /// Whether the dump is of Mesa's reader of SPIR-V: it sets no stage after it, which prints as the vertex stage, and no name.
    fn is_from_spirv(&self) -> bool {
        let info = &self.shader.info;
        info.next_stage == Some(Stage::Vertex)
            && info.name.is_none()
            && !info.source_hash.is_empty()
            && !info.says_locations()
    }

    fn resolve_phis(&mut self) {
        for src in std::mem::take(&mut self.phi_srcs) {
            let InstKind::Phi(srcs) = self.shader.insts[src.phi].kind else { continue };
            match (self.blocks.get(src.pred), self.defs.get(src.def)) {
                (Some(pred), Some(def)) => {
                    let slot = &mut self.shader.phi_srcs[srcs][src.index];
                    slot.pred = pred;
                    slot.def = def;
                }
                (None, _) => {
                    self.report(src.cursor.error_at(src.pred_span, &format!("there is no block b{}", src.pred)));
                }
                (_, None) => self.report(src.cursor.error_at(src.def_span, &format!("%{} is not defined", src.def))),
            }
        }
    }

    /// Appends an instruction of this line.
    pub(super) fn emit(&mut self, num_components: u8, bit_size: u8, kind: InstKind) -> Inst {
        let inst = self.shader.append(InstData { num_components, bit_size, kind });
        self.shader.lines.set(inst, LineNumber(self.line));
        inst
    }

    /// True if an instruction can be appended.
    pub(super) fn in_block(&self) -> bool {
        matches!(self.shader.cf.last(), Some(Cf::Block(_)))
    }
}
