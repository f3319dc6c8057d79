//! Which storage class each uniform block of a program gets, and why.

mod placement;

pub use placement::{BlockPlacement, Class, Placement, Placements};
