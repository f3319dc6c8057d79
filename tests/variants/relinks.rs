// SPDX-License-Identifier: MIT

//! Links that follow each other: together they are equal to one link with all decisions, or an error.

use super::programs::{emit, fragment, vertex};
use super::stages::shader;
use super::{corpus, support, Lowered};
use ntv::link::link;
use ntv::module::{Assignment, ShaderStage, Varying};
use ntv::variant::{NumberedModule, Program};
use ntv::{ErrorKind, Key, Module, Target};
use ntv_gen::Random;

/// Two steps of a driver's decisions about a stage, and both at once.
fn steps(module: &Module, random: &mut Random) -> [Assignment; 3] {
    let [first, second] = [random.below(3) as u32, random.below(3) as u32];
    let rows: Vec<[u32; 2]> = module.bindings.iter().map(|row| [row.set, row.binding]).collect();
    let moved = |by: u32, [set, binding]: [u32; 2]| ([set, binding], [set + by, binding + 2 * by]);
    let shifted = |by: u32| rows.iter().map(|row| moved(by, *row)).collect::<Vec<_>>();
    let then = rows.iter().map(|row| moved(second, moved(first, *row).1)).collect();
    let captured = module.interface.iter().zip(0..).filter_map(|(varying, index)| Some((index, varying.capture?)));
    let captures: Vec<_> =
        captured.map(|(index, capture)| (index, ntv::ir::Capture { buffer: 3, ..capture })).collect();
    let is_attribute = |it: &Varying| module.stage == ShaderStage::Vertex && !it.is_output && it.builtin.is_none();
    let attributes = (0..).zip(&module.interface).filter(|(_, varying)| is_attribute(varying));
    let locations: Vec<(u32, u32)> = attributes.map(|(index, varying)| (index, varying.location + 1)).collect();
    let step = |bindings: Vec<_>| Assignment { bindings, ..Assignment::default() };
    [
        Assignment { spec_ids: vec![(1, 7)], captures: captures.clone(), ..step(shifted(first)) },
        Assignment { spec_ids: vec![(7, 9)], spec_values: vec![(7, 5)], locations: locations.clone(), ..step(then) },
        Assignment {
            spec_ids: vec![(1, 9), (7, 9)],
            spec_values: vec![(1, 5), (7, 5)],
            captures,
            locations,
            ..step(rows.iter().map(|row| (*row, moved(second, moved(first, *row).1).1)).collect())
        },
    ]
}

/// Links the stages in some steps, with the first and the second decisions.
fn in_steps(stages: &[&Module], decided: &[[Assignment; 3]], random: &mut Random) -> Vec<Module> {
    let mut modules: Vec<Module> = stages.iter().map(|module| (*module).clone()).collect();
    let linked = |modules: &[Module], assignments: Vec<Assignment>| {
        link(&modules.iter().collect::<Vec<&Module>>(), assignments).expect("a link").modules
    };
    let column = |step: usize| decided.iter().map(|steps| steps[step].clone()).collect::<Vec<Assignment>>();
    // The first step: each stage alone, or a part of the pipeline and the rest.
    let cut = random.below(stages.len() as u64 + 1) as usize;
    let alone = random.below(2) == 0;
    let (front, back) = (column(0)[..cut].to_vec(), column(0)[cut..].to_vec());
    let mut next = Vec::new();
    for (part, assignments) in [(&modules[..cut], front), (&modules[cut..], back)] {
        if alone {
            next.extend(
                part.iter().zip(assignments).flat_map(|(it, mine)| linked(std::slice::from_ref(it), vec![mine])),
            );
        } else if !part.is_empty() {
            next.extend(linked(part, assignments));
        }
    }
    modules = next;
    // The second: all together, or all without further decisions and then one by one.
    if random.below(2) == 0 {
        modules = linked(&modules, column(1));
    } else {
        modules = linked(&modules, Vec::new());
        let one_by_one = modules.iter().zip(column(1));
        modules = one_by_one.flat_map(|(it, mine)| linked(std::slice::from_ref(it), vec![mine])).collect();
    }
    linked(&modules, Vec::new())
}

