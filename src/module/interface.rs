// SPDX-License-Identifier: MIT

//! The interface of a module: descriptors, inputs, outputs.

use super::decisions::refused;
use crate::error::Error;
use crate::ir::Capture;
use crate::location;
use spirv::ExecutionModel;

/// The stage of an entry point, in the order of a pipeline; those of mesh shading are last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ShaderStage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessCtrl,
    /// Tessellation evaluation.
    TessEval,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute, the only stage of its pipelines.
    #[default]
    Compute,
    /// Task, which starts mesh shaders.
    Task,
    /// Mesh, in place of the stages before the fragment stage.
    Mesh,
}

impl ShaderStage {
    /// All stages, in the order of their numbers.
    pub const ALL: [ShaderStage; 8] = [
        ShaderStage::Vertex,
        ShaderStage::TessCtrl,
        ShaderStage::TessEval,
        ShaderStage::Geometry,
        ShaderStage::Fragment,
        ShaderStage::Compute,
        ShaderStage::Task,
        ShaderStage::Mesh,
    ];

    /// The name in files and options.
    pub fn name(self) -> &'static str {
        ["vertex", "tess_ctrl", "tess_eval", "geometry", "fragment", "compute", "task", "mesh"][self as usize]
    }

    /// The execution model of its entry points.
    pub fn execution_model(self) -> ExecutionModel {
        match self {
            ShaderStage::Vertex => ExecutionModel::Vertex,
            ShaderStage::TessCtrl => ExecutionModel::TessellationControl,
            ShaderStage::TessEval => ExecutionModel::TessellationEvaluation,
            ShaderStage::Geometry => ExecutionModel::Geometry,
            ShaderStage::Fragment => ExecutionModel::Fragment,
            ShaderStage::Compute => ExecutionModel::GLCompute,
            ShaderStage::Task => ExecutionModel::TaskEXT,
            ShaderStage::Mesh => ExecutionModel::MeshEXT,
        }
    }

    /// The bit of this stage in a set of stages.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The set of stages that can be next in a pipeline (Vulkan, `VkGraphicsPipelineCreateInfo`: a pipeline has both tessellation
    /// stages or none).
    pub const fn next(self) -> u8 {
        match self {
            ShaderStage::Vertex => {
                ShaderStage::TessCtrl.bit() | ShaderStage::Geometry.bit() | ShaderStage::Fragment.bit()
            }
            ShaderStage::TessCtrl => ShaderStage::TessEval.bit(),
            ShaderStage::TessEval => ShaderStage::Geometry.bit() | ShaderStage::Fragment.bit(),
            ShaderStage::Geometry | ShaderStage::Mesh => ShaderStage::Fragment.bit(),
            ShaderStage::Task => ShaderStage::Mesh.bit(),
            ShaderStage::Fragment | ShaderStage::Compute => 0,
        }
    }

    /// Returns an error unless a pipeline can have these stages one after the other. Other stages may precede and follow them.
    pub fn check_order(stages: impl IntoIterator<Item = ShaderStage>) -> Result<(), Error> {
        let mut stages = stages.into_iter();
        let mut last = stages.next().ok_or_else(|| refused("there are no stages"))?;
        for stage in stages {
            if last.next() & stage.bit() == 0 {
                let [first, second] = [last, stage].map(ShaderStage::name);
                return Err(refused(format!("no pipeline has a {second} stage right after a {first} stage")));
            }
            last = stage;
        }
        Ok(())
    }
}

/// The descriptors that a module uses at one set and binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binding {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// Their kind.
    pub kind: DescriptorKind,
    /// Their number; 1 if they are not an array.
    pub count: u32,
    /// The least number that a link can give them: constant indices are below it.
    pub used: u32,
    /// Uniform blocks, in any kind of buffer: the bytes that a bound range needs so that every load of the NIR shader is in
    /// bounds. If it has fewer, a device with robust buffer access may return zeros for bytes within the range (Vulkan, "Robust
    /// Buffer Access"). 0 if it is not known, and for other descriptors.
    pub min_range: u32,
}

/// The kind of a descriptor: the kinds of `VkDescriptorType` that shaders of GL use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum DescriptorKind {
    UniformBuffer,
    StorageBuffer,
    CombinedImageSampler,
    SampledImage,
    Sampler,
    UniformTexelBuffer,
    StorageImage,
    StorageTexelBuffer,
    InputAttachment,
}

impl DescriptorKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [DescriptorKind; 9] = {
        use DescriptorKind::*;
        [
            UniformBuffer,
            StorageBuffer,
            CombinedImageSampler,
            SampledImage,
            Sampler,
            UniformTexelBuffer,
            StorageImage,
            StorageTexelBuffer,
            InputAttachment,
        ]
    };
}

/// An input or output that is shared with another stage, the fixed function or a vertex buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varying {
    /// Whether it is an output, not an input.
    pub is_output: bool,
    /// Whether it exists per patch, not per vertex.
    pub patch: bool,
    /// Its built-in. It then has no location.
    pub builtin: Option<u32>,
    /// Its first location.
    pub location: u32,
    /// The number of its locations.
    pub locations: u32,
    /// Its first component in each location.
    pub component: u8,
    /// The number of 32-bit words of each of its vectors. More than four continue in the next location.
    pub components: u8,
    /// RelaxedPrecision.
    pub relaxed: bool,
    /// Whether a link may remove it, as the tables describe.
    pub removable: bool,
    /// Whether a link removed it.
    pub removed: bool,
    /// Its capture by transform feedback.
    pub capture: Option<Capture>,
    /// Whether it is a copy of a captured built-in, or of a part of one. Only transform feedback reads it.
    pub is_copy: bool,
}

impl Varying {
    /// The components that it uses in each of its locations, a bit each.
    pub fn masks(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.locations).map(|slot| location::mask(self.component.into(), self.components.into(), slot) as u8)
    }
}
