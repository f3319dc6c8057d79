// SPDX-License-Identifier: MIT

//! Every kind of patch is at its words, and a link writes its new value.

use super::{corpus, shaders, support, Lowered};
use ntv::ir::Capture;
use ntv::module::{Assignment, Decisions, PatchKind, Varying, SETTLED};
use ntv::{Module, Target};
use spirv::{Decoration, ExecutionMode, Op};

/// The context before a patched word.
enum Prefix {
    Decoration(Decoration),
    /// A mode, this number of words before.
    Mode(ExecutionMode, fn(u32) -> usize),
    /// The type and the result of this instruction.
    Result(Op),
}

/// A kind of patch that links decide: its context, the assignment that makes it [`NEW`], and how the module itself has the value,
/// if it does.
struct Row(PatchKind, Prefix, fn(&mut Assignment, &Module, u32), Option<fn(&Module, u32) -> u32>);

/// A number that no patched word of the corpus has.
const NEW: u32 = 77;

const ROWS: [Row; 13] = {
    use PatchKind::*;
    use Prefix::{Decoration as After, Mode, Result};
    [
        Row(
            DescriptorSet,
            After(Decoration::DescriptorSet),
            |to, module, arg| to.bindings = vec![(place(module, arg), [NEW, place(module, arg)[1]])],
            Some(|module, arg| module.bindings[arg as usize].set),
        ),
        Row(
            Binding,
            After(Decoration::Binding),
            |to, module, arg| to.bindings = vec![(place(module, arg), [place(module, arg)[0], NEW])],
            Some(|module, arg| module.bindings[arg as usize].binding),
        ),
        Row(
            ArrayLength,
            Result(Op::Constant),
            |to, module, arg| to.lengths = vec![(place(module, arg), NEW)],
            Some(|module, arg| module.bindings[arg as usize].count),
        ),
        Row(
            Location,
            After(Decoration::Location),
            |to, _, at| to.locations = vec![(at, NEW)],
            Some(|module, arg| varying(module, arg).location),
        ),
        Row(
            Component,
            After(Decoration::Component),
            |to, _, arg| to.components = vec![(arg, NEW)],
            Some(|module, arg| varying(module, arg).component.into()),
        ),
        Row(Index, After(Decoration::Index), |to, _, arg| to.indices = vec![(arg, NEW)], None),
        Row(
            XfbBuffer,
            After(Decoration::XfbBuffer),
            |to, module, arg| to.captures = vec![(arg, Capture { buffer: NEW, ..capture(module, arg) })],
            Some(|module, arg| capture(module, arg).buffer),
        ),
        Row(
            XfbStride,
            After(Decoration::XfbStride),
            |to, module, arg| to.captures = vec![(arg, Capture { stride: NEW, ..capture(module, arg) })],
            Some(|module, arg| capture(module, arg).stride),
        ),
        Row(
            XfbOffset,
            After(Decoration::Offset),
            |to, module, arg| to.captures = vec![(arg, Capture { offset: NEW, ..capture(module, arg) })],
            Some(|module, arg| capture(module, arg).offset),
        ),
        Row(SpecId, After(Decoration::SpecId), |to, _, arg| to.spec_ids = vec![(arg, NEW)], None),
        Row(SpecValue, Result(Op::SpecConstant), |to, _, arg| to.spec_values = vec![(arg, NEW)], None),
        Row(
            LocalSize,
            Mode(ExecutionMode::LocalSize, |axis| axis as usize),
            |to, _, _| to.local_size = Some([NEW; 3]),
            None,
        ),
        Row(
            OutputVertices,
            Mode(ExecutionMode::OutputVertices, |_| 0),
            |to, _, _| to.output_vertices = Some(NEW),
            Some(|module, _| module.tcs_vertices_out().map_or(0, |at| module.words[at])),
        ),
    ]
};

fn place(module: &Module, row: u32) -> [u32; 2] {
    let binding = module.bindings[row as usize];
    [binding.set, binding.binding]
}

fn varying(module: &Module, index: u32) -> &Varying {
    &module.interface[index as usize]
}

fn capture(module: &Module, index: u32) -> Capture {
    varying(module, index).capture.expect("a varying with a place in a buffer")
}

impl Prefix {
    fn precedes(&self, words: &[u32], at: usize, arg: u32) -> bool {
        let is_head = |at: usize, len: u32, op: Op| words[at] == len << 16 | op as u32;
        match self {
            Prefix::Decoration(it) => is_head(at - 3, 4, Op::Decorate) && words[at - 1] == *it as u32,
            Prefix::Result(op) => is_head(at - 3, 4, *op),
            Prefix::Mode(it, back) => {
                let mode = at - 1 - back(arg);
                words[mode - 2] & 0xffff == Op::ExecutionMode as u32 && words[mode] == *it as u32
            }
        }
    }
}