/// A geometry shader that copies a slot.
fn geometry(slot: &str) -> ntv::Shader {
    let header = "input_primitive: POINTS\noutput_primitive: POINTS\nvertices_in: 1\nvertices_out: 1\ninvocations: 1\nactive_stream_mask: 0x1\n";
    let pass = |id: u32, slot: &str| {
        format!("    32x4 %{id} = @load_per_vertex_input (%0, %0) (base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n    @store_output (%{id}, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)\n")
    };
    let body = pass(1, "POS") + &pass(2, slot) + "    @emit_vertex (stream_id=0)\n";
    shader("GEOMETRY", header, &body)
}

/// Pipelines of stages of the corpus, and of some with more varyings to remove.
fn pipelines() -> Vec<Vec<Module>> {
    let module = |lowered: &Lowered| lowered.emit(None).expect("a module");
    let target = Target::default();
    let all: Vec<Lowered> = corpus().into_iter().filter(|it| it.target == target).collect();
    let of = |stage| all.iter().filter(move |it: &&Lowered| it.shader.stage() == stage);
    let (vertices, fragments) = (of(ntv::ir::Stage::Vertex), of(ntv::ir::Stage::Fragment));
    let fragments: Vec<&Lowered> = fragments.collect();
    let mut pipelines: Vec<Vec<Module>> = vertices
        .enumerate()
        .map(|(at, vertex)| vec![module(vertex), module(fragments[at * 7 % fragments.len()])])
        .collect();
    let (first, last) = (["VAR0", "VAR3", "VAR9"], ["VAR3", "VAR5"]);
    pipelines.push(vec![emit(vertex(&first)), emit(fragment(&last))]);
    pipelines.push(vec![emit(vertex(&first)), emit(geometry("VAR3")), emit(fragment(&last))]);
    pipelines.push(vec![emit(vertex(&["PSIZ", "CLIP_DIST0", "VAR4"])), emit(geometry("VAR4")), emit(fragment(&[]))]);
    pipelines
}

#[test]
fn links_in_steps_are_one_link() {
    let pipelines = pipelines();
    assert!(pipelines.len() > 30, "{} pipelines", pipelines.len());
    let results = support::in_parallel(pipelines.into_iter().zip(0..).collect(), |(stages, seed)| {
        let stages: Vec<&Module> = stages.iter().collect();
        let mut changed = 0;
        for round in 0..8 {
            let mut random = Random::new(100 * seed + round);
            let decided: Vec<[Assignment; 3]> = stages.iter().map(|module| steps(module, &mut random)).collect();
            let at_once = decided.iter().map(|steps| steps[2].clone()).collect();
            let whole = link(&stages, at_once).map_err(|error| error.to_string())?;
            let parts = in_steps(&stages, &decided, &mut random);
            for (part, module) in parts.iter().zip(&whole.modules) {
                if part.to_words() != module.to_words() {
                    return Err(format!("pipeline {seed}, round {round}: the {} stage differs", module.stage.name()));
                }
                part.check().map_err(|error| error.to_string())?;
            }
            changed += usize::from(whole.removed_inputs + whole.removed_outputs > 0);
            let mut words = Vec::new();
            for module in parts.iter().filter(|_| round == 0) {
                module.instantiate(&Key::default(), &mut words).expect("a key that it takes");
                support::spirv_val(&words, &Target::default())?;
            }
        }
        Ok(changed)
    });
    let changed: Result<Vec<usize>, String> = results.into_iter().collect();
    let changed: usize = changed.unwrap_or_else(|problem| panic!("{problem}")).into_iter().sum();
    assert!(changed > 100, "{changed} links took something away");
}

/// The message of a link that is refused.
fn refusal(stages: &[&Module], assignments: Vec<Assignment>) -> String {
    let error = link(stages, assignments).expect_err("no link");
    assert_eq!(error.kind, ErrorKind::Argument);
    error.message
}

