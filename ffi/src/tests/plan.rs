// SPDX-License-Identifier: MIT

//! Plans through the ABI: the decisions of the library, and errors.

use super::outcome;
use crate::bindings::*;
use crate::{
    ntvr_plan_add_stage, ntvr_plan_blocks, ntvr_plan_create, ntvr_plan_decide, ntvr_plan_destroy, ntvr_plan_know_block,
    ntvr_plan_placements,
};
use ntv_core::{text, wire};
use std::ffi::{c_char, CStr};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const LARGE: &str = include_str!("../../../tests/corpus/pass/place_blocks_bounds.nir");

fn limits() -> ntvr_limits {
    ntvr_limits {
        struct_size: std::mem::size_of::<ntvr_limits>() as u32,
        max_uniform_buffer_range: 65536,
        max_storage_buffer_range: 1 << 27,
        max_per_stage_descriptor_uniform_buffers: 15,
        max_per_stage_descriptor_storage_buffers: 32,
        max_descriptor_set_uniform_buffers: 72,
        max_descriptor_set_storage_buffers: 72,
        min_uniform_buffer_offset_alignment: 16,
        min_storage_buffer_offset_alignment: 16,
        max_push_constants_size: 128,
        robust_buffer_access: 0,
    }
}

/// A plan of the ABI, with a compute shader that reads 100,000 bytes of its block 1.
struct Own(*mut ntvr_plan);

impl Own {
    fn new(names: &[*const c_char]) -> Own {
        // SAFETY: there are no requirements.
        let own = Own(unsafe { ntvr_plan_create() });
        assert_eq!(own.add(names), (NTVR_OK, None));
        own
    }

    fn add(&self, names: &[*const c_char]) -> (ntvr_status, Option<String>) {
        let words = wire::encode(&text::parse(LARGE).expect("a shader"));
        // SAFETY: the lengths are those of the slices.
        outcome(|result| unsafe {
            ntvr_plan_add_stage(self.0, words.as_ptr(), words.len(), names.as_ptr(), names.len(), null(), result)
        })
    }

    fn know(&self, name: &CStr, block: ntvr_block) -> (ntvr_status, Option<String>) {
        // SAFETY: a plan, a string and a block.
        outcome(|result| unsafe { ntvr_plan_know_block(self.0, name.as_ptr(), &block, null(), result) })
    }

    fn decide(&self, limits: &ntvr_limits) -> (ntvr_status, Option<String>) {
        // SAFETY: a plan and limits.
        outcome(|result| unsafe { ntvr_plan_decide(self.0, limits, null(), null(), result) })
    }

    fn placements(&self, stage: ntvr_stage) -> Vec<(u32, u32, bool)> {
        let mut rows = [MaybeUninit::<ntvr_placement>::uninit(); 4];
        // SAFETY: a plan, and space for four rows; the function returns the number of rows that it writes.
        unsafe {
            let count = ntvr_plan_placements(self.0, stage, rows.as_mut_ptr().cast(), rows.len());
            let rows = rows[..count].iter().map(|row| row.assume_init_ref());
            rows.map(|row| (row.block, row.block_class, row.clamp)).collect()
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: it is not used any more.
        unsafe { ntvr_plan_destroy(self.0) };
    }
}

const UNKNOWN: ntvr_block = ntvr_block {
    struct_size: std::mem::size_of::<ntvr_block>() as u32,
    bytes: 0,
    is_unsized: false,
    is_at_hand: false,
    is_asked: false,
    block_class: NTVR_BLOCK_UNIFORM,
    offset: 0,
};

#[test]
fn a_plan_is_that_of_the_library() {
    let own = Own::new(&[null(), c"bones".as_ptr()]);
    assert!(own.placements(NTVR_STAGE_COMPUTE).is_empty(), "nothing is decided yet");
    assert_eq!(own.decide(&limits()), (NTVR_OK, None));
    let mut rows = [super::of_caller::<ntvr_planned>(); 2];
    // SAFETY: a plan, and space for two rows, of which one is written; its texts live as long as the plan.
    unsafe {
        assert_eq!(ntvr_plan_blocks(own.0, rows.as_mut_ptr().cast(), rows.len()), 1);
        let row = rows[0].assume_init_ref();
        assert_eq!(CStr::from_ptr(row.name), c"bones");
        let why = c"100000 bytes are read, and a uniform buffer has at most 65536";
        assert_eq!(CStr::from_ptr(row.why), why);
        let numbers = (row.block_class, row.reason, row.buffer_usage, row.access, row.range, row.clamp);
        assert_eq!(numbers, (NTVR_BLOCK_STORAGE, NTVR_PLAN_RANGE, 0x20, 0x20, 100_000, true));
        assert_eq!(ntvr_plan_blocks(own.0, null_mut(), 7), 1, "the number of all blocks");
    }
    assert_eq!(own.placements(NTVR_STAGE_COMPUTE), [(1, NTVR_BLOCK_STORAGE, true)]);
    assert!(own.placements(NTVR_STAGE_VERTEX).is_empty() && own.placements(77).is_empty());
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let own = Own::new(&[]);
    let twice = "the plan already has a MESA_SHADER_COMPUTE shader".to_string();
    assert_eq!(own.add(&[]), (NTVR_ERROR_ARGUMENT, Some(twice)));
    let asked = ntvr_block { is_asked: true, ..UNKNOWN };
    assert_eq!(own.know(c"ubo1", asked), (NTVR_OK, None));
    let (status, error) = own.decide(&limits());
    let message = "ubo1 has 100000 bytes, and a buffer of class Uniform has at most 65536";
    assert_eq!((status, error.as_deref()), (NTVR_ERROR_UNSUPPORTED, Some(message)));
    assert!(own.placements(NTVR_STAGE_COMPUTE).is_empty());
    assert_eq!(own.know(c"ubo1", UNKNOWN), (NTVR_OK, None));
    assert_eq!(own.decide(&limits()), (NTVR_OK, None));
    assert_eq!(own.know(c"ubo1", ntvr_block { block_class: 7, ..asked }).0, NTVR_ERROR_ARGUMENT);
    // SAFETY: null is an error.
    unsafe {
        assert_eq!(ntvr_plan_decide(null_mut(), &limits(), null(), null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(ntvr_plan_decide(own.0, null(), null(), null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(ntvr_plan_know_block(own.0, null(), &UNKNOWN, null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(ntvr_plan_add_stage(own.0, null(), 3, null(), 0, null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(ntvr_plan_blocks(null(), null_mut(), 0), 0);
    }
    let words = [1u32, 2, 3];
    // SAFETY: three words.
    let malformed =
        outcome(|result| unsafe { ntvr_plan_add_stage(own.0, words.as_ptr(), words.len(), null(), 0, null(), result) });
    assert_eq!(malformed.0, NTVR_ERROR_MALFORMED);
}
