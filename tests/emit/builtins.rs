// SPDX-License-Identifier: MIT

//! The table of built-ins and `spirv-val` agree: each built-in in each stage, as an input and as an output.

use super::support;
use ntv::op::builtins::{BuiltInInfo, BUILT_INS};
use ntv::op::meaning::Stages;
use ntv::Target;
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op};

/// The stages with their execution models and capabilities.
const STAGES: [(Stages, ExecutionModel, Option<Capability>); 6] = [
    (Stages::VERTEX, ExecutionModel::Vertex, None),
    (Stages::TESS_CTRL, ExecutionModel::TessellationControl, Some(Capability::Tessellation)),
    (Stages::TESS_EVAL, ExecutionModel::TessellationEvaluation, Some(Capability::Tessellation)),
    (Stages::GEOMETRY, ExecutionModel::Geometry, Some(Capability::Geometry)),
    (Stages::FRAGMENT, ExecutionModel::Fragment, None),
    (Stages::COMPUTE, ExecutionModel::GLCompute, None),
];

/// A type: of a boolean, or of a number of 32 bits, with the components of a vector and the length of an array, or 0.
struct Shape(Op, u32, u32);

fn shape(builtin: BuiltIn) -> Shape {
    use BuiltIn::*;
    match builtin {
        Position | FragCoord => Shape(Op::TypeFloat, 4, 0),
        PointSize | FragDepth => Shape(Op::TypeFloat, 1, 0),
        PointCoord | SamplePosition => Shape(Op::TypeFloat, 2, 0),
        TessCoord => Shape(Op::TypeFloat, 3, 0),
        ClipDistance | CullDistance => Shape(Op::TypeFloat, 1, 1),
        TessLevelOuter => Shape(Op::TypeFloat, 1, 4),
        TessLevelInner => Shape(Op::TypeFloat, 1, 2),
        FrontFacing | HelperInvocation => Shape(Op::TypeBool, 1, 0),
        SampleMask => Shape(Op::TypeInt, 1, 1),
        WorkgroupId | NumWorkgroups | LocalInvocationId | GlobalInvocationId => Shape(Op::TypeInt, 3, 0),
        SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask => Shape(Op::TypeInt, 4, 0),
        _ => Shape(Op::TypeInt, 1, 0),
    }
}

/// A module that is assembled.
struct Words(Vec<u32>);

impl Words {
    fn op(&mut self, op: Op, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | op as u32);
        self.0.extend(operands);
    }
}

/// The execution modes of a stage.
fn modes(words: &mut Words, builtin: BuiltIn, stage: Stages) {
    use BuiltIn::{FragDepth, FragStencilRefEXT};
    let mode = |words: &mut Words, mode: ExecutionMode, operands: &[u32]| {
        words.op(Op::ExecutionMode, &[&[1, mode as u32], operands].concat());
    };
    if stage == Stages::TESS_CTRL {
        mode(words, ExecutionMode::OutputVertices, &[3]);
    } else if stage == Stages::TESS_EVAL {
        mode(words, ExecutionMode::Triangles, &[]);
    } else if stage == Stages::GEOMETRY {
        mode(words, ExecutionMode::InputPoints, &[]);
        mode(words, ExecutionMode::OutputPoints, &[]);
        mode(words, ExecutionMode::OutputVertices, &[1]);
        mode(words, ExecutionMode::Invocations, &[1]);
    } else if stage == Stages::FRAGMENT {
        mode(words, ExecutionMode::OriginUpperLeft, &[]);
        if builtin == FragDepth {
            mode(words, ExecutionMode::DepthReplacing, &[]);
        } else if builtin == FragStencilRefEXT {
            mode(words, ExecutionMode::StencilRefReplacingEXT, &[]);
        }
    } else if stage == Stages::COMPUTE {
        mode(words, ExecutionMode::LocalSize, &[1, 1, 1]);
    }
}

