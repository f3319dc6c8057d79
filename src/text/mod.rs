//! NIR text to IR and back.
//!
//! Reads what `nir_print_shader` writes in Mesa 22.3 and in 25.0, told apart construct by construct, wherever it stands: a
//! dump, several one after the other, or a log with dumps between other lines. Writes the 25.0 dialect. For every shader that
//! was read, reading what was written gives an equal shader.
//!
//! ```text
//! shader: MESA_SHADER_COMPUTE                                    header:    one line for each field
//! workgroup_size: 1, 1, 1
//! subgroup_size: 0
//! decl_var ssbo INTERP_MODE_NONE none uint[] out (0, 0, 0)       decl:      one line for each variable
//! decl_function main () (entrypoint)                             body:      control flow
//!
//! impl main {
//!     block b0:  // preds:
//!     32    %0 = load_const (0x00000007 = 0.000000)              instr:     one line for each instruction
//!     32    %1 = deref_var &out (ssbo uint[])                    deref
//!     32    %2 = deref_array &(*%1)[0] (ssbo uint)
//!                @store_deref (%2, %0) (wrmask=x, access=none)   intrinsic, with its indices
//!                // succs: b1
//!     block b1:
//! }
//! ```
//!
//! A dump has lost some facts. It prints no members of structs: a struct starts empty and gains a member where a
//! `deref_struct` names one. It prints no descriptor set, no explicit layout and no dual-source index.

mod body;
mod cursor;
mod decl;
mod deref;
mod dialect22;
mod edges;
mod header;
mod index;
mod initializer;
mod instr;
mod intrinsic;
mod numbering;
mod parser;
mod print;
mod print_instr;
mod readings;
mod tex;

use crate::error::Errors;
use crate::ir::Shader;

/// A shader found in a text.
#[derive(Debug)]
pub struct Found {
    /// Line of the text, from 1, on which the shader starts.
    pub line: u32,
    /// The shader, or everything that is wrong with it (the first 20 faults).
    pub shader: Result<Shader, Errors>,
}

/// Finds and parses every shader in `text`: a dump, several, or a log with dumps in it. A shader starts with a line
/// `shader: MESA_SHADER_...`; lines outside of shaders are ignored.
pub fn parse(text: &str) -> Vec<Found> {
    parser::parse(text)
}

/// Prints `shader` as Mesa 25.0 does.
pub fn print(shader: &Shader) -> String {
    print::print(shader)
}

#[cfg(test)]
mod tests;
