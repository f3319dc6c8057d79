// SPDX-License-Identifier: MIT

//! Converts plans, and placements of uniform blocks, from and to C.

use crate::bindings::*;
use crate::entry::{Call, Failure};
use crate::module::rows;
use crate::names::text;
use crate::reflection::empty;
use crate::sized::{read, write_all};
use crate::translate::slice;
use ntv_core::ir::Stage;
use ntv_core::plan::{
    plan, BlockProperties, Class, Limits, Placement, Placements, Plan, Planned, ProgramBlocks, Reason, Threshold,
    Wishes,
};
use ntv_core::wire;
use std::ffi::{c_char, CString};

/// The class for C's number.
fn class(of: &str, block_class: u32, offset: u32) -> Result<Class, Failure> {
    match block_class {
        NTVR_BLOCK_UNIFORM => Ok(Class::Uniform),
        NTVR_BLOCK_STORAGE => Ok(Class::Storage),
        NTVR_BLOCK_PUSH_CONSTANT if offset % 16 == 0 => Ok(Class::PushConstant { offset }),
        NTVR_BLOCK_PUSH_CONSTANT => {
            Err(Failure::argument(format!("{of} is at byte {offset} of the push constants, not at a multiple of 16")))
        }
        other => Err(Failure::argument(format!("{of} has the class {other}"))),
    }
}

/// A class for C, and its offset in push constants.
fn class_for_c(class: Class) -> (u32, u32) {
    match class {
        Class::Uniform => (NTVR_BLOCK_UNIFORM, 0),
        Class::Storage => (NTVR_BLOCK_STORAGE, 0),
        Class::PushConstant { offset } => (NTVR_BLOCK_PUSH_CONSTANT, offset),
    }
}

/// The placements that the options point to.
///
/// # Safety
/// The pointer is null or points to `len` placements.
pub(crate) unsafe fn placements((first, len): (*const ntvr_placement, usize)) -> Result<Placements, Failure> {
    let mut placements = Placements::default();
    // SAFETY: by the contract.
    for row in unsafe { rows(first, len, "placements") }? {
        let class = class(&format!("block {}", row.block), row.block_class, row.offset)?;
        placements.set(row.block, Placement { class, range: row.range, clamp: row.clamp });
    }
    Ok(placements)
}

/// The type that a plan's handle points to.
#[derive(Default)]
struct State {
    program: ProgramBlocks,
    asked: Vec<(String, Class)>,
    decided: Plan,
    /// For C: the name of each block of the decided plan, and the reason.
    texts: Vec<(CString, CString)>,
}

/// `ntvr_plan_create`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn create() -> *mut ntvr_plan {
    Box::into_raw(Box::<State>::default()).cast()
}

/// `ntvr_plan_destroy`.
///
/// # Safety
/// `plan` is null or a plan that is not used any more.
pub(crate) unsafe fn destroy(plan: *mut ntvr_plan) {
    if !plan.is_null() {
        // SAFETY: it came from `create`, by the contract.
        drop(unsafe { Box::from_raw(plan.cast::<State>()) });
    }
}

/// The plan behind a handle.
///
/// # Safety
/// `plan` is null or a plan that no other thread uses during the call.
unsafe fn state<'p>(plan: *mut ntvr_plan) -> Result<&'p mut State, Failure> {
    // SAFETY: by the contract.
    unsafe { plan.cast::<State>().as_mut() }.ok_or_else(|| Failure::argument("plan is NULL"))
}

