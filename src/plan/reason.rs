//! Why a block is where it is, what would move it, and what cannot be: facts, and the sentences that say them.

use super::Class;
use crate::ir::Stage;
use std::fmt;

/// Why a block has its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reason {
    /// Nothing asks for another class.
    #[default]
    Fits,
    /// More bytes than the range of a uniform buffer has.
    Range {
        /// Bytes that are read.
        bytes: u32,
        /// `maxUniformBufferRange`.
        most: u32,
    },
    /// Its size is only known when it is bound.
    Unsized,
    /// More uniform buffers than a stage, or all of them (`None`), may have.
    Descriptors {
        /// The stage.
        stage: Option<Stage>,
        /// How many there would be.
        wanted: u32,
        /// How many there may be.
        most: u32,
    },
    /// Enough of it is indexed dynamically.
    Threshold {
        /// Bytes within which dynamic offsets lead.
        bytes: u32,
        /// The threshold.
        least: u32,
    },
    /// ANGLE's rule.
    Angle,
    /// The driver asks.
    Asked,
    /// It fits into push constants.
    PushConstants {
        /// Bytes that it takes.
        bytes: u32,
    },
    /// It shares an array, which is indexed dynamically, with this block.
    ArrayWith(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Fits => f.write_str("nothing asks for another class"),
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
            Reason::Asked => f.write_str("the driver asks for it"),
            Reason::PushConstants { bytes } => write!(f, "its {bytes} bytes fit into push constants"),
            Reason::ArrayWith(other) => write!(f, "it shares an array with {other}, which is indexed dynamically"),
        }
    }
}

/// What would move a block, or keeps it where it is.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// To storage, if it were larger than a uniform buffer.
    Larger {
        /// `maxUniformBufferRange`.
        most: u32,
    },
    /// To storage, if its stage had more uniform buffers than it may have.
    MoreBlocks {
        /// The stage, all of them for `None`.
        stage: Option<Stage>,
        /// How many there are.
        has: u32,
        /// How many there may be.
        most: u32,
    },
    /// To storage, if the threshold were this or less.
    LowerThreshold {
        /// Bytes within which dynamic offsets lead.
        bytes: u32,
    },
    /// To a uniform buffer, if the device took this.
    LimitAtLeast {
        /// Vulkan's name of the limit.
        limit: &'static str,
        /// What it would have to be.
        value: u32,
    },
    /// Not to storage: offsets that are bound are multiples of too little.
    Alignment {
        /// What storage buffers need.
        needs: u32,
        /// What the driver promised.
        promised: u32,
    },
    /// Not to storage: there are as many storage buffers as there may be.
    StorageIsFull {
        /// The stage, all of them for `None`.
        stage: Option<Stage>,
        /// How many there may be.
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

/// Why there is no plan.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Impossible {
    /// A block is larger than the buffers of its class.
    Range {
        /// Its name.
        block: String,
        /// The class that it would have.
        class: Class,
        /// Its bytes.
        bytes: u32,
        /// What the device takes.
        most: u32,
    },
    /// A block has to be a storage buffer, and cannot be bound where the driver promised.
    Alignment {
        /// Its name.
        block: String,
        /// What storage buffers need.
        needs: u32,
        /// What the driver promised.
        promised: u32,
    },
    /// There are too many buffers, in whatever classes.
    Descriptors {
        /// The stage, all of them for `None`.
        stage: Option<Stage>,
        /// Uniform buffers that are left, and how many there may be.
        uniform: (u32, u32),
        /// Storage buffers, and how many there may be.
        storage: (u32, u32),
    },
    /// The driver asks for push constants for a block that cannot be there.
    PushConstants {
        /// Its name.
        block: String,
        /// Why not.
        why: &'static str,
    },
    /// The driver asks for two classes of one block, or of two that share an array.
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
            Impossible::Contradiction { block } => write!(f, "two classes are asked for {block}"),
        }
    }
}

impl std::error::Error for Impossible {}

/// The subject of a sentence about a stage.
fn whose(stage: Option<Stage>) -> String {
    stage.map_or_else(|| "the pipeline has".to_string(), |stage| format!("{} has", stage.name()))
}

/// Bytes, of which there may be any number.
struct Bytes(u32);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            u32::MAX => f.write_str("any number of bytes"),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}
