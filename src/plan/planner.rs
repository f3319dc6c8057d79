// SPDX-License-Identifier: MIT

//! The planner: groups of blocks that share a class, in an order that does not depend on declarations.
//!
//! A group is a block, or all blocks of an array that is indexed dynamically. Groups that have to be in storage are placed first,
//! then those that gain most: the ones with the most dynamically indexed bytes, the largest, the first by name. A group that does
//! not fit is skipped, and the next one is tried.

use super::angle::ANGLE_MOST_BUFFERS;
use super::{Class, Impossible, Limits, Move, Placement, Placements, ProgramBlocks, Reason, Threshold, Wishes};
use crate::ir::Stage;
use std::collections::BTreeMap;

/// `VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT` and `VK_BUFFER_USAGE_STORAGE_BUFFER_BIT`.
const BUFFER_USAGE: [u32; 2] = [0x10, 0x20];
/// `VK_ACCESS_UNIFORM_READ_BIT` and `VK_ACCESS_SHADER_READ_BIT`.
const ACCESS: [u32; 2] = [0x8, 0x20];

/// A program's blocks with their classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// By name.
    pub blocks: Vec<Planned>,
}

/// The plan of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// The stages that read it, with their numbers for it.
    pub stages: Vec<(Stage, u32)>,
    /// Its class.
    pub class: Class,
    /// The reason for the class.
    pub reason: Reason,
    /// The changes that would move it, and the reasons that keep it.
    pub moves: Vec<Move>,
    /// `VkBufferUsageFlags` that a buffer needs to be bound to it; 0 for push constants.
    pub buffer_usage: u32,
    /// `VkAccessFlags` of the shaders' reads, for barriers after writes to the buffer; 0 for push constants.
    pub access: u32,
    /// Its offsets in buffers are multiples of this; 1 for push constants.
    pub offset_alignment: u32,
    /// The least number of bytes of its bound range; 0 if no read bytes are known.
    pub range: u32,
    /// The number of bytes in reach of dynamic offsets; 0 if there are none.
    pub dynamic_bytes: u32,
    /// Whether shaders keep dynamic offsets within the bound range.
    pub clamp: bool,
}

impl Plan {
    /// The placements of the blocks of a stage.
    pub fn placements(&self, stage: Stage) -> Placements {
        let mut placements = Placements::default();
        for block in self.blocks.iter().filter(|block| block.class != Class::Uniform) {
            let slots = block.stages.iter().filter(|row| row.0 == stage);
            let range = if block.class == Class::Storage { 0 } else { block.range };
            let placement = Placement { class: block.class, range, clamp: block.clamp };
            slots.for_each(|(_, slot)| placements.set(*slot, placement));
        }
        placements
    }

    /// The plan of the block called `name`.
    pub fn block(&self, name: &str) -> Option<&Planned> {
        let at = self.blocks.binary_search_by(|block| block.name.as_str().cmp(name)).ok()?;
        Some(&self.blocks[at])
    }
}

/// Plans the blocks of `program`. Blocks that no stage reads are not planned, as they are not bound.
pub fn plan(program: &ProgramBlocks, limits: &Limits, wishes: &Wishes) -> Result<Plan, Impossible> {
    let mut planner = Planner::new(program, limits, wishes);
    planner.place_requested()?;
    planner.place_required()?;
    planner.inline();
    planner.place_beneficial();
    planner.make_room()?;
    Ok(planner.finish())
}

/// The uses of a block in all stages.
#[derive(Clone, Debug, Default)]
struct Read {
    stages: Vec<(Stage, u32)>,
    /// The end of the last byte that is read, or the size of the block.
    bytes: u32,
    dynamic: u32,
    unpushable: Option<&'static str>,
}

/// Blocks that share a class.
#[derive(Clone, Debug, Default)]
struct Group {
    /// The names, sorted.
    names: Vec<String>,
    /// The number of descriptors in each stage.
    counts: BTreeMap<Stage, u32>,
    bytes: u32,
    dynamic: u32,
    class: Class,
    reason: Reason,
    /// Whether the driver requests this class.
    asked: bool,
    blocked: Option<Move>,
}

