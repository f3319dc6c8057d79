// SPDX-License-Identifier: MIT

//! Reasons of a plan: why a block has its class, what would move it, and why there is no plan.

use super::Class;
use crate::ir::Stage;
use std::fmt;

/// The reason for the class of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// There is no reason for another class.
    #[default]
    Fits,
    /// It has more bytes than a uniform buffer range.
    Range {
        /// The number of bytes that are read.
        bytes: u32,
        /// `maxUniformBufferRange`.
        most: u32,
    },
    /// Its size is known only when it is bound.
    Unsized,
    /// A stage, or all of them (`None`), would exceed the limit of uniform buffers.
    Descriptors {
        /// The stage.
        stage: Option<Stage>,
        /// The number of uniform buffers without the change.
        wanted: u32,
        /// The limit.
        most: u32,
    },
    /// Enough bytes of it are indexed dynamically.
    Threshold {
        /// The number of bytes in reach of dynamic offsets.
        bytes: u32,
        /// The threshold.
        least: u32,
    },
    /// ANGLE's rule.
    Angle,
    /// The driver requests it.
    Asked,
    /// It fits into push constants.
    PushConstants {
        /// Its size in bytes.
        bytes: u32,
    },
    /// It shares an array, which is indexed dynamically, with this block.
    ArrayWith(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Fits => f.write_str("there is no reason for another class"),
            Reason::Range { bytes, most } => {
                write!(f, "{bytes} bytes are read, and a uniform buffer has at most {most}")
            }
            Reason::Unsized => f.write_str("its size is only known when it is bound"),
            Reason::Descriptors { stage, wanted, most } => {
                write!(f, "{} {wanted} uniform buffers, and may have {most}", whose(*stage))
            }
            Reason::Threshold { bytes, least } => {
                write!(f, "{} are indexed dynamically, and the threshold is {least}", Bytes(*bytes))
            }
            Reason::Angle => f.write_str("ANGLE makes a structured buffer of it"),
            Reason::Asked => f.write_str("the driver requests it"),
            Reason::PushConstants { bytes } => write!(f, "its {bytes} bytes fit into push constants"),
            Reason::ArrayWith(other) => write!(f, "it shares an array with {other}, which is indexed dynamically"),
        }
    }
}

/// A change that would move a block, or a reason that keeps it.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// It would move to storage if it were larger than a uniform buffer.
    Larger {
        /// `maxUniformBufferRange`.
        most: u32,
    },
    /// It would move to storage if its stage exceeded the limit of uniform buffers.
    MoreBlocks {
        /// The stage; `None` for all of them.
        stage: Option<Stage>,
        /// The number of uniform buffers.
        has: u32,
        /// The limit.
        most: u32,
    },
    /// It would move to storage if the threshold were this or less.
    LowerThreshold {
        /// The number of bytes in reach of dynamic offsets.
        bytes: u32,
    },
    /// It would move to a uniform buffer if the device had this limit.
    LimitAtLeast {
        /// Vulkan's name of the limit.
        limit: &'static str,
        /// The necessary value.
        value: u32,
    },
    /// It cannot be in storage: the promised alignment of offsets is too small.
    Alignment {
        /// The alignment of storage buffers.
        needs: u32,
        /// The promised alignment.
        promised: u32,
    },
    /// It cannot be in storage: the limit of storage buffers is reached.
    StorageIsFull {
        /// The stage; `None` for all of them.
        stage: Option<Stage>,
        /// The limit.
        most: u32,
    },
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Larger { most } => write!(f, "to Storage with more than {most} bytes"),
            Move::MoreBlocks { stage, has, most } => {
                write!(f, "to Storage if {} more than {most} uniform buffers ({has} now)", whose(*stage))
            }
            Move::LowerThreshold { bytes } => {
                write!(f, "to Storage with a threshold up to {}", Bytes(*bytes))
            }
            Move::LimitAtLeast { limit, value } => write!(f, "to Uniform with {limit} of {value} or more"),
            Move::Alignment { needs, promised } => {
                write!(f, "not to Storage: its offsets are multiples of {needs}, and {promised} is promised")
            }
            Move::StorageIsFull { stage, most } => {
                write!(f, "not to Storage: {} {most} storage buffers already", whose(*stage))
            }
        }
    }
}

/// The reason why there is no plan.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// A block is larger than the buffers of its class.
    Range {
        /// Its name.
        block: String,
        /// The class that it would have.
        class: Class,
        /// Its size in bytes.
        bytes: u32,
        /// The limit of the device.
        most: u32,
    },
    /// A block has to be a storage buffer, and cannot be bound at offsets with the promised alignment.
    Alignment {
        /// Its name.
        block: String,
        /// The alignment of storage buffers.
        needs: u32,
        /// The promised alignment.
        promised: u32,
    },
    /// There are too many buffers, for all choices of classes.
    Descriptors {
        /// The stage; `None` for all of them.
        stage: Option<Stage>,
        /// The number of remaining uniform buffers, and the limit.
        uniform: (u32, u32),
        /// The number of storage buffers, and the limit.
        storage: (u32, u32),
    },
    /// The driver requests push constants for a block that cannot be there.
    PushConstants {
        /// Its name.
        block: String,
        /// The reason.
        why: &'static str,
    },
    /// The driver requests two classes for one block, or for two that share an array.
    Contradiction {
        /// Its name.
        block: String,
    },
}

impl fmt::Display for Impossible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Impossible::Range { block, class, bytes, most } => {
                write!(f, "{block} has {bytes} bytes, and a buffer of class {} has at most {most}", class.name())
            }
            Impossible::Alignment { block, needs, promised } => write!(
                f,
                "{block} has to be a storage buffer, whose offsets are multiples of {needs}, and {promised} is promised"
            ),
            Impossible::Descriptors { stage, uniform, storage } => write!(
                f,
                "{} {} uniform buffers and {} storage buffers, and may have {} and {}",
                whose(*stage),
                uniform.0,
                storage.0,
                uniform.1,
                storage.1
            ),
            Impossible::PushConstants { block, why } => write!(f, "{block} cannot be in push constants: {why}"),
            Impossible::Contradiction { block } => write!(f, "the driver requests two classes for {block}"),
        }
    }
}

impl std::error::Error for Impossible {}

/// The subject of a sentence about a stage.
fn whose(stage: Option<Stage>) -> String {
    stage.map_or_else(|| "the pipeline has".to_string(), |stage| format!("{} has", stage.name()))
}

/// A number of bytes, which may be unbounded.
struct Bytes(u32);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u32::MAX => f.write_str("any number of bytes"),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}
