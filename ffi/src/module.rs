//! Modules with tables: a handle is an `Arc` of one, so that programs of this side share it with the caller.

use crate::bindings::*;
use crate::memory::Allocator;
use crate::translate::{answer, hand_over, message, slice, translate, Context, Failure};
use ntv_core::link::link;
use ntv_core::module::Assignment;
use ntv_core::variant::{likely_keys, Program, Shader};
use ntv_core::{Key, Module};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::sync::Arc;

/// What is behind a handle.
type Handle = Arc<Module>;

fn handle(module: Module) -> *mut ntv_module {
    Box::into_raw(Box::<Handle>::new(Arc::new(module))).cast()
}

/// Does `work`, whose panics are errors.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        Err(Failure { status: NTV_ERROR_INTERNAL, message: format!("ntv panicked: {}", message(&*panic)) })
    })
}

fn key(key: &ntv_key) -> Key {
    Key { bits: key.bits, size: key.size }
}

fn key_for_c(key: Key) -> ntv_key {
    ntv_key { bits: key.bits, size: key.size }
}

/// The modules behind handles; `None` if one is null.
///
/// # Safety
/// `stages` is null or points to `len` handles, each null or a module.
unsafe fn modules(stages: *const *const ntv_module, len: usize) -> Option<Vec<Handle>> {
    // SAFETY: null or as said, by the contract.
    let handles = unsafe { slice(stages, len) }?;
    // SAFETY: each is null or a module by the contract.
    handles.iter().map(|handle| unsafe { handle.cast::<Handle>().as_ref() }.cloned()).collect()
}

/// See `ntv.h`.
///
/// # Safety
/// Pointers are null or point to what `ntv.h` says; `wire` to `num_words` words.
#[no_mangle]
pub unsafe extern "C" fn ntv_module_create(
    context: *mut ntv_context,
    target: *const ntv_target,
    wire: *const u32,
    num_words: usize,
    options: *const ntv_options,
    offer: u64,
    module: *mut *mut ntv_module,
    result: *mut ntv_result,
) -> ntv_status {
    if module.is_null() || result.is_null() {
        return NTV_ERROR_ARGUMENT;
    }
    // SAFETY: null or as said, by the contract.
    let (context, target, options) = unsafe { (context.cast::<Context>().as_ref(), target.as_ref(), options.as_ref()) };
    // SAFETY: null or `num_words` words, by the contract.
    let words = unsafe { slice(wire, num_words) };
    let allocator = Allocator::of(options);
    let flags = options.map_or(0, |options| options.flags);
    let mut made = null_mut();
    let outcome = translate(context, target, words, flags, Some(offer), |done| {
        let filled = hand_over(&[], &done.module, None, done.workgroup_size, flags, &allocator)?;
        made = handle(std::mem::take(&mut done.module));
        Ok(filled)
    });
    // SAFETY: neither is null, so they point to what they should, by the contract.
    unsafe {
        module.write(made);
        answer(result, outcome, &allocator)
    }
}

/// See `ntv.h`.
///
/// # Safety
/// `words` is null or points to `num_words` words, `module` is null or points to a pointer.
#[no_mangle]
pub unsafe extern "C" fn ntv_module_load(
    words: *const u32,
    num_words: usize,
    module: *mut *mut ntv_module,
) -> ntv_status {
    // SAFETY: null or as said, by the contract.
    let (words, module) = unsafe { (slice(words, num_words), module.as_mut()) };
    let Some(module) = module else { return NTV_ERROR_ARGUMENT };
    *module = null_mut();
    let Some(words) = words else { return NTV_ERROR_ARGUMENT };
    let loaded = guarded(|| {
        let is_spirv = words.first() == Some(&SPIRV_MAGIC);
        let loaded = if is_spirv { ntv_core::import::import(words) } else { Module::from_words(words) };
        loaded.map_err(|error| ntv_core::Errors::from(error).into())
    });
    match loaded {
        Ok(loaded) => {
            *module = handle(loaded);
            NTV_OK
        }
        Err(failure) => failure.status,
    }
}

