// SPDX-License-Identifier: MIT

//! Vulkan's built-ins: the stages that have each as an input and as an output, and the features that provide it (Vulkan,
//! "Built-In Variables"; the capabilities that SPIR-V lists for a built-in are alternatives).
//!
//! The check of inputs and outputs, the rows of system values, and the emitter read this table. `WorkgroupSize`, which decorates a
//! constant, is not in it.

use super::meaning::Stages;
use crate::feature::Feature::{self, *};
use spirv::BuiltIn::{self, *};
use spirv::Capability;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInInfo {
    /// The built-in.
    pub builtin: BuiltIn,
    /// The stages that may read it as an input.
    pub inputs: Stages,
    /// The stages that may write it as an output.
    pub outputs: Stages,
    /// What its uses need.
    pub needs: &'static [BuiltInNeed],
}

/// A need of some uses of a built-in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInNeed {
    inputs: Stages,
    outputs: Stages,
    /// The features that provide it, of which one is enough, each with the capability that declares its use.
    pub any: Providers,
}

/// Features, of which one is enough, each with its capability.
pub type Providers = &'static [(Feature, Capability)];

const NONE: Stages = Stages::empty();
const VERTEX: Stages = Stages::VERTEX;
const TESS_CTRL: Stages = Stages::TESS_CTRL;
const TESS_EVAL: Stages = Stages::TESS_EVAL;
const TESSELLATION: Stages = TESS_CTRL.union(TESS_EVAL);
const GEOMETRY: Stages = Stages::GEOMETRY;
const FRAGMENT: Stages = Stages::FRAGMENT;
const COMPUTE: Stages = Stages::COMPUTE;
const TASK: Stages = Stages::TASK;
const MESH: Stages = Stages::MESH;
const ALL: Stages = Stages::all();
const GRAPHICS: Stages = ALL.difference(COMPUTE);
const GRID: Stages = Stages::GRID;
/// Stages that read the vertices of other stages.
const LATER: Stages = TESSELLATION.union(GEOMETRY);
/// Stages that write vertices.
const WITH_VERTICES: Stages = LATER.union(VERTEX).union(MESH);
/// Stages that can be the last before rasterization.
const LAST: Stages = VERTEX.union(TESS_EVAL).union(GEOMETRY).union(MESH);

const fn row(builtin: BuiltIn, inputs: Stages, outputs: Stages, needs: &'static [BuiltInNeed]) -> BuiltInInfo {
    BuiltInInfo { builtin, inputs, outputs, needs }
}

const fn need(inputs: Stages, outputs: Stages, any: Providers) -> BuiltInNeed {
    BuiltInNeed { inputs, outputs, any }
}

/// A need of all uses.
const fn always(any: Providers) -> BuiltInNeed {
    need(ALL, ALL, any)
}

const DRAW_PARAMETERS: BuiltInNeed = always(&[(shaderDrawParameters, Capability::DrawParameters)]);
const PER_SAMPLE: BuiltInNeed = always(&[(sampleRateShading, Capability::SampleRateShading)]);

