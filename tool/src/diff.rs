// SPDX-License-Identifier: MIT

//! `ntv diff`: the differences of two modules, whatever their ids are.

use crate::args::{DiffArgs, EmitWords};
use crate::diagnostics::{count, Problem, Reporter};
use crate::variant::{self, Late};
use crate::words::{self, Writer};
use crate::{destination, inputs, names, AllFine};
use anyhow::{ensure, Context as _, Result};
use ntv::{Key, Module};
use ntv_report::diff::diff;
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &DiffArgs, reporter: &Reporter) -> Result<AllFine> {
    let second = args.second.as_ref().unwrap_or(&args.first);
    let is_other = args.second.is_some() || args.other_key.is_some() || args.changes_target();
    ensure!(
        is_other,
        "name two files, or change the key or the target of the second module: --other-key, --other-target, ..."
    );
    let writer = Writer::new(EmitWords::Asm, &args.modules)?;
    let keys = [Some(&args.key), args.other_key.as_ref()].map(|key| key.unwrap_or(&args.key));
    let late = if keys.iter().all(|key| key.is_empty()) { Late::None } else { Late::Open };
    let mut sides = Vec::new();
    for (number, path) in [&args.first, second].into_iter().enumerate() {
        let options = if number == 0 { args.modules.target.options()? } else { args.other_options()? };
        let inputs = inputs::collect(std::slice::from_ref(path))?;
        let (modules, all_fine) = variant::modules(&args.modules, &options, late, inputs, reporter)?;
        if !all_fine {
            return Ok(false);
        }
        let words = words_of(path, &modules, &names::key(keys[number])?)?;
        if !writer.judge(path, &words, reporter) {
            return Ok(false);
        }
        sides.push(words);
    }
    let found = match diff(&sides[0], &sides[1], args.modules.look()) {
        Ok(found) => found,
        Err(error) => {
            reporter.whole(&args.first, &Problem::new("malformed", format!("rspirv cannot read a module: {error}")));
            return Ok(false);
        }
    };
    match reporter.is_json() {
        true => {
            let object = json!({ "removed": found.removed, "added": found.added, "text": found.text() });
            destination::print(format!("{object}\n").as_bytes())?;
        }
        false => destination::print(found.text().as_bytes())?,
    }
    let is_same = found.is_same();
    reporter.say(&match is_same {
        true => "the modules are the same".to_string(),
        false => {
            format!("removed {}, added {}", count(found.removed, "instruction"), count(found.added, "instruction"))
        }
    });
    Ok(is_same)
}

/// The words of the only module of a file for a key. SPIR-V itself has no key, and is compared as it is.
fn words_of(path: &Path, modules: &[(PathBuf, Module)], key: &Key) -> Result<Vec<u32>> {
    let [(_, module)] = modules else {
        anyhow::bail!("{}: has {}; ntv diff compares one with one", path.display(), count(modules.len(), "module"));
    };
    if *key == Key::default() && words::form(path) == Some(words::Form::Spirv) {
        return words::read_words(path).map_err(|problem| anyhow::anyhow!("{}: {}", path.display(), problem.message));
    }
    let mut words = Vec::new();
    module.instantiate(key, &mut words).with_context(|| path.display().to_string())?;
    Ok(words)
}
