// SPDX-License-Identifier: MIT

//! Reads a scene, and checks that everything that it names exists.

use super::commands::{Blit, BlockSource, Command, Draw, Probe, Set};
use super::geometry::PARTS;
use super::scene::{BufferContent, Name, Named, Or, Part, Scene};
use super::texture::Content;
use crate::diagnostics::Problem;
use crate::names::unknown;
use ntv::Place;
use std::collections::BTreeMap;
use std::ops::Range;
use toml::Spanned;

/// An error in a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SceneError {
    /// Its place in the text, in bytes; `None` if it concerns the whole.
    pub(crate) span: Option<Range<usize>>,
    /// The message.
    pub(crate) message: String,
}

impl SceneError {
    /// An error at a place in the scene.
    pub(crate) fn at<T>(spanned: &Spanned<T>, message: impl Into<String>) -> SceneError {
        SceneError { span: Some(spanned.span()), message: message.into() }
    }

    /// An error of the scene as a whole.
    pub(crate) fn whole(message: impl Into<String>) -> SceneError {
        SceneError { span: None, message: message.into() }
    }

    /// The error as a problem for the reporter.
    pub(crate) fn problem(&self, text: &str) -> Problem {
        let mut problem = Problem::new("scene", self.message.clone());
        if let Some(span) = &self.span {
            // An error at the end of a line is one of that line.
            let start = span.start.min(text.trim_end().len());
            let before = text.get(..start).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            let marked = text.get(start..span.end).unwrap_or_default().lines().next().unwrap_or_default();
            problem.place = Place {
                line: before.matches('\n').count() as u32 + 1,
                column: line.chars().count() as u32 + 1,
                len: marked.chars().count() as u32,
            };
        }
        problem
    }
}

/// The scene that `text` describes.
///
/// # Errors
/// Invalid TOML, unknown members, and names of objects that do not exist.
pub(crate) fn parse(text: &str) -> Result<Scene, Vec<SceneError>> {
    let scene: Scene = toml::from_str(text)
        .map_err(|error| vec![SceneError { span: error.span(), message: error.message().trim_end().to_string() }])?;
    let mut checker = Checker { scene: &scene, errors: Vec::new() };
    checker.declarations();
    checker.commands(&scene.setup);
    checker.commands(&scene.frame);
    match checker.errors.is_empty() {
        true => Ok(scene),
        false => Err(checker.errors),
    }
}

/// Collects the names of objects that do not exist.
struct Checker<'a> {
    scene: &'a Scene,
    errors: Vec<SceneError>,
}

