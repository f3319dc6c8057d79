// SPDX-License-Identifier: MIT

//! Variants: the words of a program's stages for a key, each written once.
//!
//! A key has all facts of a draw ([`Key`]), but a stage needs only some of them. [`Program::keys`] splits it: bits of the position
//! are for the last stage before the rasterizer, and each stage keeps only the bits that change its words. So a bit of fragment
//! shaders never makes a vertex module, and a bit without an effect makes none:
//!
//! ```text
//! key            flip_y, dither0=565
//! vertex         flip_y
//! fragment       dither0=565            (and flip_y, if it reads gl_FragCoord, takes derivatives, ...)
//! ```
//!
//! [`Cache`] keeps the driver's modules, one for equal words, and evicts the least recently used. [`likely_keys`] predicts the
//! variants that the first draws need. The table [`OPTIONS`](crate::module::OPTIONS) has the options of keys, and the mechanisms of
//! all other facts that a driver has late.

mod cache;
mod likely;

pub use cache::{Cache, CacheCounters};
pub use likely::likely_keys;

use crate::error::Error;
use crate::module::{Key, Module, ShaderStage};
use std::sync::Arc;

/// A module with a number that identifies it in a cache.
#[derive(Clone, Debug)]
pub struct NumberedModule {
    /// Its number: two modules that exist at the same time have different numbers.
    pub id: u64,
    /// The module.
    pub module: Arc<Module>,
}

/// The stages of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Program {
    shaders: Vec<NumberedModule>,
}

impl Program {
    /// A program of these stages in the order of the pipeline; an error if a pipeline cannot have them.
    pub fn new(shaders: Vec<NumberedModule>) -> Result<Program, Error> {
        ShaderStage::check_order(shaders.iter().map(|shader| shader.module.stage))?;
        Ok(Program { shaders })
    }

    /// Its stages.
    pub fn shaders(&self) -> &[NumberedModule] {
        &self.shaders
    }

    /// The part of `key` for each stage; an error if a stage cannot take its part ([`Module::takes`]).
    pub fn keys<'p>(&'p self, key: &'p Key) -> Result<impl Iterator<Item = (&'p NumberedModule, Key)>, Error> {
        let keys = keys_of_stages(self.shaders.iter().map(|shader| &*shader.module), *key)?;
        Ok(self.shaders.iter().zip(keys))
    }
}

/// The part of `key` for each of these stages, which are in the order of a pipeline, as for a [`Program`] of them. Allocates nothing
/// unless it returns an error.
pub fn keys_of_stages<'m, I>(stages: I, key: Key) -> Result<impl Iterator<Item = Key> + 'm, Error>
where
    I: Iterator<Item = &'m Module> + Clone + 'm,
{
    let last = stages.clone().map(|module| module.stage).filter(|stage| *stage < ShaderStage::Fragment).last();
    let parts = stages.map(move |module| {
        let is_hidden = module.stage < ShaderStage::Fragment && Some(module.stage) != last;
        let hidden = if is_hidden { Key::POSITION } else { 0 };
        (module, Key { bits: key.bits & !hidden, ..key })
    });
    parts.clone().try_for_each(|(module, part)| module.takes(&part))?;
    Ok(parts.map(|(module, part)| module.masked(&part)))
}
