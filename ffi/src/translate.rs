// SPDX-License-Identifier: MIT

//! Translators and translation: from the words of a wire to those of SPIR-V.

use crate::bindings::*;
use crate::entry::{Call, Failure};
use crate::reflection::hand_over;
use crate::sized::read;
use crate::xfb::{self, Captures};
use crate::{plan, target};
use ntv_core::plan::Placements;
use ntv_core::target::{BlockArray, Descriptor, DescriptorLayout};
use ntv_core::wire::Decoder;
use ntv_core::{check, text, EmitOptions, Input, Key, Module, PushConstants, Shader, Translator};
use std::any::Any;
use std::mem::size_of;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

/// The name of the file with the text of a shader, in its OpSource.
const SOURCE: &str = "shader.nir";

/// The type that a translator's handle points to. With the lock, two threads that share a translator are slow, but correct.
#[derive(Default)]
pub(crate) struct LockedTranslator(Mutex<State>);

/// The memory of translations, reused by each.
#[derive(Default)]
struct State {
    decoder: Decoder,
    shader: Shader,
    translator: Translator,
    /// The last settings of the translator.
    settings: Option<([u32; 14], Input, Captures)>,
    done: Done,
}

/// The options of a call for a shader.
#[derive(Default)]
pub(crate) struct CallOptions {
    pub(crate) placements: Placements,
    pub(crate) captures: Captures,
    pub(crate) push_constants: PushConstants,
    pub(crate) descriptors: DescriptorLayout,
}

impl CallOptions {
    /// Reads the options of `call`.
    ///
    /// # Safety
    /// They point to the data that `ntvr.h` documents.
    pub(crate) unsafe fn read(call: &Call) -> Result<CallOptions, Failure> {
        // SAFETY: by the contract.
        let (placements, captures) = unsafe { (plan::placements(call.placements)?, xfb::captures(call.xfb)?) };
        // SAFETY: as above.
        let (pushed, laid_out) = unsafe { (read(call.push_constants)?, read(call.descriptors)?) };
        let place = |offset: u32| Some(offset).filter(|offset| *offset != NTVR_NONE);
        let push_constants = pushed.map_or(PushConstants::default(), |pushed| PushConstants {
            alpha_reference: place(pushed.alpha_reference),
            point_size: place(pushed.point_size),
        });
        let descriptors = laid_out.as_ref().map_or(DescriptorLayout::default(), descriptor_layout);
        Ok(CallOptions { placements, captures, push_constants, descriptors })
    }
}

/// The sets and bindings of a layout.
fn descriptor_layout(layout: &ntvr_descriptor_layout) -> DescriptorLayout {
    let array = |blocks: ntvr_block_array| {
        Some(BlockArray { first: blocks.first, count: blocks.count }).filter(|blocks| blocks.count != 0)
    };
    let mut descriptors = DescriptorLayout::default();
    for (class, slot) in Descriptor::ALL.into_iter().zip(layout.slots) {
        descriptors.set(class, (slot.set, slot.binding));
    }
    descriptors.uniform_blocks = array(layout.uniform_blocks);
    descriptors.storage_blocks = array(layout.storage_blocks);
    descriptors
}

/// `ntvr_translator_create`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn create_translator() -> *mut ntvr_translator {
    Box::into_raw(Box::<LockedTranslator>::default()).cast()
}

/// `ntvr_translator_destroy`.
///
/// # Safety
/// `translator` is null or a translator that is not used any more.
pub(crate) unsafe fn destroy_translator(translator: *mut ntvr_translator) {
    if !translator.is_null() {
        // SAFETY: it came from `create_translator`, by the contract. If a panic happened, its memory leaks.
        drop(unsafe { Box::from_raw(translator.cast::<LockedTranslator>()) });
    }
}

/// `ntvr_translate`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr.h` documents; `wire` to `num_words` words.
pub(crate) unsafe fn translate_words(
    call: &Call,
    translator: *mut ntvr_translator,
    target: *const ntvr_target,
    wire: *const u32,
    num_words: usize,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as documented, by the contract. A translator is only used through a shared reference.
    let (translator, target, words) =
        unsafe { (translator.cast::<LockedTranslator>().as_ref(), read(target)?, slice(wire, num_words)) };
    // SAFETY: the options point to the data that the header documents, by the contract.
    let options = unsafe { CallOptions::read(call) }?;
    translate(translator, target.as_ref(), (words, options), call.flags, None, |done| {
        let Done { module, workgroup_size } = done;
        hand_over(&module.words, module, Some(&Key::default()), *workgroup_size, call)
    })
}

