// SPDX-License-Identifier: MIT

//! Capabilities, and the extensions that they need in versions of SPIR-V whose core does not have them.

use super::module::ModuleBuilder;
use crate::module::ALWAYS;
use spirv::Capability;

/// The version of a capability that no version of SPIR-V has in its core.
const NEVER: (u8, u8) = (u8::MAX, 0);

/// Capability, the SPIR-V version whose core has it, and the extension for older versions (SPIR-V 3.31, the extensions' own texts),
/// in the order of the capabilities' numbers.
const EXTENSIONS: &[(Capability, (u8, u8), &str)] = &[
    (Capability::SubgroupBallotKHR, NEVER, "SPV_KHR_shader_ballot"),
    (Capability::DrawParameters, (1, 3), "SPV_KHR_shader_draw_parameters"),
    (Capability::WorkgroupMemoryExplicitLayoutKHR, NEVER, "SPV_KHR_workgroup_memory_explicit_layout"),
    (Capability::SubgroupVoteKHR, NEVER, "SPV_KHR_subgroup_vote"),
    (Capability::StorageBuffer16BitAccess, (1, 3), "SPV_KHR_16bit_storage"),
    (Capability::StoragePushConstant16, (1, 3), "SPV_KHR_16bit_storage"),
    (Capability::StorageInputOutput16, (1, 3), "SPV_KHR_16bit_storage"),
    (Capability::MultiView, (1, 3), "SPV_KHR_multiview"),
    (Capability::SampleMaskPostDepthCoverage, NEVER, "SPV_KHR_post_depth_coverage"),
    (Capability::StorageBuffer8BitAccess, (1, 5), "SPV_KHR_8bit_storage"),
    (Capability::StoragePushConstant8, (1, 5), "SPV_KHR_8bit_storage"),
    (Capability::DenormPreserve, (1, 4), "SPV_KHR_float_controls"),
    (Capability::DenormFlushToZero, (1, 4), "SPV_KHR_float_controls"),
    (Capability::SignedZeroInfNanPreserve, (1, 4), "SPV_KHR_float_controls"),
    (Capability::RoundingModeRTE, (1, 4), "SPV_KHR_float_controls"),
    (Capability::RoundingModeRTZ, (1, 4), "SPV_KHR_float_controls"),
    (Capability::StencilExportEXT, NEVER, "SPV_EXT_shader_stencil_export"),
    (Capability::Int64ImageEXT, NEVER, "SPV_EXT_shader_image_int64"),
    (Capability::ShaderClockKHR, NEVER, "SPV_KHR_shader_clock"),
    (Capability::ShaderViewportIndexLayerEXT, NEVER, "SPV_EXT_shader_viewport_index_layer"),
    (Capability::MeshShadingEXT, NEVER, "SPV_EXT_mesh_shader"),
    (Capability::ComputeDerivativeGroupQuadsKHR, NEVER, "SPV_NV_compute_shader_derivatives"),
    (Capability::ShaderNonUniform, (1, 5), "SPV_EXT_descriptor_indexing"),
    // The core of SPIR-V 1.5 has it, but spirv-val for Vulkan 1.2 requires the extension.
    (Capability::InputAttachmentArrayDynamicIndexing, NEVER, "SPV_EXT_descriptor_indexing"),
    (Capability::UniformTexelBufferArrayDynamicIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::StorageTexelBufferArrayDynamicIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::UniformBufferArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::SampledImageArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::StorageBufferArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::StorageImageArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::InputAttachmentArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::UniformTexelBufferArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::StorageTexelBufferArrayNonUniformIndexing, (1, 5), "SPV_EXT_descriptor_indexing"),
    (Capability::PhysicalStorageBufferAddresses, (1, 5), "SPV_KHR_physical_storage_buffer"),
    (Capability::ComputeDerivativeGroupLinearKHR, NEVER, "SPV_NV_compute_shader_derivatives"),
    (Capability::FragmentShaderSampleInterlockEXT, NEVER, "SPV_EXT_fragment_shader_interlock"),
    (Capability::FragmentShaderPixelInterlockEXT, NEVER, "SPV_EXT_fragment_shader_interlock"),
    (Capability::DemoteToHelperInvocation, (1, 6), "SPV_EXT_demote_to_helper_invocation"),
    (Capability::AtomicFloat32MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    (Capability::AtomicFloat64MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    (Capability::AtomicFloat16MinMaxEXT, NEVER, "SPV_EXT_shader_atomic_float_min_max"),
    (Capability::GroupNonUniformRotateKHR, NEVER, "SPV_KHR_subgroup_rotate"),
    (Capability::FloatControls2, NEVER, "SPV_KHR_float_controls2"),
    (Capability::AtomicFloat32AddEXT, NEVER, "SPV_EXT_shader_atomic_float_add"),
    (Capability::AtomicFloat64AddEXT, NEVER, "SPV_EXT_shader_atomic_float_add"),
    (Capability::AtomicFloat16AddEXT, NEVER, "SPV_EXT_shader_atomic_float16_add"),
];

const _: () = {
    let mut row = 1;
    while row < EXTENSIONS.len() {
        assert!((EXTENSIONS[row - 1].0 as u32) < EXTENSIONS[row].0 as u32, "capabilities are searched by their number");
        row += 1;
    }
};

impl ModuleBuilder {
    /// Declares `capability`, and its extension if this version of SPIR-V needs it.
    pub(super) fn capability(&mut self, capability: Capability) {
        if let Some(known) = self.capabilities.iter_mut().find(|row| row.0 == capability) {
            known.1 = ALWAYS;
            return;
        }
        self.capabilities.push((capability, ALWAYS));
        // Capabilities with lower numbers are in SPIR-V 1.0.
        if (capability as u32) < EXTENSIONS[0].0 as u32 {
            return;
        }
        if let Ok(row) = EXTENSIONS.binary_search_by_key(&(capability as u32), |row| row.0 as u32) {
            let (_, core, extension) = EXTENSIONS[row];
            if self.version < core {
                self.extension(extension);
            }
        }
    }

    /// Declares the Vulkan memory model, which is in the core from 1.5 on. Most modules have it, so there is no search in the
    /// table, whose constants take five cache lines.
    pub(super) fn vulkan_memory_model(&mut self, has_device_scope: bool) {
        self.capabilities.push((Capability::VulkanMemoryModel, ALWAYS));
        if has_device_scope {
            self.capabilities.push((Capability::VulkanMemoryModelDeviceScope, ALWAYS));
        }
        if self.version < (1, 5) {
            self.extension("SPV_KHR_vulkan_memory_model");
        }
    }

    /// Declares an extension that this version of SPIR-V needs.
    pub(super) fn extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }
}
