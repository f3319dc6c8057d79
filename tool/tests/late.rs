// SPDX-License-Identifier: MIT

//! The tool's commands for late decisions: `ntv link`, `variant`, `options`, `import`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

const VERTEX: &str = "\
shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)
    @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
    @store_output (%1, %0) (base=1, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    @store_output (%1, %0) (base=2, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR1 slots=1)
    // succs: b1
    block b1:
}
";

const FRAGMENT: &str = "\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32x4   %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1)
    @store_output (%2, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
    // succs: b1
    block b1:
}
";

/// A folder with both stages, in which the tool is run.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        let place = Folder(tempfile::tempdir().expect("a folder"));
        fs::write(place.path("a.nir"), VERTEX).expect("a file");
        fs::write(place.path("b.nir"), FRAGMENT).expect("a file");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn output(&self, arguments: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace()).output().expect("the tool")
    }

    /// Its output on stdout and stderr, after success.
    fn run(&self, arguments: &str) -> (String, String) {
        let output = self.output(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let said = text(output.stderr);
        assert!(output.status.success(), "ntv {arguments}: {said}");
        (text(output.stdout), said)
    }
}

#[test]
fn link_reports_and_writes_the_result() {
    let place = Folder::new();
    let (left, said) = place.run("link b.nir a.nir -o out --validate");
    assert_eq!(left, LINKED);
    assert_eq!(said, "removed 1 output and 0 inputs\n");
    assert!(place.path("out/a.vertex.spv").is_file() && place.path("out/b.fragment.spv").is_file());
    // SPIR-V from anywhere links as well.
    let (again, said) = place.run("link out/a.vertex.spv out/b.fragment.spv");
    assert_eq!(again, LINKED_AGAIN);
    assert_eq!(said, "removed 0 outputs and 0 inputs\n");
}

/// The output of `ntv link` for both stages.
const LINKED: &str = "\
vertex:
  in  location 0, xyzw
  out Position
  out removed (was location 0, xyzw)
  out location 0 (was 1), xyzw
fragment:
  in  location 0 (was 1), xyzw
  out location 0, xyzw
";

/// What a link of the written modules prints.
const LINKED_AGAIN: &str = "\
vertex:
  in  location 0, xyzw
  out Position
  out location 0, xyzw
fragment:
  in  location 0, xyzw
  out location 0, xyzw
";

#[test]
fn link_names_built_ins_and_components() {
    let place = Folder::new();
    let rows = [
        ("    @store_output (%1, %0) (base=0", "    32     %2 = mov %1.x\n    @store_output (%1, %0) (base=0"),
        ("(%1, %0) (base=1, range=1, wrmask=xyzw, component=0", "(%2, %0) (base=1, range=1, wrmask=x, component=2"),
        ("location=VARYING_SLOT_VAR1 slots=1)", "location=VARYING_SLOT_PSIZ slots=1)"),
        ("(%1, %0) (base=2, range=1, wrmask=xyzw", "(%2, %0) (base=2, range=1, wrmask=x"),
    ];
    let vertex = rows.iter().fold(VERTEX.to_string(), |text, (from, to)| text.replace(from, to));
    fs::write(place.path("v.nir"), vertex).expect("a file");
    let (left, said) = place.run("link v.nir b.nir");
    assert!(left.contains("  out PointSize\n") && left.contains("  out Position\n"), "{left}");
    assert!(left.contains("  out removed (was location 0, z)\n"), "{left}");
    assert!(left.contains("  in  removed (was location 1, xyzw)\n"), "{left}");
    assert_eq!(said, "removed 1 output and 1 input\n");
}

#[test]
fn assembly_is_written_if_requested() {
    let place = Folder::new();
    let (text, _) = place.run("variant a.nir --emit asm --key flip_y");
    assert!(text.contains("OpEntryPoint Vertex"), "{text}");
    place.run("variant a.nir --key flip_y -o a.spv");
    let (again, _) = place.run("variant a.spv --emit asm");
    assert!(again.contains("OpEntryPoint Vertex"), "{again}");
    place.run("link a.nir b.nir --emit asm -o out");
    let text = fs::read_to_string(place.path("out/a.vertex.spvasm")).expect("a file");
    assert!(text.contains("OpEntryPoint Vertex"), "{text}");
}

