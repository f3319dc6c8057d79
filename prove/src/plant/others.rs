// SPDX-License-Identifier: MIT

//! Faults in constants, composites, control flow and textures.

use super::{Change, Code, Inst, Plant};
use rustc_hash::FxHashMap;
use spirv::{ExecutionMode, ImageOperands, Op};

/// The faults, with the changes that they make.
pub(super) const FAULTS: &[(&str, Plant)] = &[
    ("an integer constant is one more", |code| constants(code, Op::TypeInt, |word| word.wrapping_add(1))),
    ("an integer constant is one less", |code| constants(code, Op::TypeInt, |word| word.wrapping_sub(1))),
    ("an integer constant has another sign", |code| constants(code, Op::TypeInt, |word| word ^ 1 << 31)),
    ("a float constant is negated", |code| constants(code, Op::TypeFloat, |word| word ^ 1 << 31)),
    ("a float constant is twice as much", |code| constants(code, Op::TypeFloat, |word| word.wrapping_add(1 << 23))),
    ("a float constant is the next one", |code| constants(code, Op::TypeFloat, |word| word ^ 1)),
    ("another component is extracted", |code| last_words(code, Op::CompositeExtract, 4)),
    ("another component is shuffled", |code| last_words(code, Op::VectorShuffle, 5)),
    ("two components of a shuffle swapped", |code| {
        code.all(Op::VectorShuffle).filter_map(|it| it.swapped(5, 6)).collect()
    }),
    ("a loop ends where it goes on", |code| loop_branches(code)),
    ("a loop runs once", |code| loops_once(code)),
    ("a block goes nowhere", |code| {
        code.all(Op::Branch).map(|it| it.with(vec![1 << 16 | Op::Unreachable as u32])).collect()
    }),
    ("a scan includes the invocation", |code| group_operations(code, 2, 1)),
    ("a vote on floats compares integers", |code| votes_on_bits(code)),
    ("a reduction is a scan", |code| group_operations(code, 0, 1)),
    ("the bias is missing", |code| image_operand(code, ImageOperands::BIAS)),
    ("the offset of a texture is missing", |code| {
        let constant = image_operand(code, ImageOperands::CONST_OFFSET);
        constant.into_iter().chain(image_operand(code, ImageOperands::OFFSET)).collect()
    }),
    ("the least level of detail is missing", |code| image_operand(code, ImageOperands::MIN_LOD)),
    // Derivatives that are swapped have no effect: the level of detail is that of the greater one.
    ("the derivatives of a texture are both that in x", |code| one_derivative(code, 7, 6)),
    ("the derivatives of a texture are both that in y", |code| one_derivative(code, 6, 7)),
];

/// Faults for which few shaders have a place.
pub(super) const RARE: &[(&str, Plant)] = &[
    ("a workgroup has another size", |code| modes(code, ExecutionMode::LocalSize)),
    ("a patch has another number of vertices", |code| modes(code, ExecutionMode::OutputVertices)),
    ("an array is shorter", |code| shorter_arrays(code)),
];

/// An execution mode with a number that is one more.
fn modes(code: &Code<'_>, mode: ExecutionMode) -> Vec<Change> {
    let found = code.all(Op::ExecutionMode).filter(|it| it.word(2) == mode as u32);
    found.map(|it| it.with_word(3, it.word(3) + 1)).collect()
}

/// Arrays of one element less, where there is a constant for that.
fn shorter_arrays(code: &Code<'_>) -> Vec<Change> {
    let number = |id: u32| code.definition(id).filter(|it| it.is(Op::Constant)).map(|it| it.word(3));
    let less = |it: Inst<'_>| {
        let (ty, count) = (code.results.get(&it.word(3))?.0, number(it.word(3))?);
        let constants = code.all(Op::Constant).filter(|it| it.word(1) == ty);
        let other = constants.into_iter().find(|it| it.word(3) + 1 == count)?;
        Some(it.with_word(3, other.word(2)))
    };
    code.all(Op::TypeArray).filter_map(less).collect()
}

/// Constants of a kind of type with another low word; of 64 bits, the high word changes. The sizes of arrays stay.
fn constants(code: &Code<'_>, kind: Op, change: fn(u32) -> u32) -> Vec<Change> {
    let of_kind = |it: &Inst<'_>| code.definition(it.word(1)).is_some_and(|ty| ty.is(kind));
    let last = |it: Inst<'_>| it.words.len() - 1;
    let sizes: Vec<u32> = code.all(Op::TypeArray).map(|it| it.word(3)).collect();
    let counts = |it: &Inst<'_>| !sizes.contains(&it.word(2));
    code.all(Op::Constant)
        .filter(of_kind)
        .filter(counts)
        .map(|it| it.with_word(last(it), change(it.word(last(it)))))
        .collect()
}

