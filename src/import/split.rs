// SPDX-License-Identifier: MIT

//! Splits interface blocks into a variable for each member, as in emitted modules, so that each can be removed or moved by itself.
//!
//! ```text
//! %b = OpVariable %p Output                  %0 = OpVariable %q Output     BuiltIn Position
//!                                            %1 = OpVariable %r Output     BuiltIn PointSize
//! %c = OpAccessChain %r %b %int_1            %c = OpAccessChain %r %1
//! ```
//!
//! The block may only be used by access chains with a constant for the member, and each member needs a built-in or a location. An
//! unused member gets no variable. The struct stays as an unused type.

use super::source::{Global, SourceModule};
use super::{instructions, Inst};
use crate::error::Error;
use crate::module::ShaderStage;
use rustc_hash::{FxHashMap, FxHashSet};
use spirv::{Decoration, Op, StorageClass};

/// The most members of all blocks together; no device supports as many inputs and outputs.
const MOST_MEMBERS: usize = 1024;

/// A block that is split.
struct SplitBlock<'w> {
    /// Its type, and the types of members.
    ty: u32,
    members: &'w [u32],
    /// The array around it, with an element for each vertex.
    array: Option<Inst<'w>>,
    /// The variable of the first member; the others follow.
    first: u32,
    /// The members in use.
    used: FxHashSet<u32>,
}

impl SplitBlock<'_> {
    /// The index of the operand of an access chain that selects the member.
    fn index(&self) -> usize {
        4 + usize::from(self.array.is_some())
    }

    /// The member that an access chain selects.
    fn member(&self, source: &SourceModule<'_>, chain: Inst<'_>) -> Option<u32> {
        let index = source.types.get(&chain.word(self.index())).filter(|index| index.is(Op::Constant))?.word(3);
        ((index as usize) < self.members.len()).then_some(index)
    }

    /// The indices and variables of members.
    fn variables(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let used = (0..self.members.len() as u32).filter(|member| self.used.contains(member));
        used.map(|member| (member, self.first + member))
    }
}

/// The words of a module with its blocks split; `None` if there are none to split.
pub(super) fn blocks(source: &SourceModule<'_>) -> Result<Option<Vec<u32>>, Error> {
    let mut blocks = candidates(source);
    for inst in instructions(source.words) {
        let inst = inst?;
        keep_named(source, inst, &mut blocks);
    }
    if blocks.is_empty() {
        return Ok(None);
    }
    let (mut types, mut bound) = (FxHashMap::default(), source.words[3]);
    let order = source.globals.iter().map(|global| global.id);
    for id in order.filter(|id| blocks.contains_key(id)).collect::<Vec<u32>>() {
        let Some(block) = blocks.get_mut(&id) else { continue };
        block.first = bound;
        bound += block.members.len() as u32;
        types.insert(block.ty, id);
    }
    let words = source.words[..5].to_vec();
    let mut splitter = Splitter { source, blocks, types, seen: FxHashSet::default(), words, bound };
    for inst in instructions(source.words) {
        splitter.inst(inst?);
    }
    splitter.words[3] = splitter.bound;
    Ok(Some(splitter.words))
}

/// Blocks whose type has only one variable, and whose members have built-ins or locations.
fn candidates<'w>(source: &SourceModule<'w>) -> FxHashMap<u32, SplitBlock<'w>> {
    let mut of_type: FxHashMap<u32, u32> = FxHashMap::default();
    source.globals.iter().for_each(|global| *of_type.entry(source.block(global)).or_default() += 1);
    let (mut blocks, mut members) = (FxHashMap::default(), 0);
    for global in source.globals.iter().filter(|global| source.io(global.id).is_some() && !global.has_value) {
        let Some(block) = candidate(source, global).filter(|block| of_type.get(&block.ty) == Some(&1)) else {
            continue;
        };
        members += block.members.len();
        if members <= MOST_MEMBERS {
            blocks.insert(global.id, block);
        }
    }
    blocks
}

