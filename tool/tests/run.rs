// SPDX-License-Identifier: MIT

//! `ntv run`: its inputs, its results, and its errors.

#[path = "support/folder.rs"]
mod folder;
#[path = "../../tests/support/mod.rs"]
mod support;

use folder::{expect_refusal, stderr, stdout, Folder, GOOD};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

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
        expect_refusal(&place, "run histogram.nir --inputs in.json --device", "without the feature `vulkan`");
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
    let shader = ntv::text::parse(GOOD).expect("a shader");
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

/// The shaders of a file of the corpus: each starts with the line of its stage.
fn shaders(text: &str) -> Vec<String> {
    let (dumps, _) = text.split_once("; expect:").expect("a file with results");
    dumps.split("shader: ").skip(1).map(|dump| format!("shader: {dump}")).collect()
}

/// What the invocations of `shader` gave with these inputs.
fn run_alone(shader: &str, invocations: &Value) -> Value {
    let inputs = serde_json::json!({ "invocations": invocations }).to_string();
    let place = Folder::new(&[("a.nir", shader), ("in.json", &inputs)]);
    let output = place.run("run a.nir --inputs in.json");
    assert!(output.status.success(), "{}", stderr(&output));
    let mut result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    result["invocations"].take()
}

#[test]
fn a_graphics_shader_runs_alone() {
    let vertex = &shaders(include_str!("../../tests/corpus/run/vertex.nir"))[0];
    let position = serde_json::json!({"name": "VERT_ATTRIB_GENERIC0", "f32": [0, 0.5, 0, 1]});
    let numbers = serde_json::json!({"name": "VERT_ATTRIB_GENERIC1", "u32": [10, 20, 30, 40]});
    let system = [("load_vertex_id", 7), ("load_instance_id", 3)];
    let system = system.map(|(name, number)| serde_json::json!({"name": name, "u32": [number]}));
    let found = run_alone(vertex, &serde_json::json!([{ "slots": [position, numbers], "system": system }]));
    let position = [0, 0.5f32.to_bits(), 0, 1f32.to_bits()];
    let expected = serde_json::json!([{"slots": [
        {"name": "VARYING_SLOT_POS", "u32": position},
        {"name": "VARYING_SLOT_PSIZ", "u32": [1f32.to_bits(), null, null, null]},
        {"name": "VARYING_SLOT_VAR0", "u32": [47, 17, 3, 7]},
    ]}]);
    assert_eq!(found, expected);
}

#[test]
fn the_invocations_of_a_quad_run_together() {
    let fragment = &shaders(include_str!("../../tests/corpus/run/fragment.nir"))[1];
    let invocation = |number: u32, x: f32| {
        let slots = [serde_json::json!({"name": "VARYING_SLOT_VAR0", "u32": [number, 2, 3, 4]})];
        let system = [serde_json::json!({"name": "load_frag_coord", "f32": [x, 1.5, 0, 1]})];
        serde_json::json!({ "slots": slots, "system": system })
    };
    // Both have the input of the first one, which is not interpolated.
    let found = run_alone(fragment, &serde_json::json!([invocation(6, 0.5), invocation(7, 1.5)]));
    for (number, x) in [(0, 5f32), (1, 15f32)] {
        let slots = serde_json::json!([
            {"name": "FRAG_RESULT_DATA0", "u32": [7, 3, 4, 5]},
            {"name": "FRAG_RESULT_DATA1", "u32": [x.to_bits(), 15f32.to_bits(), 0, 10f32.to_bits()]},
        ]);
        assert_eq!(found[number], serde_json::json!({"slots": slots, "discarded": false}));
    }
    let found = run_alone(fragment, &serde_json::json!([invocation(7, 0.5)]));
    assert_eq!(found, serde_json::json!([{"slots": [], "discarded": true}]));
}

#[test]
fn a_geometry_shader_emits_vertices() {
    let geometry = &shaders(include_str!("../../tests/corpus/run/geometry.nir"))[1];
    let slots =
        ["VARYING_SLOT_POS", "VARYING_SLOT_VAR0"].map(|name| serde_json::json!({"name": name, "u32": [5, 6, 7, 8]}));
    let system = [serde_json::json!({"name": "load_primitive_id", "u32": [9]})];
    let found = run_alone(geometry, &serde_json::json!([{ "slots": slots, "system": system }]));
    let vertices = found[0]["vertices"].as_array().expect("vertices");
    assert_eq!(vertices.len(), 4, "{found}");
    for (number, at) in [(1, 0), (2, 2)] {
        let data = serde_json::json!({"name": "VARYING_SLOT_VAR0", "u32": [6, 5, 9, number]});
        assert_eq!(vertices[at]["slots"][2], data);
        assert_eq!(vertices[at + 1], serde_json::json!({"stream": 0, "end_primitive": true}));
    }
}

