// SPDX-License-Identifier: MIT

//! Types of variables and derefs: GLSL's, as in NIR, each once.
//!
//! SSA values have no type but a width and a number of components; only variables and derefs have one. A text dump does not
//! print the contents of structs: a struct that is read from text starts empty and gains a field where a `deref_struct` names
//! it.

use crate::entity::{entity, Arena, Id, Str, StringTable};
use crate::location;
use crate::op::names::ImageDim;
use crate::op::{AluType, Base};

entity!(
    /// A type in a [`TypeTable`]; equal types have equal ids, except structs.
    Type,
    "type"
);
entity!(
    /// A struct type, which is not equal to any other.
    Struct,
    "struct"
);

/// The data of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeData {
    /// `void`.
    Void,
    /// A number or boolean; `bits` is never 0 and 1 for booleans.
    Scalar(AluType),
    /// 2 to 16 components.
    Vector(AluType, u8),
    /// A vector whose components are `stride` bytes apart: a column of a matrix in row-major order, in a buffer.
    Strided {
        /// The component type.
        scalar: AluType,
        /// Number of components.
        components: u8,
        /// Distance between components in bytes.
        stride: u32,
    },
    /// `columns` vectors of `rows` components.
    Matrix {
        /// The component type, a float.
        scalar: AluType,
        /// 2 to 4.
        columns: u8,
        /// 2 to 4.
        rows: u8,
    },
    /// `len` elements `stride` bytes apart.
    Array {
        /// The element type.
        elem: Type,
        /// Number of elements, `None` for a run-time array.
        len: Option<u32>,
        /// Distance between elements in bytes, 0 if it has no explicit layout.
        stride: u32,
    },
    /// See [`TypeTable::structs`].
    Struct(Struct),
    /// A bare `sampler` or `samplerShadow`.
    Sampler {
        /// Whether it compares.
        shadow: bool,
    },
    /// A combined sampler (`sampler2D`) or, if `bare`, a texture without one (`texture2D`).
    Texture {
        /// Dimensionality.
        dim: ImageDim,
        /// Whether it compares.
        shadow: bool,
        /// Whether it has layers.
        array: bool,
        /// Component type of a texel, 32 bits unless the type is 64-bit.
        texel: AluType,
        /// Whether it has no sampler.
        bare: bool,
    },
    /// A storage image.
    Image {
        /// Dimensionality.
        dim: ImageDim,
        /// Whether it has layers.
        array: bool,
        /// Component type of a texel.
        texel: AluType,
    },
    /// `atomic_uint`.
    AtomicUint,
}

/// The contents of a struct type.
#[derive(Clone, Debug)]
pub struct StructData {
    /// The printed name of the type; `struct` for interface blocks that zink makes.
    pub name: Str,
    /// The members known so far.
    pub fields: Vec<Field>,
}

/// A member of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Str,
    /// Its type.
    pub ty: Type,
    /// Its offset in bytes if it has an explicit layout.
    pub offset: Option<u32>,
}

/// A type of a table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    data: TypeData,
    /// Component type and count of a scalar or vector, which are read most often.
    vector: Option<(AluType, u8)>,
}

/// All types of a shader.
#[derive(Clone, Debug, Default)]
pub struct TypeTable {
    types: Arena<Type, Entry>,
    /// The structs.
    pub structs: Arena<Struct, StructData>,
    /// A hash table: a type is in the first free slot from the one of its hash on. The number of slots is a power of two, or 0;
    /// at most half of them are used.
    slots: Vec<Option<Type>>,
    /// Lists of fields for reuse.
    unused: Vec<Vec<Field>>,
    /// The widths of the numbers in all types, as a mask: they are powers of two; those of booleans are 1.
    widths: u8,
    has_strided: bool,
}

