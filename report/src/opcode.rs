// SPDX-License-Identifier: MIT

//! What the tables say about an opcode of NIR, and the grammar about an instruction of SPIR-V.
//!
//! ```text
//! load_ubo  an intrinsic of NIR
//!   sources     0: any number of components, 1: 1 component
//!   result      as many components as the instruction
//!   memory      a load from uniform blocks: source 0 has the block, and source 1 the offset in bytes
//! ```

use ntv::op::intrinsic::Components;
use ntv::op::meaning::{IntrinsicForm, MemoryAccess, MemoryKind, MemoryOperation, OffsetUnit, Sampling, Stages};
use ntv::op::{
    AluInfo, AluOp, Base, Effects, Form, Intrinsic, IntrinsicInfo, Meaning, Operand, Props, TexOp, TexSrcKind,
};
use rspirv::grammar::{
    LogicalOperand, OperandKind, OperandQuantifier, GLSL_STD_450_INSTRUCTION_TABLE, INSTRUCTION_TABLE,
};
use spirv::Capability;

/// The specification of SPIR-V, in which each instruction has an anchor.
const SPECIFICATION: &str = "https://registry.khronos.org/SPIR-V/specs/unified1/SPIRV.html";

/// The specification of the extended instructions for GLSL.
const GLSL: &str = "https://registry.khronos.org/SPIR-V/specs/unified1/GLSL.std.450.html";

/// What there is to know about an opcode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opcode {
    /// Its name.
    pub name: String,
    /// What it is, without a full stop.
    pub what: String,
    /// The facts: a name and a text.
    pub facts: Vec<(&'static str, String)>,
    /// Its place in a specification.
    pub link: Option<String>,
}

impl Opcode {
    fn new(name: &str, what: &str) -> Opcode {
        Opcode { name: name.into(), what: what.into(), ..Opcode::default() }
    }

    /// Adds a fact, unless it is empty.
    fn fact(&mut self, name: &'static str, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.facts.push((name, text));
        }
    }
}

/// The opcode of NIR with this name. A dump has `@` before the names of intrinsics, and `(texture_deref)` is no part of a name.
pub fn of_nir(name: &str) -> Option<Opcode> {
    if let Some(intrinsic) = name.strip_prefix('@') {
        return Intrinsic::from_name(intrinsic).map(of_intrinsic);
    }
    let alu = || AluOp::from_name(name).map(|op| of_alu(name, op.info()));
    alu().or_else(|| TexOp::from_name(name).map(of_texture_operation))
}

/// The instruction of SPIR-V with this name: `OpFAdd`, or one of GLSL.std.450, such as `Fma`.
pub fn of_spirv(name: &str) -> Option<Opcode> {
    if let Some(own) = name.strip_prefix("Op") {
        let row = INSTRUCTION_TABLE.iter().find(|row| row.opname == own)?;
        let mut opcode = Opcode::new(name, "an instruction of SPIR-V");
        opcode.grammar(row.operands, row.capabilities, row.extensions);
        opcode.link = Some(format!("{SPECIFICATION}#{name}"));
        return Some(opcode);
    }
    let row = GLSL_STD_450_INSTRUCTION_TABLE.iter().find(|row| row.opname == name)?;
    let mut opcode = Opcode::new(name, "an instruction of GLSL.std.450");
    opcode.grammar(row.operands, row.capabilities, row.extensions);
    opcode.link = Some(GLSL.into());
    Some(opcode)
}

impl Opcode {
    fn grammar(&mut self, operands: &[LogicalOperand], capabilities: &[Capability], extensions: &[&str]) {
        let has = |kind: OperandKind| operands.iter().any(|operand| operand.kind == kind);
        let result = match (has(OperandKind::IdResult), has(OperandKind::IdResultType)) {
            (true, true) => "a value with a type",
            (true, false) => "an id without a type",
            _ => "",
        };
        self.fact("result", result);
        let own = |it: &&LogicalOperand| !matches!(it.kind, OperandKind::IdResult | OperandKind::IdResultType);
        self.fact("operands", list(operands.iter().filter(own).map(operand_text)));
        self.fact("capabilities", capabilities.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(" or "));
        self.fact("extensions", extensions.join(" or "));
    }
}

