// SPDX-License-Identifier: MIT

//! The disassembly of SPIR-V, to read and to assemble again: `spirv-as` makes the same words of it, if ids keep their numbers.
//!
//! ```text
//!                OpDecorate %color Location 0
//!      %float = OpTypeFloat 32
//!    %v4float = OpTypeVector %float 4
//! ; 12: 32x4 %5 = fadd %3, %4
//!         %31 = OpFAdd %v4float %27 %29
//! ```

mod names;
mod operands;
mod origins;

use crate::load::load;
use anstyle::{AnsiColor, Style};
use names::Names;
pub use origins::{instructions, origins};
use rspirv::binary::ParseState;
use rspirv::dr::{Instruction, Module, Operand};
use spirv::Word;
use std::fmt::Write as _;

/// The look of a disassembly.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Types, constants and named variables have names instead of numbers.
    pub names: bool,
    /// Kinds of words have colors, by escape sequences of terminals.
    pub colors: bool,
}

impl Look {
    /// The look without colors.
    pub fn plain(self) -> Look {
        Look { colors: false, ..self }
    }
}

/// The NIR of a module: the text of the shader, and the line for each instruction of the module.
pub struct Nir<'a> {
    /// The text.
    pub text: &'a str,
    /// The lines, from 1, as [`origins`] gives them.
    pub origins: Vec<Option<u32>>,
}

/// A module with the lines of its disassembly.
pub(crate) struct Printed {
    module: Module,
    names: Names,
    /// The names of types and constants by what they are.
    structure: Names,
    width: usize,
    look: Look,
}

impl Printed {
    pub(crate) fn new(words: &[u32], look: Look) -> Result<Printed, ParseState> {
        let module = load(words)?;
        let names = if look.names { Names::friendly(&module) } else { Names::numbers() };
        let results = module.all_inst_iter().filter_map(|inst| Some(names.of(inst.result_id?).len()));
        let width = results.max().unwrap_or(0).min(WIDEST);
        Ok(Printed { structure: Names::structural(&module), module, names, width, look })
    }

    /// The line with the version.
    pub(crate) fn version(&self) -> String {
        let (major, minor) = self.module.header.as_ref().map_or((0, 0), |header| header.version());
        version_line(major, minor)
    }

    /// The instructions, in the order of the lines.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.module.all_inst_iter()
    }

    /// What a type or a constant is, without its number.
    pub(crate) fn structure(&self, id: Word) -> String {
        self.structure.of(id)
    }

    /// What the decorations say about a variable, without its number.
    pub(crate) fn place(&self, id: Word) -> String {
        let own = |inst: &&Instruction| inst.operands.first() == Some(&Operand::IdRef(id));
        let facts = self.module.debug_names.iter().chain(&self.module.annotations).filter(own);
        let texts = facts.flat_map(|inst| &inst.operands[1..]).map(|operand| format!("{operand} "));
        texts.collect()
    }

    /// The line of an instruction.
    pub(crate) fn text(&self, inst: &Instruction) -> String {
        let (look, width) = (self.look, self.width);
        let mut text = String::new();
        match inst.result_id.map(|id| self.names.of(id)) {
            Some(result) => {
                let _ = write!(text, "{:1$}", "", width.saturating_sub(result.len()));
                let _ = write!(text, "{} = ", painted(&result, ID, look));
            }
            None => {
                let _ = write!(text, "{:1$}", "", width + " = ".len());
            }
        }
        text.push_str(&painted(&format!("Op{}", inst.class.opname), OPCODE, look));
        if let Some(ty) = inst.result_type {
            let _ = write!(text, " {}", painted(&self.names.of(ty), ID, look));
        }
        for operand in operands::texts(inst, &self.module, &self.names) {
            let style = if operand.is_id { ID } else { LITERAL };
            let _ = write!(text, " {}", painted(&operand.text, style, look));
        }
        text
    }
}

/// The widest result to which others are aligned.
const WIDEST: usize = 24;

const ID: Style = AnsiColor::Cyan.on_default();
const OPCODE: Style = Style::new().bold();
const LITERAL: Style = AnsiColor::Green.on_default();
const COMMENT: Style = AnsiColor::BrightBlack.on_default();

/// The disassembly of a module with a look, and with the lines of NIR before the instructions that come of them.
pub fn listing(words: &[u32], look: Look, nir: Option<&Nir<'_>>) -> Result<String, ParseState> {
    let printed = Printed::new(words, look)?;
    let mut text = header(&printed.module, words.get(2).copied().unwrap_or(0), look);
    let lines: Vec<&str> = nir.iter().flat_map(|nir| nir.text.lines()).collect();
    let (mut origins, mut last) = (nir.map_or(&[][..], |nir| &nir.origins).iter(), None);
    for inst in printed.instructions() {
        let origin = origins.next().copied().flatten();
        if let Some(line) = origin.filter(|_| origin != last) {
            let source = lines.get((line as usize).wrapping_sub(1)).copied().unwrap_or_default();
            let source: Vec<&str> = source.split_whitespace().collect();
            let _ = writeln!(text, "{}", painted(&format!("; {line}: {}", source.join(" ")), COMMENT, look));
        }
        last = origin.or(last);
        text += &printed.text(inst);
        text.push('\n');
    }
    Ok(text)
}

fn version_line(major: u8, minor: u8) -> String {
    format!("; Version: {major}.{minor}")
}

/// The comments with what the header says.
fn header(module: &Module, generator: u32, look: Look) -> String {
    let Some(header) = &module.header else { return String::new() };
    let ((major, minor), bound) = (header.version(), header.bound);
    let mut header = header.clone();
    // rspirv sets itself as the generator.
    header.generator = generator;
    let lines = [
        "; SPIR-V".to_string(),
        version_line(major, minor),
        format!("; Generator: {}", header.generator().0),
        format!("; Bound: {bound}"),
    ];
    lines.iter().map(|line| painted(line, COMMENT, look) + "\n").collect()
}

fn painted(text: &str, style: Style, look: Look) -> String {
    match look.colors {
        true => format!("{style}{text}{style:#}"),
        false => text.to_string(),
    }
}
