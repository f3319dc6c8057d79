// SPDX-License-Identifier: MIT

//! SMT-LIB's expressions as text: bit vectors and conditions.

use std::rc::Rc;

/// A bit vector.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    pub(super) text: Rc<str>,
    pub(super) width: u32,
}

/// A condition.
#[derive(Clone, Debug)]
pub(super) struct Condition(pub(super) Rc<str>);

impl Bits {
    pub(super) fn new(text: impl Into<Rc<str>>, width: u32) -> Bits {
        Bits { text: text.into(), width }
    }

    /// The number `value`.
    pub(super) fn number(value: u64, width: u32) -> Bits {
        let value = if width < 64 { value & ((1 << width) - 1) } else { value };
        Bits::new(format!("(_ bv{value} {width})"), width)
    }

    /// The sort of bit vectors of this width.
    pub(super) fn sort(width: u32) -> String {
        format!("(_ BitVec {width})")
    }

    /// A function of SMT-LIB whose operands and result have one width.
    pub(super) fn with(&self, function: &str, other: &Bits) -> Bits {
        Bits::new(format!("({function} {} {})", self.text, other.text), self.width)
    }

    fn alone(&self, function: &str) -> Bits {
        Bits::new(format!("({function} {})", self.text), self.width)
    }

    pub(super) fn plus(&self, other: &Bits) -> Bits {
        self.with("bvadd", other)
    }

    pub(super) fn minus(&self, other: &Bits) -> Bits {
        self.with("bvsub", other)
    }

    pub(super) fn times(&self, other: &Bits) -> Bits {
        self.with("bvmul", other)
    }

    pub(super) fn and(&self, other: &Bits) -> Bits {
        self.with("bvand", other)
    }

    pub(super) fn or(&self, other: &Bits) -> Bits {
        self.with("bvor", other)
    }

    pub(super) fn not(&self) -> Bits {
        self.alone("bvnot")
    }

    /// Shifted left; zeros come in, also for counts of the width and more. The count has the width of the value.
    pub(super) fn left(&self, count: &Bits) -> Bits {
        self.with("bvshl", count)
    }

    /// Shifted right; zeros come in.
    pub(super) fn right(&self, count: &Bits) -> Bits {
        self.with("bvlshr", count)
    }

    /// Shifted right; copies of the sign come in.
    pub(super) fn right_signed(&self, count: &Bits) -> Bits {
        self.with("bvashr", count)
    }

    /// `width` bits from bit `low` on.
    pub(super) fn part(&self, low: u32, width: u32) -> Bits {
        if width == self.width {
            return self.clone();
        }
        Bits::new(format!("((_ extract {} {low}) {})", low + width - 1, self.text), width)
    }

    /// Whether bit `at` is set.
    pub(super) fn bit(&self, at: u32) -> Condition {
        self.part(at, 1).is_true()
    }

    /// Cut, or extended by zeros, to `width` bits.
    pub(super) fn fit(&self, width: u32) -> Bits {
        self.extended("zero_extend", width)
    }

    /// Cut, or extended by copies of the sign, to `width` bits.
    pub(super) fn fit_signed(&self, width: u32) -> Bits {
        self.extended("sign_extend", width)
    }

    fn extended(&self, how: &str, width: u32) -> Bits {
        match width.checked_sub(self.width) {
            None => self.part(0, width),
            Some(0) => self.clone(),
            Some(more) => Bits::new(format!("((_ {how} {more}) {})", self.text), width),
        }
    }

    /// This above `low`.
    pub(super) fn above(&self, low: &Bits) -> Bits {
        Bits::new(format!("(concat {} {})", self.text, low.text), self.width + low.width)
    }

    fn compare(&self, function: &str, other: &Bits) -> Condition {
        Condition(format!("({function} {} {})", self.text, other.text).into())
    }

    pub(super) fn equals(&self, other: &Bits) -> Condition {
        self.compare("=", other)
    }

    /// Whether it is less, without sign.
    pub(super) fn below(&self, other: &Bits) -> Condition {
        self.compare("bvult", other)
    }

    /// Whether it is less, with sign.
    pub(super) fn below_signed(&self, other: &Bits) -> Condition {
        self.compare("bvslt", other)
    }

    pub(super) fn is_number(&self, value: u64) -> Condition {
        self.equals(&Bits::number(value, self.width))
    }

    /// Whether a bit vector of one bit is 1.
    pub(super) fn is_true(&self) -> Condition {
        self.is_number(1)
    }

    pub(super) fn is_negative(&self) -> Condition {
        self.bit(self.width - 1)
    }
}

impl Condition {
    pub(super) fn and(&self, other: &Condition) -> Condition {
        Condition(format!("(and {} {})", self.0, other.0).into())
    }

    pub(super) fn or(&self, other: &Condition) -> Condition {
        Condition(format!("(or {} {})", self.0, other.0).into())
    }

    pub(super) fn not(&self) -> Condition {
        Condition(format!("(not {})", self.0).into())
    }

    /// `yes` if it holds, else `no`.
    pub(super) fn choose(&self, yes: &Bits, no: &Bits) -> Bits {
        Bits::new(format!("(ite {} {} {})", self.0, yes.text, no.text), yes.width)
    }

    /// A bit vector of one bit.
    pub(super) fn bits(&self) -> Bits {
        self.choose(&Bits::number(1, 1), &Bits::number(0, 1))
    }
}
