// SPDX-License-Identifier: MIT

//! Random valid shaders as a Gallium driver receives them: explicit inputs and outputs, buffers by byte offset.
//!
//! The input of a fuzzer, or a seed, determines the whole shader. Values are grouped by kind, because float arithmetic on numbers
//! of bits mostly gives NaN. A shader terminates and stays within its buffers, and an invocation depends on others only through
//! shared memory and a barrier: every run has the same results.
//!
//! At the end the remaining values are stored: to a storage block by a compute shader, otherwise to outputs.

mod accesses;
mod alu;
mod flow;
mod memory;
mod offsets;
mod open;
mod packing;
pub mod records;
mod stages;
mod subgroup;
mod textures;
mod zink;

use crate::{Sizes, Stimulus};
use accesses::Base;
use arbitrary::{Result, Unstructured};
use ntv::ir::{AluSrc, Builder, Def, Stage, Swizzle, Var};
use ntv::op::fold::{from_float, mask};
use ntv::{Key, Shader};
use ntv_interp::Floats;
use packing::Packing;
use zink::Blocks;

/// The memory that a shader may address.
const SIZES: Sizes = Sizes { blocks: 4, block_bytes: 8192, push_constant_bytes: 128 };

/// The workgroups of a compute shader.
const WORKGROUPS: [u32; 3] = [2, 1, 1];

/// NIR's bits for signed zeros, infinities and NaNs of all widths: without them a driver may give -0.0 for 0.0 even where it only
/// copies a number.
const KEEP_ZEROS_AND_NANS: u32 = 0x1ff;

/// The number of points that a vertex and a fragment shader draw, each on its own pixel, row by row.
pub const POINTS: u32 = 8;

/// The number of pixels of a row.
pub const ROW: u32 = 4;

/// The maximum depth of nested ifs and loops.
const DEPTH: u32 = 3;

/// The purpose of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To run on the interpreter: everything that NIR defines.
    Interpreter,
    /// To run on a driver too: without operations whose results differ between drivers.
    Driver,
    /// To run on the interpreter in great numbers: small shaders with mostly memory accesses, half of them in zink's form.
    Offsets,
}

/// A random shader.
pub fn shader(u: &mut Unstructured<'_>, purpose: Purpose) -> Result<Shader> {
    let stages: &[Stage] = match purpose {
        Purpose::Interpreter => &[Stage::Compute, Stage::Compute, Stage::Vertex, Stage::Fragment],
        Purpose::Driver | Purpose::Offsets => &[Stage::Compute],
    };
    let stage = *u.choose(stages)?;
    of_stage(u, purpose, stage, Interface::default())
}

fn of_stage(u: &mut Unstructured<'_>, purpose: Purpose, stage: Stage, interface: Interface) -> Result<Shader> {
    let mut shader = Shader::default();
    shader.entry = "main".to_string();
    shader.info.stage = stage;
    if purpose == Purpose::Driver {
        shader.info.float_controls_execution_mode = KEEP_ZEROS_AND_NANS;
    }
    shader.append_new_block();
    let (most, left) = if purpose == Purpose::Offsets { (6, 12) } else { (24, 60) };
    let statements = u.int_in_range(3..=most)?;
    let mut generator = Generator {
        b: Builder::new(&mut shader),
        u,
        purpose,
        never: None,
        values: Vec::new(),
        bases: Vec::new(),
        uniform_ends: [1024; 2],
        blocks: None,
        seen: None,
        depth: 0,
        left,
        records: 0,
        interface,
    };
    generator.begin()?;
    for _ in 0..statements {
        generator.statement()?;
    }
    generator.finish()?;
    Ok(shader)
}

/// The shader that belongs to `seed`.
pub fn shader_of_seed(seed: u64, purpose: Purpose) -> Shader {
    let bytes = crate::Random::new(seed).bytes(4096);
    // Choices fail only if they need more bytes than there are; then they take the first alternative.
    shader(&mut Unstructured::new(&bytes), purpose).unwrap_or_default()
}