impl Group {
    /// The order of placement: groups that gain most are first. Names differ, so two groups are never equal.
    fn order(&self) -> (std::cmp::Reverse<(u32, u32)>, &str) {
        (std::cmp::Reverse((self.dynamic, self.bytes)), &self.names[0])
    }

    fn is_free(&self) -> bool {
        !self.asked && self.class == Class::Uniform
    }

    fn place(&mut self, class: Class, reason: Reason) {
        (self.class, self.reason) = (class, reason);
    }
}

struct Planner<'a> {
    program: &'a ProgramBlocks,
    limits: &'a Limits,
    wishes: &'a Wishes,
    reads: BTreeMap<String, Read>,
    groups: Vec<Group>,
}

impl<'a> Planner<'a> {
    fn new(program: &'a ProgramBlocks, limits: &'a Limits, wishes: &'a Wishes) -> Planner<'a> {
        let mut reads: BTreeMap<String, Read> = BTreeMap::new();
        for stage in &program.stages {
            for used in &stage.uses {
                let known = program.blocks.get(&used.name).and_then(|block| block.bytes);
                let read = reads.entry(used.name.clone()).or_default();
                read.unpushable = read.unpushable.or(used.why_not_pushed(known.unwrap_or(0)));
                read.stages.push((stage.stage, used.slot));
                // Reads beyond a block of known size are outside of bound ranges.
                read.bytes = known.unwrap_or_else(|| read.bytes.max(used.end));
                let most = known.unwrap_or(limits.max_uniform_buffer_range.max(used.end));
                read.dynamic = read.dynamic.max(used.dynamic_bytes.map_or(0, |bytes| bytes.min(most)));
            }
        }
        reads.values_mut().for_each(|read| read.stages.sort_unstable());
        let mut planner = Planner { program, limits, wishes, reads, groups: Vec::new() };
        planner.find_groups();
        planner
    }

    /// Groups the blocks of arrays that are indexed dynamically in any stage.
    fn find_groups(&mut self) {
        let names: Vec<&String> = self.reads.keys().collect();
        let number = |name: &String| names.binary_search(&name).ok();
        // For each block, the first block of its group.
        let mut first: Vec<usize> = (0..names.len()).collect();
        for stage in &self.program.stages {
            let Some((start, count)) = stage.array else { continue };
            let within = stage.uses.iter().filter(|used| used.slot >= start && used.slot - start < count);
            let members: Vec<usize> = within.filter_map(|used| number(&used.name)).map(|at| first[at]).collect();
            let Some(least) = members.iter().copied().min() else { continue };
            first.iter_mut().filter(|own| members.contains(own)).for_each(|own| *own = least);
        }
        let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
        for (at, (name, read)) in self.reads.iter().enumerate() {
            let group = groups.entry(first[at]).or_default();
            group.names.push(name.clone());
            read.stages.iter().for_each(|(stage, _)| *group.counts.entry(*stage).or_default() += 1);
            group.bytes = group.bytes.max(read.bytes);
            group.dynamic = group.dynamic.max(read.dynamic);
        }
        self.groups = groups.into_values().collect();
        self.groups.sort_by(|a, b| a.order().cmp(&b.order()));
    }

    /// Places groups in the classes that the driver requests.
    fn place_requested(&mut self) -> Result<(), Impossible> {
        for (name, class) in &self.wishes.asked {
            let Some(at) = self.groups.iter().position(|group| group.names.contains(name)) else { continue };
            let group = &self.groups[at];
            if group.asked && group.class != *class {
                return Err(Impossible::Contradiction { block: name.clone() });
            }
            let why = match class {
                Class::PushConstant { offset } => self.why_not_inline(group, *offset),
                _ => None,
            };
            if let Some(why) = why {
                return Err(Impossible::PushConstants { block: name.clone(), why });
            }
            let group = &mut self.groups[at];
            (group.class, group.reason, group.asked) = (*class, Reason::Asked, true);
        }
        Ok(())
    }

    fn why_not_inline(&self, group: &Group, offset: u32) -> Option<&'static str> {
        if group.names.len() > 1 {
            return Some("it is part of an array");
        }
        let unpushable = self.reads[&group.names[0]].unpushable;
        if unpushable.is_some() {
            return unpushable;
        }
        if offset % 16 != 0 {
            return Some("the offset is not a multiple of 16");
        }
        let end = offset.checked_add(group.bytes);
        let fits = end.is_some_and(|end| end <= self.limits.max_push_constants_size);
        (!fits).then_some("it does not fit")
    }

