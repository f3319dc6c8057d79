// SPDX-License-Identifier: MIT

//! GLSL as an input, with the Mesa that is installed; with the variables of another Mesa in the environment, with that one. It needs
//! EGL, zink and lavapipe.

#[path = "support/folder.rs"]
mod folder;

use folder::{expect, expect_refusal, is_spirv, stderr, stdout, Folder};
use std::process::Output;

const VERTEX: &str = "#version 330
in vec4 position;
uniform mat4 matrix;
out vec2 uv;
void main()
{
    gl_Position = matrix * position;
    uv = position.xy;
}
";

const FRAGMENT: &str = "#version 330
in vec2 uv;
uniform sampler2D picture;
layout(std140) uniform Lights { vec4 light[4]; int count; };
out vec4 color;
void main()
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < count; i++)
        sum += light[i];
    color = texture(picture, uv) * sum;
}
";

const COMPUTE: &str = "#version 430
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Numbers { uint numbers[]; };
void main() { numbers[gl_GlobalInvocationID.x] *= 2u; }
";

/// A program with all stages of a draw.
const STAGES: &str = "[require]
GLSL >= 4.10

[vertex shader passthrough]

[tessellation control shader]
layout(vertices = 3) out;
uniform float level;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter = float[4](level, level, level, level);
    gl_TessLevelInner = float[2](level, level);
}

[tessellation evaluation shader]
layout(triangles) in;
out vec3 place;
void main()
{
    place = gl_TessCoord;
    gl_Position = place.x * gl_in[0].gl_Position + place.y * gl_in[1].gl_Position + place.z * gl_in[2].gl_Position;
}

[geometry shader]
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec3 place[];
out vec3 color;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        color = place[i];
        EmitVertex();
    }
}

[fragment shader]
in vec3 color;
out vec4 result;
void main() { result = vec4(color, 1.0); }

[test]
clear
";

fn lines(output: &Output) -> Vec<String> {
    stderr(output).lines().map(str::to_string).collect()
}

#[test]
fn a_program_becomes_dumps_that_every_command_takes() {
    let place = Folder::new(&[("a.vert", VERTEX), ("sub/b.frag.glsl", FRAGMENT), ("c.comp", COMPUTE)]);
    expect(&place.run("glsl a.vert sub/b.frag.glsl c.comp -o out"), 0, "compiled 3 shaders of GLSL");
    assert_eq!(place.files("out"), ["a.vert.nir", "b.frag.nir", "c.comp.nir"]);
    expect(&place.run("check out"), 0, "3 of 3 shaders are fine");
    expect(&place.run("compile a.vert sub/b.frag.glsl c.comp --validate -o spv"), 0, "compiled 3 of 3 shaders");
    assert_eq!(place.files("spv"), ["a.vert.spv", "b.frag.glsl.spv", "c.comp.spv"]);
    let linked = place.run("link a.vert sub/b.frag.glsl");
    assert!(stdout(&linked).contains("fragment:\n  in  location 0, xy\n"), "{}", stdout(&linked));
    // One file with one shader, as for every command.
    expect(&place.run("glsl c.comp -o one.nir"), 0, "compiled 1 shader of GLSL");
    assert!(stdout(&place.run("print one.nir")).starts_with("shader: MESA_SHADER_COMPUTE\n"));
}

#[test]
fn compute_shaders_run() {
    let inputs = r#"{"buffers": [{"set": 3, "binding": 0, "u32": [1, 2, 3, 40]}]}"#;
    let place = Folder::new(&[("double.comp", COMPUTE), ("in.json", inputs)]);
    let ran = place.run("run double.comp --inputs in.json");
    let result: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", stderr(&ran)));
    assert_eq!(result["buffers"][0]["u32"], serde_json::json!([2, 4, 6, 80]));
}

