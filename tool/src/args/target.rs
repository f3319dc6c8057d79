// SPDX-License-Identifier: MIT

//! The options of the target and of the translator.

use crate::names::{features, workarounds};
use anyhow::{ensure, Result};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::ValueEnum;
use ntv::capture::BackEnd;
use ntv::plan::{BlockPlacement, Placements};
use ntv::{BufferAccess, Feature, Options, Target, Workaround};

/// The target.
#[derive(clap::Args)]
pub(crate) struct TargetArgs {
    /// The Vulkan version of the target: vulkan1.0, vulkan1.1, vulkan1.2, vulkan1.3 or vulkan1.4.
    #[arg(long, value_name = "T", default_value = "vulkan1.3", hide_possible_values = true, value_parser = presets())]
    pub(super) target: Target,

    /// Enable features of the target, by Vulkan's names, such as shaderFloat64, separated by commas: ntv features lists them.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    enable: Vec<Feature>,

    /// Disable features of the target, by Vulkan's names, separated by commas.
    #[arg(long, value_name = "F", value_delimiter = ',', hide_possible_values = true, value_parser = features())]
    disable: Vec<Feature>,

    /// Work around a bug of the target's driver, by zink's name for the workaround, such as broken_arbitary_type_const.
    #[arg(long, value_name = "W", value_delimiter = ',', value_parser = workarounds())]
    workaround: Vec<Workaround>,

    /// Rely on the driver to bind ranges of uniform buffers whose sizes are multiples of 16 bytes: whole vec4s may be loaded
    /// where a part is read.
    #[arg(long)]
    uniform_ranges_in_vec4s: bool,

    /// The class of a uniform block that is not in a uniform buffer: 1=Storage, 1=Storage:clamp, 1=PushConstant@16, with the
    /// number of bound bytes if it is known (2=Storage:80000). ntv plan prints it.
    #[arg(long, value_name = "BLOCK=CLASS", value_delimiter = ',')]
    place: Vec<BlockPlacement>,

    /// The back end that writes transform feedback captures: Vulkan's extension, or stores of the vertex or geometry shader to
    /// storage buffers.
    #[arg(long, value_name = "BACK_END", default_value = "extension")]
    captures: Captures,

    /// The loads of buffers: one load of a vec4 where that is possible, or always one load per 32-bit component.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    buffer_access: Access,
}

impl TargetArgs {
    /// The options of the translator.
    pub(crate) fn options(&self) -> Result<Options> {
        let target = self.target_of(&self.target)?;
        let buffer_access = match self.buffer_access {
            Access::Auto => BufferAccess::Auto,
            Access::Lane => BufferAccess::Lane,
        };
        let mut placements = Placements::default();
        self.place.iter().for_each(|place| placements.set(place.block, place.placement));
        let captures = match self.captures {
            Captures::Extension => BackEnd::Extension,
            Captures::Storage => BackEnd::Storage,
        };
        Ok(Options::default().target(target).buffer_access(buffer_access).placements(placements).captures(captures))
    }

    /// `preset` with the features and workarounds of the options.
    pub(super) fn target_of(&self, preset: &Target) -> Result<Target> {
        let mut target = preset.clone();
        for feature in &self.enable {
            ensure!(!self.disable.contains(feature), "{} is both enabled and disabled", feature.name());
            target.set(*feature, true);
        }
        for feature in &self.disable {
            target.set(*feature, false);
        }
        self.workaround.iter().for_each(|workaround| target.work_around(*workaround, true));
        target.uniform_ranges_in_vec4s = self.uniform_ranges_in_vec4s;
        Ok(target)
    }
}

/// The back end that writes captures.
#[derive(Clone, Copy, ValueEnum)]
enum Captures {
    Extension,
    Storage,
}

/// The loads of buffers.
#[derive(Clone, Copy, ValueEnum)]
enum Access {
    Auto,
    Lane,
}

/// The presets of targets, by their names.
pub(super) fn presets() -> impl TypedValueParser<Value = Target> {
    PossibleValuesParser::new(Target::PRESETS.iter().map(|(name, _)| *name))
        .try_map(|name| Target::preset(&name).ok_or("no such preset"))
}
