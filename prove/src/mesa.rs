// SPDX-License-Identifier: MIT

//! Mesa's constant folding, `nir_eval_const_opcode`, in a program of its own (`ffi/mesa/tests/fold.c`).
//!
//! The program reads requests from its standard input and answers on its standard output, both in words of 64 bits: the opcode's name
//! in four words, the number of components and the width of the result, the width that is free, the number of sources, and for each
//! one its width and number of components; the number of cases, and the numbers of all cases. The answer is the number of components
//! of all results and the results, or a 0 if Mesa has no such opcode.

use crate::rows::Row;
use anyhow::{ensure, Context, Result};
use ntv::ir::builder::evaluate_alu;
use ntv::ir::Swizzle;
use ntv::op::fold::{mask, to_float};
use ntv::op::{AluOp, Base};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The longest name of an opcode.
const NAME_BYTES: usize = 32;

/// A difference between a row and Mesa.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The inputs.
    pub inputs: Vec<u64>,
    /// What the row gives.
    pub ours: Vec<u64>,
    /// What Mesa gives.
    pub mesas: Vec<u64>,
}

/// The running program.
#[derive(Debug)]
pub struct Mesa {
    child: Child,
}

impl Mesa {
    /// Starts the program.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path) -> Result<Mesa> {
        let mut command = Command::new(program);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        Ok(Mesa { child: child.with_context(|| format!("cannot start {}", program.display()))? })
    }

    /// Mesa's results for `cases`; `None` if Mesa does not have the opcode.
    ///
    /// # Errors
    /// The program ends.
    pub fn fold(&mut self, row: Row, cases: &[Vec<u64>]) -> Result<Option<Vec<Vec<u64>>>> {
        let (count, bits) = row.result();
        let mut words: Vec<u64> = name_words(row.op.name())?;
        words.extend([count.into(), bits.into(), row.width.into(), row.op.info().srcs.len() as u64]);
        for src in row.op.info().srcs {
            let (count, bits) = row.shape(src);
            words.extend([u64::from(bits), count.into()]);
        }
        words.push(cases.len() as u64);
        words.extend(cases.iter().flatten());
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let input = self.child.stdin.as_mut().context("the program has no input")?;
        // The program reads the whole request before it answers.
        input.write_all(&bytes).and_then(|()| input.flush()).context("the program ended")?;
        let total = self.word()?;
        if total == 0 {
            return Ok(None);
        }
        ensure!(total == u64::from(count), "the program answers {total} components for {}", row.name());
        let mut results = vec![0; 8 * usize::from(count) * cases.len()];
        self.read(&mut results)?;
        let words = results.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
        let words: Vec<u64> = words.collect();
        Ok(Some(words.chunks(count.into()).map(<[u64]>::to_vec).collect()))
    }

    fn word(&mut self) -> Result<u64> {
        let mut bytes = [0; 8];
        self.read(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<()> {
        let output = self.child.stdout.as_mut().context("the program has no output")?;
        output.read_exact(bytes).context("the program ended")
    }
}

impl Drop for Mesa {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        _ = self.child.wait();
    }
}

/// A name in words, with zeros at its end.
fn name_words(name: &str) -> Result<Vec<u64>> {
    ensure!(name.len() < NAME_BYTES, "the name {name} is too long");
    let mut bytes = [0; NAME_BYTES];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    Ok(bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default())).collect())
}

/// What the row gives for a case.
fn ours(row: Row, case: &[u64]) -> Option<Vec<u64>> {
    let (count, bits) = row.result();
    let mut rest = case;
    let mut operands = Vec::new();
    for src in row.op.info().srcs {
        let (count, bits) = row.shape(src);
        let (own, others) = rest.split_at_checked(count.into())?;
        operands.push((own, Swizzle::IDENTITY, bits));
        rest = others;
    }
    evaluate_alu(row.op, &operands, count, bits).map(|values| values[..usize::from(count)].to_vec())
}

/// Whether two results are the same: NaNs are, as IEEE 754 leaves their bits open.
fn are_same(row: Row, ours: u64, mesas: u64) -> bool {
    let (_, bits) = row.result();
    let is_nan = |value| row.op.info().dest.ty.base == Base::Float && bits >= 16 && to_float(value, bits).is_nan();
    ours == mesas || is_nan(ours) && is_nan(mesas)
}

/// Whether Mesa's folding ends its program: it divides the least number by -1 as C does, which x86 cannot.
fn traps(row: Row, case: &[u64]) -> bool {
    let least = 1u64 << (row.width - 1);
    let divides = matches!(row.op, AluOp::idiv | AluOp::irem | AluOp::imod) && row.width >= 32;
    divides && case[0] == least && case[1] == mask(u64::MAX, row.width)
}

/// The differences between a row and Mesa's folding of it, of `cases`; `None` if Mesa does not have the opcode.
///
/// # Errors
/// The program ends.
pub fn compare(mesa: &mut Mesa, row: Row, cases: Vec<Vec<u64>>) -> Result<Option<Vec<Difference>>> {
    /// Cases of one request.
    const MOST: usize = 1 << 16;
    let mut differences = Vec::new();
    let cases: Vec<Vec<u64>> = cases.into_iter().filter(|case| !traps(row, case)).collect();
    for cases in cases.chunks(MOST) {
        let Some(results) = mesa.fold(row, cases)? else { return Ok(None) };
        for (case, mesas) in cases.iter().zip(results) {
            let ours = ours(row, case).with_context(|| format!("{} does not fold", row.name()))?;
            if !ours.iter().zip(&mesas).all(|(ours, mesas)| are_same(row, *ours, *mesas)) {
                differences.push(Difference { inputs: case.clone(), ours, mesas });
            }
        }
    }
    Ok(Some(differences))
}
