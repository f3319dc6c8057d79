// SPDX-License-Identifier: MIT

//! Instructions, and the intrinsics that do not belong to a larger family: system values, discards, barriers, clocks.

use super::builtin::{shape, Shape};
use super::interface::View;
use super::late::Section;
use super::memory::Origin;
use super::replaced::{slot_and_component, Place};
use super::{internal, unsupported, Emit, Result};
use crate::error::Error;
use crate::ir::{AluSrc, Def, DerefKind, Inst, InstData, InstKind, Stage, Swizzle};
use crate::op::meaning::{IntrinsicForm, Sampling};
use crate::op::names::{Scope as NirScope, Semantics};
use crate::op::{Access, AluOp, Base, Index, Intrinsic, Modes};
use crate::target::Feature;
use spirv::{BuiltIn, Capability, GlslStd450Op, MemoryAccess, MemorySemantics, Op, Scope, StorageClass};

/// The memory semantics of each mode of a barrier.
const BARRIER_MEMORY: &[(Modes, MemorySemantics)] = &[
    (Modes::IMAGE, MemorySemantics::IMAGE_MEMORY),
    (Modes::SHARED, MemorySemantics::WORKGROUP_MEMORY),
    (Modes::SSBO, MemorySemantics::UNIFORM_MEMORY),
    (Modes::GLOBAL, MemorySemantics::UNIFORM_MEMORY),
    (Modes::SHADER_OUT, MemorySemantics::OUTPUT_MEMORY),
    // Without the Vulkan memory model, a payload is ordered with shared memory only.
    (Modes::TASK_PAYLOAD, MemorySemantics::OUTPUT_MEMORY),
    (Modes::TASK_PAYLOAD, MemorySemantics::WORKGROUP_MEMORY),
];

