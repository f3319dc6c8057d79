// SPDX-License-Identifier: MIT

//! Block variables for accesses by byte offset: `struct { uvec4 base[N]; }`, alone or as an array of blocks.

use crate::ir::{AluSrc, ArrayIndex, Block, Builder, Def, DerefKind, Field, Shader, Type, Var, Variable};
use crate::op::{AluOp, AluType, Base, Modes};
use crate::target::{BlockArray, Target};

/// The element type of the only member of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::pass) struct Element {
    /// Component width in bits.
    pub bits: u8,
    /// Components of an element.
    pub components: u8,
}

impl Element {
    /// The size in bytes.
    pub(in crate::pass) fn bytes(self) -> u32 {
        u32::from(self.bits) / 8 * u32::from(self.components)
    }
}

/// `uvec4`: the element of all accesses that do not need another one.
pub(in crate::pass) const UVEC4: Element = Element { bits: 32, components: 4 };
/// `u64vec2`: the same bytes as two numbers of 64 bits.
pub(in crate::pass) const U64VEC2: Element = Element { bits: 64, components: 2 };
/// `uvec2`: for accesses at multiples of 8 bytes.
pub(in crate::pass) const UVEC2: Element = Element { bits: 32, components: 2 };
/// `uint`: the unit of the size of a buffer.
pub(in crate::pass) const UINT: Element = Element { bits: 32, components: 1 };
/// `uint64_t`: the type of 64-bit atomics, and of single numbers of uniform blocks.
pub(in crate::pass) const UINT64: Element = Element { bits: 64, components: 1 };

/// The element with this number of lanes: 4, 2 or 1.
pub(in crate::pass) fn vector_of(lanes: u32) -> Element {
    match lanes {
        4 => UVEC4,
        2 => UVEC2,
        _ => UINT,
    }
}

/// The number of elements in `vec4s` vec4s.
pub(in crate::pass) fn elements(vec4s: u32, element: Element) -> u32 {
    vec4s.saturating_mul(16 / element.bytes())
}

/// The name of such blocks. Mesa calls all blocks `struct`.
const NAME: &str = "block";

/// The type `struct { <element> base[len]; }`, a run-time array for `None`.
pub(in crate::pass) fn block_type(shader: &mut Shader, element: Element, len: Option<u32>) -> Type {
    block_type_from(shader, 0, element, len)
}

/// The type `struct { <element> base[len]; }` with `base` at the byte `first`.
fn block_type_from(shader: &mut Shader, first: u32, element: Element, len: Option<u32>) -> Type {
    let scalar = AluType::new(Base::Uint, element.bits);
    let vector = shader.types.vector(scalar, element.components);
    let base = shader.types.array(vector, len, element.bytes());
    let field = Field { name: shader.strings.add("base"), ty: base, offset: Some(first) };
    let name = shader.strings.add(NAME);
    shader.types.new_struct(name, &[field])
}

/// A variable of mode `mode` called `name` that holds one block of `len` elements, from the byte `first` on.
pub(in crate::pass) fn new_block(
    shader: &mut Shader,
    (name, mode): (&str, Modes),
    first: u32,
    (element, len): (Element, Option<u32>),
) -> Var {
    let ty = block_type_from(shader, first, element, len);
    let name = shader.strings.add(name);
    shader.vars.push(Variable::new(name, ty, mode))
}

/// A deref of the block of `var`: element `index` if it is an array of blocks.
pub(in crate::pass) fn block_pointer(b: &mut Builder<'_>, var: Var, index: Option<ArrayIndex>) -> Def {
    let pointer = b.deref_var(var);
    match index {
        Some(index) => b.deref_array(pointer, index),
        None => pointer,
    }
}

