// SPDX-License-Identifier: MIT

//! The interface of a shader: its resources, inputs, outputs and constants, with names, types and sizes.
//!
//! Everything is read from the words of a module, so it is also there for SPIR-V of other compilers. The names of NIR, and the members
//! of its blocks, replace what the words have: ntv's words read a block as an array of vectors.

mod reads;
mod shader;
mod show;
mod types;
mod words;

use ntv::module::OPTIONS;
use ntv::{Feature, Key, Module, Options, Shader};
pub use reads::{Reads, SlotRead, SystemRead};
use rspirv::binary::ParseState;

/// The interface of a shader.
#[derive(Clone, Debug, Default)]
pub struct Reflection {
    /// NIR's name of the stage: `vertex`, `tess_ctrl` and so on.
    pub stage: &'static str,
    /// The name of the entry point.
    pub entry: String,
    /// The size of a workgroup, of stages that have them.
    pub workgroup_size: Option<[u32; 3]>,
    /// The primitives that a geometry or tessellation evaluation shader reads, by SPIR-V's name of the execution mode.
    pub primitive: Option<String>,
    /// The number of vertices of a patch that a tessellation control shader writes.
    pub patch_vertices: Option<u32>,
    /// The descriptors.
    pub resources: Vec<Resource>,
    /// The push constants.
    pub push_constants: Option<Block>,
    /// The inputs.
    pub inputs: Vec<Io>,
    /// The outputs.
    pub outputs: Vec<Io>,
    /// The specialization constants.
    pub constants: Vec<Constant>,
    /// The options that a key of `ntv variant` may have.
    pub keys: Vec<&'static str>,
    /// The features of Vulkan without which ntv cannot translate the shader; `None` for SPIR-V.
    pub features: Option<Vec<&'static str>>,
    /// What an invocation reads besides memory, by NIR's names; nothing for SPIR-V.
    pub reads: Reads,
    /// The capabilities.
    pub capabilities: Vec<String>,
    /// The extensions.
    pub extensions: Vec<String>,
}

/// The descriptors of a binding.
#[derive(Clone, Debug)]
pub struct Resource {
    /// DescriptorSet.
    pub set: u32,
    /// Binding.
    pub binding: u32,
    /// The kind, in words: `uniform buffer`.
    pub kind: &'static str,
    /// The number of descriptors; `None` if the array has no size.
    pub count: Option<u32>,
    /// The name; empty if there is none.
    pub name: String,
    /// The type of a texture or an image; empty for blocks.
    pub ty: String,
    /// The contents of a block.
    pub block: Option<Block>,
}

/// The contents of a block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The size in bytes without an array of unknown size at its end.
    pub bytes: u32,
    /// Whether such an array follows.
    pub is_open: bool,
    /// The members.
    pub members: Vec<Member>,
}

/// A member of a block.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name; empty if there is none.
    pub name: String,
    /// The type.
    pub ty: String,
    /// The offset in bytes, if it is known.
    pub offset: Option<u32>,
    /// The least number of its bytes: without the padding of an array, and without an array of unknown size.
    pub bytes: u32,
}

/// An input or output.
#[derive(Clone, Debug)]
pub struct Io {
    /// The name; empty if there is none.
    pub name: String,
    /// The type, without the array of vertices that some stages have around it.
    pub ty: String,
    /// The built-in; it has no location then.
    pub builtin: Option<String>,
    /// Location.
    pub location: u32,
    /// Component.
    pub component: u32,
    /// Index, of an output for dual-source blending.
    pub index: u32,
    /// Whether it exists per patch.
    pub patch: bool,
    /// The buffer, the stride and the offset of transform feedback.
    pub capture: Option<[u32; 3]>,
}

/// A specialization constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// SpecId.
    pub id: u32,
    /// The name; empty if there is none.
    pub name: String,
    /// The type.
    pub ty: String,
    /// The value without specialization.
    pub default: String,
}

/// The interface of SPIR-V.
pub fn of_words(words: &[u32]) -> Result<Reflection, ParseState> {
    words::reflect(words)
}

