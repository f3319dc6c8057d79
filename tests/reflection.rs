//! What a module says of itself is what stands in its words.

mod support;

use ntv::ir::Stage;
use ntv::{text, EmitOptions, Translator};
use spirv::{Decoration, ExecutionMode, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const DECORATE: u32 = Op::Decorate as u32;
const SET: u32 = Decoration::DescriptorSet as u32;
const BINDING: u32 = Decoration::Binding as u32;

/// Sets and bindings that the decorations of a module name.
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

#[test]
fn modules_know_their_interface() {
    let mut translator = Translator::default();
    let (mut bindings, mut patches) = (0, 0);
    for path in support::files(&support::root().join("tests/corpus"), &["nir"]) {
        let source = fs::read(&path).expect("a dump");
        for found in text::parse(&String::from_utf8_lossy(&source)) {
            let Ok(mut shader) = found.shader else { continue };
            let Ok(module) = translator.translate(&mut shader, &EmitOptions::default()) else { continue };
            let said: BTreeSet<(u32, u32)> = module.bindings.iter().map(|b| (b.set, b.binding)).collect();
            assert_eq!(said, decorated(&module.words), "{}", path.display());
            bindings += said.len();
            assert_eq!(module.tcs_vertices_out().is_some(), shader.stage() == Stage::TessCtrl, "{}", path.display());
            if let Some(at) = module.tcs_vertices_out() {
                let mode = [(4 << 16) | Op::ExecutionMode as u32, ExecutionMode::OutputVertices as u32];
                assert_eq!([module.words[at - 3], module.words[at - 1]], mode, "{}", path.display());
                patches += 1;
            }
        }
    }
    assert!(bindings > 50 && patches > 1, "{bindings} bindings, {patches} patches");
}
