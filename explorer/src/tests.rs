// SPDX-License-Identifier: MIT

use crate::api::{self, Answer, Entry, Options, Request, StageText, Target};
use crate::{compare, explore, link, opcode, plan, run, settings, shaders};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::path::Path;
use ts_rs::{Config, TS};

const FRAGMENT: &str = include_str!("../../examples/fragment.nir");
const VERTEX: &str = include_str!("../../examples/vertex.nir");
const LOOP: &str = include_str!("../../examples/ubo_loop.nir");

fn call<R: DeserializeOwned>(function: fn(&str) -> String, request: &impl Serialize) -> R {
    let request = serde_json::to_string(request).expect("a request");
    serde_json::from_str(&function(&request)).expect("an answer")
}

fn target() -> Target {
    Target { preset: "vulkan1.3".to_string(), ..Target::default() }
}

fn request(text: &str) -> Request {
    Request { text: text.to_string(), target: target(), ..Request::default() }
}

fn stage(text: &str) -> StageText {
    StageText { text: text.to_string(), shader: 0 }
}

fn answered(request: &Request) -> Answer {
    let answer: Answer = call(explore, request);
    assert_eq!(answer.problems, []);
    answer
}

#[test]
fn typescript_has_the_same_declarations() {
    macro_rules! declarations {
        ($($name:ident)*) => { [$(format!("export {}\n", api::$name::decl(&Config::default()))),*].concat() };
    }
    let all = declarations!(
        Settings Feature Workaround KeyPart Example Entry Target Options Request Problem Line PassReport SpirvLine Spirv Counts Class
        Comparison Answer Side CompareRequest ComparedLine CompareAnswer Opcode Fact StageText LinkRequest Varying LinkedStage StageProblem LinkAnswer PlanRequest PlannedBlock PlannedCapture
        PlanAnswer RunRequest TemplateAnswer Picture RunAnswer
    );
    let expected = format!(
        "// SPDX-License-Identifier: MIT\n// Made from explorer/src/api.rs by `BLESS=1 cargo test -p ntv-explorer`: see it for the documentation.\n\n{all}"
    );
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("page/src/api.ts");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &expected).expect("a file that can be written");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), expected, "run BLESS=1 cargo test -p ntv-explorer");
}

#[test]
fn settings_have_every_feature() {
    let settings: api::Settings = serde_json::from_str(&settings()).expect("settings");
    assert_eq!(settings.features.len(), ntv::Feature::ALL.len());
    let preset = settings.presets.last().expect("a preset");
    assert!(settings.features.iter().any(|feature| feature.presets.contains(preset)));
    for example in settings.examples {
        answered(&request(&example.text));
    }
}

#[test]
fn shaders_of_a_log_have_their_lines() {
    let log = format!("a line of a log\n{VERTEX}another line\n{FRAGMENT}");
    let list: Vec<Entry> = serde_json::from_str(&shaders(&log)).expect("a list");
    let stages: Vec<&str> = list.iter().map(|entry| entry.stage.as_str()).collect();
    assert_eq!(stages, ["MESA_SHADER_VERTEX", "MESA_SHADER_FRAGMENT"]);
    assert_eq!(list[0].last_line + 1, list[1].first_line);
    assert_eq!(list[1].last_line as usize, log.lines().count());
    let second = answered(&Request { shader: 1, ..request(&log) });
    let origins = second.spirv.expect("SPIR-V").lines;
    let origins: Vec<u32> = origins.iter().filter_map(|line| line.origin).collect();
    assert!(!origins.is_empty() && origins.iter().all(|origin| *origin >= list[1].first_line));
}

