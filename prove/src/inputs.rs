// SPDX-License-Identifier: MIT

//! Inputs for a row: all of them where there are few, else every pair of special numbers and then random ones.

use crate::rows::Row;
use ntv::op::fold::mask;
use ntv::op::Base;
use ntv_gen::Random;

/// At most this many bits of inputs are counted through.
const MOST_BITS: u32 = 16;

/// The inputs of a row, in cases of [`Row::inputs`]; `random` of them if they are not counted through, besides the pairs.
pub fn cases(row: Row, random: usize) -> Vec<Vec<u64>> {
    let inputs = row.inputs();
    let bits: u32 = inputs.iter().map(|(_, bits)| u32::from(*bits)).sum();
    if bits <= MOST_BITS {
        return (0..1u64 << bits).map(|number| split(number, &inputs)).collect();
    }
    let special: Vec<Vec<u64>> = inputs.iter().map(|(base, bits)| special(*base, *bits)).collect();
    let mut cases = pairs(&special);
    let mut source = Random::new(0);
    cases.extend((0..random).map(|_| {
        let number = |(special, (base, bits)): (&Vec<u64>, &(Base, u8))| match source.below(4) {
            0 => source.pick(special),
            1 => near(source.pick(special), &mut source, *bits),
            // Small numbers, as counts and indices are.
            2 if *base != Base::Float => mask(source.bits() & 0xff, *bits),
            _ => mask(source.bits(), *bits),
        };
        special.iter().zip(&inputs).map(number).collect()
    }));
    cases
}

/// Every pair of special numbers for the first two inputs; the others have special numbers in turn.
fn pairs(special: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let [first, rest @ ..] = special else { return vec![Vec::new()] };
    let second = rest.first().map_or(1, Vec::len);
    let mut all = Vec::with_capacity(first.len() * second);
    for (a, value) in first.iter().enumerate() {
        for b in 0..second {
            let others = rest.iter().enumerate().map(|(n, list)| list[(b + n * a) % list.len()]);
            all.push(std::iter::once(*value).chain(others).collect());
        }
    }
    all
}

/// The parts of `number` for each input.
fn split(number: u64, inputs: &[(Base, u8)]) -> Vec<u64> {
    let mut rest = number;
    let part = |(_, bits): &(Base, u8)| {
        let part = mask(rest, *bits);
        rest = rest.checked_shr(u32::from(*bits)).unwrap_or(0);
        part
    };
    inputs.iter().map(part).collect()
}

/// A number that differs from `number` in one bit, or by one.
fn near(number: u64, source: &mut Random, bits: u8) -> u64 {
    let changed = match source.below(3) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        _ => number ^ 1 << source.below(bits.into()),
    };
    mask(changed, bits)
}

/// Numbers at which operations change their behaviour: of integers also for those that are bits of floats.
fn special(base: Base, bits: u8) -> Vec<u64> {
    let top = 1u64 << (bits - 1);
    let mut numbers =
        vec![0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, top - 1, top, top + 1, !0 - 1, !0];
    if base == Base::Float || bits > 1 {
        numbers.extend(floats(bits));
    }
    numbers.iter_mut().for_each(|number| *number = mask(*number, bits));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Zeros, the least and greatest denormal and normal numbers, some between, infinities and NaNs, of both signs.
fn floats(bits: u8) -> Vec<u64> {
    let mantissa = match bits {
        16 => 10,
        32 => 23,
        64 => 52,
        _ => return Vec::new(),
    };
    let exponents = u32::from(bits) - mantissa - 1;
    let bias = (1u64 << (exponents - 1)) - 1;
    let one = bias << mantissa;
    let infinity = ((1u64 << exponents) - 1) << mantissa;
    let step = |by: i64| one.wrapping_add((by << mantissa) as u64);
    let mut numbers = vec![0, 1, (1 << mantissa) - 1, 1 << mantissa, one, one + 1, one - 1, infinity - 1, infinity];
    // Quiet NaN; halves, thirds and numbers that integers and smaller floats just hold or just do not.
    numbers.extend([infinity | 1 << (mantissa - 1), infinity | 1 << (mantissa - 1) | 1]);
    numbers.extend([-1, 1, 2, 4, 7, 8, 15, 16].map(step));
    numbers.extend([one | 1 << (mantissa - 1), step(1) | 1 << (mantissa - 2), one / 3 * 2 + one / 7]);
    if bias > 31 {
        numbers.extend([-24, -14, -15, 23, 24, 30, 31, 32].map(step));
    }
    if bias > 127 {
        numbers.extend([-149, -126, 52, 53, 62, 63, 64, 127, 128].map(step));
    }
    let negative = numbers.clone();
    numbers.extend(negative.into_iter().map(|number| number | 1 << (bits - 1)));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use ntv::op::AluOp;

    #[test]
    fn small_inputs_are_counted_through() {
        let cases = cases(Row { op: AluOp::iadd, width: 8 }, 10);
        assert_eq!(cases.len(), 1 << 16);
        assert_eq!((&cases[0x0201], cases.last()), (&vec![1, 2], Some(&vec![0xff, 0xff])));
    }

    #[test]
    fn large_inputs_have_all_pairs_of_special_numbers() {
        let special = special(Base::Float, 32);
        for number in [0.0f32, -0.0, 1.0, -1.5, f32::MAX, f32::MIN_POSITIVE, f32::INFINITY, f32::NAN, 65536.0] {
            assert!(special.contains(&number.to_bits().into()), "{number}");
        }
        let cases = cases(Row { op: AluOp::fadd, width: 32 }, 10);
        assert_eq!(cases.len(), special.len() * special.len() + 10);
        let both = vec![u64::from(f32::INFINITY.to_bits()), u64::from(f32::NEG_INFINITY.to_bits())];
        assert!(cases.contains(&both));
    }
}
