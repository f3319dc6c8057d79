// SPDX-License-Identifier: MIT

//! The support by ntv and by a target: constructs without a translation, and the features that the others need.
//!
//! Each construct and each feature is reported once, at the first instruction that needs it. Constructs that a pass lowers are
//! not checked: 8- and 16-bit buffer members are read through 32-bit words, fine derivatives become OpDPdx and OpDPdy.

use super::feature_check::FeatureCheck;
use super::{features, io, textures};
use crate::analysis::distances;
use crate::analysis::framebuffer::{is_readable_output, FramebufferRead};
use crate::analysis::value_types::ValueTypes;
use crate::error::Errors;
use crate::ir::{AluSrc, ArrayIndex, Cf, Def, Deref, DerefKind, Inst, InstKind, Shader, ShaderInfo, Stage, Type};
use crate::ir::{TypeData, TypeTable, VarFlags, Variable};
use crate::op::meaning::Traits;
use crate::op::names::{frag_result, varying, InterpMode, IoFlags, IoSemantics};
use crate::op::Intrinsic::{self, *};
use crate::op::{slots, AluInfo, AluOp, AluSet, Base, Facts, Form, Index, Modes, Props, ALU_OPS};
use crate::report::Report;
use crate::target::Target;

/// Opcodes for numbers that are defined for numbers of one bit, too; a pass makes logical operations of them.
#[rustfmt::skip]
const ONE_BIT: AluSet = {
    use AluOp::*;
    AluSet::of(&[
        iadd, isub, imul, amul, imax, umin, imin, umax, ineg, iabs, isign, ishl, ishr, ushr, ult, ige, ilt, uge, i2i8,
        i2i16, i2i32, i2i64, u2u8, u2u16, u2u32, u2u64, i2f16, i2f32, i2f64, u2f16, u2f32, u2f64, i2i1, u2u1,
        ball_iequal2, ball_iequal3, ball_iequal4, ball_iequal5, ball_iequal8, ball_iequal16,
        bany_inequal2, bany_inequal3, bany_inequal4, bany_inequal5, bany_inequal8, bany_inequal16,
    ])
};

/// Memory in which SPIR-V's booleans have no representation, and the words for them in a message. Of inputs and outputs only a
/// built-in may be a boolean (Vulkan, VUID-StandaloneSpirv-Input-07290).
const WITHOUT_BOOLEANS: &[(Modes, &str)] = &[(PASSED, "booleans as inputs or outputs")];

/// The built-ins that are booleans.
const BOOLEAN_BUILTINS: &[(Stage, Modes, u32)] =
    &[(Stage::Fragment, Modes::SHADER_IN, varying::FACE), (Stage::Mesh, Modes::SHADER_OUT, varying::CULL_PRIMITIVE)];

const PASSED: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

/// Memory of derefs that have no translation.
const UNTRANSLATED_MODES: &[(Modes, &str)] =
    &[(Modes::TASK_PAYLOAD, "task payloads"), (Modes::SYSTEM, "system value variables")];

/// Memory of which some or all derefs have no translation. A deref of other memory has one unless the initializer of its variable
/// is refused.
pub(super) fn untranslated_modes(types: &TypeTable) -> Modes {
    let modes = UNTRANSLATED_MODES.iter().fold(Modes::GLOBAL, |modes, (mode, _)| modes | *mode);
    if types.has_booleans() {
        modes | PASSED
    } else {
        modes
    }
}

/// Reports constructs that cannot be translated for `target`.
pub(super) fn check(shader: &Shader, target: &Target, memory: &mut ValueTypes) -> Result<(), Errors> {
    let report = Report::unsupported(shader);
    let mut support = Support { report, refused: Vec::new(), has_doubles: false, has_distances: false };
    support.check_primitives();
    support.check_variables();
    support.check_unreachable();
    support.check_values();
    shader.order.iter().for_each(|inst| support.check_inst(*inst));
    support.check_distances(target.max_clip_and_cull_distances);
    support.check_wide_slots();
    let mut needs = FeatureCheck::new(support.report, target, features::width_needs(shader), memory);
    needs.check();
    needs.finish()
}

/// Outputs that a fragment shader cannot read: the sample mask, and the second colour of dual-source blending.
const FRAMEBUFFER_READS: &str = "reads of the framebuffer other than of colours, depth and stencil";

