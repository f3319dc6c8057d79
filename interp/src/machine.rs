// SPDX-License-Identifier: MIT

//! The machine: invocations that run in lockstep, each with its values and its position in the control flow list.

use crate::fault::{Fault, FaultKind};
use crate::flow::{Flow, END};
use crate::inputs::Inputs;
use crate::layout::Layout;
use crate::memory::{Buffer, MemoryRegion};
use crate::meshlet::{slots_of_primitives, Launch, Meshlet};
use crate::pointer::Pointer;
use crate::race::Races;
use crate::registers::Registers;
use crate::slot::Outputs;
use crate::{alu, Bits, Limits, Outcome, Resources};
use ntv::entity::SideTable;
use ntv::ir::{AluSrc, Block, Cf, Def, Inst, InstKind, Jump, PhiSrc, Shader, Stage, Swizzle, Var};
use ntv::op::open::may_be_open;
use ntv::op::AluOp;
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::size_of;

/// The most bytes of private memory of an invocation, and of shared memory.
const MAX_MEMORY: u64 = 1 << 24;

/// The size of an invocation without its values and memory, in components of values.
const LANE_COMPONENTS: u64 = (size_of::<Lane>() / size_of::<Bits>()) as u64;

/// A run of one workgroup, patch or group of quads.
pub(crate) struct Machine<'a> {
    pub shader: &'a Shader,
    pub resources: &'a mut Resources,
    pub inputs: &'a Inputs,
    pub workgroup: [u32; 3],
    pub layout: Layout,
    /// The first byte of each variable in private or shared memory.
    pub places: SideTable<Var, u64>,
    pub shared: Buffer,
    pub payload: Buffer,
    /// What a task shader has started.
    pub launched: Option<Launch>,
    /// The sizes of the outputs of a mesh shader, without the outputs.
    pub meshlet: Meshlet,
    pub lanes: Vec<Lane>,
    /// The active invocations, in ascending order.
    pub active: Vec<usize>,
    pub registers: Registers,
    pub races: &'a mut Races,
    /// The end of the accessed bytes of each region.
    pub ends: FxHashMap<MemoryRegion, u64>,
    flow: Flow,
    /// The first component of each value among those of one invocation.
    first: SideTable<Def, u32>,
    values: Vec<Bits>,
    pointers: Vec<Pointer>,
    budget: u64,
    faults: Vec<Fault>,
    reported: FxHashSet<(Option<Inst>, FaultKind)>,
    /// The instructions that had an open result.
    open: FxHashSet<Inst>,
}

/// An invocation.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The next item of the control flow list.
    at: usize,
    /// The instruction of its block that is next.
    resumes_at: usize,
    /// The block that ran last.
    from: Option<Block>,
    pub section: Section,
    /// Whether the invocation runs without effects.
    pub is_helper: bool,
    /// Whether its outputs are ignored.
    pub is_discarded: bool,
    pub private: Buffer,
    pub scratch: Buffer,
    pub outputs: Outputs,
    pub vertices: Vec<(u32, Option<Outputs>)>,
}

/// What an invocation has done of its critical section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Section {
    #[default]
    Before,
    Waiting,
    Within,
    After,
}

/// Runs one group of invocations; false if the budget is used up.
pub(crate) fn run_group(
    shader: &Shader,
    resources: &mut Resources,
    (inputs, workgroup): (&Inputs, [u32; 3]),
    limits: Limits,
    (outcome, races): (&mut Outcome, &mut Races),
) -> bool {
    races.start_workgroup();
    let budget = limits.instructions.saturating_sub(outcome.instructions);
    let limits = Limits { instructions: budget, ..limits };
    let mut machine = match Machine::new(shader, (resources, races), (inputs, workgroup), limits) {
        Ok(machine) => machine,
        Err(fault) => {
            outcome.faults.push(fault);
            return false;
        }
    };
    let finished = machine.run();
    outcome.instructions += budget - machine.budget;
    match shader.stage() {
        Stage::Task => outcome.launches.push(machine.launched.take()),
        Stage::Mesh => {
            // The first invocation has the outputs of all.
            let outputs = std::mem::take(&mut machine.lanes[0].outputs);
            let of_primitives = slots_of_primitives(shader);
            outcome.meshlets.push(Meshlet { outputs, of_primitives, ..machine.meshlet });
        }
        _ => {}
    }
    for lane in machine.lanes {
        outcome.outputs.push(lane.outputs);
        outcome.vertices.push(lane.vertices);
        outcome.discarded.push(lane.is_discarded);
        outcome.private.push(lane.private);
    }
    outcome.shared = machine.shared;
    outcome.faults.append(&mut machine.faults);
    outcome.open.extend(machine.open);
    machine.ends.into_iter().for_each(|(memory, end)| outcome.record_end(memory, end));
    finished
}

