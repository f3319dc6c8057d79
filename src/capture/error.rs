//! Why a program does not link: facts, and the sentences that say them.

use std::fmt;

/// What is wrong with a request, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XfbError {
    /// Where.
    pub place: XfbPlace,
    /// What.
    pub problem: XfbProblem,
}

/// Where in a request an error is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum XfbPlace {
    /// A name in the list, or a capture by layout qualifiers.
    Varying {
        /// Its number in the list, from 0.
        index: usize,
        /// Its name.
        name: String,
    },
    /// The stride of a buffer.
    Buffer(u32),
}

/// What is wrong. In sentences `of` is the part of a name that the problem is about.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum XfbProblem {
    /// It is not what a name of an output looks like.
    Malformed,
    /// No output has this name.
    Unknown,
    /// No output has this name, and only OpenGL's own begin like it.
    Reserved,
    /// An index after something that is not an array. Vectors and matrices are not.
    NotAnArray {
        /// The part before the index.
        of: String,
    },
    /// An index that the array does not have.
    OutOfBounds {
        /// The array.
        of: String,
        /// Its elements.
        length: u32,
    },
    /// A member of what is no struct.
    NotAStruct {
        /// The part before the member.
        of: String,
    },
    /// A member that the struct or block does not have.
    UnknownMember {
        /// The struct.
        of: String,
        /// The name of the member.
        member: String,
    },
    /// A struct, a block, or an array of something that is not basic, which cannot be listed as a whole.
    Aggregate {
        /// What it is.
        what: &'static str,
    },
    /// Another varying captures some of its components already.
    Twice {
        /// The number of the other in the list.
        other: usize,
    },
    /// A special name in separate mode.
    SpecialInSeparate,
    /// More 32-bit components in an interleaved buffer than there may be.
    InterleavedComponents {
        /// The buffer.
        buffer: u32,
        /// Components up to the end of this varying, skipped ones among them.
        components: u32,
        /// How many there may be.
        most: u32,
    },
    /// More 32-bit components in a varying than there may be in separate mode.
    SeparateComponents {
        /// Those of the varying.
        components: u32,
        /// How many there may be.
        most: u32,
    },
    /// More varyings than there may be in separate mode.
    TooManyVaryings {
        /// How many there may be.
        most: u32,
    },
    /// A buffer that the device does not have.
    TooManyBuffers {
        /// The number of the buffer, from 0.
        buffer: u32,
        /// How many there are.
        most: u32,
    },
    /// A buffer is written from two vertex streams.
    Streams {
        /// The buffer.
        buffer: u32,
        /// The stream of what is there already.
        has: u32,
        /// The stream of this varying.
        stream: u32,
    },
    /// An `xfb_offset` that is not a multiple of what is captured there.
    OffsetAlignment {
        /// The offset in bytes.
        offset: u32,
        /// Of what it has to be a multiple.
        alignment: u32,
    },
    /// The space of two captures overlaps.
    Overlap {
        /// The number of the other in the list.
        other: usize,
        /// The buffer.
        buffer: u32,
    },
    /// A capture goes beyond the declared stride.
    BeyondStride {
        /// Where it ends: bytes from the beginning of the vertex.
        end: u64,
        /// The stride in bytes.
        stride: u32,
    },
    /// A declared stride that is no multiple of the largest component: 4 bytes, or 8.
    StrideAlignment {
        /// The stride in bytes.
        stride: u32,
        /// Of what it has to be a multiple.
        alignment: u32,
    },
    /// A stride, declared or with padding for 64-bit components, that is larger than all components that a buffer may have.
    StrideLimit {
        /// The stride in bytes.
        stride: u32,
        /// How many 32-bit components there may be.
        most: u32,
    },
    /// What the frontend says of the output cannot be: not the fault of the application.
    InvalidOutput {
        /// Why.
        why: &'static str,
    },
}

impl fmt::Display for XfbPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XfbPlace::Varying { index, name } => write!(f, "varying {index} {name:?}"),
            XfbPlace::Buffer(buffer) => write!(f, "buffer {buffer}"),
        }
    }
}

impl fmt::Display for XfbProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XfbProblem::Malformed => f.write_str("this is not a name such as v, a[1] or s.m"),
            XfbProblem::Unknown => f.write_str("there is no such output"),
            XfbProblem::Reserved => f.write_str("OpenGL has no such output, and names that begin with gl_ are its own"),
            XfbProblem::NotAnArray { of } => write!(f, "{of} is not an array"),
            XfbProblem::OutOfBounds { of, length } => write!(f, "{of} has {}", counted(*length, "element")),
            XfbProblem::NotAStruct { of } => write!(f, "{of} is not a struct"),
            XfbProblem::UnknownMember { of, member } => write!(f, "{of} has no member {member}"),
            XfbProblem::Aggregate { what } => write!(f, "it is {what}, which can only be captured part by part"),
            XfbProblem::Twice { other } => write!(f, "varying {other} captures it, or a part of it, already"),
            XfbProblem::SpecialInSeparate => f.write_str("only the interleaved mode has this name"),
            XfbProblem::InterleavedComponents { buffer, components, most } => {
                let components = counted(*components, "component");
                write!(f, "up to here buffer {buffer} has {components}, and may have {most}")
            }
            XfbProblem::SeparateComponents { components, most } => {
                write!(f, "it has {}, and may have {most} in separate mode", counted(*components, "component"))
            }
            XfbProblem::TooManyVaryings { most } => {
                write!(f, "separate mode takes {}", counted(*most, "varying"))
            }
            XfbProblem::TooManyBuffers { buffer, most } => {
                write!(f, "there is no buffer {buffer}: the device has {most}")
            }
            _ => self.fmt_layout(f),
        }
    }
}

impl XfbProblem {
    /// The sentences about streams, offsets and strides.
    fn fmt_layout(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            XfbProblem::Streams { buffer, has, stream } => {
                write!(f, "it is of stream {stream}, and buffer {buffer} takes those of stream {has}")
            }
            XfbProblem::OffsetAlignment { offset, alignment } => {
                write!(f, "its offset {offset} is not a multiple of {alignment}")
            }
            XfbProblem::Overlap { other, buffer } => write!(f, "it overlaps varying {other} in buffer {buffer}"),
            XfbProblem::BeyondStride { end, stride } => {
                write!(f, "it ends at byte {end}, and the stride is {stride}")
            }
            XfbProblem::StrideAlignment { stride, alignment } => {
                write!(f, "its stride {stride} is not a multiple of {alignment}")
            }
            XfbProblem::StrideLimit { stride, most } => {
                write!(f, "its stride {stride} is more than {}", counted(*most, "component"))
            }
            XfbProblem::InvalidOutput { why } => write!(f, "the output is not described properly: {why}"),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for XfbError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for XfbError {}

/// A number of things.
fn counted(count: u32, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