/// `ntvr_plan_add_stage`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_plan.h` documents; `words` to `num_words` words, `names` to `num_names` strings or
/// nulls.
pub(crate) unsafe fn add_stage(
    _: &Call,
    plan: *mut ntvr_plan,
    words: *const u32,
    num_words: usize,
    names: *const *const c_char,
    num_names: usize,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (state, words) = unsafe { (state(plan)?, slice(words, num_words)) };
    let words = words.ok_or_else(|| Failure::argument("wire is NULL"))?;
    let num_names = if names.is_null() { 0 } else { num_names };
    // SAFETY: `names` points to `num_names` pointers, by the contract.
    let names: &[*const c_char] = unsafe { rows(names, num_names, "names") }?;
    // SAFETY: each is null or a string, by the contract.
    let names: Vec<Option<&str>> = names.iter().map(|name| unsafe { text(*name) }).collect();
    let mut shader = wire::decode(words)?;
    ntv_core::check::validate(&shader)?;
    ntv_core::raise::raise(&mut shader, &Default::default())?;
    let stage = shader.stage();
    if state.program.stages.iter().any(|known| known.stage == stage) {
        return Err(Failure::argument(format!("the plan already has a {} shader", stage.name())));
    }
    state.program.add_named(&shader, |block| names.get(block as usize).copied().flatten().map(str::to_string));
    Ok(empty())
}

/// `ntvr_plan_know_block`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_plan.h` documents.
pub(crate) unsafe fn know_block(
    _: &Call,
    plan: *mut ntvr_plan,
    name: *const c_char,
    block: *const ntvr_block,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (state, name, block) = unsafe { (state(plan)?, text(name), read(block)?) };
    let name = name.ok_or_else(|| Failure::argument("name is NULL, or not UTF-8"))?;
    let block = block.ok_or_else(|| Failure::argument("block is NULL"))?;
    state.asked.retain(|(known, _)| known != name);
    if block.is_asked {
        state.asked.push((name.to_string(), class(name, block.block_class, block.offset)?));
    }
    *state.program.block(name) = BlockProperties {
        bytes: Some(block.bytes).filter(|bytes| *bytes != 0),
        is_unsized: block.is_unsized,
        is_at_hand: block.is_at_hand,
        shape: None,
    };
    Ok(empty())
}

/// `ntvr_plan_decide`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_plan.h` documents.
pub(crate) unsafe fn decide(
    _: &Call,
    plan: *mut ntvr_plan,
    limits: *const ntvr_limits,
    wishes: *const ntvr_plan_wishes,
) -> Result<ntvr_result, Failure> {
    // SAFETY: null or as said, by the contract.
    let (state, limits, wishes) = unsafe { (state(plan)?, read(limits)?, read(wishes)?) };
    let limits = limits.ok_or_else(|| Failure::argument("limits is NULL"))?;
    let wishes = wishes.as_ref().map_or_else(Wishes::default, wishes_of).asked(state.asked.clone());
    (state.decided, state.texts) = (Plan::default(), Vec::new());
    let decided = self::plan(&state.program, &limits_of(&limits), &wishes);
    let decided =
        decided.map_err(|impossible| Failure { status: NTVR_ERROR_UNSUPPORTED, message: impossible.to_string() })?;
    let c = |text: String| CString::new(text).unwrap_or_default();
    state.texts = decided.blocks.iter().map(|block| (c(block.name.clone()), c(block.reason.to_string()))).collect();
    state.decided = decided;
    Ok(empty())
}

fn limits_of(limits: &ntvr_limits) -> Limits {
    Limits {
        max_uniform_buffer_range: limits.max_uniform_buffer_range,
        max_storage_buffer_range: limits.max_storage_buffer_range,
        max_per_stage_descriptor_uniform_buffers: limits.max_per_stage_descriptor_uniform_buffers,
        max_per_stage_descriptor_storage_buffers: limits.max_per_stage_descriptor_storage_buffers,
        max_descriptor_set_uniform_buffers: limits.max_descriptor_set_uniform_buffers,
        max_descriptor_set_storage_buffers: limits.max_descriptor_set_storage_buffers,
        min_uniform_buffer_offset_alignment: limits.min_uniform_buffer_offset_alignment,
        min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment,
        max_push_constants_size: limits.max_push_constants_size,
        robust_buffer_access: limits.robust_buffer_access,
    }
}

