// SPDX-License-Identifier: MIT

//! Makes all of a scene that needs no device: shaders, meshes, bytes of buffers, texels.

use super::commands::{Command, Set};
use super::formula::{Formula, Scope, Value};
use super::geometry::Mesh;
use super::load::{self, SceneError};
use super::program::{Kind, Program};
use super::scene::{self, BufferContent, Dimension, Levels, Named, Scene};
use super::texture::{Image, MOST_TEXELS};
use std::cell::Cell;
use std::path::Path;
use toml::Spanned;

/// A scene with its contents.
pub(crate) struct Prepared {
    pub(crate) scene: Scene,
    pub(crate) programs: Named<Program>,
    pub(crate) meshes: Named<Mesh>,
    /// The bytes of each buffer.
    pub(crate) buffers: Named<Vec<u8>>,
    pub(crate) textures: Named<Texels>,
}

/// A texture.
#[derive(Debug)]
pub(crate) struct Texels {
    /// Width, height, depth.
    pub(crate) size: [u32; 3],
    pub(crate) levels: u32,
    /// The contents of the levels, from the first; empty if the texture has none.
    pub(crate) images: Vec<Image>,
}

/// Reads a scene with its files in `folder`, and makes its contents.
pub(crate) fn prepare(text: &str, folder: &Path) -> Result<Prepared, Vec<SceneError>> {
    let scene = load::parse(text)?;
    let mut errors = Vec::new();
    let mut programs = Named::new();
    for (name, program) in &scene.programs {
        match Program::read(program, folder) {
            Ok(program) => _ = programs.insert(name.clone(), program),
            Err(own) => errors.extend(own),
        }
    }
    let mut meshes = Named::new();
    for (name, generator) in &scene.meshes {
        match generator.get_ref().mesh() {
            Ok(mesh) => _ = meshes.insert(name.clone(), mesh),
            Err(message) => errors.push(SceneError::at(generator, message)),
        }
    }
    let mut buffers = Named::new();
    for (name, content) in &scene.buffers {
        match buffer(content.get_ref(), &scope(&scene)) {
            Ok(bytes) => _ = buffers.insert(name.clone(), bytes),
            Err(message) => errors.push(SceneError::at(content, message)),
        }
    }
    let mut textures = Named::new();
    for (name, texture) in &scene.textures {
        match texels(texture, &scene, folder) {
            Ok(texels) => _ = textures.insert(name.clone(), texels),
            Err(message) => errors.push(match &texture.content {
                Some(content) => SceneError::at(content, message),
                None => SceneError::whole(format!("the texture `{name}`: {message}")),
            }),
        }
    }
    if errors.is_empty() {
        let mut current = None;
        bindings(&scene.setup, &programs, &mut current, &mut errors);
        bindings(&scene.frame, &programs, &mut current, &mut errors);
    }
    match errors.is_empty() {
        true => Ok(Prepared { scene, programs, meshes, buffers, textures }),
        false => Err(errors),
    }
}

/// The values of names in formulas before the first frame.
pub(crate) fn scope(scene: &Scene) -> Scope<'_> {
    let mut scope = Scope::new(Some(&scene.values));
    let [width, height] = scene.size.map(f64::from);
    scope.variables = vec![("time", 0.0), ("frame", 0.0), ("width", width), ("height", height)];
    scope.set("aspect", width / height);
    scope
}

/// Checks that programs have the names that the scene binds.
fn bindings<'a>(
    commands: &'a [Spanned<Command>],
    programs: &Named<Program>,
    current: &mut Option<&'a str>,
    errors: &mut Vec<SceneError>,
) {
    for command in commands {
        match command.get_ref() {
            Command::Repeat(repeat) => bindings(&repeat.commands, programs, current, errors),
            Command::Set(set) => {
                *current = set.program.as_ref().map(|name| name.get_ref().as_str()).or(*current);
                let program = current.and_then(|name| programs.get(name));
                errors.extend(
                    wrong_names(set, program)
                        .into_iter()
                        .map(|(span, message)| SceneError { span: Some(span), message }),
                );
            }
            Command::Draw(_) | Command::Dispatch(_) => {
                let program = current.and_then(|name| programs.get(name));
                let dispatches = matches!(command.get_ref(), Command::Dispatch(_));
                let has_workgroups = matches!(command.get_ref(), Command::Draw(draw) if draw.workgroups.is_some());
                match program {
                    None => errors.push(SceneError::at(command, "no program is set")),
                    Some(program) if program.is_compute() != dispatches => {
                        let message = "a draw needs a vertex shader, and a dispatch needs a compute shader";
                        errors.push(SceneError::at(command, message));
                    }
                    Some(program) if !dispatches && program.has_meshes() != has_workgroups => {
                        let message = "a draw of workgroups needs a mesh shader, and any other draw a vertex shader";
                        errors.push(SceneError::at(command, message));
                    }
                    Some(_) => {}
                }
            }
            _ => {}
        }
    }
}

/// Names that `set` binds and `program` does not have.
fn wrong_names(set: &Set, program: Option<&Program>) -> Vec<(std::ops::Range<usize>, String)> {
    let uniforms = set.uniforms.iter().map(|(name, to)| (Kind::Uniform(0, ntv::op::Base::Float), name, to.span()));
    let textures = set.textures.iter().map(|(name, to)| (Kind::Texture, name, to.span()));
    let blocks = set.blocks.iter().map(|(name, to)| (Kind::Block, name, to.span()));
    let storage = set.storage.iter().map(|(name, to)| (Kind::Storage, name, to.span()));
    let images = set.images.iter().map(|(name, to)| (Kind::Image, name, to.span()));
    let all = uniforms.chain(textures).chain(blocks).chain(storage).chain(images);
    let wrong = |(kind, name, span): (Kind, &String, std::ops::Range<usize>)| match program {
        None => Some((span, "no program is set".to_string())),
        Some(program) => program.find(kind, name).err().map(|message| (span, message)),
    };
    all.filter_map(wrong).collect()
}

