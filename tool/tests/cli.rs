// SPDX-License-Identifier: MIT

//! The tool: its outputs, its errors, its messages, and its exit status.

use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A valid dump of one shader.
const GOOD: &str = include_str!("../../examples/ubo_loop.nir");

/// A shader with an opcode that does not exist.
fn bad() -> String {
    GOOD.replace(" = fmax ", " = fmux ")
}

/// A shader with a value that is not defined.
fn invalid() -> String {
    GOOD.replace("fmax %20", "fmax %99")
}

/// A folder with files, in which the tool is run.
struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let place = Folder(tempfile::tempdir().expect("a folder"));
        for (name, contents) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, contents).expect("a file");
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).stdin(Stdio::null()).output().expect("the tool")
    }

    fn run_with(&self, arguments: &str, input: &str) -> Output {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the tool");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("a reader");
        child.wait_with_output().expect("the tool")
    }

    /// The files below `folder`, by name.
    fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_file());
        let name = |path: &Path| path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        files.map(|entry| name(entry.path())).collect()
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn expect(output: &Output, status: i32, last_line: &str) {
    assert_eq!(output.status.code(), Some(status), "{}", stderr(output));
    assert_eq!(stderr(output).lines().last().unwrap_or_default(), last_line, "{}", stderr(output));
}

/// Wrong usage with a message that has `what`, after which the folder has no new files.
#[track_caller]
fn expect_refusal(place: &Folder, arguments: &str, what: &str) {
    let before = place.files(".");
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains(what), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(place.files("."), before);
}

fn is_spirv(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.len() > 20 && bytes.len() % 4 == 0 && bytes[..4] == [3, 2, 0x23, 7])
}

#[test]
fn one_shader_is_written_to_the_file() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    expect(&place.run("compile a.nir -o deep/x.bin"), 0, "compiled 1 of 1 shader");
    assert_eq!(place.files("."), ["a.nir", "deep/x.bin"]);
    assert!(is_spirv(&place.path("deep/x.bin")));
}

#[test]
fn a_folder_gets_a_file_per_shader() {
    let two = format!("a log\n{GOOD}more of it\n{GOOD}");
    let place = Folder::new(&[("in/a.nir", GOOD), ("in/sub/b.log", &two), ("in/readme.txt", "no"), ("c.nir", GOOD)]);
    expect(&place.run("compile in c.nir -o out"), 0, "compiled 4 of 4 shaders");
    assert_eq!(place.files("out"), ["a.spv", "c.spv", "sub/b.log.0.spv", "sub/b.log.1.spv"]);
    fs::create_dir(place.path("there")).expect("a folder");
    expect(&place.run("compile c.nir --emit asm -o there"), 0, "compiled 1 of 1 shader");
    expect(&place.run("compile c.nir --emit nir -o there"), 0, "compiled 1 of 1 shader");
    assert_eq!(place.files("there"), ["c.nir", "c.spvasm"]);
}

#[test]
fn a_shader_that_fails_leaves_the_others() {
    let place = Folder::new(&[("in/a.nir", GOOD), ("in/b.nir", &bad()), ("in/c.nir", "nothing"), ("in/d.nir", GOOD)]);
    expect(&place.run("compile in -o out"), 1, "compiled 2 of 4 shaders");
    assert_eq!(place.files("out"), ["a.spv", "d.spv"]);
}

#[test]
fn a_failure_leaves_the_old_file() {
    let place = Folder::new(&[("a.nir", &bad()), ("x.spv", "old")]);
    expect(&place.run("compile a.nir -o x.spv"), 1, "compiled 0 of 1 shader");
    assert_eq!(fs::read_to_string(place.path("x.spv")).expect("a file"), "old");
    assert_eq!(place.files("."), ["a.nir", "x.spv"]);
}

#[test]
fn collisions_are_refused_before_anything_is_written() {
    let two = format!("{GOOD}{GOOD}");
    let place = Folder::new(&[("x/a.nir", GOOD), ("y/a.nir", GOOD), ("z/b.nir", &two), ("z/b.0.nir", GOOD), ("f", "")]);
    expect_refusal(&place, "compile x/a.nir y/a.nir -o out", "would both be written to");
    expect_refusal(&place, "compile x y -o out", "would both be written to");
    expect_refusal(&place, "compile z -o out", "would both be written to");
    expect_refusal(&place, "compile x x/a.nir -o out", "would both be written to");
    expect_refusal(&place, "compile x --emit nir -o x", "is an input");
    expect_refusal(&place, "compile x/a.nir -o x/a.nir", "is an input");
    expect_refusal(&place, "compile x y/a.nir -o f", "is a file");
}

