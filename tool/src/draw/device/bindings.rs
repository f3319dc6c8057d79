// SPDX-License-Identifier: MIT

//! Bindings of programs by names: a program keeps them, as in GL, and they are applied to the context when the program is set.

use super::objects::Objects;
use crate::draw::program::{Kind, Program, Symbol};
use ntv::module::ShaderStage;
use ntv::op::Base;
use ntv_driver::context::{BufferRange, ConstantBuffer, Context};
use ntv_driver::resource::{ImageView, SamplerView};
use ntv_driver::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::draw::scene::{Or, Part};

/// A binding of a name of a program.
#[derive(Clone)]
pub(super) enum Bound {
    /// A texture and a sampler.
    Texture([String; 2]),
    /// A buffer as a uniform block.
    Block(String),
    /// Bytes as a uniform block.
    Bytes(Vec<u8>),
    /// A buffer as a storage block.
    Storage(String),
    Image(Or<Part>),
}

/// The bindings of a program.
#[derive(Default)]
pub(super) struct Bindings {
    /// The bytes of constant buffer 0 of each stage.
    uniforms: BTreeMap<usize, Vec<u8>>,
    bound: BTreeMap<(usize, u8, u32), (ShaderStage, Bound)>,
}

/// A number for each class of slots.
fn class(bound: &Bound) -> u8 {
    match bound {
        Bound::Texture(_) => 0,
        Bound::Block(_) | Bound::Bytes(_) => 1,
        Bound::Storage(_) => 2,
        Bound::Image(_) => 3,
    }
}

impl Bindings {
    /// The bindings of `program` before any is set: uniforms are 0.
    pub(super) fn new(program: &Program) -> Bindings {
        let bytes = |stage: &ShaderStage| (*stage as usize, vec![0; 4 * program.uniform_words(*stage) as usize]);
        let has = |stage: &ShaderStage| program.uniform_words(*stage) != 0;
        Bindings {
            uniforms: ShaderStage::ALL.iter().filter(|stage| has(stage)).map(bytes).collect(),
            ..Bindings::default()
        }
    }

    /// Sets a uniform. Missing numbers are 0.
    pub(super) fn set_uniform(&mut self, symbol: &Symbol, numbers: &[f64]) {
        let Kind::Uniform(words, base) = symbol.kind else { return };
        let Some(bytes) = self.uniforms.get_mut(&(symbol.stage as usize)) else { return };
        for (at, word) in (symbol.at..symbol.at + words).enumerate() {
            let number = numbers.get(at).copied().unwrap_or(0.0);
            let bits = match base {
                Base::Float => (number as f32).to_bits(),
                Base::Bool => u32::from(number != 0.0),
                _ => number as i64 as u32,
            };
            let start = 4 * word as usize;
            bytes[start..start + 4].copy_from_slice(&bits.to_le_bytes());
        }
    }

    /// Applies the stage's uniforms to the context.
    pub(super) fn apply_uniforms(&self, context: &mut Context, stage: ShaderStage) -> Result<()> {
        match self.uniforms.get(&(stage as usize)) {
            Some(bytes) => context.set_constant_buffer(stage, 0, Some(ConstantBuffer::User(bytes.clone()))),
            None => Ok(()),
        }
    }

    /// Binds now, and whenever the program is set.
    pub(super) fn bind(
        &mut self,
        context: &mut Context,
        objects: &Objects,
        symbol: &Symbol,
        bound: Bound,
    ) -> Result<()> {
        apply(context, objects, (symbol.stage, symbol.at), &bound)?;
        self.bound.insert((symbol.stage as usize, class(&bound), symbol.at), (symbol.stage, bound));
        Ok(())
    }

    /// Applies all bindings of the program to the context.
    pub(super) fn apply(&self, context: &mut Context, objects: &Objects) -> Result<()> {
        for stage in ShaderStage::ALL {
            self.apply_uniforms(context, stage)?;
        }
        for ((_, _, at), (stage, bound)) in &self.bound {
            apply(context, objects, (*stage, *at), bound)?;
        }
        Ok(())
    }
}

fn apply(context: &mut Context, objects: &Objects, (stage, at): (ShaderStage, u32), bound: &Bound) -> Result<()> {
    let at = at as usize;
    match bound {
        Bound::Texture([texture, sampler]) => {
            context.set_sampler_views(stage, at, &[Some(SamplerView::whole(&objects.textures[texture]))])?;
            context.bind_sampler_states(stage, at, &[Some(Arc::clone(&objects.samplers[sampler]))])
        }
        Bound::Block(buffer) => {
            let range = BufferRange::whole(&objects.buffers[buffer]);
            context.set_constant_buffer(stage, at, Some(ConstantBuffer::Buffer(range)))
        }
        Bound::Bytes(bytes) => context.set_constant_buffer(stage, at, Some(ConstantBuffer::User(bytes.clone()))),
        Bound::Storage(buffer) => {
            context.set_shader_buffers(stage, at, &[Some(BufferRange::whole(&objects.buffers[buffer]))])
        }
        Bound::Image(part) => {
            let (texture, level, layer) = objects.part(part);
            let single_layer = texture.description().layers > 1;
            let layers = if single_layer { [layer, 1] } else { [0, 1] };
            let format = texture.description().format;
            context.set_shader_images(
                stage,
                at,
                &[Some(ImageView::Texture { texture, format, level, layers, single_layer })],
            )
        }
    }
}
