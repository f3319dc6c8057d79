// SPDX-License-Identifier: MIT

//! The types that definitions and uses of values prefer, and the possible types of values: the rules by which
//! [`value_types`](super::value_types) chooses.

use crate::ir::{Def, Inst, InstKind, Shader, Type, TypeData, TypeTable, Variable};
use crate::op::{
    operand_want, AluOp, AluType, AtomicOp, Base, Choice, Index, Intrinsic, Modes, TexOp, TexSrcKind, Want,
};

/// The vote of a use: for a float rather than an integer, and for a signed integer rather than an unsigned one.
pub(super) type Vote = [i16; 2];

/// What votes for a type.
pub(super) trait Votes {
    /// Its vote for a value with a choice.
    fn vote(self) -> Vote;
}

impl Votes for Choice {
    fn vote(self) -> Vote {
        self.want().vote()
    }
}

impl Votes for Want {
    fn vote(self) -> Vote {
        match self {
            Want::Is(Base::Float) => [1, 0],
            Want::Is(Base::Int) => [-1, 1],
            Want::Is(Base::Uint) => [-1, -1],
            Want::Integer => [-1, 0],
            Want::Is(Base::Bool) | Want::Same | Want::Any => [0, 0],
        }
    }
}

/// The possible types of the numbers in a private or shared variable.
pub(super) fn variable_choice(types: &TypeTable, ty: Type) -> Choice {
    let end = leaf_type(types, ty);
    match end.map(|(_, scalar)| scalar) {
        Some(AluType { base: Base::Bool, .. }) => Choice::Bool,
        Some(AluType { bits: 8, .. }) => Choice::Uint,
        Some(AluType { base: Base::Float, bits: 64 }) => Choice::Float,
        // A matrix is of floats, whatever is in it.
        Some(scalar) if end.is_some_and(|(ty, _)| matches!(types.get(ty), TypeData::Matrix { .. })) => {
            Choice::is(scalar.base)
        }
        Some(scalar) => {
            debug_assert_ne!(scalar.bits, 1);
            Choice::Free
        }
        None => Choice::Uint,
    }
}

/// Modes of memory that is not visible outside of the shader, so that its type can be chosen.
pub(super) const OWN_MEMORY: Modes =
    Modes::SHARED.union(Modes::SHADER_TEMP).union(Modes::FUNCTION_TEMP).union(Modes::CONSTANT);

/// The possible types of a number that is declared as a `scalar` in memory of `modes` that are visible outside, too.
#[inline(always)]
pub(super) fn memory_choice(modes: Modes, scalar: Option<AluType>) -> Choice {
    const FREE: Modes = Modes::UBO.union(Modes::SSBO).union(Modes::GLOBAL);
    const DECLARED: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);
    // Indexed by whether a number has its declared type, and by its base.
    const CHOICES: [[Choice; 4]; 2] = {
        use Choice::{Bool, Float, Int, Uint};
        let mut choices = [[Bool; 4]; 2];
        [choices[0][Base::Int as usize], choices[1][Base::Int as usize]] = [Uint, Int];
        [choices[0][Base::Uint as usize], choices[1][Base::Uint as usize]] = [Uint, Uint];
        [choices[0][Base::Float as usize], choices[1][Base::Float as usize]] = [Float, Float];
        choices
    };
    let is = |wanted: Modes| modes.intersects(wanted) & modes.bits().is_power_of_two();
    match scalar {
        Some(_) if is(FREE) => Choice::Free,
        Some(scalar) => CHOICES[usize::from(is(DECLARED))][scalar.base as usize],
        None => Choice::Uint,
    }
}

/// True if the numbers of `variable` have the one base of [`ValueTypes::var_base`](super::value_types::ValueTypes::var_base),
/// whatever its declaration is.
pub fn has_own_base(types: &TypeTable, variable: &Variable) -> bool {
    variable.mode.intersects(OWN_MEMORY) && leaf(types, variable.ty).is_some()
}

/// The scalar type of all numbers of `ty`, if it is the same for all.
pub fn leaf(types: &TypeTable, ty: Type) -> Option<AluType> {
    leaf_type(types, ty).map(|(_, scalar)| scalar)
}

/// The scalar type of all numbers of `ty`, if it is the same for all, and the scalar, vector or matrix type that the first are in.
fn leaf_type(types: &TypeTable, mut ty: Type) -> Option<(Type, AluType)> {
    // Nested structs are traced through their first members; GLSL's are never nested this deeply.
    for _ in 0..64 {
        ty = match types.get(ty) {
            TypeData::Scalar(scalar) | TypeData::Vector(scalar, _) | TypeData::Matrix { scalar, .. } => {
                return Some((ty, scalar))
            }
            TypeData::Array { elem, .. } => elem,
            TypeData::Struct(_) => {
                let fields = &types.as_struct(ty)?.fields;
                let (first, rest) = fields.split_first()?;
                let flat = |ty| types.as_vector(types.without_arrays(ty)).map(|(scalar, _)| scalar);
                if !rest.is_empty()
                    && !rest.iter().all(|field| flat(field.ty).is_some_and(|s| Some(s) == flat(first.ty)))
                {
                    return None;
                }
                first.ty
            }
            _ => return None,
        };
    }
    None
}

pub(super) fn unsigned(base: Base) -> Base {
    if base == Base::Int {
        Base::Uint
    } else {
        base
    }
}

/// Float for the atomics that SPIR-V has on floats, else unsigned.
pub fn atomic_base(shader: &Shader, inst: Inst) -> Base {
    match AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize) {
        Some(AtomicOp::fadd | AtomicOp::fmin | AtomicOp::fmax) => Base::Float,
        _ => Base::Uint,
    }
}

/// The type of a reduction or scan.
pub fn reduction_base(shader: &Shader, inst: Inst) -> Base {
    let op = AluOp::ALL.get(shader.index(inst, Index::reduction_op) as usize);
    op.map_or(Base::Uint, |op| unsigned(op.info().dest.ty.base))
}

pub(super) fn interpolates(op: Intrinsic) -> bool {
    op.meaning().sampling.is_some() && op.info().pointers == 1
}

/// Calls `visit` with each value whose bits are those of the result of `inst`.
pub(super) fn for_each_moved(shader: &Shader, inst: Inst, mut visit: impl FnMut(Def)) {
    match shader.insts[inst].kind {
        InstKind::Phi(srcs) => shader.phi_srcs[srcs].iter().for_each(|src| visit(src.def)),
        InstKind::Alu { op, srcs, .. } => {
            for (src, operand) in shader.alu_srcs[srcs].iter().zip(op.info().srcs) {
                if operand_want(op.info(), operand) == Want::Same {
                    visit(src.def);
                }
            }
        }
        InstKind::Intrinsic { op, srcs, .. } if op.moves_between_invocations() => visit(shader.srcs[srcs][0]),
        _ => {}
    }
}

/// The type that a texture operation needs for a source.
pub(super) fn tex_want(op: TexOp, kind: TexSrcKind) -> Want {
    match kind.base(op) {
        Some(Base::Float) => Want::Is(Base::Float),
        Some(_) => Want::Integer,
        None => Want::Any,
    }
}
