// SPDX-License-Identifier: MIT

//! The first pass over a module: collects types, decorations, and the uses of variables, before the tables are made.

use super::{instructions, malformed, Inst};
use crate::error::{Error, ErrorKind, Place};
use crate::module::ShaderStage;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{BuiltIn, Decoration, ExecutionModel, GlslStd450Op, Op, StorageClass};

/// The opcodes of types, whose first operand is their id.
const TYPES: std::ops::RangeInclusive<u32> = Op::TypeVoid as u32..=Op::TypeForwardPointer as u32;

/// Operations on images, without those that make a pointer to a texel.
const IMAGES: std::ops::RangeInclusive<u32> = Op::ImageSampleImplicitLod as u32..=Op::ImageWrite as u32;
const SPARSE_IMAGES: std::ops::RangeInclusive<u32> =
    Op::ImageSparseSampleImplicitLod as u32..=Op::ImageSparseDrefGather as u32;

/// The highest accepted bound of ids.
const MOST_IDS: u32 = 1 << 24;

/// A variable outside of functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub(super) id: u32,
    pub(super) class: u32,
    /// Its pointer type, and the type that this points to.
    pub(super) pointer: u32,
    pub(super) ty: u32,
    /// Whether it has an initializer.
    pub(super) has_value: bool,
    /// Whether a link may remove it.
    pub(super) removable: bool,
    /// Whether it is an array of descriptors whose length a link may change.
    pub(super) resizable: bool,
}

/// A parsed module.
pub(super) struct SourceModule<'w> {
    pub(super) words: &'w [u32],
    pub(super) stage: ShaderStage,
    /// The instruction of each type and constant.
    pub(super) types: FxHashMap<u32, Inst<'w>>,
    /// The number of locations of a type, and of components in each. Types refer only to earlier ones.
    pub(super) sizes: FxHashMap<u32, (u32, u8)>,
    /// Decorations by id and number: the first operand, or 0.
    pub(super) decorations: FxHashMap<(u32, u32), u32>,
    /// Decorations of members, by type, member and number.
    pub(super) members: FxHashMap<(u32, u32, u32), u32>,
    pub(super) globals: Vec<Global>,
    /// The index of each in that list.
    index: FxHashMap<u32, usize>,
    /// The results of access chains into variables: the variable, and the pointer type.
    pub(super) chains: FxHashMap<u32, (u32, u32)>,
    /// Whether strings are used for more than names and lines.
    pub(super) has_debug_info: bool,
    /// The import of GLSL.std.450, or 0.
    glsl: u32,
    /// Inputs and outputs with other uses, and variables that are used as a whole.
    pinned: FxHashSet<u32>,
}

