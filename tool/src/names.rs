// SPDX-License-Identifier: MIT

//! Names on the command line: of features, workarounds, passes and options of a key. The message for a wrong name has the most
//! similar names.

use anyhow::{anyhow, Result};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use ntv::near::{nearest, similar};
use ntv::pass::Pass;
use ntv::{Feature, Key, Workaround};
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

/// Parses a key.
pub(crate) fn key(text: &str) -> Result<Key> {
    Key::parse(text).map_err(|message| anyhow!("{message}; `ntv options` prints all"))
}

/// The message that there is no `what` with the name `given`, with the similar `names`.
#[cfg_attr(not(feature = "vulkan"), allow(dead_code))]
pub(crate) fn unknown<'a>(what: &str, given: &str, names: impl Iterator<Item = &'a str>) -> String {
    format!("there is no {what} `{given}`{}", similar(given, names))
}
