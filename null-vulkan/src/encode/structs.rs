// SPDX-License-Identifier: MIT

//! Structs, one row each: their fields in order; the field with the length of an array follows the array.

use super::{Encode, Encoder};
use crate::descriptor::slice;
use ash::vk;
use ash::vk::TaggedStructure;
use std::ffi::c_void;

macro_rules! structs {
    ($($ty:ty { $($field:ident $([$count:ident])?)* })*) => {$(
        impl Encode for $ty {
            unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
                // SAFETY: the caller guarantees it.
                unsafe {
                    $(field!(encoder, self.$field $(, self.$count)?);)*
                }
            }
        }
    )*};
}

macro_rules! field {
    ($encoder:ident, $value:expr) => {
        $value.encode($encoder)
    };
    ($encoder:ident, $value:expr, $count:expr) => {
        slice($value, $count).encode($encoder)
    };
}

// Structs of commands.
structs! {
    vk::Viewport { x y width height min_depth max_depth }
    vk::Offset2D { x y }
    vk::Offset3D { x y z }
    vk::Extent2D { width height }
    vk::Extent3D { width height depth }
    vk::Rect2D { offset extent }
    vk::BufferCopy { src_offset dst_offset size }
    vk::BufferCopy2<'_> { p_next src_offset dst_offset size }
    vk::ImageCopy { src_subresource src_offset dst_subresource dst_offset extent }
    vk::ImageCopy2<'_> { p_next src_subresource src_offset dst_subresource dst_offset extent }
    vk::ImageBlit { src_subresource src_offsets dst_subresource dst_offsets }
    vk::ImageBlit2<'_> { p_next src_subresource src_offsets dst_subresource dst_offsets }
    vk::ImageResolve { src_subresource src_offset dst_subresource dst_offset extent }
    vk::ImageResolve2<'_> { p_next src_subresource src_offset dst_subresource dst_offset extent }
    vk::BufferImageCopy { buffer_offset buffer_row_length buffer_image_height image_subresource image_offset image_extent }
    vk::BufferImageCopy2<'_> { p_next buffer_offset buffer_row_length buffer_image_height image_subresource image_offset image_extent }
    vk::CopyBufferInfo2<'_> { p_next src_buffer dst_buffer region_count p_regions[region_count] }
    vk::CopyImageInfo2<'_> { p_next src_image src_image_layout dst_image dst_image_layout region_count p_regions[region_count] }
    vk::CopyBufferToImageInfo2<'_> { p_next src_buffer dst_image dst_image_layout region_count p_regions[region_count] }
    vk::CopyImageToBufferInfo2<'_> { p_next src_image src_image_layout dst_buffer region_count p_regions[region_count] }
    vk::BlitImageInfo2<'_> { p_next src_image src_image_layout dst_image dst_image_layout region_count p_regions[region_count] filter }
    vk::ResolveImageInfo2<'_> { p_next src_image src_image_layout dst_image dst_image_layout region_count p_regions[region_count] }
    vk::ImageSubresourceLayers { aspect_mask mip_level base_array_layer layer_count }
    vk::ImageSubresourceRange { aspect_mask base_mip_level level_count base_array_layer layer_count }
    vk::MemoryBarrier<'_> { p_next src_access_mask dst_access_mask }
    vk::BufferMemoryBarrier<'_> {
        p_next src_access_mask dst_access_mask src_queue_family_index dst_queue_family_index buffer offset size
    }
    vk::ImageMemoryBarrier<'_> {
        p_next src_access_mask dst_access_mask old_layout new_layout src_queue_family_index dst_queue_family_index image
        subresource_range
    }
    vk::MemoryBarrier2<'_> { p_next src_stage_mask src_access_mask dst_stage_mask dst_access_mask }
    vk::BufferMemoryBarrier2<'_> {
        p_next src_stage_mask src_access_mask dst_stage_mask dst_access_mask src_queue_family_index dst_queue_family_index
        buffer offset size
    }
    vk::ImageMemoryBarrier2<'_> {
        p_next src_stage_mask src_access_mask dst_stage_mask dst_access_mask old_layout new_layout src_queue_family_index
        dst_queue_family_index image subresource_range
    }
    vk::DependencyInfo<'_> {
        p_next dependency_flags memory_barrier_count p_memory_barriers[memory_barrier_count]
        buffer_memory_barrier_count p_buffer_memory_barriers[buffer_memory_barrier_count]
        image_memory_barrier_count p_image_memory_barriers[image_memory_barrier_count]
    }
    vk::ClearRect { rect base_array_layer layer_count }
    vk::ClearDepthStencilValue { depth stencil }
    vk::SubpassBeginInfo<'_> { p_next contents }
    vk::SubpassEndInfo<'_> { p_next }
    vk::ConditionalRenderingBeginInfoEXT<'_> { p_next buffer offset flags }
    vk::VertexInputBindingDescription2EXT<'_> { p_next binding stride input_rate divisor }
    vk::VertexInputAttributeDescription2EXT<'_> { p_next location binding format offset }
    vk::MultiDrawInfoEXT { first_vertex vertex_count }
    vk::MultiDrawIndexedInfoEXT { first_index index_count vertex_offset }
    vk::ColorBlendEquationEXT {
        src_color_blend_factor dst_color_blend_factor color_blend_op src_alpha_blend_factor dst_alpha_blend_factor alpha_blend_op
    }
    vk::ColorBlendAdvancedEXT { advanced_blend_op src_premultiplied dst_premultiplied blend_overlap clamp_results }
}

