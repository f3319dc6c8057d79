// SPDX-License-Identifier: MIT

//! Every row of the ALU table, at every width: compares lavapipe's results with the fold column.
//!
//! A module has a batch of operations. Each invocation loads the operands of one case of each, which are corner values in all
//! combinations as far as possible and random ones after that, and stores the results. Operands and results are stored as pairs
//! of words, so that only the operation itself depends on its width.

use crate::corners::{corners, random as random_operand};
use crate::gpu::{read, ssbo, translate, words, Gpu};
use crate::support;
use ntv::ir::{AluFlags, AluSrc, Builder, Def, Shader};
use ntv::op::{AluOp, Base, Index, Intrinsic, Operand};
use ntv::{text, ErrorKind, Feature, Target};
use ntv_driver::headless::Resources;
use ntv_gen::precision::{self, Case, Row};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The number of cases of each operation, and of invocations of a dispatch.
const CASES: usize = 512;

/// All rows, those of vectors only where the width makes no difference any more.
fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for op in AluOp::ALL {
        let info = op.info();
        let operands = || info.srcs.iter().chain([&info.dest]);
        let is_free = operands().any(|operand| operand.ty.bits == 0);
        for free in [1, 8, 16, 32, 64] {
            let fits = |operand: &Operand| operand.ty.bits != 0 || widths(operand.ty.base, *op).contains(&free);
            if !operands().all(fits) || !is_free && free != 32 {
                continue;
            }
            let sizes: &[u8] = match info.dest.size {
                0 if free == 32 => &[1, 3],
                0 => &[1],
                _ => std::slice::from_ref(&info.dest.size),
            };
            rows.extend(sizes.iter().map(|n| Row { op: *op, free, n: *n }));
        }
    }
    rows
}

/// The possible widths of a kind of numbers. One bit is only for logic.
fn widths(base: Base, op: AluOp) -> &'static [u8] {
    const LOGIC: &[&str] = &["mov", "bcsel", "inot", "iand", "ior", "ixor", "ieq", "ine"];
    match base {
        Base::Float => &[16, 32, 64],
        Base::Bool => &[1, 8, 16, 32],
        Base::Int | Base::Uint if LOGIC.contains(&op.name()) || op.name().starts_with("vec") => &[1, 8, 16, 32, 64],
        Base::Int | Base::Uint => &[8, 16, 32, 64],
    }
}

const SKELETON: &str = "\
shader: MESA_SHADER_COMPUTE
name: ALU
workgroup_size: 64, 1, 1
num_ssbos: 2
subgroup_size: 1
decl_var ssbo INTERP_MODE_NONE none uint[] operands (0, 0, 0)
decl_var ssbo INTERP_MODE_NONE none uint[] results (1, 1, 1)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    // succs: b1
    block b1:
}
";

/// A shader with the operations of `rows`, and the slots of operands and results of a case.
fn shader(rows: &[Row]) -> (Shader, u32, u32) {
    let mut shader = text::parse(SKELETON).expect("the skeleton");
    let inputs = rows.iter().map(|row| row.num_operands() as u32).sum();
    let outputs = rows.iter().map(|row| u32::from(row.n)).sum();
    let b = &mut Builder::new(&mut shader);
    let group = b.intrinsic(Intrinsic::load_workgroup_id, 3, 32, &[]).def();
    let group = b.channel(group, 0);
    let local = b.intrinsic(Intrinsic::load_local_invocation_index, 1, 32, &[]).def();
    let first = b.ishl_imm(group, 6);
    let case = b.iadd(first, local);
    let (in_size, out_size) = (b.imm32(inputs * 8), b.imm32(outputs * 8));
    let mut from = b.alu(AluOp::imul, &[case, in_size]);
    let mut to = b.alu(AluOp::imul, &[case, out_size]);
    for row in rows {
        let info = row.op.info();
        let mut srcs: Vec<AluSrc> = Vec::new();
        for operand in info.srcs {
            let (bits, n) = row.shape(operand);
            srcs.push(load(b, 0, from, (bits, n)).into());
            from = b.iadd_imm(from, u64::from(n) * 8);
        }
        let (bits, _) = row.shape(&info.dest);
        let result = b.alu_with(row.op, AluFlags::EXACT, &srcs, Some((row.n, bits)));
        store(b, to, result);
        to = b.iadd_imm(to, u64::from(row.n) * 8);
    }
    (shader, inputs, outputs)
}