impl TypeTable {
    /// The id of `data`, which is not a struct.
    #[inline(never)]
    pub fn intern(&mut self, data: TypeData) -> Type {
        if 2 * self.types.len() >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(data);
        *self.slots[slot].get_or_insert_with(|| {
            if let TypeData::Scalar(scalar)
            | TypeData::Vector(scalar, _)
            | TypeData::Strided { scalar, .. }
            | TypeData::Matrix { scalar, .. } = data
            {
                self.widths |= scalar.bits;
                self.has_strided |= matches!(data, TypeData::Strided { .. });
            }
            let vector = match data {
                TypeData::Scalar(scalar) => Some((scalar, 1)),
                TypeData::Vector(scalar, components) | TypeData::Strided { scalar, components, .. } => {
                    Some((scalar, components))
                }
                _ => None,
            };
            self.types.push(Entry { data, vector })
        })
    }

    /// The slot of `data`, used or free.
    fn slot(&self, data: TypeData) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash_of(data) & mask;
        while self.slots[slot].is_some_and(|ty| self.types[ty].data != data) {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Doubles the number of slots.
    #[cold]
    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(64);
        self.slots.clear();
        self.slots.resize(len, None);
        for ty in self.types.ids().filter(|ty| !matches!(self.types[*ty].data, TypeData::Struct(_))) {
            let slot = self.slot(self.types[ty].data);
            self.slots[slot] = Some(ty);
        }
    }

    /// A scalar (`components` 1) or vector.
    #[inline]
    pub fn vector(&mut self, scalar: AluType, components: u8) -> Type {
        match components {
            1 => self.intern(TypeData::Scalar(scalar)),
            _ => self.intern(TypeData::Vector(scalar, components)),
        }
    }

    /// An array with elements `stride` bytes apart, run-time sized if `len` is `None`.
    #[inline]
    pub fn array(&mut self, elem: Type, len: Option<u32>, stride: u32) -> Type {
        self.intern(TypeData::Array { elem, len, stride })
    }

    /// A new struct with these fields.
    pub fn new_struct(&mut self, name: Str, fields: &[Field]) -> Type {
        let mut memory = self.memory_of_fields();
        memory.extend_from_slice(fields);
        self.new_struct_of(name, memory)
    }

    /// A new struct with these fields, a list from [`memory_of_fields`](TypeTable::memory_of_fields).
    pub(crate) fn new_struct_of(&mut self, name: Str, fields: Vec<Field>) -> Type {
        // No other type is equal.
        let data = TypeData::Struct(self.structs.push(StructData { name, fields }));
        self.types.push(Entry { data, vector: None })
    }

    /// An empty list, with the memory of an unused one if there is one.
    pub(crate) fn memory_of_fields(&mut self) -> Vec<Field> {
        self.unused.pop().unwrap_or_default()
    }

    /// The data of `ty`.
    #[inline]
    pub fn get(&self, ty: Type) -> TypeData {
        self.types[ty].data
    }

    /// The number of types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// True if there is no type.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// The contents of the struct `ty`.
    #[inline]
    pub fn as_struct(&self, ty: Type) -> Option<&StructData> {
        match self.get(ty) {
            TypeData::Struct(id) => Some(&self.structs[id]),
            _ => None,
        }
    }

    /// Element type and length of an array; `None` for anything else.
    #[inline]
    pub fn as_array(&self, ty: Type) -> Option<(Type, Option<u32>)> {
        match self.get(ty) {
            TypeData::Array { elem, len, .. } => Some((elem, len)),
            _ => None,
        }
    }

    /// The type of an indexed part of `ty`: an array's element, a matrix' column, a vector's component.
    pub fn element(&mut self, ty: Type) -> Option<Type> {
        match self.get(ty) {
            TypeData::Array { elem, .. } => Some(elem),
            TypeData::Matrix { scalar, rows, .. } => Some(self.vector(scalar, rows)),
            TypeData::Vector(scalar, _) | TypeData::Strided { scalar, .. } => {
                Some(self.intern(TypeData::Scalar(scalar)))
            }
            _ => None,
        }
    }