/// Declares the type of a variable of the built-in.
fn declare(words: &mut Words, builtin: BuiltIn, stage: Stages, output: bool) -> u32 {
    use BuiltIn::{ClipDistance, CullDistance, PointSize, Position};
    let Shape(base, components, length) = shape(builtin);
    let mut ty = 4;
    match base {
        Op::TypeFloat => words.op(Op::TypeFloat, &[5, 32]),
        Op::TypeBool => words.op(Op::TypeBool, &[5]),
        _ => {}
    }
    if base != Op::TypeInt {
        ty = 5;
    }
    let mut enclose = |words: &mut Words, op, id, operand| {
        words.op(op, &[id, ty, operand]);
        ty = id;
    };
    if components > 1 {
        enclose(words, Op::TypeVector, 6, components);
    }
    if length > 0 {
        words.op(Op::Constant, &[4, 7, length]);
        enclose(words, Op::TypeArray, 8, 7);
    }
    // One value for each vertex.
    let is_arrayed = matches!(builtin, Position | PointSize | ClipDistance | CullDistance)
        && (stage == Stages::TESS_CTRL || !output && (stage == Stages::TESS_EVAL || stage == Stages::GEOMETRY));
    if is_arrayed {
        words.op(Op::Constant, &[4, 15, if stage == Stages::GEOMETRY { 1 } else { 3 }]);
        enclose(words, Op::TypeArray, 16, 15);
    }
    ty
}

/// A shader that loads the built-in, or stores a null to it.
fn module(
    builtin: BuiltIn,
    (stage, model, needed): (Stages, ExecutionModel, Option<Capability>),
    output: bool,
) -> Vec<u32> {
    use BuiltIn::*;
    let Shape(base, ..) = shape(builtin);
    let mut words = Words(vec![spirv::MAGIC_NUMBER, 0x0001_0600, 0, 30, 0]);
    let capabilities = match builtin {
        SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask => {
            vec![Capability::GroupNonUniform, Capability::GroupNonUniformBallot]
        }
        SubgroupSize | SubgroupLocalInvocationId | SubgroupId | NumSubgroups => vec![Capability::GroupNonUniform],
        _ => {
            let given = BuiltInInfo::of(builtin).needs.iter().map(|need| need.any[0].1);
            given.collect()
        }
    };
    for capability in [Capability::Shader].into_iter().chain(needed).chain(capabilities) {
        words.op(Op::Capability, &[capability as u32]);
    }
    if builtin == FragStencilRefEXT {
        let name = b"SPV_EXT_shader_stencil_export\0\0\0";
        let name: Vec<u32> = name.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
        words.op(Op::Extension, &name);
    }
    words.op(Op::MemoryModel, &[0, 1]);
    words.op(Op::EntryPoint, &[model as u32, 1, u32::from_le_bytes(*b"main"), 0, 10]);
    modes(&mut words, builtin, stage);
    words.op(Op::Decorate, &[10, Decoration::BuiltIn as u32, builtin as u32]);
    if stage == Stages::FRAGMENT && !output && base == Op::TypeInt {
        words.op(Op::Decorate, &[10, Decoration::Flat as u32]);
    }
    if matches!(builtin, TessLevelOuter | TessLevelInner) {
        words.op(Op::Decorate, &[10, Decoration::Patch as u32]);
    }
    words.op(Op::TypeVoid, &[2]);
    words.op(Op::TypeFunction, &[3, 2]);
    words.op(Op::TypeInt, &[4, 32, 0]);
    let ty = declare(&mut words, builtin, stage, output);
    let class = if output { 3 } else { 1 };
    words.op(Op::TypePointer, &[9, class, ty]);
    words.op(Op::Variable, &[9, 10, class]);
    words.op(Op::ConstantNull, &[ty, 11]);
    words.op(Op::Function, &[2, 1, 0, 3]);
    words.op(Op::Label, &[12]);
    match output {
        true => words.op(Op::Store, &[10, 11]),
        false => words.op(Op::Load, &[ty, 13, 10]),
    }
    words.op(Op::Return, &[]);
    words.op(Op::FunctionEnd, &[]);
    words.0
}

/// The built-ins whose stages `spirv-val` does not check.
const UNCHECKED: [BuiltIn; 1] = [BuiltIn::LocalInvocationIndex];

#[test]
fn the_table_of_built_ins_agrees_with_spirv_val() {
    let uses = BUILT_INS.iter().flat_map(|info| {
        STAGES.into_iter().flat_map(move |stage| [false, true].map(|output| (info.builtin, stage, output)))
    });
    let differences = support::in_parallel(uses.collect(), |(builtin, stage, output): (BuiltIn, _, bool)| {
        let valid = support::spirv_val(&module(builtin, stage, output), &Target::default());
        let allowed = BuiltInInfo::of(builtin).is_in(stage.0, output);
        let differs = valid.is_ok() != allowed && !(valid.is_ok() && UNCHECKED.contains(&builtin));
        let direction = if output { "output" } else { "input" };
        differs.then(|| format!("{builtin:?} as an {direction} of {:?}: {valid:?}, the table: {allowed}", stage.1))
    });
    let differences: Vec<String> = differences.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
