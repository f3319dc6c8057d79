// SPDX-License-Identifier: MIT

//! The objects of a scene on the device.

use super::convert;
use crate::draw::commands::Command;
use crate::draw::geometry::{PARTS, STRIDE};
use crate::draw::load::SceneError;
use crate::draw::prepare::Prepared;
use crate::draw::program;
use crate::draw::scene::{Element, Named, Or, Part};
use crate::draw::texel;
use ntv_driver::context::{
    Blend, Context, DepthStencilAlpha, Elements, FramebufferState, Query, Rasterizer, Region, StreamOutputTarget,
    VertexElement,
};
use ntv_driver::program::{ProgramOptions, Shader};
use ntv_driver::resource::{Bind, Buffer, Sampler, Surface, Texture, TextureDescription};
use ntv_driver::vk;
use std::collections::BTreeSet;
use std::sync::Arc;
use toml::Spanned;

/// A mesh on the device.
pub(super) struct Mesh {
    pub(super) vertices: Arc<Buffer>,
    pub(super) indices: Arc<Buffer>,
    pub(super) count: u32,
}

/// All objects with names.
#[derive(Default)]
pub(super) struct Objects {
    pub(super) programs: Named<Vec<Arc<Shader>>>,
    pub(super) meshes: Named<Mesh>,
    pub(super) buffers: Named<Arc<Buffer>>,
    pub(super) textures: Named<Arc<Texture>>,
    pub(super) samplers: Named<Arc<Sampler>>,
    pub(super) framebuffers: Named<FramebufferState>,
    pub(super) elements: Named<Elements>,
    pub(super) blend: Named<Blend>,
    pub(super) rasterizer: Named<Rasterizer>,
    pub(super) depth_stencil: Named<DepthStencilAlpha>,
    pub(super) queries: Named<Arc<Query>>,
    /// The targets of buffers that were captured to.
    pub(super) targets: Named<Arc<StreamOutputTarget>>,
}

/// The error of the object `name`.
fn wrong(what: &str, name: &str, error: &dyn std::fmt::Display) -> SceneError {
    SceneError::whole(format!("the {what} `{name}`: {error}"))
}

impl Objects {
    /// Makes all objects of a scene.
    pub(super) fn new(context: &mut Context, prepared: &Prepared) -> Result<Objects, SceneError> {
        let mut objects = Objects::default();
        objects.resources(context, prepared)?;
        objects.states(context, prepared)?;
        for (name, program) in &prepared.programs {
            let shaders = link(context, program, &prepared.scene.programs[name])
                .map_err(|error| wrong("program", name, &error))?;
            objects.programs.insert(name.clone(), shaders);
        }
        Ok(objects)
    }

    fn resources(&mut self, context: &mut Context, prepared: &Prepared) -> Result<(), SceneError> {
        for (name, mesh) in &prepared.meshes {
            let made = (|| {
                let vertices = context.create_buffer_with(&mesh.vertex_bytes())?;
                let indices = context.create_buffer_with(&mesh.index_bytes())?;
                Ok(Mesh { vertices, indices, count: mesh.indices.len() as u32 })
            })();
            let made = made.map_err(|error: ntv_driver::Error| wrong("mesh", name, &error))?;
            self.meshes.insert(name.clone(), made);
        }
        for (name, bytes) in &prepared.buffers {
            let buffer = context.create_buffer_with(bytes).map_err(|error| wrong("buffer", name, &error))?;
            self.buffers.insert(name.clone(), buffer);
        }
        let uses = Uses::of(prepared);
        for name in prepared.textures.keys() {
            let texture = texture(context, prepared, name, &uses)?;
            self.textures.insert(name.clone(), texture);
        }
        for (name, sampler) in &prepared.scene.samplers {
            let made = context.create_sampler_state(&convert::sampler(sampler));
            self.samplers.insert(name.clone(), made.map_err(|error| wrong("sampler", name, &error))?);
        }
        for (name, kind) in &prepared.scene.queries {
            let query = context.create_query(convert::query(*kind)).map_err(|error| wrong("query", name, &error))?;
            self.queries.insert(name.clone(), query);
        }
        Ok(())
    }

    fn states(&mut self, context: &mut Context, prepared: &Prepared) -> Result<(), SceneError> {
        let scene = &prepared.scene;
        for (name, framebuffer) in &scene.framebuffers {
            let surface = |part: &Spanned<Or<Part>>| self.surface(part.get_ref());
            let state = FramebufferState {
                colors: framebuffer.colors.iter().map(|part| Some(surface(part))).collect(),
                depth_stencil: framebuffer.depth.as_ref().map(surface),
                orientation: convert::orientation(&framebuffer.orientation),
                ..FramebufferState::default()
            };
            self.framebuffers.insert(name.clone(), state);
        }
        for (name, elements) in &scene.vertex_elements {
            let list: Vec<VertexElement> = elements.iter().map(element).collect::<Result<_, _>>()?;
            let made = context.create_vertex_elements_state(&list);
            self.elements.insert(name.clone(), made.map_err(|error| wrong("list of elements", name, &error))?);
        }
        for (name, state) in &scene.blend {
            let state = convert::blend(state).map_err(|error| wrong("blend state", name, &error))?;
            self.blend.insert(name.clone(), context.create_blend_state(&state));
        }
        for (name, state) in &scene.rasterizer {
            let made = context.create_rasterizer_state(&convert::rasterizer(state));
            self.rasterizer.insert(name.clone(), made);
        }
        for (name, state) in &scene.depth_stencil {
            let made = context.create_depth_stencil_alpha_state(&convert::depth_stencil(state));
            self.depth_stencil.insert(name.clone(), made);
        }
        Ok(())
    }

