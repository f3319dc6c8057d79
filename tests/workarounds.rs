// SPDX-License-Identifier: MIT

//! Workarounds change the words of a module, which stays valid. `tool/tests/lavapipe.rs` runs them.

mod support;

use ntv::{text, EmitOptions, Options, Shader, Target, Translator, Workaround};
use std::fs;

fn words(shader: &Shader, target: &Target) -> Option<Vec<u32>> {
    let mut translator = Translator::new(Options::default().target(target.clone()));
    translator.translate(&mut shader.clone(), &EmitOptions::default()).ok().map(|module| module.words)
}

/// The error of `shader` with `workaround`, and whether its words differ.
fn check(shader: &Shader, workaround: Workaround) -> (Option<String>, bool) {
    let plain = Target::default();
    let mut target = plain.clone();
    target.work_around(workaround, true);
    match (words(shader, &plain), words(shader, &target)) {
        (Some(plain), Some(words)) => (support::spirv_val(&words, &target).err(), plain != words),
        (None, None) => (None, false),
        _ => (Some("only one of them is translated".to_string()), false),
    }
}

#[test]
fn modules_are_valid_with_each_workaround() {
    for workaround in Workaround::ALL {
        let files = support::files(&support::root().join("tests/corpus"), &["nir"]);
        let results = support::in_parallel(files, |file| {
            let text = fs::read_to_string(&file).expect("a file of the corpus");
            let shaders = text::find(&text).filter_map(|found| found.shader.ok());
            let results = shaders.map(|shader| check(&shader, *workaround));
            let named = |(wrong, differs): (Option<String>, bool)| {
                (wrong.map(|wrong| format!("{}: {wrong}", file.display())), differs)
            };
            results.map(named).collect::<Vec<_>>()
        });
        let wrong: Vec<&str> = results.iter().flatten().filter_map(|(wrong, _)| wrong.as_deref()).collect();
        assert!(wrong.is_empty(), "{}\n{}", workaround.name(), wrong.join("\n"));
        let others = results.iter().flatten().filter(|(_, differs)| *differs).count();
        assert!(others > 50, "{} changes {others} modules", workaround.name());
    }
}
