//! Shaders run on a real Vulkan driver, lavapipe, with the validation layer on: is the SPIR-V right, not only valid?
//!
//! Each test knows by itself what has to come out. A driver or a layer that is missing is a failure.

mod alu;
mod attributes;
mod blocks;
mod captures;
mod compute;
mod corners;
mod counters;
mod faults;
mod feedback;
mod framebuffer;
mod gpu;
mod graphics;
mod images;
mod indexed;
#[path = "../support/kernels.rs"]
mod kernels;
mod lanes;
mod links;
mod planned;
mod run;
mod stages;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/tool.rs"]
mod tool;
mod updates;
mod variants;
mod words;
mod xfb;
