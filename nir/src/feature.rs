// SPDX-License-Identifier: MIT

//! The optional features of drivers, by Vulkan's names, and the Vulkan versions that have them.
//!
//! Features have Vulkan's names (`shaderFloat64`), so a name in a message can be found in the specification.

/// A Vulkan version, major and minor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u8, pub u8);

#[doc(hidden)]
pub const V1_0: Version = Version(1, 0);
#[doc(hidden)]
pub const V1_1: Version = Version(1, 1);
#[doc(hidden)]
pub const V1_2: Version = Version(1, 2);
#[doc(hidden)]
pub const V1_3: Version = Version(1, 3);
#[doc(hidden)]
pub const V1_4: Version = Version(1, 4);

/// A row of the feature table.
#[derive(Clone, Copy, Debug)]
pub struct FeatureInfo {
    /// Vulkan's name.
    pub name: &'static str,
    /// The first preset that has the feature; `None` if it must be requested.
    pub since: Option<Version>,
    /// Its documentation, with a space before it.
    doc: &'static str,
}

impl FeatureInfo {
    /// What the feature is, in a sentence.
    pub fn about(&self) -> &'static str {
        self.doc.trim_start()
    }
}

macro_rules! features {
    ($($(#[doc = $doc:literal])* $name:ident $since:expr;)*) => {
        /// An optional feature of a driver, by Vulkan's name.
        #[non_exhaustive]
        #[allow(non_camel_case_types)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Feature { $($(#[doc = $doc])* $name,)* }

        impl Feature {
            /// All features, in table order.
            pub const ALL: &'static [Feature] = &[$(Feature::$name),*];
        }

        /// The feature table, in the order of [`Feature`].
        pub const FEATURES: &[FeatureInfo] = &[$(FeatureInfo {
            name: stringify!($name),
            since: $since,
            doc: concat!($($doc),*),
        },)*];
    };
}

features! {
    /// 64-bit integers.
    shaderInt64 Some(V1_0);
    /// 16-bit integers.
    shaderInt16 Some(V1_0);
    /// 8-bit integers.
    shaderInt8 Some(V1_1);
    /// 16-bit floats.
    shaderFloat16 Some(V1_1);
    /// 64-bit floats.
    shaderFloat64 Some(V1_0);
    /// 8-bit members of storage blocks.
    storageBuffer8BitAccess Some(V1_1);
    /// 16-bit members of storage blocks.
    storageBuffer16BitAccess Some(V1_1);
    /// 16-bit inputs and outputs.
    storageInputOutput16 Some(V1_1);
    /// Geometry shaders.
    geometryShader Some(V1_0);
    /// Tessellation shaders.
    tessellationShader Some(V1_0);
    /// PointSize outputs of tessellation and geometry shaders.
    shaderTessellationAndGeometryPointSize Some(V1_0);
    /// Mesh shaders, whose outputs for primitives fragment shaders read. Requires SPIR-V 1.4.
    meshShader Some(V1_2);
    /// Transform feedback.
    transformFeedback Some(V1_0);
    /// Geometry streams other than 0.
    geometryStreams Some(V1_0);
    /// Fragment shaders that run per sample.
    sampleRateShading Some(V1_0);
    /// ClipDistance outputs.
    shaderClipDistance Some(V1_0);
    /// CullDistance outputs.
    shaderCullDistance Some(V1_0);
    /// ViewportIndex and Layer outputs of geometry shaders.
    multiViewport Some(V1_0);
    /// ViewportIndex output before the geometry stage.
    shaderOutputViewportIndex Some(V1_1);
    /// Layer output before the geometry stage.
    shaderOutputLayer Some(V1_1);
    /// Stencil references from fragment shaders, an extension without a feature of its own.
    VK_EXT_shader_stencil_export Some(V1_0);
    /// The sample mask after depth and stencil tests, an extension without a feature of its own.
    VK_EXT_post_depth_coverage Some(V1_0);
    /// Derivatives in compute shaders, over two by two invocations.
    computeDerivativeGroupQuads Some(V1_0);
    /// Derivatives in compute shaders, over four invocations in a row.
    computeDerivativeGroupLinear Some(V1_0);
    /// Dynamically uniform index into an array of uniform buffers.
    shaderUniformBufferArrayDynamicIndexing Some(V1_0);
    /// Dynamically uniform index into an array of storage buffers.
    shaderStorageBufferArrayDynamicIndexing Some(V1_0);
    /// Any index into an array of uniform buffers.
    shaderUniformBufferArrayNonUniformIndexing Some(V1_1);
    /// Any index into an array of storage buffers.
    shaderStorageBufferArrayNonUniformIndexing Some(V1_1);
    /// DrawIndex, BaseVertex and BaseInstance.
    shaderDrawParameters Some(V1_0);
    /// ViewIndex.
    multiview Some(V1_0);
    /// Votes over a subgroup.
    subgroupVote Some(V1_1);
    /// Ballots and broadcasts.
    subgroupBallot Some(V1_1);
    /// Each invocation can read the value of any other.
    subgroupShuffle Some(V1_1);
    /// Reductions and scans.
    subgroupArithmetic Some(V1_1);
    /// Each invocation reads a value at a distance from itself.
    subgroupShuffleRelative Some(V1_1);
    /// Reductions over clusters of a subgroup.
    subgroupClustered Some(V1_1);
    /// Operations on quads.
    subgroupQuad Some(V1_1);
    /// Broadcasts from an invocation that is not constant.
    subgroupBroadcastDynamicId Some(V1_2);
    /// Subgroup operations on 8-, 16- and 64-bit integers and 16-bit floats.
    shaderSubgroupExtendedTypes Some(V1_2);
    /// OpGroupNonUniformRotateKHR.
    shaderSubgroupRotate Some(V1_4);
    /// OpGroupNonUniformRotateKHR within clusters.
    shaderSubgroupRotateClustered Some(V1_4);
    /// Critical sections of a pixel.
    fragmentShaderPixelInterlock Some(V1_0);
    /// Critical sections of a sample.
    fragmentShaderSampleInterlock Some(V1_0);
    /// OpDemoteToHelperInvocation.
    shaderDemoteToHelperInvocation Some(V1_0);
    /// OpTerminateInvocation.
    shaderTerminateInvocation Some(V1_3);
    /// Clock of a subgroup.
    shaderSubgroupClock Some(V1_0);
    /// Clock of the device.
    shaderDeviceClock Some(V1_0);
    /// 64-bit atomics on buffers.
    shaderBufferInt64Atomics Some(V1_1);
    /// 64-bit atomics on shared memory.
    shaderSharedInt64Atomics Some(V1_1);
    /// OpAtomicFAddEXT on 32-bit floats in buffers.
    shaderBufferFloat32AtomicAdd Some(V1_0);
    /// OpAtomicFAddEXT on 32-bit floats in shared memory.
    shaderSharedFloat32AtomicAdd Some(V1_0);
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 32-bit floats in buffers.
    shaderBufferFloat32AtomicMinMax Some(V1_0);
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 32-bit floats in shared memory.
    shaderSharedFloat32AtomicMinMax Some(V1_0);
    /// OpAtomicFAddEXT on 16-bit floats in buffers.
    shaderBufferFloat16AtomicAdd None;
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 16-bit floats in buffers.
    shaderBufferFloat16AtomicMinMax None;
    /// OpAtomicFAddEXT on 64-bit floats in buffers.
    shaderBufferFloat64AtomicAdd None;
    /// OpAtomicFAddEXT on 64-bit floats in shared memory.
    shaderSharedFloat64AtomicAdd None;
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 64-bit floats in buffers.
    shaderBufferFloat64AtomicMinMax None;
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 64-bit floats in shared memory.
    shaderSharedFloat64AtomicMinMax None;
    /// Addresses of buffers.
    bufferDeviceAddress Some(V1_2);
    /// Coarse and fine derivatives (every device of Vulkan 1.0 has them; tests of the alternative switch this off).
    derivativeControl Some(V1_0);
    /// Arrays of cubes.
    imageCubeArray Some(V1_0);
    /// Gathers with offsets that are not constant, or with four of them.
    shaderImageGatherExtended Some(V1_0);
    /// A minimum level of detail for sampling.
    shaderResourceMinLod Some(V1_0);
    /// Residency codes of sparse textures and images.
    shaderResourceResidency Some(V1_0);
    /// Storage images of formats that not every device has.
    shaderStorageImageExtendedFormats Some(V1_0);
    /// Multisample storage images.
    shaderStorageImageMultisample Some(V1_0);
    /// Reads of storage images of any format.
    shaderStorageImageReadWithoutFormat Some(V1_0);
    /// Writes to storage images of any format.
    shaderStorageImageWriteWithoutFormat Some(V1_0);
    /// Dynamically uniform index into an array of textures.
    shaderSampledImageArrayDynamicIndexing Some(V1_0);
    /// Dynamically uniform index into an array of storage images.
    shaderStorageImageArrayDynamicIndexing Some(V1_0);
    /// Dynamically uniform index into an array of texel buffers.
    shaderUniformTexelBufferArrayDynamicIndexing Some(V1_1);
    /// Dynamically uniform index into an array of storage texel buffers.
    shaderStorageTexelBufferArrayDynamicIndexing Some(V1_1);
    /// Any index into an array of textures.
    shaderSampledImageArrayNonUniformIndexing Some(V1_1);
    /// Any index into an array of storage images.
    shaderStorageImageArrayNonUniformIndexing Some(V1_1);
    /// Any index into an array of texel buffers.
    shaderUniformTexelBufferArrayNonUniformIndexing Some(V1_1);
    /// Any index into an array of storage texel buffers.
    shaderStorageTexelBufferArrayNonUniformIndexing Some(V1_1);
    /// Images of 64-bit integers and atomics on them.
    shaderImageInt64Atomics Some(V1_1);
    /// Exchange of 32-bit floats in images.
    shaderImageFloat32Atomics Some(V1_0);
    /// OpAtomicFAddEXT on 32-bit floats in images.
    shaderImageFloat32AtomicAdd Some(V1_0);
    /// OpAtomicFMinEXT and OpAtomicFMaxEXT on 32-bit floats in images.
    shaderImageFloat32AtomicMinMax Some(V1_0);
    /// The Vulkan memory model.
    vulkanMemoryModel Some(V1_4);
    /// Device scope in the Vulkan memory model.
    vulkanMemoryModelDeviceScope Some(V1_4);
    /// Uniform blocks with the alignments of storage blocks: strides of arrays need not be multiples of 16.
    uniformBufferStandardLayout Some(V1_4);
    /// Blocks of all kinds with the alignments of scalars.
    scalarBlockLayout Some(V1_4);
    /// Workgroup variables with an explicit layout.
    workgroupMemoryExplicitLayout None;
    /// 8-bit members of such variables.
    workgroupMemoryExplicitLayout8BitAccess None;
    /// 16-bit members of such variables.
    workgroupMemoryExplicitLayout16BitAccess None;
    /// 16-bit floats: denormals are kept on request.
    shaderDenormPreserveFloat16 None;
    /// 32-bit floats: denormals are kept on request.
    shaderDenormPreserveFloat32 None;
    /// 64-bit floats: denormals are kept on request.
    shaderDenormPreserveFloat64 None;
    /// 16-bit floats: denormals are flushed to zero on request.
    shaderDenormFlushToZeroFloat16 None;
    /// 32-bit floats: denormals are flushed to zero on request.
    shaderDenormFlushToZeroFloat32 None;
    /// 64-bit floats: denormals are flushed to zero on request.
    shaderDenormFlushToZeroFloat64 None;
    /// 16-bit floats: signed zeros, infinities and NaNs are kept on request.
    shaderSignedZeroInfNanPreserveFloat16 None;
    /// 32-bit floats: signed zeros, infinities and NaNs are kept on request.
    shaderSignedZeroInfNanPreserveFloat32 None;
    /// 64-bit floats: signed zeros, infinities and NaNs are kept on request.
    shaderSignedZeroInfNanPreserveFloat64 None;
    /// 16-bit floats: rounding to nearest even on request.
    shaderRoundingModeRTEFloat16 Some(V1_2);
    /// 32-bit floats: rounding to nearest even on request.
    shaderRoundingModeRTEFloat32 Some(V1_2);
    /// 64-bit floats: rounding to nearest even on request.
    shaderRoundingModeRTEFloat64 Some(V1_2);
    /// 16-bit floats: rounding towards zero on request.
    shaderRoundingModeRTZFloat16 None;
    /// 32-bit floats: rounding towards zero on request.
    shaderRoundingModeRTZFloat32 None;
    /// 64-bit floats: rounding towards zero on request.
    shaderRoundingModeRTZFloat64 None;
    /// Widths of floats may treat denormals differently (`VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL`).
    denormBehaviorIndependenceAll None;
    /// 32-bit floats may treat denormals unlike the others (`VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY`).
    denormBehaviorIndependence32BitOnly None;
    /// Widths of floats may round differently (`VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL`).
    roundingModeIndependenceAll None;
    /// 32-bit floats may round unlike the others (`VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY`).
    roundingModeIndependence32BitOnly None;
    /// Stores and atomics on buffers and images in vertex, tessellation and geometry shaders.
    vertexPipelineStoresAndAtomics Some(V1_0);
    /// Stores and atomics on buffers and images in fragment shaders.
    fragmentStoresAndAtomics Some(V1_0);
    /// Dynamically uniform index into an array of input attachments.
    shaderInputAttachmentArrayDynamicIndexing Some(V1_1);
    /// Any index into an array of input attachments.
    shaderInputAttachmentArrayNonUniformIndexing Some(V1_1);
    /// 8-bit members of uniform blocks.
    uniformAndStorageBuffer8BitAccess Some(V1_1);
    /// 16-bit members of uniform blocks.
    uniformAndStorageBuffer16BitAccess Some(V1_1);
    /// 8-bit members of push constants.
    storagePushConstant8 Some(V1_1);
    /// 16-bit members of push constants.
    storagePushConstant16 Some(V1_1);
    /// An output may have more components than the input that reads it.
    maintenance4 Some(V1_3);
    /// Fast math is allowed by instruction.
    shaderFloatControls2 Some(V1_4);
    /// Task shaders. Requires SPIR-V 1.4.
    taskShader Some(V1_2);
}

impl Feature {
    /// The row of this feature.
    pub fn info(self) -> &'static FeatureInfo {
        &FEATURES[self as usize]
    }

    /// The name of this feature in Vulkan.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The feature with Vulkan's name `name`.
    pub fn from_name(name: &str) -> Option<Feature> {
        Feature::ALL.iter().copied().find(|f| f.name() == name)
    }
}
