// SPDX-License-Identifier: MIT

//! Polynomials with whole coefficients.

use std::collections::BTreeMap;

/// A variable, by number.
pub(super) type Variable = u32;

/// A product of variables in their order.
pub(super) type Product = Vec<Variable>;

/// A sum of products with coefficients, none of which is 0. Operations give `None` if a coefficient has more than 127 bits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Polynomial {
    pub(super) constant: i128,
    pub(super) products: BTreeMap<Product, i128>,
}

/// The least number and the greatest one that something may be.
pub(super) type Range = (i128, i128);

impl Polynomial {
    pub(super) fn constant(constant: i128) -> Polynomial {
        Polynomial { constant, ..Polynomial::default() }
    }

    pub(super) fn variable(variable: Variable) -> Polynomial {
        Polynomial { constant: 0, products: [(vec![variable], 1)].into() }
    }

    /// This plus `factor` times `other`.
    pub(super) fn plus(&self, other: &Polynomial, factor: i128) -> Option<Polynomial> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (product, coefficient) in &other.products {
            sum.add(product, coefficient.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    /// Adds a product with a coefficient.
    pub(super) fn add(&mut self, product: &Product, coefficient: i128) -> Option<()> {
        let sum = self.products.get(product).copied().unwrap_or(0).checked_add(coefficient)?;
        match sum {
            0 => self.products.remove(product),
            _ => self.products.insert(product.clone(), sum),
        };
        Some(())
    }

    pub(super) fn scaled(&self, factor: i128) -> Option<Polynomial> {
        Polynomial::default().plus(self, factor)
    }

    /// The coefficients modulo 2 to the `width`, the nearest to 0 each.
    pub(super) fn modulo(&self, width: u32) -> Polynomial {
        let whole = 1i128 << width;
        let near = |number: i128| match number.rem_euclid(whole) {
            rest if rest > whole / 2 => rest - whole,
            rest => rest,
        };
        let products = self.products.iter().map(|(product, coefficient)| (product.clone(), near(*coefficient)));
        Polynomial { constant: near(self.constant), products: products.filter(|it| it.1 != 0).collect() }
    }

    /// The parts whose coefficients are multiples of 2 to the `count`, divided by that, and the rest.
    pub(super) fn divided(&self, count: u32) -> (Polynomial, Polynomial) {
        let divisor = 1i128 << count;
        let (mut high, mut low) = (Polynomial::default(), Polynomial::default());
        high.constant = self.constant.div_euclid(divisor);
        low.constant = self.constant.rem_euclid(divisor);
        for (product, coefficient) in &self.products {
            match coefficient % divisor {
                0 => high.products.insert(product.clone(), coefficient / divisor),
                _ => low.products.insert(product.clone(), *coefficient),
            };
        }
        (high, low)
    }

    /// The range of the sum, if the products have ranges.
    pub(super) fn range(&self, of: impl Fn(&Product) -> Option<Range>) -> Option<Range> {
        let start = (self.constant, self.constant);
        self.products.iter().try_fold(start, |(low, high), (product, coefficient)| {
            let (a, b) = of(product)?;
            let (a, b) = (a.checked_mul(*coefficient)?, b.checked_mul(*coefficient)?);
            Some((low.checked_add(a.min(b))?, high.checked_add(a.max(b))?))
        })
    }
}

/// The range of the product of two numbers.
pub(super) fn product_range(a: Range, b: Range) -> Option<Range> {
    let ends = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    ends.into_iter().map(|(a, b)| a.checked_mul(b)).try_fold((i128::MAX, i128::MIN), |(low, high), end| {
        let end = end?;
        Some((low.min(end), high.max(end)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coefficients_are_taken_apart() {
        let [x, y] = [0, 1].map(Polynomial::variable);
        let sum = x.plus(&y, 0x1_0000_0001).unwrap().plus(&Polynomial::constant(-3), 1).unwrap();
        let near = sum.modulo(32);
        assert_eq!(near, x.plus(&y, 1).unwrap().plus(&Polynomial::constant(3), -1).unwrap());
        // 4 y + x - 3 is 4 (y - 1) + x + 1.
        let (high, low) = x.plus(&y, 4).unwrap().plus(&Polynomial::constant(-3), 1).unwrap().divided(2);
        assert_eq!((high.constant, low.constant), (-1, 1));
        assert_eq!((high.products, low.products), (y.products, x.products.clone()));
        assert_eq!(Polynomial::constant(i128::MAX).plus(&x, 1).and_then(|sum| sum.plus(&sum, 1)), None);
    }

    #[test]
    fn ranges_are_those_of_the_ends() {
        assert_eq!(product_range((-2, 3), (-5, 4)), Some((-15, 12)));
        let sum = Polynomial { constant: 1, products: [(vec![0], 2), (vec![0, 1], -1)].into() };
        assert_eq!(sum.range(|product| Some((0, product.len() as i128))), Some((-1, 3)));
        assert_eq!(sum.range(|_| None), None);
    }
}
