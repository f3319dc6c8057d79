// SPDX-License-Identifier: MIT

//! Modules with tables: a handle is an `Arc` of one, so that Rust programs share it with the caller.

use crate::bindings::*;
use crate::entry::{Call, Failure};
use crate::reflection::{empty, fill, hand_over};
use crate::sized::{read, read_all, write_all};
use crate::translate::{slice, translate, CallOptions, LockedTranslator};
use ntv_core::ir::Capture;
use ntv_core::link::link;
use ntv_core::module::{Assignment, ShaderStage};
use ntv_core::variant::{keys_of_stages, likely_keys, NumberedModule, Program};
use ntv_core::{Key, Module};
use std::ptr::null_mut;
use std::sync::Arc;

/// The type that a handle points to.
type Handle = Arc<Module>;

fn handle(module: Module) -> *mut ntvr_module {
    Box::into_raw(Box::<Handle>::new(Arc::new(module))).cast()
}

fn key(key: &ntvr_key) -> Result<Key, Failure> {
    match key.reserved {
        0 => Ok(Key { bits: key.bits, size: key.size, uniforms: key.uniforms, swizzles: key.swizzles }),
        other => Err(Failure::argument(format!("reserved of the key is {other}"))),
    }
}

fn key_for_c(key: Key) -> ntvr_key {
    let Key { bits, size, uniforms, swizzles } = key;
    ntvr_key { struct_size: 0, reserved: 0, bits, size, uniforms, swizzles }
}

/// The module of a handle.
///
/// # Safety
/// `module` is null or a module.
unsafe fn module<'m>(module: *const ntvr_module) -> Result<&'m Handle, Failure> {
    // SAFETY: by the contract.
    unsafe { module.cast::<Handle>().as_ref() }.ok_or_else(|| Failure::argument("module is NULL"))
}

/// The modules of handles.
///
/// # Safety
/// `stages` is null or points to `len` handles, each null or a module.
unsafe fn modules<'m>(
    stages: *const *const ntvr_module,
    len: usize,
) -> Result<impl Iterator<Item = &'m Handle> + Clone + 'm, Failure> {
    // SAFETY: null or as documented, by the contract.
    let handles: &'m [*const ntvr_module] = unsafe { rows(stages, len, "stages") }?;
    // SAFETY: each is null or a module by the contract.
    let modules = handles.iter().map(|handle| unsafe { module(*handle) });
    modules.clone().try_for_each(|module| module.map(|_| ()))?;
    Ok(modules.flatten())
}

/// `len` rows of a caller's table, which may be null if there are none.
///
/// # Safety
/// `first` is null or points to `len` rows.
pub(crate) unsafe fn rows<'r, T>(first: *const T, len: usize, name: &str) -> Result<&'r [T], Failure> {
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: by the contract.
    unsafe { slice(first, len) }.ok_or_else(|| Failure::argument(format!("{name} is NULL, or has too many rows")))
}

/// `ntvr_module_create`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_module.h` documents; `wire` to `num_words` words.
pub(crate) unsafe fn create(
    call: &Call,
    translator: *mut ntvr_translator,
    target: *const ntvr_target,
    wire: *const u32,
    num_words: usize,
    offer: u64,
    made: *mut *mut ntvr_module,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (translator, target, words) =
        unsafe { (translator.cast::<LockedTranslator>().as_ref(), read(target)?, slice(wire, num_words)) };
    // SAFETY: null or a pointer, by the contract.
    let made = unsafe { place(made) }?;
    // SAFETY: the options point to the data that the header documents, by the contract.
    let options = unsafe { CallOptions::read(call) }?;
    translate(translator, target.as_ref(), (words, options), call.flags, Some(offer), |done| {
        let filled = hand_over(&[], &done.module, None, done.workgroup_size, call)?;
        // A copy has no room for more, and the next translation writes to the same memory.
        *made = handle(done.module.clone());
        Ok(filled)
    })
}

