// SPDX-License-Identifier: MIT

//! Finds the variables that a shader's explicit inputs and outputs need: the grouping for [`lower_io`](super::lower_io).
//!
//! Accesses are split into pieces: runs of components with the same properties. Pieces that overlap become one *group*;
//! compatible groups are joined if no group lies between them; each group becomes a variable.
//!
//! ```text
//! store VAR0.x float         one variable: vec2 at component 0 ...
//! store VAR0.y float         ... as both are floats
//! store VAR0.z int           one variable: int at component 2
//! ```

use crate::analysis::distances::{self, DeclaredDistances};
use crate::analysis::slot_access::{Interpolation, Io, Sampling};
use crate::ir::{Precision, Shader, Stage, VarFlags, Variable, NO_LOCATION};
use crate::location;
use crate::op::names::{varying, InterpMode, IoFlags, SlotKind};
use crate::op::slots::{compact, location};
use crate::op::{slots, AluType, Modes};

/// Properties that must be equal for components to share a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    is_output: bool,
    /// `DUALSRC` and `HIGH_DVEC2`, which distinguish two outputs or halves at one slot.
    flags: u32,
    per_vertex: bool,
    per_primitive: bool,
    bits: u8,
}

/// Further properties that the components of a slot must share to be in one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    ty: AluType,
    mode: u32,
    invariant: bool,
    mediump: bool,
    stream: u8,
}

/// Components of a run of slots that are in one variable.
#[derive(Clone, Debug)]
struct Group {
    kind: SlotKind,
    part: Part,
    slot: u32,
    slots: u32,
    /// Components of each slot, in units of 32 bits; of two slots for wide vectors of 64 bits. Of a compact array: the elements.
    mask: u32,
    style: Style,
    /// The sampling of the accesses, if it is the same for all.
    sampling: Sampling,
    base: u32,
    /// Whether it is the variable of a built-in.
    is_builtin: bool,
}

/// The variables of a shader's explicit inputs and outputs.
#[derive(Debug, Default)]
pub(super) struct IoVars {
    stage: Stage,
    distances: DeclaredDistances,
    /// The components of the vertices of a primitive of a mesh shader.
    indices: u32,
    groups: Vec<Group>,
    /// Whether accesses to one variable are sampled at different positions.
    pub(super) has_mixed_sampling: bool,
    /// Buffer for a name.
    text: String,
}

impl IoVars {
    /// Forgets the accesses of the previous shader.
    pub(super) fn begin(&mut self, shader: &Shader) {
        self.stage = shader.stage();
        self.distances = DeclaredDistances::of(shader);
        self.indices = slots::primitive_indices(&shader.info.primitive_type).map_or(0, |(n, _)| (1 << n) - 1);
        self.groups.clear();
        self.has_mixed_sampling = false;
    }

    /// Adds an access.
    pub(super) fn add(&mut self, io: &Io) {
        Piece::each(io, |piece| {
            let mut group = Group::new(io, self.stage, &self.distances, piece);
            if (group.kind, group.slot) == (SlotKind::MeshOutput, varying::PRIMITIVE_INDICES) {
                group.mask |= self.indices;
            }
            self.insert(group);
        });
    }

    /// Adds a group; groups that overlap in slots and components become one variable.
    fn insert(&mut self, mut group: Group) {
        let mut i = 0;
        while i < self.groups.len() {
            if group.overlaps(&self.groups[i]) {
                let other = self.groups.swap_remove(i);
                self.has_mixed_sampling |= group.sampling != other.sampling;
                group.absorb(&other);
                i = 0;
            } else {
                i += 1;
            }
        }
        self.groups.push(group);
    }

    /// Declares the variables, inputs before outputs, by slot.
    pub(super) fn declare(&mut self, shader: &mut Shader) {
        let order = |group: &Group| (group.part.is_output, group.slot, group.mask.trailing_zeros(), group.part);
        // Groups with the same key would overlap and be one group.
        self.groups.sort_unstable_by_key(order);
        self.join();
        self.begin_arrays_at_x();
        self.groups.sort_unstable_by_key(order);
        let IoVars { groups, text, .. } = self;
        for group in groups {
            group.declare(shader, location(group.kind, group.slot, group.base), text);
        }
    }

