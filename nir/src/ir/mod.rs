// SPDX-License-Identifier: MIT

//! The IR: a shader of NIR in arenas. It has the data and the one way to change it; algorithms are in `analysis` and `pass`.
//!
//! A shader is one entry point. Its control flow is a flat list of [`Cf`] items, the tokens of the structured tree:
//!
//! ```text
//! block b0        Block(b0)
//! if %3 {         If(%3)
//!   block b1      Block(b1)
//! } else {        Else
//!   block b2      Block(b2)
//! }               EndIf
//! block b3        Block(b3)
//! ```
//!
//! Invariants: the list and every body begin and end with a block, no two blocks are adjacent, and every If has one Else and
//! one EndIf, every Loop one EndLoop and at most one Continue before it. A flat list is walked, printed and emitted without
//! recursion, so only memory limits nesting.
//!
//! The instructions of a block are a range of [`Shader::order`], in which blocks are in the order of the control flow list. A
//! value is the instruction that defines it (at most one each). Passes do not insert into the order: they rebuild it in one
//! walk, see [`mod@rewrite`].

pub mod builder;
mod eq;
pub mod info;
pub mod inst;
mod inventory;
mod mesh_distances;
pub mod rewrite;
mod shown;
#[doc(hidden)]
pub mod spare;
pub mod tex;
mod tracked;
pub mod types;
pub mod variable;
mod xfb;

pub use builder::Builder;
pub use info::{Directive, ShaderInfo, Stage};
pub use inst::{
    AluFlags, AluSrc, ArrayIndex, Block, Def, Deref, DerefId, DerefKind, Inst, InstData, InstKind, Jump, PhiSrc,
    Swizzle, Tex,
};
pub use inventory::Inventory;
pub use rewrite::{rewrite, rewrite_cf, Edit, Rewriter};
pub use tex::{TexData, TexSrcs};
pub use tracked::Tracked;
pub use types::{Field, StructData, Type, TypeData, TypeTable};
pub use variable::{Capture, Precision, Var, VarFlags, Variable, NO_LOCATION};
pub use xfb::{XfbBuffer, XfbInfo, XfbOutput, XfbRow, XfbVarying};

use crate::entity::{Arena, Pool, SideTable, Slice, StringTable};
use crate::op::{AluOp, Index, Intrinsic};

/// An item of the control flow list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cf {
    /// A basic block.
    Block(Block),
    /// The then-body follows.
    If {
        /// A 1-bit value.
        cond: Def,
        /// The application's hint.
        hint: BranchHint,
    },
    /// The else-body follows.
    Else,
    /// Ends an if.
    EndIf,
    /// The body of a loop follows.
    Loop,
    /// The continue construct of a loop follows: runs between iterations.
    Continue,
    /// Ends a loop.
    EndLoop,
}

/// Selection control of an if.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BranchHint {
    /// None.
    #[default]
    None,
    /// Execute both sides.
    Flatten,
    /// Branch.
    DontFlatten,
    /// At least one invocation always takes the then-side.
    DivergentAlwaysTaken,
}

/// The instructions of a block: `order[start..end]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockData {
    /// First instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
}

