//! Compute: one module, one dispatch.

use super::bind::Bound;
use super::device::{Device, Logical};
use super::handle::Owned;
use super::memory::owned;
use super::part::SharedBuffers;
use super::reflect::{reflect, Interface};
use super::resource::Resources;
use super::steps::Step;
use super::submit::Commands;
use super::{Error, Result};
use ash::vk;
use std::rc::Rc;

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

/// A dispatch with its pipeline and all that the shader wants, ready to be recorded.
pub(super) struct Prepared {
    pub(super) bound: Bound,
    pipeline: Owned<vk::Pipeline>,
}

impl Prepared {
    /// Parts of buffers are of those that `shared` has, or gets.
    pub(super) fn new(
        device: &Rc<Logical>,
        dispatch: &Dispatch<'_>,
        resources: &Resources,
        shared: &mut SharedBuffers,
    ) -> Result<Prepared> {
        let interface = reflect(dispatch.module)?;
        if interface.stage != vk::ShaderStageFlags::COMPUTE {
            return Err(Error::new("this is not a compute shader"));
        }
        let module = shader_module(device, dispatch.module)?;
        let interfaces = std::slice::from_ref(&interface);
        let bound = Bound::new(device, interfaces, (resources, shared), dispatch.push_constants)?;
        let pipeline = pipeline(device, &interface, *module, *bound.layout)?;
        Ok(Prepared { bound, pipeline })
    }

    /// Records the dispatch that this was made for.
    pub(super) fn record(&self, commands: &Commands, dispatch: &Dispatch<'_>) {
        let point = vk::PipelineBindPoint::COMPUTE;
        self.bound.bind(commands, point, dispatch.push_constants);
        let [x, y, z] = dispatch.groups;
        let raw = &commands.device.raw;
        // SAFETY: the buffer is recording; what the pipeline uses is bound.
        unsafe {
            raw.cmd_bind_pipeline(commands.buffer, point, *self.pipeline);
            raw.cmd_dispatch(commands.buffer, x, y, z);
        }
    }
}

impl Device {
    /// Runs `dispatch` and leaves in `resources` what it wrote.
    pub fn dispatch(&self, dispatch: &Dispatch<'_>, resources: &mut Resources) -> Result<()> {
        self.run(&mut [Step::Dispatch(*dispatch, resources)])
    }
}

/// The module that `words` are.
pub(super) fn shader_module(device: &Rc<Logical>, words: &[u32]) -> Result<Owned<vk::ShaderModule>> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: Vulkan trusts the words of a module; that they are valid is what ntv promises, and the caller's to see to
    // for words of another origin.
    owned(device, unsafe { device.raw.create_shader_module(&info, None) }, "vkCreateShaderModule")
}

/// The pipeline of a module.
pub(super) fn pipeline(
    device: &Rc<Logical>,
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
