// SPDX-License-Identifier: MIT

//! The machine code that a driver makes of modules: its statistics, by VK_KHR_pipeline_executable_properties. Nothing runs, so the
//! device may be one that exists in the driver only.

use super::{CompileTime, Device, Error, Result};
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::Context as _;
use crate::pipeline::ALWAYS_DYNAMIC;
use crate::program::{create_module, descriptor_type, stage_flags};
use ash::vk;
use ntv::import::reflect;
use ntv::module::{Binding, ShaderStage};
use std::ffi::{c_char, CStr, CString};
use std::sync::Arc;
use std::time::Instant;

/// What a driver made of modules.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The time of all modules, and of their pipeline.
    pub time: CompileTime,
    /// The parts of the machine code, in the order of the driver.
    pub executables: Vec<Executable>,
}

/// A part of the machine code of a pipeline, for example of a stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Executable {
    /// The driver's name of it, such as `Vertex Shader` or `SIMD16 fragment`.
    pub name: String,
    /// The statistics, by the driver's names. They have no common unit.
    pub statistics: Vec<(String, f64)>,
}

/// A module of a pipeline, with the name of its entry point.
struct Part {
    stage: ShaderStage,
    entry: CString,
    module: Owned<vk::ShaderModule>,
}

/// The layouts of a pipeline.
struct Layout {
    raw: Owned<vk::PipelineLayout>,
    _sets: Vec<Owned<vk::DescriptorSetLayout>>,
}

impl Device {
    /// Compiles `modules`: a compute shader, or stages before rasterization, or a fragment shader. Graphics stages become a library
    /// (VK_EXT_graphics_pipeline_library), so nothing depends on stages that are not there. `bindings` has all descriptors of the
    /// modules, and may have more.
    pub fn compile(&self, modules: &[&[u32]], bindings: &[Binding]) -> Result<Compiled> {
        let device = &self.logical;
        let layout = layout(device, bindings)?;
        let start = Instant::now();
        let parts: Vec<Part> = modules.iter().map(|words| Part::new(device, words)).collect::<Result<_>>()?;
        let modules = start.elapsed();
        let start = Instant::now();
        let pipeline = pipeline(device, &parts, *layout.raw)?;
        let time = CompileTime { modules, pipeline: start.elapsed() };
        Ok(Compiled { time, executables: executables(device, *pipeline)? })
    }
}

impl Part {
    fn new(device: &Arc<Logical>, words: &[u32]) -> Result<Part> {
        let found = reflect(words).map_err(|error| Error::new(error.to_string()))?;
        let entry = CString::new(found.entry);
        let entry = entry.map_err(|_| Error::new("the name of the entry point contains a zero"))?;
        Ok(Part { stage: found.stage, entry, module: create_module(device, words)? })
    }
}

/// A layout with these descriptors, and with push constants of all sizes that GL drivers use, if the device has them.
fn layout(device: &Arc<Logical>, bindings: &[Binding]) -> Result<Layout> {
    let count = bindings.iter().map(|binding| binding.set + 1).max().unwrap_or(0);
    let mut sets = Vec::new();
    for set in 0..count {
        let own = bindings.iter().filter(|binding| binding.set == set);
        let own = own.map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding.binding)
                .descriptor_type(descriptor_type(binding.kind, false))
                .descriptor_count(binding.count)
                .stage_flags(vk::ShaderStageFlags::ALL)
        });
        let own: Vec<vk::DescriptorSetLayoutBinding<'_>> = own.collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&own);
        // SAFETY: the caller gives each binding once.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&info, None) };
        sets.push(Owned::new(device, raw.during("vkCreateDescriptorSetLayout")?));
    }
    let size = device.limits.max_push_constants_size.min(256);
    let range = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::ALL).size(size)];
    let handles: Vec<vk::DescriptorSetLayout> = sets.iter().map(|set| **set).collect();
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&handles).push_constant_ranges(&range);
    // SAFETY: the layouts of sets live until the end of this function, and the range is within the limit.
    let raw = unsafe { device.raw.create_pipeline_layout(&info, None) };
    Ok(Layout { raw: Owned::new(device, raw.during("vkCreatePipelineLayout")?), _sets: sets })
}

