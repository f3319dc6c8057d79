// SPDX-License-Identifier: MIT

//! Accesses to inputs and outputs by slot, as NIR's explicit intrinsics make them.

use crate::ir::{Def, Inst, InstKind, Shader, Stage, XfbInfo, XfbOutput};
use crate::op::meaning::{self, IoAccess};
use crate::op::names::{unpack_alu_type, varying, IoFlags, IoSemantics, IoXfb, SlotKind};
use crate::op::{slots, AluType, Base, Index, Intrinsic};

/// The position within the pixel at which an input is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sampling {
    /// Not interpolated, or in the middle of the pixel.
    Pixel,
    /// In the covered part of the pixel.
    Centroid,
    /// At the sample that is shaded.
    Sample,
    /// At the sample with this number.
    AtSample(Def),
    /// At this offset from the middle of the pixel.
    AtOffset(Def),
}

/// The interpolation of an input: NIR's mode, and the position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Interpolation {
    /// `interp_mode` of the barycentric; flat for `load_input`.
    pub mode: u32,
    /// The position.
    pub sampling: Sampling,
}

/// The sampling of the barycentric `op`; `None` if it is not a barycentric.
fn sampling(op: Intrinsic, srcs: &[Def]) -> Option<Sampling> {
    if !op.is_barycentric() {
        return None;
    }
    match op.meaning().sampling? {
        meaning::Sampling::Pixel => Some(Sampling::Pixel),
        meaning::Sampling::Centroid => Some(Sampling::Centroid),
        meaning::Sampling::Sample => Some(Sampling::Sample),
        meaning::Sampling::AtSample => Some(Sampling::AtSample(srcs[0])),
        meaning::Sampling::AtOffset => Some(Sampling::AtOffset(srcs[0])),
        meaning::Sampling::AtVertex => None,
    }
}

/// The opcode of `inst` if it reads or writes inputs or outputs by slot.
pub(crate) fn explicit_io(shader: &Shader, inst: Inst) -> Option<Intrinsic> {
    shader.as_intrinsic(inst).map(|(op, _)| op).filter(|op| op.is_by_slot())
}

/// A read or write of an input or output by slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Io {
    pub is_output: bool,
    pub is_store: bool,
    /// The first slot that may be accessed, with the constant part of the offset added.
    pub slot: u32,
    /// The number of slots that may be accessed, of a compact array the number of elements: 1 unless the offset is dynamic.
    pub slots: u32,
    /// The offset from `slot` in slots, of a compact array in elements, if dynamic.
    pub offset: Option<Def>,
    /// The vertex, of per-vertex inputs and outputs, or the primitive, of outputs of mesh shaders.
    pub vertex: Option<Def>,
    /// The first component.
    pub component: u32,
    pub num_components: u32,
    /// The type of the components, width included.
    pub ty: AluType,
    pub interpolation: Option<Interpolation>,
    pub flags: IoFlags,
    /// The driver's number of the slot.
    pub base: u32,
    /// Whether each primitive has a value.
    pub per_primitive: bool,
    /// Transform feedback of the components of the slot, in pairs.
    xfb: [IoXfb; 2],
    /// Streams of the components of the slot, two bits each.
    streams: u8,
    /// The stored value, and the mask of its components that are stored.
    pub value: Option<(Def, u32)>,
}

