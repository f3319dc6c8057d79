// SPDX-License-Identifier: MIT

//! Variables, their products, and what is required of them.

use super::polynomial::{product_range, Polynomial, Product, Range, Variable};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::rc::Rc;

/// A condition, as text.
pub(super) type Condition = Rc<str>;

/// What a query says of the products of variables. The less it is, the easier is the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Said {
    /// Their ranges.
    Ranges,
    /// How they grow with their factors, too.
    Bounds,
    /// That they are products.
    #[default]
    All,
}

/// What is known of a variable.
struct Known {
    range: Option<Range>,
    /// It is the first polynomial if the condition holds, else the second one.
    choice: Option<(Condition, Polynomial, Polynomial)>,
}

/// Variables and the text that says what they are.
///
/// Products of selections are selections of products, so that the solver's products have variables that are not selected.
#[derive(Default)]
pub(super) struct Variables {
    text: String,
    /// What is said of products.
    said: Said,
    known: Vec<Known>,
    choices: FxHashMap<(Condition, Polynomial, Polynomial), Variable>,
    /// The names of products of several variables.
    products: Vec<Product>,
    product_names: FxHashMap<Product, usize>,
    /// The quotients and the rests by powers of two.
    quotients: FxHashMap<(Polynomial, u32), Variable>,
    conditions: FxHashMap<String, Condition>,
    /// What is the sum of its parts.
    parts: FxHashMap<Product, Polynomial>,
    /// Variables as numbers with a sign, and what those are.
    signed: FxHashMap<Variable, Variable>,
    unsigned: FxHashMap<Variable, Polynomial>,
    signed_products: FxHashMap<Product, Variable>,
    /// Sums that are known to be in a range from 0 on.
    rests: Vec<(Polynomial, i128)>,
}

impl Variables {
    /// No variables, of whose products that much will be said.
    pub(super) fn new(said: Said) -> Variables {
        Variables { said, ..Variables::default() }
    }

    /// A variable in a range.
    pub(super) fn new_variable(&mut self, range: Option<Range>) -> Polynomial {
        Polynomial::variable(self.declare(range, None))
    }

    fn declare(&mut self, range: Option<Range>, choice: Option<(Condition, Polynomial, Polynomial)>) -> Variable {
        let variable = self.known.len() as Variable;
        self.known.push(Known { range, choice });
        self.line(format_args!("(declare-fun n{variable} () Int)"));
        if let Some(range) = range {
            self.within(&format!("n{variable}"), range);
        }
        variable
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(line);
        self.text.push('\n');
    }

    fn within(&mut self, text: &str, (low, high): Range) {
        let (low, high) = (number(low), number(high));
        self.line(format_args!("(assert (<= {low} {text} {high}))"));
    }

    /// Requires a condition.
    pub(super) fn require(&mut self, condition: &str) {
        self.line(format_args!("(assert {condition})"));
    }

    /// A name for a condition.
    pub(super) fn condition(&mut self, text: String) -> Condition {
        if !text.starts_with('(') {
            return text.into();
        }
        if let Some(known) = self.conditions.get(&text) {
            return known.clone();
        }
        let name: Condition = format!("b{}", self.conditions.len()).into();
        self.line(format_args!("(declare-fun {name} () Bool)\n(assert (= {name} {text}))"));
        self.conditions.insert(text, name.clone());
        name
    }

    /// `yes` if the condition holds, else `no`.
    pub(super) fn choice(&mut self, condition: &Condition, yes: Polynomial, no: Polynomial) -> Polynomial {
        if yes == no {
            return yes;
        }
        let key = (condition.clone(), yes, no);
        if let Some(known) = self.choices.get(&key) {
            return Polynomial::variable(*known);
        }
        let ranges = [&key.1, &key.2].map(|side| self.range(side));
        let range = match ranges {
            [Some(a), Some(b)] => Some((a.0.min(b.0), a.1.max(b.1))),
            _ => None,
        };
        let [yes, no] = [&key.1, &key.2].map(|side| self.shown(side));
        let variable = self.declare(range, Some(key.clone()));
        self.line(format_args!("(assert (= n{variable} (ite {condition} {yes} {no})))"));
        self.choices.insert(key, variable);
        Polynomial::variable(variable)
    }

