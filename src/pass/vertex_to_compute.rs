//! A captured vertex shader becomes a compute shader: the third back end of transform feedback, behind `lower_captures`.
//!
//! **What.** An invocation is a vertex of an array draw: x of its number is the vertex's in the instance, y the instance's. Inputs
//! become variables of the shader's own, which are filled at the start from vertex buffers: see [`attributes`](super::attributes).
//! Outputs become such, too; what is captured of them was stored to buffers before. VertexIndex and the like are computed from the
//! state of the draw. Invocations beyond the draw end at once.
//!
//! **Why.** Neither VK_EXT_transform_feedback nor `vertexPipelineStoresAndAtomics` is everywhere. Storage buffers in compute
//! shaders are.
//!
//! ```text
//! vertex, instance = GlobalInvocationId.xy
//! if vertex >= vertices || instance >= instances { return }
//! VertexIndex, InstanceIndex = first_vertex + vertex, first_instance + instance
//! inputs = attributes of this vertex and this instance
//! ... the vertex shader, which ends with its stores to the buffers
//! ```

use super::attributes::{Attributes, Element};
use super::capture_stores::State;
use super::Context;
use crate::capture::word;
use crate::ir::{
    rewrite_cf, Block, Builder, Def, DerefKind, Edit, Inst, InstKind, Jump, Rewriter, Shader, Stage, Var, Variable,
};
use crate::op::{AluOp, Intrinsic, Modes};

/// Vertices of a workgroup.
const GROUP: [u32; 3] = [64, 1, 1];

/// Inputs and outputs.
const IO: Modes = Modes::SHADER_IN.union(Modes::SHADER_OUT);

/// Makes a compute shader of a vertex shader that stores its captures. `state` is the variable of the draw's state.
pub(super) fn run(shader: &mut Shader, context: &Context, state: Var) {
    let inputs = inputs(shader);
    for variable in shader.vars.values_mut().filter(|variable| variable.mode.intersects(IO)) {
        *variable = Variable::new(variable.name, variable.ty, Modes::FUNCTION_TEMP);
    }
    rewrite_cf(shader, &mut ToCompute { context, state, inputs, values: None });
    shader.info.stage = Stage::Compute;
    shader.info.workgroup_size = GROUP;
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

struct ToCompute<'a> {
    context: &'a Context,
    state: Var,
    inputs: Vec<Input>,
    /// What system values are, once the first block is open.
    values: Option<Values>,
}

struct Values {
    vertex: Def,
    instance: Def,
    first_vertex: Def,
    first_instance: Def,
    draw: Def,
}

impl Rewriter for ToCompute<'_> {
    fn enter(&mut self, b: &mut Builder<'_>, _: Block) {
        if self.values.is_none() {
            self.values = Some(self.begin(b));
        }
    }

    fn visit(&mut self, b: &mut Builder<'_>, inst: Inst) -> Edit {
        match b.shader.insts[inst].kind {
            InstKind::Deref(deref) if b.shader.derefs[deref].modes.intersects(IO) => {
                b.shader.derefs[deref].modes = Modes::FUNCTION_TEMP;
                b.shader.set_kind(inst, InstKind::Deref(deref));
                Edit::Keep
            }
            InstKind::Intrinsic { op, .. } => self.value(b, op).map_or(Edit::Keep, Edit::Replace),
            _ => Edit::Keep,
        }
    }
}

impl ToCompute<'_> {
    /// The start of the shader.
    fn begin(&self, b: &mut Builder<'_>) -> Values {
        let state = State::new(b, self.state);
        let id = b.intrinsic(Intrinsic::load_global_invocation_id, 3, 32, &[]).def();
        let [vertex, instance] = [0, 1].map(|c| b.channel(id, c));
        let (vertices, instances) = (state.word(b, word::VERTICES), state.word(b, word::INSTANCES));
        let [beyond, behind] =
            [(vertex, vertices), (instance, instances)].map(|(number, count)| b.alu(AluOp::uge, &[number, count]));
        let is_outside = b.alu(AluOp::ior, &[beyond, behind]);
        b.begin_if(is_outside);
        b.inst(0, 0, InstKind::Jump(Jump::Return));
        b.begin_else();
        b.end_if();
        let [first_vertex, first_instance, draw] =
            [word::FIRST_VERTEX, word::FIRST_INSTANCE, word::DRAW].map(|at| state.word(b, at));
        let element = Element { vertex: b.iadd(vertex, first_vertex), instance, first_instance };
        let mut attributes = Attributes::new(self.context, state, element);
        for Input { var, location, component } in &self.inputs {
            let pointer = b.deref_var(*var);
            attributes.fill(b, pointer, *location, *component);
        }
        let instance = b.iadd(instance, first_instance);
        Values { vertex: element.vertex, instance, first_vertex, first_instance, draw }
    }

    /// What the system value is that `op` loads.
    fn value(&self, b: &mut Builder<'_>, op: Intrinsic) -> Option<Def> {
        let values = self.values.as_ref()?;
        match op {
            Intrinsic::load_vertex_id => Some(values.vertex),
            Intrinsic::load_instance_index => Some(values.instance),
            Intrinsic::load_first_vertex => Some(values.first_vertex),
            Intrinsic::load_base_instance => Some(values.first_instance),
            Intrinsic::load_draw_id => Some(values.draw),
            // There are no views where there is transform feedback.
            Intrinsic::load_view_index => Some(b.imm32(0)),
            _ => None,
        }
    }
}
