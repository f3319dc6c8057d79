// SPDX-License-Identifier: MIT

//! The tool: its outputs, its errors, its messages, and its exit status.

#[path = "support/folder.rs"]
mod folder;

use folder::{expect, expect_refusal, is_spirv, stderr, stdout, Folder, GOOD};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// A shader with an opcode that does not exist.
fn bad() -> String {
    GOOD.replace(" = fmax ", " = fmux ")
}

/// A shader with a value that is not defined.
fn invalid() -> String {
    GOOD.replace("fmax %20", "fmax %99")
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
        #[cfg(feature = "vulkan")]
        ("draw none.toml --json", "none.toml"),
        #[cfg(feature = "vulkan")]
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

#[cfg(feature = "vulkan")]
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

/// A command whose crates are not in this build names the feature that has them.
#[cfg(not(all(feature = "prove", feature = "vulkan", feature = "explorer")))]
#[test]
fn a_command_of_a_feature_names_it() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    for (command, feature, has) in [
        ("prove a.nir", "prove", cfg!(feature = "prove")),
        ("draw scene.toml", "vulkan", cfg!(feature = "vulkan")),
        ("explore --no-open", "explorer", cfg!(feature = "explorer")),
    ] {
        if !has {
            expect_refusal(&place, command, &format!("the feature `{feature}`"));
        }
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

#[test]
fn features_are_listed_once() {
    let place = Folder::new(&[]);
    let all = stdout(&place.run("features"));
    assert_eq!(all.lines().count(), ntv::Feature::ALL.len());
    let found = stdout(&place.run("features float64"));
    assert!(found.starts_with("shaderFloat64 ") && found.contains("vulkan1.0"), "{found}");
    assert!(found.lines().count() < 12 && found.contains("--enable"), "{found}");
    let object: Value = serde_json::from_str(&stdout(&place.run("features maintenance4 --json"))).expect("an object");
    assert_eq!((&object["name"], &object["since"]), (&"maintenance4".into(), &"vulkan1.3".into()));
    // The help of a command does not have them.
    let help = stdout(&place.run("compile --help"));
    assert!(help.contains("ntv features") && !help.contains("shaderInt64"), "{help}");
}

#[test]
fn a_shader_becomes_words_and_is_the_same() {
    let two = format!("{GOOD}\n{GOOD}");
    let place = Folder::new(&[("a.nir", GOOD), ("b.log", &two)]);
    expect(&place.run("wire a.nir -o a.ntvw"), 0, "wrote 1 of 1 shader");
    assert_eq!(stdout(&place.run("print a.ntvw")), stdout(&place.run("print a.nir")));
    expect(&place.run("wire a.nir b.log -o out"), 0, "wrote 3 of 3 shaders");
    assert_eq!(place.files("out"), ["a.ntvw", "b.log.0.ntvw", "b.log.1.ntvw"]);
    let place = Folder::new(&[("a.nir", &invalid())]);
    expect(&place.run("wire a.nir -o a.ntvw"), 1, "wrote 0 of 1 shader");
    assert_eq!(place.files("."), ["a.nir"]);
}

/// The shells themselves read the scripts, where they are installed: bash always is.
#[cfg(feature = "manual")]
#[test]
fn completions_and_manual_pages_have_all_commands() {
    let place = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&place.run(&format!("completions {shell}")));
        assert!(script.contains("reflect") && !script.is_empty(), "{shell}: {script}");
        fs::write(place.path(shell), &script).expect("a file");
    }
    let complete = "source ./bash; COMP_WORDS=(ntv ref); COMP_CWORD=1; _ntv ntv ref ntv; echo ${COMPREPLY[@]}";
    let output = std::process::Command::new("bash").args(["-c", complete]).current_dir(place.path(".")).output();
    assert_eq!(stdout(&output.expect("bash")).trim(), "reflect");
    expect_refusal(&place, "completions none", "zsh");
    let output = place.run("man pages");
    assert!(output.status.success(), "{}", stderr(&output));
    let pages = place.files("pages");
    assert!(pages.contains(&"ntv.1".to_string()) && pages.contains(&"ntv-compile.1".to_string()), "{pages:?}");
    assert!(!pages.iter().any(|page| page.contains("with-mesa") || page.contains("help")), "{pages:?}");
    let page = fs::read_to_string(place.path("pages/ntv-compile.1")).expect("a page");
    assert!(page.contains("\\-\\-stop\\-after") && page.contains("ntv\\-compile"), "{page}");
}

#[cfg(feature = "watch")]
#[test]
fn a_change_of_an_input_is_compiled_again() {
    let place = Folder::new(&[("a.nir", &bad())]);
    let mut command = place.command("compile a.nir --emit asm -o a.spvasm --watch");
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the tool");
    let mut said = std::io::BufRead::lines(std::io::BufReader::new(child.stderr.take().expect("a pipe")));
    let mut wait_for = |line: &str| while said.next().expect("a line").expect("text") != line {};
    wait_for("compiled 0 of 1 shader");
    wait_for("Ctrl-C ends the watch");
    // Another file of the folder is no input.
    fs::write(place.path("b.nir"), "nothing").expect("a file");
    fs::write(place.path("a.nir"), GOOD).expect("a file");
    wait_for("compiled 1 of 1 shader");
    // An editor writes a new file and renames it.
    fs::write(place.path("new"), GOOD.replace(" = fmax ", " = fmin ")).expect("a file");
    fs::rename(place.path("new"), place.path("a.nir")).expect("a file");
    // The first write may have been two changes.
    loop {
        wait_for("compiled 1 of 1 shader");
        if fs::read_to_string(place.path("a.spvasm")).expect("a file").contains("NMin") {
            break;
        }
    }
    child.kill().expect("the tool runs");
    child.wait().expect("the tool runs");
    expect_refusal(&place, "compile - --watch --emit asm", "stdin");
}

#[test]
fn an_error_of_a_feature_says_what_to_do() {
    let place = Folder::new(&[("a.nir", include_str!("../../tests/corpus/compile/clocks.nir"))]);
    let arguments = "compile a.nir --disable shaderDeviceClock --emit asm";
    let said = stderr(&place.run(arguments));
    let help = "help: if the device has shaderDeviceClock, enable it: `Target::set`, `ntvr_target_enable`, --enable shaderDeviceClock";
    assert!(said.lines().any(|line| line.trim_start_matches([' ', '=', '|']).starts_with(help)), "{said}");
    let said = stderr(&place.run(&format!("{arguments} --json")));
    let object: Value = serde_json::from_str(said.lines().next().unwrap_or_default()).expect("an object");
    assert!(object["help"].as_str().is_some_and(|text| text.contains("--enable shaderDeviceClock")), "{said}");
}
