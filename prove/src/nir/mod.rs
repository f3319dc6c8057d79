// SPDX-License-Identifier: MIT

//! A NIR shader as code that runs on terms.
//!
//! Any form of NIR that ntv reads runs: byte offsets or derefs, slots or variables, registers or phis. What a shader shares with the
//! rest of the world is named as in [`crate::world`]; Locations, sets and bindings are those that ntv gives them, which are zink's.

mod cfg;
mod deref;
mod distances;
mod framebuffer;
mod intrinsic;
mod io;
mod layout;
mod memory;
mod subgroup;
mod tex;

use crate::flow::{BlockId, Code, Loop, Machine, Phi, Step, Terminator, Unsupported, ValueId};
use crate::term::Term;
use crate::world::Space;
use cfg::{Cfg, Next};
use deref::Pointer;
use ntv::entity::Id;
use ntv::ir::{AluFlags, AluSrc, Block, Def, Inst, InstKind, Jump, Shader, Var};
use ntv::op::{AluOp, Index, Props};
use ntv::Target;
use rustc_hash::{FxHashMap, FxHashSet};

/// A NIR shader that runs on terms.
pub struct Nir<'a> {
    shader: &'a Shader,
    target: &'a Target,
    cfg: Cfg,
    pointers: FxHashMap<Def, Pointer>,
    /// The residency codes of reads that do not have them in their results.
    residencies: FxHashMap<Def, Term>,
    /// The index of a deref of an array, and the length of this.
    indices: FxHashMap<Def, (Term, Option<u32>)>,
    facts: memory::MemoryFacts,
    /// The Locations of variables that do not have their own.
    locations: FxHashMap<Var, u32>,
    /// The results of exact float operations, which must not be combined with others.
    pub exact: FxHashSet<(Term, Inst)>,
    /// The results of the others.
    pub contractible: FxHashSet<Term>,
    /// The cells of outputs that the shader writes, in order.
    pub output_cells: Vec<(Space, u64)>,
    /// The arrays of clip and cull distances that the shader writes, with their lengths.
    pub distances: Vec<(Space, u64)>,
    /// The spaces that others may change up to a barrier.
    pub visible: Vec<Space>,
    /// Numbers, and the same with what NIR promises of them: the low bits of an address, an invocation that is alone.
    pub promises: Vec<(Term, Term)>,
    /// The address of the access that runs, and the same with the low bits that NIR promises of it.
    promised: Option<(Term, Term)>,
    /// Conditions under which everything is undefined: a block beyond its array is accessed.
    pub undefined: Vec<Term>,
}

impl<'a> Nir<'a> {
    /// The code of `shader`, whose words are for `target`.
    pub fn new(shader: &'a Shader, target: &'a Target) -> Nir<'a> {
        let mut nir = Nir {
            shader,
            target,
            cfg: Cfg::new(shader),
            pointers: FxHashMap::default(),
            residencies: FxHashMap::default(),
            indices: FxHashMap::default(),
            facts: memory::MemoryFacts::default(),
            locations: FxHashMap::default(),
            exact: FxHashSet::default(),
            contractible: FxHashSet::default(),
            output_cells: Vec::new(),
            distances: Vec::new(),
            visible: Vec::new(),
            promises: Vec::new(),
            promised: None,
            undefined: Vec::new(),
        };
        nir.facts = nir.find_facts();
        nir.locations = nir.find_locations();
        nir.output_cells = nir.find_output_cells();
        nir.distances = nir.find_distances();
        nir.output_cells = nir.output_cells.iter().copied().chain(nir.cells_of_distances()).collect();
        nir.output_cells.sort_unstable();
        nir.output_cells.dedup();
        nir
    }

    /// The shader.
    pub(crate) fn shader(&self) -> &'a Shader {
        self.shader
    }

    /// The error that an instruction has no terms.
    fn unsupported<T>(&self, inst: Inst, reason: impl Into<String>) -> Step<T> {
        let line = self.shader.lines[inst].0;
        let what = match self.shader.insts[inst].kind {
            InstKind::Intrinsic { op, .. } => op.name().to_owned(),
            InstKind::Alu { op, .. } => op.name().to_owned(),
            kind => format!("{kind:?}").split([' ', '(']).next().unwrap_or_default().to_lowercase(),
        };
        Err(Unsupported { reason: reason.into(), place: format!("line {line}: {what}") })
    }

    /// The scalars of a value.
    fn scalars(&self, machine: &mut Machine<'_>, def: Def) -> Vec<Term> {
        let (count, width) = (self.shader.num_components(def), self.shader.bit_size(def));
        match machine.value(def.index() as ValueId) {
            Some(value) if value.len() == usize::from(count) => value.to_vec(),
            // It was computed in a block that did not run.
            _ => vec![machine.arena.undefined(width); count.into()],
        }
    }

    fn scalar(&self, machine: &mut Machine<'_>, def: Def) -> Term {
        self.scalars(machine, def)[0]
    }

    /// The components that a store writes: its mask, or all without one.
    fn written(&self, machine: &mut Machine<'_>, inst: Inst, value: Def) -> Vec<(usize, Term)> {
        let op = self.shader.as_intrinsic(inst).map(|(op, _)| op);
        let mask = match op.and_then(|op| op.info().index_slot(Index::write_mask)) {
            Some(_) => self.shader.index(inst, Index::write_mask),
            None => u32::MAX,
        };
        self.scalars(machine, value).into_iter().enumerate().filter(|(c, _)| mask >> c & 1 != 0).collect()
    }

    fn set(&self, machine: &mut Machine<'_>, inst: Inst, terms: Vec<Term>) {
        machine.set_value(inst.index() as ValueId, terms);
    }

    fn alu(&mut self, machine: &mut Machine<'_>, inst: Inst, op: AluOp, srcs: &[AluSrc], flags: AluFlags) {
        let (count, width) = (self.shader.insts[inst].num_components, self.shader.insts[inst].bit_size);
        let info = op.info();
        let srcs: Vec<Vec<Term>> = srcs
            .iter()
            .zip(info.srcs)
            .map(|(src, operand)| {
                let value = self.scalars(machine, src.def);
                let read = src.swizzle.components(operand.components(count).into());
                read.map(|c| value[usize::from(c).min(value.len() - 1)]).collect()
            })
            .collect();
        let is_open = op == AluOp::fsign && !self.shader.info.keeps_nan(flags, width);
        let term = |c| {
            let srcs = component(&srcs, op, c);
            let term = machine.arena.alu(op, width, c.into(), &srcs);
            match is_open {
                true => machine.arena.of_numbers(&srcs.concat(), term),
                false => term,
            }
        };
        let terms: Vec<Term> = (0..count).map(term).collect();
        if is_contracted(op) {
            match flags.contains(AluFlags::NO_CONTRACT) {
                true => self.exact.extend(terms.iter().map(|term| (*term, inst))),
                false => self.contractible.extend(&terms),
            }
        }
        self.set(machine, inst, terms);
    }

    fn step(&mut self, machine: &mut Machine<'_>, inst: Inst) -> Step<Option<Jump>> {
        let shader = self.shader;
        let data = shader.insts[inst];
        let width = data.bit_size;
        match data.kind {
            InstKind::Alu { op, srcs, flags } => self.alu(machine, inst, op, &shader.alu_srcs[srcs], flags),
            InstKind::Const(values) => {
                let terms =
                    self.shader.consts[values].iter().map(|value| machine.arena.constant(width, *value)).collect();
                self.set(machine, inst, terms);
            }
            InstKind::Undef => {
                let terms = vec![machine.arena.undefined(width); data.num_components.into()];
                self.set(machine, inst, terms);
            }
            InstKind::Deref(deref) => self.deref(machine, inst, self.shader.derefs[deref])?,
            InstKind::Intrinsic { op, srcs, .. } => {
                return self.intrinsic(machine, inst, op, &shader.srcs[srcs]);
            }
            InstKind::Tex(tex) => self.tex(machine, inst, &shader.texs[tex])?,
            InstKind::Jump(jump) => return Ok(Some(jump)),
            InstKind::Phi(_) => {}
        }
        Ok(None)
    }
}

