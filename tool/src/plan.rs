// SPDX-License-Identifier: MIT

//! `ntv plan`: the storage class of each uniform block of a program, and the reason.

use crate::args::PlanArgs;
use crate::diagnostics::{problems, Problem, Reporter};
use crate::shaders::{each, load};
use crate::{destination, inputs, AllFine};
use anyhow::{ensure, Context as _, Result};
use ntv::check;
use ntv::ir::Stage;
use ntv::plan::{plan, survey, BlockPlacement, Limits, Plan, Planned, ProgramBlocks, StageBlocks, Threshold, Wishes};
use ntv::Options;
use ntv_report::{limits, plans};
use serde_json::json;
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
    let mut program = ProgramBlocks { stages: done.into_iter().flatten().collect(), ..ProgramBlocks::default() };
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
        Ok(plan) => {
            let text = if reporter.is_json() { objects(&plan, &program) } else { table(&plan, &program) };
            destination::print(text.as_bytes())?;
            Ok(true)
        }
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
    let text = inputs::read_text(path)?;
    limits::parse(&text).with_context(|| path.display().to_string())
}

const HEADINGS: [&str; 6] = ["block", "read by", "class", "bytes", "dynamic", "why"];

/// The table of blocks, and the options of `ntv compile` for them.
fn table(plan: &Plan, program: &ProgramBlocks) -> String {
    let rows: Vec<[String; 6]> = plan.blocks.iter().map(row).collect();
    let wide = |column: usize| {
        let cells = rows.iter().map(|row| row[column].len());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADINGS.len() - 1).map(wide).collect();
    let mut out = String::new();
    let mut line = |cells: &[String; 6]| {
        for (cell, width) in cells.iter().zip(&widths) {
            out += &format!("{cell:width$}  ");
        }
        out += &format!("{}\n", cells[5]);
    };
    line(&HEADINGS.map(str::to_string));
    rows.iter().for_each(&mut line);
    for block in &plan.blocks {
        block.moves.iter().for_each(|step| out += &format!("{} would move: {step}\n", block.name));
    }
    for (stage, places) in places(plan, program) {
        let places: String = places.iter().map(|place| format!(" --place {place}")).collect();
        out += &format!("{stage}:{places}\n");
    }
    out
}

/// A plan as JSON, an object for each block and for each stage.
fn objects(plan: &Plan, program: &ProgramBlocks) -> String {
    let blocks = plan.blocks.iter().map(|block| {
        let moves: Vec<String> = block.moves.iter().map(ToString::to_string).collect();
        let stages: Vec<String> = block.stages.iter().map(slot).collect();
        json!({
            "block": block.name, "read_by": stages, "class": block.class.name(), "clamp": block.clamp,
            "bytes": block.range, "dynamic_bytes": block.dynamic_bytes, "why": block.reason.to_string(), "moves": moves,
        })
    });
    let places = places(plan, program).into_iter().map(|(stage, places)| json!({ "stage": stage, "place": places }));
    blocks.chain(places).map(|object| format!("{object}\n")).collect()
}

/// The stages with blocks that are not uniform buffers, and the values of `--place` for them.
fn places(plan: &Plan, program: &ProgramBlocks) -> Vec<(&'static str, Vec<String>)> {
    let of_stage = |stage: &StageBlocks| {
        let placements = plan.placements(stage.stage);
        let places = placements.iter().map(|(block, placement)| BlockPlacement { block, placement }.to_string());
        (stage.stage.name(), places.collect::<Vec<String>>())
    };
    program.stages.iter().map(of_stage).filter(|(_, places)| !places.is_empty()).collect()
}

/// A stage and the number of the block in it.
fn slot((stage, slot): &(Stage, u32)) -> String {
    format!("{}:{slot}", short(*stage))
}

fn row(block: &Planned) -> [String; 6] {
    let stages: Vec<String> = block.stages.iter().map(slot).collect();
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
        Stage::Task => "ts",
        Stage::Mesh => "ms",
    }
}