    /// Joins compatible groups if no other lies between them.
    fn join(&mut self) {
        let mut i = 0;
        while i < self.groups.len() {
            let partner = (i + 1..self.groups.len()).find(|j| self.may_join(i, *j));
            match partner {
                Some(j) => {
                    let other = self.groups.remove(j);
                    self.has_mixed_sampling |= self.groups[i].sampling != other.sampling;
                    self.groups[i].absorb(&other);
                }
                None => i += 1,
            }
        }
    }

    fn may_join(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.groups[i], &self.groups[j]);
        if !a.is_alike(b) {
            return false;
        }
        let mut both = a.clone();
        both.absorb(b);
        both.mask = span_of(both.mask);
        let mut others = self.groups.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
        !others.any(|(_, other)| both.shares(other))
    }

    /// An array in an array of vertices takes no Component (VUID-StandaloneSpirv-Component-04924, as spirv-val reads it).
    fn begin_arrays_at_x(&mut self) {
        for i in 0..self.groups.len() {
            let mut whole = self.groups[i].clone();
            whole.mask = span_of(whole.mask | 1);
            let others = || self.groups.iter().enumerate().filter(|(k, _)| *k != i);
            let nested = whole.part.per_vertex && whole.slots > whole.slots_per_element() && !whole.is_compact();
            if nested && !others().any(|(_, other)| whole.shares(other)) {
                self.groups[i].mask = whole.mask;
            }
        }
    }
}

/// A run of components of an access with the same properties.
struct Piece {
    mask: u32,
    stream: u8,
}

impl Piece {
    /// Calls `take` for each run of `io`.
    fn each(io: &Io, mut take: impl FnMut(Piece)) {
        let mut left = io.component_mask() & 0xff;
        while left != 0 {
            let begin = left.trailing_zeros();
            let stream = io.stream(begin);
            let gap = (left >> begin).trailing_ones() + begin;
            let end = (begin + 1..gap).find(|c| io.stream(*c) != stream).unwrap_or(gap);
            let mask = (1 << end) - (1 << begin);
            left &= !mask;
            take(Piece { mask, stream });
        }
    }
}

impl Part {
    fn new(io: &Io) -> Part {
        Part {
            is_output: io.is_output,
            flags: (io.flags & (IoFlags::DUALSRC | IoFlags::HIGH_DVEC2)).bits(),
            per_vertex: io.vertex.is_some(),
            per_primitive: io.per_primitive,
            bits: io.ty.bits,
        }
    }
}

impl Group {
    fn new(io: &Io, stage: Stage, distances: &DeclaredDistances, piece: Piece) -> Group {
        let kind = io.kind(stage);
        let interpolation =
            io.interpolation.unwrap_or(Interpolation { mode: InterpMode::none as u32, sampling: Sampling::Pixel });
        let in_fragment = stage == Stage::Fragment && !io.is_output;
        let style = Style {
            ty: io.ty,
            mode: interpolation.mode,
            invariant: io.flags.contains(IoFlags::INVARIANT),
            mediump: io.flags.contains(IoFlags::MEDIUMP),
            stream: piece.stream,
        };
        let mut group = Group {
            kind,
            part: Part::new(io),
            slot: io.slot,
            // A wide vector of 64 bits continues in the next slot.
            slots: io.slots.next_multiple_of(if piece.mask > 0xf { 2 } else { 1 }),
            mask: piece.mask,
            style,
            sampling: interpolation.sampling,
            base: io.base,
            is_builtin: slots::builtin(kind, io.slot, in_fragment).is_some(),
        };
        if let Some(row) = compact(kind, io.slot) {
            group.mask = match distances::array_of(kind, io.slot) {
                Some(array) => {
                    let end = 4 * (io.slot - array) + io.slots - 1 + u32::BITS - group.mask.leading_zeros();
                    (1 << distances.length(array, io.is_output, end)) - 1
                }
                None if io.offset.is_some() => 0xf,
                None => group.mask,
            };
            (group.slot, group.slots, group.is_builtin) = (row.first, 1, true);
        }
        group
    }

