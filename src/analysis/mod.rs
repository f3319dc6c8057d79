// SPDX-License-Identifier: MIT

//! Read-only analyses of a shader.

pub mod block_picks;
pub mod block_table;
pub mod cfg;
mod counters;
pub mod distances;
pub mod dominators;
pub mod framebuffer;
pub(crate) mod kinds;
pub mod known_bits;
pub mod offsets;
pub mod output_words;
pub mod push_constants;
pub(crate) mod slot_access;
pub(crate) mod slot_vars;
pub mod textures;
pub(crate) mod uniform_reads;
pub mod uniformity;
pub mod uses;
pub mod value_types;
mod wants;
