//! Reading a wire: its header, its sections one after the other, and control flow.

use super::declare::TypeRow;
use super::format::{pick, row, Control, Section, HEADER_WORDS, HINTS, MAGIC, VERSION};
use super::words::{error, rows, unexpected, Sources};
use crate::entity::Id;
use crate::error::Error;
use crate::ir::{rewrite, BlockData, Cf, Edit, Inst, Shader};

/// Reads wires, one after the other, and keeps its memory in between.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    pub(super) types: Vec<TypeRow>,
    /// Instructions that no wire has, with the instruction that they stand before.
    pub(super) extras: Vec<(Inst, Inst)>,
    /// Memory for the name and the label of a shader.
    pub(super) labels: [String; 2],
}

impl Decoder {
    /// Reads the shader in `words` into `shader`, which is emptied first, and again after an error.
    ///
    /// # Errors
    /// Says what is wrong with which word, counted from 0.
    pub fn decode(&mut self, words: &[u32], shader: &mut Shader) -> Result<(), Error> {
        self.types.clear();
        self.extras.clear();
        for (memory, text) in self.labels.iter_mut().zip([&mut shader.info.name, &mut shader.info.label]) {
            *memory = text.take().unwrap_or(std::mem::take(memory));
        }
        shader.clear();
        let result = self.read(words, shader);
        if result.is_err() {
            shader.clear();
        }
        result
    }

    fn read(&mut self, wire: &[u32], shader: &mut Shader) -> Result<(), Error> {
        let (places, num_insts) = header(wire, shader)?;
        let sources = Sources::default();
        let mut reading = Reading { state: self, shader, wire, places, num_insts, num_vacant: num_insts, sources };
        let result = reading.sections();
        // A number that means nothing comes before any other error: reading would have ended there.
        reading.sources.are_sound().and(result)
    }
}

/// Where each section starts and ends, which is within the wire.
type Places = [(usize, usize); Section::COUNT];

/// A wire that is being read.
pub(super) struct Reading<'a> {
    pub(super) state: &'a mut Decoder,
    pub(super) shader: &'a mut Shader,
    wire: &'a [u32],
    places: Places,
    pub(super) num_insts: usize,
    /// Instructions that were not read yet.
    pub(super) num_vacant: usize,
    pub(super) sources: Sources,
}

impl<'a> Reading<'a> {
    fn sections(&mut self) -> Result<(), Error> {
        self.shader_section()?;
        self.directives()?;
        self.types()?;
        self.variables()?;
        self.shader.make_places(self.num_insts);
        // What may have no result comes first: then all uses of such are seen where they are read, but those of phis.
        self.plain()?;
        self.intrinsics()?;
        self.texs()?;
        self.consts()?;
        self.deref_vars()?;
        self.derefs()?;
        self.alus()?;
        if self.num_vacant != 0 {
            return Err(error(3, format_args!("{} instructions are in no section", self.num_vacant)));
        }
        self.control()?;
        self.phi_srcs()?;
        self.place_extras();
        Ok(())
    }

    /// The words of a section, and where it starts.
    #[inline(always)]
    pub(super) fn section(&self, section: Section) -> (&'a [u32], usize) {
        let (start, end) = self.places[section as usize];
        (&self.wire[start..end], start)
    }

    #[inline(never)]
    fn control(&mut self) -> Result<(), Error> {
        let (words, start) = self.section(Section::Control);
        let (mut last, mut in_block) = (0, false);
        for (at, &[kind, place, cond]) in rows::<{ row::CONTROL }>(words, start)? {
            let is_next = place == last || place > last && in_block && place as usize <= self.num_insts;
            if !is_next {
                return Err(wrong_place(at + 1, place));
            }
            let item = match Control::from_number(kind & 0xff) {
                Some(Control::Block) => Cf::Block(self.shader.blocks.push(BlockData::default())),
                Some(Control::If) => {
                    let cond = self.sources.get(&self.shader.insts, cond, place, at + 2);
                    let hint = pick(HINTS, kind >> 8).ok_or_else(|| unexpected(at, "a hint", kind >> 8))?;
                    Cf::If { cond, hint }
                }
                Some(Control::Else) => Cf::Else,
                Some(Control::EndIf) => Cf::EndIf,
                Some(Control::Loop) => Cf::Loop,
                Some(Control::Continue) => Cf::Continue,
                Some(Control::EndLoop) => Cf::EndLoop,
                None => return Err(unexpected(at, "an item of control flow", kind & 0xff)),
            };
            self.shader.append_cf_at(item, place as usize);
            (last, in_block) = (place, matches!(item, Cf::Block(_)));
        }
        if !in_block && last as usize != self.num_insts {
            return Err(wrong_place(start + words.len(), self.num_insts as u32));
        }
        self.shader.append_places(self.num_insts);
        Ok(())
    }

    /// Lets the instructions that no wire has stand before those that they were made for.
    fn place_extras(&mut self) {
        let extras = &mut self.state.extras;
        if !extras.is_empty() {
            extras.sort_by_key(|(before, extra)| (before.index(), extra.index()));
            rewrite(self.shader, |builder, inst| {
                let first = extras.partition_point(|(before, _)| before.index() < inst.index());
                let own = extras[first..].iter().take_while(|(before, _)| *before == inst);
                own.for_each(|(_, extra)| builder.shader.append_existing(*extra));
                Edit::Keep
            });
        }
    }
}

/// Where the sections of `wire` are, and how many instructions it has. The text goes to `shader`.
fn header(wire: &[u32], shader: &mut Shader) -> Result<(Places, usize), Error> {
    let Some(&[magic, version, len, num_insts, bytes, ref places @ ..]) = wire.first_chunk::<HEADER_WORDS>() else {
        return Err(no_wire(wire));
    };
    if magic != MAGIC || version != VERSION || len as usize != wire.len() {
        return Err(no_wire(wire));
    }
    let (mut sections, mut last) = ([(0, 0); Section::COUNT], 0);
    for (section, place) in sections.iter_mut().zip(places.chunks_exact(2)) {
        let end = u64::from(place[0]) + u64::from(place[1]);
        *section = (place[0] as usize, end as usize);
        last = last.max(end);
    }
    if last > u64::from(len) {
        return Err(error(5, format_args!("a section that ends at word {last} of {len}")));
    }
    // An instruction has two words or more, so that its memory is in proportion.
    if num_insts as usize > wire.len() / 2 {
        return Err(error(3, format_args!("{num_insts} instructions, which are not there")));
    }
    let (start, end) = sections[Section::Text as usize];
    if (bytes as usize).div_ceil(4) > end - start {
        return Err(error(4, format_args!("a text of {bytes} bytes in {} words", end - start)));
    }
    shader.strings.set_text(&wire[start..end], bytes as usize);
    Ok((sections, num_insts as usize))
}

/// Why `wire` has no header.
#[cold]
fn no_wire(wire: &[u32]) -> Error {
    match *wire {
        [MAGIC, VERSION, len, ..] if len as usize == wire.len() => {
            error(wire.len(), format_args!("the header has {HEADER_WORDS} words"))
        }
        [MAGIC, VERSION, len, ..] => error(2, format_args!("the wire has {} words, but should have {len}", wire.len())),
        [MAGIC, version, ..] if version != VERSION => {
            error(1, format_args!("version {version} of the format, but this ntv reads version {VERSION}"))
        }
        _ => error(0, format_args!("this is no wire: it does not begin with {MAGIC:#x}, a version and a length")),
    }
}

#[cold]
fn wrong_place(at: usize, place: u32) -> Error {
    error(at, format_args!("instruction {place} is not the next one, or outside of a block"))
}
