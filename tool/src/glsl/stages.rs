// SPDX-License-Identifier: MIT

//! The stages of OpenGL: their names in files of GLSL, in piglit's tests, in NIR and in OpenGL.

use std::path::{Path, PathBuf};

/// A stage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stage {
    /// The ends of the names of its files: that of the Khronos compiler, and a short one.
    pub(crate) suffixes: [&'static str; 2],
    /// The name, as sections of `.shader_test` files have it.
    pub(crate) name: &'static str,
    /// The name in the first line of a dump, after `MESA_SHADER_`.
    pub(crate) nir: &'static str,
    /// The number in OpenGL.
    pub(crate) number: u32,
}

pub(crate) const STAGES: &[Stage] = &[
    Stage { suffixes: ["vert", "vs"], name: "vertex", nir: "VERTEX", number: 0x8b31 },
    Stage { suffixes: ["tesc", "tcs"], name: "tessellation control", nir: "TESS_CTRL", number: 0x8e88 },
    Stage { suffixes: ["tese", "tes"], name: "tessellation evaluation", nir: "TESS_EVAL", number: 0x8e87 },
    Stage { suffixes: ["geom", "gs"], name: "geometry", nir: "GEOMETRY", number: 0x8dd9 },
    Stage { suffixes: ["frag", "fs"], name: "fragment", nir: "FRAGMENT", number: 0x8b30 },
    Stage { suffixes: ["comp", "cs"], name: "compute", nir: "COMPUTE", number: 0x91b9 },
    Stage { suffixes: ["task", "task"], name: "task", nir: "TASK", number: 0x955a },
    Stage { suffixes: ["mesh", "mesh"], name: "mesh", nir: "MESH", number: 0x9559 },
];

/// The end of the names of piglit's tests.
const TEST: &str = "shader_test";

/// What the name of a file says about its contents.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// The source of a stage.
    Source(&'static Stage),
    /// A test of piglit, with the sources of a program.
    Test,
}

impl Kind {
    /// The kind of the file at `path`; `None` if it is not GLSL. `a.frag.glsl` is a fragment shader, like `a.frag`.
    pub(super) fn of(path: &Path) -> Option<Kind> {
        let extension = |path: &Path| path.extension().and_then(|extension| extension.to_str()).map(str::to_string);
        let mut end = extension(path)?;
        if end == "glsl" {
            end = extension(Path::new(path.file_stem()?))?;
        }
        if end == TEST {
            return Some(Kind::Test);
        }
        STAGES.iter().find(|stage| stage.suffixes.contains(&end.as_str())).map(Kind::Source)
    }
}

/// Whether the file at `path` has GLSL, by its name.
pub(crate) fn is_glsl(path: &Path) -> bool {
    Kind::of(path).is_some()
}

/// The path without the end that says the stage.
pub(super) fn stem(path: &Path) -> PathBuf {
    let path = if path.extension().is_some_and(|end| end == "glsl") { path.with_extension("") } else { path.into() };
    path.with_extension("")
}
