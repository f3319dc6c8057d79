// SPDX-License-Identifier: MIT

//! Resolves names to outputs and their parts.

use super::name::{self, Step};
use super::shape::{places, Leaf};
use super::{Output, OutputType, XfbProblem};

/// The output, or the part of an output, that a name refers to.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputPart<'a> {
    /// The index of the output.
    pub(super) output: usize,
    pub(super) stream: u32,
    pub(super) ty: &'a OutputType,
    pub(super) location: u32,
    pub(super) component: u8,
    pub(super) is_compact: bool,
}

/// Resolves `name`.
pub(super) fn resolve<'a>(outputs: &'a [Output], name: &str) -> Result<OutputPart<'a>, XfbProblem> {
    let path = name::parse(name).ok_or(XfbProblem::Malformed)?;
    let mut named = outputs.iter().enumerate().filter(|(_, output)| output.name == path.head);
    let unknown = if path.head.starts_with("gl_") { XfbProblem::Reserved } else { XfbProblem::Unknown };
    let (number, output) = named.next().ok_or(unknown)?;
    let checked = if named.next().is_some() { Err("two outputs have this name") } else { output.check() };
    checked.map_err(|why| XfbProblem::InvalidOutput { why })?;
    let found = OutputPart {
        output: number,
        stream: output.stream.into(),
        ty: &output.ty,
        location: output.location,
        component: output.component,
        is_compact: output.is_compact,
    };
    path.steps.iter().try_fold(found, |found, (of, step)| match step {
        Step::Element(index) => found.element(of, *index),
        Step::Member(member) => found.member(of, member),
    })
}

impl<'a> OutputPart<'a> {
    /// Element `index` of this array, which the request calls `of`.
    fn element(self, of: &str, index: u64) -> Result<OutputPart<'a>, XfbProblem> {
        let OutputType::Array(element, length) = self.ty else { return Err(XfbProblem::NotAnArray { of: of.into() }) };
        match u32::try_from(index) {
            Ok(index) if index < *length => Ok(self.nth(element, index)),
            _ => Err(XfbProblem::OutOfBounds { of: of.into(), length: *length }),
        }
    }

    /// Element `index` of this array, whose elements are `ty`.
    fn nth(self, ty: &'a OutputType, index: u32) -> OutputPart<'a> {
        let (slots, components) = if self.is_compact { (0, index) } else { (ty.slots().saturating_mul(index), 0) };
        let component = components.saturating_add(self.component.into());
        let location = self.location.saturating_add(slots).saturating_add(component / 4);
        OutputPart { ty, location, component: (component % 4) as u8, is_compact: false, ..self }
    }

    /// The member of this struct or block, which the request calls `of`.
    fn member(self, of: &str, member: &str) -> Result<OutputPart<'a>, XfbProblem> {
        if !matches!(self.ty, OutputType::Struct(_) | OutputType::Block(_)) {
            return Err(XfbProblem::NotAStruct { of: of.into() });
        }
        let found = self.members().find(|(name, _)| *name == member).map(|(_, found)| found);
        found.ok_or_else(|| XfbProblem::UnknownMember { of: of.into(), member: member.into() })
    }

    /// All elements of an array; nothing for other types.
    pub(super) fn elements(self) -> impl Iterator<Item = OutputPart<'a>> {
        let (element, length) = match self.ty {
            OutputType::Array(element, length) => (&**element, *length),
            other => (other, 0),
        };
        (0..length).map(move |index| self.nth(element, index))
    }

    /// All members with their names; nothing for types other than structs and blocks.
    pub(super) fn members(self) -> impl Iterator<Item = (&'a str, OutputPart<'a>)> {
        let members: &[_] = match self.ty {
            OutputType::Struct(members) | OutputType::Block(members) => members,
            _ => &[],
        };
        places(members).map(move |(member, at, component)| {
            (
                &*member.name,
                OutputPart { ty: &member.ty, location: self.location.saturating_add(at), component, ..self },
            )
        })
    }

    /// A basic type or an array of a basic type, or the kind of type that it is otherwise.
    pub(super) fn leaf(self) -> Result<Leaf, XfbProblem> {
        let (basic, length) = match self.ty {
            OutputType::Basic(basic) => (*basic, 1),
            OutputType::Array(element, length) => match **element {
                OutputType::Basic(basic) => (basic, *length),
                OutputType::Array(..) => return Err(XfbProblem::Aggregate { what: "an array of arrays" }),
                OutputType::Struct(_) => return Err(XfbProblem::Aggregate { what: "an array of structs" }),
                OutputType::Block(_) => return Err(XfbProblem::Aggregate { what: "an array of blocks" }),
            },
            OutputType::Struct(_) => return Err(XfbProblem::Aggregate { what: "a struct" }),
            OutputType::Block(_) => return Err(XfbProblem::Aggregate { what: "a block" }),
        };
        let (location, component, is_compact) = (self.location, self.component, self.is_compact);
        Ok(Leaf { basic, length, location, component, is_compact })
    }
}