/// The `len` items at `first`; `None` for null, and for more than fits into memory.
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

/// A translated shader.
#[derive(Default)]
pub(crate) struct Done {
    pub(crate) module: Module,
    pub(crate) workgroup_size: [u32; 3],
}

/// Translates a shader; a module that will be patched later supports the bits of a key, `offer`. `hand_over` may take the result;
/// the memory of the rest is reused for the next shader.
pub(crate) fn translate<R>(
    translator: Option<&LockedTranslator>,
    target: Option<&ntvr_target>,
    (words, of_call): (Option<&[u32]>, CallOptions),
    flags: u32,
    offer: Option<u64>,
    hand_over: impl FnOnce(&mut Done) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let translator = translator.ok_or_else(|| Failure::argument("translator is NULL"))?;
    let target = target.ok_or_else(|| Failure::argument("target is NULL"))?;
    let words = words.ok_or_else(|| Failure::argument("wire is NULL"))?;
    if flags & !(NTVR_OPTION_NAMES | NTVR_OPTION_WORDS_ONLY | NTVR_OPTION_VALID_NIR | NTVR_OPTION_LINES) != 0 {
        return Err(Failure::argument(format!("unknown flags of the options: {flags:#x}")));
    }
    let mut state = translator.0.lock().unwrap_or_else(PoisonError::into_inner);
    let options = EmitOptions::default()
        .names(flags & NTVR_OPTION_NAMES != 0)
        .offer(offer.unwrap_or(0))
        .linkable(offer.is_some())
        .words_only(offer.is_none() && flags & NTVR_OPTION_WORDS_ONLY != 0)
        .push_constants(of_call.push_constants);
    let input = if flags & NTVR_OPTION_VALID_NIR == 0 { Input::Unknown } else { Input::Valid };
    let CallOptions { placements, captures, descriptors, .. } = of_call;
    state.translator.set_placements(placements);
    state.translator.set_descriptors(descriptors);
    let lines = flags & NTVR_OPTION_LINES != 0;
    let run = || {
        state.translate(target, (input, captures), words, (options, lines)).and_then(|()| hand_over(&mut state.done))
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(state.start_again(&*panic)))
}

impl State {
    /// Resets the memory after a panic, which may have left it inconsistent.
    #[cold]
    #[inline(never)]
    fn start_again(&mut self, panic: &(dyn Any + Send)) -> Failure {
        *self = State::default();
        Failure::panic(panic)
    }

    /// Sets the options of the translator.
    #[cold]
    #[inline(never)]
    fn apply(&mut self, target: &ntvr_target, input: Input, captures: Captures) -> Result<(), Failure> {
        let known = target::options(target).map_err(Failure::argument)?;
        let (placements, descriptors) = (self.translator.placements().clone(), self.translator.descriptors());
        let Captures { back_end, slot, attributes, instance_location } = captures.clone();
        let known =
            known.captures(back_end).capture_slot(slot).attributes(attributes).instance_location(instance_location);
        self.translator.set_options(known.input(input).placements(placements));
        self.translator.set_descriptors(descriptors);
        self.settings = Some((target::words_of(target), input, captures));
        Ok(())
    }

    /// Prints the shader, and sets the lines of its instructions.
    #[cold]
    #[inline(never)]
    fn print(&mut self) -> Result<String, Failure> {
        check::validate(&self.shader)?;
        Ok(text::print_with_lines(&mut self.shader))
    }

    fn translate(
        &mut self,
        target: &ntvr_target,
        (input, captures): (Input, Captures),
        words: &[u32],
        (options, lines): (EmitOptions<'_>, bool),
    ) -> Result<(), Failure> {
        // Most calls have the same options as the call before.
        let all = (target::words_of(target), input, captures);
        if self.settings.as_ref() != Some(&all) {
            let (_, input, captures) = all;
            self.apply(target, input, captures)?;
        }
        self.decoder.decode(words, &mut self.shader)?;
        #[cfg(test)]
        crate::tests::panic_if_forced(crate::tests::Fault::Translation);
        let text = lines.then(|| self.print()).transpose()?;
        let options = options.lines(text.as_deref().map(|text| (SOURCE, text)));
        self.translator.translate_to(&mut self.shader, &options, &mut self.done.module)?;
        let info = &self.shader.info;
        let constant = info.stage.has_grid() && !info.workgroup_size_variable && !info.workgroup_size.contains(&0);
        self.done.workgroup_size = if constant { info.workgroup_size } else { [0; 3] };
        Ok(())
    }
}
