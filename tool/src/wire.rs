// SPDX-License-Identifier: MIT

//! `ntv wire`: shaders as words, as a C driver writes them.

use crate::args::WireArgs;
use crate::diagnostics::{count, problems, Problem, Reporter};
use crate::shaders::{each, load_as_written};
use crate::{destination, inputs, words, AllFine};
use anyhow::Result;
use ntv::{check, wire, Options};

pub(crate) fn run(args: &WireArgs, reporter: &Reporter) -> Result<AllFine> {
    let loaded = load_as_written(inputs::collect(&args.inputs)?, reporter);
    let files = destination::plan(&loaded, &args.output, "ntvw")?;
    let done = each(loaded, &Options::default(), reporter, |_, job| {
        check::validate(&job.shader).map_err(problems)?;
        let bytes = words::to_bytes(&wire::encode(&job.shader));
        destination::write(&files[job.index], &bytes).map_err(|error| vec![Problem::new("io", error.to_string())])
    });
    let written = done.iter().flatten().count();
    reporter.say(&format!("wrote {written} of {}", count(done.len(), "shader")));
    Ok(written == done.len())
}
