// SPDX-License-Identifier: MIT

//! Runs C programs on the static library, compiled by the compiler that the `cc` crate finds, to test the C ABI without Meson. The
//! tests fail if there is no compiler of C and C++.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The libraries that Rust's standard library needs besides libc.
const SYSTEM: &[&str] = &["-lpthread", "-ldl", "-lm"];

/// The folder of this package.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs `command` and returns its output.
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

/// The target triple of this machine, which the `cc` crate has in build scripts only.
fn triple() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let said = String::from_utf8(succeed(Command::new(rustc).arg("-vV")).stdout).expect("text");
    said.lines().find_map(|line| line.strip_prefix("host: ")).expect("the triple of the host").to_string()
}

/// The path of libntvr.a. Cargo does not build static libraries for tests, so this builds it once.
fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut build = Command::new(std::env::var_os("CARGO").expect("a test that Cargo runs"));
        build.current_dir(package()).args(["rustc", "--package", "ntv-ffi", "--lib", "--locked", "--profile", "dev"]);
        build.args(["--crate-type", "staticlib", "--message-format", "json-render-diagnostics"]);
        let messages = String::from_utf8(succeed(&mut build).stdout).expect("text");
        let files = messages.lines().flat_map(|line| line.split('"')).filter(|name| name.ends_with("libntvr.a"));
        files.map(PathBuf::from).next_back().expect("a static library among the artifacts of Cargo")
    })
}

/// Compiles `source` to a program in `folder`. Warnings are errors. The program may include files of its folder.
fn program(folder: &Path, source: &Path, standard: &str) -> PathBuf {
    let triple = triple();
    let mut build = cc::Build::new();
    build.cpp(standard.contains("++")).target(&triple).host(&triple).opt_level(0).cargo_metadata(false).warnings(true);
    build.include(package()).include(package().join("mesa")).include(source.parent().expect("a folder"));
    build.std(standard).flag("-Werror");
    let program = folder.join("program");
    let compiler = build.try_get_compiler().expect("a compiler of C and C++");
    succeed(compiler.to_command().arg(source).arg("-o").arg(&program).arg(library()).args(SYSTEM));
    program
}

/// Compiles and runs a file of this folder.
#[track_caller]
fn run(name: &str, standard: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    succeed(&mut Command::new(program(folder.path(), &package().join("tests").join(name), standard)))
}