#[test]
fn a_line_of_spirv_comes_from_its_instruction() {
    let answer = answered(&request(LOOP));
    let lines: Vec<&str> = LOOP.lines().collect();
    let load = lines.iter().position(|line| line.contains("@load_ubo")).expect("a load") as u32 + 1;
    let spirv = answer.spirv.expect("SPIR-V").lines;
    let of_load: Vec<&str> =
        spirv.iter().filter(|line| line.origin == Some(load)).map(|line| line.text.as_str()).collect();
    assert!(of_load.iter().any(|text| text.contains("OpAccessChain")), "{of_load:?}");
    assert!(of_load.iter().any(|text| text.contains("OpLoad")), "{of_load:?}");
    let lowered = answer.passes.iter().find(|pass| pass.name == "lower_ubo").expect("a pass");
    assert!(lowered.changed && lowered.lines.iter().any(|line| line.origin == Some(load)));
    assert!(answer.passes.iter().all(|pass| pass.changed != pass.lines.is_empty()));
    let counts = answer.counts.expect("counts");
    assert!(counts.with.instructions > 0 && counts.without.loads >= counts.with.loads);
    assert_eq!(counts.with.instructions, counts.with.classes.iter().map(|class| class.count).sum::<u32>());
    assert!(answer.graph.expect("a graph").starts_with("digraph"));
}

#[test]
fn a_key_marks_what_it_changes() {
    let plain = answered(&request(VERTEX)).spirv.expect("SPIR-V");
    assert!(plain.lines.iter().all(|line| !line.changed_by_key));
    let flipped = answered(&Request { key: "flip_y".to_string(), ..request(VERTEX) }).spirv.expect("SPIR-V");
    let changed = flipped.lines.iter().filter(|line| line.changed_by_key).count();
    assert!(changed > 0 && changed < flipped.lines.len() / 2);
    assert!(flipped.words != plain.words);
}

#[test]
fn a_missing_feature_is_a_problem_with_its_line() {
    let text = FRAGMENT.replace("32x4", "32x5");
    let answer: Answer = call(explore, &request(&text));
    assert!(answer.spirv.is_none() && answer.problems.iter().all(|problem| problem.line > 0 && problem.length > 0));
    assert!(!answer.problems.is_empty());
    let wrong: Answer = call(explore, &Request { key: "flip".to_string(), ..request(FRAGMENT) });
    assert!(wrong.problems[0].message.starts_with("no option of a key is called `flip`; similar names: flip_x"));
    let wrong: Answer = serde_json::from_str(&explore("{}")).expect("an answer");
    assert_eq!(wrong.problems[0].kind, "argument");
}

#[test]
fn a_link_removes_and_moves() {
    let stages = vec![stage(FRAGMENT), stage(VERTEX)];
    let linked: api::LinkAnswer =
        call(link, &api::LinkRequest { stages: stages.clone(), target: target(), ..api::LinkRequest::default() });
    assert_eq!(linked.problems, []);
    let names: Vec<&str> = linked.stages.iter().map(|stage| stage.stage.as_str()).collect();
    assert_eq!(names, ["vertex", "fragment"]);
    assert!(linked.stages[0].varyings.iter().any(|varying| varying.removed || varying.before != varying.after));
    assert!(linked.stages.iter().all(|stage| stage.after.iter().any(|line| line.origin.is_some())));
    let twice: api::LinkAnswer = call(
        link,
        &api::LinkRequest { stages: [stages.clone(), stages].concat(), target: target(), ..Default::default() },
    );
    assert_eq!(twice.problems[0].stage, 4);
}

#[test]
fn two_targets_and_two_keys_are_compared() {
    let side = |preset: &str, key: &str| api::Side {
        target: Target { preset: preset.to_string(), ..Target::default() },
        key: key.to_string(),
    };
    let ask = |text: &str, right: api::Side| -> api::CompareAnswer {
        let left = side("vulkan1.3", "");
        call(compare, &api::CompareRequest { text: text.to_string(), left, right, ..Default::default() })
    };
    let same = ask(VERTEX, side("vulkan1.3", ""));
    assert_eq!((same.removed, same.added, same.problems), (0, 0, vec![]));
    assert!(same.words[0] == same.words[1] && same.lines.iter().all(|line| line.left == line.right));
    for (text, right) in [(LOOP, side("vulkan1.0", "")), (VERTEX, side("vulkan1.3", "flip_y"))] {
        let other = ask(text, right);
        // The first lines have the versions of SPIR-V, if they differ.
        let is_version = |text: &Option<String>| text.as_ref().is_some_and(|text| text.starts_with(';'));
        let rows = other.lines.iter().filter(|line| !is_version(&line.left) && !is_version(&line.right));
        let count = |is: fn(&api::ComparedLine) -> bool| rows.clone().filter(|line| is(line)).count() as u32;
        assert!(other.removed + other.added > 0);
        assert_eq!(
            (count(|line| line.right.is_none()), count(|line| line.left.is_none())),
            (other.removed, other.added)
        );
    }
    let wrong = ask(VERTEX, side("vulkan1.3", "fly"));
    assert!(wrong.problems[0].message.starts_with("right: no option of a key is called `fly`"), "{:?}", wrong.problems);
}