    /// Notes that a number is less than a limit, or not, if it is a variable.
    pub(super) fn narrow(&mut self, number: &Polynomial, limit: i128, is_below: bool) {
        let mut variables = number.products.keys().filter(|product| *number == Polynomial::variable(product[0]));
        if let Some(product) = variables.next() {
            if let Some((low, high)) = &mut self.known[product[0] as usize].range {
                match is_below {
                    true => *high = limit.saturating_sub(1).min(*high),
                    false => *low = limit.max(*low),
                }
            }
        }
    }

    /// Notes that a number is from 0 to `most`.
    pub(super) fn note_rest(&mut self, number: Polynomial, most: i128) {
        self.rests.push((number, most));
    }

    /// The quotient by 2 to the `count`, and the rest, if the rest is one that is known.
    fn known_rest(&mut self, number: &Polynomial, count: u32) -> Option<(Polynomial, Polynomial)> {
        for i in 0..self.rests.len() {
            let (rest, most) = self.rests[i].clone();
            let rest = self.resolved(&rest)?;
            let (high, low) = number.plus(&rest, -1)?.divided(count);
            if most >> count == 0 && low == Polynomial::default() {
                return Some((high, rest));
            }
        }
        None
    }

    /// Requires that a product is a number.
    pub(super) fn set_product(&mut self, a: &Polynomial, b: &Polynomial, number: Polynomial) -> Option<()> {
        let product = self.times(a, b)?;
        match product.products.first_key_value() {
            Some((only, 1)) if product.products.len() == 1 && product.constant == 0 => {
                self.set_parts(only.clone(), number);
            }
            _ => {
                let rest = self.shown(&number.plus(&product, -1)?);
                self.require(&format!("(= 0 {rest})"));
            }
        }
        Some(())
    }

    /// The range of a polynomial, if it is known.
    pub(super) fn range(&self, polynomial: &Polynomial) -> Option<Range> {
        polynomial.range(|product| self.product_range(product))
    }

    fn product_range(&self, product: &[Variable]) -> Option<Range> {
        product.iter().try_fold((1, 1), |range, variable| product_range(range, self.known[*variable as usize].range?))
    }

    /// A polynomial with variables replaced by their parts.
    pub(super) fn resolved(&mut self, polynomial: &Polynomial) -> Option<Polynomial> {
        let mut sum = Polynomial::constant(polynomial.constant);
        for (product, coefficient) in &polynomial.products {
            let product = self.product(product)?;
            sum = sum.plus(&product, *coefficient)?;
        }
        Some(sum)
    }

    /// A product of variables.
    fn product(&mut self, product: &[Variable]) -> Option<Polynomial> {
        for (i, variable) in product.iter().enumerate() {
            if let Some(parts) = self.parts.get(&product[i..=i]).cloned() {
                let rest = self.without(product, i)?;
                return self.times(&parts, &rest);
            }
            if product.len() == 1 {
                break;
            }
            if let Some(unsigned) = self.unsigned.get(variable).cloned() {
                if product.iter().filter(|it| self.unsigned.contains_key(it)).count() > 1 {
                    return self.signed_product(product);
                }
                let rest = self.without(product, i)?;
                return self.times(&unsigned, &rest);
            }
            let known = &self.known[*variable as usize];
            let choice = known.choice.clone();
            let is_bit = known.range == Some((0, 1));
            if choice.is_none() && !is_bit {
                continue;
            }
            let (condition, yes, no) = match choice {
                Some(choice) => choice,
                None => {
                    let condition = self.condition(format!("(= n{variable} 1)"));
                    (condition, Polynomial::constant(1), Polynomial::default())
                }
            };
            let rest = self.without(product, i)?;
            let [yes, no] = [self.times(&yes, &rest)?, self.times(&no, &rest)?];
            return Some(self.choice(&condition, yes, no));
        }
        match self.parts.get(product).cloned() {
            Some(parts) => self.resolved(&parts),
            None => Some(Polynomial { constant: 0, products: [(product.to_vec(), 1)].into() }),
        }
    }

