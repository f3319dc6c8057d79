// SPDX-License-Identifier: MIT

//! Values that are computed from the state, and kept until a dependency changes.
//!
//! | value | depends on |
//! |-|-|
//! | whether the framebuffer is complete | the framebuffer, and so its textures |
//! | the vertex buffers that are read | program, vertex elements |
//! | the back end that captures | program, targets of transform feedback |
//! | textures that are used in several ways at once | program, framebuffer, sampler views and images |
//! | whether a draw is possible | all of these, and the vertex buffers |
//!
//! An impossible draw is an error before any of it is recorded.
//!
//! A change of a texture arrives through the inbox: the texture posts the bit of the framebuffer, which is the dependency.

use super::bind::{Bound, MAX_VERTEX_BUFFERS};
use super::general::{in_general, General};
use super::rendering::Rendering;
use super::state::FramebufferState;
use super::{Context, Current, Dirty};
use crate::error::{Error, Result};
use crate::program::Program;
use crate::resource::Surface;
use crate::state::{bits, Derived, Revisions};
use ash::vk;
use ntv::capture::BackEnd;

/// The values of a context.
pub(super) struct DerivedState {
    framebuffer: Derived<Option<String>, Dirty>,
    /// The mask of vertex buffers; or the reason why there is none.
    vertex_buffers: Derived<std::result::Result<u32, String>, Dirty>,
    /// The back end that writes the captures; `None` if there are none.
    feedback: Derived<Option<BackEnd>, Dirty>,
    general: Derived<General, Dirty>,
    draw: Derived<Option<String>, Dirty>,
}

impl Default for DerivedState {
    fn default() -> DerivedState {
        DerivedState {
            framebuffer: Derived::new(bits![Dirty: Framebuffer]),
            vertex_buffers: Derived::new(bits![Dirty: Program, VertexElements]),
            feedback: Derived::new(bits![Dirty: Program, StreamOutput]),
            general: Derived::new(bits![Dirty: Program, Framebuffer, Textures, Images]),
            draw: Derived::new(bits![Dirty: Program, VertexElements, VertexBuffers]),
        }
    }
}

impl DerivedState {
    /// The number of computations of all values.
    pub(super) fn recomputations(&self) -> u64 {
        let own = self.framebuffer.recomputations() + self.vertex_buffers.recomputations();
        own + self.feedback.recomputations() + self.general.recomputations() + self.draw.recomputations()
    }

    /// The textures that draws of `program` use in several ways at once.
    pub(super) fn general(
        &mut self,
        revisions: &Revisions<Dirty>,
        bound: &Bound,
        program: Option<&Program>,
    ) -> &General {
        let find = |program| in_general(bound, program, Some(bound.framebuffer.get()));
        self.general.get(revisions, || program.map(find).unwrap_or_default())
    }
}

impl Context {
    /// Returns an error if a draw is impossible with this state.
    pub(super) fn check_draw(&mut self) -> Result<()> {
        let Context { derived: DerivedState { vertex_buffers, draw, .. }, changes, bound, current, .. } = self;
        let why = draw.get(changes.revisions(), || {
            match vertex_buffers.get(changes.revisions(), || read_buffers(bound, current)) {
                Ok(buffers) => why_unbound(bound, *buffers),
                Err(why) => Some(why.clone()),
            }
        });
        why.as_ref().map_or(Ok(()), |why| Err(Error::new(why.clone())))
    }

    /// Returns an error if the program reads an attribute without a vertex element: no pipeline can have both.
    pub(super) fn check_elements(&mut self) -> Result<()> {
        let Context { derived: DerivedState { vertex_buffers, .. }, changes, bound, current, .. } = self;
        let buffers = vertex_buffers.get(changes.revisions(), || read_buffers(bound, current));
        buffers.as_ref().map(drop).map_err(|why| Error::new(why.clone()))
    }

    /// The back end that captures the draws of the bound program: `None` if there are no captures, or transform feedback is
    /// paused.
    pub(super) fn feedback_back_end(&mut self) -> Option<BackEnd> {
        let active = self.feedback.is_active();
        let program = self.current.program.as_ref();
        *self.derived.feedback.get(self.changes.revisions(), || {
            program.filter(|program| active && !program.xfb.is_empty()).map(|program| program.captures)
        })
    }

    /// The reason why the framebuffer cannot be drawn to: GL's framebuffer completeness.
    pub(super) fn why_incomplete(&mut self) -> Option<&str> {
        let Context { derived, changes, bound, device, .. } = self;
        derived
            .framebuffer
            .get(changes.revisions(), || why_incomplete(bound.framebuffer.get(), &device.limits))
            .as_deref()
    }
}

fn why_incomplete(framebuffer: &FramebufferState, limits: &vk::PhysicalDeviceLimits) -> Option<String> {
    let samples = |surface: &Surface| surface.texture.description().samples;
    let mut surfaces = framebuffer.surfaces();
    let first = surfaces.next().map(samples);
    if surfaces.any(|surface| Some(samples(surface)) != first) {
        return Some("the framebuffer's attachments have different numbers of samples".into());
    }
    let [width, height] = Rendering::of_size(framebuffer).size;
    let fits =
        (1..=limits.max_framebuffer_width).contains(&width) && (1..=limits.max_framebuffer_height).contains(&height);
    (!fits).then(|| format!("a framebuffer of {width} x {height} is not supported"))
}

/// The mask of vertex buffers that the program reads; or the reason why it cannot.
fn read_buffers(bound: &Bound, current: &Current) -> std::result::Result<u32, String> {
    let Some(program) = &current.program else { return Ok(0) };
    let Some(elements) = bound.elements.get() else { return Ok(0) };
    let list = &elements.0.state.list;
    let read = |location: u32| program.attributes.checked_shr(location).unwrap_or(0) & 1 != 0;
    if let Some(location) = (list.len() as u32..32).find(|location| read(*location)) {
        let count = list.len();
        return Err(format!(
            "the vertex shader reads attribute {location}, but there are only {count} vertex elements"
        ));
    }
    let read = (0u32..).zip(list).filter(|(location, _)| read(*location));
    Ok(read.fold(0, |buffers, (_, element)| buffers | 1 << element.vertex_buffer_index))
}

fn why_unbound(bound: &Bound, buffers: u32) -> Option<String> {
    let is_unbound = |number: &usize| buffers >> number & 1 != 0 && bound.vertex_buffers.get(*number).is_none();
    let number = (0..MAX_VERTEX_BUFFERS).find(is_unbound)?;
    Some(format!("the vertex shader reads vertex buffer {number}, which is not bound"))
}
