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

use super::lists::Lists;
use super::textures::image_texel;
use super::wants::{
    for_each_moved, interpolates, memory_choice, tex_want, unsigned, variable_choice, Choice, Vote, ALU_ROWS,
    OWN_MEMORY,
};
use crate::entity::Id;
use crate::ir::{ArrayIndex, Def, DerefKind, Inst, InstData, InstKind, Shader, Var};
use crate::op::intrinsic::Form as IntrinsicForm;
use crate::op::{AluType, Base, Intrinsic};
use crate::target::{Feature, Target};

pub use super::wants::{atomic_base, has_own_base, leaf, operand_want, reduction_base, Want};

/// The types of a shader's values.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes {
    /// What each value is or may be, and behind them each variable.
    nodes: Vec<Choice>,
    /// Nodes below this are values, the others variables.
    num_defs: usize,
    /// Towards the root of the web of each node; itself at the root, and for all between one shader and the next.
    parents: Vec<u32>,
    /// What makers and users of each node want.
    votes: Vec<Vote>,
    /// Something is a signed integer by declaration.
    signed: bool,
    /// What is left of each choice, by the bytes of a number.
    left: Left,
    lists: Lists,
    /// The nodes that may be any number, the first so many of these.
    free: Vec<u32>,
    num_free: usize,
    /// Nodes that are the same bits.
    same: Vec<[u32; 2]>,
}

/// What is left of each choice, by the bytes of a number; 0 bytes are a boolean.
#[derive(Clone, Debug)]
struct Left([[Choice; 16]; Choice::COUNT]);

impl Left {
    const ALL: Left = {
        use Choice::*;
        let choices = Choice::ALL;
        let mut left = [[Bool; 16]; Choice::COUNT];
        let mut at = 0;
        while at < choices.len() {
            let mut bytes = 1;
            while bytes < 16 {
                left[choices[at] as usize][bytes] = match choices[at] {
                    Bool => Uint,
                    // There are no floats of 8 bits.
                    Free if bytes == 1 => Integer,
                    choice => choice,
                };
                bytes += 1;
            }
            at += 1;
        }
        Left(left)
    };

    #[inline(always)]
    fn of(&self, choice: Choice, bits: u8) -> Choice {
        self.0[choice as usize][usize::from(bits >> 3) & 15]
    }
}

impl Default for Left {
    fn default() -> Left {
        Left::ALL
    }
}

/// Outweighs every ordinary vote: an atomic cannot be bitcast.
const MUST: i32 = 1 << 14;

impl ValueTypes {
    /// Chooses anew, for `shader`.
    pub fn infer(&mut self, shader: &Shader) {
        self.left = Left::ALL;
        self.choose(shader);
    }

    /// Chooses anew, for `shader` as passes left it for `target`: what has a width of which the target has floats only is a
    /// float, of which it has integers only an integer.
    pub fn infer_for(&mut self, shader: &Shader, target: &Target) {
        let has = |integer, float| match (target.has(integer), target.has(float)) {
            (false, true) => Choice::Float,
            (true, false) => Choice::Integer,
            _ => Choice::Free,
        };
        self.left = Left::ALL;
        let free = &mut self.left.0[Choice::Free as usize];
        free[2] = has(Feature::shaderInt16, Feature::shaderFloat16);
        free[8] = has(Feature::shaderInt64, Feature::shaderFloat64);
        self.choose(shader);
    }

    fn choose(&mut self, shader: &Shader) {
        self.start(shader);
        let mut lists = std::mem::take(&mut self.lists);
        lists.list(shader);
        for inst in lists.others() {
            let data = &shader.insts[*inst];
            match data.kind {
                InstKind::Intrinsic { op, srcs, .. } => self.add_intrinsic(shader, *inst, data, op, &shader.srcs[srcs]),
                _ => self.add_other(shader, *inst, data),
            }
        }
        let moves = self.add_alu(shader, lists.alu_mut());
        self.join_all(shader, &lists.alu_mut()[..moves]);
        self.lists = lists;
        self.decide();
        if self.signed {
            self.decide_signs(shader);
        }
    }

