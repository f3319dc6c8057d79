// SPDX-License-Identifier: MIT

//! Execution modes: those of a module, and those that the header of NIR asks for.
//!
//! What concerns the size of what is run, and the primitives between stages, is compared. Modes of floats, interlocks, and promises such
//! as DepthLess are not.

use crate::compare::Claim;
use crate::module::Modes as ExecutionModes;
use crate::term::Arena;
use ntv::ir::{Shader, Stage, VarFlags, Variable};
use ntv::op::Modes;
use spirv::ExecutionMode::{self, *};

/// The modes that are compared, by stage.
fn compared(stage: Stage) -> &'static [ExecutionMode] {
    match stage {
        Stage::Vertex => &[],
        Stage::TessCtrl => &[OutputVertices],
        Stage::TessEval => &[
            Triangles,
            Quads,
            Isolines,
            SpacingEqual,
            SpacingFractionalOdd,
            SpacingFractionalEven,
            VertexOrderCw,
            VertexOrderCcw,
            PointMode,
        ],
        Stage::Geometry => &[
            InputPoints,
            InputLines,
            InputLinesAdjacency,
            Triangles,
            InputTrianglesAdjacency,
            Invocations,
            OutputPoints,
            OutputLineStrip,
            OutputTriangleStrip,
            OutputVertices,
        ],
        Stage::Fragment => &[EarlyFragmentTests, PostDepthCoverage],
        Stage::Compute | Stage::Kernel | Stage::Task => &[LocalSize],
        Stage::Mesh => &[LocalSize, OutputVertices, OutputPrimitivesEXT],
    }
}

/// The modes that the header of `shader` says; those that it leaves to others are not among them.
pub(crate) fn of_shader(shader: &Shader) -> ExecutionModes {
    let info = &shader.info;
    let mut modes: ExecutionModes = Vec::new();
    let is_sized = !info.workgroup_size.contains(&0) && !info.workgroup_size_variable;
    match shader.stage() {
        Stage::Vertex => {}
        Stage::TessCtrl => {
            let vertices =
                Some(info.tcs_vertices_out).filter(|vertices| *vertices > 0).or_else(|| vertices_of_outputs(shader));
            modes.extend(vertices.map(|vertices| (OutputVertices, vec![vertices])));
        }
        Stage::TessEval => {
            let spacings = [SpacingEqual, SpacingEqual, SpacingFractionalOdd, SpacingFractionalEven];
            let primitives = [Triangles, Triangles, Quads, Isolines];
            let of = |modes: [ExecutionMode; 4], number: u32| modes.get(number as usize).copied().unwrap_or(modes[0]);
            modes.push((of(primitives, info.primitive_mode), Vec::new()));
            modes.push((of(spacings, info.spacing), Vec::new()));
            modes.push((if info.ccw { VertexOrderCcw } else { VertexOrderCw }, Vec::new()));
            modes.extend(info.point_mode.then(|| (PointMode, Vec::new())));
        }
        Stage::Geometry => {
            modes.extend(input(&info.input_primitive, info.vertices_in).map(|mode| (mode, Vec::new())));
            modes.extend(output(&info.output_primitive).map(|mode| (mode, Vec::new())));
            modes.push((Invocations, vec![info.invocations.max(1)]));
            modes.push((OutputVertices, vec![info.vertices_out.max(1)]));
        }
        Stage::Fragment => {
            modes.extend(info.early_fragment_tests.then(|| (EarlyFragmentTests, Vec::new())));
            modes.extend(info.post_depth_coverage.then(|| (PostDepthCoverage, Vec::new())));
        }
        Stage::Compute | Stage::Kernel | Stage::Task | Stage::Mesh => {
            modes.extend(is_sized.then(|| (LocalSize, info.workgroup_size.to_vec())));
            if shader.stage() == Stage::Mesh {
                modes.push((OutputVertices, vec![info.max_vertices_out.max(1)]));
                modes.push((OutputPrimitivesEXT, vec![info.max_primitives_out.max(1)]));
            }
        }
    }
    modes
}

/// The vertices of a patch as the length of its outputs: a dump of Mesa 22.3 has them only so.
fn vertices_of_outputs(shader: &Shader) -> Option<u32> {
    let is_of_vertex = |it: &&Variable| {
        let slot = it.location.unwrap_or(0);
        it.mode == Modes::SHADER_OUT && !it.flags.contains(VarFlags::PATCH) && shader.stage().is_per_vertex(true, slot)
    };
    shader.vars.values().filter(is_of_vertex).filter_map(|it| shader.types.as_array(it.ty)?.1).max()
}

/// The name of a primitive without its prefix, which depends on the version of Mesa.
fn short(name: &str) -> &str {
    ["MESA_PRIM_", "SHADER_PRIM_"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

fn input(name: &str, vertices: u32) -> Option<ExecutionMode> {
    Some(match (short(name), vertices) {
        ("POINTS", _) => InputPoints,
        ("LINES" | "LINE_LOOP" | "LINE_STRIP", _) => InputLines,
        ("TRIANGLES" | "TRIANGLE_STRIP" | "TRIANGLE_FAN", _) => Triangles,
        (_, 4) => InputLinesAdjacency,
        (_, 6) => InputTrianglesAdjacency,
        _ => return None,
    })
}

fn output(name: &str) -> Option<ExecutionMode> {
    Some(match short(name) {
        "POINTS" => OutputPoints,
        "LINE_STRIP" => OutputLineStrip,
        "TRIANGLE_STRIP" => OutputTriangleStrip,
        _ => return None,
    })
}

/// The claims that the modes `found` are those of `shader`. A size that only the pipeline knows is not compared.
pub(crate) fn claims(arena: &mut Arena, shader: &Shader, found: &ExecutionModes) -> Vec<Claim> {
    let expected = of_shader(shader);
    let words =
        |modes: &ExecutionModes, mode: ExecutionMode| modes.iter().find(|it| it.0 == mode).map(|it| it.1.clone());
    let mut claims = Vec::new();
    for mode in compared(shader.stage()) {
        let is_open = matches!(mode, LocalSize | OutputVertices) && words(&expected, *mode).is_none();
        let is_by_id = *mode == LocalSize && words(found, LocalSizeId).is_some();
        if is_open || is_by_id {
            continue;
        }
        let [mine, theirs] = [&expected, found].map(|modes| words(modes, *mode));
        let what = format!("execution mode {mode:?}");
        let [a, b] = [&mine, &theirs].map(|it| arena.boolean(it.is_some()));
        claims.push(Claim { what: what.clone(), place: None, expected: a, found: b });
        for (a, b) in mine.into_iter().flatten().zip(theirs.into_iter().flatten()) {
            let [expected, found] = [a, b].map(|word| arena.constant(32, word.into()));
            claims.push(Claim { what: what.clone(), place: None, expected, found });
        }
    }
    claims
}
