// SPDX-License-Identifier: MIT

//! `ntv features`: the features that a target may have, and the targets that have them.

use crate::args::FeaturesArgs;
use crate::diagnostics::Reporter;
use crate::{destination, AllFine};
use anyhow::Result;
use ntv::target::FEATURES;
use serde_json::json;

pub(crate) fn run(args: &FeaturesArgs, reporter: &Reporter) -> Result<AllFine> {
    let mut out = String::new();
    for row in FEATURES {
        let word = args.word.as_deref().unwrap_or_default().to_lowercase();
        if !row.name.to_lowercase().contains(&word) && !row.about().to_lowercase().contains(&word) {
            continue;
        }
        let since = row.since.map(|version| format!("vulkan{}.{}", version.0, version.1));
        out += &match reporter.is_json() {
            true => format!("{}\n", json!({ "name": row.name, "since": since, "about": row.about() })),
            false => format!("{:44} {:10} {}\n", row.name, since.as_deref().unwrap_or("--enable"), row.about()),
        };
    }
    destination::print(out.as_bytes())?;
    Ok(true)
}
