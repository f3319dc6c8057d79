//! What makers and users of values want them to be, and what values may be: the rules by which
//! [`value_types`](super::value_types) chooses.

use crate::ir::{Def, Inst, InstKind, Shader, Type, TypeData, TypeTable, Variable};
use crate::op::{
    AluInfo, AluOp, AluType, AtomicOp, Base, Form, Index, Intrinsic, Modes, Operand, Props, TexOp, TexSrcKind, ALU_OPS,
};

/// What a value may be, or what a user wants it to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Exactly this.
    Is(Base),
    /// An integer of either signedness.
    Integer,
    /// Whatever the result of the instruction is.
    Same,
    /// Anything.
    Any,
}

/// What a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// One base, without a choice.
    Bool,
    Int,
    Uint,
    Float,
    /// A constant or undefined number: made as whatever its user wants.
    Literal,
    /// An integer of either signedness.
    Integer,
    /// Any number.
    Free,
}

impl Choice {
    /// How many there are.
    pub(super) const COUNT: usize = 7;

    pub(super) const ALL: [Choice; Choice::COUNT] = {
        use Choice::*;
        [Bool, Int, Uint, Float, Literal, Integer, Free]
    };

    /// None but this.
    pub(super) const fn is(base: Base) -> Choice {
        match base {
            Base::Bool => Choice::Bool,
            Base::Int => Choice::Int,
            Base::Uint => Choice::Uint,
            Base::Float => Choice::Float,
        }
    }

    /// The base, unsigned where the signedness is open and for what has a choice.
    #[inline(always)]
    pub(super) const fn base(self) -> Base {
        match self {
            Choice::Bool => Base::Bool,
            Choice::Int => Base::Int,
            Choice::Float => Base::Float,
            Choice::Uint | Choice::Literal | Choice::Integer | Choice::Free => Base::Uint,
        }
    }

    /// What it wants of what it flows into.
    pub(super) const fn want(self) -> Want {
        match self {
            Choice::Literal | Choice::Free => Want::Any,
            Choice::Integer => Want::Integer,
            fixed => Want::Is(fixed.base()),
        }
    }

    /// What that counts.
    #[inline(always)]
    pub(super) fn vote(self) -> Vote {
        const VOTES: [Vote; Choice::COUNT] = {
            let mut votes = [[0; 2]; Choice::COUNT];
            let mut at = 0;
            while at < votes.len() {
                votes[Choice::ALL[at] as usize] = Choice::ALL[at].want().vote();
                at += 1;
            }
            votes
        };
        VOTES[self as usize]
    }
}

/// How much a user wants a value to be a float rather than an integer, and a signed integer rather than an unsigned one.
pub(super) type Vote = [i32; 2];

impl Want {
    /// What it counts where there is a choice.
    pub(super) const fn vote(self) -> Vote {
        match self {
            Want::Is(Base::Float) => [1, 0],
            Want::Is(Base::Int) => [-1, 1],
            Want::Is(Base::Uint) => [-1, -1],
            Want::Integer => [-1, 0],
            Want::Is(Base::Bool) | Want::Same | Want::Any => [0, 0],
        }
    }
}

/// What an ALU opcode makes of values.
#[derive(Clone, Copy)]
pub(super) struct AluRow {
    /// What its operands should be; those behind are only moved.
    pub(super) votes: [Vote; 4],
    /// What its result may be.
    pub(super) choice: Choice,
    /// It wants something of operands behind the first two.
    pub(super) votes_for_more: bool,
    /// It moves operands to its result.
    pub(super) moves: bool,
    /// How many operands stand in front of those that it moves.
    pub(super) conditions: u8,
}

/// The row of each ALU opcode.
pub(super) static ALU_ROWS: [AluRow; AluOp::ALL.len()] = alu_rows(ALU_OPS);

