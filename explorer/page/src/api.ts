// SPDX-License-Identifier: MIT
// Made from explorer/src/api.rs by `BLESS=1 cargo test -p ntv-explorer`: see it for the documentation.

export type Settings = { 
/**
 * The version of ntv.
 */
version: string, 
/**
 * The names of presets of targets, the newest last.
 */
presets: Array<string>, 
/**
 * All features.
 */
features: Array<Feature>, 
/**
 * All workarounds.
 */
workarounds: Array<Workaround>, 
/**
 * All options that a driver has late; those of the mechanism `range` are parts of a key.
 */
key: Array<KeyPart>, 
/**
 * Shaders to begin with.
 */
examples: Array<Example>, };
export type Feature = { 
/**
 * Vulkan's name.
 */
name: string, 
/**
 * The presets that have it.
 */
presets: Array<string>, };
export type Workaround = { 
/**
 * zink's name.
 */
name: string, 
/**
 * The change in the translation, and the reason.
 */
documentation: string, };
export type KeyPart = { 
/**
 * Its name.
 */
name: string, 
/**
 * The mechanism by which it reaches the shader.
 */
mechanism: string, 
/**
 * The stages whose words it changes.
 */
stages: Array<string>, 
/**
 * The reason for the mechanism.
 */
why: string, };
export type Example = { 
/**
 * Its name.
 */
name: string, 
/**
 * Its text.
 */
text: string, };
export type Entry = { 
/**
 * The first of its lines.
 */
first_line: number, 
/**
 * The last of its lines.
 */
last_line: number, 
/**
 * The stage, by NIR's name; empty if the line with it is wrong.
 */
stage: string, 
/**
 * The name in its header.
 */
name: string, 
/**
 * Whether it can be parsed.
 */
ok: boolean, };
export type Target = { 
/**
 * The name of a preset.
 */
preset: string, 
/**
 * Features that it has as well.
 */
enable: Array<string>, 
/**
 * Features that it lacks.
 */
disable: Array<string>, 
/**
 * Workarounds.
 */
workarounds: Array<string>, };
export type Options = { 
/**
 * One load for each lane, never of whole vec4s.
 */
lane_access: boolean, 
/**
 * Names of variables in the SPIR-V.
 */
names: boolean, 
/**
 * The driver binds uniform ranges of whole vec4s.
 */
uniform_ranges_in_vec4s: boolean, 
/**
 * The back end of transform feedback: `extension` or `storage`.
 */
captures: string, };
export type Request = { 
/**
 * A dump, or a log with several.
 */
text: string, 
/**
 * The number of the shader in it, from 0.
 */
shader: number, 
/**
 * The target.
 */
target: Target, 
/**
 * The options.
 */
options: Options, 
/**
 * The key of the variant, as `ntv variant --key` takes it.
 */
key: string, };
export type Problem = { 
/**
 * What is wrong, without a full stop.
 */
message: string, 
/**
 * The kind, by the name that `ntv --json` has for it.
 */
kind: string, 
/**
 * The line; 0 if the problem has no place.
 */
line: number, 
/**
 * The column; 0 for the whole line.
 */
column: number, 
/**
 * The number of characters.
 */
length: number, 
/**
 * What to do about it, if there is more to say.
 */
help: string | null, };
export type Line = { 
/**
 * The line, without its end.
 */
text: string, 
/**
 * The line of the request from which it comes, if it comes from an instruction.
 */
origin: number | null, };
export type PassReport = { 
/**
 * Its name; `input` for the shader before all passes.
 */
name: string, 
/**
 * A line about it.
 */
what: string, 
/**
 * Whether it changed the shader.
 */
changed: boolean, 
/**
 * The shader after it; empty if it changed nothing.
 */
lines: Array<Line>, };
export type SpirvLine = { 
/**
 * The line.
 */
text: string, 
/**
 * The line of NIR that it comes from, numbered as in `Line`.
 */
origin: number | null, 
/**
 * Whether the key of the request changed or added it.
 */
changed_by_key: boolean, };
export type Spirv = { 
/**
 * Its disassembly.
 */
lines: Array<SpirvLine>, 
/**
 * Its words, little-endian, in base64.
 */
words: string, };
export type Counts = { 
/**
 * The number of words.
 */
words: number, 
/**
 * The number of instructions.
 */
instructions: number, 
/**
 * The number of OpLoad.
 */
loads: number, 
/**
 * The instructions by their class in SPIR-V's specification.
 */
classes: Array<Class>, };
export type Class = { 
/**
 * Its name.
 */
name: string, 
/**
 * The number of instructions.
 */
count: number, };
export type Comparison = { 
/**
 * The module of the request, for the default key.
 */
with: Counts, 
/**
 * The module without optimizations: one load for each lane, and without the pass `clean_up`.
 */
without: Counts, };
export type Answer = { 
/**
 * What is wrong with the shader, or with the request. There is no SPIR-V if there is a problem.
 */
problems: Array<Problem>, 
/**
 * The shader before all passes, and all passes in their order.
 */
passes: Array<PassReport>, 
/**
 * The SPIR-V of the variant.
 */
spirv: Spirv | null, 
/**
 * What the module consists of.
 */
counts: Comparison | null, 
/**
 * The control flow of the shader, as a Graphviz graph.
 */
graph: string | null, };
export type Side = { 
/**
 * The target.
 */
target: Target, 
/**
 * The key of the variant, as `ntv variant --key` takes it.
 */
key: string, };
export type CompareRequest = { 
/**
 * A dump, or a log with several.
 */
text: string, 
/**
 * The number of the shader in it, from 0.
 */
shader: number, 
/**
 * The options of both modules.
 */
options: Options, 
/**
 * The first module.
 */
left: Side, 
/**
 * The second module.
 */
right: Side, };
export type ComparedLine = { 
/**
 * The line in the first module.
 */
left: string | null, 
/**
 * The line in the second module. Ids may have other numbers than in the first one.
 */
right: string | null, };
export type CompareAnswer = { 
/**
 * What is wrong, also with only one of the modules.
 */
problems: Array<Problem>, 
/**
 * The versions of SPIR-V if they differ, as comments, and all instructions of both modules, in order.
 */
lines: Array<ComparedLine>, 
/**
 * The number of words of each module.
 */
words: [number, number], 
/**
 * The number of instructions that only the first module has.
 */
removed: number, 
/**
 * The number of instructions that only the second module has.
 */
added: number, };
export type Opcode = { 
/**
 * Its name.
 */
name: string, 
/**
 * What it is, without a full stop.
 */
what: string, 
/**
 * The facts about it.
 */
facts: Array<Fact>, 
/**
 * Its place in a specification.
 */
link: string | null, };
export type Fact = { 
/**
 * What it is about.
 */
name: string, 
/**
 * The fact.
 */
text: string, };
export type StageText = { 
/**
 * A dump, or a log with several.
 */
text: string, 
/**
 * The number of the shader in it, from 0.
 */
shader: number, };
export type LinkRequest = { 
/**
 * The stages, in any order.
 */
stages: Array<StageText>, 
/**
 * The target.
 */
target: Target, 
/**
 * The options.
 */
options: Options, 
/**
 * The key of the program, as `ntv link --key` takes it.
 */
key: string, };
export type Varying = { 
/**
 * Whether it is an output.
 */
is_output: boolean, 
/**
 * The name of a built-in; empty for others.
 */
builtin: string, 
/**
 * The location before the link.
 */
before: number, 
/**
 * The location after it.
 */
after: number, 
/**
 * Whether the link removed it.
 */
removed: boolean, 
/**
 * A line about all of this, as `ntv link` prints it.
 */
text: string, };
export type LinkedStage = { 
/**
 * Its name.
 */
stage: string, 
/**
 * Its inputs and outputs.
 */
varyings: Array<Varying>, 
/**
 * The assembly before the link.
 */
before: Array<SpirvLine>, 
/**
 * The assembly after it; `changed_by_key` is not set.
 */
after: Array<SpirvLine>, };
export type StageProblem = { 
/**
 * The number of the stage in the request; the number of stages if it is none of them.
 */
stage: number, 
/**
 * The problem.
 */
problem: Problem, };
export type LinkAnswer = { 
/**
 * What is wrong.
 */
problems: Array<StageProblem>, 
/**
 * The stages in the order of the pipeline.
 */
stages: Array<LinkedStage>, };
export type PlanRequest = { 
/**
 * The stages of the program.
 */
stages: Array<StageText>, 
/**
 * Limits of a device, as a JSON object like that of `ntv plan --limits`; may be empty.
 */
limits: string, 
/**
 * The number of bytes from which on a dynamically indexed block moves to storage.
 */
threshold: number | null, };
export type PlannedBlock = { 
/**
 * Its name.
 */
block: string, 
/**
 * The stages that read it, with their numbers for it.
 */
read_by: string, 
/**
 * The class of its descriptor.
 */
class: string, 
/**
 * The bytes that are read.
 */
bytes: number, 
/**
 * The bytes in reach of dynamic offsets.
 */
dynamic: number, 
/**
 * The reason for the class.
 */
why: string, 
/**
 * What would change it.
 */
moves: Array<string>, };
export type PlannedCapture = { 
/**
 * The stage.
 */
stage: string, 
/**
 * The slot and the components.
 */
output: string, 
/**
 * The buffer.
 */
buffer: number, 
/**
 * The byte in the data of a vertex.
 */
offset: number, 
/**
 * The bytes of a vertex.
 */
stride: number, 
/**
 * The stream.
 */
stream: number, };
export type PlanAnswer = { 
/**
 * What is wrong.
 */
problems: Array<StageProblem>, 
/**
 * The uniform blocks.
 */
blocks: Array<PlannedBlock>, 
/**
 * The captures.
 */
captures: Array<PlannedCapture>, };
export type RunRequest = { 
/**
 * A compute shader, or the stages of a pipeline.
 */
stages: Array<StageText>, 
/**
 * The inputs, as `ntv run --inputs` reads them; those of the template if it is empty.
 */
inputs: string, };
export type TemplateAnswer = { 
/**
 * What is wrong.
 */
problems: Array<StageProblem>, 
/**
 * The inputs, as `ntv run --template` prints them.
 */
inputs: string, };
export type Picture = { 
/**
 * The width.
 */
width: number, 
/**
 * The height.
 */
height: number, 
/**
 * Four bytes for each texel, in base64.
 */
rgba: string, };
export type RunAnswer = { 
/**
 * What is wrong, also the faults that the interpreter found.
 */
problems: Array<StageProblem>, 
/**
 * The results as JSON, as `ntv run` prints them.
 */
result: string, 
/**
 * The first target, if it has bytes.
 */
picture: Picture | null, };
