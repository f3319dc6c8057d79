//! Chooses how SPIR-V sees each value: as boolean, signed or unsigned integer, or float.
//!
//! NIR's values have a width but no type; SPIR-V's have one, and an OpBitcast wherever makers and users disagree. Most
//! values have no choice (`fadd` makes floats). What only moves bits does: phis, `mov`, `vec4`, `bcsel`, loads from buffers
//! and from memory of the shader's own. Such values that flow into each other form a *web*, which gets one type: the one
//! that most of its makers and users have.
//!
//! ```text
//! 32   %3 = @load_deref (%2)          a buffer: free
//! 32   %4 = phi b0: %3, b2: %6        same web as %3 ...
//! 32   %5 = fmul %4, %4               ... which two operands want to be a float
//! ```
//!
//! Integers have a second choice, their signedness, which SPIR-V hardly ever looks at: they are unsigned unless inputs or
//! outputs declared signed want otherwise. Constants and undefined values have no type; they are made as their user wants.

use super::textures::image_texel;
use crate::entity::Id;
use crate::ir::{
    AluSrc, ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Shader, Type, TypeData, TypeTable, Var, Variable,
};
use crate::op::intrinsic::Form as IntrinsicForm;
use crate::op::{
    AluInfo, AluOp, AluType, AtomicOp, Base, Form, Index, Intrinsic, Modes, Operand, Props, TexOp, TexSrcKind, ALU_OPS,
};
use crate::target::{Feature, Target};

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

/// The types of a shader's values.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes {
    nodes: Vec<Node>,
    /// Nodes below this are values, the others variables.
    num_defs: usize,
    webs: Vec<Web>,
    /// Something is a signed integer by declaration.
    signed: bool,
    /// What values of 16 and of 64 bits that could be anything are.
    free: [Choice; 2],
    /// Memory of the walk.
    phis: Vec<Inst>,
}

/// A value or variable.
#[derive(Clone, Copy, Debug)]
enum Node {
    /// There is no choice.
    Is(Base),
    /// Made as whatever its user wants.
    Literal(Base),
    /// There is one, for this web.
    Web(u32),
}

/// A web, or one that has become part of another.
#[derive(Clone, Copy, Debug)]
struct Web {
    /// Towards the root of the web; itself at the root.
    parent: u32,
    choice: Choice,
    /// At the root: makers and users that want signed, unsigned, either, float.
    votes: [u16; 4],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Choice {
    /// None.
    Is(Base),
    /// The signedness.
    Integer,
    /// Any but boolean.
    #[default]
    Free,
}

/// Outweighs every ordinary vote: an atomic cannot be bitcast.
const MUST: u16 = 1 << 14;

impl ValueTypes {
    /// Chooses anew, for `shader`.
    pub fn infer(&mut self, shader: &Shader) {
        self.free = [Choice::Free; 2];
        self.choose(shader);
    }

    /// Chooses anew, for `shader` as passes left it for `target`: what has a width of which the target has floats only is a
    /// float, of which it has integers only an integer.
    pub fn infer_for(&mut self, shader: &Shader, target: &Target) {
        self.free = match (target.has(Feature::shaderInt16), target.has(Feature::shaderFloat16)) {
            (false, true) => [Choice::Is(Base::Float), Choice::Free],
            (true, false) => [Choice::Integer, Choice::Free],
            _ => [Choice::Free; 2],
        };
        self.free[1] = match (target.has(Feature::shaderInt64), target.has(Feature::shaderFloat64)) {
            (false, true) => Choice::Is(Base::Float),
            (true, false) => Choice::Integer,
            _ => Choice::Free,
        };
        self.choose(shader);
    }

    fn choose(&mut self, shader: &Shader) {
        self.num_defs = shader.num_defs();
        self.signed = false;
        self.webs.clear();
        self.phis.clear();
        self.nodes.clear();
        self.nodes.resize(self.num_defs + shader.vars.len(), Node::Is(Base::Uint));
        for (var, variable) in shader.vars.iter().filter(|(_, variable)| is_own_memory(variable.mode)) {
            let choice = variable_choice(&shader.types, variable.ty);
            let bits = leaf(&shader.types, variable.ty).map_or(32, |scalar| scalar.bits);
            self.enter(self.num_defs + var.index(), self.restricted(choice, bits));
        }
        shader.order.iter().for_each(|inst| self.add(shader, *inst, &shader.insts[*inst]));
        self.join_phis(shader);
        self.decide();
        if self.signed {
            self.decide_signs(shader);
        }
    }

