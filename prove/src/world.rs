// SPDX-License-Identifier: MIT

//! What a shader shares with the rest of the world, as both NIR and SPIR-V name it: the symbols and the memory of terms.
//!
//! | what | terms |
//! |-|-|
//! | an input with a Location | [`Input`]: cells of 32 bits, four for each location |
//! | a built-in input | [`builtin`] |
//! | uniform blocks, push constants | [`Arena::read`] of [`uniform_block`], [`push_constants`] |
//! | storage blocks, shared memory, images, outputs | [`Space`]s |
//! | textures | [`Texel`] |
//! | what happens in order: emitted vertices, barriers | [`Space::Events`], see [`happen`] |
//!
//! Memory that others see has cells of 32 bits, at byte addresses that are multiples of 4. Variables of the shader itself have a cell
//! for each scalar, numbered in order; [`Space::Local`].

use crate::flow::Machine;
use crate::term::{Arena, Op, Term};
use ntv::op::fold::mask;
use ntv::op::AluOp;
use spirv::{BuiltIn, Dim};

/// A part of what a shader can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Whether what the invocation writes is ignored from now on: a boolean.
    Discarded,
    /// What happens in order.
    Events,
    /// Outputs with a Location: cell 4 · location + component, and [`VERTEX`] times the vertex. The numbers say whether they are per
    /// patch (or per primitive), and which source of dual-source blending they are.
    Output(bool, u32),
    /// An output that is a built-in: its components or elements, and [`VERTEX`] times the vertex.
    BuiltIn(u32),
    /// The storage block at this set, binding and element.
    Storage(u32, u32, u32),
    /// The storage image at this set, binding and element, and what the driver knows of others.
    Image(u32, u32, u32),
    /// The memory of the workgroup.
    Shared,
    /// What a task shader gives to mesh shaders.
    Payload,
    /// Memory by address.
    Global,
    /// A variable of the shader itself, by a number of its own. Sides do not share them.
    Local(u32),
}

/// The most elements of an array of blocks or images whose element is not known.
pub const MOST_ELEMENTS: u64 = 16;

/// The spaces that an access may be to, each with the condition under which it is, if there are several.
pub type Choices = Vec<(Option<Term>, Space)>;

/// The space of each element that `index` may be, of an array of `count`; `None` if these are too many, or not known.
pub fn choices(arena: &mut Arena, index: Term, count: Option<u64>, space: impl Fn(u32) -> Space) -> Option<Choices> {
    if let Some(index) = arena.as_const(index) {
        return Some(vec![(None, space(index as u32))]);
    }
    let count = count.filter(|count| *count <= MOST_ELEMENTS)?;
    let choice = |i: u64| {
        let number = arena.constant(32, i);
        (Some(arena.equal(index, number)), space(i as u32))
    };
    Some((0..count).map(choice).collect())
}

/// Lets `change` happen to the space that is chosen.
pub fn change_chosen(machine: &mut Machine<'_>, choices: &Choices, mut change: impl FnMut(&mut Machine<'_>, Space)) {
    for (condition, space) in choices {
        only_if(machine, *condition, *space, |machine| change(machine, *space));
    }
}

