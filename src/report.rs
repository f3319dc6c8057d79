// SPDX-License-Identifier: MIT

//! Collects problems with the place and the name of the faulty instruction.

use crate::error::{Error, ErrorKind, Errors, Place};
use crate::feature::Feature;
use crate::ir::{DerefKind, Inst, InstKind, Jump, Shader, Variable};
use std::fmt::{self, Display, Formatter};

/// The maximum number of reported errors; more would hide the first ones.
const MAX_ERRORS: usize = 100;

/// The problems found so far.
pub(crate) struct Report<'a> {
    /// The shader that is checked.
    pub(crate) shader: &'a Shader,
    kind: ErrorKind,
    errors: Vec<Error>,
}

impl<'a> Report<'a> {
    /// A report of violations of NIR's rules.
    pub(crate) fn invalid(shader: &'a Shader) -> Report<'a> {
        Report { shader, kind: ErrorKind::Invalid, errors: Vec::new() }
    }

    /// A report of constructs that cannot be translated.
    pub(crate) fn unsupported(shader: &'a Shader) -> Report<'a> {
        Report { shader, kind: ErrorKind::Unsupported, errors: Vec::new() }
    }

    /// Reports a problem of `inst`.
    pub(crate) fn at(&mut self, inst: Inst, message: impl Display) {
        self.add(Some(inst), true, &message);
    }

    /// Reports a problem of `inst` with a number of bits, which is written between two parts of the message.
    #[cold]
    #[inline(never)]
    pub(crate) fn bits(&mut self, inst: Inst, before: &dyn Display, bits: u8, after: &'static str) {
        self.at(inst, format_args!("{before} {}{after}", plural(bits.into(), "bit")));
    }

    /// Reports a problem at the place of `inst` that is not a problem of `inst`.
    pub(crate) fn near(&mut self, inst: Option<Inst>, message: impl Display) {
        self.add(inst, false, &message);
    }

    /// Reports a problem of the shader as a whole.
    pub(crate) fn whole(&mut self, message: impl Display) {
        self.add(None, false, &message);
    }

    /// Reports that the target lacks `feature`, which `inst` needs, or the shader as a whole.
    #[cold]
    #[inline(never)]
    pub(crate) fn lacks(&mut self, inst: Option<Inst>, feature: Feature, needs: &dyn Display) {
        let before = self.errors.len();
        match inst {
            Some(inst) => self.at(inst, needs),
            None => self.whole(format_args!("the shader {needs}")),
        }
        self.errors[before..].iter_mut().for_each(|error| error.lacks = Some(feature));
    }

    /// Reports a problem of a variable.
    pub(crate) fn variable(&mut self, variable: &Variable, message: impl Display) {
        let name = &self.shader.strings[variable.name];
        self.whole(format_args!("variable {name}: {message}"));
    }

    /// Adds a problem, after the name of `inst` if it `is_its_own`.
    #[cold]
    #[inline(never)]
    fn add(&mut self, inst: Option<Inst>, is_its_own: bool, message: &dyn Display) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let place = inst.map_or(Place::default(), |inst| Place::line(self.shader.lines[inst].0));
        let message = match inst.filter(|_| is_its_own) {
            Some(inst) => format!("`{}`: {message}", inst_name(self.shader, inst)),
            None => message.to_string(),
        };
        self.errors.push(Error::new(self.kind, place, message));
    }

    /// The number of problems.
    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns all problems, in the order of their lines.
    pub(crate) fn finish(mut self) -> Result<(), Errors> {
        if self.errors.is_empty() {
            return Ok(());
        }
        self.errors.sort_by_key(|error| error.place);
        Err(Errors(self.errors))
    }
}

/// The result and the opcode of `inst` as a dump writes them: `%5 = fadd`, `@store_ssbo`, `break`.
fn inst_name(shader: &Shader, inst: Inst) -> String {
    let data = &shader.insts[inst];
    let (sigil, op) = match data.kind {
        InstKind::Alu { op, .. } => ("", op.name()),
        InstKind::Const(_) => ("", "load_const"),
        InstKind::Undef => ("", "undefined"),
        InstKind::Phi(_) => ("", "phi"),
        InstKind::Deref(deref) => ("", deref_name(shader.derefs[deref].kind)),
        InstKind::Intrinsic { op, .. } => ("@", op.name()),
        InstKind::Tex(tex) => ("", shader.texs[tex].op.name()),
        InstKind::Jump(jump) => ("", jump_name(jump)),
    };
    match data.has_def() {
        true => format!("{} = {sigil}{op}", shader.shown(inst.def())),
        false => format!("{sigil}{op}"),
    }
}

fn deref_name(kind: DerefKind) -> &'static str {
    match kind {
        DerefKind::Var(_) => "deref_var",
        DerefKind::Array { .. } | DerefKind::ArrayWildcard { .. } => "deref_array",
        DerefKind::PtrAsArray { .. } => "deref_ptr_as_array",
        DerefKind::Struct { .. } => "deref_struct",
        DerefKind::Cast { .. } => "deref_cast",
    }
}

fn jump_name(jump: Jump) -> &'static str {
    match jump {
        Jump::Break => "break",
        Jump::Continue => "continue",
        Jump::Return => "return",
        Jump::Halt => "halt",
    }
}

/// `1 component`, `3 components`; formatted only when it is displayed.
pub(crate) fn plural(n: usize, noun: &'static str) -> impl Display {
    Plural(n, noun)
}

struct Plural(usize, &'static str);

impl Display for Plural {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.0, self.1, if self.0 == 1 { "" } else { "s" })
    }
}
