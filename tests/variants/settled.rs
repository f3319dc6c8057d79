// SPDX-License-Identifier: MIT

//! A link refuses to change what the translation has used as a fact, for each row of an assignment.

use super::stages::shader;
use super::{programs, support, OFFER};
use ntv::ir::Capture;
use ntv::link::link;
use ntv::module::{Assignment, PatchKind};
use ntv::{text, EmitOptions, Module, Options, Shader, Target, Translator};

/// The module of a compute shader with this header and body, for all keys.
fn compute(header: &str, body: &str) -> Module {
    programs::emit(parsed(&format!("shader: MESA_SHADER_COMPUTE\nname: test\n{header}subgroup_size: 0\n"), body))
}

fn parsed(header: &str, body: &str) -> Shader {
    let text = format!("{header}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    32 %0 = load_const (0x00000000)\n{body}    // succs: b1\n    block b1:\n}}\n");
    text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A store of `%1` to the first word of storage block 0.
const STORE: &str = "    @store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)\n";

/// The result of a link of one module with `assignment`.
fn linked(module: &Module, assignment: Assignment) -> Result<Module, String> {
    let linked = link(&[module], vec![assignment]).map_err(|error| error.message)?;
    let mut words = Vec::new();
    linked.modules[0].instantiate(&ntv::Key::default(), &mut words).map_err(|error| error.message)?;
    support::spirv_val(&words, &Target::default())?;
    Ok(linked.modules[0].clone())
}

fn local_size(size: [u32; 3]) -> Assignment {
    Assignment { local_size: Some(size), ..Assignment::default() }
}

#[test]
fn the_size_of_workgroups_is_settled_by_its_readers() {
    let header = "workgroup_size: 4, 2, 1\nnum_ssbos: 1\n";
    let readers = ["local_invocation_index", "local_invocation_id", "workgroup_size", "global_invocation_index"];
    for reader in readers {
        let vector = if reader.ends_with("index") { "" } else { "x3" };
        // The second one has no readers after the passes: the bound of the index removes the mask.
        for use_of_it in ["mov %2.x", "iand %2.x, %0"] {
            let body = format!("    32{vector} %2 = @load_{reader}\n    32 %1 = {use_of_it}\n{STORE}");
            let module = compute(header, &body);
            assert_eq!(linked(&module, local_size([4, 2, 1])).as_ref().map(|it| &it.words), Ok(&module.words));
            let refusal = linked(&module, local_size([4, 3, 1])).expect_err(reader);
            assert_eq!(
                refusal,
                "the size of workgroups of the compute stage along axis 1 cannot become 3: the translation relies on 2"
            );
        }
    }
    let body = format!("    32x3 %2 = @load_workgroup_id\n    32 %1 = mov %2.x\n{STORE}");
    let module = linked(&compute(header, &body), local_size([8, 8, 2])).expect("no one reads the size");
    assert!(module.words.windows(3).any(|size| size == [8, 8, 2]));
    // The words of another compiler do not tell.
    let imported = ntv::import::import(&module.words).expect("a module");
    assert!(linked(&imported, local_size([8, 8, 2])).is_ok() && linked(&imported, local_size([8, 8, 1])).is_err());
}

#[test]
fn a_variable_size_is_open() {
    let body = format!("    32 %1 = @load_local_invocation_index\n{STORE}");
    let module = compute("workgroup_size: 0, 0, 0\nnum_ssbos: 1\n", &body);
    let values: Vec<(u32, u32)> =
        module.patches.iter().filter(|it| it.kind == PatchKind::SpecValue).map(|it| (it.arg, 7)).collect();
    assert_eq!(values.len(), 3);
    let module = linked(&module, Assignment { spec_values: values, ..Assignment::default() }).expect("a size");
    let sizes = module.patches.iter().filter(|it| it.kind == PatchKind::SpecValue);
    assert!(sizes.map(|it| module.words[it.at as usize]).eq([7; 3]));
}

#[test]
fn a_patch_has_no_more_vertices_than_the_outputs() {
    let source = std::fs::read_to_string(support::root().join("tests/corpus/stages/tessellation.nir")).expect("a file");
    let control = text::find(&source).filter_map(|it| it.shader.ok());
    let control = control.into_iter().find(|it| it.stage() == ntv::ir::Stage::TessCtrl).expect("a control shader");
    let module = programs::emit(control);
    let most = module.patches.iter().find(|it| it.kind == PatchKind::OutputVertices).expect("a size").arg;
    assert!((1..32).contains(&most), "{most}");
    let with = |vertices| linked(&module, Assignment { output_vertices: Some(vertices), ..Assignment::default() });
    assert!(with(most).is_ok() && with(1).is_ok());
    let refusal = format!("a patch of {} vertices: outputs of the tess_ctrl stage have {most}", most + 1);
    assert_eq!(with(most + 1), Err(refusal));
}

/// Two uniform blocks of an array, one of which has a constant index, for a target with these features.
fn blocks(index: &str, target: &Target) -> Module {
    let header = "shader: MESA_SHADER_COMPUTE\nname: test\nworkgroup_size: 1, 1, 1\nnum_ubos: 4\nnum_ssbos: 1\nsubgroup_size: 0\n";
    let body = format!("    32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)\n    32 %3 = load_const (0x00000002)\n    32 %4 = @load_ubo (%2, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)\n    32 %5 = @load_ubo ({index}, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)\n    32 %1 = iadd %4, %5\n{STORE}");
    let mut translator = Translator::new(Options::default().target(target.clone()));
    let options = EmitOptions::default().offer(OFFER).linkable(true);
    translator.translate(&mut parsed(header, &body), &options).expect("a module")
}

#[test]
fn arrays_of_descriptors_keep_those_in_use() {
    let module = blocks("%3", &Target::default());
    let array = *module.bindings.iter().find(|row| row.count == 4).expect("an array");
    let with = |module: &Module, length| {
        linked(module, Assignment { lengths: vec![([array.set, array.binding], length)], ..Assignment::default() })
    };
    let at = format!("set {}, binding {} of the compute stage", array.set, array.binding);
    assert_eq!(with(&module, 2), Err(format!("{at} cannot have the length 2: descriptor 2 is used")));
    assert!(with(&module, 3).is_ok() && with(&module, 9).is_ok());
    assert!(with(&blocks("%2", &Target::default()), 1).is_ok());
    // Ifs select one of four blocks.
    let mut target = Target::default();
    for feature in ntv::analysis::block_picks::FEATURES {
        target.set(feature, false);
    }
    let lowered = blocks("%3", &target);
    match lowered.bindings.iter().find(|row| row.count == 4) {
        None => {}
        Some(_) => assert_eq!(
            with(&lowered, 5),
            Err(format!("the length of {at} cannot become 5: the translation relies on 4"))
        ),
    }
}

#[test]
fn outputs_that_options_select_by_number_keep_it() {
    let store = |target: u32| {
        format!("    @store_output (%1, %0) (base={target}, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA{target} slots=1)\n")
    };
    let body =
        format!("    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n{}{}", store(0), store(1));
    let module = programs::emit(shader("FRAGMENT", "", &body));
    let with = |module: &Module, location| {
        linked(module, Assignment { locations: vec![(0, location)], ..Assignment::default() })
    };
    assert!(with(&module, 0).is_ok());
    assert_eq!(
        with(&module, 5),
        Err("the location of varying 0 of the fragment stage cannot become 5: the translation relies on 0".to_string())
    );
    let options = EmitOptions::default().linkable(true);
    let plain = Translator::default().translate(&mut shader("FRAGMENT", "", &body), &options).expect("a module");
    assert!(with(&plain, 5).is_ok(), "no option selects it");
}

/// Each row of an assignment is settled by facts, tested above, or is not a fact of translation.
#[test]
fn each_row_is_decided() {
    let Assignment {
        // Settled by the options of fragment outputs; the others are only decorations.
        locations: _,
        components: _,
        indices: _,
        // Decorations of outputs, which no pass reads.
        captures,
        // Decorations of descriptors, which no pass reads.
        bindings: _,
        lengths: _,
        // Passes know no specialization constant: they are the sizes that the header leaves open.
        spec_ids: _,
        spec_values: _,
        local_size: _,
        output_vertices: _,
    } = Assignment { captures: vec![(0, Capture::default())], ..Assignment::default() };
    assert_eq!(captures.len(), 1);
}