/// What `access` gives of the space that is chosen, or `otherwise` of none. It may change the space.
pub fn of_chosen(
    machine: &mut Machine<'_>,
    choices: &Choices,
    otherwise: Option<Term>,
    mut access: impl FnMut(&mut Machine<'_>, Space) -> Term,
) -> Option<Term> {
    let mut chosen = otherwise;
    for (condition, space) in choices.iter().rev() {
        let value = only_if(machine, *condition, *space, |machine| access(machine, *space));
        chosen = Some(match (condition, chosen) {
            (Some(condition), Some(rest)) => machine.arena.ite(*condition, value, rest),
            _ => value,
        });
    }
    chosen
}

/// Keeps what `access` changes of `space` only where `condition` is true.
fn only_if<T>(
    machine: &mut Machine<'_>,
    condition: Option<Term>,
    space: Space,
    access: impl FnOnce(&mut Machine<'_>) -> T,
) -> T {
    let before = machine.space(space);
    let value = access(machine);
    let after = machine.space(space);
    if let Some(condition) = condition.filter(|_| after != before) {
        let after = machine.arena.ite(condition, after, before);
        machine.set_space(space, after);
    }
    value
}

/// The distance of the cells of one vertex from those of the next.
pub const VERTEX: u64 = 1 << 16;

impl Space {
    /// What is there when the shader starts.
    pub fn initial(self, arena: &mut Arena) -> Term {
        match self {
            Space::Discarded => arena.boolean(false),
            Space::Events => arena.symbol("nothing has happened", 0, &[]),
            Space::Output(..) | Space::BuiltIn(_) | Space::Local(_) => arena.undefined_state(),
            Space::Storage(set, binding, element) => {
                arena.symbol(&format!("storage block {set}.{binding}[{element}]"), 0, &[])
            }
            Space::Image(set, binding, element) => arena.symbol(&format!("image {set}.{binding}[{element}]"), 0, &[]),
            Space::Shared => arena.symbol("shared memory", 0, &[]),
            Space::Payload => arena.symbol("payload", 0, &[]),
            Space::Global => arena.symbol("global memory", 0, &[]),
        }
    }

    /// Whether it is a built-in output that counts if it is not written.
    pub fn has_default(self) -> bool {
        use BuiltIn::{ClipDistance, CullDistance, FragDepth, FragStencilRefEXT, Layer, SampleMask, ViewportIndex};
        let list = [FragDepth, SampleMask, FragStencilRefEXT, Layer, ViewportIndex, ClipDistance, CullDistance];
        list.iter().any(|builtin| self == Space::BuiltIn(*builtin as u32))
    }

    /// Whether others see it when the shader ends.
    pub fn is_shared(self) -> bool {
        !matches!(self, Space::Local(_) | Space::Discarded)
    }
}

/// The uniform block at a set and binding; `index` is its element in an array of blocks.
pub fn uniform_block(arena: &mut Arena, set: u32, binding: u32, index: Term) -> Term {
    arena.symbol(&format!("uniform block {set}.{binding}"), 0, &[index])
}

/// The push constants.
pub fn push_constants(arena: &mut Arena) -> Term {
    arena.symbol("push constants", 0, &[])
}

/// The way in which an input gets its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Interpolation {
    /// It has one value for the primitive.
    pub flat: bool,
    /// It is not divided by depth.
    pub no_perspective: bool,
    /// The place at which it is interpolated.
    pub place: Place,
}

/// The place in a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The middle, or no interpolation.
    #[default]
    Pixel,
    /// The centroid.
    Centroid,
    /// The sample that is shaded.
    Sample,
    /// A sample by number: the extra operand.
    AtSample,
    /// An offset from the middle: two extra operands.
    AtOffset,
}

/// An input with a Location.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    /// Whether it belongs to a patch or primitive.
    pub patch: bool,
    /// How it gets its value.
    pub interpolation: Interpolation,
    /// The vertex, if each has a value.
    pub vertex: Option<Term>,
    /// The extra operands of the place.
    pub at: &'a [Term],
}

