// SPDX-License-Identifier: MIT

//! The interface of a shader as text and as JSON.
//!
//! ```text
//! fragment `main`
//!   set 1, binding 0  uniform buffer          uniforms, 16 bytes
//!                         0  vec4 tint
//!   set 2, binding 0  combined image sampler  sampler2D picture
//!   in   location 0   vec2 uv
//!   out  location 0   vec4 color
//!   keys: flip_y, alpha_to_one
//! ```

use super::{Block, Io, Reflection, Resource};
use serde_json::{json, Value};
use std::fmt::Write as _;

impl Reflection {
    /// The interface as a table.
    pub fn table(&self) -> String {
        let mut out = format!("{} `{}`\n", self.stage, self.entry);
        let mut fact = |name: &str, value: Option<String>| {
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let _ = writeln!(out, "  {name}: {value}");
            }
        };
        fact("workgroup size", self.workgroup_size.map(|[x, y, z]| format!("{x} {y} {z}")));
        fact("primitives", self.primitive.clone());
        fact("vertices of a patch", self.patch_vertices.map(|count| count.to_string()));
        self.resources.iter().for_each(|resource| resource.write(&mut out));
        if let Some(block) = &self.push_constants {
            let _ = writeln!(out, "  push constants    {}", block.size());
            block.write(&mut out);
        }
        for (word, list) in [("in ", &self.inputs), ("out", &self.outputs)] {
            list.iter().for_each(|io| io.write(word, &mut out));
        }
        for constant in &self.constants {
            let text = format!("  spec constant {:3}  {} {}", constant.id, constant.ty, constant.name);
            let _ = writeln!(out, "{} = {}", text.trim_end(), constant.default);
        }
        let mut fact = |name: &str, values: String| {
            if !values.is_empty() {
                let _ = writeln!(out, "  {name}: {values}");
            }
        };
        fact("keys", self.keys.join(", "));
        fact("features", self.features.iter().flatten().copied().collect::<Vec<_>>().join(", "));
        fact("capabilities", self.capabilities.join(", "));
        fact("extensions", self.extensions.join(", "));
        out
    }

    /// The interface as an object.
    pub fn object(&self) -> Value {
        json!({
            "stage": self.stage,
            "entry": self.entry,
            "workgroup_size": self.workgroup_size,
            "primitive": self.primitive,
            "patch_vertices": self.patch_vertices,
            "bindings": self.resources.iter().map(Resource::object).collect::<Value>(),
            "push_constants": self.push_constants.as_ref().map(Block::object),
            "inputs": self.inputs.iter().map(Io::object).collect::<Value>(),
            "outputs": self.outputs.iter().map(Io::object).collect::<Value>(),
            "spec_constants": self.constants.iter().map(|it| {
                json!({ "id": it.id, "name": name(&it.name), "type": it.ty, "default": it.default })
            }).collect::<Value>(),
            "keys": self.keys,
            "features": self.features,
            "capabilities": self.capabilities,
            "extensions": self.extensions,
        })
    }
}

/// A name, or null.
fn name(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

impl Resource {
    fn write(&self, out: &mut String) {
        let place = format!("set {}, binding {}", self.set, self.binding);
        let array = match self.count {
            Some(1) => String::new(),
            Some(count) => format!("[{count}]"),
            None => "[]".into(),
        };
        let what = match &self.block {
            Some(block) => {
                let separator = if self.name.is_empty() { "" } else { ", " };
                format!("{}{array}{separator}{}", self.name, block.size())
            }
            None => format!("{} {}{array}", self.ty, self.name),
        };
        let _ = writeln!(out, "  {place:16}  {:22}  {what}", self.kind);
        self.block.iter().for_each(|block| block.write(out));
    }

    fn object(&self) -> Value {
        json!({
            "set": self.set, "binding": self.binding, "kind": self.kind, "count": self.count, "name": name(&self.name),
            "type": name(&self.ty), "block": self.block.as_ref().map(Block::object),
        })
    }
}

impl Block {
    fn size(&self) -> String {
        let unit = if self.bytes == 1 { "byte" } else { "bytes" };
        format!("{} {unit}{}", self.bytes, if self.is_open { " and an open array" } else { "" })
    }

    fn write(&self, out: &mut String) {
        for member in &self.members {
            let offset = member.offset.map_or("?".into(), |offset| offset.to_string());
            let text = format!("{offset:>26}  {} {}", member.ty, member.name);
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }

    fn object(&self) -> Value {
        let members = self.members.iter();
        let members = members.map(|it| json!({ "name": name(&it.name), "type": it.ty, "offset": it.offset }));
        json!({ "bytes": self.bytes, "is_open": self.is_open, "members": members.collect::<Value>() })
    }
}

impl Io {
    fn write(&self, word: &str, out: &mut String) {
        let place = match &self.builtin {
            Some(builtin) => builtin.clone(),
            None => format!("location {}", self.location),
        };
        let mut text = format!("  {word} {place:14}  {} {}", self.ty, self.name).trim_end().to_string();
        if self.component != 0 {
            let _ = write!(text, ", from component {}", self.component);
        }
        if self.index != 0 {
            let _ = write!(text, ", index {}", self.index);
        }
        text.push_str(if self.patch { ", per patch" } else { "" });
        if let Some([buffer, _, offset]) = self.capture {
            let _ = write!(text, ", captured in buffer {buffer} at byte {offset}");
        }
        let _ = writeln!(out, "{text}");
    }

    fn object(&self) -> Value {
        let capture = self
            .capture
            .map(|[buffer, stride, offset]| json!({ "buffer": buffer, "stride": stride, "offset": offset }));
        let location = Some(self.location).filter(|_| self.builtin.is_none());
        json!({
            "name": name(&self.name), "type": self.ty, "builtin": self.builtin, "location": location,
            "component": self.component, "index": self.index, "per_patch": self.patch, "capture": capture,
        })
    }
}
