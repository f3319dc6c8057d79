// SPDX-License-Identifier: MIT

use super::*;
use crate::flow::{run, Outcome};
use crate::term::{Arena, Op as TermOp};
use crate::world;
use rspirv::binary::Assemble;
use rspirv::dr::Builder;
use spirv::{
    AddressingModel, Capability, Decoration, FunctionControl, LoopControl, MemoryModel, SelectionControl, StorageClass,
};
use std::path::Path;

/// A fragment shader in the making: a `vec2` input at location 1, `float` outputs at locations 0 and 1.
struct Shader {
    b: Builder,
    int: u32,
    float: u32,
    vec2: u32,
    input: u32,
    outputs: [u32; 2],
    main: u32,
}

impl Shader {
    fn new() -> Shader {
        let mut b = Builder::new();
        b.set_version(1, 3);
        b.capability(Capability::Shader);
        b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let void = b.type_void();
        let int = b.type_int(32, 0);
        let float = b.type_float(32, None);
        let vec2 = b.type_vector(float, 2);
        let [of_input, of_output] = [(StorageClass::Input, vec2), (StorageClass::Output, float)]
            .map(|(class, ty)| b.type_pointer(None, class, ty));
        let input = b.variable(of_input, None, StorageClass::Input, None);
        b.decorate(input, Decoration::Location, [Operand::LiteralBit32(1)]);
        let outputs = [0, 1].map(|location| {
            let output = b.variable(of_output, None, StorageClass::Output, None);
            b.decorate(output, Decoration::Location, [Operand::LiteralBit32(location)]);
            output
        });
        let ty = b.type_function(void, []);
        let main = b.begin_function(void, None, FunctionControl::NONE, ty).expect("a function");
        b.entry_point(ExecutionModel::Fragment, main, "main", [input, outputs[0], outputs[1]]);
        b.execution_mode(main, ExecutionMode::OriginUpperLeft, []);
        b.begin_block(None).expect("a block");
        Shader { b, int, float, vec2, input, outputs, main }
    }

    /// The label of the first block.
    fn first(&self) -> u32 {
        let label = self.b.module_ref().functions[0].blocks[0].label.as_ref();
        label.and_then(|label| label.result_id).expect("a label")
    }

    fn components(&mut self) -> [u32; 2] {
        let value = self.b.load(self.vec2, None, self.input, None, []).expect("a load");
        [0, 1].map(|c| self.b.composite_extract(self.float, None, value, [c]).expect("a part"))
    }

    fn store(&mut self, output: usize, value: u32) {
        self.b.store(self.outputs[output], value, None, []).expect("a store");
    }

    fn run(mut self, arena: &mut Arena) -> (Module, Step<Outcome>) {
        self.b.ret().expect("an end");
        self.b.end_function().expect("an end");
        assert_ne!(self.main, 0);
        let mut module = Module::read(&self.b.module().assemble()).expect("a module");
        let outcome = run(&mut module, arena, None);
        (module, outcome)
    }
}

/// The cell of an output at the end.
fn output(arena: &mut Arena, outcome: &Outcome, cell: u64) -> Term {
    let state = outcome.state.get(arena, Space::Output(false, 0));
    let cell = arena.constant(32, cell);
    arena.read(state, cell, 32)
}

fn inputs(arena: &mut Arena) -> [Term; 2] {
    [4, 5].map(|cell| {
        let cell = arena.constant(32, cell);
        world::Input::default().cell(arena, cell)
    })
}

#[test]
fn arithmetic_is_that_of_nir() {
    let mut shader = Shader::new();
    let [x, y] = shader.components();
    let float = shader.float;
    let sum = shader.b.f_add(float, None, x, y).expect("a sum");
    let exact = shader.b.f_mul(float, None, x, y).expect("a product");
    shader.b.decorate(exact, Decoration::NoContraction, []);
    shader.store(0, sum);
    shader.store(1, exact);
    let mut arena = Arena::new();
    let (module, outcome) = shader.run(&mut arena);
    let outcome = outcome.expect("terms");
    let [x, y] = inputs(&mut arena);
    let [sum, product] = [ntv::op::AluOp::fadd, ntv::op::AluOp::fmul].map(|op| arena.scalar(op, 32, &[x, y]));
    assert_eq!(output(&mut arena, &outcome, 0), sum);
    assert_eq!(output(&mut arena, &outcome, 4), product);
    assert!(module.contractible.contains(&sum) && !module.contractible.contains(&product));
}

