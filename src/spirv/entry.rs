// SPDX-License-Identifier: MIT

//! Execution modes and capabilities of the entry point, from the header of the shader.

use super::late::Section;
use super::{unsupported, Emit, Result};
use crate::ir::{Inst, ShaderInfo, Stage, Var, VarFlags, Variable};
use crate::module::{Condition, Key, PatchKind, ALWAYS, SETTLED};
use crate::op::names::frag_result;
use crate::op::{slots, Base, Effects, Index, Intrinsic, Modes};
use spirv::{BuiltIn, Capability, Decoration, ExecutionMode as Mode, Op};

/// zink's specialization constants of the workgroup size, for sizes that the pipeline provides.
const WORKGROUP_SPEC_IDS: [(u32, &str); 3] =
    [(1, "workgroup_size_x"), (2, "workgroup_size_y"), (3, "workgroup_size_z")];

/// zink's specialization constant of the shared memory in bytes that a pipeline adds to the shader's own.
const SHARED_MEMORY_SPEC_ID: (u32, &str) = (4, "variable_shared_mem");

/// NIR's `gl_frag_depth_layout`: the shader's promise for the depth that it writes.
const DEPTH_LAYOUTS: &[(u32, Mode)] = &[(2, Mode::DepthGreater), (3, Mode::DepthLess), (4, Mode::DepthUnchanged)];

/// NIR's `tess_primitive_mode`.
const TESS_PRIMITIVES: &[(u32, Mode)] = &[(1, Mode::Triangles), (2, Mode::Quads), (3, Mode::Isolines)];

/// NIR's `gl_tess_spacing`.
const TESS_SPACINGS: &[(u32, Mode)] =
    &[(1, Mode::SpacingEqual), (2, Mode::SpacingFractionalOdd), (3, Mode::SpacingFractionalEven)];

/// Input primitives of geometry shaders, by Mesa's names.
const INPUT_PRIMITIVES: &[(&str, Mode)] = &[
    ("POINTS", Mode::InputPoints),
    ("LINES", Mode::InputLines),
    ("LINE_LOOP", Mode::InputLines),
    ("LINE_STRIP", Mode::InputLines),
    ("LINES_ADJACENCY", Mode::InputLinesAdjacency),
    ("LINE_STRIP_ADJACENCY", Mode::InputLinesAdjacency),
    ("TRIANGLES", Mode::Triangles),
    ("TRIANGLE_STRIP", Mode::Triangles),
    ("TRIANGLE_FAN", Mode::Triangles),
    ("TRIANGLES_ADJACENCY", Mode::InputTrianglesAdjacency),
    ("TRIANGLE_STRIP_ADJACENCY", Mode::InputTrianglesAdjacency),
];

/// Output primitives of geometry shaders, by Mesa's names.
const OUTPUT_PRIMITIVES: &[(&str, Mode)] = &[
    ("POINTS", Mode::OutputPoints),
    ("LINE_STRIP", Mode::OutputLineStrip),
    ("TRIANGLE_STRIP", Mode::OutputTriangleStrip),
];

/// Interlock modes: whether the header requires it, the mode, its capability.
type Interlock = (fn(&ShaderInfo) -> bool, Mode, Capability);
const INTERLOCKS: &[Interlock] = &[
    (|i| i.pixel_interlock_ordered, Mode::PixelInterlockOrderedEXT, Capability::FragmentShaderPixelInterlockEXT),
    (|i| i.pixel_interlock_unordered, Mode::PixelInterlockUnorderedEXT, Capability::FragmentShaderPixelInterlockEXT),
    (|i| i.sample_interlock_ordered, Mode::SampleInterlockOrderedEXT, Capability::FragmentShaderSampleInterlockEXT),
    (|i| i.sample_interlock_unordered, Mode::SampleInterlockUnorderedEXT, Capability::FragmentShaderSampleInterlockEXT),
];

/// Reads of numbers that are, or depend on, the size of a workgroup. Passes may have used their bounds and removed them, but the
/// inventory still has them.
const OF_SIZE: &[Intrinsic] = &[
    Intrinsic::load_workgroup_size,
    Intrinsic::load_local_invocation_id,
    Intrinsic::load_local_invocation_index,
    Intrinsic::load_global_invocation_index,
];