impl Input<'_> {
    /// The cell `cell`, 4 · location + component, as a term of 32 bits.
    pub fn cell(&self, arena: &mut Arena, cell: Term) -> Term {
        // What a patch or primitive has is not interpolated.
        let mut interpolation = if self.patch { Interpolation::default() } else { self.interpolation };
        let mut at = self.at;
        // No offset from the middle, and the sample that is shaded.
        let zero = arena.constant(32, 0);
        let shaded = builtin(arena, BuiltIn::SampleId, 32, None, zero);
        (interpolation.place, at) = match (interpolation.place, at) {
            (Place::AtOffset, [x, y]) if *x == zero && *y == zero => (Place::Pixel, &[][..]),
            (Place::AtSample, [sample]) if *sample == shaded => (Place::Sample, &[][..]),
            other => other,
        };
        let mut name = String::from(if self.patch { "patch input" } else { "input" });
        if interpolation.flat {
            name += " flat";
        } else if interpolation.no_perspective {
            name += " noperspective";
        }
        if !interpolation.flat && interpolation.place != Place::Pixel {
            name += &format!(" {:?}", interpolation.place);
        }
        if self.vertex.is_some() {
            name += " of a vertex";
        }
        let args: Vec<Term> = self.vertex.into_iter().chain([cell]).chain(at.iter().copied()).collect();
        arena.symbol(&name, 32, &args)
    }

    /// The number of 32 or 64 bits from a cell on; `None` for another width.
    pub fn number(&self, arena: &mut Arena, cell: Term, width: u8) -> Option<Term> {
        of_cells(arena, cell, width, |arena, cell| self.cell(arena, cell))
    }
}

/// The number of 32 or 64 bits whose words are those of the cells from `cell` on.
fn of_cells(arena: &mut Arena, cell: Term, width: u8, mut word: impl FnMut(&mut Arena, Term) -> Term) -> Option<Term> {
    match width {
        32 => Some(word(arena, cell)),
        64 => {
            let low = word(arena, cell);
            let next = arena.plus(cell, 1);
            let high = word(arena, next);
            Some(arena.concat(low, high))
        }
        _ => None,
    }
}

/// A number of 16 bits as the word of an input or output: a float as one of 32 bits, whatever width stages pass it with.
pub fn as_word(arena: &mut Arena, value: Term, is_float: bool) -> Term {
    match (arena.width(value), is_float) {
        (16, true) => arena.scalar(AluOp::f2f32, 32, &[value]),
        (16, false) => arena.zext(value, 32),
        _ => value,
    }
}

/// The number of 16 bits in such a word.
pub fn of_word(arena: &mut Arena, word: Term, is_float: bool) -> Term {
    match is_float {
        true => arena.scalar(AluOp::f2f16, 16, &[word]),
        false => arena.trunc(word, 16),
    }
}

/// The number of 32 or 64 bits in the cells of an output; `None` for another width.
pub fn read_cells(arena: &mut Arena, state: Term, cell: Term, width: u8) -> Option<Term> {
    of_cells(arena, cell, width, |arena, cell| arena.read(state, cell, 32))
}

/// The state after a number of 32 or 64 bits, or a boolean as 0 or 1, is written to the cells of an output; `None` for another width.
pub fn write_cells(arena: &mut Arena, state: Term, cell: Term, value: Term) -> Option<Term> {
    match arena.width(value) {
        1 | 32 => {
            let word = arena.zext(value, 32);
            Some(arena.write(state, cell, word))
        }
        64 => {
            let next = arena.plus(cell, 1);
            let [low, high] = [0, 32].map(|at| arena.part(value, at, 32));
            let state = arena.write(state, cell, low);
            Some(arena.write(state, next, high))
        }
        _ => None,
    }
}

/// The cell of an output that each vertex may have.
pub fn output_cell(arena: &mut Arena, vertex: Option<Term>, cell: Term) -> Term {
    match vertex {
        Some(vertex) => arena.combination(32, 0, &[(cell, 1), (vertex, VERTEX)]),
        None => cell,
    }
}

/// Component or element `cell` of a built-in input, a term of 32 bits. `vertex` is given if each vertex has a value.
pub fn builtin(arena: &mut Arena, builtin: BuiltIn, width: u8, vertex: Option<Term>, cell: Term) -> Term {
    let of = if vertex.is_some() { " of a vertex" } else { "" };
    let args: Vec<Term> = vertex.into_iter().chain([cell]).collect();
    arena.symbol(&format!("{builtin:?}{of}"), width, &args)
}

/// Whether the invocation is a helper: it was one from the start, or it has been discarded.
pub fn is_helper(machine: &mut Machine<'_>) -> Term {
    let zero = machine.arena.constant(32, 0);
    let at_first = builtin(machine.arena, BuiltIn::HelperInvocation, 1, None, zero);
    let discarded = machine.space(Space::Discarded);
    machine.arena.either(at_first, discarded)
}

