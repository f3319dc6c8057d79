//! Faults: what a shader did that has no meaning.

use crate::ir::Inst;
use std::fmt;

/// What sort of fault.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside of what it accesses.
    OutOfBounds,
    /// An address that is not as aligned as the access says.
    Misaligned,
    /// A texel that the image does not have: undefined when it is loaded, dropped when it is stored. Nothing else follows
    /// from it.
    OutsideOfImage,
    /// A branch on undefined bits.
    UndefinedCondition,
    /// An address, index or invocation number with undefined bits.
    UndefinedAddress,
    /// Undefined bits were written to an output or a storage block. Not a fault of its own right: NIR allows it, and the
    /// bits stay marked.
    UndefinedOutput,
    /// A barrier that some invocation does not reach.
    DivergentBarrier,
    /// Invocations that use the same byte, one of them writing, without a barrier between.
    Race,
    /// The budget of instructions or memory is used up.
    Budget,
    /// An input that was not given.
    MissingInput,
    /// The interpreter cannot do this.
    Unsupported,
    /// The shader breaks a rule of NIR.
    Invalid,
}

/// A fault, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What sort.
    pub kind: FaultKind,
    /// The instruction; `None` for branches and the shader as a whole.
    pub inst: Option<Inst>,
    /// Line of the dump, 0 if unknown.
    pub line: u32,
    /// The first invocation with it.
    pub invocation: u32,
    /// What happened.
    pub message: String,
}

impl Fault {
    /// Whether anything may follow from it, so that what the run gave afterwards means nothing.
    pub fn is_undefined_behaviour(&self) -> bool {
        !matches!(self.kind, FaultKind::UndefinedOutput | FaultKind::OutsideOfImage)
    }

    /// What happened, in words.
    pub fn describe(&self) -> String {
        let what = match self.kind {
            FaultKind::OutOfBounds => "access out of bounds",
            FaultKind::OutsideOfImage => "texel outside of the image",
            FaultKind::Misaligned => "access less aligned than it says",
            FaultKind::UndefinedCondition => "branch on an undefined value",
            FaultKind::UndefinedAddress => "undefined address",
            FaultKind::UndefinedOutput => "undefined value written",
            FaultKind::DivergentBarrier => "barrier that not all invocations reach",
            FaultKind::Race => "race",
            FaultKind::Budget => "it runs for too long",
            FaultKind::MissingInput => "not given",
            FaultKind::Unsupported => "the interpreter cannot do this",
            FaultKind::Invalid => "invalid",
        };
        format!("{what}: {}", self.message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { line, invocation, .. } = self;
        write!(f, "line {line}, invocation {invocation}: {}", self.describe())
    }
}
