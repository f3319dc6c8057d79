// SPDX-License-Identifier: MIT

//! `ntv prove`: proofs, differences with inputs for `ntv run`, and errors.

#[path = "support/folder.rs"]
mod folder;

use folder::{expect, expect_refusal, stderr, stdout, Folder, GOOD};
use serde_json::Value;
use std::fs;

/// Stores the sum of the first two floats of a buffer as the third.
const SUM: &str = "\
shader: MESA_SHADER_COMPUTE
workgroup_size: 1, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000004)
    32     %2 = load_const (0x00000008)
    32     %3 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32     %4 = @load_ssbo (%0, %1) (access=none, align_mul=4, align_offset=0)
    32     %5 = fadd %3, %4
    @store_ssbo (%5, %0, %2) (wrmask=x, access=none, align_mul=4, align_offset=0)
    // succs: b1
    block b1:
}
";

const VERTEX: &str = include_str!("../../examples/vertex.nir");

/// A shader reads a value that has no terms.
const POINTER_STEP: &str = include_str!("../../tests/corpus/pass/lower_global.nir");

const IADD: u32 = 128;
const FADD: u32 = 129;
#[cfg(feature = "vulkan")]
const LESS_THAN: u32 = 184;
#[cfg(feature = "vulkan")]
const GREATER_THAN: u32 = 186;
const ISUB: u32 = 130;
const FSUB: u32 = 131;
#[cfg(feature = "vulkan")]
const IMUL: u32 = 132;
#[cfg(feature = "vulkan")]
const EXT_INST: u32 = 12;
/// FMin of GLSL.std.450, which does not say what it gives for a NaN.
#[cfg(feature = "vulkan")]
const FMIN: u32 = 37;

/// Translates `name.nir` to `name.spv`.
fn compile(place: &Folder, name: &str) {
    let output = place.run(&format!("compile {name}.nir -o {name}.spv"));
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Replaces the first instruction `from` of a module by `to`.
fn replace(place: &Folder, name: &str, from: u32, to: u32) {
    change(place, name, from, |words| words[0] = words[0] & 0xffff_0000 | to);
}

/// Changes the words of the first instruction `op` of a module.
fn change(place: &Folder, name: &str, op: u32, to: impl Fn(&mut [u32])) {
    let bytes = fs::read(place.path(name)).expect("a module");
    let mut words: Vec<u32> =
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("4 bytes"))).collect();
    let mut at = 5;
    while words[at] & 0xffff != op {
        at += (words[at] >> 16) as usize;
    }
    to(&mut words[at..]);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(place.path(name), bytes).expect("a file");
}

/// The objects on the lines of a text.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{text}"))).collect()
}

#[test]
fn translations_are_proved() {
    let place =
        Folder::new(&[("a.nir", GOOD), ("folder/b.nir", VERTEX), ("folder/below/c.log", &[GOOD, VERTEX].concat())]);
    let output = place.run("prove a.nir");
    expect(&output, 0, "proved 1 of 1 shader");
    assert_eq!(stdout(&output), "proved    a.nir\n");
    let output = place.run("prove folder --no-solver");
    expect(&output, 0, "proved 3 of 3 shaders");
    let second = 1 + GOOD.lines().count();
    let lines = ["proved    folder/below/c.log:1", &format!("proved    folder/below/c.log:{second}")];
    assert_eq!(stdout(&output), format!("proved    folder/b.nir\n{}\n{}\n", lines[0], lines[1]));
}

#[test]
fn a_module_of_another_translator_is_compared() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    compile(&place, "a");
    expect(&place.run("prove a.nir a.spv --no-solver"), 0, "proved 1 of 1 shader");
    // The first word tells what a file is.
    fs::rename(place.path("a.spv"), place.path("a.bin")).expect("a file");
    expect(&place.run("prove a.nir a.bin --no-solver"), 0, "proved 1 of 1 shader");
    replace(&place, "a.bin", IADD, ISUB);
    expect(&place.run("prove a.nir a.bin --no-solver"), 1, "proved 0 of 1 shader");
}

