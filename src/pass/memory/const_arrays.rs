// SPDX-License-Identifier: MIT

//! Turns variables that only ever hold constants into constants.
//!
//! **What.** A private variable that has an initializer and is never written, or is written with constants at constant indices
//! at the start of the shader and only read after that, loses its stores and becomes `constant` memory with that value. Reads
//! at constant indices become constants.
//!
//! **Why.** A lookup table in GLSL is a local array in NIR, filled by stores in every invocation. As a Private variable with a
//! constant initializer it is data: drivers put it into constant memory, whereas a copy per invocation would be spilled (the
//! index is dynamic).
//!
//! Elements that are read but not written are undefined, so they are 0.
//!
//! Before:
//!
//! ```text
//! 32     %4 = deref_array &(*%3)[0] (function_temp float)
//! @store_deref (%4, %0) (wrmask=x, access=none)
//! 32     %5 = deref_array &(*%3)[1] (function_temp float)
//! @store_deref (%5, %1) (wrmask=x, access=none)
//! 32     %6 = deref_array &(*%3)[%2] (function_temp float)
//! 32     %7 = @load_deref (%6) (access=none)
//! ```
//!
//! After:
//!
//! ```text
//! decl_var constant INTERP_MODE_NONE none float[2] table = { 1.0, 2.0 }
//! ...
//! 32     %6 = deref_array &(*%3)[%2] (constant float)  // &table[%2]
//! 32     %7 = @load_deref (%6) (access=none)
//! ```

use crate::analysis::kinds::list_intrinsics;
use crate::entity::{Pool, SideTable, Slice};
use crate::ir::{rewrite, Def, DerefKind, Edit, Inst, InstKind, Shader, Type, TypeData, Var};
use crate::op::{Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use crate::target::Workaround;

/// The pass.
pub const PASS: Pass = Pass {
    name: "const_arrays",
    about: "turns variables that only ever hold constants into constants",
    facts: Facts::PRIVATE_CONSTANTS,
    // The initializers of variables are constants of any type.
    met_by: |context| Facts::all_if(context.target.works_around(Workaround::broken_arbitary_type_const)),
    run,
    ..Pass::IDLE
};

/// Private variables.
const OWN: Modes = Modes::FUNCTION_TEMP.union(Modes::SHADER_TEMP);

/// The maximum number of scalars of a table.
const MAX_SCALARS: u32 = 1 << 14;

fn run(shader: &mut Shader, _: &Context) -> bool {
    shader.with_spare(|shader, tables: &mut Tables| {
        tables.find(shader);
        let is_any = tables.count != 0 && shader.vars.ids().any(|var| tables.of(var).is_some());
        if is_any {
            replace(shader, tables);
        }
        is_any
    })
}

/// Makes the tables constants.
fn replace(shader: &mut Shader, tables: &Tables) {
    for var in shader.vars.ids() {
        if let Some(values) = tables.of(var) {
            let values = shader.consts.push(values);
            shader.vars[var].mode = Modes::CONSTANT;
            shader.vars[var].values = Some(values);
        }
    }
    let (is_tidy, mut has_constants) = (shader.is_tidy(), false);
    rewrite(shader, |b, inst| {
        if let InstKind::Deref(_) = b.shader.insts[inst].kind {
            if b.shader.deref_var(inst.def()).is_some_and(|var| tables.of(var).is_some()) {
                b.shader.change_deref(inst, |deref, _| deref.modes = Modes::CONSTANT);
            }
            return Edit::Keep;
        }
        let Some((op, pointer, values)) = access(b.shader, inst, tables) else { return Edit::Keep };
        if op == Intrinsic::store_deref {
            return Edit::Remove;
        }
        let data = b.shader.insts[inst];
        let count = usize::from(data.num_components);
        match place(b.shader, pointer).and_then(|at| values.get(at..at + count)) {
            Some(values) => {
                has_constants = true;
                Edit::Replace(b.constant(data.bit_size, values))
            }
            None => Edit::Keep,
        }
    });
    // Operations on the constants may be folded.
    shader.set_tidy(is_tidy && !has_constants);
}

/// A load from or store to a table: its opcode, the deref, and the values of the table.
fn access<'t>(shader: &Shader, inst: Inst, tables: &'t Tables) -> Option<(Intrinsic, Def, &'t [u64])> {
    let (op @ (Intrinsic::load_deref | Intrinsic::store_deref), srcs) = shader.as_intrinsic(inst)? else { return None };
    let var = shader.deref_var(srcs[0])?;
    Some((op, srcs[0], tables.of(var)?))
}

/// The information about a variable during the walk.
#[derive(Clone, Copy)]
struct Table {
    values: Slice,
    /// Whether it has been read, so that a store after that makes it no constant.
    is_read: bool,
    /// Whether it has a value.
    is_written: bool,
}

/// The variables that may be tables.
#[derive(Default)]
struct Tables {
    of: SideTable<Var, Option<Table>>,
    values: Pool<u64>,
    /// The number of variables that still may be tables.
    count: usize,
    /// The positions of intrinsics in the order; kept to avoid allocations.
    intrinsics: Vec<u32>,
}

