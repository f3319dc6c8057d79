// SPDX-License-Identifier: MIT

//! Hostile requests: every function gives an answer with a problem, and none panics. A panic ends the translator of a page.

#[path = "../../tests/support/mutation.rs"]
mod mutation;
#[path = "../../tests/support/mod.rs"]
mod support;

use mutation::{dumps, mutate, Random};
use ntv_explorer::api::{
    Answer, Entry, LinkAnswer, LinkRequest, Options, PlanAnswer, PlanRequest, Request, RunAnswer, RunRequest,
    StageProblem, StageText, Target,
};
use ntv_explorer::{explore, link, plan, run, shaders};
use serde::de::DeserializeOwned;
use serde::Serialize;
use std::time::{Duration, Instant};

const COMPUTE: &str = include_str!("../../examples/histogram.nir");
const FRAGMENT: &str = include_str!("../../examples/fragment.nir");
const LOOP: &str = include_str!("../../examples/ubo_loop.nir");
const VERTEX: &str = include_str!("../../examples/vertex.nir");

/// The time limit of a request in a build without optimizations, on a slow machine with other load.
const LIMIT: Duration = Duration::from_secs(60);

/// The number of mutated dumps.
const CASES: u64 = 400;

fn call<R: DeserializeOwned>(function: fn(&str) -> String, request: &impl Serialize) -> R {
    let request = serde_json::to_string(request).expect("a request");
    let start = Instant::now();
    let answer = function(&request);
    let request: String = request.chars().take(200).collect();
    assert!(start.elapsed() < LIMIT, "{:?} for {request}", start.elapsed());
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error} in the answer for {request}"))
}

fn target() -> Target {
    Target { preset: "vulkan1.3".to_string(), ..Target::default() }
}

fn request(text: &str) -> Request {
    Request { text: text.to_string(), target: target(), ..Request::default() }
}

fn stages(texts: &[&str]) -> Vec<StageText> {
    texts.iter().map(|text| StageText { text: (*text).to_string(), shader: 0 }).collect()
}

fn linked(texts: &[&str]) -> LinkAnswer {
    call(link, &LinkRequest { stages: stages(texts), target: target(), ..LinkRequest::default() })
}

fn planned(texts: &[&str], limits: &str) -> PlanAnswer {
    call(plan, &PlanRequest { stages: stages(texts), limits: limits.to_string(), threshold: Some(0) })
}

fn ran(texts: &[&str], inputs: &str) -> RunAnswer {
    call(run, &RunRequest { stages: stages(texts), inputs: inputs.to_string() })
}

/// Texts that are no valid shaders.
fn wrong_texts() -> Vec<String> {
    let header = "shader: MESA_SHADER_VERTEX\n";
    let body = |lines: &str| {
        format!("{header}decl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n{lines}")
    };
    let cuts = [1, 2, 3, 5, 9].map(|part| LOOP[..LOOP.len() * part / 10].to_string());
    let numbers = ["4294967295", "4294967296", "18446744073709551616", "-1", "1e999"];
    let large = numbers.map(|number| COMPUTE.replace("workgroup_size: 64", &format!("workgroup_size: {number}x")));
    let widths = numbers.map(|number| LOOP.replacen("    32 ", &format!("    {number} "), 1));
    let ssa = numbers.map(|number| LOOP.replace("%1", &format!("%{number}")));
    let fixed = [
        String::new(),
        "\0".repeat(10_000),
        "\u{feff}\u{202e}\u{1f600}".to_string(),
        header.to_string(),
        "shader: MESA_SHADER_KERNEL_OF_TRUTH\n".to_string(),
        body(&"if %0 {\n".repeat(100_000)),
        body(&"loop {\n".repeat(100_000)),
        body(&format!("    32 %0 = vec4 {}\n", "(".repeat(100_000))),
        format!("{header}decl_var ubo INTERP_MODE_NONE none float{} a (0, 0, 0)\n", "[2]".repeat(100_000)),
        format!("{header}decl_var ubo INTERP_MODE_NONE none float[4294967295][4294967295] a (0, 0, 0)\n"),
        format!("{header}name: {}\n", "x".repeat(1_000_000)),
        "\x7fELF\u{1}\u{2}\r\r\r\n\n".repeat(1000),
        "}\n".repeat(10_000),
    ];
    [fixed.to_vec(), cuts.to_vec(), large.to_vec(), widths.to_vec(), ssa.to_vec()].concat()
}

