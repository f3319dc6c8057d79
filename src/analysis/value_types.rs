// SPDX-License-Identifier: MIT

//! Chooses the SPIR-V type of each value: boolean, signed or unsigned integer, or float.
//!
//! NIR's values have a width but no type; SPIR-V's have one, and an OpBitcast wherever the definition and a use disagree. Most
//! values have no choice (`fadd` makes floats). Instructions that only move bits have one: phis, `mov`, `vec4`, `bcsel`, loads
//! from buffers and from private and shared variables.
//!
//! One walk chooses. It is backward, so that it visits all uses of a value before the value: by then they have voted, and the
//! majority wins. The type of a value is then its vote for all values that it moves:
//!
//! ```text
//! 32   %3 = @load_deref (%2)          a buffer: free; the phi votes for a float
//! 32   %4 = phi b0: %3, b2: %6        a float, as two operands need
//! 32   %5 = fmul %4, %4
//! ```
//!
//! A value without votes gets the type of the values that it moves. The sources of a phi that are defined at the end of a loop
//! are chosen before the phi.
//!
//! The walk visits an instruction after its uses, so it also knows which instructions have none: those are not visited, and
//! emission skips them. Stores to outputs and copies use the sources of a vector (`vec4`) that they take apart, not the vector.
//!
//! Integers have a second choice, their signedness, which few SPIR-V instructions depend on: they are unsigned unless inputs or
//! outputs that are declared signed require otherwise. Constants and undefined values have no type; they are made with the type
//! of each use.

use super::textures::image_texel;
use super::wants::{
    for_each_moved, interpolates, memory_choice, tex_want, unsigned, variable_choice, Vote, Votes, OWN_MEMORY,
};
use crate::entity::Id;
use crate::ir::{ArrayIndex, Cf, Def, DerefKind, Inst, InstKind, Shader, TexData, Var};
use crate::op::meaning::{ImageName, ImageOperation, IntrinsicForm, Sampling};
use crate::op::names::unpack_alu_type;
use crate::op::{Access, AluOp, AluType, Base, Choice, Effects, Facts, Index, Intrinsic, Modes, Want};
use crate::target::{Feature, Target};

pub use super::wants::{atomic_base, has_own_base, leaf, reduction_base};

/// The types of a shader's values.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes {
    /// The choice or the type of each value, followed by that of each variable.
    nodes: Vec<Choice>,
    /// The votes of the definition and the uses of each node.
    votes: Vec<Vote>,
    /// Whether each value has a use.
    used: Vec<bool>,
    /// Whether instructions without uses have types, too.
    keeps_unused: bool,
    /// The number of values: nodes from here on are variables.
    num_defs: usize,
    free: Free,
}

/// The remaining choices of numbers of 16 and of 64 bits: the target may have only integers of a width, or only floats.
#[derive(Clone, Copy, Debug)]
struct Free {
    bits16: Choice,
    bits64: Choice,
}

impl Default for Free {
    fn default() -> Free {
        Free { bits16: Choice::Free, bits64: Choice::Free }
    }
}

impl Free {
    /// The remaining choice for a number of `bits` bits.
    fn left(self, choice: Choice, bits: u8) -> Choice {
        match (choice, bits) {
            (_, 1) => Choice::Bool,
            (Choice::Bool, _) => Choice::Uint,
            // 8-bit floats do not exist.
            (Choice::Free, 8) => Choice::Integer,
            (Choice::Free, 16) => self.bits16,
            (Choice::Free, 64) => self.bits64,
            _ => choice,
        }
    }
}

/// The maximum number of moves that are traced to the definition of a value.
const MOST_MOVES: u32 = 8;

/// Exceeds all ordinary votes: an atomic cannot be bitcast.
const MUST: i16 = 1 << 14;

impl ValueTypes {
    /// Chooses the types of `shader`.
    pub fn infer(&mut self, shader: &Shader) {
        self.free = Free::default();
        self.keeps_unused = true;
        self.choose(shader);
    }