#[test]
fn wrong_invocations_are_refused() {
    let vertex = &shaders(include_str!("../../tests/corpus/run/vertex.nir"))[0];
    let slot = |text: &str| format!(r#"{{"invocations": [{{"slots": [{text}]}}]}}"#);
    let system = r#"{"invocations": [{"system": [{"name": "load_input", "u32": [1]}]}]}"#;
    for (inputs, message) in [
        (
            slot(r#"{"name": "VARYING_SLOT_VAR0", "u32": [1, 2, 3, 4]}"#),
            "not a slot of the inputs of MESA_SHADER_VERTEX",
        ),
        (slot(r#"{"name": "VERT_ATTRIB_POS", "u32": [1, 2, 3]}"#), "`VERT_ATTRIB_POS` does not have four words"),
        (slot(r#"{"u32": [1, 2, 3, 4]}"#), "`name` is missing"),
        (system.to_string(), "`load_input` does not load a system value"),
    ] {
        let place = Folder::new(&[("a.nir", vertex), ("in.json", &inputs)]);
        expect_refusal(&place, "run a.nir --inputs in.json", message);
    }
    let compute = include_str!("../../examples/histogram.nir");
    let inputs = example_inputs().replace("\"groups\": [1, 1, 1]", "\"invocations\": []");
    let place = Folder::new(&[("a.nir", vertex), ("b.nir", compute), ("in.json", &inputs)]);
    expect_refusal(&place, "run a.nir a.nir --inputs in.json", "`invocations` are those of one shader, not of 2");
    expect_refusal(&place, "run b.nir --inputs in.json", "MESA_SHADER_COMPUTE has workgroups");
    expect_refusal(&place, "run a.nir --inputs in.json --png a.png", "--png needs a draw");
    let message =
        if cfg!(feature = "vulkan") { "a device draws with a whole pipeline" } else { "without the feature `vulkan`" };
    expect_refusal(&place, "run a.nir --inputs in.json --device llvmpipe", message);
}

/// Each stage but those with workgroups runs alone with the invocations of its template, and has the outputs that it writes.
#[test]
fn a_stage_runs_alone_with_its_template() {
    let place = Folder::new(&[]);
    let scenes = support::root().join("examples/scenes");
    for (file, count, output) in [
        ("planet.vert.nir", 1, "VARYING_SLOT_POS"),
        ("planet.tesc.nir", 4, "VARYING_SLOT_TESS_LEVEL_OUTER"),
        ("planet.tese.nir", 1, "VARYING_SLOT_POS"),
        ("spikes.geom.nir", 1, "VARYING_SLOT_POS"),
    ] {
        let path = scenes.join(file);
        let template = stdout(&place.run(&format!("run --template {}", path.display())));
        let given: Value = serde_json::from_str(&template).expect("JSON");
        assert_eq!(given["invocations"].as_array().map_or(0, Vec::len), count, "{file}: {template}");
        // With zeros, a vector to normalize has no direction.
        let edited = template.replace("[0,0,0,0]", "[0.5,0.25,1,1]");
        fs::write(place.path("in.json"), &edited).expect("a file");
        let ran = place.run(&format!("run {} --inputs in.json", path.display()));
        assert!(ran.status.success(), "{file}: {}\n{edited}", stderr(&ran));
        assert!(stdout(&ran).contains(output), "{file}: {}", stdout(&ran));
        let zeros = place.run(&format!("run {} --json", path.display()));
        assert!(stdout(&zeros).contains(output) && !stderr(&zeros).contains("missing"), "{file}: {}", stderr(&zeros));
    }
    // A shader whose outputs are captured draws.
    let captures = support::root().join("examples/captures.nir");
    let ran = place.run(&format!("run {}", captures.display()));
    let result: Value = serde_json::from_str(&stdout(&ran)).expect("JSON");
    assert!(result["captures"][0]["u32"].as_array().is_some_and(|words| words.len() > 3), "{result}");
}

/// The template of every shader of the corpus has all that the shader uses, as far as it can run with its own stages.
#[test]
fn templates_lack_nothing() {
    let place = Folder::new(&[]);
    let mut ran = 0;
    for file in support::files(&support::root().join("tests/corpus/run"), &["nir"]) {
        let path = file.display();
        let template = place.run(&format!("run --template {path}"));
        if !template.status.success() {
            let said = stderr(&template);
            let reasons = ["of its pipeline", "not the stages", "error: ", "descriptors", "there is no shader"];
            assert!(reasons.iter().any(|reason| said.contains(reason)), "{path}: {said}");
            continue;
        }
        fs::write(place.path("in.json"), &template.stdout).expect("a file");
        let output = place.run(&format!("run {path} --inputs in.json --json"));
        let said = stderr(&output);
        assert!(!said.contains(r#""kind":"missing""#) && !said.contains("panicked"), "{path}: {said}");
        let expected = ["only points", "is missing", "needs", "global", "handle"];
        let fine = output.status.code() != Some(2) || expected.iter().any(|part| said.contains(part));
        assert!(fine, "{path}: {said}\n{}", String::from_utf8_lossy(&template.stdout));
        ran += 1;
    }
    assert!(ran > 30, "only {ran} templates");
}