    /// Component type and count of a scalar or vector.
    #[inline]
    pub fn as_vector(&self, ty: Type) -> Option<(AluType, u8)> {
        self.types[ty].vector
    }

    /// The sum of the widths of numbers that are types, or that types are made of.
    pub fn widths(&self) -> u8 {
        self.widths
    }

    /// True if some type is a boolean or a vector of them.
    pub fn has_booleans(&self) -> bool {
        self.has_width(1)
    }

    /// True if some type is a number of one of these widths, a bit for each, or made of such numbers.
    pub fn has_width(&self, bits: u8) -> bool {
        self.widths & bits != 0
    }

    /// True if some type is a vector whose components are apart.
    pub fn has_strided(&self) -> bool {
        self.has_strided
    }

    /// True if some type is a number of 64 bits, or made of such numbers.
    pub fn has_64_bits(&self) -> bool {
        self.has_width(64)
    }

    /// The type of the numbers that `ty` is made of; `None` for structs and types without numbers.
    pub fn scalar_of(&self, ty: Type) -> Option<AluType> {
        let ty = self.without_arrays(ty);
        match self.get(ty) {
            TypeData::Matrix { scalar, .. } => Some(scalar),
            _ => self.as_vector(ty).map(|(scalar, _)| scalar),
        }
    }

    /// Calls `visit` with the type of the numbers of each part of `ty`, including nested structs.
    pub fn each_number(&self, ty: Type, visit: &mut impl FnMut(AluType)) {
        let ty = self.without_arrays(ty);
        match self.get(ty) {
            TypeData::Scalar(scalar)
            | TypeData::Vector(scalar, _)
            | TypeData::Strided { scalar, .. }
            | TypeData::Matrix { scalar, .. } => visit(scalar),
            TypeData::Struct(_) => {
                let fields = self.as_struct(ty).into_iter().flat_map(|data| &data.fields);
                fields.for_each(|field| self.each_number(field.ty, visit));
            }
            _ => {}
        }
    }

    /// `ty` without its outer arrays.
    #[inline]
    pub fn without_arrays(&self, mut ty: Type) -> Type {
        while let TypeData::Array { elem, .. } = self.get(ty) {
            ty = elem;
        }
        ty
    }

    /// `ty` with its number types changed by `change`. Structs stay.
    pub fn with_scalars(&mut self, ty: Type, change: &impl Fn(AluType) -> AluType) -> Type {
        self.with_vectors(ty, &|types, scalar, components| types.vector(change(scalar), components))
    }

    /// `ty` with its scalars and vectors, including columns of matrices, changed by `change`. Structs stay; a matrix whose
    /// columns are no longer vectors of floats becomes an array of them, and a changed vector with a layout loses it.
    pub fn with_vectors(&mut self, ty: Type, change: &impl Fn(&mut TypeTable, AluType, u8) -> Type) -> Type {
        match self.get(ty) {
            TypeData::Array { elem, len, stride } => {
                let elem = self.with_vectors(elem, change);
                self.array(elem, len, stride)
            }
            TypeData::Scalar(scalar) => change(self, scalar, 1),
            TypeData::Vector(scalar, components) => change(self, scalar, components),
            TypeData::Strided { scalar, components, .. } => {
                let changed = change(self, scalar, components);
                if self.get(changed) == TypeData::Vector(scalar, components) {
                    ty
                } else {
                    changed
                }
            }
            TypeData::Matrix { scalar, columns, rows } => {
                let column = change(self, scalar, rows);
                match self.get(column) {
                    TypeData::Vector(scalar, rows) if scalar.base == Base::Float => {
                        self.intern(TypeData::Matrix { scalar, columns, rows })
                    }
                    _ => self.array(column, Some(columns.into()), 0),
                }
            }
            _ => ty,
        }
    }