#[test]
fn wrong_usage_is_refused() {
    let place = Folder::new(&[("a.nir", GOOD), ("two.nir", &format!("{GOOD}{GOOD}")), ("empty/x.txt", "")]);
    expect_refusal(&place, "compile none.nir -o x", "none.nir");
    expect_refusal(&place, "compile empty -o x", "no .nir, .log or .ntvw file");
    expect_refusal(&place, "compile a.nir -o x --target vulkan1.9", "vulkan1.3");
    expect_refusal(&place, "compile a.nir -o x --disable shaderFloat46", "'shaderFloat64'");
    expect_refusal(
        &place,
        "compile a.nir -o x --enable shaderInt64 --disable shaderInt64",
        "both enabled and disabled",
    );
    expect_refusal(&place, "compile a.nir -o x --emit nir --validate", "needs SPIR-V");
    expect_refusal(&place, "compile a.nir -o x --stop-after nothing", "nothing");
    expect_refusal(&place, "compile a.nir -o x --jobs 0", "--jobs");
    expect_refusal(&place, "compile two.nir", "-o");
    expect_refusal(&place, "compile - -", "twice");
    expect_refusal(&place, "pass nothing a.nir", "nothing");
}

/// Wrong usage of all kinds: of the command line, and of the files that it names.
const WRONG_USAGE: &[&str] = &[
    "compile a.nir --json --nothing",
    "--json nothing",
    "compile --json",
    "compile a.nir -o x --json --target vulkan1.9",
    "compile a.nir -o x --json --emit nir --validate",
    "pass nothing a.nir --json",
    "reduce a.nir --command true --json",
];

#[test]
fn wrong_usage_is_an_object_too() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    for arguments in WRONG_USAGE {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        let said = stderr(&output);
        let object: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{arguments}: {said}"));
        assert_eq!((said.lines().count(), &object["kind"]), (1, &"usage".into()), "{said}");
        assert_eq!((&object["file"], &object["line"]), (&Value::Null, &0.into()), "{said}");
        let message = object["message"].as_str().expect("a message");
        assert!(message.len() > 10 && !message.starts_with("error") && !message.contains("Usage"), "{message}");
    }
    // Help is not an error.
    assert!(stdout(&place.run("compile --json --help")).contains("Usage"));
    // A file may have the name of the option.
    assert!(stderr(&place.run("compile -o x -- --json")).starts_with("ntv: --json: "));
}

/// Files that are missing, folders, or no text: each is named in an object of the kind `io`.
#[test]
fn files_that_cannot_be_read_are_named() {
    let place = Folder::new(&[("a.nir", GOOD), ("folder/x", "")]);
    for (arguments, file) in [
        ("compile none.nir -o x --json", "none.nir"),
        ("check a.nir none.nir --json", "none.nir"),
        ("print none --json", "none"),
        ("pass copy_prop none.nir --json", "none.nir"),
        ("cfg none.nir --json", "none.nir"),
        ("run a.nir --inputs none.json --json", "none.json"),
        ("run a.nir --inputs folder --json", "folder"),
        ("plan none.nir --json", "none.nir"),
        ("plan a.nir --limits none.json --json", "none.json"),
        ("draw none.toml --json", "none.toml"),
        ("draw folder --json", "folder"),
        ("reduce none.nir --command false --json", "none.nir"),
        ("variant none.spv -o x --json", "none.spv"),
        ("link none.nir a.nir --json", "none.nir"),
        ("import none.spv -o x --json", "none.spv"),
    ] {
        let output = place.run(arguments);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {said}");
        let object: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{arguments}: {said}"));
        assert_eq!((&object["kind"], &object["file"]), (&"io".into(), &file.into()), "{arguments}: {said}");
        let text = stderr(&place.run(&arguments.replace(" --json", "")));
        assert!(text.starts_with(&format!("ntv: {file}: cannot read: ")), "{arguments}: {text}");
    }
}