/// A shader: one entry point with everything it refers to.
#[derive(Clone, Debug, Default)]
pub struct Shader {
    /// The header.
    pub info: ShaderInfo,
    /// The captures of transform feedback by slot. A variable that is captured as a whole has its own
    /// [`capture`](Variable::capture).
    pub xfb_info: XfbInfo,
    /// Name of the entry point.
    pub entry: String,
    /// Names of variables, fields and types.
    pub strings: StringTable,
    /// Types of variables and derefs.
    pub types: TypeTable,
    /// Variables in the order of declaration.
    pub vars: Arena<Var, Variable>,
    /// All instructions, including unused ones.
    pub insts: Tracked<Inst, InstData>,
    /// All blocks.
    pub blocks: Arena<Block, BlockData>,
    /// The live instructions in program order.
    pub order: Vec<Inst>,
    /// Structured control flow.
    pub cf: Vec<Cf>,
    /// Sources of ALU instructions.
    pub alu_srcs: Pool<AluSrc>,
    /// Sources of intrinsics.
    pub srcs: Pool<Def>,
    /// Index values of intrinsics.
    pub indices: Pool<u32>,
    /// Components of constants.
    pub consts: Pool<u64>,
    /// Sources of phis.
    pub phi_srcs: Pool<PhiSrc>,
    /// Derefs.
    pub derefs: Tracked<DerefId, Deref>,
    /// Texture operands.
    pub texs: Arena<Tex, TexData>,
    /// The line of the dump of each instruction, 0 if none.
    pub lines: SideTable<Inst, LineNumber>,
    inventory: Inventory,
    /// See [`is_tidy`](Shader::is_tidy).
    is_tidy: bool,
    /// Tables of [`rewrite_cf`].
    scratch: rewrite::Scratch,
    /// Tables of passes.
    spare: spare::Spare,
    /// The number of instructions of the previous shader.
    num_before: usize,
}

/// A line of a dump, counted from 1; 0 for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineNumber(pub u32);

impl<K: crate::entity::Id, V: Clone + Default> Default for SideTable<K, V> {
    fn default() -> Self {
        SideTable::new(V::default())
    }
}

impl Shader {
    /// Forgets everything, but keeps the memory for the next shader.
    pub fn clear(&mut self) {
        self.num_before = self.insts.len();
        self.info.clear();
        self.xfb_info.clear();
        self.entry.clear();
        self.strings.clear();
        self.types.clear();
        self.vars.clear();
        self.insts.arena.clear();
        self.blocks.clear();
        self.order.clear();
        self.cf.clear();
        self.alu_srcs.clear();
        self.srcs.clear();
        self.indices.clear();
        self.consts.clear();
        self.phi_srcs.clear();
        self.derefs.arena.clear();
        self.texs.clear();
        self.lines.clear();
        self.inventory = Inventory::default();
        self.is_tidy = false;
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        self.info.stage
    }

    /// The instructions of `block`, in order.
    #[inline]
    pub fn block_insts(&self, block: Block) -> &[Inst] {
        let BlockData { start, end } = self.blocks[block];
        &self.order[start as usize..end as usize]
    }