#[test]
fn a_stage_has_one_partner() {
    let (vertex, fragment, other) =
        (emit(vertex(&["VAR0", "VAR3"])), emit(fragment(&["VAR3"])), emit(fragment(&["VAR0"])));
    let linked = link(&[&vertex, &fragment], Vec::new()).expect("a link").modules;
    assert_eq!(link(&[&linked[0], &linked[1]], Vec::new()).expect("a link").modules, linked);
    let outputs = "a link has settled the outputs of the vertex stage with another module already";
    let inputs = "a link has settled the inputs of the fragment stage with another module already";
    assert_eq!(refusal(&[&linked[0], &other], Vec::new()), outputs);
    assert_eq!(refusal(&[&linked[0], &fragment], Vec::new()), outputs);
    assert_eq!(refusal(&[&vertex, &linked[1]], Vec::new()), inputs);
    // A stage that was linked with another stage to the same result is equally good.
    let again = link(&[&vertex, &fragment], Vec::new()).expect("a link").modules;
    assert_eq!(link(&[&linked[0], &again[1]], Vec::new()).expect("a link").modules, linked);
    let output = linked[0].interface.iter().position(|it| it.is_output && it.builtin.is_none() && !it.removed);
    let output = output.expect("an output");
    let moved = Assignment { locations: vec![(output as u32, 3)], ..Assignment::default() };
    let moved = refusal(&[&linked[0]], vec![moved]);
    assert_eq!(moved, format!("a link has settled the location of varying {output} of the vertex stage already"));
}

/// Decisions about words that a module does not have are errors.
#[test]
fn decisions_without_a_word_are_refused() {
    let vertex = emit(vertex(&["VAR0"]));
    let of = |assignment: Assignment| refusal(&[&vertex], vec![assignment]);
    let none = Assignment::default;
    let varyings = vertex.interface.len();
    let capture = ntv::ir::Capture { buffer: 0, stride: 16, offset: 0 };
    let refused = [
        (
            of(Assignment { components: vec![(0, 1)], ..none() }),
            "varying 0 of the vertex stage has no component that could change".to_string(),
        ),
        (
            of(Assignment { indices: vec![(9, 1)], ..none() }),
            format!("the vertex stage has no varying 9: it has {varyings}"),
        ),
        (
            of(Assignment { captures: vec![(0, capture)], ..none() }),
            "varying 0 of the vertex stage is not captured".to_string(),
        ),
        (
            of(Assignment { locations: vec![(0, 1), (77, 0)], ..none() }),
            format!("the vertex stage has no varying 77: it has {varyings}"),
        ),
        (
            of(Assignment { local_size: Some([1; 3]), ..none() }),
            "the vertex stage has no size of workgroups that could change".to_string(),
        ),
        (
            of(Assignment { output_vertices: Some(3), ..none() }),
            "the vertex stage has no size of patches that could change".to_string(),
        ),
        (refusal(&[&vertex], vec![none(), none()]), "2 assignments for 1 stages".to_string()),
    ];
    for (message, expected) in refused {
        assert_eq!(message, expected);
    }
}

#[test]
fn stages_that_no_pipeline_has_are_refused() {
    let whole = emit(vertex(&["VAR0"]));
    let modules = ShaderStage::ALL.map(|stage| Module { stage, ..whole.clone() });
    // By number: vertex, tessellation control and evaluation, geometry, fragment, compute.
    const FOLLOW: [(usize, usize); 7] = [(0, 1), (0, 3), (0, 4), (1, 2), (2, 3), (2, 4), (3, 4)];
    for (first, second) in (0..6).flat_map(|first| (0..6).map(move |second| (first, second))) {
        let stages = [&modules[first], &modules[second]];
        let program = Program::new(
            stages
                .iter()
                .zip(0..)
                .map(|(module, id)| NumberedModule { id, module: (*module).clone().into() })
                .collect(),
        );
        if FOLLOW.contains(&(first, second)) {
            assert!(link(&stages, Vec::new()).is_ok() && program.is_ok(), "{first}, {second}");
            continue;
        }
        let [before, after] = stages.map(|module| module.stage.name());
        let message = format!("no pipeline has a {after} stage right after a {before} stage");
        assert_eq!(refusal(&stages, Vec::new()), message);
        assert_eq!(program.expect_err("no program").message, message);
    }
    assert_eq!(refusal(&[], Vec::new()), "there are no stages");
    let all: Vec<&Module> = modules[..5].iter().collect();
    assert!(link(&all, Vec::new()).is_ok());
}
