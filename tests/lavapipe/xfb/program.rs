// SPDX-License-Identifier: MIT

//! Vertex shaders, as text of NIR, in which each word of the outputs has a unique value.
//!
//! Words are numbered in the order in which GLSL declares them: outputs one after the other, arrays by element, structs by
//! member, matrices by column, doubles low half first. That is also the order in which GL captures the words of a name.

use ntv::capture::{Basic, Member, Output, OutputType, ScalarType, XfbInfo};
use ntv::op::names::varying::{CLIP_DIST0, CULL_DIST0, POS, PSIZ, VAR0};
use std::fmt::Write as _;

/// The value of a word at a vertex of an instance. As a float it is a number of at least 2.
pub(super) fn value(word: u32, vertex: u32, instance: u32) -> u32 {
    0x4000_0000 + (word << 16) + (vertex << 8) + instance
}

/// The number of 32-bit words of a type.
pub(super) fn words(ty: &OutputType) -> u32 {
    match ty {
        OutputType::Basic(basic) => u32::from(basic.columns) * column_words(*basic),
        OutputType::Array(element, length) => length * words(element),
        OutputType::Struct(members) | OutputType::Block(members) => {
            members.iter().map(|member| words(&member.ty)).sum()
        }
    }
}

/// The number of slots of a type that is not compact: one for each vector, two for vectors of more than 16 bytes.
pub(super) fn slots(ty: &OutputType) -> u32 {
    match ty {
        OutputType::Basic(basic) => u32::from(basic.columns) * column_words(*basic).div_ceil(4),
        OutputType::Array(element, length) => length * slots(element),
        OutputType::Struct(members) | OutputType::Block(members) => {
            member_places(members).map(|(member, slot, _)| slot + slots(&member.ty)).max().unwrap_or(0)
        }
    }
}

/// Whether any part of it has 64 bits.
pub(super) fn is_wide(ty: &OutputType) -> bool {
    match ty {
        OutputType::Basic(basic) => is_wide_base(basic.base),
        OutputType::Array(element, _) => is_wide(element),
        OutputType::Struct(members) | OutputType::Block(members) => members.iter().any(|member| is_wide(&member.ty)),
    }
}

fn is_wide_base(base: ScalarType) -> bool {
    matches!(base, ScalarType::Double | ScalarType::Int64 | ScalarType::Uint64)
}

fn column_words(basic: Basic) -> u32 {
    u32::from(basic.rows) * if is_wide_base(basic.base) { 2 } else { 1 }
}

/// Every member with its slot and its component in the slot.
fn member_places(members: &[Member]) -> impl Iterator<Item = (&Member, u32, u8)> {
    let mut next = 0;
    members.iter().map(move |member| {
        let (slot, component) = member.at.unwrap_or((next, 0));
        next = slot + slots(&member.ty);
        (member, slot, component)
    })
}

/// A vertex shader.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The frontend's description of its outputs.
    pub(super) outputs: Vec<Output>,
    /// The vertex and the instance come from attributes 0 and 1, not from system values.
    pub(super) reads_attributes: bool,
    /// Outputs are stored by slot, as in Gallium's NIR, not as variables.
    pub(super) is_by_slot: bool,
    /// The stores have the captures, not a table. Not with 64-bit values: NIR splits these before stores have captures.
    pub(super) is_by_store: bool,
}

impl Program {
    /// The number of the first word of output `number`.
    pub(super) fn first_word(&self, number: usize) -> u32 {
        self.outputs[..number].iter().map(|output| words(&output.ty)).sum()
    }