/// As a new user does it: the README and the help of the command name all that is used.
#[test]
fn a_fragment_shader_becomes_a_picture() {
    let source = include_str!("../../examples/glsl/marble.frag");
    let place = Folder::new(&[("marble.frag", source)]);
    expect(&place.run("check marble.frag"), 0, "1 of 1 shader is fine");
    let template = place.run("run --template marble.frag");
    assert!(stdout(&template).contains(r#""targets": ["rgba8"]"#), "{}", stdout(&template));
    std::fs::write(place.path("in.json"), stdout(&template).replace("[64,64]", "[33,17]")).expect("a file");
    let pixels = |arguments: &str| -> Vec<u8> {
        let output = place.run(arguments);
        assert!(output.status.success(), "{arguments}: {}", stderr(&output));
        let file = std::fs::File::open(place.path("marble.png")).expect("a picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a picture");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        pixels
    };
    // Without inputs, those of the template.
    assert_eq!(pixels("run marble.frag --png marble.png").len(), 64 * 64 * 4);
    let interpreted = pixels("run marble.frag --inputs in.json --png marble.png");
    let colors: std::collections::BTreeSet<&[u8]> = interpreted.chunks(4).collect();
    assert!(interpreted.len() == 33 * 17 * 4 && colors.len() > 100, "{} colors", colors.len());
    if cfg!(feature = "vulkan") {
        let drawn = pixels("run marble.frag --inputs in.json --png marble.png --device llvmpipe");
        let most = drawn.iter().zip(&interpreted).map(|(one, other)| one.abs_diff(*other)).max();
        assert!(most <= Some(2), "a channel differs by {most:?}");
    }
}

/// Inputs are the place, and flat ones and integers are 0, on the interpreter and on a device; discarded pixels stay.
#[test]
fn inputs_of_a_lone_fragment_shader_are_its_place() {
    let source = "#version 430
in vec2 uv;
flat in ivec2 cell;
flat in float level;
layout(location = 0) out vec4 color;
void main()
{
    float step = dFdx(uv.x);
    if (gl_FragCoord.x < 1.0)
        discard;
    color = vec4(uv, step, 1.0) + vec4(cell, level, 0.0);
}
";
    let inputs = r#"{"draw": {"size": [4, 2], "targets": [{"format": "rgba32f", "f32": [9, 9, 9, 9]}]}}"#;
    let place = Folder::new(&[("a.frag", source), ("in.json", inputs)]);
    let run = |arguments: &str| -> serde_json::Value {
        let output = place.run(&format!("run a.frag --inputs in.json {arguments}"));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)))
    };
    let row = |y: f64| [[9.0; 4], [0.375, y, 0.25, 1.0], [0.625, y, 0.25, 1.0], [0.875, y, 0.25, 1.0]].concat();
    let expected = serde_json::json!([row(0.25), row(0.75)].concat());
    assert_eq!(run("")["targets"][0]["f32"], expected);
    if cfg!(feature = "vulkan") {
        assert_eq!(run("--device llvmpipe")["targets"][0]["f32"], expected);
    }
}

#[test]
fn all_versions_are_compiled() {
    let versions =
        ["100", "300 es", "310 es", "320 es", "110", "120", "130", "140", "150", "150 compatibility", "330", "400"];
    for version in versions.into_iter().chain(["410", "420", "430", "440", "450", "460"]) {
        let modern = "out vec4 color;\n";
        let old = "#define color gl_FragColor\n";
        let declaration = if ["100", "110", "120"].contains(&version) { old } else { modern };
        let precision = "#ifdef GL_ES\nprecision highp float;\n#endif\n";
        let source =
            format!("#version {version}\n{precision}{declaration}uniform vec4 u;\nvoid main() {{ color = u; }}\n");
        let place = Folder::new(&[("a.frag", &source)]);
        expect(&place.run("compile a.frag --validate -o a.spv"), 0, "compiled 1 of 1 shader");
        assert!(is_spirv(&place.path("a.spv")), "{version}");
    }
}

#[test]
fn tests_of_piglit_have_all_stages() {
    let place = Folder::new(&[("all.shader_test", STAGES)]);
    expect(&place.run("glsl all.shader_test -o nir"), 0, "compiled 5 shaders of GLSL");
    let names = ["all.frag.nir", "all.geom.nir", "all.tesc.nir", "all.tese.nir", "all.vert.nir"];
    assert_eq!(place.files("nir"), names);
    expect(&place.run("compile all.shader_test --validate -o spv"), 0, "compiled 5 of 5 shaders");
    expect(&place.run("glsl all.shader_test --level zink -o zink"), 0, "compiled 5 shaders of GLSL");
    expect(&place.run("compile zink --validate -o spv2"), 0, "compiled 5 of 5 shaders");
}

/// Each error has the line of the file, also in the section of a test, and the word of the file.
#[test]
fn errors_of_mesa_have_their_places() {
    let wrong = FRAGMENT.replace("        sum +=", "        sum  +=  lamp +");
    let place =
        Folder::new(&[("a.frag", &wrong), ("a.shader_test", &STAGES.replace("color = place", "colour = place"))]);
    let output = place.run("compile a.frag -o x");
    let said = lines(&output);
    assert_eq!(&said[..2], ["error: `lamp' undeclared", "  --> a.frag:10:18"], "{said:#?}");
    assert!(said[4].ends_with(" ^^^^"), "{said:#?}");
    expect(&output, 1, "compiled 0 of 1 shader");
    let said = lines(&place.run("glsl a.shader_test"));
    assert_eq!(&said[..2], ["error: `colour' undeclared", "  --> a.shader_test:34:9"], "{said:#?}");
    let said = stderr(&place.run("compile a.frag --json -o x"));
    let object: serde_json::Value = serde_json::from_str(said.lines().next().unwrap_or_default()).expect("an object");
    let place_of = ["file", "kind", "line", "column", "length"].map(|name| object[name].clone());
    assert_eq!(serde_json::json!(place_of), serde_json::json!(["a.frag", "glsl", 10, 18, 4]));
    assert_eq!(place.files("."), ["a.frag", "a.shader_test"]);
}