/// The alignment of a pair of words.
pub(crate) const ALIGNED: [(Index, u32); 2] = [(Index::align_mul, 8), (Index::align_offset, 0)];

/// A value of which each component is a pair of words from `offset` of storage block `block` on.
pub(crate) fn load(b: &mut Builder<'_>, block: u32, offset: Def, (bits, n): (u8, u8)) -> Def {
    let (block, zero) = (b.imm32(block), b.imm32(0));
    let scalars: Vec<Def> = (0..n)
        .map(|c| {
            let at = b.iadd_imm(offset, u64::from(c) * 8);
            let pair = b.intrinsic_with(Intrinsic::load_ssbo, 2, 32, &[block, at], &ALIGNED).def();
            let low = b.channel(pair, 0);
            match bits {
                64 => b.alu(AluOp::pack_64_2x32, &[pair]),
                16 => b.alu(AluOp::u2u16, &[low]),
                8 => b.alu(AluOp::u2u8, &[low]),
                1 => b.alu(AluOp::ine, &[low, zero]),
                _ => low,
            }
        })
        .collect();
    b.vec(&scalars)
}

/// Stores `value` to storage block 1 like [`load`] loads.
pub(crate) fn store(b: &mut Builder<'_>, offset: Def, value: Def) {
    let (block, zero) = (b.imm32(1), b.imm32(0));
    let bits = b.shader.bit_size(value);
    for c in 0..b.shader.num_components(value) {
        let at = b.iadd_imm(offset, u64::from(c) * 8);
        let scalar = b.channel(value, c);
        let low = match bits {
            64 => {
                let pair = b.alu(AluOp::unpack_64_2x32, &[scalar]);
                let indices = [ALIGNED[0], ALIGNED[1], (Index::write_mask, 3)];
                b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[pair, block, at], &indices);
                continue;
            }
            32 => scalar,
            1 => b.alu(AluOp::b2i32, &[scalar]),
            _ => b.alu(AluOp::u2u32, &[scalar]),
        };
        let pair = b.vec(&[low, zero]);
        let indices = [ALIGNED[0], ALIGNED[1], (Index::write_mask, 3)];
        b.intrinsic_with(Intrinsic::store_ssbo, 0, 0, &[pair, block, at], &indices);
    }
}

/// Random numbers that are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Operands of all cases of `row`: of each case, each operand's components.
fn operands(row: Row) -> Vec<Vec<Vec<u64>>> {
    let info = row.op.info();
    let mut random = Random(row.op as u64 * 64 + u64::from(row.free));
    let pools: Vec<Vec<u64>> = info.srcs.iter().map(|operand| corners(operand.ty.base, row.shape(operand).0)).collect();
    let combinations = pools.iter().fold(1usize, |all, pool| all.saturating_mul(pool.len()));
    let case = |number: usize| {
        let mut rest = number;
        let operand = |(operand, pool): (&Operand, &Vec<u64>)| {
            let (bits, n) = row.shape(operand);
            let systematic = rest % pool.len();
            rest /= pool.len();
            let mut component = |c: u8| match random.next() {
                // The first component of the first cases has all combinations.
                _ if c == 0 && number < combinations && combinations <= CASES => pool[systematic],
                roll if roll % 3 != 0 => pool[(roll >> 8) as usize % pool.len()],
                _ => random_operand(operand.ty.base, bits, random.next()),
            };
            (0..n).map(&mut component).collect()
        };
        info.srcs.iter().zip(&pools).map(operand).collect()
    };
    (0..CASES).map(case).collect()
}

/// The results of the rows.
#[derive(Default)]
struct Report {
    /// The number of rows that ran.
    ran: usize,
    /// The rows that ntv does not translate.
    refused: Vec<String>,
    /// Rows with wrong results, and the first wrong result of each.
    wrong: Vec<String>,
    /// The faults of lavapipe that were seen.
    faults: BTreeSet<&'static str>,
}

/// Judges a result; `Err` has the expected one.
type Judge = fn(&Case<'_>, &[u64]) -> Result<(), String>;

/// The device and options of a run.
struct Bench<'a> {
    gpu: &'a Gpu,
    target: Target,
    judge: Judge,
}

