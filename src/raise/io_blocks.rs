// SPDX-License-Identifier: MIT

//! A block of built-ins (`gl_PerVertex`) becomes a variable for each of its members.
//!
//! Its text has the slot of the first member only, so the others are found by GLSL's names.

use crate::error::Errors;
use crate::ir::{
    rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Field, Inst, InstKind, Shader, Type, TypeData, Var,
};
use crate::ir::{VarFlags, Variable};
use crate::op::names::varying;
use crate::op::{Facts, Modes};
use crate::report::Report;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

const IO: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

/// The built-ins that such a block has, with their slots.
const MEMBERS: &[(&str, u32)] = &[
    ("gl_Position", varying::POS),
    ("gl_PointSize", varying::PSIZ),
    ("gl_ClipDistance", varying::CLIP_DIST0),
    ("gl_CullDistance", varying::CULL_DIST0),
];

/// The slot of the member `name`.
fn slot(name: &str) -> Option<u32> {
    MEMBERS.iter().find(|(member, _)| *member == name).map(|(_, slot)| *slot)
}

/// The variables that are blocks of built-ins, or arrays of them.
fn blocks(shader: &Shader) -> Vec<Var> {
    let is_block = |variable: &Variable| {
        let is_built_in = |field: &Field| slot(&shader.strings[field.name]).is_some();
        IO.contains(variable.mode) && fields(shader, variable.ty).iter().any(is_built_in)
    };
    shader.vars.iter().filter(|(_, variable)| is_block(variable)).map(|(var, _)| var).collect()
}

/// The members of the struct in the arrays of `ty`.
fn fields(shader: &Shader, ty: Type) -> &[Field] {
    shader.types.as_struct(shader.types.without_arrays(ty)).map_or(&[], |data| &data.fields)
}

pub(super) fn is_needed(shader: &Shader) -> bool {
    !shader.types.structs.is_empty() && shader.inventory().may_have(Facts::derefs(IO)) && !blocks(shader).is_empty()
}

pub(super) fn raise(shader: &mut Shader) -> Result<(), Errors> {
    let blocks = blocks(shader);
    if blocks.is_empty() {
        return Ok(());
    }
    let mut report = Report::unsupported(shader);
    for inst in &shader.order {
        let Some((_, srcs)) = shader.as_intrinsic(*inst) else { continue };
        let whole = srcs.iter().find(|src| points_to_block(shader, **src, &blocks));
        if whole.is_some() {
            report.at(*inst, "an access to a whole block of built-ins");
        }
    }
    for block in &blocks {
        let block = &shader.vars[*block];
        if fields(shader, block.ty).iter().any(|field| slot(&shader.strings[field.name]).is_none()) {
            report.variable(block, "is a block with built-ins and other members");
        }
    }
    report.finish()?;
    let is_of_block = |inst: &&Inst| points_to_block(shader, inst.def(), &blocks);
    let gone: FxHashSet<Inst> = shader.order.iter().filter(is_of_block).copied().collect();
    let members = declare(shader, &blocks);
    rewrite(shader, |b, inst| match b.shader.insts[inst].kind {
        _ if gone.contains(&inst) => Edit::Remove,
        InstKind::Deref(deref) => match b.shader.derefs[deref].kind {
            DerefKind::Struct { parent, field } if gone.contains(&parent.inst()) => {
                pointer(b, parent, field, &members).map_or(Edit::Keep, Edit::Replace)
            }
            _ => Edit::Keep,
        },
        _ => Edit::Keep,
    });
    Ok(())
}

/// Whether `pointer` is of one of `blocks`, or of an element of an array of one: not of a member.
fn points_to_block(shader: &Shader, pointer: Def, blocks: &[Var]) -> bool {
    match shader.as_deref(pointer).filter(|deref| IO.contains(deref.modes)).map(|deref| deref.kind) {
        Some(DerefKind::Var(var)) => blocks.contains(&var),
        Some(DerefKind::Array { parent, .. }) => points_to_block(shader, parent, blocks),
        _ => false,
    }
}

/// Declares the members of `blocks`, all of which have a slot, by block and number. The first is in the place of the block.
fn declare(shader: &mut Shader, blocks: &[Var]) -> BTreeMap<(Var, u32), Var> {
    let mut members = BTreeMap::new();
    for block in blocks {
        let old = shader.vars[*block].clone();
        for (number, field) in fields(shader, old.ty).to_vec().iter().enumerate() {
            let is_array = matches!(shader.types.get(field.ty), TypeData::Array { .. });
            let ty = with_arrays_of(shader, old.ty, field.ty);
            let flags = old.flags | if is_array { VarFlags::COMPACT } else { VarFlags::empty() };
            let location = slot(&shader.strings[field.name]);
            let variable = Variable { name: field.name, ty, location, flags, ..old.clone() };
            let var = match number {
                0 => {
                    shader.vars[*block] = variable;
                    *block
                }
                _ => shader.vars.push(variable),
            };
            members.insert((*block, number as u32), var);
        }
    }
    members
}

/// `member` in the arrays of `block`.
fn with_arrays_of(shader: &mut Shader, block: Type, member: Type) -> Type {
    match shader.types.as_array(block) {
        Some((element, len)) => {
            let inner = with_arrays_of(shader, element, member);
            shader.types.array(inner, len, 0)
        }
        None => member,
    }
}

/// A deref of member `field` of the block, or of the element of an array of blocks, at `parent`.
fn pointer(b: &mut Builder<'_>, parent: Def, field: u32, members: &BTreeMap<(Var, u32), Var>) -> Option<Def> {
    let mut steps: Vec<ArrayIndex> = Vec::new();
    let mut at = parent;
    loop {
        match b.shader.as_deref(at)?.kind {
            DerefKind::Var(block) => {
                let pointer = b.deref_var(*members.get(&(block, field))?);
                return Some(steps.iter().rev().fold(pointer, |pointer, step| b.deref_array(pointer, *step)));
            }
            DerefKind::Array { parent, index } => {
                steps.push(index);
                at = parent;
            }
            _ => return None,
        }
    }
}
