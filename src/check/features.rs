// SPDX-License-Identifier: MIT

//! The features that a shader needs, from tables: intrinsics, widths, I/O slots, atomics, kinds of indexing.

use super::feature_check::{lacked_by, FeatureCheck, Features, DOUBT, VULKAN_1_1};
use super::textures::{self, TexNames};
use super::{kernels, push_constants, stores, subgroups};
use crate::analysis::framebuffer::is_multisample;
use crate::analysis::value_types::leaf;
use crate::ir::{AluSrc, Def, Deref, DerefKind, Inst, InstKind, Shader, ShaderInfo, Stage, Var, VarFlags, Variable};
use crate::op::builtins::{BuiltInInfo, BuiltInNeed, Providers};
use crate::op::meaning::{IntrinsicForm, IoAccess, Traits};
use crate::op::names::{frag_result, unpack_alu_type, varying, InterpMode, IoSemantics, IoXfb, Scope};
use crate::op::{
    slots, AluOp, AluType, AtomicOp, Base, Facts, Index, Intrinsic, IntrinsicSet, Modes, INTRINSICS as TABLE, MEANINGS,
};
use crate::target::Feature::{self, *};
use spirv::BuiltIn;

/// The features that the rules may require for each intrinsic, with any operands.
pub(super) static MAY_NEED: [Features; Intrinsic::ALL.len()] = {
    assert!(Feature::ALL.len() < 126, "there are bits for so many");
    let mut needed = [0; Intrinsic::ALL.len()];
    let mut at = 0;
    while at < needed.len() {
        let (info, meaning) = (&TABLE[at], &MEANINGS[at]);
        needed[at] = bits_of(meaning.features) | bits_of(meaning.features_by_operands);
        if let IntrinsicForm::BuiltIn(builtin, _) = info.form {
            needed[at] |= bits_of_needs(BuiltInInfo::of(builtin).needs);
        }
        if info.has_index(Index::atomic_op) {
            needed[at] |= bits_of(&[shaderInt64, shaderBufferInt64Atomics, shaderSharedInt64Atomics]);
        }
        if info.traits.intersects(OF_VULKAN_1_1) || info.has_index(Index::execution_scope) {
            needed[at] |= VULKAN_1_1;
        }
        if !info.is_translated()
            || meaning.image.is_some()
            || subgroups::is_of_workgroup(info)
            || at == Intrinsic::deref_buffer_array_length as usize
        {
            needed[at] |= DOUBT;
        }
        at += 1;
    }
    needed
};

/// Traits that every driver of Vulkan 1.1 supports, but not every driver of 1.0.
const OF_VULKAN_1_1: Traits = Traits::NOT_BEFORE_1_1.union(Traits::BASIC_SUBGROUP);

/// Intrinsics for which no rule requires a feature.
pub(super) static WITHOUT_NEEDS: IntrinsicSet = {
    let (mut set, mut at) = (IntrinsicSet::of(&[]), 0);
    while at < MAY_NEED.len() {
        if MAY_NEED[at] == 0 {
            set = set.union(IntrinsicSet::of(&[Intrinsic::ALL[at]]));
        }
        at += 1;
    }
    set
};

const fn bits_of(features: &[Feature]) -> Features {
    let (mut bits, mut at) = (0, 0);
    while at < features.len() {
        bits |= 1 << features[at] as u8;
        at += 1;
    }
    bits
}

/// The features of which a shader may lack one, for all uses of a built-in. Without the first of several that provide it, the rules
/// look for the others.
const fn bits_of_needs(needs: &[BuiltInNeed]) -> Features {
    let (mut bits, mut at) = (0, 0);
    while at < needs.len() {
        bits |= 1 << needs[at].any[0].0 as u8;
        at += 1;
    }
    bits
}

/// Widths of numbers: base, bits, feature, and whether a pass makes 32-bit numbers of them if the target lacks it.
const WIDTHS: &[(Base, u8, Feature, bool)] = &[
    (Base::Int, 8, shaderInt8, true),
    (Base::Int, 16, shaderInt16, true),
    (Base::Int, 64, shaderInt64, true),
    (Base::Float, 16, shaderFloat16, true),
    (Base::Float, 64, shaderFloat64, true),
];

