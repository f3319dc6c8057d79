// SPDX-License-Identifier: MIT

//! Which operation a symbol is: the names are those of [`crate::world`] and of NIR.

use super::operation::Operation;
use ntv::ir::{Shader, TypeData};
use ntv::op::meaning::IntrinsicForm;
use ntv::op::names::ImageDim;
use ntv::op::{Intrinsic, Modes};
use ntv::target::Descriptor as Kind;
use ntv::Target;
use ntv_gen::Stimulus;
use ntv_interp::{Descriptor, Image, Texture};
use rustc_hash::FxHashSet;

/// Where the textures and images of a shader are.
#[derive(Debug)]
pub(super) struct Places {
    declared: FxHashSet<(u32, u32)>,
}

impl Places {
    pub(super) fn new(shader: &Shader, target: &Target) -> Places {
        let opaque = |variable: &ntv::ir::Variable| {
            let kind = match shader.types.get(shader.types.without_arrays(variable.ty)) {
                TypeData::Image { .. } => Kind::Image,
                TypeData::Texture { .. } | TypeData::Sampler { .. } => Kind::Texture,
                _ => return None,
            };
            Some((variable.descriptor_set.unwrap_or_else(|| target.descriptor_set(kind)), variable.binding))
        };
        let variables = shader.vars.values().filter(|it| it.mode.intersects(Modes::UNIFORM | Modes::IMAGE));
        Places { declared: variables.filter_map(opaque).collect() }
    }

    /// The descriptor at a set and binding, with the element of its array, if the shader declares it.
    fn descriptor(&self, (set, binding): (u32, u32), element: u32) -> Option<Descriptor> {
        self.declared.contains(&(set, binding)).then(|| Descriptor::Binding(binding + element))
    }

    /// Whether a symbol reads a texture that the shader does not declare: it holds anything.
    pub(super) fn is_foreign(&self, name: &str) -> bool {
        let Some((_, rest)) = name.split_once(" of ") else { return false };
        rest.split(' ').filter_map(place_of).any(|place| !self.declared.contains(&place))
    }

    /// The image whose first state has this name: `image 4.1[0]`.
    pub(super) fn image(&self, name: &str) -> Option<Descriptor> {
        let (place, element) = name.strip_prefix("image ")?.strip_suffix(']')?.split_once('[')?;
        self.descriptor(place_of(place)?, element.parse().ok()?)
    }
}

/// The set and the binding in `4.1`.
fn place_of(text: &str) -> Option<(u32, u32)> {
    let (set, binding) = text.split_once('.')?;
    Some((set.parse().ok()?, binding.parse().ok()?))
}

/// The operation that a symbol without a state is; `None` if it is none.
pub(super) fn operation(
    name: &str,
    width: u8,
    widths: &[u8],
    places: &Places,
    stimulus: &Stimulus,
) -> Option<Operation> {
    match name.contains(" of ") {
        true => on_texture(name, width, widths, places, stimulus),
        false => on_group(name, width, widths),
    }
}

/// A derivative, or an operation of a subgroup, whose last operand is whether an invocation takes part.
fn on_group(name: &str, width: u8, widths: &[u8]) -> Option<Operation> {
    let (mut operation, args) = Operation::new(widths);
    let (words, component) = match name.split_once(": component ") {
        Some((words, component)) => (words, component.parse().ok()?),
        None => (name, 0),
    };
    let mut words = words.split(' ');
    let op = Intrinsic::from_name(words.next()?)?;
    let is_derivative = matches!(op.info().form, IntrinsicForm::Derivative(_));
    let (path, srcs) =
        if is_derivative { (None, &args[..]) } else { args.split_last().map(|it| (Some(*it.0), it.1))? };
    operation.condition = path;
    let indices = match op.info().form {
        IntrinsicForm::Reduction(_) => {
            let reduction = words.next()?;
            let cluster = words.nth(1).unwrap_or("0");
            match op {
                Intrinsic::reduce => format!(" (reduction_op={reduction}, cluster_size={cluster})"),
                _ => format!(" (reduction_op={reduction})"),
            }
        }
        IntrinsicForm::Derivative(_)
        | IntrinsicForm::Vote(..)
        | IntrinsicForm::Move(..)
        | IntrinsicForm::QuadSwap(_)
        | IntrinsicForm::BallotQuery(..) => String::new(),
        _ if matches!(op, Intrinsic::ballot | Intrinsic::elect) => String::new(),
        _ => return None,
    };
    // A vote has all components at once, and the ballot of a query has four words.
    let first = match op.info().form {
        IntrinsicForm::Vote(..) => srcs.len(),
        IntrinsicForm::BallotQuery(..) => 4,
        _ => srcs.len().min(1),
    };
    let (first, rest) = srcs.split_at_checked(first)?;
    let mut operands = Vec::new();
    if !first.is_empty() {
        let vector = operation.vector(widths[0], first);
        operands.push(format!("%{vector}"));
    }
    operands.extend(rest.iter().map(|def| format!("%{def}")));
    let operands = if operands.is_empty() { String::new() } else { format!(" ({})", operands.join(", ")) };
    let components = if op == Intrinsic::ballot { 4 } else { 1 };
    let result = operation.add(width, components, &format!("@{}{operands}{indices}", op.name()));
    finish(&mut operation, (result, width), component, components);
    Some(operation)
}