    /// A product without its factor `i`.
    fn without(&mut self, product: &[Variable], i: usize) -> Option<Polynomial> {
        let mut rest = product.to_vec();
        rest.remove(i);
        match rest.is_empty() {
            true => Some(Polynomial::constant(1)),
            false => self.product(&rest),
        }
    }

    /// The product of two polynomials.
    pub(super) fn times(&mut self, a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
        const MOST: usize = 200;
        if a.products.len().saturating_mul(b.products.len()) > MOST {
            return None;
        }
        let mut sum = b.scaled(a.constant)?.plus(&a.scaled(b.constant)?, 1)?;
        // That product of the constants was added twice.
        sum.constant = a.constant.checked_mul(b.constant)?;
        for (x, c) in &a.products {
            for (y, d) in &b.products {
                let mut both: Product = x.iter().chain(y).copied().collect();
                both.sort_unstable();
                let product = self.product(&both)?;
                sum = sum.plus(&product, c.checked_mul(*d)?)?;
            }
        }
        self.resolved(&sum)
    }

    /// The quotient, rounded down, of a polynomial by 2 to the `count`, and the rest, which is not negative.
    pub(super) fn divided(&mut self, polynomial: &Polynomial, count: u32) -> Option<(Polynomial, Polynomial)> {
        let number = self.resolved(polynomial)?;
        if let Some(known) = self.known_rest(&number, count) {
            return Some(known);
        }
        let (high, low) = number.divided(count);
        if let Some((product, at)) = self.straddling(&low, count) {
            self.take_apart(product, at)?;
            let (more, low) = self.divided(&low, count)?;
            return Some((high.plus(&more, 1)?, low));
        }
        let limit = 1i128 << count;
        let range = self.range(&low).map(|range| (range.0.div_euclid(limit), range.1.div_euclid(limit)));
        if range == Some((0, 0)) {
            return Some((high, low));
        }
        let key = (low, count);
        let more = match self.quotients.get(&key) {
            Some(known) => Polynomial::variable(*known),
            None => {
                let variable = self.declare(range, None);
                self.quotients.insert(key.clone(), variable);
                let more = Polynomial::variable(variable);
                let rest = self.shown(&key.0.plus(&more, -limit)?);
                self.within(&rest, (0, limit - 1));
                more
            }
        };
        Some((high.plus(&more, 1)?, key.0.plus(&more, -limit)?))
    }

    /// A product of a sum that has bits on both sides of bit `count` of the sum, and its own bit there.
    fn straddling(&self, sum: &Polynomial, count: u32) -> Option<(Product, u32)> {
        let mut found = sum.products.iter().filter_map(|(product, coefficient)| {
            let below = coefficient.trailing_zeros();
            let range = self.product_range(product)?;
            let is_chosen = product.len() == 1 && self.known[product[0] as usize].choice.is_some();
            let is_power = coefficient.unsigned_abs().is_power_of_two() && below < count;
            let at = count.checked_sub(below)?;
            let is_signed = product.len() == 1 && range.0 < 0;
            let is_within = range.0 >= 0 && range.1 >> at == 0;
            (is_power && !is_chosen && !is_signed && !is_within).then(|| (product.clone(), at))
        });
        found.next()
    }

