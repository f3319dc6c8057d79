// SPDX-License-Identifier: MIT

//! The lists of a module: its inputs, outputs and descriptors.

use super::malformed;
use super::source::{Global, SourceModule};
use crate::error::Error;
use crate::ir::Capture;
use crate::module::{Binding, Varying};
use rustc_hash::FxHashMap;
use spirv::{Decoration, Op, StorageClass};

/// The most inputs and outputs; no device supports as many.
const MOST_VARYINGS: usize = 4096;

/// The member of a varying that is a whole variable.
pub(super) const WHOLE: u32 = u32::MAX;

/// An input or output: its variable, and its member in a block.
pub(super) type VaryingId = (u32, u32);

/// Inputs and outputs in order: one for each variable, or for a block with locations one for each member.
pub(super) fn varyings(source: &SourceModule<'_>) -> Result<Vec<(VaryingId, Varying)>, Error> {
    let mut all = Vec::new();
    for global in &source.globals {
        let Some(global) = source.io(global.id) else { continue };
        let has = |decoration| source.decoration(global.id, decoration);
        let (locations, components) = source.varying_size(global);
        let capture = has(Decoration::XfbBuffer).map(|buffer| Capture {
            buffer,
            stride: has(Decoration::XfbStride).unwrap_or(0),
            offset: has(Decoration::Offset).unwrap_or(0),
        });
        let varying = Varying {
            is_output: global.class == StorageClass::Output as u32,
            patch: has(Decoration::Patch).is_some(),
            builtin: has(Decoration::BuiltIn).map(|builtin| builtin & 0x7fff),
            location: has(Decoration::Location).unwrap_or(0),
            locations,
            component: has(Decoration::Component).unwrap_or(0) as u8,
            components,
            relaxed: has(Decoration::RelaxedPrecision).is_some(),
            removable: global.removable,
            removed: false,
            capture,
            is_copy: false,
        };
        if varying.builtin.is_some() || has(Decoration::Location).is_some() {
            all.push(((global.id, WHOLE), varying));
        } else {
            all.extend(member_varyings(source, global, varying).take(MOST_VARYINGS + 1));
        }
        if all.len() > MOST_VARYINGS {
            return Err(malformed("there are more inputs and outputs than any device has"));
        }
    }
    Ok(all)
}

fn member_varyings<'f>(
    source: &'f SourceModule<'_>,
    global: &Global,
    block: Varying,
) -> impl Iterator<Item = (VaryingId, Varying)> + 'f {
    let (id, vertex) = (global.id, source.block(global));
    let members =
        source.types.get(&vertex).filter(|ty| ty.is(Op::TypeStruct)).map_or(0, |ty| ty.len().saturating_sub(2));
    (0..members as u32).filter_map(move |member| {
        let has = |decoration: Decoration| source.members.get(&(vertex, member, decoration as u32)).copied();
        // XfbBuffer and XfbStride may be decorations of the block, Offset is always one of the member.
        let buffer = has(Decoration::XfbBuffer).or(block.capture.map(|capture| capture.buffer));
        let stride = has(Decoration::XfbStride).or(block.capture.map(|capture| capture.stride)).unwrap_or(0);
        let capture = buffer.zip(has(Decoration::Offset)).map(|(buffer, offset)| Capture { buffer, stride, offset });
        let (locations, components) = source.size(source.types[&vertex].word(member as usize + 2));
        let builtin = has(Decoration::BuiltIn);
        let location = has(Decoration::Location);
        let varying = Varying {
            builtin: builtin.map(|builtin| builtin & 0x7fff),
            location: location.unwrap_or(0),
            locations,
            component: has(Decoration::Component).unwrap_or(0) as u8,
            components,
            relaxed: has(Decoration::RelaxedPrecision).is_some(),
            removable: false,
            capture,
            ..block
        };
        (builtin.is_some() || location.is_some()).then_some(((id, member), varying))
    })
}

/// The variable of each type of interface blocks; none if several variables have the type, as their members cannot move separately.
pub(super) fn blocks(source: &SourceModule<'_>) -> FxHashMap<u32, Option<u32>> {
    let mut blocks = FxHashMap::default();
    for global in source.globals.iter().filter(|global| source.io(global.id).is_some()) {
        blocks.entry(source.block(global)).and_modify(|only| *only = None).or_insert(Some(global.id));
    }
    blocks
}

/// Descriptors, each place and kind once, in order.
pub(super) fn bindings(source: &SourceModule<'_>) -> Vec<Binding> {
    let mut all: Vec<Binding> = source.globals.iter().filter_map(|global| binding(source, global)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The descriptors of a variable.
pub(super) fn binding(source: &SourceModule<'_>, global: &Global) -> Option<Binding> {
    let (kind, count) = source.descriptor(global)?;
    let set = source.decoration(global.id, Decoration::DescriptorSet)?;
    let binding = source.decoration(global.id, Decoration::Binding)?;
    // Any of them may have a constant index.
    Some(Binding { set, binding, kind, count, used: count, min_range: 0 })
}