/// Memory whose type is visible only in the shader.
const OWN: Modes = Modes::SHADER_TEMP.union(Modes::FUNCTION_TEMP).union(Modes::SHARED).union(Modes::CONSTANT);

/// The features that depend on the header.
const HEADER: [Feature; 10] = [
    tessellationShader,
    geometryShader,
    taskShader,
    meshShader,
    sampleRateShading,
    VK_EXT_post_depth_coverage,
    fragmentShaderPixelInterlock,
    fragmentShaderSampleInterlock,
    computeDerivativeGroupQuads,
    computeDerivativeGroupLinear,
];

/// Whether the header needs each feature of [`HEADER`].
fn needed_by_header(info: &ShaderInfo) -> [bool; HEADER.len()] {
    [
        matches!(info.stage, Stage::TessCtrl | Stage::TessEval),
        info.stage == Stage::Geometry,
        info.stage == Stage::Task,
        info.stage == Stage::Mesh,
        info.uses_sample_shading | info.color0_sample | info.color1_sample,
        info.post_depth_coverage,
        info.pixel_interlock_ordered | info.pixel_interlock_unordered,
        info.sample_interlock_ordered | info.sample_interlock_unordered,
        info.derivative_group == 1,
        info.derivative_group == 2,
    ]
}

/// The features that the header needs.
pub(super) fn of_header(info: &ShaderInfo) -> Features {
    let needed = needed_by_header(info);
    match needed == [false; HEADER.len()] {
        true => 0,
        false => HEADER.iter().zip(needed).fold(0, |all, (feature, is)| all | Features::from(is) << *feature as u8),
    }
}

/// The slots whose built-ins need a feature in some stage, or that some stages do not have: a bit for each.
pub(super) const SLOTS_WITH_NEEDS: u64 = {
    use varying::*;
    let slots = [
        PSIZ,
        CLIP_DIST0,
        CLIP_DIST1,
        CULL_DIST0,
        CULL_DIST1,
        PRIMITIVE_ID,
        LAYER,
        VIEWPORT,
        TESS_LEVEL_OUTER,
        TESS_LEVEL_INNER,
        CULL_PRIMITIVE,
        VIEW_INDEX,
    ];
    let (mut mask, mut at) = (1 << frag_result::STENCIL, 0);
    while at < slots.len() {
        mask |= 1 << slots[at];
        at += 1;
    }
    mask
};

/// What a stage needs for a built-in.
#[derive(Clone, Copy, Debug)]
pub(super) enum SlotNeed {
    /// One of these features.
    Features(Providers),
    /// Another stage: this one does not have it.
    Stage(BuiltIn),
}

/// Calls `need` with what these slots of inputs or outputs need, a bit for each of the first 64. Other slots need nothing.
pub(super) fn slot_needs(stage: Stage, output: bool, slots: u64, need: &mut dyn FnMut(SlotNeed)) {
    let (kind, fragment_input) = (stage.slot_kind(output), stage == Stage::Fragment && !output);
    let mut left = slots & SLOTS_WITH_NEEDS;
    while left != 0 {
        let slot = left.trailing_zeros();
        left &= left - 1;
        // The distances of the second slot are in the array of the first.
        let first = kind.is_varying() && matches!(slot, varying::CLIP_DIST1 | varying::CULL_DIST1);
        let Some(builtin) = slots::builtin(kind, slot - u32::from(first), fragment_input) else { continue };
        let info = BuiltInInfo::of(builtin);
        if !info.is_in(stage.set(), output) {
            need(SlotNeed::Stage(builtin));
        } else if let Some(any) = info.providers(stage.set(), output) {
            need(SlotNeed::Features(any));
        }
    }
}

/// The features that the widths of values, or of members of variables, may need.
#[inline(never)]
pub(super) fn width_needs(shader: &Shader) -> Features {
    let has = |bits: u8| shader.inventory().may_have(Facts::widths(bits)) || shader.types.has_width(bits);
    let values = WIDTHS.iter().filter(|(_, bits, ..)| has(*bits));
    let members = if shader.types.has_width(8 | 16) { push_constants::MAY_NEED } else { 0 };
    values.fold(members, |needs, (_, _, feature, _)| needs | 1 << *feature as u8)
}

