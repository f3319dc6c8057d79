// SPDX-License-Identifier: MIT

//! Inputs and outputs: variables with types and Locations that Vulkan's interfaces take.

pub mod assign_locations;
pub mod combine_stores;
pub mod define_distances;
pub mod lower_fbfetch;
pub mod lower_frag_color;
pub mod lower_io;
pub mod lower_io_types;

mod io_vars;
mod slot_access;