    /// The shader, header and body, with the captures of `info`.
    pub(super) fn shader(&self, info: &XfbInfo) -> (String, String) {
        let mut writer = Writer { next: 1, ..Writer::default() };
        if self.is_by_slot && self.is_by_store && !self.outputs.iter().any(|output| is_wide(&output.ty)) {
            let [a, b, c, d] = info.strides().map(|bytes| bytes / 4);
            let lines = format!("xfb_stride: {{{a}, {b}, {c}, {d}}}\nhas_transform_feedback_varyings: true\n");
            writer.declarations += &lines;
            writer.captures = Some(info.clone());
        } else {
            info.rows().for_each(|row| writer.declarations += &format!("// ntv: xfb={row}\n"));
        }
        writer.begin(self.reads_attributes);
        for (number, output) in self.outputs.iter().enumerate() {
            let word = self.first_word(number);
            let compact = if output.is_compact { words(&output.ty) } else { 0 };
            for (name, of) in [("gl_ClipDistance", "clip"), ("gl_CullDistance", "cull")] {
                if output.name == name {
                    let _ = writeln!(writer.declarations, "{of}_distance_array_size: {compact}");
                }
            }
            for variable in variables(&output.name, &output.ty, (output.location, output.component), word) {
                match self.is_by_slot {
                    true if compact > 0 => writer.store_compact(output.location, word, compact),
                    true => writer.store_slots(&variable.ty, variable.location, variable.component, variable.word),
                    false => writer.store_variable(&variable, compact > 0),
                }
            }
        }
        (writer.types + &writer.declarations, writer.body)
    }
}

/// A variable of NIR: an output, or a member of a block.
struct Variable {
    name: String,
    ty: OutputType,
    location: u32,
    component: u8,
    word: u32,
}

/// The variables of an output.
fn variables(name: &str, ty: &OutputType, (location, component): (u32, u8), word: u32) -> Vec<Variable> {
    let is_of_blocks = |ty: &OutputType| {
        let mut ty = ty;
        while let OutputType::Array(element, _) = ty {
            ty = element;
        }
        matches!(ty, OutputType::Block(_))
    };
    match ty {
        OutputType::Block(members) => {
            let mut word = word;
            let mut all = Vec::new();
            for (member, slot, component) in member_places(members) {
                let name = format!("{name}_{}", member.name);
                all.push(Variable { name, ty: member.ty.clone(), location: location + slot, component, word });
                word += words(&member.ty);
            }
            all
        }
        OutputType::Array(element, length) if is_of_blocks(element) => (0..*length)
            .flat_map(|i| {
                let place = (location + i * slots(element), component);
                variables(&format!("{name}_{i}"), element, place, word + i * words(element))
            })
            .collect(),
        _ => vec![Variable { name: name.into(), ty: ty.clone(), location, component, word }],
    }
}

/// The last part of a slot's name.
fn slot_name(location: u32) -> String {
    match location {
        POS => "POS".into(),
        PSIZ => "PSIZ".into(),
        _ if location >= VAR0 => format!("VAR{}", location - VAR0),
        _ if location >= CULL_DIST0 => format!("CULL_DIST{}", location - CULL_DIST0),
        _ => format!("CLIP_DIST{}", location - CLIP_DIST0),
    }
}

/// Writes a shader.
#[derive(Default)]
struct Writer {
    types: String,
    declarations: String,
    body: String,
    /// The number of the next value; `%0` is 0.
    next: u32,
    structs: Vec<(Vec<Member>, String)>,
    /// The captures of stores.
    captures: Option<XfbInfo>,
}

impl Writer {
    /// Appends an instruction with a result, and returns the number of the result.
    fn def(&mut self, size: &str, text: &str) -> u32 {
        let id = self.next;
        self.next += 1;
        let _ = writeln!(self.body, "    {size} %{id} = {text}");
        id
    }

    /// Computes `%5` from the vertex and the instance.
    fn begin(&mut self, reads_attributes: bool) {
        let input = |number: u32| {
            format!(
                "@load_input (%0) (base={number}, range=1, component=0, dest_type=uint32, \
                 io location=VERT_ATTRIB_GENERIC{number} slots=1)"
            )
        };
        let values = match reads_attributes {
            true => [input(0), input(1)],
            false => ["@load_vertex_id".into(), "@load_instance_id".into()],
        };
        let [vertex, instance] = values.map(|value| self.def("32", &value));
        let eight = self.def("32", "load_const (0x00000008)");
        let shifted = self.def("32", &format!("ishl %{vertex}, %{eight}"));
        self.def("32", &format!("iadd %{shifted}, %{instance}"));
    }

    fn word(&mut self, word: u32) -> u32 {
        let constant = self.def("32", &format!("load_const (0x{:08x})", value(word, 0, 0)));
        self.def("32", &format!("iadd %{constant}, %5"))
    }

