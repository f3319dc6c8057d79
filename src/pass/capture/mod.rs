//! Transform feedback: captures as variables of the extension, or as stores to buffers.

pub mod lower_captures;

pub(super) mod attributes;
pub(super) mod capture_stores;
pub(super) mod captured;
pub(super) mod drawn_vertex;
pub(super) mod geometry_stores;
pub(super) mod vertex_to_compute;