/// The words that `assignment` changes, and the resulting module.
fn changed(module: &Module, assignment: Assignment) -> (Vec<usize>, Module) {
    let linked = module.link(&Decisions { assignment, ..Decisions::default() });
    let words = module.words.iter().zip(&linked.words).enumerate();
    (words.filter(|(_, (old, new))| old != new).map(|(at, _)| at).collect(), linked)
}

#[test]
pub(super) fn each_kind_of_patch_is_filled_and_decided() {
    let mut seen = Vec::new();
    for lowered in corpus() {
        let module = lowered.emit(None).expect("a module");
        for patch in &module.patches {
            seen.push(patch.kind as u32);
            let Some(Row(kind, prefix, decide, shown)) = ROWS.iter().find(|row| row.0 == patch.kind) else { continue };
            let (at, arg) = (patch.at as usize, patch.arg);
            assert!(prefix.precedes(&module.words, at, arg), "{}: {patch:?} is elsewhere", lowered.name);
            let mut assignment = Assignment::default();
            decide(&mut assignment, &module, arg);
            let (changed, linked) = changed(&module, assignment);
            if patch.when == SETTLED {
                assert_eq!(linked.words[at], module.words[at], "{}: {patch:?} is a fact", lowered.name);
                continue;
            }
            assert_eq!(linked.words[at], NEW, "{}: {patch:?}", lowered.name);
            let of_kind = |at: &usize| module.patches.iter().any(|it| it.kind == *kind && it.at as usize == *at);
            assert!(changed.iter().all(of_kind), "{}: {patch:?} changes {changed:?}", lowered.name);
            if let Some(shown) = shown {
                assert_eq!(shown(&linked, arg), NEW, "{}: {patch:?} is hidden", lowered.name);
            }
        }
    }
    seen.sort_unstable();
    seen.dedup();
    let all = (0..).map_while(PatchKind::from_number).map(|kind| kind as u32);
    assert_eq!(seen, all.collect::<Vec<u32>>(), "the corpus has every kind");
}

/// Every array of descriptors in the corpus becomes longer; no other constant changes.
#[test]
pub(super) fn arrays_of_descriptors_get_their_length() {
    let mut kinds = Vec::new();
    for lowered in corpus() {
        let module = lowered.emit(None).expect("a module");
        let longer = module.bindings.iter().map(|row| ([row.set, row.binding], row.count + 3));
        let (changed, linked) = changed(&module, Assignment { lengths: longer.collect(), ..Assignment::default() });
        let open = |patch: &&ntv::module::Patch| patch.kind == PatchKind::ArrayLength && patch.when != SETTLED;
        let arrays = module.patches.iter().filter(open);
        let arrays: Vec<(usize, usize)> = arrays.map(|patch| (patch.at as usize, patch.arg as usize)).collect();
        assert_eq!(changed.len(), arrays.len(), "{}", lowered.name);
        for (at, row) in arrays {
            let [old, new] = [&module, &linked].map(|module| module.bindings[row].count);
            assert_eq!((linked.words[at], new), (old + 3, old + 3), "{}", lowered.name);
            kinds.push(module.bindings[row].kind);
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert!(kinds.len() > 4, "{kinds:?}");
}

/// A link sets another number of a specialization constant; the next link uses the new number.
#[test]
pub(super) fn specialization_constants_keep_their_new_number() {
    let path = support::root().join("tests/corpus/directives/variable_shared_memory.nir");
    let (name, shader) = shaders(&path).remove(0);
    let module = Lowered::new(name, shader, &Target::default()).and_then(|it| it.emit(None)).expect("a module");
    let is_value = |it: &&ntv::module::Patch| it.kind == PatchKind::SpecValue;
    let value = *module.patches.iter().find(is_value).expect("a specialization constant");
    let renamed = Assignment { spec_ids: vec![(value.arg, NEW)], ..Assignment::default() };
    let (changes, module) = changed(&module, renamed);
    assert_eq!(changes.len(), 1, "SpecId alone");
    for (id, words) in [(value.arg, vec![]), (NEW, vec![value.at as usize])] {
        let set = Assignment { spec_values: vec![(id, 5)], ..Assignment::default() };
        assert_eq!(changed(&module, set).0, words, "number {id}");
    }
}
