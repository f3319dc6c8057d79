// SPDX-License-Identifier: MIT

//! Computes the system values and inputs of a captured vertex shader where vertex fetch does not provide them: the shader runs
//! as a compute shader, or the draw reads the list of an indexed draw.
//!
//! VertexIndex of a draw over a list is an index into the list, by which captures are ordered. The number of the vertex is the
//! value at that index, and BaseVertex is that of the indexed draw. Inputs become private variables, which are filled at the
//! start from vertex buffers: see [`attributes`](super::attributes).

use super::attributes::{Attributes, Element};
use super::state::{declare, State};
use crate::capture::{word, BackEnd, LIST_BINDING};
use crate::ir::{
    rewrite_cf, ArrayIndex, Block, Builder, Def, DerefKind, Edit, Inst, InstKind, Jump, PhiSrc, Rewriter, Shader, Var,
    Variable,
};
use crate::op::{Access, AluOp, Intrinsic, Modes};
use crate::pass::memory::blocks::base_pointer;
use crate::pass::Context;

/// Makes `shader` read its vertex and its draw from the state. Invocations beyond the draw end at once if it becomes a compute
/// shader. `state` is the variable of the draw's state.
pub(super) fn run(shader: &mut Shader, context: &Context, state: Var) {
    let is_compute = context.captures == BackEnd::Compute;
    let pulls = is_compute || !context.attributes.is_empty();
    let inputs = if pulls { inputs(shader) } else { Vec::new() };
    let reads = |op| shader.order.iter().any(|inst| shader.as_intrinsic(*inst).is_some_and(|row| row.0 == op));
    let numbered = !inputs.is_empty() || reads(Intrinsic::load_vertex_id);
    let needed =
        is_compute || numbered || reads(Intrinsic::load_first_vertex) || reads(Intrinsic::load_is_indexed_draw);
    let mut own = Modes::empty();
    if pulls {
        own |= Modes::SHADER_IN;
    }
    if is_compute {
        own |= Modes::SHADER_OUT;
    }
    for variable in shader.vars.values_mut().filter(|variable| variable.mode.intersects(own)) {
        *variable = Variable::new(variable.name, variable.ty, Modes::FUNCTION_TEMP);
    }
    if needed {
        let list = numbered.then(|| declare(shader, context, "xfb_list", LIST_BINDING, Access::READONLY));
        rewrite_cf(shader, &mut Drawn { context, state, list, inputs, own, values: None });
    }
}

/// An input that is read: its Location, and its first component there.
struct Input {
    var: Var,
    location: u32,
    component: u32,
}

fn inputs(shader: &Shader) -> Vec<Input> {
    let pointed_to = |inst: &Inst| match shader.as_deref(inst.def())?.kind {
        DerefKind::Var(var) => Some(var),
        _ => None,
    };
    let mut vars: Vec<Var> = shader.order.iter().filter_map(pointed_to).collect();
    vars.sort_unstable();
    vars.dedup();
    vars.retain(|var| shader.vars[*var].mode == Modes::SHADER_IN);
    let input = |var: Var| {
        let variable = &shader.vars[var];
        Input { var, location: variable.driver_location, component: variable.location_frac.into() }
    };
    vars.into_iter().map(input).collect()
}

struct Drawn<'a> {
    context: &'a Context,
    state: Var,
    /// The list, if the number of the vertex is read.
    list: Option<Var>,
    inputs: Vec<Input>,
    /// Modes whose variables become private.
    own: Modes,
    /// The values of system values, available once the first block is open.
    values: Option<Values>,
}

struct Values {
    vertex: Def,
    /// Whether the draw reads a list, and the base vertex if it does.
    is_listed: Def,
    base_vertex: Def,
    /// Further values that a compute shader reads from the state.
    compute: Option<ComputeValues>,
}

struct ComputeValues {
    instance: Def,
    first_vertex: Def,
    first_instance: Def,
    draw: Def,
}

impl Rewriter for Drawn<'_> {
    fn enter(&mut self, b: &mut Builder<'_>, _: Block) {
        if self.values.is_none() {
            self.values = Some(self.begin(b));
        }
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        match b.shader.insts[inst].kind {
            InstKind::Deref(deref) if b.shader.derefs[deref].modes.intersects(self.own) => {
                b.shader.change_deref(inst, |deref, _| deref.modes = Modes::FUNCTION_TEMP);
                Edit::Keep
            }
            InstKind::Intrinsic { op, .. } => self.value(b, op).map_or(Edit::Keep, Edit::Replace),
            _ => Edit::Keep,
        }
    }
}