#[test]
fn paths_are_joined() {
    let mut shader = Shader::new();
    let [x, y] = shader.components();
    let (float, bool) = (shader.float, shader.b.type_bool());
    let less = shader.b.f_ord_greater_than(bool, None, y, x).expect("a condition");
    let [yes, merge] = [0, 1].map(|_| shader.b.id());
    let first = shader.first();
    shader.b.selection_merge(merge, SelectionControl::NONE).expect("a merge");
    shader.b.branch_conditional(less, yes, merge, []).expect("a branch");
    shader.b.begin_block(Some(yes)).expect("a block");
    shader.b.branch(merge).expect("a branch");
    shader.b.begin_block(Some(merge)).expect("a block");
    let phi = shader.b.phi(float, None, [(x, yes), (y, first)]).expect("a phi");
    shader.store(0, phi);
    let mut arena = Arena::new();
    let outcome = shader.run(&mut arena).1.expect("terms");
    let [x, y] = inputs(&mut arena);
    let less = arena.scalar(ntv::op::AluOp::flt, 1, &[x, y]);
    assert_eq!(output(&mut arena, &outcome, 0), arena.ite(less, x, y));
}

#[test]
fn a_loop_carries_its_phis() {
    let mut shader = Shader::new();
    let (int, bool) = (shader.int, shader.b.type_bool());
    let [zero, one, ten] = [0, 1, 10].map(|value| shader.b.constant_bit32(int, value));
    let first = shader.first();
    let [header, body, next, merge, number, sum] = [0; 6].map(|_| shader.b.id());
    shader.b.branch(header).expect("a branch");
    shader.b.begin_block(Some(header)).expect("a block");
    shader.b.phi(int, Some(number), [(zero, first), (sum, next)]).expect("a phi");
    let less = shader.b.u_less_than(bool, None, number, ten).expect("a condition");
    shader.b.loop_merge(merge, next, LoopControl::NONE, []).expect("a merge");
    shader.b.branch_conditional(less, body, merge, []).expect("a branch");
    shader.b.begin_block(Some(body)).expect("a block");
    shader.b.i_add(int, Some(sum), number, one).expect("a sum");
    shader.b.branch(next).expect("a branch");
    shader.b.begin_block(Some(next)).expect("a block");
    shader.b.branch(header).expect("a branch");
    shader.b.begin_block(Some(merge)).expect("a block");
    let float = shader.float;
    let value = shader.b.bitcast(float, None, number).expect("a cast");
    shader.store(0, value);
    let mut arena = Arena::new();
    let (module, outcome) = shader.run(&mut arena);
    assert_eq!(module.cfg.loops.len(), 1);
    assert_eq!(module.cfg.loops[0].body, FxHashSet::from_iter([1, 2, 3]));
    let outcome = outcome.expect("terms");
    // What the last iteration leaves is a symbol.
    let value = output(&mut arena, &outcome, 0);
    assert!(matches!(arena.node(value).op, TermOp::Symbol(_)));
}

#[test]
fn what_has_no_terms_is_an_error_with_its_place() {
    let mut shader = Shader::new();
    let vec2 = shader.vec2;
    let value = shader.b.load(vec2, None, shader.input, None, []).expect("a load");
    let matrix = shader.b.type_matrix(vec2, 2);
    shader.b.outer_product(matrix, None, value, value).expect("a product");
    let error = shader.run(&mut Arena::new()).1.expect_err("no terms");
    assert_eq!(error.reason, "OpOuterProduct");
    assert!(error.place.contains("OpOuterProduct"), "{}", error.place);
    assert!(Module::read(&[]).is_err() && Module::read(&[0x0723_0203, 0x1_0000, 0, 1, 0, 0]).is_err());
}

/// The modules of Mesa's own translator have terms, almost all of them. Without the corpus, nothing is checked.
#[test]
fn modules_of_the_corpus_have_terms() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/mesa25/spv");
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let (mut count, mut errors) = (0, Vec::new());
    for file in files.step_by(20) {
        let bytes = std::fs::read(file.expect("a file").path()).expect("a module");
        let words: Vec<u32> = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let done = Module::read(&words).and_then(|mut module| run(&mut module, &mut Arena::new(), None));
        count += 1;
        errors.extend(done.err());
    }
    assert!(errors.len() * 100 <= count * 3, "{} of {count}: {:?}", errors.len(), errors.first());
}
