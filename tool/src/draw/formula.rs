// SPDX-License-Identifier: MIT

//! Formulas: the numbers, vectors and matrices of a scene, as text in the style of GLSL.
//!
//! ```text
//! perspective(40, aspect, 0.1, 30) * look_at(vec3(3, 2, 4), vec3(0), vec3(0, 1, 0)) * rotate(vec3(0, 1, 0), 20 * time)
//! ```
//!
//! A formula is parsed when the scene is read and has a value for each [`Scope`], which has the values of names. A plain number
//! is a formula too. Angles of `perspective` and `rotate` are in degrees, those of `sin` and so on in radians.

use super::functions::{self, Function};
use glam::{DMat4, DVec4};
use serde::de::{self, Deserialize, Deserializer};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;

/// Deeper formulas are refused, because functions recurse over them.
const MOST_DEPTH: u32 = 64;

/// The value of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// One to four numbers; the remaining components are 0.
    Vector(DVec4, usize),
    /// A matrix.
    Matrix(DMat4),
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Vector(DVec4::new(number, 0.0, 0.0, 0.0), 1)
    }
}

impl Value {
    /// A vector of these numbers, which are one to four.
    pub(crate) fn vector(numbers: &[f64]) -> Value {
        let mut vector = DVec4::ZERO;
        numbers.iter().enumerate().take(4).for_each(|(at, number)| vector[at] = *number);
        Value::Vector(vector, numbers.len().min(4))
    }

    /// Its numbers, those of a matrix column by column.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        match self {
            Value::Vector(vector, len) => vector.to_array()[..*len].to_vec(),
            Value::Matrix(matrix) => matrix.to_cols_array().to_vec(),
        }
    }

    /// The name of its type.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Vector(_, len) => ["nothing", "a number", "a vec2", "a vec3", "a vec4"][*len],
            Value::Matrix(_) => "a matrix",
        }
    }
}

/// The values of names in formulas.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    /// The scene's own names.
    pub(crate) values: Option<&'a BTreeMap<String, Formula>>,
    /// The tool's own variables, such as `time`. If a name is there twice, the last counts.
    pub(crate) variables: Vec<(&'static str, f64)>,
    /// The state of `random`.
    pub(crate) random: Cell<u64>,
    /// The number of nested look-ups of the scene's own names.
    pub(crate) depth: Cell<u32>,
}

impl<'a> Scope<'a> {
    /// A scope with only the scene's own names.
    pub(crate) fn new(values: Option<&'a BTreeMap<String, Formula>>) -> Scope<'a> {
        Scope { values, ..Scope::default() }
    }

    /// Sets the variable `name`.
    pub(crate) fn set(&mut self, name: &'static str, value: f64) {
        match self.variables.iter_mut().find(|variable| variable.0 == name) {
            Some(variable) => variable.1 = value,
            None => self.variables.push((name, value)),
        }
    }

    fn look_up(&self, name: &str) -> Result<Value, String> {
        if let Some((_, value)) = self.variables.iter().rfind(|variable| variable.0 == name) {
            return Ok((*value).into());
        }
        let formula = self.values.and_then(|values| values.get(name)).ok_or_else(|| self.unknown(name))?;
        self.depth.set(self.depth.get() + 1);
        let value = match self.depth.get() > MOST_DEPTH {
            true => Err(format!("`{name}` depends on itself")),
            false => formula.value(self),
        };
        self.depth.set(self.depth.get() - 1);
        value
    }

    fn unknown(&self, name: &str) -> String {
        let own = self.values.into_iter().flat_map(BTreeMap::keys).map(String::as_str);
        let all = own.chain(self.variables.iter().map(|variable| variable.0));
        crate::names::unknown("value", name, all)
    }
}

/// A formula.
#[derive(Clone, Debug)]
pub(crate) struct Formula(Expression);

#[derive(Clone, Debug)]
enum Expression {
    Number(f64),
    Name(String),
    Negated(Box<Expression>),
    Binary(u8, Box<[Expression; 2]>),
    Call(&'static Function, Vec<Expression>),
    /// Components by their indices.
    Picked(Box<Expression>, Vec<usize>),
}

impl Formula {
    /// Parses a formula.
    pub(crate) fn parse(text: &str) -> Result<Formula, String> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let expression = parser.sum()?;
        parser.blanks();
        match parser.rest().chars().next() {
            None => Ok(Formula(expression)),
            Some(other) => Err(parser.wrong(&format!("unexpected `{other}`"))),
        }
    }

    /// Its value.
    pub(crate) fn value(&self, scope: &Scope<'_>) -> Result<Value, String> {
        self.0.value(scope)
    }