/// The interface of a module, with the keys that it takes.
pub fn of_module(module: &Module) -> Result<Reflection, ParseState> {
    let mut words = Vec::new();
    // The words without options; those of a module that refuses this have all of them.
    let is_written = module.instantiate(&Key::default(), &mut words).is_ok();
    let mut reflection = of_words(if is_written { &words } else { &module.words })?;
    reflection.keys = keys(module);
    Ok(reflection)
}

/// The options that a key for a module may have.
pub fn keys(module: &Module) -> Vec<&'static str> {
    let offered = |mask: u64| mask != 0 && module.offered & mask == mask;
    let here = OPTIONS.iter().filter(|row| row.stages & module.stage.bit() != 0 && offered(row.mask));
    here.map(|row| row.name).collect()
}

/// The interface of a shader that was translated with `options`: `read` before it was lowered, and `lowered` after it.
pub fn of_shader(
    read: &Shader,
    lowered: &Shader,
    module: &Module,
    options: &Options,
) -> Result<Reflection, ParseState> {
    let mut reflection = of_module(module)?;
    shader::name(&mut reflection, read, lowered, options);
    reflection.features = Some(features(read, options));
    reflection.reads = reads::reads(read);
    Ok(reflection)
}

/// The features of the target without which it cannot run the shader.
fn features(shader: &Shader, options: &Options) -> Vec<&'static str> {
    let is_needed = |feature: &&Feature| {
        let mut target = options.target.clone();
        target.set(**feature, false);
        options.target.has(**feature) && ntv::check::supported(shader, &target).is_err()
    };
    Feature::ALL.iter().filter(is_needed).map(|feature| feature.name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ntv::{text, EmitOptions, Translator};
    use std::collections::BTreeMap;
    use std::path::Path;

    /// The names of descriptors by set and binding, and those of inputs and outputs.
    type AllNames = (BTreeMap<(u32, u32), String>, Vec<(bool, u32, String)>);

    fn names(words: &[u32]) -> AllNames {
        let found = of_words(words).expect("an interface");
        let resources = found.resources.into_iter().map(|it| ((it.set, it.binding), it.name)).collect();
        let io = |is_output: bool, all: Vec<Io>| all.into_iter().map(move |it| (is_output, it.location, it.name));
        let mut varyings: Vec<_> = io(false, found.inputs).chain(io(true, found.outputs)).collect();
        varyings.sort();
        (resources, varyings)
    }

    fn names_of_library(words: &[u32]) -> AllNames {
        let found = ntv::import::reflect(words).expect("an interface");
        let places = found.bindings.iter().map(|binding| (binding.set, binding.binding));
        let varyings = found.varyings.iter().zip(found.varying_names);
        let mut varyings: Vec<_> = varyings
            .map(|(it, name)| (it.is_output, if it.builtin.is_some() { 0 } else { it.location }, name))
            .collect();
        varyings.sort();
        (places.zip(found.binding_names).collect(), varyings)
    }

    #[test]
    fn the_library_has_the_same_names() {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let (mut shaders, mut named) = (0, 0);
        for folder in [examples.clone(), examples.join("scenes")] {
            for file in std::fs::read_dir(folder).expect("a folder") {
                let path = file.expect("a file").path();
                if path.extension().is_none_or(|end| end != "nir") {
                    continue;
                }
                let mut shader = text::parse(&std::fs::read_to_string(&path).expect("a text")).expect("a shader");
                let options = EmitOptions::default().names(true);
                let module = Translator::default().translate(&mut shader, &options).expect("a module");
                let (resources, varyings) = names_of_library(&module.words);
                assert_eq!((&resources, &varyings), (&names(&module.words).0, &names(&module.words).1), "{path:?}");
                shaders += 1;
                named += resources.values().chain(varyings.iter().map(|it| &it.2)).filter(|it| !it.is_empty()).count();
            }
        }
        assert!(shaders > 30 && named > 100, "{shaders} shaders, {named} names");
    }
}
