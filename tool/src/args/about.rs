// SPDX-License-Identifier: MIT

//! Arguments of the commands about the command itself.

use std::path::PathBuf;

/// Arguments of `ntv features`.
#[derive(clap::Args)]
pub(crate) struct FeaturesArgs {
    /// Print only features with this in their names or descriptions.
    #[arg(value_name = "WORD")]
    pub(crate) word: Option<String>,
}

/// Arguments of `ntv completions`.
#[derive(clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// Arguments of `ntv man`.
#[derive(clap::Args)]
pub(crate) struct ManArgs {
    /// The folder for ntv.1, and for a page of each subcommand.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}
