// SPDX-License-Identifier: MIT

//! Requests for captures, in GL's names, and their places in GL: computed from the names alone, without a plan.

use super::program::{is_wide, words, Program};
use ntv::capture::{BufferMode, LayoutCapture, OutputType, Request};

/// A request and its places.
#[derive(Clone, Debug)]
pub(super) struct Wish {
    pub(super) request: Request,
    /// The places of the captured words.
    pub(super) places: Vec<CapturedWord>,
    /// The bytes of a vertex in each buffer; 0 for buffers without captures.
    pub(super) strides: [u32; 4],
}

/// The place of a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedWord {
    pub(super) buffer: usize,
    /// The offset in bytes from the start of the vertex.
    pub(super) offset: u32,
    /// The number of the word in the program.
    pub(super) word: u32,
}

/// A part of the outputs with a name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    /// The number of its first word.
    pub(super) word: u32,
    pub(super) ty: OutputType,
}

impl Named {
    /// The numbers of its words.
    pub(super) fn words(&self) -> std::ops::Range<u32> {
        self.word..self.word + words(&self.ty)
    }
}

/// All possible names of a list: scalars, vectors, matrices, and arrays of these.
pub(super) fn listable(program: &Program) -> Vec<Named> {
    let mut all = Vec::new();
    for (number, output) in program.outputs.iter().enumerate() {
        list(&output.name, &output.ty, program.first_word(number), &mut all);
    }
    all
}

fn list(name: &str, ty: &OutputType, word: u32, all: &mut Vec<Named>) {
    let named = || Named { name: name.into(), word, ty: ty.clone() };
    match ty {
        OutputType::Basic(_) => all.push(named()),
        OutputType::Array(element, length) => {
            if matches!(**element, OutputType::Basic(_)) {
                all.push(named());
            }
            (0..*length).for_each(|i| list(&format!("{name}[{i}]"), element, word + i * words(element), all));
        }
        OutputType::Struct(members) | OutputType::Block(members) => {
            let mut word = word;
            for member in members {
                list(&format!("{name}.{}", member.name), &member.ty, word, all);
                word += words(&member.ty);
            }
        }
    }
}

/// An entry of a list of names.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Name(Named),
    Skip(u32),
    NextBuffer,
}

/// `glTransformFeedbackVaryings`.
pub(super) fn varyings(entries: &[Entry], mode: BufferMode) -> Wish {
    let (mut names, mut places) = (Vec::new(), Vec::new());
    let mut ends = [0; 4];
    let mut buffer = 0;
    for entry in entries {
        match entry {
            Entry::Name(named) => {
                names.push(named.name.clone());
                for word in named.words() {
                    places.push(CapturedWord { buffer, offset: ends[buffer], word });
                    ends[buffer] += 4;
                }
                buffer += usize::from(mode == BufferMode::Separate && buffer < 3);
            }
            Entry::Skip(components) => {
                names.push(format!("gl_SkipComponents{components}"));
                ends[buffer] += 4 * components;
            }
            Entry::NextBuffer => {
                names.push("gl_NextBuffer".into());
                buffer += 1;
            }
        }
    }
    let strides = used(&places, ends);
    Wish { request: Request::varyings(names, mode), places, strides }
}

/// The parts with `xfb_offset`: the `xfb_buffer`, and the number of bytes after the first possible offset. An array of blocks
/// uses consecutive buffers. Then the `xfb_stride` of each buffer: the number of bytes more than the minimum, if it is declared.
pub(super) fn layout(captures: &[(Named, usize, u32)], more: [Option<u32>; 4]) -> Wish {
    let (mut list, mut places) = (Vec::new(), Vec::new());
    let (mut ends, mut wide) = ([0u32; 4], [false; 4]);
    for (named, buffer, gap) in captures {
        let blocks = blocks(&named.ty, named.word);
        let alignment = if is_wide(&named.ty) { 8 } else { 4 };
        let last = ends[*buffer..*buffer + blocks.len()].iter().max().copied().unwrap_or(0);
        let offset = last.next_multiple_of(alignment) + gap * alignment;
        list.push(LayoutCapture { name: named.name.clone(), buffer: *buffer as u32, offset });
        for (buffer, (ty, word)) in (*buffer..).zip(blocks) {
            let end = put(ty, (buffer, offset), word, &mut places);
            ends[buffer] = end.next_multiple_of(alignment);
            wide[buffer] |= alignment == 8;
        }
    }
    let mut strides = [None; 4];
    for buffer in 0..4 {
        let alignment = if wide[buffer] { 8 } else { 4 };
        ends[buffer] = ends[buffer].next_multiple_of(alignment);
        if let Some(more) = more[buffer] {
            ends[buffer] += more * alignment;
            strides[buffer] = Some(ends[buffer]);
        }
    }
    let used = used(&places, ends);
    Wish { request: Request::Layout { captures: list, strides }, places, strides: used }
}

/// The blocks of an array of blocks with the first word of each; otherwise only the type.
pub(super) fn blocks(ty: &OutputType, word: u32) -> Vec<(&OutputType, u32)> {
    match ty {
        OutputType::Array(element, length) if has_blocks(element) => {
            (0..*length).flat_map(|i| blocks(element, word + i * words(element))).collect()
        }
        _ => vec![(ty, word)],
    }
}

fn has_blocks(ty: &OutputType) -> bool {
    match ty {
        OutputType::Block(_) => true,
        OutputType::Array(element, _) => has_blocks(element),
        _ => false,
    }
}

/// Places all parts of a type in a buffer, each component at a multiple of its size. Returns the end.
fn put(ty: &OutputType, (buffer, offset): (usize, u32), word: u32, places: &mut Vec<CapturedWord>) -> u32 {
    match ty {
        OutputType::Basic(_) => {
            let start = if is_wide(ty) { offset.next_multiple_of(8) } else { offset };
            for number in 0..words(ty) {
                places.push(CapturedWord { buffer, offset: start + 4 * number, word: word + number });
            }
            start + 4 * words(ty)
        }
        OutputType::Array(element, length) => {
            (0..*length).fold(offset, |offset, i| put(element, (buffer, offset), word + i * words(element), places))
        }
        OutputType::Struct(members) | OutputType::Block(members) => {
            let mut word = word;
            members.iter().fold(offset, |offset, member| {
                let end = put(&member.ty, (buffer, offset), word, places);
                word += words(&member.ty);
                end
            })
        }
    }
}

/// The `ends` of the buffers that are used.
fn used(places: &[CapturedWord], ends: [u32; 4]) -> [u32; 4] {
    let mut used = [0; 4];
    places.iter().for_each(|place| used[place.buffer] = ends[place.buffer]);
    used
}