/// The caller's pointer to the new module; it is set to null first.
///
/// # Safety
/// `made` is null or points to a pointer.
unsafe fn place<'p>(made: *mut *mut ntvr_module) -> Result<&'p mut *mut ntvr_module, Failure> {
    if made.is_null() {
        return Err(Failure::argument("module is NULL"));
    }
    // SAFETY: it is not null, so it points to a pointer by the contract, which need not be initialized.
    unsafe {
        made.write(null_mut());
        Ok(&mut *made)
    }
}

/// `ntvr_module_load`.
///
/// # Safety
/// `words` is null or points to `num_words` words, `made` is null or points to a pointer.
pub(crate) unsafe fn load(
    _: &Call,
    words: *const u32,
    num_words: usize,
    made: *mut *mut ntvr_module,
) -> Result<ntvr_result, Failure> {
    // SAFETY: by the contract.
    let (words, made) = unsafe { (slice(words, num_words), place(made)?) };
    let words = words.ok_or_else(|| Failure::argument("words is NULL"))?;
    let is_spirv = words.first() == Some(&SPIRV_MAGIC);
    *made = handle(if is_spirv { ntv_core::import::import(words)? } else { Module::from_words(words)? });
    Ok(empty())
}

/// The first word of SPIR-V.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// `ntvr_module_store`.
///
/// # Safety
/// `stored` is null or a module.
pub(crate) unsafe fn store(call: &Call, stored: *const ntvr_module) -> Result<ntvr_result, Failure> {
    // SAFETY: by the contract.
    let module = unsafe { module(stored) }?;
    hand_over(&module.to_words(), module, None, [0; 3], call)
}

/// `ntvr_module_instantiate`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_module.h` documents.
pub(crate) unsafe fn instantiate(
    call: &Call,
    of: *const ntvr_module,
    key_of_draw: *const ntvr_key,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (module, wanted) = unsafe { (module(of)?, read(key_of_draw)?) };
    let wanted = wanted.as_ref().map_or(Ok(Key::default()), key)?;
    let variant = module.variant(&wanted)?;
    let words = call.allocator.write(variant)?;
    fill(ntvr_result { words, num_words: variant.num_words(), ..empty() }, module, Some(&wanted), call)
}

/// `ntvr_module_destroy`.
///
/// # Safety
/// `module` is null or a module that is not used any more.
pub(crate) unsafe fn destroy(module: *mut ntvr_module) {
    if !module.is_null() {
        // SAFETY: `handle` made it, by the contract.
        drop(unsafe { Box::from_raw(module.cast::<Handle>()) });
    }
}

/// The decisions of `info` about a module.
///
/// # Safety
/// Its pointers are null or point to the given numbers of records.
unsafe fn assignment(info: &ntvr_link_info) -> Result<Assignment, Failure> {
    // SAFETY: null or as said, by the contract.
    let numbers = |first: *const ntvr_varying_number, len, name: &str| unsafe {
        rows(first, len, name).map(|rows| rows.iter().map(|it| (it.varying, it.number)).collect::<Vec<_>>())
    };
    // SAFETY: the same.
    let (moves, spec_ids, spec_values, captures) = unsafe {
        (
            rows(info.moves, info.num_moves, "moves")?,
            rows(info.spec_ids, info.num_spec_ids, "spec_ids")?,
            rows(info.spec_values, info.num_spec_values, "spec_values")?,
            rows(info.captures, info.num_captures, "captures")?,
        )
    };
    let resized = moves.iter().filter(|it| it.new_count != 0);
    let capture = |it: &ntvr_capture| Capture { buffer: it.buffer, stride: it.stride, offset: it.offset };
    Ok(Assignment {
        locations: numbers(info.locations, info.num_locations, "locations")?,
        components: numbers(info.components, info.num_components, "components")?,
        indices: numbers(info.indices, info.num_indices, "indices")?,
        captures: captures.iter().map(|it| (it.varying, capture(it))).collect(),
        bindings: moves.iter().map(|it| ([it.set, it.binding], [it.new_set, it.new_binding])).collect(),
        lengths: resized.map(|it| ([it.set, it.binding], it.new_count)).collect(),
        spec_ids: spec_ids.iter().map(|it| (it.id, it.new_id)).collect(),
        spec_values: spec_values.iter().map(|it| (it.id, it.value)).collect(),
        local_size: Some(info.workgroup_size).filter(|size| *size != [0; 3]),
        output_vertices: Some(info.patch_vertices).filter(|vertices| *vertices != 0),
    })
}

