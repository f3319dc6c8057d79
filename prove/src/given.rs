// SPDX-License-Identifier: MIT

//! Chosen inputs as values of the symbols of terms: those of the interpreter, by the names that terms have for them.

use crate::term::Assignment;
use ntv::ir::{Shader, Stage};
use ntv::op::meaning::IntrinsicForm;
use ntv::op::names::varying;
use ntv::op::{slots, Intrinsic, Modes};
use ntv::target::Descriptor;
use ntv::Target;
use ntv_gen::{Random, Stimulus};
use ntv_interp::Slot;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Chosen inputs, as values of the symbols of an invocation.
pub(crate) struct Given {
    stimulus: Rc<Stimulus>,
    /// The number of the invocation.
    lane: usize,
    /// The slot of each input with a Location: by whether it is of a patch, and the Location.
    locations: FxHashMap<(bool, u64), u32>,
    builtins: FxHashMap<String, Source>,
    /// The number of the first block at a set and binding, of uniform and of storage blocks.
    blocks: FxHashMap<(u32, u32), u32>,
    /// The name by which each cell of an input was read first: the NIR's.
    names: FxHashMap<(bool, u64), String>,
}

/// Where a built-in input comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Slot(u32),
    System(Intrinsic),
    Constant([u64; 3]),
}

/// Where an input comes from, among the inputs of an invocation.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// A word of a slot; whether it is flat: that of the first invocation of the quad.
    Word(Slot, usize, bool),
    System(Intrinsic, usize),
    /// It is not chosen: it follows from the grid.
    Fixed(u64),
}

/// Memory that is an input.
#[derive(Clone, Copy, Debug)]
enum Block {
    PushConstants,
    Shared,
    Uniform(usize),
    Storage(usize),
}

impl Block {
    fn bytes(self, stimulus: &Stimulus) -> Option<&Vec<u8>> {
        match self {
            Block::PushConstants => Some(&stimulus.push_constants.bytes),
            Block::Shared => Some(&stimulus.shared),
            Block::Uniform(block) => Some(&stimulus.uniform.get(block)?.bytes),
            Block::Storage(block) => Some(&stimulus.storage.get(block)?.bytes),
        }
    }

    fn bytes_mut(self, stimulus: &mut Stimulus) -> Option<&mut Vec<u8>> {
        match self {
            Block::PushConstants => Some(&mut stimulus.push_constants.bytes),
            Block::Shared => Some(&mut stimulus.shared),
            Block::Uniform(block) => Some(&mut stimulus.uniform.get_mut(block)?.bytes),
            Block::Storage(block) => Some(&mut stimulus.storage.get_mut(block)?.bytes),
        }
    }
}

/// The invocation of which the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// One of those that the interpreter runs, by its number.
    Number(usize),
    /// The last one of a workgroup that is not the first: the interpreter does not run it.
    Far,
}

