// SPDX-License-Identifier: MIT

//! The words that C's nir_to_spirv made of a shader of the corpus, and ntv's words of the same NIR, as a device compiles them.

use super::memory_model;
use super::partners;
use super::subject::Subject;
use anyhow::Result;
use ntv::module::{Binding, ShaderStage};
use ntv::target::{Feature, Target};
use ntv::{EmitOptions, Options, Translator};
use ntv_benches::twins::Twin;
use ntv_driver::headless::{Compiled, Device};
use spirv::{Capability, Op};

/// Both modules of a shader.
pub(crate) struct Pair {
    pub(crate) stage: ShaderStage,
    pub(crate) theirs: Vec<u32>,
    /// Or the error of the translation.
    pub(crate) ours: Result<Vec<u32>, String>,
    /// The descriptors of both.
    bindings: Vec<Binding>,
    /// The shaders before it.
    before: Vec<Words>,
    /// The shader after a tessellation control shader.
    after: Option<Words>,
}

/// Whether a device can compare the modules of a shader.
pub(crate) enum Pairing {
    Both(Pair),
    /// It cannot, for this reason.
    LeftOut(ShaderStage, String),
}

impl Pair {
    /// The modules of a shader for a device.
    pub(crate) fn of(device: &Device, twin: &Twin) -> Result<Pairing> {
        let mut theirs = twin.words()?;
        let reflection = ntv::import::reflect(&theirs)?;
        let (stage, mut bindings) = (reflection.stage, reflection.bindings);
        let target = target(device);
        if let Some(why) = left_out(&theirs, &target) {
            return Ok(Pairing::LeftOut(stage, why));
        }
        if !target.has(Feature::vulkanMemoryModel) {
            memory_model::remove(&mut theirs);
        }
        let mut translator = Translator::new(Options::default().target(target));
        let ours = translator.translate(&mut twin.shader()?, &EmitOptions::default());
        let ours = ours.map(|module| module.words).map_err(|error| error.to_string());
        if let Ok(words) = &ours {
            merge(&mut bindings, ntv::import::reflect(words)?.bindings);
        }
        let (before, after) = around(stage, &theirs)?;
        Ok(Pairing::Both(Pair { stage, theirs, ours, bindings, before, after }))
    }

    /// Compiles one of the modules.
    pub(crate) fn compile(&self, device: &Device, words: &[u32]) -> Result<Compiled> {
        let modules: Vec<&[u32]> =
            self.before.iter().map(Vec::as_slice).chain([words]).chain(self.after.as_deref()).collect();
        Ok(device.compile(&modules, &self.bindings)?)
    }
}

type Words = Vec<u32>;

/// The shaders before a module in a pipeline, and the one after it.
fn around(stage: ShaderStage, words: &[u32]) -> Result<(Vec<Words>, Option<Words>)> {
    if !matches!(stage, ShaderStage::Geometry | ShaderStage::TessCtrl | ShaderStage::TessEval) {
        return Ok((Vec::new(), None));
    }
    let module = load(words)?;
    let subject = Subject::new(&module);
    if stage == ShaderStage::TessEval {
        let control = partners::control(&subject)?;
        let vertex = partners::vertex(&Subject::new(&load(&control)?), true)?;
        return Ok((vec![vertex, control], None));
    }
    let after = (stage == ShaderStage::TessCtrl).then(|| partners::evaluation(&subject)).transpose()?;
    Ok((vec![partners::vertex(&subject, true)?], after))
}

fn load(words: &[u32]) -> Result<rspirv::dr::Module> {
    rspirv::dr::load_words(words).map_err(|error| anyhow::anyhow!("rspirv: {error}"))
}

/// Features that zink does not enable, even if the device has them (`ffi/mesa/zink_ntvr_target.c`).
const UNUSED: &[Feature] = &[
    Feature::shaderFloatControls2,
    Feature::shaderBufferFloat32AtomicMinMax,
    Feature::shaderSharedFloat32AtomicMinMax,
    Feature::shaderImageFloat32AtomicMinMax,
    Feature::meshShader,
];

/// What the NIR of a device without the feature does not have: zink tells Mesa to lower it before, or that shaders cannot use it.
const NEEDED: &[(Capability, Feature)] = &[
    (Capability::Float16, Feature::shaderFloat16),
    (Capability::Float64, Feature::shaderFloat64),
    (Capability::Int8, Feature::shaderInt8),
    (Capability::Int16, Feature::shaderInt16),
    (Capability::Int64, Feature::shaderInt64),
    (Capability::Int64Atomics, Feature::shaderSharedInt64Atomics),
    (Capability::Int64Atomics, Feature::shaderBufferInt64Atomics),
    (Capability::ComputeDerivativeGroupQuadsKHR, Feature::computeDerivativeGroupQuads),
    (Capability::ComputeDerivativeGroupLinearKHR, Feature::computeDerivativeGroupLinear),
    (Capability::Geometry, Feature::geometryShader),
    (Capability::Tessellation, Feature::tessellationShader),
    (Capability::ShaderClockKHR, Feature::shaderSubgroupClock),
    (Capability::ClipDistance, Feature::shaderClipDistance),
    (Capability::CullDistance, Feature::shaderCullDistance),
    (Capability::DemoteToHelperInvocation, Feature::shaderDemoteToHelperInvocation),
    (Capability::StorageImageWriteWithoutFormat, Feature::shaderStorageImageWriteWithoutFormat),
    (Capability::AtomicFloat32AddEXT, Feature::shaderSharedFloat32AtomicAdd),
    (Capability::AtomicFloat32AddEXT, Feature::shaderBufferFloat32AtomicAdd),
];

/// The reason why the module is not compared. Capabilities are the first instructions of a module.
fn left_out(words: &[u32], target: &Target) -> Option<String> {
    let start = 2 << 16 | Op::Capability as u32;
    let declares = |wanted: Capability| {
        let mut capabilities = words[5..].chunks(2).take_while(|inst| inst[0] == start);
        capabilities.any(|inst| inst[1] == wanted as u32)
    };
    if declares(Capability::TransformFeedback) {
        // The captures are not in the dump.
        return Some("the module captures".into());
    }
    if !target.has(Feature::vulkanMemoryModel) && memory_model::is_used(words) {
        return Some("the device has no vulkanMemoryModel, which the module uses".into());
    }
    let missing = NEEDED.iter().find(|(capability, feature)| declares(*capability) && !target.has(*feature));
    missing.map(|(_, feature)| format!("the device has no {}", feature.name()))
}

/// The target of the device that zink would describe.
fn target(device: &Device) -> Target {
    let mut target = device.target().clone();
    // Zink enables both together.
    target.set(Feature::vulkanMemoryModel, device.has_memory_model());
    target.set(Feature::vulkanMemoryModelDeviceScope, device.has_memory_model());
    UNUSED.iter().for_each(|feature| target.set(*feature, false));
    target.uniform_ranges_in_vec4s = true;
    target
}

/// Adds the descriptors of another module.
fn merge(bindings: &mut Vec<Binding>, more: Vec<Binding>) {
    for new in more {
        match bindings.iter_mut().find(|old| (old.set, old.binding) == (new.set, new.binding)) {
            Some(old) => old.count = old.count.max(new.count),
            None => bindings.push(new),
        }
    }
}
