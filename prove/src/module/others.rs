// SPDX-License-Identifier: MIT

//! What concerns other invocations and other stages: barriers, groups, derivatives, emitted vertices, meshes.

use super::types::{word, Type};
use super::{Module, Reason};
use crate::flow::{Machine, Obligation};
use crate::term::Term;
use crate::world::{self, Space};
use rspirv::dr::{Instruction, Operand};
use spirv::{ExecutionModel, GroupOperation, Op, Scope};

/// The kinds of memory that a barrier orders, and the scopes: numbers of SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The invocations that wait for each other.
    pub execution: Option<u32>,
    /// The invocations to which writes are made visible.
    pub memory: u32,
    /// The kinds of memory: [`Barrier::BLOCKS`] and so on.
    pub kinds: u32,
}

impl Barrier {
    /// Storage blocks and memory by address: UniformMemory.
    pub const BLOCKS: u32 = 0x40;
    /// The memory of the workgroup: WorkgroupMemory.
    pub const SHARED: u32 = 0x100;
    /// Images: ImageMemory.
    pub const IMAGES: u32 = 0x800;
    /// Outputs of tessellation control shaders, and the payload of task shaders: OutputMemory.
    pub const OUTPUTS: u32 = 0x1000;
    /// All kinds.
    pub const ALL: u32 = Barrier::BLOCKS | Barrier::SHARED | Barrier::IMAGES | Barrier::OUTPUTS;

    fn name(self) -> String {
        let execution = self.execution.map_or("none", scope);
        // Outputs have a scope of their own: the patch.
        let memory = if self.kinds & !Barrier::OUTPUTS == 0 { "none" } else { scope(self.memory) };
        format!("barrier execution={execution} memory={memory} kinds={:#x}", self.kinds)
    }

    /// Whether other invocations may change a space until it ends.
    fn concerns(self, space: Space) -> bool {
        let kind = match space {
            Space::Shared => Barrier::SHARED,
            Space::Storage(..) | Space::Global => Barrier::BLOCKS,
            Space::Image(..) => Barrier::IMAGES,
            Space::Output(..) | Space::BuiltIn(_) | Space::Payload => Barrier::OUTPUTS,
            _ => 0,
        };
        self.kinds & kind != 0
    }
}

/// Whether these are names of barriers that are the same, but for memory, which the second orders for more invocations.
pub fn is_wider_barrier(name: &str, wider: &str) -> bool {
    const SCOPES: [&str; 5] = ["invocation", "subgroup", "workgroup", "device", "cross device"];
    let parts = |name: &str| -> Option<(String, usize)> {
        let (start, rest) = name.strip_prefix("barrier ")?.split_once("memory=")?;
        let (memory, end) = rest.split_once(" kinds=")?;
        Some((format!("{start}{end}"), SCOPES.iter().position(|scope| *scope == memory)?))
    };
    parts(name).zip(parts(wider)).is_some_and(|(a, b)| a.0 == b.0 && a.1 <= b.1)
}

fn scope(number: u32) -> &'static str {
    match number {
        0 => "cross device",
        1 => "device",
        2 => "workgroup",
        3 => "subgroup",
        4 => "invocation",
        5 => "queue family",
        6 => "shader call",
        _ => "other",
    }
}

/// The state of memory that others may have changed up to a barrier.
pub const AFTER_BARRIER: &str = "after barrier";

/// A barrier: it happens, and what others may have written to the spaces in `visible` by then is not known.
pub fn barrier(machine: &mut Machine<'_>, barrier: Barrier, visible: &[Space]) {
    if barrier.execution.is_none() && barrier.kinds == 0 {
        return;
    }
    world::happen(machine, &barrier.name(), &[]);
    forget(machine, AFTER_BARRIER, visible.iter().copied().filter(|space| barrier.concerns(*space)));
}

/// The start or the end of a critical section: what others may have written to the spaces in `visible` by then is not known.
pub fn interlock(machine: &mut Machine<'_>, name: &str, visible: &[Space]) {
    world::happen(machine, name, &[]);
    let is_memory = |space: &Space| matches!(space, Space::Storage(..) | Space::Global | Space::Image(..));
    forget(machine, "after interlock", visible.iter().copied().filter(is_memory));
}

/// Makes the states of memory those after what has happened.
fn forget(machine: &mut Machine<'_>, name: &str, spaces: impl Iterator<Item = Space>) {
    let events = machine.space(Space::Events);
    for space in spaces {
        let before = machine.space(space);
        let after = machine.arena.symbol(name, 0, &[before, events]);
        machine.set_space(space, after);
    }
}