/// The number of invocations that run together.
fn lane_count(shader: &Shader, inputs: &Inputs) -> u64 {
    match shader.stage() {
        stage if stage.has_grid() => workgroup_size(shader, inputs).iter().fold(1, |n, size| n * u64::from(*size)),
        _ => inputs.invocations.len() as u64,
    }
}

/// The size of a workgroup in x, y, z.
pub(crate) fn workgroup_size(shader: &Shader, inputs: &Inputs) -> [u32; 3] {
    let size = if shader.info.workgroup_size_variable { inputs.workgroup_size } else { shader.info.workgroup_size };
    size.map(|size| size.clamp(1, 1 << 16))
}

impl Lane {
    /// The next item of the control flow list, and the next instruction in it.
    fn place(&self) -> (usize, usize) {
        (self.at, self.resumes_at)
    }
}

impl<'a> Machine<'a> {
    fn new(
        shader: &'a Shader,
        (resources, races): (&'a mut Resources, &'a mut Races),
        (inputs, workgroup): (&'a Inputs, [u32; 3]),
        limits: Limits,
    ) -> Result<Machine<'a>, Fault> {
        let count = lane_count(shader, inputs);
        let mut first = shader.def_table(0u32);
        let (mut components, mut pointers) = (0u64, 0u64);
        for inst in &shader.order {
            let data = &shader.insts[*inst];
            let counter = if matches!(data.kind, InstKind::Deref(_)) { &mut pointers } else { &mut components };
            first.set(inst.def(), *counter as u32);
            *counter += u64::from(data.num_components);
        }
        let layout = Layout::new(&shader.types);
        let (places, private, shared) = layout.place_variables(shader);
        let scratch = u64::from(shader.info.scratch).next_multiple_of(16);
        let payload = u64::from(shader.info.task_payload_size).next_multiple_of(16);
        let needed = count.saturating_mul(components + pointers + private / 8 + scratch / 8 + LANE_COMPONENTS);
        if needed > limits.components as u64 || count.max(private).max(shared).max(scratch).max(payload) > MAX_MEMORY {
            return Err(whole_fault(FaultKind::Budget, format!("{count} invocations need too much memory")));
        }
        let mut first_private = Buffer::starting_with(&resources.private, private as usize);
        layout.set_first_values(shader, &places, &mut first_private);
        let lane = Lane {
            at: 0,
            resumes_at: 0,
            from: None,
            section: Section::Before,
            is_helper: false,
            is_discarded: false,
            private: first_private,
            scratch: Buffer::undefined(scratch as usize),
            outputs: Outputs::new(),
            vertices: Vec::new(),
        };
        Ok(Machine {
            flow: Flow::new(shader),
            registers: Registers::new(shader, count as usize),
            races,
            ends: FxHashMap::default(),
            values: vec![Bits::default(); (count * components) as usize],
            pointers: vec![Pointer::Nowhere; (count * pointers) as usize],
            lanes: vec![lane; count as usize],
            shared: Buffer::starting_with(&resources.shared, shared as usize),
            payload: match shader.stage() {
                Stage::Mesh => resources.payload.clone(),
                _ => Buffer::undefined(payload as usize),
            },
            launched: None,
            meshlet: Meshlet::default(),
            active: Vec::new(),
            faults: Vec::new(),
            reported: FxHashSet::default(),
            open: FxHashSet::default(),
            shader,
            resources,
            inputs,
            workgroup,
            layout,
            places,
            first,
            budget: limits.instructions,
        })
    }

    /// Runs until all invocations have ended; false if the budget is used up.
    fn run(&mut self) -> bool {
        while let Some((at, first)) = self.next_place().filter(|(at, _)| *at < self.shader.cf.len()) {
            let mut active = std::mem::take(&mut self.active);
            active.clear();
            let is_here = |lane: &usize| self.lanes[*lane].place() == (at, first) && !self.is_blocked(*lane);
            active.extend((0..self.lanes.len()).filter(is_here));
            self.active = active;
            match self.shader.cf[at] {
                Cf::Block(block) => {
                    if !self.block((at, first), block) {
                        return false;
                    }
                }
                Cf::If { cond, .. } => self.branch(at, cond),
                Cf::Else => self.move_to(self.flow.partner(at)),
                Cf::EndIf | Cf::Loop | Cf::Continue => self.move_to(at + 1),
                Cf::EndLoop => {
                    // An empty loop has no instruction that counts.
                    if !self.spend(None) {
                        return false;
                    }
                    self.move_to(self.flow.partner(at));
                }
            }
        }
        self.check_sections();
        true
    }

    /// The first item, and the instruction in it, at which an invocation is that can run.
    fn next_place(&self) -> Option<(usize, usize)> {
        (0..self.lanes.len()).filter(|lane| !self.is_blocked(*lane)).map(|lane| self.lanes[lane].place()).min()
    }