/// Makes a component the result.
fn finish(operation: &mut Operation, (result, width): (usize, u8), component: usize, components: usize) {
    let result = match components {
        1 => result,
        _ => operation.add(width, 1, &format!("mov %{result}.{}", ["x", "y", "z", "w"][component.min(3)])),
    };
    operation.result = Some((result, width));
}

/// The name of a type for a shape, as GLSL has it.
fn type_name(kind: &str, shape: &str, is_compared: bool) -> Option<String> {
    let mut words = shape.split(' ');
    let dim = match words.next()? {
        dim @ ("1D" | "2D" | "3D" | "Cube" | "Buffer") => dim,
        _ => return None,
    };
    let has = |word: &str| shape.split(' ').any(|it| it == word);
    let part = |is: bool, text: &'static str| if is { text } else { "" };
    Some([kind, dim, part(has("ms"), "MS"), part(has("array"), "Array"), part(is_compared, "Shadow")].concat())
}

/// The number of components of a coordinate without the layer.
fn dimensions(shape: &str) -> usize {
    match shape.split(' ').next() {
        Some("1D" | "Buffer") => 1,
        Some("3D" | "Cube") => 3,
        _ => 2,
    }
}

/// A texture operation: see [`crate::world::Texel`].
fn on_texture(name: &str, width: u8, widths: &[u8], places: &Places, stimulus: &Stimulus) -> Option<Operation> {
    let (name, component) = name.split_once(": component ")?;
    let component: usize = component.parse().ok()?;
    let (what, rest) = name.split_once(" of ")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let first = words.iter().position(|word| place_of(word).is_some())?;
    let (shape, rest) = (words[..first].join(" "), &words[first..]);
    let count = rest.iter().take_while(|word| place_of(word).is_some()).count();
    let (bindings, names) = rest.split_at(count);
    let is_array = shape.contains("array");
    let size = |operand: &&str| match *operand {
        "coord" => dimensions(&shape) + usize::from(is_array && what != "query lod"),
        "offset" | "ddx" | "ddy" => dimensions(&shape),
        _ => 1,
    };
    let needed: usize = names.iter().map(size).sum();
    let (mut operation, args) = Operation::new(widths);
    let (elements, mut args) = args.split_at_checked(args.len().checked_sub(needed)?)?;
    if elements.len() > count {
        return None;
    }
    if elements.len() < count && !elements.is_empty() {
        return None;
    }
    let is_compared = names.contains(&"comparator");
    let descriptor = |i: usize| places.descriptor(place_of(bindings[i])?, 0);
    let texture = stimulus.textures.textures.get(&descriptor(0)?);
    operation.resources.textures.clone_from(&stimulus.textures.textures);
    operation.resources.samplers.clone_from(&stimulus.textures.samplers);
    let mut derefs = Vec::new();
    for (i, binding) in bindings.iter().enumerate() {
        let kind = if i == 0 { type_name("sampler", &shape, is_compared)? } else { "sampler".to_owned() };
        let (_, binding) = place_of(binding)?;
        derefs.push(declare(&mut operation, (i, "uniform", &kind), binding, elements.get(i).copied()));
    }
    let mut operands = vec![format!("%{} (texture_deref)", derefs[0])];
    if !what.starts_with("query") && what != "fetch" || what == "query lod" {
        operands.push(format!("%{} (sampler_deref)", derefs.last()?));
    }
    for operand in names {
        let (parts, rest) = args.split_at_checked(size(operand))?;
        args = rest;
        let vector = operation.vector(32, parts);
        operands.push(format!("%{vector} ({operand})"));
    }
    let (op, components, ty) = tex_op(what, names, (&shape, is_compared), texture)?;
    if let Some(component) = what.strip_prefix("gather ") {
        operands.push(format!("{component} (gather_component)"));
    }
    let result = operation.add(32, components, &format!("({ty}32){op} {}", operands.join(", ")));
    finish(&mut operation, (result, width.max(32)), component, components);
    Some(operation)
}

