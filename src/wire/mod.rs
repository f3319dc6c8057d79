//! NIR as words: the flat form in which a C driver hands over a shader, and back.
//!
//! A wire is a header, a sequence of records, each with its kind and length in the first word, and the text of all strings.
//! `ffi/ntv.h` describes them all and writes them; this module reads them, and writes them too for tests, dumps and round trips. For every shader
//! that `check` accepts, reading what was written gives an equal shader.
//!
//! ```text
//! 0x5756544e 3 len bytes                 header: magic, version, words in all, bytes of the text
//! SHADER stage next_stage size name ...  what every shader has, and the facts of the header of a dump
//! VECTOR float32 4                       vec4, the first type: number 0
//! VARIABLE 0 SHADER_OUT ...              the first variable: number 0
//! BLOCK 0                                block b0
//! CONST %0 ...                           instructions, as in the text
//! ALU 2 32x4 %1 = %0.xyzw, %0.xyzw       opcode 2 is fadd: its place in ntv's list of names
//! "mainposition..."                      text, of which a string is a part
//! ```
//!
//! Reading trusts nothing: any words give an error, or a shader whose ids, lists and types are sound; that it keeps the
//! rules of NIR is for [`check`](crate::check) to say, as it is for text. It is one forward pass without recursion, its memory is in
//! proportion to the words, and a [`Decoder`] that is used again allocates only where a shader is larger than all before.
//!
//! | file | what |
//! |-|-|
//! | `format` | the numbers of the format |
//! | `record`, `values` | the words of a record, one after the other; what the numbers of values mean |
//! | `names` | the numbers of opcodes, intrinsics and formats |
//! | `decode`, `declare`, `instr` | reading: the shader and its control flow; header, types and variables; instructions |
//! | `encode`, `encode_instr` | writing |

mod declare;
mod decode;
mod encode;
mod encode_instr;
mod format;
mod instr;
mod names;
mod record;
mod values;

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
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

/// The bytes of a file with `words`.
pub fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