impl FeatureCheck<'_> {
    /// Checks the whole shader.
    pub(super) fn check(&mut self) {
        let shader = self.report.shader;
        for (feature, _) in HEADER.into_iter().zip(needed_by_header(&shader.info)).filter(|(_, is_needed)| *is_needed) {
            self.need(None, feature);
        }
        for feature in kernels::needed(shader, self.target) {
            self.need(None, feature);
        }
        shader.vars.values().for_each(|variable| self.check_variable(variable));
        if !shader.xfb_info.is_empty() {
            self.need(None, transformFeedback);
        }
        shader.order.iter().for_each(|inst| self.check_inst(*inst));
        self.check_push_constants();
        self.check_block_picks();
        self.check_growth();
        if let Some((feature, store)) = stores::feature(shader.stage()).zip(stores::first(shader)) {
            self.need(Some(store), feature);
        }
    }

    fn check_variable(&mut self, variable: &Variable) {
        let output = variable.mode == Modes::SHADER_OUT;
        let is_read = variable.flags.contains(VarFlags::FB_FETCH_OUTPUT);
        if is_read && is_multisample(self.report.shader) {
            self.need(None, sampleRateShading);
        }
        // An output that reads the stencil is not exported.
        let is_interface = output && !is_read || variable.mode == Modes::SHADER_IN;
        if let Some(slot) = variable.location.filter(|_| is_interface) {
            self.check_slot(slot, output, Err(variable));
        }
        if self.is_at_samples(variable) {
            self.need(None, sampleRateShading);
        }
        if variable.flags.contains(VarFlags::PER_PRIMITIVE) {
            self.need(None, meshShader);
        }
        if variable.capture.is_some() {
            self.need(None, transformFeedback);
        }
        if variable.stream != 0 {
            self.need(None, geometryStreams);
        }
    }
}

impl FeatureCheck<'_> {
    /// Whether an input is interpolated at each sample: SPIR-V's decoration Sample.
    fn is_at_samples(&self, variable: &Variable) -> bool {
        let shader = self.report.shader;
        let is_float =
            || leaf(&shader.types, variable.ty).map_or(true, |scalar| scalar.base == Base::Float && scalar.bits < 64);
        shader.stage() == Stage::Fragment
            && variable.mode == Modes::SHADER_IN
            && variable.flags.contains(VarFlags::SAMPLE)
            && !variable.flags.contains(VarFlags::CENTROID)
            && (variable.interp != InterpMode::flat && is_float())
    }
}

