// SPDX-License-Identifier: MIT

//! The translator in the browser.
//!
//! The page in `page/` calls these functions in a worker. Each takes a request as JSON and returns the answer as JSON ([`api`] has
//! both). A wrong shader, and a wrong request, is an answer with problems.

#![forbid(unsafe_code)]

pub mod api;
mod assembly;
mod compare;
mod counts;
mod explore;
mod link;
mod modules;
mod opcodes;
mod plan;
mod run;
mod settings;
mod shaders;

use serde::de::DeserializeOwned;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// What a page can choose from: [`api::Settings`].
#[wasm_bindgen]
pub fn settings() -> String {
    to_json(&settings::settings())
}

/// All shaders in a text, which is not JSON: a list of [`api::Entry`].
#[wasm_bindgen]
pub fn shaders(text: &str) -> String {
    to_json(&shaders::list(text))
}

/// The translation of an [`api::Request`]: an [`api::Answer`].
#[wasm_bindgen]
pub fn explore(request: &str) -> String {
    answer(request, explore::explore, |problem| api::Answer { problems: vec![problem], ..api::Answer::default() })
}

/// The comparison of an [`api::CompareRequest`]: an [`api::CompareAnswer`].
#[wasm_bindgen]
pub fn compare(request: &str) -> String {
    answer(request, compare::compare, |problem| api::CompareAnswer {
        problems: vec![problem],
        ..api::CompareAnswer::default()
    })
}

/// What there is to know about an opcode, by its name, which is not JSON: an [`api::Opcode`], or null. The name of an intrinsic of
/// NIR begins with `@`, and that of an instruction of SPIR-V is in upper case.
#[wasm_bindgen]
pub fn opcode(name: &str) -> String {
    to_json(&opcodes::find(name))
}

/// The link of an [`api::LinkRequest`]: an [`api::LinkAnswer`].
#[wasm_bindgen]
pub fn link(request: &str) -> String {
    answer(request, link::link_stages, |problem| api::LinkAnswer { problems: vec![alone(problem)], stages: Vec::new() })
}

/// The plans for an [`api::PlanRequest`]: an [`api::PlanAnswer`].
#[wasm_bindgen]
pub fn plan(request: &str) -> String {
    answer(request, plan::plan_program, |problem| api::PlanAnswer {
        problems: vec![alone(problem)],
        ..api::PlanAnswer::default()
    })
}

/// The run of an [`api::RunRequest`]: an [`api::RunAnswer`].
#[wasm_bindgen]
pub fn run(request: &str) -> String {
    answer(request, run::run, |problem| api::RunAnswer { problems: vec![alone(problem)], ..api::RunAnswer::default() })
}

/// Inputs for the run of an [`api::RunRequest`], whose own inputs are not read: an [`api::TemplateAnswer`].
#[wasm_bindgen]
pub fn template(request: &str) -> String {
    answer(request, run::template, |problem| api::TemplateAnswer {
        problems: vec![alone(problem)],
        ..api::TemplateAnswer::default()
    })
}

/// A problem of a request that has no stages.
fn alone(problem: api::Problem) -> api::StageProblem {
    api::StageProblem { stage: 0, problem }
}

fn answer<R: DeserializeOwned, A: Serialize>(
    request: &str,
    work: impl Fn(&R) -> A,
    refuse: impl Fn(api::Problem) -> A,
) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(request) => work(&request),
        Err(error) => refuse(shaders::problem("argument", &error.to_string())),
    };
    to_json(&answer)
}

fn to_json(answer: &impl Serialize) -> String {
    // Answers have no maps and no keys, so that this cannot fail.
    serde_json::to_string(answer).unwrap_or_default()
}

#[cfg(test)]
mod tests;