/// With `--json`, every line is an object: those of stderr, and those of tables on stdout.
#[test]
fn json_has_no_other_lines() {
    let place =
        Folder::new(&[("a.nir", GOOD), ("b.nir", &bad()), ("f.nir", include_str!("../../examples/fragment.nir"))]);
    for (arguments, has_table) in [
        ("compile a.nir b.nir -o out", false),
        ("check a.nir b.nir", false),
        ("plan a.nir", true),
        ("plan a.nir --all Storage", true),
        ("link a.nir f.nir", true),
        ("variant a.nir f.nir --sizes --key strip", true),
        ("variant a.nir -o x --key strip,size=1x1", false),
        ("import a.nir -o x", false),
        ("options", true),
        ("reduce a.nir -o x --command false", false),
    ] {
        let output = place.run(&format!("{arguments} --json"));
        let is_object = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|value| value.is_object());
        for text in [stdout(&output), stderr(&output)] {
            assert!(text.lines().all(is_object), "{arguments}: {text}");
        }
        assert_eq!(!output.stdout.is_empty(), has_table, "{arguments}");
    }
}

#[test]
fn several_values_are_separated_by_commas() {
    let place = Folder::new(&[("a.nir", GOOD), ("large.nir", LARGE)]);
    for arguments in [
        "compile a.nir -o x --disable shaderFloat64,shaderInt64 --enable shaderInt16,shaderInt8",
        "compile large.nir -o x --place 1=Storage,1=Storage",
        "plan large.nir --bytes ubo1=100000,ubo1=100000 --place ubo1=Storage,ubo1=Storage",
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", stderr(&output));
    }
    expect_refusal(&place, "compile a.nir -o x --enable shaderInt8,shaderInt46", "'shaderInt64'");
    expect_refusal(&place, "compile a.nir -o x --enable shaderInt8 --disable shaderInt16,shaderInt8", "both enabled");
}

#[test]
fn blocks_that_no_shader_reads_are_not_placed() {
    let place =
        Folder::new(&[("large.nir", LARGE), ("a.nir", GOOD), ("none.nir", &GOOD.replace("@load_ubo", "@load_xbo"))]);
    for arguments in [
        "compile large.nir -o x",
        "check large.nir",
        "pass place_blocks large.nir",
        "variant large.nir -o x",
        "import large.nir -o x",
    ] {
        expect_refusal(&place, &format!("{arguments} --place 7=Storage"), "no uniform block 7; shaders read: 1");
    }
    // A block of one of the shaders.
    assert!(place.run("compile large.nir a.nir --place 1=Storage -o out").status.success());
}

/// A reader that closes its end of a pipe stops no command with an error.
#[test]
fn a_closed_pipe_is_not_an_error() {
    let inputs = r#"{"groups": [1, 1, 1]}"#;
    let place =
        Folder::new(&[("a.nir", GOOD), ("f.nir", include_str!("../../examples/fragment.nir")), ("in.json", inputs)]);
    for arguments in [
        "options",
        "plan a.nir",
        "print a.nir",
        "compile a.nir --emit asm",
        "variant a.nir --emit asm",
        "variant a.nir --sizes",
        "link a.nir f.nir",
        "reduce a.nir --command false",
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = place.command(arguments).stdin(Stdio::null()).stdout(writer).output().expect("the tool");
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", stderr(&output));
    }
}

/// A stdout that cannot be written is an error of every command that prints.
#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_an_error() {
    let place = Folder::new(&[("a.nir", GOOD), ("f.nir", include_str!("../../examples/fragment.nir"))]);
    for arguments in
        ["options", "plan a.nir", "print a.nir", "variant a.nir --sizes", "link a.nir f.nir", "variant a.nir"]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
        let output = place.command(arguments).stdout(full).output().expect("the tool");
        assert_eq!(output.status.code(), Some(1), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains("stdout: cannot write"), "{arguments}: {}", stderr(&output));
    }
}

#[test]
fn errors_of_a_scene_have_their_line() {
    for (text, line) in [
        ("about = \"x\"\nfoo = \n", 2),
        ("about = \"x\"\nsize = [1, 1", 2),
        ("about = \"x\"\nabout = \"y\"\n", 2),
        ("about = \"x\"\nsize = 3\n", 2),
        ("about = \"x\"\nabuot = 3\n", 2),
        ("", 1),
    ] {
        let place = Folder::new(&[("s.toml", text)]);
        let said = stderr(&place.run("draw s.toml --json"));
        let object: Value = serde_json::from_str(said.lines().next().unwrap_or_default()).expect("JSON");
        assert_eq!((&object["kind"], &object["line"]), (&"scene".into(), &line.into()), "{text}: {said}");
    }
}

#[test]
fn opcodes_with_a_typing_error_have_similar_names() {
    let place = Folder::new(&[("a.nir", &bad()), ("b.nir", &GOOD.replace("@load_ubo ", "@load_ub0 "))]);
    assert!(stderr(&place.run("check a.nir")).contains("unknown ALU opcode `fmux`; similar names: fm"));
    assert!(stderr(&place.run("check b.nir")).contains("unknown intrinsic `load_ub0`; similar names: load_ubo"));
}

