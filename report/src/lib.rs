// SPDX-License-Identifier: MIT

//! What the command `ntv` and the explorer say about shaders and modules, without files and without terminals.

#![forbid(unsafe_code)]

pub mod assembly;
pub mod diff;
pub mod graph;
pub mod limits;
pub mod load;
pub mod opcode;
pub mod plans;
pub mod problem;
pub mod reflect;
pub mod run;
pub mod varyings;

/// The error of a function that has no place in a text.
pub type Failure = anyhow::Error;
