// SPDX-License-Identifier: MIT

//! Runs the installed Mesa in a process of its own, so that its messages and its crashes stay there, and reads the NIR that it
//! prints.

use super::program::Program;
use super::stages::Stage;
use super::IS_BUILT;
use crate::absent;
use crate::args::Level;
use crate::temporary;
use anyhow::{bail, ensure, Context as _, Result};
use serde_json::{json, Value};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The file with the request in the folder of the process.
pub(super) const REQUEST: &str = "request.json";

/// The file with the reply.
pub(super) const REPLY: &str = "reply.json";

/// The subcommand that is the process.
pub(crate) const COMMAND: &str = "compile-with-mesa";

/// What to install.
const INSTALL: &str =
    "GLSL needs Mesa 22.3 or newer with EGL, zink and lavapipe: on Debian, apt-get install libegl1 libgl1-mesa-dri \
                       mesa-vulkan-drivers";

/// More than Mesa takes for any program: it takes half a second for most.
const LIMIT: Duration = Duration::from_secs(120);

/// The description of Mesa's EGL for the loader, where other drivers may be installed, too.
const DESCRIPTION: &str = "/usr/share/glvnd/egl_vendor.d/50_mesa.json";

/// The file with the calls that zink receives.
const TRACE: &str = "trace.xml";

/// The file with what Mesa says.
const SAID: &str = "said.txt";

/// The environment in which Mesa's EGL needs no display, without threads and caches.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("EGL_PLATFORM", "surfaceless"),
    ("LIBGL_ALWAYS_SOFTWARE", "1"),
    ("MESA_SHADER_CACHE_DISABLE", "1"),
    ("mesa_glthread", "false"),
    // Of a Mesa with ntv: zink prints the NIR that its own translator gets.
    ("ZINK_NTVR", "c"),
];

/// A driver of Mesa.
struct Driver {
    /// The start of the name that OpenGL has for it.
    name: &'static str,
    /// The environment in which it is the driver.
    environment: [(&'static str, &'static str); 2],
    /// The files with the NIR that it receives, the preferred one first.
    files: &'static [&'static str],
}

/// zink on lavapipe.
const ZINK: Driver = Driver {
    name: "zink",
    environment: [("MESA_LOADER_DRIVER_OVERRIDE", "zink"), ("GALLIUM_DRIVER", "zink")],
    files: &[TRACE, SAID],
};

/// The driver with mesh shaders, which zink on lavapipe lacks. Its trace has their outputs as variables again.
const LLVMPIPE: Driver = Driver {
    name: "llvmpipe",
    environment: [("MESA_LOADER_DRIVER_OVERRIDE", "swrast"), ("GALLIUM_DRIVER", "llvmpipe")],
    files: &[SAID],
};

/// What to do if OpenGL has no mesh shaders.
const NO_MESH: &str = "mesh shaders of OpenGL (GL_EXT_mesh_shader) need a newer Mesa: 26.2 has them";

/// What Mesa made of a program.
pub(super) struct Compiled {
    /// The log of each source.
    pub(super) logs: Vec<String>,
    /// The log of the linker, unless a source has errors.
    pub(super) link: String,
    /// The dumps, in the order of their making, if there were no errors.
    pub(super) dumps: Option<Vec<String>>,
}

impl Compiled {
    /// The dump of a stage.
    pub(super) fn dump(&self, stage: &Stage) -> Option<&str> {
        let first = format!("shader: MESA_SHADER_{}\n", stage.nir);
        self.dumps.iter().flatten().find(|dump| dump.starts_with(&first)).map(String::as_str)
    }
}