    /// The blocks in program order.
    pub fn block_order(&self) -> impl DoubleEndedIterator<Item = Block> + '_ {
        self.cf.iter().filter_map(|cf| match cf {
            Cf::Block(block) => Some(*block),
            _ => None,
        })
    }

    /// The instruction that defines `def`.
    #[inline]
    pub fn def(&self, def: Def) -> &InstData {
        &self.insts[def.inst()]
    }

    /// Width of `def` in bits.
    #[inline]
    pub fn bit_size(&self, def: Def) -> u8 {
        self.def(def).bit_size
    }

    /// Components of `def`.
    #[inline]
    pub fn num_components(&self, def: Def) -> u8 {
        self.def(def).num_components
    }

    /// The components of `def` if it is a constant.
    #[inline]
    pub fn as_const(&self, def: Def) -> Option<&[u64]> {
        match self.def(def).kind {
            InstKind::Const(values) => Some(&self.consts[values]),
            _ => None,
        }
    }

    /// The first component of `def` if it is a constant.
    #[inline]
    pub fn as_const_scalar(&self, def: Def) -> Option<u64> {
        self.as_const(def).map(|values| values[0])
    }

    /// The index of an array deref if it is constant and fits.
    pub fn as_const_index(&self, index: ArrayIndex) -> Option<u32> {
        let index = match index {
            ArrayIndex::Imm(index) => index as u64,
            ArrayIndex::Def(def) => self.as_const_scalar(def)?,
        };
        u32::try_from(index).ok()
    }

    /// The number that a scalar operand reads if it is a constant.
    #[inline]
    pub fn as_const_src(&self, src: AluSrc) -> Option<u64> {
        self.as_const(src.def)?.get(usize::from(src.swizzle.get(0))).copied()
    }

    /// The ALU opcode and sources of the definition of `def`.
    #[inline]
    pub fn as_alu(&self, def: Def) -> Option<(AluOp, &[AluSrc])> {
        match self.def(def).kind {
            InstKind::Alu { op, srcs, .. } => Some((op, &self.alu_srcs[srcs])),
            _ => None,
        }
    }

    /// The flags of the ALU instruction that makes a value; none for other instructions.
    pub fn alu_flags(&self, def: Def) -> AluFlags {
        match self.def(def).kind {
            InstKind::Alu { flags, .. } => flags,
            _ => AluFlags::empty(),
        }
    }

    /// The deref that defines `def`.
    #[inline]
    pub fn as_deref(&self, def: Def) -> Option<&Deref> {
        match self.def(def).kind {
            InstKind::Deref(deref) => Some(&self.derefs[deref]),
            _ => None,
        }
    }

    /// The opcode and sources of an intrinsic.
    #[inline]
    pub fn as_intrinsic(&self, inst: Inst) -> Option<(Intrinsic, &[Def])> {
        match self.insts[inst].kind {
            InstKind::Intrinsic { op, srcs, .. } => Some((op, &self.srcs[srcs])),
            _ => None,
        }
    }

    /// The value of `index` of an intrinsic, 0 if it has no such index.
    // Inlined at its 150 places, this and `deref_var` are 12 KB of machine code.
    #[inline(never)]
    pub fn index(&self, inst: Inst, index: Index) -> u32 {
        match self.insts[inst].kind {
            InstKind::Intrinsic { op, indices, .. } => {
                op.info().index_slot(index).map_or(0, |slot| self.indices[indices][slot])
            }
            _ => 0,
        }
    }

    /// The sources of the components of `value`, if an operation makes a vector of them.
    #[inline]
    pub fn unpacked_sources(&self, value: Def) -> Option<&[AluSrc]> {
        let (op, srcs) = self.as_alu(value)?;
        matches!(op, AluOp::vec2 | AluOp::vec3 | AluOp::vec4).then_some(srcs)
    }

    /// The component that `src` reads first: of a vector that an operation makes, the source of that component.
    #[inline]
    pub fn unpacked(&self, src: AluSrc) -> AluSrc {
        let component = src.swizzle.get(0);
        let source = self.unpacked_sources(src.def).and_then(|sources| sources.get(usize::from(component)));
        source.copied().unwrap_or(AluSrc { def: src.def, swizzle: Swizzle::splat(component) })
    }

    /// Sets the value of `index` of an intrinsic that has it.
    #[inline]
    pub fn set_index(&mut self, inst: Inst, index: Index, value: u32) {
        if let InstKind::Intrinsic { op, indices, .. } = self.insts[inst].kind {
            if let Some(slot) = op.info().index_slot(index) {
                self.indices[indices][slot] = value;
            }
        }
    }

    /// The variable of the deref `def`, unless there is a cast in its chain.
    #[inline(never)]
    pub fn deref_var(&self, mut def: Def) -> Option<Var> {
        loop {
            match self.as_deref(def)?.kind {
                DerefKind::Var(var) => return Some(var),
                kind => def = kind.parent()?,
            }
        }
    }

    /// Calls `visit` for each value that `inst` uses.
    #[inline]
    pub fn for_each_src(&self, inst: Inst, mut visit: impl FnMut(Def)) {
        match &self.insts[inst].kind {
            InstKind::Alu { srcs, .. } => self.alu_srcs[*srcs].iter().for_each(|src| visit(src.def)),
            InstKind::Phi(srcs) => self.phi_srcs[*srcs].iter().for_each(|src| visit(src.def)),
            InstKind::Deref(deref) => self.derefs[*deref].kind.for_each_src(visit),
            InstKind::Intrinsic { srcs, .. } => self.srcs[*srcs].iter().copied().for_each(visit),
            InstKind::Tex(tex) => self.texs[*tex].srcs.iter().for_each(|(_, def)| visit(*def)),
            InstKind::Const(_) | InstKind::Undef | InstKind::Jump(_) => {}
        }
    }

    /// Replaces each value that `inst` uses by `map` of it.
    #[inline]
    pub fn map_srcs(&mut self, inst: Inst, mut map: impl FnMut(Def) -> Def) {
        match &mut self.insts.arena[inst].kind {
            InstKind::Alu { srcs, .. } => self.alu_srcs[*srcs].iter_mut().for_each(|src| src.def = map(src.def)),
            InstKind::Phi(srcs) => self.phi_srcs[*srcs].iter_mut().for_each(|src| src.def = map(src.def)),
            InstKind::Deref(deref) => self.derefs.arena[*deref].kind.map_srcs(map),
            InstKind::Intrinsic { srcs, .. } => self.srcs[*srcs].iter_mut().for_each(|def| *def = map(*def)),
            InstKind::Tex(tex) => self.texs[*tex].srcs.iter_mut().for_each(|(_, def)| *def = map(*def)),
            InstKind::Const(_) | InstKind::Undef | InstKind::Jump(_) => {}
        }
    }

    /// Appends an instruction to the open block, the last of the control flow list.
    #[inline(never)]
    pub fn append(&mut self, data: InstData) -> Inst {
        let inst = self.make(data);
        self.append_existing(inst);
        inst
    }

    /// Appends an existing instruction that is in no block.
    #[inline]
    pub fn append_existing(&mut self, inst: Inst) {
        self.order.push(inst);
        self.end_block(self.order.len());
    }

    /// Makes an instruction that is in no block.
    #[inline]
    pub fn make(&mut self, data: InstData) -> Inst {
        let inst = self.insts.arena.push(data);
        self.enter(inst, data);
        inst
    }

    /// Reserves memory for `count` instructions.
    pub(crate) fn reserve_insts(&mut self, count: usize) {
        self.insts.arena.reserve(with_room(count));
        self.order.reserve(with_room(count));
    }

    /// Makes an instruction in the open block, for a shader that is [ordered](Shader::order_all) in the end.
    #[inline(always)]
    pub(crate) fn make_in_order(&mut self, data: InstData) {
        let inst = self.insts.arena.push(data);
        self.enter(inst, data);
    }

    /// Appends all instructions, in the order in which they were made, to the blocks that [`append_cf_at`](Shader::append_cf_at)
    /// opened.
    pub(crate) fn order_all(&mut self) {
        self.insts.ids().for_each(|inst| self.order.push(inst));
        self.end_block(self.order.len());
    }

    /// Ends the open block, if there is one, at this position of the order.
    #[inline]
    fn end_block(&mut self, at: usize) {
        if let Some(Cf::Block(block)) = self.cf.last() {
            self.blocks[*block].end = at as u32;
        }
    }

    /// Appends an item to the control flow list, and opens it if it is a block.
    pub fn append_cf(&mut self, cf: Cf) {
        self.append_cf_at(cf, self.order.len());
    }

    /// Appends an item to the control flow list, before the instruction that will be at position `at` of the order.
    pub(crate) fn append_cf_at(&mut self, cf: Cf, at: usize) {
        self.end_block(at);
        self.enter_cf(cf, at);
        let at = at as u32;
        if let Cf::Block(block) = cf {
            self.blocks[block] = BlockData { start: at, end: at };
        }
        self.cf.push(cf);
    }

    /// Makes a block and opens it.
    pub fn append_new_block(&mut self) -> Block {
        let block = self.blocks.push(BlockData::default());
        self.append_cf(Cf::Block(block));
        block
    }

    /// The jump at the end of `block`.
    #[inline]
    pub fn block_jump(&self, block: Block) -> Option<Jump> {
        match self.insts[*self.block_insts(block).last()?].kind {
            InstKind::Jump(jump) => Some(jump),
            _ => None,
        }
    }

    /// Changes the kind of `inst`.
    pub fn set_kind(&mut self, inst: Inst, kind: InstKind) {
        self.insts.arena[inst].kind = kind;
        self.enter(inst, self.insts[inst]);
    }

    /// Changes the flags of an ALU instruction.
    pub fn set_alu_flags(&mut self, inst: Inst, new: AluFlags) {
        if let InstKind::Alu { flags, .. } = &mut self.insts.arena[inst].kind {
            *flags = new;
        }
    }

    /// Changes the number of components of the result of `inst`.
    pub fn set_num_components(&mut self, inst: Inst, num_components: u8) {
        self.insts.arena[inst].num_components = num_components;
        self.enter(inst, self.insts[inst]);
    }

    /// Adds a deref without an instruction.
    #[inline(always)]
    pub fn push_deref(&mut self, deref: Deref) -> DerefId {
        self.derefs.arena.push(deref)
    }

    /// Changes the deref that `inst` is; does nothing to other instructions.
    pub fn change_deref(&mut self, inst: Inst, change: impl FnOnce(&mut Deref, &mut TypeTable)) {
        if let InstKind::Deref(deref) = self.insts[inst].kind {
            change(&mut self.derefs.arena[deref], &mut self.types);
            self.enter(inst, self.insts[inst]);
        }
    }

    /// Changes all derefs in program order.
    pub fn change_derefs(&mut self, mut change: impl FnMut(&mut Deref, &mut TypeTable)) {
        for at in 0..self.order.len() {
            self.change_deref(self.order[at], &mut change);
        }
    }

    /// Changes the width of the result of `inst`.
    pub fn set_bit_size(&mut self, inst: Inst, bit_size: u8) {
        self.insts.arena[inst].bit_size = bit_size;
        self.enter(inst, self.insts[inst]);
    }

    /// The kinds of instructions in the shader.
    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// Whether a clean-up is not worthwhile: the shader was [marked](Shader::set_tidy) as tidy, and no [walk](rewrite()) of a pass
    /// whose results need it has changed anything since.
    pub fn is_tidy(&self) -> bool {
        self.is_tidy
    }

    /// Marks the shader as tidy or not.
    pub fn set_tidy(&mut self, is_tidy: bool) {
        self.is_tidy = is_tidy;
    }

    /// The operands of a phi.
    #[inline]
    pub fn phi(&self, inst: Inst) -> Option<&[PhiSrc]> {
        match self.insts[inst].kind {
            InstKind::Phi(srcs) => Some(&self.phi_srcs[srcs]),
            _ => None,
        }
    }

    /// Copies ALU sources into the pool.
    pub fn push_alu_srcs(&mut self, srcs: &[AluSrc]) -> Slice {
        self.alu_srcs.push(srcs)
    }
}

