//! Variables that only ever hold constants become constants.
//!
//! **What.** A variable of the shader's own that has its first value and is never written, or is written with constants at
//! known places at the start of the shader and only read from then on, loses its stores and becomes `constant` memory with
//! that value. What is read from a known place of it is a constant.
//!
//! **Why.** A lookup table in GLSL arrives as a local array, filled store by store in every invocation. As a Private variable
//! with a constant initializer it is data: drivers put it into memory that is constant, as a copy per invocation it
//! would be spilled (the index is dynamic).
//!
//! What the shader reads without having written is undefined, so it is 0.
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
use crate::ir::{rewrite, ArrayIndex, Def, DerefKind, Edit, Inst, InstKind, Shader, Type, TypeData, Var};
use crate::op::{Index, Intrinsic, Modes, Needs};
use crate::pass::{Context, Forms, Pass};

/// The pass.
pub const PASS: Pass = Pass {
    name: "const_arrays",
    about: "variables that only ever hold constants become constants",
    needs: Needs::OWN_MEMORY,
    removes: Forms::empty(),
    run,
};

/// Variables of the shader's own.
const OWN: Modes = Modes::FUNCTION_TEMP.union(Modes::SHADER_TEMP);

/// The most scalars that a table has.
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
            Some(values) => Edit::Replace(b.constant(data.bit_size, values)),
            None => Edit::Keep,
        }
    });
}

/// A load from or store to a table: the pointer, and the values of the table.
fn access<'t>(shader: &Shader, inst: Inst, tables: &'t Tables) -> Option<(Intrinsic, Def, &'t [u64])> {
    let (op @ (Intrinsic::load_deref | Intrinsic::store_deref), srcs) = shader.as_intrinsic(inst)? else { return None };
    let var = shader.deref_var(srcs[0])?;
    Some((op, srcs[0], tables.of(var)?))
}

/// What is known of a variable while the shader is walked.
#[derive(Clone, Copy)]
struct Table {
    values: Slice,
    /// It has been read, so that a store now comes too late.
    is_read: bool,
    /// It has a value at all.
    is_written: bool,
}

/// The variables that may be tables.
#[derive(Default)]
struct Tables {
    of: SideTable<Var, Option<Table>>,
    values: Pool<u64>,
    /// How many there still are.
    count: usize,
    /// Memory: where in the order the intrinsics are.
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
        if shader.inventory().has_unusual_steps() {
            self.drop_unusual(shader);
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

    /// Lets variables be no tables that are pointed to in other ways than by name, member and index.
    fn drop_unusual(&mut self, shader: &Shader) {
        for deref in shader.derefs.values() {
            if !matches!(deref.kind, DerefKind::Var(_) | DerefKind::Array { .. } | DerefKind::Struct { .. }) {
                if let Some(var) = deref.kind.parent().and_then(|parent| own_var(shader, parent)) {
                    self.drop(var);
                }
            }
        }
    }

    /// Notes what an intrinsic does with the variables that it names; one that it does anything else with is no table. No others
    /// than intrinsics and steps of pointers read pointers: `check` does not let them be values.
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

    /// Lets a variable be no table.
    fn drop(&mut self, var: Var) {
        self.count -= usize::from(self.of.entry(var).take().is_some());
    }
}

/// The variable of the shader's own that a pointer leads to.
fn own_var(shader: &Shader, def: Def) -> Option<Var> {
    shader.as_deref(def).filter(|deref| deref.modes.intersects(OWN)).and_then(|_| shader.deref_var(def))
}

/// Puts what a store of a constant writes into `values`; `None` if it cannot be told.
fn fill(shader: &Shader, inst: Inst, pointer: Def, value: Def, values: &mut [u64]) -> Option<()> {
    let at = place(shader, pointer)?;
    let mask = shader.index(inst, Index::write_mask);
    for (c, value) in shader.as_const(value)?.iter().enumerate().filter(|(c, _)| mask >> c & 1 != 0) {
        *values.get_mut(at + c)? = *value;
    }
    Some(())
}

/// The first scalar of its variable that `pointer` points to; `None` if an index is not constant, or outside.
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
                let index = match index {
                    ArrayIndex::Imm(index) => u32::try_from(index).ok()?,
                    ArrayIndex::Def(index) => u32::try_from(shader.as_const_scalar(index)?).ok()?,
                };
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

/// How many elements an index into `ty` can name.
fn len(shader: &Shader, ty: Type) -> Option<u32> {
    match shader.types.get(ty) {
        TypeData::Array { len, .. } => len,
        TypeData::Matrix { columns, .. } => Some(columns.into()),
        TypeData::Vector(_, n) => Some(n.into()),
        _ => None,
    }
}
