// SPDX-License-Identifier: MIT

//! The contents of commands and objects as words: numbers unchanged, floats by their bits, the targets of pointers, and objects
//! by numbers for their contents.
//!
//! So two objects that were created from equal structs have equal words, in every run. An array consists of its elements; its
//! length is a word of its own where it is a field or an argument. An empty chain has no words, so that `vkCmdCopyBuffer` and
//! `vkCmdCopyBuffer2` have the same words.

mod descriptor;
mod pipeline;
mod render;
mod structs;

use crate::command::Recorded;
use crate::descriptor::slice;
use crate::object::{hash, Content, Object};
use crate::State;
use ash::vk;
use ash::vk::Handle;
use std::ffi::{c_char, c_void, CStr};

pub use descriptor::BY_CONTENT;
pub(crate) use descriptor::{BoundSets, Pushed, PushedByTemplate, VertexBuffers};
pub(crate) use pipeline::{code, graphics_parts, Stage};
pub(crate) use render::ATTACHMENT;

/// Writes words.
pub(crate) struct Encoder<'a> {
    pub(crate) state: &'a mut State,
    /// The called function, for messages.
    pub(crate) call: &'static str,
    pub(crate) words: Vec<u64>,
    /// Structs of chains that are left out.
    ignored: Vec<vk::StructureType>,
    /// The recording to which the objects of a command are added.
    recorded: Option<&'a mut Recorded>,
}

/// A type that can be written as words.
pub(crate) trait Encode {
    /// Writes the words.
    ///
    /// # Safety
    /// The pointers in it are valid, as Vulkan requires.
    unsafe fn encode(&self, encoder: &mut Encoder<'_>);
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(state: &'a mut State, call: &'static str) -> Encoder<'a> {
        Encoder { state, call, words: Vec::new(), ignored: Vec::new(), recorded: None }
    }

    /// An encoder of a command, which adds its objects to `recorded`.
    pub(crate) fn of_command(state: &'a mut State, call: &'static str, recorded: &'a mut Recorded) -> Encoder<'a> {
        Encoder { state, call, words: Vec::new(), ignored: Vec::new(), recorded: Some(recorded) }
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.words.push(word);
    }

    /// Writes the number of an object; 0 for null.
    pub(crate) fn handle<T: Object>(&mut self, handle: T) {
        let word = if handle.is_null() { 0 } else { self.content(handle) };
        self.word(word);
    }

    /// The number that represents an object; reports a message if the handle is invalid.
    pub(crate) fn content<T: Object>(&mut self, handle: T) -> u64 {
        match self.state.objects.content(T::TYPE, handle.as_raw()) {
            Ok(content) => {
                self.note(T::TYPE, handle.as_raw());
                content
            }
            Err(bad) => {
                self.state.bad(self.call, T::TYPE, bad);
                u64::MAX
            }
        }
    }

    /// Records that the command uses an object, and the objects that this one needs.
    fn note(&mut self, kind: vk::ObjectType, raw: u64) {
        let Some(recorded) = &mut self.recorded else { return };
        let known = !recorded.uses.insert((kind, raw));
        if known {
            return;
        }
        for (kind, raw) in self.state.needs(kind, raw) {
            self.note(kind, raw);
        }
    }

    /// Writes a chain, sorted by types.
    ///
    /// # Safety
    /// The chain is valid.
    unsafe fn chain(&mut self, chain: *const c_void) {
        let mut links: Vec<(i32, Vec<u64>)> = Vec::new();
        let mut head = chain.cast::<vk::BaseInStructure<'_>>();
        while !head.is_null() {
            // SAFETY: every struct of a chain begins with its type and the next.
            let (kind, next) = unsafe { ((*head).s_type, (*head).p_next) };
            if self.ignored.contains(&kind) {
                head = next;
                continue;
            }
            let before = std::mem::take(&mut self.words);
            // SAFETY: the structure type gives the Rust type.
            let known = unsafe { structs::link(self, kind, head.cast()) };
            let words = std::mem::replace(&mut self.words, before);
            match known {
                structs::Link::Known => links.push((kind.as_raw(), words)),
                structs::Link::Elsewhere => {}
                structs::Link::Unknown => self.state.report(format!("{}: {kind:?} is not supported", self.call)),
            }
            head = next;
        }
        links.sort();
        for (kind, words) in links {
            self.word(kind as u64);
            self.words.extend(words);
        }
    }
}

impl State {
    /// The log's name of an object with the contents that `write` writes.
    pub(crate) fn content(&mut self, call: &'static str, write: impl FnOnce(&mut Encoder<'_>)) -> Content {
        if !self.checks {
            return Content::Order;
        }
        let mut encoder = Encoder::new(self, call);
        write(&mut encoder);
        Content::Hash(hash(encoder.words))
    }

    /// The objects that an object cannot be used without.
    fn needs(&self, kind: vk::ObjectType, raw: u64) -> Vec<(vk::ObjectType, u64)> {
        fn of<T: Object>(handle: T) -> (vk::ObjectType, u64) {
            (T::TYPE, handle.as_raw())
        }
        let objects = &self.objects;
        match kind {
            vk::ObjectType::BUFFER => {
                let place = objects.get(vk::Buffer::from_raw(raw)).ok().and_then(|buffer| buffer.place.as_ref());
                place.map(|place| of(place.memory)).into_iter().collect()
            }
            vk::ObjectType::IMAGE => {
                let place = objects.get(vk::Image::from_raw(raw)).ok().and_then(|image| image.place.as_ref());
                place.map(|place| of(place.memory)).into_iter().collect()
            }
            vk::ObjectType::IMAGE_VIEW => {
                objects.get(vk::ImageView::from_raw(raw)).map(|image| of(*image)).into_iter().collect()
            }
            vk::ObjectType::BUFFER_VIEW => {
                objects.get(vk::BufferView::from_raw(raw)).map(|buffer| of(*buffer)).into_iter().collect()
            }
            vk::ObjectType::FRAMEBUFFER => {
                let views = objects.get(vk::Framebuffer::from_raw(raw)).map(Vec::as_slice).unwrap_or_default();
                views.iter().map(|view| of(*view)).collect()
            }
            _ => Vec::new(),
        }
    }
}

