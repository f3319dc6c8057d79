// SPDX-License-Identifier: MIT

//! Dynamic state: its commands, and its values in the command buffer.
//!
//! A handler gives its whole state, value by value. A command is recorded for each value that the command buffer does not have:
//!
//! ```text
//! blend 1 = { enabled, one, zero }    set_color_blend_enable, set_color_blend_equation, set_color_write_mask
//! blend 2 = { enabled, one, one }     set_color_blend_equation
//! ```
//!
//! In general no pipeline invalidates a value in the command buffer, because all of this state is dynamic in all pipelines. The
//! methods of [`Recorded`] name the exceptions.

use crate::context::batch::Batch;
use crate::context::bind::{MAX_VERTEX_BUFFERS, MAX_VIEWPORTS};
use crate::context::{BlendState, RtBlendState, StencilState, Viewport, MAX_COLORS};
use crate::device::{DynamicState, Logical};
use crate::pipeline::DynamicInput;
use ash::vk;
use std::sync::Arc;

/// Records state that a command buffer does not have.
pub(in crate::context) struct Recorder<'a> {
    device: &'a Logical,
    commands: vk::CommandBuffer,
    has: &'a mut Recorded,
    count: &'a mut u64,
}

impl<'a> Recorder<'a> {
    /// Records into `batch`, and counts the commands.
    pub(in crate::context) fn new(device: &'a Logical, batch: &'a mut Batch, count: &'a mut u64) -> Recorder<'a> {
        Recorder { device, commands: batch.commands, has: &mut batch.recorded, count }
    }

    fn takes(&self, state: DynamicState) -> bool {
        self.device.dynamic.has(state)
    }
}

macro_rules! values {
    ($(
        $(#[$doc:meta])*
        $name:ident: $value:ty $(, if $state:ident)? => |$device:ident, $commands:ident, $new:ident| $call:expr;
    )*) => {
        /// The dynamic state of a command buffer.
        #[derive(Default)]
        pub(crate) struct Recorded {
            $($name: Option<$value>,)*
            /// The blend state, and the number of colors for which it was recorded.
            blend: Option<(Arc<BlendState>, usize)>,
            /// The number of the vertex elements.
            vertex_input: Option<u32>,
            vertex_buffers: VertexBuffers,
            viewports: Vec<Viewport>,
            scissors: Vec<vk::Rect2D>,
        }

        impl Recorded {
            /// Called when a pipeline with a static number of samples is bound.
            pub(in crate::context) fn lose_samples(&mut self) {
                self.samples = None;
            }

            /// Called when a pipeline without colors is bound.
            pub(in crate::context) fn lose_blend(&mut self) {
                self.blend = None;
            }

            /// Called when a pipeline with static vertex input is bound.
            pub(in crate::context) fn lose_vertex_buffers(&mut self) {
                self.vertex_buffers = VertexBuffers::default();
            }
        }

        impl Recorder<'_> {
            $(values! { @method $(#[$doc])* $name: $value $(, if $state)? => |$device, $commands, $new| $call })*
        }
    };
    (@method $(#[$doc:meta])* $name:ident: $value:ty => |$device:ident, $commands:ident, $new:ident| $call:expr) => {
        $(#[$doc])*
        pub(in crate::context) fn $name(&mut self, $new: $value) {
            if self.has.$name == Some($new) {
                return;
            }
            self.has.$name = Some($new);
            let ($device, $commands) = (self.device, self.commands);
            // SAFETY: the buffer is recording, and every device has the command.
            unsafe { $call };
            *self.count += 1;
        }
    };
    (
        @method $(#[$doc:meta])*
        $name:ident: $value:ty, if $state:ident => |$device:ident, $commands:ident, $new:ident| $call:expr
    ) => {
        $(#[$doc])*
        ///
        /// Returns false if the state is not dynamic on the device: it is a part of the pipeline.
        pub(in crate::context) fn $name(&mut self, $new: $value) -> bool {
            let takes = self.takes(DynamicState::$state);
            if takes && self.has.$name != Some($new) {
                self.has.$name = Some($new);
                let ($device, $commands) = (self.device, self.commands);
                // SAFETY: the buffer is recording, and the device has the command.
                unsafe { $call };
                *self.count += 1;
            }
            takes
        }
    };
}

values! {
    /// The topology of primitives.
    topology: vk::PrimitiveTopology => |device, commands, topology| device.raw.cmd_set_primitive_topology(commands, topology);
    /// Whether the largest index restarts the primitive.
    restart: bool => |device, commands, on| device.raw.cmd_set_primitive_restart_enable(commands, on);
    /// The sides of triangles that are culled.
    cull_mode: vk::CullModeFlags => |device, commands, mode| device.raw.cmd_set_cull_mode(commands, mode);
    /// The winding of front faces.
    front_face: vk::FrontFace => |device, commands, face| device.raw.cmd_set_front_face(commands, face);
    /// Whether depths are biased.
    depth_bias_enable: bool => |device, commands, on| device.raw.cmd_set_depth_bias_enable(commands, on);
    /// Constant, clamp and slope.
    depth_bias: [f32; 3] => |device, commands, bias| device.raw.cmd_set_depth_bias(commands, bias[0], bias[1], bias[2]);
    /// Whether primitives are discarded before rasterization.
    rasterizer_discard: bool => |device, commands, on| device.raw.cmd_set_rasterizer_discard_enable(commands, on);
    /// The width of lines, which the device supports.
    line_width: f32 => |device, commands, width| device.raw.cmd_set_line_width(commands, width);
    /// Whether depths are tested.
    depth_test: bool => |device, commands, on| device.raw.cmd_set_depth_test_enable(commands, on);
    /// Whether depths are written.
    depth_write: bool => |device, commands, on| device.raw.cmd_set_depth_write_enable(commands, on);
    /// The comparison of the depth test.
    depth_compare: vk::CompareOp => |device, commands, op| device.raw.cmd_set_depth_compare_op(commands, op);
    /// Whether there is a depth bounds test.
    depth_bounds_test: bool => |device, commands, on| device.raw.cmd_set_depth_bounds_test_enable(commands, on);
    /// The bounds.
    depth_bounds: [f32; 2] => |device, commands, bounds| device.raw.cmd_set_depth_bounds(commands, bounds[0], bounds[1]);
    /// Whether there are stencil tests.
    stencil_test: bool => |device, commands, on| device.raw.cmd_set_stencil_test_enable(commands, on);
    /// The stencil test of front faces.
    stencil_op_front: StencilOp => |device, commands, op| op.record(device, commands, vk::StencilFaceFlags::FRONT);
    /// The stencil test of back faces.
    stencil_op_back: StencilOp => |device, commands, op| op.record(device, commands, vk::StencilFaceFlags::BACK);
    /// The mask of compared bits of front faces.
    stencil_compare_front: u32 => |device, commands, mask|
        device.raw.cmd_set_stencil_compare_mask(commands, vk::StencilFaceFlags::FRONT, mask);
    /// The mask of compared bits of back faces.
    stencil_compare_back: u32 => |device, commands, mask|
        device.raw.cmd_set_stencil_compare_mask(commands, vk::StencilFaceFlags::BACK, mask);
    /// The mask of written bits of front faces.
    stencil_write_front: u32 => |device, commands, mask|
        device.raw.cmd_set_stencil_write_mask(commands, vk::StencilFaceFlags::FRONT, mask);
    /// The mask of written bits of back faces.
    stencil_write_back: u32 => |device, commands, mask|
        device.raw.cmd_set_stencil_write_mask(commands, vk::StencilFaceFlags::BACK, mask);
    /// The reference of front faces.
    stencil_reference_front: u32 => |device, commands, reference|
        device.raw.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::FRONT, reference);
    /// The reference of back faces.
    stencil_reference_back: u32 => |device, commands, reference|
        device.raw.cmd_set_stencil_reference(commands, vk::StencilFaceFlags::BACK, reference);
    /// The blend constant.
    blend_constants: [f32; 4] => |device, commands, constants| device.raw.cmd_set_blend_constants(commands, &constants);
    /// Whether there is a logical operation.
    logic_op_enable: bool, if LogicOpEnable => |device, commands, on|
        device.functions.dynamic3.cmd_set_logic_op_enable(commands, on);
    /// The logical operation.
    logic_op: vk::LogicOp, if LogicOp => |device, commands, op| device.functions.dynamic2.cmd_set_logic_op(commands, op);
    /// Fill, lines or points.
    polygon_mode: vk::PolygonMode, if PolygonMode => |device, commands, mode|
        device.functions.dynamic3.cmd_set_polygon_mode(commands, mode);
    /// Whether depths are clamped.
    depth_clamp: bool, if DepthClamp => |device, commands, on|
        device.functions.dynamic3.cmd_set_depth_clamp_enable(commands, on);
    /// Whether primitives are clipped at the near and the far plane.
    depth_clip: bool, if DepthClip => |device, commands, on|
        device.functions.dynamic3.cmd_set_depth_clip_enable(commands, on);
    /// Whether clip space has GL's depth range.
    negative_one_to_one: bool, if NegativeOneToOne => |device, commands, on|
        device.functions.dynamic3.cmd_set_depth_clip_negative_one_to_one(commands, on);
    /// The provoking vertex of a primitive.
    provoking_vertex: vk::ProvokingVertexModeEXT, if ProvokingVertex => |device, commands, mode|
        device.functions.dynamic3.cmd_set_provoking_vertex_mode(commands, mode);
    /// The number of samples of a pixel.
    samples: vk::SampleCountFlags, if Samples => |device, commands, samples|
        device.functions.dynamic3.cmd_set_rasterization_samples(commands, samples);
    /// The mask of samples that may be written, with their number.
    sample_mask: (vk::SampleCountFlags, u32), if SampleMask => |device, commands, mask|
        device.functions.dynamic3.cmd_set_sample_mask(commands, mask.0, &[mask.1]);
    /// Whether alpha determines the coverage.
    alpha_to_coverage: bool, if AlphaToCoverage => |device, commands, on|
        device.functions.dynamic3.cmd_set_alpha_to_coverage_enable(commands, on);
    /// Whether alpha is replaced by 1.
    alpha_to_one: bool, if AlphaToOne => |device, commands, on|
        device.functions.dynamic3.cmd_set_alpha_to_one_enable(commands, on);
}

/// The comparison of a stencil test, and its operations: if it fails, if the depth test fails, and if both pass.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::context) struct StencilOp {
    func: vk::CompareOp,
    fail_op: vk::StencilOp,
    zfail_op: vk::StencilOp,
    zpass_op: vk::StencilOp,
}

impl From<StencilState> for StencilOp {
    fn from(state: StencilState) -> StencilOp {
        let StencilState { func, fail_op, zfail_op, zpass_op, .. } = state;
        StencilOp { func, fail_op, zfail_op, zpass_op }
    }
}

impl StencilOp {
    /// # Safety
    /// The buffer is recording.
    unsafe fn record(self, device: &Logical, commands: vk::CommandBuffer, face: vk::StencilFaceFlags) {
        let StencilOp { func, fail_op, zfail_op, zpass_op } = self;
        // SAFETY: the caller guarantees it.
        unsafe { device.raw.cmd_set_stencil_op(commands, face, fail_op, zpass_op, zfail_op, func) }
    }
}

/// States of several elements.
impl Recorder<'_> {
    /// The blending of `colors` colors, at least one. Returns false if a part of it is not dynamic on the device.
    pub(super) fn blend(&mut self, state: &Arc<BlendState>, colors: usize) -> bool {
        let functions = &self.device.functions.dynamic3;
        let before = self.has.blend.take().filter(|(_, count)| *count == colors);
        let differs = |differ: fn(&RtBlendState, &RtBlendState) -> bool| {
            let before = before.as_ref().map(|(before, _)| before);
            before.is_none_or(|before| (0..colors).any(|color| differ(before.row(color), state.row(color))))
        };
        let has_states = [DynamicState::BlendEnable, DynamicState::BlendEquation, DynamicState::WriteMask];
        let [has_enable, has_equation, has_mask] = has_states.map(|state| self.takes(state));
        if has_enable && differs(|one, other| one.blend_enable != other.blend_enable) {
            let enables = rows(state, |row| vk::Bool32::from(row.blend_enable));
            // SAFETY: the buffer is recording, and the device has the command.
            unsafe { functions.cmd_set_color_blend_enable(self.commands, 0, &enables[..colors]) };
            *self.count += 1;
        }
        if has_equation && differs(|one, other| (one.rgb, one.alpha) != (other.rgb, other.alpha)) {
            let equations = rows(state, equation);
            // SAFETY: as above.
            unsafe { functions.cmd_set_color_blend_equation(self.commands, 0, &equations[..colors]) };
            *self.count += 1;
        }
        if has_mask && differs(|one, other| one.colormask != other.colormask) {
            let masks = rows(state, |row| row.colormask);
            // SAFETY: as above.
            unsafe { functions.cmd_set_color_write_mask(self.commands, 0, &masks[..colors]) };
            *self.count += 1;
        }
        self.has.blend = Some((Arc::clone(state), colors));
        has_enable && has_equation && has_mask
    }

    /// The vertex input: the vertex elements with this number. Returns false if it is not dynamic on the device.
    pub(super) fn vertex_input(&mut self, number: u32, input: &DynamicInput) -> bool {
        let takes = self.takes(DynamicState::VertexInput);
        if takes && self.has.vertex_input != Some(number) {
            self.has.vertex_input = Some(number);
            let functions = &self.device.functions.vertex_input;
            // SAFETY: the buffer is recording, and the device has the command; bindings and Locations are distinct.
            unsafe { functions.cmd_set_vertex_input(self.commands, &input.bindings, &input.attributes) };
            *self.count += 1;
        }
        takes
    }

    /// A vertex buffer with its offset, and its stride if the vertex input does not have it.
    /// [`bind_vertex_buffers`](Recorder::bind_vertex_buffers) binds it.
    pub(super) fn vertex_buffer(&mut self, number: u32, buffer: vk::Buffer, offset: u64, stride: u32) {
        let (has, at) = (&mut self.has.vertex_buffers, number as usize);
        let value = (buffer, offset, u64::from(stride));
        if has.there >> number & 1 == 0 || (has.handles[at], has.offsets[at], has.strides[at]) != value {
            (has.handles[at], has.offsets[at], has.strides[at]) = value;
            has.there |= 1 << number;
            has.changed |= 1 << number;
        }
    }

    /// Binds the vertex buffers that have changed, with one command for each consecutive range.
    pub(super) fn bind_vertex_buffers(&mut self, has_strides: bool) {
        let has = &mut self.has.vertex_buffers;
        while has.changed != 0 {
            let first = has.changed.trailing_zeros();
            let run = first as usize..(first + (has.changed >> first).trailing_ones()) as usize;
            has.changed &= has.changed.wrapping_add(1 << first);
            let (handles, offsets) = (&has.handles[run.clone()], &has.offsets[run.clone()]);
            let strides = has_strides.then_some(&has.strides[run]);
            let (raw, commands) = (&self.device.raw, self.commands);
            // SAFETY: the buffer is recording; the batch keeps the vertex buffers, and their offsets lie within them.
            unsafe {
                match strides {
                    Some(_) => raw.cmd_bind_vertex_buffers2(commands, first, handles, offsets, None, strides),
                    None => raw.cmd_bind_vertex_buffers(commands, first, handles, offsets),
                }
            }
            *self.count += 1;
        }
    }

    /// The viewports, at least one.
    pub(super) fn viewports(&mut self, viewports: &[Viewport]) {
        if self.has.viewports != viewports {
            self.has.viewports.clear();
            self.has.viewports.extend_from_slice(viewports);
            let mut raw = [vk::Viewport::default(); MAX_VIEWPORTS];
            raw.iter_mut().zip(viewports).for_each(|(raw, viewport)| *raw = raw_viewport(viewport));
            let raw = &raw[..viewports.len()];
            // SAFETY: the buffer is recording; there are no more viewports than the device has.
            unsafe { self.device.raw.cmd_set_viewport_with_count(self.commands, raw) };
            *self.count += 1;
        }
    }

    /// The scissors, one for each viewport. Their offsets are not negative.
    pub(super) fn scissors(&mut self, scissors: &[vk::Rect2D]) {
        if self.has.scissors != scissors {
            self.has.scissors.clear();
            self.has.scissors.extend_from_slice(scissors);
            // SAFETY: the buffer is recording; there are no more scissors than the device has.
            unsafe { self.device.raw.cmd_set_scissor_with_count(self.commands, scissors) };
            *self.count += 1;
        }
    }
}

/// Vertex buffers with their offsets, and their strides if the vertex input does not have them.
#[derive(Default)]
struct VertexBuffers {
    /// The mask of the buffers that exist.
    there: u32,
    /// The mask of the buffers to bind.
    changed: u32,
    handles: [vk::Buffer; MAX_VERTEX_BUFFERS],
    offsets: [u64; MAX_VERTEX_BUFFERS],
    strides: [u64; MAX_VERTEX_BUFFERS],
}

fn raw_viewport(viewport: &Viewport) -> vk::Viewport {
    let [x, y, width, height] = viewport.rect;
    let [min_depth, max_depth] = viewport.depth;
    // Vulkan has no viewports of width 0; the scissor is empty then.
    let width = if width > 0.0 { width } else { 1.0 };
    vk::Viewport { x, y, width, height, min_depth, max_depth }
}

/// The results of `of` for the row of each color.
fn rows<T>(state: &BlendState, of: impl Fn(&RtBlendState) -> T) -> [T; MAX_COLORS] {
    std::array::from_fn(|color| of(state.row(color)))
}

fn equation(row: &RtBlendState) -> vk::ColorBlendEquationEXT {
    vk::ColorBlendEquationEXT {
        src_color_blend_factor: row.rgb.1,
        dst_color_blend_factor: row.rgb.2,
        color_blend_op: row.rgb.0,
        src_alpha_blend_factor: row.alpha.1,
        dst_alpha_blend_factor: row.alpha.2,
        alpha_blend_op: row.alpha.0,
    }
}