    /// Moves blocks that cannot be uniform buffers to storage, and reports those that are too large for their class.
    fn place_required(&mut self) -> Result<(), Impossible> {
        let (uniform, storage) = (self.limits.max_uniform_buffer_range, self.limits.max_storage_buffer_range);
        let unsized_blocks = |group: &Group| {
            let is_unsized = |name| self.program.blocks.get(name).is_some_and(|block| block.is_unsized);
            group.names.iter().any(is_unsized)
        };
        let unsized_ones: Vec<bool> = self.groups.iter().map(unsized_blocks).collect();
        for (group, is_unsized) in self.groups.iter_mut().zip(unsized_ones) {
            if group.is_free() && group.bytes > uniform {
                group.place(Class::Storage, Reason::Range { bytes: group.bytes, most: uniform });
            } else if group.is_free() && is_unsized {
                group.place(Class::Storage, Reason::Unsized);
            }
            let most = match group.class {
                Class::Uniform => uniform,
                Class::Storage => storage,
                Class::PushConstant { .. } => continue,
            };
            if group.bytes > most {
                let (block, class, bytes) = (group.names[0].clone(), group.class, group.bytes);
                return Err(Impossible::Range { block, class, bytes, most });
            }
        }
        match self.groups.iter().find(|group| group.class == Class::Storage) {
            Some(group) if !self.is_aligned() => Err(self.misaligned(group)),
            _ => Ok(()),
        }
    }

    fn misaligned(&self, group: &Group) -> Impossible {
        let needs = self.limits.min_storage_buffer_offset_alignment;
        Impossible::Alignment { block: group.names[0].clone(), needs, promised: self.promised() }
    }

    /// The alignment of offsets that the driver promised.
    fn promised(&self) -> u32 {
        match self.wishes.offset_alignment {
            0 => self.limits.min_uniform_buffer_offset_alignment,
            promised => promised,
        }
    }

    /// Whether storage buffers can be bound at all offsets with the promised alignment.
    fn is_aligned(&self) -> bool {
        self.promised() % self.limits.min_storage_buffer_offset_alignment.max(1) == 0
    }

    /// Moves small blocks whose bytes the driver has on the CPU to push constants, the smallest first.
    fn inline(&mut self) {
        let (mut next, end) = self.wishes.push_constants;
        let end = end.min(self.limits.max_push_constants_size);
        for group in self.groups.iter().filter(|group| group.asked) {
            if let Class::PushConstant { offset } = group.class {
                next = next.max(offset.saturating_add(group.bytes));
            }
        }
        let at_hand = |name: &String| self.program.blocks.get(name).is_some_and(|block| block.is_at_hand);
        let reads = &self.reads;
        let can = |group: &&mut Group| {
            let is_pushable = group.names.len() == 1 && reads[&group.names[0]].unpushable.is_none();
            group.is_free() && is_pushable && group.dynamic == 0 && at_hand(&group.names[0])
        };
        let mut groups: Vec<&mut Group> = self.groups.iter_mut().filter(can).collect();
        groups.sort_by(|a, b| (a.bytes, &a.names).cmp(&(b.bytes, &b.names)));
        for group in groups {
            let offset = next.saturating_add(15) / 16 * 16;
            match offset.checked_add(group.bytes) {
                Some(after) if after <= end => {
                    group.place(Class::PushConstant { offset }, Reason::PushConstants { bytes: group.bytes });
                    next = after;
                }
                _ => return,
            }
        }
    }

    /// Moves blocks to storage that need not be there, but gain by it or are requested.
    fn place_beneficial(&mut self) {
        let mut structured = 0;
        for at in 0..self.groups.len() {
            let group = &self.groups[at];
            if !group.is_free() {
                continue;
            }
            let reason = match self.wishes.threshold {
                _ if self.wishes.all == Some(Class::Storage) => Some(Reason::Asked),
                Threshold::Bytes(least) if group.dynamic != 0 && group.dynamic >= least => {
                    Some(Reason::Threshold { bytes: group.dynamic, least })
                }
                Threshold::Angle if self.is_structured(group) => {
                    let count = group.names.len() as u32;
                    let fits = structured + count <= ANGLE_MOST_BUFFERS;
                    structured += if fits { count } else { 0 };
                    fits.then_some(Reason::Angle)
                }
                _ => None,
            };
            if let Some(reason) = reason {
                self.try_to_store(at, reason);
            }
        }
    }

