// SPDX-License-Identifier: MIT

//! `ntv completions` and `ntv man`: what clap makes of the options of the command.

use crate::args::{Args, CompletionsArgs, ManArgs};
use crate::{destination, AllFine};
use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use std::path::PathBuf;

/// The name of the program.
const NAME: &str = "ntv";

pub(crate) fn completions(args: &CompletionsArgs) -> Result<AllFine> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut script);
    destination::print(&script)?;
    Ok(true)
}

/// Writes a page for the command, and one for each subcommand.
pub(crate) fn pages(args: &ManArgs) -> Result<AllFine> {
    let mut command = Args::command();
    command.build();
    let subcommands = command.get_subcommands().filter(|own| !own.is_hide_set() && own.get_name() != "help");
    let named = subcommands.map(|own| (format!("{NAME}-{}", own.get_name()), own.clone()));
    let pages: Vec<_> = named.collect::<Vec<_>>().into_iter().chain([(NAME.to_string(), command)]).collect();
    let paths: Vec<PathBuf> = pages.iter().map(|(name, _)| args.folder.join(format!("{name}.1"))).collect();
    let owners = pages.iter().map(|(name, _)| name.as_str());
    destination::decide([], owners.zip(paths.iter().map(PathBuf::as_path)))?;
    for (path, (name, command)) in paths.iter().zip(pages) {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page).with_context(|| name)?;
        destination::write(path, &page)?;
    }
    Ok(true)
}
