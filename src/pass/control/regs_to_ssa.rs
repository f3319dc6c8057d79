// SPDX-License-Identifier: MIT

//! Turns registers into SSA values with phis.
//!
//! **What.** `decl_reg`, `load_reg`, `store_reg` and their indirect forms are removed. A block where different values meet gets
//! a phi if the register may still be read; the first block of a loop gets one if the loop writes the register. A value that is
//! read before it is written is undefined.
//!
//! **Why.** A driver that left SSA (`nir_convert_from_ssa`) has turned its phis into registers. SPIR-V has OpPhi, and the
//! target's driver would only have to find the phis again among loads and stores of Function variables.
//!
//! Register arrays, which may be indexed dynamically, become variables. So do all registers of a shader with so many registers
//! and blocks that the table of their values would not fit into memory, or that phis would be most of the shader.
//!
//! Before:
//!
//! ```text
//! if %3 {
//!     block b1:   // preds: b0
//!     @store_reg (%1 (1.000000), %0) (base=0, wrmask=x, legacy_fsat=0)
//!     // succs: b3
//! } else {
//!     block b2:   // preds: b0
//!     @store_reg (%2 (2.000000), %0) (base=0, wrmask=x, legacy_fsat=0)
//!     // succs: b3
//! }
//! block b3:   // preds: b1 b2
//! 32     %4 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)
//! 32     %5 = fneg %4
//! ```
//!
//! After:
//!
//! ```text
//! if %2 {
//!     block b1:  // preds: b0, succs: b3
//! } else {
//!     block b2:  // preds: b0, succs: b3
//! }
//! block b3:  // preds: b1 b2
//! 32    %3 = phi b1: %0 (1.000000), b2: %1 (2.000000)
//! 32    %4 = fneg %3
//! ```