/// The pipeline of `parts`, with statistics.
fn pipeline(device: &Arc<Logical>, parts: &[Part], layout: vk::PipelineLayout) -> Result<Owned<vk::Pipeline>> {
    let stages: Vec<vk::PipelineShaderStageCreateInfo<'_>> = parts
        .iter()
        .map(|part| {
            let info = vk::PipelineShaderStageCreateInfo::default().stage(stage_flags(part.stage));
            info.module(*part.module).name(&part.entry)
        })
        .collect();
    let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
    let (made, call) = match parts {
        [Part { stage: ShaderStage::Compute, .. }] => {
            let info = vk::ComputePipelineCreateInfo::default().flags(flags).layout(layout).stage(stages[0]);
            // SAFETY: the module and the layout live, and the layout has the resources of the module.
            let made = unsafe { device.raw.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
            (made, "vkCreateComputePipelines")
        }
        _ => {
            let is_fragment = parts.iter().any(|part| part.stage == ShaderStage::Fragment);
            let part = match is_fragment {
                true => vk::GraphicsPipelineLibraryFlagsEXT::FRAGMENT_SHADER,
                false => vk::GraphicsPipelineLibraryFlagsEXT::PRE_RASTERIZATION_SHADERS,
            };
            let mut library = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(part);
            let mut rendering = vk::PipelineRenderingCreateInfo::default();
            let (viewport, rasterization) = Default::default();
            let multisample = vk::PipelineMultisampleStateCreateInfo::default()
                .rasterization_samples(vk::SampleCountFlags::TYPE_1)
                .min_sample_shading(1.0);
            let depth_stencil = vk::PipelineDepthStencilStateCreateInfo::default();
            let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
            let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(ALWAYS_DYNAMIC);
            let info = vk::GraphicsPipelineCreateInfo::default()
                .flags(flags | vk::PipelineCreateFlags::LIBRARY_KHR)
                .stages(&stages)
                .viewport_state(&viewport)
                .rasterization_state(&rasterization)
                .tessellation_state(&tessellation)
                .multisample_state(&multisample)
                .depth_stencil_state(&depth_stencil)
                .dynamic_state(&dynamic)
                .layout(layout)
                .push_next(&mut library)
                .push_next(&mut rendering);
            // SAFETY: as for compute shaders, and all that `info` points to lives.
            let made = unsafe { device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
            (made, "vkCreateGraphicsPipelines")
        }
    };
    let made = made.map_err(|(_, result)| result).during(call)?;
    Ok(Owned::new(device, made[0]))
}

/// The statistics of a pipeline.
fn executables(device: &Logical, pipeline: vk::Pipeline) -> Result<Vec<Executable>> {
    let functions = device.executables.as_ref();
    let functions = functions.ok_or_else(|| Error::new("the device has no VK_KHR_pipeline_executable_properties"))?;
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline lives, and the device has the feature.
    let found = unsafe { functions.get_pipeline_executable_properties(&info) };
    let found = found.during("vkGetPipelineExecutablePropertiesKHR")?;
    let mut executables = Vec::new();
    for (index, executable) in (0..).zip(&found) {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: the pipeline has this executable, and captures statistics.
        let statistics = unsafe { functions.get_pipeline_executable_statistics(&info) };
        let statistics = statistics.during("vkGetPipelineExecutableStatisticsKHR")?;
        let statistics = statistics.iter().map(|statistic| (text(&statistic.name), value(statistic))).collect();
        executables.push(Executable { name: text(&executable.name), statistics });
    }
    Ok(executables)
}

/// The text of an array that a driver filled in.
fn text(chars: &[c_char]) -> String {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}

fn value(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> f64 {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    let value = statistic.value;
    // SAFETY: the format names the field that the driver wrote.
    unsafe {
        match statistic.format {
            Format::BOOL32 => f64::from(value.b32),
            Format::INT64 => value.i64 as f64,
            Format::FLOAT64 => value.f64,
            _ => value.u64 as f64,
        }
    }
}
