// SPDX-License-Identifier: MIT

//! Textures and images: descriptors, and the operands that SPIR-V's image instructions take.

pub mod lower_descriptors;
pub mod lower_sparse;
pub mod lower_tex;

pub(super) mod textures;
