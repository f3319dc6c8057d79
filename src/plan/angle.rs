//! The rule by which ANGLE's Direct3D 11 back end makes a structured buffer of a uniform block, for those who compare with it.
//!
//! ANGLE decides by types, so a plan that follows it has to be told the [`Shape`] of each block: NIR no longer has it. It decides for
//! each shader by itself and takes candidates in the order of their declarations; a plan decides once for all stages, and its order
//! depends on no declaration.

/// Elements that the array of a block has at least, if it is to become a structured buffer.
pub const ANGLE_LEAST_LENGTH: u32 = 50;

/// Structured buffers that a program has at most.
pub const ANGLE_MOST_BUFFERS: u32 = 60;

/// What GLSL says of a block, as far as ANGLE's rule asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The layout is `std140`.
    pub is_std140: bool,
    /// Members of the block.
    pub members: u32,
    /// Dimensions of the first member: `[50]` for `float a[50]`, none if it is no array.
    pub dimensions: Vec<u32>,
    /// What the first member is an array of.
    pub element: Element,
    /// The member is only ever indexed: it is not assigned, compared, returned or passed as a whole.
    pub only_indexed: bool,
}

/// What an array of a block has in it.
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
    /// A struct of such fields.
    Struct(Vec<Element>),
    /// A field that is an array.
    Array,
}

impl Element {
    /// Whether an element without fields of its own fills the vec4s of `std140`.
    fn is_simple(&self) -> bool {
        match *self {
            Element::Vector => true,
            // Columns are vec4s if they have four rows; rows if they have four columns.
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
    /// Whether ANGLE makes a structured buffer of the block, if there is room for it.
    pub fn is_structured(&self) -> bool {
        let is_large = matches!(self.dimensions[..], [length] if length >= ANGLE_LEAST_LENGTH);
        self.is_std140 && self.members == 1 && is_large && self.only_indexed && self.element.is_eligible()
    }
}