/// The program of `seed` for a driver: a compute shader, or, for every fourth seed, a vertex shader and a fragment shader, which
/// draw [`POINTS`] points.
pub fn program_of_seed(seed: u64) -> Vec<Shader> {
    if seed % 4 != 3 {
        return vec![shader_of_seed(seed, Purpose::Driver)];
    }
    let bytes = crate::Random::new(seed).bytes(8192);
    let (vertex, fragment) = bytes.split_at(4096);
    let stages = [(Stage::Vertex, vertex), (Stage::Fragment, fragment)];
    let shader = |(stage, bytes)| {
        let u = &mut Unstructured::new(bytes);
        of_stage(u, Purpose::Driver, stage, Interface::of_seed(seed)).unwrap_or_default()
    };
    stages.map(shader).to_vec()
}

/// The inputs of `shader`, which [`shader()`] made for `purpose`.
pub fn stimulus_of_seed(shader: &Shader, seed: u64, purpose: Purpose) -> Stimulus {
    let block_bytes = if purpose == Purpose::Offsets { 4096 } else { SIZES.block_bytes };
    let mut stimulus = Stimulus::with_sizes(shader, seed, Sizes { block_bytes, ..SIZES });
    stimulus.inputs.workgroups = WORKGROUPS;
    if purpose == Purpose::Driver {
        stimulus.inputs.floats = Floats::Vulkan;
        stimulus.storage[memory::RECORDS_BLOCK as usize].bytes.fill(0);
    }
    stimulus
}

/// What the stages of a draw agree on.
#[derive(Clone, Copy, Debug)]
struct Interface {
    /// The varyings in each pair of slots.
    packings: [Packing; 2],
    /// Whether the first colour has floats, which a key can clamp and test.
    has_floats: bool,
}

impl Default for Interface {
    fn default() -> Interface {
        Interface { packings: [packing::PLAIN; 2], has_floats: false }
    }
}

impl Interface {
    /// The interface of the draw of `seed`: every second one has packed doubles, every second one floats.
    fn of_seed(seed: u64) -> Interface {
        Interface { packings: packing::of_seed(seed), has_floats: key_of_seed(seed).is_some() }
    }
}

/// The options that change a random draw: of all stages, and of colours.
const OPTIONS: [&str; 16] = [
    "flip_x",
    "flip_y",
    "gl_depth",
    "discard",
    "point_size",
    "strip",
    "sample_shading",
    "no_sample_mask",
    "clamp_colors",
    "alpha_test=never",
    "alpha_test=less",
    "alpha_test=equal",
    "alpha_test=lequal",
    "alpha_test=greater",
    "alpha_test=notequal",
    "alpha_test=gequal",
];

/// The key of the draw of `seed`, for every second one: two options.
pub fn key_of_seed(seed: u64) -> Option<Key> {
    let number = (seed / 16) as usize;
    let pair = [number, number / OPTIONS.len()].map(|number| OPTIONS[number % OPTIONS.len()]).join(",");
    let key = Key::parse(&pair).ok().filter(|_| seed % 16 > 8 && seed % 4 == 3)?;
    Some(Key { size: [ROW, POINTS / ROW], ..key })
}

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    Float,
}

/// A value that may be used here.
#[derive(Clone, Copy, Debug)]
struct Value {
    def: Def,
    kind: Kind,
}

/// Kind, width and number of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    kind: Kind,
    bits: u8,
    components: u8,
}

impl Shape {
    const INDEX: Shape = Shape { kind: Kind::Int, bits: 32, components: 1 };
    const CONDITION: Shape = Shape { kind: Kind::Bool, bits: 1, components: 1 };

    /// The number of its bytes in memory.
    fn bytes(self) -> u32 {
        u32::from(self.bits) / 8 * u32::from(self.components)
    }
}