    /// Whether both contain the same component of a slot, or the same built-in.
    fn overlaps(&self, other: &Group) -> bool {
        self.meets(other) && (self.is_builtin || self.shares(other))
    }

    fn shares(&self, other: &Group) -> bool {
        if !self.meets(other) {
            return false;
        }
        if self.is_compact() || other.is_compact() {
            return self.mask & other.mask != 0;
        }
        // Elements are alike, and have at most two slots.
        let first = self.slot.max(other.slot);
        let end = (self.slot + self.slots).min(other.slot + other.slots).min(first + 2);
        (first..end).any(|slot| self.mask_in(slot) & other.mask_in(slot) != 0)
    }

    /// The components of a slot that it has.
    fn mask_in(&self, slot: u32) -> u32 {
        location::mask_in(self.mask, self.slots_per_element(), slot - self.slot)
    }

    fn meets(&self, other: &Group) -> bool {
        self.part == other.part && self.slot < other.slot + other.slots && other.slot < self.slot + self.slots
    }

    fn is_compact(&self) -> bool {
        compact(self.kind, self.slot).is_some()
    }

    /// Whether both may be one variable.
    fn is_alike(&self, other: &Group) -> bool {
        // Sampling at a given position is an instruction on the deref, so it does not separate variables.
        let sampled_alike = self.sampling == other.sampling || self.has_interpolation() || other.has_interpolation();
        let elements_alike = self.slots_per_element() == other.slots_per_element();
        self.meets(other) && self.style == other.style && sampled_alike && elements_alike
    }

    fn has_interpolation(&self) -> bool {
        matches!(self.sampling, Sampling::AtSample(_) | Sampling::AtOffset(_))
    }

    fn absorb(&mut self, other: &Group) {
        let end = (self.slot + self.slots).max(other.slot + other.slots);
        let first = self.slot.min(other.slot);
        let is_wide = self.slots_per_element().max(other.slots_per_element()) == 2;
        // Components in the second slot of an element are its second half.
        let half = |group: &Group| if is_wide { 4 * ((group.slot - first) % 2) } else { 0 };
        self.mask = self.mask << half(self) | other.mask << half(other);
        if other.slot < self.slot {
            self.base = other.base;
            self.slot = other.slot;
        }
        self.slots = (end - self.slot).next_multiple_of(self.slots_per_element());
        self.style.invariant |= other.style.invariant;
        self.style.mediump &= other.style.mediump;
        self.sampling = match (self.sampling, other.sampling) {
            (own, other) if own == other => own,
            (Sampling::AtSample(_) | Sampling::AtOffset(_), other) => other,
            (own, Sampling::AtSample(_) | Sampling::AtOffset(_)) => own,
            // `interpolateAtCentroid` of a variable that is interpolated at each sample.
            (Sampling::Centroid, Sampling::Sample) | (Sampling::Sample, Sampling::Centroid) => Sampling::Sample,
            _ => Sampling::Pixel,
        };
    }

    /// 32-bit components of the slot for each component of the variable.
    fn units(&self) -> u32 {
        location::words(self.part.bits, 1)
    }

    /// Slots for each element of the variable.
    fn slots_per_element(&self) -> u32 {
        if self.mask > 0xf && !self.is_compact() {
            2
        } else {
            1
        }
    }

    /// First component in 32-bit units, and the number of components of the variable; of a compact array: the elements.
    fn span(&self) -> (u32, u32) {
        if let Some(row) = compact(self.kind, self.slot).filter(|_| self.is_builtin) {
            let len = u32::BITS - self.mask.leading_zeros();
            return (0, len.clamp(row.least, row.most));
        }
        match (self.kind, self.slot) {
            // Built-ins have the type that SPIR-V requires, however much of them is used.
            (kind, varying::POS) if kind.is_varying() && self.is_builtin => return (0, 4),
            (SlotKind::Varying, varying::PNTC) if self.is_builtin => return (0, 2),
            _ => {}
        }
        let first = self.mask.trailing_zeros();
        (first, (u32::BITS - self.mask.leading_zeros() - first).div_ceil(self.units()))
    }

