// SPDX-License-Identifier: MIT

//! Changes numbers of Mesa's enumerations in copies of its headers, as a new release may do. With the copies, `ntvr_nir.c` must
//! either write the same wires or not compile.

use super::flatten::FILES;
use super::program::Programs;
use anyhow::{ensure, Context, Result};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};

/// A header of Mesa, and names in it that exchange their numbers in a circle.
type Circle = (&'static str, &'static [&'static str]);

/// Numbers that `ntvr_nir.c` maps by name.
#[rustfmt::skip]
const MAPPED: &[Circle] = &[
    ("compiler/nir/nir.h", &["nir_atomic_op_iadd", "nir_atomic_op_imin", "nir_atomic_op_umin", "nir_atomic_op_cmpxchg"]),
    ("compiler/nir/nir.h", &["NIR_MEMORY_MAKE_AVAILABLE", "NIR_MEMORY_MAKE_VISIBLE"]),
    ("compiler/nir/nir.h", &["nir_texop_tex", "nir_texop_txl", "nir_texop_lod", "nir_texop_tg4"]),
    ("compiler/nir/nir.h", &["nir_tex_src_coord", "nir_tex_src_lod", "nir_tex_src_texture_deref", "nir_tex_src_ddx"]),
    ("compiler/nir/nir.h", &["nir_jump_break", "nir_jump_continue"]),
    ("compiler/nir/nir.h", &["nir_selection_control_none", "nir_selection_control_flatten", "nir_selection_control_dont_flatten"]),
    ("compiler/nir/nir.h", &["nir_var_mem_ubo", "nir_var_mem_ssbo", "nir_var_image", "nir_var_uniform", "nir_var_system_value"]),
    ("compiler/shader_enums.h", &["ACCESS_COHERENT", "ACCESS_VOLATILE", "ACCESS_NON_WRITEABLE", "ACCESS_CAN_REORDER"]),
    ("compiler/shader_enums.h", &["SYSTEM_VALUE_VERTEX_ID", "SYSTEM_VALUE_FRAG_COORD", "SYSTEM_VALUE_SUBGROUP_SIZE"]),
    ("compiler/shader_enums.h", &["INTERP_MODE_SMOOTH", "INTERP_MODE_FLAT", "INTERP_MODE_NOPERSPECTIVE"]),
    ("compiler/shader_enums.h", &["SCOPE_INVOCATION", "SCOPE_WORKGROUP", "SCOPE_DEVICE"]),
    ("compiler/shader_enums.h", &["MESA_PRIM_POINTS", "MESA_PRIM_LINES", "MESA_PRIM_TRIANGLES"]),
    ("compiler/shader_enums.h", &["MESA_SHADER_CALLABLE", "MESA_SHADER_KERNEL"]),
    ("compiler/shader_enums.h", &["FLOAT_CONTROLS_DENORM_PRESERVE_FP16", "FLOAT_CONTROLS_ROUNDING_MODE_RTE_FP16"]),
    ("compiler/shader_enums.h", &["GLSL_SAMPLER_DIM_1D", "GLSL_SAMPLER_DIM_2D", "GLSL_SAMPLER_DIM_MS"]),
    ("compiler/glsl_types.h", &["GLSL_PRECISION_HIGH", "GLSL_PRECISION_MEDIUM", "GLSL_PRECISION_LOW"]),
];

/// Numbers that `ntvr_nir.c` uses as they are, and asserts.
#[rustfmt::skip]
const ASSERTED: &[Circle] = &[
    ("compiler/shader_enums.h", &["VERT_ATTRIB_NORMAL", "VERT_ATTRIB_FOG"]),
    ("compiler/shader_enums.h", &["VARYING_SLOT_COL0", "VARYING_SLOT_LAYER"]),
    ("compiler/shader_enums.h", &["VARYING_SLOT_VAR0", "VARYING_SLOT_VAR1"]),
    ("compiler/shader_enums.h", &["FRAG_RESULT_DEPTH", "FRAG_RESULT_SAMPLE_MASK"]),
    ("compiler/shader_enums.h", &["TESS_PRIMITIVE_TRIANGLES", "TESS_PRIMITIVE_QUADS"]),
    ("compiler/shader_enums.h", &["TESS_SPACING_EQUAL", "TESS_SPACING_FRACTIONAL_ODD"]),
    ("compiler/shader_enums.h", &["FRAG_DEPTH_LAYOUT_ANY", "FRAG_DEPTH_LAYOUT_LESS"]),
    ("compiler/shader_enums.h", &["DERIVATIVE_GROUP_QUADS", "DERIVATIVE_GROUP_LINEAR"]),
];

/// Compares the wires with those of a Mesa that has other numbers.
pub(crate) fn compare(programs: &Programs) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let before = wires(programs, folder.path(), "before", &[])?;
    let after = wires(programs, folder.path(), "after", MAPPED)?;
    ensure!(before.len() > 3 && before.len() == after.len(), "only {} wires", before.len());
    for (before, after) in before.iter().zip(&after) {
        let differing = before.1.iter().zip(&after.1).position(|(before, after)| before != after);
        ensure!(before == after, "{} differs at byte {differing:?} with other numbers of Mesa", before.0.display());
    }
    for circle in ASSERTED {
        let headers = change(programs, folder.path(), &[*circle])?;
        let mut compiler = programs.compiler(&headers);
        let output = compiler.arg("-fsyntax-only").arg(crate::root().join("ffi/mesa/ntvr_nir.c")).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        let [first, ..] = circle.1 else { continue };
        let expected = format!("Mesa has another number for {first}");
        ensure!(!output.status.success() && said.contains(&expected), "no assertion about {first}:\n{said}");
    }
    println!("{} enumerations are mapped by name, {} are asserted", MAPPED.len(), ASSERTED.len());
    Ok(())
}

/// The wires with all numbers, by the names of their files, from a program that is built with changed headers.
fn wires(programs: &Programs, folder: &Path, name: &str, circles: &[Circle]) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let headers = change(programs, folder, circles)?;
    let (program, wires) = (folder.join(format!("flatten-{name}")), folder.join(name));
    programs.build(&FILES, &headers, &program)?;
    programs.run(&program, &["--numbers"], &wires)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(&wires)? {
        let entry = entry?;
        found.push((entry.file_name().into(), fs::read(entry.path())?));
    }
    found.sort();
    Ok(found)
}