#[test]
fn one_of_something_is_not_several() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    for arguments in ["compile a.nir -o x", "check a.nir", "import a.nir -o x", "reduce a.nir --command false"] {
        let said = stderr(&place.run(arguments));
        let words: Vec<&str> = said.split_whitespace().collect();
        let wrong = words
            .windows(2)
            .any(|pair| pair[0] == "1" && pair[1].trim_end_matches(',').ends_with('s') && pair[1] != "is");
        assert!(!wrong, "{said}");
    }
}

#[test]
fn a_wrong_name_suggests_the_nearest() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    for (arguments, near) in [
        ("compile a.nir -o x --disable shaderFloat46", "'shaderFloat64'"),
        ("compile a.nir -o x --enable float64", "'shaderFloat64'"),
        ("compile a.nir -o x --stop-after lower_usbo", "'lower_ubo'"),
        ("pass copyprop a.nir", "'copy_prop'"),
        ("variant a.nir -o x --key flipy", "similar names: flip_y"),
        ("variant a.nir -o x --key strip,size=640", "WIDTHxHEIGHT"),
    ] {
        expect_refusal(&place, arguments, near);
        let said = stderr(&place.run(arguments));
        assert!(said.len() < 300, "{said}");
    }
    // A name that is similar to none gets no suggestion, and the help has all names.
    let said = stderr(&place.run("pass qqqqqqqq a.nir"));
    assert!(!said.contains("similar") && said.contains("--help"), "{said}");
    assert!(stdout(&place.run("compile --help")).contains("shaderFloat64, "));
    assert!(stdout(&place.run("pass --help")).contains("copy_prop, "));
}

#[test]
fn stdin_and_stdout() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let output = place.run_with("compile -", GOOD);
    expect(&output, 0, "compiled 1 of 1 shader");
    expect(&place.run("compile a.nir -o a.spv"), 0, "compiled 1 of 1 shader");
    assert_eq!(output.stdout, fs::read(place.path("a.spv")).expect("a file"));
    expect(&place.run_with("compile - -o out/", GOOD), 0, "compiled 1 of 1 shader");
    assert_eq!(place.files("out"), ["stdin.spv"]);
}

#[test]
fn text_is_written_to_stdout() {
    let place = Folder::new(&[("a.nir", GOOD), ("b.nir", GOOD)]);
    let output = place.run("compile a.nir --emit asm --names");
    expect(&output, 0, "compiled 1 of 1 shader");
    assert!(stdout(&output).contains("OpEntryPoint Vertex"), "{}", stdout(&output));
    let output = place.run("compile a.nir b.nir --emit asm");
    let titles: Vec<String> =
        stdout(&output).lines().filter(|line| line.contains(".nir:")).map(str::to_string).collect();
    assert_eq!(titles, ["; a.nir:1", "; b.nir:1"]);
    let output = place.run("print a.nir");
    assert_eq!(output.status.code(), Some(0));
    assert!(stdout(&output).starts_with("shader: MESA_SHADER_VERTEX\n"));
    assert_eq!(place.run_with("print -", &stdout(&output)).stdout, output.stdout);
    assert!(stdout(&place.run("cfg a.nir")).starts_with("digraph"));
}

#[test]
fn order_does_not_depend_on_jobs() {
    let files: Vec<String> = (0..20).map(|number| format!("in/{number:02}.nir")).collect();
    let bad = bad();
    let contents = |number| if number % 3 == 0 { bad.as_str() } else { GOOD };
    let files: Vec<(&str, &str)> = files.iter().enumerate().map(|(n, name)| (name.as_str(), contents(n))).collect();
    let place = Folder::new(&files);
    let one = place.run("compile in --emit asm --jobs 1");
    let four = place.run("compile in --emit asm --jobs 4");
    expect(&one, 1, "compiled 13 of 20 shaders");
    assert_eq!((one.stdout, one.stderr), (four.stdout, four.stderr));
}

#[test]
fn errors_show_the_place() {
    let place = Folder::new(&[("a.nir", &bad())]);
    let output = place.run("check a.nir");
    assert_eq!(output.status.code(), Some(1));
    let line = 1 + bad().lines().position(|line| line.contains("fmux")).expect("the fault");
    assert!(stderr(&output).contains(&format!("a.nir:{line}:")), "{}", stderr(&output));
    assert!(stderr(&output).contains("^^^^"), "{}", stderr(&output));
}