    /// The number of I/O slots (vec4 locations) of a variable of type `ty`. 64-bit vectors of more than two components use two.
    pub fn slots(&self, ty: Type) -> u32 {
        match self.get(ty) {
            TypeData::Array { elem, len, .. } => self.slots(elem).saturating_mul(len.unwrap_or(1)),
            TypeData::Matrix { scalar, columns, rows } => {
                u32::from(columns) * location::locations(location::words(scalar.bits, rows))
            }
            TypeData::Vector(scalar, n @ ..=4) => location::locations(location::words(scalar.bits, n)),
            TypeData::Struct(id) => {
                self.structs[id].fields.iter().fold(0, |slots, field| slots.saturating_add(self.slots(field.ty)))
            }
            _ => 1,
        }
    }

    /// The number of words of the vectors of an input or output of type `ty`; `None` for a struct, whose members may differ.
    pub fn vector_words(&self, ty: Type) -> Option<u32> {
        let (scalar, n) = match self.get(self.without_arrays(ty)) {
            TypeData::Scalar(scalar) => (scalar, 1),
            TypeData::Vector(scalar, n) => (scalar, n),
            TypeData::Matrix { scalar, rows, .. } => (scalar, rows),
            _ => return None,
        };
        Some(location::words(scalar.bits, n))
    }

    /// The number of scalars in `ty`; `None` for types without numbers, without a length, or with too many.
    pub fn num_scalars(&self, ty: Type) -> Option<u32> {
        self.num_scalars_at(ty, 0)
    }

    fn num_scalars_at(&self, ty: Type, depth: u32) -> Option<u32> {
        // GLSL's types are never nested this deeply.
        if depth > 32 {
            return None;
        }
        let count = match self.get(ty) {
            TypeData::Scalar(_) => Some(1),
            TypeData::Vector(_, n) => Some(n.into()),
            TypeData::Matrix { columns, rows, .. } => Some(u32::from(columns) * u32::from(rows)),
            TypeData::Array { elem, len, .. } => self.num_scalars_at(elem, depth + 1)?.checked_mul(len?),
            TypeData::Struct(id) => {
                let fields = self.structs[id].fields.iter();
                fields
                    .map(|field| self.num_scalars_at(field.ty, depth + 1))
                    .try_fold(0u32, |sum, n| sum.checked_add(n?))
            }
            _ => None,
        };
        // An empty element type in a huge array also counts as none, so that no code iterates over it.
        count.filter(|count| *count != 0)
    }

    /// The name of `ty` in a dump: `vec4`, `uint[4]`, `sampler2DShadow`, ...
    pub fn name(&self, ty: Type, strings: &StringTable) -> String {
        match self.get(ty) {
            TypeData::Void => "void".into(),
            TypeData::Scalar(scalar) => scalar_name(scalar).into(),
            TypeData::Vector(scalar, n) => vector_name(scalar, n),
            TypeData::Strided { scalar, components, stride } => {
                format!("{}x{stride}a0B", vector_name(scalar, components))
            }
            TypeData::Matrix { scalar, columns, rows } => {
                let prefix = match scalar.bits {
                    16 => "f16",
                    64 => "d",
                    _ => "",
                };
                if columns == rows {
                    format!("{prefix}mat{columns}")
                } else {
                    format!("{prefix}mat{columns}x{rows}")
                }
            }
            TypeData::Array { elem, len, .. } => {
                // GLSL writes the outermost length first: float[2][3] is two of float[3].
                let len = len.map_or(String::new(), |n| n.to_string());
                let inner = self.name(elem, strings);
                match (self.get(elem), inner.find('[')) {
                    (TypeData::Array { .. }, Some(at)) => format!("{}[{len}]{}", &inner[..at], &inner[at..]),
                    _ => format!("{inner}[{len}]"),
                }
            }
            TypeData::Struct(id) => strings[self.structs[id].name].into(),
            TypeData::Sampler { .. } | TypeData::Texture { .. } | TypeData::Image { .. } | TypeData::AtomicUint => {
                self.opaque_name(ty).concat()
            }
        }
    }

