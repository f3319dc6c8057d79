// SPDX-License-Identifier: MIT

//! Textures that a draw or a dispatch uses in several ways at once, such as a texture whose level 1 is an attachment while level
//! 0 is sampled.
//!
//! An image has one layout, so the layout of such an image is `GENERAL` for all uses. Samples of an attached level return the
//! results of draws before [`Context::texture_barrier`], and maybe of later ones: GL leaves it undefined.

use super::access::Use;
use super::bind::Bound;
use super::state::FramebufferState;
use super::{Context, Dirty};
use crate::program::{DescriptorClass, Program};
use crate::resource::{Bind, ImageStorage, ImageView, SamplerView, Texture};
use ntv::module::ShaderStage;
use std::sync::Arc;

/// The numbers of textures that are used in several ways.
pub(super) type General = Vec<u64>;

/// The textures that commands of `program` use in several ways.
pub(super) fn in_general(bound: &Bound, program: &Program, framebuffer: Option<&FramebufferState>) -> General {
    let slots = |class: DescriptorClass| {
        let slots = program.layout.sets.get(class as usize).into_iter().flat_map(|set| &set.slots);
        slots.flat_map(|slot| (slot.slot..slot.slot + slot.count).map(|number| (slot.stage as usize, number as usize)))
    };
    let sampled =
        slots(DescriptorClass::Textures).filter_map(|(stage, slot)| match bound.stages[stage].views.get(slot) {
            Some(SamplerView::Texture { texture, .. }) => Some(texture),
            _ => None,
        });
    let stored =
        slots(DescriptorClass::Images).filter_map(|(stage, slot)| match bound.stages[stage].images.get(slot) {
            Some(ImageView::Texture { texture, .. }) => Some(texture),
            _ => None,
        });
    let attached = framebuffer.into_iter().flat_map(FramebufferState::surfaces).map(|surface| &surface.texture);
    let is_drawn = |texture: &&Arc<Texture>| attached.clone().any(|it| it.id == texture.id);
    let is_stored = |texture: &&Arc<Texture>| stored.clone().any(|it| it.id == texture.id);
    // A texture with no other bind flag can only be sampled.
    let sampled = sampled.filter(|texture| texture.description().bind != Bind::SAMPLER_VIEW);
    let sampled = sampled.filter(|texture| is_drawn(texture) || is_stored(texture));
    sampled.chain(stored.clone().filter(is_drawn)).map(|texture| texture.id).collect()
}

impl Context {
    /// Finds the textures that the next draw uses in several ways. If they differ, all descriptors and the rendering are set up
    /// again.
    pub(super) fn find_general(&mut self) {
        let Context { derived, changes, bound, current, .. } = self;
        let general = derived.general(changes.revisions(), bound, current.program.as_deref());
        if *general == current.general {
            return;
        }
        current.general.clone_from(general);
        if current.rendering.is_active {
            self.end_rendering();
        }
        self.force(Dirty::Textures);
    }

    /// The use of an attachment.
    pub(super) fn use_of_attachment(&self, storage: &ImageStorage, is_depth: bool) -> Use {
        match (self.current.general.contains(&storage.texture), is_depth) {
            (false, false) => Use::ColorAttachment,
            (false, true) => Use::DepthAttachment,
            (true, false) => Use::ColorGeneral,
            (true, true) => Use::DepthGeneral,
        }
    }

    /// The use of an image that shaders of `stage` sample.
    pub(super) fn use_of_sampled(&self, stage: ShaderStage, storage: &ImageStorage) -> Use {
        let general = if stage == ShaderStage::Compute { &self.current.compute_general } else { &self.current.general };
        if general.contains(&storage.texture) {
            Use::SampledGeneral
        } else {
            Use::Sampled
        }
    }
}
