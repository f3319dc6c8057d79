// SPDX-License-Identifier: MIT

//! The whole program, for Linux on x86-64.

mod breakpoints;
mod decode;
mod functions;
mod image;
mod log;
mod maps;
mod phase;
mod process;
mod run;
mod sizes;
mod touched;
mod tracer;
mod translation;

pub(crate) use run::main;