    /// Begins with nodes that nothing is known of, the variables, and empty lists.
    fn start(&mut self, shader: &Shader) {
        self.num_defs = shader.num_defs();
        self.signed = false;
        self.same.clear();
        let len = self.num_defs + shader.vars.len();
        self.nodes.clear();
        self.nodes.resize(len, Choice::Literal);
        self.votes.clear();
        self.votes.resize(len, [0; 2]);
        self.num_free = 0;
        if self.parents.len() <= len {
            self.parents.extend(self.parents.len() as u32..=len as u32);
            self.free.resize(len + 1, 0);
        }
        if shader.inventory().has_derefs(OWN_MEMORY) {
            self.enter_variables(shader);
        }
    }

    fn enter_variables(&mut self, shader: &Shader) {
        for (var, variable) in shader.vars.iter().filter(|(_, variable)| variable.mode.intersects(OWN_MEMORY)) {
            let bits = leaf(&shader.types, variable.ty).map_or(32, |scalar| scalar.bits);
            let choice = match variable_choice(&shader.types, variable.ty) {
                Choice::Free => self.left(Choice::Free, bits),
                fixed => fixed,
            };
            self.enter_node(self.num_defs + var.index(), choice);
        }
    }

    /// What is left of `choice` for a number of `bits` bits.
    #[inline(always)]
    fn left(&self, choice: Choice, bits: u8) -> Choice {
        self.left.of(choice, bits)
    }

    /// Makes `choice`, as far as it is one for so many bits, that of the result of `inst`.
    #[inline(always)]
    fn enter(&mut self, inst: Inst, data: &InstData, choice: Choice) {
        self.enter_node(inst.index(), self.left(choice, data.bit_size));
    }

    #[inline(always)]
    fn enter_node(&mut self, node: usize, choice: Choice) {
        self.nodes[node] = choice;
        // The next takes the place of what has no choice.
        self.free[self.num_free] = node as u32;
        self.num_free += usize::from(choice == Choice::Free);
    }