struct Support<'a> {
    report: Report<'a>,
    /// The constructs and opcodes that were reported already.
    refused: Vec<&'static str>,
    /// Whether an input or output of 64 bits was found.
    has_doubles: bool,
    /// Whether clip or cull distances were found.
    has_distances: bool,
}

impl Support<'_> {
    /// Reports a kind of construct, once.
    #[cold]
    fn refuse(&mut self, inst: Inst, what: &'static str) {
        if !self.refused.contains(&what) {
            self.refused.push(what);
            self.report.at(inst, format_args!("{what} are not translated yet"));
        }
    }

    /// Reports an opcode, once.
    #[cold]
    fn refuse_op(&mut self, inst: Inst, op: Intrinsic) {
        if !self.refused.contains(&op.name()) {
            self.refused.push(op.name());
            self.report.at(inst, format_args!("is not translated: {}", op.meaning().why));
        }
    }

    fn check_primitives(&mut self) {
        let info = &self.report.shader.info;
        if info.stage == Stage::Geometry && refused_primitives(info) {
            let message = format!("geometry shaders from {} to {}", info.input_primitive, info.output_primitive);
            self.report.whole(format_args!("{message} are not translated"));
        }
        if info.stage == Stage::Mesh && slots::primitive_indices(&info.primitive_type).is_none() {
            self.report.whole(format_args!("mesh shaders with {} are not translated", info.primitive_type));
        }
        // NIR's fields have 16 bits, and arrays have these lengths.
        if info.stage == Stage::Mesh && info.max_vertices_out.max(info.max_primitives_out) > u16::MAX.into() {
            self.report.whole("a mesh has at most 65535 vertices and primitives");
        }
    }

    /// Reports more clip and cull distances than the target has.
    fn check_distances(&mut self, most: u32) {
        if !self.has_distances {
            return;
        }
        for (is_output, direction) in [(false, "inputs"), (true, "outputs")] {
            let [clip, cull] = distances::lengths(self.report.shader, is_output);
            if clip.saturating_add(cull) > most {
                let limit = format!("maxCombinedClipAndCullDistances of the target is {most}");
                self.report
                    .whole(format_args!("{clip} clip distances and {cull} cull distances are {direction}: {limit}"));
            }
        }
    }

    fn check_variables(&mut self) {
        let shader = self.report.shader;
        for variable in shader.vars.values() {
            if let Some(slot) = variable.location.filter(|_| PASSED.contains(variable.mode)) {
                self.has_distances |= distances::has_slot(shader, variable.mode == Modes::SHADER_OUT, slot);
            }
            if variable.interp == InterpMode::explicit {
                self.report.variable(variable, "explicit interpolation is not translated yet");
            }
            let is_read = variable.flags.contains(VarFlags::FB_FETCH_OUTPUT) && variable.mode == Modes::SHADER_OUT;
            if is_read && !is_readable_output(shader, variable) {
                self.report.variable(variable, format_args!("{FRAMEBUFFER_READS} are not translated"));
            }
            if is_written_and_read(shader, variable) {
                self.report.variable(variable, "depth and stencil are not read and written through one variable");
            }
            if variable.flags.contains(VarFlags::PER_VIEW) {
                self.report.variable(variable, "outputs for each view are not translated yet");
            }
        }
    }

    fn check_unreachable(&mut self) {
        jumps_before_ifs_and_loops(self.report.shader).for_each(|jump| self.refuse(jump, "ifs and loops after a jump"));
    }

    fn check_inst(&mut self, inst: Inst) {
        let shader = self.report.shader;
        match shader.insts[inst].kind {
            InstKind::Alu { op, srcs, .. } => self.check_alu(inst, op, &shader.alu_srcs[srcs]),
            InstKind::Deref(deref) => self.check_deref(inst, &shader.derefs[deref]),
            InstKind::Intrinsic { op, srcs, .. } => self.check_intrinsic(inst, op, &shader.srcs[srcs]),
            InstKind::Tex(tex) => {
                let what = textures::refused_tex(shader, inst, &shader.texs[tex]);
                what.into_iter().for_each(|what| self.refuse(inst, what));
            }
            InstKind::Const(_) | InstKind::Undef | InstKind::Phi(_) | InstKind::Jump(_) => {}
        }
    }

    /// Reports uses as a value of definitions that are not values in SPIR-V.
    fn check_values(&mut self) {
        let shader = self.report.shader;
        if shader.facts().intersects(Facts::derefs(Modes::all())) {
            shader.order.iter().for_each(|inst| self.check_deref_uses(*inst));
        }
        if shader.stage() == Stage::Fragment {
            shader.order.iter().for_each(|inst| self.check_barycentrics(*inst));
        }
    }

    /// Reports other uses of derefs than as parents and in accesses to memory: logical SPIR-V allows no other uses of pointers.
    fn check_deref_uses(&mut self, inst: Inst) {
        let shader = self.report.shader;
        let is_deref = |def: Def| shader.as_deref(def).is_some();
        let misused = match shader.insts[inst].kind {
            InstKind::Deref(deref) => match shader.derefs[deref].kind {
                DerefKind::Array { index: ArrayIndex::Def(index), .. } => is_deref(index),
                _ => false,
            },
            InstKind::Intrinsic { op, srcs, .. } => {
                shader.srcs[srcs].iter().skip(op.info().pointers.into()).any(|src| is_deref(*src))
            }
            InstKind::Tex(tex) => textures::takes_deref_as_value(shader, &shader.texs[tex]),
            _ => {
                let mut found = false;
                shader.for_each_src(inst, |def| found |= is_deref(def));
                found
            }
        };
        if misused {
            self.refuse(inst, "pointers as values");
        }
    }

    /// Reports barycentric coordinates as values: they only determine how an input is interpolated, and SPIR-V has no values for
    /// them.
    fn check_barycentrics(&mut self, inst: Inst) {
        if misuses_barycentric(self.report.shader, inst) {
            self.refuse(inst, "barycentric coordinates as values");
        }
    }

    fn check_alu(&mut self, inst: Inst, op: AluOp, srcs: &[AluSrc]) {
        if misreads_booleans(self.report.shader, op, srcs) {
            self.refuse(inst, "numbers of one bit");
        }
    }

    fn check_deref(&mut self, inst: Inst, deref: &Deref) {
        if deref.modes.contains(Modes::GLOBAL) {
            return self.check_global_deref(inst, deref);
        }
        match deref.kind {
            DerefKind::Cast { .. } | DerefKind::PtrAsArray { .. } => self.refuse(inst, "casts of pointers"),
            DerefKind::ArrayWildcard { .. } => self.refuse(inst, "copies of arrays"),
            // A variable without derefs may have any initializer.
            DerefKind::Var(var) => {
                let what = refused_initializer(&self.report.shader.vars[var]);
                what.into_iter().for_each(|what| self.refuse(inst, what));
            }
            DerefKind::Array { .. } | DerefKind::Struct { .. } => {}
        }
        if self.report.shader.types.has_booleans() {
            self.check_booleans(inst, deref);
        }
        if textures::is_loose_uniform(&self.report.shader.types, deref.modes, deref.ty) {
            self.refuse(inst, "uniforms outside of blocks");
        }
        for (modes, what) in UNTRANSLATED_MODES {
            if deref.modes.intersects(*modes) {
                self.refuse(inst, what);
            }
        }
    }

    /// Reports derefs of global memory without a layout: they become addresses, for which each deref must have a layout.
    fn check_global_deref(&mut self, inst: Inst, deref: &Deref) {
        let shader = self.report.shader;
        let parent = |def: Def| shader.as_deref(def).map(|deref| shader.types.get(deref.ty));
        let known = match deref.kind {
            _ if deref.modes != Modes::GLOBAL => false,
            DerefKind::Cast { parent, .. } => shader.as_deref(parent).is_none() && shader.bit_size(parent) == 64,
            DerefKind::Array { parent: of, .. } => match parent(of) {
                Some(TypeData::Vector(..)) => true,
                Some(TypeData::Array { elem, stride, .. }) => stride != 0 || shader.types.as_vector(elem).is_some(),
                _ => false,
            },
            DerefKind::PtrAsArray { parent: of, .. } => {
                let stride = shader.as_deref(of).map(|deref| deref.kind);
                !matches!(stride, Some(DerefKind::Cast { stride: 0, .. }))
            }
            DerefKind::Struct { parent: of, field } => {
                let data = shader.as_deref(of).and_then(|deref| shader.types.as_struct(deref.ty));
                data.and_then(|data| data.fields.get(field as usize)).is_some_and(|field| field.offset.is_some())
            }
            DerefKind::Var(_) | DerefKind::ArrayWildcard { .. } => false,
        };
        if !known {
            self.refuse(inst, "pointers to global memory without a layout");
        }
    }

    fn check_intrinsic(&mut self, inst: Inst, op: Intrinsic, srcs: &[Def]) {
        let shader = self.report.shader;
        let (pointers, traits) = (op.info().pointers, op.info().traits);
        if !op.info().is_translated() {
            return self.refuse_op(inst, op);
        }
        if let Some(image) = op.meaning().image {
            let what = textures::refused_image(shader, inst, image, srcs);
            what.into_iter().for_each(|what| self.refuse(inst, what));
        }
        if op.info().has_index(Index::io_semantics) {
            self.check_io(inst, op);
        }
        let is_wide = |value: &Def| shader.num_components(*value) > 4;
        let takes_wide = !traits.contains(Traits::WIDE_SOURCES) && srcs.iter().skip(pointers.into()).any(is_wide);
        if takes_wide || is_wide(&inst.def()) && !traits.contains(Traits::WIDE_RESULT) {
            self.refuse(inst, "vectors of more than four components other than in buffers");
        }
    }

    fn check_io(&mut self, inst: Inst, op: Intrinsic) {
        let shader = self.report.shader;
        let semantics = IoSemantics::unpack(shader.index(inst, Index::io_semantics));
        let flags = semantics.flags;
        let is_output = op.meaning().io.is_some_and(|io| io.is_output);
        self.has_distances |= distances::has_slot(shader, is_output, semantics.location);
        let is_read = is_output && shader.insts[inst].has_def() && shader.stage() == Stage::Fragment;
        if is_read && FramebufferRead::new(shader, inst).is_none() {
            self.refuse(inst, FRAMEBUFFER_READS);
        }
        if flags.contains(IoFlags::HIGH_16BITS) {
            self.refuse(inst, "packed inputs and outputs of 16 bits");
        }
        if flags.contains(IoFlags::PERVIEW) {
            self.refuse(inst, "outputs for each view");
        }
        self.has_doubles |= io::value(shader, inst).is_some_and(|value| shader.bit_size(value) == 64);
    }

    /// Reports accesses that overlap by half: four doubles take two slots, and an array of them is accessed at every other slot.
    fn check_wide_slots(&mut self) {
        let split = if self.has_doubles { io::split_access(self.report.shader) } else { None };
        if let Some(inst) = split {
            self.refuse(inst, "inputs and outputs of 64 bits that overlap by half");
        }
    }

    fn check_booleans(&mut self, inst: Inst, deref: &Deref) {
        let shader = self.report.shader;
        let is_builtin = shader.deref_var(inst.def()).is_some_and(|var| {
            let variable = &shader.vars[var];
            let builtin = variable.location.map(|slot| (shader.stage(), variable.mode, slot));
            builtin.is_some_and(|builtin| BOOLEAN_BUILTINS.contains(&builtin))
        });
        let row = WITHOUT_BOOLEANS.iter().find(|(modes, _)| deref.modes.intersects(*modes));
        if let Some((_, what)) = row.filter(|_| !is_builtin && has_booleans(&shader.types, deref.ty)) {
            self.refuse(inst, what);
        }
    }
}