/// The opcode of a texture instruction, the number of components of its result, and their type.
fn tex_op(
    what: &str,
    names: &[&str],
    (shape, is_compared): (&str, bool),
    texture: Option<&Texture>,
) -> Option<(&'static str, usize, &'static str)> {
    let has = |name: &str| names.contains(&name);
    let extents = if shape.starts_with("Cube") { 2 } else { dimensions(shape) };
    let texels = if is_compared { 1 } else { 4 };
    texture?;
    Some(match what {
        "sample" if has("ddx") => ("txd", texels, "float"),
        "sample" if has("lod") => ("txl", texels, "float"),
        "sample" if has("bias") => ("txb", texels, "float"),
        "sample" => ("tex", texels, "float"),
        "fetch" if has("ms_index") => ("txf_ms", 4, "float"),
        "fetch" => ("txf", 4, "float"),
        "query size" => ("txs", extents + usize::from(shape.contains("array")), "uint"),
        "query levels" => ("query_levels", 1, "uint"),
        "query samples" => ("texture_samples", 1, "uint"),
        "query lod" => ("lod", 2, "float"),
        _ if what.starts_with("gather ") => ("tg4", 4, "float"),
        _ => return None,
    })
}

/// Declares a variable at a binding: the deref of it, or of an element of the array that it is.
fn declare(
    operation: &mut Operation,
    (i, mode, kind): (usize, &str, &str),
    binding: u32,
    element: Option<usize>,
) -> usize {
    let length = if element.is_some() { "[64]" } else { "" };
    let format = if mode == "image" { "r32_uint " } else { "" };
    operation.declarations +=
        &format!("decl_var {mode} INTERP_MODE_NONE none {format}{kind}{length} v{i} (0, {binding}, {binding})\n");
    let whole = operation.add(32, 1, &format!("deref_var &v{i} ({mode} {kind}{length})"));
    match element {
        None => whole,
        Some(element) => operation.add(32, 1, &format!("deref_array &(*%{whole})[%{element}] ({mode} {kind})")),
    }
}

/// An operation on a storage image: a load, a store, or an atomic one.
pub(super) fn on_image(
    name: &str,
    width: u8,
    widths: &[u8],
    (descriptor, image): (Descriptor, &Image),
) -> Option<Operation> {
    let Descriptor::Binding(binding) = descriptor else { return None };
    let (mut operation, args) = Operation::new(widths);
    let rest = name.strip_prefix("after ").unwrap_or(name).strip_prefix("image ")?;
    let (what, rest) = rest.split_once(' ')?;
    let (atomic, shape) = if what == "atomic" { rest.split_once(' ')? } else { ("", rest) };
    let (shape, component) = match shape.rsplit_once(" c") {
        Some((shape, component)) if what == "load" => (shape, component.parse().ok()?),
        _ => (shape, 0),
    };
    let kind = type_name("image", shape, false)?;
    let deref = declare(&mut operation, (0, "image", &kind), binding, None);
    let is_array = shape.contains("array");
    let count = dimensions(shape) + usize::from(is_array && image.dim != ImageDim::cube);
    let (place, mut rest) = args.split_at_checked(count)?;
    let mut place = place.to_vec();
    place.resize(4, 0);
    let place = operation.vector(32, &place);
    let sample = match (shape.contains("ms"), rest) {
        (true, [sample, after @ ..]) => {
            rest = after;
            *sample
        }
        _ => 0,
    };
    let dim = image.dim.name();
    let indices = format!("image_dim={dim}, image_array={is_array}, format=r32_uint, access=none");
    let at = format!("%{deref}, %{place}, %{sample}");
    match what {
        "load" => {
            let result = operation.add(32, 4, &format!("@image_deref_load ({at}, %0) ({indices}, dest_type=uint32)"));
            finish(&mut operation, (result, 32), component, 4);
        }
        "store" => {
            let texel = operation.vector(32, rest);
            operation.add_effect(&format!("@image_deref_store ({at}, %{texel}, %0) ({indices}, src_type=uint32)"));
        }
        "atomic" => {
            let swap = if rest.len() > 1 { "_swap" } else { "" };
            let operands: Vec<String> = rest.iter().map(|def| format!(", %{def}")).collect();
            let instruction =
                format!("@image_deref_atomic{swap} ({at}{}) ({indices}, atomic_op={atomic})", operands.concat());
            let result = operation.add(32, 1, &instruction);
            finish(&mut operation, (result, 32), 0, 1);
        }
        _ => return None,
    }
    (width <= 32).then_some(operation)
}