    /// Makes `choice` that of a value or variable.
    fn enter(&mut self, index: usize, choice: Choice) {
        self.nodes[index] = match choice {
            Choice::Is(base) => Node::Is(base),
            _ => {
                let web = self.webs.len() as u32;
                self.webs.push(Web { parent: web, choice, votes: [0; 4] });
                Node::Web(web)
            }
        };
    }

    /// Makes `choice`, as far as it is one for so many bits, that of the result of `inst`.
    #[inline(always)]
    fn enter_result(&mut self, inst: Inst, bits: u8, choice: Choice) {
        match choice {
            // Nothing but the width could be against it.
            Choice::Is(base @ (Base::Float | Base::Uint)) if bits == 32 => self.nodes[inst.index()] = Node::Is(base),
            Choice::Free | Choice::Integer if bits == 32 => self.enter(inst.index(), choice),
            _ => self.enter_other_result(inst, bits, choice),
        }
    }

    fn enter_other_result(&mut self, inst: Inst, bits: u8, choice: Choice) {
        let choice = match (choice, bits) {
            (_, 1) => Choice::Is(Base::Bool),
            // There are no floats of 8 bits.
            (Choice::Free, 8) => Choice::Integer,
            (Choice::Is(Base::Bool), _) => Choice::Is(Base::Uint),
            _ => self.restricted(choice, bits),
        };
        self.enter(inst.index(), choice);
    }

    /// What is left of `choice` for a number of `bits` bits.
    fn restricted(&self, choice: Choice, bits: u8) -> Choice {
        match (choice, bits) {
            (Choice::Free, 16) => self.free[0],
            (Choice::Free, 64) => self.free[1],
            _ => choice,
        }
    }

    /// What `def` is. Constants and undefined values may be made as anything.
    #[inline(always)]
    pub fn base(&self, def: Def) -> Base {
        self.base_at(def.index())
    }

    /// What the numbers of `var` are, if they are all alike; only for memory of the shader's own.
    pub fn var_base(&self, var: Var) -> Base {
        self.base_at(self.num_defs + var.index())
    }

    #[inline(always)]
    fn base_at(&self, index: usize) -> Base {
        match self.nodes.get(index) {
            Some(Node::Is(base) | Node::Literal(base)) => *base,
            Some(Node::Web(web)) => match self.webs[*web as usize].choice {
                Choice::Is(base) => base,
                _ => Base::Uint,
            },
            None => Base::Uint,
        }
    }

    fn root(&mut self, mut web: u32) -> u32 {
        while self.webs[web as usize].parent != web {
            let above = self.webs[web as usize].parent;
            let parent = self.webs[above as usize].parent;
            self.webs[web as usize].parent = parent;
            web = parent;
        }
        web
    }

    fn vote(&mut self, web: u32, want: Want, weight: u16) {
        let slot = match want {
            Want::Is(Base::Int) => 0,
            Want::Is(Base::Uint) => 1,
            Want::Integer => 2,
            Want::Is(Base::Float) => 3,
            Want::Is(Base::Bool) | Want::Same | Want::Any => return,
        };
        self.signed |= slot == 0;
        let root = self.root(web);
        let votes = &mut self.webs[root as usize].votes[slot];
        *votes = votes.saturating_add(weight);
    }

    /// Two nodes are the same bits: one web if both are free, else what is fixed votes.
    fn join(&mut self, a: usize, b: usize) {
        match (self.nodes[a], self.nodes[b]) {
            (Node::Web(a), Node::Web(b)) => match (self.webs[a as usize].choice, self.webs[b as usize].choice) {
                (Choice::Free, Choice::Free) => self.unite(a, b),
                (Choice::Free, _) => self.vote(a, Want::Integer, 1),
                (_, Choice::Free) => self.vote(b, Want::Integer, 1),
                _ => {}
            },
            (Node::Web(web), Node::Is(base)) | (Node::Is(base), Node::Web(web)) => self.vote(web, Want::Is(base), 1),
            _ => {}
        }
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (low, high) = (a.min(b), a.max(b));
        self.webs[high as usize].parent = low;
        for slot in 0..4 {
            let more = self.webs[high as usize].votes[slot];
            let votes = &mut self.webs[low as usize].votes[slot];
            *votes = votes.saturating_add(more);
        }
    }

