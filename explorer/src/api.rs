// SPDX-License-Identifier: MIT

//! Requests and answers, as JSON. `page/src/api.ts` has the same declarations in TypeScript; a test compares them.
//!
//! Lines and columns are counted from 1. A line of a request is that of the whole text, also if the text has several shaders.

use serde::{Deserialize, Serialize};

/// Declares types of the interface with the traits that they have.
macro_rules! api {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
        #[cfg_attr(test, derive(ts_rs::TS))]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty,)* }
    )*};
}

api! {
    /// What a page can choose from.
    Settings {
        /// The version of ntv.
        version: String,
        /// The names of presets of targets, the newest last.
        presets: Vec<String>,
        /// All features.
        features: Vec<Feature>,
        /// All workarounds.
        workarounds: Vec<Workaround>,
        /// All options that a driver has late; those of the mechanism `range` are parts of a key.
        key: Vec<KeyPart>,
        /// Shaders to begin with.
        examples: Vec<Example>,
    }
    /// A feature of a target.
    Feature {
        /// Vulkan's name.
        name: String,
        /// The presets that have it.
        presets: Vec<String>,
    }
    /// A workaround for a driver.
    Workaround {
        /// zink's name.
        name: String,
        /// The change in the translation, and the reason.
        documentation: String,
    }
    /// An option that is known at a link or a draw.
    KeyPart {
        /// Its name.
        name: String,
        /// The mechanism by which it reaches the shader.
        mechanism: String,
        /// The stages whose words it changes.
        stages: Vec<String>,
        /// The reason for the mechanism.
        why: String,
    }
    /// A shader to begin with.
    Example {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    }
    /// A shader in a text.
    Entry {
        /// The first of its lines.
        first_line: u32,
        /// The last of its lines.
        last_line: u32,
        /// The stage, by NIR's name; empty if the line with it is wrong.
        stage: String,
        /// The name in its header.
        name: String,
        /// Whether it can be parsed.
        ok: bool,
    }
    /// The target of a translation.
    Target {
        /// The name of a preset.
        preset: String,
        /// Features that it has as well.
        enable: Vec<String>,
        /// Features that it lacks.
        disable: Vec<String>,
        /// Workarounds.
        workarounds: Vec<String>,
    }
    /// Options of a translation.
    Options {
        /// One load for each lane, never of whole vec4s.
        lane_access: bool,
        /// Names of variables in the SPIR-V.
        names: bool,
        /// The driver binds uniform ranges of whole vec4s.
        uniform_ranges_in_vec4s: bool,
        /// The back end of transform feedback: `extension` or `storage`.
        captures: String,
    }
    /// The request for the translation of a shader.
    Request {
        /// A dump, or a log with several.
        text: String,
        /// The number of the shader in it, from 0.
        shader: u32,
        /// The target.
        target: Target,
        /// The options.
        options: Options,
        /// The key of the variant, as `ntv variant --key` takes it.
        key: String,
    }
    /// A problem of a request.
    Problem {
        /// What is wrong, without a full stop.
        message: String,
        /// The kind, by the name that `ntv --json` has for it.
        kind: String,
        /// The line; 0 if the problem has no place.
        line: u32,
        /// The column; 0 for the whole line.
        column: u32,
        /// The number of characters.
        length: u32,
        /// What to do about it, if there is more to say.
        help: Option<String>,
    }
    /// A line of NIR or of an assembly.
    Line {
        /// The line, without its end.
        text: String,
        /// The line of the request from which it comes, if it comes from an instruction.
        origin: Option<u32>,
    }
    /// A pass.
    PassReport {
        /// Its name; `input` for the shader before all passes.
        name: String,
        /// A line about it.
        what: String,
        /// Whether it changed the shader.
        changed: bool,
        /// The shader after it; empty if it changed nothing.
        lines: Vec<Line>,
    }
    /// A line of SPIR-V.
    SpirvLine {
        /// The line.
        text: String,
        /// The line of NIR that it comes from, numbered as in `Line`.
        origin: Option<u32>,
        /// Whether the key of the request changed or added it.
        changed_by_key: bool,
    }
    /// A module of SPIR-V.
    Spirv {
        /// Its disassembly.
        lines: Vec<SpirvLine>,
        /// Its words, little-endian, in base64.
        words: String,
    }
    /// What a module consists of.
    Counts {
        /// The number of words.
        words: u32,
        /// The number of instructions.
        instructions: u32,
        /// The number of OpLoad.
        loads: u32,
        /// The instructions by their class in SPIR-V's specification.
        classes: Vec<Class>,
    }
    /// A class of instructions.
    Class {
        /// Its name.
        name: String,
        /// The number of instructions.
        count: u32,
    }
    /// A module and the same without ntv's optimizations.
    Comparison {
        /// The module of the request, for the default key.
        with: Counts,
        /// The module without optimizations: one load for each lane, and without the pass `clean_up`.
        without: Counts,
    }
    /// The translation of a shader.
    Answer {
        /// What is wrong with the shader, or with the request. There is no SPIR-V if there is a problem.
        problems: Vec<Problem>,
        /// The shader before all passes, and all passes in their order.
        passes: Vec<PassReport>,
        /// The SPIR-V of the variant.
        spirv: Option<Spirv>,
        /// What the module consists of.
        counts: Option<Comparison>,
        /// The control flow of the shader, as a Graphviz graph.
        graph: Option<String>,
    }
    /// A target and a key of a comparison.
    Side {
        /// The target.
        target: Target,
        /// The key of the variant, as `ntv variant --key` takes it.
        key: String,
    }
    /// The request for a comparison of two modules of one shader.
    CompareRequest {
        /// A dump, or a log with several.
        text: String,
        /// The number of the shader in it, from 0.
        shader: u32,
        /// The options of both modules.
        options: Options,
        /// The first module.
        left: Side,
        /// The second module.
        right: Side,
    }
    /// An instruction in one of two modules, or in both.
    ComparedLine {
        /// The line in the first module.
        left: Option<String>,
        /// The line in the second module. Ids may have other numbers than in the first one.
        right: Option<String>,
    }
    /// A comparison by structure: the numbers of ids do not matter.
    CompareAnswer {
        /// What is wrong, also with only one of the modules.
        problems: Vec<Problem>,
        /// The versions of SPIR-V if they differ, as comments, and all instructions of both modules, in order.
        lines: Vec<ComparedLine>,
        /// The number of words of each module.
        words: [u32; 2],
        /// The number of instructions that only the first module has.
        removed: u32,
        /// The number of instructions that only the second module has.
        added: u32,
    }
    /// What there is to know about an opcode of NIR or an instruction of SPIR-V.
    Opcode {
        /// Its name.
        name: String,
        /// What it is, without a full stop.
        what: String,
        /// The facts about it.
        facts: Vec<Fact>,
        /// Its place in a specification.
        link: Option<String>,
    }
    /// A fact about an opcode.
    Fact {
        /// What it is about.
        name: String,
        /// The fact.
        text: String,
    }
    /// A stage of a program.
    StageText {
        /// A dump, or a log with several.
        text: String,
        /// The number of the shader in it, from 0.
        shader: u32,
    }
    /// The request for a link.
    LinkRequest {
        /// The stages, in any order.
        stages: Vec<StageText>,
        /// The target.
        target: Target,
        /// The options.
        options: Options,
        /// The key of the program, as `ntv link --key` takes it.
        key: String,
    }
    /// An input or output of a stage.
    Varying {
        /// Whether it is an output.
        is_output: bool,
        /// The name of a built-in; empty for others.
        builtin: String,
        /// The location before the link.
        before: u32,
        /// The location after it.
        after: u32,
        /// Whether the link removed it.
        removed: bool,
        /// A line about all of this, as `ntv link` prints it.
        text: String,
    }
    /// A linked stage.
    LinkedStage {
        /// Its name.
        stage: String,
        /// Its inputs and outputs.
        varyings: Vec<Varying>,
        /// The assembly before the link.
        before: Vec<SpirvLine>,
        /// The assembly after it; `changed_by_key` is not set.
        after: Vec<SpirvLine>,
    }
    /// A problem of one of several stages.
    StageProblem {
        /// The number of the stage in the request; the number of stages if it is none of them.
        stage: u32,
        /// The problem.
        problem: Problem,
    }
    /// The result of a link.
    LinkAnswer {
        /// What is wrong.
        problems: Vec<StageProblem>,
        /// The stages in the order of the pipeline.
        stages: Vec<LinkedStage>,
    }
    /// The request for plans.
    PlanRequest {
        /// The stages of the program.
        stages: Vec<StageText>,
        /// Limits of a device, as a JSON object like that of `ntv plan --limits`; may be empty.
        limits: String,
        /// The number of bytes from which on a dynamically indexed block moves to storage.
        threshold: Option<u32>,
    }
    /// The place of a uniform block.
    PlannedBlock {
        /// Its name.
        block: String,
        /// The stages that read it, with their numbers for it.
        read_by: String,
        /// The class of its descriptor.
        class: String,
        /// The bytes that are read.
        bytes: u32,
        /// The bytes in reach of dynamic offsets.
        dynamic: u32,
        /// The reason for the class.
        why: String,
        /// What would change it.
        moves: Vec<String>,
    }
    /// A capture of transform feedback.
    PlannedCapture {
        /// The stage.
        stage: String,
        /// The slot and the components.
        output: String,
        /// The buffer.
        buffer: u32,
        /// The byte in the data of a vertex.
        offset: u32,
        /// The bytes of a vertex.
        stride: u32,
        /// The stream.
        stream: u32,
    }
    /// Plans.
    PlanAnswer {
        /// What is wrong.
        problems: Vec<StageProblem>,
        /// The uniform blocks.
        blocks: Vec<PlannedBlock>,
        /// The captures.
        captures: Vec<PlannedCapture>,
    }
    /// The request for a run on the interpreter.
    RunRequest {
        /// A compute shader, or the stages of a pipeline.
        stages: Vec<StageText>,
        /// The inputs, as `ntv run --inputs` reads them; those of the template if it is empty.
        inputs: String,
    }
    /// Inputs for a run, with zeros to edit.
    TemplateAnswer {
        /// What is wrong.
        problems: Vec<StageProblem>,
        /// The inputs, as `ntv run --template` prints them.
        inputs: String,
    }
    /// The picture of a target.
    Picture {
        /// The width.
        width: u32,
        /// The height.
        height: u32,
        /// Four bytes for each texel, in base64.
        rgba: String,
    }
    /// The result of a run.
    RunAnswer {
        /// What is wrong, also the faults that the interpreter found.
        problems: Vec<StageProblem>,
        /// The results as JSON, as `ntv run` prints them.
        result: String,
        /// The first target, if it has bytes.
        picture: Option<Picture>,
    }
}