struct Generator<'s, 'u, 'b> {
    b: Builder<'s>,
    u: &'u mut Unstructured<'b>,
    purpose: Purpose,
    /// A condition that is false, which a driver cannot derive.
    never: Option<Def>,
    /// The values that dominate the position of the next instruction, oldest first.
    values: Vec<Value>,
    /// The bases of memory accesses.
    bases: Vec<Base>,
    /// The bytes of the first uniform block and of the others that offsets may reach.
    uniform_ends: [u32; 2],
    /// The variables of blocks, if they are not accessed by byte offset.
    blocks: Option<Blocks>,
    /// A variable that depends on all that was loaded.
    seen: Option<Var>,
    /// The number of open ifs and loops.
    depth: u32,
    /// The number of statements that may still be made.
    left: u32,
    /// The number of operations on record.
    records: u32,
    interface: Interface,
}

/// The numbers of values and bases that dominate a position.
#[derive(Clone, Copy)]
struct Scope {
    values: usize,
    bases: usize,
}

/// A kind of statement, with its weight.
type Statement = for<'a, 's, 'u, 'b> fn(&'a mut Generator<'s, 'u, 'b>) -> Result<()>;

/// The statements of shaders.
const STATEMENTS: &[(u32, Statement)] = &[
    (24, |g| g.arithmetic()),
    (2, |g| g.recorded()),
    (2, |g| g.new_constant()),
    (3, |g| g.conditional()),
    (2, |g| g.repeated()),
    (3, |g| g.uniform_load()),
    (2, |g| g.storage_load()),
    (1, |g| g.push_constant_load()),
    (2, |g| g.member()),
    (1, |g| g.record()),
    (1, |g| g.walk()),
    (2, |g| g.storage_store()),
    (1, |g| g.storage_atomic()),
    (1, |g| g.shared_exchange()),
    (1, |g| g.local_array()),
    (1, |g| g.scratch()),
    (1, |g| g.global()),
    (1, |g| g.between_invocations()),
    (3, |g| if g.has_textures() { g.texture() } else { g.arithmetic() }),
    (2, |g| if g.has_textures() { g.image() } else { g.arithmetic() }),
    (2, |g| g.stage_value()),
];

/// The statements of shaders with mostly memory accesses.
const OFFSETS: &[(u32, Statement)] = &[
    (3, |g| g.arithmetic()),
    (3, |g| g.conditional()),
    (1, |g| g.repeated()),
    (8, |g| g.member()),
    (4, |g| g.record()),
    (2, |g| g.walk()),
];