/// The sources of component `c`: of those that are read per component, only the one.
fn component(srcs: &[Vec<Term>], op: AluOp, c: u8) -> Vec<Vec<Term>> {
    let per_component = |i: usize| op.info().srcs[i].size == 0;
    srcs.iter()
        .enumerate()
        .map(|(i, src)| if per_component(i) { vec![src[usize::from(c)]] } else { src.clone() })
        .collect()
}

/// Whether a compiler might combine the operation with another one.
fn is_contracted(op: AluOp) -> bool {
    let info = op.info();
    let is_float = info.dest.ty.base == ntv::op::Base::Float;
    is_float
        && matches!(op, AluOp::fadd | AluOp::fsub | AluOp::fmul | AluOp::ffma)
        && !info.props.contains(Props::TYPELESS)
}

impl Code for Nir<'_> {
    fn entry(&self) -> BlockId {
        self.cfg.order[0]
    }

    fn order(&self) -> &[BlockId] {
        &self.cfg.order
    }

    fn loops(&self) -> &[Loop] {
        &self.cfg.loops
    }

    fn phis(&self, block: BlockId) -> Step<Vec<Phi>> {
        let block = Block::from_index(block);
        let mut phis = Vec::new();
        for inst in self.shader.block_insts(block) {
            let Some(sources) = self.shader.phi(*inst) else { break };
            let data = self.shader.insts[*inst];
            phis.push(Phi {
                result: inst.index() as ValueId,
                widths: vec![data.bit_size; data.num_components.into()],
                sources: sources.iter().map(|src| (src.pred.index(), src.def.index() as ValueId)).collect(),
            });
        }
        Ok(phis)
    }

    fn results(&self, block: BlockId) -> Vec<ValueId> {
        let insts = self.shader.block_insts(Block::from_index(block)).iter();
        insts.filter(|inst| self.shader.insts[**inst].has_def()).map(|inst| inst.index() as ValueId).collect()
    }

    fn run(&mut self, block: BlockId, machine: &mut Machine<'_>) -> Step<Terminator> {
        if block == self.entry() {
            self.start(machine);
        }
        let insts = self.shader.block_insts(Block::from_index(block)).to_vec();
        for inst in insts {
            match self.step(machine, inst)? {
                None => {}
                Some(Jump::Return | Jump::Halt) => return Ok(Terminator::Return),
                Some(Jump::Break) => return Ok(self.cfg.breaks[&block].map_or(Terminator::Return, Terminator::Jump)),
                Some(Jump::Continue) => return Ok(Terminator::Jump(self.cfg.continues[&block])),
            }
            if machine.arena.as_const(machine.state.path) == Some(0) {
                return Ok(Terminator::Unreachable);
            }
        }
        Ok(match self.cfg.next[&block] {
            Next::Block(next) => Terminator::Jump(next),
            Next::If(condition, yes, no) => Terminator::Branch(self.scalar(machine, condition), yes, no),
            Next::End => Terminator::Return,
        })
    }
}
