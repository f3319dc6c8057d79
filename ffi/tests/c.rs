//! C programs on the static library, by the compiler that the `cc` crate finds: the C ABI is tested without Meson, too. Where there
//! is no compiler of C and C++, these tests fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// What the library calls besides libc: see `meson.build`.
const SYSTEM: &[&str] = &["-lpthread", "-ldl", "-lm"];

/// The folder of this package.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What `command` gives.
///
/// # Panics
/// If it cannot be started or fails.
#[track_caller]
fn succeed(command: &mut Command) -> Output {
    let program = command.get_program().to_os_string();
    let output = command.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program:?}: {}\n{said}", output.status);
    output
}

/// The triple of this machine, which the `cc` crate knows in build scripts only.
fn triple() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let said = String::from_utf8(succeed(Command::new(rustc).arg("-vV")).stdout).expect("text");
    said.lines().find_map(|line| line.strip_prefix("host: ")).expect("the triple of the host").to_string()
}

/// libntv.a. No test depends on a library that Rust cannot link, so Cargo is asked for it once, as Meson asks (`ffi/build.py`): what one
/// of them has built the other need not build.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut build = Command::new(std::env::var_os("CARGO").expect("a test that Cargo runs"));
        build.current_dir(package()).args(["rustc", "--package", "ntv-ffi", "--lib", "--locked", "--profile", "dev"]);
        build.args(["--crate-type", "staticlib", "--message-format", "json-render-diagnostics"]);
        let messages = String::from_utf8(succeed(&mut build).stdout).expect("text");
        let files = messages.lines().flat_map(|line| line.split('"')).filter(|name| name.ends_with("libntv.a"));
        files.map(PathBuf::from).next_back().expect("a static library among what Cargo made")
    })
}

/// The program of a file, in `folder`. It compiles without a warning.
fn program(folder: &Path, source: &Path, standard: &str) -> PathBuf {
    let triple = triple();
    let mut build = cc::Build::new();
    build.cpp(standard.contains("++")).target(&triple).host(&triple).opt_level(0).cargo_metadata(false).warnings(true);
    build.include(package()).std(standard).flag("-Werror");
    let program = folder.join("program");
    let compiler = build.try_get_compiler().expect("a compiler of C and C++");
    succeed(compiler.to_command().arg(source).arg("-o").arg(&program).arg(library()).args(SYSTEM));
    program
}

/// What the program of one of the files in this folder gives.
#[track_caller]
fn run(name: &str, standard: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    succeed(&mut Command::new(program(folder.path(), &package().join("tests").join(name), standard)))
}

#[test]
fn the_consumer_in_c_finds_nothing_wrong() {
    let said = run("consumer.c", "c11").stdout;
    assert_eq!(String::from_utf8_lossy(&said), format!("ntv {}: all is well\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_header_is_cpp() {
    run("header.cpp", "c++17");
}

#[test]
fn the_example_of_readme_writes_a_module() {
    let readme = include_str!("../../README.md");
    let example = readme.split("```c\n").nth(1).and_then(|part| part.split("```").next()).expect("an example in C");
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("example.c");
    std::fs::write(&source, example).expect("a file");
    let words = succeed(&mut Command::new(program(folder.path(), &source, "c11"))).stdout;
    assert!(words.len() % 4 == 0 && words.starts_with(&0x0723_0203u32.to_ne_bytes()), "{words:?}");
}