/// Compiles and links a program. It is an error if Mesa cannot do it, whatever the program is.
pub(super) fn compile(program: &Program, level: Level) -> Result<Compiled> {
    ensure!(IS_BUILT, absent("glsl", "compile"));
    let make = || tempfile::Builder::new().prefix("ntv-glsl-").tempdir();
    let (folder, _held) =
        temporary::hold(make, |folder| folder.path().to_path_buf()).context("cannot make a folder")?;
    let sources = program.sources.iter().map(|it| json!({ "stage": it.stage.number, "text": it.text }));
    let sources: Vec<Value> = sources.collect();
    let request = json!({ "api": program.api().name(), "separable": program.is_separable, "sources": sources, "draw": level == Level::Zink });
    fs::write(folder.path().join(REQUEST), request.to_string()).context("cannot write the request for Mesa")?;
    let wanted = if program.has_mesh_shaders() { LLVMPIPE } else { ZINK };
    ensure!(
        level == Level::Gallium || wanted.name == ZINK.name,
        "zink on lavapipe has no mesh shaders: use --level gallium"
    );
    start(folder.path(), &wanted, level)?;
    let reply: Value = serde_json::from_slice(&fs::read(folder.path().join(REPLY))?)?;
    ensure!(reply["lacks_stage"] != true || !program.has_mesh_shaders(), NO_MESH);
    if let Some(failed) = reply["failed"].as_str() {
        bail!("{failed}; {INSTALL}");
    }
    let (driver, version) = (text(&reply["driver"]), text(&reply["version"]));
    ensure!(driver.starts_with(wanted.name), "the driver of EGL is `{driver}`, not Mesa's {}; {INSTALL}", wanted.name);
    let dumps = match reply["fine"] == true {
        true => Some(dumps(&level.read(folder.path(), &wanted))),
        false => None,
    };
    ensure!(dumps.as_ref().is_none_or(|dumps| !dumps.is_empty()), "this Mesa prints no NIR ({version}); {INSTALL}");
    let logs = reply["logs"].as_array().into_iter().flatten().map(text).collect();
    Ok(Compiled { logs, link: text(&reply["link"]), dumps })
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

impl Level {
    /// The environment that makes Mesa print NIR.
    fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            // The trace of Mesa 22.3 lacks compute shaders. What it says at a link has them.
            Level::Gallium => &[("GALLIUM_TRACE", TRACE), ("GALLIUM_TRACE_NIR", "1000000"), ("MESA_GLSL", "dump")],
            Level::Zink => &[("ZINK_DEBUG", "nir")],
        }
    }

    /// The text with NIR, the preferred one first.
    fn read(self, folder: &Path, driver: &Driver) -> String {
        let files = match self {
            Level::Gallium => driver.files,
            Level::Zink => &[SAID],
        };
        let texts = files.iter().map(|file| fs::read(folder.join(file)).unwrap_or_default());
        texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect()
    }
}

/// Runs the process in `folder`.
fn start(folder: &Path, driver: &Driver, level: Level) -> Result<()> {
    let said = File::create(folder.join(SAID))?;
    let mut command = Command::new(std::env::current_exe().context("cannot find ntv itself")?);
    command.arg(COMMAND).arg(folder).current_dir(folder);
    command.stdin(Stdio::null()).stdout(said.try_clone()?).stderr(said);
    let environment = ENVIRONMENT.iter().chain(&driver.environment).chain(level.environment());
    command.envs(environment.copied()).env("XDG_RUNTIME_DIR", folder);
    if Path::new(DESCRIPTION).exists() && std::env::var_os("__EGL_VENDOR_LIBRARY_FILENAMES").is_none() {
        command.env("__EGL_VENDOR_LIBRARY_FILENAMES", DESCRIPTION);
    }
    let mut child = temporary::start(&mut command).context("cannot start a process for Mesa")?;
    let status = temporary::wait(&mut child, LIMIT);
    temporary::ended(child.id());
    let said = || {
        let said = fs::read(folder.join(SAID)).unwrap_or_default();
        let said = String::from_utf8_lossy(&said).lines().last().map(|line| format!(": {line}"));
        said.unwrap_or_default()
    };
    match status? {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("Mesa failed, {status}{}", said()),
        None => bail!("Mesa takes more than {} seconds", LIMIT.as_secs()),
    }
}

/// The dumps of shaders in GLSL among other lines.
fn dumps(text: &str) -> Vec<String> {
    const FIRST: &str = "shader: MESA_SHADER_";
    let parts = text.match_indices(FIRST).map(|(at, _)| &text[at..]);
    let dumps = parts.filter_map(|part| {
        let end = part.find("\n}\n")? + "\n}\n".len();
        // The functions of a dump are after each other.
        let next = part[1..].find(FIRST).map_or(part.len(), |at| at + 1);
        (end <= next).then(|| part[..end].to_string())
    });
    // The driver has shaders of its own.
    dumps.filter(|dump| dump.contains("\nname: GLSL")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_those_of_glsl() {
        let text = "<![CDATA[shader: MESA_SHADER_VERTEX\nname: GLSL3\nimpl main {\n}\n\n]]>\n\
                    shader: MESA_SHADER_FRAGMENT\nname: blit\nimpl main {\n}\n\
                    shader: MESA_SHADER_FRAGMENT\nname: GLSL3\nimpl main {";
        assert_eq!(dumps(text), ["shader: MESA_SHADER_VERTEX\nname: GLSL3\nimpl main {\n}\n"]);
        // Of Mesa 26, with a line that belongs to no dump.
        let mesh = "shader: MESA_SHADER_MESH\nsource_blake3: {0xc1ff6e84}\nname: GLSL1\nmin_subgroup_size: 1\nprimitive_type: POINTS\n\
                    decl_function main () (entrypoint)\n\nimpl main {\n    block b0:   // preds:\n}\n";
        let compiled = Compiled {
            logs: Vec::new(),
            link: String::new(),
            dumps: Some(dumps(&format!("Unhandled stage 6\n{mesh}\nUnhandled stage 6\n{mesh}"))),
        };
        let stage = |name: &str| super::super::stages::STAGES.iter().find(|stage| stage.name == name).expect("a stage");
        assert_eq!((compiled.dump(stage("mesh")), compiled.dump(stage("task"))), (Some(mesh), None));
    }
}