/// The invocation whose value a rotation by `by` within clusters of so many invocations, or within the subgroup, gives.
pub fn rotated(arena: &mut Arena, by: Term, cluster: Option<u64>) -> Term {
    let zero = arena.constant(32, 0);
    let own = builtin(arena, BuiltIn::SubgroupLocalInvocationId, 32, None, zero);
    let moved = arena.add(own, by);
    match cluster {
        Some(size) => {
            let [within, cluster] = [(moved, size - 1), (own, !(size - 1))].map(|(term, bits)| arena.mask(term, bits));
            arena.add(within, cluster)
        }
        None => {
            let size = builtin(arena, BuiltIn::SubgroupSize, 32, None, zero);
            let last = arena.plus(size, u64::MAX);
            arena.bitwise(Op::And, moved, last)
        }
    }
}

/// The size in bytes of a storage block.
pub fn size_of_space(arena: &mut Arena, space: Space) -> Term {
    match space {
        Space::Storage(set, binding, element) => {
            let size = arena.symbol(&format!("size of storage block {set}.{binding}[{element}]"), 32, &[]);
            arena.mask(size, !3)
        }
        _ => arena.undefined(32),
    }
}

/// The number of elements with a distance of `stride` bytes for which there are so many bytes.
pub fn elements(arena: &mut Arena, bytes: Term, stride: u64) -> Term {
    match stride.is_power_of_two() {
        true => {
            let count = arena.constant(32, stride.trailing_zeros().into());
            arena.lshr(bytes, count)
        }
        false => {
            let stride = arena.constant(32, stride);
            arena.scalar(AluOp::udiv, 32, &[bytes, stride])
        }
    }
}

/// The cell that has the byte at `address`, and the number of bits below it: 0 if the address is a multiple of 4.
fn cell_of(arena: &mut Arena, address: Term) -> (Term, Term) {
    let byte = arena.mask(address, 3);
    let cell = arena.sub(address, byte);
    let byte = arena.trunc(byte, 32);
    let eight = arena.constant(32, 8);
    (cell, arena.mul(byte, eight))
}

/// The `width` bits at byte `address` of memory with cells of 32 bits. Numbers of 8 and 16 bits do not straddle cells.
pub fn read_bytes(arena: &mut Arena, state: Term, address: Term, width: u8) -> Term {
    if width == 64 {
        let next = arena.plus(address, 4);
        let [low, high] = [address, next].map(|address| read_bytes(arena, state, address, 32));
        return arena.concat(low, high);
    }
    if width == 32 {
        let (cell, _) = cell_of(arena, address);
        return arena.read(state, cell, 32);
    }
    let (cell, below) = cell_of(arena, address);
    let whole = arena.read(state, cell, 32);
    let shifted = arena.lshr(whole, below);
    arena.trunc(shifted, width)
}

/// The state after the number `value` is written at byte `address`.
pub fn write_bytes(arena: &mut Arena, state: Term, address: Term, value: Term) -> Term {
    let width = arena.width(value);
    match width {
        64 => {
            let next = arena.plus(address, 4);
            let [low, high] = [0, 32].map(|at| arena.part(value, at, 32));
            let state = write_bytes(arena, state, address, low);
            write_bytes(arena, state, next, high)
        }
        32 => {
            let (cell, _) = cell_of(arena, address);
            arena.write(state, cell, value)
        }
        _ => {
            let (cell, below) = cell_of(arena, address);
            let value = arena.zext(value, 32);
            if let Some(below) = arena.as_const(below) {
                let amount = arena.constant(32, below);
                let value = arena.shl(value, amount);
                let bytes = mask(u64::MAX, width / 8) << (below / 8);
                return arena.write_bytes(state, cell, value, bytes);
            }
            let whole = arena.read(state, cell, 32);
            let ones = arena.constant(32, mask(u64::MAX, width));
            let field = arena.shl(ones, below);
            let all = arena.constant(32, u64::MAX);
            let rest = arena.bitwise(Op::Xor, field, all);
            let kept = arena.bitwise(Op::And, whole, rest);
            let moved = arena.shl(value, below);
            let both = arena.bitwise(Op::Or, kept, moved);
            arena.write(state, cell, both)
        }
    }
}

