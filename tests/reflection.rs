// SPDX-License-Identifier: MIT

//! The tables of a module match its words.

mod support;

use ntv::ir::Stage;
use ntv::module::{Patch, PatchKind};
use ntv::{text, EmitOptions, Key, Module, Translator};
use spirv::{Decoration, ExecutionMode, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const DECORATE: u32 = Op::Decorate as u32;
const SET: u32 = Decoration::DescriptorSet as u32;
const BINDING: u32 = Decoration::Binding as u32;

/// The sets and bindings in the decorations of a module.
fn decorated(words: &[u32]) -> BTreeSet<(u32, u32)> {
    let (mut sets, mut bindings) = (BTreeMap::new(), BTreeMap::new());
    let mut rest = &words[5..];
    while let [first, operands @ ..] = rest {
        let len = (first >> 16) as usize;
        match operands {
            [id, SET, set, ..] if first & 0xffff == DECORATE => drop(sets.insert(*id, *set)),
            [id, BINDING, binding, ..] if first & 0xffff == DECORATE => drop(bindings.insert(*id, *binding)),
            _ => {}
        }
        rest = &rest[len..];
    }
    sets.into_iter().map(|(id, set)| (set, bindings[&id])).collect()
}

/// The expected place of a patched word by the module's tables: the opcode of its instruction, the number of words before it in
/// the instruction, the word directly before it if that is always the same, and the word.
fn expected(module: &Module, patch: &Patch) -> (Op, usize, Option<u32>, Option<u32>) {
    let arg = patch.arg as usize;
    let decorated = |decoration: Decoration, value| (Op::Decorate, 3, Some(decoration as u32), Some(value));
    let capture = |arg: usize| module.interface[arg].capture.expect("a captured output");
    match patch.kind {
        PatchKind::DescriptorSet => decorated(Decoration::DescriptorSet, module.bindings[arg].set),
        PatchKind::Binding => decorated(Decoration::Binding, module.bindings[arg].binding),
        PatchKind::Location => decorated(Decoration::Location, module.interface[arg].location),
        PatchKind::Component => decorated(Decoration::Component, module.interface[arg].component.into()),
        PatchKind::XfbBuffer => decorated(Decoration::XfbBuffer, capture(arg).buffer),
        PatchKind::XfbStride => decorated(Decoration::XfbStride, capture(arg).stride),
        PatchKind::XfbOffset => decorated(Decoration::Offset, capture(arg).offset),
        PatchKind::SpecId => decorated(Decoration::SpecId, patch.arg),
        PatchKind::Index => (Op::Decorate, 3, Some(Decoration::Index as u32), None),
        PatchKind::SpecValue => (Op::SpecConstant, 3, None, None),
        PatchKind::LocalSize => (Op::ExecutionMode, 3 + arg, None, None),
        PatchKind::OutputVertices => (Op::ExecutionMode, 3, Some(ExecutionMode::OutputVertices as u32), None),
        PatchKind::ArrayLength
        | PatchKind::Word
        | PatchKind::Width
        | PatchKind::Height
        | PatchKind::Uniform
        | PatchKind::Swizzle => {
            panic!("{:?} in a module that does not link", patch.kind)
        }
    }
}

#[test]
fn modules_have_tables_of_their_interface() {
    let mut translator = Translator::default();
    let mut bindings = 0;
    let mut kinds: BTreeMap<u8, usize> = BTreeMap::new();
    for path in support::files(&support::root().join("tests/corpus"), &["nir"]) {
        let source = fs::read(&path).expect("a dump");
        for found in text::parse(&String::from_utf8_lossy(&source)) {
            let Ok(mut shader) = found.shader else { continue };
            let Ok(module) = translator.translate(&mut shader, &EmitOptions::default()) else { continue };
            let said: BTreeSet<(u32, u32)> = module.bindings.iter().map(|b| (b.set, b.binding)).collect();
            assert_eq!(said, decorated(&module.words), "{}", path.display());
            bindings += said.len();
            assert_eq!(module.tcs_vertices_out().is_some(), shader.stage() == Stage::TessCtrl, "{}", path.display());
            for patch in module.placed_patches(&Key::default()) {
                let (op, before, previous, value) = expected(&module, &patch);
                let at = patch.at as usize;
                let said = format!("{} {patch:?}", path.display());
                assert_eq!(module.words[at - before] & 0xffff, op as u32, "{said}");
                assert!(previous.is_none_or(|previous| module.words[at - 1] == previous), "{said}");
                assert!(value.is_none_or(|value| module.words[at] == value), "{said}");
                *kinds.entry(patch.kind as u8).or_default() += 1;
            }
        }
    }
    // All but Word, Width, Height and ArrayLength.
    assert!(bindings > 50 && kinds.keys().copied().eq(3..15), "{bindings} bindings, {kinds:?}");
}