/// The numbers of some formulas, one after the other.
pub(crate) fn numbers(formulas: &[Formula], scope: &Scope<'_>) -> Result<Vec<f64>, String> {
    let values: Vec<Value> = formulas.iter().map(|formula| formula.value(scope)).collect::<Result<_, _>>()?;
    Ok(values.iter().flat_map(Value::numbers).collect())
}

/// Floats as bytes.
pub(crate) fn float_bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect()
}

/// Integers as bytes, signed or unsigned.
pub(crate) fn integer_bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| (*number as i64 as u32).to_le_bytes()).collect()
}

fn buffer(content: &BufferContent, scope: &Scope<'_>) -> Result<Vec<u8>, String> {
    match content {
        BufferContent::Size(size) => Ok(vec![0; *size as usize]),
        BufferContent::F32(list) => Ok(float_bytes(&numbers(list, scope)?)),
        BufferContent::U32(list) | BufferContent::I32(list) => Ok(integer_bytes(&numbers(list, scope)?)),
        BufferContent::Rows(rows) => {
            let mut own = Scope { random: Cell::new(rows.seed.wrapping_mul(1 << 32)), ..Scope::new(scope.values) };
            own.variables.clone_from(&scope.variables);
            own.set("count", f64::from(rows.count));
            let mut bytes = Vec::new();
            for i in 0..rows.count {
                own.set("i", f64::from(i));
                bytes.extend(float_bytes(&numbers(&rows.f32, &own)?));
            }
            Ok(bytes)
        }
    }
}

fn texels(texture: &scene::Texture, scene: &Scene, folder: &Path) -> Result<Texels, String> {
    let own = match &texture.content {
        Some(content) => content.get_ref().own_size(folder)?,
        None => None,
    };
    let [width, height, depth] = match texture.size[..] {
        [] => {
            let [width, height] = own.unwrap_or(scene.size);
            [width, height, 1]
        }
        [width, height] => [width, height, 1],
        [width, height, depth] if texture.dimension == Dimension::Three => [width, height, depth],
        _ => return Err("its size must be a width and a height, and in three dimensions a depth".to_string()),
    };
    let size = [width, height, depth];
    let all = size.iter().fold(u64::from(texture.layers), |all, edge| all.saturating_mul((*edge).into()));
    if all == 0 || all > MOST_TEXELS {
        return Err(format!("{all} texels; a texture has 1 to {MOST_TEXELS}"));
    }
    let most = width.max(height).max(depth).ilog2() + 1;
    let levels = match texture.levels {
        Levels::One => 1,
        Levels::Number(levels) if levels <= most => levels,
        Levels::Number(levels) => return Err(format!("{levels} levels; a texture of this size has at most {most}")),
        Levels::All => most,
    };
    let mut images = Vec::new();
    if let Some(content) = &texture.content {
        if own.is_some_and(|own| own != [width, height]) {
            return Err("its size is not the size of its content".to_string());
        }
        if texture.dimension != Dimension::Two || texture.layers != 1 || texture.samples != 1 {
            return Err("only 2d textures of one layer and one sample are generated".to_string());
        }
        images.push(content.get_ref().image([width, height], folder)?);
        while images.len() < levels as usize {
            images.extend(images.last().map(Image::halved));
        }
    }
    Ok(Texels { size, levels, images })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn scenes() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/scenes")
    }

    /// The first error of `text`.
    fn wrong(text: &str) -> String {
        prepare(text, &scenes()).err().expect("something is wrong").remove(0).message
    }

    #[test]
    fn the_scene_in_the_guide_is_one() {
        let guide = include_str!("../../../docs/scenes.md");
        let scene = guide.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a scene");
        let prepared = prepare(scene, &scenes()).unwrap_or_else(|errors| panic!("{errors:?}"));
        assert_eq!((prepared.programs.len(), prepared.textures["squares"].images.len()), (2, 7));
        let twice = scene.replace("gloss = 40", "glos = 40");
        assert_eq!(wrong(&twice), "there is no uniform `glos`; similar names: gloss");
        let other = scene.replace("\"surface.vert.nir\", ", "");
        assert!(wrong(&other).starts_with("there is no uniform `camera`"), "{}", wrong(&other));
    }

    #[test]
    fn examples_are_scenes() {
        let mut count = 0;
        for entry in std::fs::read_dir(scenes()).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                let text = std::fs::read_to_string(&path).expect("a text");
                let errors = prepare(&text, &scenes()).err().unwrap_or_default();
                assert!(errors.is_empty(), "{}: {errors:?}", path.display());
                count += 1;
            }
        }
        assert!(count >= 11, "{count} scenes");
    }

    #[test]
    fn rows_follow_from_their_seed() {
        let rows = |seed: u64| {
            let text = format!(
                "about = \"\"\nsize = [4, 4]\npicture = \"screen\"\nframe = []\n[textures]\nscreen = {{}}\n[buffers]\n\
                 rows = {{ rows = {{ count = 3, seed = {seed}, f32 = [\"i / count\", \"random(0, 1)\"] }} }}"
            );
            prepare(&text, &scenes()).unwrap_or_else(|errors| panic!("{errors:?}")).buffers["rows"].clone()
        };
        assert_eq!(rows(1), rows(1));
        assert_ne!(rows(1), rows(2));
        assert_eq!(rows(1)[16..20], (2.0f32 / 3.0).to_le_bytes());
    }
}