/// Each number from word `first` on becomes its neighbour.
fn last_words(code: &Code<'_>, op: Op, first: usize) -> Vec<Change> {
    let each = |it: Inst<'_>| (first..it.words.len()).map(|i| it.with_word(i, it.word(i) ^ 1)).collect::<Vec<Change>>();
    code.all(op).flat_map(each).collect()
}

/// The branch that ends a loop takes the other side.
fn loop_branches(code: &Code<'_>) -> Vec<Change> {
    let merges: Vec<u32> = code.all(Op::LoopMerge).map(|it| it.word(1)).collect();
    let ends = code.all(Op::BranchConditional);
    ends.filter(|it| merges.contains(&it.word(2)) || merges.contains(&it.word(3)))
        .filter_map(|it| it.swapped(2, 3))
        .collect()
}

/// The branch back to the start of a loop goes to its end.
fn loops_once(code: &Code<'_>) -> Vec<Change> {
    let (mut label, mut ends) = (0, FxHashMap::default());
    let mut changes = Vec::new();
    for it in &code.insts {
        if it.is(Op::Label) {
            label = it.word(1);
        } else if it.is(Op::LoopMerge) {
            ends.insert(label, it.word(1));
        } else if let (true, Some(end)) = (it.is(Op::Branch), ends.get(&it.word(1))) {
            changes.push(it.with_word(1, *end));
        }
    }
    changes
}

/// Reductions and scans of another kind.
fn group_operations(code: &Code<'_>, from: u32, to: u32) -> Vec<Change> {
    let first = Op::GroupNonUniformIAdd as u32;
    let last = Op::GroupNonUniformLogicalXor as u32;
    let is_group = |it: &&Inst<'_>| {
        let op = it.words[0] & 0xffff;
        (first..=last).contains(&op) || op == Op::GroupNonUniformBallotBitCount as u32
    };
    code.insts.iter().filter(is_group).filter(|it| it.word(4) == from).map(|it| it.with_word(4, to)).collect()
}

/// The operand of a vote is what was cast to it.
fn votes_on_bits(code: &Code<'_>) -> Vec<Change> {
    let cast = |it: &Inst<'_>| code.definition(it.word(4)).filter(|operand| operand.is(Op::Bitcast));
    code.all(Op::GroupNonUniformAllEqual).filter_map(|it| Some(it.with_word(4, cast(&it)?.word(3)))).collect()
}

/// Instructions with a mask of image operands, and the word of the mask.
const MASKS: &[(Op, usize)] = &[
    (Op::ImageSampleImplicitLod, 5),
    (Op::ImageSampleExplicitLod, 5),
    (Op::ImageSampleDrefImplicitLod, 6),
    (Op::ImageSampleDrefExplicitLod, 6),
    (Op::ImageFetch, 5),
    (Op::ImageGather, 6),
    (Op::ImageDrefGather, 6),
];

/// The derivatives of a texture, of which that in word `to` becomes that in word `from`.
fn one_derivative(code: &Code<'_>, to: usize, from: usize) -> Vec<Change> {
    let samples = code.all(Op::ImageSampleExplicitLod);
    let with_derivatives = samples.filter(|it| it.word(5) & ImageOperands::GRAD.bits() != 0);
    with_derivatives.map(|it| it.with_word(to, it.word(from))).collect()
}

/// The operand of a bit of the mask is dropped. The operands are in the order of their bits; only gradients are two.
fn image_operand(code: &Code<'_>, operand: ImageOperands) -> Vec<Change> {
    let without = |it: Inst<'_>, at: usize| {
        let (mask, bit) = (it.word(at), operand.bits());
        if mask & bit == 0 {
            return None;
        }
        let below = mask & (bit - 1);
        let before = below.count_ones() + u32::from(below & ImageOperands::GRAD.bits() != 0);
        let mut words = it.words.to_vec();
        words.remove(at + 1 + before as usize);
        words[at] = mask & !bit;
        if words[at] == 0 {
            words.remove(at);
        }
        words[0] = (words.len() as u32) << 16 | words[0] & 0xffff;
        Some(it.with(words))
    };
    MASKS.iter().flat_map(|(op, at)| code.all(*op).filter_map(|it| without(it, *at)).collect::<Vec<Change>>()).collect()
}