/// Room for `count` instructions and for those that passes add to most shaders: the first instruction beyond it would double
/// the memory.
fn with_room(count: usize) -> usize {
    count + count / 8 + 8
}

impl DerefKind {
    /// The parent of this deref; `None` for a variable.
    pub fn parent(&self) -> Option<Def> {
        match *self {
            DerefKind::Var(_) => None,
            DerefKind::Array { parent, .. }
            | DerefKind::ArrayWildcard { parent }
            | DerefKind::PtrAsArray { parent, .. }
            | DerefKind::Struct { parent, .. }
            | DerefKind::Cast { parent, .. } => Some(parent),
        }
    }

    /// The index of this deref, if it has one that is not a constant.
    #[inline]
    pub fn index(&self) -> Option<Def> {
        match *self {
            DerefKind::Array { index: ArrayIndex::Def(index), .. }
            | DerefKind::PtrAsArray { index: ArrayIndex::Def(index), .. } => Some(index),
            _ => None,
        }
    }

    #[inline(always)]
    fn for_each_src(&self, visit: impl FnMut(Def)) {
        self.parent().into_iter().chain(self.index()).for_each(visit);
    }

    pub(crate) fn map_srcs(&mut self, mut map: impl FnMut(Def) -> Def) {
        match self {
            DerefKind::Var(_) => {}
            DerefKind::ArrayWildcard { parent } | DerefKind::Struct { parent, .. } | DerefKind::Cast { parent, .. } => {
                *parent = map(*parent);
            }
            DerefKind::Array { parent, index } | DerefKind::PtrAsArray { parent, index } => {
                *parent = map(*parent);
                if let ArrayIndex::Def(def) = index {
                    *def = map(*def);
                }
            }
        }
    }
}