    /// Whether ANGLE's rule applies to all blocks of a group.
    fn is_structured(&self, group: &Group) -> bool {
        let shape = |name| self.program.blocks.get(name).and_then(|block| block.shape.as_ref());
        group.names.iter().all(|name| shape(name).is_some_and(super::Shape::is_structured))
    }

    /// Moves a group to storage if possible; otherwise records the reason.
    fn try_to_store(&mut self, at: usize, reason: Reason) -> bool {
        let blocked = self.why_not_store(&self.groups[at]);
        let group = &mut self.groups[at];
        match blocked {
            None => group.place(Class::Storage, reason),
            Some(_) => group.blocked = blocked,
        }
        group.class == Class::Storage
    }

    fn why_not_store(&self, group: &Group) -> Option<Move> {
        let needs = self.limits.min_storage_buffer_offset_alignment;
        if !self.is_aligned() {
            return Some(Move::Alignment { needs, promised: self.promised() });
        }
        let most = self.limits.max_per_stage_descriptor_storage_buffers;
        for (stage, count) in &group.counts {
            if self.storage_buffers(Some(*stage)).saturating_add(*count) > most {
                return Some(Move::StorageIsFull { stage: Some(*stage), most });
            }
        }
        let most = self.limits.max_descriptor_set_storage_buffers;
        let all = group.counts.values().copied().max().unwrap_or(0);
        (self.storage_buffers(None).saturating_add(all) > most).then_some(Move::StorageIsFull { stage: None, most })
    }

    /// The number of uniform buffers of a stage, or of the pipeline.
    fn uniform_buffers(&self, stage: Option<Stage>) -> u32 {
        self.buffers(stage, Class::Uniform).saturating_add(self.wishes.other_uniform_buffers)
    }

    /// The number of storage buffers of a stage, or of the pipeline.
    fn storage_buffers(&self, stage: Option<Stage>) -> u32 {
        let own = self.program.stages.iter().filter(|row| stage.map_or(true, |stage| row.stage == stage));
        let own = own.map(|row| row.storage_blocks).fold(0, u32::saturating_add);
        let others = self.wishes.other_storage_buffers.saturating_add(own);
        self.buffers(stage, Class::Storage).saturating_add(others)
    }

    /// The number of descriptors of a class. A block that several stages read counts once for the pipeline.
    fn buffers(&self, stage: Option<Stage>, class: Class) -> u32 {
        let count = |group: &Group| match stage {
            Some(stage) => group.counts.get(&stage).copied().unwrap_or(0),
            None => group.names.len() as u32,
        };
        self.groups.iter().filter(|group| group.class == class).map(count).fold(0, u32::saturating_add)
    }

    /// The stages, and the pipeline as a whole.
    fn scopes(&self) -> Vec<Option<Stage>> {
        let mut stages: Vec<Option<Stage>> = self.program.stages.iter().map(|stage| Some(stage.stage)).collect();
        stages.sort_unstable();
        stages.dedup();
        stages.push(None);
        stages
    }

    fn most_uniform_buffers(&self, stage: Option<Stage>) -> u32 {
        match stage {
            Some(_) => self.limits.max_per_stage_descriptor_uniform_buffers,
            None => self.limits.max_descriptor_set_uniform_buffers,
        }
    }

    /// Moves blocks until no stage exceeds its limit of uniform buffers.
    fn make_room(&mut self) -> Result<(), Impossible> {
        for scope in self.scopes() {
            let most = self.most_uniform_buffers(scope);
            for at in 0..self.groups.len() {
                let wanted = self.uniform_buffers(scope);
                if wanted <= most {
                    break;
                }
                let group = &self.groups[at];
                let counts = scope.map_or(true, |stage| group.counts.contains_key(&stage));
                if group.is_free() && counts {
                    self.try_to_store(at, Reason::Descriptors { stage: scope, wanted, most });
                }
            }
            self.counts_are_in_limits(scope, most)?;
        }
        Ok(())
    }