fn candidate<'w>(source: &SourceModule<'w>, global: &Global) -> Option<SplitBlock<'w>> {
    let ty = source.block(global);
    let array = source.types.get(&global.ty).filter(|array| array.is(Op::TypeArray)).copied();
    if array.is_some() && !source.is_per_vertex(global) {
        return None;
    }
    let members = source.types.get(&ty).filter(|it| it.is(Op::TypeStruct))?.words.get(2..)?;
    let has = |member: u32, decoration: Decoration| source.members.contains_key(&(ty, member, decoration as u32));
    let says = |member: &u32| has(*member, Decoration::BuiltIn) || has(*member, Decoration::Location);
    let saying = (0..members.len() as u32).filter(says).count();
    let located = source.decoration(global.id, Decoration::Location).is_some();
    let clear = saying == if located { 0 } else { members.len() };
    let is_block = source.decoration(ty, Decoration::Block).is_some();
    (is_block && clear).then_some(SplitBlock { ty, members, array, first: 0, used: FxHashSet::default() })
}

/// Keeps the blocks that `inst` uses in an unsupported way.
fn keep_named(source: &SourceModule<'_>, inst: Inst<'_>, blocks: &mut FxHashMap<u32, SplitBlock<'_>>) {
    let operands = match Op::from_u32(inst.op) {
        // Up to the last opcode of constants, no other instruction uses variables, and literals are not ids.
        Some(op) if inst.op <= Op::SpecConstantOp as u32 && op != Op::ExtInst => return,
        Some(Op::Decorate | Op::MemberDecorate | Op::Variable | Op::Label | Op::Branch) => return,
        Some(Op::AccessChain | Op::InBoundsAccessChain) => {
            if let Some(block) = blocks.get_mut(&inst.word(3)) {
                match block.member(source, inst) {
                    Some(member) => drop(block.used.insert(member)),
                    None => drop(blocks.remove(&inst.word(3))),
                }
            }
            4
        }
        _ => 1,
    };
    for word in inst.words.iter().skip(operands) {
        blocks.remove(word);
    }
}

struct Splitter<'f, 'w> {
    source: &'f SourceModule<'w>,
    blocks: FxHashMap<u32, SplitBlock<'w>>,
    /// The blocks by their types.
    types: FxHashMap<u32, u32>,
    /// The decorations of a block that its members have themselves.
    seen: FxHashSet<(u32, Decoration)>,
    words: Vec<u32>,
    bound: u32,
}

impl Splitter<'_, '_> {
    fn inst(&mut self, inst: Inst<'_>) {
        let block = |at| self.blocks.get(&inst.word(at));
        match Op::from_u32(inst.op) {
            Some(Op::EntryPoint) => self.entry_point(inst),
            Some(Op::Name) if block(1).is_some() => {}
            Some(Op::MemberName) => {
                self.words.extend_from_slice(inst.words);
                self.copy_to_member(inst, Op::Name);
            }
            Some(Op::MemberDecorate) => {
                self.words.extend_from_slice(inst.words);
                if !self.is_layout(inst) {
                    self.copy_to_member(inst, Op::Decorate);
                }
            }
            Some(Op::Decorate) if block(1).is_some() => self.decorate_members(inst),
            Some(Op::Variable) if block(2).is_some() => self.variables(inst),
            Some(Op::AccessChain | Op::InBoundsAccessChain) => match block(3) {
                Some(block) => {
                    let (index, member) = (block.index(), block.member(self.source, inst).unwrap_or(0));
                    let head = ((inst.len() as u32 - 1) << 16) | inst.op;
                    self.words.extend([head, inst.word(1), inst.word(2), block.first + member]);
                    let indices = inst.words.iter().enumerate().skip(4).filter(|(at, _)| *at != index);
                    self.words.extend(indices.map(|(_, word)| word));
                }
                None => self.words.extend_from_slice(inst.words),
            },
            _ => self.words.extend_from_slice(inst.words),
        }
    }