/// Functions of other invocations: the name as in NIR, and whether they take all components at once.
const GROUPS: &[(Op, &str, bool)] = &[
    (Op::GroupNonUniformElect, "elect", true),
    (Op::GroupNonUniformAll, "vote_all", true),
    (Op::GroupNonUniformAny, "vote_any", true),
    (Op::GroupNonUniformBroadcast, "read_invocation", false),
    (Op::GroupNonUniformBroadcastFirst, "read_first_invocation", false),
    (Op::GroupNonUniformBallot, "ballot", true),
    (Op::GroupNonUniformInverseBallot, "inverse_ballot", true),
    (Op::GroupNonUniformBallotBitExtract, "ballot_bitfield_extract", true),
    (Op::GroupNonUniformBallotFindLSB, "ballot_find_lsb", true),
    (Op::GroupNonUniformBallotFindMSB, "ballot_find_msb", true),
    (Op::GroupNonUniformShuffle, "shuffle", false),
    (Op::GroupNonUniformShuffleXor, "shuffle_xor", false),
    (Op::GroupNonUniformShuffleUp, "shuffle_up", false),
    (Op::GroupNonUniformShuffleDown, "shuffle_down", false),
    (Op::GroupNonUniformQuadBroadcast, "quad_broadcast", false),
    (Op::GroupNonUniformRotateKHR, "shuffle", false),
    (Op::SubgroupBallotKHR, "ballot", true),
    (Op::SubgroupFirstInvocationKHR, "read_first_invocation", false),
    (Op::SubgroupReadInvocationKHR, "read_invocation", false),
    (Op::SubgroupAllKHR, "vote_all", true),
    (Op::SubgroupAnyKHR, "vote_any", true),
];

/// Reductions and scans, with the operation as NIR names it.
const REDUCTIONS: &[(Op, &str)] = &[
    (Op::GroupNonUniformIAdd, "iadd"),
    (Op::GroupNonUniformFAdd, "fadd"),
    (Op::GroupNonUniformIMul, "imul"),
    (Op::GroupNonUniformFMul, "fmul"),
    (Op::GroupNonUniformSMin, "imin"),
    (Op::GroupNonUniformUMin, "umin"),
    (Op::GroupNonUniformFMin, "fmin"),
    (Op::GroupNonUniformSMax, "imax"),
    (Op::GroupNonUniformUMax, "umax"),
    (Op::GroupNonUniformFMax, "fmax"),
    (Op::GroupNonUniformBitwiseAnd, "iand"),
    (Op::GroupNonUniformBitwiseOr, "ior"),
    (Op::GroupNonUniformBitwiseXor, "ixor"),
    (Op::GroupNonUniformLogicalAnd, "iand"),
    (Op::GroupNonUniformLogicalOr, "ior"),
    (Op::GroupNonUniformLogicalXor, "ixor"),
];

/// Differences between neighbours in a quad.
const DERIVATIVES: &[(Op, &str)] = &[
    (Op::DPdx, "ddx"),
    (Op::DPdy, "ddy"),
    (Op::Fwidth, "fwidth"),
    (Op::DPdxFine, "ddx_fine"),
    (Op::DPdyFine, "ddy_fine"),
    (Op::FwidthFine, "fwidth_fine"),
    (Op::DPdxCoarse, "ddx_coarse"),
    (Op::DPdyCoarse, "ddy_coarse"),
    (Op::FwidthCoarse, "fwidth_coarse"),
];

/// Atomic operations, as NIR names them.
const ATOMICS: &[(Op, &str)] = &[
    (Op::AtomicExchange, "xchg"),
    (Op::AtomicIAdd, "iadd"),
    (Op::AtomicSMin, "imin"),
    (Op::AtomicUMin, "umin"),
    (Op::AtomicSMax, "imax"),
    (Op::AtomicUMax, "umax"),
    (Op::AtomicAnd, "iand"),
    (Op::AtomicOr, "ior"),
    (Op::AtomicXor, "ixor"),
    (Op::AtomicFAddEXT, "fadd"),
    (Op::AtomicFMinEXT, "fmin"),
    (Op::AtomicFMaxEXT, "fmax"),
];

