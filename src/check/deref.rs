// SPDX-License-Identifier: MIT

//! Derefs: each one against its parent, and loads and stores against the type of their deref.

use crate::ir::{Def, Deref, DerefKind, Inst, InstData, Shader, Type, TypeData};
use crate::op::{AluType, Base, Intrinsic, Modes};
use crate::report::{plural, Report};

/// Memory that a shader cannot write.
const READ_ONLY: Modes = Modes::SYSTEM
    .union(Modes::UNIFORM)
    .union(Modes::SHADER_IN)
    .union(Modes::IMAGE)
    .union(Modes::UBO)
    .union(Modes::PUSH_CONST)
    .union(Modes::CONSTANT);

/// Memory outside of the shader, which is accessed by bytes.
const BUFFERS: Modes = Modes::UBO.union(Modes::SSBO).union(Modes::PUSH_CONST).union(Modes::GLOBAL);

/// Reports a deref that does not fit its parent.
pub(super) fn check(report: &mut Report<'_>, inst: Inst, data: &InstData, deref: &Deref) {
    let shader = report.shader;
    // Vulkan drivers have pointers into buffers of several words: the descriptor and the offset, or a range.
    let is_usual = data.num_components == 1 || deref.modes.intersects(BUFFERS) && matches!(data.num_components, 2 | 4);
    if !is_usual || data.bit_size < 32 {
        report.at(inst, "a pointer is one component of 32 or 64 bits");
    }
    let parent = match deref.kind {
        DerefKind::Var(var) => {
            let variable = &shader.vars[var];
            if (variable.mode, variable.ty) != (deref.modes, deref.ty) {
                report.at(inst, format_args!("{} is declared otherwise", &shader.strings[variable.name]));
            }
            return;
        }
        DerefKind::Cast { align_mul, align_offset, .. } => {
            return check_cast(report, inst, deref, align_mul, align_offset)
        }
        DerefKind::Array { parent, .. }
        | DerefKind::ArrayWildcard { parent }
        | DerefKind::PtrAsArray { parent, .. }
        | DerefKind::Struct { parent, .. } => parent,
    };
    let Some(from) = shader.as_deref(parent) else {
        return report.at(inst, "its parent is not a deref");
    };
    if from.modes != deref.modes {
        report.at(inst, "its parent points into other memory");
    }
    if shader.bit_size(parent) != data.bit_size {
        report.at(inst, format_args!("its parent is a pointer of {} bits", shader.bit_size(parent)));
    }
    if let Some(index) = deref.kind.index() {
        if (shader.num_components(index), shader.bit_size(index)) != (1, data.bit_size) {
            report.at(inst, format_args!("its index is not one component of {} bits", data.bit_size));
        }
    }
    check_type(report, inst, deref, from);
}

fn check_cast(report: &mut Report<'_>, inst: Inst, deref: &Deref, align_mul: u32, align_offset: u32) {
    if deref.modes.is_empty() {
        report.at(inst, "points into no memory");
    }
    let aligned =
        if align_mul == 0 { align_offset == 0 } else { align_mul.is_power_of_two() && align_offset < align_mul };
    if !aligned {
        let what = format!("align_mul {align_mul} and align_offset {align_offset} are not an alignment");
        report.at(
            inst,
            format_args!("{what}: expected a power of two and a rest below it, or 0 and 0 if nothing is known"),
        );
    }
}

fn check_type(report: &mut Report<'_>, inst: Inst, deref: &Deref, from: &Deref) {
    let shader = report.shader;
    let fits = match deref.kind {
        DerefKind::Struct { field, .. } => match shader.types.as_struct(from.ty) {
            None => return report.at(inst, "its parent points to no struct"),
            Some(data) => match data.fields.get(field as usize) {
                None => return report.at(inst, format_args!("the struct has no field {field}")),
                Some(data) => data.ty == deref.ty,
            },
        },
        DerefKind::PtrAsArray { .. } => match from.kind {
            DerefKind::Array { .. } | DerefKind::PtrAsArray { .. } | DerefKind::Cast { .. } => from.ty == deref.ty,
            _ => return report.at(inst, "its parent is not an element of an array"),
        },
        _ => match is_element(shader, deref.ty, from.ty) {
            None => return report.at(inst, "its parent points to no array, matrix or vector"),
            Some(fits) => fits,
        },
    };
    if !fits {
        report.at(inst, "does not have the type of the element or field that it points to");
    }
}

