// SPDX-License-Identifier: MIT

//! `ntv reflect`: of NIR, of GLSL, and of SPIR-V of another compiler. It needs `spirv-as` and what GLSL needs.

#[path = "support/folder.rs"]
mod folder;

use folder::{expect_refusal, stderr, stdout, Folder, GOOD};
use serde_json::{json, Value};
use std::process::{Command, Stdio};

const FRAGMENT: &str = "#version 430
in vec2 uv;
flat in ivec3 cell;
uniform vec4 tint;
uniform float scale;
uniform sampler2D picture;
layout(std430, binding = 2) buffer Counts { uint count; };
out vec4 color;
layout(location = 1) out uvec2 more;
void main()
{
    color = texture(picture, uv) * tint * scale;
    count = 1u;
    more = uvec2(cell.xy);
}
";

/// A module as glslang makes it, with all that ntv's own modules do not have.
const FOREIGN: &str = r#"
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "start" %position %block
OpName %position "position"
OpName %camera "Camera"
OpMemberName %camera 0 "view"
OpMemberName %camera 1 "lights"
OpName %vertex "gl_PerVertex"
OpMemberName %vertex 0 "gl_Position"
OpName %speed "speed"
OpName %draw "draw"
OpMemberName %push 0 "index"
OpDecorate %position Location 3
OpDecorate %camera Block
OpMemberDecorate %camera 0 Offset 0
OpMemberDecorate %camera 0 ColMajor
OpMemberDecorate %camera 0 MatrixStride 16
OpMemberDecorate %camera 1 Offset 64
OpDecorate %lights ArrayStride 32
OpDecorate %uniforms DescriptorSet 1
OpDecorate %uniforms Binding 4
OpDecorate %vertex Block
OpMemberDecorate %vertex 0 BuiltIn Position
OpDecorate %push Block
OpMemberDecorate %push 0 Offset 0
OpDecorate %speed SpecId 7
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%vec4 = OpTypeVector %float 4
%mat4 = OpTypeMatrix %vec4 4
%three = OpConstant %uint 3
%lights = OpTypeArray %vec4 %three
%camera = OpTypeStruct %mat4 %lights
%pointer = OpTypePointer Uniform %camera
%uniforms = OpVariable %pointer Uniform
%input = OpTypePointer Input %vec4
%position = OpVariable %input Input
%vertex = OpTypeStruct %vec4
%output = OpTypePointer Output %vertex
%block = OpVariable %output Output
%push = OpTypeStruct %int
%pushed = OpTypePointer PushConstant %push
%draw = OpVariable %pushed PushConstant
%speed = OpSpecConstant %float 1.5
%main = OpFunction %void None %function
%start = OpLabel
OpReturn
OpFunctionEnd
"#;

fn object(place: &Folder, arguments: &str) -> Value {
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stdout(&output)))
}

#[test]
fn glsl_has_all_its_names() {
    let place = Folder::new(&[("a.frag", FRAGMENT)]);
    let found = object(&place, "reflect a.frag --json");
    assert_eq!((&found["file"], &found["stage"]), (&json!("a.frag"), &json!("fragment")));
    let bindings = found["bindings"].as_array().expect("a list");
    let uniforms = &bindings[0]["block"]["members"];
    let expected = json!([
        { "name": "tint", "type": "vec4", "offset": 0 },
        { "name": "scale", "type": "float", "offset": 16 },
    ]);
    assert_eq!(uniforms, &expected);
    assert_eq!((&bindings[1]["name"], &bindings[1]["type"]), (&json!("picture"), &json!("sampler2D")));
    assert_eq!(bindings[2]["kind"], "storage buffer");
    assert_eq!(bindings[2]["block"]["members"][0]["name"], "count");
    let names = |list: &Value| -> Vec<String> {
        list.as_array().expect("a list").iter().map(|io| format!("{} {}", io["type"], io["name"])).collect()
    };
    assert_eq!(names(&found["inputs"]), [r#""ivec3" "cell""#, r#""vec2" "uv""#]);
    assert_eq!(names(&found["outputs"]), [r#""vec4" "color""#, r#""uvec2" "more""#]);
    assert!(found["keys"].as_array().expect("a list").contains(&json!("flip_y")));
    assert_eq!(found["features"], json!(["fragmentStoresAndAtomics"]));
}

#[test]
fn nir_and_its_module_have_the_same_places() {
    let place = Folder::new(&[("a.nir", GOOD)]);
    assert!(place.run("compile a.nir -o a.spv").status.success());
    let places = |found: &Value| -> Vec<Value> {
        let bindings = found["bindings"].as_array().expect("a list").iter();
        bindings.map(|it| json!([it["set"], it["binding"], it["kind"], it["block"]["bytes"]])).collect()
    };
    let (shader, module) = (object(&place, "reflect a.nir --json"), object(&place, "reflect a.spv --json"));
    assert_eq!(places(&shader), [json!([1, 1, "uniform buffer", 144])]);
    assert_eq!(places(&shader), places(&module));
    // The dump has the members in variables of their own, and not their offsets.
    let members = json!([
        { "name": "direction", "type": "vec4[8]", "offset": null },
        { "name": "count", "type": "int", "offset": null },
    ]);
    assert_eq!(shader["bindings"][0]["block"]["members"], members);
    assert_eq!(module["features"], Value::Null);
}

#[test]
fn spirv_of_others_is_read() {
    let place = Folder::new(&[("a.spvasm", FOREIGN)]);
    let mut assembler = Command::new("spirv-as");
    assembler.args(["a.spvasm", "-o", "a.spv"]).current_dir(place.path(".")).stdin(Stdio::null());
    let assembled = assembler.output().expect("spirv-as");
    assert!(assembled.status.success(), "{}", stderr(&assembled));
    let expected = "vertex `start`
  set 1, binding 4  uniform buffer          Camera, 160 bytes
                         0  mat4 view
                        64  vec4[3] lights
  push constants    4 bytes
                         0  int index
  in  location 3      vec4 position
  out Position        vec4 gl_Position
  spec constant   7  float speed = 1.5
  keys: strip, no_capture
  capabilities: Shader
";
    let output = place.run("reflect a.spv");
    assert_eq!(stdout(&output), expected, "{}", stderr(&output));
}

#[test]
fn wrong_words_are_an_error() {
    let place = Folder::new(&[("a.spv", "no words")]);
    let output = place.run("reflect a.spv");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: rspirv cannot read it"), "{}", stderr(&output));
    expect_refusal(&place, "reflect none.nir", "none.nir");
}
