// SPDX-License-Identifier: MIT

//! The modules that other translators made of the shaders.

use crate::args::ProveArgs;
use crate::diagnostics::{count, Problem};
use crate::shaders::{Loaded, Unit};
use crate::{destination, words};
use anyhow::{bail, ensure, Result};
use ntv::ir::Stage;
use ntv_prove::module::load;
use rspirv::dr::{self, Operand};
use spirv::{ExecutionModel, MAGIC_NUMBER};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The dumps, and the module to compare with the only shader in them, if the last input is one.
pub(super) fn split(args: &ProveArgs) -> Result<(&[PathBuf], Option<&Path>)> {
    match &args.inputs[..] {
        [dumps @ .., last] if is_spirv(last) => {
            let name = last.display();
            let [_] = dumps else { bail!("{name}: a module is compared with one shader: ntv prove IN.nir OUT.spv") };
            ensure!(args.modules.is_none(), "{name}: --modules names the modules already");
            ensure!(!args.passes, "{name}: --passes proves the passes of a translation, and takes no module");
            Ok((dumps, Some(last)))
        }
        all => Ok((all, None)),
    }
}

/// Whether `path` is a file of SPIR-V, by its name or by its first word.
fn is_spirv(path: &Path) -> bool {
    let mut first = [0; 4];
    let mut starts = || File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok();
    words::form(path) == Some(words::Form::Spirv)
        || (path.is_file() && starts() && [MAGIC_NUMBER.to_le_bytes(), MAGIC_NUMBER.to_be_bytes()].contains(&first))
}

/// The file of the module of each shader; `None` if shaders are compared with their translations.
pub(super) fn files(args: &ProveArgs, module: Option<&Path>, loaded: &Loaded) -> Result<Option<Vec<PathBuf>>> {
    if let Some(module) = module {
        let (name, shaders) = (module.display(), loaded.units.len());
        ensure!(shaders == 1, "{name}: a module is compared with one shader, not with {}", count(shaders, "shader"));
        return Ok(Some(vec![module.to_path_buf()]));
    }
    let Some(folder) = &args.modules else { return Ok(None) };
    ensure!(folder.is_dir(), "{}: is not a folder; --modules takes one", folder.display());
    let name = |unit: &Unit| destination::file_name(&loaded.sources[unit.source].input, unit.number, "spv");
    Ok(Some(loaded.units.iter().map(|unit| folder.join(name(unit))).collect()))
}

/// The words in a file with a module of the same stage.
pub(super) fn read(path: &Path, stage: Stage) -> Result<Vec<u32>, Problem> {
    let named = |message: String| format!("{}: {message}", path.display());
    let malformed = |message: String| Problem::new("malformed", named(message));
    let words =
        words::read_words(path).map_err(|problem| Problem { message: named(problem.message.clone()), ..problem })?;
    if words.first() != Some(&MAGIC_NUMBER) {
        return Err(malformed("this is not SPIR-V, whose first word is 0x07230203".to_owned()));
    }
    let module = load(&words).map_err(|error| malformed(format!("this is not a module: {error}")))?;
    let models: Vec<ExecutionModel> = module.entry_points.iter().filter_map(model_of).collect();
    let model = ntv::module::ShaderStage::from(stage).execution_model();
    match models.contains(&model) {
        true => Ok(words),
        false => Err(malformed(format!("it has entry points for {models:?}, and the shader is one for {model:?}"))),
    }
}

fn model_of(entry_point: &dr::Instruction) -> Option<ExecutionModel> {
    match entry_point.operands.first() {
        Some(Operand::ExecutionModel(model)) => Some(*model),
        _ => None,
    }
}