    /// Enters the result of `inst`, counts what it wants of its operands, and joins what it moves. Phis wait for what they join.
    fn add(&mut self, shader: &Shader, inst: Inst, data: &InstData) {
        let bits = data.bit_size;
        match data.kind {
            InstKind::Const(_) | InstKind::Undef => {
                self.nodes[inst.index()] = Node::Literal(if bits == 1 { Base::Bool } else { Base::Uint });
            }
            InstKind::Deref(deref) => {
                if let DerefKind::Array { index: ArrayIndex::Def(index), .. } = shader.derefs[deref].kind {
                    self.count(index, Want::Integer);
                }
            }
            InstKind::Alu { op, srcs, .. } => {
                self.enter_result(inst, bits, ALU_CHOICES[op as usize]);
                self.count_alu(inst, op.info(), &shader.alu_srcs[srcs]);
            }
            InstKind::Phi(_) => {
                self.enter_result(inst, bits, Choice::Free);
                self.phis.push(inst);
            }
            InstKind::Intrinsic { op: Intrinsic::load_deref, srcs, .. } => {
                let pointer = shader.srcs[srcs][0];
                self.enter_result(inst, bits, memory_choice(shader, pointer));
                if let Some(variable) = self.own_memory(shader, pointer) {
                    self.join(variable, inst.index());
                }
            }
            InstKind::Intrinsic { op, srcs, .. } => self.add_intrinsic(shader, inst, data, op, &shader.srcs[srcs]),
            InstKind::Tex(tex) => {
                let tex = &shader.texs[tex];
                let of_texel = Choice::Is(tex.dest_type.base);
                self.enter_result(inst, bits, if tex.op.is_query() { Choice::Integer } else { of_texel });
                tex.srcs.iter().for_each(|(kind, src)| self.count(*src, tex_want(tex.op, *kind)));
            }
            InstKind::Jump(_) => {}
        }
    }

    fn add_intrinsic(&mut self, shader: &Shader, inst: Inst, data: &InstData, op: Intrinsic, srcs: &[Def]) {
        if data.has_def() {
            self.enter_result(inst, data.bit_size, intrinsic_choice(shader, inst, op, srcs));
        }
        match (op, srcs) {
            (Intrinsic::store_deref, [pointer, value]) => {
                if let Node::Web(web) = self.nodes[value.index()] {
                    self.vote(web, stored_want(shader, *pointer), 1);
                }
                if let Some(variable) = self.own_memory(shader, *pointer) {
                    self.join(variable, value.index());
                }
            }
            _ => self.count_intrinsic(shader, inst, op, srcs),
        }
    }

    /// Counts what a user wants of `src`, if it has a choice.
    fn count(&mut self, src: Def, want: Want) {
        if let Node::Web(web) = self.nodes[src.index()] {
            self.vote(web, want, 1);
        }
    }

    fn count_alu(&mut self, inst: Inst, info: &AluInfo, srcs: &[AluSrc]) {
        let moves = info.props.contains(Props::TYPELESS);
        for (src, operand) in srcs.iter().zip(info.srcs) {
            match self.nodes[src.def.index()] {
                Node::Literal(_) => {}
                _ if moves && operand.ty.base != Base::Bool => self.join(inst.index(), src.def.index()),
                Node::Web(web) => self.vote(web, operand_want(info, operand), 1),
                Node::Is(_) => {}
            }
        }
    }

    fn count_intrinsic(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        for (index, src) in srcs.iter().enumerate() {
            match (self.nodes[src.index()], intrinsic_want(shader, inst, op, srcs, index)) {
                (Node::Literal(_), _) => {}
                (_, Want::Same) => self.join(inst.index(), src.index()),
                (Node::Web(web), want) => self.vote(web, want, 1),
                (Node::Is(_), _) => {}
            }
        }
        if matches!(op, Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap) {
            if let Some(Node::Web(web)) = self.own_memory(shader, srcs[0]).map(|variable| self.nodes[variable]) {
                self.vote(web, Want::Is(atomic_base(shader, inst)), MUST);
            }
        }
    }

    /// The node of the variable of the shader's own that `pointer` leads to.
    #[inline]
    fn own_memory(&self, shader: &Shader, pointer: Def) -> Option<usize> {
        if !is_own_memory(shader.as_deref(pointer)?.modes) {
            return None;
        }
        let var = shader.deref_var(pointer)?;
        Some(self.num_defs + var.index())
    }