impl Tables {
    /// The values of `var` if it is a table.
    fn of(&self, var: Var) -> Option<&[u64]> {
        let table = self.of[var].filter(|table| table.is_written && table.is_read)?;
        Some(&self.values[table.values])
    }

    fn find(&mut self, shader: &Shader) {
        self.of.clear();
        self.values.clear();
        self.count = 0;
        for (var, variable) in shader.vars.iter().filter(|(_, variable)| variable.mode.intersects(OWN)) {
            let count = shader.types.num_scalars(variable.ty).filter(|count| *count <= MAX_SCALARS);
            let values = match (variable.values, count) {
                (Some(values), _) => self.values.push(&shader.consts[values]),
                (None, Some(count)) if variable.initializer.is_none() => self.values.extend((0..count).map(|_| 0)),
                _ => continue,
            };
            self.of.set(var, Some(Table { values, is_read: false, is_written: variable.values.is_some() }));
            self.count += 1;
        }
        if shader.inventory().may_have(Facts::UNUSUAL_STEPS) {
            self.exclude_unusual(shader);
        }
        let mut intrinsics = std::mem::take(&mut self.intrinsics);
        if self.count != 0 {
            list_intrinsics(shader, &mut intrinsics);
            let first_block = shader.block_order().next().map_or(0, |block| shader.blocks[block].end);
            for at in &intrinsics {
                if self.count == 0 {
                    break;
                }
                self.note(shader, shader.order[*at as usize], *at < first_block);
            }
        }
        self.intrinsics = intrinsics;
    }

    /// Excludes variables that are accessed other than by name, member and index.
    fn exclude_unusual(&mut self, shader: &Shader) {
        for deref in shader.derefs.values() {
            if !matches!(deref.kind, DerefKind::Var(_) | DerefKind::Array { .. } | DerefKind::Struct { .. }) {
                if let Some(var) = deref.kind.parent().and_then(|parent| own_var(shader, parent)) {
                    self.drop(var);
                }
            }
        }
    }

    /// Notes the accesses of an intrinsic to its variables, and excludes variables with accesses other than loads and stores.
    /// Only intrinsics and derefs read derefs: `check` does not allow them as other values.
    fn note(&mut self, shader: &Shader, inst: Inst, at_start: bool) {
        let InstKind::Intrinsic { op, srcs, .. } = shader.insts[inst].kind else { return };
        let srcs = &shader.srcs[srcs];
        for var in srcs.iter().filter_map(|def| own_var(shader, *def)) {
            let Some(known) = self.of.entry(var) else { continue };
            let kept = match (op, srcs) {
                (Intrinsic::load_deref, _) => {
                    known.is_read = true;
                    true
                }
                (Intrinsic::store_deref, &[pointer, value]) if at_start && !known.is_read => {
                    known.is_written = true;
                    fill(shader, inst, pointer, value, &mut self.values[known.values]).is_some()
                }
                _ => false,
            };
            if !kept {
                self.drop(var);
            }
        }
    }

    /// Excludes a variable.
    fn drop(&mut self, var: Var) {
        self.count -= usize::from(self.of.entry(var).take().is_some());
    }
}

/// The private variable of a deref.
fn own_var(shader: &Shader, def: Def) -> Option<Var> {
    shader.as_deref(def).filter(|deref| deref.modes.intersects(OWN)).and_then(|_| shader.deref_var(def))
}

/// Writes the constant of a store into `values`; `None` if it cannot be determined.
fn fill(shader: &Shader, inst: Inst, pointer: Def, value: Def, values: &mut [u64]) -> Option<()> {
    let at = place(shader, pointer)?;
    let mask = shader.index(inst, Index::write_mask);
    for (c, value) in shader.as_const(value)?.iter().enumerate().filter(|(c, _)| mask >> c & 1 != 0) {
        *values.get_mut(at + c)? = *value;
    }
    Some(())
}

/// The index of the scalar in its variable that `pointer` begins at; `None` if an index is not constant, or out of bounds.
fn place(shader: &Shader, mut pointer: Def) -> Option<usize> {
    let types = &shader.types;
    let mut at = 0u32;
    loop {
        let deref = shader.as_deref(pointer)?;
        let parent = match deref.kind {
            DerefKind::Var(_) => return Some(at as usize),
            kind => kind.parent()?,
        };
        let whole = shader.as_deref(parent)?.ty;
        let before = match deref.kind {
            DerefKind::Array { index, .. } => {
                let index = shader.as_const_index(index)?;
                if index >= len(shader, whole)? {
                    return None;
                }
                index.checked_mul(types.num_scalars(deref.ty)?)?
            }
            DerefKind::Struct { field, .. } => {
                let fields = types.as_struct(whole)?.fields.get(..field as usize)?;
                fields.iter().try_fold(0u32, |sum, field| sum.checked_add(types.num_scalars(field.ty)?))?
            }
            _ => return None,
        };
        at = at.checked_add(before)?;
        pointer = parent;
    }
}

/// The number of valid indices into `ty`.
fn len(shader: &Shader, ty: Type) -> Option<u32> {
    match shader.types.get(ty) {
        TypeData::Array { len, .. } => len,
        TypeData::Matrix { columns, .. } => Some(columns.into()),
        TypeData::Vector(_, n) => Some(n.into()),
        _ => None,
    }
}