/// An operand by the name of its kind in the grammar.
fn operand_text(operand: &LogicalOperand) -> String {
    let name = match operand.kind {
        OperandKind::IdRef => "id".to_string(),
        OperandKind::PairIdRefIdRef => "pair of ids".to_string(),
        kind => format!("{kind:?}"),
    };
    match operand.quantifier {
        OperandQuantifier::One => name,
        OperandQuantifier::ZeroOrOne => format!("{name} (optional)"),
        OperandQuantifier::ZeroOrMore => format!("any number of {name}"),
    }
}

fn of_alu(name: &str, info: &AluInfo) -> Opcode {
    let mut opcode = Opcode::new(name, "an ALU operation of NIR");
    opcode.fact("sources", list(info.srcs.iter().map(alu_operand)));
    opcode.fact("result", alu_operand(&info.dest));
    const PROPERTIES: [(Props, &str); 6] = [
        (Props::COMMUTATIVE, "its first two sources can be exchanged"),
        (Props::ASSOCIATIVE, "it can be regrouped"),
        (Props::TYPELESS, "it moves bits without reading them"),
        (Props::CONVERSION, "it is a conversion"),
        (Props::SIGN_AGNOSTIC, "SPIR-V takes signed and unsigned sources alike"),
        (Props::IMPRECISE, "Vulkan allows an error beyond rounding"),
    ];
    let own = PROPERTIES.iter().filter(|row| info.props.contains(row.0));
    opcode.fact("properties", list(own.map(|row| row.1)));
    opcode.fact("SPIR-V", alu_form(info.form));
    opcode
}

/// `float32`, `float`, or `3 components of float`.
fn alu_operand(operand: &Operand) -> String {
    let base = base_name(operand.ty.base);
    let ty = if operand.ty.bits == 0 { base.to_string() } else { format!("{base}{}", operand.ty.bits) };
    match operand.size {
        0 => ty,
        1 => format!("1 component of {ty}"),
        size => format!("{size} components of {ty}"),
    }
}

fn base_name(base: Base) -> &'static str {
    match base {
        Base::Bool => "bool",
        Base::Int => "int",
        Base::Uint => "uint",
        Base::Float => "float",
    }
}

fn alu_form(form: Form) -> String {
    match form {
        Form::Op(op) => format!("Op{op:?}"),
        Form::OpOrLogical(op, logical) => format!("Op{op:?}, or Op{logical:?} for booleans"),
        Form::Ext(op) => format!("{op:?} of GLSL.std.450"),
        Form::Shift(op) => format!("Op{op:?} by the count modulo the width"),
        Form::Bitcast => "OpBitcast".into(),
        Form::Construct => "OpCompositeConstruct".into(),
        Form::Move => "no instruction: the result is the source".into(),
        Form::SelectOne => "OpSelect of one and zero".into(),
        Form::Special => "several instructions".into(),
        Form::Lowered => "none: a pass rewrites it".into(),
    }
}

fn of_intrinsic(op: Intrinsic) -> Opcode {
    let (info, meaning) = (op.info(), op.meaning());
    let mut opcode = Opcode::new(op.name(), "an intrinsic of NIR");
    let sources = info.srcs.iter().enumerate().map(|(number, it)| format!("{number}: {}", components(*it)));
    opcode.fact("sources", list(sources));
    opcode.fact("result", result(info));
    opcode.fact("memory", info.memory.map(memory).unwrap_or_default());
    let of_image = meaning.image.map(|image| format!("{:?}, by {:?}", image.operation, image.name).to_lowercase());
    opcode.fact("image", of_image.unwrap_or_default());
    opcode.fact("input or output", meaning.io.map(slots).unwrap_or_default());
    opcode.fact("sampled", meaning.sampling.map(sampling).unwrap_or_default());
    for index in info.indices {
        opcode.facts.push((index.printed(), index.about().trim_end_matches('.').into()));
    }
    const EFFECTS: [(Effects, &str); 2] =
        [(Effects::ELIMINATE, "without uses, it can be removed"), (Effects::REORDER, "equal ones can be merged")];
    opcode.fact("optimizations", list(EFFECTS.iter().filter(|row| info.effects.contains(row.0)).map(|row| row.1)));
    if info.stages != Stages::all() {
        let names = info.stages.iter_names().map(|row| row.0.to_lowercase());
        opcode.fact("stages", list(names.filter(|name| name != "grid")));
    }
    opcode.fact("features", list(meaning.features.iter().map(|it| it.name())));
    opcode.fact("features for some operands", list(meaning.features_by_operands.iter().map(|it| it.name())));
    opcode.fact("SPIR-V", intrinsic_form(info, meaning));
    opcode
}

