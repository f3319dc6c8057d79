//! How long the driver takes to make a pipeline, which is not run. There is no pipeline cache; a driver may have one of its own
//! all the same (Mesa's goes away with `MESA_SHADER_CACHE_DISABLE=1`).

use super::bind::Layouts;
use super::compute::shader_module;
use super::reflect::{reflect, Interface};
use super::render_pass::RenderPass;
use super::{compute, graphics};
use super::{Dispatch, Draw, Error, Result};
use crate::device::handle::Owned;
use crate::device::Device;
use ash::vk;
use std::time::{Duration, Instant};

/// How long the driver took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileTime {
    /// For all modules: vkCreateShaderModule.
    pub modules: Duration,
    /// For the pipeline: vkCreateComputePipelines or vkCreateGraphicsPipelines.
    pub pipeline: Duration,
}

impl Device {
    /// Makes the pipeline of `dispatch`, without resources.
    pub fn time_dispatch(&self, dispatch: &Dispatch<'_>) -> Result<CompileTime> {
        self.time(&[dispatch.module], dispatch.push_constants, |interfaces, modules, layout| match interfaces {
            [interface] if interface.stage == vk::ShaderStageFlags::COMPUTE => {
                compute::pipeline(&self.logical, interface, *modules[0], layout)
            }
            _ => Err(Error::new("this is not a compute shader")),
        })
    }

    /// Makes the pipeline of `draw`, without resources.
    pub fn time_draw(&self, draw: &Draw<'_>) -> Result<CompileTime> {
        self.time(draw.modules, draw.push_constants, |interfaces, modules, layout| {
            let pass = RenderPass::new(&self.logical, draw, interfaces)?;
            graphics::pipeline(&self.logical, draw, interfaces, modules, (layout, pass.as_ref()))
        })
    }

    fn time(
        &self,
        modules: &[&[u32]],
        push_constants: &[u8],
        pipeline: impl FnOnce(&[Interface], &[Owned<vk::ShaderModule>], vk::PipelineLayout) -> Result<Owned<vk::Pipeline>>,
    ) -> Result<CompileTime> {
        let device = &self.logical;
        let interfaces: Vec<Interface> = modules.iter().map(|words| reflect(words)).collect::<Result<_>>()?;
        let layouts = Layouts::new(device, &interfaces, push_constants.len())?;
        let start = Instant::now();
        let modules: Vec<_> = modules.iter().map(|words| shader_module(device, words)).collect::<Result<_>>()?;
        let there = Instant::now();
        let made = pipeline(&interfaces, &modules, *layouts.pipeline)?;
        let end = Instant::now();
        drop(made);
        Ok(CompileTime { modules: there - start, pipeline: end - there })
    }
}
