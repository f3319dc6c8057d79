//! Contexts and translation: from words to words.

use crate::bindings::*;
use crate::memory::Allocator;
use crate::reflection::{binding, patch, varying};
use crate::target;
use ntv_core::module::{PatchKind, Stage};
use ntv_core::wire::Decoder;
use ntv_core::{EmitOptions, ErrorKind, Errors, Input, Key, Module, Options, Shader, Translator};
use std::any::Any;
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

/// What is behind a context. The lock makes a context that two threads share slow, not wrong.
#[derive(Default)]
pub(crate) struct Context(Mutex<State>);

/// The memory of one translation after the other.
#[derive(Default)]
struct State {
    decoder: Decoder,
    shader: Shader,
    translator: Translator,
    done: Done,
}

/// What is wrong, for C.
pub(crate) struct Failure {
    pub(crate) status: ntv_status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn argument(message: impl Into<String>) -> Failure {
        Failure { status: NTV_ERROR_ARGUMENT, message: message.into() }
    }

    fn memory() -> Failure {
        Failure { status: NTV_ERROR_MEMORY, message: "the allocator gave no memory".into() }
    }
}

impl From<Errors> for Failure {
    fn from(errors: Errors) -> Failure {
        let status = match errors.0.first().map(|error| error.kind) {
            Some(ErrorKind::Malformed) => NTV_ERROR_MALFORMED,
            Some(ErrorKind::Argument) => NTV_ERROR_ARGUMENT,
            Some(ErrorKind::Syntax | ErrorKind::Invalid) => NTV_ERROR_INVALID,
            Some(ErrorKind::Unsupported) => NTV_ERROR_UNSUPPORTED,
            Some(ErrorKind::Internal) | None => NTV_ERROR_INTERNAL,
        };
        Failure { status, message: errors.to_string() }
    }
}

/// See `ntv.h`.
#[no_mangle]
pub extern "C" fn ntv_context_create() -> *mut ntv_context {
    let context = catch_unwind(|| Box::into_raw(Box::<Context>::default()));
    context.map_or(std::ptr::null_mut(), |context| context.cast())
}

/// See `ntv.h`.
///
/// # Safety
/// `context` is null or a context that is not used any more.
#[no_mangle]
pub unsafe extern "C" fn ntv_context_destroy(context: *mut ntv_context) {
    if !context.is_null() {
        // SAFETY: it came from `ntv_context_create`, by the contract. What a panic would leave behind leaks.
        let context = unsafe { Box::from_raw(context.cast::<Context>()) };
        drop(catch_unwind(AssertUnwindSafe(move || drop(context))));
    }
}

/// See `ntv.h`.
///
/// # Safety
/// Pointers are null or point to what `ntv.h` says; `wire` to `num_words` words.
#[no_mangle]
pub unsafe extern "C" fn ntv_translate(
    context: *mut ntv_context,
    target: *const ntv_target,
    wire: *const u32,
    num_words: usize,
    options: *const ntv_options,
    result: *mut ntv_result,
) -> ntv_status {
    if result.is_null() {
        return NTV_ERROR_ARGUMENT;
    }
    // SAFETY: null or as said, by the contract. A context is only reached through a shared reference.
    let (context, target, options) = unsafe { (context.cast::<Context>().as_ref(), target.as_ref(), options.as_ref()) };
    // SAFETY: null or `num_words` words, by the contract.
    let words = unsafe { slice(wire, num_words) };
    let allocator = Allocator::of(options);
    let flags = options.map_or(0, |options| options.flags);
    let outcome = translate(context, target, words, flags, None, |done| {
        let Done { module, workgroup_size } = done;
        hand_over(&module.words, module, Some(&Key::default()), *workgroup_size, flags, &allocator)
    });
    // SAFETY: not null, so a result by the contract.
    unsafe { answer(result, outcome, &allocator) }
}

/// The `len` items at `first`; `None` for null, and for more than memory has.
///
/// # Safety
/// `first` is null or points to `len` items that live for `'a`.
pub(crate) unsafe fn slice<'a, T>(first: *const T, len: usize) -> Option<&'a [T]> {
    if first.is_null() || len > isize::MAX as usize / size_of::<T>() {
        return None;
    }
    // SAFETY: there are `len` items, by the contract.
    Some(unsafe { std::slice::from_raw_parts(first, len) })
}

/// Writes what came out to `result`, and gives its status.
///
/// # Safety
/// `result` points to a result, which need not be initialized.
pub(crate) unsafe fn answer(
    result: *mut ntv_result,
    outcome: Result<ntv_result, Failure>,
    allocator: &Allocator,
) -> ntv_status {
    let (status, filled) = match outcome {
        Ok(filled) => (NTV_OK, filled),
        Err(failure) => (failure.status, failed(&failure, allocator)),
    };
    // SAFETY: by the contract.
    unsafe { result.write(filled) };
    status
}

/// See `ntv.h`.
///
/// # Safety
/// `result` is null, or was filled by `ntv_translate` with the allocator of `options` and has not been freed.
#[no_mangle]
pub unsafe extern "C" fn ntv_result_free(result: *mut ntv_result, options: *const ntv_options) {
    // SAFETY: null or as said, by the contract.
    let (result, options) = unsafe { (result.as_mut(), options.as_ref()) };
    let Some(result) = result else { return };
    let allocator = Allocator::of(options);
    // SAFETY: all of it came from this allocator, by the contract.
    unsafe { release(std::mem::replace(result, empty()), &allocator) };
}

