// SPDX-License-Identifier: MIT

//! Limits of a device as JSON.

use anyhow::{bail, ensure, Context as _, Result};
use ntv::near::similar;
use ntv::plan::{Limits, LIMITS};
use serde_json::Value;

/// Reads limits: a JSON object with Vulkan's names, at any depth of nesting, so that the output of `vulkaninfo --json` works. Limits
/// that it does not have are those of [`Limits::default`].
pub fn parse(text: &str) -> Result<Limits> {
    let json: Value = serde_json::from_str(text)?;
    let mut limits = Limits::default();
    let mut found = 0;
    take_limits(&json, &mut limits, &mut found)?;
    if let Value::Object(flat) = &json {
        if flat.values().all(|value| !value.is_object() && !value.is_array()) {
            if let Some(name) = flat.keys().find(|name| LIMITS.iter().all(|row| row.name != *name)) {
                let near = similar(name, LIMITS.iter().map(|row| row.name));
                bail!("no plan depends on a limit `{name}`{near}");
            }
        }
    }
    ensure!(found > 0, "there is no limit in it; the limits are: {}", names().join(", "));
    Ok(limits)
}

fn names() -> Vec<&'static str> {
    LIMITS.iter().map(|row| row.name).collect()
}

fn take_limits(json: &Value, limits: &mut Limits, found: &mut usize) -> Result<()> {
    match json {
        Value::Object(fields) => {
            for (name, value) in fields {
                if !LIMITS.iter().any(|row| row.name == name) {
                    take_limits(value, limits, found)?;
                    continue;
                }
                // Sizes of 4 GiB and more are clamped; plans need no larger numbers.
                let number = value.as_u64().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
                let number = number.or(value.as_bool().map(u32::from));
                limits.set(name, number.with_context(|| format!("{name} is {value}, which is not a number"))?);
                *found += 1;
            }
            Ok(())
        }
        Value::Array(values) => values.iter().try_for_each(|value| take_limits(value, limits, found)),
        _ => Ok(()),
    }
}