    fn entry_point(&mut self, inst: Inst<'_>) {
        let (head, name) = (self.words.len(), inst.name_end(3));
        self.words.extend_from_slice(&inst.words[..name]);
        for id in &inst.words[name..] {
            match self.blocks.get(id) {
                Some(block) => self.words.extend(block.variables().map(|(_, id)| id)),
                None => self.words.push(*id),
            }
        }
        let len = (self.words.len() - head) as u32;
        self.words[head] = len << 16 | inst.op;
    }

    /// Copies the name or decoration of a member to its variable.
    fn copy_to_member(&mut self, inst: Inst<'_>, op: Op) {
        let Some(block) = self.types.get(&inst.word(1)).and_then(|id| self.blocks.get(id)) else { return };
        if block.used.contains(&inst.word(2)) && inst.len() > 3 {
            self.words.extend([((inst.len() as u32 - 1) << 16) | op as u32, block.first + inst.word(2)]);
            self.words.extend_from_slice(&inst.words[3..]);
        }
    }

    /// Whether this is an Offset without transform feedback, which only a struct can have.
    fn is_layout(&self, inst: Inst<'_>) -> bool {
        let (source, buffer) = (self.source, Decoration::XfbBuffer);
        let block = self.types.get(&inst.word(1));
        let captured = source.members.contains_key(&(inst.word(1), inst.word(2), buffer as u32))
            || block.is_some_and(|block| source.decoration(*block, buffer).is_some());
        inst.word(3) == Decoration::Offset as u32 && !captured
    }

    /// Copies a decoration of the block to all its members, except those that have it themselves.
    fn decorate_members(&mut self, inst: Inst<'_>) {
        let Some(decoration) = Decoration::from_u32(inst.word(2)) else { return };
        let Some(block) = self.blocks.get(&inst.word(1)) else { return };
        let whole = decoration != Decoration::Location || inst.len() == 4;
        if !self.seen.insert((inst.word(1), decoration)) || !whole {
            return;
        }
        for (member, id) in block.variables() {
            let own = self.source.members.contains_key(&(block.ty, member, decoration as u32));
            match decoration {
                // Members follow each other, beginning at the location of the block.
                Decoration::Location => {
                    let before = block.members.iter().take(member as usize).map(|ty| self.source.size(*ty).0);
                    let location = before.fold(inst.word(3), u32::saturating_add);
                    self.words.extend([inst.words[0], id, inst.word(2), location]);
                }
                _ if own => {}
                _ => {
                    self.words.extend([inst.words[0], id]);
                    self.words.extend_from_slice(&inst.words[2..]);
                }
            }
        }
    }

    fn variables(&mut self, inst: Inst<'_>) {
        let Some(block) = self.blocks.get(&inst.word(2)) else { return };
        for (member, id) in block.variables() {
            let member = block.members[member as usize];
            let mut ty = member;
            if let Some(array) = block.array {
                ty = self.bound;
                self.bound += 1;
                self.words.extend([4 << 16 | Op::TypeArray as u32, ty, member, array.word(3)]);
            }
            let (class, pointer) = (inst.word(3), self.bound);
            self.bound += 1;
            self.words.extend([4 << 16 | Op::TypePointer as u32, pointer, class, ty]);
            self.words.extend([4 << 16 | Op::Variable as u32, pointer, id, class]);
        }
    }
}

impl SourceModule<'_> {
    /// Whether this variable is an input or output with one element per vertex.
    pub(super) fn is_per_vertex(&self, global: &Global) -> bool {
        let input = global.class == StorageClass::Input as u32;
        let patch = self.decoration(global.id, Decoration::Patch).is_some();
        !patch
            && match self.stage {
                ShaderStage::TessCtrl => true,
                ShaderStage::TessEval | ShaderStage::Geometry => input,
                _ => false,
            }
    }
}