/// Translates and runs `rows`, in two halves if one of them is refused.
fn run(bench: &Bench<'_>, rows: &[Row], report: &mut Report) {
    let (mut shader, inputs, outputs) = shader(rows);
    let translated = support::caught(|| match translate(&mut shader, &bench.target) {
        Ok(module) => Ok(Some(module)),
        Err(errors) if errors.0.iter().all(|error| error.kind == ErrorKind::Unsupported) => Ok(None),
        Err(errors) => Err(errors.to_string()),
    });
    let name = || format!("{}@{}", rows[0].op.name(), rows[0].free);
    match translated {
        Ok(Some(module)) => execute(bench, rows, &module, [inputs, outputs].map(|slots| slots as usize), report),
        _ if rows.len() > 1 => {
            let (first, second) = rows.split_at(rows.len() / 2);
            run(bench, first, report);
            run(bench, second, report);
        }
        Ok(None) => report.refused.push(name()),
        Err(error) => report.wrong.push(format!("{}: {error}", name())),
    }
}

/// Runs `module`, which is made of `rows`, on all cases.
fn execute(bench: &Bench<'_>, rows: &[Row], module: &[u32], [inputs, outputs]: [usize; 2], report: &mut Report) {
    let cases: Vec<Vec<Vec<Vec<u64>>>> = rows.iter().map(|row| operands(*row)).collect();
    let mut input = Vec::with_capacity(CASES * inputs * 2);
    for case in 0..CASES {
        let values = cases.iter().flat_map(|row| row[case].iter().flatten());
        input.extend(values.flat_map(|value| [*value as u32, (*value >> 32) as u32]));
    }
    let results = vec![0xdead_beef; CASES * outputs * 2];
    let mut resources = Resources::from([(ssbo(0), words(&input)), (ssbo(1), words(&results))]);
    bench.gpu.dispatch(module, [(CASES / 64) as u32, 1, 1], &mut resources);
    let results = read(&resources, ssbo(1));
    let mut slot = 0;
    for (row, cases) in rows.iter().zip(&cases) {
        let got = |number: usize| {
            let at = (number * outputs + slot) * 2;
            let pairs = results[at..at + 2 * usize::from(row.n)].chunks(2);
            pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect::<Vec<u64>>()
        };
        compare(*row, cases, got, bench.judge, report);
        slot += usize::from(row.n);
    }
}

/// Compares lavapipe's results `got` for each of `cases`.
fn compare(row: Row, cases: &[Vec<Vec<u64>>], got: impl Fn(usize) -> Vec<u64>, judge: Judge, report: &mut Report) {
    let (mut bad, mut examples) = (0, String::new());
    for (number, operands) in cases.iter().enumerate() {
        let (case, got) = (Case { row, operands }, got(number));
        let Err(expected) = judge(&case, &got) else { continue };
        if FAULTS.iter().any(|fault| fault.op == row.op && (fault.when)(&case)) {
            report.faults.insert(row.op.name());
            continue;
        }
        bad += 1;
        if bad <= 3 {
            let _ = write!(examples, "\n    {operands:x?} gives {got:x?}, not {expected}");
        }
    }
    report.ran += 1;
    if bad != 0 {
        report.wrong.push(format!("{}@{} x{}: {bad} of {CASES} cases{examples}", row.op.name(), row.free, row.n));
    }
}

