// SPDX-License-Identifier: MIT

//! NIR text to IR and back.
//!
//! The parser reads the output of `nir_print_shader` of Mesa 22.3 to 26.2, and accepts all dialects for each construct: those of
//! 22.3, 25.0 and 26.2, and mixtures of the first two from the versions between them. The text may be a dump, several dumps, or a log
//! with dumps between other lines. The printer writes the 25.0 dialect. For every shader, also between
//! two passes, parsing the printed text returns an equal shader.
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
//! # Facts that a dump does not have
//!
//! Mesa does not print everything. A rule supplies each missing fact. If the rule is wrong, a comment `// ntv: ...` in the dump has
//! the correct fact, and is printed again. For the shader, `key=value` is on its own line before the first variable; for a
//! variable, it is after its declaration. The files are in `tests/corpus/directives`.
//!
//! | missing | rule | comment that overrides it | shown by |
//! |-|-|-|-|
//! | descriptor set | one for each kind of descriptor: `Target::descriptor_set`; uniform blocks of driver location 0 are GL's loose uniforms | `set=7` | `descriptor_set.nir` |
//! | index of a dual-source output or of an attachment | 0 | `index=1` | `index.nir` |
//! | one of two outputs at a location (25.0 prints one) | using it is an error | its declaration, with `index=1` | `index.nir` |
//! | captures of transform feedback, and streams | no captures, stream 0 | `xfb(buffer=0 stride=32 offset=16) stream=1` | `feedback.nir` |
//! | captures of a slot by transform feedback | those of the stores | `xfb=VAR1.yz:0+16/24`: buffer, offset, stride | `feedback_slots.nir` |
//! | members, offsets and strides of structs | a member and its type come from the `deref_struct` that names it, and its index from their order; zink's buffers have `base` and `unsized`, its push constants have fixed members; there is no offset and no stride, so pointers into global memory are refused | `struct=light { vec3 color offset=0, float[4] power offset=16 stride=16 }` | `struct.nir` |
//! | the same, of one variable: in a dump of a shader that passes have changed | as above; the printer adds the comment where the type would be another one | the members and strides: `{ uvec4[] base offset=0 stride=16 }`, `stride=32/8` | `members.nir` |
//! | whether an input of doubles is the second half of its slot | no | `high_dvec2` | `high_dvec2.nir` |
//! | digits of floats in initializers | the printed ones, six after the point | the bits in place of the number: `0x3f800000` | `initializers.nir` |
//! | vectors of 64-bit integers in initializers | refused | all components in the initializer | `initializers.nir` |
//! | whether offsets of shared memory and scratch count elements | as for blocks: `raise::say_offset_units` | `shared_offset_units=bytes`, `shared_offset_units=elements` | `shared_offset_units.nir` |
//! | shared memory that the pipeline adds | none | `variable_shared_memory=true` | `variable_shared_memory.nir` |
//! | whether the framebuffer of a fetch has several samples per pixel | no: `pass::io::lower_fbfetch` | `framebuffer=multisample` | `framebuffer.nir` |
//! | whether blocks with constant numbers are one array | no, unless a block is selected by a variable number: `pass::memory::lower_ubo`, `pass::memory::lower_ssbo` | `uniform_blocks=array`, `storage_blocks=array` | `block_arrays.nir` |
//! | whether locations were assigned | yes by 25.0, no by 22.3; those of a module that Mesa read are those of the module: `pass::io::assign_locations` | `locations=slots`, `locations=declared`, `locations=spirv` | `locations.nir` |
//! | the type of a texture that has only a unit or handle | that of the variable at that unit, or of a compatible one; otherwise it is derived from the coordinates: `pass::texture::lower_descriptors` | a declaration of the texture | `texture_type.nir` |
//! | most of the header, in 22.3 | derived from the variables and instructions, otherwise GL's default | 25.0's line for the field, such as `spacing: 2` | `header_fields.nir` |
//!
//! Other missing facts have no effect: whether a struct is an interface block, `fp_fast_math`, hints of loops, the ids of constant
//! indices. `Target` has zink's knowledge of the device.

mod body;
mod cursor;
mod decl;
mod deref;
mod dialect22;
mod dialect26;
mod directive;
mod edges;
mod header;
mod index;
mod initializer;
mod instr;
mod intrinsic;
mod layout;
mod parser;
mod print;
mod print_instr;
mod quoted;
mod readings;
mod tex;

use crate::error::{Error, ErrorKind, Errors, Place};
use crate::ir::Shader;

/// A shader found in a text.
#[derive(Debug)]
pub struct Found {
    /// The line of the text, from 1, on which the shader starts.
    pub line: u32,
    /// The shader, or its errors (the first 20).
    pub shader: Result<Shader, Errors>,
    /// Parts of the text that were ignored, although ntv does not know them (the first 20).
    pub notes: Vec<Error>,
}

/// Parses the shader of a text that has one. The errors are those of the shader (the first 20), or that there is no shader, or that
/// there is a second one.
pub fn parse(text: &str) -> Result<Shader, Errors> {
    let mut found = find(text);
    let error = |line, message| Errors::from(Error::new(ErrorKind::Syntax, Place::line(line), message));
    let first =
        found.next().ok_or_else(|| error(1, "no shader found, expected a line like `shader: MESA_SHADER_VERTEX`"))?;
    let shader = first.shader?;
    found.next().map_or(Ok(shader), |second| Err(error(second.line, "a second shader starts here, expected only one")))
}

/// Finds and parses every shader in `text`: a dump, several, or a log with dumps in it. A shader starts with a line
/// `shader: MESA_SHADER_...`; lines outside of shaders are ignored.
pub fn find(text: &str) -> impl DoubleEndedIterator<Item = Found> + ExactSizeIterator {
    parser::find(text).into_iter()
}

/// Prints `shader` as Mesa 25.0 does.
pub fn print(shader: &Shader) -> String {
    print::print(shader)
}

/// Prints `shader` like [`print`](fn@print), and sets the line of each instruction, from 1, in [`Shader::lines`].
///
/// ```
/// # let dump = "\
/// # shader: MESA_SHADER_VERTEX
/// # decl_function main () (entrypoint)
/// #
/// # impl main {
/// #     block b0:  // preds:
/// #     32     %0 = load_const (0x00000000)
/// #     // succs: b1
/// #     block b1:
/// # }
/// # ";
/// # let mut shader = ntv::text::parse(dump)?;
/// let text = ntv::text::print_with_lines(&mut shader);
/// let line = shader.lines[shader.order[0]].0;
/// assert!(text.lines().nth(line as usize - 1).is_some_and(|line| line.contains("load_const")));
/// # Ok::<(), ntv::Errors>(())
/// ```
pub fn print_with_lines(shader: &mut Shader) -> String {
    print::print_with_lines(shader)
}

/// Prints the instructions of each block, one on a line, with the blocks in program order.
pub fn print_blocks(shader: &Shader) -> Vec<Vec<String>> {
    print::print_blocks(shader)
}