impl Emit<'_> {
    /// Emits the execution modes and declares their capabilities.
    pub(super) fn execution_modes(&mut self) -> Result<()> {
        match self.shader.stage() {
            Stage::Vertex => {}
            Stage::TessCtrl => {
                self.m.capability(Capability::Tessellation);
                let (vertices, most) = self.tcs_vertices_out();
                self.m.tcs_output_vertices(vertices, most);
            }
            Stage::TessEval => self.tess_eval_modes(),
            Stage::Geometry => self.geometry_modes()?,
            Stage::Fragment => self.fragment_modes(),
            Stage::Compute | Stage::Kernel | Stage::Task => self.compute_modes(),
            Stage::Mesh => self.mesh_modes()?,
        }
        self.float_controls();
        Ok(())
    }

    /// The number of vertices of the output patch, and the most that its outputs have room for. A dump of 22.3 has the number only
    /// as the length of the outputs.
    fn tcs_vertices_out(&self) -> (u32, u32) {
        let info = &self.shader.info;
        let is_arrayed = |v: &Variable| self.shader.stage().is_per_vertex(true, v.location.unwrap_or(0));
        let is_output = |v: &Variable| v.mode == Modes::SHADER_OUT && !v.flags.contains(VarFlags::PATCH);
        let per_vertex = |v: &&Variable| is_output(v) && is_arrayed(v);
        let len = |v: &Variable| self.shader.types.as_array(v.ty).and_then(|(_, len)| len);
        let lengths = || self.shader.vars.values().filter(per_vertex).filter_map(len);
        let vertices = Some(info.tcs_vertices_out).filter(|vertices| *vertices != 0).or(lengths().max()).unwrap_or(1);
        (vertices, lengths().min().unwrap_or(u32::MAX))
    }

    fn tess_eval_modes(&mut self) {
        let info = &self.shader.info;
        self.m.capability(Capability::Tessellation);
        for (table, value) in [(TESS_PRIMITIVES, info.primitive_mode), (TESS_SPACINGS, info.spacing)] {
            // A value that is not in the table selects the first: the default of GLSL's layout qualifiers.
            let mode = table.iter().find(|row| row.0 == value).map_or(table[0].1, |row| row.1);
            self.m.mode(mode, &[]);
        }
        self.m.mode(if info.ccw { Mode::VertexOrderCcw } else { Mode::VertexOrderCw }, &[]);
        if info.point_mode {
            self.m.mode(Mode::PointMode, &[]);
        }
    }

    fn geometry_modes(&mut self) -> Result<()> {
        let info = &self.shader.info;
        self.m.capability(Capability::Geometry);
        // Streams are a separate feature, which stream 0 does not need.
        if self.uses_streams() {
            self.m.capability(Capability::GeometryStreams);
        }
        let find = |table: &[(&str, Mode)], name: &str| {
            let short =
                ["MESA_PRIM_", "SHADER_PRIM_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
            let row = table.iter().find(|row| row.0 == short).map(|row| row.1);
            row.ok_or_else(|| unsupported(format_args!("primitive type {name} in a geometry shader")))
        };
        // 22.3 has no name for primitives with adjacency.
        let input = match (info.input_primitive.as_str(), info.vertices_in) {
            ("UNKNOWN", 4) => Mode::InputLinesAdjacency,
            ("UNKNOWN", 6) => Mode::InputTrianglesAdjacency,
            (name, _) => find(INPUT_PRIMITIVES, name)?,
        };
        let output = find(OUTPUT_PRIMITIVES, &info.output_primitive)?;
        self.m.mode(input, &[]);
        self.m.mode(Mode::Invocations, &[info.invocations.max(1)]);
        self.m.mode(output, &[]);
        self.m.mode(Mode::OutputVertices, &[info.vertices_out.max(1)]);
        Ok(())
    }

    fn mesh_modes(&mut self) -> Result<()> {
        let info = &self.shader.info;
        let (vertices, _) = slots::primitive_indices(&info.primitive_type)
            .ok_or_else(|| unsupported(format_args!("primitive type {} in a mesh shader", info.primitive_type)))?;
        self.compute_modes();
        self.m.mode(Mode::OutputVertices, &[info.max_vertices_out.max(1)]);
        self.m.mode(Mode::OutputPrimitivesEXT, &[info.max_primitives_out.max(1)]);
        let primitives = [Mode::OutputPoints, Mode::OutputLinesEXT, Mode::OutputTrianglesEXT];
        self.m.mode(primitives[usize::from(vertices - 1)], &[]);
        Ok(())
    }

    /// Whether a vertex or an output belongs to a stream other than 0.
    pub(super) fn uses_streams(&self) -> bool {
        let shader = self.shader;
        shader.order.iter().any(|inst| shader.index(*inst, Index::stream_id) != 0)
            || shader.vars.values().any(|variable| variable.stream != 0)
    }

    fn fragment_modes(&mut self) {
        let info = &self.shader.info;
        self.m.mode(Mode::OriginUpperLeft, &[]);
        let (mut depth, mut stencil) = (false, false);
        for output in self.shader.vars.values().filter(|variable| variable.mode == Modes::SHADER_OUT) {
            // A variable with framebuffer fetch is never written: `check` ensures that.
            let is_read = output.flags.contains(VarFlags::FB_FETCH_OUTPUT);
            depth |= output.location == Some(frag_result::DEPTH) && !is_read;
            stencil |= output.location == Some(frag_result::STENCIL) && !is_read;
            self.state.is_dual_source |= output.index != 0;
        }
        if depth {
            // The conservative modes only add a promise (VUID-FragDepth-FragDepth-04216).
            self.m.mode(Mode::DepthReplacing, &[]);
            let layout = DEPTH_LAYOUTS.iter().find(|row| row.0 == info.depth_layout);
            layout.into_iter().for_each(|row| self.m.mode(row.1, &[]));
        }
        if stencil {
            self.m.mode(Mode::StencilRefReplacingEXT, &[]);
            self.m.capability(Capability::StencilExportEXT);
        }
        if info.early_fragment_tests {
            self.m.mode(Mode::EarlyFragmentTests, &[]);
        } else if self.offers(Key::EARLY_FRAGMENT_TESTS) && self.may_test_early() {
            // A test of alpha discards.
            let unless = self.epilogue_bits() & Key::ALPHA_TEST;
            let when = self.m.condition(Condition::any(Key::EARLY_FRAGMENT_TESTS).unless(unless));
            let start = self.m.mark(Section::Modes);
            self.m.mode(Mode::EarlyFragmentTests, &[]);
            self.m.end_range(Section::Modes, start, when);
        }
        if info.post_depth_coverage {
            self.m.mode(Mode::PostDepthCoverage, &[]);
            self.m.capability(Capability::SampleMaskPostDepthCoverage);
        }
        for (wanted, mode, capability) in INTERLOCKS {
            if wanted(info) {
                self.m.mode(*mode, &[]);
                self.m.capability(*capability);
            }
        }
        // Critical sections need a mode; GLSL's default is the first (ARB_fragment_shader_interlock).
        let asked = INTERLOCKS.iter().any(|(wanted, ..)| wanted(info));
        if !asked && self.has_critical_sections() {
            self.m.mode(INTERLOCKS[0].1, &[]);
            self.m.capability(INTERLOCKS[0].2);
        }
        if info.uses_sample_shading {
            self.m.capability(Capability::SampleRateShading);
        }
    }

    /// Whether depth and stencil tests before the shader do not change its result: it writes neither depth, stencil nor a sample
    /// mask, never discards, and has no effect besides its colours. A driver must not use this with alpha to coverage.
    fn may_test_early(&self) -> bool {
        let shader = self.shader;
        let is_colour = |var: Var| match shader.vars[var].mode {
            Modes::SHADER_OUT => shader.vars[var].location.is_some_and(|slot| slot >= frag_result::DATA0),
            Modes::FUNCTION_TEMP | Modes::SHADER_TEMP => true,
            _ => false,
        };
        let harmless = |inst: &Inst| {
            let Some((op, srcs)) = shader.as_intrinsic(*inst) else { return true };
            let stored = || srcs.first().and_then(|target| shader.deref_var(*target));
            op.info().effects.contains(Effects::ELIMINATE)
                || op.is_by_slot()
                || op == Intrinsic::store_deref && stored().is_some_and(is_colour)
        };
        shader.order.iter().all(harmless)
            && self.state.slots.vars(true).all(|mut vars| vars.next().is_some_and(is_colour))
    }

    fn has_critical_sections(&self) -> bool {
        use Intrinsic::{begin_invocation_interlock, end_invocation_interlock};
        let bounds = [begin_invocation_interlock, end_invocation_interlock];
        self.shader.inventory().has_any(&bounds) && self.intrinsics().any(|(op, _)| bounds.contains(&op))
    }

    /// The modes of a stage with a grid of workgroups.
    fn compute_modes(&mut self) {
        if !self.shader.stage().is_compute() {
            self.m.capability(Capability::MeshShadingEXT);
        }
        let size = self.shader.info.workgroup_size;
        if size.contains(&0) || self.shader.info.workgroup_size_variable {
            // Its constants override LocalSize (Vulkan 15.9, WorkgroupSize). LocalSizeId would do the same, but only with SPIR-V
            // 1.6 and the feature maintenance4.
            let id = self.workgroup_size();
            self.m.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
            self.m.mode(Mode::LocalSize, &[1, 1, 1]);
        } else {
            self.m.mode(Mode::LocalSize, &size);
            let first = self.m.mark(Section::Modes) - 3;
            let is_used = self.shader.inventory().has_any(OF_SIZE) || self.shader.info.derivative_group != 0;
            let when = if is_used { SETTLED } else { ALWAYS };
            for axis in 0..3 {
                self.m.patch(Section::Modes, first + axis, PatchKind::LocalSize, when, axis as u32);
            }
        }
        match self.shader.info.derivative_group {
            1 => {
                self.m.mode(Mode::DerivativeGroupQuadsKHR, &[]);
                self.m.capability(Capability::ComputeDerivativeGroupQuadsKHR);
            }
            2 => {
                self.m.mode(Mode::DerivativeGroupLinearKHR, &[]);
                self.m.capability(Capability::ComputeDerivativeGroupLinearKHR);
            }
            _ => {}
        }
    }

    /// The workgroup size as a constant uvec3.
    pub(super) fn workgroup_size(&mut self) -> u32 {
        let size = self.shader.info.workgroup_size;
        if self.state.workgroup_size == 0 {
            self.state.workgroup_size = if size.contains(&0) || self.shader.info.workgroup_size_variable {
                let parts = WORKGROUP_SPEC_IDS.map(|(spec_id, name)| self.spec_constant(spec_id, name));
                let ty = self.m.numeric(Base::Uint, 32, 3);
                self.m.global(Op::SpecConstantComposite, ty, &parts)
            } else {
                self.m.constant_vector(Base::Uint, 32, &size.map(u64::from))
            };
        }
        self.state.workgroup_size
    }

    /// An unsigned specialization constant, 1 by default.
    fn spec_constant(&mut self, spec_id: u32, name: &str) -> u32 {
        let ty = self.m.numeric(Base::Uint, 32, 1);
        let id = self.m.id();
        let at = self.m.globals.op(Op::SpecConstant, &[ty, id, 1]);
        self.m.patch(Section::Globals, at + 2, PatchKind::SpecValue, ALWAYS, spec_id);
        let at = self.m.decorate(id, Decoration::SpecId, &[spec_id]);
        self.m.patch(Section::Annotations, at, PatchKind::SpecId, ALWAYS, spec_id);
        self.name(id, name);
        id
    }

    /// The number of elements of `stride` bytes in shared memory, if the pipeline may request more than the shader.
    pub(super) fn shared_memory_length(&mut self, stride: u32) -> u32 {
        if self.state.shared_memory == 0 {
            let (spec_id, name) = SHARED_MEMORY_SPEC_ID;
            self.state.shared_memory = self.spec_constant(spec_id, name);
        }
        let stride = stride.max(1);
        let ty = self.m.numeric(Base::Uint, 32, 1);
        let rounded = self.m.uint(self.shader.info.shared_size.saturating_add(stride - 1));
        let added = self.state.shared_memory;
        let bytes = self.m.global(Op::SpecConstantOp, ty, &[Op::IAdd as u32, added, rounded]);
        let stride = self.m.uint(stride);
        self.m.global(Op::SpecConstantOp, ty, &[Op::UDiv as u32, bytes, stride])
    }
}