/// An operation on a texture or image that reads: all its operands, so that both sides make the same term.
#[derive(Clone, Debug, Default)]
pub struct Texel {
    /// The operation: `sample`, `fetch`, `gather 2`, `query size`, `query levels`, `query samples`, `query lod`.
    pub operation: String,
    /// The dimension, as SPIR-V names it, with `array`, `shadow` and `ms`: `2D array shadow`.
    pub shape: String,
    /// The set, the binding and the element of the texture.
    pub texture: (u32, u32, Option<Term>),
    /// Of the sampler, if it is apart.
    pub sampler: Option<(u32, u32, Option<Term>)>,
    /// Operands with their names, as NIR names them: `coord`, `bias`, `lod`, `ddx`, `ddy`, `offset`, `comparator`, `ms_index`,
    /// `min_lod`, `projector`, `offsets`. A level of detail that is not given is not in the list. All have 32 bits.
    pub operands: Vec<(&'static str, Vec<Term>)>,
}

impl Texel {
    /// The components of the result, of `widths`. All instructions that do the same have the same:
    ///
    /// - a projector divides the coordinates, but not the layer, and the comparator,
    /// - a fetch has its offset in its coordinate,
    /// - an explicit level of detail is at least the least one,
    /// - a gather with an offset for each component gathers the last texel at each offset.
    pub fn components(mut self, arena: &mut Arena, widths: &[u8], dimensions: usize) -> Vec<Term> {
        self.normalize(arena, dimensions);
        let offsets = self.take("offsets");
        let component = |(c, width): (usize, &u8)| match offsets.as_ref().and_then(|all| all.get(2 * c..2 * c + 2)) {
            Some(offset) => {
                let mut texel = self.clone();
                texel.operands.push(("offset", offset.to_vec()));
                texel.component(arena, *width, 3)
            }
            None => self.component(arena, *width, c),
        };
        widths.iter().enumerate().map(component).collect()
    }

    /// Brings the operands to the form that all instructions that do the same have.
    fn normalize(&mut self, arena: &mut Arena, dimensions: usize) {
        if let Some(projector) = self.take("projector").and_then(|terms| terms.first().copied()) {
            for (name, terms) in &mut self.operands {
                let divided = match *name {
                    "coord" => dimensions,
                    "comparator" => 1,
                    _ => 0,
                };
                for term in terms.iter_mut().take(divided) {
                    *term = arena.scalar(AluOp::fdiv, 32, &[*term, projector]);
                }
            }
        }
        if self.operation == "fetch" {
            let offset = self.take("offset").unwrap_or_default();
            let coordinate = self.operands.iter_mut().find(|operand| operand.0 == "coord");
            for (term, by) in coordinate.into_iter().flat_map(|operand| &mut operand.1).zip(offset) {
                *term = arena.add(*term, by);
            }
        }
        if let Some(at) = self.operands.iter().position(|operand| operand.0 == "lod") {
            if let Some(least) = self.take("min_lod").and_then(|terms| terms.first().copied()) {
                let terms = &mut self.operands[at].1;
                terms[0] = arena.scalar(AluOp::fmax, 32, &[terms[0], least]);
            }
        }
    }

    /// Removes an operand.
    fn take(&mut self, name: &str) -> Option<Vec<Term>> {
        let at = self.operands.iter().position(|operand| operand.0 == name)?;
        Some(self.operands.remove(at).1)
    }

    /// Component `component` of the result, of `width` bits.
    fn component(&self, arena: &mut Arena, width: u8, component: usize) -> Term {
        self.part(arena, width, &format!("component {component}"))
    }