    /// Chooses the types of what is needed of `shader` after the passes for `target`: values of a width for which the target has only floats are
    /// floats, and those for which it has only integers are integers.
    pub fn infer_for(&mut self, shader: &Shader, target: &Target) {
        self.keeps_unused = false;
        let has = |integer, float| match (target.has(integer), target.has(float)) {
            (false, true) => Choice::Float,
            (true, false) => Choice::Integer,
            _ => Choice::Free,
        };
        self.free = Free {
            bits16: has(Feature::shaderInt16, Feature::shaderFloat16),
            bits64: has(Feature::shaderInt64, Feature::shaderFloat64),
        };
        self.choose(shader);
    }

    fn choose(&mut self, shader: &Shader) {
        self.num_defs = shader.num_defs();
        let num_nodes = self.num_defs + shader.vars.len();
        self.nodes.clear();
        self.nodes.resize(num_nodes, Choice::Literal);
        if shader.inventory().may_have(Facts::derefs(OWN_MEMORY)) {
            self.choose_variables(shader, num_nodes);
        }
        self.walk(shader, num_nodes);
    }

    /// Chooses the types of private and shared variables, from the values that are stored and the uses of the loads.
    #[cold]
    fn choose_variables(&mut self, shader: &Shader, num_nodes: usize) {
        for (var, variable) in shader.vars.iter().filter(|(_, variable)| variable.mode.intersects(OWN_MEMORY)) {
            let bits = leaf(&shader.types, variable.ty).map_or(32, |scalar| scalar.bits);
            let choice = match variable_choice(&shader.types, variable.ty) {
                Choice::Free => self.free.left(Choice::Free, bits),
                fixed => fixed,
            };
            self.nodes[self.num_defs + var.index()] = choice;
        }
        self.walk(shader, num_nodes);
        for variable in self.num_defs..num_nodes {
            let [float, signed] = self.votes[variable];
            self.nodes[variable] = match self.nodes[variable] {
                Choice::Free => number(float, signed),
                Choice::Integer => number(0, signed),
                fixed => fixed,
            };
        }
    }

    /// Chooses the types of all values; variables only collect votes.
    fn walk(&mut self, shader: &Shader, num_nodes: usize) {
        self.votes.clear();
        self.votes.resize(num_nodes, [0; 2]);
        self.used.clear();
        self.used.resize(num_nodes, false);
        self.use_conditions_and_phis(shader);
        shader.order.iter().rev().for_each(|inst| self.visit(shader, *inst));
    }

