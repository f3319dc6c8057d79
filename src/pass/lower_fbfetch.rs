//! Reads of the framebuffer become reads of an input attachment.
//!
//! **What.** A fragment shader that loads a colour output reads the texel of the image there, from an attachment that this
//! pass declares: at binding [`ATTACHMENT_BINDING`] and up in the set of the default uniforms, where zink has it.
//!
//! **Why.** An Output variable of Vulkan does not hold what the framebuffer holds; only input attachments are read at the
//! place of the fragment (Vulkan, "Input Attachment Interface").
//!
//! NIR does not say whether the framebuffer is multisample, so the attachment is not.
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

use super::{Context, Forms, Pass};
use crate::ir::{rewrite, Builder, Def, Edit, Inst, Shader, Stage, TypeData, Var, VarFlags, Variable};
use crate::op::names::{frag_result, pack_alu_type, unpack_alu_type, ImageDim, IoSemantics};
use crate::op::{AluType, Base, Index, Intrinsic, Modes};
use crate::target::{Descriptor, Target, ATTACHMENT_BINDING};
use rustc_hash::FxHashMap;

/// See the [module](self).
pub const PASS: Pass = Pass {
    name: "lower_fbfetch",
    about: "reads of the framebuffer become reads of an input attachment",
    removes: Forms::FRAMEBUFFER_READS,
    run,
};

fn run(shader: &mut Shader, context: &Context) -> bool {
    let fetches = |v: &Variable| v.flags.contains(VarFlags::FB_FETCH_OUTPUT);
    if shader.stage() != Stage::Fragment
        || !shader.inventory().has(Intrinsic::load_output) && !shader.vars.values().any(fetches)
    {
        return false;
    }
    let mut attachments = FxHashMap::default();
    rewrite(shader, |b, inst| match FramebufferRead::new(b.shader, inst) {
        Some(read) => Edit::Replace(read.lower(b, inst, &context.target, &mut attachments)),
        None => Edit::Keep,
    })
}

/// A load of a colour output.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramebufferRead {
    /// Which colour attachment.
    index: u32,
    /// First component.
    component: u8,
    base: Base,
}

impl FramebufferRead {
    /// What `inst` reads of the framebuffer.
    pub(super) fn new(shader: &Shader, inst: Inst) -> Option<FramebufferRead> {
        let (op, srcs) = shader.as_intrinsic(inst).filter(|_| shader.stage() == Stage::Fragment)?;
        let (slot, component, base) = match op {
            Intrinsic::load_output => {
                let slot = IoSemantics::unpack(shader.index(inst, Index::io_semantics)).location;
                let slot = slot.checked_add(shader.as_const_scalar(srcs[0])? as u32)?;
                let component = shader.index(inst, Index::component) as u8;
                (slot, component, unpack_alu_type(shader.index(inst, Index::dest_type)).base)
            }
            Intrinsic::load_deref => {
                let variable = &shader.vars[shader.deref_var(srcs[0])?];
                let scalar = shader.types.as_vector(variable.ty)?.0;
                let is_fetch = variable.mode == Modes::SHADER_OUT && variable.flags.contains(VarFlags::FB_FETCH_OUTPUT);
                (variable.location.filter(|_| is_fetch)?, variable.location_frac, scalar.base)
            }
            _ => return None,
        };
        let index = if slot == frag_result::COLOR { 0 } else { slot.checked_sub(frag_result::DATA0)? };
        let base = if base == Base::Bool { Base::Float } else { base };
        (component < 4).then_some(FramebufferRead { index, component, base })
    }

    fn lower(self, b: &mut Builder<'_>, inst: Inst, target: &Target, made: &mut FxHashMap<(u32, Base), Var>) -> Def {
        let texel = AluType::new(self.base, 32);
        let var = *made.entry((self.index, self.base)).or_insert_with(|| self.declare(b.shader, target, texel));
        let data = b.shader.insts[inst];
        let pointer = b.deref_var(var);
        let here = b.constant(32, &[0; 4]);
        let sample = b.undef(1, 32);
        let level = b.imm32(0);
        let indices = [(Index::image_dim, ImageDim::subpass as u32), (Index::dest_type, pack_alu_type(texel))];
        let srcs = [pointer, here, sample, level];
        let texel = b.intrinsic_with(Intrinsic::image_deref_load, 4, data.bit_size, &srcs, &indices).def();
        // What a variable has behind the fourth component is not there.
        let wanted: [u8; 16] = std::array::from_fn(|c| (self.component + c as u8).min(3));
        b.swizzle(texel, &wanted[..usize::from(data.num_components)])
    }

    fn declare(self, shader: &mut Shader, target: &Target, texel: AluType) -> Var {
        let ty = shader.types.intern(TypeData::Image { dim: ImageDim::subpass, array: false, texel });
        let name = shader.strings.format(format_args!("attachment{}", self.index));
        shader.vars.push(Variable {
            binding: ATTACHMENT_BINDING + self.index,
            descriptor_set: Some(target.descriptor_set(Descriptor::DefaultUniforms)),
            index: self.index,
            ..Variable::new(name, ty, Modes::UNIFORM)
        })
    }
}
