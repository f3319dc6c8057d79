//! NIR as words: the flat form in which a C driver hands over a shader, and back.
//!
//! A wire is a header and records, one after the other. `ffi/ntv.h` describes them all and writes them; this module reads them, and
//! writes them too for tests, dumps and round trips. For every shader that `check` accepts, reading what was written gives an equal
//! shader.
//!
//! ```text
//! 0x5756544e 6 words instructions stages ...  header: magic, version, how much there is of what, what most shaders have of facts
//! TYPE/vector float32 4 0                     vec4, the first type: number 0
//! VARIABLE 0 shader_out ...                   the first variable: number 0
//! CONTROL/block                               block b0
//! CONST/32x4 ...                              instruction 0, and the value %0
//! ALU/fadd/32x4 0.xyzw 0.xyzw                 instruction 1; the opcode is its place in ntv's list of names
//! ```
//!
//! The form is made for code that runs once, with nothing of it in a cache: all words are written and read once, in order, so that
//! a writer fills one buffer, and a reader is one loop over few lines of code. The first word of a record says what it is, and with it
//! how long it is. What few shaders have is in records that others do not have, and the code for it is kept apart.
//!
//! Types, variables, blocks and instructions have the numbers of their places among their like, and values those of their
//! instructions: nothing is looked up, and whatever is referred to was read before. Indices of intrinsics are as the shader holds
//! them.
//!
//! Reading trusts nothing: any words give an error, or a shader whose ids, lists and types are sound; that it keeps the
//! rules of NIR is for [`check`](crate::check) to say, as it is for text. It is one pass without recursion, its memory is in
//! proportion to the words, and a [`Decoder`] that is used again allocates only where a shader is larger than all before.
//!
//! | file | what |
//! |-|-|
//! | `format` | the numbers of the format |
//! | `words` | words one after the other, strings, sources, errors |
//! | `names` | the numbers of opcodes, intrinsics and formats |
//! | `decode`, `declare`, `instr` | reading: the records and control flow; header, types and variables; instructions |
//! | `encode`, `encode_instr` | writing |

mod declare;
mod decode;
mod encode;
mod encode_instr;
mod format;
mod instr;
mod names;
mod words;

pub use decode::Decoder;
pub use format::{Table, MAGIC, VERSION};
pub use names::{index_slot, num_indices, num_sources, number};

use crate::error::{Error, ErrorKind, Place};
use crate::ir::Shader;

/// Reads a shader. Use a [`Decoder`] for many.
pub fn decode(words: &[u32]) -> Result<Shader, Error> {
    let mut shader = Shader::default();
    Decoder::default().decode(words, &mut shader)?;
    Ok(shader)
}

/// Writes a shader that `check` accepts.
pub fn encode(shader: &Shader) -> Vec<u32> {
    encode::encode(shader)
}

/// Whether `bytes`, the contents of a file, are meant to be a wire.
pub fn is_wire(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// The words of a file.
pub fn from_bytes(bytes: &[u8]) -> Result<Vec<u32>, Error> {
    if bytes.len() % 4 != 0 {
        let message = format!("the file ends within a word: it has {} bytes", bytes.len());
        return Err(Error::new(ErrorKind::Malformed, Place::default(), message));
    }
    Ok(encode::words_of(bytes))
}

/// The bytes of a file with `words`.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