use crate::analysis::cfg::Cfg;
use crate::entity::SideTable;
use crate::ir::builder::vec_op;
use crate::ir::{
    rewrite_cf, AluFlags, AluSrc, ArrayIndex, Block, Builder, Def, Edit, Inst, InstKind, PhiSrc, Rewriter, Shader,
    Swizzle, TypeData, Var, Variable,
};
use crate::op::{AluOp, AluType, Base, Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use rustc_hash::FxHashSet;

/// The pass.
pub const PASS: Pass = Pass {
    name: "regs_to_ssa",
    about: "turns registers into SSA values with phis",
    facts: Facts::REGISTERS,
    removes: Facts::REGISTERS,
    run,
    ..Pass::IDLE
};

/// The maximum number of entries of the table of values, registers times blocks.
const MAX_ENTRIES: usize = 1 << 22;

/// The maximum numbers of phis that are made: in any shader, and for each of its instructions.
const MAX_PHIS: usize = 1 << 16;
const MAX_PHIS_OF_INST: usize = 32;

fn run(shader: &mut Shader, _: &Context) -> bool {
    let Some(mut registers) = Registers::find(shader) else { return false };
    let cfg = Cfg::new(shader);
    let mut flow = Flow::new(shader, &cfg, &registers);
    if flow.count_joins(shader, &cfg) > MAX_PHIS.max(MAX_PHIS_OF_INST * shader.order.len()) {
        registers.remove_columns();
        flow = Flow::new(shader, &cfg, &registers);
    }
    registers.make_variables(shader);
    let mut pass = RegsToSsa::new(&cfg, &registers, flow);
    rewrite_cf(shader, &mut pass);
    pass.fill_phis(shader);
    true
}

/// The form that a register gets.
#[derive(Clone, Copy, Debug)]
enum Home {
    /// Values, in the column of the table with this number.
    Values(usize),
    /// A variable.
    Variable(Var),
}

/// All registers of a shader.
struct Registers {
    decls: Vec<Inst>,
    homes: SideTable<Inst, Option<Home>>,
    /// The `decl_reg` of each column.
    columns: Vec<Inst>,
}

impl Registers {
    fn find(shader: &Shader) -> Option<Registers> {
        let is_decl = |inst: &Inst| matches!(shader.as_intrinsic(*inst), Some((Intrinsic::decl_reg, _)));
        let decls: Vec<Inst> = shader.order.iter().copied().filter(is_decl).collect();
        if decls.is_empty() {
            return None;
        }
        let too_many = decls.len().saturating_mul(shader.blocks.len()) > MAX_ENTRIES;
        let is_number = |decl: &Inst| !too_many && shader.index(*decl, Index::num_array_elems) == 0;
        let columns: Vec<Inst> = decls.iter().copied().filter(is_number).collect();
        let mut homes = shader.inst_table(None);
        columns.iter().enumerate().for_each(|(column, decl)| homes.set(*decl, Some(Home::Values(column))));
        Some(Registers { decls, homes, columns })
    }

    /// Removes all columns, so that all registers become variables.
    fn remove_columns(&mut self) {
        self.columns.drain(..).for_each(|decl| self.homes.set(decl, None));
    }

    /// Makes variables for the registers without a column.
    fn make_variables(&mut self, shader: &mut Shader) {
        let mut names: FxHashSet<_> = shader.vars.values().map(|var| shader.strings[var.name].to_string()).collect();
        let mut columns = self.columns.iter().peekable();
        for decl in &self.decls {
            if columns.next_if_eq(&decl).is_none() {
                self.homes.set(*decl, Some(Home::Variable(variable(shader, *decl, &mut names))));
            }
        }
    }

    /// The access of `inst` to a register, if it is one.
    fn access(&self, shader: &Shader, inst: Inst) -> Option<RegisterAccess> {
        let (op, srcs) = shader.as_intrinsic(inst)?;
        let (value, register, indirect) = match (op, srcs) {
            (Intrinsic::load_reg, [register]) => (None, *register, None),
            (Intrinsic::load_reg_indirect, [register, index]) => (None, *register, Some(*index)),
            (Intrinsic::store_reg, [value, register]) => (Some(*value), *register, None),
            (Intrinsic::store_reg_indirect, [value, register, index]) => (Some(*value), *register, Some(*index)),
            _ => return None,
        };
        let all = value.map_or(0, |value| (1u32 << shader.num_components(value)) - 1);
        let partial = value.is_some() && shader.index(inst, Index::write_mask) != all;
        Some(RegisterAccess { home: self.homes[register.inst()]?, decl: register.inst(), value, indirect, partial })
    }
}

/// A read of a register, or a write of `value`.
#[derive(Clone, Copy, Debug)]
struct RegisterAccess {
    home: Home,
    decl: Inst,
    value: Option<Def>,
    indirect: Option<Def>,
    /// Some components keep their value.
    partial: bool,
}

/// A function variable for the register of `decl`. A register has no type, so it holds unsigned numbers or booleans.
fn variable(shader: &mut Shader, decl: Inst, names: &mut FxHashSet<String>) -> Var {
    let bits = shader.index(decl, Index::bit_size) as u8;
    let scalar = AluType::new(if bits == 1 { Base::Bool } else { Base::Uint }, bits);
    let mut ty = shader.types.vector(scalar, shader.index(decl, Index::num_components) as u8);
    let len = shader.index(decl, Index::num_array_elems);
    if len > 0 {
        ty = shader.types.array(ty, Some(len), 0);
    }
    let fresh = (names.len()..).map(|n| format!("reg{n}")).find(|name| names.insert(name.clone()));
    let name = shader.strings.add(&fresh.expect("there are more numbers than variables"));
    shader.vars.push(Variable::new(name, ty, Modes::FUNCTION_TEMP))
}

/// The values of the registers at the end of each block, by position of the block and column of the register.
struct RegsToSsa<'a> {
    cfg: &'a Cfg,
    registers: &'a Registers,
    flow: Flow,
    values: Vec<Option<Def>>,
    phis: Vec<(Inst, usize)>,
    position: usize,
}

