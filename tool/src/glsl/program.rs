// SPDX-License-Identifier: MIT

//! Programs: the sources that are linked with each other, and what they need of OpenGL.

use super::shader_test;
use super::stages::{stem, Kind, Stage};
use std::path::PathBuf;

/// The source of a shader.
pub(super) struct Source {
    /// The number of its file.
    pub(super) file: usize,
    pub(super) stage: &'static Stage,
    /// The number of lines of the file that are before it.
    pub(super) lines_before: u32,
    pub(super) text: String,
}

/// Sources that are linked with each other.
pub(super) struct Program {
    pub(super) sources: Vec<Source>,
    /// Whether it is one of several programs of a pipeline.
    pub(super) is_separable: bool,
}

/// The kind of a context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Api {
    /// OpenGL without deprecated parts.
    Core,
    /// OpenGL with all of its parts.
    Compatibility,
    /// OpenGL ES.
    Es,
}

impl Api {
    pub(super) const ALL: [(&'static str, Api); 3] =
        [("core", Api::Core), ("compatibility", Api::Compatibility), ("es", Api::Es)];

    pub(super) fn name(self) -> &'static str {
        Api::ALL.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }
}

impl Program {
    fn new(sources: Vec<Source>, is_separable: bool) -> Program {
        let has = |name: &str| sources.iter().any(|source| source.stage.name == name);
        // The linker removes what no other stage of a complete program reads, and refuses programs that lack a stage.
        let is_complete = has("compute") || (has("vertex") || has("mesh")) && has("fragment");
        Program { is_separable: is_separable || !is_complete, sources }
    }

    /// Whether it has a stage of GL_EXT_mesh_shader.
    pub(super) fn has_mesh_shaders(&self) -> bool {
        self.sources.iter().any(|source| ["task", "mesh"].contains(&source.stage.name))
    }

    /// The context that the sources need, by their `#version`.
    pub(super) fn api(&self) -> Api {
        let version = self.sources.iter().filter_map(|source| version(&source.text)).max_by_key(|version| version.0);
        match version {
            Some((100, _)) | Some((_, "es")) => Api::Es,
            Some((number, profile)) if number >= 140 && profile != "compatibility" => Api::Core,
            _ => Api::Compatibility,
        }
    }
}

/// The number and the profile of the `#version` of a source.
pub(super) fn version(text: &str) -> Option<(u32, &str)> {
    let words = text.lines().find_map(|line| line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("version"));
    let mut words = words?.split_whitespace();
    Some((words.next()?.parse().ok()?, words.next().unwrap_or_default()))
}

/// A file of GLSL.
pub(super) struct File {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The programs of the files: a test of piglit has its own. The other files are one program, if each stage is there once; otherwise
/// those with the same name, without its end, are one. A compute shader is always alone. The error has the number of the file.
pub(super) fn programs(files: &[File]) -> Result<Vec<Program>, (usize, String)> {
    let mut programs = Vec::new();
    let mut graphics: Vec<(PathBuf, Source)> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        match Kind::of(&file.path) {
            Some(Kind::Test) => {
                let test = shader_test::parse(number, &file.text).map_err(|error| (number, error))?;
                match test.is_separate {
                    true => programs.extend(test.sources.into_iter().map(|source| Program::new(vec![source], true))),
                    false => programs.push(Program::new(test.sources, false)),
                }
            }
            Some(Kind::Source(stage)) => {
                let source = Source { file: number, stage, lines_before: 0, text: file.text.clone() };
                match stage.name {
                    "compute" => programs.push(Program::new(vec![source], false)),
                    _ => graphics.push((stem(&file.path), source)),
                }
            }
            None => return Err((number, "the name of the file has no end of a stage, such as .frag".to_string())),
        }
    }
    let is_one = (0..graphics.len()).all(|at| graphics[..at].iter().all(|(_, it)| it.stage != graphics[at].1.stage));
    while !graphics.is_empty() {
        let first = graphics[0].0.clone();
        let (own, rest): (Vec<_>, Vec<_>) = graphics.into_iter().partition(|(stem, _)| is_one || *stem == first);
        programs.push(Program::new(own.into_iter().map(|(_, source)| source).collect(), false));
        graphics = rest;
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(names: &[&str]) -> Vec<Vec<usize>> {
        let file = |name: &&str| File { path: name.into(), text: String::new() };
        let files: Vec<File> = names.iter().map(file).collect();
        let programs = programs(&files).map_err(|error| error.1).expect("programs");
        programs.iter().map(|program| program.sources.iter().map(|source| source.file).collect()).collect()
    }

    #[test]
    fn files_are_one_program_or_one_for_each_name() {
        assert_eq!(grouped(&["quad.vert", "marble.frag"]), [[0, 1]]);
        assert_eq!(grouped(&["a.vert", "b.vert", "b.frag.glsl", "a.fs"]), [[0, 3], [1, 2]]);
        assert_eq!(grouped(&["a.frag", "b.frag"]), [[0], [1]]);
        assert_eq!(grouped(&["a.vert", "a.comp", "a.frag"]), [vec![1], vec![0, 2]]);
    }

    #[test]
    fn the_version_says_the_context() {
        let api = |text: &str| {
            let files = [File { path: "a.frag".into(), text: text.into() }];
            programs(&files).map_err(|error| error.1).expect("a program")[0].api()
        };
        assert_eq!(api("void main() {}"), Api::Compatibility);
        assert_eq!(api("#version 130\n"), Api::Compatibility);
        assert_eq!(api("// a picture\n # version 450\n"), Api::Core);
        assert_eq!(api("#version 450 compatibility\n"), Api::Compatibility);
        assert_eq!(api("#version 100\n"), Api::Es);
        assert_eq!(api("#version 310 es\n"), Api::Es);
    }
}
