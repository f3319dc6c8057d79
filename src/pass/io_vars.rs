//! Which variables a shader's explicit inputs and outputs need: the grouping behind [`lower_io`](super::lower_io).

use super::lower_io::{location, Interpolation, Io, Sampling};
use super::Context;
use crate::ir::{Shader, Stage, Type, Var, VarFlags, Variable, NO_LOCATION};
use crate::op::names::{frag_result, varying, InterpMode, IoFlags, SlotKind};
use crate::op::{AluType, Base, Modes};
use crate::target::Feature;

/// The part of an access that one variable serves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub var: Var,
    /// The element of an array variable that the slot starts at, before a dynamic offset.
    pub element: Option<u32>,
    /// Elements that one slot of a dynamic offset stands for.
    pub elements_per_slot: u32,
    /// Component type and count of what is pointed to.
    pub pointee: (AluType, u8),
    /// First component of the pointee that is meant.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// First component of the loaded or stored value.
    pub source: u32,
    /// The variable is interpolated at the centroid.
    pub is_centroid: bool,
}

/// What components of a slot must share to live in one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Style {
    ty: AluType,
    mode: u32,
    flags: IoFlags,
}

/// Components of a run of slots that one variable serves.
#[derive(Clone, Debug)]
struct Group {
    is_output: bool,
    slot: u32,
    slots: u32,
    /// Components of each slot.
    mask: u32,
    style: Style,
    /// How the accesses are sampled, if all the same.
    sampling: Sampling,
    base: u32,
    per_vertex: bool,
    /// One for each variable: several where GL broadcasts.
    vars: Vec<Var>,
    pointee: (AluType, u8),
    kind: SlotKind,
}

/// The variables of a shader's explicit inputs and outputs.
#[derive(Debug)]
pub(super) struct IoVars {
    stage: Stage,
    groups: Vec<Group>,
}

/// A built-in that is an array of floats over one or two slots.
#[derive(Clone, Copy, Debug)]
struct Compact {
    first: u32,
    slots: u32,
    /// How long the array may be, and how long it is at least.
    most: u32,
    least: u32,
}

/// Tessellation levels have the size that SPIR-V says (VUID-TessLevelOuter-TessLevelOuter-04393), distances that of what is
/// accessed.
const COMPACT: &[Compact] = &[
    Compact { first: varying::CLIP_DIST0, slots: 2, most: 8, least: 1 },
    Compact { first: varying::CULL_DIST0, slots: 2, most: 8, least: 1 },
    Compact { first: varying::TESS_LEVEL_OUTER, slots: 1, most: 4, least: 4 },
    Compact { first: varying::TESS_LEVEL_INNER, slots: 1, most: 2, least: 2 },
];

fn compact(kind: SlotKind, slot: u32) -> Option<&'static Compact> {
    let row = COMPACT.iter().find(|row| (row.first..row.first + row.slots).contains(&slot));
    row.filter(|_| kind == SlotKind::Varying)
}

impl IoVars {
    pub(super) fn new(shader: &Shader) -> IoVars {
        IoVars { stage: shader.stage(), groups: Vec::new() }
    }

    /// Takes note of an access.
    pub(super) fn add(&mut self, io: &Io) {
        let kind = io.kind(self.stage);
        let mut group = self.group_of(io, kind);
        // What overlaps in slots and components must be one variable; what neighbours in a slot may be.
        let mut i = 0;
        while i < self.groups.len() {
            if group.absorbs(&self.groups[i]) {
                let other = self.groups.remove(i);
                group.absorb(&other);
                i = 0;
            } else {
                i += 1;
            }
        }
        self.groups.push(group);
    }

    fn group_of(&self, io: &Io, kind: SlotKind) -> Group {
        let interpolation =
            io.interpolation.unwrap_or(Interpolation { mode: InterpMode::none as u32, sampling: Sampling::Pixel });
        let precision = IoFlags::DUALSRC | IoFlags::FBFETCH | IoFlags::INVARIANT;
        let mut group = Group {
            is_output: io.is_output,
            slot: io.slot,
            slots: io.slots,
            mask: io.component_mask(),
            style: Style { ty: io.ty, mode: interpolation.mode, flags: io.flags & precision },
            sampling: interpolation.sampling,
            base: io.base,
            per_vertex: io.vertex.is_some(),
            vars: Vec::new(),
            pointee: (io.ty, 1),
            kind,
        };
        if let Some(Compact { first, .. }) = compact(kind, io.slot).copied() {
            // The mask of a compact group counts the elements of its array.
            group.mask = io.component_mask() << (4 * (io.slot - first));
            if io.offset.is_some() {
                group.mask |= (1 << (4 * io.slots)) - 1;
            }
            (group.slot, group.slots) = (first, 1);
        }
        group
    }

