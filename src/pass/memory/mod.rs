// SPDX-License-Identifier: MIT

//! Memory: byte offsets and typed derefs become access chains into the types that the module declares.

pub mod const_arrays;
pub mod inline_blocks;
pub mod lower_atomics;
pub mod lower_block_index;
pub mod lower_buffer_derefs;
pub mod lower_global;
pub mod lower_memory;
pub mod lower_ssbo;
pub mod lower_ubo;
pub mod place_blocks;

pub(super) mod blocks;
pub(super) mod byte_access;
