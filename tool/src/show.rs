// SPDX-License-Identifier: MIT

//! `ntv print`, `ntv pass` and `ntv cfg`: print a text for each shader to stdout.

use crate::args::{PassArgs, PrintArgs};
use crate::diagnostics::{problems, Reporter};
use crate::shaders::{each, load, load_as_written, require_blocks, Loaded};
use crate::{destination, inputs, AllFine};
use anyhow::{Context as _, Result};
use ntv::pass::{self, Context};
use ntv::{check, text, Errors, Options, Shader};
use ntv_report::graph::graph;

/// `ntv print`: the shader as NIR. It need not be valid.
pub(crate) fn print(args: &PrintArgs, reporter: &Reporter) -> Result<AllFine> {
    let loaded = load_as_written(inputs::collect(&args.inputs)?, reporter);
    show(loaded, reporter, |shader| Ok(text::print(&shader)))
}

/// `ntv pass`: the shader as NIR after one pass.
pub(crate) fn pass(args: &PassArgs, reporter: &Reporter) -> Result<AllFine> {
    let pass = pass::named(&args.name).context("no such pass")?;
    let options = args.target.options()?;
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    require_blocks(&loaded, &options)?;
    let context = Context::from(options);
    show(loaded, reporter, |mut shader| {
        check::validate(&shader)?;
        check::supported(&shader, &context.target)?;
        pass.apply(&mut shader, &context);
        Ok(text::print(&shader))
    })
}

/// `ntv cfg`: the control flow as a graph.
pub(crate) fn cfg(args: &PrintArgs, reporter: &Reporter) -> Result<AllFine> {
    let loaded = load(inputs::collect(&args.inputs)?, reporter);
    show(loaded, reporter, |shader| {
        check::validate(&shader)?;
        Ok(graph(&shader))
    })
}

fn show(
    loaded: Loaded,
    reporter: &Reporter,
    work: impl Fn(Shader) -> Result<String, Errors> + Sync,
) -> Result<AllFine> {
    let titles = titles(&loaded);
    let done = each(loaded, &Options::default(), reporter, |_, job| {
        work(job.shader).map(String::into_bytes).map_err(problems)
    });
    to_stdout(&titles, "//", &done).map(|()| done.iter().all(Option::is_some))
}

/// The title of each shader for an output of several shaders.
pub(crate) fn titles(loaded: &Loaded) -> Vec<String> {
    let title = |unit: &crate::shaders::Unit| format!("{}:{}", loaded.sources[unit.source].input.name, unit.line);
    loaded.units.iter().map(title).collect()
}

/// Writes `texts` to stdout, each after a comment with its title if there are several.
pub(crate) fn to_stdout(titles: &[String], comment: &str, texts: &[Option<Vec<u8>>]) -> Result<()> {
    let mut all = Vec::new();
    for (title, text) in titles.iter().zip(texts) {
        let Some(text) = text else { continue };
        if titles.len() > 1 && !text.is_empty() {
            all.extend(format!("{comment} {title}\n").into_bytes());
        }
        all.extend(text);
    }
    Ok(destination::print(&all)?)
}
