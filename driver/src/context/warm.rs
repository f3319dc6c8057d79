//! Warm-up: pipelines that the first draws of a program will likely want, made on a worker when it is linked.
//!
//! The state that is bound when a program is linked is what the application drew with last, so it is taken for the rest of the
//! description; ntv's [`likely_keys`] say which variants. A wrong guess costs a pipeline that nobody wants, on another thread.
//!
//! Who knows what will be drawn has the pipeline made at once, by [`Context::prepare_draw`] or [`Context::prepare_grid`].

use super::{Context, Dirty, DrawInfo};
use crate::error::Result;
use crate::pipeline::{PipelineSource, Word};
use crate::program::Program;
use crate::state::bits;
use ntv::variant::likely_keys;
use ntv::Key;
use std::sync::Arc;

/// Variants of a program that are made.
const MOST: usize = 2;

impl Context {
    /// Makes the pipeline that a draw with the state that is set needs. What shaders see need not be bound yet.
    pub fn prepare_draw(&mut self, info: &DrawInfo) -> Result<()> {
        self.set_topology(info)?;
        let mask = bits![Dirty:
            Program, Framebuffer, ShaderKey, VertexElements, PatchVertices, Blend, Rasterizer, Multisample, Pipeline];
        self.sync_bits(mask, Context::check_elements)
    }

    /// Makes the pipeline of the compute shader that is bound.
    pub fn prepare_grid(&mut self) -> Result<()> {
        self.sync_bits(bits![Dirty: ComputeProgram], |_| Ok(()))
    }

    /// Has the worker make pipelines of `program`.
    pub(super) fn warm_up(&mut self, program: &Arc<Program>) {
        let (Some(blend), Some(elements)) = (self.bound.blend.get(), self.bound.elements.get()) else { return };
        let mut base = self.current.desc;
        base.set(Word::Program, program.id);
        if base.get(Word::Colors) == 0 && base.get(Word::DepthStencil) == 0 {
            // Nothing was drawn to yet: most programs draw to one colour.
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
