// SPDX-License-Identifier: MIT

//! The commands, one row each: the type of the function's pointer in ash, from which the name follows, and the arguments.

use super::{CommandBuffer as Record, Effect};
use crate::descriptor::{slice, Write};
use crate::encode::{BoundSets, Bytes, Encode, Encoder, Optional, Pushed, PushedByTemplate, Strided, VertexBuffers};
use crate::table::Function;
use ash::vk::*;
use std::ffi::c_void;
use std::ptr::null;

/// Generates the functions that record commands, from rows of their arguments. The length of an array follows its type; `then`
/// adds code that runs after the command was counted and recorded; `=>` replaces the recorded value of an argument.
macro_rules! commands {
    ($($pfn:ident($($arg:ident: $ty:ty $([$count:expr])? $(=> $words:expr)?),* $(,)?) $(then $after:expr)?;)*) => {
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        enum Id {
            $($pfn),*
        }

        /// The commands.
        pub(crate) const COMMANDS: &[Function] = &[$({
            unsafe extern "system" fn command(buffer: CommandBuffer, $($arg: $ty),*) {
                // SAFETY: the caller gives a command buffer that no other code uses at the same time.
                let record = unsafe { Record::of(buffer) };
                record.count(Id::$pfn as usize);
                if record.checks {
                    let write: &dyn Fn(&mut Encoder<'_>) = &|_encoder| {
                        // SAFETY: the caller gives valid arrays and structs.
                        $(unsafe { word!(_encoder, $arg $([$count])? $(=> $words)?) };)*
                    };
                    record.record(COMMANDS[Id::$pfn as usize].name, write);
                    $(
                        let after: &dyn Fn(&mut Record) = &$after;
                        after(record);
                    )?
                }
            }
            Function {
                name: stringify!($pfn).split_at("PFN_".len()).1,
                // SAFETY: pointers to functions have one size; callers cast it back to the type that its name gives.
                pointer: unsafe { std::mem::transmute::<$pfn, unsafe extern "system" fn()>(command) },
            }
        }),*];
    };
}

/// Writes an argument.
macro_rules! word {
    ($encoder:ident, $arg:ident) => {
        $arg.encode($encoder)
    };
    ($encoder:ident, $arg:ident [$count:expr]) => {
        slice($arg, $count).encode($encoder)
    };
    ($encoder:ident, $arg:ident => $words:expr) => {
        ($words).encode($encoder)
    };
}

/// The number of commands.
pub(crate) const COUNT: usize = COMMANDS.len();

/// The names of the commands.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|command| command.name)
}

/// The bytes that an argument points to.
///
/// # Safety
/// There are `len` bytes.
unsafe fn bytes<'a>(start: *const c_void, len: u64) -> &'a [u8] {
    // SAFETY: the caller guarantees it.
    unsafe { slice(start.cast(), len as u32) }
}