/// A case for which lavapipe of Mesa 22.3.6 gives wrong results.
struct Fault {
    op: AluOp,
    when: fn(&Case<'_>) -> bool,
    /// Whether the results are wrong on every CPU.
    everywhere: bool,
    /// The evidence that it is not a fault of ntv.
    evidence: &'static str,
}

/// Whether an operand is a double that gallivm rounds wrong: half way between integers, or too large for a float's
/// fraction.
fn is_rounded_as_float(case: &Case<'_>) -> bool {
    let rounds_wrong = |x: f64| x.abs() >= f64::from(1 << 24) || x.fract().abs() == 0.5;
    case.row.free == 64 && case.operands.iter().flatten().any(|bits| rounds_wrong(f64::from_bits(*bits)))
}

const ROUNDING: &str =
    "the same words are right on a processor with AVX-512: gallivm has eight doubles in a vector, for which \
                        no other has an instruction that rounds, and its way around is one for floats";

/// The faults of lavapipe of Mesa 22.3.6. Faults on every CPU must be seen, so that the list has no fault that has been mended.
const FAULTS: &[Fault] = &[
    Fault {
        op: AluOp::imod,
        when: |_| true,
        everywhere: true,
        evidence: "gallivm's visit of nir_op_imod is that of nir_op_irem: the remainder has the dividend's sign",
    },
    Fault {
        op: AluOp::flog2,
        when: |case| case.has_denormal(),
        everywhere: true,
        evidence: "log2 of every denormal is -127 and a bit: the exponent is cut out of the bits; neither log2 of the \
                   number nor of zero",
    },
    Fault {
        op: AluOp::fpow,
        when: |case| case.has_denormal(),
        everywhere: true,
        evidence: "it is exp2(y * log2(x)), see flog2",
    },
    Fault {
        op: AluOp::frexp_sig,
        when: |case| case.has_denormal(),
        everywhere: true,
        evidence:
            "the exponent field of a denormal is overwritten without making the number normal first, which gives \
                   neither its parts nor those of zero; ntv emits FrexpStruct as it is",
    },
    Fault { op: AluOp::frexp_exp, when: |case| case.has_denormal(), everywhere: true, evidence: "see frexp_sig" },
    Fault { op: AluOp::ftrunc, when: is_rounded_as_float, everywhere: false, evidence: ROUNDING },
    Fault { op: AluOp::fround_even, when: is_rounded_as_float, everywhere: false, evidence: ROUNDING },
];

/// Runs `rows` for lavapipe without the features `off`, `batch` of them in a module. LLVM's time for a module grows faster
/// than the module.
fn run_all(rows: &[Row], off: &[Feature], batch: usize, judge: Judge) -> Report {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<Vec<&[Row]>> =
        (0..threads).map(|part| rows.chunks(batch).skip(part).step_by(threads).collect()).collect();
    let reports = support::in_parallel(parts, |part| {
        let (gpu, mut report) = (Gpu::open(), Report::default());
        let mut target = gpu.target().clone();
        off.iter().for_each(|feature| target.set(*feature, false));
        let bench = Bench { gpu: &gpu, target, judge };
        part.into_iter().for_each(|rows| run(&bench, rows, &mut report));
        report
    });
    let mut all = Report::default();
    for mut report in reports {
        all.ran += report.ran;
        all.refused.append(&mut report.refused);
        all.wrong.append(&mut report.wrong);
        all.faults.append(&mut report.faults);
    }
    assert!(all.wrong.is_empty(), "{} rows of {} are wrong:\n{}", all.wrong.len(), all.ran, all.wrong.join("\n"));
    all
}

#[test]
fn every_row_agrees_with_its_fold() {
    let rows = rows();
    let report = run_all(&rows, &[], 16, precision::judge);
    assert_eq!(report.refused, [""; 0]);
    assert_eq!(report.ran, rows.len());
    for fault in FAULTS.iter().filter(|fault| fault.everywhere) {
        assert!(report.faults.contains(fault.op.name()), "{} is right now: {}", fault.op.name(), fault.evidence);
    }
}

#[test]
fn integers_of_64_bits_are_pairs_where_there_are_none() {
    let is_wide = |row: &Row| {
        let info = row.op.info();
        let mut operands = info.srcs.iter().chain([&info.dest]);
        operands.any(|operand| operand.ty.base != Base::Float && row.shape(operand).0 == 64)
    };
    let rows: Vec<Row> = rows().into_iter().filter(is_wide).collect();
    let report = run_all(&rows, &[Feature::shaderInt64], 1, precision::judge);
    assert_eq!(report.refused, [""; 0]);
    assert!(report.ran == rows.len() && rows.len() > 60, "{} of {} rows ran", report.ran, rows.len());
}

#[test]
fn doubles_are_integers_where_there_are_none() {
    let is_double = |row: &Row| {
        let info = row.op.info();
        let mut operands = info.srcs.iter().chain([&info.dest]);
        operands.any(|operand| operand.ty.base == Base::Float && row.shape(operand).0 == 64)
    };
    let rows: Vec<Row> = rows().into_iter().filter(is_double).collect();
    let report = run_all(&rows, &[Feature::shaderFloat64], 1, precision::judge_exactly);
    assert_eq!(report.refused, [""; 0]);
    assert!(report.ran == rows.len() && rows.len() > 60, "{} of {} rows ran", report.ran, rows.len());
}