const fn alu_rows(infos: &[AluInfo]) -> [AluRow; AluOp::ALL.len()] {
    let none = AluRow { votes: [[0; 2]; 4], choice: Choice::Free, votes_for_more: false, moves: false, conditions: 0 };
    let mut rows = [none; AluOp::ALL.len()];
    let mut op = 0;
    while op < rows.len() {
        let info = &infos[op];
        let mut at = 0;
        while at < info.srcs.len() && at < 4 {
            let vote = operand_want(info, &info.srcs[at]).vote();
            rows[op].votes[at] = vote;
            rows[op].votes_for_more |= at > 1 && (vote[0] != 0 || vote[1] != 0);
            at += 1;
        }
        rows[op].choice = match info.dest.ty.base {
            _ if info.moves_bits() => Choice::Free,
            Base::Int | Base::Uint if info.is_strict => Choice::Uint,
            Base::Int | Base::Uint => Choice::Integer,
            base => Choice::is(base),
        };
        rows[op].moves = info.props.contains(Props::TYPELESS);
        rows[op].conditions = matches!(info.srcs, [Operand { ty: AluType { base: Base::Bool, .. }, .. }, ..]) as u8;
        op += 1;
    }
    rows
}

/// What the numbers of memory of the shader's own may be.
pub(super) fn variable_choice(types: &TypeTable, ty: Type) -> Choice {
    match leaf(types, ty) {
        Some(AluType { base: Base::Bool, .. }) => Choice::Bool,
        Some(AluType { bits: 8, .. }) => Choice::Uint,
        Some(AluType { base: Base::Float, bits: 64 }) => Choice::Float,
        // A matrix is of floats, whatever is in it.
        Some(scalar) if matches!(types.get(types.without_arrays(ty)), TypeData::Matrix { .. }) => {
            Choice::is(scalar.base)
        }
        Some(scalar) => {
            debug_assert_ne!(scalar.bits, 1);
            Choice::Free
        }
        None => Choice::Uint,
    }
}

/// Memory that no one outside of the shader sees, so that its type is the shader's own affair.
pub(super) const OWN_MEMORY: Modes =
    Modes::SHARED.union(Modes::SHADER_TEMP).union(Modes::FUNCTION_TEMP).union(Modes::CONSTANT);

/// What a number that is declared as a `scalar` may be in memory of `modes` that others see, too.
#[inline(always)]
pub(super) fn memory_choice(modes: Modes, scalar: Option<AluType>) -> Choice {
    const FREE: Modes = Modes::UBO.union(Modes::SSBO).union(Modes::GLOBAL);
    const DECLARED: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);
    // By whether a number is what it is declared as, and its base.
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

/// True if the numbers of `variable` have the one base that [`ValueTypes::var_base`](super::value_types::ValueTypes::var_base) says, whatever it declares.
pub fn has_own_base(types: &TypeTable, variable: &Variable) -> bool {
    variable.mode.intersects(OWN_MEMORY) && leaf(types, variable.ty).is_some()
}

/// The scalar that all numbers of `ty` are, if they are all alike.
pub fn leaf(types: &TypeTable, mut ty: Type) -> Option<AluType> {
    // Structs in structs are followed through their first members; GLSL's are never that deep.
    for _ in 0..64 {
        ty = match types.get(ty) {
            TypeData::Scalar(scalar) | TypeData::Vector(scalar, _) | TypeData::Matrix { scalar, .. } => {
                return Some(scalar)
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

/// What a reduction or scan computes with.
pub fn reduction_base(shader: &Shader, inst: Inst) -> Base {
    let op = AluOp::ALL.get(shader.index(inst, Index::reduction_op) as usize);
    op.map_or(Base::Uint, |op| unsigned(op.info().dest.ty.base))
}

pub(super) fn interpolates(op: Intrinsic) -> bool {
    use Intrinsic::*;
    matches!(op, interp_deref_at_centroid | interp_deref_at_sample | interp_deref_at_offset | interp_deref_at_vertex)
}

/// Calls `visit` with each value the bits of which are those of the result of `inst`.
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

/// What a texture operation wants of a source.
pub(super) fn tex_want(op: TexOp, kind: TexSrcKind) -> Want {
    match kind.base(op) {
        Some(Base::Float) => Want::Is(Base::Float),
        Some(_) => Want::Integer,
        None => Want::Any,
    }
}

/// What an ALU opcode wants of an operand.
pub const fn operand_want(info: &AluInfo, operand: &Operand) -> Want {
    match operand.ty.base {
        Base::Bool => Want::Is(Base::Bool),
        _ if info.props.contains(Props::TYPELESS) => Want::Same,
        _ if matches!(info.form, Form::Bitcast) => Want::Any,
        Base::Float => Want::Is(Base::Float),
        Base::Int | Base::Uint if info.is_strict && !info.props.contains(Props::CONVERSION) => Want::Is(Base::Uint),
        Base::Int | Base::Uint => Want::Integer,
    }
}