/// The table.
pub const BUILT_INS: &[BuiltInInfo] = &[
    row(Position, LATER, WITH_VERTICES, &[]),
    row(
        PointSize,
        LATER,
        WITH_VERTICES,
        &[
            need(
                TESSELLATION,
                TESSELLATION,
                &[(shaderTessellationAndGeometryPointSize, Capability::TessellationPointSize)],
            ),
            need(GEOMETRY, GEOMETRY, &[(shaderTessellationAndGeometryPointSize, Capability::GeometryPointSize)]),
        ],
    ),
    row(
        ClipDistance,
        LATER.union(FRAGMENT),
        WITH_VERTICES,
        &[always(&[(shaderClipDistance, Capability::ClipDistance)])],
    ),
    row(
        CullDistance,
        LATER.union(FRAGMENT),
        WITH_VERTICES,
        &[always(&[(shaderCullDistance, Capability::CullDistance)])],
    ),
    row(VertexIndex, VERTEX, NONE, &[]),
    row(InstanceIndex, VERTEX, NONE, &[]),
    row(BaseVertex, VERTEX, NONE, &[DRAW_PARAMETERS]),
    row(BaseInstance, VERTEX, NONE, &[DRAW_PARAMETERS]),
    row(DrawIndex, VERTEX.union(TASK).union(MESH), NONE, &[DRAW_PARAMETERS]),
    row(ViewIndex, GRAPHICS, NONE, &[always(&[(multiview, Capability::MultiView)])]),
    row(
        PrimitiveId,
        LATER.union(FRAGMENT),
        GEOMETRY.union(MESH),
        &[need(
            FRAGMENT,
            NONE,
            &[
                (geometryShader, Capability::Geometry),
                (tessellationShader, Capability::Tessellation),
                (meshShader, Capability::MeshShadingEXT),
            ],
        )],
    ),
    row(InvocationId, TESS_CTRL.union(GEOMETRY), NONE, &[]),
    row(PatchVertices, TESSELLATION, NONE, &[]),
    row(TessCoord, TESS_EVAL, NONE, &[]),
    row(TessLevelOuter, TESS_EVAL, TESS_CTRL, &[]),
    row(TessLevelInner, TESS_EVAL, TESS_CTRL, &[]),
    row(
        Layer,
        FRAGMENT,
        LAST,
        &[
            need(NONE, VERTEX.union(TESS_EVAL), &[(shaderOutputLayer, Capability::ShaderLayer)]),
            need(
                FRAGMENT,
                NONE,
                &[
                    (geometryShader, Capability::Geometry),
                    (shaderOutputLayer, Capability::ShaderLayer),
                    (meshShader, Capability::MeshShadingEXT),
                ],
            ),
        ],
    ),
    row(
        ViewportIndex,
        FRAGMENT,
        LAST,
        &[
            need(NONE, VERTEX.union(TESS_EVAL), &[(shaderOutputViewportIndex, Capability::ShaderViewportIndex)]),
            need(NONE, GEOMETRY, &[(multiViewport, Capability::MultiViewport)]),
            need(
                FRAGMENT,
                NONE,
                &[
                    (multiViewport, Capability::MultiViewport),
                    (shaderOutputViewportIndex, Capability::ShaderViewportIndex),
                    (meshShader, Capability::MeshShadingEXT),
                ],
            ),
        ],
    ),
    row(CullPrimitiveEXT, NONE, MESH, &[]),
    row(PrimitivePointIndicesEXT, NONE, MESH, &[]),
    row(PrimitiveLineIndicesEXT, NONE, MESH, &[]),
    row(PrimitiveTriangleIndicesEXT, NONE, MESH, &[]),
    row(FragCoord, FRAGMENT, NONE, &[]),
    row(FrontFacing, FRAGMENT, NONE, &[]),
    row(PointCoord, FRAGMENT, NONE, &[]),
    row(HelperInvocation, FRAGMENT, NONE, &[]),
    row(SampleId, FRAGMENT, NONE, &[PER_SAMPLE]),
    row(SamplePosition, FRAGMENT, NONE, &[PER_SAMPLE]),
    row(SampleMask, FRAGMENT, FRAGMENT, &[]),
    row(FragDepth, NONE, FRAGMENT, &[]),
    row(FragStencilRefEXT, NONE, FRAGMENT, &[always(&[(VK_EXT_shader_stencil_export, Capability::StencilExportEXT)])]),
    row(WorkgroupId, GRID, NONE, &[]),
    row(NumWorkgroups, GRID, NONE, &[]),
    row(LocalInvocationId, GRID, NONE, &[]),
    row(LocalInvocationIndex, GRID, NONE, &[]),
    row(GlobalInvocationId, GRID, NONE, &[]),
    row(SubgroupId, GRID, NONE, &[]),
    row(NumSubgroups, GRID, NONE, &[]),
    // Their capabilities depend on the version of SPIR-V; their features are those of the intrinsics.
    row(SubgroupSize, ALL, NONE, &[]),
    row(SubgroupLocalInvocationId, ALL, NONE, &[]),
    row(SubgroupEqMask, ALL, NONE, &[]),
    row(SubgroupGeMask, ALL, NONE, &[]),
    row(SubgroupGtMask, ALL, NONE, &[]),
    row(SubgroupLeMask, ALL, NONE, &[]),
    row(SubgroupLtMask, ALL, NONE, &[]),
];

impl BuiltInInfo {
    /// The row of a built-in; a built-in without a row is not in any stage.
    pub const fn of(builtin: BuiltIn) -> BuiltInInfo {
        let mut at = 0;
        while at < BUILT_INS.len() {
            if BUILT_INS[at].builtin as u32 == builtin as u32 {
                return BUILT_INS[at];
            }
            at += 1;
        }
        row(builtin, NONE, NONE, &[])
    }

    /// Whether this stage may have it as an output, or as an input.
    pub const fn is_in(&self, stage: Stages, is_output: bool) -> bool {
        if is_output {
            self.outputs.contains(stage)
        } else {
            self.inputs.contains(stage)
        }
    }

    /// What this stage needs for it as an output, or as an input: one of these features.
    #[inline]
    pub fn providers(&self, stage: Stages, is_output: bool) -> Option<Providers> {
        let is_of = |need: &&BuiltInNeed| if is_output { need.outputs } else { need.inputs }.contains(stage);
        self.needs.iter().find(is_of).map(|need| need.any)
    }
}