impl Generator<'_, '_, '_> {
    fn statement(&mut self) -> Result<()> {
        let statements = if self.purpose == Purpose::Offsets { OFFSETS } else { STATEMENTS };
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        self.left = left;
        let total = statements.iter().map(|row| row.0).sum::<u32>();
        let mut at = self.u.int_in_range(0..=total - 1)?;
        for (weight, statement) in statements {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return statement(self),
            }
        }
        Ok(())
    }

    /// Shaders of draws have no textures: stages share their bindings, and a point has no neighbours for a choice of level.
    fn has_textures(&self) -> bool {
        self.purpose == Purpose::Interpreter || self.b.shader.stage().is_compute()
    }

    fn chance(&mut self, of: u32) -> Result<bool> {
        Ok(self.u.int_in_range(1..=of)? == of)
    }

    fn choose<T: Copy>(&mut self, list: &[T]) -> Result<T> {
        self.u.choose(list).copied()
    }

    fn scope(&self) -> Scope {
        Scope { values: self.values.len(), bases: self.bases.len() }
    }

    /// Forgets values that do not dominate the open block any more: all that are newer than `scope`.
    fn forget(&mut self, scope: Scope) {
        self.values.truncate(scope.values);
        self.bases.truncate(scope.bases);
    }

    fn push(&mut self, def: Def, kind: Kind) {
        self.values.push(Value { def, kind });
    }

    fn shape(&self, value: Value) -> Shape {
        let Value { def, kind } = value;
        Shape { kind, bits: self.b.shader.bit_size(def), components: self.b.shader.num_components(def) }
    }

    /// A value of this kind and width, mostly one of the latest.
    fn find(&mut self, kind: Option<Kind>, bits: u8) -> Result<Option<Value>> {
        let fits =
            |value: &&Value| !kind.is_some_and(|kind| kind != value.kind) && self.b.shader.bit_size(value.def) == bits;
        let found: Vec<Value> = self.values.iter().filter(fits).copied().collect();
        if found.is_empty() || self.chance(8)? {
            return Ok(None);
        }
        let recent = found.len() - found.len().min(4);
        let first = if self.chance(2)? { recent } else { 0 };
        Ok(Some(self.choose(&found[first..])?))
    }

    /// A source whose first `components` components may be read: a value with some swizzle, or a constant.
    fn source(&mut self, kind: Option<Kind>, bits: u8, components: u8) -> Result<(AluSrc, Kind)> {
        let Some(value) = self.find(kind, bits)? else {
            let kind = match kind {
                Some(kind) => kind,
                None if bits == 1 => Kind::Bool,
                None => Kind::Int,
            };
            let def = self.constant(Shape { kind, bits, components })?;
            return Ok((def.into(), kind));
        };
        let has = self.b.shader.num_components(value.def);
        let mut swizzle = Swizzle::IDENTITY;
        if has < components || self.chance(3)? {
            for c in 0..components {
                swizzle.set(usize::from(c), self.u.int_in_range(0..=has - 1)?);
            }
        }
        Ok((AluSrc { def: value.def, swizzle }, value.kind))
    }

    /// A whole value of this shape.
    fn value_of(&mut self, shape: Shape) -> Result<Def> {
        let fits = |value: &&Value| self.shape(**value) == shape;
        let found: Vec<Def> = self.values.iter().filter(fits).map(|value| value.def).collect();
        if !found.is_empty() && !self.chance(8)? {
            return self.choose(&found);
        }
        let (AluSrc { def, swizzle }, _) = self.source(Some(shape.kind), shape.bits, shape.components)?;
        let components: Vec<u8> = swizzle.components(shape.components.into()).collect();
        Ok(self.b.swizzle(def, &components))
    }

    /// An integer below `end`, a power of two, that depends on some value.
    fn small_index(&mut self, end: u32) -> Result<Def> {
        let value = self.value_of(Shape::INDEX)?;
        Ok(self.b.iand_imm(value, u64::from(end - 1)))
    }

    fn new_constant(&mut self) -> Result<()> {
        let (kind, bits) =
            self.choose(&[(Kind::Int, 8), (Kind::Int, 16), (Kind::Int, 64), (Kind::Float, 16), (Kind::Float, 64)])?;
        let components = self.u.int_in_range(1..=4)?;
        let def = self.constant(Shape { kind, bits, components })?;
        self.push(def, kind);
        Ok(())
    }

    fn constant(&mut self, shape: Shape) -> Result<Def> {
        let mut values = Vec::with_capacity(4);
        for _ in 0..shape.components {
            values.push(self.number(shape.kind, shape.bits)?);
        }
        Ok(self.b.constant(shape.bits, &values))
    }

    fn number(&mut self, kind: Kind, bits: u8) -> Result<u64> {
        const INTS: &[u64] = &[0, 1, 2, 3, 7, 8, 31, 32, 0xff, u64::MAX, 1 << 63, 1 << 31, 0x7fff_ffff, 0xffff_0000];
        const FLOATS: &[f64] =
            &[0.0, 1.0, -1.0, 0.5, 2.0, -3.5, 100.0, 0.1, 1000.0, -0.0, 65504.0, f64::INFINITY, 1e-7];
        // A driver need not preserve infinity.
        let floats = if self.purpose == Purpose::Driver { &FLOATS[..9] } else { FLOATS };
        let value = match kind {
            Kind::Bool if self.chance(2)? => u64::MAX,
            Kind::Bool => 0,
            Kind::Float => from_float(self.choose(floats)?, bits),
            Kind::Int if self.chance(4)? => self.u.arbitrary()?,
            Kind::Int => self.choose(INTS)?,
        };
        Ok(mask(value, bits))
    }
}