    /// Makes a product the sum of two parts: the bits below bit `at`, and those from there on.
    fn take_apart(&mut self, product: Product, at: u32) -> Option<()> {
        let (least, most) = self.product_range(&product)?;
        let high = self.new_variable(Some((least >> at, most >> at)));
        let low = self.new_variable(Some((0, (1 << at) - 1)));
        let parts = low.plus(&high, 1 << at)?;
        self.set_parts(product, parts);
        Some(())
    }

    fn set_parts(&mut self, product: Product, parts: Polynomial) {
        let (name, shown) = (self.name(&product), self.shown(&parts));
        self.line(format_args!("(assert (= {name} {shown}))"));
        self.parts.insert(product, parts);
    }

    /// A polynomial modulo 2 to the `width` as a number with a sign: from -2^(width - 1) on.
    pub(super) fn signed(&mut self, polynomial: &Polynomial, width: u32) -> Option<Polynomial> {
        let mut number = self.resolved(polynomial)?.modulo(width);
        while let Some((product, at)) = self.straddling(&number, width) {
            self.take_apart(product, at)?;
            number = self.resolved(&number)?.modulo(width);
        }
        if let Some((variable, bits)) = self.top_variable(&number, width) {
            let signed = self.signed_variable(variable, bits)?;
            let unsigned = Polynomial::variable(variable);
            let coefficient = 1 << (width - bits);
            number = number.plus(&unsigned, -coefficient)?.plus(&signed, coefficient)?;
        }
        let half = Polynomial::constant(1 << (width - 1));
        let (_, rest) = self.divided(&number.plus(&half, 1)?, width)?;
        rest.plus(&half, -1)
    }

    /// Whether a number with a sign is negative: its top bits tell.
    pub(super) fn is_negative(&mut self, number: &Polynomial) -> Condition {
        let mut products = number.products.iter();
        let top = products.find_map(|(product, coefficient)| {
            let mut rest = number.clone();
            rest.add(product, -coefficient)?;
            let is_apart = self.range(&rest).is_some_and(|range| range.0 >= 0 && range.1 < *coefficient);
            is_apart.then(|| Polynomial { constant: 0, products: [(product.clone(), 1)].into() })
        });
        let text = format!("(< {} 0)", self.shown(top.as_ref().unwrap_or(number)));
        self.condition(text)
    }

    /// A variable of some bits as a number with a sign: less by 2 to their number where that is negative.
    fn signed_variable(&mut self, variable: Variable, bits: u32) -> Option<Polynomial> {
        if let Some(known) = self.signed.get(&variable) {
            return Some(Polynomial::variable(*known));
        }
        let half = 1i128 << (bits - 1);
        let signed = self.declare(Some((-half, half - 1)), None);
        let negative = self.condition(format!("(< n{signed} 0)"));
        let negative = self.choice(&negative, Polynomial::constant(1), Polynomial::default());
        let unsigned = Polynomial::variable(variable).plus(&negative, -2 * half)?;
        let shown = self.shown(&unsigned);
        self.require(&format!("(= n{signed} {shown})"));
        self.signed.insert(variable, signed);
        self.unsigned.insert(signed, unsigned);
        Some(Polynomial::variable(signed))
    }

    /// A product of factors two of which are numbers with a sign: a variable, so that its range is known.
    fn signed_product(&mut self, product: &[Variable]) -> Option<Polynomial> {
        if let Some(known) = self.signed_products.get(product) {
            return Some(Polynomial::variable(*known));
        }
        let factors: Vec<Polynomial> = product
            .iter()
            .map(|variable| self.unsigned.get(variable).cloned().unwrap_or_else(|| Polynomial::variable(*variable)))
            .collect();
        let mut sum = Polynomial::constant(1);
        for factor in &factors {
            sum = self.times(&sum, factor)?;
        }
        let variable = self.declare(self.product_range(product), None);
        let shown = self.shown(&sum);
        self.require(&format!("(= n{variable} {shown})"));
        self.signed_products.insert(product.to_vec(), variable);
        Some(Polynomial::variable(variable))
    }