/// Whether an index into `whole` gives an `element`; `None` if there is nothing to index.
fn is_element(shader: &Shader, element: Type, whole: Type) -> Option<bool> {
    match shader.types.get(whole) {
        TypeData::Array { elem, .. } => Some(elem == element),
        TypeData::Matrix { scalar, rows, .. } => Some(shader.types.get(element) == TypeData::Vector(scalar, rows)),
        TypeData::Vector(scalar, _) | TypeData::Strided { scalar, .. } => {
            Some(shader.types.get(element) == TypeData::Scalar(scalar))
        }
        _ => None,
    }
}

/// Reports an intrinsic that does not fit its derefs.
pub(super) fn check_access(report: &mut Report<'_>, inst: Inst, op: Intrinsic, srcs: &[Def]) {
    for (i, pointer) in srcs[..op.info().pointers.into()].iter().enumerate() {
        if report.shader.as_deref(*pointer).is_none() {
            return report.at(inst, format_args!("source {i} is not a deref"));
        }
    }
    match op {
        Intrinsic::load_deref => check_value(report, inst, srcs[0], inst.def()),
        Intrinsic::store_deref => {
            check_value(report, inst, srcs[0], srcs[1]);
            check_writable(report, inst, srcs[0]);
        }
        _ if op.is_deref_atomic() => {
            check_value(report, inst, srcs[0], inst.def());
            check_writable(report, inst, srcs[0]);
        }
        Intrinsic::copy_deref => {
            let pointees = [srcs[0], srcs[1]].map(|src| report.shader.as_deref(src).map(|deref| deref.ty));
            if pointees[0] != pointees[1] {
                report.at(inst, "its pointers point to different types");
            }
            check_writable(report, inst, srcs[0]);
        }
        _ if op.meaning().sampling.is_some() => {
            check_value(report, inst, srcs[0], inst.def());
            if report.shader.as_deref(srcs[0]).is_some_and(|deref| deref.modes != Modes::SHADER_IN) {
                report.at(inst, "interpolates a deref that is not of an input");
            }
        }
        _ if op.meaning().image.is_some() => {
            let ty = report.shader.as_deref(srcs[0]).map(|deref| report.shader.types.get(deref.ty));
            if !matches!(ty, Some(TypeData::Image { .. })) {
                report.at(inst, "its pointer points to no image");
            }
        }
        _ => {}
    }
}

/// Reports a `value` that is loaded from or stored to `pointer` and does not have its type.
fn check_value(report: &mut Report<'_>, inst: Inst, pointer: Def, value: Def) {
    let shader = report.shader;
    let Some(deref) = shader.as_deref(pointer) else { return };
    let Some((scalar, components)) = shader.types.as_vector(deref.ty) else {
        return report.at(inst, "its pointer points to no scalar or vector");
    };
    if shader.num_components(value) != components {
        let has = plural(shader.num_components(value).into(), "component");
        report.at(inst, format_args!("the value has {has}, but the pointer points to {components}"));
    }
    let bits = shader.bit_size(value);
    if !has_width(deref, scalar, bits) {
        let has = plural(bits.into(), "bit");
        report.at(inst, format_args!("the value has {has}, but the pointer points to {}", scalar.bits));
    }
}

/// Whether the value at `deref` is read and written in `bits` bits. In buffers NIR may store booleans as 0 and all ones. In
/// variables it does so only after nir_lower_bool_to_int32, when there are no booleans of 1 bit.
fn has_width(deref: &Deref, scalar: AluType, bits: u8) -> bool {
    bits == scalar.bits || scalar.base == Base::Bool && bits == 32 && deref.modes.intersects(BUFFERS)
}

fn check_writable(report: &mut Report<'_>, inst: Inst, pointer: Def) {
    if report.shader.as_deref(pointer).is_some_and(|deref| deref.modes.intersects(READ_ONLY)) {
        report.at(inst, "writes read-only memory");
    }
}
