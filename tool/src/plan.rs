// SPDX-License-Identifier: MIT

//! `ntv plan`: the storage class of each uniform block of a program, and the reason.

use crate::args::PlanArgs;
use crate::diagnostics::{problems, Problem, Reporter};
use crate::shaders::{each, load};
use crate::{inputs, AllFine};
use anyhow::{ensure, Context as _, Result};
use ntv::check;
use ntv::ir::Stage;
use ntv::plan::{plan, survey, BlockPlacement, Limits, Plan, Planned, Program, StageBlocks, Threshold, Wishes};
use ntv::Options;
use ntv_report::{limits, plans};
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
    plans::check_stages(program.stages.iter().map(|stage| stage.stage))?;
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

/// Reads limits from a file.
fn read_limits(path: &Path) -> Result<Limits> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    limits::parse(&text).with_context(|| path.display().to_string())
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
        plans::class(block),
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