#[test]
fn a_text_without_a_valid_shader_is_a_problem_of_every_function() {
    for text in wrong_texts() {
        let start: String = text.chars().take(60).collect();
        let _: Vec<Entry> = serde_json::from_str(&shaders(&text)).expect("a list");
        let answer: Answer = call(explore, &request(&text));
        assert!(!answer.problems.is_empty() && answer.spirv.is_none(), "{start}");
        let lines = text.lines().count() as u32;
        assert!(answer.problems.iter().all(|problem| problem.line <= lines + 1), "{start}: {:?}", answer.problems);
        assert_ne!(linked(&[&text, FRAGMENT]).problems, [], "{start}");
        assert_ne!(planned(&[&text], "").problems, [], "{start}");
        assert_ne!(ran(&[&text], "{}").problems, [], "{start}");
    }
}

#[test]
fn wrong_settings_are_problems() {
    let set = |change: fn(&mut Request)| {
        let mut request = request(FRAGMENT);
        change(&mut request);
        let answer: Answer = call(explore, &request);
        answer.problems.first().map(|problem| problem.message.clone())
    };
    assert_eq!(set(|_| {}), None);
    assert_eq!(set(|it| it.shader = 1), Some("there is no shader 1, only 1".to_string()));
    assert_eq!(set(|it| it.shader = u32::MAX), Some("there is no shader 4294967295, only 1".to_string()));
    assert_eq!(set(|it| it.target.preset = "opengl".to_string()), Some("there is no preset `opengl`".to_string()));
    assert_eq!(set(|it| it.target.enable = vec!["x".to_string()]), Some("there is no feature `x`".to_string()));
    assert_eq!(set(|it| it.target.disable = vec![String::new()]), Some("there is no feature ``".to_string()));
    assert_eq!(set(|it| it.target.workarounds = vec!["y".to_string()]), Some("there is no workaround `y`".to_string()));
    for key in
        ["flip_y,", "size=", "size=0x0", "size=99999999999x1", "dither9=565", "\0", "=,=", &"flip_y,".repeat(10_000)]
    {
        let answer: Answer = call(explore, &Request { key: key.to_string(), ..request(VERTEX) });
        assert_eq!(answer.problems.is_empty(), answer.spirv.is_some(), "{key}");
    }
}

#[test]
fn requests_that_are_no_requests_are_problems() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let texts = [
        "",
        "null",
        "[]",
        "{}",
        "\0",
        "{\"text\": 1}",
        "{\"text\": \"\", \"text\": \"\"}",
        "1e999",
        "\"\\ud800\"",
        &deep,
    ];
    for text in texts {
        let first = |problems: &[StageProblem]| problems.first().map(|one| one.problem.kind.clone());
        let answer: Answer = serde_json::from_str(&explore(text)).expect("an answer");
        assert_eq!(answer.problems[0].kind, "argument", "{text:.40}");
        let answer: LinkAnswer = serde_json::from_str(&link(text)).expect("an answer");
        assert_eq!(first(&answer.problems).as_deref(), Some("argument"), "{text:.40}");
        let answer: PlanAnswer = serde_json::from_str(&plan(text)).expect("an answer");
        assert_eq!(first(&answer.problems).as_deref(), Some("argument"), "{text:.40}");
        let answer: RunAnswer = serde_json::from_str(&run(text)).expect("an answer");
        assert_eq!(first(&answer.problems).as_deref(), Some("argument"), "{text:.40}");
    }
}