impl Checker<'_> {
    fn known<T>(&mut self, what: &str, name: &Name, named: &Named<T>) {
        if !named.contains_key(name.get_ref()) {
            let message = unknown(what, name.get_ref(), named.keys().map(String::as_str));
            self.errors.push(SceneError::at(name, message));
        }
    }

    fn known_option<T>(&mut self, what: &str, name: &Option<Name>, named: &Named<T>) {
        name.iter().for_each(|name| self.known(what, name, named));
    }

    fn texture(&mut self, part: &Or<Part>, span: Range<usize>) {
        match part {
            Or::Name(name) => self.known("texture", &Spanned::new(span, name.clone()), &self.scene.textures),
            Or::Table(part) => self.known("texture", &part.texture, &self.scene.textures),
        }
    }

    fn declarations(&mut self) {
        let scene = self.scene;
        self.known("texture", &scene.picture, &scene.textures);
        for framebuffer in scene.framebuffers.values() {
            let parts = framebuffer.colors.iter().chain(&framebuffer.depth);
            parts.for_each(|part| self.texture(part.get_ref(), part.span()));
        }
        for element in scene.vertex_elements.values().flatten() {
            let Or::Name(name) = element.get_ref() else { continue };
            if !PARTS.iter().any(|part| part.0 == name) {
                let message = unknown("part of a mesh", name, PARTS.iter().map(|part| part.0));
                self.errors.push(SceneError::at(element, message));
            }
        }
        for content in scene.textures.values().filter_map(|texture| texture.content.as_ref()) {
            if let Content::Gradient(colors) | Content::Noise(super::texture::Noise { colors, .. }) = content.get_ref()
            {
                if colors.is_empty() {
                    self.errors.push(SceneError::at(content, "a colour is missing"));
                }
            }
        }
        for buffer in scene.buffers.values() {
            let size = match buffer.get_ref() {
                BufferContent::Size(size) => *size,
                BufferContent::Rows(rows) => u64::from(rows.count) * rows.f32.len() as u64,
                BufferContent::F32(list) | BufferContent::U32(list) | BufferContent::I32(list) => list.len() as u64,
            };
            if size == 0 || size > 1 << 28 {
                self.errors.push(SceneError::at(buffer, "a buffer has at least a byte, and at most 256 MiB"));
            }
        }
    }

    fn commands(&mut self, commands: &[Spanned<Command>]) {
        let scene = self.scene;
        for spanned in commands {
            match spanned.get_ref() {
                Command::Set(set) => self.set(set),
                Command::Draw(draw) => self.draw(draw, spanned),
                Command::Blit(Blit { from, to, .. }) => {
                    [from, to].into_iter().for_each(|part| self.texture(part, spanned.span()));
                }
                Command::CopyBuffer(copy) => {
                    [&copy.from, &copy.to].into_iter().for_each(|name| self.known("buffer", name, &scene.buffers));
                }
                Command::Mipmaps(name) => self.known("texture", name, &scene.textures),
                Command::Write(write) => {
                    self.known("buffer", &write.buffer, &scene.buffers);
                    self.one_of(spanned, &[("f32", write.f32.is_some()), ("u32", write.u32.is_some())]);
                }
                Command::BeginQuery(name) | Command::EndQuery(name) => self.known("query", name, &scene.queries),
                Command::BeginCapture(names) => {
                    names.iter().for_each(|name| self.known("buffer", name, &scene.buffers));
                }
                Command::Repeat(repeat) => self.commands(&repeat.commands),
                Command::Probe(probe) => self.probe(probe, spanned),
                Command::Dispatch(_) | Command::Clear(_) | Command::EndCapture(_) | Command::Barrier(_) => {}
            }
        }
    }

    /// Checks that exactly one of these members is present.
    fn one_of(&mut self, command: &Spanned<Command>, members: &[(&str, bool)]) {
        if members.iter().filter(|member| member.1).count() != 1 {
            let names: Vec<&str> = members.iter().map(|member| member.0).collect();
            self.errors.push(SceneError::at(command, format!("exactly one of {} is needed", names.join(", "))));
        }
    }

    fn set(&mut self, set: &Set) {
        let scene = self.scene;
        self.known_option("framebuffer", &set.framebuffer, &scene.framebuffers);
        self.known_option("program", &set.program, &scene.programs);
        self.known_option("vertex_elements", &set.vertex_elements, &scene.vertex_elements);
        self.known_option("blend state", &set.blend, &scene.blend);
        self.known_option("rasterizer state", &set.rasterizer, &scene.rasterizer);
        self.known_option("depth_stencil state", &set.depth_stencil, &scene.depth_stencil);
        let vertex_buffers: BTreeMap<String, ()> =
            scene.meshes.keys().chain(scene.buffers.keys()).map(|name| (name.clone(), ())).collect();
        for name in set.vertex_buffers.iter().flatten() {
            self.known("mesh or buffer", name, &vertex_buffers);
        }
        for pair in set.textures.values() {
            let [texture, sampler] = pair.get_ref().clone().map(|name| Spanned::new(pair.span(), name));
            self.known("texture", &texture, &scene.textures);
            self.known("sampler", &sampler, &scene.samplers);
        }
        for block in set.blocks.values() {
            if let BlockSource::Buffer(name) = block.get_ref() {
                self.known("buffer", &Spanned::new(block.span(), name.clone()), &scene.buffers);
            }
        }
        set.storage.values().for_each(|name| self.known("buffer", name, &scene.buffers));
        set.images.values().for_each(|part| self.texture(part.get_ref(), part.span()));
    }

    fn draw(&mut self, draw: &Draw, command: &Spanned<Command>) {
        self.known_option("mesh", &draw.mesh, &self.scene.meshes);
        self.known_option("buffer", &draw.captured, &self.scene.buffers);
        if let Some(indirect) = &draw.indirect {
            self.known("buffer", &indirect.buffer, &self.scene.buffers);
        }
        let (indirect, has_workgroups) = (draw.indirect.is_some(), draw.workgroups.is_some());
        if has_workgroups && (draw.instances, draw.first, draw.first_instance) != (1, 0, 0) {
            self.errors.push(SceneError::at(command, "a draw of workgroups has no instances and no first vertex"));
        }
        let has_others = draw.vertices.is_some() || draw.captured.is_some() || has_workgroups;
        if !indirect || draw.mesh.is_none() || has_others {
            let members = [
                ("mesh", draw.mesh.is_some()),
                ("vertices", draw.vertices.is_some()),
                ("indirect", indirect),
                ("captured", draw.captured.is_some()),
                ("workgroups", has_workgroups),
            ];
            self.one_of(command, &members);
        }
    }

    fn probe(&mut self, probe: &Probe, command: &Spanned<Command>) {
        probe.texture.iter().for_each(|part| self.texture(part, command.span()));
        self.known_option("buffer", &probe.buffer, &self.scene.buffers);
        self.known_option("query", &probe.query, &self.scene.queries);
        let members = [
            ("texture", probe.texture.is_some()),
            ("buffer", probe.buffer.is_some()),
            ("query", probe.query.is_some()),
        ];
        self.one_of(command, &members);
        if probe.texture.is_some() {
            let members = [
                ("rgba", probe.rgba.is_some()),
                ("same_as", probe.same_as.is_some()),
                ("other_than", probe.other_than.is_some()),
            ];
            self.one_of(command, &members);
        }
        if probe.buffer.is_some() {
            self.known_option("buffer", &probe.same_as_buffer, &self.scene.buffers);
            let members = [
                ("f32", probe.f32.is_some()),
                ("u32", probe.u32.is_some()),
                ("same_as_buffer", probe.same_as_buffer.is_some()),
            ];
            self.one_of(command, &members);
        }
        if probe.query.is_some() {
            self.one_of(command, &[("is", probe.is.is_some()), ("at_least", probe.at_least.is_some())]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "about = \"\"\nsize = [4, 4]\npicture = \"screen\"\n[textures.screen]\n";

    /// The first error of a scene, with its line and its column.
    fn wrong(text: &str, frame: &str) -> (u32, u32, String) {
        let text = text.replace("[textures", &format!("frame = [{frame}]\n[textures"));
        let error = parse(&text).expect_err("something is wrong").remove(0);
        let problem = error.problem(&text);
        (problem.place.line, problem.place.column, problem.message)
    }

    #[test]
    fn a_small_scene_is_fine() {
        let text = HEAD.replace("[textures", "frame = [{ clear = { color = [0, 0, 0, 1] } }]\n[textures");
        let scene = parse(&text).expect("a scene");
        assert_eq!((scene.size, scene.frame.len()), ([4, 4], 1));
    }

    #[test]
    fn errors_have_their_place() {
        assert_eq!(
            wrong(HEAD, "{ set = { progam = \"a\" } }").2.lines().next(),
            Some("unknown field `progam`, expected one of `framebuffer`, `program`, `vertex_elements`, `vertex_buffers`, \
                  `blend`, `rasterizer`, `depth_stencil`, `viewport`, `scissor`, `blend_color`, `stencil_reference`, \
                  `sample_mask`, `min_samples`, `patch_vertices`, `uniforms`, `textures`, `blocks`, `storage`, `images`")
        );
        assert_eq!(wrong(HEAD, "{ set = { progam = \"a\" } }").0, 4);
        let (line, column, message) = wrong(HEAD, "\n  { mipmaps = \"sreen\" }");
        assert_eq!((line, column), (5, 15));
        assert_eq!(message, "there is no texture `sreen`; similar names: screen");
        let (line, column, message) = wrong(HEAD, "\n  { dispatch = [\"1 +\", 1, 1] }");
        assert_eq!((line, column, message.as_str()), (5, 17, "unexpected end at character 4 of the formula"));
        let (.., message) = wrong(HEAD, "{ draw = { vertices = 3, mesh = \"none\" } }");
        assert_eq!(message, "there is no mesh `none`");
        let (.., message) = wrong(HEAD, "{ draw = { instances = 3 } }");
        assert_eq!(message, "exactly one of mesh, vertices, indirect, captured, workgroups is needed");
        let (.., message) = wrong(HEAD, "{ draw = { workgroups = [1, 1, 1], instances = 2 } }");
        assert_eq!(message, "a draw of workgroups has no instances and no first vertex");
        let (.., message) = wrong(HEAD, "{ probe = { texture = \"screen\", at = [0, 0] } }");
        assert_eq!(message, "exactly one of rgba, same_as, other_than is needed");
    }
}