#[test]
fn opcodes_have_documentation() {
    for (name, link) in
        [("fadd", None), ("@load_ubo", None), ("OpLoad", Some("SPIRV.html#OpLoad")), ("Fma", Some("GLSL"))]
    {
        let found: Option<api::Opcode> = serde_json::from_str(&opcode(name)).expect("an answer");
        let found = found.unwrap_or_else(|| panic!("nothing about {name}"));
        assert_eq!(found.name, name.trim_start_matches('@'));
        assert!(!found.facts.is_empty() && found.link.is_some() == link.is_some());
        assert!(found.link.unwrap_or_default().contains(link.unwrap_or_default()), "{name}");
    }
    assert_eq!(opcode("nothing"), "null");
    for name in ["", "Op", "@", "\0", &"x".repeat(1_000_000)] {
        assert_eq!(opcode(name), "null");
    }
}

#[test]
fn plans_have_blocks_and_captures() {
    let captures = include_str!("../../examples/captures.nir");
    let plans: api::PlanAnswer =
        call(plan, &api::PlanRequest { stages: vec![stage(captures), stage(FRAGMENT)], ..Default::default() });
    assert_eq!(plans.problems, []);
    assert!(!plans.captures.is_empty() && plans.captures.iter().all(|capture| capture.stride > 0));
    let plans: api::PlanAnswer = call(
        plan,
        &api::PlanRequest {
            stages: vec![stage(LOOP)],
            limits: r#"{"maxUniformBufferRang": 1}"#.to_string(),
            threshold: None,
        },
    );
    assert!(plans.problems[0].problem.message.contains("maxUniformBufferRange"));
    let large = include_str!("../../tests/corpus/pass/place_blocks_bounds.nir");
    let plans: api::PlanAnswer = call(plan, &api::PlanRequest { stages: vec![stage(large)], ..Default::default() });
    assert_eq!((plans.blocks[0].class.as_str(), plans.blocks[0].bytes), ("Storage, clamped", 100_000));
}

#[test]
fn the_interpreter_shows_buffers() {
    let histogram = include_str!("../../examples/histogram.nir");
    let missing: api::RunAnswer =
        call(run, &api::RunRequest { stages: vec![stage(histogram)], inputs: "{}".to_string() });
    assert!(!missing.problems.is_empty() && missing.result.is_empty());
}

#[test]
fn hostile_texts_are_problems() {
    let deep = format!("shader: MESA_SHADER_VERTEX\n{}", "if %0 {\n".repeat(100_000));
    let long = format!("shader: MESA_SHADER_VERTEX\nname: {}", "x".repeat(1_000_000));
    let cut = &LOOP[..LOOP.len() / 2];
    let numbers = LOOP.replace("32", "4294967296");
    for text in ["", "\0\u{ffff}", "shader:", "shader: MESA_SHADER_", &deep, &long, cut, &numbers] {
        let answer: Answer = call(explore, &request(text));
        assert!(!answer.problems.is_empty(), "{}", &text[..text.len().min(40)]);
        let _: Vec<Entry> = serde_json::from_str(&shaders(text)).expect("a list");
        let side = api::Side { target: target(), ..Default::default() };
        let (left, right, text) = (side.clone(), side, text.to_string());
        let compared: api::CompareAnswer =
            call(compare, &api::CompareRequest { text, left, right, ..Default::default() });
        assert!(!compared.problems.is_empty() && compared.lines.is_empty());
    }
    let options = Options { captures: "tape".to_string(), ..Options::default() };
    let answer: Answer = call(explore, &Request { options, ..request(LOOP) });
    assert_eq!(answer.problems[0].message, "there is no back end of captures `tape`");
}
