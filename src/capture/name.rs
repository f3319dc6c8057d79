// SPDX-License-Identifier: MIT

//! The parser of names of captured outputs: OpenGL 4.6, section 7.3.1.1 "Naming Active Resources".

/// A member or element of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// `.name`.
    Member(&'a str),
    /// `[index]`. An index too large for any type is `u64::MAX`.
    Element(u64),
}

/// A name such as `s.b[1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path<'a> {
    /// The name of the variable or block.
    pub(super) head: &'a str,
    /// Each step, and the name of the aggregate that it applies to.
    pub(super) steps: Vec<(&'a str, Step<'a>)>,
}

/// A name in a list that is not a variable: ARB_transform_feedback3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    /// `gl_NextBuffer`.
    NextBuffer,
    /// `gl_SkipComponents1` to `4`: the number of skipped 32-bit components.
    Skip(u32),
}

const SPECIALS: [(&str, Special); 5] = [
    ("gl_NextBuffer", Special::NextBuffer),
    ("gl_SkipComponents1", Special::Skip(1)),
    ("gl_SkipComponents2", Special::Skip(2)),
    ("gl_SkipComponents3", Special::Skip(3)),
    ("gl_SkipComponents4", Special::Skip(4)),
];

/// The special name `name`, if it is one.
pub(super) fn special(name: &str) -> Option<Special> {
    SPECIALS.iter().find(|(special, _)| *special == name).map(|(_, special)| *special)
}

/// Parses `name`; `None` if it is malformed. Names have no blanks, and indices no leading zeros.
pub(super) fn parse(name: &str) -> Option<Path<'_>> {
    let (head, mut rest) = identifier(name)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let before = &name[..name.len() - rest.len()];
        let (step, after) = match rest.strip_prefix('.') {
            Some(member) => identifier(member).map(|(member, after)| (Step::Member(member), after))?,
            None => index(rest.strip_prefix('[')?)?,
        };
        steps.push((before, step));
        rest = after;
    }
    Some(Path { head, steps })
}

/// The identifier at the beginning, and the text after it.
fn identifier(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts.then(|| text.split_at(end))
}

/// The index after an opening bracket, and the text after the closing bracket.
fn index(text: &str) -> Option<(Step<'_>, &str)> {
    let (digits, after) = text.split_once(']')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_short = digits == "0" || !digits.starts_with('0');
    (is_number && is_short).then(|| (Step::Element(digits.parse().unwrap_or(u64::MAX)), after))
}

#[cfg(test)]
mod tests {
    use super::{parse, special, Special, Step};

    #[test]
    fn names_are_parsed() {
        let path = parse("s.b[12].c_1").unwrap();
        assert_eq!(path.head, "s");
        let steps = [("s", Step::Member("b")), ("s.b", Step::Element(12)), ("s.b[12]", Step::Member("c_1"))];
        assert_eq!(path.steps, steps);
        assert_eq!(parse("a[99999999999999999999]").unwrap().steps, [("a", Step::Element(u64::MAX))]);
        assert_eq!(parse("_x").unwrap().steps, []);
    }

    #[test]
    fn malformed_names_are_refused() {
        let malformed = [
            "", " ", "a ", "1a", "a[", "a]", "a[]", "a[x]", "a[-1]", "a[+1]", "a[01]", "a[1", "a[1]b", "a.", ".a",
            "a..b", "a.[1]", "a[1].", "a.1", "ä", "a[١]", "a-b", "a\0",
        ];
        for name in malformed {
            assert_eq!(parse(name), None, "{name:?}");
        }
    }

    #[test]
    fn special_names_are_exact() {
        assert_eq!(special("gl_NextBuffer"), Some(Special::NextBuffer));
        assert_eq!(special("gl_SkipComponents4"), Some(Special::Skip(4)));
        for name in ["gl_SkipComponents", "gl_SkipComponents0", "gl_SkipComponents5", "gl_nextBuffer", ""] {
            assert_eq!(special(name), None, "{name:?}");
        }
    }
}
