//! Compute: one module, one dispatch.

use super::bind::Bound;
use super::compile::CompileTime;
use super::memory::owned;
use super::part::SharedBuffers;
use super::reflect::{reflect, Interface};
use super::resource::Resources;
use super::steps::Step;
use super::submit::Commands;
use super::{Error, Result};
use crate::device::handle::Owned;
use crate::device::{Device, Logical};
use ash::vk;
use std::sync::Arc;
use std::time::Instant;

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

/// A dispatch with its pipeline and all that the shader wants, ready to be recorded.
pub(super) struct Prepared<'a> {
    dispatch: Dispatch<'a>,
    pub(super) bound: Bound,
    /// How long the module and the pipeline took.
    pub(super) compile: CompileTime,
    pipeline: Owned<vk::Pipeline>,
}

impl<'a> Prepared<'a> {
    /// Parts of buffers are of those that `shared` has, or gets.
    pub(super) fn new(
        device: &Arc<Logical>,
        dispatch: &Dispatch<'a>,
        resources: &Resources,
        shared: &mut SharedBuffers,
    ) -> Result<Prepared<'a>> {
        let interface = reflect(dispatch.module)?;
        if interface.stage != vk::ShaderStageFlags::COMPUTE {
            return Err(Error::new("this is not a compute shader"));
        }
        let interfaces = std::slice::from_ref(&interface);
        let bound = Bound::new(device, interfaces, (resources, shared), dispatch.push_constants)?;
        let start = Instant::now();
        let module = shader_module(device, dispatch.module)?;
        let there = Instant::now();
        let pipeline = pipeline(device, &interface, *module, *bound.layout)?;
        let compile = CompileTime { modules: there - start, pipeline: there.elapsed() };
        Ok(Prepared { dispatch: *dispatch, bound, compile, pipeline })
    }

    /// Records what has to come before the dispatch.
    pub(super) fn bind(&self, commands: &Commands) {
        let point = vk::PipelineBindPoint::COMPUTE;
        self.bound.bind(commands, point, self.dispatch.push_constants);
        // SAFETY: the buffer is recording; the pipeline lives in `self`.
        unsafe { commands.device.raw.cmd_bind_pipeline(commands.buffer, point, *self.pipeline) };
    }

    /// Records the dispatch; any number of them, with barriers between.
    pub(super) fn dispatch(&self, commands: &Commands) {
        let [x, y, z] = self.dispatch.groups;
        // SAFETY: the buffer is recording, `bind` was called, and what the pipeline uses is bound.
        unsafe { commands.device.raw.cmd_dispatch(commands.buffer, x, y, z) };
    }
}

/// The module that `words` are.
pub(super) fn shader_module(device: &Arc<Logical>, words: &[u32]) -> Result<Owned<vk::ShaderModule>> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: Vulkan trusts the words of a module; that they are valid is what ntv promises, and the caller's to see to
    // for words of another origin.
    owned(device, unsafe { device.raw.create_shader_module(&info, None) }, "vkCreateShaderModule")
}

/// The pipeline of a module.
pub(super) fn pipeline(
    device: &Arc<Logical>,
    interface: &Interface,
    module: vk::ShaderModule,
    layout: vk::PipelineLayout,
) -> Result<Owned<vk::Pipeline>> {
    let stage =
        vk::PipelineShaderStageCreateInfo::default().stage(interface.stage).module(module).name(&interface.entry);
    let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
    // SAFETY: the layout was made from the interface of the module.
    let made = unsafe { device.raw.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
    owned(device, made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error), "vkCreateComputePipelines")
}
