//! Random shaders and random inputs for them, and the judgement whether two shaders compute the same.
//!
//! Tests, fuzz targets and benches draw from here. Everything follows from a seed, or from the bytes of a fuzzer: the same
//! on every machine.

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
pub use shader::{program_of_seed, shader, shader_of_seed, stimulus_of_seed, Purpose};
pub use stimulus::{Sizes, Stimulus};
