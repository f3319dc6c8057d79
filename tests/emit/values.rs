// SPDX-License-Identifier: MIT

//! Types, swizzles, shifts, subgroups.

use super::*;
use spirv::Capability::*;

#[test]
fn a_value_is_bitcast_once_where_it_dominates() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32    %2 = iadd %1.x, %1.y
    32    %3 = ixor %1.z, %2
    32    %4 = i2f32 %3
    32x4  %5 = vec4 %4, %4, %4, %4
    32    %6 = deref_var &o (shader_out vec4)
              @store_deref (%6, %5) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::Bitcast]), 1, "{}", it.asm());
}

#[test]
fn only_variable_shift_counts_are_masked() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &u (shader_in uint)
    32    %1 = @load_deref (%0) (access=none)
    32    %2 = load_const (0x00000025)
    32    %3 = load_const (0x00000007)
    32    %4 = ishl %1, %2 (0x25)
    32    %5 = iand %1, %3 (0x7)
    32    %6 = ushr %4, %5
    32    %7 = ishr %6, %1
    32    %8 = u2f32 %7
    32x4  %9 = vec4 %8, %8, %8, %8
    32   %10 = deref_var &o (shader_out vec4)
              @store_deref (%10, %9) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::BitwiseAnd]), 2, "the iand itself and one mask:\n{}", it.asm());
}

#[test]
fn vectors_of_components_are_shuffles() {
    let it = emitted(&fragment(&format!(
        "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    32x4  %2 = fneg %1
    32x4  %3 = vec4 %1.y, %2.x, %1.z, %2.w
    32x4  %4 = vec4 %3.x, %3.y, %3.z, %3.w
    32    %5 = deref_var &o (shader_out vec4)
              @store_deref (%5, %4) (wrmask=xyzw, access=none)
{END}"
    )));
    assert_eq!(it.count(&[Op::CompositeExtract, Op::CompositeConstruct]), 0);
    assert_eq!(it.count(&[Op::VectorShuffle]), 1);
}

#[test]
fn subgroup_operations_of_both_generations() {
    let dump = compute(
        "    32    %0 = @load_subgroup_invocation
    32    %1 = load_const (0x00000001)
    1     %2 = ieq %0, %1
    32    %3 = @ballot (%2)
    1     %4 = @vote_any (%2)
    32    %5 = @read_first_invocation (%3)
    32    %6 = @read_invocation (%5, %1)
    32    %7 = b2i32 %4
    32    %8 = iadd %6, %7
              @store_deref (%93, %8) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    );
    let old = emitted_for(&dump, &Target::new(Version(1, 0)));
    let named = ["SubgroupBallotKHR", "SubgroupAnyKHR", "SubgroupFirstInvocationKHR", "SubgroupReadInvocationKHR 1"];
    assert_eq!(old.group_operations(), named);
    assert_eq!(old.capabilities(), [SubgroupBallotKHR, SubgroupVoteKHR]);
    for version in [Version(1, 1), Version(1, 3)] {
        let it = emitted_for(&dump, &Target::new(version));
        let named = ["GroupNonUniformBallot", "GroupNonUniformAny", "GroupNonUniformBroadcastFirst"];
        assert_eq!(it.group_operations()[..3], named);
        assert_eq!(it.group_operations()[3..], ["GroupNonUniformBroadcast 1"]);
        assert_eq!(it.capabilities(), [GroupNonUniform, GroupNonUniformBallot, GroupNonUniformVote]);
        assert_eq!(it.module.extensions.len(), 0);
    }
}

#[test]
fn reductions_and_quads() {
    let it = emitted(&compute(
        "    32    %0 = @load_subgroup_invocation
    32    %1 = @reduce (%0) (reduction_op=iadd, cluster_size=0)
    32    %2 = @inclusive_scan (%1) (reduction_op=umax)
    32    %3 = u2f32 %2
    32    %4 = @exclusive_scan (%3) (reduction_op=fadd)
    32    %5 = @quad_swap_horizontal (%4)
    32    %6 = @shuffle_xor (%5, %0)
    32    %7 = @reduce (%6) (reduction_op=fmin, cluster_size=4)
    1     %8 = @elect
    1     %9 = @vote_feq (%7)
    1    %10 = iand %8, %9
    32   %11 = b2f32 %10
    32   %12 = fadd %11, %7
              @store_deref (%93, %12) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    ));
    let named = [
        "GroupNonUniformIAdd Reduce",
        "GroupNonUniformUMax InclusiveScan",
        "GroupNonUniformFAdd ExclusiveScan",
        "GroupNonUniformQuadSwap 0",
        "GroupNonUniformShuffleXor",
        "GroupNonUniformFMin ClusteredReduce 4",
        "GroupNonUniformElect",
        "GroupNonUniformAllEqual",
    ];
    assert_eq!(it.group_operations(), named);
    let [arithmetic, quad] = [GroupNonUniformArithmetic, GroupNonUniformQuad];
    let [shuffle, clustered, vote] = [GroupNonUniformShuffle, GroupNonUniformClustered, GroupNonUniformVote];
    assert_eq!(it.capabilities(), [GroupNonUniform, arithmetic, quad, shuffle, clustered, vote]);
}

#[test]
fn vectors_of_more_than_four_components_are_refused() {
    let shader = parse(&compute(
        "    32x8  %0 = load_const (0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)
    32x8  %1 = iadd %0, %0
    32    %2 = iadd %1.x, %1.y
    @store_deref (%93, %2) (wrmask=x, access=none)
                // succs: b1
    block b1:",
    ));
    let errors = emit(&shader, &Target::default(), &EmitOptions::default()).expect_err("no such vector");
    assert_eq!(errors.to_string(), "line 16: a vector of more than four components is not supported");
}

/// The operands are floats because they are added to floats.
#[test]
fn signalling_nans_keep_their_bits() {
    for (bits, [from, to], nan, words) in [
        (16, ["f2f16", "f2f32"], "0x7d01", &[0x7d01][..]),
        (32, ["fneg", "fneg"], "0x7f800001", &[0x7f80_0001]),
        (64, ["f2f64", "f2f32"], "0x7ff0000000000001", &[1, 0x7ff0_0000]),
    ] {
        let it = emitted(&fragment(&format!(
            "    block b0:  // preds:
    32    %0 = deref_var &f (shader_in vec4)
    32x4  %1 = @load_deref (%0) (access=none)
    {bits} %2 = {from} %1.x
    {bits} %3 = load_const ({nan})
    {bits} %4 = fadd %2, %3
    32    %5 = {to} %4
    32x4  %6 = vec4 %5, %5, %5, %5
    32    %7 = deref_var &o (shader_out vec4)
              @store_deref (%7, %6) (wrmask=xyzw, access=none)
{END}"
        )));
        let values = &it.module.types_global_values;
        let is_float = |ty: &dr::Instruction| ty.class.opcode == Op::TypeFloat;
        let has_float =
            |inst: &dr::Instruction| values.iter().any(|ty| ty.result_id == inst.result_type && is_float(ty));
        let mut floats = values.iter().filter(|inst| inst.class.opcode == Op::Constant && has_float(inst));
        let value = match floats.next().map(|inst| &inst.operands[..]) {
            Some([dr::Operand::LiteralBit32(word)]) => vec![*word],
            Some([dr::Operand::LiteralBit64(both)]) => vec![*both as u32, (*both >> 32) as u32],
            other => panic!("{other:?} in\n{}", it.asm()),
        };
        assert_eq!((value.as_slice(), floats.next()), (words, None), "{}", it.asm());
    }
}
