// SPDX-License-Identifier: MIT

//! Random shaders and random inputs for them, and the comparison of the results of two shaders.
//!
//! Tests, fuzz targets and benches use it. Everything follows from a seed, or from the input of a fuzzer, and is the same on
//! every machine.

pub mod compare;
#[cfg(feature = "vulkan")]
pub mod oracle;
pub mod precision;
pub mod random;
pub mod shader;
pub mod stimulus;
pub mod textures;

pub use compare::{difference, Observation};
pub use random::Random;
pub use shader::{key_of_seed, program_of_seed, shader, shader_of_seed, stimulus_of_seed, Purpose};
pub use stimulus::{Sizes, Stimulus};