impl Emit<'_> {
    /// Emits an instruction that is not silent.
    pub(super) fn inst(&mut self, inst: Inst, data: &InstData) -> Result<()> {
        let shader = self.shader;
        // Valid sizes are 0 and the powers of two 1, 8, 16, 32 and 64.
        let strange = data.bit_size & !(1 | 8 | 16 | 32 | 64) | data.bit_size & data.bit_size.wrapping_sub(1);
        if (data.num_components > 4) | (strange != 0) {
            return Err(strange_shape(data));
        }
        if matches!(data.kind, InstKind::Phi(_)) {
            // Phis of loop headers are emitted already.
            return if self.state.values[inst.def()].id == 0 { self.phi(inst, data) } else { Ok(()) };
        }
        self.line(inst);
        // Separate from the other kinds, which use a jump table: a table needs another cache line of constants and an unpredictable
        // jump.
        if let InstKind::Alu { op, flags, srcs } = data.kind {
            if op == AluOp::mov && self.define_moved(inst, data, shader.alu_srcs[srcs][0]) {
                return Ok(());
            }
            let base = self.base(inst.def());
            let id = self.alu(data, base, op, flags, &shader.alu_srcs[srcs])?;
            self.define_as(inst, data, base, id);
            return Ok(());
        }
        let id = match data.kind {
            InstKind::Intrinsic { op, srcs, indices } => match (op, &shader.srcs[srcs], &shader.indices[indices]) {
                (Intrinsic::load_ubo | Intrinsic::load_ubo_vec4, ..) => return self.load_ubo(inst, data),
                (op, ..) if op.is_by_slot() => return self.by_slot(inst, data),
                (Intrinsic::load_deref, [source], [access]) => {
                    self.store_before(op, &[*source])?;
                    let access = Access::from_bits_truncate(*access);
                    Some(self.load_deref(inst, data, *source, access)?)
                }
                (Intrinsic::store_deref, [target, value], [write_mask, access]) => {
                    let access = Access::from_bits_truncate(*access);
                    self.store_deref(*target, *value, *write_mask, access)?;
                    None
                }
                (op, srcs, _) => {
                    self.store_before(op, srcs)?;
                    self.intrinsic(inst, op, srcs)?
                }
            },
            InstKind::Jump(jump) => {
                self.store_rest()?;
                self.jump(jump)?;
                None
            }
            InstKind::Tex(tex) => Some(self.tex(inst, &shader.texs[tex])?),
            _ => None,
        };
        match id {
            Some(id) if data.has_def() => self.define(inst, data, id),
            None if !data.has_def() => {}
            _ => return Err(internal(format!("{} has no result", inst.def()))),
        }
        Ok(())
    }

    #[inline(never)]
    fn intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Result<Option<u32>> {
        if srcs.len() != op.info().srcs.len() {
            return Err(internal(format!("{} has {} sources", op.name(), srcs.len())));
        }
        if let IntrinsicForm::BuiltIn(builtin, _) = op.info().form {
            return self.load_builtin(inst, builtin).map(Some);
        }
        if let (IntrinsicForm::Derivative(op), [src]) = (op.info().form, srcs) {
            return self.derivative(inst, op, *src).map(Some);
        }
        match op {
            _ if op.is_deref_atomic() => self.deref_atomic(inst, srcs[0], &srcs[1..]).map(Some),
            Intrinsic::deref_buffer_array_length => {
                let access = Access::from_bits_retain(self.shader.index(inst, Index::access));
                self.array_length(srcs[0], access).map(Some)
            }
            Intrinsic::load_workgroup_size => Ok(Some(self.workgroup_size())),
            Intrinsic::terminate => {
                self.terminate();
                Ok(None)
            }
            Intrinsic::demote => {
                self.m.capability(Capability::DemoteToHelperInvocation);
                self.m.code.op(Op::DemoteToHelperInvocation, &[]);
                Ok(None)
            }
            Intrinsic::is_helper_invocation => {
                self.m.capability(Capability::DemoteToHelperInvocation);
                let ty = self.m.numeric(Base::Bool, 1, 1);
                Ok(Some(self.m.value(Op::IsHelperInvocationEXT, ty, &[])))
            }
            Intrinsic::barrier => {
                self.barrier(inst);
                Ok(None)
            }
            Intrinsic::shader_clock => Ok(Some(self.shader_clock(inst))),
            Intrinsic::emit_vertex | Intrinsic::end_primitive => {
                self.vertex_stream(inst, op);
                Ok(None)
            }
            Intrinsic::set_vertex_and_primitive_count => {
                let counts = [self.value(srcs[0], Base::Uint)?, self.value(srcs[1], Base::Uint)?];
                self.m.code.op(Op::SetMeshOutputsEXT, &counts);
                Ok(None)
            }
            Intrinsic::launch_mesh_workgroups => self.launch_mesh_workgroups(srcs[0]).map(|()| None),
            Intrinsic::begin_invocation_interlock => {
                self.m.code.op(Op::BeginInvocationInterlockEXT, &[]);
                Ok(None)
            }
            Intrinsic::end_invocation_interlock => {
                self.m.code.op(Op::EndInvocationInterlockEXT, &[]);
                Ok(None)
            }
            Intrinsic::sparse_residency_code => self.residency_code(srcs[0]).map(Some),
            Intrinsic::is_sparse_texels_resident => self.is_resident(inst, srcs[0]).map(Some),
            _ if op.meaning().image.is_some() => self.image(inst, op, srcs),
            _ if op.meaning().sampling.is_some() => self.interpolate(inst, op.meaning().sampling, srcs).map(Some),
            _ => self.subgroup(inst, op, srcs).map(Some),
        }
    }

    /// Loads a system value.
    fn load_builtin(&mut self, inst: Inst, builtin: BuiltIn) -> Result<u32> {
        let data = self.shader.insts[inst];
        let ty = self.builtin_type(builtin);
        let var = self.builtin_variable(builtin, StorageClass::Input, ty);
        let n = data.num_components;
        match shape(builtin) {
            Shape::Vector(base, size) => {
                let bits = if base == Base::Bool { 1 } else { 32 };
                let is_mask = builtin_is_mask(builtin);
                if !is_mask && data.bit_size != bits || n > size {
                    return Err(unsupported(format_args!("{builtin:?} of {n} components of {} bits", data.bit_size)));
                }
                let whole = match builtin {
                    BuiltIn::HelperInvocation if self.may_be_demoted() => match self.vmm {
                        true => self.m.value(Op::Load, ty, &[var, MemoryAccess::VOLATILE.bits()]),
                        false => self.m.value(Op::Load, ty, &[var]),
                    },
                    // Other inputs do not change, so one load serves all instructions that it dominates.
                    _ => self.load_once(var, ty),
                };
                if is_mask {
                    return self.ballot_words(whole, data.bit_size, n);
                }
                Ok(self.swizzled(whole, base, bits, size, Swizzle::IDENTITY, n))
            }
            Shape::Array(base, _) => {
                let elem = self.m.numeric(base, 32, 1);
                let pointer = self.m.pointer(StorageClass::Input, elem);
                let mut parts = [0; 4];
                for (index, part) in (0..u32::from(n)).zip(&mut parts) {
                    let index = self.m.uint(index);
                    let at = self.pure(Op::AccessChain, pointer, &[var, index]);
                    *part = self.load_once(at, elem);
                }
                if n == 1 {
                    return Ok(parts[0]);
                }
                let ty = self.m.numeric(base, 32, n);
                Ok(self.pure(Op::CompositeConstruct, ty, &parts[..usize::from(n)]))
            }
        }
    }

    /// Interpolates an input at a place of the shader's choice.
    fn interpolate(&mut self, inst: Inst, sampling: Option<Sampling>, srcs: &[Def]) -> Result<u32> {
        let op = match sampling {
            Some(Sampling::Centroid) => GlslStd450Op::InterpolateAtCentroid,
            Some(Sampling::AtSample) => GlslStd450Op::InterpolateAtSample,
            Some(Sampling::AtOffset) => GlslStd450Op::InterpolateAtOffset,
            _ => return Err(unsupported("interpolation there")),
        };
        let data = self.shader.insts[inst];
        let pointer = self.pointer(srcs[0], Base::Float, self.access(inst))?;
        if pointer.class != StorageClass::Input || pointer.base != Base::Float || data.bit_size != 32 {
            return Err(unsupported("interpolation of a value that is not a float input"));
        }
        self.m.capability(Capability::InterpolationFunction);
        let ty = self.m.numeric(Base::Float, 32, data.num_components);
        let place = match op {
            GlslStd450Op::InterpolateAtSample => Some(self.value(srcs[1], Base::Uint)?),
            GlslStd450Op::InterpolateAtOffset => Some(self.value(srcs[1], Base::Float)?),
            _ => None,
        };
        let id = self.m.id();
        let turned = match (op, place) {
            (GlslStd450Op::InterpolateAtOffset, Some(offset)) => self.turned_offset(offset),
            _ => None,
        };
        let redirect = match pointer.origin {
            Origin::Var(var) => self.state.redirects.get(self.state.vars[var].ids[0]),
            Origin::Address { .. } => None,
        };
        let start = self.m.mark(Section::Code);
        self.interpolate_at(op, [ty, id], pointer.id, place);
        if let Some((offset, turn)) = turned {
            self.m.end_range(Section::Code, start, turn.stays);
            let start = self.m.mark(Section::Code);
            self.interpolate_at(op, [ty, id], pointer.id, Some(offset));
            self.m.end_range(Section::Code, start, turn.away);
        }
        if let Some(redirect) = redirect {
            self.m.end_range(Section::Code, start, redirect.stays);
            // An input that no stage writes has the same value everywhere.
            let start = self.m.mark(Section::Code);
            self.m.code.op(Op::Load, &[ty, id, pointer.id]);
            self.m.end_range(Section::Code, start, redirect.away);
        }
        let read_at = match (op, place) {
            (GlslStd450Op::InterpolateAtOffset, Some(offset)) => Place::Offset(offset),
            (GlslStd450Op::InterpolateAtSample, _) if !self.is_own_sample(srcs[1]) => Place::Sample,
            _ => Place::Fragment,
        };
        Ok(self.unless_sprite(|shader| slot_and_component(shader, srcs[0]), &pointer, id, read_at))
    }

    /// Whether `sample` is the number of the sample that is shaded.
    fn is_own_sample(&self, sample: Def) -> bool {
        matches!(self.shader.as_intrinsic(sample.inst()), Some((Intrinsic::load_sample_id, _)))
    }

    fn interpolate_at(&mut self, op: GlslStd450Op, [ty, id]: [u32; 2], pointer: u32, place: Option<u32>) {
        let set = self.m.glsl();
        let operands = [pointer, place.unwrap_or(0)];
        self.m.code.op2(Op::ExtInst, &[ty, id, set, op as u32], &operands[..1 + usize::from(place.is_some())]);
    }

    /// Ends the invocation without side effects. OpKill is deprecated in versions with an alternative.
    fn terminate(&mut self) {
        let core = self.m.version >= (1, 6);
        let op = if core || self.target.has(Feature::shaderTerminateInvocation) {
            Op::TerminateInvocation
        } else {
            Op::Kill
        };
        if op == Op::TerminateInvocation && !core {
            self.m.extension("SPV_KHR_terminate_invocation");
        }
        self.leave(op);
    }

    fn scope_index(&self, inst: Inst, index: Index) -> NirScope {
        NirScope::ALL.get(self.shader.index(inst, index) as usize).copied().unwrap_or(NirScope::none)
    }

    /// The SPIR-V scope of the same width that Vulkan supports (Vulkan, Scope validation rules).
    fn scope(&self, scope: NirScope) -> Scope {
        match scope {
            NirScope::none | NirScope::invocation | NirScope::shader_call => Scope::Invocation,
            NirScope::subgroup => Scope::Subgroup,
            NirScope::workgroup => Scope::Workgroup,
            NirScope::queue_family | NirScope::device => {
                let device = self.target.has(Feature::vulkanMemoryModelDeviceScope);
                match self.vmm {
                    true if scope == NirScope::queue_family || !device => Scope::QueueFamily,
                    _ => Scope::Device,
                }
            }
        }
    }

    /// Whether memory can be ordered in the scope of a workgroup.
    fn has_workgroup_memory(&self) -> bool {
        let stage = self.shader.stage();
        stage.has_grid() || stage == Stage::TessCtrl && self.vmm
    }

    /// A barrier: an execution barrier if it has an execution scope, a memory barrier if it has a memory scope.
    fn barrier(&mut self, inst: Inst) {
        let execution = self.scope_index(inst, Index::execution_scope);
        let memory = self.scope_index(inst, Index::memory_scope);
        let semantics = match memory {
            NirScope::none | NirScope::invocation | NirScope::shader_call => MemorySemantics::RELAXED,
            _ => self.barrier_semantics(inst),
        };
        let scope = match semantics {
            MemorySemantics::RELAXED => Scope::Invocation,
            // Vulkan 1.0 has no subgroup scope for memory; a wider scope is correct, too
            // (VUID-StandaloneSpirv-SubgroupVoteKHR-06997).
            _ if memory == NirScope::subgroup && self.m.version < (1, 3) => self.scope(NirScope::device),
            // Compute shaders have workgroup memory; patches only in the Vulkan memory model (Vulkan, Scope validation rules).
            _ if memory == NirScope::workgroup && !self.has_workgroup_memory() => self.scope(NirScope::device),
            _ => self.scope(memory),
        };
        if execution == NirScope::none && semantics == MemorySemantics::RELAXED {
            // A memory barrier without memory semantics is invalid (VUID-StandaloneSpirv-OpMemoryBarrier-04732).
            return;
        }
        let (scope, semantics) = (self.m.uint(scope as u32), self.m.uint(semantics.bits()));
        if execution != NirScope::none {
            let execution = match self.shader.stage() {
                // A tessellation patch has the workgroup scope (Vulkan, Scope validation rules).
                Stage::TessCtrl => Scope::Workgroup,
                _ => self.scope(execution),
            };
            let execution = self.m.uint(execution as u32);
            self.m.code.op(Op::ControlBarrier, &[execution, scope, semantics]);
        } else {
            self.m.code.op(Op::MemoryBarrier, &[scope, semantics]);
        }
    }

    fn barrier_semantics(&mut self, inst: Inst) -> MemorySemantics {
        let mut modes = Modes::from_bits_truncate(self.shader.index(inst, Index::memory_modes));
        if modes.is_empty() {
            // GLSL's barrier() orders shared memory only, and Mesa removes that mode from a shader without shared memory. But
            // programs rely on it for buffers, as drivers order all memory. zink's own translator does the same.
            modes = Modes::SHARED | Modes::SSBO | Modes::IMAGE;
        }
        let order = Semantics::from_bits_truncate(self.shader.index(inst, Index::memory_semantics));
        let mut memory = MemorySemantics::RELAXED;
        for (mode, semantics) in BARRIER_MEMORY {
            // Without the Vulkan memory model there are no semantics for outputs (SPIR-V 3.25).
            if modes.contains(*mode) && (self.vmm || *semantics != MemorySemantics::OUTPUT_MEMORY) {
                memory |= *semantics;
            }
        }
        if memory == MemorySemantics::RELAXED {
            return memory;
        }
        memory |= match (order.contains(Semantics::ACQUIRE), order.contains(Semantics::RELEASE)) {
            (true, false) => MemorySemantics::ACQUIRE,
            (false, true) => MemorySemantics::RELEASE,
            _ => MemorySemantics::ACQUIRE_RELEASE,
        };
        if self.vmm {
            // The order determines which of the two is valid (SPIR-V 3.25).
            if !memory.contains(MemorySemantics::ACQUIRE) {
                memory |= MemorySemantics::MAKE_AVAILABLE;
            }
            if !memory.contains(MemorySemantics::RELEASE) {
                memory |= MemorySemantics::MAKE_VISIBLE;
            }
        }
        memory
    }

    /// The clock as two 32-bit words.
    fn shader_clock(&mut self, inst: Inst) -> u32 {
        self.m.capability(Capability::ShaderClockKHR);
        let scope = match self.scope_index(inst, Index::memory_scope) {
            NirScope::device | NirScope::queue_family => Scope::Device,
            _ => Scope::Subgroup,
        };
        let scope = self.m.uint(scope as u32);
        let ty = self.m.numeric(Base::Uint, 32, 2);
        self.m.value(Op::ReadClockKHR, ty, &[scope])
    }

    /// Ends a task shader, and starts workgroups of the mesh shader that read the payload.
    fn launch_mesh_workgroups(&mut self, size: Def) -> Result<()> {
        let shader = self.shader;
        let mut operands = [0; 4];
        for (c, operand) in (0..3).zip(&mut operands) {
            *operand = self.src(&AluSrc { def: size, swizzle: Swizzle::splat(c) }, 1, Base::Uint)?;
        }
        let is_payload = |inst: &Inst| match shader.as_deref(inst.def())?.kind {
            DerefKind::Var(var) => Some(var).filter(|var| shader.vars[*var].mode == Modes::TASK_PAYLOAD),
            _ => None,
        };
        let payload = shader.order.iter().find_map(is_payload);
        if let Some(var) = payload {
            operands[3] = self.variable(var, View::Whole)?;
        }
        self.close(Op::EmitMeshTasksEXT, &operands[..3 + usize::from(payload.is_some())]);
        Ok(())
    }

    fn vertex_stream(&mut self, inst: Inst, op: Intrinsic) {
        let emits = op == Intrinsic::emit_vertex;
        if emits {
            self.call_epilogue();
        }
        if !self.m.has_capability(Capability::GeometryStreams) {
            self.m.code.op(if emits { Op::EmitVertex } else { Op::EndPrimitive }, &[]);
            return;
        }
        let stream = self.m.uint(self.shader.index(inst, Index::stream_id));
        self.m.code.op(if emits { Op::EmitStreamVertex } else { Op::EndStreamPrimitive }, &[stream]);
    }
}

#[cold]
fn strange_shape(data: &InstData) -> Box<Error> {
    match data.num_components {
        0..=4 => internal(format!("a value of {} bits", data.bit_size)),
        _ => unsupported("a vector of more than four components"),
    }
}

/// True for the built-ins that are ballots.
fn builtin_is_mask(builtin: BuiltIn) -> bool {
    use BuiltIn::*;
    matches!(builtin, SubgroupEqMask | SubgroupGeMask | SubgroupGtMask | SubgroupLeMask | SubgroupLtMask)
}