    /// The parts of the name of a texture, sampler or image type; empty for others.
    pub fn opaque_name(&self, ty: Type) -> [&'static str; 5] {
        let shown = |is: bool, text: &'static str| if is { text } else { "" };
        match self.get(ty) {
            TypeData::Sampler { shadow } => ["", "sampler", "", "", shown(shadow, "Shadow")],
            TypeData::Texture { dim, shadow, array, texel, bare } => {
                let kind = if bare { "texture" } else { "sampler" };
                [texel_prefix(texel), kind, dim_name(dim), shown(array, "Array"), shown(shadow, "Shadow")]
            }
            TypeData::Image { dim, array, texel } => {
                [texel_prefix(texel), shown(!dim.is_subpass(), "image"), dim_name(dim), shown(array, "Array"), ""]
            }
            TypeData::AtomicUint => ["", "atomic_uint", "", "", ""],
            _ => [""; 5],
        }
    }

    /// The type with this name in a dump; structs are made by the caller. `None` if it is not a built-in type.
    pub fn from_name(&mut self, name: &str) -> Option<Type> {
        if let Some(at) = name.find('[') {
            let mut ty = self.from_name(&name[..at])?;
            // The innermost length is written last.
            for part in name[at..].strip_suffix(']')?.strip_prefix('[')?.rsplit("][") {
                let len = if part.is_empty() { None } else { Some(part.parse().ok()?) };
                ty = self.array(ty, len, 0);
            }
            return Some(ty);
        }
        if let Some((stem, stride, is_row_major)) = explicit_layout(name) {
            return self.with_layout(builtin_type(stem)?, stride, is_row_major);
        }
        let data = builtin_type(name)?;
        Some(self.intern(data))
    }

    /// A matrix, or a column of one in row-major order, with a layout in a buffer. A matrix is an array of its columns.
    pub(crate) fn with_layout(&mut self, data: TypeData, stride: u32, is_row_major: bool) -> Option<Type> {
        match data {
            TypeData::Vector(..) if stride == 0 => Some(self.intern(data)),
            TypeData::Vector(scalar, components) => Some(self.intern(TypeData::Strided { scalar, components, stride })),
            TypeData::Matrix { scalar, columns, rows: components } if is_row_major => {
                let column = self.intern(TypeData::Strided { scalar, components, stride });
                Some(self.array(column, Some(columns.into()), u32::from(scalar.bits) / 8))
            }
            TypeData::Matrix { scalar, columns, rows } => {
                let column = self.vector(scalar, rows);
                Some(self.array(column, Some(columns.into()), stride))
            }
            _ => None,
        }
    }

    /// Forgets all types, but keeps the memory.
    pub fn clear(&mut self) {
        self.types.clear();
        self.unused.extend(self.structs.drain().map(|mut data| {
            data.fields.clear();
            data.fields
        }));
        self.slots.clear();
        (self.widths, self.has_strided) = (0, false);
    }
}