// Structs of resources and descriptors.
structs! {
    vk::ComponentMapping { r g b a }
    vk::SamplerCreateInfo<'_> {
        p_next flags mag_filter min_filter mipmap_mode address_mode_u address_mode_v address_mode_w mip_lod_bias anisotropy_enable
        max_anisotropy compare_enable compare_op min_lod max_lod border_color unnormalized_coordinates
    }
    vk::ImageViewCreateInfo<'_> { p_next flags image view_type format components subresource_range }
    vk::BufferViewCreateInfo<'_> { p_next buffer format offset range }
    vk::DescriptorSetLayoutCreateInfo<'_> { p_next flags binding_count p_bindings[binding_count] }
    vk::PushConstantRange { stage_flags offset size }
}

// Structs of pipelines.
structs! {
    vk::PipelineVertexInputStateCreateInfo<'_> {
        p_next vertex_binding_description_count p_vertex_binding_descriptions[vertex_binding_description_count]
        vertex_attribute_description_count p_vertex_attribute_descriptions[vertex_attribute_description_count]
    }
    vk::VertexInputBindingDescription { binding stride input_rate }
    vk::VertexInputAttributeDescription { location binding format offset }
    vk::VertexInputBindingDivisorDescriptionKHR { binding divisor }
    vk::PipelineInputAssemblyStateCreateInfo<'_> { p_next topology primitive_restart_enable }
    vk::PipelineTessellationStateCreateInfo<'_> { p_next patch_control_points }
    vk::PipelineViewportStateCreateInfo<'_> {
        p_next viewport_count p_viewports[viewport_count] scissor_count p_scissors[scissor_count]
    }
    vk::PipelineRasterizationStateCreateInfo<'_> {
        p_next depth_clamp_enable rasterizer_discard_enable polygon_mode cull_mode front_face depth_bias_enable
        depth_bias_constant_factor depth_bias_clamp depth_bias_slope_factor line_width
    }
    vk::PipelineMultisampleStateCreateInfo<'_> {
        p_next rasterization_samples sample_shading_enable min_sample_shading p_sample_mask alpha_to_coverage_enable
        alpha_to_one_enable
    }
    vk::PipelineDepthStencilStateCreateInfo<'_> {
        p_next flags depth_test_enable depth_write_enable depth_compare_op depth_bounds_test_enable stencil_test_enable front back
        min_depth_bounds max_depth_bounds
    }
    vk::StencilOpState { fail_op pass_op depth_fail_op compare_op compare_mask write_mask reference }
    vk::PipelineColorBlendStateCreateInfo<'_> {
        p_next flags logic_op_enable logic_op attachment_count p_attachments[attachment_count] blend_constants
    }
    vk::PipelineColorBlendAttachmentState {
        blend_enable src_color_blend_factor dst_color_blend_factor color_blend_op src_alpha_blend_factor dst_alpha_blend_factor
        alpha_blend_op color_write_mask
    }
}

// Structs of render passes.
structs! {
    vk::AttachmentDescription {
        flags format samples load_op store_op stencil_load_op stencil_store_op initial_layout final_layout
    }
    vk::AttachmentReference { attachment layout }
    vk::SubpassDescription<'_> {
        flags pipeline_bind_point input_attachment_count p_input_attachments[input_attachment_count]
        color_attachment_count p_color_attachments[color_attachment_count] p_resolve_attachments[color_attachment_count]
        p_depth_stencil_attachment preserve_attachment_count p_preserve_attachments[preserve_attachment_count]
    }
    vk::SubpassDependency {
        src_subpass dst_subpass src_stage_mask dst_stage_mask src_access_mask dst_access_mask dependency_flags
    }
    vk::RenderPassCreateInfo<'_> {
        p_next flags attachment_count p_attachments[attachment_count] subpass_count p_subpasses[subpass_count]
        dependency_count p_dependencies[dependency_count]
    }
    vk::AttachmentDescription2<'_> {
        p_next flags format samples load_op store_op stencil_load_op stencil_store_op initial_layout final_layout
    }
    vk::AttachmentReference2<'_> { p_next attachment layout aspect_mask }
    vk::SubpassDescription2<'_> {
        p_next flags pipeline_bind_point view_mask input_attachment_count p_input_attachments[input_attachment_count]
        color_attachment_count p_color_attachments[color_attachment_count] p_resolve_attachments[color_attachment_count]
        p_depth_stencil_attachment preserve_attachment_count p_preserve_attachments[preserve_attachment_count]
    }
    vk::SubpassDependency2<'_> {
        p_next src_subpass dst_subpass src_stage_mask dst_stage_mask src_access_mask dst_access_mask dependency_flags view_offset
    }
    vk::RenderPassCreateInfo2<'_> {
        p_next flags attachment_count p_attachments[attachment_count] subpass_count p_subpasses[subpass_count]
        dependency_count p_dependencies[dependency_count]
        correlated_view_mask_count p_correlated_view_masks[correlated_view_mask_count]
    }
    vk::FramebufferCreateInfo<'_> {
        p_next flags render_pass attachment_count p_attachments[attachment_count] width height layers
    }
    vk::FramebufferAttachmentImageInfo<'_> {
        flags usage width height layer_count view_format_count p_view_formats[view_format_count]
    }
    vk::InputAttachmentAspectReference { subpass input_attachment_index aspect_mask }
}