    fn join_phis(&mut self, shader: &Shader) {
        for at in 0..self.phis.len() {
            let phi = self.phis[at];
            for src in shader.phi(phi).unwrap_or_default() {
                self.join(phi.index(), src.def.index());
            }
        }
    }

    /// Gives each web the type with the most votes.
    fn decide(&mut self) {
        for web in 0..self.webs.len() as u32 {
            if self.webs[web as usize].choice != Choice::Free {
                continue;
            }
            // The root of a web is its first part, so it has its type by now.
            let root = self.root(web);
            self.webs[web as usize].choice = if root != web {
                self.webs[root as usize].choice
            } else {
                let [signed, unsigned, either, float] = self.webs[web as usize].votes.map(u32::from);
                let is_float = float > signed + unsigned + either;
                Choice::Is(if is_float { Base::Float } else { sign(signed, unsigned) })
            };
        }
    }

    /// Gives each remaining integer the signedness with the most votes, those of what it becomes part of among them.
    fn decide_signs(&mut self, shader: &Shader) {
        for inst in &shader.order {
            let Node::Web(web) = self.nodes[inst.index()] else { continue };
            let Choice::Is(base @ (Base::Int | Base::Uint)) = self.webs[web as usize].choice else { continue };
            for_each_moved(shader, *inst, |src| match self.nodes[src.index()] {
                Node::Web(web) if self.webs[web as usize].choice == Choice::Integer => {
                    self.vote(web, Want::Is(base), 1);
                }
                _ => {}
            });
        }
        for web in &mut self.webs {
            if web.choice == Choice::Integer {
                web.choice = Choice::Is(sign(u32::from(web.votes[0]), u32::from(web.votes[1])));
            }
        }
    }
}

fn sign(signed: u32, unsigned: u32) -> Base {
    if signed > unsigned {
        Base::Int
    } else {
        Base::Uint
    }
}

/// Memory that no one outside of the shader sees, so that its type is the shader's own affair.
fn is_own_memory(mode: Modes) -> bool {
    mode.intersects(Modes::SHARED | Modes::SHADER_TEMP | Modes::FUNCTION_TEMP | Modes::CONSTANT)
}

/// True if the numbers of `variable` have the one base that [`ValueTypes::var_base`] says, whatever it declares.
pub fn has_own_base(types: &TypeTable, variable: &Variable) -> bool {
    is_own_memory(variable.mode) && leaf(types, variable.ty).is_some()
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

/// What the numbers of memory of the shader's own may be.
fn variable_choice(types: &TypeTable, ty: Type) -> Choice {
    let declared = leaf(types, ty);
    match declared {
        Some(AluType { base: Base::Bool, .. }) => Choice::Is(Base::Bool),
        Some(AluType { bits: 8, .. }) => Choice::Is(Base::Uint),
        Some(AluType { base: Base::Float, bits: 64 }) => Choice::Is(Base::Float),
        // A matrix is of floats, whatever is in it.
        Some(scalar) if matches!(types.get(types.without_arrays(ty)), TypeData::Matrix { .. }) => {
            Choice::Is(scalar.base)
        }
        Some(scalar) => {
            debug_assert_ne!(scalar.bits, 1);
            Choice::Free
        }
        None => Choice::Is(Base::Uint),
    }
}

/// What the result of each ALU opcode may be.
static ALU_CHOICES: [Choice; AluOp::ALL.len()] = alu_choices(ALU_OPS);

const fn alu_choices(infos: &[AluInfo]) -> [Choice; AluOp::ALL.len()] {
    let mut choices = [Choice::Free; AluOp::ALL.len()];
    let mut at = 0;
    while at < choices.len() {
        choices[at] = match infos[at].dest.ty.base {
            _ if infos[at].moves_bits() => Choice::Free,
            Base::Float => Choice::Is(Base::Float),
            Base::Bool => Choice::Is(Base::Bool),
            Base::Int | Base::Uint if infos[at].is_strict => Choice::Is(Base::Uint),
            Base::Int | Base::Uint => Choice::Integer,
        };
        at += 1;
    }
    choices
}

fn intrinsic_choice(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Choice {
    match (op, op.info().form) {
        (_, IntrinsicForm::BuiltIn(_, Base::Float)) => Choice::Is(Base::Float),
        (_, IntrinsicForm::Op(_)) => Choice::Is(Base::Float),
        (Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap, _) => Choice::Is(atomic_base(shader, inst)),
        (Intrinsic::reduce | Intrinsic::inclusive_scan | Intrinsic::exclusive_scan, _) => {
            Choice::Is(reduction_base(shader, inst))
        }
        (Intrinsic::image_deref_load | Intrinsic::image_deref_sparse_load, _)
        | (Intrinsic::image_deref_atomic | Intrinsic::image_deref_atomic_swap, _) => {
            Choice::Is(image_texel(shader, inst).base)
        }
        _ if interpolates(op) => match memory_choice(shader, srcs[0]) {
            Choice::Free => Choice::Is(Base::Float),
            choice => choice,
        },
        _ if op.moves_between_invocations() => Choice::Free,
        _ => Choice::Is(Base::Uint),
    }
}

/// What a value in the memory at `pointer` may be.
#[inline]
fn memory_choice(shader: &Shader, pointer: Def) -> Choice {
    let Some(deref) = shader.as_deref(pointer) else { return Choice::Is(Base::Uint) };
    let Some((scalar, _)) = shader.types.as_vector(deref.ty) else { return Choice::Is(Base::Uint) };
    match deref.modes {
        Modes::UBO | Modes::SSBO | Modes::GLOBAL => Choice::Free,
        mode if is_own_memory(mode) => match shader.deref_var(pointer) {
            Some(var) => match variable_choice(&shader.types, shader.vars[var].ty) {
                Choice::Free => Choice::Free,
                _ => Choice::Is(unsigned(scalar.base)),
            },
            None => Choice::Is(unsigned(scalar.base)),
        },
        Modes::SHADER_IN | Modes::SHADER_OUT => Choice::Is(scalar.base),
        _ => Choice::Is(unsigned(scalar.base)),
    }
}

fn unsigned(base: Base) -> Base {
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

fn interpolates(op: Intrinsic) -> bool {
    use Intrinsic::*;
    matches!(op, interp_deref_at_centroid | interp_deref_at_sample | interp_deref_at_offset | interp_deref_at_vertex)
}

/// Calls `visit` with each value the bits of which are those of the result of `inst`.
fn for_each_moved(shader: &Shader, inst: Inst, mut visit: impl FnMut(Def)) {
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
fn tex_want(op: TexOp, kind: TexSrcKind) -> Want {
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

fn intrinsic_want(shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def], index: usize) -> Want {
    use Intrinsic::*;
    match (op, index) {
        (store_deref, 1) => stored_want(shader, srcs[0]),
        (deref_atomic | deref_atomic_swap, 1..) => Want::Is(atomic_base(shader, inst)),
        (image_deref_store | image_deref_atomic | image_deref_atomic_swap, 3) | (image_deref_atomic_swap, 4) => {
            Want::Is(image_texel(shader, inst).base)
        }
        (reduce | inclusive_scan | exclusive_scan, 0) => Want::Is(reduction_base(shader, inst)),
        (vote_feq, _) | (interp_deref_at_offset, 1) => Want::Is(Base::Float),
        (_, 0) if op.moves_between_invocations() => Want::Same,
        _ if matches!(op.info().form, IntrinsicForm::Op(_)) => Want::Is(Base::Float),
        _ => Want::Integer,
    }
}

/// What memory wants of a value that is stored to it.
fn stored_want(shader: &Shader, pointer: Def) -> Want {
    match memory_choice(shader, pointer) {
        Choice::Is(base) => Want::Is(base),
        Choice::Integer | Choice::Free => Want::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, Builder, PhiSrc};

    /// A shader with a buffer of 16 words, and pointers to its first two.
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
    fn loads_from_buffers_are_what_their_users_want() {
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
    fn a_web_has_one_type_by_majority() {
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
        // Two users of the vector want floats; the sum's two operands are a tie, which goes to integers.
        assert_eq!([x, y, phi, vector].map(|def| types.base(def)), [Base::Uint; 4]);
        Builder::new(&mut shader).alu(AluOp::fmul, &[phi, phi]);
        let types = infer(&shader);
        assert_eq!([x, y, phi, vector].map(|def| types.base(def)), [Base::Float; 4]);
    }

    #[test]
    fn memory_of_the_shaders_own_is_in_the_web() {
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