impl<'a> RegsToSsa<'a> {
    fn new(cfg: &'a Cfg, registers: &'a Registers, flow: Flow) -> RegsToSsa<'a> {
        let values = vec![None; flow.live_in.len()];
        RegsToSsa { cfg, registers, flow, values, phis: Vec::new(), position: 0 }
    }

    fn entry(&self, block: Block, column: usize) -> usize {
        self.cfg.position(block) * self.registers.columns.len() + column
    }

    fn current(&mut self, column: usize) -> &mut Option<Def> {
        &mut self.values[self.position * self.registers.columns.len() + column]
    }

    /// The value that all predecessors of `block` agree on, if they do.
    fn agreed_value(&self, block: Block, column: usize) -> Option<Def> {
        let mut agreed = None;
        let mut last_back_edge = None;
        for pred in self.cfg.preds(block).iter().filter(|pred| self.cfg.is_reachable(**pred)) {
            if self.cfg.position(*pred) >= self.position {
                last_back_edge = last_back_edge.max(Some(self.cfg.position(*pred)));
                continue;
            }
            let value = self.values[self.entry(*pred, column)];
            if value.is_none() || agreed.is_some_and(|agreed| Some(agreed) != value) {
                return None;
            }
            agreed = value;
        }
        let looped = last_back_edge.is_some_and(|last| self.flow.is_stored(column, self.position, last));
        agreed.filter(|_| !looped)
    }

    fn append_phi(&mut self, builder: &mut Builder<'_>, block: Block, column: usize) -> Def {
        // The values of later predecessors are not known yet: fill_phis adds all of them.
        let own = builder.shader.insts.next_id().def();
        let srcs: Vec<PhiSrc> = self.cfg.preds(block).iter().map(|pred| PhiSrc { pred: *pred, def: own }).collect();
        let (components, bits) = register_size(builder.shader, self.registers.columns[column]);
        let phi = builder.phi(components, bits, &srcs);
        self.phis.push((phi.inst(), column));
        phi
    }

    fn fill_phis(&self, shader: &mut Shader) {
        for (phi, column) in &self.phis {
            let InstKind::Phi(srcs) = shader.insts[*phi].kind else { continue };
            for src in &mut shader.phi_srcs[srcs] {
                // Only an unreachable block has no value; the phi itself is a valid source there.
                src.def = self.values[self.entry(src.pred, *column)].unwrap_or(phi.def());
            }
        }
    }

    fn load(&mut self, builder: &mut Builder<'_>, inst: Inst, access: RegisterAccess) -> Def {
        let value = match access.home {
            Home::Variable(var) => {
                let pointer = pointer(builder, inst, var, access);
                builder.load_deref(pointer, 0)
            }
            Home::Values(column) => self.value(builder, access.decl, column),
        };
        let mut modified = value;
        for (index, op) in [(Index::legacy_fabs, AluOp::fabs), (Index::legacy_fneg, AluOp::fneg)] {
            if builder.shader.index(inst, index) != 0 {
                modified = builder.alu(op, &[modified]);
            }
        }
        modified
    }

    /// The value of a register here; undefined in code that is never reached.
    fn value(&mut self, builder: &mut Builder<'_>, decl: Inst, column: usize) -> Def {
        *self.current(column).get_or_insert_with(|| {
            let (components, bits) = register_size(builder.shader, decl);
            builder.undef(components, bits)
        })
    }

    fn store(&mut self, builder: &mut Builder<'_>, inst: Inst, access: RegisterAccess, mut value: Def) {
        if builder.shader.index(inst, Index::legacy_fsat) != 0 {
            value = builder.alu(AluOp::fsat, &[value]);
        }
        let mask = builder.shader.index(inst, Index::write_mask);
        match access.home {
            Home::Variable(var) => {
                let pointer = pointer(builder, inst, var, access);
                builder.store_deref(pointer, value, mask, 0);
            }
            Home::Values(column) => {
                if access.partial {
                    let old = self.value(builder, access.decl, column);
                    value = merge(builder, old, value, mask);
                }
                *self.current(column) = Some(value);
            }
        }
    }
}

impl Rewriter for RegsToSsa<'_> {
    fn enter(&mut self, builder: &mut Builder<'_>, block: Block) {
        self.position = self.cfg.position(block);
        if self.cfg.preds(block).is_empty() {
            return;
        }
        for column in 0..self.registers.columns.len() {
            if self.flow.live_in[self.entry(block, column)] {
                let value = self.agreed_value(block, column).unwrap_or_else(|| self.append_phi(builder, block, column));
                *self.current(column) = Some(value);
            }
        }
    }

    fn visit(&mut self, builder: &mut Builder<'_>, inst: Inst) -> Edit {
        if let Some(home) = self.registers.homes[inst] {
            if let Home::Values(column) = home {
                // Live at the start of the shader: a path reads it before it is written.
                if self.flow.live_in[column] {
                    self.value(builder, inst, column);
                }
            }
            return Edit::Remove;
        }
        let Some(access) = self.registers.access(builder.shader, inst) else { return Edit::Keep };
        match access.value {
            None => Edit::Replace(self.load(builder, inst, access)),
            Some(value) => {
                self.store(builder, inst, access, value);
                Edit::Remove
            }
        }
    }
}

