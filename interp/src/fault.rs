// SPDX-License-Identifier: MIT

//! Faults: operations of a shader that are invalid or undefined.

use ntv::ir::Inst;
use std::fmt;

/// The kind of a fault.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside of its block, array, register or image.
    OutOfBounds,
    /// An address that is less aligned than the access declares.
    Misaligned,
    /// A texel outside of the image: a load gives undefined bits, and a store writes nothing. It has no other consequence.
    OutsideOfImage,
    /// A branch on undefined bits.
    UndefinedCondition,
    /// The index of a texture or image, coordinates, or the number of an invocation, with undefined bits.
    UndefinedAddress,
    /// An address, or the index of a block, an array, a register or a slot, with undefined bits. The run continues with one of
    /// the possible addresses: what it loads is undefined, and so is all memory that it may have changed.
    UncertainAddress,
    /// A store of undefined bits to an output or a storage block. NIR allows it, and the bits stay marked as undefined.
    UndefinedOutput,
    /// A barrier that some invocations do not reach.
    DivergentBarrier,
    /// Accesses of two invocations to the same byte, one of them a write, without a barrier between them.
    Race,
    /// The budget of instructions or memory is used up.
    Budget,
    /// An input that the caller has not provided.
    MissingInput,
    /// An operation that the interpreter lacks.
    Unsupported,
    /// A violation of NIR's rules.
    Invalid,
}

/// A fault and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The instruction; `None` for branches and the shader as a whole.
    pub inst: Option<Inst>,
    /// The line of the dump, 0 if it is not known.
    pub line: u32,
    /// The first invocation that has the fault.
    pub invocation: u32,
    /// The details.
    pub message: String,
}

impl Fault {
    /// Whether the behaviour is undefined, so that later results of the run have no meaning.
    pub fn is_undefined_behaviour(&self) -> bool {
        !matches!(self.kind, FaultKind::UndefinedOutput | FaultKind::OutsideOfImage | FaultKind::UncertainAddress)
    }

    /// The kind and the details as text.
    pub fn describe(&self) -> String {
        let what = match self.kind {
            FaultKind::OutOfBounds => "access out of bounds",
            FaultKind::OutsideOfImage => "texel outside of the image",
            FaultKind::Misaligned => "access less aligned than declared",
            FaultKind::UndefinedCondition => "branch on an undefined value",
            FaultKind::UndefinedAddress | FaultKind::UncertainAddress => "undefined address",
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
