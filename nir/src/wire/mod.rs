// SPDX-License-Identifier: MIT

//! NIR as words, the flat form of a shader that a C driver passes: reader and writer.
//!
//! A wire is a header followed by records. `docs/formats.md` describes them, and `ffi/ntvr_wire.h` writes them. This module reads them, and also writes them for
//! tests, dumps and round trips. For every shader that `check` accepts, reading the written words returns an equal shader.
//!
//! ```text
//! 0x5756544e 6 words instructions stages ...  header: magic, version, sizes, and the fields that most shaders have
//! TYPE/vector float32 4 0                     vec4, the first type: number 0
//! VARIABLE 0 shader_out ...                   the first variable: number 0
//! CONTROL/block                               block b0
//! CONST/32x4 ...                              instruction 0, and the value %0
//! ALU/fadd/32x4 0.xyzw 0.xyzw                 instruction 1; the opcode is its index in ntv's list of names
//! ```
//!
//! The form is for code that runs once, with cold caches: all words are written and read once, in order, so that a writer fills one
//! buffer, and a reader is a small loop. The first word of a record has its kind and its length. Rare facts are in separate
//! records, and their code is separate.
//!
//! Types, variables and blocks are numbered in their order, instructions too, and a value has the number of its instruction. So
//! there are no lookups, and all references are to earlier records. Indices of intrinsics have the form of the IR.
//!
//! The reader does not trust its input: for any words it returns an error, or a shader with sound ids, lists and types.
//! `check` checks the rules of NIR, as for text. Reading is one pass without recursion, its memory is in proportion
//! to the words, and a reused [`Decoder`] allocates only if a shader is larger than all before.
//!
//! | file | what |
//! |-|-|
//! | `format` | the numbers of the format |
//! | `words` | sequences of words, strings, sources, errors |
//! | `names` | the numbers of opcodes, intrinsics and formats |
//! | `decode`, `declare`, `instr` | the reader: the records and control flow; header, types and variables; instructions |
//! | `encode`, `encode_instr` | the writer |

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
pub use names::{index_slot, num_indices, number};

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

/// Whether `bytes`, the contents of a file, begin like a wire.
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