/// The first word of SPIR-V.
const SPIRV_MAGIC: u32 = 0x0723_0203;

/// See `ntv.h`.
///
/// # Safety
/// Pointers are null or point to what `ntv.h` says.
#[no_mangle]
pub unsafe extern "C" fn ntv_module_store(
    module: *const ntv_module,
    options: *const ntv_options,
    result: *mut ntv_result,
) -> ntv_status {
    // SAFETY: null or as said, by the contract.
    unsafe {
        words_of(module, None, options, result, |module, words| {
            *words = module.to_words();
            Ok(())
        })
    }
}

/// See `ntv.h`.
///
/// # Safety
/// Pointers are null or point to what `ntv.h` says.
#[no_mangle]
pub unsafe extern "C" fn ntv_module_instantiate(
    module: *const ntv_module,
    key_of_draw: *const ntv_key,
    options: *const ntv_options,
    result: *mut ntv_result,
) -> ntv_status {
    // SAFETY: null or as said, by the contract.
    let wanted = unsafe { key_of_draw.as_ref() }.map_or(Key::default(), key);
    // SAFETY: the same.
    unsafe {
        words_of(module, Some(&wanted), options, result, |module, words| {
            module.instantiate(&wanted, words).map_err(|error| ntv_core::Errors::from(error).into())
        })
    }
}

/// Puts words of `module` in `result`, those for a key if there is one.
///
/// # Safety
/// Pointers are null or point to what `ntv.h` says.
unsafe fn words_of(
    module: *const ntv_module,
    key: Option<&Key>,
    options: *const ntv_options,
    result: *mut ntv_result,
    write: impl FnOnce(&Module, &mut Vec<u32>) -> Result<(), Failure>,
) -> ntv_status {
    if result.is_null() {
        return NTV_ERROR_ARGUMENT;
    }
    // SAFETY: null or as said, by the contract.
    let (module, options) = unsafe { (module.cast::<Handle>().as_ref(), options.as_ref()) };
    let allocator = Allocator::of(options);
    let outcome = module.ok_or_else(|| Failure::argument("module is NULL")).and_then(|module| {
        guarded(|| {
            let mut words = Vec::new();
            write(module, &mut words)?;
            hand_over(&words, module, key, [0; 3], options.map_or(0, |options| options.flags), &allocator)
        })
    });
    // SAFETY: not null, so a result by the contract.
    unsafe { answer(result, outcome, &allocator) }
}

/// See `ntv.h`.
///
/// # Safety
/// `module` is null or a module that is not used any more.
#[no_mangle]
pub unsafe extern "C" fn ntv_module_destroy(module: *mut ntv_module) {
    if !module.is_null() {
        // SAFETY: `handle` made it, by the contract.
        let module = unsafe { Box::from_raw(module.cast::<Handle>()) };
        drop(catch_unwind(AssertUnwindSafe(move || drop(module))));
    }
}

/// What `info` decides; `None` if it has a null pointer to something.
///
/// # Safety
/// Its pointers are null or point to as many records as it says.
unsafe fn assignment(info: &ntv_link_info) -> Option<Assignment> {
    // SAFETY: null or as said, by the contract.
    let (moves, values) = unsafe { (slice(info.moves, info.num_moves), slice(info.spec_values, info.num_spec_values)) };
    let moves = moves.or((info.num_moves == 0).then_some(&[]))?;
    let values = values.or((info.num_spec_values == 0).then_some(&[]))?;
    let resized = moves.iter().filter(|it| it.new_count != 0);
    Some(Assignment {
        bindings: moves.iter().map(|it| ([it.set, it.binding], [it.new_set, it.new_binding])).collect(),
        lengths: resized.map(|it| ([it.set, it.binding], it.new_count)).collect(),
        spec_values: values.iter().map(|it| (it.id, it.value)).collect(),
        local_size: Some(info.workgroup_size).filter(|size| *size != [0; 3]),
        output_vertices: Some(info.patch_vertices).filter(|vertices| *vertices != 0),
        ..Assignment::default()
    })
}

