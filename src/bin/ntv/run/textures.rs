//! Textures for the interpreter: of two dimensions and one level, read at the nearest texel.

use super::inputs::{Form, TextureInput};
use ntv::interp::{Bits, TexQuery, Textures};
use ntv::op::{TexOp, TexSrcKind};

/// The textures that are given, by their binding, which is the number of their unit.
pub(super) struct Given<'a>(pub(super) &'a [TextureInput]);

impl Textures for Given<'_> {
    fn texture(&mut self, query: &TexQuery<'_>) -> Option<Vec<Bits>> {
        let mut unit = query.tex.texture_index;
        let (mut coord, mut shift, mut lod) = (Vec::new(), vec![0; 2], 0);
        for (kind, values) in query.srcs {
            let first = values.first().copied().filter(|value| value.is_defined());
            match kind {
                TexSrcKind::texture_offset => unit = unit.wrapping_add(first?.value as u32),
                TexSrcKind::coord => coord = values.iter().map(|value| value.value as u32).collect(),
                TexSrcKind::offset => shift = values.iter().map(|value| value.value as i32).collect(),
                // 0 as an integer and as a float.
                TexSrcKind::lod => lod = first?.value,
                TexSrcKind::sampler_offset => {}
                _ => return None,
            }
        }
        let texture = self.0.iter().find(|texture| texture.slot.binding.wrapping_add(texture.slot.element) == unit)?;
        let size = texture.size;
        if lod != 0 || query.bit_size != 32 {
            return None;
        }
        let place: Option<Vec<i64>> = match query.tex.op {
            TexOp::txs => return Some(size.map(|size| Bits::new(size.into()))[..query.num_components.into()].to_vec()),
            TexOp::query_levels => return Some(vec![Bits::new(1)]),
            TexOp::txf => (0..2).map(|c| Some(i64::from(*coord.get(c)? as i32) + i64::from(*shift.get(c)?))).collect(),
            TexOp::txl => (0..2).map(|c| Some(nearest(*coord.get(c)?, size[c], *shift.get(c)?))).collect(),
            _ => return None,
        };
        let [x, y] = place?[..] else { return None };
        let inside = (0..i64::from(size[0])).contains(&x) && (0..i64::from(size[1])).contains(&y);
        let texel = |c: usize| {
            let number = (y as usize * size[0] as usize + x as usize) * 4 + c;
            let bytes = texture.data.bytes.get(4 * number..4 * number + 4)?;
            Some(Bits::new(bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))))
        };
        let components = usize::from(query.num_components);
        (0..components).map(|c| if inside { texel(c) } else { Some(Bits::undef(32)) }).collect()
    }
}

/// The texel that is nearest to a coordinate, and not beyond the edge.
fn nearest(coord: u32, size: u32, shift: i32) -> i64 {
    let texel = (f32::from_bits(coord) * size as f32).floor() as i64 + i64::from(shift);
    texel.clamp(0, i64::from(size) - 1)
}

impl TextureInput {
    /// Whether the texels are as many as the size says, of four numbers of 32 bits each.
    pub(super) fn is_complete(&self) -> bool {
        let texels = u64::from(self.size[0]) * u64::from(self.size[1]);
        self.data.form != Form::U8 && texels != 0 && self.data.bytes.len() as u64 == 16 * texels
    }
}
