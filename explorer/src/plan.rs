// SPDX-License-Identifier: MIT

//! Plans of a program: the places of its uniform blocks, and what transform feedback captures.

use crate::api::{PlanAnswer, PlanRequest, PlannedBlock, PlannedCapture, StageProblem};
use crate::shaders;
use ntv::op::names::SlotKind;
use ntv::plan::{plan, survey, Limits, Planned, Program, Threshold, Wishes};
use ntv::{check, Shader};

/// The plans of a request.
pub(crate) fn plan_program(request: &PlanRequest) -> PlanAnswer {
    planned(request).unwrap_or_else(|problems| PlanAnswer { problems, ..PlanAnswer::default() })
}

fn planned(request: &PlanRequest) -> Result<PlanAnswer, Vec<StageProblem>> {
    let count = request.stages.len() as u32;
    let whole = |message: String| vec![StageProblem { stage: count, problem: shaders::problem("argument", &message) }];
    let limits = match request.limits.trim() {
        "" => Limits::default(),
        text => ntv_report::limits::parse(text).map_err(|error| whole(format!("{error:#}")))?,
    };
    let mut found = shaders::find_all(&request.stages)?;
    for (number, shader) in (0..).zip(&found) {
        let checked = check::validate(shader).map_err(shaders::problems);
        checked.map_err(|problems| shaders::of_stage(number, problems).collect::<Vec<_>>())?;
    }
    found.sort_by_key(Shader::stage);
    if let Some([stage, _]) = found.windows(2).find(|pair| pair[0].stage() == pair[1].stage()) {
        return Err(whole(format!(
            "a program has each stage once, but there are two {} shaders",
            stage.stage().name()
        )));
    }
    let program = Program { stages: found.iter().map(survey).collect(), ..Program::default() };
    let wishes = Wishes::default().threshold(request.threshold.map_or(Threshold::Never, Threshold::Bytes));
    let plan = plan(&program, &limits, &wishes).map_err(|error| whole(error.to_string()))?;
    Ok(PlanAnswer {
        problems: Vec::new(),
        blocks: plan.blocks.iter().map(block).collect(),
        captures: found.iter().flat_map(captures).collect(),
    })
}

fn block(block: &Planned) -> PlannedBlock {
    let readers: Vec<String> = block.stages.iter().map(|(stage, slot)| format!("{}:{slot}", stage.name())).collect();
    PlannedBlock {
        block: block.name.clone(),
        read_by: readers.join(" "),
        class: format!("{}{}", block.class.name(), if block.clamp { ", clamped" } else { "" }),
        bytes: block.range,
        dynamic: block.dynamic_bytes,
        why: block.reason.to_string(),
        moves: block.moves.iter().map(ToString::to_string).collect(),
    }
}

/// The captures in the header of a shader.
fn captures(shader: &Shader) -> Vec<PlannedCapture> {
    let info = &shader.xfb_info;
    let rows = info.outputs.iter().filter_map(|row| Some((row, info.buffers.get(row.buffer as usize)?)));
    rows.map(|(row, buffer)| {
        let letters = "xyzw".chars().skip(row.component.into()).take(row.num_components.into());
        let slot = SlotKind::Varying.name(row.location);
        PlannedCapture {
            stage: shader.stage().name().to_string(),
            output: format!("{slot}.{}", letters.collect::<String>()),
            buffer: row.buffer,
            offset: row.offset,
            stride: buffer.stride,
            stream: buffer.stream,
        }
    })
    .collect()
}
