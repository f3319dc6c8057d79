//! Variables, and types that end.
//!
//! Code that walks types recurs, and a type of a few bytes can describe a tree without end or of exponential size. So a
//! type must not contain itself, and neither its depth nor the number of its parts may be more than a shader has use for.

use super::io;
use super::report::Report;
use crate::entity::{Id, SideTable};
use crate::ir::{Field, Shader, StructData, Type, TypeData, TypeTable, VarFlags};

/// Arrays and structs within each other.
const MAX_DEPTH: u32 = 64;
/// Arrays and struct members, each counted as often as it occurs; the elements of an array count once.
const MAX_PARTS: u32 = 1 << 16;

/// Reports variables that break a rule, and types that are too large.
pub(super) fn check(report: &mut Report<'_>, memory: &mut Memory) {
    let shader = report.shader;
    if !check_types(report, memory) {
        debug_assert!(!has_small_types(&shader.types), "no small types are too large");
        return;
    }
    io::check_captures(report);
    for variable in shader.vars.values() {
        if !variable.mode.bits().is_power_of_two() {
            report.variable(variable, "does not live in one mode");
        }
        if variable.flags.contains(VarFlags::COMPACT) && !is_scalar_array(shader, variable.ty) {
            report.variable(variable, "is compact, but no array of scalars");
        }
        io::check_var(report, variable);
    }
}

/// An array of scalars, or an array of them with one such per vertex.
fn is_scalar_array(shader: &Shader, ty: Type) -> bool {
    let inner = shader.types.without_arrays(ty);
    inner != ty && matches!(shader.types.get(inner), TypeData::Scalar(_))
}

/// Memory of the walk over types.
#[derive(Debug, Default)]
pub(super) struct Memory {
    states: SideTable<Type, State>,
    way: Vec<Walk>,
}

/// Depth and parts of a type.
#[derive(Clone, Copy, Debug)]
struct Extent {
    depth: u32,
    parts: u32,
}

/// The extent of what has no parts.
const LEAF: Extent = Extent { depth: 1, parts: 1 };

impl Extent {
    /// With a part of this extent.
    fn with(self, part: Extent) -> Extent {
        Extent { depth: self.depth.max(part.depth + 1), parts: self.parts.saturating_add(part.parts) }
    }

    fn is_too_large(self) -> bool {
        self.depth > MAX_DEPTH || self.parts > MAX_PARTS
    }
}

/// What is known of a type.
#[derive(Clone, Copy, Debug, Default)]
enum State {
    #[default]
    New,
    /// On the way down to the type that is looked at.
    Open,
    Known(Extent),
}

/// A type whose first `next` parts have been added up.
#[derive(Debug)]
struct Walk {
    ty: Type,
    next: usize,
    extent: Extent,
}

impl Walk {
    fn new(ty: Type) -> Walk {
        Walk { ty, next: 0, extent: LEAF }
    }

    /// Adds up parts as long as they are known; the first that is not.
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

    /// `part` itself unless it is known.
    fn add(&mut self, part: Type, states: &SideTable<Type, State>) -> Option<Type> {
        let State::Known(extent) = states[part] else { return Some(part) };
        self.next += 1;
        self.extent = self.extent.with(extent);
        None
    }
}

/// Whether no type can be too large: there are few, and no struct is in another.
pub(super) fn has_small_types(types: &TypeTable) -> bool {
    const MAX_FIELDS: usize = MAX_PARTS as usize / MAX_DEPTH as usize - 1;
    let has_parts = |field: &Field| types.as_struct(types.without_arrays(field.ty)).is_some();
    let is_small = |data: &StructData| data.fields.len() <= MAX_FIELDS && !data.fields.iter().any(has_parts);
    types.len() <= MAX_DEPTH as usize && types.structs.values().all(is_small)
}

/// Reports a type that is too large; false if there is one.
pub(super) fn check_types(report: &mut Report<'_>, Memory { states, way }: &mut Memory) -> bool {
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

/// Of a type that is not safe to print: its innermost name.
fn type_name(shader: &Shader, ty: Type) -> &str {
    shader.types.as_struct(ty).map_or("array", |data| &shader.strings[data.name])
}
