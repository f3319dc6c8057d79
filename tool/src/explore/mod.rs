// SPDX-License-Identifier: MIT

//! `ntv explore`: shows the explorer in the browser.
//!
//! The files of the page are in the binary. They are served on the loopback address only, and nothing leaves the machine: the
//! page translates shaders itself, in WebAssembly.

#[cfg(feature = "explorer")]
mod files;
#[cfg(feature = "explorer")]
mod reply;
#[cfg(feature = "explorer")]
mod server;

use crate::args::ExploreArgs;
use crate::diagnostics::Reporter;
use crate::AllFine;
use anyhow::Result;

/// What to do if the binary does not have the files of the page.
const NO_PAGE: &str =
    "this ntv has no explorer: run `cargo xtask explorer`, then build ntv with the feature `explorer`";

/// `ntv explore` without the feature `explorer`.
#[cfg(not(feature = "explorer"))]
pub(crate) fn run(_: &ExploreArgs, _: &Reporter) -> Result<AllFine> {
    anyhow::bail!(NO_PAGE)
}

/// `ntv explore`: serves the page until the process is ended.
#[cfg(feature = "explorer")]
pub(crate) fn run(args: &ExploreArgs, reporter: &Reporter) -> Result<AllFine> {
    use anyhow::ensure;
    use std::io::Write as _;
    use std::net::Ipv4Addr;

    ensure!(files::get("index.html").is_some(), NO_PAGE);
    let dump = (!args.dumps.is_empty()).then(|| reply::Dump::open(&args.dumps)).transpose()?;
    let server = server::Server::new(args.port)?;
    let query = if dump.is_some() { "?dump" } else { "" };
    let address = format!("http://{}:{}/{query}", Ipv4Addr::LOCALHOST, server.port);
    writeln!(std::io::stdout(), "{address}")?;
    reporter.say("Ctrl-C ends the explorer");
    if !args.no_open {
        if let Err(error) = open::that_detached(&address) {
            reporter.apart("io", &format!("cannot start a browser: {error}; open the address above"));
        }
    }
    server.run(dump)?;
    Ok(true)
}
