// SPDX-License-Identifier: MIT

//! Emission of shaders in emittable form: the important constructs are counted in the words, and `spirv-val` validates all.

mod builtins;
mod exact;
mod flow;
mod interface;
mod math_control;
mod memory;
#[path = "../support/mod.rs"]
mod support;
mod values;

use ntv::spirv::{emit, Emitter};
use ntv::target::Version;
use ntv::{text, EmitOptions, Feature, Shader, Target};
use rspirv::dr;
use spirv::Op;

/// A module that `spirv-val` accepts, with queries.
struct Emitted {
    words: Vec<u32>,
    module: dr::Module,
}

impl Emitted {
    /// The instructions of the function.
    fn code(&self) -> impl Iterator<Item = &dr::Instruction> {
        self.module.functions.iter().flat_map(|function| function.all_inst_iter())
    }

    /// The number of instructions of the function with one of these opcodes.
    fn count(&self, ops: &[Op]) -> usize {
        self.code().filter(|inst| ops.contains(&inst.class.opcode)).count()
    }

    /// Blocks with only a branch, except the first of the function.
    fn empty_blocks(&self) -> usize {
        let blocks = self.module.functions.iter().flat_map(|function| &function.blocks).skip(1);
        blocks.filter(|block| block.instructions.len() == 1 && block.instructions[0].class.opcode == Op::Branch).count()
    }

    /// Decorations of the module, as text.
    fn decorations(&self) -> String {
        use rspirv::binary::Disassemble as _;
        self.module.annotations.iter().map(|inst| inst.disassemble() + "\n").collect()
    }

    fn asm(&self) -> String {
        use rspirv::binary::Disassemble as _;
        self.module.disassemble()
    }

    /// The subgroup operations in their order, with their kind if they have one, and the constants among their operands.
    fn group_operations(&self) -> Vec<String> {
        let constant = |id: u32| {
            let mut values = self.module.types_global_values.iter().filter(|inst| inst.class.opcode == Op::Constant);
            values.find(|inst| inst.result_id == Some(id)).map(|inst| inst.operands[0].to_string())
        };
        let shown = |operand: &dr::Operand| match operand {
            dr::Operand::IdRef(id) => constant(*id),
            dr::Operand::GroupOperation(kind) => Some(format!("{kind:?}")),
            _ => None,
        };
        let operations = self.code().filter(|inst| inst.class.opname.contains("roup"));
        let named = operations.map(|inst| {
            let operands: Vec<String> = inst.operands.iter().filter_map(shown).collect();
            format!("{} {}", inst.class.opname, operands.join(" ")).trim_end().to_string()
        });
        named.collect()
    }

    /// The capabilities besides Shader.
    fn capabilities(&self) -> Vec<spirv::Capability> {
        let operands = self.module.capabilities.iter().flat_map(|inst| &inst.operands);
        let all = operands.filter_map(|operand| match operand {
            dr::Operand::Capability(capability) => Some(*capability),
            _ => None,
        });
        all.filter(|capability| *capability != spirv::Capability::Shader).collect()
    }

    fn has_capability(&self, capability: spirv::Capability) -> bool {
        let wanted = dr::Operand::Capability(capability);
        self.module.capabilities.iter().any(|inst| inst.operands.contains(&wanted))
    }
}

fn parse(dump: &str) -> Shader {
    text::parse(dump).unwrap_or_else(|errors| panic!("{errors}\n{dump}"))
}

fn emitted_with(dump: &str, target: &Target, options: &EmitOptions<'_>) -> Emitted {
    let words = emit(&parse(dump), target, options).unwrap_or_else(|errors| panic!("{errors}\n{dump}")).words;
    let module = dr::load_words(&words).expect("a module that rspirv reads");
    let it = Emitted { words, module };
    support::spirv_val(&it.words, target).unwrap_or_else(|problem| panic!("{problem}\n{}\n{dump}", it.asm()));
    it
}

fn emitted_for(dump: &str, target: &Target) -> Emitted {
    emitted_with(dump, target, &EmitOptions::default())
}

fn emitted(dump: &str) -> Emitted {
    emitted_for(dump, &Target::default())
}

/// The body of a fragment shader with inputs `f` (vec4), `i` (int), `u` (uint) and an output `o` (vec4).
fn fragment(body: &str) -> String {
    format!(
        "shader: MESA_SHADER_FRAGMENT
subgroup_size: 0
decl_var shader_in INTERP_MODE_SMOOTH none vec4 f (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var shader_in INTERP_MODE_FLAT none int i (VARYING_SLOT_VAR1.x, 1, 0)
decl_var shader_in INTERP_MODE_FLAT none uint u (VARYING_SLOT_VAR2.x, 2, 0)
decl_var shader_out INTERP_MODE_NONE none vec4 o (FRAG_RESULT_DATA0.xyzw, 0, 0)
decl_var ubo INTERP_MODE_NONE none struct block (0, 0, 0)
decl_function main () (entrypoint)

impl main {{
{body}
}}
"
    )
}

/// A compute shader with a storage block `b` of uvec4.
fn compute(body: &str) -> String {
    format!(
        "shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
subgroup_size: 0
decl_var ssbo INTERP_MODE_NONE none struct b (0, 0, 0)
decl_var shared INTERP_MODE_NONE none uint[16] s
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32    %90 = deref_var &b (ssbo struct)
    32    %91 = deref_struct &%90->base (ssbo uvec4[])
    32    %92 = deref_array &(*%91)[0] (ssbo uvec4)
    32    %93 = deref_array &(*%92)[0] (ssbo uint)
    32    %94 = deref_var &s (shared uint[16])
{body}
}}
"
    )
}

/// An unconditional last block, for bodies whose b0 branches to the end.
const END: &str = "                // succs: b1\n    block b1:";

/// A loop that counts %6 from 0, with `body` after the exit and the phi's second source `next` from block `from`.
fn counting_loop(body: &str, phi: &str) -> String {
    fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000000)
    32    %3 = load_const (0x00000001)
              // succs: b1
    loop {{
        block b1:  // preds: b0 b9
        32    %6 = phi b0: %2 (0x0), {phi}
        1     %7 = uge %6, %1
                  // succs: b2 b3
        if %7 {{
            block b2:  // preds: b1
            break
            // succs: b10
        }} else {{
            block b3:  // preds: b1, succs: b4
        }}
        block b4:  // preds: b3
{body}
    }}
    block b10:  // preds: b2
    32    %80 = u2f32 %6
    32x4  %81 = vec4 %80, %80, %80, %80
    32    %82 = deref_var &o (shader_out vec4)
              @store_deref (%82, %81) (wrmask=xyzw, access=none)
              // succs: b11
    block b11:"
    ))
}
