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
//! # What a dump has lost
//!
//! Mesa does not print everything. Each fact that is missing is found again by a rule; where the rule is wrong, a comment
//! `// ntv: ...` in the dump says what is right, and is printed again. `key=value` stands on a line of its own before the first
//! variable; what is said of a variable stands behind its declaration. The files are in `tests/corpus/directives`.
//!
//! | lost | rule | comment that overrides it | shown by |
//! |-|-|-|-|
//! | descriptor set | one for each kind of descriptor: [`Target::descriptor_set`](crate::Target::descriptor_set); uniform blocks of driver location 0 are GL's loose uniforms | `set=7` | `descriptor_set.nir` |
//! | index of a dual-source output or of an attachment | 0 | `index=1` | `index.nir` |
//! | one of two outputs at a location (25.0 prints one) | using it is an error | its declaration, with `index=1` | `index.nir` |
//! | what transform feedback captures, and streams | nothing, stream 0 | `xfb(buffer=0 stride=32 offset=16) stream=1` | `feedback.nir` |
//! | what transform feedback captures of a slot | what the stores say | `xfb=VAR1.yz:0+16/24`: buffer, offset, stride | `feedback_slots.nir` |
//! | members, offsets and strides of structs | a member is learnt from the `deref_struct` that names it, and its number from the order in which they come; zink's buffers have `base` and `unsized`, its push constants what they always have; no offset and no stride, so that pointers into global memory are refused | `struct=light { vec3 color offset=0, float[4] power offset=16 stride=16 }` | `struct.nir` |
//! | digits of floats that variables start with | those that are printed, six behind the point | the bits in place of the number: `0x3f800000` | `initializers.nir` |
//! | vectors of 64-bit integers that variables start with | refused | all components in the initializer | `initializers.nir` |
//! | whether offsets of shared memory and scratch count elements | as those of blocks do: [`lower_memory`](crate::pass::memory::lower_memory) | `shared_offset_units=bytes`, `shared_offset_units=elements` | `shared_offset_units.nir` |
//! | shared memory that comes with the pipeline | none | `variable_shared_memory=true` | `variable_shared_memory.nir` |
//! | whether the framebuffer that is read has several samples of each pixel | no: [`lower_fbfetch`](crate::pass::io::lower_fbfetch) | `framebuffer=multisample` | `framebuffer.nir` |
//! | whether blocks that are named by constants are one array | no, unless one is picked by a number: [`lower_ubo`](crate::pass::memory::lower_ubo), [`lower_ssbo`](crate::pass::memory::lower_ssbo) | `uniform_blocks=array`, `storage_blocks=array` | `block_arrays.nir` |
//! | whether locations were assigned | yes by 25.0, no by 22.3: [`assign_locations`](crate::pass::io::assign_locations) | `locations=slots`, `locations=declared` | `locations.nir` |
//! | the type of a texture that is named by a unit or handle | that of the variable at that unit, or of one that fits; else guessed from the coordinates: [`lower_descriptors`](crate::pass::texture::lower_descriptors) | a declaration of the texture | `texture_type.nir` |
//! | most of the header, in 22.3 | what the variables and instructions say, else GL's default | 25.0's line for the field, as `spacing: 2` | `header_fields.nir` |
//!
//! Nothing depends on what else is lost: whether a struct is an interface block, `fp_fast_math`, hints of loops, the ids of
//! constant indices. What zink knows of the device is [`Target`](crate::Target).

mod body;
mod cursor;
mod decl;
mod deref;
mod dialect22;
mod directive;
mod edges;
mod header;
mod index;
mod initializer;
mod instr;
mod intrinsic;
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

/// Prints the instructions of each block, a line each, the blocks in program order.
pub fn print_blocks(shader: &Shader) -> Vec<Vec<String>> {
    print::print_blocks(shader)
}

#[cfg(test)]
mod tests;