/// A translated shader.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) module: Module,
    pub(crate) workgroup_size: [u32; 3],
}

/// Translates a shader; one that is to be patched later provides for the bits of a key, `offer`. What is made, `hand_over` may
/// take; the memory of what it leaves serves the next shader.
pub(crate) fn translate<R>(
    context: Option<&Context>,
    target: Option<&ntv_target>,
    words: Option<&[u32]>,
    flags: u32,
    offer: Option<u64>,
    hand_over: impl FnOnce(&mut Done) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let context = context.ok_or_else(|| Failure::argument("context is NULL"))?;
    let target = target.ok_or_else(|| Failure::argument("target is NULL"))?;
    let words = words.ok_or_else(|| Failure::argument("wire is NULL"))?;
    if flags & !(NTV_OPTION_NAMES | NTV_OPTION_WORDS_ONLY | NTV_OPTION_VALID_NIR) != 0 {
        return Err(Failure::argument(format!("unknown flags of the options: {flags:#x}")));
    }
    let mut state = context.0.lock().unwrap_or_else(PoisonError::into_inner);
    let options = EmitOptions {
        names: flags & NTV_OPTION_NAMES != 0,
        offer: offer.unwrap_or(0),
        linkable: offer.is_some(),
        ..EmitOptions::default()
    };
    let input = if flags & NTV_OPTION_VALID_NIR == 0 { Input::Unknown } else { Input::Valid };
    let run = || state.translate(target, input, words, &options).and_then(|()| hand_over(&mut state.done));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        // It may have been left half changed.
        *state = State::default();
        Err(Failure { status: NTV_ERROR_INTERNAL, message: format!("ntv panicked: {}", message(&*panic)) })
    })
}

impl State {
    fn translate(
        &mut self,
        target: &ntv_target,
        input: Input,
        words: &[u32],
        options: &EmitOptions<'_>,
    ) -> Result<(), Failure> {
        let known = target::options(target).map_err(Failure::argument)?;
        self.translator.set_options(Options { input, ..known });
        self.decoder.decode(words, &mut self.shader).map_err(Errors::from)?;
        #[cfg(test)]
        crate::tests::panic_if_forced();
        self.translator.translate_to(&mut self.shader, options, &mut self.done.module)?;
        let info = &self.shader.info;
        let constant = info.stage.is_compute() && !info.workgroup_size_variable && !info.workgroup_size.contains(&0);
        self.done.workgroup_size = if constant { info.workgroup_size } else { [0; 3] };
        Ok(())
    }
}

/// What a panic said.
pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// Copies the words of `module` for a key, if that is what `words` are, and what it says of itself, unless the flags of the
/// options say that nobody asks, to the caller's memory.
pub(crate) fn hand_over(
    words: &[u32],
    module: &Module,
    key: Option<&Key>,
    workgroup_size: [u32; 3],
    flags: u32,
    allocator: &Allocator,
) -> Result<ntv_result, Failure> {
    let describe = flags & NTV_OPTION_WORDS_ONLY == 0;
    let mut filled = ntv_result { num_words: words.len(), workgroup_size, ..empty() };
    let mut copied = allocator.copy(words).map(|copy| filled.words = copy).is_some();
    if describe {
        copied = copied
            && allocator.put(module.bindings.iter().map(binding), &mut filled.bindings, &mut filled.num_bindings)
            && allocator.put(module.interface.iter().map(varying), &mut filled.varyings, &mut filled.num_varyings);
    }
    if let Some(key) = key {
        if describe {
            let patches = module.placed_patches(key).filter_map(patch);
            copied = copied && allocator.put(patches, &mut filled.patches, &mut filled.num_patches);
        }
        if module.stage == Stage::TessCtrl {
            let vertices = module.placed_patches(key).find(|patch| patch.kind == PatchKind::OutputVertices);
            filled.tcs_vertices_out_word = vertices.map_or(0, |patch| patch.at);
        }
    }
    if !copied {
        // SAFETY: what is not null in it came from this allocator.
        unsafe { release(filled, allocator) };
        return Err(Failure::memory());
    }
    Ok(filled)
}

/// Frees what `result` points to.
///
/// # Safety
/// It came from `allocator`.
unsafe fn release(result: ntv_result, allocator: &Allocator) {
    // SAFETY: by the contract.
    unsafe {
        allocator.free(result.words);
        allocator.free(result.bindings);
        allocator.free(result.varyings);
        allocator.free(result.patches);
        allocator.free(result.error);
    }
}

/// The result of a translation that failed.
fn failed(failure: &Failure, allocator: &Allocator) -> ntv_result {
    // A 0 byte would end the text early.
    let mut bytes: Vec<u8> = failure.message.bytes().filter(|byte| *byte != 0).collect();
    bytes.push(0);
    ntv_result { error: allocator.copy(&bytes).unwrap_or(std::ptr::null_mut()).cast(), ..empty() }
}

fn empty() -> ntv_result {
    ntv_result {
        words: std::ptr::null_mut(),
        num_words: 0,
        tcs_vertices_out_word: 0,
        workgroup_size: [0; 3],
        bindings: std::ptr::null_mut(),
        num_bindings: 0,
        varyings: std::ptr::null_mut(),
        num_varyings: 0,
        patches: std::ptr::null_mut(),
        num_patches: 0,
        error: std::ptr::null_mut(),
    }
}
