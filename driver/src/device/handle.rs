//! Vulkan objects that destroy themselves, and the device behind them.
//!
//! An [`Owned`] keeps its device alive. Objects are destroyed in the reverse order of need because a struct that needs
//! another lists it later, and locals are dropped last first.

use super::Logical;
use ash::vk;
use std::ops::Deref;
use std::sync::Arc;

/// An object of a device.
pub(crate) trait Destroy: Copy {
    /// Destroys the object.
    ///
    /// # Safety
    /// It belongs to `device`, and neither the device nor the host uses it any more.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! objects {
    ($($ty:ident $destroy:ident;)*) => {
        $(impl Destroy for vk::$ty {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: as the trait asks of the caller.
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
    /// Takes over `handle`, which was made by `device` and has no other owner.
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
            // SAFETY: this is the only owner, the device made it, and every submission is waited for before the objects
            // that it uses go out of scope (see `submit`).
            unsafe { self.handle.destroy(&self.device.raw) }
        }
    }
}
