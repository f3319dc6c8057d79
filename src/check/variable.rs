// SPDX-License-Identifier: MIT

//! Variables, and the limits of types.
//!
//! Code that walks types is recursive, and a type of a few bytes can describe a tree of infinite or exponential size. So a type
//! must not contain itself, and its depth and the number of its parts have limits that real shaders do not reach.

use super::io;
use crate::entity::{Id, SideTable};
use crate::ir::{Field, Shader, StructData, Type, TypeData, TypeTable, VarFlags};
use crate::report::Report;

/// Arrays and structs within each other.
const MAX_DEPTH: u32 = 64;
/// Arrays and struct members, each counted as often as it occurs; the elements of an array count once.
const MAX_PARTS: u32 = 1 << 16;

/// Reports variables that break a rule, and types that are too large.
pub(super) fn check(report: &mut Report<'_>, walk: &mut TypeWalk) {
    let shader = report.shader;
    if !check_types(report, walk) {
        debug_assert!(!has_small_types(&shader.types), "no small types are too large");
        return;
    }
    io::check_captures(report);
    for variable in shader.vars.values() {
        if !variable.mode.bits().is_power_of_two() {
            report.variable(variable, "does not have exactly one mode");
        }
        if variable.flags.contains(VarFlags::COMPACT) && !is_scalar_array(shader, variable.ty) {
            report.variable(variable, "is compact, but not an array of scalars");
        }
        io::check_var(report, variable);
    }
}

/// Whether a type is an array of scalars, or an array with one such array per vertex.
fn is_scalar_array(shader: &Shader, ty: Type) -> bool {
    let inner = shader.types.without_arrays(ty);
    inner != ty && matches!(shader.types.get(inner), TypeData::Scalar(_))
}

/// The state of the walk over types, which is reused for the next shader.
#[derive(Debug, Default)]
pub(super) struct TypeWalk {
    states: SideTable<Type, State>,
    way: Vec<Walk>,
}

/// Depth and parts of a type.
#[derive(Clone, Copy, Debug)]
struct DepthAndParts {
    depth: u32,
    parts: u32,
}

/// The extent of a type without parts.
const LEAF: DepthAndParts = DepthAndParts { depth: 1, parts: 1 };

impl DepthAndParts {
    /// This extent with one more part.
    fn with(self, part: DepthAndParts) -> DepthAndParts {
        DepthAndParts { depth: self.depth.max(part.depth + 1), parts: self.parts.saturating_add(part.parts) }
    }

    fn is_too_large(self) -> bool {
        self.depth > MAX_DEPTH || self.parts > MAX_PARTS
    }
}

/// The state of a type in the walk.
#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    New,
    /// An ancestor of the current type.
    Open,
    Known(DepthAndParts),
}

/// A type whose first `next` parts have been added up.
#[derive(Debug)]
struct Walk {
    ty: Type,
    next: usize,
    extent: DepthAndParts,
}

impl Walk {
    fn new(ty: Type) -> Walk {
        Walk { ty, next: 0, extent: LEAF }
    }

    /// Adds up parts as long as their extents are known; returns the first that is not.
    fn add_known(&mut self, types: &TypeTable, states: &SideTable<Type, State>) -> Option<Type> {
        match types.get(self.ty) {
            TypeData::Array { elem, .. } if self.next == 0 => self.add(elem, states),
            TypeData::Struct(id) => {
                let fields = types.structs[id].fields.get(self.next..).unwrap_or_default();
                fields.iter().find_map(|field| self.add(field.ty, states))
            }
            _ => None,
        }
    }

    /// Adds `part` if its extent is known, else returns it.
    fn add(&mut self, part: Type, states: &SideTable<Type, State>) -> Option<Type> {
        let State::Known(extent) = states[part] else { return Some(part) };
        self.next += 1;
        self.extent = self.extent.with(extent);
        None
    }
}

/// Whether no type can be too large, because there are few types and no struct is in another.
pub(super) fn has_small_types(types: &TypeTable) -> bool {
    const MAX_FIELDS: usize = MAX_PARTS as usize / MAX_DEPTH as usize - 1;
    let has_parts = |field: &Field| types.as_struct(types.without_arrays(field.ty)).is_some();
    let is_small = |data: &StructData| data.fields.len() <= MAX_FIELDS && !data.fields.iter().any(has_parts);
    types.len() <= MAX_DEPTH as usize && types.structs.values().all(is_small)
}

/// Reports a type that is too large; returns false if there is one.
pub(super) fn check_types(report: &mut Report<'_>, TypeWalk { states, way }: &mut TypeWalk) -> bool {
    let shader = report.shader;
    states.reset(shader.types.len());
    way.clear();
    for root in (0..shader.types.len()).map(Type::from_index) {
        if matches!(states[root], State::Known(_)) {
            continue;
        }
        way.push(Walk::new(root));
        while let Some(walk) = way.last_mut() {
            match walk.add_known(&shader.types, states) {
                Some(part) if matches!(states[part], State::Open) => {
                    report.whole(format_args!("type {} contains itself", type_name(shader, part)));
                    return false;
                }
                Some(part) => {
                    states.set(walk.ty, State::Open);
                    way.push(Walk::new(part));
                }
                None if walk.extent.is_too_large() => {
                    report.whole(format_args!("type {} is too large", type_name(shader, walk.ty)));
                    return false;
                }
                None => {
                    states.set(walk.ty, State::Known(walk.extent));
                    way.pop();
                }
            }
        }
    }
    true
}

/// The name of a type that is not safe to print in full.
fn type_name(shader: &Shader, ty: Type) -> &str {
    shader.types.as_struct(ty).map_or("array", |data| &shader.strings[data.name])
}
