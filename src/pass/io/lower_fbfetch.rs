// SPDX-License-Identifier: MIT

//! Turns reads of the framebuffer into reads of an input attachment.
//!
//! **What.** A fragment shader that loads a colour, the depth or the stencil of its framebuffer reads the texel from an
//! attachment that this pass declares in the set of the default uniforms: at binding [`ATTACHMENT_BINDING`], where zink has the
//! first colour, and up; see [`attachment_number`]. If the number of the colour is not constant, all possible attachments are
//! read, and one is selected.
//!
//! **Why.** A Vulkan Output variable does not have the contents of the framebuffer; only input attachments are read at the
//! position of the fragment (Vulkan, "Input Attachment Interface").
//!
//! The directive `// ntv: framebuffer=multisample` says that the framebuffer has several samples per pixel. Then the shader
//! runs once per sample, and reads its own sample (EXT_shader_framebuffer_fetch). NIR does not have this information.
//!
//! Before:
//!
//! ```text
//! 32x2   %1 = @load_output (%0) (base=0, range=1, component=1, dest_type=float32, io location=FRAG_RESULT_DATA0 slots=1 fbfetch)
//! ```
//!
//! After:
//!
//! ```text
//! 32    %1 = deref_var &attachment0 (uniform subpassInput)
//! ...
//! 32x4  %5 = @image_deref_load (%1, %2 (0x0, 0x0, 0x0, 0x0), %3, %4 (0x0)) (image_dim=Subpass, image_array=false, format=none, access=none, dest_type=float32)
//! 32x2  %6 = mov %5.yz
//! ```

use crate::analysis::framebuffer::{is_multisample, FramebufferRead};
use crate::ir::{rewrite, Builder, Def, Edit, Inst, Shader, TypeData, Var, Variable};
use crate::op::names::{frag_result, pack_alu_type, ImageDim};
use crate::op::{AluOp, AluType, Base, Facts, Index, Intrinsic, Modes};
use crate::pass::{Context, Pass};
use crate::target::{attachment_number, Descriptor, Target, ATTACHMENT_BINDING};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_fbfetch",
    about: "turns reads of the framebuffer into reads of an input attachment",
    facts: Facts::FRAMEBUFFER_READS.union(Facts::FETCHED_OUTPUTS),
    removes: Facts::FRAMEBUFFER_READS,
    run,
    ..Pass::IDLE
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let dim = if is_multisample(shader) { ImageDim::subpass_ms } else { ImageDim::subpass };
    let mut attachments = Attachments { dim, target: &context.target, made: FxHashMap::default() };
    rewrite(shader, |b, inst| match FramebufferRead::new(b.shader, inst) {
        Some(read) => Edit::Replace(attachments.read(b, inst, read)),
        None => Edit::Keep,
    })
}

/// The attachments that the shader reads.
struct Attachments<'a> {
    dim: ImageDim,
    target: &'a Target,
    /// Their variables, by number and type of the texel.
    made: FxHashMap<(u32, Base), Var>,
}

impl Attachments<'_> {
    fn read(&mut self, b: &mut Builder<'_>, inst: Inst, read: FramebufferRead) -> Def {
        let data = b.shader.insts[inst];
        let mut texel = self.texel(b, read.slot, read.base, data.bit_size);
        for n in 1..read.count {
            let other = self.texel(b, read.slot + n, read.base, data.bit_size);
            texel = choose(b, read.index, n, other, texel);
        }
        // A variable may have more components than the texel has from its first on: the others are undefined.
        let wanted: [u8; 16] = std::array::from_fn(|c| (read.component + c as u8).min(3));
        let mut value = b.swizzle(texel, &wanted[..usize::from(data.num_components)]);
        for c in (1..4).filter(|_| read.lane.is_some()) {
            let other = b.channel(texel, (read.component + c).min(3));
            value = choose(b, read.lane, c.into(), other, value);
        }
        value
    }

    /// The texel of the attachment of `slot` at the fragment.
    fn texel(&mut self, b: &mut Builder<'_>, slot: u32, base: Base, bits: u8) -> Def {
        let base = match (slot, base) {
            (frag_result::STENCIL, _) => Base::Uint,
            (frag_result::DEPTH, _) | (_, Base::Bool) => Base::Float,
            (_, base) => base,
        };
        let number = attachment_number(slot).unwrap_or(0);
        let var = *self.made.entry((number, base)).or_insert_with(|| {
            let texel = AluType::new(base, 32);
            let ty = b.shader.types.intern(TypeData::Image { dim: self.dim, array: false, texel });
            let name = b.shader.strings.format(format_args!("attachment{number}"));
            b.shader.vars.push(Variable {
                binding: ATTACHMENT_BINDING + number,
                descriptor_set: Some(self.target.descriptor_set(Descriptor::DefaultUniforms)),
                index: number,
                ..Variable::new(name, ty, Modes::UNIFORM)
            })
        });
        let pointer = b.deref_var(var);
        let here = b.constant(32, &[0; 4]);
        let sample = match self.dim.is_multisample() {
            true => b.intrinsic(Intrinsic::load_sample_id, 1, 32, &[]).def(),
            false => b.undef(1, 32),
        };
        let level = b.imm32(0);
        let texel = pack_alu_type(AluType::new(base, 32));
        let indices = [(Index::image_dim, self.dim as u32), (Index::dest_type, texel)];
        let srcs = [pointer, here, sample, level];
        let texel = b.intrinsic_with(Intrinsic::image_deref_load, 4, 32, &srcs, &indices).def();
        match (bits, base) {
            (16, Base::Float) => b.alu(AluOp::f2f16, &[texel]),
            (16, _) => b.alu(AluOp::u2u16, &[texel]),
            _ => texel,
        }
    }
}

/// `value` if `index` is `number`, else `other`.
fn choose(b: &mut Builder<'_>, index: Option<Def>, number: u32, value: Def, other: Def) -> Def {
    let Some(index) = index else { return other };
    let number = b.imm(b.shader.bit_size(index), number.into());
    let is_this = b.alu(AluOp::ieq, &[index, number]);
    let conditions = vec![0; usize::from(b.shader.num_components(value))];
    let is_this = b.swizzle(is_this, &conditions);
    b.alu(AluOp::bcsel, &[is_this, value, other])
}
