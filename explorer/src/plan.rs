// SPDX-License-Identifier: MIT

//! Plans of a program: the places of its uniform blocks, and what transform feedback captures.

use crate::api::{PlanAnswer, PlanRequest, PlannedBlock, PlannedCapture, StageProblem};
use crate::shaders;
use ntv::op::names::SlotKind;
use ntv::plan::{plan, survey, Limits, Planned, ProgramBlocks, Threshold, Wishes};
use ntv::Shader;
use ntv_report::{plans, varyings};

/// The plans of a request.
pub(crate) fn plan_program(request: &PlanRequest) -> PlanAnswer {
    planned(request).unwrap_or_else(|problems| PlanAnswer { problems, ..PlanAnswer::default() })
}

fn planned(request: &PlanRequest) -> Result<PlanAnswer, Vec<StageProblem>> {
    let whole = |message: String| shaders::whole(&request.stages, shaders::problem("argument", &message));
    let limits = match request.limits.trim() {
        "" => Limits::default(),
        text => ntv_report::limits::parse(text).map_err(|error| whole(format!("{error:#}")))?,
    };
    let mut found = shaders::find_all(&request.stages)?;
    shaders::validate(&found)?;
    found.sort_by_key(Shader::stage);
    plans::check_stages(found.iter().map(Shader::stage)).map_err(|error| whole(error.to_string()))?;
    let program = ProgramBlocks { stages: found.iter().map(survey).collect(), ..ProgramBlocks::default() };
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
        class: plans::class(block),
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
        let (slot, letters) =
            (SlotKind::Varying.name(row.location), varyings::letters(row.component, row.num_components));
        PlannedCapture {
            stage: shader.stage().name().to_string(),
            output: format!("{slot}.{letters}"),
            buffer: row.buffer,
            offset: row.offset,
            stride: buffer.stride,
            stream: buffer.stream,
        }
    })
    .collect()
}
