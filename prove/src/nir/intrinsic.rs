// SPDX-License-Identifier: MIT

//! Intrinsics: the dispatch to the files that run them, system values, and what happens in order.

use super::io::builtin_scalar;
use super::Nir;
use crate::flow::{Machine, Step};
use crate::module::{barrier, interlock, Barrier};
use crate::term::{Arena, Term};
use crate::world::{self, happen, push_constants, read_bytes, Input, Interpolation, Place, Space};
use ntv::entity::Id;
use ntv::ir::{Def, Inst, Jump, Stage};
use ntv::op::meaning::{IntrinsicForm, MemoryKind};
use ntv::op::names::{varying, InterpMode};
use ntv::op::{slots, zink, AluOp, Base, Index, Intrinsic, Modes};
use ntv::Feature;
use spirv::BuiltIn;

/// The kinds of memory of a barrier, by the modes of NIR.
const KINDS: [(Modes, u32); 4] = [
    (Modes::SSBO.union(Modes::GLOBAL), Barrier::BLOCKS),
    (Modes::SHARED, Barrier::SHARED),
    (Modes::IMAGE, Barrier::IMAGES),
    (Modes::SHADER_OUT.union(Modes::TASK_PAYLOAD), Barrier::OUTPUTS),
];

/// The specialization constants of a workgroup's size.
const SIZE_IDS: [u32; 3] = [1, 2, 3];

/// Masks of the invocations of a subgroup.
const MASKS: [Intrinsic; 5] = [
    Intrinsic::load_subgroup_eq_mask,
    Intrinsic::load_subgroup_ge_mask,
    Intrinsic::load_subgroup_gt_mask,
    Intrinsic::load_subgroup_le_mask,
    Intrinsic::load_subgroup_lt_mask,
];