/// See `ntv.h`.
///
/// # Safety
/// `stages` and `linked` are null or point to `num_stages` modules and pointers, `info` is null or points to what `ntv.h` says.
#[no_mangle]
pub unsafe extern "C" fn ntv_link(
    stages: *const *const ntv_module,
    num_stages: usize,
    info: *const ntv_link_info,
    linked: *mut *mut ntv_module,
) -> ntv_status {
    // SAFETY: null or as said, by the contract.
    let (modules, info) = unsafe { (modules(stages, num_stages), info.as_ref()) };
    if linked.is_null() {
        return NTV_ERROR_ARGUMENT;
    }
    for stage in 0..num_stages {
        // SAFETY: there is room for so many, by the contract.
        unsafe { linked.add(stage).write(null_mut()) };
    }
    // SAFETY: by the contract.
    let assignment = info.map_or(Some(Assignment::default()), |info| unsafe { assignment(info) });
    let (Some(modules), Some(assignment)) = (modules, assignment) else { return NTV_ERROR_ARGUMENT };
    let stages: Vec<&Module> = modules.iter().map(|module| &**module).collect();
    let outcome =
        guarded(|| Ok(link(&stages, vec![assignment; stages.len()]).map_err(ntv_core::Errors::from)?.modules));
    match outcome {
        Ok(modules) => {
            for (stage, module) in modules.into_iter().enumerate() {
                // SAFETY: there is room for so many, by the contract.
                unsafe { linked.add(stage).write(handle(module)) };
            }
            NTV_OK
        }
        Err(failure) => failure.status,
    }
}

/// A program of handles.
///
/// # Safety
/// As for [`modules`].
unsafe fn program(stages: *const *const ntv_module, len: usize) -> Option<Program> {
    // SAFETY: by the contract.
    let modules = unsafe { modules(stages, len) }?;
    let shaders = (0..).zip(modules).map(|(id, module)| Shader { id, module });
    Program::new(shaders.collect()).ok()
}

/// See `ntv.h`.
///
/// # Safety
/// `stages` and `keys` are null or point to `num_stages` modules and keys, `key_of_draw` is null or points to a key.
#[no_mangle]
pub unsafe extern "C" fn ntv_program_keys(
    stages: *const *const ntv_module,
    num_stages: usize,
    key_of_draw: *const ntv_key,
    keys: *mut ntv_key,
) -> ntv_status {
    // SAFETY: null or as said, by the contract.
    let (program, wanted) = unsafe { (program(stages, num_stages), key_of_draw.as_ref()) };
    let (Some(program), Some(wanted), false) = (program, wanted, keys.is_null()) else { return NTV_ERROR_ARGUMENT };
    let wanted = key(wanted);
    let outcome = guarded(|| {
        let keys = program.keys(&wanted).map_err(ntv_core::Errors::from)?;
        Ok(keys.map(|(_, key)| key).collect::<Vec<Key>>())
    });
    match outcome {
        Ok(parts) => {
            for (stage, part) in parts.into_iter().enumerate() {
                // SAFETY: there is room for as many as there are stages, by the contract.
                unsafe { keys.add(stage).write(key_for_c(part)) };
            }
            NTV_OK
        }
        Err(failure) => failure.status,
    }
}

/// See `ntv.h`.
///
/// # Safety
/// `stages` is null or points to `num_stages` modules, `keys` to room for `most` keys, `always` to a key.
#[no_mangle]
pub unsafe extern "C" fn ntv_likely_keys(
    stages: *const *const ntv_module,
    num_stages: usize,
    always: *const ntv_key,
    keys: *mut ntv_key,
    most: usize,
) -> usize {
    // SAFETY: null or as said, by the contract.
    let (program, always) = unsafe { (program(stages, num_stages), always.as_ref()) };
    let (Some(program), Some(always), false) = (program, always, keys.is_null()) else { return 0 };
    let likely = guarded(|| Ok(likely_keys(&program, key(always), most))).unwrap_or_default();
    for (number, part) in likely.iter().enumerate() {
        // SAFETY: there is room for `most`, by the contract, which they are at most.
        unsafe { keys.add(number).write(key_for_c(*part)) };
    }
    likely.len()
}
