// SPDX-License-Identifier: MIT

//! The device's limits of uniform and storage buffers, with Vulkan's names.

/// A row of the table of limits.
#[derive(Clone, Copy)]
pub struct LimitInfo {
    /// Vulkan's name: a member of `VkPhysicalDeviceLimits`, or a feature.
    pub name: &'static str,
    /// Reads it.
    pub get: fn(&Limits) -> u32,
    /// Sets it.
    pub set: fn(&mut Limits, u32),
}

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident $name:literal $least:literal;)*) => {
        /// The limits of a device. The defaults are the minimum of Vulkan ("Required Limits").
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Limits { $($(#[$doc])* pub $field: u32,)* }

        impl Default for Limits {
            fn default() -> Limits {
                Limits { $($field: $least,)* }
            }
        }

        /// The table of limits, in the order of [`Limits`].
        pub const LIMITS: &[LimitInfo] = &[$(LimitInfo {
            name: $name,
            get: |limits| limits.$field,
            set: |limits, value| limits.$field = value,
        },)*];
    };
}

limits! {
    /// The most bytes of a uniform buffer range.
    max_uniform_buffer_range "maxUniformBufferRange" 16384;
    /// The most bytes of a storage buffer range.
    max_storage_buffer_range "maxStorageBufferRange" 134217728;
    /// The most uniform buffers of a stage.
    max_per_stage_descriptor_uniform_buffers "maxPerStageDescriptorUniformBuffers" 12;
    /// The most storage buffers of a stage.
    max_per_stage_descriptor_storage_buffers "maxPerStageDescriptorStorageBuffers" 4;
    /// The most uniform buffers in all sets of a pipeline.
    max_descriptor_set_uniform_buffers "maxDescriptorSetUniformBuffers" 72;
    /// The most storage buffers in all sets of a pipeline.
    max_descriptor_set_storage_buffers "maxDescriptorSetStorageBuffers" 24;
    /// Offsets of uniform buffers in bytes are multiples of this.
    min_uniform_buffer_offset_alignment "minUniformBufferOffsetAlignment" 256;
    /// Offsets of storage buffers in bytes are multiples of this.
    min_storage_buffer_offset_alignment "minStorageBufferOffsetAlignment" 256;
    /// The most bytes of push constants.
    max_push_constants_size "maxPushConstantsSize" 128;
    /// 1 if the device keeps accesses within bound ranges (Vulkan, "Robust Buffer Access"), otherwise 0.
    robust_buffer_access "robustBufferAccess" 0;
}

impl Limits {
    /// Sets the limit that Vulkan calls `name`; false if plans do not use it.
    pub fn set(&mut self, name: &str, value: u32) -> bool {
        let row = LIMITS.iter().find(|row| row.name == name);
        row.map(|row| (row.set)(self, value)).is_some()
    }
}