impl Nir<'_> {
    /// Runs an intrinsic. A jump ends the invocation.
    pub(super) fn intrinsic(
        &mut self,
        machine: &mut Machine<'_>,
        inst: Inst,
        op: Intrinsic,
        srcs: &[Def],
    ) -> Step<Option<Jump>> {
        use Intrinsic::*;
        let memory = op.info().memory.filter(|access| access.kind != MemoryKind::Deref);
        if let Some(access) = memory {
            self.access(machine, inst, access, srcs)?;
            return Ok(None);
        }
        if let Some(io) = op.meaning().io {
            self.explicit_io(machine, inst, (op, io), srcs)?;
            return Ok(None);
        }
        if self.is_barycentric(inst) {
            let zero = machine.arena.constant(32, 0);
            self.set(machine, inst, vec![zero; self.shader.insts[inst].num_components.into()]);
            return Ok(None);
        }
        match op {
            decl_reg | load_reg | store_reg | load_reg_indirect | store_reg_indirect => {
                self.register(machine, inst, op, srcs)?;
            }
            load_deref => self.load_deref(machine, inst, srcs)?,
            store_deref => self.store_deref(machine, inst, srcs)?,
            deref_buffer_array_length => self.array_length(machine, inst, srcs)?,
            _ if op.is_deref_atomic() => self.deref_atomic(machine, inst, srcs)?,
            _ if op.meaning().sampling.is_some() => self.interpolate(machine, inst, op, srcs)?,
            emit_vertex | emit_vertex_with_counter => self.emit(machine, inst, true),
            end_primitive | end_primitive_with_counter => self.emit(machine, inst, false),
            set_vertex_and_primitive_count if self.shader.stage() == Stage::Mesh => {
                let counts = [self.scalar(machine, srcs[0]), self.scalar(machine, srcs[1])];
                happen(machine, "set mesh outputs", &counts);
            }
            set_vertex_and_primitive_count => {}
            launch_mesh_workgroups => {
                let counts = self.scalars(machine, srcs[0]);
                happen(machine, world::LAUNCH, &counts);
                return Ok(Some(Jump::Halt));
            }
            begin_invocation_interlock | end_invocation_interlock => interlock(machine, op.name(), &self.visible),
            terminate => {
                self.discard(machine, None);
                return Ok(Some(Jump::Halt));
            }
            demote => self.discard(machine, None),
            terminate_if | demote_if => {
                let condition = self.scalar(machine, srcs[0]);
                self.discard(machine, Some(condition));
            }
            barrier => self.barrier(machine, inst),
            shader_clock => {
                let is_device = matches!(self.scope(self.shader.index(inst, Index::memory_scope)), Some(1 | 5));
                let words = world::clock(machine, if is_device { "device" } else { "subgroup" });
                self.set(machine, inst, words.to_vec());
            }
            is_helper_invocation => {
                let term = world::is_helper(machine);
                self.set(machine, inst, vec![term]);
            }
            _ if self.residency(machine, inst, op, srcs)? => {}
            _ if op.meaning().image.is_some() => self.image(machine, inst, op, srcs)?,
            _ => {
                if !self.subgroup(machine, inst, op, srcs)? {
                    self.system_value(machine, inst, op)?;
                }
            }
        }
        Ok(None)
    }

    /// Makes a vertex, or ends a primitive. A shader of at most no vertices makes none.
    fn emit(&mut self, machine: &mut Machine<'_>, inst: Inst, is_vertex: bool) {
        let stream = self.shader.index(inst, Index::stream_id);
        if self.shader.info.vertices_out == 0 {
            return;
        }
        if !is_vertex {
            world::end_primitive(machine, stream);
            return;
        }
        self.open_distances(machine, stream);
        world::emit_vertex(machine, stream, &self.output_cells);
        self.define_distances(machine);
    }

    /// What is known where the shader starts.
    pub(super) fn start(&mut self, machine: &mut Machine<'_>) {
        self.define_distances(machine);
        let info = &self.shader.info;
        if !self.shader.stage().has_grid() || info.workgroup_size_variable {
            return;
        }
        let size = info.workgroup_size.map(u64::from);
        let ids = (0..).zip(size).map(|(c, size)| (BuiltIn::LocalInvocationId, c, size));
        for (builtin, c, size) in ids.chain([(BuiltIn::LocalInvocationIndex, 0, size.iter().product())]) {
            let number = builtin_scalar(machine.arena, builtin, 32, c);
            machine.limit(number, size);
            if size == 1 {
                self.promises.push((number, machine.arena.constant(32, 0)));
            }
        }
    }

    /// Makes the invocation a helper, if the condition holds.
    fn discard(&self, machine: &mut Machine<'_>, condition: Option<Term>) {
        let before = machine.space(Space::Discarded);
        let condition = condition.unwrap_or_else(|| machine.arena.boolean(true));
        let after = machine.arena.either(before, condition);
        machine.set_space(Space::Discarded, after);
    }

    fn barrier(&self, machine: &mut Machine<'_>, inst: Inst) {
        let [execution, memory] =
            [Index::execution_scope, Index::memory_scope].map(|index| self.scope(self.shader.index(inst, index)));
        let modes = Modes::from_bits_truncate(self.shader.index(inst, Index::memory_modes));
        let mut kinds = KINDS.iter().filter(|row| modes.intersects(row.0)).fold(0, |kinds, row| kinds | row.1);
        // GLSL's barrier() has no modes where Mesa found no shared memory, but programs rely on it for buffers.
        if modes.is_empty() && memory.is_some() {
            kinds = Barrier::BLOCKS | Barrier::SHARED | Barrier::IMAGES;
        }
        if memory.is_none() {
            kinds = 0;
        }
        // Outputs are seen by the patch after a control barrier, and by nothing else.
        kinds &= !Barrier::OUTPUTS;
        let is_patch = self.shader.stage() == Stage::TessCtrl;
        if is_patch && execution.is_some() {
            kinds |= Barrier::OUTPUTS;
        }
        // A patch has the scope of a workgroup.
        let execution = execution.map(|scope| if is_patch { 2 } else { scope });
        let visible = self.visible.clone();
        barrier(machine, Barrier { execution, memory: memory.unwrap_or(4), kinds }, &visible);
    }

    /// The number that SPIR-V has for a scope of NIR; `None` for none.
    fn scope(&self, scope: u32) -> Option<u32> {
        const SCOPES: [Option<u32>; 7] = [None, Some(4), Some(3), Some(6), Some(2), Some(5), Some(1)];
        let number = SCOPES.get(scope as usize).copied().flatten();
        // Only stages with workgroups have their memory.
        match number {
            Some(4 | 6) => None,
            Some(2) if !self.shader.stage().has_workgroups() && self.shader.stage() != Stage::TessCtrl => Some(1),
            number => number,
        }
    }

    /// NIR's registers: a space for each, with a cell for each scalar.
    fn register(&mut self, machine: &mut Machine<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) -> Step<()> {
        use Intrinsic::{decl_reg, load_reg, load_reg_indirect};
        if op == decl_reg {
            return Ok(());
        }
        let is_load = matches!(op, load_reg | load_reg_indirect);
        let of = if is_load { 0 } else { 1 };
        let register = srcs[of].inst();
        // Above the numbers of variables.
        let space = Space::Local(1 << 24 | register.index() as u32);
        let count = u64::from(self.shader.index(register, Index::num_components));
        let base = u64::from(self.shader.index(inst, Index::base));
        let indirect = srcs.get(of + 1).map(|def| self.scalar(machine, *def));
        if let Some(index) = indirect {
            let element = machine.arena.plus(index, base);
            machine.limit(element, self.shader.index(register, Index::num_array_elems).max(1).into());
        }
        let start = match indirect {
            Some(index) => machine.arena.combination(32, count * base, &[(index, count)]),
            None => machine.arena.constant(32, count * base),
        };
        if is_load {
            let (n, width) = (self.shader.insts[inst].num_components, self.shader.insts[inst].bit_size);
            let state = machine.space(space);
            let mut terms = Vec::new();
            for c in 0..n {
                let cell = machine.arena.plus(start, c.into());
                let mut term = machine.arena.read(state, cell, width);
                if self.shader.index(inst, Index::legacy_fabs) != 0 {
                    term = machine.arena.scalar(AluOp::fabs, width, &[term]);
                }
                if self.shader.index(inst, Index::legacy_fneg) != 0 {
                    term = machine.arena.scalar(AluOp::fneg, width, &[term]);
                }
                terms.push(term);
            }
            self.set(machine, inst, terms);
            return Ok(());
        }
        let mut state = machine.space(space);
        for (c, value) in self.written(machine, inst, srcs[0]) {
            let width = machine.arena.width(value);
            let value = match self.shader.index(inst, Index::legacy_fsat) {
                0 => value,
                _ => machine.arena.scalar(AluOp::fsat, width, &[value]),
            };
            let cell = machine.arena.plus(start, c as u64);
            state = machine.arena.write(state, cell, value);
        }
        machine.set_space(space, state);
        Ok(())
    }

    /// Whether zink's own passes have run: they add this variable to graphics shaders.
    fn is_zink_level(&self) -> bool {
        let shader = self.shader;
        shader.vars.values().any(|v| v.mode == Modes::PUSH_CONST && &shader.strings[v.name] == zink::PUSH_CONSTANTS)
    }

    fn system_value(&mut self, machine: &mut Machine<'_>, inst: Inst, op: Intrinsic) -> Step<()> {
        let data = self.shader.insts[inst];
        if op == Intrinsic::load_global_invocation_index {
            let index = self.global_index(machine, data.bit_size).into_iter().collect();
            self.set(machine, inst, index);
            return Ok(());
        }
        let mut terms = Vec::new();
        // A mask of invocations has words of 32 bits.
        let is_wide_mask = data.bit_size == 64 && MASKS.contains(&op);
        for c in 0..data.num_components {
            let words = if is_wide_mask { 2 * c..2 * c + 2 } else { c..c + 1 };
            let words: Option<Vec<Term>> = words.map(|word| self.system_scalar(machine, op, word.into())).collect();
            let Some(words) = words else { return self.unsupported(inst, "an intrinsic without terms") };
            let term = machine.arena.joined(&words);
            let width = machine.arena.width(term);
            terms.push(match (width, data.bit_size) {
                (1, bits) => machine.arena.sext(term, bits),
                (32, 64) => machine.arena.zext(term, 64),
                (32, 16) => machine.arena.trunc(term, 16),
                _ => term,
            });
        }
        self.set(machine, inst, terms);
        Ok(())
    }

    /// Component `c` of a system value.
    fn system_scalar(&self, machine: &mut Machine<'_>, op: Intrinsic, c: u64) -> Option<Term> {
        use Intrinsic::*;
        let info = &self.shader.info;
        let arena = &mut *machine.arena;
        if let IntrinsicForm::BuiltIn(builtin, base) = op.info().form {
            return Some(builtin_scalar(arena, builtin, if base == Base::Bool { 1 } else { 32 }, c));
        }
        Some(match op {
            load_instance_id => {
                let index = builtin_scalar(arena, BuiltIn::InstanceIndex, 32, 0);
                // Where the base instance is not available, all draws have 0.
                if self.is_zink_level() || !self.target.has(Feature::shaderDrawParameters) {
                    return Some(index);
                }
                let base = builtin_scalar(arena, BuiltIn::BaseInstance, 32, 0);
                arena.sub(index, base)
            }
            load_vertex_id_zero_base => {
                let [index, base] =
                    [BuiltIn::VertexIndex, BuiltIn::BaseVertex].map(|it| builtin_scalar(arena, it, 32, 0));
                arena.sub(index, base)
            }
            load_base_vertex => {
                let first = builtin_scalar(arena, BuiltIn::BaseVertex, 32, 0);
                if self.is_zink_level() {
                    return Some(first);
                }
                let indexed = self.is_indexed_draw(machine);
                let zero = machine.arena.constant(32, 0);
                machine.arena.ite(indexed, first, zero)
            }
            load_is_indexed_draw => {
                let indexed = self.is_indexed_draw(machine);
                machine.arena.sext(indexed, 32)
            }
            load_front_face_fsign => {
                let front = builtin_scalar(arena, BuiltIn::FrontFacing, 1, 0);
                let [one, minus] = [0x3f80_0000, 0xbf80_0000].map(|value| arena.constant(32, value));
                arena.ite(front, one, minus)
            }
            load_pixel_coord => {
                let coordinate = builtin_scalar(arena, BuiltIn::FragCoord, 32, c);
                arena.scalar(AluOp::f2u16, 16, &[coordinate])
            }
            load_sample_pos_or_center => {
                let coordinate = builtin_scalar(arena, BuiltIn::FragCoord, 32, c);
                arena.scalar(AluOp::ffract, 32, &[coordinate])
            }
            load_workgroup_size if !info.workgroup_size_variable => {
                arena.constant(32, u64::from(info.workgroup_size[c as usize]))
            }
            load_workgroup_size => arena.symbol(&format!("spec constant {}", SIZE_IDS[c as usize]), 32, &[]),
            load_base_workgroup_id | load_base_global_invocation_id => arena.constant(32, 0),
            load_workgroup_index => {
                let [x, y, z] = [0, 1, 2].map(|c| builtin_scalar(arena, BuiltIn::WorkgroupId, 32, c));
                let [width, height] = [0, 1].map(|c| builtin_scalar(arena, BuiltIn::NumWorkgroups, 32, c));
                let rows = arena.mul(height, z);
                let rows = arena.add(y, rows);
                let before = arena.mul(width, rows);
                arena.add(x, before)
            }
            load_color0 | load_color1 => self.color(arena, op == load_color1, c),
            _ => return None,
        })
    }

    /// The number of an invocation in the whole grid, as a number of `width` bits.
    fn global_index(&self, machine: &mut Machine<'_>, width: u8) -> Option<Term> {
        let number = |machine: &mut Machine<'_>, term: Term| match width {
            64 => machine.arena.zext(term, 64),
            _ => term,
        };
        let builtin = |machine: &mut Machine<'_>, builtin, c| {
            let term = builtin_scalar(machine.arena, builtin, 32, c);
            number(machine, term)
        };
        let mut index = builtin(machine, BuiltIn::GlobalInvocationId, 2);
        for c in [1, 0] {
            let groups = builtin(machine, BuiltIn::NumWorkgroups, c);
            let size = self.system_scalar(machine, Intrinsic::load_workgroup_size, c)?;
            let size = number(machine, size);
            let count = machine.arena.mul(groups, size);
            let before = machine.arena.mul(count, index);
            let own = builtin(machine, BuiltIn::GlobalInvocationId, c);
            index = machine.arena.add(own, before);
        }
        Some(index)
    }

    /// The colour of a fragment of the first stages of GL: an input whose interpolation the header has.
    fn color(&self, arena: &mut Arena, is_second: bool, c: u64) -> Term {
        let info = &self.shader.info;
        let (mode, is_sample, is_centroid) = match is_second {
            false => (&info.color0_interp, info.color0_sample, info.color0_centroid),
            true => (&info.color1_interp, info.color1_sample, info.color1_centroid),
        };
        let mode = InterpMode::from_name(mode).unwrap_or(InterpMode::none);
        let interpolation = Interpolation {
            flat: mode == InterpMode::flat,
            no_perspective: mode == InterpMode::noperspective,
            place: match (mode == InterpMode::flat, is_sample, is_centroid) {
                (false, true, _) => Place::Sample,
                (false, false, true) => Place::Centroid,
                _ => Place::Pixel,
            },
        };
        let slot = varying::COL0 + u32::from(is_second);
        let cell =
            arena.constant(32, 4 * u64::from(slots::location(self.shader.stage().slot_kind(false), slot, slot)) + c);
        Input { interpolation, ..Input::default() }.cell(arena, cell)
    }

    /// Whether the draw has indices: the driver's push constant is not 0.
    fn is_indexed_draw(&self, machine: &mut Machine<'_>) -> Term {
        let state = push_constants(machine.arena);
        let address = machine.arena.constant(32, self.target.indexed_draw_offset.into());
        let word = read_bytes(machine.arena, state, address, 32);
        machine.arena.is_not_zero(word)
    }
}
