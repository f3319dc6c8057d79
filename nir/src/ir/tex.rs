// SPDX-License-Identifier: MIT

//! Operands of texture instructions.

use super::inst::Def;
use crate::entity::Id;
use crate::op::names::ImageDim;
use crate::op::{AluType, TexOp, TexSrcKind};
use std::ops::{Deref, DerefMut};

/// Operands of a texture instruction: NIR's `nir_tex_instr`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexData {
    /// The operation.
    pub op: TexOp,
    /// The type of the result's components.
    pub dest_type: AluType,
    /// The sources.
    pub srcs: TexSrcs,
    /// The texture, unless a source has it.
    pub texture_index: u32,
    /// The sampler, unless a source has it.
    pub sampler_index: u32,
    /// Component that a gather reads.
    pub component: u8,
    /// Offsets of the four texels of a gather.
    pub offsets: Option<[[i8; 2]; 4]>,
    /// Whether a gather has an implicit level of detail.
    pub is_gather_implicit_lod: bool,
    /// Whether the texture may differ between invocations.
    pub texture_non_uniform: bool,
    /// Whether the sampler may differ between invocations.
    pub sampler_non_uniform: bool,
    /// Whether the last component of the result is a residency code.
    pub is_sparse: bool,
    /// The dimension of the texture, if the input has it: only the type of a texture without a variable needs it.
    pub dim: Option<ImageDim>,
}

impl TexData {
    /// The kinds of the sources: a set of [bits](TexSrcKind::bit).
    #[inline]
    pub fn kinds(&self) -> u32 {
        self.srcs.iter().fold(0, |kinds, (kind, _)| kinds | kind.bit())
    }

    /// The source of this kind.
    // A loop, which is not worth a copy of its own at each of its many places.
    #[inline(never)]
    pub fn src(&self, kind: TexSrcKind) -> Option<Def> {
        self.srcs.iter().find(|(k, _)| *k == kind).map(|(_, def)| *def)
    }

    /// Whether a result of `num_components` components ends in a residency code: there are five, or two if the other is the result
    /// of a comparison.
    pub fn joins_residency(&self, num_components: u8) -> bool {
        self.is_sparse && (num_components == 5 || num_components == 2 && self.src(TexSrcKind::comparator).is_some())
    }

    /// Makes `def` the source of this kind.
    pub fn set_src(&mut self, kind: TexSrcKind, def: Def) {
        match self.srcs.iter_mut().find(|(k, _)| *k == kind) {
            Some(src) => src.1 = def,
            None => self.srcs.insert(self.srcs.len(), kind, def),
        }
    }

    /// Removes the source of this kind.
    pub fn take_src(&mut self, kind: TexSrcKind) -> Option<Def> {
        let def = self.src(kind)?;
        self.srcs.retain(|k| k != kind);
        Some(def)
    }
}

/// The sources of a texture instruction, in its order. There is room for one of each kind, so no memory is allocated for them.
#[derive(Clone, Copy)]
pub struct TexSrcs {
    len: u8,
    srcs: [(TexSrcKind, Def); TexSrcKind::ALL.len()],
}

impl TexSrcs {
    /// No sources.
    pub fn new() -> TexSrcs {
        TexSrcs { len: 0, srcs: [(TexSrcKind::coord, Def::from_index(0)); TexSrcKind::ALL.len()] }
    }

    /// Adds a source. False if the instruction has a source of this kind already.
    #[must_use]
    pub fn push(&mut self, kind: TexSrcKind, def: Def) -> bool {
        let free = self.srcs.get_mut(usize::from(self.len));
        self.len += u8::from(free.is_some());
        free.map(|src| *src = (kind, def)).is_some()
    }

    /// Adds a source of a kind that is not present, before the source `at`.
    pub fn insert(&mut self, at: usize, kind: TexSrcKind, def: Def) {
        if self.push(kind, def) {
            self[at..].rotate_right(1);
        }
    }

    /// Keeps the sources of the kinds for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(TexSrcKind) -> bool) {
        let mut kept = 0;
        for at in 0..usize::from(self.len) {
            let src = self.srcs[at];
            self.srcs[usize::from(kept)] = src;
            kept += u8::from(keep(src.0));
        }
        self.len = kept;
    }
}

impl Default for TexSrcs {
    fn default() -> TexSrcs {
        TexSrcs::new()
    }
}

impl Deref for TexSrcs {
    type Target = [(TexSrcKind, Def)];
    #[inline]
    fn deref(&self) -> &[(TexSrcKind, Def)] {
        &self.srcs[..usize::from(self.len)]
    }
}

impl DerefMut for TexSrcs {
    fn deref_mut(&mut self) -> &mut [(TexSrcKind, Def)] {
        &mut self.srcs[..usize::from(self.len)]
    }
}

impl PartialEq for TexSrcs {
    fn eq(&self, other: &TexSrcs) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for TexSrcs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::TexSrcKind::*;

    fn list(kinds: &[TexSrcKind]) -> TexSrcs {
        let mut srcs = TexSrcs::new();
        kinds.iter().for_each(|kind| assert!(srcs.push(*kind, Def::from_index(*kind as usize))));
        srcs
    }

    #[test]
    fn sources_are_added_and_removed_in_order() {
        let mut srcs = list(&[lod, coord, bias]);
        srcs.insert(1, ddx, Def::from_index(ddx as usize));
        assert_eq!(srcs, list(&[lod, ddx, coord, bias]));
        srcs.retain(|kind| kind != coord);
        assert_eq!(srcs, list(&[lod, ddx, bias]));
    }

    #[test]
    fn there_is_room_for_one_of_each_kind() {
        let mut srcs = list(TexSrcKind::ALL);
        assert!(!srcs.push(coord, Def::from_index(0)));
        assert_eq!(srcs, list(TexSrcKind::ALL));
    }
}