#[test]
fn wrong_programs_are_problems() {
    let log = [VERTEX, FRAGMENT].concat();
    let lists: [&[&str]; 5] =
        [&[], &[VERTEX, VERTEX], &[COMPUTE, FRAGMENT], &[FRAGMENT; 40], &[VERTEX, FRAGMENT, COMPUTE, &log]];
    for list in lists {
        assert_ne!(linked(list).problems, [], "{} stages", list.len());
    }
    assert_ne!(planned(&[VERTEX, VERTEX], "").problems, []);
    for limits in [
        "{",
        "[]",
        "{}",
        "1",
        "{\"maxUniformBufferRange\": -1}",
        "{\"maxUniformBufferRange\": \"x\"}",
        "{\"x\": 1}",
        "\0",
        "{\"maxUniformBufferRange\": 1.5}",
        &"[".repeat(100_000),
    ] {
        assert_ne!(planned(&[LOOP], limits).problems, [], "{limits:.40}");
    }
    let zeros = r#"{"maxUniformBufferRange": 0, "maxPerStageDescriptorUniformBuffers": 0, "maxStorageBufferRange": 0}"#;
    let answer = planned(&[LOOP], zeros);
    assert!(!answer.problems.is_empty() || !answer.blocks.is_empty());
    let large = r#"{"maxUniformBufferRange": 99999999999999}"#;
    assert_eq!(planned(&[LOOP], large).problems, []);
}

#[test]
fn inputs_that_are_too_large_or_wrong_are_problems() {
    let buffers = r#"{"set": 3, "binding": 0, "u32": [4, 1, 2, 3, 66]}, {"set": 3, "binding": 1, "size": 256}"#;
    let fine = format!(r#"{{"buffers": [{buffers}]}}"#);
    let answer = ran(&[COMPUTE], &fine);
    assert!(answer.problems.is_empty() && answer.result.contains("\"binding\":1"), "{answer:?}");
    let deep = format!(r#"{{"buffers": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    // Without inputs, those of the template.
    assert_eq!(ran(&[COMPUTE], "").problems, []);
    let texts = [
        "[]".to_string(),
        "\0".to_string(),
        deep,
        fine.replace("256", "4294967295"),
        fine.replace("256", "4294967296"),
        fine.replace("256", "-1"),
        fine.replace("\"set\": 3", "\"set\": 4294967295"),
        fine.replace("66", "1e999"),
        fine.replace("\"binding\": 1", "\"binding\": 4294967295, \"element\": 4294967295"),
        format!(r#"{{"groups": [4294967295, 4294967295, 4294967295], "buffers": [{buffers}]}}"#),
        format!(r#"{{"groups": [4097, 1, 1], "buffers": [{buffers}]}}"#),
        format!(r#"{{"push_constants": {{"size": 4000000000}}, "buffers": [{buffers}]}}"#),
        format!(
            r#"{{"textures": [{{"set": 2, "binding": 0, "size": [16384, 16384, 16384], "layers": 16384,
            "levels": 16384, "format": "r32g32b32a32_float"}}], "buffers": [{buffers}]}}"#
        ),
        format!(
            r#"{{"images": [{{"set": 4, "binding": 0, "size": [0, 4], "format": "r32_uint"}}], "buffers": [{buffers}]}}"#
        ),
    ];
    for text in texts {
        assert_ne!(ran(&[COMPUTE], &text).problems, [], "{text:.200}");
    }
}

