// SPDX-License-Identifier: MIT

//! Faults in decorations.

use super::{Change, Code, Inst, Plant};
use spirv::{BuiltIn, Decoration, Op, StorageClass};

/// The faults, with the changes that they make.
pub(super) const FAULTS: &[(&str, Plant)] = &[
    ("the next Location of an input", |code| interface(code, StorageClass::Input, Decoration::Location, 1)),
    ("the next Location of an output", |code| interface(code, StorageClass::Output, Decoration::Location, 1)),
    ("the next Component of an input", |code| interface(code, StorageClass::Input, Decoration::Component, 1)),
    ("the next Component of an output", |code| interface(code, StorageClass::Output, Decoration::Component, 1)),
    ("the next Binding of a uniform block", |code| interface(code, StorageClass::Uniform, Decoration::Binding, 1)),
    ("the next Binding of a storage block", |code| {
        interface(code, StorageClass::StorageBuffer, Decoration::Binding, 1)
    }),
    ("the next Binding of a texture", |code| interface(code, StorageClass::UniformConstant, Decoration::Binding, 1)),
    ("the next DescriptorSet of a uniform block", |code| {
        interface(code, StorageClass::Uniform, Decoration::DescriptorSet, 1)
    }),
    ("the next DescriptorSet of a storage block", |code| {
        interface(code, StorageClass::StorageBuffer, Decoration::DescriptorSet, 1)
    }),
    ("the next DescriptorSet of a texture", |code| {
        interface(code, StorageClass::UniformConstant, Decoration::DescriptorSet, 1)
    }),
    ("the Bindings of two uniform blocks swapped", |code| exchanged(code, StorageClass::Uniform)),
    ("the Bindings of two storage blocks swapped", |code| exchanged(code, StorageClass::StorageBuffer)),
    ("the Bindings of two textures swapped", |code| exchanged(code, StorageClass::UniformConstant)),
    ("Offset is 4 more", |code| members(code, Decoration::Offset, |offset| offset + 4)),
    ("ArrayStride is twice as much", |code| words(code, Decoration::ArrayStride, |stride| stride * 2)),
    ("a Flat input is interpolated", |code| removed_of_location(code, StorageClass::Input, Decoration::Flat)),
    ("a NoPerspective input is divided", |code| {
        removed_of_location(code, StorageClass::Input, Decoration::NoPerspective)
    }),
    ("Centroid is missing", |code| removed_of_location(code, StorageClass::Input, Decoration::Centroid)),
    ("Sample is missing", |code| removed_of_location(code, StorageClass::Input, Decoration::Sample)),
    ("Patch of an output is missing", |code| removed_of_location(code, StorageClass::Output, Decoration::Patch)),
    ("an input is Flat", |code| added(code, Decoration::Flat)),
    ("an input is NoPerspective", |code| added(code, Decoration::NoPerspective)),
    ("an input is at the centroid", |code| added(code, Decoration::Centroid)),
    ("Centroid is Sample", |code| renamed(code, Decoration::Centroid, Decoration::Sample)),
    ("NoContraction is missing", |code| all_removed(code, Decoration::NoContraction).into_iter().collect()),
    ("a built-in number is another", |code| builtins(code, NUMBERS)),
    ("a built-in id is another", |code| builtins(code, VECTORS)),
    ("a built-in output is another", |code| builtins(code, OUTPUTS)),
    ("a built-in output is another built-in", |code| builtins(code, FLOATS)),
    ("a built-in boolean is another", |code| builtins(code, BOOLEANS)),
];

/// Built-in integers, each of which is taken for the next one.
const NUMBERS: &[BuiltIn] = &[
    BuiltIn::VertexIndex,
    BuiltIn::InstanceIndex,
    BuiltIn::BaseInstance,
    BuiltIn::BaseVertex,
    BuiltIn::DrawIndex,
    BuiltIn::VertexIndex,
    BuiltIn::SampleId,
    BuiltIn::PrimitiveId,
    BuiltIn::InvocationId,
    BuiltIn::PrimitiveId,
    BuiltIn::LocalInvocationIndex,
    BuiltIn::SubgroupId,
];

const VECTORS: &[BuiltIn] = &[
    BuiltIn::GlobalInvocationId,
    BuiltIn::LocalInvocationId,
    BuiltIn::WorkgroupId,
    BuiltIn::LocalInvocationId,
    BuiltIn::NumWorkgroups,
    BuiltIn::WorkgroupId,
];

const OUTPUTS: &[BuiltIn] = &[BuiltIn::Layer, BuiltIn::ViewportIndex, BuiltIn::Layer];

const FLOATS: &[BuiltIn] = &[BuiltIn::ClipDistance, BuiltIn::CullDistance, BuiltIn::ClipDistance];

const BOOLEANS: &[BuiltIn] = &[BuiltIn::FrontFacing, BuiltIn::HelperInvocation, BuiltIn::FrontFacing];

/// The decorations of a kind on variables, types or values: the target is word 1, the number word 3.
fn decorations<'a>(code: &'a Code<'_>, decoration: Decoration) -> impl Iterator<Item = Inst<'a>> + 'a {
    code.all(Op::Decorate).filter(move |it| it.word(2) == decoration as u32)
}

