// SPDX-License-Identifier: MIT

//! Vulkan objects that destroy themselves, and keep their device.
//!
//! An [`Owned`] keeps its device alive. Objects are destroyed before the objects that they depend on, because a struct lists an
//! object before the objects that it depends on, and locals are dropped in reverse order.

use super::Logical;
use ash::vk;
use std::ops::Deref;
use std::sync::Arc;

/// An object that belongs to a device.
pub(crate) trait Destroy: Copy {
    /// Destroys the object.
    ///
    /// # Safety
    /// The object belongs to `device`, and neither the device nor the host uses it any more.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! objects {
    ($($ty:ident $destroy:ident;)*) => {
        $(impl Destroy for vk::$ty {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: the caller meets the trait's requirements.
                unsafe { device.$destroy(self, None) }
            }
        })*
    };
}

objects! {
    Buffer destroy_buffer;
    BufferView destroy_buffer_view;
    CommandPool destroy_command_pool;
    DescriptorPool destroy_descriptor_pool;
    DescriptorSetLayout destroy_descriptor_set_layout;
    DeviceMemory free_memory;
    Fence destroy_fence;
    Framebuffer destroy_framebuffer;
    Image destroy_image;
    ImageView destroy_image_view;
    Pipeline destroy_pipeline;
    PipelineLayout destroy_pipeline_layout;
    DescriptorUpdateTemplate destroy_descriptor_update_template;
    PipelineCache destroy_pipeline_cache;
    QueryPool destroy_query_pool;
    Semaphore destroy_semaphore;
    RenderPass destroy_render_pass;
    Sampler destroy_sampler;
    ShaderModule destroy_shader_module;
}

/// An object that is destroyed when it goes out of scope.
pub(crate) struct Owned<H: Destroy> {
    device: Arc<Logical>,
    handle: H,
}

impl<H: Destroy> Owned<H> {
    /// Takes ownership of `handle`, which `device` created and which has no other owner.
    pub(crate) fn new(device: &Arc<Logical>, handle: H) -> Owned<H> {
        Owned { device: Arc::clone(device), handle }
    }
}

impl<H: Destroy> Deref for Owned<H> {
    type Target = H;

    fn deref(&self) -> &H {
        &self.handle
    }
}

impl<H: Destroy> Drop for Owned<H> {
    fn drop(&mut self) {
        if !self.device.is_lost() {
            // SAFETY: this is the only owner, the device created it, and every submission has ended before the objects that it
            // uses are dropped (see `submit`).
            unsafe { self.handle.destroy(&self.device.raw) }
        }
    }
}
