// SPDX-License-Identifier: MIT

//! The inputs and the outputs of a graphics shader that runs alone, without the other stages of a pipeline.

use super::inputs::{Data, Form, Members};
use anyhow::{ensure, Context, Result};
use ntv::ir::Stage;
use ntv::op::names::SlotKind;
use ntv::op::Intrinsic;
use ntv_interp::{Invocation, Outcome, Outputs, Slot};
use serde_json::{json, Value};

/// The inputs of an invocation. Only the stage of the shader tells which slots the names are.
pub struct InvocationInput {
    slots: Vec<SlotInput>,
    system: Vec<(Intrinsic, Data)>,
}

struct SlotInput {
    name: String,
    vertex: u32,
    index: u32,
    words: [u32; 4],
}

impl InvocationInput {
    pub(super) fn parse(mut members: Members) -> Result<InvocationInput> {
        let (slots, system) = (members.all("slots", slot)?, members.all("system", system_value)?);
        members.finish()?;
        Ok(InvocationInput { slots, system })
    }

    /// The inputs of a shader of this stage.
    pub(super) fn of_stage(&self, stage: Stage) -> Result<Invocation> {
        let kind = stage.slot_kind(false);
        let slot = |SlotInput { name, vertex, index, words }: &SlotInput| {
            let slot = kind.from_name(name);
            let slot = slot.with_context(|| format!("`{name}` is not a slot of the inputs of {}", stage.name()))?;
            Ok((Slot { slot, vertex: *vertex, index: *index }, *words))
        };
        let value = |(op, data): &(Intrinsic, Data)| (*op, data.words().map(u64::from).collect());
        Ok(Invocation {
            slots: self.slots.iter().map(slot).collect::<Result<_>>()?,
            system: self.system.iter().map(value).collect(),
            ..Invocation::default()
        })
    }
}

fn slot(mut members: Members) -> Result<SlotInput> {
    let name = members.string("name")?;
    let (vertex, index) = (members.number("vertex", Some(0))?, members.number("index", Some(0))?);
    let words: Vec<u32> = members.data()?.words().collect();
    members.finish()?;
    let words = <[u32; 4]>::try_from(words).ok().with_context(|| format!("`{name}` does not have four words"))?;
    Ok(SlotInput { name, vertex, index, words })
}

fn system_value(mut members: Members) -> Result<(Intrinsic, Data)> {
    let (name, data) = (members.string("name")?, members.data()?);
    members.finish()?;
    let op = Intrinsic::from_name(&name).filter(|op| op.info().srcs.is_empty() && name.starts_with("load_"));
    Ok((op.with_context(|| format!("`{name}` does not load a system value"))?, data))
}

/// The JSON of the inputs of an invocation, without the texels of attachments and the undefined bits.
///
/// # Errors
/// A system value has more than 32 bits.
pub fn to_json(stage: Stage, invocation: &Invocation) -> Result<Value> {
    let kind = stage.slot_kind(false);
    let slots = invocation.slots.iter().map(|(slot, words)| slot_value(kind, *slot, json!(words)));
    let value = |(op, words): (&Intrinsic, &Vec<u64>)| {
        ensure!(words.iter().all(|word| u32::try_from(*word).is_ok()), "{} has more than 32 bits", op.name());
        Ok(json!({ "name": op.name(), Form::U32.name(): words }))
    };
    let system: Vec<Value> = invocation.system.iter().map(value).collect::<Result<_>>()?;
    Ok(json!({ "slots": slots.collect::<Vec<_>>(), "system": system }))
}

fn slot_value(kind: SlotKind, Slot { slot, vertex, index }: Slot, words: Value) -> Value {
    let mut object = json!({ "name": kind.name(slot), Form::U32.name(): words });
    for (name, number) in [("vertex", vertex), ("index", index)] {
        if number != 0 {
            object[name] = number.into();
        }
    }
    object
}

/// What the invocations of a shader gave.
pub struct Results {
    /// The stage of the shader.
    pub stage: Stage,
    /// The outputs, without faults.
    pub outcome: Outcome,
}

impl Results {
    /// An object for each invocation.
    pub(super) fn to_json(&self) -> Value {
        let Outcome { outputs, vertices, discarded, .. } = &self.outcome;
        let object = |number: usize| match self.stage {
            Stage::Geometry => {
                let vertices = vertices[number].iter().map(|(stream, outputs)| match outputs {
                    Some(outputs) => json!({ "stream": stream, "slots": self.slots(outputs) }),
                    None => json!({ "stream": stream, "end_primitive": true }),
                });
                json!({ "vertices": vertices.collect::<Vec<_>>() })
            }
            Stage::Fragment => json!({ "slots": self.slots(&outputs[number]), "discarded": discarded[number] }),
            _ => json!({ "slots": self.slots(&outputs[number]) }),
        };
        (0..outputs.len()).map(object).collect()
    }

    fn slots(&self, outputs: &Outputs) -> Vec<Value> {
        let kind = self.stage.slot_kind(true);
        let words = |words: &[ntv_interp::Bits; 4]| -> Value {
            words.iter().map(|word| word.is_defined().then_some(word.value)).collect()
        };
        outputs.iter().map(|(slot, all)| slot_value(kind, *slot, words(all))).collect()
    }
}
