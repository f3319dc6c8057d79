// SPDX-License-Identifier: MIT

//! The entry points: the only place of functions with the names and the calling convention of C.
//!
//! A row has the name for C, the function, and the result after a panic. Each call has a guard, so that no panic leaves the
//! library. A new function needs a new row. There are three kinds:
//!
//! | row | the function | after a panic |
//! |-|-|-|
//! | `gives A = f` | has C's arguments, and returns C's result | `A` |
//! | `answers options, result = f` | also has a [`Call`], and returns the contents of `result`, or a [`Failure`] | the error is
//! in `result` |
//! | `reports options, result = f` | the same, where `result` may be NULL: it only receives errors | likewise |

use crate::bindings::*;
use crate::memory::Allocator;
use crate::{module, names, plan, reflection, sized, target, translate, xfb};
use ntv_core::{Error, ErrorKind, Errors};
use std::any::Any;
use std::ffi::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};

/// An error for C.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: ntvr_status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Failure {
        Failure { status: NTVR_ERROR_ARGUMENT, message: message.into() }
    }

    pub(crate) fn memory() -> Failure {
        Failure { status: NTVR_ERROR_MEMORY, message: "the allocator returned no memory".into() }
    }

    /// The internal error of a panic.
    pub(crate) fn panic(panic: &(dyn Any + Send)) -> Failure {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Failure { status: NTVR_ERROR_INTERNAL, message: format!("ntv panicked: {text}") }
    }
}

impl From<Errors> for Failure {
    fn from(errors: Errors) -> Failure {
        let status = match errors.0.first().map(|error| error.kind) {
            Some(ErrorKind::Malformed) => NTVR_ERROR_MALFORMED,
            Some(ErrorKind::Syntax | ErrorKind::Invalid) => NTVR_ERROR_INVALID,
            Some(ErrorKind::Unsupported) => NTVR_ERROR_UNSUPPORTED,
            Some(ErrorKind::Argument) => NTVR_ERROR_ARGUMENT,
            Some(ErrorKind::Internal) | None => NTVR_ERROR_INTERNAL,
        };
        Failure { status, message: errors.to_string() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Errors::from(error).into()
    }
}

/// The common arguments of a call.
pub(crate) struct Call {
    pub(crate) flags: u32,
    pub(crate) allocator: Allocator,
    /// The placements of uniform blocks in the options: a pointer, and their number.
    pub(crate) placements: (*const ntvr_placement, usize),
    /// The options of captures.
    pub(crate) xfb: *const ntvr_xfb_options,
    /// The push constants that options of keys read.
    pub(crate) push_constants: *const ntvr_push_constants,
    pub(crate) descriptors: *const ntvr_descriptor_layout,
}

impl Call {
    fn of(options: Option<&ntvr_options>) -> Call {
        Call {
            flags: options.map_or(0, |options| options.flags),
            allocator: Allocator::of(options),
            placements: options.map_or((null(), 0), |options| (options.placements, options.num_placements)),
            xfb: options.map_or(null(), |options| options.xfb),
            push_constants: options.map_or(null(), |options| options.push_constants),
            descriptors: options.map_or(null(), |options| options.descriptors),
        }
    }
}

/// Returns the result of `work`, or `failed` if it panics.
fn guarded<T>(failed: T, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(failed)
}

/// Runs an entry point.
fn enter<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(test)]
    crate::tests::panic_if_forced(crate::tests::Fault::Entry);
    work()
}

/// Runs `work`, and writes its contents, or its error, to `result`, which may be null only if it is just for errors.
///
/// # Safety
/// `options` is null or points to options, `result` is null or points to a result, of which only the size need be initialized.
unsafe fn answer(
    options: *const ntvr_options,
    result: *mut ntvr_result,
    for_errors: bool,
    work: impl FnOnce(&Call) -> Result<ntvr_result, Failure>,
) -> ntvr_status {
    if result.is_null() && !for_errors {
        return NTVR_ERROR_ARGUMENT;
    }
    // SAFETY: it is not null, so it points to a result by the contract.
    if !result.is_null() && unsafe { sized::write(result, &reflection::empty()) }.is_err() {
        return NTVR_ERROR_ARGUMENT;
    }
    // SAFETY: null or options, by the contract.
    let options = unsafe { sized::read(options) };
    let call = Call::of(options.as_ref().ok().and_then(Option::as_ref));
    let run = || options.and_then(|_| enter(|| work(&call)));
    let outcome = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(Failure::panic(&*panic)));
    let (status, filled) = match outcome {
        Ok(filled) => (NTVR_OK, filled),
        Err(failure) => (failure.status, reflection::failed(&failure.message, &call.allocator)),
    };
    // SAFETY: it points to a result by the contract, if it is not null.
    if result.is_null() || unsafe { sized::write(result, &filled) }.is_err() {
        // SAFETY: its contents came from this allocator.
        unsafe { reflection::release(filled, &call.allocator) };
    }
    status
}

