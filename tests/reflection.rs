// SPDX-License-Identifier: MIT

//! The tables of a module match its words.

mod support;

use ntv::ir::Stage;
use ntv::module::{Patch, PatchKind};
use ntv::target::{BlockArray, Descriptor};
use ntv::{text, EmitOptions, Key, Module, Options, Target, Translator};
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
        for found in text::find(&String::from_utf8_lossy(&source)) {
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

/// A shader of a Gallium driver: loose uniforms, uniform blocks 2 and 3, storage block 9, texture 1, image 2.
const BLOCKS_AND_TEXTURES: &str = "shader: MESA_SHADER_FRAGMENT
num_ubos: 5
num_ssbos: 10
first_ubo_is_default_ubo: true
decl_var uniform INTERP_MODE_NONE none sampler2D tex (0, 1, 1)
decl_var image INTERP_MODE_NONE none r32_uint uimage2D image (0, 2, 2)
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000002)
    32     %2 = load_const (0x00000003)
    32     %3 = load_const (0x00000009)
    32x2   %4 = load_const (0x00000000, 0x00000000)
    32     %5 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=4)
    32     %6 = @load_ubo (%1 (0x2), %0 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=4)
    32     %7 = @load_ubo (%2 (0x3), %5) (access=none, align_mul=4, align_offset=0, range_base=0, range=64)
    32     %8 = @load_ssbo (%3 (0x9), %0 (0x0)) (access=none, align_mul=16, align_offset=0)
    32     %9 = deref_var &tex (uniform sampler2D)
    32x4  %10 = (float32)txl %9 (texture_deref), %9 (sampler_deref), %4 (coord), %0 (0x0) (lod)
    32    %11 = deref_var &image (image uimage2D)
    32x4  %12 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)
    32x4  %13 = @image_deref_load (%11, %12, %0 (0x0), %0 (0x0)) (image_dim=2D, image_array=false, format=r32_uint, access=none, dest_type=uint32)
    32    %14 = iadd %6, %7
    32    %15 = iadd %14, %8
    32    %16 = iadd %15, %13.x
    32x4  %17 = vec4 %16, %10.x, %10.y, %10.z
    @store_output (%17, %0 (0x0)) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())
    // succs: b1
    block b1:
}
";

#[test]
fn descriptors_are_where_the_driver_has_them() {
    let slots = [(0, 4), (1, 9), (2, 128), (3, 4), (4, 64), (5, 0)];
    let mut target = Target::default();
    for (descriptor, slot) in Descriptor::ALL.into_iter().zip(slots) {
        target.descriptors.set(descriptor, slot);
    }
    let module = |target: Target| {
        let mut shader = text::parse(BLOCKS_AND_TEXTURES).expect("a shader");
        let options = EmitOptions::default();
        Translator::new(Options::default().target(target)).translate(&mut shader, &options).expect("a module")
    };
    let places = |module: Module| -> BTreeSet<_> {
        assert_eq!(
            module.bindings.iter().map(|b| (b.set, b.binding)).collect::<BTreeSet<_>>(),
            decorated(&module.words)
        );
        module.bindings.iter().map(|b| (b.set, b.binding, b.count)).collect()
    };
    // Each block, texture and image has the binding of its number, after the first of its kind.
    let each = [(0, 4, 1), (1, 11, 1), (1, 12, 1), (2, 129, 1), (3, 13, 1), (4, 66, 1)];
    assert_eq!(places(module(target.clone())), BTreeSet::from(each));
    // Blocks are the elements of an array, with others that the shader may not use.
    target.descriptors.uniform_blocks = Some(BlockArray { first: 2, count: 3 });
    target.descriptors.storage_blocks = Some(BlockArray { first: 8, count: 2 });
    let arrays = [(0, 4, 1), (1, 9, 3), (2, 129, 1), (3, 4, 2), (4, 66, 1)];
    assert_eq!(places(module(target)), BTreeSet::from(arrays));
}