/// Built-ins of an invocation of a grid of so many workgroups.
fn of_grid(size: [u32; 3], groups: [u32; 3], lane: Lane) -> [(&'static str, [u64; 3]); 10] {
    let size = size.map(|size| u64::from(size.max(1)));
    let count = size[0] * size[1] * size[2];
    let place = |index: u64, [x, y, _]: [u64; 3]| [index % x, index / x % y, index / (x * y)];
    let (group, groups, index) = match lane {
        Lane::Number(lane) => {
            let groups = groups.map(u64::from);
            (place(lane as u64 / count, groups), groups, lane as u64 % count)
        }
        Lane::Far => ([3, 1, 2], [5, 3, 4], count - 1),
    };
    let local = place(index, size);
    let invocation = if let Lane::Number(lane) = lane { lane as u64 } else { 0 };
    let global = [0, 1, 2].map(|axis| group[axis] * size[axis] + local[axis]);
    [
        ("WorkgroupId", group),
        ("NumWorkgroups", groups),
        ("LocalInvocationId", local),
        ("LocalInvocationIndex", [index; 3]),
        ("GlobalInvocationId", global),
        ("SubgroupSize", [4; 3]),
        ("SubgroupId", [index / 4; 3]),
        ("SubgroupLocalInvocationId", [index % 4; 3]),
        ("InvocationId", [invocation; 3]),
        ("HelperInvocation", [0; 3]),
    ]
}

impl Given {
    pub(crate) fn new(shader: &Shader, target: &Target, stimulus: Rc<Stimulus>, lane: Lane) -> Given {
        let mut given = Given {
            stimulus,
            lane: if let Lane::Number(number) = lane { number } else { 0 },
            locations: FxHashMap::default(),
            builtins: FxHashMap::default(),
            blocks: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        let kind = shader.stage().slot_kind(false);
        let is_fragment = shader.stage() == Stage::Fragment;
        for slot in (0..varying::END).rev() {
            if let Some(builtin) = slots::builtin(kind, slot, is_fragment) {
                given.builtins.insert(format!("{builtin:?}"), Source::Slot(slot));
            } else {
                let patch = shader.stage() == Stage::TessEval && slots::is_patch(slot);
                given.locations.insert((patch, slots::location(kind, slot, slot).into()), slot);
            }
        }
        for op in Intrinsic::ALL.iter().rev() {
            if let IntrinsicForm::BuiltIn(builtin, _) = op.info().form {
                given.builtins.insert(format!("{builtin:?}"), Source::System(*op));
            }
        }
        for (name, value) in of_grid(shader.info.workgroup_size, given.stimulus.inputs.workgroups, lane) {
            given.builtins.insert(name.to_owned(), Source::Constant(value));
        }
        for variable in shader.vars.values().filter(|it| it.mode == Modes::SHADER_IN) {
            let slots = shader.types.slots(shader.types.without_arrays(variable.ty)).max(1);
            let (Some(first), false) = (variable.location, variable.driver_location == u32::MAX) else { continue };
            for i in 0..slots.max(shader.types.slots(variable.ty)) {
                let location = u64::from(variable.driver_location.saturating_add(i));
                let patch = variable.flags.contains(ntv::ir::VarFlags::PATCH);
                given.locations.insert((patch, location), first + i);
            }
        }
        given.add_attributes(shader);
        given.add_blocks(shader, target);
        given
    }

    /// The Locations of attributes that are read by slot: the driver's numbers.
    fn add_attributes(&mut self, shader: &Shader) {
        use ntv::op::names::IoSemantics;
        use ntv::op::Index;
        if shader.stage() != Stage::Vertex {
            return;
        }
        for inst in &shader.order {
            let Some((Intrinsic::load_input, _)) = shader.as_intrinsic(*inst) else { continue };
            let io = IoSemantics::unpack(shader.index(*inst, Index::io_semantics));
            let base = shader.index(*inst, Index::base);
            for i in 0..io.num_slots.max(1) {
                self.locations.insert((false, u64::from(base + i)), io.location + i);
            }
        }
    }

    fn add_blocks(&mut self, shader: &Shader, target: &Target) {
        let [default, uniform, storage] =
            [Descriptor::DefaultUniforms, Descriptor::UniformBuffer, Descriptor::StorageBuffer]
                .map(|kind| target.descriptor_set(kind));
        for number in 0..64 {
            for set in [default, uniform, storage] {
                self.blocks.insert((set, number), number);
            }
        }
        for variable in shader.vars.values().filter(|it| it.mode.intersects(Modes::UBO | Modes::SSBO)) {
            let set = match variable.mode == Modes::SSBO {
                true => storage,
                false if variable.driver_location == 0 && shader.info.first_ubo_is_default_ubo => default,
                false => uniform,
            };
            let set = variable.descriptor_set.unwrap_or(set);
            if shader.types.as_struct(shader.types.without_arrays(variable.ty)).is_some() {
                self.blocks.insert((set, variable.binding), variable.driver_location);
            }
        }
    }

    /// The number at a place.
    fn at(&self, place: Place) -> u64 {
        match place {
            Place::Fixed(number) => number,
            Place::System(op, c) => self.system(op, c),
            Place::Word(slot, c, is_flat) => {
                let lane = if is_flat { self.lane & !3 } else { self.lane };
                let invocation = self.stimulus.inputs.invocations.get(lane);
                invocation.and_then(|it| it.slots.get(&slot)).map_or(0, |words| words[c].into())
            }
        }
    }

    fn system(&self, op: Intrinsic, c: usize) -> u64 {
        let invocation = self.stimulus.inputs.invocations.get(self.lane);
        let of = |op: Intrinsic| invocation.and_then(|it| it.system.get(&op)?.get(c).copied());
        match op {
            Intrinsic::load_instance_index => {
                let [id, base] =
                    [Intrinsic::load_instance_id, Intrinsic::load_base_instance].map(|op| of(op).unwrap_or(0));
                id.wrapping_add(base)
            }
            op => of(op).unwrap_or(0),
        }
    }

    /// The place of an input with a Location: the cell, and the vertex, if each has a value.
    fn place_of_cell(&self, name: &str, args: &[u64]) -> Option<Place> {
        let is_patch = name.starts_with("patch input");
        if !is_patch && !name.starts_with("input") {
            return None;
        }
        let (vertex, cell) = match args {
            [vertex, cell, ..] if name.ends_with("of a vertex") => (*vertex as u32, *cell),
            _ => (0, *args.first()?),
        };
        let slot = self.locations.get(&(is_patch, cell / 4)).copied().unwrap_or(0);
        Some(Place::Word(Slot { slot, vertex, index: 0 }, (cell % 4) as usize, name.starts_with("input flat")))
    }

    fn place_of_builtin(&self, name: &str, args: &[u64]) -> Option<Place> {
        let (name, vertex) = match name.strip_suffix(" of a vertex") {
            Some(name) => (name, *args.first()? as u32),
            None => (name, 0),
        };
        let cell = *args.last()?;
        Some(match self.builtins.get(name)? {
            Source::Slot(slot) => {
                let slot = Slot { slot: slot + (cell / 4) as u32, vertex, index: 0 };
                Place::Word(slot, (cell % 4) as usize, false)
            }
            Source::System(op) => Place::System(*op, cell as usize),
            Source::Constant(value) => Place::Fixed(value.get(cell as usize).copied().unwrap_or(0)),
        })
    }

    /// The size of a storage block, if the symbol is one.
    fn size(&self, name: &str) -> Option<u64> {
        let block = self.block(&format!("storage block {}", name.strip_prefix("size of storage block ")?));
        Some(block.and_then(|block| block.bytes(&self.stimulus)).map_or(0, |bytes| bytes.len() as u64))
    }
}

/// A number that depends on a name and on operands.
fn hashed(name: &str, args: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    (name, args).hash(&mut hasher);
    // The low bits of the hash alone do not depend on all of the operands.
    Random::new(hasher.finish()).bits()
}

impl Given {
    /// The number of an input, or of what is known of one; `None` of another symbol.
    pub(crate) fn input(&mut self, name: &str, args: &[u64]) -> Option<u64> {
        if let Some(place) = self.place_of_cell(name, args) {
            let (word, cell) = (self.at(place), args[usize::from(name.ends_with("of a vertex"))]);
            // The interpreter's inputs have one value at all places of a pixel: one that is interpolated in another way has another.
            let first = self.names.entry((name.starts_with("patch"), cell)).or_insert_with(|| name.to_owned());
            return Some(if *first == name { word } else { word ^ 1 << 22 });
        }
        self.size(name).or_else(|| Some(self.at(self.place_of_builtin(name, args)?)))
    }

    /// The number of a symbol that no inputs choose: it follows from the grid and from sizes.
    pub(crate) fn fixed(&self, name: &str, args: &[u64]) -> Option<u64> {
        match self.place_of_builtin(name, args) {
            Some(Place::Fixed(number)) => Some(number),
            _ => self.size(name),
        }
    }

    /// Chooses the number of an input, the same in all invocations. Returns whether it is one that can be chosen.
    pub(crate) fn choose(&mut self, name: &str, args: &[u64], number: u64) -> bool {
        let place = self.place_of_cell(name, args).or_else(|| self.place_of_builtin(name, args));
        let invocations = &mut Rc::make_mut(&mut self.stimulus).inputs.invocations;
        match place {
            Some(Place::Word(slot, c, _)) => {
                invocations.iter_mut().for_each(|it| it.slots.entry(slot).or_default()[c] = number as u32);
                true
            }
            Some(Place::System(op, c)) => {
                let numbers = invocations.iter_mut().filter_map(|it| it.system.get_mut(&op)?.get_mut(c));
                numbers.map(|chosen| *chosen = number).count() > 0
            }
            Some(Place::Fixed(fixed)) => fixed == number,
            None => self.size(name) == Some(number),
        }
    }

    /// The number of bytes of memory that is an input.
    pub(crate) fn bytes_of(&self, state: &str) -> Option<u64> {
        Some(self.block(state)?.bytes(&self.stimulus)?.len() as u64)
    }

    /// A number of memory as it is at first; `None` of memory that is no input.
    pub(crate) fn memory(&self, state: &str, address: u64, width: u8) -> Option<u64> {
        let (bytes, at) = (self.block(state)?.bytes(&self.stimulus), address as usize);
        let read = bytes.and_then(|bytes| bytes.get(at..at + usize::from(width) / 8));
        Some(read.map_or(0, |bytes| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))))
    }

    /// Chooses a number of memory as it is at first. Returns whether it is there.
    pub(crate) fn choose_cell(&mut self, state: &str, (address, width): (u64, u8), number: u64) -> bool {
        let (block, at) = (self.block(state), address as usize);
        let bytes = block.and_then(|block| block.bytes_mut(Rc::make_mut(&mut self.stimulus)));
        let cell = bytes.and_then(|bytes| bytes.get_mut(at..at.checked_add(usize::from(width) / 8)?));
        cell.map(|cell| cell.copy_from_slice(&number.to_le_bytes()[..cell.len()])).is_some()
    }

    /// The inputs.
    pub(crate) fn stimulus(self) -> Rc<Stimulus> {
        self.stimulus
    }

    /// The memory that a state is the start of, by the text of its symbol, such as `uniform block 1.2(3)`: set, binding and element.
    fn block(&self, state: &str) -> Option<Block> {
        match state {
            "push constants" => return Some(Block::PushConstants),
            "shared memory" => return Some(Block::Shared),
            _ => {}
        }
        let (kind, name) = state.split_once(" block ")?;
        let mut numbers = name.split(['.', '(', ')', '[', ']']).filter(|part| !part.is_empty()).map(number);
        let (set, binding, element) = (numbers.next()??, numbers.next()??, numbers.next().flatten().unwrap_or(0));
        let block = *self.blocks.get(&(set, binding))? as usize + element as usize;
        match kind {
            "uniform" => Some(Block::Uniform(block)),
            "storage" => Some(Block::Storage(block)),
            _ => None,
        }
    }
}

/// A number in the name of a block.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl Assignment for Given {
    fn value(&mut self, name: &str, width: u8, args: &[u64]) -> u64 {
        if let Some(input) = self.input(name, args) {
            return input;
        }
        let number = hashed(name, args);
        // A float of moderate size, so that what is computed of it does not overflow.
        match width {
            32 if name.contains("component") => ((number % 64) as f32 / 4.0 - 4.0).to_bits().into(),
            _ => number,
        }
    }

    fn cell(&mut self, state: &str, address: u64, width: u8) -> u64 {
        self.memory(state, address, width).unwrap_or_else(|| hashed(state, &[address]))
    }
}