    /// A scalar or vector of `rows` components, from `word` on.
    fn vector(&mut self, base: ScalarType, rows: u8, word: u32) -> u32 {
        let bits = if is_wide_base(base) { 64 } else { 32 };
        let component = |writer: &mut Writer, c: u32| match bits {
            32 => writer.word(word + c),
            _ => {
                let (low, high) = (writer.word(word + 2 * c), writer.word(word + 2 * c + 1));
                writer.def("64", &format!("pack_64_2x32_split %{low}, %{high}"))
            }
        };
        let components: Vec<u32> = (0..rows.into()).map(|c| component(self, c)).collect();
        if let [scalar] = components[..] {
            return scalar;
        }
        let list: Vec<String> = components.iter().map(|id| format!("%{id}")).collect();
        self.def(&format!("{bits}x{rows}"), &format!("vec{rows} {}", list.join(", ")))
    }

    fn type_name(&mut self, ty: &OutputType) -> String {
        match ty {
            OutputType::Basic(Basic { base, rows, columns }) if rows == columns && *columns > 1 => {
                format!("{}mat{rows}", if *base == ScalarType::Double { "d" } else { "" })
            }
            OutputType::Basic(basic) => basic.to_string(),
            OutputType::Array(..) => {
                let (mut lengths, mut element) = (String::new(), ty);
                while let OutputType::Array(inner, length) = element {
                    let _ = write!(lengths, "[{length}]");
                    element = inner;
                }
                self.type_name(element) + &lengths
            }
            OutputType::Struct(members) | OutputType::Block(members) => self.struct_name(members),
        }
    }

    fn struct_name(&mut self, members: &[Member]) -> String {
        if let Some((_, name)) = self.structs.iter().find(|(known, _)| known == members) {
            return name.clone();
        }
        let fields: Vec<String> = (0..)
            .zip(members)
            .map(|(i, member)| format!("{} {} offset={}", self.type_name(&member.ty), member.name, 256 * i))
            .collect();
        let name = format!("S{}", self.structs.len());
        let _ = writeln!(self.types, "// ntv: struct={name} {{ {} }}", fields.join(", "));
        self.structs.push((members.to_vec(), name.clone()));
        name
    }

    fn store_variable(&mut self, variable: &Variable, is_compact: bool) {
        let Variable { name, ty, location, component, word } = variable;
        let ty_name = self.type_name(ty);
        let driver_location = location.checked_sub(VAR0).unwrap_or(u32::MAX);
        let components = &"xyzw"[usize::from(*component)..(usize::from(*component) + first_components(ty)).min(4)];
        let compact = if is_compact { " compact" } else { "" };
        let slot = slot_name(*location);
        let _ = writeln!(
            self.declarations,
            "decl_var shader_out INTERP_MODE_FLAT none {ty_name} {name} \
             (VARYING_SLOT_{slot}.{components}, {driver_location}, 0){compact}"
        );
        let pointer = self.def("32", &format!("deref_var &{name} (shader_out {ty_name})"));
        self.store_deref(pointer, ty, *word);
    }

    fn store_deref(&mut self, pointer: u32, ty: &OutputType, word: u32) {
        match ty {
            OutputType::Basic(Basic { base, rows, columns: 1 }) => {
                let value = self.vector(*base, *rows, word);
                let mask = &"xyzw"[..usize::from(*rows)];
                let _ = writeln!(self.body, "    @store_deref (%{pointer}, %{value}) (wrmask={mask}, access=none)");
            }
            OutputType::Basic(basic) => {
                let column = OutputType::vector(basic.base, basic.rows);
                self.store_elements(pointer, &column, basic.columns.into(), word);
            }
            OutputType::Array(element, length) => self.store_elements(pointer, element, *length, word),
            OutputType::Struct(members) | OutputType::Block(members) => {
                let mut word = word;
                for member in members {
                    let name = self.type_name(&member.ty);
                    let text = format!("deref_struct &%{pointer}->{} (shader_out {name})", member.name);
                    let part = self.def("32", &text);
                    self.store_deref(part, &member.ty, word);
                    word += words(&member.ty);
                }
            }
        }
    }

