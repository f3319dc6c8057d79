// SPDX-License-Identifier: MIT

//! The operators and functions of formulas.

use super::formula::{Scope, Value};
use super::noise;
use glam::dcamera::rh::proj::opengl;
use glam::dcamera::rh::view::look_at_mat4;
use glam::{DMat4, DVec3, DVec4};
use std::ops::RangeInclusive;

/// A function of formulas.
#[derive(Debug)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: &'static str,
    /// The possible numbers of arguments.
    pub(crate) arguments: RangeInclusive<usize>,
    run: Run,
}

/// The operation of a function.
#[derive(Debug)]
enum Run {
    /// An operation on each component.
    Each(fn(f64) -> f64),
    /// An operation on the components of two arguments; a number is used for each component of a vector.
    Pairs(fn(f64, f64) -> f64),
    /// An operation on the components of three arguments.
    Triples(fn(f64, f64, f64) -> f64),
    /// Any other operation.
    Whole(fn(&[Value]) -> Result<Value, String>),
    /// A random number between the first and the second argument.
    Random,
}

const fn each(name: &'static str, run: fn(f64) -> f64) -> Function {
    Function { name, arguments: 1..=1, run: Run::Each(run) }
}

const fn pairs(name: &'static str, run: fn(f64, f64) -> f64) -> Function {
    Function { name, arguments: 2..=2, run: Run::Pairs(run) }
}

const fn triples(name: &'static str, run: fn(f64, f64, f64) -> f64) -> Function {
    Function { name, arguments: 3..=3, run: Run::Triples(run) }
}

const fn whole(
    name: &'static str,
    arguments: RangeInclusive<usize>,
    run: fn(&[Value]) -> Result<Value, String>,
) -> Function {
    Function { name, arguments, run: Run::Whole(run) }
}

/// All functions.
const FUNCTIONS: &[Function] = &[
    each("abs", f64::abs),
    each("ceil", f64::ceil),
    each("cos", f64::cos),
    each("degrees", f64::to_degrees),
    each("exp", f64::exp),
    each("floor", f64::floor),
    each("fract", |x| x - x.floor()),
    each("log", f64::ln),
    each("radians", f64::to_radians),
    each("sign", |x| if x == 0.0 { 0.0 } else { x.signum() }),
    each("sin", f64::sin),
    each("sqrt", f64::sqrt),
    each("tan", f64::tan),
    pairs("atan", f64::atan2),
    pairs("max", f64::max),
    pairs("min", f64::min),
    pairs("mod", |x, y| x - y * (x / y).floor()),
    pairs("pow", f64::powf),
    pairs("step", |edge, x| if x < edge { 0.0 } else { 1.0 }),
    triples("clamp", |x, least, most| x.max(least).min(most)),
    triples("mix", |a, b, t| a * (1.0 - t) + b * t),
    triples("smoothstep", |from, to, x| {
        let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }),
    whole("vec2", 1..=2, |of| joined(of, 2)),
    whole("vec3", 1..=3, |of| joined(of, 3)),
    whole("vec4", 1..=4, |of| joined(of, 4)),
    whole("dot", 2..=2, |of| Ok(dot(of[0], of[1])?.into())),
    whole("length", 1..=1, |of| Ok(dot(of[0], of[0])?.sqrt().into())),
    whole("distance", 2..=2, |of| {
        let between = binary(b'-', of[0], of[1])?;
        Ok(dot(between, between)?.sqrt().into())
    }),
    whole("normalize", 1..=1, |of| binary(b'/', of[0], dot(of[0], of[0])?.sqrt().into())),
    whole("cross", 2..=2, |of| Ok(Value::vector(&vec3(of[0])?.cross(vec3(of[1])?).to_array()))),
    whole("noise", 3..=3, |of| Ok(noise::value(DVec3::from_array(numbers(of)?)).into())),
    whole("perspective", 4..=4, |of| {
        let [angle, aspect, near, far] = numbers(of)?;
        Ok(Value::Matrix(opengl::perspective(angle.to_radians(), aspect, near, far)))
    }),
    whole("orthographic", 6..=6, |of| {
        let [left, right, bottom, top, near, far] = numbers(of)?;
        Ok(Value::Matrix(opengl::orthographic(left, right, bottom, top, near, far)))
    }),
    whole("look_at", 3..=3, |of| Ok(Value::Matrix(look_at_mat4(vec3(of[0])?, vec3(of[1])?, vec3(of[2])?)))),
    whole("translate", 1..=1, |of| Ok(Value::Matrix(DMat4::from_translation(vec3(of[0])?)))),
    whole("scale", 1..=1, |of| Ok(Value::Matrix(DMat4::from_scale(vec3(of[0])?)))),
    whole("rotate", 2..=2, |of| {
        let axis = vec3(of[0])?.try_normalize().ok_or("an axis of no length")?;
        Ok(Value::Matrix(DMat4::from_axis_angle(axis, numbers::<1>(&of[1..])?[0].to_radians())))
    }),
    whole("inverse", 1..=1, |of| Ok(Value::Matrix(matrix(of[0])?.inverse()))),
    whole("transpose", 1..=1, |of| Ok(Value::Matrix(matrix(of[0])?.transpose()))),
    Function { name: "random", arguments: 2..=2, run: Run::Random },
];