/// The descriptors that are pushed.
///
/// # Safety
/// The structs are valid.
unsafe fn writes_of(writes: &[WriteDescriptorSet<'_>]) -> Vec<Write> {
    // SAFETY: the caller guarantees it.
    writes.iter().map(|write| unsafe { Write::of(write) }).collect()
}

commands! {
    PFN_vkCmdBindPipeline(bind_point: PipelineBindPoint, pipeline: Pipeline);
    PFN_vkCmdSetViewport(first: u32, count: u32, viewports: *const Viewport [count]);
    PFN_vkCmdSetScissor(first: u32, count: u32, scissors: *const Rect2D [count]);
    PFN_vkCmdSetLineWidth(value: f32);
    PFN_vkCmdSetDepthBias(depth_bias_constant_factor: f32, depth_bias_clamp: f32, depth_bias_slope_factor: f32);
    PFN_vkCmdSetBlendConstants(constants: *const [f32; 4] => &*constants);
    PFN_vkCmdSetDepthBounds(min_depth_bounds: f32, max_depth_bounds: f32);
    PFN_vkCmdSetStencilCompareMask(face_mask: StencilFaceFlags, compare_mask: u32);
    PFN_vkCmdSetStencilWriteMask(face_mask: StencilFaceFlags, write_mask: u32);
    PFN_vkCmdSetStencilReference(face_mask: StencilFaceFlags, reference: u32);
    PFN_vkCmdBindDescriptorSets(
        bind_point: PipelineBindPoint, layout: PipelineLayout, first: u32, count: u32,
        sets: *const DescriptorSet => BoundSets { sets: slice(sets, count), offsets: slice(offsets, offset_count) },
        offset_count: u32 => (), offsets: *const u32 => (),
    );
    PFN_vkCmdBindIndexBuffer(buffer: Buffer, offset: DeviceSize, index_type: IndexType);
    PFN_vkCmdBindVertexBuffers(
        first: u32, count: u32,
        buffers: *const Buffer => VertexBuffers { buffers, offsets, sizes: null(), strides: null(), count },
        offsets: *const DeviceSize => (),
    );
    PFN_vkCmdDraw(vertex_count: u32, instance_count: u32, first_vertex: u32, first_instance: u32);
    PFN_vkCmdDrawIndexed(index_count: u32, instance_count: u32, first_index: u32, vertex_offset: i32, first_instance: u32);
    PFN_vkCmdDrawIndirect(buffer: Buffer, offset: DeviceSize, draw_count: u32, stride: u32);
    PFN_vkCmdDrawIndexedIndirect(buffer: Buffer, offset: DeviceSize, draw_count: u32, stride: u32);
    PFN_vkCmdDispatch(group_count_x: u32, group_count_y: u32, group_count_z: u32);
    PFN_vkCmdDispatchIndirect(buffer: Buffer, offset: DeviceSize);
    PFN_vkCmdCopyBuffer(src_buffer: Buffer, dst_buffer: Buffer, count: u32, regions: *const BufferCopy [count])
        then |record| record.copy(src_buffer, dst_buffer, slice(regions, count));
    PFN_vkCmdCopyImage(
        src_image: Image, src_image_layout: ImageLayout, dst_image: Image, dst_image_layout: ImageLayout, count: u32,
        regions: *const ImageCopy [count],
    );
    PFN_vkCmdBlitImage(
        src_image: Image, src_image_layout: ImageLayout, dst_image: Image, dst_image_layout: ImageLayout, count: u32,
        regions: *const ImageBlit [count], filter: Filter,
    );
    PFN_vkCmdCopyBufferToImage(
        src_buffer: Buffer, dst_image: Image, dst_image_layout: ImageLayout, count: u32,
        regions: *const BufferImageCopy [count],
    );
    PFN_vkCmdCopyImageToBuffer(
        src_image: Image, src_image_layout: ImageLayout, dst_buffer: Buffer, count: u32,
        regions: *const BufferImageCopy [count],
    );
    PFN_vkCmdUpdateBuffer(
        dst_buffer: Buffer, dst_offset: DeviceSize, size: DeviceSize, data: *const c_void => Bytes(bytes(data, size)),
    )
        then |record| record.update(dst_buffer, dst_offset, bytes(data, size));
    PFN_vkCmdFillBuffer(dst_buffer: Buffer, dst_offset: DeviceSize, size: DeviceSize, data: u32)
        then |record| record.effect(Effect::Fill { to: dst_buffer, offset: dst_offset, size, word: data });
    PFN_vkCmdClearColorImage(
        image: Image, image_layout: ImageLayout, color: *const ClearColorValue => &*color, count: u32,
        ranges: *const ImageSubresourceRange [count],
    );
    PFN_vkCmdClearDepthStencilImage(
        image: Image, image_layout: ImageLayout, depth_stencil: *const ClearDepthStencilValue => &*depth_stencil, count: u32,
        ranges: *const ImageSubresourceRange [count],
    );
    PFN_vkCmdClearAttachments(
        attachment_count: u32, attachments: *const ClearAttachment [attachment_count], rect_count: u32,
        rects: *const ClearRect [rect_count],
    );
    PFN_vkCmdResolveImage(
        src_image: Image, src_image_layout: ImageLayout, dst_image: Image, dst_image_layout: ImageLayout, count: u32,
        regions: *const ImageResolve [count],
    );
    PFN_vkCmdSetEvent(event: Event, stage_mask: PipelineStageFlags)
        then |record| record.effect(Effect::Event(event, true));
    PFN_vkCmdResetEvent(event: Event, stage_mask: PipelineStageFlags)
        then |record| record.effect(Effect::Event(event, false));
    PFN_vkCmdWaitEvents(
        event_count: u32, events: *const Event [event_count], src_stage_mask: PipelineStageFlags,
        dst_stage_mask: PipelineStageFlags, memory_barrier_count: u32,
        memory_barriers: *const MemoryBarrier<'_> [memory_barrier_count], buffer_memory_barrier_count: u32,
        buffer_memory_barriers: *const BufferMemoryBarrier<'_> [buffer_memory_barrier_count], image_memory_barrier_count: u32,
        image_memory_barriers: *const ImageMemoryBarrier<'_> [image_memory_barrier_count],
    );
    PFN_vkCmdPipelineBarrier(
        src_stage_mask: PipelineStageFlags, dst_stage_mask: PipelineStageFlags, dependency_flags: DependencyFlags,
        memory_barrier_count: u32, memory_barriers: *const MemoryBarrier<'_> [memory_barrier_count],
        buffer_memory_barrier_count: u32, buffer_memory_barriers: *const BufferMemoryBarrier<'_> [buffer_memory_barrier_count],
        image_memory_barrier_count: u32, image_memory_barriers: *const ImageMemoryBarrier<'_> [image_memory_barrier_count],
    );
    PFN_vkCmdBeginQuery(pool: QueryPool, query: u32, flags: QueryControlFlags);
    PFN_vkCmdEndQuery(pool: QueryPool, query: u32)
        then |record| record.end_query(pool, query);
    PFN_vkCmdResetQueryPool(pool: QueryPool, first: u32, query_count: u32)
        then |record| record.effect(Effect::Queries { pool, first, count: query_count, available: false });
    PFN_vkCmdWriteTimestamp(pipeline_stage: PipelineStageFlags, pool: QueryPool, query: u32)
        then |record| record.effect(Effect::Timestamp { pool, query });
    PFN_vkCmdCopyQueryPoolResults(
        pool: QueryPool, first: u32, query_count: u32, dst_buffer: Buffer, dst_offset: DeviceSize, stride: DeviceSize,
        flags: QueryResultFlags,
    )
        then |record| record.effect(Effect::Results {
            queries: (pool, first, query_count),
            to: dst_buffer,
            offset: dst_offset,
            stride,
            flags,
        });
    PFN_vkCmdPushConstants(
        layout: PipelineLayout, stages: ShaderStageFlags, offset: u32, size: u32,
        values: *const c_void => Bytes(bytes(values, size.into())),
    );
    PFN_vkCmdBeginRenderPass(begin: *const RenderPassBeginInfo<'_> => &*begin, contents: SubpassContents);
    PFN_vkCmdNextSubpass(value: SubpassContents);
    PFN_vkCmdEndRenderPass();
    PFN_vkCmdExecuteCommands(count: u32, buffers: *const CommandBuffer => ())
        then |record| record.execute(slice(buffers, count));
    PFN_vkCmdBindTransformFeedbackBuffersEXT(
        first: u32, count: u32,
        buffers: *const Buffer => VertexBuffers { buffers, offsets, sizes, strides: null(), count },
        offsets: *const DeviceSize => (), sizes: *const DeviceSize => (),
    );
    PFN_vkCmdBeginTransformFeedbackEXT(
        first: u32, count: u32, buffers: *const Buffer => Optional(buffers, count),
        offsets: *const DeviceSize => Optional(offsets, count),
    );
    PFN_vkCmdEndTransformFeedbackEXT(
        first: u32, count: u32, buffers: *const Buffer => Optional(buffers, count),
        offsets: *const DeviceSize => Optional(offsets, count),
    );
    PFN_vkCmdBeginQueryIndexedEXT(pool: QueryPool, query: u32, flags: QueryControlFlags, index: u32);
    PFN_vkCmdEndQueryIndexedEXT(pool: QueryPool, query: u32, index: u32)
        then |record| record.end_query(pool, query);
    PFN_vkCmdDrawIndirectByteCountEXT(
        instance_count: u32, first_instance: u32, counter_buffer: Buffer, counter_buffer_offset: DeviceSize,
        counter_offset: u32, vertex_stride: u32,
    );
    PFN_vkCmdDrawIndirectCount(
        buffer: Buffer, offset: DeviceSize, count_buffer: Buffer, count_buffer_offset: DeviceSize, max_draw_count: u32,
        stride: u32,
    );
    PFN_vkCmdDrawIndexedIndirectCount(
        buffer: Buffer, offset: DeviceSize, count_buffer: Buffer, count_buffer_offset: DeviceSize, max_draw_count: u32,
        stride: u32,
    );
    PFN_vkCmdBeginRendering(info: *const RenderingInfo<'_> => &*info);
    PFN_vkCmdEndRendering();
    PFN_vkCmdDispatchBase(
        base_group_x: u32, base_group_y: u32, base_group_z: u32, group_count_x: u32, group_count_y: u32, group_count_z: u32,
    );
    PFN_vkCmdPushDescriptorSetKHR(
        bind_point: PipelineBindPoint, layout: PipelineLayout, set: u32, count: u32 => (),
        writes: *const WriteDescriptorSet<'_> => Pushed { layout, set, writes: &writes_of(slice(writes, count)) },
    );
    PFN_vkCmdPushDescriptorSetWithTemplateKHR(
        template: DescriptorUpdateTemplate => PushedByTemplate { template, layout, set, data },
        layout: PipelineLayout => (), set: u32 => (), data: *const c_void => (),
    );
    PFN_vkCmdBeginConditionalRenderingEXT(info: *const ConditionalRenderingBeginInfoEXT<'_> => &*info);
    PFN_vkCmdEndConditionalRenderingEXT();
    PFN_vkCmdSetDiscardRectangleEXT(first: u32, count: u32, discard_rectangles: *const Rect2D [count]);
    PFN_vkCmdSetDiscardRectangleEnableEXT(value: Bool32);
    PFN_vkCmdSetDiscardRectangleModeEXT(value: DiscardRectangleModeEXT);
    PFN_vkCmdBeginRenderPass2(
        begin: *const RenderPassBeginInfo<'_> => &*begin, info: *const SubpassBeginInfo<'_> => &*info,
    );
    PFN_vkCmdNextSubpass2(
        begin: *const SubpassBeginInfo<'_> => &*begin, end: *const SubpassEndInfo<'_> => &*end,
    );
    PFN_vkCmdEndRenderPass2(info: *const SubpassEndInfo<'_> => &*info);
    PFN_vkCmdBeginDebugUtilsLabelEXT(info: *const DebugUtilsLabelEXT<'_> => &*info);
    PFN_vkCmdEndDebugUtilsLabelEXT();
    PFN_vkCmdInsertDebugUtilsLabelEXT(info: *const DebugUtilsLabelEXT<'_> => &*info);
    PFN_vkCmdSetLineStippleKHR(line_stipple_factor: u32, line_stipple_pattern: u16);
    PFN_vkCmdSetCullMode(value: CullModeFlags);
    PFN_vkCmdSetFrontFace(value: FrontFace);
    PFN_vkCmdSetPrimitiveTopology(value: PrimitiveTopology);
    PFN_vkCmdSetViewportWithCount(count: u32, viewports: *const Viewport [count]);
    PFN_vkCmdSetScissorWithCount(count: u32, scissors: *const Rect2D [count]);
    PFN_vkCmdBindVertexBuffers2(
        first: u32, count: u32, buffers: *const Buffer => VertexBuffers { buffers, offsets, sizes, strides, count },
        offsets: *const DeviceSize => (), sizes: *const DeviceSize => (), strides: *const DeviceSize => (),
    );
    PFN_vkCmdSetDepthTestEnable(value: Bool32);
    PFN_vkCmdSetDepthWriteEnable(value: Bool32);
    PFN_vkCmdSetDepthCompareOp(value: CompareOp);
    PFN_vkCmdSetDepthBoundsTestEnable(value: Bool32);
    PFN_vkCmdSetStencilTestEnable(value: Bool32);
    PFN_vkCmdSetStencilOp(
        face_mask: StencilFaceFlags, fail_op: StencilOp, pass_op: StencilOp, depth_fail_op: StencilOp, compare_op: CompareOp,
    );
    PFN_vkCmdSetEvent2(event: Event, info: *const DependencyInfo<'_> => &*info)
        then |record| record.effect(Effect::Event(event, true));
    PFN_vkCmdResetEvent2(event: Event, stage_mask: PipelineStageFlags2)
        then |record| record.effect(Effect::Event(event, false));
    PFN_vkCmdWaitEvents2(count: u32, events: *const Event [count], dependency_infos: *const DependencyInfo<'_> [count]);
    PFN_vkCmdPipelineBarrier2(info: *const DependencyInfo<'_> => &*info);
    PFN_vkCmdWriteTimestamp2(stage: PipelineStageFlags2, pool: QueryPool, query: u32)
        then |record| record.effect(Effect::Timestamp { pool, query });
    PFN_vkCmdCopyBuffer2(info: *const CopyBufferInfo2<'_> => &*info)
        then |record| record.copy2(&*info);
    PFN_vkCmdCopyImage2(info: *const CopyImageInfo2<'_> => &*info);
    PFN_vkCmdCopyBufferToImage2(info: *const CopyBufferToImageInfo2<'_> => &*info);
    PFN_vkCmdCopyImageToBuffer2(info: *const CopyImageToBufferInfo2<'_> => &*info);
    PFN_vkCmdBlitImage2(info: *const BlitImageInfo2<'_> => &*info);
    PFN_vkCmdResolveImage2(info: *const ResolveImageInfo2<'_> => &*info);
    PFN_vkCmdSetVertexInputEXT(
        bindings_count: u32, bindings: *const VertexInputBindingDescription2EXT<'_> [bindings_count], attributes_count: u32,
        attributes: *const VertexInputAttributeDescription2EXT<'_> [attributes_count],
    );
    PFN_vkCmdSetPatchControlPointsEXT(value: u32);
    PFN_vkCmdSetRasterizerDiscardEnable(value: Bool32);
    PFN_vkCmdSetDepthBiasEnable(value: Bool32);
    PFN_vkCmdSetLogicOpEXT(value: LogicOp);
    PFN_vkCmdSetPrimitiveRestartEnable(value: Bool32);
    PFN_vkCmdSetColorWriteEnableEXT(count: u32, enables: *const Bool32 [count]);
    PFN_vkCmdDrawMultiEXT(
        count: u32, draws: *const MultiDrawInfoEXT => Strided(draws, count, stride), instance_count: u32, first_instance: u32,
        stride: u32 => (),
    );
    PFN_vkCmdDrawMultiIndexedEXT(
        count: u32, draws: *const MultiDrawIndexedInfoEXT => Strided(draws, count, stride), instance_count: u32,
        first_instance: u32, stride: u32 => (), vertex_offset: *const i32,
    );
    PFN_vkCmdSetDepthClampEnableEXT(value: Bool32);
    PFN_vkCmdSetPolygonModeEXT(value: PolygonMode);
    PFN_vkCmdSetRasterizationSamplesEXT(value: SampleCountFlags);
    PFN_vkCmdSetSampleMaskEXT(samples: SampleCountFlags, mask: *const SampleMask => slice(mask, samples.as_raw().div_ceil(32)));
    PFN_vkCmdSetAlphaToCoverageEnableEXT(value: Bool32);
    PFN_vkCmdSetAlphaToOneEnableEXT(value: Bool32);
    PFN_vkCmdSetLogicOpEnableEXT(value: Bool32);
    PFN_vkCmdSetColorBlendEnableEXT(first: u32, count: u32, enables: *const Bool32 [count]);
    PFN_vkCmdSetColorBlendEquationEXT(first: u32, count: u32, equations: *const ColorBlendEquationEXT [count]);
    PFN_vkCmdSetColorWriteMaskEXT(first: u32, count: u32, masks: *const ColorComponentFlags [count]);
    PFN_vkCmdSetTessellationDomainOriginEXT(value: TessellationDomainOrigin);
    PFN_vkCmdSetRasterizationStreamEXT(value: u32);
    PFN_vkCmdSetConservativeRasterizationModeEXT(value: ConservativeRasterizationModeEXT);
    PFN_vkCmdSetExtraPrimitiveOverestimationSizeEXT(value: f32);
    PFN_vkCmdSetDepthClipEnableEXT(value: Bool32);
    PFN_vkCmdSetSampleLocationsEnableEXT(value: Bool32);
    PFN_vkCmdSetColorBlendAdvancedEXT(first: u32, count: u32, advanced: *const ColorBlendAdvancedEXT [count]);
    PFN_vkCmdSetProvokingVertexModeEXT(value: ProvokingVertexModeEXT);
    PFN_vkCmdSetLineRasterizationModeEXT(value: LineRasterizationModeEXT);
    PFN_vkCmdSetLineStippleEnableEXT(value: Bool32);
    PFN_vkCmdSetDepthClipNegativeOneToOneEXT(value: Bool32);
    PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT(value: ImageAspectFlags);
}