#[test]
fn errors_as_json() {
    let place = Folder::new(&[("a.nir", &format!("{GOOD}{}", bad())), ("b.nir", "")]);
    let output = place.run("compile a.nir b.nir --emit asm --json");
    assert_eq!(output.status.code(), Some(1));
    let lines: Vec<Value> = stderr(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{}", stderr(&output));
    assert_eq!((&lines[2]["kind"], &lines[2]["message"]), (&"note".into(), &"compiled 1 of 3 shaders".into()));
    let text = format!("{GOOD}{}", bad());
    let line = text.lines().position(|line| line.contains("fmux")).expect("the fault");
    let column = text.lines().nth(line).and_then(|line| line.find("fmux")).expect("the fault");
    assert_eq!(lines[0]["file"], "a.nir");
    assert_eq!(lines[0]["shader"], 1);
    assert_eq!(lines[0]["kind"], "syntax");
    assert_eq!(
        (lines[0]["line"].as_u64(), lines[0]["column"].as_u64()),
        (Some(line as u64 + 1), Some(column as u64 + 1))
    );
    assert_eq!(lines[0]["length"], 4);
    assert!(lines[0]["message"].as_str().is_some_and(|message| message.contains("fmux")));
    assert_eq!((&lines[1]["file"], &lines[1]["line"]), (&"b.nir".into(), &0.into()));
}

#[test]
fn invalid_shaders_are_refused() {
    let place = Folder::new(&[("a.nir", &invalid())]);
    expect(&place.run("compile a.nir -o a.spv"), 1, "compiled 0 of 1 shader");
    assert_eq!(place.files("."), ["a.nir"]);
}

#[test]
fn bytes_that_are_not_text_do_no_harm() {
    let place = Folder::new(&[]);
    fs::write(place.path("a.nir"), [b"\xff\xfe\0 a log\n", GOOD.as_bytes()].concat()).expect("a file");
    fs::write(place.path("b.nir"), b"\x80\x81\xff\0").expect("a file");
    expect(&place.run("compile a.nir b.nir -o out"), 1, "compiled 1 of 2 shaders");
    assert_eq!(place.files("out"), ["a.spv"]);
}

#[test]
fn validation_runs_the_validator() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    expect(&place.run("compile a.nir -o a.spv --validate"), 0, "compiled 1 of 1 shader");
    let output = place.command("compile a.nir -o b.spv --validate").env("PATH", "").output().expect("the tool");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("spirv-tools"), "{}", stderr(&output));
    assert_eq!(place.files("."), ["a.nir", "a.spv"]);
}