/// Whether a source of `inst` is a barycentric, and `inst` does not interpolate an input.
pub(super) fn misuses_barycentric(shader: &Shader, inst: Inst) -> bool {
    if matches!(shader.as_intrinsic(inst), Some((load_interpolated_input, _))) {
        return false;
    }
    let mut found = false;
    shader.for_each_src(inst, |def| {
        found |= shader.as_intrinsic(def.inst()).is_some_and(|(op, _)| op.is_barycentric());
    });
    found
}

/// Whether a store is through a deref of `variable`, through which a shader reads depth or stencil.
fn is_written_and_read(shader: &Shader, variable: &Variable) -> bool {
    let is_it = |pointer: &Def| shader.deref_var(*pointer).is_some_and(|var| std::ptr::eq(&shader.vars[var], variable));
    let is_store = |inst: &Inst| match shader.as_intrinsic(*inst) {
        Some((op, [pointer, ..])) => op != load_deref && is_it(pointer),
        _ => false,
    };
    let is_colour = variable.location.map_or(true, |slot| slot == frag_result::COLOR || slot >= frag_result::DATA0);
    variable.flags.contains(VarFlags::FB_FETCH_OUTPUT) && !is_colour && shader.order.iter().any(is_store)
}

/// Whether the input or output primitives of a geometry shader exist in Mesa, but not in Vulkan.
pub(super) fn refused_primitives(info: &ShaderInfo) -> bool {
    let of_quads = ["QUADS", "QUAD_STRIP", "POLYGON"];
    let made = ["TRIANGLES", "TRIANGLE_FAN", "LINES", "LINE_LOOP"];
    of_quads.iter().chain(&made).any(|name| info.output_primitive == *name)
        || of_quads.iter().any(|name| info.input_primitive == *name)
}

