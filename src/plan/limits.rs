//! What a device takes of uniform and storage buffers, by Vulkan's names.

/// A row of the table of limits.
#[derive(Clone, Copy)]
pub struct LimitInfo {
    /// Vulkan's name: of `VkPhysicalDeviceLimits`, or of a feature.
    pub name: &'static str,
    /// Reads it.
    pub get: fn(&Limits) -> u32,
    /// Sets it.
    pub set: fn(&mut Limits, u32),
}

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident $name:literal $least:literal;)*) => {
        /// What a device takes. The default is the least that Vulkan asks of every device ("Required Limits").
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
    /// Bytes of a uniform buffer's range.
    max_uniform_buffer_range "maxUniformBufferRange" 16384;
    /// Bytes of a storage buffer's range.
    max_storage_buffer_range "maxStorageBufferRange" 134217728;
    /// Uniform buffers of one stage.
    max_per_stage_descriptor_uniform_buffers "maxPerStageDescriptorUniformBuffers" 12;
    /// Storage buffers of one stage.
    max_per_stage_descriptor_storage_buffers "maxPerStageDescriptorStorageBuffers" 4;
    /// Uniform buffers of all sets of a pipeline.
    max_descriptor_set_uniform_buffers "maxDescriptorSetUniformBuffers" 72;
    /// Storage buffers of all sets of a pipeline.
    max_descriptor_set_storage_buffers "maxDescriptorSetStorageBuffers" 24;
    /// Offsets of uniform buffers in bytes are multiples of this.
    min_uniform_buffer_offset_alignment "minUniformBufferOffsetAlignment" 256;
    /// Offsets of storage buffers in bytes are multiples of this.
    min_storage_buffer_offset_alignment "minStorageBufferOffsetAlignment" 256;
    /// Bytes of push constants.
    max_push_constants_size "maxPushConstantsSize" 128;
    /// 1 if the device keeps accesses within what is bound (Vulkan, "Robust Buffer Access"), 0 if not.
    robust_buffer_access "robustBufferAccess" 0;
}

impl Limits {
    /// Sets the limit that Vulkan calls `name`; false if the plan depends on no such limit.
    pub fn set(&mut self, name: &str, value: u32) -> bool {
        let row = LIMITS.iter().find(|row| row.name == name);
        row.map(|row| (row.set)(self, value)).is_some()
    }
}
