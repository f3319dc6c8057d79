// SPDX-License-Identifier: MIT

//! `ntv reduce`: the smallest shader that still makes a command fail.

mod mend;
mod shrink;
mod trial;

use crate::args::ReduceArgs;
use crate::diagnostics::Reporter;
use crate::shaders::{all_valid, load, Loaded, Unit};
use crate::{destination, inputs, AllFine};
use anyhow::{bail, ensure, Context as _, Result};
use ntv::{text, Shader};
use shrink::Shrinker;
use std::io::{self, Write as _};
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
    let mut trial = Trial::new(&args.command, Duration::from_secs_f64(args.timeout))?;
    let text = loaded.sources[0].text.clone();
    if !all_valid(&loaded, reporter) {
        return Ok(false);
    }
    expect_failure(trial.run(&text)?, args)?;
    let unit = failing_unit(&mut loaded, &mut trial)?;
    loaded.units = vec![unit];
    let out = match &args.output {
        Some(out) => destination::plan(&loaded, out, "nir")?.pop(),
        None => None,
    };
    let Some(Ok(shader)) = loaded.units.pop().map(|unit| unit.shader) else { return Ok(false) };
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
fn failing_unit(loaded: &mut Loaded, trial: &mut Trial) -> Result<Unit> {
    let several = loaded.units.len() > 1;
    for unit in loaded.units.drain(..) {
        let Ok(shader) = &unit.shader else { continue };
        if trial.run(&text::print(shader))? == Outcome::Failed {
            return Ok(unit);
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
        bar.set_message(format!("{left} instructions left, {} runs", trial.runs));
        Ok(trial.run(text)? == Outcome::Failed)
    });
    loop {
        let smaller = shrinker.round()?;
        // A search of hours may be interrupted: the best result so far is kept.
        if let Some(out) = out {
            destination::write(out, shrinker.text().as_bytes()).with_context(|| out.display().to_string())?;
        }
        if !smaller {
            break;
        }
    }
    bar.finish_and_clear();
    let (left, text) = (shrinker.num_insts(), shrinker.text().to_string());
    let runs = trial.runs - runs_before;
    reporter.say(&format!("reduced {all} instructions to {left} in {runs} runs"));
    if out.is_none() {
        io::stdout().lock().write_all(text.as_bytes()).context("cannot write to stdout")?;
    }
    Ok(true)
}