/// `ntvr_link`.
///
/// # Safety
/// `stages` and `linked` are null or point to `len` modules and pointers, `infos` is null or points to `len` structures as in
/// `ntvr_module.h`.
pub(crate) unsafe fn link_stages(
    _: &Call,
    stages: *const *const ntvr_module,
    len: usize,
    infos: *const ntvr_link_info,
    linked: *mut *mut ntvr_module,
) -> Result<ntvr_result, Failure> {
    if linked.is_null() {
        return Err(Failure::argument("linked is NULL"));
    }
    for stage in 0..len {
        // SAFETY: there is space for `len` pointers, by the contract.
        unsafe { linked.add(stage).write(null_mut()) };
    }
    // SAFETY: by the contract.
    let modules = unsafe { modules(stages, len) }?;
    // SAFETY: the same.
    let infos = unsafe { read_all(infos, len) }?;
    // SAFETY: the same.
    let assignments = infos.iter().map(|info| unsafe { assignment(info) }).collect::<Result<_, Failure>>()?;
    let stages: Vec<&Module> = modules.map(|module| &**module).collect();
    for (stage, module) in link(&stages, assignments)?.modules.into_iter().enumerate() {
        // SAFETY: there is space for `len` pointers, by the contract.
        unsafe { linked.add(stage).write(handle(module)) };
    }
    Ok(empty())
}

/// A program of handles.
///
/// # Safety
/// The caller guarantees what [`modules`] requires.
unsafe fn program(stages: *const *const ntvr_module, len: usize) -> Result<Program, Failure> {
    // SAFETY: by the contract.
    let modules = unsafe { modules(stages, len) }?;
    let shaders = (0..).zip(modules).map(|(id, module)| NumberedModule { id, module: module.clone() });
    Ok(Program::new(shaders.collect())?)
}

/// `ntvr_program_keys`.
///
/// # Safety
/// `stages` and `keys` are null or point to `len` modules and keys, `key_of_draw` is null or points to a key.
pub(crate) unsafe fn program_keys(
    _: &Call,
    stages: *const *const ntvr_module,
    len: usize,
    key_of_draw: *const ntvr_key,
    keys: *mut ntvr_key,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (modules, wanted) = unsafe { (modules(stages, len)?.map(|module| &**module), read(key_of_draw)?) };
    ShaderStage::check_order(modules.clone().map(|module| module.stage))?;
    let (Some(wanted), false) = (wanted, keys.is_null()) else {
        return Err(Failure::argument("key or keys is NULL"));
    };
    let parts = keys_of_stages(modules, key(&wanted)?)?.map(key_for_c);
    // SAFETY: there is space for a key for each stage, by the contract.
    unsafe { write_all(keys, parts, key_of_draw) }?;
    Ok(empty())
}

/// `ntvr_likely_keys`.
///
/// # Safety
/// `stages` is null or points to `len` modules, `keys` to room for `most` keys, `always` to a key.
pub(crate) unsafe fn likely(
    stages: *const *const ntvr_module,
    len: usize,
    always: *const ntvr_key,
    keys: *mut ntvr_key,
    most: usize,
) -> usize {
    // SAFETY: null or as said, by the contract.
    let (program, wanted) = unsafe { (program(stages, len), read(always)) };
    let (Ok(program), Ok(Some(wanted)), false) = (program, wanted, keys.is_null()) else { return 0 };
    let Ok(wanted) = key(&wanted) else { return 0 };
    let likely = likely_keys(&program, wanted, most);
    // SAFETY: there is space for `most` keys, by the contract, and there are at most `most`.
    unsafe { write_all(keys, likely.into_iter().map(key_for_c), always) }.unwrap_or(0)
}
