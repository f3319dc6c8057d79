// SPDX-License-Identifier: MIT

//! The cache lines of a translation, for ntv and zink's own translator: these numbers do not depend on the noise of the machine.

use crate::comparison::{median, SIZES};
use crate::{finish, head};
use anyhow::{ensure, Context, Result};
use ntv_benches::log::Row;
use ntv_benches::{Log, Ratios};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Rows of the table of figures, and the columns of the log that add up to each.
const FIGURES: [(&str, &[&str]); 9] = [
    ("lines of code", &["code_lines"]),
    ("lines of constants", &["constant_lines"]),
    ("lines of memory", &["memory_lines"]),
    ("all lines", LINES),
    ("pages of code", &["code_pages"]),
    ("pages of constants", &["constant_pages"]),
    ("pages of memory", &["memory_pages"]),
    ("all pages", &["code_pages", "constant_pages", "memory_pages"]),
    ("executed instructions", INSTRUCTIONS),
];

const LINES: &[&str] = &["code_lines", "constant_lines", "memory_lines"];
const INSTRUCTIONS: &[&str] = &["instructions"];

/// The columns of a row in the table of phases.
const PHASE_FIGURES: [&[&str]; 5] = [&["code_lines"], &["constant_lines"], &["memory_lines"], LINES, INSTRUCTIONS];

/// Phases of the log in the order of their start, and their names in the table.
const PHASES: [(&str, &str, &str); 9] = [
    ("ntv", "flatten", "flattening, in C"),
    ("ntv", "shim", "between C and Rust"),
    ("ntv", "decode", "decoding"),
    ("ntv", "check", "check"),
    ("ntv", "pass", "passes"),
    ("ntv", "types", "types of values"),
    ("ntv", "emission", "emission"),
    ("c", "from_ssa", "C: `nir_convert_from_ssa`"),
    ("c", "to_spirv", "C: `nir_to_spirv`"),
];

/// The number of listed passes.
const PASSES: usize = 12;

/// The groups of functions in the log of sizes.
const GROUPS: [(&str, &str); 4] = [
    ("ntv", "ntv, in Rust"),
    ("rust", "beside it, Rust's own library"),
    ("flatten", "ntv, in C"),
    ("c", "`nir_to_spirv.c` and `spirv_builder.c`"),
];

/// A shader that both translated: the lines of the log by translator and phase.
type Shader<'a> = BTreeMap<(&'a str, &'a str), Row<'a>>;

/// Writes the tables of a log of ntv-trace, and of one of sizes.
pub(crate) fn write(log: &Path, sizes: &Path, results: &Path) -> Result<()> {
    let text = text(&Log::read(log)?, &Log::read(sizes)?)?;
    finish(results, "lines.md", &text)
}

fn text(log: &Log, sizes: &Log) -> Result<String> {
    let mut shaders: BTreeMap<&str, Shader<'_>> = BTreeMap::new();
    for row in log.rows() {
        shaders.entry(row.text("shader")?).or_default().insert((row.text("translator")?, row.text("phase")?), row);
    }
    let count = shaders.len();
    let whole = |shader: &Shader<'_>| ["ntv", "c"].iter().all(|translator| shader.contains_key(&(*translator, "all")));
    let shaders: Vec<Shader<'_>> = shaders.into_values().filter(whole).collect();
    ensure!(!shaders.is_empty(), "no shader that both translated");
    let halves = count - shaders.len();
    let (mut firsts, mut others) = (Vec::new(), Vec::new());
    for shader in shaders {
        let before = shader[&("ntv", "all")].number("before")?;
        if before == 0.0 { &mut firsts } else { &mut others }.push(shader);
    }
    let mut out = head("Memory that a translation touches", "cargo xtask bench --lines");
    write!(out, "\n{} shaders; {} more that were the first of a process", others.len(), firsts.len())?;
    writeln!(out, ", and {halves} that were not traced from beginning to end, are left out.")?;
    figures(&mut out, &others)?;
    sizes_of_shaders(&mut out, &others)?;
    if !firsts.is_empty() {
        out += "\n## The first shader of a process\n";
        figures(&mut out, &firsts)?;
    }
    phases(&mut out, &others)?;
    passes(&mut out, &others)?;
    code(&mut out, sizes)?;
    Ok(out)
}

/// The sum of `columns` in the line of a phase; 0 if the translation does not have the phase.
fn figure(shader: &Shader<'_>, translator: &str, phase: &str, columns: &[&str]) -> Result<f64> {
    let Some(row) = shader.get(&(translator, phase)) else { return Ok(0.0) };
    columns.iter().map(|column| row.number(column)).sum()
}