/// The handling of a struct of a chain.
pub(super) enum Link {
    /// It was written.
    Known,
    /// It has no contents for the log, or they are written elsewhere.
    Elsewhere,
    /// It is not supported.
    Unknown,
}

macro_rules! links {
    ($encoder:ident, $kind:ident, $at:ident; $($ty:ident { $($field:ident $([$count:ident])?)* })*) => {
        match $kind {
            $(<vk::$ty<'static> as TaggedStructure>::STRUCTURE_TYPE => {
                // SAFETY: the caller guarantees it: the structure type gives the Rust type.
                unsafe {
                    let value = &*$at.cast::<vk::$ty<'_>>();
                    $(field!($encoder, value.$field $(, value.$count)?);)*
                }
                return Link::Known;
            })*
            _ => {}
        }
    };
}

/// Writes a struct of a chain, without its head.
///
/// # Safety
/// `at` is a valid struct of the type `kind`.
pub(super) unsafe fn link(encoder: &mut Encoder<'_>, kind: vk::StructureType, at: *const c_void) -> Link {
    links! { encoder, kind, at;
        PipelineVertexInputDivisorStateCreateInfoKHR {
            vertex_binding_divisor_count p_vertex_binding_divisors[vertex_binding_divisor_count]
        }
        PipelineTessellationDomainOriginStateCreateInfo { domain_origin }
        PipelineRasterizationLineStateCreateInfoKHR {
            line_rasterization_mode stippled_line_enable line_stipple_factor line_stipple_pattern
        }
        PipelineRasterizationDepthClipStateCreateInfoEXT { depth_clip_enable }
        PipelineRasterizationProvokingVertexStateCreateInfoEXT { provoking_vertex_mode }
        PipelineRasterizationStateStreamCreateInfoEXT { rasterization_stream }
        PipelineViewportDepthClipControlCreateInfoEXT { negative_one_to_one }
        PipelineColorWriteCreateInfoEXT { attachment_count p_color_write_enables[attachment_count] }
        PipelineShaderStageRequiredSubgroupSizeCreateInfo { required_subgroup_size }
        SamplerReductionModeCreateInfo { reduction_mode }
        SamplerBorderColorComponentMappingCreateInfoEXT { components srgb }
        SamplerCustomBorderColorCreateInfoEXT { custom_border_color format }
        ImageViewUsageCreateInfo { usage }
        ImageViewMinLodCreateInfoEXT { min_lod }
        DescriptorSetLayoutBindingFlagsCreateInfo { binding_count p_binding_flags[binding_count] }
        RenderPassMultiviewCreateInfo {
            subpass_count p_view_masks[subpass_count] dependency_count p_view_offsets[dependency_count]
            correlation_mask_count p_correlation_masks[correlation_mask_count]
        }
        RenderPassInputAttachmentAspectCreateInfo {
            aspect_reference_count p_aspect_references[aspect_reference_count]
        }
        SubpassDescriptionDepthStencilResolve {
            depth_resolve_mode stencil_resolve_mode p_depth_stencil_resolve_attachment
        }
        FramebufferAttachmentsCreateInfo {
            attachment_image_info_count p_attachment_image_infos[attachment_image_info_count]
        }
        RenderPassAttachmentBeginInfo { attachment_count p_attachments[attachment_count] }
        MemoryBarrier2 { src_stage_mask src_access_mask dst_stage_mask dst_access_mask }
    }
    use vk::StructureType as Ty;
    match kind {
        Ty::SHADER_MODULE_CREATE_INFO
        | Ty::GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT
        | Ty::PIPELINE_LIBRARY_CREATE_INFO_KHR
        | Ty::PIPELINE_RENDERING_CREATE_INFO
        | Ty::PIPELINE_CREATION_FEEDBACK_CREATE_INFO
        | Ty::DEBUG_UTILS_OBJECT_NAME_INFO_EXT => Link::Elsewhere,
        _ => Link::Unknown,
    }
}