    /// Sets the next item of all active invocations.
    fn move_to(&mut self, to: usize) {
        for lane in &self.active {
            self.lanes[*lane].at = to;
        }
    }

    /// Takes an instruction of all active invocations from the budget; false if it is used up.
    fn spend(&mut self, inst: Option<Inst>) -> bool {
        match self.budget.checked_sub(self.active.len() as u64) {
            Some(rest) => {
                self.budget = rest;
                true
            }
            None => {
                self.fault_at(FaultKind::Budget, inst, 0, "more instructions than allowed");
                false
            }
        }
    }

    fn branch(&mut self, at: usize, cond: Def) {
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let taken = self.scalar(cond, lane);
            if !taken.is_defined() {
                let message = format!("the condition {} is undefined", self.shader.shown(cond));
                self.fault_at(FaultKind::UndefinedCondition, Some(cond.inst()), lane, message);
            }
            self.lanes[lane].at = if taken.value != 0 { at + 1 } else { self.flow.partner(at).saturating_add(1) };
        }
    }

    /// Runs a block from an instruction on; false if the budget is used up.
    fn block(&mut self, (at, first): (usize, usize), block: Block) -> bool {
        let shader = self.shader;
        let insts = shader.block_insts(block);
        let phis = insts.iter().take_while(|inst| shader.phi(**inst).is_some()).count();
        if first == 0 {
            self.phis(&insts[..phis]);
        }
        let mut next = at + 1;
        for inst in insts.iter().skip(first.max(phis)) {
            if !self.spend(Some(*inst)) {
                return false;
            }
            match self.step(*inst) {
                Some(jump) => next = self.flow.target(at, jump),
                None if self.active.is_empty() => break,
                None => {}
            }
        }
        for lane in &self.active {
            let lane = &mut self.lanes[*lane];
            (lane.at, lane.resumes_at, lane.from) = (next, 0, Some(block));
        }
        true
    }

    /// Sets all phis of a block at once, because a phi may read the previous value of another one.
    fn phis(&mut self, phis: &[Inst]) {
        let shader = self.shader;
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let from = self.lanes[lane].from;
            let arrived = |src: &&PhiSrc| Some(src.pred) == from;
            let mut arriving = Vec::new();
            for inst in phis {
                let src = shader.phi(*inst).and_then(|srcs| srcs.iter().find(arrived));
                match src {
                    Some(src) => arriving.push(self.value(src.def, lane).to_vec()),
                    None => {
                        self.fault(
                            FaultKind::Invalid,
                            *inst,
                            lane,
                            "the phi has no source for the block that ran before",
                        );
                        arriving.push(Vec::new());
                    }
                }
            }
            for (inst, value) in phis.iter().zip(&arriving) {
                self.set(*inst, lane, value);
            }
        }
    }

    /// Runs one instruction for all active invocations. Returns its jump, if it is one.
    fn step(&mut self, inst: Inst) -> Option<Jump> {
        let shader = self.shader;
        let data = &shader.insts[inst];
        match data.kind {
            InstKind::Alu { op, srcs, .. } => self.alu(inst, op, &shader.alu_srcs[srcs]),
            InstKind::Const(values) => {
                let values: Vec<Bits> = shader.consts[values].iter().map(|value| Bits::new(*value)).collect();
                self.set_all(inst, &values);
            }
            InstKind::Undef => self.set_all(inst, &[]),
            InstKind::Phi(_) => self.fault(FaultKind::Invalid, inst, 0, "a phi after other instructions"),
            InstKind::Deref(deref) => self.deref(inst, &shader.derefs[deref]),
            InstKind::Intrinsic { op, srcs, .. } => self.intrinsic(inst, op, &shader.srcs[srcs]),
            InstKind::Tex(tex) => self.tex(inst, &shader.texs[tex]),
            InstKind::Jump(jump) => return Some(jump),
        }
        None
    }

    fn alu(&mut self, inst: Inst, op: AluOp, srcs: &[AluSrc]) {
        let shader = self.shader;
        let data = shader.insts[inst];
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let mut operands: [(&[Bits], Swizzle, u8); 16] = [(&[], Swizzle::IDENTITY, 0); 16];
            for (operand, src) in operands.iter_mut().zip(srcs) {
                *operand = (self.value(src.def, lane), src.swizzle, shader.bit_size(src.def));
            }
            let count = srcs.len().min(16);
            let is_open = may_be_open(op) && alu::is_any_open(op, &operands[..count], data.num_components);
            match alu::evaluate(op, &operands[..count], (data.num_components, data.bit_size), self.inputs.floats) {
                Some(result) => self.set(inst, lane, &result[..usize::from(data.num_components)]),
                None => {
                    self.fault(FaultKind::Invalid, inst, lane, "a swizzle selects a component that its operand lacks")
                }
            }
            if is_open {
                self.open.insert(inst);
            }
        }
    }

    fn range(&self, def: Def, lane: usize) -> std::ops::Range<usize> {
        let components = usize::from(self.shader.num_components(def));
        let start = self.first[def] as usize * self.lanes.len() + lane * components;
        start..start + components
    }

    /// The components of `def` in invocation `lane`.
    pub(crate) fn value(&self, def: Def, lane: usize) -> &[Bits] {
        match self.shader.def(def).kind {
            InstKind::Deref(_) => &[],
            _ => self.values.get(self.range(def, lane)).unwrap_or(&[]),
        }
    }

    /// The first component of `def` in invocation `lane`.
    pub(crate) fn scalar(&self, def: Def, lane: usize) -> Bits {
        self.value(def, lane).first().copied().unwrap_or(Bits::undef(64))
    }

    /// Sets the result of `inst` in invocation `lane`. Components that are missing become undefined.
    pub(crate) fn set(&mut self, inst: Inst, lane: usize, components: &[Bits]) {
        let bits = self.shader.insts[inst].bit_size;
        let range = self.range(inst.def(), lane);
        for (c, to) in self.values[range].iter_mut().enumerate() {
            *to = components.get(c).copied().unwrap_or(Bits::undef(bits));
        }
    }

    /// Marks the result of `inst` in invocation `lane`, if it has one, as undefined; it keeps its value.
    pub(crate) fn forget_result(&mut self, inst: Inst, lane: usize) {
        let data = self.shader.insts[inst];
        if data.has_def() {
            let range = self.range(inst.def(), lane);
            self.values[range].iter_mut().for_each(|component| *component = Bits::some(component.value, data.bit_size));
        }
    }

    /// Sets the result of `inst` in all active invocations.
    pub(crate) fn set_all(&mut self, inst: Inst, components: &[Bits]) {
        for i in 0..self.active.len() {
            self.set(inst, self.active[i], components);
        }
    }

    /// The result of the deref `def` in invocation `lane`.
    pub(crate) fn pointer(&self, def: Def, lane: usize) -> Pointer {
        match self.shader.def(def).kind {
            InstKind::Deref(_) => self.pointers[self.range(def, lane).start],
            _ => Pointer::Nowhere,
        }
    }

    /// Sets the result of the deref `inst` in invocation `lane`.
    pub(crate) fn set_pointer(&mut self, inst: Inst, lane: usize, pointer: Pointer) {
        let at = self.range(inst.def(), lane).start;
        self.pointers[at] = pointer;
    }

    /// Ends and discards the active invocations for which `ends` holds.
    pub(crate) fn terminate(&mut self, ends: impl Fn(&Self, usize) -> bool) {
        let ended: Vec<usize> = self.active.iter().copied().filter(|lane| ends(self, *lane)).collect();
        for lane in &ended {
            let lane = &mut self.lanes[*lane];
            (lane.at, lane.is_discarded, lane.is_helper) = (END, true, true);
        }
        self.active.retain(|lane| !ended.contains(lane));
    }

    /// Ends the active invocations.
    pub(crate) fn end_active(&mut self) {
        for lane in std::mem::take(&mut self.active) {
            self.lanes[lane].at = END;
        }
    }

    /// Whether an invocation has not ended.
    pub(crate) fn is_running(&self, lane: usize) -> bool {
        self.lanes[lane].at < self.shader.cf.len()
    }

    /// The number of invocations that have not ended.
    pub(crate) fn running(&self) -> usize {
        (0..self.lanes.len()).filter(|lane| self.is_running(*lane)).count()
    }

    /// Makes an invocation run an instruction of its block again when it is active the next time.
    pub(crate) fn run_again(&mut self, lane: usize, inst: Inst) {
        if let Some(Cf::Block(block)) = self.shader.cf.get(self.lanes[lane].at) {
            let place = self.shader.block_insts(*block).iter().position(|it| *it == inst);
            self.lanes[lane].resumes_at = place.unwrap_or(0);
        }
    }

    /// Records a fault of `inst`, once for each kind.
    pub(crate) fn fault(&mut self, kind: FaultKind, inst: Inst, lane: usize, message: impl Into<String>) {
        self.fault_at(kind, Some(inst), lane, message);
    }

    pub(crate) fn fault_at(&mut self, kind: FaultKind, inst: Option<Inst>, lane: usize, message: impl Into<String>) {
        if self.reported.insert((inst, kind)) {
            let line = inst.map_or(0, |inst| self.shader.lines[inst].0);
            self.faults.push(Fault { kind, inst, line, invocation: lane as u32, message: message.into() });
        }
    }
}

fn whole_fault(kind: FaultKind, message: String) -> Fault {
    Fault { kind, inst: None, line: 0, invocation: 0, message }
}
