// SPDX-License-Identifier: MIT

//! `ntv check`: reports the errors of each shader.

use crate::args::CheckArgs;
use crate::diagnostics::{count, problems, Problem, Reporter};
use crate::shaders::{each, load, require_blocks};
use crate::{inputs, AllFine};
use anyhow::Result;
use ntv::check;

pub(crate) fn run(args: &CheckArgs, reporter: &Reporter) -> Result<AllFine> {
    let options = args.target.options()?;
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    require_blocks(&loaded, &options)?;
    let done = each(loaded, &options, reporter, |_, job| {
        let checks = [check::validate(&job.shader), check::supported(&job.shader, &options.target)];
        let problems: Vec<Problem> = checks.into_iter().filter_map(Result::err).flat_map(problems).collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(problems)
        }
    });
    let fine = done.iter().flatten().count();
    let are = if done.len() == 1 { "is" } else { "are" };
    reporter.say(&format!("{fine} of {} {are} fine", count(done.len(), "shader")));
    Ok(fine == done.len())
}