    fn store_elements(&mut self, pointer: u32, element: &OutputType, length: u32, word: u32) {
        let name = self.type_name(element);
        for i in 0..length {
            let part = self.def("32", &format!("deref_array &(*%{pointer})[{i}] (shader_out {name})"));
            self.store_deref(part, element, word + i * words(element));
        }
    }

    /// Stores by slot.
    fn store_slots(&mut self, ty: &OutputType, location: u32, component: u8, word: u32) {
        match ty {
            OutputType::Basic(Basic { base, rows, columns }) => {
                let vector = OutputType::vector(*base, *rows);
                for column in 0..u32::from(*columns) {
                    let (location, word) = (location + column * slots(&vector), word + column * words(&vector));
                    // Two 64-bit components fit into a slot.
                    let most = if is_wide_base(*base) { 2 } else { 4 };
                    for first in (0..*rows).step_by(most.into()) {
                        let place = (location + u32::from(first / most), component);
                        let word = word + words(&OutputType::vector(*base, first));
                        self.store_slot(*base, (*rows - first).min(most), place, word);
                    }
                }
            }
            OutputType::Array(element, length) => (0..*length).for_each(|i| {
                self.store_slots(element, location + i * slots(element), component, word + i * words(element));
            }),
            OutputType::Struct(members) | OutputType::Block(members) => {
                let mut word = word;
                for (member, slot, component) in member_places(members) {
                    self.store_slots(&member.ty, location + slot, component, word);
                    word += words(&member.ty);
                }
            }
        }
    }

    /// Stores the elements of a compact array, four to a slot.
    fn store_compact(&mut self, location: u32, word: u32, length: u32) {
        for first in (0..length).step_by(4) {
            let rows = (length - first).min(4) as u8;
            self.store_slot(ScalarType::Float, rows, (location + first / 4, 0), word + first);
        }
    }

    fn store_slot(&mut self, base: ScalarType, rows: u8, (location, component): (u32, u8), word: u32) {
        let value = self.vector(base, rows, word);
        let mask = &"xyzw"[..usize::from(rows)];
        let ty = match base {
            ScalarType::Float | ScalarType::Int | ScalarType::Uint => format!("{base:?}32").to_lowercase(),
            ScalarType::Double => "float64".into(),
            ScalarType::Int64 | ScalarType::Uint64 => format!("{base:?}").to_lowercase(),
        };
        let captures = self.captures.as_ref().map_or(String::new(), |info| captured(info, location, component, rows));
        let (number, slot) = (location.checked_sub(VAR0).map_or(0, |number| number + 8), slot_name(location));
        let _ = writeln!(
            self.body,
            "    @store_output (%{value}, %0) (base={number}, range=1, wrmask={mask}, component={component}, \
             src_type={ty}, io location=VARYING_SLOT_{slot} slots=1{captures})"
        );
    }
}

/// The captures of a store of `rows` components: runs, by the first component in the slot.
fn captured(info: &XfbInfo, location: u32, component: u8, rows: u8) -> String {
    let mut halves = [Vec::new(), Vec::new()];
    let mut c = component;
    while c < component + rows {
        let first = c;
        let place = info.captured(location, first);
        c += 1;
        let Some((buffer, offset)) = place else { continue };
        let follows = |c: u8| info.captured(location, c) == Some((buffer, offset + 4 * u32::from(c - first)));
        while c < component + rows && follows(c) {
            c += 1;
        }
        let components = match c - first {
            1 => format!("component={first}"),
            _ => format!("components={first}..{}", c - 1),
        };
        halves[usize::from(first / 2)].push(format!("{components} buffer={buffer} offset={offset}"));
    }
    format!(", xfb({}), xfb2({})", halves[0].join(", "), halves[1].join(", "))
}

/// The number of components of a variable in its first slot.
fn first_components(ty: &OutputType) -> usize {
    match ty {
        OutputType::Basic(basic) => column_words(*basic).min(4) as usize,
        OutputType::Array(element, _) => first_components(element),
        OutputType::Struct(_) | OutputType::Block(_) => 4,
    }
}