impl Module {
    /// Instructions that concern other invocations or stages; `None` if it is another one.
    pub(super) fn other(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Option<Vec<Term>>> {
        let op = it.class.opcode;
        if let Some((_, name)) = DERIVATIVES.iter().find(|row| row.0 == op) {
            let value = self.operand_value(machine, it, 0)?;
            let of = |term: &Term| {
                let width = machine.arena.width(*term);
                machine.arena.symbol(name, width, &[*term])
            };
            return Ok(Some(value.iter().map(of).collect()));
        }
        if let Some(terms) = self.group(machine, it)? {
            return Ok(Some(terms));
        }
        if let Some(term) = self.atomic_operation(machine, it)? {
            return Ok(Some(vec![term]));
        }
        match op {
            Op::ControlBarrier | Op::MemoryBarrier => self.barrier(machine, it)?,
            Op::EmitVertex | Op::EndPrimitive | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
                self.emit(machine, it)?;
            }
            Op::SetMeshOutputsEXT => {
                let counts = [self.one(machine, self.operand(it, 0)?)?, self.one(machine, self.operand(it, 1)?)?];
                world::happen(machine, "set mesh outputs", &counts);
            }
            Op::BeginInvocationInterlockEXT => interlock(machine, "begin_invocation_interlock", &self.visible),
            Op::EndInvocationInterlockEXT => interlock(machine, "end_invocation_interlock", &self.visible),
            Op::ReadClockKHR => return self.clock(machine, it).map(Some),
            Op::IsHelperInvocationEXT => return Ok(Some(vec![world::is_helper(machine)])),
            _ => return Ok(None),
        }
        Ok(Some(Vec::new()))
    }

    fn barrier(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let is_control = it.class.opcode == Op::ControlBarrier;
        let first = usize::from(is_control);
        let execution = if is_control { Some(self.number_of(machine, it, 0)? as u32) } else { None };
        let memory = self.number_of(machine, it, first)? as u32;
        let mut kinds = self.number_of(machine, it, first + 1)? as u32 & Barrier::ALL;
        if memory == Scope::Invocation as u32 {
            kinds = 0;
        }
        // SPIR-V, OpControlBarrier: it makes outputs of tessellation control shaders visible.
        if is_control && self.stage == ExecutionModel::TessellationControl {
            kinds |= Barrier::OUTPUTS;
        }
        barrier(machine, Barrier { execution, memory, kinds }, &self.visible);
        Ok(())
    }

    fn emit(&mut self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let op = it.class.opcode;
        let stream = match op {
            Op::EmitStreamVertex | Op::EndStreamPrimitive => self.number_of(machine, it, 0)?,
            _ => 0,
        };
        if matches!(op, Op::EndPrimitive | Op::EndStreamPrimitive) {
            world::end_primitive(machine, stream as u32);
            return Ok(());
        }
        // Of the other streams, nothing is drawn.
        if stream == 0 {
            self.keep_unwritten(machine);
        }
        world::emit_vertex(machine, stream as u32, &self.output_cells);
        Ok(())
    }

    /// Built-in outputs that the reference does not write have to be left as they are.
    fn keep_unwritten(&self, machine: &mut Machine<'_>) {
        let is_other = |space: &Space| space.has_default() && !self.output_cells.iter().any(|cell| cell.0 == *space);
        let others: Vec<Space> = machine.state.spaces().filter(is_other).collect();
        for space in others {
            let found = machine.space(space);
            if !machine.arena.is_undefined(found) {
                let expected = machine.arena.symbol(world::NOTHING, 0, &[]);
                machine.obligations.push(Obligation { what: format!("{space:?} of a vertex"), expected, found });
            }
        }
    }