fn wishes_of(wishes: &ntvr_plan_wishes) -> Wishes {
    let threshold = match wishes.threshold {
        0 => Threshold::Never,
        bytes => Threshold::Bytes(bytes),
    };
    Wishes::default()
        .threshold(threshold)
        .offset_alignment(wishes.offset_alignment)
        .push_constants((wishes.push_constants_begin, wishes.push_constants_end))
        .other_uniform_buffers(wishes.other_uniform_buffers)
        .other_storage_buffers(wishes.other_storage_buffers)
        .all(wishes.all_in_storage.then_some(Class::Storage))
}

/// `ntvr_plan_blocks`.
///
/// # Safety
/// `plan` is null or a plan; `blocks` is null or points to space for `most`.
pub(crate) unsafe fn blocks(plan: *const ntvr_plan, blocks: *mut ntvr_planned, most: usize) -> usize {
    // SAFETY: null or a plan, by the contract; no thread changes it during the call.
    let Some(state) = (unsafe { plan.cast::<State>().as_ref() }) else { return 0 };
    let rows = state.decided.blocks.iter().zip(&state.texts).map(|(block, texts)| planned(block, texts));
    let most = if blocks.is_null() { 0 } else { most };
    if most > 0 {
        // SAFETY: there is space for `most`, and the first has its size, by the contract.
        let written = unsafe { write_all(blocks, rows.take(most), blocks) };
        if written.is_err() {
            return 0;
        }
    }
    state.decided.blocks.len()
}

/// `ntvr_plan_placements`.
///
/// # Safety
/// `plan` is null or a plan; `placements` is null or points to space for `most`.
pub(crate) unsafe fn stage_placements(
    plan: *const ntvr_plan,
    stage: ntvr_stage,
    placements: *mut ntvr_placement,
    most: usize,
) -> usize {
    // SAFETY: null or a plan, by the contract; no thread changes it during the call.
    let Some(state) = (unsafe { plan.cast::<State>().as_ref() }) else { return 0 };
    let Some((stage, _)) = Stage::NAMES.get(stage as usize) else { return 0 };
    let found = state.decided.placements(*stage);
    let rows = found.iter().map(|(block, Placement { class, range, clamp })| {
        let (block_class, offset) = class_for_c(class);
        ntvr_placement { block, block_class, range, offset, clamp }
    });
    // SAFETY: there is space for `most`, by the contract.
    unsafe { write(rows, placements, most) }
}

/// Writes the first `most` of `rows`, or none if `to` is null. Returns the number of all rows.
///
/// # Safety
/// `to` is null or points to space for `most`.
unsafe fn write<T>(rows: impl Iterator<Item = T>, to: *mut T, most: usize) -> usize {
    let most = if to.is_null() { 0 } else { most };
    let mut count = 0;
    for row in rows {
        if count < most {
            // SAFETY: there is space for `most`, by the contract.
            unsafe { to.add(count).write(row) };
        }
        count += 1;
    }
    count
}

fn planned(block: &Planned, (name, why): &(CString, CString)) -> ntvr_planned {
    let (block_class, offset) = class_for_c(block.class);
    ntvr_planned {
        struct_size: 0,
        name: name.as_ptr(),
        why: why.as_ptr(),
        block_class,
        offset,
        reason: reason(&block.reason),
        buffer_usage: block.buffer_usage,
        access: block.access,
        offset_alignment: block.offset_alignment,
        range: block.range,
        dynamic_bytes: block.dynamic_bytes,
        clamp: block.clamp,
    }
}

fn reason(reason: &Reason) -> ntvr_plan_reason {
    match reason {
        Reason::Fits => NTVR_PLAN_FITS,
        Reason::Range { .. } => NTVR_PLAN_RANGE,
        Reason::Unsized => NTVR_PLAN_UNSIZED,
        Reason::Descriptors { .. } => NTVR_PLAN_DESCRIPTORS,
        Reason::Threshold { .. } => NTVR_PLAN_THRESHOLD,
        Reason::Angle => NTVR_PLAN_ANGLE,
        Reason::Asked => NTVR_PLAN_ASKED,
        Reason::PushConstants { .. } => NTVR_PLAN_PUSH_CONSTANTS,
        Reason::ArrayWith(_) => NTVR_PLAN_ARRAY,
    }
}
