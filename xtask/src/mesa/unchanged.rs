// SPDX-License-Identifier: MIT

//! `--unchanged`: a zink with the whole series, but without ntv, is the zink that has only the patches that mend it for everyone: it
//! reports the same of itself, creates the same objects of Vulkan from the same words, and has the same results.

use super::build::Build;
use super::driver::{Driver, Translator, PIGLIT};
use super::list::{is_file, program};
use super::source::install_missing;
use crate::command::{output, run as go};
use anyhow::{bail, ensure, Context, Result};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use tempfile::TempDir;

/// The program that prints what a driver reports of itself, and the layer that logs what it creates.
const CAPS: &str = "tests/mesa/unchanged/caps.c";
const CALLS: &str = "tests/mesa/unchanged/calls.c";
const LAYER: &str = "VK_LAYER_NTV_calls";

/// Compares both builds, with `tests` of piglit.
pub(crate) fn compare(tests: &[String], jobs: usize) -> Result<()> {
    install_missing("libegl-dev libgl-dev libvulkan-dev")?;
    let drivers = [Build::Mended, Build::Off].map(|build| Driver::new(build.mesa()?.prefix, false, None));
    let [mended, off] = drivers;
    let (mended, off) = (mended?, off?);
    let tools = Tools::build()?;
    let reports = [&mended, &off].map(|driver| tools.caps(driver));
    let [before, after] = reports;
    let (before, after) = (before?, after?);
    let difference = before.lines().zip(after.lines()).find(|(before, after)| before != after);
    ensure!(before == after, "zink reports other caps: {difference:?}");
    println!("{} lines about the caps are the same.", before.lines().count());

    let queue = Mutex::new(tests.iter().collect::<Vec<_>>());
    let counts = Mutex::new(BTreeMap::new());
    let differing = Mutex::new(Vec::new());
    let next = || queue.lock().ok()?.pop();
    let work = || -> Result<()> {
        while let Some(test) = next() {
            let [before, after] = [tools.test(&mended, test)?, tools.test(&off, test)?];
            // Threads compile optional variants: what one run has time for may be missing in another.
            let same = before == after || tools.test(&off, test)? == before || tools.test(&mended, test)? == after;
            if let (false, Ok(mut differing)) = (same, differing.lock()) {
                differing.push(test.clone());
            }
            if let Ok(mut counts) = counts.lock() {
                let [tests, lines] = counts.entry(before.0).or_insert([0, 0]);
                *tests += 1;
                *lines += before.1.len();
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    for (verdict, [tests, lines]) in counts.into_inner().unwrap_or_default() {
        println!("{verdict}: {tests} tests, {lines} modules, layouts, pipelines, buffers and views");
    }
    let differing = differing.into_inner().unwrap_or_default();
    ensure!(differing.is_empty(), "{} tests differ without ntv, such as {}", differing.len(), differing[0]);
    println!("Without ntv, all of this is the same.");
    Ok(())
}

/// The compiled program and layer.
struct Tools {
    folder: TempDir,
}

impl Tools {
    fn build() -> Result<Tools> {
        let folder = tempfile::tempdir()?;
        let [caps, calls] = [CAPS, CALLS].map(|source| crate::root().join(source));
        go(Command::new("cc")
            .args(["-std=c11", "-O1", "-o"])
            .arg(folder.path().join("caps"))
            .arg(caps)
            .args(["-lEGL", "-lGL"]))?;
        let library = folder.path().join("libntv_calls.so");
        let flags = ["-std=gnu11", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-o"];
        go(Command::new("cc").args(flags).arg(&library).arg(calls))?;
        let layer = json!({
            "name": LAYER,
            "type": "INSTANCE",
            "library_path": library,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "logs what a driver creates",
        });
        let manifest = json!({ "file_format_version": "1.0.0", "layer": layer });
        fs::write(folder.path().join("calls.json"), manifest.to_string())?;
        Ok(Tools { folder })
    }

    /// What a driver reports of itself.
    fn caps(&self, driver: &Driver) -> Result<String> {
        output(&mut driver.program(&self.folder.path().join("caps"), Translator::C))
    }

    /// The verdict of a test, and what it has created, in the order of the alphabet.
    fn test(&self, driver: &Driver, test: &str) -> Result<(String, Vec<String>)> {
        let scratch = tempfile::tempdir()?;
        let calls = scratch.path().join("calls");
        let mut command = driver.piglit(program(test), Translator::C);
        command.env("VK_ADD_LAYER_PATH", self.folder.path()).env("VK_INSTANCE_LAYERS", LAYER).env("NTV_CALLS", &calls);
        command.env("ZINK_DEBUG", "nobgc").current_dir(scratch.path());
        let arguments: Vec<PathBuf> = match is_file(test) {
            true => vec![Path::new(PIGLIT).join(test), "-auto".into(), "-fbo".into()],
            false => test.split(' ').skip(1).map(PathBuf::from).chain(["-auto".into(), "-fbo".into()]).collect(),
        };
        let output = command.args(arguments).output().with_context(|| format!("cannot start {test}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let verdict = said.lines().find_map(|line| line.split("\"result\": \"").nth(1)?.split('"').next());
        let mut lines: Vec<String> =
            fs::read_to_string(&calls).unwrap_or_default().lines().map(str::to_string).collect();
        lines.sort_unstable();
        Ok((verdict.unwrap_or("none").to_string(), lines))
    }
}
