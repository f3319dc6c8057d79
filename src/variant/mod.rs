//! Variants: the words that a program's stages have for a key, each made once.
//!
//! A key says all that a draw knows ([`Key`]), but no stage sees all of it. [`Program::keys`] splits it: what belongs to the position goes to the last
//! stage in front of the rasterizer, and each stage keeps only the bits that change its words. So a bit of fragment shaders
//! never makes a vertex module, and a bit that no shader sees makes none:
//!
//! ```text
//! key            flip_y, dither0=565
//! vertex         flip_y
//! fragment       dither0=565            (and flip_y, if it reads gl_FragCoord, takes derivatives, ...)
//! ```
//!
//! [`Cache`] keeps what a driver makes of words, one for equal words, and forgets what was not wanted for longest.
//! [`likely_keys`] says which variants to make before the first draw. What a key can say, and by which mechanism all else is done
//! that a driver learns late, is the table [`OPTIONS`](crate::module::OPTIONS).

mod cache;
mod likely;

pub use cache::{Cache, Counters};
pub use likely::likely_keys;

use crate::error::Error;
use crate::module::{Key, Module, Stage};
use std::sync::Arc;

/// A module that a cache tells apart from others by a number.
#[derive(Clone, Debug)]
pub struct Shader {
    /// Its number: no two modules that live at the same time have the same.
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
    /// A program of these stages, which come in the order of the pipeline; an error if no pipeline has them so.
    pub fn new(shaders: Vec<Shader>) -> Result<Program, Error> {
        Stage::check_order(&shaders.iter().map(|shader| shader.module.stage).collect::<Vec<Stage>>())?;
        Ok(Program { shaders })
    }

    /// Its stages.
    pub fn shaders(&self) -> &[Shader] {
        &self.shaders
    }

    /// What each stage sees of `key`; an error if one of them cannot take its part ([`Module::takes`]).
    pub fn keys<'p>(&'p self, key: &'p Key) -> Result<impl Iterator<Item = (&'p Shader, Key)>, Error> {
        self.parts(key).try_for_each(|(shader, part)| shader.module.takes(&part))?;
        Ok(self.parts(key).map(|(shader, part)| (shader, shader.module.masked(&part))))
    }

    /// What of `key` is for each stage.
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
