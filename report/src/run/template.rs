// SPDX-License-Identifier: MIT

//! The inputs of `ntv run` for shaders, with zeros to edit: all descriptors, attributes and targets that they use, and the slots and
//! system values of a shader that runs alone.

use crate::reflect::{Block, Io, Reflection, Resource, SlotRead};
use anyhow::{bail, ensure, Result};
use ntv::op::names::FORMATS;
use serde_json::{json, Value};
use std::fmt::Write as _;

/// A block with more words has its size instead of a list.
const MOST_WORDS: u32 = 64;

/// The bytes of an array without a size.
const OPEN_BYTES: u32 = 64;

/// The vertices of the template of a draw.
const VERTICES: usize = 3;

/// A triangle that covers the targets: the values of the first attribute.
const TRIANGLE: [f32; 4 * VERTICES] = [-1.0, -1.0, 0.0, 1.0, 3.0, -1.0, 0.0, 1.0, -1.0, 3.0, 0.0, 1.0];

/// The inputs of the stages of a pipeline, of a compute shader, or of one stage alone.
///
/// # Errors
/// The stages are not those of a run.
pub fn template(stages: &[Reflection]) -> Result<Value> {
    let find = |name: &str| stages.iter().find(|stage| stage.stage == name);
    let mut inputs = json!({});
    match stages {
        [stage] if stage.stage == "compute" || stage.stage == "kernel" => inputs["groups"] = json!([1, 1, 1]),
        [stage] if stage.stage == "fragment" => inputs["draw"] = json!({ "size": [64, 64], "targets": targets(stage) }),
        [stage] if is_alone(stage) => inputs["invocations"] = invocations(stage),
        _ if find("vertex").is_some() || find("mesh").is_some() => inputs["draw"] = draw(stages),
        [] => bail!("there is no shader"),
        [stage] => bail!("a {} shader runs with the other stages of its pipeline: name them, too", stage.stage),
        _ => bail!("these are not the stages of a pipeline: there is no vertex shader"),
    }
    let captured = stages.iter().flat_map(|stage| &stage.outputs).filter_map(|io| io.capture);
    for [buffer, stride, _] in captured {
        let draw = &mut inputs["draw"];
        if draw["captures"].is_null() {
            draw["captures"] = json!([]);
        }
        let sizes = draw["captures"].as_array_mut();
        let Some(sizes) = sizes.filter(|_| buffer < 4) else { continue };
        sizes.resize(sizes.len().max(buffer as usize + 1), json!(4));
        sizes[buffer as usize] = json!(stride as usize * VERTICES);
    }
    if let Some(block) = stages.iter().find_map(|stage| stage.push_constants.as_ref()) {
        inputs["push_constants"] = json!({});
        fill(&mut inputs["push_constants"], block);
    }
    descriptors(stages, &mut inputs)?;
    Ok(inputs)
}

/// Whether a stage runs without the others of its pipeline. A vertex shader whose outputs are captured draws.
fn is_alone(stage: &Reflection) -> bool {
    match stage.stage {
        "vertex" => stage.outputs.iter().all(|io| io.capture.is_none()),
        other => ["tess_ctrl", "tess_eval", "geometry"].contains(&other),
    }
}

/// One invocation, or those of a patch.
fn invocations(stage: &Reflection) -> Value {
    let vertices = match (stage.stage, stage.primitive.as_deref()) {
        ("vertex", _) => 1,
        ("tess_ctrl", _) => stage.patch_vertices.unwrap_or(1),
        (_, Some("InputPoints")) => 1,
        (_, Some("InputLines" | "Isolines")) => 2,
        (_, Some("InputLinesAdjacency" | "Quads")) => 4,
        (_, Some("InputTrianglesAdjacency")) => 6,
        _ => 3,
    };
    let slots: Vec<Value> = stage.reads.slots.iter().flat_map(|slot| values(slot, vertices)).collect();
    let system = stage.reads.system_values.iter().map(|value| {
        let zeros: Vec<u32> = vec![0; usize::from(value.components)];
        json!({ "name": value.name, word_form(value.is_float): zeros })
    });
    let invocation = json!({ "slots": slots, "system": system.collect::<Vec<_>>() });
    let count = if stage.stage == "tess_ctrl" { vertices } else { 1 };
    (0..count).map(|_| invocation.clone()).collect()
}

/// The name of the list for words.
fn word_form(is_float: bool) -> &'static str {
    if is_float {
        "f32"
    } else {
        "u32"
    }
}