/// The jumps directly before an if or a loop. In SPIR-V these begin at the end of a block, so it must not end with a jump.
pub(super) fn jumps_before_ifs_and_loops(shader: &Shader) -> impl Iterator<Item = Inst> + '_ {
    shader.cf.windows(2).filter_map(|pair| match *pair {
        [Cf::Block(block), Cf::If { .. } | Cf::Loop] => {
            shader.block_jump(block).and(shader.block_insts(block).last()).copied()
        }
        _ => None,
    })
}

/// The reason why a variable's initializer has no translation. The driver sets the initial values of uniforms.
pub(super) fn refused_initializer(variable: &Variable) -> Option<&'static str> {
    const OWN: Modes = Modes::SHADER_TEMP.union(Modes::FUNCTION_TEMP).union(Modes::CONSTANT);
    let has_value = variable.values.is_some() || variable.initializer.is_some();
    let is_known = variable.values.is_some() && OWN.contains(variable.mode);
    match variable.mode {
        Modes::UNIFORM => None,
        Modes::CONSTANT if !has_value => Some("constants without a value"),
        _ => (has_value && !is_known).then_some("initializers of such variables"),
    }
}

/// Whether an operation on numbers has a boolean as a source: in SPIR-V booleans are not numbers.
pub(super) fn misreads_booleans(shader: &Shader, op: AluOp, srcs: &[AluSrc]) -> bool {
    let info = op.info();
    let is_misread = |(i, src): (usize, &AluSrc)| shader.bit_size(src.def) == 1 && info.srcs[i].ty.base != Base::Bool;
    !takes_booleans(op, info) && srcs.iter().enumerate().any(is_misread)
}