    /// The residency code of a sparse read.
    pub fn residency(mut self, arena: &mut Arena, dimensions: usize) -> Term {
        self.normalize(arena, dimensions);
        self.part(arena, 32, "residency")
    }

    fn part(&self, arena: &mut Arena, width: u8, part: &str) -> Term {
        let mut operands = self.operands.clone();
        operands.sort_by_key(|operand| operand.0);
        let mut name = format!("{} of {}", self.operation, self.shape);
        let mut args = Vec::new();
        for (set, binding, element) in [Some(self.texture), self.sampler].into_iter().flatten() {
            name += &format!(" {set}.{binding}");
            args.extend(element);
        }
        for (operand, terms) in &operands {
            name += &format!(" {operand}");
            args.extend(terms);
        }
        name += &format!(": {part}");
        arena.symbol(&name, width, &args)
    }
}

/// Whether a residency code says that all texels are in memory.
pub fn is_resident(arena: &mut Arena, code: Term) -> Term {
    arena.map_leaves(code, &mut |arena, code| arena.symbol("is resident", 1, &[code]))
}

/// The name of the shape of a bindless texture: a handle has none.
pub const BINDLESS: &str = "bindless";

/// The element of the space that is all bindless images: their elements are among the coordinates.
pub const ALL_ELEMENTS: u32 = u32::MAX;

/// The name of the shape of a texture or image.
pub fn shape(dim: Dim, is_array: bool, is_multisampled: bool) -> String {
    let name = match dim {
        Dim::Dim1D => "1D",
        Dim::Dim2D => "2D",
        Dim::Dim3D => "3D",
        Dim::DimCube => "Cube",
        Dim::DimRect => "Rect",
        Dim::DimBuffer => "Buffer",
        Dim::DimSubpassData => "SubpassData",
        _ => "other",
    };
    format!("{name}{}{}", if is_array { " array" } else { "" }, if is_multisampled { " ms" } else { "" })
}

/// Component `component` of the texel at `place`, the coordinates and the sample, of a storage image.
pub fn load_texel(
    machine: &mut Machine<'_>,
    (space, shape): (Space, &str),
    place: &[Term],
    width: u8,
    component: usize,
) -> Term {
    let all = [&[machine.space(space)], place].concat();
    machine.arena.symbol(&format!("image load {shape} c{component}"), width, &all)
}

/// The residency code of the texel at `place` of a storage image.
pub fn residency_of_texel(machine: &mut Machine<'_>, (space, shape): (Space, &str), place: &[Term]) -> Term {
    let all = [&[machine.space(space)], place].concat();
    machine.arena.symbol(&format!("image residency {shape}"), 32, &all)
}

/// Stores a texel.
pub fn store_texel(machine: &mut Machine<'_>, (space, shape): (Space, &str), place: &[Term], texel: &[Term]) {
    let all = [&[machine.space(space)], place, texel].concat();
    let after = machine.arena.symbol(&format!("image store {shape}"), 0, &all);
    change(machine, space, after);
}

/// An atomic operation on a texel, as [`atomic`] on a cell.
pub fn texel_atomic(
    machine: &mut Machine<'_>,
    (space, shape): (Space, &str),
    operation: &str,
    place: &[Term],
    args: &[Term],
    width: u8,
) -> Term {
    let all = [&[machine.space(space)], place, args].concat();
    let after = machine.arena.symbol(&format!("after image atomic {operation} {shape}"), 0, &all);
    let before = machine.arena.symbol(&format!("image atomic {operation} {shape}"), width, &all);
    change(machine, space, after);
    before
}

/// Lets something happen: `what` with `args`, here on this path.
pub fn happen(machine: &mut Machine<'_>, what: &str, args: &[Term]) {
    let all = [&[machine.space(Space::Events)], args].concat();
    let after = machine.arena.symbol(what, 0, &all);
    machine.set_space(Space::Events, after);
}

/// Reads the clock of the invocations in a scope: its two words.
pub fn clock(machine: &mut Machine<'_>, scope: &str) -> [Term; 2] {
    let name = format!("shader_clock {scope}");
    let before = machine.space(Space::Events);
    let words = [0, 1].map(|c| machine.arena.symbol(&format!("{name}: component {c}"), 32, &[before]));
    happen(machine, &name, &[]);
    words
}

/// An atomic operation on a cell, named as in NIR (`iadd`, `umin`, `xchg`, `cmpxchg`, ...): returns what was there before, and changes
/// the space. `args` are the operand, or the value to compare and the value to store.
pub fn atomic(
    machine: &mut Machine<'_>,
    space: Space,
    operation: &str,
    address: Term,
    args: &[Term],
    width: u8,
) -> Term {
    let state = machine.space(space);
    // An atomic is aligned to its size.
    let address = machine.arena.mask(address, !(u64::from(width / 8) - 1));
    let all = [&[state, address], args].concat();
    if let Some(after) = part_of_store(machine.arena, operation, &all) {
        let before = machine.arena.symbol(&format!("atomic {operation}"), width, &all);
        machine.set_space(space, after);
        return before;
    }
    let after = machine.arena.symbol(&format!("after atomic {operation} of {width} bits"), 0, &all);
    let before = machine.arena.symbol(&format!("atomic {operation}"), width, &all);
    change(machine, space, after);
    before
}

/// The state after bits of a cell were cleared and set by two atomics, as a store of a narrow number is where there are none: the
/// number is there afterwards, and the rest of the cell is as others left it.
fn part_of_store(arena: &mut Arena, operation: &str, all: &[Term]) -> Option<Term> {
    let [state, address, set] = *all else { return None };
    let node = arena.node(state).clone();
    let Op::Symbol(name) = node.op else { return None };
    if operation != "ior" || !arena.name(name).starts_with("after atomic iand of 32") || node.args[1] != address {
        return None;
    }
    let (before, kept) = (node.args[0], node.args[2]);
    let whole = arena.read(before, address, 32);
    let rest = arena.bitwise(Op::And, whole, kept);
    let both = arena.bitwise(Op::Or, rest, set);
    Some(arena.write(before, address, both))
}

/// Changes what others see, unless the invocation is a helper: what it does to memory is ignored.
pub fn change(machine: &mut Machine<'_>, space: Space, after: Term) {
    let before = machine.space(space);
    let discarded = machine.space(Space::Discarded);
    let after = machine.arena.ite(discarded, before, after);
    machine.set_space(space, after);
}

/// Writes to memory that others see: ignored if the invocation is a helper.
pub fn store(machine: &mut Machine<'_>, space: Space, address: Term, value: Term) {
    let state = machine.space(space);
    let after = write_bytes(machine.arena, state, address, value);
    change(machine, space, after);
}

/// The state of an output that is not written.
pub const NOTHING: &str = "nothing is written";

/// Emits a vertex of `stream`: what the cells of the outputs hold, after which all outputs are undefined.
pub fn emit_vertex(machine: &mut Machine<'_>, stream: u32, cells: &[(Space, u64)]) {
    let mut args = Vec::new();
    for (space, cell) in cells {
        let state = machine.space(*space);
        let cell = machine.arena.constant(32, *cell);
        args.push(machine.arena.read(state, cell, 32));
    }
    happen(machine, &format!("emit vertex of stream {stream}"), &args);
    let spaces: Vec<Space> = machine.state.spaces().collect();
    for space in spaces.into_iter().filter(|space| matches!(space, Space::Output(..) | Space::BuiltIn(_))) {
        let undefined = machine.arena.undefined_state();
        machine.set_space(space, undefined);
    }
}

/// What happens when a task shader starts workgroups of a mesh shader: with their numbers.
pub const LAUNCH: &str = "emit mesh tasks";

/// Ends a primitive of `stream`.
pub fn end_primitive(machine: &mut Machine<'_>, stream: u32) {
    happen(machine, &format!("end primitive of stream {stream}"), &[]);
}