fn components(of: Components) -> String {
    match of {
        Components::None => "none".into(),
        Components::Any => "any number of components".into(),
        Components::Instr => "as many components as the instruction".into(),
        Components::Exactly(1) => "1 component".into(),
        Components::Exactly(count) => format!("{count} components"),
    }
}

fn result(info: &IntrinsicInfo) -> String {
    if info.dest == Components::None {
        return String::new();
    }
    let widths = (0..u8::BITS).map(|bit| 1u8 << bit).filter(|width| info.dest_bits & width != 0);
    let widths: Vec<String> = widths.map(|width| width.to_string()).collect();
    match widths.is_empty() {
        true => components(info.dest),
        false => format!("{}, of {} bits", components(info.dest), widths.join(" or ")),
    }
}

fn memory(access: MemoryAccess) -> String {
    let operation = match access.operation {
        MemoryOperation::Load => "a load from",
        MemoryOperation::Store => "a store to",
        MemoryOperation::Atomic => "an atomic operation on",
        MemoryOperation::AtomicSwap => "an atomic exchange if equal in",
        MemoryOperation::Size => "the size of",
    };
    let kind = match access.kind {
        MemoryKind::Ubo => "uniform blocks",
        MemoryKind::Ssbo => "storage blocks",
        MemoryKind::PushConstant => "push constants",
        MemoryKind::Shared => "memory of the workgroup",
        MemoryKind::TaskPayload => "the payload of a task shader",
        MemoryKind::Scratch => "memory of the invocation",
        MemoryKind::Global => "memory by address",
        MemoryKind::Constant => "constant data of the shader",
        MemoryKind::KernelInput => "parameters of the kernel",
        MemoryKind::Uniform => "uniforms outside of blocks",
        MemoryKind::Deref => "the memory of the deref in source 0",
    };
    let unit = match (access.kind, access.unit) {
        (MemoryKind::Global, _) => "address",
        (_, OffsetUnit::Bytes) => "offset in bytes",
        (_, OffsetUnit::Vec4s) => "offset in vectors of 16 bytes",
        (_, OffsetUnit::ZinkMembers) => "member of zink's push constants",
    };
    match (access.block, access.offset) {
        (Some(block), Some(offset)) => {
            format!("{operation} {kind}: source {block} has the block, and source {offset} the {unit}")
        }
        (Some(block), None) => format!("{operation} {kind}: source {block} has the block"),
        (None, Some(offset)) => format!("{operation} {kind}: source {offset} has the {unit}"),
        (None, None) => format!("{operation} {kind}"),
    }
}

fn slots(access: ntv::op::meaning::IoAccess) -> String {
    let what = if access.is_output { "an output" } else { "an input" };
    let vertex = access.vertex.map_or(String::new(), |vertex| format!(", and source {vertex} the vertex"));
    format!("{what} by slot: source {} has the offset{vertex}", access.offset)
}

fn sampling(at: Sampling) -> &'static str {
    match at {
        Sampling::Pixel => "in the middle of the pixel",
        Sampling::Centroid => "at the centroid of the part of the pixel that the primitive covers",
        Sampling::Sample => "at the sample for which the fragment is shaded",
        Sampling::AtSample => "at the sample with the number in the last source",
        Sampling::AtOffset => "at the offset from the middle in the last source",
        Sampling::AtVertex => "at the vertex with the number in the last source",
    }
}

