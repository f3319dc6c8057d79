// SPDX-License-Identifier: MIT

//! Combines stores of single components of an output into one store of the vector.
//!
//! **What.** Within a block, stores to components of the same output variable are collected and replaced by one store at the
//! position of the last. If they do not cover all components, they stay stores of single components.
//!
//! **Why.** NIR's linker packs varyings by components, so a gallium dump has `wrmask=x`, `wrmask=y`, ... one by one. In SPIR-V
//! each is an access chain and a store, compared with one store of the whole vector.
//!
//! Stores do not move across a read of an output, a store with a dynamic index, or an intrinsic that cannot be reordered, such
//! as `emit_vertex`: outputs must have their exact values there.
//!
//! Before:
//!
//! ```text
//! 32     %3 = deref_array &(*%2)[0] (shader_out float)  // &out_VAR0[0]
//! @store_deref (%3, %0) (wrmask=x, access=none)
//! 32     %4 = deref_array &(*%2)[1] (shader_out float)  // &out_VAR0[1]
//! @store_deref (%4, %1) (wrmask=x, access=none)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %5 = deref_var &out_VAR0 (shader_out vec2)
//! 32x2  %6 = vec2 %0, %1
//! @store_deref (%5, %6) (wrmask=xy, access=none)
//! ```

use crate::entity::{Id, SideTable};
use crate::ir::{rewrite, ArrayIndex, Builder, Def, DerefKind, Edit, Inst, InstKind, Shader, Var};
use crate::op::{Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "combine_stores",
    about: "combines stores of single components of an output into one store of the vector",
    facts: Facts::REPEATED_STORES,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, _: &Context) -> bool {
    if !has_output_twice(shader) || !may_combine(shader) {
        return false;
    }
    shader.with_spare(|shader, plans: &mut Plans| {
        plans.make(shader);
        plans.any
            && rewrite(shader, |b, inst| match plans.plans[inst] {
                Plan::Keep => Edit::Keep,
                Plan::Drop => Edit::Remove,
                Plan::Store(number) => {
                    plans.combined[number].emit(b);
                    Edit::Remove
                }
            })
    })
}

/// Whether an intrinsic may read two derefs of one output: checked over all sources of intrinsics at once.
fn has_output_twice(shader: &Shader) -> bool {
    // A bit for each variable.
    let mut found = 0u128;
    for def in shader.srcs.values().iter().filter(|def| is_output(shader, **def)) {
        let Some(var) = shader.deref_var(*def).filter(|var| var.index() < 128) else { return true };
        if found >> var.index() & 1 != 0 {
            return true;
        }
        found |= 1 << var.index();
    }
    false
}

/// Whether two stores may be combined. Most shaders store each output once.
fn may_combine(shader: &Shader) -> bool {
    for block in shader.block_order() {
        // A bit for each variable that has a store which may still be combined.
        let mut stored = 0u128;
        for inst in shader.block_insts(block) {
            let InstKind::Intrinsic { op, srcs, .. } = shader.insts[*inst].kind else { continue };
            let srcs = &shader.srcs[srcs];
            if op != Intrinsic::store_deref {
                stored = if separates(shader, op, srcs) { 0 } else { stored };
            } else if is_output(shader, srcs[0]) {
                let Some(var) = shader.deref_var(srcs[0]).filter(|var| var.index() < 128) else { return true };
                if stored >> var.index() & 1 != 0 {
                    return true;
                }
                stored |= 1 << var.index();
            }
        }
    }
    false
}

fn is_output(shader: &Shader, pointer: Def) -> bool {
    shader.as_deref(pointer).is_some_and(|deref| deref.modes.intersects(Modes::SHADER_OUT))
}

/// The plan for an instruction.
#[derive(Clone, Copy, Default)]
enum Plan {
    #[default]
    Keep,
    /// A later store replaces it.
    Drop,
    /// It becomes the combined store with this index.
    Store(usize),
}

/// A component of a value.
type Component = (Def, u8);

/// The combination of several stores to one variable.
struct Combined {
    var: Var,
    /// The value that is stored to each component.
    components: [Option<Component>; 4],
    size: u8,
    last: Inst,
    count: u32,
}