macro_rules! entry_points {
    () => {};
    ($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty, gives $failed:expr => $body:path; $($rest:tt)*) => {
        /// See the headers.
        ///
        /// # Safety
        /// Pointers are null or point to the data that the headers document.
        #[no_mangle]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            // SAFETY: the contract is the same.
            guarded($failed, || enter(|| unsafe { $body($($arg),*) }))
        }
        entry_points! { $($rest)* }
    };
    ($name:ident($($arg:ident: $ty:ty),*), answers $options:ident, $result:ident => $body:path; $($rest:tt)*) => {
        entry_points! { @status $name($($arg: $ty),*), $options, $result, false, $body }
        entry_points! { $($rest)* }
    };
    ($name:ident($($arg:ident: $ty:ty),*), reports $options:ident, $result:ident => $body:path; $($rest:tt)*) => {
        entry_points! { @status $name($($arg: $ty),*), $options, $result, true, $body }
        entry_points! { $($rest)* }
    };
    (@status $name:ident($($arg:ident: $ty:ty),*), $options:ident, $result:ident, $for_errors:expr, $body:path) => {
        /// See the headers.
        ///
        /// # Safety
        /// Pointers are null or point to the data that the headers document.
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            $($arg: $ty,)*
            $options: *const ntvr_options,
            $result: *mut ntvr_result,
        ) -> ntvr_status {
            // SAFETY: the contract is the same.
            let work = |call: &Call| unsafe { $body(call, $($arg),*) };
            // SAFETY: by the contract.
            guarded(NTVR_ERROR_INTERNAL, || unsafe { answer($options, $result, $for_errors, work) })
        }
    };
}

entry_points! {
    ntvr_version() -> *const c_char, gives null() => names::version;
    ntvr_wire_version() -> u32, gives NTVR_NONE => names::wire_version;
    ntvr_check_headers(headers: u64) -> *const c_char, gives c"ntv panicked".as_ptr() => names::check_headers;
    ntvr_wire_number(table: ntvr_table, name: *const c_char) -> u32, gives NTVR_NONE => names::number;
    ntvr_wire_num_indices(intrinsic: u32) -> u32, gives 0 => names::num_indices;
    ntvr_slot_location(slot: u32) -> u32, gives NTVR_NONE => names::slot_location;
    ntvr_wire_index(intrinsic: u32, index: *const c_char) -> u32, gives NTVR_NONE => names::index;

    ntvr_target_init(target: *mut ntvr_target, vulkan_version: u32) -> bool, gives false => target::init;
    ntvr_target_enable(target: *mut ntvr_target, feature: *const c_char, on: bool) -> bool, gives false => target::enable;
    ntvr_target_workaround(target: *mut ntvr_target, workaround: *const c_char, on: bool) -> bool, gives false
        => target::work_around;

    ntvr_translator_create() -> *mut ntvr_translator, gives null_mut() => translate::create_translator;
    ntvr_translator_destroy(translator: *mut ntvr_translator) -> (), gives () => translate::destroy_translator;
    ntvr_translate(translator: *mut ntvr_translator, target: *const ntvr_target, wire: *const u32, num_words: usize),
        answers options, result => translate::translate_words;
    ntvr_result_free(result: *mut ntvr_result, options: *const ntvr_options) -> (), gives () => reflection::free;

    ntvr_module_create(translator: *mut ntvr_translator, target: *const ntvr_target, wire: *const u32, num_words: usize,
        offer: u64, module: *mut *mut ntvr_module), answers options, result => module::create;
    ntvr_module_load(words: *const u32, num_words: usize, module: *mut *mut ntvr_module),
        reports options, result => module::load;
    ntvr_module_store(module: *const ntvr_module), answers options, result => module::store;
    ntvr_module_destroy(module: *mut ntvr_module) -> (), gives () => module::destroy;
    ntvr_link(stages: *const *const ntvr_module, num_stages: usize, infos: *const ntvr_link_info,
        linked: *mut *mut ntvr_module), reports options, result => module::link_stages;
    ntvr_program_keys(stages: *const *const ntvr_module, num_stages: usize, key_of_draw: *const ntvr_key,
        keys: *mut ntvr_key), reports options, result => module::program_keys;
    ntvr_likely_keys(stages: *const *const ntvr_module, num_stages: usize, always: *const ntvr_key, keys: *mut ntvr_key,
        most: usize) -> usize, gives 0 => module::likely;
    ntvr_module_instantiate(module: *const ntvr_module, key_of_draw: *const ntvr_key),
        answers options, result => module::instantiate;

    ntvr_plan_create() -> *mut ntvr_plan, gives null_mut() => plan::create;
    ntvr_plan_destroy(plan: *mut ntvr_plan) -> (), gives () => plan::destroy;
    ntvr_plan_add_stage(plan: *mut ntvr_plan, wire: *const u32, num_words: usize, names: *const *const c_char,
        num_names: usize), reports options, result => plan::add_stage;
    ntvr_plan_know_block(plan: *mut ntvr_plan, name: *const c_char, block: *const ntvr_block),
        reports options, result => plan::know_block;
    ntvr_plan_decide(plan: *mut ntvr_plan, limits: *const ntvr_limits, wishes: *const ntvr_plan_wishes),
        reports options, result => plan::decide;
    ntvr_plan_blocks(plan: *const ntvr_plan, blocks: *mut ntvr_planned, most: usize) -> usize, gives 0 => plan::blocks;
    ntvr_plan_placements(plan: *const ntvr_plan, stage: ntvr_stage, placements: *mut ntvr_placement, most: usize) -> usize,
        gives 0 => plan::stage_placements;

    ntvr_xfb_state_words(state: *const ntvr_xfb_state, words: *mut u32) -> bool, gives false => xfb::state_words;
    ntvr_topology_primitives(topology: u32, vertices: u32) -> u32, gives 0 => xfb::primitives;
    ntvr_topology_vertices_per_primitive(topology: u32) -> u32, gives 0 => xfb::vertices_per_primitive;
    ntvr_emission_list(topology: u32, first_provokes: bool, indices: *const u32, num_indices: usize,
        restart: *const u32, list: *mut u32, most: usize) -> usize, gives 0 => xfb::list;
}