#[test]
fn a_file_that_cannot_be_written_fails() {
    let place = Folder::new(&[("a.nir", GOOD), ("f", "")]);
    let output = place.run("compile a.nir -o f/x.spv --json");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stderr(&output).contains(r#""kind":"io""#), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stdout_that_cannot_be_written_fails() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("a full device");
    let output = place.command("print a.nir").stdout(full).output().expect("the tool");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_not_replaced() {
    let place = Folder::new(&[("a.nir", GOOD), ("real.spv", "old")]);
    std::os::unix::fs::symlink("real.spv", place.path("link.spv")).expect("a link");
    expect(&place.run("compile a.nir -o link.spv"), 0, "compiled 1 of 1 shader");
    assert!(is_spirv(&place.path("real.spv")) && place.path("link.spv").is_symlink());
    std::os::unix::fs::symlink("/dev/null", place.path("null")).expect("a link");
    expect(&place.run("compile a.nir -o null"), 0, "compiled 1 of 1 shader");
    assert!(!Path::new("/dev/null").is_file());
}

/// A mesh shader replaces the vertex shader and what belongs to it.
#[test]
fn a_draw_of_meshes_has_no_instances() {
    let draw =
        r#"{"draw": {"vertices": 2, "instances": 2, "topology": "points", "size": [4, 4], "targets": ["rgba32ui"]}}"#;
    let place = Folder::new(&[("mesh.nir", include_str!("../../tests/corpus/run/mesh.nir")), ("in.json", draw)]);
    let output = place.run("run mesh.nir --inputs in.json");
    assert!(
        !output.status.success() && stderr(&output).contains("a mesh shader has no instances"),
        "{}",
        stderr(&output)
    );
}

/// The inputs of the example in `docs/formats.md`.
fn example_inputs() -> &'static str {
    let page = include_str!("../../docs/formats.md");
    let inputs = page.split("```json\n").find(|part| part.contains("\"groups\"")).expect("an example");
    inputs.split("```").next().unwrap()
}

/// The expected results of that example.
#[track_caller]
fn expect_histogram(output: &Output) {
    assert!(output.status.success(), "{}", stderr(output));
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut bins = vec![0; 64];
    (bins[1], bins[2], bins[3]) = (1, 2, 1);
    assert_eq!(result["buffers"][1]["u32"], serde_json::json!(bins));
    assert_eq!(result["buffers"][0]["u32"], serde_json::json!([4, 1, 2, 3, 66]));
}

#[test]
fn run_gives_a_shader_buffers_and_prints_them() {
    let place =
        Folder::new(&[("histogram.nir", include_str!("../../examples/histogram.nir")), ("in.json", example_inputs())]);
    expect_histogram(&place.run("run histogram.nir --inputs in.json"));
    if cfg!(feature = "vulkan") {
        expect_histogram(&place.run("run histogram.nir --inputs in.json --device llvmpipe --validate"));
    } else {
        expect_refusal(&place, "run histogram.nir --inputs in.json --device", "without Vulkan");
    }
}

#[test]
fn faults_of_a_shader_are_errors_with_a_line() {
    let shader = include_str!("../../examples/histogram.nir");
    let inputs = example_inputs().replace("[4, 1, 2, 3, 66]", "[5, 1, 2, 3, 66]");
    let place = Folder::new(&[("histogram.nir", shader), ("in.json", &inputs), ("no.json", "{}")]);
    let output = place.run("run histogram.nir --inputs in.json --json");
    assert_eq!(output.status.code(), Some(1));
    let faults: Vec<Value> = stderr(&output).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let line = 1 + shader.lines().position(|line| line.contains("@load_ssbo (%0 (0x0), %18)")).expect("the load");
    assert_eq!((&faults[0]["kind"], &faults[0]["line"]), (&"fault".into(), &line.into()));
    let message = faults[0]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("access out of bounds: 4 bytes at 20"), "{message}");
    assert!(message.contains("storage block 0 (`samples`, `count`), which has 20"), "{message}");
}

/// The problems that `ntv run --json` reports for `shader` with `inputs`, and its exit status. The limit is low for endless
/// loops.
fn complaints(shader: &str, inputs: &Value) -> (Vec<Value>, Option<i32>) {
    let place = Folder::new(&[("a.nir", shader), ("in.json", &inputs.to_string())]);
    let output = place.run("run a.nir --inputs in.json --json --limit 100000");
    let said = stderr(&output);
    let objects = said.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{said}")));
    (objects.collect(), output.status.code())
}

#[test]
fn descriptors_that_are_not_given_are_named() {
    let shader = include_str!("../../examples/histogram.nir");
    let (said, status) = complaints(shader, &serde_json::json!({}));
    let rows: Vec<(&Value, &Value)> = said.iter().map(|problem| (&problem["kind"], &problem["message"])).collect();
    let missing = Value::from("missing");
    let messages =
        ["set 3, binding 0 (`samples`, `count`): no buffer is given", "set 3, binding 1 (`bins`): no buffer is given"];
    let messages = messages.map(Value::from);
    assert_eq!(rows, [(&missing, &messages[0]), (&missing, &messages[1])]);
    assert_eq!(status, Some(1));
    let line = said[0]["line"].as_u64().expect("a line") as usize - 1;
    assert!(shader.lines().nth(line).is_some_and(|line| line.contains("@load_ssbo")), "{line}");
}

