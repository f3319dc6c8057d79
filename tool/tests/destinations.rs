// SPDX-License-Identifier: MIT

//! The files that commands write: never an input, never two results in one file, and nothing temporary after an interrupt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const VERTEX: &str = include_str!("../../examples/vertex.nir");
const FRAGMENT: &str = include_str!("../../examples/fragment.nir");

/// Inputs of `ntv run` for a draw whose target is a picture.
const INPUTS: &str = r#"{"draw": {"vertices": 1, "topology": "points", "size": [1, 1]}}"#;

const SCENE: &str = r#"
about = "A test"
size = [4, 4]
picture = "screen"
frame = [{ clear = { color = [0, 0, 0, 1] } }]
textures.screen = { content = { png = "p.png" } }
programs.p = { stages = ["v.nir", "f.nir"] }
"#;

/// A folder with all kinds of inputs, and other names for some of them.
fn folder() -> TempDir {
    let place = tempfile::tempdir().expect("a folder");
    let write = |name: &str, contents: &[u8]| fs::write(place.path().join(name), contents).expect("a file");
    for folder in ["in", "out", "sub"] {
        fs::create_dir(place.path().join(folder)).expect("a folder");
    }
    write("in/v.nir", VERTEX.as_bytes());
    write("v.nir", VERTEX.as_bytes());
    write("f.nir", FRAGMENT.as_bytes());
    write("i.json", INPUTS.as_bytes());
    write("s.toml", SCENE.as_bytes());
    write("file", b"old");
    let mut picture = Vec::new();
    let mut encoder = png::Encoder::new(&mut picture, 1, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(&[1, 2, 3])).expect("a picture");
    write("p.png", &picture);
    let module = run(place.path(), "variant v.nir", Stdio::null()).stdout;
    write("v.spv", &module);
    #[cfg(unix)]
    {
        let at = |name: &str| place.path().join(name);
        fs::hard_link(at("v.nir"), at("hard")).expect("a link");
        std::os::unix::fs::symlink("v.nir", at("soft")).expect("a link");
        std::os::unix::fs::symlink("new", at("to_new")).expect("a link");
        std::os::unix::fs::symlink(".", at("here")).expect("a link");
    }
    place
}

fn run(folder: &Path, arguments: &str, stdin: Stdio) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
    // Words are separated by blanks; the last one of `reduce` is a command.
    let (arguments, rest) = arguments.split_once(" -- ").unwrap_or((arguments, ""));
    command.current_dir(folder).args(arguments.split_whitespace());
    if !rest.is_empty() {
        command.args(["--command", rest]);
    }
    command.stdin(stdin).output().expect("the tool")
}

/// All files below `folder` with their contents.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|entry| (entry.path().to_path_buf(), fs::read(entry.path()).expect("a file"))).collect()
}

/// Each command that writes, with an output that it must not write, and the reason.
const REFUSED: &[(&str, &str)] = &[
    ("compile v.nir -o v.nir", "is an input"),
    ("compile v.nir -o ./sub/../v.nir", "is an input"),
    ("compile in --emit nir -o in", "is an input"),
    ("compile v.nir f.nir --emit nir -o .", "is an input"),
    ("compile v.nir in/v.nir -o out", "would both be written"),
    ("variant v.nir -o v.nir", "is an input"),
    ("variant in -o in/v.nir", "is an input"),
    ("variant v.spv -o v.spv", "is an input"),
    ("variant v.nir -o out", "is a folder"),
    ("variant v.nir -o new/", "is a folder"),
    ("import v.spv -o v.spv", "is an input"),
    ("import v.nir -o out", "is a folder"),
    ("link v.nir f.nir -o file", "is a file"),
    ("reduce v.nir -o v.nir -- false", "is an input"),
    ("reduce v.nir -o . -- false", "is an input"),
    ("run v.nir f.nir --inputs i.json --png v.nir", "is an input"),
    ("run v.nir f.nir --inputs i.json --png f.nir", "is an input"),
    ("run v.nir f.nir --inputs i.json --png i.json", "is an input"),
    ("run v.nir f.nir --inputs i.json --png out", "is a folder"),
];

/// Commands that would write over an input by other names of files: links, and a folder that is named by a link.
#[cfg(unix)]
const REFUSED_LINKS: &[(&str, &str)] = &[
    ("compile v.nir -o hard", "is an input"),
    ("compile v.nir -o soft", "is an input"),
    ("compile soft -o v.nir", "is an input"),
    ("compile v.nir -o here/v.nir", "is an input"),
    ("variant v.nir -o hard", "is an input"),
    ("import v.nir -o soft", "is an input"),
    ("reduce v.nir -o hard -- false", "is an input"),
    ("run v.nir f.nir --inputs i.json --png soft", "is an input"),
];

/// Commands that draw, which the feature `vulkan` has.
#[cfg(feature = "vulkan")]
const REFUSED_DRAWS: &[(&str, &str)] = &[
    ("draw s.toml -o s.toml", "is an input"),
    ("draw s.toml -o f.nir", "is an input"),
    ("draw s.toml -o p.png", "is an input"),
    ("draw s.toml -o out", "is a folder"),
    ("draw s.toml --trace s.toml", "is an input"),
    ("draw s.toml --trace v.nir", "is an input"),
    ("draw s.toml --trace p.png", "is an input"),
    ("draw s.toml -o x --trace ./x", "-o and --trace would both be written"),
    ("draw s.toml -o sub/x --trace sub/../sub/./x", "-o and --trace would both be written"),
    ("draw s.toml -o new/x --trace new/y/../x", "-o and --trace would both be written"),
    ("draw s.toml -o file --trace file", "-o and --trace would both be written"),
    #[cfg(unix)]
    ("draw s.toml -o hard", "is an input"),
    #[cfg(unix)]
    ("draw s.toml --trace here/f.nir", "is an input"),
    #[cfg(unix)]
    ("draw s.toml -o to_new --trace new", "-o and --trace would both be written"),
    #[cfg(unix)]
    ("draw s.toml -o here/x --trace x", "-o and --trace would both be written"),
];

