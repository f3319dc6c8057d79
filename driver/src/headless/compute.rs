//! Compute: one module, one dispatch.

use super::bind::{Objects, SharedBuffers};
use super::resource::Resources;
use super::steps::Step;
use super::{Device, Error, Result};
use crate::context::Context;
use crate::program::Shader;
use ntv::module::Stage;
use std::sync::Arc;

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
    /// Runs `dispatch` and leaves in `resources` what it wrote.
    pub fn dispatch(&self, dispatch: &Dispatch<'_>, resources: &mut Resources) -> Result<()> {
        self.run(&mut [Step::Dispatch(*dispatch, resources)])
    }
}

/// A dispatch with all that the shader wants, ready to be recorded.
pub(super) struct Prepared<'a> {
    dispatch: Dispatch<'a>,
    shader: Arc<Shader>,
    pub(super) objects: Objects,
}

impl<'a> Prepared<'a> {
    /// Without resources it can only be [made ready](Prepared::bind).
    pub(super) fn new(
        context: &mut Context,
        dispatch: &Dispatch<'a>,
        resources: Option<&Resources>,
        shared: &mut SharedBuffers,
    ) -> Result<Prepared<'a>> {
        let shader = context.create_shader_of_words(dispatch.module)?;
        if shader.stage() != Stage::Compute {
            return Err(Error::new("this is not a compute shader"));
        }
        let shaders = std::slice::from_ref(&shader);
        let objects = Objects::new(context, shaders, resources, (shared, dispatch.push_constants))?;
        Ok(Prepared { dispatch: *dispatch, shader, objects })
    }

    /// Sets what comes before a dispatch.
    pub(super) fn bind(&self, context: &mut Context) -> Result<()> {
        context.bind_shader(Stage::Compute, Some(&self.shader))?;
        context.set_push_constants(self.dispatch.push_constants)?;
        self.objects.bind(context, &self.shader)
    }

    /// Records the dispatch; any number of them, with barriers between.
    pub(super) fn record(&self, context: &mut Context) -> Result<()> {
        self.bind(context)?;
        context.launch_grid(self.dispatch.groups)
    }
}