impl Io {
    /// The access of `inst`, whose opcode is `op`.
    pub(crate) fn new(shader: &Shader, op: Intrinsic, inst: Inst) -> Option<Io> {
        let IoAccess { is_output, vertex, offset } = op.meaning().io?;
        let InstKind::Intrinsic { srcs, indices, .. } = shader.insts[inst].kind else { return None };
        let (info, srcs, indices) = (op.info(), &shader.srcs[srcs], &shader.indices[indices]);
        let index = |index| info.index_slot(index).map_or(0, |slot| indices[slot]);
        let offset = srcs[usize::from(offset)];
        let semantics = IoSemantics::unpack(index(Index::io_semantics));
        let is_store = info.index_slot(Index::write_mask).is_some();
        let value = is_store.then(|| (srcs[0], index(Index::write_mask)));
        let sized = value.map_or(inst.def(), |(value, _)| value);
        let ty = unpack_alu_type(index(if is_store { Index::src_type } else { Index::dest_type }));
        // Variables do not hold 32-bit booleans. The built-in of SPIR-V for culled primitives is a boolean.
        let base = if ty.base == Base::Bool { Base::Uint } else { ty.base };
        let is_flag = shader.stage().slot_kind(is_output) == SlotKind::MeshOutput
            && semantics.location == varying::CULL_PRIMITIVE;
        let number = AluType::new(base, shader.bit_size(sized));
        let constant = shader.as_const_scalar(offset);
        let component = index(Index::component);
        let step = slots::step(shader.stage().slot_kind(is_output), semantics, constant);
        let words = step.saturating_mul(constant.unwrap_or(0) as u32).saturating_add(component);
        Some(Io {
            is_output,
            is_store,
            slot: semantics.location.saturating_add(words / 4),
            slots: if constant.is_some() { 1 } else { semantics.num_slots.max(1) },
            offset: constant.is_none().then_some(offset),
            vertex: vertex.map(|vertex| srcs[usize::from(vertex)]),
            component: words % 4,
            num_components: u32::from(shader.num_components(sized)),
            ty: if is_flag { AluType::new(Base::Bool, 1) } else { number },
            interpolation: interpolation(shader, op, srcs),
            flags: semantics.flags,
            base: index(Index::base).saturating_add(words / 4),
            per_primitive: is_of_primitive(shader.stage(), op, is_output, semantics.location),
            xfb: [Index::io_xfb, Index::io_xfb2].map(|pair| IoXfb::unpack(index(pair))),
            // Only emitted outputs have a stream; the number is ignored in an input.
            streams: if is_output { semantics.gs_streams } else { 0 },
            value,
        })
    }

    /// The components of the slot that are accessed: those stored, or all loaded.
    pub(crate) fn component_mask(&self) -> u32 {
        let mask = self.value.map_or((1 << self.num_components) - 1, |(_, mask)| mask);
        // A 64-bit component uses two components of the slot.
        let doubled = |i: u32| (mask >> i & 1) * (3 << (2 * i));
        let mask = if self.ty.bits == 64 { (0..4).map(doubled).sum() } else { mask };
        mask << self.component
    }

    /// Whether transform feedback captures a part of it.
    pub(crate) fn is_captured(&self) -> bool {
        self.xfb.iter().any(|xfb| xfb.is_capture())
    }

    /// Notes the stored components that transform feedback captures.
    pub(crate) fn note_captures(&self, info: &mut XfbInfo) {
        for c in (0..4).filter(|c| self.component_mask() >> c & 1 != 0) {
            let Some((buffer, offset)) = self.captured(c) else { continue };
            let stream = u32::from(self.stream(c));
            if let Some(row) = info.buffers.get_mut(usize::from(buffer)) {
                row.stream = stream;
            }
            let (buffer, offset) = (u32::from(buffer), 4 * u32::from(offset));
            info.add(XfbOutput { buffer, offset, location: self.slot, component: c as u8, num_components: 1 });
        }
    }

    /// Buffer and offset, in components, at which transform feedback writes component `c` of the slot.
    fn captured(&self, c: u32) -> Option<(u8, u8)> {
        (0..=c.min(3)).rev().find_map(|first| {
            let out = self.xfb[first as usize / 2].out[first as usize % 2];
            let distance = (c - first) as u8;
            (out.num_components > distance).then(|| (out.buffer, out.offset.saturating_add(distance)))
        })
    }

    /// The stream of component `c` of the slot.
    pub(crate) fn stream(&self, c: u32) -> u8 {
        self.streams >> (2 * (c % 4)) & 3
    }

    /// The numbering that the slot belongs to.
    pub(crate) fn kind(&self, stage: Stage) -> SlotKind {
        stage.slot_kind(self.is_output)
    }
}

/// Whether each primitive has a value of the slot.
fn is_of_primitive(stage: Stage, op: Intrinsic, is_output: bool, slot: u32) -> bool {
    use Intrinsic::{load_per_primitive_input, load_per_primitive_output, store_per_primitive_output};
    matches!(op, load_per_primitive_input | load_per_primitive_output | store_per_primitive_output)
        || stage == Stage::Mesh && is_output && slots::is_of_primitive(slot)
}

fn interpolation(shader: &Shader, op: Intrinsic, srcs: &[Def]) -> Option<Interpolation> {
    use crate::op::names::InterpMode;
    if shader.stage() != Stage::Fragment {
        return None;
    }
    let flat = Interpolation { mode: InterpMode::flat as u32, sampling: Sampling::Pixel };
    match op {
        Intrinsic::load_input | Intrinsic::load_per_primitive_input => Some(flat),
        Intrinsic::load_interpolated_input => {
            let barycentric = srcs[0].inst();
            let (op, srcs) = shader.as_intrinsic(barycentric)?;
            Some(Interpolation { mode: shader.index(barycentric, Index::interp_mode), sampling: sampling(op, srcs)? })
        }
        _ => None,
    }
}