#[test]
fn the_reference_of_alpha_tests_is_at_its_offset() {
    let place = Folder::new();
    let (text, _) = place.run("variant b.nir --emit asm --validate --key alpha_test=less --alpha-reference 52");
    assert!(text.contains("OpFOrdLessThan") && text.contains("0 Offset 52"), "{text}");
    for arguments in ["variant b.nir --key alpha_test=less -o x", "link a.nir b.nir --key alpha_test=less"] {
        let output = place.output(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("needs --alpha-reference"), "{arguments}");
    }
    // A vertex shader has no alpha.
    place.run("variant a.nir --key alpha_test=less -o x");
}

#[test]
fn a_stored_module_has_the_variants_of_its_shader() {
    let place = Folder::new();
    place.run("import a.nir -o a.ntvm --names");
    for key in ["strip", "flip_y,gl_depth", "strip,swap_xy,point_size"] {
        let (_, said) = place.run(&format!("variant a.ntvm --key {key} --validate -o stored.spv"));
        place.run(&format!("variant a.nir --names --key {key} -o own.spv"));
        let read = |name: &str| fs::read(place.path(name)).expect("a file");
        assert_eq!(read("stored.spv"), read("own.spv"));
        assert_eq!(said, format!("{} words for the key `{key}`\n", read("own.spv").len() / 4));
    }
    let (_, said) = place.run("variant a.nir b.nir --names --sizes --key strip");
    assert!(said.ends_with(" % less\n"), "{said}");
}

#[test]
fn wrong_usage_is_refused() {
    let place = Folder::new();
    for arguments in [
        "variant a.nir --key flip_z -o x",
        "variant a.nir b.nir -o x",
        "link a.nir",
        "link a.nir a.nir",
        "import none.spv -o x",
    ] {
        assert_eq!(place.output(arguments).status.code(), Some(2), "ntv {arguments}");
    }
    assert!(!place.path("x").exists());
}

#[test]
fn modules_that_are_none_are_named() {
    let place = Folder::new();
    fs::write(place.path("bad.ntvm"), [0; 64]).expect("a file");
    fs::write(place.path("bad.spv"), [0; 64]).expect("a file");
    fs::write(place.path("odd.spv"), [0; 63]).expect("a file");
    fs::write(place.path("bad.nir"), VERTEX.replace("@load_input", "@load_inputs")).expect("a file");
    for file in ["bad.ntvm", "bad.spv", "odd.spv", "bad.nir"] {
        for arguments in [
            format!("import {file} -o x"),
            format!("variant {file} -o x"),
            format!("variant {file} --sizes"),
            format!("link {file} b.nir -o x"),
        ] {
            let output = place.output(&arguments);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "ntv {arguments}: {said}");
            assert!(said.contains(file), "ntv {arguments}: {said}");
            let output = place.output(&format!("{arguments} --json"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            let first = said.lines().next().unwrap_or_default();
            let problem: serde_json::Value = serde_json::from_str(first).expect("an object");
            assert_eq!(problem["file"], file, "ntv {arguments}: {said}");
            assert_eq!(problem["kind"], if file == "bad.nir" { "syntax" } else { "malformed" });
        }
    }
    assert!(!place.path("x").exists());
}

#[test]
fn options_name_a_mechanism_and_a_reason() {
    let (table, _) = Folder::new().run("options");
    for row in ntv::module::OPTIONS {
        assert!(table.contains(row.mechanism.name()) && table.contains(row.why), "{}", row.name);
    }
}

#[test]
fn options_print_the_parts_that_a_key_takes() {
    let place = Folder::new();
    let (table, _) = place.run("options");
    let (keys, others) = table.split_once("\nNot in a key").expect("two tables");
    let names = |part: &str| -> Vec<String> {
        let lines = part.lines().skip(2).filter(|line| !line.is_empty() && !line.starts_with(' '));
        lines
            .map(|line| line.split("  ").next().unwrap_or_default().split(" (").next().unwrap_or_default().into())
            .collect()
    };
    assert!(names(keys).len() > 20 && names(others).len() > 10, "{table}");
    for key in names(keys) {
        assert!(ntv::Key::parse(&key).is_ok(), "{key}");
    }
    for name in names(others) {
        let message = ntv::Key::parse(&name).expect_err(&name);
        assert!(message.contains("is not in a key"), "{message}");
    }
    let (objects, _) = place.run("options --json");
    let objects: Vec<serde_json::Value> =
        objects.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), ntv::module::OPTIONS.len());
    for object in objects.iter().filter(|object| !object["key"].is_null()) {
        let (_, said) =
            place.run(&format!("variant b.nir -o x --alpha-reference 0 --key {}", object["key"].as_str().unwrap()));
        assert!(said.contains(" words for the key"), "{said}");
    }
}