/// The decorations of a kind on members: the number is word 4.
fn member_decorations<'a>(code: &'a Code<'_>, decoration: Decoration) -> impl Iterator<Item = Inst<'a>> + 'a {
    code.all(Op::MemberDecorate).filter(move |it| it.word(3) == decoration as u32)
}

/// Whether a variable is in a storage class.
fn is_in(code: &Code<'_>, id: u32, class: StorageClass) -> bool {
    code.definition(id).is_some_and(|it| it.is(Op::Variable) && it.word(3) == class as u32)
}

fn interface(code: &Code<'_>, class: StorageClass, decoration: Decoration, by: u32) -> Vec<Change> {
    let found = decorations(code, decoration).filter(|it| is_in(code, it.word(1), class));
    found.map(|it| it.with_word(3, it.word(3) + by)).collect()
}

fn words(code: &Code<'_>, decoration: Decoration, change: fn(u32) -> u32) -> Vec<Change> {
    decorations(code, decoration).map(|it| it.with_word(3, change(it.word(3)))).collect()
}

fn members(code: &Code<'_>, decoration: Decoration, change: fn(u32) -> u32) -> Vec<Change> {
    member_decorations(code, decoration).map(|it| it.with_word(4, change(it.word(4)))).collect()
}

/// All decorations of a kind are missing.
fn all_removed(code: &Code<'_>, decoration: Decoration) -> Option<Change> {
    let (first, last) = (decorations(code, decoration).next()?, decorations(code, decoration).last()?);
    let end = last.at + last.words.len();
    let between = code.insts.iter().filter(|it| (first.at..end).contains(&it.at));
    let others = between.filter(|it| !it.is(Op::Decorate) || it.word(2) != decoration as u32);
    Some(Change { at: first.at, removed: end - first.at, by: others.flat_map(|it| it.words.to_vec()).collect() })
}

/// A decoration is missing that counts only at inputs, or outputs, with a Location.
fn removed_of_location(code: &Code<'_>, class: StorageClass, decoration: Decoration) -> Vec<Change> {
    let has_location = |it: &Inst<'_>| decorations(code, Decoration::Location).any(|other| other.word(1) == it.word(1));
    let found = decorations(code, decoration).filter(|it| is_in(code, it.word(1), class));
    found.filter(has_location).map(|it| it.removed()).collect()
}

fn renamed(code: &Code<'_>, from: Decoration, to: Decoration) -> Vec<Change> {
    decorations(code, from).map(|it| it.with_word(2, to as u32)).collect()
}

/// An input of a fragment shader that is interpolated by default has the decoration.
fn added(code: &Code<'_>, decoration: Decoration) -> Vec<Change> {
    const FRAGMENT: u32 = spirv::ExecutionModel::Fragment as u32;
    const OTHERS: [Decoration; 4] =
        [Decoration::Flat, Decoration::NoPerspective, Decoration::Centroid, Decoration::Sample];
    if !code.all(Op::EntryPoint).any(|it| it.word(1) == FRAGMENT) {
        return Vec::new();
    }
    let is_default = |it: &Inst<'_>| {
        let is_it = |other: Inst<'_>| other.word(1) == it.word(1);
        !OTHERS.iter().any(|decoration| decorations(code, *decoration).any(is_it))
    };
    let inputs = decorations(code, Decoration::Location).filter(|it| is_in(code, it.word(1), StorageClass::Input));
    let decorated = |it: Inst<'_>| {
        let more = [3 << 16 | Op::Decorate as u32, it.word(1), decoration as u32];
        it.with([it.words, &more].concat())
    };
    inputs.filter(is_default).map(decorated).collect()
}

/// Two neighbours have each other's Binding.
fn exchanged(code: &Code<'_>, class: StorageClass) -> Vec<Change> {
    let found: Vec<Inst<'_>> =
        decorations(code, Decoration::Binding).filter(|it| is_in(code, it.word(1), class)).collect();
    let exchange = |pair: &[Inst<'_>]| {
        let [a, b] = pair else { return None };
        let (from, to) = (a.at, b.at + b.words.len());
        let between: Vec<u32> =
            code.insts.iter().filter(|it| (from..to).contains(&it.at)).flat_map(|it| it.words.to_vec()).collect();
        let mut words = between;
        words.swap(3, b.at - from + 3);
        (a.word(3) != b.word(3)).then_some(Change { at: from, removed: to - from, by: words })
    };
    found.windows(2).filter_map(exchange).collect()
}

fn builtins(code: &Code<'_>, list: &[BuiltIn]) -> Vec<Change> {
    let next = |number: u32| {
        let at = list.iter().position(|it| *it as u32 == number)?;
        list.get(at + 1).map(|it| *it as u32)
    };
    let of_variables = decorations(code, Decoration::BuiltIn).filter_map(|it| Some(it.with_word(3, next(it.word(3))?)));
    let of_members =
        member_decorations(code, Decoration::BuiltIn).filter_map(|it| Some(it.with_word(4, next(it.word(4))?)));
    of_variables.chain(of_members).collect()
}