#[test]
fn errors_of_the_linker_and_warnings_are_reported() {
    let place = Folder::new(&[
        ("a.vert", &VERTEX.replace("out vec2 uv", "out vec3 uv").replace(".xy;", ".xyz;")),
        ("a.frag", FRAGMENT),
    ]);
    let output = place.run("compile a.vert a.frag -o out");
    expect(&output, 1, "compiled 0 of 2 shaders");
    assert!(stderr(&output).contains("vertex shader output `uv' declared as type `vec3'"), "{}", stderr(&output));
    // Separate programs of one name each are not linked.
    let warned = "#version 330\nout vec4 color;\nvoid main()\n{\n    vec4 unset;\n    color = unset;\n}\n";
    let place = Folder::new(&[("a.frag", FRAGMENT), ("b.frag", warned)]);
    let output = place.run("compile a.frag b.frag -o out");
    expect(&output, 0, "compiled 2 of 2 shaders");
    let said = lines(&output);
    assert_eq!(&said[..2], ["note: `unset' used uninitialized", " --> b.frag:6:13"], "{said:#?}");
}

const MESH: &str = "#version 450
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 3) in;
layout(triangles, max_vertices = 3, max_primitives = 1) out;
layout(location = 0) out vec4 color[];
void main()
{
    uint i = gl_LocalInvocationIndex;
    SetMeshOutputsEXT(3u, 1u);
    gl_MeshPrimitivesEXT[0].gl_CullPrimitiveEXT = gl_WorkGroupID.x == 1u;
    gl_MeshVerticesEXT[i].gl_Position = vec4(float(i & 1u), float(i >> 1u), 0.0, 1.0);
    color[i] = vec4(1.0);
    if (i == 0u)
        gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0u, 1u, 2u);
}
";

const TASK: &str = "#version 450
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 1) in;
void main() { EmitMeshTasksEXT(2u, 1u, 1u); }
";

/// Mesa compiles task and mesh shaders, or it is too old, and a sentence says so.
#[test]
fn mesh_shaders_are_compiled_by_a_new_mesa() {
    let fragment = "#version 450\nlayout(location = 0) in vec4 color;\nlayout(location = 0) out vec4 result;\n\
                    void main() { result = color; }\n";
    let place = Folder::new(&[("a.task", TASK), ("a.mesh", MESH), ("a.frag", fragment)]);
    let output = place.run("compile a.task a.mesh a.frag --enable meshShader,taskShader --validate -o out");
    let is_old = stderr(&output).contains("(GL_EXT_mesh_shader) need a newer Mesa");
    expect(&output, i32::from(is_old), if is_old { "compiled 0 of 3 shaders" } else { "compiled 3 of 3 shaders" });
    let files = if is_old { vec![] } else { vec!["a.frag.spv", "a.mesh.spv", "a.task.spv"] };
    assert_eq!(place.files("out"), files);
    let output = place.run("glsl a.task a.mesh a.frag --level zink");
    expect(&output, 1, "compiled 0 shaders of GLSL");
    assert!(stderr(&output).contains("zink on lavapipe has no mesh shaders"), "{}", stderr(&output));
}

#[test]
fn without_mesa_a_sentence_says_what_to_install() {
    let place = Folder::new(&[("a.frag", FRAGMENT), ("b.nir", folder::GOOD)]);
    let mut command = place.command("compile a.frag b.nir -o out");
    let output = command.env("__EGL_VENDOR_LIBRARY_FILENAMES", "none.json").output().expect("the tool");
    expect(&output, 1, "compiled 1 of 2 shaders");
    assert!(
        stderr(&output).contains("apt-get install libegl1 libgl1-mesa-dri mesa-vulkan-drivers"),
        "{}",
        stderr(&output)
    );
    expect_refusal(&place, "glsl b.nir", "has no end of a stage");
    std::fs::create_dir(place.path("empty")).expect("a folder");
    expect_refusal(&place, "glsl empty", "empty");
}
