// SPDX-License-Identifier: MIT

//! Comparisons of two modules of one shader, for two targets or two keys.

use crate::api::{CompareAnswer, CompareRequest, ComparedLine, Problem, Side};
use crate::{modules, shaders};
use ntv::{EmitOptions, Key, Translator};
use ntv_report::assembly::Look;
use ntv_report::diff::{diff, Line};

/// Compares the modules of a request.
pub(crate) fn compare(request: &CompareRequest) -> CompareAnswer {
    compared(request).unwrap_or_else(|problems| CompareAnswer { problems, ..CompareAnswer::default() })
}

fn compared(request: &CompareRequest) -> Result<CompareAnswer, Vec<Problem>> {
    // A module with the tables for keys is another one, so both have them, or none.
    let has_key = [&request.left, &request.right].iter().any(|side| !side.key.is_empty());
    let emit = if has_key { modules::patchable() } else { EmitOptions::default() };
    let emit = emit.names(request.options.names);
    let words = |side| words(request, side, &emit);
    let of_side = |name: &str, problems: Vec<Problem>| -> Vec<Problem> {
        problems.into_iter().map(|it| Problem { message: format!("{name}: {}", it.message), ..it }).collect()
    };
    let left = words(&request.left).map_err(|problems| of_side("left", problems))?;
    let right = words(&request.right).map_err(|problems| of_side("right", problems))?;
    let look = Look { names: request.options.names, colors: false };
    let found = diff(&left, &right, look).map_err(|error| vec![shaders::problem("internal", &error.to_string())])?;
    let trimmed = |text: Option<String>| text.map(|text| text.trim_start().to_string());
    let line = |Line { old, new }: Line| ComparedLine { left: trimmed(old), right: trimmed(new) };
    Ok(CompareAnswer {
        problems: Vec::new(),
        lines: found.lines.into_iter().map(line).collect(),
        words: [left.len() as u32, right.len() as u32],
        removed: found.removed as u32,
        added: found.added as u32,
    })
}

/// The words of the shader for a side.
fn words(request: &CompareRequest, side: &Side, emit: &EmitOptions<'_>) -> Result<Vec<u32>, Vec<Problem>> {
    let mut shader = shaders::find(&request.text, request.shader)?;
    let options = shaders::options(&side.target, &request.options).map_err(|problem| vec![problem])?;
    let key = Key::parse(&side.key).map_err(|message| vec![shaders::problem("argument", &message)])?;
    let module = Translator::new(options).translate(&mut shader, emit).map_err(shaders::problems)?;
    let mut words = Vec::new();
    module.instantiate(&key, &mut words).map_err(|error| vec![shaders::placed(error)])?;
    Ok(words)
}
