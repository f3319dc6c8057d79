// SPDX-License-Identifier: MIT

//! Runs shaders on a real Vulkan driver, lavapipe, with the validation layer, to test that the SPIR-V is right, not only valid.
//!
//! Each test has its own expected results. A missing driver or layer is a failure.

mod alu;
mod attributes;
mod blocks;
mod captures;
#[path = "../support/compact.rs"]
mod compact;
mod compute;
mod corners;
mod counters;
mod discards;
#[path = "../variants/drawn.rs"]
mod drawn;
mod faults;
mod feedback;
mod framebuffer;
mod geometry;
mod gpu;
mod graphics;
mod images;
mod indexed;
#[path = "../support/kernels.rs"]
mod kernels;
mod key_forms;
mod lanes;
mod links;
mod oracle;
mod outputs;
mod planned;
mod queries;
mod scene;
mod stages;
#[path = "../support/mod.rs"]
mod support;
mod updates;
mod uses;
mod variants;
mod words;
mod xfb;
