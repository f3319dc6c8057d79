// SPDX-License-Identifier: MIT

//! Whether ntv computes what NIR means.
//!
//! The meaning of an ALU opcode is the function that folds it, a column of the [table](ntv::op): the interpreter computes with it, and
//! everything else is compared with the interpreter. [`mesa`] compares these functions with Mesa's own constant folding.

mod barriers;
pub mod compare;
mod confirm;
mod contraction;
mod division;
pub mod flow;
pub mod forms;
mod given;
pub mod inputs;
mod lanes;
pub mod mesa;
mod modes;
pub mod module;
pub mod nir;
mod open;
pub mod passes;
pub mod plant;
pub mod reasons;
pub mod rows;
pub mod smt;
mod solved;
pub mod term;
pub mod witness;
pub mod world;