    /// Declares the variables, inputs before outputs, by slot.
    pub(super) fn declare(&mut self, shader: &mut Shader, context: &Context) {
        self.groups
            .sort_by_key(|group| (group.is_output, group.slot, group.mask.trailing_zeros(), group.style.flags.bits()));
        let mut groups = std::mem::take(&mut self.groups);
        for group in &mut groups {
            group.declare(shader, context);
        }
        self.groups = groups;
    }

    /// The variables that `io` reads or writes: several if its components are spread, or if they are broadcast.
    pub(super) fn places(&self, io: &Io) -> Vec<Place> {
        let kind = io.kind(self.stage);
        let mut places = Vec::new();
        for group in self.groups.iter().filter(|group| group.serves(io, kind)) {
            for var in &group.vars {
                group.places(io, *var, &mut places);
            }
        }
        places.sort_by_key(|place| place.source);
        places
    }
}

impl Group {
    fn overlaps_slots(&self, other: &Group) -> bool {
        self.is_output == other.is_output
            && self.style.flags.contains(IoFlags::DUALSRC) == other.style.flags.contains(IoFlags::DUALSRC)
            && self.slot < other.slot + other.slots
            && other.slot < self.slot + self.slots
    }

    fn is_compact(&self) -> bool {
        compact(self.kind, self.slot).is_some()
    }

    /// Whether `other` must, or may, share a variable with this group.
    fn absorbs(&self, other: &Group) -> bool {
        if !self.overlaps_slots(other) {
            return false;
        }
        let must = self.mask & other.mask != 0 || self.is_compact();
        let alike = self.style == other.style && self.per_vertex == other.per_vertex;
        // Sampling at a given place is asked of the pointer, so it does not part variables.
        let sampled_alike = self.sampling == other.sampling || self.is_asked() || other.is_asked();
        must || alike && sampled_alike && (self.slots == other.slots || self.slots > 1)
    }

    fn is_asked(&self) -> bool {
        matches!(self.sampling, Sampling::AtSample(_) | Sampling::AtOffset(_))
    }

    fn absorb(&mut self, other: &Group) {
        let end = (self.slot + self.slots).max(other.slot + other.slots);
        if other.slot < self.slot {
            self.base = other.base;
            self.slot = other.slot;
        }
        self.slots = end - self.slot;
        self.mask |= other.mask;
        self.style = other.style;
        if self.is_asked() {
            self.sampling = other.sampling;
        } else if !other.is_asked() && self.sampling != other.sampling {
            self.sampling = Sampling::Pixel;
        }
    }

    fn serves(&self, io: &Io, kind: SlotKind) -> bool {
        if self.is_output != io.is_output
            || self.style.flags.contains(IoFlags::DUALSRC) != io.flags.contains(IoFlags::DUALSRC)
        {
            return false;
        }
        if let Some(row) = compact(kind, io.slot) {
            return self.kind == kind && self.slot == row.first;
        }
        self.slot <= io.slot && io.slot < self.slot + self.slots && self.mask & io.component_mask() != 0
    }

    /// First component in 32-bit units, and the number of components of the variable.
    fn span(&self) -> (u32, u32) {
        match (self.kind, self.slot) {
            // Built-ins have the type that SPIR-V says, however much of them is used.
            (SlotKind::Varying, varying::POS) => return (0, 4),
            (SlotKind::Varying, varying::PNTC) => return (0, 2),
            _ => {}
        }
        let units = if self.style.ty.bits == 64 { 2 } else { 1 };
        let first = self.mask.trailing_zeros();
        (first, (u32::BITS - self.mask.leading_zeros() - first).div_ceil(units))
    }

    fn places(&self, io: &Io, var: Var, places: &mut Vec<Place>) {
        let is_centroid = self.sampling == Sampling::Centroid;
        if let Some(row) = compact(self.kind, self.slot) {
            let at = 4 * (io.slot - row.first) + io.component;
            places.extend((0..io.num_components).filter(|c| io.component_mask() >> (io.component + c) & 1 != 0).map(
                |c| Place {
                    var,
                    element: Some(at + c),
                    elements_per_slot: 4,
                    pointee: self.pointee,
                    first: 0,
                    count: 1,
                    source: c,
                    is_centroid,
                },
            ));
            return;
        }
        let units = if self.style.ty.bits == 64 { 2 } else { 1 };
        let (start, count) = self.span();
        let end = start + count * units;
        let first = io.component.max(start);
        let last = (io.component + io.num_components * units).min(end);
        if first >= last {
            return;
        }
        places.push(Place {
            var,
            element: (self.slots > 1).then(|| io.slot - self.slot),
            elements_per_slot: 1,
            pointee: self.pointee,
            first: (first - start) / units,
            count: (last - first) / units,
            source: (first - io.component) / units,
            is_centroid,
        });
    }

