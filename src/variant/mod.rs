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

pub use cache::{Cache, Counters};
pub use likely::likely_keys;

use crate::error::Error;
use crate::module::{Key, Module, Stage};
use std::sync::Arc;

/// A module with a number that identifies it in a cache.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Its number: two modules that exist at the same time have different numbers.
    pub id: u64,
    /// The module.
    pub module: Arc<Module>,
}

/// The stages of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Program {
    shaders: Vec<Shader>,
}

impl Program {
    /// A program of these stages in the order of the pipeline; an error if a pipeline cannot have them.
    pub fn new(shaders: Vec<Shader>) -> Result<Program, Error> {
        Stage::check_order(&shaders.iter().map(|shader| shader.module.stage).collect::<Vec<Stage>>())?;
        Ok(Program { shaders })
    }

    /// Its stages.
    pub fn shaders(&self) -> &[Shader] {
        &self.shaders
    }

    /// The part of `key` for each stage; an error if a stage cannot take its part ([`Module::takes`]).
    pub fn keys<'p>(&'p self, key: &'p Key) -> Result<impl Iterator<Item = (&'p Shader, Key)>, Error> {
        self.parts(key).try_for_each(|(shader, part)| shader.module.takes(&part))?;
        Ok(self.parts(key).map(|(shader, part)| (shader, shader.module.masked(&part))))
    }

    /// The part of `key` for each stage.
    fn parts<'p>(&'p self, key: &'p Key) -> impl Iterator<Item = (&'p Shader, Key)> {
        let last = self.shaders.iter().rev().find(|shader| shader.module.stage < Stage::Fragment);
        let last = last.map(|shader| shader.module.stage);
        self.shaders.iter().map(move |shader| {
            let stage = shader.module.stage;
            let hidden = if stage < Stage::Fragment && Some(stage) != last { Key::POSITION } else { 0 };
            (shader, Key { bits: key.bits & !hidden, ..*key })
        })
    }
}