    fn counts_are_in_limits(&self, stage: Option<Stage>, most_uniform: u32) -> Result<(), Impossible> {
        let most_storage = match stage {
            Some(_) => self.limits.max_per_stage_descriptor_storage_buffers,
            None => self.limits.max_descriptor_set_storage_buffers,
        };
        let uniform = (self.uniform_buffers(stage), most_uniform);
        let storage = (self.storage_buffers(stage), most_storage);
        match uniform.0 > uniform.1 || storage.0 > storage.1 {
            true => Err(Impossible::Descriptors { stage, uniform, storage }),
            false => Ok(()),
        }
    }

    fn finish(self) -> Plan {
        let mut blocks: Vec<Planned> = Vec::new();
        for group in &self.groups {
            for name in &group.names {
                blocks.push(self.planned(group, name));
            }
        }
        blocks.sort_by(|a, b| a.name.cmp(&b.name));
        Plan { blocks }
    }

    fn planned(&self, group: &Group, name: &str) -> Planned {
        let read = &self.reads[name];
        let reason = match self.cause(group) {
            Some(cause) if cause != name => Reason::ArrayWith(cause.to_string()),
            _ => group.reason.clone(),
        };
        let at = match group.class {
            Class::Uniform => Some(0),
            Class::Storage => Some(1),
            Class::PushConstant { .. } => None,
        };
        let alignments =
            [self.limits.min_uniform_buffer_offset_alignment, self.limits.min_storage_buffer_offset_alignment];
        let clamp = group.class == Class::Storage && self.limits.robust_buffer_access == 0 && read.dynamic != 0;
        Planned {
            name: name.to_string(),
            stages: read.stages.clone(),
            class: group.class,
            reason,
            moves: self.moves(group),
            buffer_usage: at.map_or(0, |at| BUFFER_USAGE[at]),
            access: at.map_or(0, |at| ACCESS[at]),
            offset_alignment: at.map_or(1, |at| alignments[at]),
            range: if clamp { read.bytes.checked_next_multiple_of(16).unwrap_or(read.bytes) } else { read.bytes },
            dynamic_bytes: read.dynamic,
            clamp,
        }
    }

    /// The block of a group that has to be in storage, if the other blocks are there because of it.
    fn cause<'g>(&self, group: &'g Group) -> Option<&'g str> {
        let is_cause = |name: &&String| match group.reason {
            Reason::Range { bytes, .. } => self.reads[*name].bytes == bytes,
            Reason::Unsized => self.program.blocks.get(*name).is_some_and(|block| block.is_unsized),
            _ => false,
        };
        group.names.iter().find(is_cause).map(String::as_str)
    }

    /// The changes that would move a group, and the reasons that keep it.
    fn moves(&self, group: &Group) -> Vec<Move> {
        let mut moves: Vec<Move> = group.blocked.iter().cloned().collect();
        match (&group.reason, group.class) {
            (_, Class::Uniform) if !group.asked => {
                moves.push(Move::Larger { most: self.limits.max_uniform_buffer_range });
                // The stage that is closest to its limit.
                let counts = group.counts.keys().map(|stage| (self.uniform_buffers(Some(*stage)), *stage));
                if let Some((has, stage)) = counts.max_by_key(|(has, stage)| (*has, std::cmp::Reverse(*stage))) {
                    let most = self.limits.max_per_stage_descriptor_uniform_buffers;
                    moves.push(Move::MoreBlocks { stage: Some(stage), has, most });
                }
                if group.dynamic != 0 {
                    moves.push(Move::LowerThreshold { bytes: group.dynamic });
                }
            }
            (Reason::Range { bytes, .. }, _) => {
                moves.push(Move::LimitAtLeast { limit: "maxUniformBufferRange", value: *bytes });
            }
            (Reason::Descriptors { stage, wanted, .. }, _) => {
                let limit = match stage {
                    Some(_) => "maxPerStageDescriptorUniformBuffers",
                    None => "maxDescriptorSetUniformBuffers",
                };
                moves.push(Move::LimitAtLeast { limit, value: *wanted });
            }
            _ => {}
        }
        moves
    }
}
