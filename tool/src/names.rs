// SPDX-License-Identifier: MIT

//! Names on the command line: of features, workarounds, passes and options of a key. The message for a wrong name has the most
//! similar names.

use anyhow::{bail, Result};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use ntv::module::OPTIONS;
use ntv::pass::Pass;
use ntv::{Feature, Key, Workaround};
pub(crate) use ntv_report::near::nearest;
use std::ffi::OsStr;

/// Parses one of a list of names into its value.
#[derive(Clone)]
pub(crate) struct Named<T>(Vec<(&'static str, T)>);

/// The features of a target.
pub(crate) fn features() -> Named<Feature> {
    Named(Feature::ALL.iter().map(|feature| (feature.name(), *feature)).collect())
}

/// The workarounds of a target.
pub(crate) fn workarounds() -> Named<Workaround> {
    Named(Workaround::ALL.iter().map(|workaround| (workaround.name(), *workaround)).collect())
}

/// The names of passes.
pub(crate) fn passes(passes: impl Iterator<Item = &'static Pass>) -> Named<String> {
    Named(passes.map(|pass| (pass.name, pass.name.to_string())).collect())
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Named<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let given = value.to_string_lossy();
        if let Some((_, named)) = self.0.iter().find(|(name, _)| *name == given) {
            return Ok(named.clone());
        }
        let near = nearest(&given, self.0.iter().map(|(name, _)| *name));
        let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
        let argument = argument.map_or_else(|| "...".to_string(), ToString::to_string);
        error.insert(ContextKind::InvalidArg, ContextValue::String(argument));
        error.insert(ContextKind::InvalidValue, ContextValue::String(given.into_owned()));
        if !near.is_empty() {
            let near = near.into_iter().map(str::to_string).collect();
            error.insert(ContextKind::SuggestedValue, ContextValue::Strings(near));
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|(name, _)| PossibleValue::new(*name))))
    }
}

/// All features, for the long help.
pub(crate) fn features_help(what: &str) -> String {
    let names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
    format!("{what}\n\nFeatures are {}", names.join(", "))
}

/// Parses a key.
pub(crate) fn key(text: &str) -> Result<Key> {
    let wrong = |part: &&str| Key::parse(part).is_err();
    let (Err(message), Some(part)) = (Key::parse(text), text.split(',').find(wrong)) else {
        return Key::parse(text).map_err(anyhow::Error::msg);
    };
    // Examples of options that have values.
    let samples = ["size=640x480", "dither0=565", "dither0=4444", "dither0=5551", "alpha_test=gequal"];
    let names = OPTIONS.iter().filter(|row| row.mask.count_ones() == 1).map(|row| row.name).chain(samples);
    match nearest(part.trim(), names)[..] {
        [] => bail!("{message}; `ntv options` prints all"),
        ref near => bail!("{message}; similar names: {}", near.join(", ")),
    }
}

/// The message that there is no `what` with the name `given`, with the similar `names`.
#[cfg_attr(not(feature = "vulkan"), allow(dead_code))]
pub(crate) fn unknown<'a>(what: &str, given: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(given, names)[..] {
        [] => format!("there is no {what} `{given}`"),
        ref near => format!("there is no {what} `{given}`; similar names: {}", near.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_wrong_part() {
        let said = |text: &str| key(text).unwrap_err().to_string();
        assert_eq!(
            said("strip, flip"),
            "no option of a key is called `flip`; similar names: flip_x, flip_y, flip_point_coord"
        );
        assert_eq!(said("size=9"), "no option of a key is called `size=9`; `ntv options` prints all");
        assert!(key("strip,size=1x2").is_ok());
    }
}
