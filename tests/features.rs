// SPDX-License-Identifier: MIT

//! No module declares a capability for which its target lacks the feature: every shader of the corpus is translated for targets
//! that lack one of its features, and is refused, or does not use it. So the checks cover each capability of the corpus, whether
//! it is refused or lowered.

mod support;

use ntv::target::Version;
use ntv::{text, EmitOptions, Feature, Options, Shader, Target, Translator};
use spirv::{Capability, Op};
use std::collections::BTreeSet;
use std::fs;

/// Capabilities and the features that enable them: one is enough (Vulkan, "List of SPIR-V Capabilities and corresponding Vulkan
/// features").
const TABLE: &[(Capability, &[Feature])] = {
    use Capability as C;
    use Feature::*;
    &[
        (C::Geometry, &[geometryShader]),
        (C::Tessellation, &[tessellationShader]),
        (C::Float16, &[shaderFloat16]),
        (C::Float64, &[shaderFloat64]),
        (C::Int64, &[shaderInt64]),
        (C::Int16, &[shaderInt16]),
        (C::Int8, &[shaderInt8]),
        (C::Int64Atomics, &[shaderBufferInt64Atomics, shaderSharedInt64Atomics, shaderImageInt64Atomics]),
        (C::TessellationPointSize, &[shaderTessellationAndGeometryPointSize]),
        (C::GeometryPointSize, &[shaderTessellationAndGeometryPointSize]),
        (C::ImageGatherExtended, &[shaderImageGatherExtended]),
        (C::StorageImageMultisample, &[shaderStorageImageMultisample]),
        (C::ImageMSArray, &[shaderStorageImageMultisample]),
        (C::UniformBufferArrayDynamicIndexing, &[shaderUniformBufferArrayDynamicIndexing]),
        (C::SampledImageArrayDynamicIndexing, &[shaderSampledImageArrayDynamicIndexing]),
        (C::StorageBufferArrayDynamicIndexing, &[shaderStorageBufferArrayDynamicIndexing]),
        (C::StorageImageArrayDynamicIndexing, &[shaderStorageImageArrayDynamicIndexing]),
        (C::InputAttachmentArrayDynamicIndexing, &[shaderInputAttachmentArrayDynamicIndexing]),
        (C::UniformTexelBufferArrayDynamicIndexing, &[shaderUniformTexelBufferArrayDynamicIndexing]),
        (C::StorageTexelBufferArrayDynamicIndexing, &[shaderStorageTexelBufferArrayDynamicIndexing]),
        (C::UniformBufferArrayNonUniformIndexing, &[shaderUniformBufferArrayNonUniformIndexing]),
        (C::SampledImageArrayNonUniformIndexing, &[shaderSampledImageArrayNonUniformIndexing]),
        (C::StorageBufferArrayNonUniformIndexing, &[shaderStorageBufferArrayNonUniformIndexing]),
        (C::StorageImageArrayNonUniformIndexing, &[shaderStorageImageArrayNonUniformIndexing]),
        (C::InputAttachmentArrayNonUniformIndexing, &[shaderInputAttachmentArrayNonUniformIndexing]),
        (C::UniformTexelBufferArrayNonUniformIndexing, &[shaderUniformTexelBufferArrayNonUniformIndexing]),
        (C::StorageTexelBufferArrayNonUniformIndexing, &[shaderStorageTexelBufferArrayNonUniformIndexing]),
        (C::ClipDistance, &[shaderClipDistance]),
        (C::CullDistance, &[shaderCullDistance]),
        (C::ImageCubeArray, &[imageCubeArray]),
        (C::SampledCubeArray, &[imageCubeArray]),
        (C::SampleRateShading, &[sampleRateShading]),
        (C::InterpolationFunction, &[sampleRateShading]),
        (C::SparseResidency, &[shaderResourceResidency]),
        (C::MinLod, &[shaderResourceMinLod]),
        (C::StorageImageExtendedFormats, &[shaderStorageImageExtendedFormats]),
        (C::StorageImageReadWithoutFormat, &[shaderStorageImageReadWithoutFormat]),
        (C::StorageImageWriteWithoutFormat, &[shaderStorageImageWriteWithoutFormat]),
        (C::MultiViewport, &[multiViewport]),
        (C::DrawParameters, &[shaderDrawParameters]),
        (C::MultiView, &[multiview]),
        (C::ShaderViewportIndexLayerEXT, &[shaderOutputViewportIndex, shaderOutputLayer]),
        (C::ShaderViewportIndex, &[shaderOutputViewportIndex]),
        (C::ShaderLayer, &[shaderOutputLayer]),
        (C::StorageBuffer16BitAccess, &[storageBuffer16BitAccess]),
        (C::StorageBuffer8BitAccess, &[storageBuffer8BitAccess]),
        (C::StoragePushConstant16, &[storagePushConstant16]),
        (C::StoragePushConstant8, &[storagePushConstant8]),
        (C::StorageInputOutput16, &[storageInputOutput16]),
        (C::GroupNonUniformVote, &[subgroupVote]),
        (C::GroupNonUniformArithmetic, &[subgroupArithmetic]),
        (C::GroupNonUniformBallot, &[subgroupBallot]),
        (C::GroupNonUniformShuffle, &[subgroupShuffle]),
        (C::GroupNonUniformShuffleRelative, &[subgroupShuffleRelative]),
        (C::GroupNonUniformClustered, &[subgroupClustered]),
        (C::GroupNonUniformQuad, &[subgroupQuad]),
        (C::GroupNonUniformRotateKHR, &[shaderSubgroupRotate]),
        (C::SubgroupBallotKHR, &[subgroupBallot]),
        (C::SubgroupVoteKHR, &[subgroupVote]),
        (C::TransformFeedback, &[transformFeedback]),
        (C::GeometryStreams, &[geometryStreams]),
        (C::StencilExportEXT, &[VK_EXT_shader_stencil_export]),
        (C::SampleMaskPostDepthCoverage, &[VK_EXT_post_depth_coverage]),
        (C::FragmentShaderPixelInterlockEXT, &[fragmentShaderPixelInterlock]),
        (C::FragmentShaderSampleInterlockEXT, &[fragmentShaderSampleInterlock]),
        (C::DemoteToHelperInvocation, &[shaderDemoteToHelperInvocation]),
        (C::ShaderClockKHR, &[shaderSubgroupClock, shaderDeviceClock]),
        (C::AtomicFloat16AddEXT, &[shaderBufferFloat16AtomicAdd]),
        (C::AtomicFloat16MinMaxEXT, &[shaderBufferFloat16AtomicMinMax]),
        (
            C::AtomicFloat32AddEXT,
            &[shaderBufferFloat32AtomicAdd, shaderSharedFloat32AtomicAdd, shaderImageFloat32AtomicAdd],
        ),
        (
            C::AtomicFloat32MinMaxEXT,
            &[shaderBufferFloat32AtomicMinMax, shaderSharedFloat32AtomicMinMax, shaderImageFloat32AtomicMinMax],
        ),
        (C::AtomicFloat64AddEXT, &[shaderBufferFloat64AtomicAdd, shaderSharedFloat64AtomicAdd]),
        (C::AtomicFloat64MinMaxEXT, &[shaderBufferFloat64AtomicMinMax, shaderSharedFloat64AtomicMinMax]),
        (C::PhysicalStorageBufferAddresses, &[bufferDeviceAddress]),
        (C::Int64ImageEXT, &[shaderImageInt64Atomics]),
        (C::VulkanMemoryModel, &[vulkanMemoryModel]),
        (C::VulkanMemoryModelDeviceScope, &[vulkanMemoryModelDeviceScope]),
        (C::WorkgroupMemoryExplicitLayoutKHR, &[workgroupMemoryExplicitLayout]),
        (C::WorkgroupMemoryExplicitLayout8BitAccessKHR, &[workgroupMemoryExplicitLayout8BitAccess]),
        (C::WorkgroupMemoryExplicitLayout16BitAccessKHR, &[workgroupMemoryExplicitLayout16BitAccess]),
        (C::DenormPreserve, &[shaderDenormPreserveFloat16, shaderDenormPreserveFloat32, shaderDenormPreserveFloat64]),
        (
            C::DenormFlushToZero,
            &[shaderDenormFlushToZeroFloat16, shaderDenormFlushToZeroFloat32, shaderDenormFlushToZeroFloat64],
        ),
        (
            C::SignedZeroInfNanPreserve,
            &[
                shaderSignedZeroInfNanPreserveFloat16,
                shaderSignedZeroInfNanPreserveFloat32,
                shaderSignedZeroInfNanPreserveFloat64,
            ],
        ),
        (
            C::RoundingModeRTE,
            &[shaderRoundingModeRTEFloat16, shaderRoundingModeRTEFloat32, shaderRoundingModeRTEFloat64],
        ),
        (
            C::RoundingModeRTZ,
            &[shaderRoundingModeRTZFloat16, shaderRoundingModeRTZFloat32, shaderRoundingModeRTZFloat64],
        ),
        (C::ComputeDerivativeGroupQuadsKHR, &[computeDerivativeGroupQuads]),
        (C::ComputeDerivativeGroupLinearKHR, &[computeDerivativeGroupLinear]),
        (C::MeshShadingEXT, &[meshShader, taskShader]),
        (C::FloatControls2, &[shaderFloatControls2]),
        (C::DerivativeControl, &[derivativeControl]),
    ]
};