/// The parts of a key with a value are in the message if they changed words, and so is what did not.
#[test]
fn a_variant_tells_which_parts_of_its_key_had_an_effect() {
    let place = Folder::new();
    let coord = FRAGMENT.replace("    32x4   %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1)", "    32x4   %2 = @load_frag_coord");
    fs::write(place.path("coord.nir"), coord).expect("a file");
    for (arguments, used, unused) in [
        ("variant coord.nir -o x --key flip_y,size=8x8", "flip_y,size=8x8", ""),
        ("variant coord.nir -o x --key size=8x8", "", "size=8x8"),
        ("variant b.nir -o x --key strip,size=8x8,swizzle0=rrr1", "", "strip,shadow_swizzles,size=8x8,swizzle0=rrr1"),
        ("variant b.nir -o x --names --key strip,gl_depth", "strip", "gl_depth"),
        ("variant b.nir -o x --key dither1=565", "", "dither1=565"),
    ] {
        let (_, said) = place.run(arguments);
        let (first, rest) = said.split_once('\n').expect("a line");
        assert!(first.ends_with(&format!(" words for the key `{used}`")), "{arguments}: {said}");
        let changes = if unused.is_empty() { String::new() } else { format!("`{unused}` changes nothing here\n") };
        assert_eq!(rest, changes, "{arguments}");
    }
    let (_, said) = place.run("link a.nir b.nir --key flip_y,size=4x4");
    assert_eq!(said, "removed 1 output and 0 inputs\n`size=4x4` changes nothing here\n");
}

/// An empty compute shader.
const COMPUTE: &str = "\
shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    // succs: b1
    block b1:
}
";

/// A key or link that the modules do not support is wrong usage, which the message names; no file is written.
#[test]
fn keys_and_stages_that_modules_cannot_take_are_refused() {
    let place = Folder::new();
    fs::write(place.path("c.nir"), COMPUTE).expect("a file");
    let coord = FRAGMENT.replace("    32x4   %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR1 slots=1)", "    32x4   %2 = @load_frag_coord");
    fs::write(place.path("coord.nir"), coord).expect("a file");
    place.run("variant b.nir -o b.spv");
    place.run("variant a.nir -o a.spv");
    let of_imported = "cannot take `flip_y` in a key: it takes strip";
    let cases = [
        ("variant b.spv --key flip_y,strip -o x", of_imported),
        ("variant a.spv --key flip_y -o x", "cannot take `flip_y` in a key: it takes strip,no_capture"),
        ("link a.spv b.nir --key flip_y -o x", "cannot take `flip_y` in a key"),
        ("variant coord.nir --key flip_y -o x", "`flip_y` in a key needs the height of the framebuffer"),
        ("link a.nir coord.nir --key flip_y -o x", "`flip_y` in a key needs the height of the framebuffer"),
        ("link a.nir c.nir -o x", "no pipeline has a compute stage right after a vertex stage"),
        ("link b.nir c.nir -o x", "no pipeline has a compute stage right after a fragment stage"),
    ];
    for (arguments, message) in cases {
        let output = place.output(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "ntv {arguments}: {said}");
        assert!(said.contains(message), "ntv {arguments}: {said}");
        assert!(output.stdout.is_empty() && !place.path("x").exists(), "ntv {arguments} wrote something");
    }
    place.run("variant coord.nir --key flip_y,size=8x8 -o x --validate");
    place.run("link a.nir coord.nir --key flip_y,size=8x8 -o y --validate");
}