/// The function with this name.
pub(crate) fn find(name: &str) -> Result<&'static Function, String> {
    let found = FUNCTIONS.iter().find(|function| function.name == name);
    found.ok_or_else(|| crate::names::unknown("function", name, FUNCTIONS.iter().map(|function| function.name)))
}

impl Function {
    /// Applies the function to a valid number of arguments.
    pub(crate) fn call(&self, of: &[Value], scope: &Scope<'_>) -> Result<Value, String> {
        match self.run {
            Run::Each(run) => map(of, |numbers| run(numbers[0])),
            Run::Pairs(run) => map(of, |numbers| run(numbers[0], numbers[1])),
            Run::Triples(run) => map(of, |numbers| run(numbers[0], numbers[1], numbers[2])),
            Run::Whole(run) => run(of),
            Run::Random => {
                let [least, most] = numbers(of)?;
                let next = scope.random.get().wrapping_add(1);
                scope.random.set(next);
                Ok((least + (most - least) * noise::unit(noise::mixed(next))).into())
            }
        }
    }
}

/// Applies an operator to two values.
pub(crate) fn binary(operator: u8, left: Value, right: Value) -> Result<Value, String> {
    match (operator, left, right) {
        (b'*', Value::Matrix(a), Value::Matrix(b)) => Ok(Value::Matrix(a * b)),
        (b'*', Value::Matrix(a), Value::Vector(b, 4)) => Ok(Value::Vector(a * b, 4)),
        (b'*', ..) => map(&[left, right], |numbers| numbers[0] * numbers[1]),
        (b'/', ..) => map(&[left, right], |numbers| numbers[0] / numbers[1]),
        (b'%', ..) => map(&[left, right], |numbers| numbers[0].rem_euclid(numbers[1])),
        (b'+', ..) => map(&[left, right], |numbers| numbers[0] + numbers[1]),
        _ => map(&[left, right], |numbers| numbers[0] - numbers[1]),
    }
}

/// Applies `run` to the first components, to the second, and so on.
fn map(of: &[Value], run: impl Fn(&[f64]) -> f64) -> Result<Value, String> {
    let mut all = [(DVec4::ZERO, 1); 3];
    for (own, value) in all.iter_mut().zip(of) {
        *own = match value {
            Value::Vector(vector, len) => (*vector, *len),
            Value::Matrix(_) => return Err("a matrix has no components here".to_string()),
        };
    }
    let all = &all[..of.len()];
    let len = all.iter().map(|row| row.1).max().unwrap_or(1);
    if all.iter().any(|row| row.1 != len && row.1 != 1) {
        let kinds: Vec<&str> = of.iter().map(Value::kind).collect();
        return Err(format!("{} do not match", kinds.join(" and ")));
    }
    let mut result = DVec4::ZERO;
    for at in 0..len {
        let numbers = [0, 1, 2].map(|row| all.get(row).map_or(0.0, |row| row.0[if row.1 == 1 { 0 } else { at }]));
        result[at] = run(&numbers[..all.len()]);
    }
    Ok(Value::Vector(result, len))
}

/// A vector of `len` numbers, which are all numbers of `of` in order, or one number repeated.
fn joined(of: &[Value], len: usize) -> Result<Value, String> {
    if of.iter().any(|value| matches!(value, Value::Matrix(_))) {
        return Err("a matrix is not a part of a vector".to_string());
    }
    let numbers: Vec<f64> = of.iter().flat_map(Value::numbers).collect();
    match numbers.len() {
        1 => Ok(Value::vector(&vec![numbers[0]; len])),
        own if own == len => Ok(Value::vector(&numbers)),
        own => Err(format!("{own} numbers")),
    }
}

fn dot(a: Value, b: Value) -> Result<f64, String> {
    match binary(b'*', a, b)? {
        Value::Vector(vector, _) => Ok(vector.to_array().iter().sum()),
        Value::Matrix(_) => Err("a matrix has no components here".to_string()),
    }
}

fn vec3(of: Value) -> Result<DVec3, String> {
    match of {
        Value::Vector(vector, 3) => Ok(vector.truncate()),
        other => Err(format!("expected a vec3, found {}", other.kind())),
    }
}

fn matrix(of: Value) -> Result<DMat4, String> {
    match of {
        Value::Matrix(matrix) => Ok(matrix),
        other => Err(format!("expected a matrix, found {}", other.kind())),
    }
}

/// Values that have to be single numbers.
fn numbers<const N: usize>(of: &[Value]) -> Result<[f64; N], String> {
    let mut numbers = [0.0; N];
    for (number, value) in numbers.iter_mut().zip(of) {
        *number = match value {
            Value::Vector(vector, 1) => vector.x,
            other => return Err(format!("expected a number, found {}", other.kind())),
        };
    }
    Ok(numbers)
}