fn intrinsic_form(info: &IntrinsicInfo, meaning: &Meaning) -> String {
    match info.form {
        IntrinsicForm::BuiltIn(builtin, base) => format!("a load of the built-in {builtin:?}, as {}", base_name(base)),
        IntrinsicForm::Derivative(op) | IntrinsicForm::Move(op, _) => format!("Op{op:?}"),
        IntrinsicForm::Vote(op, extension, _) => format!("Op{op:?}, or Op{extension:?} before SPIR-V 1.3"),
        IntrinsicForm::QuadSwap(direction) => format!("OpGroupNonUniformQuadSwap in direction {direction}"),
        IntrinsicForm::BallotQuery(op, Some(counted)) => format!("Op{op:?} {counted:?}"),
        IntrinsicForm::BallotQuery(op, None) => format!("Op{op:?}"),
        IntrinsicForm::Reduction(group) => format!("the reduction of its operation, {group:?}"),
        IntrinsicForm::Special => String::new(),
        IntrinsicForm::Untranslated => format!("not translated: {}", meaning.why),
    }
}

fn of_texture_operation(op: TexOp) -> Opcode {
    let mut opcode = Opcode::new(op.name(), "a texture operation of NIR");
    opcode.fact("what", op.about().trim_end_matches('.'));
    let sources =
        TexSrcKind::ALL.iter().filter_map(|kind| Some(format!("{} {}", base_name(kind.base(op)?), kind.name())));
    opcode.fact("sources that it may have", list(sources));
    opcode.fact("sampler", if op.samples() { "needed" } else { "none" });
    opcode
}

fn list<Text: AsRef<str>>(texts: impl Iterator<Item = Text>) -> String {
    let mut all = String::new();
    for text in texts {
        all += if all.is_empty() { "" } else { ", " };
        all += text.as_ref();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(of: &Opcode) -> String {
        of.facts.iter().map(|(name, text)| format!("{name}: {text}\n")).collect()
    }

    #[test]
    fn an_opcode_of_nir_has_its_row() {
        let add = of_nir("fadd").expect("a row");
        assert_eq!(
            facts(&add),
            "sources: float, float\nresult: float\n\
             properties: its first two sources can be exchanged, it can be regrouped\nSPIR-V: OpFAdd\n"
        );
        let load = facts(&of_nir("@load_ubo").expect("a row"));
        assert!(load.starts_with("sources: 0: any number of components, 1: 1 component\n"), "{load}");
        assert!(
            load.contains(
                "memory: a load from uniform blocks: source 0 has the block, and source 1 the offset in bytes\n"
            ),
            "{load}"
        );
        assert!(load.contains("range_base: Start of the bytes that may be accessed\n"), "{load}");
        assert!(facts(&of_nir("txl").expect("a row")).starts_with("what: Sample with an explicit level of detail\n"));
        assert_eq!((of_nir("load_ubo"), of_nir("@fadd"), of_nir("impl")), (None, None, None));
    }

    #[test]
    fn every_opcode_says_something() {
        let alu = AluOp::ALL.iter().map(|op| op.name().to_string());
        let intrinsics = Intrinsic::ALL.iter().map(|op| format!("@{}", op.name()));
        for name in alu.chain(intrinsics) {
            let found = of_nir(&name).expect("a row");
            assert!(found.facts.iter().all(|row| !row.1.is_empty()), "{name}");
        }
        for index in ntv::op::Index::ALL {
            assert!(index.about().ends_with('.'), "{}", index.name());
        }
    }

    #[test]
    fn an_instruction_of_spirv_has_its_place_in_the_specification() {
        let chain = of_spirv("OpAccessChain").expect("an instruction");
        assert_eq!(facts(&chain), "result: a value with a type\noperands: id, any number of id\n");
        assert_eq!(chain.link.as_deref(), Some(&*format!("{SPECIFICATION}#OpAccessChain")));
        let fma = of_spirv("Fma").expect("an instruction");
        assert_eq!((fma.what.as_str(), fma.link.as_deref()), ("an instruction of GLSL.std.450", Some(GLSL)));
        assert_eq!(of_spirv("OpNone"), None);
        assert_eq!(of_spirv("Location"), None);
    }
}