/// Capabilities that every device supports (of Vulkan 1.1 or 1.2 for SPIR-V of these versions).
const FREE: &[Capability] = &[
    Capability::Shader,
    Capability::InputAttachment,
    Capability::Sampled1D,
    Capability::Image1D,
    Capability::SampledBuffer,
    Capability::ImageBuffer,
    Capability::ImageQuery,
    Capability::GroupNonUniform,
    Capability::ShaderNonUniform,
];

/// The capabilities of a module, which are its first instructions.
fn capabilities(words: &[u32]) -> Vec<u32> {
    words[5..]
        .chunks_exact(2)
        .take_while(|pair| pair[0] == 2 << 16 | Op::Capability as u32)
        .map(|pair| pair[1])
        .collect()
}

/// The capabilities that the module of `shader` declares for `target`; none if it is refused.
fn declared(shader: &Shader, target: &Target) -> Vec<u32> {
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default());
    module.map_or(Vec::new(), |module| capabilities(&module.words))
}

/// The errors of `shader`. Adds the rows of the table that were tested to `tried`.
fn check(shader: &Shader, target: &Target, tried: &mut BTreeSet<usize>) -> Vec<String> {
    let mut wrong = Vec::new();
    for capability in declared(shader, target) {
        let Some(row) = TABLE.iter().position(|row| row.0 as u32 == capability) else {
            if FREE.iter().all(|free| *free as u32 != capability) {
                wrong.push(format!("capability {capability} has no row"));
            }
            continue;
        };
        let mut without = target.clone();
        TABLE[row].1.iter().for_each(|feature| without.set(*feature, false));
        if declared(shader, &without).contains(&capability) {
            wrong.push(format!("{:?} without {:?}", TABLE[row].0, TABLE[row].1));
        }
        tried.insert(row);
    }
    wrong
}

