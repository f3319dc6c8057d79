// SPDX-License-Identifier: MIT

//! A SPIR-V module as code that runs on terms.
//!
//! | what | file |
//! |-|-|
//! | types, decorations | `types` |
//! | blocks in order, loops | `cfg` |
//! | the instructions, by groups | `run` |
//! | constants | `constants` |
//! | variables, and where they are | `variables` |
//! | pointers to parts of variables | `pointer` |
//! | loads, stores, atomics | `memory` |
//! | arithmetic | `arithmetic`, `ext` |
//! | textures and images | `image` |
//! | other invocations: barriers, groups, emitted vertices | `others` |

mod arithmetic;
mod cfg;
mod constants;
mod ext;
mod image;
mod memory;
mod others;
mod pointer;
mod run;
#[cfg(test)]
mod tests;
mod types;
mod variables;

pub use others::{barrier, interlock, is_wider_barrier, Barrier, AFTER_BARRIER};

use crate::flow::{BlockId, Code, Loop, Machine, Phi, Step, Terminator, Unsupported, ValueId};
use crate::term::Term;
use crate::world::Space;
use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Operand};
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{ExecutionMode, ExecutionModel, Op};
use std::rc::Rc;
use types::Types;
use variables::Variable;

/// The result of a part of an instruction: the reason why it has no terms.
type Reason<T> = Result<T, String>;

/// Execution modes with their words.
pub type Modes = Vec<(ExecutionMode, Vec<u32>)>;

/// The module of these words.
///
/// # Errors
/// The reason why they are not a module.
pub fn load(words: &[u32]) -> Result<rspirv::dr::Module, String> {
    // rspirv panics where the last instruction ends after the words.
    let mut at = 5;
    while at < words.len() {
        let length = (words[at] >> 16) as usize;
        if length == 0 || length > words.len() - at {
            return Err(format!("the instruction at word {at} ends after the module"));
        }
        at += length;
    }
    rspirv::dr::load_words(words).map_err(|error| error.to_string())
}

/// A SPIR-V module as code that runs on terms.
#[derive(Debug)]
pub struct Module {
    /// The stage.
    pub stage: ExecutionModel,
    /// The name of the entry point.
    pub entry: String,
    /// The execution modes of the entry point, with their words; ids are those of constants.
    pub execution_modes: Modes,
    /// The terms made by float arithmetic that may be contracted or reassociated, because it is not decorated with NoContraction.
    pub contractible: FxHashSet<Term>,
    /// The cells of outputs that are emitted with each vertex.
    pub output_cells: Vec<(Space, u64)>,
    /// The memory that other invocations may change until a barrier ends: at first, that of the variables of the module.
    pub visible: Vec<Space>,
    types: Types,
    /// The type of each result.
    result_types: FxHashMap<u32, u32>,
    variables: FxHashMap<u32, Variable>,
    objects: FxHashMap<u32, pointer::Object>,
    globals: Rc<[Instruction]>,
    blocks: Rc<[Block]>,
    labels: FxHashMap<u32, BlockId>,
    cfg: cfg::Cfg,
    /// The imported set of GLSL.
    glsl: Option<u32>,
}

/// A block: its phis, its other instructions, and how it ends.
#[derive(Debug)]
struct Block {
    phis: Vec<Instruction>,
    instructions: Vec<Instruction>,
    end: Instruction,
}

impl Module {
    /// Reads the words of a module.
    ///
    /// # Errors
    /// They are no module with one entry point and structured control flow.
    pub fn read(words: &[u32]) -> Step<Module> {
        let (words, modes_by_id) = without_modes_by_id(words)?;
        let module = load(&words).map_err(|reason| unsupported(reason, None))?;
        let point = module.entry_points.first();
        let (Some(point), true) = (point, module.entry_points.len() == 1) else {
            return Err(unsupported("no entry point, or several".into(), point));
        };
        let [Operand::ExecutionModel(stage), Operand::IdRef(main), Operand::LiteralString(entry), ..] =
            &point.operands[..]
        else {
            return Err(unsupported("an entry point without a function".into(), Some(point)));
        };
        let function = module.functions.iter().find(|it| it.def.as_ref().and_then(|def| def.result_id) == Some(*main));
        let function = function.ok_or_else(|| unsupported("no function".into(), Some(point)))?;
        let mut types = Types::default();
        module.annotations.iter().for_each(|it| types.annotate(it));
        module.types_global_values.iter().for_each(|it| types.declare(it));
        let mut made = Module {
            stage: *stage,
            entry: entry.clone(),
            execution_modes: [modes(&module.execution_modes, *main), modes_by_id].concat(),
            contractible: FxHashSet::default(),
            output_cells: Vec::new(),
            visible: Vec::new(),
            types,
            result_types: FxHashMap::default(),
            variables: FxHashMap::default(),
            objects: FxHashMap::default(),
            globals: module.types_global_values.clone().into(),
            blocks: blocks(function)?.into(),
            labels: FxHashMap::default(),
            cfg: cfg::Cfg::default(),
            glsl: module.ext_inst_imports.iter().find(|it| is_glsl(it)).and_then(|it| it.result_id),
        };
        let labels = function.blocks.iter().filter_map(|block| block.label.as_ref()?.result_id);
        made.labels = labels.enumerate().map(|(number, label)| (label, number)).collect();
        made.cfg = cfg::cfg(&made.nodes()?).map_err(|reason| unsupported(reason, Some(point)))?;
        let local = function.blocks.iter().flat_map(|block| &block.instructions);
        for instruction in module.types_global_values.iter().chain(local) {
            if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) {
                made.result_types.insert(id, ty);
            }
        }
        made.declare_variables(&function.blocks);
        Ok(made)
    }

    /// The blocks as a graph.
    fn nodes(&self) -> Step<Vec<cfg::Node>> {
        let blocks = self.blocks.clone();
        let mut nodes = Vec::new();
        for block in blocks.iter() {
            let block_of = |label: &Operand, instruction: &Instruction| {
                self.block(types::word(label)).map_err(|reason| unsupported(reason, Some(instruction)))
            };
            let skipped = match block.end.class.opcode {
                Op::BranchConditional | Op::Switch => 1,
                _ => 0,
            };
            let targets = block.end.operands.iter().skip(skipped).filter(|it| matches!(it, Operand::IdRef(_)));
            let mut node = cfg::Node::default();
            if matches!(block.end.class.opcode, Op::Branch | Op::BranchConditional | Op::Switch) {
                node.successors = targets.map(|label| block_of(label, &block.end)).collect::<Step<Vec<BlockId>>>()?;
            }
            let merge = block.instructions.iter().find(|it| it.class.opcode == Op::LoopMerge);
            if let Some(merge) = merge {
                let label = merge.operands.first().ok_or_else(|| unsupported("no block".into(), Some(merge)))?;
                node.merge = Some(block_of(label, merge)?);
            }
            nodes.push(node);
        }
        Ok(nodes)
    }

    /// The block of a label.
    fn block(&self, label: u32) -> Reason<BlockId> {
        self.labels.get(&label).copied().ok_or_else(|| "a label that is no block's".to_owned())
    }
}