/// The index in `array` of the block with this number.
pub(in crate::pass) fn index_in(b: &mut Builder<'_>, array: BlockArray, block: Def) -> ArrayIndex {
    if let Some(number) = b.shader.as_const_scalar(block) {
        let index = (number as u32).saturating_sub(array.first).min(array.count.saturating_sub(1));
        return ArrayIndex::Imm(index.into());
    }
    // The number of a block in a declared array is its index plus the number of the first.
    let added = match b.shader.as_alu(block) {
        Some((AluOp::iadd, &[index, added])) => b.shader.as_const_src(added).map(|added| (index, added as u32)),
        _ => None,
    };
    let (index, added) = match added {
        Some((AluSrc { def, swizzle }, added)) => (b.channel(def, swizzle.get(0)), added),
        None => (b.channel(block, 0), 0),
    };
    ArrayIndex::Def(b.iadd_imm(index, added.wrapping_sub(array.first).into()))
}

/// The part of the name of a variable of blocks that its views share.
pub(in crate::pass) fn stem(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// The variable of `pointer`, and the block of it if it is an array of blocks: the arguments of [`block_pointer`].
pub(in crate::pass) fn pointed_block(shader: &Shader, pointer: Def) -> Option<(Var, Option<ArrayIndex>)> {
    match shader.as_deref(pointer)?.kind {
        DerefKind::Var(var) => Some((var, None)),
        DerefKind::Array { parent, index } => match shader.as_deref(parent)?.kind {
            DerefKind::Var(var) => Some((var, Some(index))),
            _ => None,
        },
        _ => None,
    }
}

/// A deref of the `base` of the block of `var`.
pub(in crate::pass) fn base_pointer(b: &mut Builder<'_>, var: Var, index: Option<ArrayIndex>) -> Def {
    let block = block_pointer(b, var, index);
    b.deref_struct(block, 0)
}

/// The number of values that [`MadeOnce`] searches: the time for a block with very many values stays linear.
const MOST_SEARCHED: usize = 256;

/// Values that are made once in the open block of the IR, with their keys.
pub(in crate::pass) struct MadeOnce<K> {
    block: Option<Block>,
    made: Vec<(K, Def)>,
}

impl<K> Default for MadeOnce<K> {
    fn default() -> Self {
        MadeOnce { block: None, made: Vec::new() }
    }
}

impl<K: PartialEq> MadeOnce<K> {
    /// Forgets all of them, but keeps the allocation.
    pub(in crate::pass) fn clear(&mut self) {
        self.block = None;
        self.made.clear();
    }

    /// The value for `key`: an existing one, or the result of `make`.
    pub(in crate::pass) fn get_or_make(
        &mut self,
        b: &mut Builder<'_>,
        key: K,
        make: impl FnOnce(&mut Builder<'_>) -> Def,
    ) -> Def {
        let block = b.current_block();
        if self.block != Some(block) {
            self.block = Some(block);
            self.made.clear();
        }
        // The latest first: scalars of a vector are next to each other. More distant values are made again; `cse` finds them.
        if let Some((_, known)) = self.made.iter().rev().take(MOST_SEARCHED).find(|(other, _)| *other == key) {
            return *known;
        }
        let value = make(b);
        self.made.push((key, value));
        value
    }
}

/// Derefs of the bases of variables, and of the blocks of arrays.
pub(in crate::pass) type BasePointers = MadeOnce<(Var, Option<ArrayIndex>)>;

impl BasePointers {
    /// [`base_pointer`], or the one that was made before.
    pub(in crate::pass) fn get(&mut self, b: &mut Builder<'_>, var: Var, index: Option<ArrayIndex>) -> Def {
        self.get_or_make(b, (var, index), |b| base_pointer(b, var, index))
    }
}

/// The required range, in bytes, of a binding of which `bytes` are read: whole vec4s, if the driver binds whole vec4s.
pub(in crate::pass) fn least_range(target: &Target, bytes: u32) -> u32 {
    if target.uniform_ranges_in_vec4s {
        bytes.checked_next_multiple_of(16).unwrap_or(0)
    } else {
        bytes
    }
}

/// Number of vec4s that `bytes` bytes take.
pub(in crate::pass) fn vec4s(bytes: u32) -> u32 {
    bytes.div_ceil(16).max(1)
}
