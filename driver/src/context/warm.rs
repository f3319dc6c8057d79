// SPDX-License-Identifier: MIT

//! Warm-up: pipelines that the first draws of a program will likely need, created on a worker when the program is linked.
//!
//! The state that is bound at the link is that of the application's last draw, so it is used for the rest of the description;
//! ntv's [`likely_keys`] give the variants. A wrong guess costs an unused pipeline, on another thread.
//!
//! An application that knows its draws can create the pipeline immediately, with [`Context::prepare_draw`] or
//! [`Context::prepare_grid`].

use super::{Context, Dirty, DrawInfo};
use crate::error::Result;
use crate::pipeline::{PipelineSource, Word};
use crate::program::Program;
use crate::state::bits;
use ntv::variant::likely_keys;
use ntv::Key;
use std::sync::Arc;

/// The maximum number of variants of a program that are created.
const MOST: usize = 2;

impl Context {
    /// Creates the pipeline that a draw with the current state needs. The resources of shaders need not be bound yet.
    pub fn prepare_draw(&mut self, info: &DrawInfo) -> Result<()> {
        self.set_topology(info)?;
        let mask = bits![Dirty:
            Program, Framebuffer, ShaderKey, VertexElements, PatchVertices, Blend, Rasterizer, Multisample, Pipeline];
        self.sync_bits(mask, Context::check_elements)
    }

    /// Creates the pipeline of the bound compute shader.
    pub fn prepare_grid(&mut self) -> Result<()> {
        self.sync_bits(bits![Dirty: ComputeProgram], |_| Ok(()))
    }

    /// Sends pipelines of `program` to the worker.
    pub(super) fn warm_up(&mut self, program: &Arc<Program>) {
        let (Some(blend), Some(elements)) = (self.bound.blend.get(), self.bound.elements.get()) else { return };
        let mut base = self.current.desc;
        base.set(Word::Program, program.id);
        if base.get(Word::Colors) == 0 && base.get(Word::DepthStencil) == 0 {
            // There was no draw yet: most programs draw to one color attachment.
            base.set(Word::Colors, 1);
            base.set(Word::Color0, ash::vk::Format::R8G8B8A8_UNORM.as_raw() as u32);
        }
        if base.get(Word::Topology) == 0 {
            base.set(Word::Topology, ash::vk::PrimitiveTopology::TRIANGLE_LIST.as_raw() as u32);
        }
        let always = self.key_of_state(program);
        let mut keys = vec![always];
        keys.extend(likely_keys(&program.variants, always, MOST));
        let seen = |key: Key| Key { bits: key.bits & program.seen, ..key };
        let mut jobs = Vec::new();
        for key in keys.into_iter().map(seen) {
            let mut desc = base;
            desc.set(Word::KeyLow, key.bits as u32);
            desc.set(Word::KeyHigh, (key.bits >> 32) as u32);
            if jobs.iter().any(|(known, _)| *known == desc) {
                continue;
            }
            let (program, blend) = (Arc::clone(program), Arc::clone(&blend.part));
            let source = PipelineSource { program, key, blend, elements: Arc::clone(&elements.0) };
            jobs.push((desc, source));
        }
        jobs.truncate(MOST);
        self.shared.warm_up(jobs);
    }
}
