// SPDX-License-Identifier: MIT

//! Link errors of transform feedback, and their messages.

use std::fmt;

/// A problem of a request, and its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct XfbError {
    /// The place of the problem.
    pub place: XfbPlace,
    /// The problem.
    pub problem: XfbProblem,
}

/// The part of a request that has an error.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum XfbPlace {
    /// A name in the list, or a capture by layout qualifiers.
    Varying {
        /// Its index in the list, from 0.
        index: usize,
        /// Its name.
        name: String,
    },
    /// The stride of a buffer.
    Buffer(u32),
}

/// The problem of a request. `of` is the part of the name that the problem is about.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum XfbProblem {
    /// It is not a valid name of an output.
    Malformed,
    /// No output has this name.
    Unknown,
    /// No output has this name, and names with this prefix are reserved for OpenGL.
    Reserved,
    /// An index after something that is not an array. Vectors and matrices are not arrays.
    NotAnArray {
        /// The part before the index.
        of: String,
    },
    /// An index that the array does not have.
    OutOfBounds {
        /// The array.
        of: String,
        /// The number of its elements.
        length: u32,
    },
    /// A member of something that is not a struct.
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
    /// A struct, a block, or an array of arrays, structs or blocks, which a list cannot name as a whole.
    Aggregate {
        /// The kind of type.
        what: &'static str,
    },
    /// Another varying already captures some of its components.
    Twice {
        /// The index of the other varying in the list.
        other: usize,
    },
    /// A special name in separate mode.
    SpecialInSeparate,
    /// More 32-bit components than an interleaved buffer may have.
    InterleavedComponents {
        /// The buffer.
        buffer: u32,
        /// The components up to the end of this varying, with skipped ones.
        components: u32,
        /// The most components.
        most: u32,
    },
    /// More 32-bit components than a varying may have in separate mode.
    SeparateComponents {
        /// The components of the varying.
        components: u32,
        /// The most components.
        most: u32,
    },
    /// More varyings than separate mode may have.
    TooManyVaryings {
        /// The most varyings.
        most: u32,
    },
    /// A buffer that the device does not have.
    TooManyBuffers {
        /// The number of the buffer, from 0.
        buffer: u32,
        /// The number of buffers of the device.
        most: u32,
    },
    /// A buffer is written from two vertex streams.
    Streams {
        /// The buffer.
        buffer: u32,
        /// The stream of earlier captures.
        has: u32,
        /// The stream of this varying.
        stream: u32,
    },
    /// An `xfb_offset` that is not a multiple of the size of the captured components.
    OffsetAlignment {
        /// The offset in bytes.
        offset: u32,
        /// The alignment in bytes.
        alignment: u32,
    },
    /// Two captures overlap.
    Overlap {
        /// The index of the other capture in the list.
        other: usize,
        /// The buffer.
        buffer: u32,
    },
    /// A capture ends beyond the declared stride.
    BeyondStride {
        /// The end: bytes from the beginning of the vertex.
        end: u64,
        /// The stride in bytes.
        stride: u32,
    },
    /// A declared stride that is not a multiple of the size of the largest component: 4 or 8 bytes.
    StrideAlignment {
        /// The stride in bytes.
        stride: u32,
        /// The alignment in bytes.
        alignment: u32,
    },
    /// A stride, declared or with padding for 64-bit components, that exceeds the limit of components of a buffer.
    StrideLimit {
        /// The stride in bytes.
        stride: u32,
        /// The most 32-bit components.
        most: u32,
    },
    /// The frontend's description of the output is invalid. The application did not cause this.
    InvalidOutput {
        /// The reason.
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
    /// Writes the messages about streams, offsets and strides.
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

/// `count` with its noun.
fn counted(count: u32, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