impl Combined {
    fn emit(&self, b: &mut Builder<'_>) {
        let pointer = b.deref_var(self.var);
        let mask: u32 =
            (0..self.size).filter(|c| self.components[usize::from(*c)].is_some()).fold(0, |m, c| m | 1 << c);
        let Some((first, _)) = self.components.iter().flatten().next().copied() else { return };
        let bits = b.shader.bit_size(first);
        if mask.count_ones() < u32::from(self.size) {
            for c in (0..self.size).filter(|c| mask >> c & 1 != 0) {
                let Some((def, from)) = self.components[usize::from(c)] else { continue };
                let value = b.channel(def, from);
                let lane = b.deref_array(pointer, ArrayIndex::Imm(i64::from(c)));
                b.store_deref(lane, value, 1, 0);
            }
            return;
        }
        let size = usize::from(self.size);
        let whole = self.components[..size].iter().flatten().all(|(def, _)| *def == first);
        let components = self.components.map(|component| component.unwrap_or((first, 0)));
        let value = if whole {
            b.swizzle(first, &components.map(|(_, c)| c)[..size])
        } else {
            let mut lanes = [first; 4];
            for (lane, (def, c)) in lanes.iter_mut().zip(components).take(size) {
                *lane = b.channel(def, c);
            }
            b.vec(&lanes[..size])
        };
        debug_assert_eq!(b.shader.bit_size(value), bits);
        b.store_deref(pointer, value, mask, 0);
    }
}

/// The stores to combine.
#[derive(Default)]
struct Plans {
    plans: SideTable<Inst, Plan>,
    combined: Vec<Combined>,
    /// The stores from here on are still collected.
    first_open: usize,
    any: bool,
}

impl Plans {
    fn make(&mut self, shader: &Shader) {
        self.plans.clear();
        self.combined.clear();
        (self.first_open, self.any) = (0, false);
        for block in shader.block_order() {
            for inst in shader.block_insts(block) {
                match shader.insts[*inst].kind {
                    InstKind::Intrinsic { op, srcs, .. } => match ComponentStore::new(shader, *inst) {
                        Some(store) => self.add(shader, &store),
                        None if separates(shader, op, &shader.srcs[srcs]) => self.close(),
                        None => {}
                    },
                    InstKind::Jump(_) => self.close(),
                    _ => {}
                }
            }
            self.close();
        }
    }

    fn add(&mut self, shader: &Shader, store: &ComponentStore) {
        let open = &self.combined[self.first_open..];
        let at = open.iter().position(|combined| combined.var == store.var).unwrap_or_else(|| {
            let size = shader.types.as_vector(shader.vars[store.var].ty).map_or(1, |(_, size)| size);
            self.combined.push(Combined { var: store.var, components: [None; 4], size, last: store.inst, count: 0 });
            self.combined.len() - 1 - self.first_open
        });
        let combined = &mut self.combined[self.first_open + at];
        if combined.count > 0 {
            self.plans.set(combined.last, Plan::Drop);
        }
        (combined.last, combined.count) = (store.inst, combined.count + 1);
        for c in (0..4).filter(|c| store.mask >> c & 1 != 0) {
            combined.components[usize::from(store.first + c)] = Some((store.value, c));
        }
    }

    /// Ends the collection.
    fn close(&mut self) {
        for (number, combined) in self.combined.iter().enumerate().skip(self.first_open) {
            if combined.count > 1 {
                self.any = true;
                self.plans.set(combined.last, Plan::Store(number));
            }
        }
        self.first_open = self.combined.len();
    }
}

/// A store to some components of an output that is a vector.
struct ComponentStore {
    inst: Inst,
    var: Var,
    /// The component of the variable to which component 0 of the value is stored.
    first: u8,
    mask: u32,
    value: Def,
}

impl ComponentStore {
    fn new(shader: &Shader, inst: Inst) -> Option<ComponentStore> {
        let (Intrinsic::store_deref, srcs) = shader.as_intrinsic(inst)? else { return None };
        let (pointer, value) = (shader.as_deref(srcs[0])?, srcs[1]);
        let (var, first) = match pointer.kind {
            DerefKind::Var(var) => (var, 0),
            DerefKind::Array { parent, index: ArrayIndex::Imm(lane) } => match shader.as_deref(parent)?.kind {
                DerefKind::Var(var) => (var, u8::try_from(lane).ok()?),
                _ => return None,
            },
            _ => return None,
        };
        let variable = &shader.vars[var];
        let (_, size) = shader.types.as_vector(variable.ty)?;
        let mask = shader.index(inst, Index::write_mask);
        let end = u32::from(first) + mask.checked_ilog2()? + 1;
        let fits = variable.mode == Modes::SHADER_OUT && size <= 4 && end <= u32::from(size);
        fits.then_some(ComponentStore { inst, var, first, mask, value })
    }
}

/// Whether outputs must have their exact values when this intrinsic runs.
fn separates(shader: &Shader, op: Intrinsic, srcs: &[Def]) -> bool {
    op.info().effects.is_empty() && op != Intrinsic::store_deref || srcs.iter().any(|src| is_output(shader, *src))
}
