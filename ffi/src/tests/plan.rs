// SPDX-License-Identifier: MIT

//! Plans through the ABI: the decisions of the library, and errors.

use crate::bindings::*;
use crate::{
    ntv_plan_add_stage, ntv_plan_blocks, ntv_plan_create, ntv_plan_decide, ntv_plan_destroy, ntv_plan_know_block,
    ntv_plan_placements, ntv_result_free,
};
use ntv_core::{text, wire};
use std::ffi::{c_char, CStr};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const LARGE: &str = include_str!("../../../tests/corpus/pass/place_blocks_bounds.nir");

fn limits() -> ntv_limits {
    ntv_limits {
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
struct Own(*mut ntv_plan);

impl Own {
    fn new(names: &[*const c_char]) -> Own {
        // SAFETY: there are no requirements.
        let own = Own(unsafe { ntv_plan_create() });
        assert_eq!(own.add(names), (NTV_OK, None));
        own
    }

    fn add(&self, names: &[*const c_char]) -> (ntv_status, Option<String>) {
        let words = wire::encode(&text::parse(LARGE).expect("a shader"));
        // SAFETY: the lengths are those of the slices.
        said(|result| unsafe {
            ntv_plan_add_stage(self.0, words.as_ptr(), words.len(), names.as_ptr(), names.len(), null(), result)
        })
    }

    fn know(&self, name: &CStr, block: ntv_block) -> (ntv_status, Option<String>) {
        // SAFETY: a plan, a string and a block.
        said(|result| unsafe { ntv_plan_know_block(self.0, name.as_ptr(), &block, null(), result) })
    }

    fn decide(&self, limits: &ntv_limits) -> (ntv_status, Option<String>) {
        // SAFETY: a plan and limits.
        said(|result| unsafe { ntv_plan_decide(self.0, limits, null(), null(), result) })
    }

    fn placements(&self, stage: ntv_stage) -> Vec<(u32, u32, bool)> {
        let mut rows = [MaybeUninit::<ntv_placement>::uninit(); 4];
        // SAFETY: a plan, and space for four rows; the function returns the number of rows that it writes.
        unsafe {
            let count = ntv_plan_placements(self.0, stage, rows.as_mut_ptr().cast(), rows.len());
            let rows = rows[..count].iter().map(|row| row.assume_init_ref());
            rows.map(|row| (row.block, row.block_class, row.clamp)).collect()
        }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // SAFETY: it is not used any more.
        unsafe { ntv_plan_destroy(self.0) };
    }
}

/// The status of a call and its error.
fn said(call: impl FnOnce(*mut ntv_result) -> ntv_status) -> (ntv_status, Option<String>) {
    let mut result = MaybeUninit::uninit();
    let status = call(result.as_mut_ptr());
    // SAFETY: the call wrote it; it is freed here.
    unsafe {
        let error = result.assume_init_ref().error;
        let error = (!error.is_null()).then(|| CStr::from_ptr(error).to_string_lossy().into_owned());
        ntv_result_free(result.as_mut_ptr(), null());
        (status, error)
    }
}

const UNKNOWN: ntv_block = ntv_block {
    bytes: 0,
    is_unsized: false,
    is_at_hand: false,
    is_asked: false,
    block_class: NTV_BLOCK_UNIFORM,
    offset: 0,
};

#[test]
fn a_plan_is_that_of_the_library() {
    let own = Own::new(&[null(), c"bones".as_ptr()]);
    assert!(own.placements(NTV_STAGE_COMPUTE).is_empty(), "nothing is decided yet");
    assert_eq!(own.decide(&limits()), (NTV_OK, None));
    let mut rows = [MaybeUninit::<ntv_planned>::uninit(); 2];
    // SAFETY: a plan, and space for two rows, of which one is written; its texts live as long as the plan.
    unsafe {
        assert_eq!(ntv_plan_blocks(own.0, rows.as_mut_ptr().cast(), rows.len()), 1);
        let row = rows[0].assume_init_ref();
        assert_eq!(CStr::from_ptr(row.name), c"bones");
        let why = c"100000 bytes are read, and a uniform buffer has at most 65536";
        assert_eq!(CStr::from_ptr(row.why), why);
        let numbers = (row.block_class, row.reason, row.buffer_usage, row.access, row.range, row.clamp);
        assert_eq!(numbers, (NTV_BLOCK_STORAGE, NTV_PLAN_RANGE, 0x20, 0x20, 100_000, true));
        assert_eq!(ntv_plan_blocks(own.0, null_mut(), 7), 1, "the number of all blocks");
    }
    assert_eq!(own.placements(NTV_STAGE_COMPUTE), [(1, NTV_BLOCK_STORAGE, true)]);
    assert!(own.placements(NTV_STAGE_VERTEX).is_empty() && own.placements(77).is_empty());
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let own = Own::new(&[]);
    let twice = "the plan already has a MESA_SHADER_COMPUTE shader".to_string();
    assert_eq!(own.add(&[]), (NTV_ERROR_ARGUMENT, Some(twice)));
    let asked = ntv_block { is_asked: true, ..UNKNOWN };
    assert_eq!(own.know(c"ubo1", asked), (NTV_OK, None));
    let (status, error) = own.decide(&limits());
    let message = "ubo1 has 100000 bytes, and a buffer of class Uniform has at most 65536";
    assert_eq!((status, error.as_deref()), (NTV_ERROR_UNSUPPORTED, Some(message)));
    assert!(own.placements(NTV_STAGE_COMPUTE).is_empty());
    assert_eq!(own.know(c"ubo1", UNKNOWN), (NTV_OK, None));
    assert_eq!(own.decide(&limits()), (NTV_OK, None));
    assert_eq!(own.know(c"ubo1", ntv_block { block_class: 7, ..asked }).0, NTV_ERROR_ARGUMENT);
    // SAFETY: null is an error.
    unsafe {
        assert_eq!(ntv_plan_decide(null_mut(), &limits(), null(), null(), null_mut()), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_plan_decide(own.0, null(), null(), null(), null_mut()), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_plan_know_block(own.0, null(), &UNKNOWN, null(), null_mut()), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_plan_add_stage(own.0, null(), 3, null(), 0, null(), null_mut()), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_plan_blocks(null(), null_mut(), 0), 0);
    }
    let words = [1u32, 2, 3];
    // SAFETY: three words.
    let malformed =
        said(|result| unsafe { ntv_plan_add_stage(own.0, words.as_ptr(), words.len(), null(), 0, null(), result) });
    assert_eq!(malformed.0, NTV_ERROR_MALFORMED);
}