    /// Its value, which has to be one number.
    pub(crate) fn number(&self, scope: &Scope<'_>) -> Result<f64, String> {
        match self.value(scope)? {
            Value::Vector(vector, 1) => Ok(vector.x),
            other => Err(format!("expected a number, found {}", other.kind())),
        }
    }
}

impl Expression {
    fn value(&self, scope: &Scope<'_>) -> Result<Value, String> {
        match self {
            Expression::Number(number) => Ok((*number).into()),
            Expression::Name(name) => scope.look_up(name),
            Expression::Negated(of) => functions::binary(b'-', Value::from(0.0), of.value(scope)?),
            Expression::Binary(operator, sides) => {
                functions::binary(*operator, sides[0].value(scope)?, sides[1].value(scope)?)
            }
            Expression::Call(function, arguments) => {
                let values: Vec<Value> = arguments.iter().map(|of| of.value(scope)).collect::<Result<_, _>>()?;
                function.call(&values, scope).map_err(|problem| format!("{}: {problem}", function.name))
            }
            Expression::Picked(of, components) => match of.value(scope)? {
                Value::Vector(vector, len) if components.iter().all(|component| *component < len) => {
                    let numbers: Vec<f64> = components.iter().map(|component| vector[*component]).collect();
                    Ok(Value::vector(&numbers))
                }
                other => Err(format!("{} has no such component", other.kind())),
            },
        }
    }
}

impl From<f64> for Formula {
    fn from(number: f64) -> Formula {
        Formula(Expression::Number(number))
    }
}

/// A number, or a string with a formula in it.
impl<'de> Deserialize<'de> for Formula {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Formula, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Formula;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a formula")
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Formula, E> {
                Ok(Formula::from(number as f64))
            }
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Formula, E> {
                Ok(Formula::from(number))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Formula, E> {
                Formula::parse(text).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// A text, and the position of the parser in it.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn wrong(&self, what: &str) -> String {
        format!("{what} at character {} of the formula", self.text[..self.at].chars().count() + 1)
    }

    /// Reads one of `characters` if it is next.
    fn next_of(&mut self, characters: &[u8]) -> Option<u8> {
        self.blanks();
        let next = *self.rest().as_bytes().first()?;
        let found = characters.contains(&next);
        self.at += usize::from(found);
        found.then_some(next)
    }

    fn expect(&mut self, character: u8) -> Result<(), String> {
        let missing = self.next_of(&[character]).is_none();
        match missing {
            true => Err(self.wrong(&format!("expected `{}`", char::from(character)))),
            false => Ok(()),
        }
    }

    fn sum(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.wrong("too deep"));
        }
        let sum = self.chain(b"+-", Parser::product);
        self.depth -= 1;
        sum
    }

    fn product(&mut self) -> Result<Expression, String> {
        self.chain(b"*/%", Parser::signed)
    }