/// The values of a slot, for each vertex if it has them.
fn values(slot: &SlotRead, vertices: u32) -> impl Iterator<Item = Value> + '_ {
    let zeros = match (slot.name.as_str(), slot.is_float) {
        ("VARYING_SLOT_POS", _) => json!([0, 0, 0, 1]),
        _ => json!([0, 0, 0, 0]),
    };
    (0..if slot.per_vertex { vertices } else { 1 }).map(move |vertex| {
        let mut object = json!({ "name": slot.name });
        object[word_form(slot.is_float)] = zeros.clone();
        for (name, number) in [("vertex", vertex), ("index", slot.index)] {
            if number != 0 {
                object[name] = json!(number);
            }
        }
        object
    })
}

fn draw(stages: &[Reflection]) -> Value {
    let find = |name: &str| stages.iter().find(|stage| stage.stage == name);
    let primitive = find("geometry").and_then(|stage| stage.primitive.as_deref());
    let topology = match primitive {
        _ if find("tess_eval").is_some() => "patches",
        Some("InputPoints") => "points",
        // Each vertex is captured once.
        None if find("fragment").is_none() && find("mesh").is_none() => "points",
        Some("InputLines") => "lines",
        _ => "triangles",
    };
    let mut draw = json!({ "topology": topology, "vertices": VERTICES, "size": [64, 64] });
    if topology == "patches" {
        draw["patch_vertices"] = json!(VERTICES);
    }
    draw["targets"] = find("fragment").map_or(json!([]), targets);
    let attributes = find("vertex").into_iter().flat_map(|stage| &stage.inputs).filter(|io| io.builtin.is_none());
    draw["attributes"] = attributes.enumerate().map(|(number, io)| attribute(number, io)).collect();
    draw
}

/// A vertex attribute. The first one covers the targets if it can be a position.
fn attribute(number: usize, io: &Io) -> Value {
    let form = form(&io.ty);
    let values = match (number, form) {
        (0, "f32") => json!(TRIANGLE),
        _ => json!(vec![0; 4 * VERTICES]),
    };
    json!({ "location": io.location, "name": io.name, form: values })
}

/// The name of the list for numbers of a type.
fn form(ty: &str) -> &'static str {
    match ty.chars().next() {
        Some('i') => "i32",
        Some('u') => "u32",
        _ => "f32",
    }
}

/// A target for each colour of a fragment shader.
fn targets(stage: &Reflection) -> Value {
    let colors = || stage.outputs.iter().filter(|io| io.builtin.is_none());
    let count = colors().map(|io| io.location.min(7) + 1).max().unwrap_or(0);
    let format = |location| match colors().find(|io| io.location == location) {
        Some(io) if form(&io.ty) != "f32" => "rgba32ui",
        _ => "rgba8",
    };
    (0..count).map(format).collect()
}

/// Adds the descriptors of all stages, each once.
fn descriptors(stages: &[Reflection], inputs: &mut Value) -> Result<()> {
    let mut seen: Vec<(u32, u32)> = Vec::new();
    for resource in stages.iter().flat_map(|stage| &stage.resources) {
        if seen.contains(&(resource.set, resource.binding)) {
            continue;
        }
        seen.push((resource.set, resource.binding));
        let Some(list) = list(resource) else { continue };
        let count = resource.count.unwrap_or(1);
        ensure!(count <= 256, "the array `{}` has {count} descriptors: a run is not for so many", resource.name);
        for element in 0..count {
            let mut object = json!({ "set": resource.set, "binding": resource.binding });
            if count > 1 {
                object["element"] = json!(element);
            }
            describe(resource, &mut object);
            match inputs[list].as_array_mut() {
                Some(all) => all.push(object),
                None => inputs[list] = json!([object]),
            }
        }
    }
    Ok(())
}

/// The list of the inputs for a kind of descriptor; `None` for what the draw has.
fn list(resource: &Resource) -> Option<&'static str> {
    Some(match resource.kind {
        "uniform buffer" | "storage buffer" => "buffers",
        "sampler" => "samplers",
        "storage image" | "storage texel buffer" => "images",
        "input attachment" => return None,
        _ => "textures",
    })
}