    /// The instructions of the shader.
    pub(crate) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// What `def` is, if it is no constant or undefined value: those may be made as anything.
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
        self.nodes.get(index).map_or(Base::Uint, |node| node.base())
    }

    /// Counts a vote. Where there is no choice it counts for nothing, which is cheaper than to look.
    #[inline(always)]
    fn vote(&mut self, node: usize, vote: Vote) {
        add(&mut self.votes[node], vote);
    }

    /// Counts what a user wants of `src`.
    fn count(&mut self, src: Def, want: Want) {
        self.signed |= want == Want::Is(Base::Int);
        self.vote(src.index(), want.vote());
    }

    /// Enters the results of ALU instructions and counts what they want of their operands. Puts those that move bits first, and
    /// returns how many do.
    fn add_alu(&mut self, shader: &Shader, insts: &mut [Inst]) -> usize {
        let (nodes, votes, free, left) = (&mut self.nodes[..], &mut self.votes[..], &mut self.free[..], &self.left);
        let (mut num_free, mut moves) = (self.num_free, 0);
        for at in 0..insts.len() {
            let inst = insts[at];
            let data = &shader.insts[inst];
            let InstKind::Alu { op, srcs, .. } = data.kind else { continue };
            let row = &ALU_ROWS[op as usize];
            let choice = left.of(row.choice, data.bit_size);
            nodes[inst.index()] = choice;
            // The next takes the place of what has no choice, or moves nothing.
            free[num_free] = inst.index() as u32;
            num_free += usize::from(choice == Choice::Free);
            insts[moves] = inst;
            moves += usize::from(row.moves);
            let srcs = &shader.alu_srcs[srcs];
            let Some(last) = srcs.len().checked_sub(1) else { continue };
            // An operand that is not there counts nothing, so that all take the same way.
            add(&mut votes[srcs[0].def.index()], row.votes[0]);
            add(&mut votes[srcs[last.min(1)].def.index()], row.votes[1]);
            if row.votes_for_more {
                add(&mut votes[srcs[last.min(2)].def.index()], row.votes[2]);
                add(&mut votes[srcs[last.min(3)].def.index()], row.votes[3]);
            }
        }
        self.num_free = num_free;
        moves
    }

    /// Adds what is neither arithmetic nor an intrinsic.
    #[inline(never)]
    fn add_other(&mut self, shader: &Shader, inst: Inst, data: &InstData) {
        match data.kind {
            InstKind::Phi(srcs) => {
                self.enter(inst, data, Choice::Free);
                let node = inst.index() as u32;
                self.same.extend(shader.phi_srcs[srcs].iter().map(|src| [node, src.def.index() as u32]));
            }
            InstKind::Tex(tex) => {
                let tex = &shader.texs[tex];
                let choice = if tex.op.is_query() { Choice::Integer } else { Choice::is(tex.dest_type.base) };
                self.enter(inst, data, choice);
                tex.srcs.iter().for_each(|(kind, src)| self.count(*src, tex_want(tex.op, *kind)));
            }
            InstKind::Deref(deref) => {
                if let DerefKind::Array { index: ArrayIndex::Def(index), .. } = shader.derefs[deref].kind {
                    self.count(index, Want::Integer);
                }
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn add_intrinsic(&mut self, shader: &Shader, inst: Inst, data: &InstData, op: Intrinsic, srcs: &[Def]) {
        let (Intrinsic::load_deref | Intrinsic::store_deref, [pointer, stored @ ..]) = (op, srcs) else {
            return self.add_other_intrinsic(shader, inst, op, srcs);
        };
        let (choice, variable) = self.memory_choice(shader, *pointer);
        let value = match stored.first() {
            None => {
                self.enter(inst, data, choice);
                inst.def()
            }
            Some(value) => {
                self.count(*value, stored_want(choice));
                *value
            }
        };
        if let Some(variable) = variable {
            self.same.push([variable, value.index() as u32]);
        }
    }

    #[inline(never)]
    fn add_other_intrinsic(&mut self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let data = &shader.insts[inst];
        if data.has_def() {
            let choice = self.intrinsic_choice(shader, inst, op, srcs);
            self.enter(inst, data, choice);
        }
        for (index, src) in srcs.iter().enumerate() {
            match self.intrinsic_want(shader, inst, op, srcs, index) {
                Want::Same => self.same.push([inst.index() as u32, src.index() as u32]),
                want => self.count(*src, want),
            }
        }
        if matches!(op, Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap) {
            if let (_, Some(variable)) = self.memory_choice(shader, srcs[0]) {
                self.vote(variable as usize, Want::Is(atomic_base(shader, inst)).vote().map(|vote| vote * MUST));
            }
        }
    }

    fn intrinsic_choice(&self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Choice {
        match (op, op.info().form) {
            (_, IntrinsicForm::BuiltIn(_, Base::Float)) => Choice::Float,
            (_, IntrinsicForm::Op(_)) => Choice::Float,
            (Intrinsic::deref_atomic | Intrinsic::deref_atomic_swap, _) => Choice::is(atomic_base(shader, inst)),
            (Intrinsic::reduce | Intrinsic::inclusive_scan | Intrinsic::exclusive_scan, _) => {
                Choice::is(reduction_base(shader, inst))
            }
            (Intrinsic::image_deref_load | Intrinsic::image_deref_sparse_load, _)
            | (Intrinsic::image_deref_atomic | Intrinsic::image_deref_atomic_swap, _) => {
                Choice::is(image_texel(shader, inst).base)
            }
            _ if interpolates(op) => match self.memory_choice(shader, srcs[0]).0 {
                Choice::Free => Choice::Float,
                choice => choice,
            },
            _ if op.moves_between_invocations() => Choice::Free,
            _ => Choice::Uint,
        }
    }

    fn intrinsic_want(&self, shader: &Shader, inst: Inst, op: Intrinsic, srcs: &[Def], index: usize) -> Want {
        use Intrinsic::*;
        match (op, index) {
            (store_deref, 1) => stored_want(self.memory_choice(shader, srcs[0]).0),
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

    /// What a value in the memory at `pointer` may be, and the node of the variable of the shader's own that it is in.
    #[inline(always)]
    fn memory_choice(&self, shader: &Shader, pointer: Def) -> (Choice, Option<u32>) {
        let Some(deref) = shader.as_deref(pointer) else { return (Choice::Uint, None) };
        let scalar = shader.types.as_vector(deref.ty).map(|(scalar, _)| scalar);
        if deref.modes.intersects(OWN_MEMORY) {
            return self.own_memory_choice(shader, pointer, scalar);
        }
        (memory_choice(deref.modes, scalar), None)
    }

    #[inline(never)]
    fn own_memory_choice(&self, shader: &Shader, pointer: Def, scalar: Option<AluType>) -> (Choice, Option<u32>) {
        let declared = scalar.map_or(Choice::Uint, |scalar| Choice::is(unsigned(scalar.base)));
        let Some(var) = shader.deref_var(pointer) else { return (declared, None) };
        let variable = self.num_defs + var.index();
        let choice = match self.nodes[variable] {
            Choice::Free | Choice::Integer if scalar.is_some() => Choice::Free,
            // Of a width of which there are only floats.
            Choice::Float if scalar.is_some() && is_free(shader, var) => Choice::Free,
            _ => declared,
        };
        (choice, Some(variable as u32))
    }

    /// Joins what is the same bits: what instructions move, phis, and what goes to memory of the shader's own and comes out.
    fn join_all(&mut self, shader: &Shader, moves: &[Inst]) {
        for at in 0..self.same.len() {
            let [a, b] = self.same[at];
            self.join(a as usize, b as usize);
        }
        for inst in moves {
            let InstKind::Alu { op, srcs, .. } = shader.insts[*inst].kind else { continue };
            for src in shader.alu_srcs[srcs].iter().skip(ALU_ROWS[op as usize].conditions.into()) {
                self.join(inst.index(), src.def.index());
            }
        }
    }

    /// Two nodes are the same bits: one web if both are free, else each wants the other to be what it is.
    #[inline(always)]
    fn join(&mut self, a: usize, b: usize) {
        let nodes = [self.nodes[a], self.nodes[b]];
        if nodes == [Choice::Free; 2] {
            let (a, b) = (self.root(a as u32), self.root(b as u32));
            self.parents[a.max(b) as usize] = a.min(b);
        } else {
            self.signed |= nodes.contains(&Choice::Int);
            self.vote(a, nodes[1].vote());
            self.vote(b, nodes[0].vote());
        }
    }

    fn root(&mut self, mut node: u32) -> u32 {
        while self.parents[node as usize] != node {
            let above = self.parents[node as usize];
            let parent = self.parents[above as usize];
            self.parents[node as usize] = parent;
            node = parent;
        }
        node
    }

    /// Gives each web the type with the most votes.
    fn decide(&mut self) {
        for at in 0..self.num_free {
            let node = self.free[at];
            let root = self.root(node);
            self.parents[node as usize] = root;
            if root != node {
                self.vote(root as usize, self.votes[node as usize]);
            }
        }
        for at in 0..self.num_free {
            let node = self.free[at] as usize;
            let root = std::mem::replace(&mut self.parents[node], node as u32);
            let [float, signed] = self.votes[root as usize];
            self.nodes[node] = number(float, signed);
        }
    }

    /// Gives each remaining integer the signedness with the most votes, those of what it becomes part of among them.
    #[inline(never)]
    fn decide_signs(&mut self, shader: &Shader) {
        for at in 0..self.num_free {
            let node = self.free[at] as usize;
            let choice @ (Choice::Int | Choice::Uint) = self.nodes[node] else { continue };
            if node < self.num_defs {
                for_each_moved(shader, Inst::from_index(node), |src| self.vote(src.index(), choice.vote()));
            }
        }
        for (node, votes) in self.nodes.iter_mut().zip(&self.votes).filter(|(node, _)| **node == Choice::Integer) {
            *node = number(0, votes[1]);
        }
    }
}

#[inline(always)]
fn add(votes: &mut Vote, vote: Vote) {
    *votes = [votes[0].wrapping_add(vote[0]), votes[1].wrapping_add(vote[1])];
}

/// What so many votes for floats and for signed integers make.
#[inline(always)]
fn number(float: i32, signed: i32) -> Choice {
    use Choice::{Float, Int, Uint};
    [Uint, Int, Float, Float][usize::from(float > 0) << 1 | usize::from(signed > 0)]
}

/// True if the numbers of `var`, memory of the shader's own, might be any but for their width.
#[cold]
fn is_free(shader: &Shader, var: Var) -> bool {
    variable_choice(&shader.types, shader.vars[var].ty) == Choice::Free
}

/// What memory wants of a value that is stored to it.
fn stored_want(memory: Choice) -> Want {
    match memory {
        Choice::Integer | Choice::Free => Want::Any,
        fixed => fixed.want(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Block, Builder, PhiSrc, Variable};
    use crate::op::{AluOp, AluType, Modes};

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