/// The same for all shaders.
fn all(shaders: &[Shader<'_>], translator: &str, phase: &str, columns: &[&str]) -> Result<Vec<f64>> {
    shaders.iter().map(|shader| figure(shader, translator, phase, columns)).collect()
}

/// The figures of ntv and of C.
fn pairs(shaders: &[Shader<'_>], columns: &[&str]) -> Result<Vec<[f64; 2]>> {
    let pair = |shader| Ok([figure(shader, "ntv", "all", columns)?, figure(shader, "c", "all", columns)?]);
    shaders.iter().map(pair).collect()
}

fn side(pairs: &[[f64; 2]], side: usize) -> impl Iterator<Item = f64> + '_ {
    pairs.iter().map(move |pair| pair[side])
}

/// The table of all figures.
fn figures(out: &mut String, shaders: &[Shader<'_>]) -> Result<()> {
    *out += "\n| | ntv, median | C, median | ntv / C, median | ntv, total | C, total | ntv / C, total |\n\
        | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for (name, columns) in FIGURES {
        let pairs = pairs(shaders, columns)?;
        // A shader may have no constants.
        let ratio = median(pairs.iter().filter(|pair| pair[1] > 0.0).map(|[ours, theirs]| ours / theirs));
        let [ours, theirs] = [0, 1].map(|who| median(side(&pairs, who)));
        let totals = [0, 1].map(|who| side(&pairs, who).sum::<f64>());
        let total = totals[0] / totals[1];
        writeln!(out, "| {name} | {ours} | {theirs} | {ratio:.3} | {} | {} | {total:.3} |", totals[0], totals[1])?;
    }
    Ok(())
}

/// The table of shaders by size.
fn sizes_of_shaders(out: &mut String, shaders: &[Shader<'_>]) -> Result<()> {
    *out += "\n| NIR instructions | shaders | ntv, median lines | C, median lines | ntv / C, geometric mean | total \
        | lines of code, total | instructions, total |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    for step in SIZES.windows(2) {
        let mut own = Vec::new();
        for shader in shaders {
            // A driver that ended early has not logged the size of its last shader.
            let size = shader[&("ntv", "all")].number("instrs").unwrap_or(-1.0);
            own.extend((size >= step[0] && size < step[1]).then(|| shader.clone()));
        }
        let lines = pairs(&own, LINES)?;
        let Some(ratios) = Ratios::new(lines.iter().copied()) else { continue };
        let total =
            |columns| Ok::<f64, anyhow::Error>(Ratios::new(pairs(&own, columns)?).map_or(0.0, |ratios| ratios.total()));
        let (code, instructions) = (total(&["code_lines"])?, total(INSTRUCTIONS)?);
        let [ours, theirs] = [0, 1].map(|who| median(side(&lines, who)));
        let (mean, all) = (ratios.geometric_mean(), ratios.total());
        let name = match step[1].is_finite() {
            true => format!("{} to {}", step[0], step[1] - 1.0),
            false => format!("{} and more", step[0]),
        };
        writeln!(
            out,
            "| {name} | {} | {ours} | {theirs} | {mean:.3} | {all:.3} | {code:.3} | {instructions:.3} |",
            own.len()
        )?;
    }
    Ok(())
}

/// The table of phases: the medians of each.
fn phases(out: &mut String, shaders: &[Shader<'_>]) -> Result<()> {
    *out += "\n## Phases, medians\n\n\
        | | lines of code | of constants | of memory | all lines | instructions |\n| --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (translator, phase, name) in PHASES {
        write!(out, "| {name} ")?;
        for columns in PHASE_FIGURES {
            write!(out, "| {} ", median(all(shaders, translator, phase, columns)?.into_iter()))?;
        }
        *out += "|\n";
    }
    Ok(())
}

/// The table of the passes with the most lines: most passes change only few shaders, so it has means.
fn passes(out: &mut String, shaders: &[Shader<'_>]) -> Result<()> {
    let mut names: Vec<&str> = shaders.iter().flat_map(|shader| shader.keys().map(|(_, phase)| *phase)).collect();
    names.sort_unstable();
    names.dedup();
    let mut rows = Vec::new();
    for phase in names {
        let Some(pass) = phase.strip_prefix("pass/") else { continue };
        let mut means = Vec::new();
        for columns in PHASE_FIGURES {
            means.push(all(shaders, "ntv", phase, columns)?.iter().sum::<f64>() / shaders.len() as f64);
        }
        rows.push((pass, means));
    }
    rows.sort_by(|(_, a), (_, b)| b[3].total_cmp(&a[3]));
    *out += "\n| pass, means | lines of code | of constants | of memory | all lines | instructions |\n\
        | --- | ---: | ---: | ---: | ---: | ---: |\n";
    for (pass, means) in rows.into_iter().take(PASSES) {
        let means: Vec<String> = means.iter().map(|mean| format!("{mean:.1}")).collect();
        writeln!(out, "| `{pass}` | {} |", means.join(" | "))?;
    }
    Ok(())
}

/// The table of the machine code in the driver.
fn code(out: &mut String, sizes: &Log) -> Result<()> {
    *out += "\n## Machine code in the driver\n\n| | functions | bytes | KiB |\n| --- | ---: | ---: | ---: |\n";
    for (group, name) in GROUPS {
        let (count, bytes) = sum(sizes, group, None)?;
        ensure!(count > 0.0, "the log of sizes has no functions of {group}");
        writeln!(out, "| {name} | {count} | {bytes} | {:.0} |", bytes / 1024.0)?;
    }
    *out += "\n| ntv's modules | functions | bytes |\n| --- | ---: | ---: |\n";
    let mut parts = Vec::new();
    for row in sizes.rows() {
        if row.text("group")? == "ntv" {
            parts.push((row.text("part")?, sum(sizes, "ntv", Some(row.text("part")?))?));
        }
    }
    parts.sort_by(|(_, (_, a)), (_, (_, b))| b.total_cmp(a));
    for (part, (count, bytes)) in parts {
        writeln!(out, "| `{part}` | {count} | {bytes} |")?;
    }
    Ok(())
}

/// Functions and bytes of a group, or of a part of it.
fn sum(sizes: &Log, group: &str, part: Option<&str>) -> Result<(f64, f64)> {
    let (mut count, mut bytes) = (0.0, 0.0);
    for row in sizes.rows() {
        if row.text("group")? == group && part.is_none_or(|part| row.text("part").is_ok_and(|own| own == part)) {
            count += row.number("functions").context("in the log of sizes")?;
            bytes += row.number("bytes").context("in the log of sizes")?;
        }
    }
    Ok((count, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "shader\tbefore\tstage\tinstrs\ttranslator\tphase\tinstructions\tcode_lines\tconstant_lines\tmemory_lines\
        \tcode_pages\tconstant_pages\tmemory_pages\n";

    const SIZES: &str = "group\tpart\tfunctions\tbytes\nntv\tspirv\t2\t1024\nntv\tpass\t1\t2048\nrust\tcore\t3\t512\n\
        flatten\tntvr_nir.c\t4\t256\nc\tnir_to_spirv.c\t5\t100\nc\tspirv_builder.c\t6\t200\n";

    fn report(rows: &str) -> Result<String> {
        text(&Log::parse(&format!("{HEAD}{rows}")), &Log::parse(SIZES))
    }

    #[test]
    fn shaders_are_compared() {
        let text = report(
            "1-1\t0\tVS\t4\tntv\tall\t900\t90\t9\t9\t9\t9\t9\n1-1\t0\tVS\t4\tc\tall\t90\t9\t9\t9\t9\t9\t9\n\
             1-2\t1\tVS\t40\tntv\tall\t100\t30\t20\t10\t3\t2\t1\n1-2\t1\tVS\t40\tntv\tdecode\t60\t20\t0\t5\t1\t0\t1\n\
             1-2\t1\tVS\t40\tntv\tpass/dce\t30\t7\t1\t2\t1\t1\t1\n1-2\t1\tVS\t40\tc\tall\t200\t10\t20\t30\t1\t2\t4\n\
             1-3\t2\tFS\t9\tntv\tall\t100\t30\t20\t10\t3\t2\t1\n",
        )
        .unwrap();
        assert!(
            text.contains("\n1 shaders; 1 more that were the first of a process, and 1 that were not traced"),
            "{text}"
        );
        assert!(text.contains("\n| lines of code | 30 | 10 | 3.000 | 30 | 10 | 3.000 |\n"), "{text}");
        assert!(text.contains("\n| all lines | 60 | 60 | 1.000 | 60 | 60 | 1.000 |\n"), "{text}");
        assert!(text.contains("\n| all pages | 6 | 7 | 0.857 | 6 | 7 | 0.857 |\n"), "{text}");
        assert!(text.contains("\n| 30 to 99 | 1 | 60 | 60 | 1.000 | 1.000 | 3.000 | 0.500 |\n"), "{text}");
        assert!(text.contains("\n| executed instructions | 900 | 90 | 10.000 | 900 | 90 | 10.000 |\n"), "{text}");
        assert!(text.contains("\n| decoding | 20 | 0 | 5 | 25 | 60 |\n"), "{text}");
        assert!(text.contains("\n| emission | 0 | 0 | 0 | 0 | 0 |\n"), "{text}");
        assert!(text.contains("\n| `dce` | 7.0 | 1.0 | 2.0 | 10.0 | 30.0 |\n"), "{text}");
    }

    #[test]
    fn sizes_are_added_up() {
        let text =
            report("1-2\t1\tVS\t40\tntv\tall\t1\t1\t1\t1\t1\t1\t1\n1-2\t1\tVS\t40\tc\tall\t1\t1\t1\t1\t1\t1\t1\n")
                .unwrap();
        assert!(text.contains("\n| ntv, in Rust | 3 | 3072 | 3 |\n"), "{text}");
        assert!(text.contains("\n| `nir_to_spirv.c` and `spirv_builder.c` | 11 | 300 | 0 |\n"), "{text}");
        assert!(text.contains("\n| `pass` | 1 | 2048 |\n| `spirv` | 2 | 1024 |\n"), "{text}");
    }

    #[test]
    fn an_empty_log_is_an_error() {
        assert!(report("").is_err());
    }
}