/// Writes copies of headers in which `circles` have exchanged their numbers, and returns their paths in the order of inclusion.
fn change(programs: &Programs, folder: &Path, circles: &[Circle]) -> Result<Vec<PathBuf>> {
    const ORDER: &[&str] = &["compiler/shader_enums.h", "compiler/glsl_types.h", "compiler/nir/nir.h"];
    let mut paths = Vec::new();
    for header in ORDER.iter().filter(|header| circles.iter().any(|circle| circle.0 == **header)) {
        let mut text = programs.header(header)?;
        for (_, names) in circles.iter().filter(|circle| circle.0 == *header) {
            text = rotate(&text, names)?;
        }
        let path = folder.join(header.replace('/', "_"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    Ok(paths)
}

/// Exchanges the definitions of enumerators in a circle.
fn rotate(text: &str, names: &[&str]) -> Result<String> {
    let mut ranges = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let definition = Regex::new(&format!(r"(?m)^\s+({name})\b\s*(=|,|/\*|$)"))?;
        let found = definition.captures(text).and_then(|found| found.get(1));
        let found = found.with_context(|| format!("no definition of {name}"))?;
        ranges.push((found.range(), names[(place + 1) % names.len()]));
    }
    ranges.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_string();
    for (range, name) in ranges {
        text.replace_range(range, name);
    }
    Ok(text)
}