#[test]
fn modules_of_a_folder_are_compared() {
    let place = Folder::new(&[("in/a.nir", GOOD), ("in/below/two.nir", &[SUM, VERTEX].concat())]);
    expect(&place.run("compile in -o out"), 0, "compiled 3 of 3 shaders");
    expect(&place.run("prove in --modules out --no-solver"), 0, "proved 3 of 3 shaders");
    replace(&place, "out/below/two.0.spv", FADD, FSUB);
    fs::remove_file(place.path("out/a.spv")).expect("a file");
    let output = place.run("prove in --modules out --no-solver --witness inputs");
    expect(&output, 1, "proved 1 of 3 shaders");
    let verdicts = ["failed    in/a.nir", "different in/below/two.nir:1"].map(|line| format!("{line}\n")).concat();
    assert!(stdout(&output).starts_with(&verdicts), "{}", stdout(&output));
    assert!(stderr(&output).contains("error: out/a.spv: cannot read"), "{}", stderr(&output));
    assert_eq!(place.files("inputs"), ["below/two.0.json"]);
}

/// A difference that was found, its inputs, and what `ntv run` gives with them.
struct Found {
    verdict: Value,
    problems: Vec<Value>,
    inputs: Value,
    result: Value,
}

/// Proves a shader against its module with the first instruction `from` replaced by `to`.
fn refute(shader: &str, (from, to): (u32, u32)) -> Found {
    let place = Folder::new(&[("a.nir", shader)]);
    compile(&place, "a");
    replace(&place, "a.spv", from, to);
    let output = place.run("prove a.nir a.spv --no-solver --json --witness in.json");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let (verdict, problems) = (objects(&stdout(&output)).remove(0), objects(&stderr(&output)));
    assert_eq!((&verdict["verdict"], &verdict["inputs"]), (&"different".into(), &"in.json".into()), "{problems:?}");
    let ran = place.run("run a.nir --inputs in.json");
    assert!(ran.status.success(), "{}", stderr(&ran));
    let inputs = fs::read_to_string(place.path("in.json")).expect("inputs");
    let [inputs, result] = [inputs.as_bytes(), &ran.stdout].map(|text| serde_json::from_slice(text).expect("JSON"));
    Found { verdict, problems, inputs, result }
}

impl Found {
    /// The interpreter has the result of the NIR, `expected`, and the module has another one, `found`.
    #[track_caller]
    fn has_results(&self, expected: &str, found: &str) {
        let Found { verdict, .. } = self;
        assert_eq!(verdict["confirmed"], true, "{verdict}");
        assert!(verdict["expected"].as_str().is_some_and(|text| text.contains(expected)), "{expected}: {verdict}");
        assert!(verdict["found"].as_str().is_some_and(|text| text.contains(found)), "{found}: {verdict}");
    }
}

/// The words of an object.
fn words(object: &Value) -> Vec<u32> {
    let word = |word: &Value| word.as_u64().map_or(0, |word| word as u32);
    object["u32"].as_array().unwrap_or_else(|| panic!("{object}")).iter().map(word).collect()
}

/// The words of the slot with this name, which is in a list of slots.
fn slot(slots: &Value, name: &str) -> Vec<u32> {
    let found = slots.as_array().into_iter().flatten().find(|slot| slot["name"] == name);
    words(found.unwrap_or_else(|| panic!("{name}: {slots}")))
}

#[test]
fn a_difference_has_inputs_that_run() {
    let found = refute(SUM, (FADD, FSUB));
    let problems = &found.problems;
    assert_eq!((&problems[0]["kind"], &problems[1]["kind"]), (&"different".into(), &"note".into()));
    let message = problems[0]["message"].as_str().unwrap_or_default();
    assert!(message.contains("as the interpreter does") && message.ends_with("in.json has the inputs"), "{message}");
    let [inputs, result] = [&found.inputs, &found.result].map(|object| words(&object["buffers"][0]));
    let [a, b] = [0, 1].map(|at| f32::from_bits(inputs[at]));
    assert_eq!(result[2], (a + b).to_bits());
    found.has_results(&format!("{:#x}", result[2]), &format!("{:#x}", (a - b).to_bits()));
}

#[cfg(feature = "vulkan")]
mod device {
    use super::*;