impl Drawn<'_> {
    /// Emits the start of the shader.
    fn begin(&self, b: &mut Builder<'_>) -> Values {
        let state = State::new(b, self.state);
        let is_compute = self.context.captures == BackEnd::Compute;
        let [place, instance] = if is_compute { invocation(b, state) } else { vertex(b, state) };
        let [list, base_vertex] = [word::LIST, word::BASE_VERTEX].map(|at| state.word(b, at));
        let zero = b.imm32(0);
        let is_listed = b.alu(AluOp::ine, &[list, zero]);
        let [first_vertex, first_instance] = [word::FIRST_VERTEX, word::FIRST_INSTANCE].map(|at| state.word(b, at));
        let mut vertex = b.iadd(place, first_vertex);
        if let Some(list) = self.list {
            vertex = listed(b, (state, list), (is_listed, place), vertex);
        }
        let mut attributes = Attributes::new(self.context, state, Element { vertex, instance, first_instance });
        for Input { var, location, component } in &self.inputs {
            let pointer = b.deref_var(*var);
            attributes.fill(b, pointer, *location, *component);
        }
        let compute = is_compute.then(|| {
            let (instance, draw) = (b.iadd(instance, first_instance), state.word(b, word::DRAW));
            ComputeValues { instance, first_vertex, first_instance, draw }
        });
        Values { vertex, is_listed, base_vertex, compute }
    }

    /// The value of the system value that `op` loads.
    fn value(&self, b: &mut Builder<'_>, op: Intrinsic) -> Option<Def> {
        let values = self.values.as_ref()?;
        match (op, &values.compute) {
            (Intrinsic::load_vertex_id, _) => Some(values.vertex),
            (Intrinsic::load_first_vertex, compute) => {
                let own = compute.as_ref().map(|compute| compute.first_vertex);
                let own = own.unwrap_or_else(|| b.intrinsic(op, 1, 32, &[]).def());
                Some(b.alu(AluOp::bcsel, &[values.is_listed, values.base_vertex, own]))
            }
            (Intrinsic::load_is_indexed_draw, _) => {
                let (all, none) = (b.imm32(u32::MAX), b.imm32(0));
                Some(b.alu(AluOp::bcsel, &[values.is_listed, all, none]))
            }
            (Intrinsic::load_instance_index, Some(compute)) => Some(compute.instance),
            (Intrinsic::load_base_instance, Some(compute)) => Some(compute.first_instance),
            (Intrinsic::load_draw_id, Some(compute)) => Some(compute.draw),
            // Transform feedback excludes multiview.
            (Intrinsic::load_view_index, Some(_)) => Some(b.imm32(0)),
            _ => None,
        }
    }
}

/// The numbers of a compute shader's vertex and instance in the draw. Invocations beyond it end here.
fn invocation(b: &mut Builder<'_>, state: State) -> [Def; 2] {
    let id = b.intrinsic(Intrinsic::load_global_invocation_id, 3, 32, &[]).def();
    let [vertex, instance] = [0, 1].map(|c| b.channel(id, c));
    let (vertices, instances) = (state.word(b, word::VERTICES), state.word(b, word::INSTANCES));
    let [no_vertex, no_instance] =
        [(vertex, vertices), (instance, instances)].map(|(number, count)| b.alu(AluOp::uge, &[number, count]));
    let is_outside = b.alu(AluOp::ior, &[no_vertex, no_instance]);
    b.begin_if(is_outside);
    b.inst(0, 0, InstKind::Jump(Jump::Return));
    b.begin_else();
    b.end_if();
    [vertex, instance]
}

/// The numbers of a vertex shader's vertex and instance in the draw.
pub(super) fn vertex(b: &mut Builder<'_>, state: State) -> [Def; 2] {
    let rows =
        [(Intrinsic::load_vertex_id, word::FIRST_VERTEX), (Intrinsic::load_instance_index, word::FIRST_INSTANCE)];
    rows.map(|(op, first)| {
        let (index, first) = (b.intrinsic(op, 1, 32, &[]).def(), state.word(b, first));
        b.alu(AluOp::isub, &[index, first])
    })
}

/// The value of the list at `place` if the draw reads one, else `own`. Without a list, the buffer is not read.
fn listed(b: &mut Builder<'_>, (state, list): (State, Var), (is_listed, place): (Def, Def), own: Def) -> Def {
    let first = state.word(b, word::LIST_FIRST);
    b.begin_if(is_listed);
    let at = b.iadd(place, first);
    let base = base_pointer(b, list, None);
    let pointer = b.deref_array(base, ArrayIndex::Def(at));
    let found = PhiSrc { def: b.load_deref(pointer, 0), pred: b.current_block() };
    b.begin_else();
    let own = PhiSrc { def: own, pred: b.current_block() };
    b.end_if();
    b.phi(1, 32, &[found, own])
}