/// For all shaders of the corpus that run: each missing descriptor is reported by its set and binding.
#[test]
fn removed_inputs_are_reported_as_missing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/run");
    let (mut missed, mut unused) = (0, Vec::new());
    for file in fs::read_dir(folder).expect("the corpus").filter_map(Result::ok) {
        let text = fs::read_to_string(file.path()).expect("a shader");
        let inputs: String = text.lines().filter_map(|line| line.strip_prefix("; inputs: ")).collect();
        let inputs: Value = serde_json::from_str(&inputs).expect("inputs");
        if inputs.get("draw").is_some_and(|draw| draw.get("topology").is_none()) {
            continue; // Triangles want a device.
        }
        let whole = complaints(&text, &inputs);
        assert!(whole.0.iter().all(|problem| problem["kind"] != "missing"), "{}: {whole:?}", file.path().display());
        for (list, what) in
            [("buffers", "buffer"), ("textures", "texture"), ("images", "image"), ("samplers", "sampler")]
        {
            for number in 0..inputs[list].as_array().map_or(0, Vec::len) {
                let mut fewer = inputs.clone();
                let gone = fewer[list].as_array_mut().expect("a list").remove(number);
                let is_element = |other: &Value| (&other["set"], &other["binding"]) == (&gone["set"], &gone["binding"]);
                if let Some(pointers) = fewer.get_mut("pointers").and_then(Value::as_array_mut) {
                    if pointers.iter().any(|pointer| is_element(&pointer["to"])) {
                        continue; // It is found by address, not by a descriptor.
                    }
                    pointers.retain(|pointer| !is_element(pointer));
                }
                let (said, status) = complaints(&text, &fewer);
                if fewer[list].as_array().is_some_and(|rest| rest.iter().any(is_element)) {
                    continue; // Others of the array are there; its index is computed.
                }
                let place = format!("set {}, binding {}", gone["set"], gone["binding"]);
                let named = |problem: &Value| {
                    let message = problem["message"].as_str().unwrap_or_default();
                    message.starts_with(&place) && message.ends_with(&format!(": no {what} is given"))
                };
                match said.first() {
                    Some(problem) if problem["kind"] == "missing" => {
                        assert!(said.iter().all(named) && status == Some(1), "{}: {said:?}", file.path().display());
                        missed += 1;
                    }
                    _ => unused.push(format!("{}: {place}: {said:?}", file.file_name().to_string_lossy())),
                }
            }
        }
    }
    assert!(missed > 50 && unused.is_empty(), "{missed}, {unused:#?}");
}

#[test]
fn a_loop_without_end_is_an_error() {
    let shader = "\
shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    // succs: b1
    loop {
        block b1:  // preds: b0 b1
        // succs: b1
    }
    block b2:  // preds:
    // succs: b3
    block b3:
}
";
    let place = Folder::new(&[("a.nir", shader), ("in.json", "{}")]);
    let output = place.run("run a.nir --inputs in.json --limit 10000");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("runs for too long"), "{}", stderr(&output));
}

#[test]
fn shaders_come_as_words_too() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let shader = ntv::text::parse(GOOD).remove(0).shader.expect("a shader");
    let bytes = ntv::wire::to_bytes(&ntv::wire::encode(&shader));
    fs::write(place.path("b.ntvw"), &bytes).expect("a file");
    assert!(place.run("compile . -o out").status.success());
    assert_eq!(place.files("out"), ["a.spv", "b.ntvw.spv"]);
    let words = |name: &str| fs::read(place.path(name)).expect("a module");
    assert_eq!(words("out/a.spv"), words("out/b.ntvw.spv"));
    assert_eq!(place.run("print a.nir").stdout, place.run("print b.ntvw").stdout);

    fs::write(place.path("short.ntvw"), &bytes[..bytes.len() - 8]).expect("a file");
    let output = place.run("check short.ntvw");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("word 2: the wire has"), "{}", stderr(&output));
}

#[cfg(feature = "vulkan")]
#[test]
fn run_draws_a_picture() {
    let vertex = GOOD;
    let fragment = "\
shader: MESA_SHADER_FRAGMENT
name: red
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x3f800000)
    32x4   %2 = vec4 %1, %0, %0, %1
    @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
    // succs: b1
    block b1:
}
";
    let inputs = r#"{"draw": {"vertices": 4, "topology": "triangle_strip", "size": [4, 2], "attributes":
        [{"location": 0, "f32": [-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1]}]},
        "buffers": [{"set": 1, "binding": 1, "size": 144}]}"#;
    let place = Folder::new(&[("v.nir", vertex), ("f.nir", fragment), ("in.json", inputs)]);
    let output = place.run("run v.nir f.nir --inputs in.json --device llvmpipe --png out.png");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["targets"][0]["u8"], serde_json::json!([255, 0, 0, 255].repeat(8)));
    assert!(fs::read(place.path("out.png")).expect("a picture").starts_with(b"\x89PNG"));
}