    /// The texture of a part, which is known to exist, its level and its layer.
    pub(super) fn part(&self, part: &Or<Part>) -> (Arc<Texture>, u32, u32) {
        match part {
            Or::Name(name) => (Arc::clone(&self.textures[name]), 0, 0),
            Or::Table(part) => (Arc::clone(&self.textures[part.texture.get_ref()]), part.level, part.layer),
        }
    }

    fn surface(&self, part: &Or<Part>) -> Surface {
        let (texture, level, layer) = self.part(part);
        Surface { level, layers: [layer, 1], ..Surface::new(&texture) }
    }

    /// A level and a layer of a texture as a region.
    pub(super) fn region(&self, part: &Or<Part>) -> (Arc<Texture>, Region) {
        let (texture, level, layer) = self.part(part);
        let mut region = Region::of_level(&texture, level);
        if texture.description().layers > 1 {
            (region.offset[2], region.size[2]) = (layer, 1);
        }
        (texture, region)
    }
}

/// A vertex element: a part of a mesh, which is in vertex buffer 0, or any other element.
fn element(element: &Spanned<Or<Element>>) -> Result<VertexElement, SceneError> {
    let name = match element.get_ref() {
        Or::Table(table) => return convert::element(table).map_err(|error| SceneError::at(element, error)),
        Or::Name(name) => name,
    };
    let (_, src_offset, floats) = *PARTS.iter().find(|part| part.0 == name).unwrap_or(&PARTS[0]);
    let src_format = if floats == 2 { vk::Format::R32G32_SFLOAT } else { vk::Format::R32G32B32_SFLOAT };
    Ok(VertexElement { vertex_buffer_index: 0, src_offset, src_stride: STRIDE, src_format, instance_divisor: 0 })
}

/// Makes the shaders of a program, and links them.
fn link(
    context: &mut Context,
    program: &program::Program,
    scene: &crate::draw::scene::Program,
) -> Result<Vec<Arc<Shader>>, ntv_driver::Error> {
    let shaders = program.shaders.iter().map(|(_, shader)| context.create_shader(shader.clone()));
    let shaders: Vec<Arc<Shader>> = shaders.collect::<Result<_, _>>()?;
    let options = ProgramOptions {
        classes: program.classes.iter().map(|(block, class)| (format!("ubo{block}"), *class)).collect(),
        inline_uniforms: scene.inline_uniforms,
        captures: program.back_end,
        names: scene.names,
        ..ProgramOptions::default()
    };
    context.link_program(&shaders, &options)?;
    Ok(shaders)
}

/// The names of textures that are drawn to, that are images, and that are sampled.
#[derive(Default)]
struct Uses {
    drawn: BTreeSet<String>,
    images: BTreeSet<String>,
    sampled: BTreeSet<String>,
}

impl Uses {
    fn of(prepared: &Prepared) -> Uses {
        let mut uses = Uses::default();
        let framebuffers = prepared.scene.framebuffers.values();
        let parts = framebuffers.flat_map(|framebuffer| framebuffer.colors.iter().chain(&framebuffer.depth));
        uses.drawn.extend(parts.map(|part| name(part.get_ref())));
        uses.add(&prepared.scene.setup);
        uses.add(&prepared.scene.frame);
        uses
    }

    fn add(&mut self, commands: &[Spanned<Command>]) {
        for command in commands {
            match command.get_ref() {
                Command::Repeat(repeat) => self.add(&repeat.commands),
                Command::Set(set) => {
                    self.images.extend(set.images.values().map(|part| name(part.get_ref())));
                    self.sampled.extend(set.textures.values().map(|pair| pair.get_ref()[0].clone()));
                }
                _ => {}
            }
        }
    }
}

fn name(part: &Or<Part>) -> String {
    match part {
        Or::Name(name) => name.clone(),
        Or::Table(part) => part.texture.get_ref().clone(),
    }
}

fn texture(context: &mut Context, prepared: &Prepared, name: &str, uses: &Uses) -> Result<Arc<Texture>, SceneError> {
    let (texels, scene) = (&prepared.textures[name], &prepared.scene.textures[name]);
    let format = convert::format(scene.format.get_ref()).map_err(|error| SceneError::at(&scene.format, error))?;
    let has_depth = scene.format.get_ref().starts_with('d') || scene.format.get_ref().starts_with('s');
    let mut bind = Bind::empty();
    let drawn = if has_depth { Bind::DEPTH_STENCIL } else { Bind::RENDER_TARGET };
    bind.set(drawn, uses.drawn.contains(name));
    bind.set(Bind::SHADER_IMAGE, uses.images.contains(name));
    bind.set(Bind::SAMPLER_VIEW, uses.sampled.contains(name));
    let description = TextureDescription {
        target: convert::target(scene.dimension),
        format,
        size: texels.size,
        layers: scene.layers,
        levels: texels.levels,
        samples: scene.samples,
        bind,
    };
    let texture = context.create_texture(description).map_err(|error| wrong("texture", name, &error))?;
    for (level, image) in (0..).zip(&texels.images) {
        let bytes =
            texel::encode(&image.texels, scene.format.get_ref()).map_err(|error| wrong("texture", name, &error))?;
        let region = Region::of_level(&texture, level);
        context.texture_subdata(&texture, region, &bytes).map_err(|error| wrong("texture", name, &error))?;
    }
    Ok(texture)
}
