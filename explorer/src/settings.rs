// SPDX-License-Identifier: MIT

//! What a page can choose from.

use crate::api::{Example, Feature, KeyPart, Settings, Workaround};
use ntv::module::{ShaderStage, OPTIONS};
use ntv::Target;

/// Shaders to begin with.
const EXAMPLES: [(&str, &str); 5] = [
    ("A vertex shader", include_str!("../../examples/vertex.nir")),
    ("A fragment shader", include_str!("../../examples/fragment.nir")),
    ("A loop over a uniform block", include_str!("../../examples/ubo_loop.nir")),
    ("A compute shader", include_str!("../../examples/histogram.nir")),
    ("Transform feedback", include_str!("../../examples/captures.nir")),
];

/// All settings.
pub(crate) fn settings() -> Settings {
    let example = |(name, text): (&str, &str)| Example { name: name.to_string(), text: text.to_string() };
    Settings {
        version: env!("CARGO_PKG_VERSION").to_string(),
        presets: Target::PRESETS.iter().map(|(name, _)| (*name).to_string()).collect(),
        features: ntv::Feature::ALL.iter().map(|feature| feature_row(*feature)).collect(),
        workarounds: ntv::Workaround::ALL.iter().map(|workaround| workaround_row(*workaround)).collect(),
        key: key_parts(),
        examples: EXAMPLES.map(example).to_vec(),
    }
}

fn feature_row(feature: ntv::Feature) -> Feature {
    let has = |preset: &&str| Target::preset(preset).is_some_and(|target| target.has(feature));
    let presets = Target::PRESETS.iter().map(|(name, _)| *name).filter(has);
    Feature { name: feature.name().to_string(), presets: presets.map(str::to_string).collect() }
}

fn workaround_row(workaround: ntv::Workaround) -> Workaround {
    let info = workaround.info();
    Workaround { name: info.name.to_string(), documentation: format!("{}: {}", info.effect, info.why) }
}

fn key_parts() -> Vec<KeyPart> {
    let part = |row: &ntv::module::OptionInfo| {
        let stages = ShaderStage::ALL.iter().filter(|stage| row.stages & stage.bit() != 0);
        KeyPart {
            name: row.name.to_string(),
            mechanism: row.mechanism.name().to_string(),
            stages: stages.map(|stage| stage.name().to_string()).collect(),
            why: row.why.to_string(),
        }
    };
    OPTIONS.iter().map(part).collect()
}