#[test]
fn the_consumer_in_c_succeeds() {
    let said = run("consumer.c", "c11").stdout;
    assert_eq!(String::from_utf8_lossy(&said), format!("ntv {}: all is well\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_headers_are_cpp() {
    run("header.cpp", "c++17");
}

/// The names of the headers, in the order of the alphabet.
fn headers() -> Vec<String> {
    let names = std::fs::read_dir(package()).expect("a folder").map(|file| file.expect("a file").file_name());
    let mut names: Vec<String> = names.filter_map(|name| name.into_string().ok()).collect();
    names.retain(|name| name.ends_with(".h"));
    names.sort();
    names
}

#[test]
fn each_header_compiles_alone() {
    let headers = headers();
    assert_eq!(headers.len(), 5);
    for (extension, standard) in [("c", "c11"), ("cpp", "c++17")] {
        for header in &headers {
            let folder = tempfile::tempdir().expect("a folder");
            let source = folder.path().join("alone").with_extension(extension);
            std::fs::write(&source, format!("#include \"{header}\"\nint main(void) {{ return 0; }}\n"))
                .expect("a file");
            program(folder.path(), &source, standard);
        }
    }
}

#[test]
fn meson_installs_each_header() {
    let list = headers().iter().map(|header| format!("'ffi/{header}'")).collect::<Vec<_>>().join(", ");
    assert!(include_str!("../../meson.build").contains(&format!("install_headers({list})")));
}

/// Names of zink's own translator, which a file that includes the headers may have declared: those of Mesa 25.0 and of Mesa 26.1.
const MESA_NAMES: &str = "
struct nir_shader;
struct spirv_shader;
struct ntv_context { int stage; };
struct ntv_info { int spirv_version; };
struct zink_screen { struct ntv_info ntv_info; };
void ntv_shader_prepare(struct nir_shader *nir, const struct ntv_info *info);
struct spirv_shader *nir_to_spirv(struct nir_shader *nir, const struct ntv_info *info);
#include \"ntvr_module.h\"
#include \"ntvr_plan.h\"
#include \"ntvr_wire.h\"
#include \"ntvr_xfb.h\"
int main(void)
{
   struct ntv_context context = {0};
   struct zink_screen screen = {{0}};
   return context.stage + screen.ntv_info.spirv_version + (ntvr_check_version() ? 1 : 0);
}
";

/// Mesa has names that begin with `ntv_`, so those of the C side begin with `ntvr_`.
#[test]
fn names_of_c_have_their_own_prefix() {
    let mesa = package().join("mesa");
    let folders = [package().into(), mesa.clone(), mesa.join("tests"), mesa.join("patches")];
    let entries = folders.iter().flat_map(|folder: &PathBuf| std::fs::read_dir(folder).expect("a folder"));
    let is_c = |path: &PathBuf| path.extension().is_some_and(|it| it == "c" || it == "h" || it == "patch");
    let sources: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).filter(is_c).collect();
    assert!(sources.len() > 30, "{sources:?}");
    for source in sources {
        let text = std::fs::read_to_string(&source).expect("a text");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        // The context of a patch has a name of Mesa's.
        let mut others = words.filter(|word| *word != "ntv_context" && !word.starts_with("ntv_core"));
        let found = others.find(|word| {
            let word = word.trim_start_matches("zink_").trim_start_matches("ZINK_");
            word.starts_with("ntv_") || word.starts_with("NTV_")
        });
        assert_eq!(found, None, "{}", source.display());
    }
}

#[test]
fn the_headers_compile_after_mesas_names() {
    for (name, standard) in [("names.c", "c11"), ("names.cpp", "c++17")] {
        let folder = tempfile::tempdir().expect("a folder");
        let source = folder.path().join(name);
        std::fs::write(&source, MESA_NAMES).expect("a file");
        succeed(&mut Command::new(program(folder.path(), &source, standard)));
    }
}

/// Replaces the functions of the library that report versions.
const VERSIONS: &str = r#"
#include "ntvr.h"
static uint32_t wires;
static bool accepts;
uint32_t ntvr_wire_version(void) { return wires; }
const char *ntvr_check_headers(uint64_t headers) { return accepts && headers == NTVR_HEADERS ? NULL : "other headers"; }
static int says(bool accepted, uint32_t wire_version, const char *text)
{
   const char *message;

   accepts = accepted;
   wires = wire_version;
   message = ntvr_check_version();
   return text ? message && strstr(message, text) : !message;
}
int main(void)
{
   int right = says(true, NTVR_WIRE_VERSION, NULL) && says(true, NTVR_WIRE_VERSION + 1, "version of wires") &&
               says(false, NTVR_WIRE_VERSION, "other headers");
   return right ? 0 : 1;
}
"#;

#[test]
fn another_library_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("versions.c");
    std::fs::write(&source, VERSIONS).expect("a file");
    succeed(&mut Command::new(program(folder.path(), &source, "c11")));
}

/// Writes a shader with more and more allocations until all of them succeed.
const FAILURES: &str = r#"
#include <stdlib.h>
static unsigned left;
static void *limited_realloc(void *memory, size_t size)
{
   return left && left-- ? realloc(memory, size) : NULL;
}
#define NTVR_REALLOC limited_realloc
#define NTVR_FREE free
#include "ntvr_wire.h"
static bool write_shader(struct ntvr_wire *w, unsigned allocations)
{
   const struct ntvr_shader shader = {.stage = NTVR_STAGE_COMPUTE, .next_stage = NTVR_NONE, .name = "a name"};

   left = allocations;
   ntvr_wire_begin(w, &shader);
   ntvr_wire_block(w);
   for (uint32_t i = 0; i < 20000; i++) {
      ntvr_wire_const(w, 1, 32);
      ntvr_wire_operand(w, i);
   }
   return ntvr_wire_end(w);
}
int main(void)
{
   struct ntvr_wire w = {0};
   unsigned failures = 0;

   while (!write_shader(&w, failures)) {
      if (w.len || ++failures > 9)
         return 1;
   }
   /* The header, the name and the block are 21 words. */
   if (failures < 3 || w.len != 40021 || w.words[2] != w.len || w.words[3] != 20000 || w.words[w.len - 1] != 19999)
      return 1;
   ntvr_wire_fini(&w);
   return 0;
}
"#;

#[test]
fn failed_allocations_leave_no_wire() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("failures.c");
    std::fs::write(&source, FAILURES).expect("a file");
    succeed(&mut Command::new(program(folder.path(), &source, "c11")));
}

#[test]
fn the_differences_of_mesa_26_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = package().join("mesa/tests/mesa_26/main.c");
    succeed(&mut Command::new(program(folder.path(), &source, "c11")));
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