#[test]
fn no_capability_without_its_feature() {
    let mut all = Target::default();
    Feature::ALL.iter().for_each(|feature| all.set(*feature, true));
    let mut targets: Vec<Target> = Target::PRESETS.iter().map(|(_, version)| Target::new(*version)).collect();
    targets.push(all);
    // The extensions before Vulkan 1.1's subgroups.
    let mut ballots = Target::new(Version(1, 0));
    [Feature::subgroupVote, Feature::subgroupBallot].iter().for_each(|feature| ballots.set(*feature, true));
    targets.push(ballots);
    let files = support::files(&support::root().join("tests/corpus"), &["nir"]);
    let results = support::in_parallel(files, |file| {
        let text = fs::read_to_string(&file).expect("a file of the corpus");
        let (mut wrong, mut tried) = (Vec::new(), BTreeSet::new());
        for shader in text::find(&text).filter_map(|found| found.shader.ok()) {
            for target in &targets {
                let found = check(&shader, target, &mut tried);
                wrong
                    .extend(found.into_iter().map(|wrong| format!("{}, {:?}: {wrong}", file.display(), target.vulkan)));
            }
        }
        (wrong, tried)
    });
    let wrong: Vec<&str> = results.iter().flat_map(|(wrong, _)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let tried: BTreeSet<usize> = results.iter().flat_map(|(_, tried)| tried).copied().collect();
    let missing: Vec<Capability> =
        (0..TABLE.len()).filter(|row| !tried.contains(row)).map(|row| TABLE[row].0).collect();
    assert!(missing.is_empty(), "no file of the corpus shows {missing:?}");
}