/// The first slot to search for `data`. The types of a shader differ in few bits, which the hash spreads over many.
#[inline(always)]
fn hash_of(data: TypeData) -> usize {
    let number = |scalar: AluType| u64::from(scalar.bits) | (scalar.base as u64) << 8;
    let bits = match data {
        TypeData::Scalar(scalar) => number(scalar),
        TypeData::Vector(scalar, components) => number(scalar) | u64::from(components) << 16,
        TypeData::Matrix { scalar, columns, rows } => number(scalar) | u64::from(columns) << 16 | u64::from(rows) << 24,
        TypeData::Strided { scalar, components, stride } => {
            1 << 62 | number(scalar) | u64::from(components) << 16 | u64::from(stride) << 24
        }
        TypeData::Array { elem, len, stride } => {
            1 << 63 | (elem.index() as u64) << 40 ^ u64::from(len.unwrap_or(0)) << 16 ^ u64::from(stride)
        }
        TypeData::Texture { dim, texel, .. } | TypeData::Image { dim, texel, .. } => {
            1 << 61 | number(texel) | (dim as u64) << 16
        }
        TypeData::Void | TypeData::Sampler { .. } | TypeData::AtomicUint | TypeData::Struct(_) => 0,
    };
    (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

const SCALARS: &[(AluType, &str, &str)] = &[
    // type, scalar, prefix of vectors
    (AluType::new(Base::Bool, 1), "bool", "bvec"),
    (AluType::new(Base::Float, 32), "float", "vec"),
    (AluType::new(Base::Int, 32), "int", "ivec"),
    (AluType::new(Base::Uint, 32), "uint", "uvec"),
    (AluType::new(Base::Float, 64), "double", "dvec"),
    (AluType::new(Base::Float, 16), "float16_t", "f16vec"),
    (AluType::new(Base::Int, 8), "int8_t", "i8vec"),
    (AluType::new(Base::Uint, 8), "uint8_t", "u8vec"),
    (AluType::new(Base::Int, 16), "int16_t", "i16vec"),
    (AluType::new(Base::Uint, 16), "uint16_t", "u16vec"),
    (AluType::new(Base::Int, 64), "int64_t", "i64vec"),
    (AluType::new(Base::Uint, 64), "uint64_t", "u64vec"),
];

const DIMS: &[(ImageDim, &str)] = &[
    (ImageDim::dim_1d, "1D"),
    (ImageDim::dim_2d, "2D"),
    (ImageDim::dim_3d, "3D"),
    (ImageDim::cube, "Cube"),
    (ImageDim::rect, "2DRect"),
    (ImageDim::buf, "Buffer"),
    (ImageDim::external, "ExternalOES"),
    (ImageDim::ms, "2DMS"),
    (ImageDim::subpass, "subpassInput"),
    (ImageDim::subpass_ms, "subpassInputMS"),
];

fn scalar_name(scalar: AluType) -> &'static str {
    SCALARS.iter().find(|row| row.0 == scalar).map_or("void", |row| row.1)
}

fn vector_name(scalar: AluType, n: u8) -> String {
    let prefix = SCALARS.iter().find(|row| row.0 == scalar).map_or("void", |row| row.2);
    format!("{prefix}{n}")
}

fn texel_prefix(texel: AluType) -> &'static str {
    match (texel.base, texel.bits) {
        (Base::Int, 64) => "i64",
        (Base::Uint, 64) => "u64",
        (Base::Int, _) => "i",
        (Base::Uint, _) => "u",
        (Base::Bool, _) => "v",
        (Base::Float, _) => "",
    }
}

fn dim_name(dim: ImageDim) -> &'static str {
    DIMS.iter().find(|row| row.0 == dim).map_or("", |row| row.1)
}

fn builtin_type(name: &str) -> Option<TypeData> {
    match name {
        "void" => return Some(TypeData::Void),
        "sampler" => return Some(TypeData::Sampler { shadow: false }),
        "samplerShadow" => return Some(TypeData::Sampler { shadow: true }),
        "atomic_uint" => return Some(TypeData::AtomicUint),
        _ => {}
    }
    if let Some(row) = SCALARS.iter().find(|row| row.1 == name) {
        return Some(TypeData::Scalar(row.0));
    }
    vector_type(name).or_else(|| matrix_type(name)).or_else(|| opaque_type(name))
}

/// The parts of the name of a type with a layout in a buffer, as in `mat4x16a0B`: the type without it, the stride of its columns,
/// or of its rows with `RM` at the end. The alignment after `a` is of no use: offsets have it.
fn explicit_layout(name: &str) -> Option<(&str, u32, bool)> {
    let (name, is_row_major) = name.strip_suffix("RM").map_or((name, false), |name| (name, true));
    let (stem, layout) = name.strip_suffix('B')?.rsplit_once('x')?;
    let (stride, alignment) = layout.split_once('a')?;
    alignment.parse::<u32>().ok()?;
    Some((stem, stride.parse().ok()?, is_row_major))
}