    /// The variable whose bits are the top ones of a sum of `width` bits, and their number.
    fn top_variable(&self, sum: &Polynomial, width: u32) -> Option<(Variable, u32)> {
        sum.products.iter().find_map(|(product, coefficient)| {
            let [variable] = product[..] else { return None };
            let known = &self.known[variable as usize];
            let bits = width.checked_sub(coefficient.trailing_zeros()).filter(|bits| *bits > 1)?;
            let is_top = coefficient.is_positive() && coefficient.count_ones() == 1;
            let mut rest = sum.clone();
            rest.add(product, -coefficient)?;
            let is_apart = self.range(&rest).is_some_and(|range| range.0 >= 0 && range.1 < *coefficient);
            let is_whole = known.choice.is_none() && known.range == Some((0, (1 << bits) - 1));
            (is_top && is_apart && is_whole).then_some((variable, bits))
        })
    }

    /// A polynomial as text.
    pub(super) fn shown(&mut self, polynomial: &Polynomial) -> String {
        let mut parts = Vec::new();
        if polynomial.constant != 0 {
            parts.push(number(polynomial.constant));
        }
        for (product, coefficient) in &polynomial.products {
            let name = self.name(product);
            parts.push(match coefficient {
                1 => name,
                _ => format!("(* {} {name})", number(*coefficient)),
            });
        }
        match &parts[..] {
            [] => number(0),
            [part] => part.clone(),
            _ => format!("(+ {})", parts.join(" ")),
        }
    }

    fn name(&mut self, product: &Product) -> String {
        if let [variable] = product[..] {
            return format!("n{variable}");
        }
        if let Some(known) = self.product_names.get(product) {
            return format!("p{known}");
        }
        let name = format!("p{}", self.products.len());
        self.product_names.insert(product.clone(), self.products.len());
        self.products.push(product.clone());
        self.line(format_args!("(declare-fun {name} () Int)"));
        if self.said == Said::All {
            let factors: Vec<String> = product.iter().map(|variable| format!("n{variable}")).collect();
            self.require(&format!("(= {name} (* {}))", factors.join(" ")));
        }
        if let Some(range) = self.product_range(product) {
            self.within(&name, range);
        }
        if let (Said::Bounds, [a, b]) = (self.said, &product[..]) {
            let (a, b) = (*a, *b);
            self.bound_product(&name, a, b);
        }
        name
    }

    /// Says of the product of two variables that each is within its range: (a - least a) (b - least b) >= 0, and so on.
    fn bound_product(&mut self, name: &str, a: Variable, b: Variable) {
        let (Some(range_a), Some(range_b)) = (self.known[a as usize].range, self.known[b as usize].range) else {
            return;
        };
        for (end_a, end_b, is_alike) in [
            (range_a.0, range_b.0, true),
            (range_a.1, range_b.1, true),
            (range_a.0, range_b.1, false),
            (range_a.1, range_b.0, false),
        ] {
            let Some(ends) = end_a.checked_mul(end_b) else { continue };
            let [at_a, at_b, ends] = [end_a, end_b, ends].map(number);
            let relation = if is_alike { ">=" } else { "<=" };
            self.require(&format!("({relation} (+ {name} {ends}) (+ (* {at_a} n{b}) (* {at_b} n{a})))"));
        }
    }

    /// The text, after it says of products of variables with parts that they are sums of products of the parts.
    pub(super) fn finish(mut self) -> Option<String> {
        let mut next = 0;
        while let Some(product) = self.products.get(next).cloned() {
            if product.iter().any(|variable| self.parts.contains_key(&[*variable][..])) {
                let parts = self.product(&product)?;
                let parts = self.shown(&parts);
                self.line(format_args!("(assert (= p{next} {parts}))"));
            }
            next += 1;
        }
        Some(self.text)
    }
}

/// A number as text.
fn number(value: i128) -> String {
    match value < 0 {
        true => format!("(- {})", value.unsigned_abs()),
        false => value.to_string(),
    }
}