/// Adds the name and the contents of a descriptor.
fn describe(resource: &Resource, object: &mut Value) {
    if let Some(block) = &resource.block {
        let member = |it: &crate::reflect::Member| match it.offset {
            Some(offset) => format!("{} {} at {offset}", it.ty, it.name),
            None => format!("{} {}", it.ty, it.name),
        };
        let members: Vec<String> = block.members.iter().map(member).collect();
        let colon = if members.is_empty() { "" } else { ": " };
        object["name"] = json!(format!("{}{colon}{}", resource.name, members.join(", ")));
        return fill(object, block);
    }
    if !resource.name.is_empty() {
        object["name"] = json!(resource.name);
    }
    if resource.kind != "sampler" {
        image(&resource.ty, object);
    }
}

/// Adds zeros for a block.
fn fill(object: &mut Value, block: &Block) {
    // NIR may know the sizes of members where the words have an array without one.
    let members = block.members.iter().fold(0u32, |end, it| it.offset.unwrap_or(end).saturating_add(it.bytes));
    let has_end = block.members.last().is_some_and(|member| member.bytes != 0);
    let bytes = match block.is_open {
        true if has_end => block.bytes.max(members),
        true => block.bytes.max(members).saturating_add(OPEN_BYTES),
        false => block.bytes,
    };
    let words = bytes.div_ceil(4);
    let is_float = !block.members.is_empty() && block.members.iter().all(|member| form(&member.ty) == "f32");
    match words <= MOST_WORDS {
        true if is_float => object["f32"] = json!(vec![0; words as usize]),
        true => object["u32"] = json!(vec![0; words as usize]),
        false => object["size"] = json!(bytes),
    }
}

/// Adds the shape of a texture or an image of a type such as `usampler2DArray` or `image3D rgba8`.
fn image(ty: &str, object: &mut Value) {
    let (name, format) = ty.split_once(' ').unwrap_or((ty, ""));
    let shape =
        ["sampler", "texture", "image"].iter().find_map(|word| name.split_once(word)).map_or("", |parts| parts.1);
    let is_shadow = shape.ends_with("Shadow");
    let shape = shape.trim_end_matches("Shadow");
    let is_array = shape.ends_with("Array");
    // NIR's names.
    let (dim, size) = match shape.trim_end_matches("Array") {
        "1D" => ("1D", json!([2])),
        "3D" => ("3D", json!([2, 2, 2])),
        "Cube" => ("Cube", json!([2, 2])),
        "2DRect" => ("Rect", json!([2, 2])),
        "Buffer" => ("Buf", json!([4])),
        "2DMS" => ("2D-MSAA", json!([2, 2])),
        _ => ("2D", json!([2, 2])),
    };
    object["dim"] = json!(dim);
    object["size"] = size;
    if is_array {
        object["layers"] = json!(if dim == "Cube" { 6 } else { 2 });
    }
    let known = FORMATS.iter().find(|row| !format.is_empty() && format!("{:?}", row.1).to_lowercase() == format);
    object["format"] = json!(match (known, form(name)) {
        (Some(known), _) => known.0,
        _ if is_shadow => "r32_float",
        (None, "u32") => "r32g32b32a32_uint",
        (None, "i32") if !name.starts_with("image") => "r32g32b32a32_sint",
        _ => "r32g32b32a32_float",
    });
    if is_shadow {
        object["compare"] = json!("less");
    }
}

/// The text of inputs: members, and the objects of lists, have lines of their own, down to those that have only numbers.
pub fn to_text(inputs: &Value) -> String {
    let mut text = String::new();
    write(inputs, 0, &mut text);
    text + "\n"
}

/// The spaces of a level.
const INDENT: usize = 2;

fn write(value: &Value, level: usize, out: &mut String) {
    let has_objects = |value: &Value| value.as_array().is_some_and(|all| all.iter().any(Value::is_object));
    let (open, rows, close) = match value {
        Value::Array(all) if has_objects(value) => ('[', all.iter().map(|one| (String::new(), one)).collect(), ']'),
        Value::Object(members) if level < 2 || members.values().any(has_objects) => {
            ('{', members.iter().map(|(name, value)| (format!("{}: ", json!(name)), value)).collect(), '}')
        }
        _ => return out.push_str(&value.to_string()),
    };
    let rows: Vec<(String, &Value)> = rows;
    out.push(open);
    for (number, (name, value)) in rows.iter().enumerate() {
        let _ = write!(out, "{}\n{:2$}{name}", if number == 0 { "" } else { "," }, "", INDENT * (level + 1));
        write(value, level + 1, out);
    }
    let _ = write!(out, "\n{:1$}{close}", "", INDENT * level);
}
