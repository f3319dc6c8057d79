// SPDX-License-Identifier: MIT

//! The description of a pipeline, packed into words, so that comparing and hashing it is cheap.
//!
//! A word belongs to one piece of state. The word of a dynamic state is 0, so that its value does not create another pipeline:
//!
//! ```text
//! Program 7 | Key 0x40 0x0 | Color0 37 | DepthStencil 126 | Topology 3 | Blend 2 | Rasterizer 0x4 | ...
//! ```

use crate::bits;
use crate::state::{Bit, BitSet};

bits! {
    /// A word of a description.
    pub(crate) enum Word {
        /// The program's number.
        Program,
        /// The bits of the key that the program depends on.
        KeyLow,
        /// The high half of these bits.
        KeyHigh,
        /// The width of the framebuffer, if modules depend on it.
        KeyWidth,
        /// The height of the framebuffer, if modules depend on it.
        KeyHeight,
        /// The format of color attachment 0; 0 if there is none.
        Color0,
        /// The format of color attachment 1; 0 if there is none.
        Color1,
        /// The format of color attachment 2; 0 if there is none.
        Color2,
        /// The format of color attachment 3; 0 if there is none.
        Color3,
        /// The format of color attachment 4; 0 if there is none.
        Color4,
        /// The format of color attachment 5; 0 if there is none.
        Color5,
        /// The format of color attachment 6; 0 if there is none.
        Color6,
        /// The format of color attachment 7; 0 if there is none.
        Color7,
        /// The number of color attachments.
        Colors,
        /// The format of depth and stencil; 0 if there is none.
        DepthStencil,
        /// The class of the topology: points, lines, triangles or patches.
        Topology,
        /// The number of vertices of a patch.
        PatchVertices,
        /// The number of the vertex elements.
        VertexElements,
        /// The number of the blend state.
        Blend,
        /// The bits of the rasterizer state: see [`RasterizerWord`].
        Rasterizer,
        /// The bits of the multisample state: see [`MultisampleWord`].
        Multisample,
        /// The mask of samples that may be written.
        SampleMask,
    }
}

/// A description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct PipelineDesc {
    words: [u32; Word::COUNT],
}

impl PipelineDesc {
    pub(crate) fn get(&self, word: Word) -> u32 {
        self.words[word.index()]
    }

    pub(crate) fn set(&mut self, word: Word, value: u32) {
        self.words[word.index()] = value;
    }

    /// The formats of the color attachments that exist.
    pub(crate) fn colors(&self) -> &[u32] {
        let first = Word::Color0.index();
        &self.words[first..first + (self.get(Word::Colors) as usize).min(8)]
    }

    /// The words that differ from those of `other`.
    pub(crate) fn changed(&self, other: &PipelineDesc) -> BitSet<Word> {
        let mut changed = BitSet::new();
        for (at, (own, theirs)) in self.words.iter().zip(&other.words).enumerate() {
            if own != theirs {
                changed.insert(Word::from_index(at));
            }
        }
        changed
    }

    /// The values of `words`, and 0 for the others.
    pub(crate) fn masked(&self, words: BitSet<Word>) -> PipelineDesc {
        let mut masked = PipelineDesc::default();
        for word in words.iter() {
            masked.set(word, self.get(word));
        }
        masked
    }
}

macro_rules! packed {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident at $shift:literal of $bits:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $name { $($(#[$field_doc])* pub(crate) $field: u32,)* }

        impl $name {
            pub(crate) fn pack(self) -> u32 {
                0 $(| (self.$field & ((1 << $bits) - 1)) << $shift)*
            }

            pub(crate) fn unpack(word: u32) -> $name {
                $name { $($field: word >> $shift & ((1 << $bits) - 1),)* }
            }
        }
    };
}

packed! {
    /// The rasterizer state that is static.
    RasterizerWord {
        /// `VkPolygonMode`.
        polygon_mode at 0 of 2;
        /// Depths are clamped.
        depth_clamp at 2 of 1;
        /// Primitives are clipped at the near and the far plane.
        depth_clip at 3 of 1;
        /// Clip space has GL's depth range.
        negative_one_to_one at 4 of 1;
        /// The last vertex is the provoking one.
        provoking_last at 5 of 1;
    }
}

packed! {
    /// The multisample state that is static.
    MultisampleWord {
        /// `VkSampleCountFlagBits`.
        samples at 0 of 7;
        /// Alpha determines the coverage.
        alpha_to_coverage at 7 of 1;
        /// Alpha is replaced by 1.
        alpha_to_one at 8 of 1;
        /// The minimum number of samples that are shaded; 0 for one invocation per pixel.
        min_samples at 9 of 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unpacked_as_they_were_packed() {
        let word = RasterizerWord { polygon_mode: 2, depth_clip: 1, provoking_last: 1, ..RasterizerWord::default() };
        assert_eq!(RasterizerWord::unpack(word.pack()), word);
        let word = MultisampleWord { samples: 64, min_samples: 64, alpha_to_one: 1, ..MultisampleWord::default() };
        assert_eq!(MultisampleWord::unpack(word.pack()), word);
    }

    #[test]
    fn changed_words_are_found() {
        let (mut one, mut other) = (PipelineDesc::default(), PipelineDesc::default());
        one.set(Word::Blend, 3);
        other.set(Word::Color2, 1);
        let changed = one.changed(&other);
        assert_eq!(changed.iter().collect::<Vec<Word>>(), [Word::Color2, Word::Blend]);
        assert_eq!(one.masked(changed).get(Word::Blend), 3);
    }
}
