// SPDX-License-Identifier: MIT

//! The rule by which ANGLE's Direct3D 11 back end makes a structured buffer of a uniform block, for comparisons with ANGLE.
//!
//! ANGLE decides by types, so a plan that follows it needs the [`Shape`] of each block, which NIR no longer has. ANGLE decides for
//! each shader separately and takes candidates in the order of their declarations; a plan decides once for all stages, and its
//! order does not depend on declarations.

/// The least length of the array in a block that becomes a structured buffer.
pub const ANGLE_LEAST_LENGTH: u32 = 50;

/// The most structured buffers of a program.
pub const ANGLE_MOST_BUFFERS: u32 = 60;

/// The properties of a block in GLSL that ANGLE's rule needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The layout is `std140`.
    pub is_std140: bool,
    /// The number of members of the block.
    pub members: u32,
    /// The dimensions of the first member: `[50]` for `float a[50]`, none if it is not an array.
    pub dimensions: Vec<u32>,
    /// The element type of the first member's array.
    pub element: Element,
    /// The member is always indexed: it is never assigned, compared, returned or passed as a whole.
    pub only_indexed: bool,
}

/// The element type of an array in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A scalar or vector.
    Vector,
    /// A matrix: `mat2x4` has 2 columns of 4 rows.
    Matrix {
        /// Columns.
        columns: u8,
        /// Rows.
        rows: u8,
        /// It has the layout qualifier `row_major`.
        row_major: bool,
    },
    /// A struct with these fields.
    Struct(Vec<Element>),
    /// A field that is an array.
    Array,
}

impl Element {
    /// Whether an element without fields fills the vec4s of `std140`.
    fn is_simple(&self) -> bool {
        match *self {
            Element::Vector => true,
            // Columns are vec4s if they have four rows; rows are vec4s if they have four columns.
            Element::Matrix { columns, rows, row_major } => (if row_major { columns } else { rows }) == 4,
            Element::Struct(_) | Element::Array => false,
        }
    }

    fn is_eligible(&self) -> bool {
        match self {
            Element::Struct(fields) => !fields.is_empty() && fields.iter().all(Element::is_simple),
            other => other.is_simple(),
        }
    }
}

impl Shape {
    /// Whether ANGLE makes a structured buffer of the block, unless there are too many.
    pub fn is_structured(&self) -> bool {
        let is_large = matches!(self.dimensions[..], [length] if length >= ANGLE_LEAST_LENGTH);
        self.is_std140 && self.members == 1 && is_large && self.only_indexed && self.element.is_eligible()
    }
}