#[test]
fn draws_that_are_too_large_or_wrong_are_problems() {
    let vertex =
        "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n    \
                  // succs: b1\n    block b1:\n}\n";
    assert_eq!(ran(&[vertex], r#"{"draw": {"topology": "points", "vertices": 100}}"#).problems, []);
    for draw in [
        r#""vertices": 4294967295"#,
        r#""vertices": 0, "instances": 4294967295"#,
        r#""vertices": 65536, "instances": 65536"#,
        r#""size": [4294967295, 4294967295]"#,
        r#""size": [65536, 65536]"#,
        r#""captures": [4294967295, 4294967295]"#,
        r#""targets": ["rgba8", "r8"]"#,
        r#""attributes": [{"location": 0, "size": 4000000000}]"#,
        r#""topology": "squares""#,
        r#""topology": "triangles""#,
    ] {
        let topology = if draw.contains("topology") { "" } else { r#""topology": "points", "# };
        let inputs = format!(r#"{{"draw": {{{topology}{draw}}}}}"#);
        assert_ne!(ran(&[vertex], &inputs).problems, [], "{inputs}");
    }
}

#[test]
fn endless_and_huge_shaders_end_with_a_fault() {
    let body = |header: &str, lines: &str| {
        format!(
            "shader: MESA_SHADER_COMPUTE\nworkgroup_size: {header}\ndecl_function main () (entrypoint)\n\nimpl main {{\n    \
             block b0:  // preds:\n{lines}    block b9:\n}}\n"
        )
    };
    let endless = "    // succs: b1\n    loop {\n        block b1:  // preds: b0 b1\n        // succs: b1\n    }\n";
    assert_ne!(ran(&[&body("1, 1, 1", endless)], "{}").problems, []);
    let workgroups = ["65535, 65535, 65535", "4294967295, 4294967295, 4294967295", "65535, 256, 1"];
    for size in workgroups {
        assert_ne!(ran(&[&body(size, "    // succs: b9\n")], "{}").problems, [], "{size}");
    }
    let many = r#"{"groups": [4096, 1, 1]}"#;
    assert_ne!(ran(&[&body("65535, 1, 1", "    // succs: b9\n")], many).problems, []);
    assert_eq!(ran(&[&body("64, 1, 1", "    // succs: b9\n")], many).problems, []);
    for memory in ["shared-size: 4294967295\n", "shared_size: 4294967295\n", "scratch: 4294967295\n"] {
        let answer = ran(&[&body(&format!("1, 1, 1\n{memory}"), "    // succs: b9\n")], "{}");
        assert!(!answer.problems.is_empty() || !answer.result.is_empty(), "{memory}");
    }
}

#[test]
fn mutated_dumps_have_answers() {
    let dumps = dumps();
    let options = [
        Options::default(),
        Options { lane_access: true, names: true, ..Options::default() },
        Options { captures: "storage".to_string(), ..Options::default() },
    ];
    let results = support::in_parallel((0..CASES).collect(), |case| {
        let mut random = Random(case);
        let text = mutate(&mut random, &dumps);
        let found: Vec<Entry> = serde_json::from_str(&shaders(&text)).expect("a list");
        let shader = random.below(found.len().max(1)) as u32;
        let key = random.of(&["", "flip_y", "strip,gl_depth"]).to_string();
        let options = random.of(&options).clone();
        support::caught(|| {
            let request = Request { text: text.clone(), shader, target: target(), options, key };
            let answer: Answer = call(explore, &request);
            assert_eq!(answer.problems.is_empty(), answer.spirv.is_some());
            let known = answer.problems.iter().all(|problem| problem.kind != "internal");
            assert!(known, "{:?}", answer.problems);
            linked(&[&text, FRAGMENT]);
            linked(&[VERTEX, &text]);
            planned(&[&text], "");
            ran(&[&text], "{}");
            Ok(answer.spirv.is_some())
        })
        .map_err(|message| format!("case {case}: {message}"))
    });
    let failures: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
    assert!(failures.is_empty(), "{failures:#?}");
    let translated = results.iter().flatten().filter(|translated| **translated).count() as u64;
    assert!((CASES / 10..CASES * 9 / 10).contains(&translated), "{translated} of {CASES} were translated");
}