macro_rules! numbers {
    ($($ty:ty as |$value:ident| $word:expr;)*) => {$(
        impl Encode for $ty {
            unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
                let $value = *self;
                encoder.word($word);
            }
        }
    )*};
}

numbers! {
    u16 as |value| value.into();
    u32 as |value| value.into();
    i32 as |value| u64::from(value as u32);
    u64 as |value| value;
    f32 as |value| u64::from(value.to_bits());
}

/// Enums and flags of 32 bits.
macro_rules! enums {
    ($($ty:ident)*) => {$(
        impl Encode for vk::$ty {
            unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.word(u64::from(self.as_raw() as u32));
            }
        }
    )*};
}

enums! {
    AccessFlags AttachmentDescriptionFlags AttachmentLoadOp AttachmentStoreOp BlendFactor BlendOp BlendOverlapEXT BorderColor
    ColorComponentFlags CompareOp ComponentSwizzle ConditionalRenderingFlagsEXT ConservativeRasterizationModeEXT CullModeFlags
    DependencyFlags DescriptorBindingFlags DescriptorSetLayoutCreateFlags DescriptorType DiscardRectangleModeEXT DynamicState Filter
    Format FramebufferCreateFlags FrontFace ImageAspectFlags ImageCreateFlags ImageLayout ImageUsageFlags ImageViewCreateFlags
    ImageViewType IndexType LineRasterizationModeKHR LogicOp PipelineBindPoint PipelineColorBlendStateCreateFlags
    PipelineDepthStencilStateCreateFlags PipelineLayoutCreateFlags PipelineShaderStageCreateFlags PipelineStageFlags PolygonMode
    PrimitiveTopology ProvokingVertexModeEXT QueryControlFlags QueryResultFlags RenderPassCreateFlags RenderingFlags ResolveModeFlags
    SampleCountFlags SamplerAddressMode SamplerCreateFlags SamplerMipmapMode SamplerReductionMode ShaderStageFlags StencilFaceFlags
    StencilOp SubpassContents SubpassDescriptionFlags TessellationDomainOrigin VertexInputRate
}

macro_rules! wide_flags {
    ($($ty:ident)*) => {$(
        impl Encode for vk::$ty {
            unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.word(self.as_raw());
            }
        }
    )*};
}

wide_flags! { AccessFlags2 PipelineStageFlags2 }

macro_rules! handles {
    ($($ty:ident)*) => {$(
        impl Encode for vk::$ty {
            unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
                encoder.handle(*self);
            }
        }
    )*};
}

handles! {
    Buffer DescriptorSetLayout Event Framebuffer Image ImageView QueryPool RenderPass Sampler
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe { self.as_slice().encode(encoder) };
    }
}

impl<T: Encode> Encode for [T] {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        for element in self {
            // SAFETY: the caller guarantees it.
            unsafe { element.encode(encoder) };
        }
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe { (**self).encode(encoder) };
    }
}

/// Writes nothing.
impl Encode for () {
    unsafe fn encode(&self, _: &mut Encoder<'_>) {}
}

/// An optional struct: whether it exists, and then the struct.
impl<T: Encode> Encode for *const T {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        let value = unsafe { self.as_ref() };
        encoder.word(value.is_some().into());
        if let Some(value) = value {
            // SAFETY: the caller guarantees it.
            unsafe { value.encode(encoder) };
        }
    }
}

/// A chain.
impl Encode for *const c_void {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe { encoder.chain(*self) };
    }
}

/// A chain.
impl Encode for *mut c_void {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        unsafe { encoder.chain(self.cast_const()) };
    }
}

/// An optional array: whether it exists, and then its elements.
pub(crate) struct Optional<T>(pub(crate) *const T, pub(crate) u32);

impl<T: Encode> Encode for Optional<T> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.word((!self.0.is_null()).into());
        // SAFETY: the caller guarantees it.
        unsafe { slice(self.0, self.1).encode(encoder) };
    }
}

/// Bytes, each a word.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl Encode for Bytes<'_> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.words.extend(self.0.iter().copied().map(u64::from));
    }
}

/// A C string, as one word.
pub(crate) struct Text(pub(crate) *const c_char);

impl Encode for Text {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        // SAFETY: the caller guarantees it.
        let text = if self.0.is_null() { &[] } else { unsafe { CStr::from_ptr(self.0) }.to_bytes() };
        encoder.word(hash(text.iter().copied().map(u64::from)));
    }
}

/// Structs with a stride in bytes.
pub(crate) struct Strided<T>(pub(crate) *const T, pub(crate) u32, pub(crate) u32);

impl<T: Encode> Encode for Strided<T> {
    unsafe fn encode(&self, encoder: &mut Encoder<'_>) {
        for i in 0..self.1 as usize {
            // SAFETY: the caller guarantees it.
            unsafe { (*self.0.byte_add(i * self.2 as usize)).encode(encoder) };
        }
    }
}
