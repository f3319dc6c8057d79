// SPDX-License-Identifier: MIT

//! The log: a line for each phase of each translation.

use super::touched::Touched;
use super::translation::{Translation, Translator};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const HEAD: &str =
    "shader\tbefore\tstage\tinstrs\ttranslator\tphase\tinstructions\tcode_lines\tconstant_lines\tmemory_lines\
    \tcode_pages\tconstant_pages\tmemory_pages\n";

/// A shader that both translate.
#[derive(Debug, Default)]
pub(crate) struct Shader {
    /// The name in zink's own log.
    pub(crate) name: String,
    /// The number of earlier shaders of the process.
    pub(crate) before: u32,
    pub(crate) c: Option<Translation>,
    pub(crate) ntv: Option<Translation>,
}

impl Shader {
    /// The translation of it by `translator`.
    pub(crate) fn of(&mut self, translator: Translator) -> &mut Option<Translation> {
        match translator {
            Translator::C => &mut self.c,
            Translator::Ntv => &mut self.ntv,
        }
    }

    /// The translations that were seen from beginning to end.
    pub(crate) fn done(&self) -> impl Iterator<Item = (Translator, &Translation)> {
        let both = [(Translator::C, &self.c), (Translator::Ntv, &self.ntv)];
        both.into_iter().filter_map(|(who, what)| Some((who, what.as_ref().filter(|what| what.done)?)))
    }

    /// The lines of the log. `size` is the shader's stage and its number of NIR instructions.
    fn rows(&self, size: [&str; 2]) -> String {
        let mut out = String::new();
        for (translator, translation) in self.done() {
            let start = format!("{}\t{}\t{}\t{}", self.name, self.before, size.join("\t"), translator.name());
            row(&mut out, &start, "all", &translation.all);
            for ((phase, pass), touched) in &translation.phases {
                let pass = pass.as_ref().map(|pass| format!("/{pass}")).unwrap_or_default();
                row(&mut out, &start, &format!("{phase}{pass}"), touched);
            }
        }
        out
    }
}

fn row(out: &mut String, start: &str, phase: &str, touched: &Touched) {
    let numbers = touched.lines().into_iter().chain(touched.pages());
    let numbers = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join("\t");
    // Writing to a string does not fail.
    let _ = writeln!(out, "{start}\t{phase}\t{}\t{numbers}", touched.instructions);
}

/// Adds a shader to the log at `path`. zink's own log, `zink`, has other data of it.
pub(crate) fn write(path: &Path, zink: Option<&PathBuf>, shader: &Shader) -> Result<()> {
    // The log does not exist before the first shader.
    let said = zink.and_then(|zink| std::fs::read_to_string(zink).ok()).unwrap_or_default();
    let rows = shader.rows(size(&said, &shader.name).unwrap_or(["-", "-"]));
    let at = || path.display().to_string();
    let mut file = File::options().create(true).append(true).open(path).with_context(at)?;
    if file.metadata().with_context(at)?.len() == 0 {
        file.write_all(HEAD.as_bytes()).with_context(at)?;
    }
    file.write_all(rows.as_bytes()).with_context(at)
}

/// Stage and number of NIR instructions of a shader, from zink's log.
fn size<'a>(log: &'a str, shader: &str) -> Option<[&'a str; 2]> {
    let mut lines = log.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let columns = lines.next()?;
    let at = |name| columns.iter().position(|column| *column == name);
    let (name, stage, instrs) = (at("shader")?, at("stage")?, at("instrs")?);
    let line = lines.find(|line| line.get(name) == Some(&shader))?;
    Some([line.get(stage)?, line.get(instrs)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::translation::PARTS;

    #[test]
    fn sizes_come_from_the_log_of_zink() {
        let log = "shader\tstage\tbefore\tinstrs\n12-0001\tVS\t0\t4\n12-0002\tFS\t1\t70\n";
        assert_eq!(size(log, "12-0002"), Some(["FS", "70"]));
        assert_eq!(size(log, "12-0003"), None);
        assert_eq!(size("", "12-0002"), None);
    }

    #[test]
    fn only_whole_translations_are_logged() {
        let mut shader = Shader { name: "12-0002".into(), before: 1, ..Shader::default() };
        shader.c = Some(Translation::new(PARTS[0]));
        shader.ntv = Some(Translation::new(PARTS[2]));
        shader.of(Translator::Ntv).as_mut().unwrap().done = true;
        assert_eq!(shader.rows(["FS", "70"]), "12-0002\t1\tFS\t70\tntv\tall\t0\t0\t0\t0\t0\t0\t0\n");
        assert_eq!(HEAD.split('\t').count(), 13);
    }
}