impl FeatureCheck<'_> {
    fn check_inst(&mut self, inst: Inst) {
        let shader = self.report.shader;
        let data = &shader.insts[inst];
        match data.kind {
            InstKind::Intrinsic { op, srcs, .. } => self.check_intrinsic(inst, op, &shader.srcs[srcs]),
            InstKind::Deref(deref) => {
                let deref = &shader.derefs[deref];
                if deref.modes == Modes::GLOBAL {
                    return self.need(Some(inst), bufferDeviceAddress);
                }
                self.check_members(inst, deref);
            }
            InstKind::Tex(tex) => {
                let (tex, need) = (&shader.texs[tex], &mut |feature| self.need(Some(inst), feature));
                textures::tex_needs(shader, tex, &TexNames::of(shader, tex), need);
                self.check_value(inst, inst.def(), data.bit_size < 64);
            }
            InstKind::Alu { op, srcs, .. } => self.check_alu(inst, op, &shader.alu_srcs[srcs]),
            InstKind::Const(_) | InstKind::Undef | InstKind::Phi(_) => self.check_value(inst, inst.def(), true),
            InstKind::Jump(_) => {}
        }
    }

    fn check_intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        if MAY_NEED[op as usize] & lacked_by(self.target) != 0 {
            self.check_needs(inst, op, srcs);
        }
        if let Some(io) = op.meaning().io {
            self.check_io(inst, io);
        }
        if self.types.is_some() {
            self.check_operands(inst, op, srcs);
        }
    }

    fn check_needs(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let (shader, info, meaning) = (self.report.shader, op.info(), op.meaning());
        if let Some(image) = meaning.image {
            textures::image_needs(shader, inst, image.operation, srcs, &mut |feature| self.need(Some(inst), feature));
        }
        meaning.features.iter().for_each(|feature| self.need(Some(inst), *feature));
        if let IntrinsicForm::BuiltIn(builtin, _) = info.form {
            let any = BuiltInInfo::of(builtin).providers(shader.stage().set(), false);
            any.into_iter().for_each(|any| self.need_one_of(Some(inst), any));
        }
        self.check_subgroup(inst, op, srcs);
        match meaning.features_by_operands {
            [shaderDeviceClock, ..] => self.check_clock(inst),
            [geometryStreams] if shader.index(inst, Index::stream_id) != 0 => self.need(Some(inst), geometryStreams),
            [fragmentShaderPixelInterlock]
                if !shader.info.sample_interlock_ordered && !shader.info.sample_interlock_unordered =>
            {
                self.need(Some(inst), fragmentShaderPixelInterlock);
            }
            _ => {}
        }
        if info.has_index(Index::atomic_op) && meaning.image.is_none() {
            self.check_atomic(inst, op, srcs);
        }
    }

    fn check_clock(&mut self, inst: Inst) {
        let device = self.report.shader.index(inst, Index::memory_scope) == Scope::device as u32;
        self.need(Some(inst), if device { shaderDeviceClock } else { shaderSubgroupClock });
    }

    fn check_atomic(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let shader = self.report.shader;
        let through_deref = srcs.first().and_then(|src| shader.as_deref(*src));
        let shared =
            op.info().has_index(Index::base) || through_deref.is_some_and(|deref| deref.modes == Modes::SHARED);
        let bits = shader.insts[inst].bit_size;
        let kind = AtomicOp::ALL.get(shader.index(inst, Index::atomic_op) as usize);
        // Narrower atomics are lowered to 32-bit integer atomics, which every device has.
        if bits != 64 {
            return;
        }
        // Without an explicit layout 64-bit elements are the only view of shared memory, so narrower values are parts of them.
        let only_view = shared && !self.target.has(workgroupMemoryExplicitLayout);
        let native = kind.is_some_and(|kind| self.target.has_float_atomic(*kind, 64, shared));
        if !native || only_view {
            self.need(Some(inst), shaderInt64);
            self.need(Some(inst), if shared { shaderSharedInt64Atomics } else { shaderBufferInt64Atomics });
        }
    }

    fn check_io(&mut self, inst: Inst, access: IoAccess) {
        let shader = self.report.shader;
        let io = IoSemantics::unpack(shader.index(inst, Index::io_semantics));
        let is_store = !shader.insts[inst].has_def();
        if access.is_output && !is_store && shader.stage() == Stage::Fragment {
            if is_multisample(shader) {
                self.need(Some(inst), sampleRateShading);
            }
            return;
        }
        self.check_slot(io.location, access.is_output, Ok(inst));
        if io.gs_streams != 0 {
            self.need(Some(inst), geometryStreams);
        }
        let captures = |index| IoXfb::unpack(shader.index(inst, index)).is_capture();
        if !self.target.has(transformFeedback) && (captures(Index::io_xfb) || captures(Index::io_xfb2)) {
            self.need(Some(inst), transformFeedback);
        }
    }

    /// Checks the slot of an instruction, or of a variable.
    fn check_slot(&mut self, slot: u32, output: bool, place: Result<Inst, &Variable>) {
        let (slots, stage) = (1u64.checked_shl(slot).unwrap_or(0), self.report.shader.stage());
        slot_needs(stage, output, slots, &mut |need| match need {
            SlotNeed::Features(any) => self.need_one_of(place.ok(), any),
            SlotNeed::Stage(builtin) => {
                let direction = if output { "output" } else { "input" };
                let message = format!("{builtin:?} is not an {direction} of {}", stage.name());
                match place {
                    Ok(inst) => self.report.at(inst, message),
                    Err(variable) => self.report.variable(variable, message),
                }
            }
        });
    }

    fn check_alu(&mut self, inst: Inst, op: AluOp, srcs: &[AluSrc]) {
        if self.types.is_none() {
            return;
        }
        let shader = self.report.shader;
        let info = op.info();
        // An operation that moves bits has the type of its value.
        if info.moves_bits() {
            return self.check_value(inst, inst.def(), true);
        }
        let result = (info.dest.ty, shader.insts[inst].bit_size);
        let operands = info.srcs.iter().zip(srcs).map(|(operand, src)| (operand.ty, shader.bit_size(src.def)));
        for (ty, bits) in operands.chain([result]) {
            self.check_width(inst, AluType::new(ty.base, bits), true);
        }
    }

    /// Checks the width of a value whose type is inferred from its uses and sources.
    fn check_value(&mut self, inst: Inst, value: Def, carried: bool) {
        if let Some(types) = self.types {
            let ty = AluType::new(types.base(value), self.report.shader.bit_size(value));
            self.check_width(inst, ty, carried);
        }
    }

    /// Checks the widths of the sources and the result of an intrinsic.
    fn check_operands(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let shader = self.report.shader;
        let mut carried = op.info().traits.contains(Traits::CARRIED);
        if let Some(io) = op.meaning().io {
            let scalar = explicit_type(shader, inst, op);
            if scalar.bits == 64 {
                let mode = if io.is_output { Modes::SHADER_OUT } else { Modes::SHADER_IN };
                return self.check_declared(inst, scalar, mode, false);
            }
        }
        if let Some(deref) = srcs.first().and_then(|src| shader.as_deref(*src)) {
            carried |= deref.modes.intersects(Modes::GLOBAL);
            // A variable has its declared type.
            if let (Intrinsic::load_deref | Intrinsic::store_deref, false, Some((scalar, _))) =
                (op, carried, shader.types.as_vector(deref.ty))
            {
                let of_struct = |var: Var| shader.types.as_struct(shader.types.without_arrays(shader.vars[var].ty));
                let in_struct = shader.deref_var(srcs[0]).and_then(of_struct).is_some();
                return self.check_declared(inst, scalar, deref.modes, in_struct);
            }
        }
        for src in srcs {
            // Constants have the type that their user needs.
            if !matches!(shader.def(*src).kind, InstKind::Const(_) | InstKind::Undef | InstKind::Deref(_)) {
                self.check_value(inst, *src, carried);
            }
        }
        if shader.insts[inst].has_def() {
            self.check_value(inst, inst.def(), carried);
        }
    }

    /// Checks the width of numbers in the declared type of an input, output or variable. Passes convert 64-bit numbers in the
    /// shader's own memory to words. Between stages they convert doubles to 64-bit integers, except for vertex attributes, whose
    /// format the driver determines.
    fn check_declared(&mut self, inst: Inst, scalar: AluType, modes: Modes, in_struct: bool) {
        let is_attribute = modes == Modes::SHADER_IN && self.report.shader.stage() == Stage::Vertex;
        let is_double = scalar == AluType::new(Base::Float, 64);
        let is_remade = match modes.intersects(OWN) {
            true => scalar.bits == 64,
            // Those of 8 and 16 bits become 32-bit ones, except in structs.
            false if scalar.bits < 32 => !in_struct,
            false => is_double && self.target.has(shaderInt64) && !is_attribute,
        };
        self.check_width(inst, scalar, is_remade);
    }

    /// Checks the members of a struct: SPIR-V has all of them, used or not.
    fn check_members(&mut self, inst: Inst, deref: &Deref) {
        let shader = self.report.shader;
        let DerefKind::Var(var) = deref.kind else { return };
        let types = &shader.types;
        if self.types.is_none() || !deref.modes.intersects(OWN | Modes::SHADER_IN | Modes::SHADER_OUT) {
            return;
        }
        let Some(data) = types.as_struct(types.without_arrays(shader.vars[var].ty)) else { return };
        for scalar in data.fields.iter().filter_map(|field| leaf(types, field.ty)) {
            self.check_declared(inst, scalar, deref.modes, true);
        }
    }

    /// Checks the width of a value; `carried` is true if 32-bit values can carry it.
    fn check_width(&mut self, inst: Inst, ty: AluType, carried: bool) {
        let base = if ty.base == Base::Uint { Base::Int } else { ty.base };
        for (row_base, bits, feature, lowered) in WIDTHS {
            if (*row_base, *bits) == (base, ty.bits) && !(*lowered && carried) {
                self.need(Some(inst), *feature);
            }
        }
    }
}

/// The type of the numbers of an explicit input or output.
fn explicit_type(shader: &Shader, inst: Inst, op: Intrinsic) -> AluType {
    let (index, value) = match shader.as_intrinsic(inst) {
        Some((_, [value, ..])) if op.info().has_index(Index::src_type) => (Index::src_type, *value),
        _ => (Index::dest_type, inst.def()),
    };
    AluType::new(unpack_alu_type(shader.index(inst, index)).base, shader.bit_size(value))
}