#[test]
fn inputs_and_results_are_never_overwritten() {
    let place = folder();
    let before = contents(place.path());
    let rows = REFUSED.iter();
    #[cfg(unix)]
    let rows = rows.chain(REFUSED_LINKS);
    #[cfg(feature = "vulkan")]
    let rows = rows.chain(REFUSED_DRAWS);
    for (arguments, reason) in rows {
        let output = run(place.path(), arguments, Stdio::null());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "ntv {arguments}: {said}");
        assert!(said.contains(reason) && output.stdout.is_empty(), "ntv {arguments}: {said}");
        assert!(contents(place.path()) == before, "ntv {arguments} changed a file");
    }
}

#[test]
fn a_link_does_not_replace_its_inputs() {
    let place = folder();
    // The result for `v.nir` has the name of the other input, a fragment shader.
    assert!(run(place.path(), "variant f.nir -o v.vertex.spv", Stdio::null()).status.success());
    let before = contents(place.path());
    let output = run(place.path(), "link v.nir v.vertex.spv -o .", Stdio::null());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("v.vertex.spv: is an input"), "{said}");
    assert!(contents(place.path()) == before);
}

#[cfg(target_os = "linux")]
#[test]
fn stdin_is_an_input_too() {
    let place = folder();
    let stdin = || Stdio::from(fs::File::open(place.path().join("v.nir")).expect("a file"));
    let output = run(place.path(), "compile - -o v.nir", stdin());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is an input"));
    assert!(run(place.path(), "compile - -o x", stdin()).status.success());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_new_file_stays_a_link() {
    let place = folder();
    assert!(run(place.path(), "compile v.nir -o to_new", Stdio::null()).status.success());
    assert!(place.path().join("to_new").is_symlink() && place.path().join("new").is_file());
}

/// The entries of `folder` that no test made.
fn leftovers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".ntv-") || name.starts_with("ntv-")).collect()
}

/// The command, which a signal ends also if this program was started to ignore signals, as a shell starts programs in the background.
#[cfg(unix)]
fn interruptible() -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_ntv")]);
    command
}

/// Sends a signal to the process `child`.
#[cfg(unix)]
fn send(signal: &str, child: &std::process::Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(status.success());
}

/// An interrupt removes the folder of candidates, kills the command that runs, and leaves the best result so far.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_temporary() {
    use std::os::unix::process::ExitStatusExt as _;
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let place = folder();
        let temporary = tempfile::tempdir().expect("a folder");
        // The command has a process of its own, which would go on for a minute.
        let body = "echo $$ > started; sleep 60; false";
        let mut command = interruptible();
        command.current_dir(place.path()).env("TMPDIR", temporary.path());
        command.args(["reduce", "v.nir", "-o", "x", "--timeout", "100", "--command", body]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().expect("the tool");
        let end = Instant::now() + Duration::from_secs(30);
        let started = place.path().join("started");
        while fs::read_to_string(&started).unwrap_or_default().is_empty() {
            assert!(Instant::now() < end, "the command does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(leftovers(temporary.path()).len(), 1);
        send(signal, &child);
        assert_eq!(child.wait().expect("the tool").signal(), Some(number));
        assert_eq!(leftovers(temporary.path()), [""; 0]);
        assert_eq!(leftovers(place.path()), [""; 0]);
        let process = fs::read_to_string(started).expect("a number");
        let runs = || Path::new("/proc").join(process.trim()).join("exe").exists();
        while cfg!(target_os = "linux") && runs() {
            assert!(Instant::now() < end, "the command still runs");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Interrupts at any time while many files are written: those that exist are complete.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_only_complete_files() {
    let place = folder();
    for number in 0..200 {
        fs::write(place.path().join(format!("in/{number}.nir")), VERTEX).expect("a file");
    }
    let mut interrupted = 0;
    for wait in [0, 5, 10, 20, 40, 80] {
        let mut command = interruptible();
        command.current_dir(place.path()).args(["compile", "in", "-o", "out"]).stderr(Stdio::null());
        let mut child = command.spawn().expect("the tool");
        let end = Instant::now() + Duration::from_secs(30);
        // Names only: a temporary file gets its last name between listing and reading.
        let out = place.path().join("out");
        while fs::read_dir(&out).map_or(0, Iterator::count) == 0 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(wait));
        if child.try_wait().expect("the tool").is_none() {
            send("-INT", &child);
        }
        interrupted += usize::from(!child.wait().expect("the tool").success());
        assert_eq!(leftovers(&out), [""; 0]);
        let modules = contents(&out);
        assert!(modules.iter().all(|(_, bytes)| *bytes == modules[0].1), "an incomplete file");
        fs::remove_dir_all(out).expect("a folder");
    }
    assert!(interrupted > 0, "no run was interrupted");
}
