// SPDX-License-Identifier: MIT

//! `ntv options`: the options that are known only at links and draws, with their mechanisms.

use crate::diagnostics::Reporter;
use crate::{destination, AllFine};
use anyhow::Result;
use ntv::module::{KeyForm, OptionInfo, ShaderStage, OPTIONS};
use serde_json::json;

/// Prints the parts of a key, as `--key` takes them, and then the options of other mechanisms.
pub(crate) fn run(reporter: &Reporter) -> Result<AllFine> {
    let (keys, others): (Vec<&OptionInfo>, Vec<&OptionInfo>) = OPTIONS.iter().partition(|row| row.mask != 0);
    let out: String = if reporter.is_json() {
        keys.iter().chain(&others).map(|row| object(row)).collect()
    } else {
        let own = KeyForm::ALL.iter().filter(|form| form.option.is_none());
        let own =
            own.map(|form| line(&written(form), "value", "all", &format!("{}, for options that need it", form.about)));
        let keys: String = keys.iter().map(|row| described(row)).chain(own).collect();
        let others: String = others.iter().map(|row| described(row)).collect();
        format!("For --key, separated by commas:\n\n{keys}\nNot in a key, as another mechanism costs less:\n\n{others}")
    };
    destination::print(out.as_bytes())?;
    Ok(true)
}

/// The form of an option in a key, if it is not its name.
fn form(row: &OptionInfo) -> Option<&'static KeyForm> {
    KeyForm::ALL.iter().find(|form| form.option == Some(row.id))
}

/// The form with an example, and the numbers that it may have.
fn written(form: &KeyForm) -> String {
    match form.numbers {
        0 => form.example.to_string(),
        numbers => format!("{} (to {}{})", form.example, form.name, numbers - 1),
    }
}

fn stages(row: &OptionInfo) -> Vec<&'static str> {
    ShaderStage::ALL.iter().filter(|stage| row.stages & stage.bit() != 0).map(|stage| stage.name()).collect()
}

fn line(name: &str, mechanism: &str, stages: &str, why: &str) -> String {
    format!("{name:32} {mechanism:15} {stages}\n{:32} {why}\n", "")
}

fn described(row: &OptionInfo) -> String {
    let stages = stages(row);
    let stages = if stages.len() == ShaderStage::ALL.len() { "all".to_string() } else { stages.join(" ") };
    let name = form(row).map_or_else(|| row.name.to_string(), written);
    let why = match form(row) {
        Some(form) => format!("{}; {}", form.about, row.why),
        None => row.why.to_string(),
    };
    line(&name, row.mechanism.name(), &stages, &why)
}

fn object(row: &OptionInfo) -> String {
    let key = (row.mask != 0).then(|| form(row).map_or(row.name, |form| form.example));
    let object = json!({
        "name": row.name, "key": key, "mechanism": row.mechanism.name(), "stages": stages(row), "why": row.why,
    });
    format!("{object}\n")
}