#[test]
fn elements_that_a_constant_names_have_to_be_given() {
    let shader =
        include_str!("../../tests/corpus/run/block_index.nir").replace("@get_ssbo_size (%8)", "@get_ssbo_size (%1)");
    let buffer = |element: u32| serde_json::json!({"set": 3, "binding": 0, "element": element, "size": 16});
    let inputs = |elements: &[u32]| {
        let buffers: Vec<Value> = elements.iter().map(|element| buffer(*element)).collect();
        serde_json::json!({"groups": [1, 1, 1], "buffers": buffers})
    };
    let messages = |elements: &[u32]| -> Vec<Value> {
        complaints(&shader, &inputs(elements)).0.into_iter().map(|problem| problem["message"].clone()).collect()
    };
    assert_eq!(messages(&[0, 1]), [] as [Value; 0]);
    assert_eq!(messages(&[0]), ["set 3, binding 0, element 1: no buffer is given"]);
    assert_eq!(messages(&[]), ["set 3, binding 0, element 1: no buffer is given"]);
    // The elements of a computed index are only known when the shader runs.
    let message = "access out of bounds: 4 bytes at 0 of storage block 0, which has 0 (invocation 0)";
    assert_eq!(messages(&[1]).first(), Some(&message.into()));
}

const LARGE: &str = include_str!("../../tests/corpus/pass/place_blocks_bounds.nir");

#[test]
fn a_plan_shows_classes_and_reasons() {
    // As deeply nested as in vulkaninfo.
    let deep = r#"{"capabilities": {"device": {"properties": {"VkPhysicalDeviceProperties": {"limits": {
        "maxUniformBufferRange": 65536, "maxImageDimension1D": 4096}}}, "features": {"robustBufferAccess": true}}}}"#;
    let place = Folder::new(&[("a.nir", LARGE), ("limits.json", deep), ("b.nir", GOOD)]);
    let output = place.run("plan a.nir --limits limits.json");
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        lines,
        [
            "block  read by  class    bytes   dynamic  why",
            "ubo1   cs:1     Storage  100000  100000   100000 bytes are read, and a uniform buffer has at most 65536",
            "ubo1 would move: to Uniform with maxUniformBufferRange of 100000 or more",
            "MESA_SHADER_COMPUTE: --place 1=Storage",
        ]
    );
    // A translation accepts the printed placements.
    let placed = place.run("compile a.nir --place 1=Storage --emit asm --validate");
    assert!(stdout(&placed).contains("NonWritable"), "{}", stderr(&placed));
    let clamped = place.run("plan a.nir");
    assert!(stdout(&clamped).contains("Storage, clamped"));
    let small = place.run("plan b.nir --all Storage");
    assert!(stdout(&small).contains("the driver requests it"), "{}", stdout(&small));
    let two = place.run("plan a.nir a.nir");
    expect(&two, 2, "ntv: a program has each stage once, but there are two MESA_SHADER_COMPUTE shaders");
}

#[test]
fn loads_beyond_a_uniform_buffer_are_reported() {
    let place = Folder::new(&[("a.nir", LARGE)]);
    let message = "100000 bytes of ubo1 are read, and a uniform buffer has at most 65536";
    let output = place.run("compile a.nir -o a.spv");
    assert!(stderr(&output).starts_with(&format!("warning: {message}")), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(0));
    let json = place.run("--json compile a.nir -o a.spv");
    let first = stderr(&json).lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok());
    assert_eq!(first.expect("an object")["kind"], "warning");
    assert!(!stderr(&place.run("compile a.nir -o a.spv --place 1=Storage")).contains("warning"));
}

#[test]
fn a_plan_that_cannot_be_is_refused() {
    let flat = r#"{"maxUniformBufferRange": 16384, "maxStorageBufferRange": 65536}"#;
    let files = [("a.nir", LARGE), ("flat.json", flat), ("typo.json", r#"{"maxUniformBufferRang": 1}"#)];
    let mut files = files.to_vec();
    files.extend([
        ("none.json", r#"{"a": {}}"#),
        ("text.json", r#"{"maxUniformBufferRange": "x"}"#),
        ("bad.json", "{"),
    ]);
    let place = Folder::new(&files);
    let refused = "ntv: ubo1 has 100000 bytes, and a buffer of class Storage has at most 65536";
    expect(&place.run("plan a.nir --limits flat.json"), 1, refused);
    for (arguments, what) in [
        ("plan a.nir --limits typo.json", "no plan depends on a limit `maxUniformBufferRang`"),
        ("plan a.nir --limits none.json", "there is no limit in it"),
        ("plan a.nir --limits text.json", "which is not a number"),
        ("plan a.nir --limits bad.json", "bad.json"),
        ("plan a.nir --limits missing.json", "missing.json"),
        ("plan a.nir --place ubo7=Storage", "there are: ubo1"),
        ("plan a.nir --place ubo1=Stored", "is not a class"),
        ("plan a.nir --push-constants 9-3", "is not FROM-TO"),
    ] {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", stderr(&output));
        assert!(stderr(&output).contains(what), "{arguments}: {}", stderr(&output));
    }
}
