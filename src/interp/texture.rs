//! Textures: the interpreter has none of its own, but asks whoever runs it.

use super::fault::FaultKind;
use super::machine::Machine;
use super::Bits;
use crate::ir::{Inst, TexData};
use crate::op::TexSrcKind;

/// A texture operation of one invocation.
pub struct TexQuery<'a> {
    /// The operation with its indices.
    pub tex: &'a TexData,
    /// The values of its sources. Pointers have no components; their variables are in `vars`.
    pub srcs: &'a [(TexSrcKind, Vec<Bits>)],
    /// Components of the result.
    pub num_components: u8,
    /// Width of the result in bits.
    pub bit_size: u8,
}

/// The textures of a run.
pub trait Textures {
    /// The components of the result; `None` if these textures cannot do that.
    fn texture(&mut self, query: &TexQuery<'_>) -> Option<Vec<Bits>>;
}

impl Machine<'_, '_> {
    pub(super) fn tex(&mut self, inst: Inst, tex: &TexData) {
        let data = self.shader.insts[inst];
        for i in 0..self.active.len() {
            let lane = self.active[i];
            let srcs: Vec<_> = tex.srcs.iter().map(|(kind, def)| (*kind, self.value(*def, lane).to_vec())).collect();
            let query = TexQuery { tex, srcs: &srcs, num_components: data.num_components, bit_size: data.bit_size };
            match self.resources.textures.as_mut().and_then(|textures| textures.texture(&query)) {
                Some(texel) => self.set(inst, lane, &texel),
                None => {
                    self.fault(FaultKind::Unsupported, inst, lane, format!("no texture for {}", tex.op.name()));
                    self.set(inst, lane, &[]);
                }
            }
        }
    }
}
