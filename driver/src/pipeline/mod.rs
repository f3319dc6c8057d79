// SPDX-License-Identifier: MIT

//! Pipelines: described in words, found by the words that changed, created when they are first needed.
//!
//! ```text
//! current pipeline + changed words --Transitions--> pipeline        per context, no lock
//! description ----------------------Pipelines-----> pipeline        per device, a hash map
//! create info ----------------------VkPipelineCache-> machine code  kept on disk
//! ```
//!
//! Programs and states have numbers by which descriptions name them. When one is dropped, the pipelines that use it are dropped,
//! too.

mod bounded;
mod create;
mod desc;
mod disk;
mod elements;
mod numbered;
mod pass;
mod table;
mod transitions;

pub(crate) use bounded::Bounded;
pub(crate) use create::{provoking_mode, ALWAYS_DYNAMIC};
pub(crate) use desc::{MultisampleWord, PipelineDesc, RasterizerWord, Word};
pub(crate) use disk::DiskCache;
pub(crate) use elements::{DynamicInput, VertexElements};
pub(crate) use numbered::{Numbered, Numbers};
pub(crate) use pass::{
    barrier as pass_barrier, PassKey, BARRIER_STAGES as PASS_BARRIER_STAGES, DEPTH_ATTACHMENT, STENCIL_ATTACHMENT,
};
pub use table::PipelineCounters;
pub(crate) use table::{Pipeline, PipelineSource, Pipelines};
pub use transitions::TransitionCounters;
pub(crate) use transitions::Transitions;
