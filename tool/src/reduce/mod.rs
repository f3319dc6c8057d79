// SPDX-License-Identifier: MIT

//! `ntv reduce`: the smallest shader that still makes a command fail.

mod mend;
mod shrink;
mod trial;

use crate::args::ReduceArgs;
use crate::diagnostics::{count, Reporter};
use crate::shaders::{all_valid, load, Loaded, Unit};
use crate::{destination, inputs, AllFine};
use anyhow::{bail, ensure, Result};
use ntv::{text, Shader};
use shrink::Shrinker;
use std::path::Path;
use std::time::Duration;
use trial::{Outcome, Trial};

pub(crate) fn run(args: &ReduceArgs, reporter: &Reporter) -> Result<AllFine> {
    ensure!(
        args.timeout > 0.0 && args.timeout < 1e6,
        "--timeout needs a number of seconds, more than 0 and less than 1e6"
    );
    let mut loaded = load(inputs::collect(std::slice::from_ref(&args.input))?, reporter);
    ensure!(loaded.sources.len() == 1, "{}: is a folder; reduce needs one file", args.input.display());
    let input = &loaded.sources[0].input;
    let out = args.output.as_ref().map(|out| destination::file_of_one(input, out, "nir"));
    destination::decide([input.file()], out.iter().map(|out| ("-o", out.as_path())))?;
    if !all_valid(&loaded, reporter) {
        return Ok(false);
    }
    let mut trial = Trial::new(&args.command, Duration::from_secs_f64(args.timeout))?;
    // A shader that came as words has no text.
    let text = &loaded.sources[0].text;
    if !text.is_empty() {
        expect_failure(trial.run(text)?, args)?;
    }
    let Ok(shader) = failing_unit(&mut loaded, &mut trial, args)?.shader else { return Ok(false) };
    shrink(shader, &mut trial, out.as_deref(), reporter)
}

/// Fails if the command does not fail on the input.
fn expect_failure(outcome: Outcome, args: &ReduceArgs) -> Result<()> {
    match outcome {
        Outcome::Failed => Ok(()),
        Outcome::Succeeded => bail!("the command succeeds on {}: there is nothing to reduce", args.input.display()),
        Outcome::TimedOut => bail!(
            "the command takes more than {} seconds on {}: raise the limit with --timeout; to reduce a hang, put \
             `timeout` into the command",
            args.timeout,
            args.input.display()
        ),
    }
}

/// The first shader that fails alone, as ntv prints it.
fn failing_unit(loaded: &mut Loaded, trial: &mut Trial, args: &ReduceArgs) -> Result<Unit> {
    let several = loaded.units.len() > 1;
    for unit in loaded.units.drain(..) {
        let Ok(shader) = &unit.shader else { continue };
        match trial.run(&text::print(shader))? {
            Outcome::Failed => return Ok(unit),
            outcome if loaded.sources[0].text.is_empty() => expect_failure(outcome, args)?,
            _ => {}
        }
    }
    if several {
        bail!("the command fails on the file, but not on any one of its shaders alone");
    }
    bail!("the command fails on the file, but not on the shader as `ntv print` prints it");
}

fn shrink(shader: Shader, trial: &mut Trial, out: Option<&Path>, reporter: &Reporter) -> Result<AllFine> {
    let all = shader.order.len();
    let bar = reporter.bar(all, "reducing");
    let runs_before = trial.runs;
    let mut shrinker = Shrinker::new(shader, |text: &str, left: usize| {
        bar.set_position((all - left.min(all)) as u64);
        bar.set_message(format!("{} left, {}", count(left, "instruction"), count(trial.runs, "run")));
        Ok(trial.run(text)? == Outcome::Failed)
    });
    loop {
        let smaller = shrinker.round()?;
        // A search of hours may be interrupted: the best result so far is kept.
        if let Some(out) = out {
            destination::write(out, shrinker.text().as_bytes())?;
        }
        if !smaller {
            break;
        }
    }
    bar.finish_and_clear();
    let (left, text) = (shrinker.num_insts(), shrinker.text().to_string());
    let runs = trial.runs - runs_before;
    reporter.say(&format!("reduced {} to {left} in {}", count(all, "instruction"), count(runs, "run")));
    if out.is_none() {
        destination::print(text.as_bytes())?;
    }
    Ok(true)
}