    fn declare(&mut self, shader: &mut Shader, context: &Context) {
        let mut scalar = self.style.ty;
        let narrow = scalar.bits == 16 && context.target.has(Feature::storageInputOutput16);
        if scalar.bits < 32 && !narrow {
            scalar.bits = 32;
        }
        let (component, count) = self.span();
        let mut ty;
        if let Some(row) = compact(self.kind, self.slot) {
            let float = AluType::new(Base::Float, 32);
            self.pointee = (float, 1);
            ty = shader.types.vector(float, 1);
            ty = shader.types.array(ty, Some((component + count).clamp(row.least, row.most)), 0);
        } else {
            self.pointee = (scalar, count as u8);
            ty = shader.types.vector(scalar, count as u8);
            if self.slots > 1 {
                ty = shader.types.array(ty, Some(self.slots), 0);
            }
        }
        if self.per_vertex {
            ty = shader.types.array(ty, Some(per_vertex_len(shader)), 0);
        }
        let is_broadcast = self.kind == SlotKind::FragResult && self.slot == frag_result::COLOR;
        let slots = match is_broadcast {
            true => frag_result::DATA0..frag_result::DATA0 + context.target.max_draw_buffers,
            false => self.slot..self.slot + 1,
        };
        self.vars = slots.map(|slot| self.declare_one(shader, slot, ty, component)).collect();
    }

    fn declare_one(&self, shader: &mut Shader, slot: u32, ty: Type, component: u32) -> Var {
        let (mode, direction) = if self.is_output { (Modes::SHADER_OUT, "out") } else { (Modes::SHADER_IN, "in") };
        let full = self.kind.name(slot);
        let short = full.trim_start_matches("VARYING_SLOT_").trim_start_matches("VERT_ATTRIB_");
        let lane =
            if component == 0 || self.is_compact() { "" } else { [".x", ".y", ".z", ".w"][component as usize % 4] };
        let index = if self.style.flags.contains(IoFlags::DUALSRC) { ".1" } else { "" };
        let name =
            shader.strings.intern(&format!("{direction}_{}{lane}{index}", short.trim_start_matches("FRAG_RESULT_")));
        let mut flags = VarFlags::empty();
        flags.set(VarFlags::CENTROID, self.sampling == Sampling::Centroid);
        flags.set(VarFlags::SAMPLE, self.sampling == Sampling::Sample);
        flags.set(VarFlags::COMPACT, self.is_compact());
        flags.set(VarFlags::INVARIANT, self.style.flags.contains(IoFlags::INVARIANT));
        flags.set(VarFlags::PATCH, self.is_patch(shader.stage()));
        let interp = InterpMode::ALL.get(self.style.mode as usize).copied().unwrap_or(InterpMode::none);
        shader.vars.push(Variable {
            interp,
            flags,
            location: Some(slot),
            location_frac: if self.is_compact() { 0 } else { component as u8 },
            driver_location: if is_builtin(self.kind, slot) {
                NO_LOCATION
            } else {
                location(self.kind, slot, self.base)
            },
            index: u32::from(self.style.flags.contains(IoFlags::DUALSRC)),
            ..Variable::new(name, ty, mode)
        })
    }

    fn is_patch(&self, stage: Stage) -> bool {
        let levels = varying::TESS_LEVEL_OUTER..=varying::TESS_LEVEL_INNER;
        let tess = matches!((stage, self.is_output), (Stage::TessCtrl, true) | (Stage::TessEval, false));
        tess && self.kind == SlotKind::Varying && (self.slot >= varying::PATCH0 || levels.contains(&self.slot))
    }
}

/// Vertices of an array of per-vertex inputs or outputs.
fn per_vertex_len(shader: &Shader) -> u32 {
    match shader.stage() {
        Stage::Geometry => shader.info.vertices_in.max(1),
        Stage::TessCtrl if shader.info.tcs_vertices_out != 0 => shader.info.tcs_vertices_out,
        _ => 32,
    }
}

/// Slots that SPIR-V has a built-in for.
pub(super) fn is_builtin(kind: SlotKind, slot: u32) -> bool {
    use varying::*;
    match kind {
        SlotKind::VertAttrib => false,
        SlotKind::FragResult => slot < frag_result::DATA0 && slot != frag_result::COLOR,
        SlotKind::Varying => {
            matches!(slot, POS | PSIZ | CLIP_DIST0..=CULL_DIST1 | PRIMITIVE_ID..=TESS_LEVEL_INNER | VIEW_INDEX)
        }
    }
}