    /// Which side lavapipe agrees with, and the end of the message. `fault` changes the module.
    fn side(shader: &str, fault: impl Fn(&Folder)) -> (Value, String) {
        let place = Folder::new(&[("a.nir", shader)]);
        compile(&place, "a");
        fault(&place);
        let output = place.run("prove a.nir a.spv --no-solver --json --device llvmpipe --validate");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let (mut verdict, problem) = (objects(&stdout(&output)).remove(0), objects(&stderr(&output)).remove(0));
        let message = problem["message"].as_str().unwrap_or_default();
        (verdict["device"].take(), message.rsplit("; ").next().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_device_gives_what_the_module_gives() {
        let found = side(SUM, |place| replace(place, "a.spv", FADD, FSUB));
        assert_eq!(found, ("the module".into(), "the device gives what the module gives".into()));
    }

    /// The difference is one that SPIR-V allows, but that lavapipe does not have.
    #[test]
    fn a_device_gives_what_the_nir_gives() {
        let found =
            side(&SUM.replace("fadd", "fmin"), |place| change(place, "a.spv", EXT_INST, |words| words[4] = FMIN));
        assert_eq!(found, ("the NIR".into(), "the device gives what the NIR gives".into()));
    }

    const MODULE: (&str, &str) = ("the module", "the device gives what the module gives");

    /// The device gives what the module gives after a fault.
    fn expect_module(shader: &str, fault: impl Fn(&Folder)) {
        let (side, message) = side(shader, fault);
        assert_eq!((side.as_str().unwrap_or_default(), &*message), MODULE);
    }

    #[test]
    fn a_device_draws_with_a_vertex_shader() {
        expect_module(VERTEX, |place| replace(place, "a.spv", FADD, FSUB));
    }

    /// The sides differ only if the first vertex is neither 0 nor 2.
    #[test]
    fn a_device_draws_with_another_first_vertex() {
        let square = "32 %8 = @load_vertex_id\n    32 %9 = imul %8, %8";
        let shader =
            VERTEX.replace("32     %8 = fadd %6, %2 (0.500000)\n    32     %9 = fadd %7, %2 (0.500000)", square);
        assert_ne!(shader, VERTEX);
        expect_module(&shader, |place| replace(place, "a.spv", IMUL, IADD));
    }

    #[test]
    fn a_device_draws_with_a_fragment_shader() {
        expect_module(FRAGMENT, |place| replace(place, "a.spv", FADD, FSUB));
    }

    /// What depends on the texture differs, and only the interpreter knows that.
    #[test]
    fn a_device_draws_with_a_texture() {
        let swapped = FRAGMENT.replace("%5, %2.y, %3.x, %3.y", "%5, %2.y, %3.y, %3.x");
        let place = Folder::new(&[("b.nir", &swapped)]);
        compile(&place, "b");
        expect_module(FRAGMENT, |other| {
            fs::copy(place.path("b.spv"), other.path("a.spv")).expect("a module");
        });
    }

    #[test]
    fn a_device_discards() {
        let (text, condition) = ("    @store_output (%6", "    1 %7 = flt %0, %2.x\n    @demote_if (%7)\n");
        let shader = FRAGMENT.replace(text, &format!("{condition}{text}"));
        expect_module(&shader, |place| replace(place, "a.spv", LESS_THAN, GREATER_THAN));
    }

    /// A stage of a file of the corpus.
    fn stage(text: &str, name: &str) -> String {
        let stages =
            text.split_inclusive('\n').skip_while(|line| !line.contains(&format!("shader: MESA_SHADER_{name}")));
        let rest: Vec<&str> = stages.collect();
        let end = rest.iter().skip(1).position(|line| line.starts_with("shader: MESA_SHADER_"));
        rest[..end.map_or(rest.len(), |end| end + 1)].concat()
    }

    const TESSELLATION: &str = include_str!("../../tests/corpus/run/tessellation.nir");

    /// The inputs of its vertices come from a tessellation control shader that is made for it.
    #[test]
    fn a_device_draws_with_an_evaluation_shader() {
        let shader = stage(TESSELLATION, "TESS_EVAL").replace("vec4 %9.x, %4, %5, %10", "vec4 %9.x, %9.y, %5, %10");
        let shader = shader
            .replace("32x4  %11", "32 %20 = imul %9.x, %9.y\n    32x4  %11")
            .replace("vec4 %9.x, %9.y", "vec4 %20, %9.y");
        expect_module(&shader, |place| replace(place, "a.spv", IMUL, IADD));
    }

    #[test]
    fn a_device_draws_with_a_geometry_shader() {
        expect_module(GEOMETRY, |place| replace(place, "a.spv", FADD, FSUB));
    }

    #[test]
    fn a_device_does_not_run_a_control_shader() {
        let found = side(&stage(TESSELLATION, "TESS_CTRL"), |place| replace(place, "a.spv", IADD, ISUB));
        let reason = "the device does not run it: it does not run one shader of MESA_SHADER_TESS_CTRL";
        assert_eq!(found, (Value::Null, reason.into()));
    }
}

#[cfg(not(feature = "vulkan"))]
#[test]
fn a_device_needs_vulkan() {
    expect_refusal(&Folder::new(&[("a.nir", SUM)]), "prove a.nir --no-solver --device", "without the feature `vulkan`");
}

#[test]
fn a_difference_of_a_vertex_shader_has_inputs_that_run() {
    let found = refute(VERTEX, (FADD, FSUB));
    // The file has only what the shader reads.
    let [slots, system] = ["slots", "system"].map(|name| &found.inputs["invocations"][0][name]);
    assert_eq!((slots.as_array().map(Vec::len), system), (Some(1), &serde_json::json!([])), "{}", found.inputs);
    let half = f32::from_bits(slot(slots, "VERT_ATTRIB_GENERIC0")[0]) * 0.5;
    let result = slot(&found.result["invocations"][0]["slots"], "VARYING_SLOT_VAR1");
    assert_eq!(result[0], (half + 0.5).to_bits());
    found.has_results(&format!("{:#x}", result[0]), &format!("{:#x}", (half - 0.5).to_bits()));
}

/// Writes the sum of an input and of a system value, and two components of a texel.
const FRAGMENT: &str = "\
shader: MESA_SHADER_FRAGMENT
num_textures: 1
decl_var uniform INTERP_MODE_NONE none sampler2D picture (0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32x2  %2 = @load_interpolated_input (%1, %0) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32x4  %3 = (float32)txl %2 (coord), %0 (lod), 0 (texture), 0 (sampler)
    32x4  %4 = @load_frag_coord
    32    %5 = fadd %2.x, %4.x
    32x4  %6 = vec4 %5, %2.y, %3.x, %3.y
    @store_output (%6, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
    // succs: b1
    block b1:
}
";

/// Emits a point with the sum of what two vertices have.
#[cfg(feature = "vulkan")]
const GEOMETRY: &str = "\
shader: MESA_SHADER_GEOMETRY
input_primitive: LINES
output_primitive: POINTS
vertices_out: 1
invocations: 1
vertices_in: 2
active_stream_mask: 0x01
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x00000001)
    32x4  %2 = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32x4  %3 = @load_per_vertex_input (%1, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32x4  %4 = fadd %2, %3
    @store_output (%4, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
    32    %5 = load_const (0x3f800000)
    @store_output (%5, %0) (base=1, range=1, wrmask=x, component=0, src_type=float32, io location=VARYING_SLOT_PSIZ slots=1)
    @emit_vertex (stream_id=0)
    @end_primitive (stream_id=0)
    // succs: b1
    block b1:
}
";

#[test]
fn a_difference_of_a_fragment_shader_has_inputs_and_textures_that_run() {
    let found = refute(FRAGMENT, (FADD, FSUB));
    let counts = ["invocations", "textures"].map(|name| found.inputs[name].as_array().map(Vec::len));
    assert_eq!(counts, [Some(1); 2], "{}", found.inputs);
    let inputs = &found.inputs["invocations"][0];
    let a = f32::from_bits(slot(&inputs["slots"], "VARYING_SLOT_VAR0")[0]);
    let b = f32::from_bits(slot(&inputs["system"], "load_frag_coord")[0]);
    let result = slot(&found.result["invocations"][0]["slots"], "FRAG_RESULT_DATA0");
    assert_eq!(result[0], (a + b).to_bits());
    found.has_results(&format!("{:#x}", result[0]), &format!("{:#x}", (a - b).to_bits()));
}

#[test]
fn inputs_of_task_shaders_are_not_written() {
    let stages = include_str!("../../tests/corpus/run/mesh.nir");
    let task = stages.find("shader: MESA_SHADER_TASK").expect("a task shader");
    let mesh = stages.find("shader: MESA_SHADER_MESH").expect("a mesh shader");
    let place = Folder::new(&[("a.nir", &stages[task..mesh])]);
    compile(&place, "a");
    replace(&place, "a.spv", IADD, ISUB);
    let output = place.run("prove a.nir a.spv --no-solver --witness in.json");
    expect(&output, 1, "proved 0 of 1 shader");
    let message = "no inputs are written: those of task and mesh shaders are not";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    assert_eq!(place.files("."), ["a.nir", "a.spv"]);
}

#[test]
fn what_is_not_decided_has_a_line_and_a_reason() {
    let place = Folder::new(&[("a.nir", POINTER_STEP)]);
    let output = place.run("prove a.nir --no-solver --json");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let [verdict, problem] = [(stdout(&output), "verdict"), (stderr(&output), "kind")].map(|(text, member)| {
        objects(&text).into_iter().find(|object| object[member] == "undecided").unwrap_or_else(|| panic!("{text}"))
    });
    assert_eq!(verdict["shader"], problem["shader"]);
    let line = problem["line"].as_u64().expect("a line") as usize;
    let text = POINTER_STEP.lines().nth(line - 1).unwrap_or_default();
    assert!(text.contains("deref_ptr_as_array"), "{problem}");
    assert!(verdict["reason"].as_str().is_some_and(|reason| reason.contains("a deref of another kind")), "{verdict}");
}

#[test]
fn passes_that_are_not_proved_are_named() {
    let place = Folder::new(&[("a.nir", POINTER_STEP), ("b.nir", SUM)]);
    let output = place.run("prove a.nir b.nir --no-solver --passes --json");
    let verdicts = objects(&stdout(&output));
    let steps = |verdict: &str| &verdicts.iter().find(|it| it["verdict"] == verdict).expect("a verdict")["steps"];
    assert_eq!(*steps("undecided"), serde_json::json!(["lower_global"]));
    assert!(steps("proved").is_null());
    assert!(stderr(&output).contains("steps that are not proved: lower_global"), "{}", stderr(&output));
}

#[test]
fn files_that_are_no_modules_of_the_shader_are_errors() {
    let place = Folder::new(&[("a.nir", GOOD), ("b.nir", SUM), ("bad.spv", "garbage!"), ("odd.spv", "odd")]);
    compile(&place, "b");
    let part = fs::read(place.path("b.spv")).expect("a module");
    fs::write(place.path("part.spv"), &part[..part.len() / 8 * 4 + 2]).expect("a file");
    fs::write(place.path("cut.spv"), &part[..100]).expect("a file");
    fs::write(place.path("open.spv"), [&part[..20], &[11, 0, 9, 0, 1, 0, 0, 0, b'G', b'L', b'S', b'L']].concat())
        .expect("a file");
    for (arguments, message) in [
        ("a.nir bad.spv", "bad.spv: this is not SPIR-V"),
        ("a.nir odd.spv", "odd.spv: the file has 3 bytes"),
        ("a.nir part.spv", "not a multiple of the 4 of a word"),
        ("a.nir cut.spv", "cut.spv: this is not a module"),
        ("a.nir open.spv", "the instruction at word 5 ends after the module"),
        ("a.nir none.spv", "none.spv: cannot read"),
        ("a.nir b.spv", "b.spv: it has entry points for [GLCompute], and the shader is one for Vertex"),
    ] {
        let output = place.run(&format!("prove {arguments} --no-solver"));
        expect(&output, 1, "proved 0 of 1 shader");
        assert!(stderr(&output).contains(message), "{arguments}: {}", stderr(&output));
        assert_eq!(stdout(&output), "failed    a.nir\n");
    }
    let output = place.run("prove bad.spv b.nir --no-solver");
    expect(&output, 1, "proved 1 of 2 shaders");
}

#[test]
fn wrong_usage_is_refused() {
    let place = Folder::new(&[("a.nir", GOOD), ("two.nir", &[GOOD, VERTEX].concat())]);
    compile(&place, "a");
    for (arguments, message) in [
        ("a.nir two.nir a.spv", "a module is compared with one shader"),
        ("two.nir a.spv", "not with 2 shaders"),
        ("a.spv", "a module is compared with one shader"),
        ("a.nir a.spv --modules .", "--modules names the modules already"),
        ("a.nir --modules none", "none: is not a folder"),
        ("a.nir a.spv --passes", "--passes proves the passes of a translation"),
        ("a.nir --modules . --passes", "cannot be used with"),
        ("a.nir --place 0=Storage", "takes no placements"),
        ("a.nir --captures storage", "takes only the extension"),
        ("a.nir --witness a.nir", "is an input and would be overwritten"),
        ("a.nir a.spv --witness a.spv", "is an input and would be overwritten"),
        ("a.nir two.nir --witness a.spv", "more than one shader: name a folder"),
        ("a.nir --no-solver --limit 5", "cannot be used with"),
        ("a.nir --validate", "--device"),
    ] {
        let more = if arguments.contains("--no-solver") { "" } else { "--no-solver" };
        expect_refusal(&place, &format!("prove {arguments} {more}"), message);
    }
}

#[test]
fn a_missing_solver_is_an_error() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    let output = place.command("prove a.nir").env("PATH", "").output().expect("the tool");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no SMT solver is installed"), "{}", stderr(&output));
    let output = place.command("prove a.nir --no-solver").env("PATH", "").output().expect("the tool");
    expect(&output, 0, "proved 1 of 1 shader");
}