    /// Operands with operators between them, from the left to the right.
    fn chain(
        &mut self,
        operators: &[u8],
        operand: fn(&mut Self) -> Result<Expression, String>,
    ) -> Result<Expression, String> {
        let mut left = operand(self)?;
        // The depth of a chain is its length.
        let mut length = 0;
        while let Some(operator) = self.next_of(operators) {
            length += 1;
            if length > MOST_DEPTH {
                return Err(self.wrong("too long"));
            }
            left = Expression::Binary(operator, Box::new([left, operand(self)?]));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Result<Expression, String> {
        match self.next_of(b"-") {
            Some(_) => Ok(Expression::Negated(Box::new(self.picked()?))),
            None => self.picked(),
        }
    }

    /// A term, and a swizzle of it.
    fn picked(&mut self) -> Result<Expression, String> {
        let term = self.term()?;
        if self.next_of(b".").is_none() {
            return Ok(term);
        }
        let name = self.identifier().to_string();
        let components: Option<Vec<usize>> = name.chars().map(|c| "xyzw".find(c).or("rgba".find(c))).collect();
        let components = components.filter(|components| (1..=4).contains(&components.len()));
        components
            .map(|components| Expression::Picked(Box::new(term), components))
            .ok_or_else(|| self.wrong(&format!("`{name}` names no components")))
    }

    fn identifier(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn term(&mut self) -> Result<Expression, String> {
        if self.next_of(b"(").is_some() {
            let inner = self.sum()?;
            self.expect(b')')?;
            return Ok(inner);
        }
        match self.rest().chars().next() {
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => self.name(),
            Some(c) => Err(self.wrong(&format!("unexpected `{c}`"))),
            None => Err(self.wrong("unexpected end")),
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..end].parse().map_err(|_| self.wrong(&format!("`{}` is not a number", &rest[..end])))?;
        self.at += end;
        Ok(Expression::Number(number))
    }

    /// A name, or a call.
    fn name(&mut self) -> Result<Expression, String> {
        let name = self.identifier().to_string();
        if self.next_of(b"(").is_none() {
            return Ok(Expression::Name(name));
        }
        let function = functions::find(&name).map_err(|problem| self.wrong(&problem))?;
        let mut arguments = Vec::new();
        if self.next_of(b")").is_none() {
            arguments.push(self.sum()?);
            while self.next_of(b",").is_some() {
                arguments.push(self.sum()?);
            }
            self.expect(b')')?;
        }
        if !function.arguments.contains(&arguments.len()) {
            let (least, most) = (function.arguments.start(), function.arguments.end());
            let takes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            return Err(self.wrong(&format!("{name} takes {takes} arguments, not {}", arguments.len())));
        }
        Ok(Expression::Call(function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Result<Vec<f64>, String> {
        let values = [("twice", "2 * time"), ("loop", "loop + 1")];
        let parsed = values.map(|(name, text)| (name.to_string(), Formula::parse(text).expect(text)));
        let values = BTreeMap::from(parsed);
        let mut scope = Scope::new(Some(&values));
        scope.set("time", 3.0);
        Ok(Formula::parse(text)?.value(&scope)?.numbers())
    }

    #[test]
    fn formulas_have_the_values_of_arithmetic() {
        for (text, expected) in [
            ("1 + 2 * 3", vec![7.0]),
            ("-(1 + 2) * 3 - 8 / 4 % 3", vec![-11.0]),
            ("twice", vec![6.0]),
            ("vec3(1, 2, 3) * 2", vec![2.0, 4.0, 6.0]),
            ("vec4(vec2(1, 2), 3, 4).wzx", vec![4.0, 3.0, 1.0]),
            ("max(1.5, min(4, 2))", vec![2.0]),
            ("mix(vec2(0), vec2(4, 8), 0.25)", vec![1.0, 2.0]),
            ("cross(vec3(1, 0, 0), vec3(0, 1, 0))", vec![0.0, 0.0, 1.0]),
            ("translate(vec3(1, 2, 3)) * vec4(1, 1, 1, 1)", vec![2.0, 3.0, 4.0, 1.0]),
            ("inverse(scale(vec3(2, 4, 8))) * vec4(2, 4, 8, 1)", vec![1.0, 1.0, 1.0, 1.0]),
        ] {
            assert_eq!(numbers(text), Ok(expected), "{text}");
        }
        assert_eq!(numbers("rotate(vec3(0, 0, 1), 90)").map(|numbers| numbers.len()), Ok(16));
        let turned = numbers("rotate(vec3(0, 0, 1), 90) * vec4(1, 0, 0, 1)").expect("a vector");
        assert!((turned[0].abs() + (turned[1] - 1.0).abs()) < 1e-12, "{turned:?}");
    }

    #[test]
    fn errors_have_their_place() {
        for (text, expected) in [
            ("1 +", "unexpected end at character 4 of the formula"),
            ("(1", "expected `)` at character 3 of the formula"),
            ("1 $ 2", "unexpected `$` at character 3 of the formula"),
            ("sin(1, 2)", "sin takes 1 arguments, not 2 at character 10 of the formula"),
            ("1..2", "`1..2` is not a number at character 1 of the formula"),
            ("tim", "there is no value `tim`; similar names: time"),
            ("vec2(1, 2).z", "a vec2 has no such component"),
            ("dot(vec2(1), vec3(1))", "dot: a vec2 and a vec3 do not match"),
            ("loop", "`loop` depends on itself"),
        ] {
            assert_eq!(numbers(text), Err(expected.to_string()), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(Formula::parse(&deep).expect_err("too deep").starts_with("too deep"));
        let long = "1+".repeat(100_000);
        assert!(Formula::parse(&long).expect_err("too long").starts_with("too long"));
    }

    #[test]
    fn random_numbers_follow_from_the_seed() {
        let formula = Formula::parse("random(10, 20)").expect("a formula");
        let three = |seed: u64| {
            let scope = Scope { random: Cell::new(seed), ..Scope::default() };
            [0; 3].map(|_| formula.number(&scope).expect("a number"))
        };
        assert_eq!(three(1), three(1));
        assert_ne!(three(1), three(2));
        assert!(three(1).iter().all(|number| (10.0..20.0).contains(number)));
    }
}
