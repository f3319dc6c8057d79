// SPDX-License-Identifier: MIT

//! The cost of dynamic offsets into buffers, for ntv and zink's C translator.

use crate::{finish, head};
use anyhow::Result;
use ntv::Target;
use ntv_benches::offsets::{self, compare, totals, Compared, Corpus, Level, Measure, MemoryKind};
use ntv_benches::sets::shared_corpus;
use std::fmt::Write as _;
use std::path::Path;

/// The number of listed shaders if none is worse.
const HIGHEST: usize = 10;

/// Counts in the modules of both over the corpus, and writes tables.
pub(crate) fn write(results: &Path) -> Result<()> {
    let corpus = Corpus::read(&shared_corpus())?;
    let mut out = head("Dynamic offsets", "cargo xtask bench --offsets");
    let Corpus { pairs, alone, ambiguous } = &corpus;
    writeln!(
        out,
        "\n{} shaders, without {alone} that have no module of C and {ambiguous} that may have several.",
        pairs.len()
    )?;
    let targets = [("The device of the corpus", offsets::device()), ("Plain Vulkan 1.3", Target::default())];
    for (title, target) in targets {
        let rows = compare(&corpus, &target)?;
        writeln!(out, "\n## {title}")?;
        by_level(&mut out, &rows)?;
        by_shader(&mut out, &rows)?;
    }
    finish(results, "offsets.md", &out)
}

/// Totals for each level and kind of memory.
fn by_level(out: &mut String, rows: &[Compared<'_>]) -> Result<()> {
    table_head(out, "| level | memory | shaders")?;
    for level in Level::ALL {
        for memory in MemoryKind::ALL.into_iter().map(Some).chain([None]) {
            let counts = |row: &&Compared<'_>| {
                row.pair.level == level && memory.is_none_or(|memory| row.pair.memory.contains(&memory))
            };
            let rows: Vec<&Compared<'_>> = rows.iter().filter(counts).collect();
            let name = memory.map_or("any", MemoryKind::name);
            write!(out, "| {} | {name} | {}", level.name(), rows.len())?;
            let [ours, theirs] = totals(rows.iter().copied());
            for measure in Measure::ALL {
                let both = [ours, theirs].map(|cost| cost.get(measure));
                let worse = rows.iter().filter(|row| row.is_worse(measure)).count();
                match both[1] {
                    0 => write!(out, " | {} / 0, {worse} worse", both[0])?,
                    _ => write!(out, " | {} / {} = {:.2}, {worse} worse", both[0], both[1], offsets::ratio(both))?,
                }
            }
            *out += " |\n";
        }
    }
    Ok(())
}

/// The shaders for which ntv has higher counts; if there are none, those with the highest ratios.
fn by_shader(out: &mut String, rows: &[Compared<'_>]) -> Result<()> {
    let highest = |row: &Compared<'_>| {
        Measure::ALL.map(|measure| offsets::ratio(row.both(measure))).into_iter().fold(0.0, f64::max)
    };
    let mut sorted: Vec<&Compared<'_>> = rows.iter().collect();
    sorted.sort_by(|a, b| highest(b).total_cmp(&highest(a)));
    let worse = sorted.iter().filter(|row| Measure::ALL.iter().any(|measure| row.is_worse(*measure))).count();
    let title = match worse {
        0 => format!("| none of {} is worse; the highest ratios", rows.len()),
        _ => format!("| {worse} of {} are worse", rows.len()),
    };
    table_head(out, &format!("{title} | memory | C's module"))?;
    for row in &sorted[..if worse == 0 { HIGHEST.min(sorted.len()) } else { worse }] {
        let memory: Vec<&str> = row.pair.memory.iter().map(|memory| memory.name()).collect();
        write!(out, "| {} | {} | {}", row.pair.name(), memory.join(", "), row.pair.partner)?;
        for measure in Measure::ALL {
            let [ours, theirs] = row.both(measure);
            let strong = if row.is_worse(measure) { "**" } else { "" };
            write!(out, " | {strong}{ours} / {theirs}{strong}")?;
        }
        *out += " |\n";
    }
    Ok(())
}

/// The head of a table with three columns of its own, and one for each measure.
fn table_head(out: &mut String, first: &str) -> Result<()> {
    let measures = Measure::ALL.map(Measure::name).join(" | ");
    Ok(writeln!(out, "\n{first} | {measures} |\n| --- | --- | --- |{}", " ---: |".repeat(Measure::ALL.len()))?)
}
