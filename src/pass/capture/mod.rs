// SPDX-License-Identifier: MIT

//! Transform feedback: captures as variables of the extension, or as stores to buffers.

pub mod lower_captures;

mod attributes;
mod capture_stores;
mod captured;
mod drawn_vertex;
mod geometry_stores;
mod state;
mod vertex_to_compute;
