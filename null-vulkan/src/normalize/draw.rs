// SPDX-License-Identifier: MIT

//! The bindings for draws and dispatches: pipelines, sets, push constants, vertex and index buffers.

use super::dynamic::DynamicStates;
use super::{StateKey, Words};
use std::collections::BTreeMap;
use std::ops::Range;

/// A layout in a log.
#[derive(Clone, Default)]
struct Layout {
    /// For each set, a number that is equal for layouts that are compatible up to that set, and whether it has no bindings.
    sets: Vec<(u64, bool)>,
    /// Ranges of push constants: stages, offset, size.
    ranges: Vec<[u32; 3]>,
}

impl Layout {
    fn read(words: &mut Words<'_>) -> Layout {
        let sets = words.list(2).map(|set| (set[0], set[1] != 0)).collect();
        let ranges = words.list(3).map(|range| [range[0] as u32, range[1] as u32, range[2] as u32]).collect();
        Layout { sets, ranges }
    }

    fn compatibility(&self, set: u32) -> Option<u64> {
        self.sets.get(set as usize).map(|set| set.0)
    }
}

/// A pipeline in a log.
#[derive(Default)]
struct Pipeline {
    number: u64,
    dynamic: Vec<u64>,
    /// The bindings of the vertex buffers.
    bindings: Vec<u32>,
    /// The numbers of viewports and scissors.
    rectangles: [u32; 2],
    layout: Layout,
}

impl Pipeline {
    fn read(words: &mut Words<'_>) -> Pipeline {
        let number = words.next();
        let dynamic = words.list(1).flatten().copied().collect();
        let bindings = words.list(1).map(|binding| binding[0] as u32).collect();
        let rectangles = [words.next_u32(), words.next_u32()];
        Pipeline { number, dynamic, bindings, rectangles, layout: Layout::read(words) }
    }
}

/// The contents of a bound set: one number for all of it, or descriptor by descriptor.
struct Set {
    layout: Layout,
    whole: Option<u64>,
    pushed: BTreeMap<[u32; 2], u64>,
}

/// Push constants: by stage, a byte at each offset, [`UNSET`] if it was not written.
#[derive(Default)]
struct PushConstants {
    ranges: Vec<[u32; 3]>,
    stages: BTreeMap<u32, Vec<u64>>,
}

/// A value that no byte has.
const UNSET: u64 = u64::MAX;

/// A limit above that of all devices.
const MOST: usize = 1 << 16;

/// The indices of the stages in a mask.
fn stages_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |stage| mask >> stage & 1 != 0)
}

impl PushConstants {
    /// Writes the bytes of a stage from `offset` on.
    fn write(&mut self, stage: u32, offset: usize, bytes: &[u64]) {
        let Some(end) = offset.checked_add(bytes.len()).filter(|end| *end <= MOST) else { return };
        let all = self.stages.entry(stage).or_default();
        if all.len() < end {
            all.resize(end, UNSET);
        }
        all[offset..end].copy_from_slice(bytes);
    }

    /// Adds the written bytes of a range that a stage reads: each consecutive run, by its start.
    fn see(&self, stage: u32, range: Range<usize>, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        let all = self.stages.get(&stage).map_or(&[][..], Vec::as_slice);
        let mut bytes = &all[range.start.min(all.len())..range.end.min(all.len())];
        let mut start = range.start;
        while !bytes.is_empty() {
            let is_set = bytes[0] != UNSET;
            let len = bytes.iter().position(|byte| (*byte != UNSET) != is_set).unwrap_or(bytes.len());
            if is_set {
                state.insert(StateKey("push constants", [stage, start as u32]), bytes[..len].to_vec());
            }
            (bytes, start) = (&bytes[len..], start + len);
        }
    }
}

/// The bindings of one bind point.
#[derive(Default)]
pub(super) struct Bindings {
    pipeline: Pipeline,
    sets: BTreeMap<u32, Set>,
}

/// The bindings for draws and dispatches.
#[derive(Default)]
pub(super) struct Bound {
    points: BTreeMap<u64, Bindings>,
    constants: PushConstants,
    pub(super) dynamic: DynamicStates,
    /// Buffer, offset and size.
    vertex_buffers: BTreeMap<u32, Vec<u64>>,
    index_buffer: Option<Vec<u64>>,
}

pub(super) const GRAPHICS: u64 = 0;
pub(super) const COMPUTE: u64 = 1;

impl Bound {
    /// Handles a command; returns whether it is a bind.
    pub(super) fn take(&mut self, name: &str, words: &[u64]) -> bool {
        let words = &mut Words(words);
        match name {
            "vkCmdBindPipeline" => {
                let point = words.next();
                let pipeline = Pipeline::read(words);
                if point == GRAPHICS {
                    self.dynamic.bind(&pipeline.dynamic);
                }
                self.points.entry(point).or_default().pipeline = pipeline;
            }
            "vkCmdBindDescriptorSets" => self.bind_sets(words),
            "vkCmdPushDescriptorSetKHR" | "vkCmdPushDescriptorSetWithTemplateKHR" => self.push_set(words),
            "vkCmdPushConstants" => self.push_constants(words),
            "vkCmdBindVertexBuffers" | "vkCmdBindVertexBuffers2" => self.bind_vertex_buffers(words),
            "vkCmdBindIndexBuffer" => self.index_buffer = Some(words.0.to_vec()),
            _ => return self.dynamic.set(name, words.0),
        }
        true
    }