    /// OpEmitMeshTasksEXT, which is also the end of its block.
    pub(super) fn emit_mesh_tasks(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<()> {
        let mut counts = Vec::new();
        for i in 0..3 {
            counts.push(self.one(machine, self.operand(it, i)?)?);
        }
        world::happen(machine, world::LAUNCH, &counts);
        Ok(())
    }

    fn clock(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Vec<Term>> {
        let words = world::clock(machine, scope(self.number_of(machine, it, 0)? as u32));
        match self.types.widths(it.result_type.unwrap_or(0))?.len() {
            1 => Ok(vec![machine.arena.joined(&words)]),
            _ => Ok(words.to_vec()),
        }
    }

    fn group(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Option<Vec<Term>>> {
        let op = it.class.opcode;
        let is_khr = it.class.opname.starts_with("Subgroup");
        let row = GROUPS.iter().find(|row| row.0 == op);
        let reduction = REDUCTIONS.iter().find(|row| row.0 == op);
        let (name, first, at_once) = match (row, reduction, op) {
            (Some((_, name, at_once)), ..) => ((*name).to_owned(), 1, *at_once),
            (_, Some((_, name)), _) => (self.reduction(machine, it, name)?, 2, false),
            (.., Op::GroupNonUniformBallotBitCount) => {
                let kind = match group_operation(it)? {
                    GroupOperation::Reduce => "reduce",
                    GroupOperation::InclusiveScan => "inclusive",
                    GroupOperation::ExclusiveScan => "exclusive",
                    _ => return Err("another operation on a group".into()),
                };
                (format!("ballot_bit_count_{kind}"), 2, true)
            }
            (.., Op::GroupNonUniformAllEqual | Op::SubgroupAllEqualKHR) => {
                let at = usize::from(!is_khr);
                let ty = self.result_types.get(&self.operand(it, at)?).copied().unwrap_or(0);
                let part = match self.types.get(ty) {
                    Type::Vector(part, _) => *part,
                    _ => ty,
                };
                let is_float = matches!(self.types.get(part), Type::Float(_));
                (if is_float { "vote_feq" } else { "vote_ieq" }.to_owned(), 1, true)
            }
            (.., Op::GroupNonUniformQuadSwap) => {
                let direction = match self.number_of(machine, it, 2)? {
                    0 => "horizontal",
                    1 => "vertical",
                    _ => "diagonal",
                };
                (format!("quad_swap_{direction}"), 1, false)
            }
            _ => return Ok(None),
        };
        if !is_khr && self.number_of(machine, it, 0)? != 3 {
            return Err("a group that is no subgroup".into());
        }
        let first = if is_khr { 0 } else { first };
        let mut operands = self.group_operands(machine, it, first)?;
        if op == Op::GroupNonUniformRotateKHR {
            let cluster = operands.get(2).map(|_| self.number_of(machine, it, first + 2)).transpose()?;
            operands.truncate(2);
            operands[1] = vec![world::rotated(machine.arena, operands[1][0], cluster)];
        }
        let widths = self.types.widths(it.result_type.unwrap_or(0))?;
        let mut terms = Vec::new();
        for (c, width) in widths.iter().enumerate() {
            let mut args: Vec<Term> = match (at_once, operands.split_first()) {
                (false, Some((value, rest))) => {
                    let part = *value.get(c).ok_or("an operand with fewer components")?;
                    [part].into_iter().chain(rest.iter().flatten().copied()).collect()
                }
                _ => operands.iter().flatten().copied().collect(),
            };
            args.push(machine.state.path);
            let name = if name == "ballot" { format!("ballot: component {c}") } else { name.clone() };
            terms.push(machine.arena.symbol(&name, *width, &args));
        }
        Ok(Some(terms))
    }

    /// The operands of a group operation, without those that are part of its name.
    fn group_operands(&self, machine: &Machine<'_>, it: &Instruction, first: usize) -> Reason<Vec<Vec<Term>>> {
        let count = match it.class.opcode {
            Op::GroupNonUniformQuadSwap => first + 1,
            op if REDUCTIONS.iter().any(|row| row.0 == op) => first + 1,
            _ => it.operands.len(),
        };
        (first..count).map(|i| Ok(self.operand_value(machine, it, i)?.to_vec())).collect()
    }

    fn reduction(&self, machine: &Machine<'_>, it: &Instruction, name: &str) -> Reason<String> {
        Ok(match group_operation(it)? {
            GroupOperation::Reduce => format!("reduce {name}"),
            GroupOperation::InclusiveScan => format!("inclusive_scan {name}"),
            GroupOperation::ExclusiveScan => format!("exclusive_scan {name}"),
            GroupOperation::ClusteredReduce => {
                format!("reduce {name} cluster {}", self.number_of(machine, it, 3)?)
            }
            _ => return Err("another operation on a group".into()),
        })
    }

    /// OpAtomic..., but for loads and stores; `None` if it is another instruction.
    fn atomic_operation(&self, machine: &mut Machine<'_>, it: &Instruction) -> Reason<Option<Term>> {
        let op = it.class.opcode;
        let row = ATOMICS.iter().find(|row| row.0 == op).map(|row| row.1);
        let value = |i: usize| self.one(machine, self.operand(it, i)?);
        let width = |ty: Option<u32>| self.types.scalar(ty.unwrap_or(0)).ok_or("an atomic that is no scalar");
        let (name, args) = match (row, op) {
            (Some(name), _) => (name, vec![value(3)?]),
            (_, Op::AtomicCompareExchange) => ("cmpxchg", vec![value(5)?, value(4)?]),
            (_, Op::AtomicISub) => {
                let value = value(3)?;
                let width = machine.arena.width(value);
                ("iadd", vec![machine.arena.combination(width, 0, &[(value, u64::MAX)])])
            }
            (_, Op::AtomicIIncrement) => ("iadd", vec![machine.arena.constant(width(it.result_type)?, 1)]),
            (_, Op::AtomicIDecrement) => ("iadd", vec![machine.arena.constant(width(it.result_type)?, u64::MAX)]),
            _ => return Ok(None),
        };
        let width = width(it.result_type)?;
        let pointer = self.operand(it, 0)?;
        match self.image_atomic(machine, pointer, name, &args, width)? {
            Some(before) => Ok(Some(before)),
            None => self.atomic(machine, pointer, name, &args, width).map(Some),
        }
    }
}

fn group_operation(it: &Instruction) -> Reason<GroupOperation> {
    match it.operands.get(1) {
        Some(Operand::GroupOperation(operation)) => Ok(*operation),
        other => Err(format!("no operation on a group: {}", other.map_or(0, word))),
    }
}