    /// The type of the deref: a vector, or an element of a compact array.
    fn pointee(&self) -> (AluType, u8) {
        let count = if self.is_compact() { 1 } else { self.span().1 };
        (self.style.ty, count as u8)
    }

    fn declare(&self, shader: &mut Shader, location: u32, text: &mut String) {
        let (scalar, count) = self.pointee();
        let mut ty = shader.types.vector(scalar, count);
        let elements = self.slots / self.slots_per_element();
        if self.is_compact() {
            ty = shader.types.array(ty, Some(self.span().1), 0);
        } else if elements > 1 {
            ty = shader.types.array(ty, Some(elements), 0);
        }
        if self.part.per_vertex {
            ty = shader.types.array(ty, Some(per_vertex_len(shader, self.part)), 0);
        }
        let mode = if self.part.is_output { Modes::SHADER_OUT } else { Modes::SHADER_IN };
        text.clear();
        self.push_name(text);
        let name = shader.strings.add(text);
        let interp = InterpMode::ALL.get(self.style.mode as usize).copied().unwrap_or(InterpMode::none);
        shader.declare(Variable {
            interp,
            flags: self.flags(shader.stage()),
            precision: if self.style.mediump { Precision::Medium } else { Precision::None },
            location: Some(self.slot),
            location_frac: if self.is_compact() { 0 } else { self.span().0 as u8 },
            driver_location: if self.is_builtin { NO_LOCATION } else { location },
            index: u32::from(self.part.flags & IoFlags::DUALSRC.bits() != 0),
            stream: u32::from(self.style.stream),
            ..Variable::new(name, ty, mode)
        });
    }

    /// Appends a name that contains the slot and its first component.
    fn push_name(&self, text: &mut String) {
        text.push_str(if self.part.is_output { "out_" } else { "in_" });
        self.kind.push_short_name(self.slot, text);
        if let (first @ 1..=3, false) = (self.span().0 as usize, self.is_compact()) {
            text.push_str([".y", ".z", ".w"][first - 1]);
        }
        if self.part.flags != 0 {
            text.push_str(".1");
        }
    }

    fn flags(&self, stage: Stage) -> VarFlags {
        let tess = matches!((stage, self.part.is_output), (Stage::TessCtrl, true) | (Stage::TessEval, false));
        let mut flags = VarFlags::empty();
        flags.set(VarFlags::CENTROID, self.sampling == Sampling::Centroid);
        flags.set(VarFlags::SAMPLE, self.sampling == Sampling::Sample);
        flags.set(VarFlags::COMPACT, self.is_compact() && self.is_builtin);
        flags.set(VarFlags::INVARIANT, self.style.invariant);
        flags.set(VarFlags::PATCH, tess && slots::is_patch(self.slot));
        flags.set(VarFlags::PER_PRIMITIVE, self.part.per_primitive && (self.part.is_output || !self.is_builtin));
        flags.set(VarFlags::HIGH_DVEC2, self.part.flags & IoFlags::HIGH_DVEC2.bits() != 0);
        flags
    }
}

/// `mask` without gaps.
fn span_of(mask: u32) -> u32 {
    let end = u32::BITS - mask.leading_zeros();
    (1 << end) - (1 << mask.trailing_zeros().min(end))
}

/// The number of vertices of an array of per-vertex inputs or outputs, or of primitives. The application sets the size of an input
/// patch, up to 32.
fn per_vertex_len(shader: &Shader, Part { is_output, per_primitive, .. }: Part) -> u32 {
    match shader.stage() {
        Stage::Mesh if per_primitive => shader.info.max_primitives_out.max(1),
        Stage::Mesh => shader.info.max_vertices_out.max(1),
        Stage::Geometry => shader.info.vertices_in.max(1),
        Stage::TessCtrl if is_output => shader.info.tcs_vertices_out.max(1),
        _ => 32,
    }
}