impl Code for Module {
    fn entry(&self) -> BlockId {
        0
    }

    fn order(&self) -> &[BlockId] {
        &self.cfg.order
    }

    fn loops(&self) -> &[Loop] {
        &self.cfg.loops
    }

    fn phis(&self, block: BlockId) -> Step<Vec<Phi>> {
        let phi =
            |instruction: &Instruction| self.phi(instruction).map_err(|reason| unsupported(reason, Some(instruction)));
        self.blocks[block].phis.iter().map(phi).collect()
    }

    fn results(&self, block: BlockId) -> Vec<ValueId> {
        let block = &self.blocks[block];
        block.phis.iter().chain(&block.instructions).filter_map(|it| it.result_id).collect()
    }

    fn run(&mut self, block: BlockId, machine: &mut Machine<'_>) -> Step<Terminator> {
        if block == self.entry() {
            self.start(machine)?;
        }
        let blocks = self.blocks.clone();
        let block = &blocks[block];
        for instruction in &block.instructions {
            self.step(machine, instruction).map_err(|reason| unsupported(reason, Some(instruction)))?;
        }
        self.terminator(machine, &block.end).map_err(|reason| unsupported(reason, Some(&block.end)))
    }
}

/// The error with an instruction as its place.
fn unsupported(reason: String, instruction: Option<&Instruction>) -> Unsupported {
    Unsupported { reason, place: instruction.map(Disassemble::disassemble).unwrap_or_default() }
}

/// The words without OpExecutionModeId, which rspirv does not read, and these modes.
fn without_modes_by_id(words: &[u32]) -> Step<(Vec<u32>, Modes)> {
    let (header, mut rest) = words.split_at(words.len().min(5));
    let (mut kept, mut modes) = (header.to_vec(), Vec::new());
    while let Some(first) = rest.first() {
        let count = (first >> 16) as usize;
        if count == 0 || count > rest.len() {
            return Err(unsupported("an instruction that does not end".into(), None));
        }
        let (instruction, following) = rest.split_at(count);
        match instruction {
            [first, _, mode, ids @ ..] if first & 0xffff == Op::ExecutionModeId as u32 => {
                modes.extend(ExecutionMode::from_u32(*mode).map(|mode| (mode, ids.to_vec())));
            }
            _ => kept.extend_from_slice(instruction),
        }
        rest = following;
    }
    Ok((kept, modes))
}

fn is_glsl(import: &Instruction) -> bool {
    matches!(import.operands.first(), Some(Operand::LiteralString(name)) if name == "GLSL.std.450")
}

fn modes(instructions: &[Instruction], main: u32) -> Modes {
    let mode = |it: &Instruction| match &it.operands[..] {
        [Operand::IdRef(id), Operand::ExecutionMode(mode), rest @ ..] if *id == main => {
            Some((*mode, rest.iter().map(types::word).collect()))
        }
        _ => None,
    };
    instructions.iter().filter_map(mode).collect()
}

fn blocks(function: &rspirv::dr::Function) -> Step<Vec<Block>> {
    let block = |block: &rspirv::dr::Block| {
        let is_phi = |it: &&Instruction| it.class.opcode == Op::Phi;
        let (end, rest) = block
            .instructions
            .split_last()
            .ok_or_else(|| unsupported("an empty block".into(), block.label.as_ref()))?;
        let phis: Vec<Instruction> = rest.iter().filter(is_phi).cloned().collect();
        let instructions = rest.iter().filter(|it| !is_phi(it)).cloned().collect();
        Ok(Block { phis, instructions, end: end.clone() })
    };
    function.blocks.iter().map(block).collect()
}
