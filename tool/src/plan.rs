// SPDX-License-Identifier: MIT

//! `ntv plan`: the storage class of each uniform block of a program, and the reason.

use crate::args::PlanArgs;
use crate::diagnostics::{problems, Problem, Reporter};
use crate::names::nearest;
use crate::shaders::{each, load};
use crate::{inputs, AllFine};
use anyhow::{bail, ensure, Context as _, Result};
use ntv::check;
use ntv::ir::Stage;
use ntv::plan::{plan, survey, BlockPlacement, Limits, Plan, Planned, Program, StageBlocks, Threshold, Wishes, LIMITS};
use ntv::Options;
use serde_json::Value;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// `ntv plan`: a table of blocks to stdout.
pub(crate) fn run(args: &PlanArgs, reporter: &Reporter) -> Result<AllFine> {
    let limits = args.limits.as_deref().map_or_else(|| Ok(Limits::default()), read_limits)?;
    let wishes = wishes(args);
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    let done = each(loaded, &Options::default(), reporter, |_, job| -> Result<StageBlocks, Vec<Problem>> {
        check::validate(&job.shader).map_err(problems)?;
        Ok(survey(&job.shader))
    });
    if done.iter().any(Option::is_none) {
        return Ok(false);
    }
    let mut program = Program { stages: done.into_iter().flatten().collect(), ..Program::default() };
    program.stages.sort_by_key(|stage| stage.stage);
    let repeated = program.stages.windows(2).find(|pair| pair[0].stage == pair[1].stage);
    if let Some([stage, _]) = repeated {
        bail!("a program has each stage once, but there are two {} shaders", stage.stage.name());
    }
    for (name, bytes) in &args.bytes {
        program.block(name).bytes = Some(*bytes);
    }
    args.at_hand.iter().for_each(|name| program.block(name).is_at_hand = true);
    let named = args.place.iter().map(|row| &row.0).chain(&args.at_hand).chain(args.bytes.iter().map(|row| &row.0));
    for name in named {
        let known = program.stages.iter().flat_map(|stage| &stage.uses).map(|used| used.name.as_str());
        let known: Vec<&str> = known.collect();
        ensure!(known.contains(&name.as_str()), "no stage reads a block `{name}`; there are: {}", known.join(", "));
    }
    match plan(&program, &limits, &wishes) {
        Ok(plan) => show(&plan, &program).map(|()| true).context("cannot write the plan"),
        Err(impossible) => {
            reporter.apart("plan", &impossible.to_string());
            Ok(false)
        }
    }
}

fn wishes(args: &PlanArgs) -> Wishes {
    Wishes::default()
        .threshold(args.threshold.map_or(Threshold::Never, Threshold::Bytes))
        .offset_alignment(args.offset_alignment)
        .push_constants(args.push_constants.unwrap_or((0, 0)))
        .asked(args.place.clone())
        .all(args.all)
}

/// Reads limits from a file: a JSON object with Vulkan's names, at any depth of nesting, so that the output of `vulkaninfo
/// --json` works. Limits that the file does not have are those of [`Limits::default`].
fn read_limits(path: &Path) -> Result<Limits> {
    let place = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(place)?;
    let json: Value = serde_json::from_str(&text).with_context(place)?;
    let mut limits = Limits::default();
    let mut found = 0;
    take_limits(&json, &mut limits, &mut found).with_context(place)?;
    if let Value::Object(flat) = &json {
        if flat.values().all(|value| !value.is_object() && !value.is_array()) {
            if let Some(name) = flat.keys().find(|name| LIMITS.iter().all(|row| row.name != *name)) {
                let near = nearest(name, LIMITS.iter().map(|row| row.name)).join(", ");
                bail!("{}: no plan depends on a limit `{name}`; similar names: {near}", place());
            }
        }
    }
    ensure!(found > 0, "{}: there is no limit in it; the limits are: {}", place(), names().join(", "));
    Ok(limits)
}

fn names() -> Vec<&'static str> {
    LIMITS.iter().map(|row| row.name).collect()
}

fn take_limits(json: &Value, limits: &mut Limits, found: &mut usize) -> Result<()> {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                if !LIMITS.iter().any(|row| row.name == name) {
                    take_limits(value, limits, found)?;
                    continue;
                }
                // Sizes of 4 GiB and more are clamped; plans need no larger numbers.
                let number = value.as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
                let number = number.or(value.as_bool().map(u32::from));
                limits.set(name, number.with_context(|| format!("{name} is {value}, which is not a number"))?);
                *found += 1;
            }
            Ok(())
        }
        Value::Array(values) => values.iter().try_for_each(|value| take_limits(value, limits, found)),
        _ => Ok(()),
    }
}

const HEADINGS: [&str; 6] = ["block", "read by", "class", "bytes", "dynamic", "why"];

fn show(plan: &Plan, program: &Program) -> io::Result<()> {
    let rows: Vec<[String; 6]> = plan.blocks.iter().map(row).collect();
    let wide = |column: usize| {
        let cells = rows.iter().map(|row| row[column].len());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADINGS.len() - 1).map(wide).collect();
    let mut out = io::stdout().lock();
    let mut line = |cells: &[String; 6]| {
        let mut text = String::new();
        for (cell, width) in cells.iter().zip(&widths) {
            text += &format!("{cell:width$}  ");
        }
        writeln!(out, "{text}{}", cells[5])
    };
    line(&HEADINGS.map(str::to_string))?;
    rows.iter().try_for_each(&mut line)?;
    for block in &plan.blocks {
        for step in &block.moves {
            writeln!(out, "{} would move: {step}", block.name)?;
        }
    }
    for stage in &program.stages {
        let placements = plan.placements(stage.stage);
        let places =
            placements.iter().map(|(block, placement)| format!(" --place {}", BlockPlacement { block, placement }));
        let places: String = places.collect();
        if !places.is_empty() {
            writeln!(out, "{}:{places}", stage.stage.name())?;
        }
    }
    Ok(())
}

fn row(block: &Planned) -> [String; 6] {
    let stage = |(stage, slot): &(Stage, u32)| format!("{}:{slot}", short(*stage));
    let stages: Vec<String> = block.stages.iter().map(stage).collect();
    [
        block.name.clone(),
        stages.join(" "),
        format!("{}{}", block.class.name(), if block.clamp { ", clamped" } else { "" }),
        block.range.to_string(),
        block.dynamic_bytes.to_string(),
        block.reason.to_string(),
    ]
}

fn short(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vs",
        Stage::TessCtrl => "tcs",
        Stage::TessEval => "tes",
        Stage::Geometry => "gs",
        Stage::Fragment => "fs",
        Stage::Compute => "cs",
        Stage::Kernel => "kernel",
    }
}