fn register_size(shader: &Shader, decl: Inst) -> (u8, u8) {
    (shader.index(decl, Index::num_components) as u8, shader.index(decl, Index::bit_size) as u8)
}

/// `new` where `mask` has a bit, `old` elsewhere.
fn merge(builder: &mut Builder<'_>, old: Def, new: Def, mask: u32) -> Def {
    let components = builder.shader.num_components(new);
    // A store to a scalar that does not write all of it writes nothing.
    let Some(op) = vec_op(components.into()) else { return old };
    let part = |c| AluSrc { def: if mask >> c & 1 != 0 { new } else { old }, swizzle: Swizzle::splat(c) };
    let srcs: Vec<AluSrc> = (0..components).map(part).collect();
    builder.alu_with(op, AluFlags::empty(), &srcs, None)
}

/// A deref of the part that `inst` accesses of a register that is a variable.
fn pointer(builder: &mut Builder<'_>, inst: Inst, var: Var, access: RegisterAccess) -> Def {
    let whole = builder.deref_var(var);
    let ty = builder.shader.vars[var].ty;
    if !matches!(builder.shader.types.get(ty), TypeData::Array { .. }) {
        return whole;
    }
    let base = builder.shader.index(inst, Index::base);
    let index = match access.indirect {
        None => ArrayIndex::Imm(base.into()),
        Some(index) => ArrayIndex::Def(builder.iadd_imm(index, base.into())),
    };
    builder.deref_array(whole, index)
}

/// The blocks in which registers are live and are written, in tables like that of the values.
struct Flow {
    /// Whether a path from the start of the block reads the register before it is written.
    live_in: Vec<bool>,
    /// For each column the positions of the blocks that write the register, in order.
    stores: Vec<Vec<usize>>,
}

impl Flow {
    fn new(shader: &Shader, cfg: &Cfg, registers: &Registers) -> Flow {
        let columns = registers.columns.len();
        let entries = columns * shader.block_order().count();
        let mut flow = Flow { live_in: vec![false; entries], stores: vec![Vec::new(); columns] };
        let mut stored = vec![false; entries];
        let mut todo = Vec::new();
        for (position, block) in shader.block_order().enumerate() {
            for inst in shader.block_insts(block) {
                let Some(access) = registers.access(shader, *inst) else { continue };
                let Home::Values(column) = access.home else { continue };
                let entry = position * columns + column;
                if (access.value.is_none() || access.partial) && !stored[entry] && !flow.live_in[entry] {
                    flow.live_in[entry] = true;
                    todo.push((block, column));
                }
                if access.value.is_some() && !stored[entry] {
                    stored[entry] = true;
                    flow.stores[column].push(position);
                }
            }
        }
        // Backwards from each read to the writes that reach it.
        while let Some((block, column)) = todo.pop() {
            for pred in cfg.preds(block) {
                let entry = cfg.position(*pred) * columns + column;
                if !stored[entry] && !flow.live_in[entry] {
                    flow.live_in[entry] = true;
                    todo.push((*pred, column));
                }
            }
        }
        flow
    }

    /// The number of registers that are live where several paths meet, in all blocks: the most phis that are made.
    fn count_joins(&self, shader: &Shader, cfg: &Cfg) -> usize {
        let columns = self.stores.len().max(1);
        let blocks = shader.block_order().zip(self.live_in.chunks(columns));
        let joins = blocks.filter(|(block, _)| cfg.preds(*block).len() > 1);
        joins.map(|(_, live)| live.iter().filter(|is_live| **is_live).count()).sum()
    }

    /// Whether a block from `first` to `last` writes the register.
    fn is_stored(&self, column: usize, first: usize, last: usize) -> bool {
        let stores = &self.stores[column];
        stores.get(stores.partition_point(|position| *position < first)).is_some_and(|position| *position <= last)
    }
}
