// SPDX-License-Identifier: MIT

//! The names that NIR has for what the words of a module have without names: variables, and members of blocks.

use super::{Block, Member, Reflection, Resource};
use ntv::analysis::block_table::descriptor_of;
use ntv::ir::{Shader, Type, TypeData, Variable};
use ntv::op::Modes;
use ntv::Options;

/// The bytes of the unit in which NIR for zink counts loose uniforms.
const UNIFORM_UNIT: u32 = 4;

/// Replaces the names of `reflection` with those of the shader that was read, and was then lowered with `options`.
pub(super) fn name(reflection: &mut Reflection, read: &Shader, lowered: &Shader, options: &Options) {
    for resource in &mut reflection.resources {
        let own = lowered.vars.values().find(|variable| is_at(variable, resource, options));
        let Some(own) = own else { continue };
        match &mut resource.block {
            Some(block) => resource.name = name_block(block, read, own, &resource.name),
            None => {
                let same = |it: &&Variable| it.mode == own.mode && it.binding == own.binding && is_opaque(read, it.ty);
                if let Some(variable) = read.vars.values().find(same) {
                    resource.name = read.strings[variable.name].to_string();
                }
            }
        }
    }
}

/// Whether a variable of the lowered shader has the descriptors of a resource.
fn is_at(variable: &Variable, resource: &Resource, options: &Options) -> bool {
    let modes = match resource.kind {
        "uniform buffer" => Modes::UBO,
        "storage buffer" => Modes::SSBO | Modes::UBO,
        _ => Modes::UNIFORM | Modes::IMAGE,
    };
    if !variable.mode.intersects(modes) {
        return false;
    }
    let set = variable.descriptor_set.unwrap_or_else(|| options.target.descriptor_set(descriptor_of(variable)));
    (set, variable.binding) == (resource.set, resource.binding)
}

/// Whether a type is that of textures, samplers or images.
fn is_opaque(shader: &Shader, ty: Type) -> bool {
    let element = shader.types.get(shader.types.without_arrays(ty));
    matches!(element, TypeData::Sampler { .. } | TypeData::Texture { .. } | TypeData::Image { .. })
}

/// Gives a block the members that it has in `read`, and returns its name. `own` is its variable after lowering.
fn name_block(block: &mut Block, read: &Shader, own: &Variable, known: &str) -> String {
    // What ntv reads it as, an array of vectors, says nothing.
    block.members.clear();
    if own.mode == Modes::UBO && own.driver_location == 0 && has_default_block(read) {
        let loose = read.vars.values().filter(|it| it.mode == Modes::UNIFORM && !is_opaque(read, it.ty));
        let offset = |it: &Variable| it.driver_location.saturating_mul(UNIFORM_UNIT);
        block.replace(loose.map(|it| (offset(it), member(read, it, Some(offset(it))))).collect());
        return "uniforms".into();
    }
    let same = |it: &&Variable| it.mode == own.mode && it.driver_location == own.driver_location;
    let own_variables: Vec<&Variable> = read.vars.values().filter(same).collect();
    if let [variable] = own_variables[..] {
        if let Some(found) = read.types.as_struct(read.types.without_arrays(variable.ty)) {
            let fields = found.fields.iter().map(|field| Member {
                name: read.strings[field.name].to_string(),
                ty: read.types.name(field.ty, &read.strings),
                offset: field.offset,
                bytes: bytes(read, field.ty),
            });
            block.replace((0..).zip(fields).collect());
            return format!("{} {}", read.types.name(variable.ty, &read.strings), &read.strings[variable.name]);
        }
    }
    // A variable of each member, with the number of the member.
    let members = own_variables.iter().map(|it| (it.location.unwrap_or(0), member(read, it, None)));
    block.replace(members.collect());
    known.to_string()
}

/// Whether block 0 has the loose uniforms. NIR before 23 only has the name that Mesa gives the block.
fn has_default_block(shader: &Shader) -> bool {
    let is_default = |it: &Variable| {
        it.mode == Modes::UBO && it.driver_location == 0 && shader.strings[it.name].starts_with("uniform_0")
    };
    shader.info.first_ubo_is_default_ubo || shader.vars.values().any(is_default)
}

fn member(shader: &Shader, variable: &Variable, offset: Option<u32>) -> Member {
    let (name, ty) = (shader.strings[variable.name].to_string(), shader.types.name(variable.ty, &shader.strings));
    Member { name, ty, offset, bytes: bytes(shader, variable.ty) }
}

/// The bytes of the numbers that a type is made of.
fn bytes(shader: &Shader, ty: Type) -> u32 {
    let of_scalar = shader.types.scalar_of(ty).map_or(4, |scalar| u32::from(scalar.bits.max(8)) / 8);
    shader.types.num_scalars(ty).unwrap_or(0).saturating_mul(of_scalar)
}

impl Block {
    /// Gives it members, in the order of their numbers.
    fn replace(&mut self, mut members: Vec<(u32, Member)>) {
        members.sort_by_key(|row| row.0);
        self.members = members.into_iter().map(|row| row.1).collect();
    }
}