fn vector_type(name: &str) -> Option<TypeData> {
    SCALARS.iter().find_map(|(scalar, _, prefix)| {
        let n: u8 = name.strip_prefix(prefix)?.parse().ok()?;
        matches!(n, 2..=5 | 8 | 16).then_some(TypeData::Vector(*scalar, n))
    })
}

fn matrix_type(name: &str) -> Option<TypeData> {
    let (bits, size) = [("f16mat", 16), ("dmat", 64), ("mat", 32)]
        .iter()
        .find_map(|(prefix, bits)| name.strip_prefix(prefix).map(|size| (*bits, size)))?;
    let (columns, rows) = size.split_once('x').unwrap_or((size, size));
    let (columns, rows): (u8, u8) = (columns.parse().ok()?, rows.parse().ok()?);
    let valid = (2..=4).contains(&columns) && (2..=4).contains(&rows);
    valid.then_some(TypeData::Matrix { scalar: AluType::new(Base::Float, bits), columns, rows })
}

fn opaque_type(name: &str) -> Option<TypeData> {
    // The longest prefix first, so that "i64image2D" is not read as an `i` one.
    const TEXELS: &[(&str, AluType)] = &[
        ("i64", AluType::new(Base::Int, 64)),
        ("u64", AluType::new(Base::Uint, 64)),
        ("i", AluType::new(Base::Int, 32)),
        ("u", AluType::new(Base::Uint, 32)),
        ("v", AluType::new(Base::Bool, 1)),
        ("", AluType::new(Base::Float, 32)),
    ];
    TEXELS.iter().find_map(|(prefix, texel)| {
        let rest = name.strip_prefix(prefix)?;
        let kinds = [("sampler", false), ("texture", true)];
        let texture = kinds.iter().find_map(|(kind, bare)| {
            let rest = rest.strip_prefix(kind)?;
            let (rest, shadow) = rest.strip_suffix("Shadow").map_or((rest, false), |rest| (rest, true));
            let (dim, array) = parse_dim(rest)?;
            Some(TypeData::Texture { dim, shadow, array, texel: *texel, bare: *bare })
        });
        texture.or_else(|| {
            let is_subpass = rest.starts_with("subpassInput");
            let (dim, array) = parse_dim(if is_subpass { rest } else { rest.strip_prefix("image")? })?;
            (dim.is_subpass() == is_subpass).then_some(TypeData::Image { dim, array, texel: *texel })
        })
    })
}

fn parse_dim(text: &str) -> Option<(ImageDim, bool)> {
    let (dim, array) = text.strip_suffix("Array").map_or((text, false), |dim| (dim, true));
    DIMS.iter().find(|row| row.1 == dim).map(|row| (row.0, array))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let mut types = TypeTable::default();
        let strings = StringTable::default();
        for name in [
            "float",
            "vec4",
            "i8vec16",
            "mat2",
            "dmat3x2",
            "uint[4]",
            "uint[]",
            "vec4[2][3]",
            "sampler2DArrayShadow",
            "usamplerBuffer",
            "image2DMSArray",
            "i64image3D",
            "usubpassInputMS",
            "isampler2DRect",
            "texture2D",
            "samplerCubeArray",
            "bvec3",
        ] {
            let ty = types.from_name(name).unwrap_or_else(|| panic!("{name} is a type"));
            assert_eq!(types.name(ty, &strings), name);
        }
    }

    #[test]
    fn arrays_of_nothing_have_no_scalars() {
        let mut types = TypeTable::default();
        let name = StringTable::default().add("nothing");
        let nothing = types.new_struct(name, &[]);
        let many = types.array(nothing, Some(u32::MAX), 0);
        assert_eq!(types.num_scalars(many), None);
    }

    #[test]
    fn outermost_length_comes_first() {
        let mut types = TypeTable::default();
        let ty = types.from_name("float[2][3]").unwrap();
        let (elem, len) = types.as_array(ty).unwrap();
        assert_eq!(len, Some(2));
        assert_eq!(types.as_array(elem).unwrap().1, Some(3));
    }
}
