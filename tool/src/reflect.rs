// SPDX-License-Identifier: MIT

//! `ntv reflect`: the interface of each shader and module.

use crate::args::ReflectArgs;
use crate::diagnostics::{problems, Problem, Reporter};
use crate::inputs::Input;
use crate::shaders::{each, load, require_blocks, Unit};
use crate::words::{self, Form};
use crate::{destination, inputs, AllFine};
use anyhow::Result;
use ntv::{EmitOptions, Options};
use ntv_report::reflect::{keys, of_module, of_shader, of_words, Reflection};
use serde_json::json;

/// The interface of a shader or module, and its origin.
pub(crate) struct Reflected {
    /// The name of the file.
    pub(crate) file: String,
    /// The number of the shader in its file, if it has several.
    pub(crate) number: Option<usize>,
    pub(crate) reflection: Reflection,
}

pub(crate) fn run(args: &ReflectArgs, reporter: &Reporter) -> Result<AllFine> {
    let (all, fine) = reflect(inputs::collect(&args.inputs)?, args.target.options()?, reporter)?;
    let several = all.len() > 1;
    let mut out = String::new();
    for Reflected { file, number, reflection } in &all {
        if reporter.is_json() {
            let mut object = reflection.object();
            object["file"] = json!(file);
            object["shader"] = json!(number);
            out += &format!("{object}\n");
            continue;
        }
        if several {
            let number = number.map_or(String::new(), |number| format!(", shader {number}"));
            out += &format!("{file}{number}: ");
        }
        out += &reflection.table();
    }
    destination::print(out.as_bytes())?;
    Ok(fine)
}

/// The interfaces of all inputs without errors, and whether there were none; reports errors.
pub(crate) fn reflect(inputs: Vec<Input>, options: Options, reporter: &Reporter) -> Result<(Vec<Reflected>, AllFine)> {
    let (mut all, mut all_fine) = (Vec::new(), true);
    let mut dumps = Vec::new();
    for input in inputs {
        let Some((form, path)) = input.path.as_deref().and_then(|path| Some((words::form(path)?, path))) else {
            dumps.push(input);
            continue;
        };
        match of_file(form, path) {
            Ok(reflection) => all.push(Reflected { file: input.name, number: None, reflection }),
            Err(problem) => {
                reporter.whole(path, &problem);
                all_fine = false;
            }
        }
    }
    let loaded = load(dumps, reporter);
    require_blocks(&loaded, &options)?;
    let file = |unit: &Unit| loaded.sources[unit.source].input.file().display().to_string();
    let places = loaded.units.iter().map(|unit| (file(unit), unit.number));
    let places: Vec<(String, Option<usize>)> = places.collect();
    let done = each(loaded, &options, reporter, |translator, job| {
        let (read, mut lowered) = (job.shader.clone(), job.shader);
        let emit = EmitOptions::default().names(true).offer(u64::MAX).linkable(true);
        let module = translator.translate(&mut lowered, &emit).map_err(problems)?;
        let reflected = of_shader(&read, &lowered, &module, &options);
        reflected.map_err(|error| vec![Problem::new("internal", error.to_string())])
    });
    all_fine &= done.iter().all(Option::is_some);
    let found = places.into_iter().zip(done).filter_map(|((file, number), done)| {
        let reflection = done?;
        Some(Reflected { file, number, reflection })
    });
    all.extend(found);
    Ok((all, all_fine))
}

/// The interface of SPIR-V, with the keys that it takes if ntv can import it; or of a stored module.
fn of_file(form: Form, path: &std::path::Path) -> Result<Reflection, Problem> {
    let wrong =
        |error: rspirv::binary::ParseState| Problem::new("malformed", format!("rspirv cannot read it: {error}"));
    if form == Form::Module {
        return of_module(&words::read(form, path)?).map_err(wrong);
    }
    // The file itself: an import leaves out what the module does not use.
    let mut reflection = of_words(&words::read_words(path)?).map_err(wrong)?;
    reflection.keys = words::read(form, path).map_or(Vec::new(), |module| keys(&module));
    Ok(reflection)
}
