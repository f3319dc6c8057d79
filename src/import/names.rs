// SPDX-License-Identifier: MIT

//! The names of a module: OpName and OpMemberName.

use super::source::{Global, SourceModule};
use super::{instructions, Inst};
use rustc_hash::FxHashMap;
use spirv::{Op, StorageClass};

/// The member of a name of an id itself.
const OWN: u32 = u32::MAX;

/// The names of ids and of members of types.
pub(super) struct Names(FxHashMap<(u32, u32), String>);

impl Names {
    pub(super) fn new(words: &[u32]) -> Names {
        let before_functions = instructions(words).flatten().take_while(|inst| !inst.is(Op::Function));
        let name = |inst: Inst<'_>| match inst.op {
            op if op == Op::Name as u32 => Some(((inst.word(1), OWN), text(inst, 2))),
            op if op == Op::MemberName as u32 => Some(((inst.word(1), inst.word(2)), text(inst, 3))),
            _ => None,
        };
        Names(before_functions.filter_map(name).collect())
    }

    fn find(&self, id: u32, member: u32) -> &str {
        self.0.get(&(id, member)).map_or("", String::as_str)
    }

    /// The name of an input or output, or of a member of a block of them.
    pub(super) fn varying(&self, source: &SourceModule<'_>, id: u32, member: Option<u32>) -> &str {
        match (member, source.global(id)) {
            (Some(member), Some(global)) => self.find(source.block(global), member),
            _ => self.find(id, OWN),
        }
    }

    /// The name of a descriptor. That of a block without one is the name of its type, as in GLSL.
    pub(super) fn descriptor(&self, source: &SourceModule<'_>, global: &Global) -> &str {
        let own = self.find(global.id, OWN);
        if !own.is_empty() || global.class == StorageClass::UniformConstant as u32 {
            return own;
        }
        let array = source.types.get(&global.ty).filter(|ty| ty.is(Op::TypeArray) || ty.is(Op::TypeRuntimeArray));
        self.find(array.map_or(global.ty, |array| array.word(2)), OWN)
    }
}

/// The string from a word of an instruction on.
pub(super) fn text(inst: Inst<'_>, from: usize) -> String {
    let bytes = inst.words.iter().skip(from).flat_map(|word| word.to_le_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}