    fn bind_sets(&mut self, words: &mut Words<'_>) {
        let point = self.points.entry(words.next()).or_default();
        words.next();
        let layout = Layout::read(words);
        for (number, whole) in words.numbered(1) {
            let set = Set { layout: layout.clone(), whole: Some(whole[0]), pushed: BTreeMap::new() };
            point.bind(number, set);
        }
    }

    fn push_set(&mut self, words: &mut Words<'_>) {
        let point = self.points.entry(words.next()).or_default();
        words.next();
        let layout = Layout::read(words);
        let number = words.next_u32();
        let same = |set: &Set| set.whole.is_none() && set.layout.compatibility(number) == layout.compatibility(number);
        let before = point.sets.remove(&number).filter(same).map(|set| set.pushed);
        let mut pushed = before.unwrap_or_default();
        for value in words.list(3) {
            pushed.insert([value[0] as u32, value[1] as u32], value[2]);
        }
        point.bind(number, Set { layout, whole: None, pushed });
    }

    fn push_constants(&mut self, words: &mut Words<'_>) {
        words.next();
        let ranges = Layout::read(words).ranges;
        if self.constants.ranges != ranges {
            self.constants = PushConstants { ranges, stages: BTreeMap::new() };
        }
        let (stages, offset, size) = (words.next_u32(), words.next() as usize, words.next() as usize);
        let bytes = words.take(size);
        stages_of(stages).for_each(|stage| self.constants.write(stage, offset, bytes));
    }

    fn bind_vertex_buffers(&mut self, words: &mut Words<'_>) {
        let buffers: Vec<_> = words.numbered(3).collect();
        for (binding, buffer) in &buffers {
            self.vertex_buffers.insert(*binding, buffer.to_vec());
        }
        if words.next() != 0 {
            for ((binding, _), stride) in buffers.iter().zip(words.0) {
                self.dynamic.set_stride(*binding, *stride);
            }
        }
    }

    /// Resets all bindings.
    pub(super) fn clear(&mut self) {
        *self = Bound::default();
    }

    /// Adds the pipeline and the bindings of its layout, which a dispatch or a draw uses.
    pub(super) fn see_pipeline(&self, point: u64, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        let Some(Bindings { pipeline, sets }) = self.points.get(&point) else { return };
        state.insert(StateKey("pipeline", [0, 0]), vec![pipeline.number]);
        for (number, (compatibility, is_empty)) in (0..).zip(&pipeline.layout.sets) {
            let fits = |set: &&Set| set.layout.compatibility(number) == Some(*compatibility);
            let Some(set) = sets.get(&number).filter(fits).filter(|_| !is_empty) else { continue };
            if let Some(whole) = set.whole {
                state.insert(StateKey("descriptor set", [number, 0]), vec![whole]);
            }
            for ([binding, element], value) in &set.pushed {
                let elements = state.entry(StateKey("pushed descriptor", [number, *binding])).or_default();
                elements.extend([u64::from(*element), *value]);
            }
        }
        if self.constants.ranges != pipeline.layout.ranges {
            return;
        }
        for [stages, offset, size] in &pipeline.layout.ranges {
            for stage in stages_of(*stages) {
                self.constants.see(stage, *offset as usize..offset.saturating_add(*size) as usize, state);
            }
        }
    }

    /// Adds the state that a draw uses.
    pub(super) fn see_draw(&self, is_indexed: bool, state: &mut BTreeMap<StateKey, Vec<u64>>) {
        self.see_pipeline(GRAPHICS, state);
        let Some(Bindings { pipeline, .. }) = self.points.get(&GRAPHICS) else { return };
        state.extend(self.dynamic.seen(&pipeline.dynamic, pipeline.rectangles));
        let dynamic = self.dynamic.get("vertex input", [0, 0], &pipeline.dynamic).map(input_bindings);
        for binding in dynamic.as_ref().unwrap_or(&pipeline.bindings) {
            let Some(buffer) = self.vertex_buffers.get(binding) else { continue };
            let stride = self.dynamic.stride(*binding, &pipeline.dynamic);
            state.insert(StateKey("vertex buffer", [*binding, 0]), buffer.iter().copied().chain(stride).collect());
        }
        if let Some(buffer) = self.index_buffer.as_ref().filter(|_| is_indexed) {
            state.insert(StateKey("index buffer", [0, 0]), buffer.clone());
        }
    }
}

impl Bindings {
    /// Binds a set; the others stay bound if their layouts are compatible.
    fn bind(&mut self, number: u32, set: Set) {
        self.sets.retain(|other, bound| {
            let common = number.min(*other);
            bound.layout.compatibility(common) == set.layout.compatibility(common)
        });
        self.sets.insert(number, set);
    }
}

/// The bindings of a dynamic vertex input: their number, and four words each, the first of which is the binding.
fn input_bindings(words: &[u64]) -> Vec<u32> {
    Words(words).list(4).map(|binding| binding[0] as u32).collect()
}
