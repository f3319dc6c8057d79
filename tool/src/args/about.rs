// SPDX-License-Identifier: MIT

//! Arguments of the commands about the command itself.

use std::path::PathBuf;

#[cfg(feature = "manual")]
use clap_complete::Shell;
/// Its values are known with the feature `manual`.
#[cfg(not(feature = "manual"))]
type Shell = String;

/// Arguments of `ntv features`.
#[derive(clap::Args)]
pub(crate) struct FeaturesArgs {
    /// Print only features with this in their names or descriptions.
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
}

/// Arguments of `ntv completions`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "manual"), allow(dead_code))]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Arguments of `ntv man`.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "manual"), allow(dead_code))]
pub(crate) struct ManArgs {
    /// The folder for ntv.1, and for a page of each subcommand.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