impl<'w> SourceModule<'w> {
    pub(super) fn new(words: &'w [u32]) -> Result<SourceModule<'w>, Error> {
        if words.len() < 5 || words[0] != spirv::MAGIC_NUMBER || words.len() > u32::MAX as usize / 16 {
            return Err(malformed("the words do not start with a header of SPIR-V"));
        }
        // SPIR-V 2.17 has a bound of 4194303; new ids are above it.
        if words[3] > MOST_IDS {
            return Err(malformed("the bound of ids is too high"));
        }
        let mut source = SourceModule {
            words,
            stage: ShaderStage::Compute,
            types: FxHashMap::default(),
            sizes: FxHashMap::default(),
            decorations: FxHashMap::default(),
            members: FxHashMap::default(),
            globals: Vec::new(),
            index: FxHashMap::default(),
            chains: FxHashMap::default(),
            has_debug_info: false,
            glsl: 0,
            pinned: FxHashSet::default(),
        };
        let (mut entry_points, mut in_function) = (0, false);
        for inst in instructions(words) {
            let inst = inst?;
            entry_points += u32::from(inst.is(Op::EntryPoint));
            in_function |= inst.is(Op::Function);
            match in_function {
                false => source.declaration(inst)?,
                true => source.code(inst),
            }
        }
        if entry_points != 1 {
            let message = "a module with several entry points, or none, is not supported";
            return Err(Error::new(ErrorKind::Unsupported, Place::default(), message));
        }
        source.decide();
        Ok(source)
    }

    fn declaration(&mut self, inst: Inst<'w>) -> Result<(), Error> {
        let Some(op) = Op::from_u32(inst.op) else { return Ok(()) };
        match op {
            Op::EntryPoint => {
                self.stage = stage(inst.word(1)).ok_or_else(|| unsupported(inst.word(1)))?;
            }
            Op::Decorate => drop(self.decorations.insert((inst.word(1), inst.word(2)), inst.word(3))),
            Op::MemberDecorate => {
                self.members.insert((inst.word(1), inst.word(2), inst.word(3)), inst.word(4));
            }
            // "NonS"emantic and "Open"CL.Debug; "GLSL".std.450.
            Op::ExtInstImport => {
                let start = inst.word(2).to_le_bytes();
                self.has_debug_info |= [*b"NonS", *b"Open"].contains(&start);
                if start == *b"GLSL" {
                    self.glsl = inst.word(1);
                }
            }
            Op::Variable => {
                let ty = self.types.get(&inst.word(1)).map_or(0, |pointer| pointer.word(3));
                let (id, class, pointer) = (inst.word(2), inst.word(3), inst.word(1));
                let has_value = inst.len() > 4;
                let removable = !has_value;
                self.index.insert(id, self.globals.len());
                self.globals.push(Global { id, class, pointer, ty, has_value, removable, resizable: removable });
                self.chains.insert(id, (id, pointer));
            }
            Op::Constant | Op::SpecConstant => drop(self.types.insert(inst.word(2), inst)),
            // Decorations with several ids could refer to any variable.
            Op::DecorateId | Op::GroupDecorate | Op::GroupMemberDecorate | Op::DecorateString => self.pin_all(inst),
            _ if TYPES.contains(&inst.op) => {
                let size = self.size_of(inst);
                self.sizes.insert(inst.word(1), size);
                self.types.insert(inst.word(1), inst);
            }
            _ => {}
        }
        Ok(())
    }

    fn code(&mut self, inst: Inst<'w>) {
        match Op::from_u32(inst.op) {
            Some(Op::AccessChain | Op::InBoundsAccessChain) if self.chains.contains_key(&inst.word(3)) => {
                let (root, _) = self.chains[&inst.word(3)];
                self.chains.insert(inst.word(2), (root, inst.word(1)));
            }
            Some(Op::Load) => {
                // An output that other invocations may read has to stay an output.
                let io = self.root(inst.word(3)).and_then(|root| self.io(root));
                if io.map_or(true, |io| self.stage == ShaderStage::TessCtrl && io.class == StorageClass::Output as u32)
                {
                    self.pin(inst.word(3));
                }
            }
            Some(Op::Store) => self.pin(inst.word(2)),
            // These have literals that look like ids, and none has a pointer.
            Some(Op::Line | Op::NoLine | Op::Label | Op::Function) => {}
            Some(Op::LoopMerge | Op::SelectionMerge | Op::Branch | Op::BranchConditional | Op::Switch) => {}
            Some(Op::VectorShuffle | Op::CompositeExtract | Op::CompositeInsert) => {}
            _ if IMAGES.contains(&inst.op) || SPARSE_IMAGES.contains(&inst.op) => {}
            // Literals are the storage class, and the number of the instruction.
            Some(Op::Variable) => self.pin(inst.word(4)),
            _ if self.interpolated(inst).is_some() => {}
            Some(Op::ExtInst) => inst.words.iter().skip(5).for_each(|word| self.pin(*word)),
            _ => self.pin_all(inst),
        }
    }

    /// Pins all operands of `inst`. A literal that looks like an id may pin a variable unnecessarily.
    fn pin_all(&mut self, inst: Inst<'w>) {
        inst.words[1..].iter().for_each(|word| self.pin(*word));
    }

    /// Pins an input or output if any part of it is used, other variables only if they are used as a whole.
    fn pin(&mut self, id: u32) {
        if let Some(root) = self.root(id).filter(|root| *root == id || self.io(*root).is_some()) {
            self.pinned.insert(root);
        }
    }

    /// The variable at the root of a pointer.
    fn root(&self, pointer: u32) -> Option<u32> {
        self.chains.get(&pointer).map(|chain| chain.0)
    }

    /// The pointer to an input that `inst` interpolates at an explicit position.
    pub(super) fn interpolated(&self, inst: Inst<'_>) -> Option<u32> {
        use GlslStd450Op::{InterpolateAtCentroid, InterpolateAtOffset, InterpolateAtSample};
        let ops = [InterpolateAtCentroid, InterpolateAtSample, InterpolateAtOffset].map(|op| op as u32);
        let is_it = inst.is(Op::ExtInst) && inst.word(3) == self.glsl && ops.contains(&inst.word(4));
        is_it.then(|| inst.word(5)).filter(|pointer| self.chains.contains_key(pointer))
    }

    pub(super) fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, decoration as u32)).copied()
    }

    /// Decides which varyings may be removed, and which arrays may change their length.
    fn decide(&mut self) {
        for at in 0..self.globals.len() {
            let global = self.globals[at];
            self.globals[at].resizable &= !self.pinned.contains(&global.id) && self.is_descriptor_array(&global);
            let input = global.class == StorageClass::Input as u32;
            let varying = match self.stage {
                ShaderStage::Vertex => !input,
                ShaderStage::Fragment => input,
                ShaderStage::TessCtrl | ShaderStage::TessEval | ShaderStage::Geometry => true,
                ShaderStage::Compute | ShaderStage::Task | ShaderStage::Mesh => false,
            };
            let io = input || global.class == StorageClass::Output as u32;
            let located = match self.decoration(global.id, Decoration::BuiltIn) {
                Some(builtin) => self.is_linked(builtin, input),
                None => self.decoration(global.id, Decoration::Location).is_some(),
            };
            let stream = self.decoration(global.id, Decoration::Stream).unwrap_or(0);
            let free = !self.pinned.contains(&global.id) && located && stream == 0;
            self.globals[at].removable &= varying && io && free;
        }
    }

    /// Whether another stage has the other side of a built-in, so that a link can find it unused.
    fn is_linked(&self, builtin: u32, input: bool) -> bool {
        use BuiltIn::{ClipDistance, CullDistance, PointSize, Position};
        let between = match self.stage {
            ShaderStage::Vertex => !input,
            ShaderStage::TessCtrl | ShaderStage::TessEval => true,
            ShaderStage::Geometry => input,
            ShaderStage::Fragment | ShaderStage::Compute | ShaderStage::Task | ShaderStage::Mesh => false,
        };
        between && [Position, PointSize, ClipDistance, CullDistance].iter().any(|it| *it as u32 == builtin)
    }

    /// Whether a variable is an array of descriptors with a constant length: not a specialization constant, and without a stride.
    fn is_descriptor_array(&self, global: &Global) -> bool {
        let Some(array) = self.types.get(&global.ty).filter(|ty| ty.is(Op::TypeArray)) else { return false };
        let length = self.types.get(&array.word(3)).filter(|length| length.is(Op::Constant) && length.len() == 4);
        let nested = self.types.get(&array.word(2)).map_or(true, |elem| elem.is(Op::TypeArray));
        let stride = self.decoration(array.word(1), Decoration::ArrayStride).is_some();
        length.is_some() && !nested && !stride && self.descriptor(global).is_some()
    }

    /// The variable with this id.
    pub(super) fn global(&self, id: u32) -> Option<&Global> {
        self.index.get(&id).map(|index| &self.globals[*index])
    }

    /// The input or output with this id.
    pub(super) fn io(&self, id: u32) -> Option<&Global> {
        const IO: [u32; 2] = [StorageClass::Input as u32, StorageClass::Output as u32];
        self.global(id).filter(|global| IO.contains(&global.class))
    }

    /// The type of an interface block, without the array of vertices.
    pub(super) fn block(&self, global: &Global) -> u32 {
        self.types.get(&global.ty).filter(|ty| ty.is(Op::TypeArray)).map_or(global.ty, |array| array.word(2))
    }
}

/// The error about a module with an execution model that is not supported.
pub(super) fn unsupported(model: u32) -> Error {
    let name = ExecutionModel::from_u32(model).map_or_else(|| model.to_string(), |model| format!("{model:?}"));
    let message = format!("an entry point of the execution model {name} is not supported");
    Error::new(ErrorKind::Unsupported, Place::default(), message)
}

/// The stage of an execution model; `None` for kernels and stages that Vulkan does not have.
fn stage(model: u32) -> Option<ShaderStage> {
    let model = ExecutionModel::from_u32(model)?;
    ShaderStage::ALL.into_iter().find(|stage| stage.execution_model() == model)
}
