// SPDX-License-Identifier: MIT

//! Runs of shaders: inputs and results as JSON, and the interpreter.

pub mod cover;
pub mod inputs;
mod interpreter;
pub mod invocations;
pub mod template;
pub mod textures;
pub mod wanted;

pub use interpreter::{blocks_of, find, run, Block, Outcome};

use inputs::{Data, Form, Inputs, Slot, Work};
use serde_json::{json, Value};

/// The results of a run.
pub struct Ran {
    /// The contents of the given buffers after the run.
    pub buffers: Vec<Vec<u8>>,
    /// The texels of all levels of the given images after the run.
    pub images: Vec<Vec<u8>>,
    /// The texels of each target.
    pub targets: Vec<Vec<u8>>,
    /// The contents of each transform feedback buffer.
    pub captures: Vec<Vec<u8>>,
    /// What the invocations of a shader that ran alone gave.
    pub invocations: Option<invocations::Results>,
    /// Whether the shaders ran without faults.
    pub fine: bool,
}

impl Ran {
    /// The results as JSON.
    pub fn to_json(&self, given: &Inputs) -> Value {
        let captures: Vec<Value> =
            self.captures.iter().map(|bytes| json!({ "u32": Form::U32.values(bytes) })).collect();
        let mut results = json!({
            "buffers": buffers(given, self), "images": images(given, self),
            "targets": target_values(given, self), "captures": captures,
        });
        if let Some(invocations) = &self.invocations {
            results["invocations"] = invocations.to_json();
        }
        results
    }
}

fn buffers(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let pairs = given.buffers.iter().zip(&ran.buffers);
    pairs.map(|((slot, data), bytes): (&(Slot, Data), _)| descriptor_value(*slot, data.form, bytes)).collect()
}

fn images(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let pairs = given.images.iter().zip(&ran.images);
    pairs.map(|(input, bytes)| descriptor_value(input.slot, input.form, bytes)).collect()
}

fn descriptor_value(slot: Slot, form: Form, bytes: &[u8]) -> Value {
    json!({
        "set": slot.set, "binding": slot.binding, "element": slot.element, form.name(): form.values(bytes),
    })
}

fn target_values(given: &Inputs, ran: &Ran) -> Vec<Value> {
    let Work::Draw(draw) = &given.work else { return Vec::new() };
    let value = |(target, bytes): (&inputs::TargetInput, &Vec<u8>)| {
        let inputs::Target { name, form, .. } = target.kind;
        json!({ "size": draw.size, "format": name, form.name(): form.values(bytes) })
    };
    draw.targets.iter().zip(&ran.targets).map(value).collect()
}
