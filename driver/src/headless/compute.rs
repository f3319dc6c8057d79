// SPDX-License-Identifier: MIT

//! Compute: one module, one dispatch.

use super::bind::{SharedBuffers, Stages};
use super::resource::Resources;
use super::steps::Step;
use super::{Device, Error, Result};
use crate::context::Context;

/// A dispatch of a compute module.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'a> {
    /// The words of the module.
    pub module: &'a [u32],
    /// Workgroups in x, y, z.
    pub groups: [u32; 3],
    /// Push constants from offset 0 on.
    pub push_constants: &'a [u8],
}

impl Device {
    /// Runs `dispatch` and stores its writes in `resources`.
    pub fn dispatch(&self, dispatch: &Dispatch<'_>, resources: &mut Resources) -> Result<()> {
        self.run(&mut [Step::Dispatch(*dispatch, resources)])
    }
}

impl<'a> Dispatch<'a> {
    /// The compute stage, with its resources if there are any.
    pub(super) fn stages(
        &self,
        context: &mut Context,
        resources: Option<&Resources>,
        shared: &mut SharedBuffers,
    ) -> Result<Stages<'a>> {
        let stages = Stages::new(context, &[self.module], (resources, self.push_constants), shared)?;
        match stages.is_compute() {
            true => Ok(stages),
            false => Err(Error::new("this is not a compute shader")),
        }
    }
}
