//! Import: tables for SPIR-V from elsewhere, which has none, by parsing it once.
//!
//! What ntv emits has its tables from the start. A module of another compiler gets them here, so that it can be linked and
//! patched like any other: names, lines and captures become ranges; sets, bindings, lengths, locations and constants become patches;
//! inputs and outputs become varyings. One that another stage may not know gets pointer types of its own, as the emitter
//! would have made them, so that its storage class can change; so does an array of descriptors, for its length:
//!
//! ```text
//! %p = OpTypePointer Input %v4      %p = OpTypePointer Input %v4
//! %a = OpVariable %p Input          %q = OpTypePointer Input %v4     patch: Private
//! %b = OpVariable %p Input          %a = OpVariable %q Input         patch: Private
//! ```
//!
//! An interface block becomes a variable for each member first, so that each can go and move by itself, also the middle one of
//! `gl_PerVertex`.
//!
//! Only what is certain is touched: a varying stays if anything but a load, a store, an access chain or an interpolation names
//! it; a block stays one if it is named as a whole, and its members only get other numbers. The
//! options of a [`Key`](crate::Key) that take code are not offered: only the emitter makes that. A module with several
//! entry points is refused.
//!
//! Who wants a module's words as they are has [`keep`], after which only descriptors move, and who only wants to know has [`reflect`].

mod facts;
mod lists;
mod reflect;
mod sizes;
mod split;
mod tables;

use crate::error::{Error, ErrorKind, Place};
use crate::module::Module;
use facts::Facts;
pub use reflect::{keep, reflect, Reflection};

/// A module of `words`, with tables.
pub fn import(words: &[u32]) -> Result<Module, Error> {
    let facts = Facts::new(words)?;
    let module = match split::blocks(&facts)? {
        Some(words) => tables::write(&Facts::new(&words)?)?,
        None => tables::write(&facts)?,
    };
    module.check()?;
    Ok(module)
}

fn malformed(what: &str) -> Error {
    Error::new(ErrorKind::Malformed, Place::default(), what)
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
struct Inst<'w> {
    /// Its opcode.
    op: u32,
    /// Its words, the first of which has its length and opcode.
    words: &'w [u32],
}

impl Inst<'_> {
    fn is(&self, op: spirv::Op) -> bool {
        self.op == op as u32
    }

    /// Operand `at`, counted from 1; 0 if it is not there, which is no id.
    fn word(&self, at: usize) -> u32 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// Where what is behind the string starts that is at operand `at`.
    fn name_end(&self, at: usize) -> usize {
        let ends = |word: &u32| word.to_le_bytes().contains(&0);
        let name = self.words.get(at..).and_then(|words| words.iter().position(ends));
        name.map_or(self.len(), |name| at + name + 1)
    }

    /// The number of words.
    fn len(&self) -> usize {
        self.words.len()
    }
}

/// The instructions of a module, behind its header.
fn instructions(words: &[u32]) -> impl Iterator<Item = Result<Inst<'_>, Error>> {
    let mut rest = words.get(5..).unwrap_or_default();
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let len = (first >> 16) as usize;
        if len == 0 || len > rest.len() {
            rest = &[];
            return Some(Err(malformed("an instruction is longer than the module")));
        }
        let (words, after) = rest.split_at(len);
        rest = after;
        Some(Ok(Inst { op: first & 0xffff, words }))
    })
}
