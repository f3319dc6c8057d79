//! The tool on what is decided late: `ntv link`, `variant`, `options`, `import`.

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
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
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

    /// What it says on stdout and stderr, if all went well.
    fn run(&self, arguments: &str) -> (String, String) {
        let output = self.output(arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let said = text(output.stderr);
        assert!(output.status.success(), "ntv {arguments}: {said}");
        (text(output.stdout), said)
    }
}

#[test]
fn link_says_what_is_left_and_writes_it() {
    let place = Place::new();
    let (left, said) = place.run("link b.nir a.nir -o out --validate");
    assert_eq!(left, "vertex: in 0, out 0\nfragment: in 0, out 0\n");
    assert_eq!(said, "removed 1 outputs and 0 inputs\n");
    assert!(place.path("out/a.vertex.spv").is_file() && place.path("out/b.fragment.spv").is_file());
    // SPIR-V from anywhere links as well.
    let (again, said) = place.run("link out/a.vertex.spv out/b.fragment.spv");
    assert_eq!((again.lines().count(), said.as_str()), (2, "removed 0 outputs and 0 inputs\n"));
}

#[test]
fn a_stored_module_has_the_variants_of_its_shader() {
    let place = Place::new();
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
fn keys_and_files_that_are_none_are_refused() {
    let place = Place::new();
    fs::write(place.path("bad.ntvm"), [0; 64]).expect("a file");
    fs::write(place.path("bad.spv"), [0; 64]).expect("a file");
    for arguments in [
        "variant a.nir --key flip_z -o x",
        "link a.nir",
        "link a.nir a.nir",
        "variant bad.ntvm -o x",
        "import bad.spv -o x",
    ] {
        assert_eq!(place.output(arguments).status.code(), Some(2), "ntv {arguments}");
    }
    assert!(!place.path("x").exists());
}

#[test]
fn options_name_a_mechanism_and_a_reason() {
    let (table, _) = Place::new().run("options");
    for row in ntv::module::OPTIONS {
        assert!(table.contains(row.name) && table.contains(row.mechanism.name()) && table.contains(row.why));
    }
}