    /// Marks what the walk does not visit after its uses: the sources of phis in loops. And conditions, which are not
    /// instructions.
    fn use_conditions_and_phis(&mut self, shader: &Shader) {
        if shader.cf.len() == 1 {
            return;
        }
        for item in &shader.cf {
            match *item {
                Cf::If { cond, .. } => self.used[cond.index()] = true,
                Cf::Block(block) => {
                    for inst in shader.block_insts(block) {
                        let InstKind::Phi(srcs) = shader.insts[*inst].kind else { break };
                        shader.phi_srcs[srcs].iter().for_each(|src| self.used[src.def.index()] = true);
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether an instruction has to be emitted: it has an effect, or its result has a use.
    #[inline(always)]
    pub fn is_needed(&self, shader: &Shader, inst: Inst) -> bool {
        self.used[inst.index()] || self.keeps_unused || has_effect(shader, inst)
    }

    /// Whether an instruction that has to be emitted uses `def`.
    pub fn is_used(&self, def: Def) -> bool {
        self.used[def.index()] || self.keeps_unused
    }

    /// The type of `def`, unless it is a constant or undefined value: those may be made with any type.
    pub fn base(&self, def: Def) -> Base {
        self.base_at(def.index())
    }

    /// The votes of the users of `def` for a float, less those for an integer.
    pub(crate) fn float_votes(&self, def: Def) -> i16 {
        self.votes.get(def.index()).map_or(0, |votes| votes[0])
    }

    /// The type of the numbers of `var`, if they all have the same; only for private and shared variables.
    pub fn var_base(&self, var: Var) -> Base {
        self.base_at(self.num_defs + var.index())
    }

    fn base_at(&self, index: usize) -> Base {
        self.nodes.get(index).map_or(Base::Uint, |node| node.base())
    }

    /// Adds a vote. It has no effect if there is no choice.
    fn vote(&mut self, node: usize, vote: Vote) {
        self.used[node] = true;
        let votes = &mut self.votes[node];
        *votes = [votes[0].saturating_add(vote[0]), votes[1].saturating_add(vote[1])];
    }

    /// Chooses the type of the result of `inst` from `choice`, and returns its vote.
    fn settle(&mut self, shader: &Shader, inst: Inst, choice: Choice) -> Vote {
        let [float, signed] = self.votes[inst.index()];
        let choice = match self.free.left(choice, shader.insts[inst].bit_size) {
            Choice::Free if float == 0 => self.as_made(shader, inst),
            Choice::Free => number(float, signed),
            Choice::Integer => number(0, signed),
            fixed => fixed,
        };
        self.nodes[inst.index()] = choice;
        choice.vote()
    }

    /// The type of `inst`, which has a free choice and no majority of votes: that of most of the values that it moves.
    #[inline(never)]
    fn as_made(&self, shader: &Shader, inst: Inst) -> Choice {
        let [mut float, mut signed] = self.votes[inst.index()];
        for_each_moved(shader, inst, |src| {
            let vote = self.maker(shader, src, MOST_MOVES).vote();
            (float, signed) = (float.saturating_add(vote[0]), signed.saturating_add(vote[1]));
        });
        number(float, signed)
    }

    /// The type with which `def` is made, if the walk has not visited it yet; traced through at most `most` moves.
    fn maker(&self, shader: &Shader, def: Def, most: u32) -> Choice {
        let (inst, data) = (def.inst(), shader.def(def));
        let choice = match data.kind {
            InstKind::Alu { op, .. } => op.row().choice,
            InstKind::Phi(_) => Choice::Free,
            InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, .. } => {
                self.memory_choice(shader, shader.srcs[srcs][0]).0
            }
            InstKind::Intrinsic { op, srcs, .. } => self.intrinsic_choice(shader, inst, op, &shader.srcs[srcs]),
            InstKind::Tex(tex) => tex_choice(&shader.texs[tex]),
            InstKind::Const(_) | InstKind::Undef | InstKind::Deref(_) | InstKind::Jump(_) => Choice::Literal,
        };
        let choice = self.free.left(choice, data.bit_size);
        let mut moved = None;
        if choice == Choice::Free {
            for_each_moved(shader, inst, |src| moved = moved.or(Some(src)));
        }
        match (moved, most.checked_sub(1)) {
            (Some(src), Some(most)) => self.maker(shader, src, most),
            _ => choice,
        }
    }

    #[inline(never)]
    fn intrinsic_choice(&self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Choice {
        match op.info().form {
            IntrinsicForm::BuiltIn(_, Base::Float) | IntrinsicForm::Derivative(_) => Choice::Float,
            IntrinsicForm::Reduction(_) => Choice::is(reduction_base(shader, inst)),
            _ if op.is_deref_atomic() => Choice::is(atomic_base(shader, inst)),
            _ if gives_texel(op) => Choice::is(image_texel(shader, inst).base),
            _ if interpolates(op) => match self.memory_choice(shader, srcs[0]).0 {
                Choice::Free => Choice::Float,
                choice => choice,
            },
            _ if op.is_by_slot() => slot_choice(shader, inst, Index::dest_type),
            _ if matches!(op, Intrinsic::load_ubo | Intrinsic::load_ubo_vec4) => Choice::Free,
            _ if op.moves_between_invocations() => Choice::Free,
            _ => Choice::Uint,
        }
    }

    /// Chooses the type of the result of `inst`, and votes for its sources.
    fn visit(&mut self, shader: &Shader, inst: Inst) {
        if !self.is_needed(shader, inst) {
            return;
        }
        match shader.insts[inst].kind {
            InstKind::Alu { op: AluOp::mov, srcs, .. } => {
                let own = self.settle(shader, inst, Choice::Free);
                let src = shader.alu_srcs[srcs][0];
                let copied = if shader.insts[inst].num_components == 1 { shader.unpacked(src) } else { src };
                self.vote(copied.def.index(), own);
            }
            InstKind::Alu { op, srcs, .. } => {
                let row = op.row();
                let own = self.settle(shader, inst, row.choice);
                for (at, src) in shader.alu_srcs[srcs].iter().enumerate() {
                    let vote = if row.moves(at) { own } else { row.wanted(at).want().vote() };
                    self.vote(src.def.index(), vote);
                }
            }
            InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, .. } => {
                let pointer = shader.srcs[srcs][0];
                self.used[pointer.index()] = true;
                let (choice, variable) = self.memory_choice(shader, pointer);
                self.load(shader, inst, choice, variable);
            }
            InstKind::Intrinsic { op: Intrinsic::store_deref, srcs, .. } => {
                let (pointer, value) = (shader.srcs[srcs][0], shader.srcs[srcs][1]);
                self.used[pointer.index()] = true;
                match self.memory_choice(shader, pointer) {
                    (_, Some(variable)) => self.store(shader, value, variable),
                    (Choice::Free | Choice::Integer, None) => self.vote(value.index(), [0; 2]),
                    (fixed, None) if shader.as_deref(pointer).is_some_and(|to| to.modes == Modes::SHADER_OUT) => {
                        self.output(shader, value, fixed.vote());
                    }
                    (fixed, None) => self.vote(value.index(), fixed.vote()),
                }
            }
            InstKind::Intrinsic { op, srcs, .. } => self.visit_intrinsic(shader, inst, op, &shader.srcs[srcs]),
            InstKind::Phi(srcs) => {
                let own = self.settle(shader, inst, Choice::Free);
                shader.phi_srcs[srcs].iter().for_each(|src| self.vote(src.def.index(), own));
            }
            InstKind::Tex(tex) => {
                let tex = &shader.texs[tex];
                self.settle(shader, inst, tex_choice(tex));
                tex.srcs.iter().for_each(|(kind, src)| self.vote(src.index(), tex_want(tex.op, *kind).vote()));
            }
            InstKind::Deref(deref) if self.is_used(inst.def()) => {
                shader.derefs[deref].kind.parent().into_iter().for_each(|parent| self.used[parent.index()] = true);
                if let DerefKind::Array { index: ArrayIndex::Def(index), .. } = shader.derefs[deref].kind {
                    self.vote(index.index(), Want::Integer.vote());
                }
            }
            InstKind::Deref(_) | InstKind::Const(_) | InstKind::Undef | InstKind::Jump(_) => {}
        }
    }

    /// A load of a private or shared variable votes for the type of the variable, and the variable for that of the load.
    fn load(&mut self, shader: &Shader, inst: Inst, choice: Choice, variable: Option<usize>) {
        if let Some(variable) = variable {
            self.vote(inst.index(), self.nodes[variable].vote());
        }
        let own = self.settle(shader, inst, choice);
        variable.into_iter().for_each(|variable| self.vote(variable, own));
    }

    /// A store to a private or shared variable.
    #[inline(never)]
    fn store(&mut self, shader: &Shader, value: Def, variable: usize) {
        self.vote(variable, self.maker(shader, value, MOST_MOVES).vote());
        self.vote(value.index(), self.nodes[variable].vote());
    }

    /// A store to an output, which may take a vector apart.
    fn output(&mut self, shader: &Shader, value: Def, vote: Vote) {
        match shader.unpacked_sources(value) {
            Some(sources) => sources.iter().for_each(|source| self.vote(source.def.index(), vote)),
            None => self.vote(value.index(), vote),
        }
    }

    #[inline(never)]
    fn visit_intrinsic(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let mut own = [0; 2];
        if shader.insts[inst].has_def() {
            own = self.settle(shader, inst, self.intrinsic_choice(shader, inst, op, srcs));
        }
        for (index, src) in srcs.iter().enumerate() {
            let vote = match intrinsic_want(shader, inst, op, index) {
                Want::Same => own,
                want => want.vote(),
            };
            match index == 0 && op.is_by_slot() {
                true => self.output(shader, *src, vote),
                false => self.vote(src.index(), vote),
            }
        }
        if op.is_deref_atomic() {
            if let (_, Some(variable)) = self.memory_choice(shader, srcs[0]) {
                self.vote(variable, Want::Is(atomic_base(shader, inst)).vote().map(|vote| vote * MUST));
            }
        }
    }

    /// The choices of a value in the memory at `pointer`, and the node of its private or shared variable.
    fn memory_choice(&self, shader: &Shader, pointer: Def) -> (Choice, Option<usize>) {
        let Some(deref) = shader.as_deref(pointer) else { return (Choice::Uint, None) };
        let scalar = shader.types.as_vector(deref.ty).map(|(scalar, _)| scalar);
        if deref.modes.intersects(OWN_MEMORY) {
            return self.own_memory_choice(shader, pointer, scalar);
        }
        (memory_choice(deref.modes, scalar), None)
    }

    #[cold]
    fn own_memory_choice(&self, shader: &Shader, pointer: Def, scalar: Option<AluType>) -> (Choice, Option<usize>) {
        let declared = scalar.map_or(Choice::Uint, |scalar| Choice::is(unsigned(scalar.base)));
        let Some(var) = shader.deref_var(pointer) else { return (declared, None) };
        let is_free = scalar.is_some() && variable_choice(&shader.types, shader.vars[var].ty) == Choice::Free;
        (if is_free { Choice::Free } else { declared }, Some(self.num_defs + var.index()))
    }
}

/// The choice of the result of a texture operation.
fn tex_choice(tex: &TexData) -> Choice {
    match tex.op.is_query() {
        true => Choice::Integer,
        false => Choice::is(tex.dest_type.base),
    }
}

fn intrinsic_want(shader: &Shader, inst: Inst, op: Intrinsic, index: usize) -> Want {
    match (op.info().form, index) {
        (IntrinsicForm::Reduction(_), 0) => Want::Is(reduction_base(shader, inst)),
        (IntrinsicForm::Vote(.., Base::Float), _) | (IntrinsicForm::Derivative(_), _) => Want::Is(Base::Float),
        (IntrinsicForm::Move(..) | IntrinsicForm::QuadSwap(_), 0) => Want::Same,
        (_, 1..) if op.is_deref_atomic() => Want::Is(atomic_base(shader, inst)),
        (_, 1) if interpolates(op) && op.meaning().sampling == Some(Sampling::AtOffset) => Want::Is(Base::Float),
        (_, 3..) if takes_texel(op, index) => Want::Is(image_texel(shader, inst).base),
        (_, 0) if op.is_by_slot() && op.info().index_slot(Index::src_type).is_some() => {
            Want::Is(slot_choice(shader, inst, Index::src_type).base())
        }
        _ => Want::Integer,
    }
}

/// Whether an instruction does something else than to give a result.
#[inline(always)]
fn has_effect(shader: &Shader, inst: Inst) -> bool {
    match shader.insts[inst].kind {
        InstKind::Alu { .. } => false,
        InstKind::Intrinsic { op, .. } => {
            !op.info().effects.contains(Effects::ELIMINATE)
                || shader.index(inst, Index::access) & Access::VOLATILE.bits() != 0
        }
        _ => true,
    }
}

/// The type of the numbers of an input or output by slot. Outside of the shader, booleans are numbers.
fn slot_choice(shader: &Shader, inst: Inst, index: Index) -> Choice {
    match unpack_alu_type(shader.index(inst, index)).base {
        Base::Bool => Choice::Uint,
        base => Choice::is(base),
    }
}

/// The operation on an image that a deref names.
fn image_operation(op: Intrinsic) -> Option<ImageOperation> {
    op.meaning().image.filter(|image| image.name == ImageName::Deref).map(|image| image.operation)
}

/// Whether the result is of the texels' type.
fn gives_texel(op: Intrinsic) -> bool {
    image_operation(op).is_some_and(|operation| operation.loads() || operation.is_atomic())
}

/// Whether source `index` is of the texels' type.
fn takes_texel(op: Intrinsic, index: usize) -> bool {
    image_operation(op).is_some_and(|operation| match index {
        3 => operation.writes(),
        _ => operation == ImageOperation::AtomicSwap,
    })
}

/// The type for this number of votes for floats and for signed integers.
fn number(float: i16, signed: i16) -> Choice {
    match (float > 0, signed > 0) {
        (true, _) => Choice::Float,
        (false, true) => Choice::Int,
        (false, false) => Choice::Uint,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, Builder, PhiSrc, Variable};
    use crate::op::{AluOp, AluType, Modes};

    /// A shader with a buffer of 16 words, and derefs of its first two.
    fn buffer(shader: &mut Shader, mode: Modes) -> [Def; 2] {
        shader.append_new_block();
        let uint = shader.types.vector(AluType::new(Base::Uint, 32), 1);
        let words = shader.types.array(uint, Some(16), 4);
        let name = shader.strings.add("words");
        let var = shader.vars.push(Variable::new(name, words, mode));
        let mut b = Builder::new(shader);
        let root = b.deref_var(var);
        [0, 1].map(|index| b.deref_array(root, ArrayIndex::Imm(index)))
    }

    fn infer(shader: &Shader) -> ValueTypes {
        let mut types = ValueTypes::default();
        types.infer(shader);
        types
    }

    #[test]
    fn loads_from_buffers_have_the_type_of_their_uses() {
        let mut shader = Shader::default();
        let [first, second] = buffer(&mut shader, Modes::UBO);
        let mut b = Builder::new(&mut shader);
        let (float, int) = (b.load_deref(first, 0), b.load_deref(second, 0));
        let product = b.alu(AluOp::fmul, &[float, float]);
        let sum = b.iadd(int, int);
        let types = infer(&shader);
        assert_eq!(
            [float, int, product, sum].map(|def| types.base(def)),
            [Base::Float, Base::Uint, Base::Float, Base::Uint]
        );
    }

    #[test]
    fn moves_have_the_type_of_most_uses() {
        let mut shader = Shader::default();
        let [first, second] = buffer(&mut shader, Modes::SSBO);
        let mut b = Builder::new(&mut shader);
        let (x, y) = (b.load_deref(first, 0), b.load_deref(second, 0));
        let block = Block::from_index(0);
        let one = b.imm32(0x3f80_0000);
        let phi = b.phi(1, 32, &[PhiSrc { pred: block, def: x }, PhiSrc { pred: block, def: one }]);
        let vector = b.alu(AluOp::vec2, &[phi, y]);
        b.alu(AluOp::fadd, &[vector, vector]);
        b.iadd(y, y);
        let types = infer(&shader);
        // Two operands of the integer sum outnumber the vector, which is a float because its uses are.
        assert_eq!([x, y, phi, vector].map(|def| types.base(def)), [Base::Float, Base::Uint, Base::Float, Base::Float]);
        let mut b = Builder::new(&mut shader);
        b.alu(AluOp::fmul, &[y, y]);
        b.alu(AluOp::fmul, &[y, y]);
        assert_eq!(infer(&shader).base(y), Base::Float);
    }

    #[test]
    fn values_without_votes_have_the_type_of_their_definition() {
        let mut shader = Shader::default();
        let [first, second] = buffer(&mut shader, Modes::SSBO);
        let mut b = Builder::new(&mut shader);
        let (float, uint) = (b.load_deref(first, 0), b.load_deref(second, 0));
        let sum = b.alu(AluOp::fadd, &[float, float]);
        let (copy, int) = (b.alu(AluOp::mov, &[sum]), b.iadd(uint, uint));
        let (again, other) = (b.alu(AluOp::mov, &[copy]), b.alu(AluOp::mov, &[int]));
        b.store_deref(first, again, 1, 0);
        b.store_deref(second, other, 1, 0);
        let types = infer(&shader);
        let bases = [copy, again, other].map(|def| types.base(def));
        assert_eq!(bases, [Base::Float, Base::Float, Base::Uint]);
    }

    #[test]
    fn private_variables_have_votes() {
        let mut shader = Shader::default();
        let [first, second] = buffer(&mut shader, Modes::SHARED);
        let mut b = Builder::new(&mut shader);
        let load = b.load_deref(first, 0);
        let sum = b.alu(AluOp::fadd, &[load, load]);
        b.store_deref(second, sum, 1, 0);
        let types = infer(&shader);
        assert_eq!(types.base(load), Base::Float);
        assert_eq!(shader.vars.ids().map(|var| types.var_base(var)).next(), Some(Base::Float));
    }

    #[test]
    fn integers_are_signed_only_for_signed_outputs() {
        let mut shader = Shader::default();
        shader.append_new_block();
        let int = shader.types.vector(AluType::new(Base::Int, 32), 1);
        let name = shader.strings.add("out");
        let var = shader.vars.push(Variable::new(name, int, Modes::SHADER_OUT));
        let mut b = Builder::new(&mut shader);
        let undef = b.undef(1, 32);
        let other = b.iadd(undef, undef);
        let sum = b.iadd(other, other);
        let out = b.deref_var(var);
        b.store_deref(out, sum, 1, 0);
        let types = infer(&shader);
        assert_eq!((types.base(other), types.base(sum)), (Base::Uint, Base::Int));
    }
}