/// Whether `op` is defined for numbers of one bit.
const fn takes_booleans(op: AluOp, info: &AluInfo) -> bool {
    matches!(info.form, Form::OpOrLogical(..)) || ONE_BIT.contains(op) || info.props.contains(Props::TYPELESS)
}

/// Whether `ty` consists of booleans, or is a struct with such a member: SPIR-V's booleans have no representation in memory.
fn has_booleans(types: &TypeTable, ty: Type) -> bool {
    let is_bool = |ty| types.as_vector(types.without_arrays(ty)).is_some_and(|(scalar, _)| scalar.base == Base::Bool);
    let members = types.as_struct(types.without_arrays(ty)).into_iter().flat_map(|data| &data.fields);
    is_bool(ty) || members.map(|member| member.ty).any(is_bool)
}

/// ALU opcodes whose sources may be numbers of one bit, but that are not defined for them.
pub(super) static MISREADING: AluSet = {
    let (mut set, mut at) = (AluSet::of(&[]), 0);
    while at < ALU_OPS.len() {
        let op = AluOp::ALL[at];
        if takes_integers(&ALU_OPS[at]) && !takes_booleans(op, &ALU_OPS[at]) {
            set = set.union(AluSet::of(&[op]));
        }
        at += 1;
    }
    set
};

/// Whether a source is an integer of any width. Floats of any width have 16 bits or more.
const fn takes_integers(info: &AluInfo) -> bool {
    let mut at = 0;
    while at < info.srcs.len() {
        let ty = info.srcs[at].ty;
        if matches!(ty.bits, 0 | 1) && matches!(ty.base, Base::Int | Base::Uint) {
            return true;
        }
        at += 1;
    }
    false
}
