// SPDX-License-Identifier: MIT

//! Transform feedback through the ABI: shaders that write captures themselves, and their parameters of a draw.

use super::translation::{target, Handle};
use super::EMPTY_OPTIONS;
use crate::bindings::*;
use crate::{ntvr_emission_list, ntvr_topology_primitives, ntvr_topology_vertices_per_primitive, ntvr_xfb_state_words};
use ntv_core::capture::{
    emission_list, Attribute, AttributeFormat, BackEnd, CaptureState, DrawList, ProvokingVertex, Topology,
    BUFFER_BINDING, COUNTS_BINDING, LIST_BINDING, STATE_BINDING, STATE_WORDS, VERTEX_BUFFER_BINDING,
};
use ntv_core::{text, wire, EmitOptions, Options, Shader, Translator};
use std::ffi::CStr;
use std::ptr::{null, null_mut};

fn shader() -> Shader {
    text::parse(include_str!("../../../examples/captures.nir")).expect("a shader")
}

fn attribute(format: &CStr) -> ntvr_attribute {
    let format = format.as_ptr();
    ntvr_attribute { location: 0, format, binding: 1, offset: 4, stride: 20, per_instance: true, divisor: 3 }
}

/// Options for a compute shader that reads one attribute.
fn with(row: &ntvr_attribute) -> ntvr_xfb_options {
    ntvr_xfb_options {
        struct_size: std::mem::size_of::<ntvr_xfb_options>() as u32,
        back_end: NTVR_XFB_COMPUTE,
        set: 0,
        binding: 0,
        attributes: row,
        num_attributes: 1,
        passes_instance: false,
        instance_location: 9,
    }
}

/// The results for C.
fn translated(xfb: &ntvr_xfb_options) -> (ntvr_status, Vec<u32>, Option<String>) {
    let options = ntvr_options { xfb, ..EMPTY_OPTIONS };
    Handle::new().translate(&target(), &wire::encode(&shader()), Some(&options))
}

#[test]
fn captures_are_carried_out_as_the_library_does() {
    let format = AttributeFormat::from_name("R32G32_SFLOAT").expect("a format");
    let known = Attribute { location: 0, format, binding: 1, offset: 4, stride: 20, divisor: Some(3) };
    let row = attribute(c"R32G32_SFLOAT");
    let mut seen = Vec::new();
    for (captures, back_end) in [
        (BackEnd::Extension, NTVR_XFB_EXTENSION),
        (BackEnd::Storage, NTVR_XFB_STORAGE),
        (BackEnd::Compute, NTVR_XFB_COMPUTE),
    ] {
        for (set, binding, capture_slot) in [(0, 0, None), (2, 7, Some((2, 7)))] {
            let options = ntvr_xfb_options { back_end, set, binding, passes_instance: set != 0, ..with(&row) };
            let instance_location = capture_slot.map(|_| 9);
            let attributes = vec![known];
            let known = Options::default()
                .captures(captures)
                .capture_slot(capture_slot)
                .attributes(attributes)
                .instance_location(instance_location);
            let module = Translator::new(known).translate(&mut shader(), &EmitOptions::default()).expect("a module");
            assert_eq!(translated(&options), (NTVR_OK, module.words.clone(), None));
            seen.push(module.words);
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 5, "the words of the extension do not depend on the buffers, the others do");
}

#[test]
fn wrong_options_are_refused() {
    let refused = |options: ntvr_xfb_options| {
        let (status, _, error) = translated(&options);
        assert_eq!(status, NTVR_ERROR_ARGUMENT);
        error.expect("an error")
    };
    let plain = ntvr_xfb_options { attributes: null(), num_attributes: 0, ..with(&attribute(c"R32_UINT")) };
    assert_eq!(refused(ntvr_xfb_options { back_end: 3, ..plain }), "back_end of the captures is 3");
    assert!(refused(ntvr_xfb_options { num_attributes: 1, ..plain }).contains("attributes"));
    let (wrong, none) = (attribute(c"R32G32_TURTLE"), ntvr_attribute { format: null(), ..attribute(c"") });
    for (row, said) in [(wrong, "R32G32_TURTLE"), (none, "NULL")] {
        let options = with(&row);
        assert_eq!(refused(options), format!("attribute 0 has the format {said}"));
    }
}

#[test]
fn states_have_the_words_of_the_library() {
    assert_eq!(NTVR_XFB_STATE_WORDS as usize, STATE_WORDS);
    let bindings =
        [NTVR_XFB_STATE_BINDING, NTVR_XFB_LIST_BINDING, NTVR_XFB_COUNTS_BINDING, NTVR_XFB_VERTEX_BUFFER_BINDING];
    let known = [STATE_BINDING, LIST_BINDING, COUNTS_BINDING, VERTEX_BUFFER_BINDING];
    assert_eq!(NTVR_XFB_BUFFER_BINDING, BUFFER_BINDING);
    assert_eq!(bindings.map(|binding| BUFFER_BINDING + binding), known);
    let state = ntvr_xfb_state {
        struct_size: std::mem::size_of::<ntvr_xfb_state>() as u32,
        is_active: true,
        only_counts: true,
        first_provokes: true,
        topology: NTVR_TOPOLOGY_TRIANGLE_STRIP,
        first_vertex: 2,
        vertices: 11,
        first_instance: 3,
        instances: 4,
        draw: 5,
        primitives_before: 6,
        primitives_most: 7,
        first_words: [8, 9, 10, 11],
        has_list: true,
        list_first_word: 12,
        base_vertex: 13,
    };
    let known = CaptureState {
        is_active: true,
        topology: Topology::TriangleStrip,
        provoking: ProvokingVertex::First,
        first_vertex: 2,
        vertices: 11,
        first_instance: 3,
        instances: 4,
        draw: 5,
        primitives_before: 6,
        primitives_most: 7,
        first_words: [8, 9, 10, 11],
        list: Some(DrawList { first_word: 12, base_vertex: 13 }),
    };
    let mut words = [77; STATE_WORDS];
    // SAFETY: a state, and space for its words.
    unsafe {
        assert!(ntvr_xfb_state_words(&state, words.as_mut_ptr()));
        assert_eq!(words, known.words());
        let counting = ntvr_xfb_state { is_active: false, has_list: false, ..state };
        assert!(ntvr_xfb_state_words(&counting, words.as_mut_ptr()));
        assert_eq!(words, CaptureState { is_active: false, list: None, ..known }.counting_words());
        words = [77; STATE_WORDS];
        assert!(!ntvr_xfb_state_words(&ntvr_xfb_state { topology: 7, ..state }, words.as_mut_ptr()));
        assert!(!ntvr_xfb_state_words(null(), words.as_mut_ptr()));
        assert!(!ntvr_xfb_state_words(&state, null_mut()));
    }
    assert_eq!(words, [77; STATE_WORDS], "nothing was written");
}

#[test]
fn topologies_are_those_of_the_library() {
    let indices = [1, 2, 3, 9, 4, 5, 6, 7, 8];
    for (number, topology) in (0..).zip(Topology::ALL) {
        // SAFETY: indices, a restart index, and space for the given number.
        unsafe {
            assert_eq!(ntvr_topology_primitives(number, 11), topology.primitives(11));
            assert_eq!(ntvr_topology_vertices_per_primitive(number), topology.vertices_per_primitive());
            for (first, provoking) in [(true, ProvokingVertex::First), (false, ProvokingVertex::Last)] {
                let mut list = [77; 64];
                let list_of = |list: &mut [u32; 64], most| {
                    ntvr_emission_list(number, first, indices.as_ptr(), indices.len(), &9, list.as_mut_ptr(), most)
                };
                let known = emission_list(topology, provoking, &indices, Some(9));
                assert_eq!(list_of(&mut list, 2), known.len());
                assert_eq!((&list[..2], list[2]), (&known[..2], 77), "no more than requested");
                assert_eq!(list_of(&mut list, 64), known.len());
                assert_eq!(list[..known.len()], known);
            }
        }
    }
    // SAFETY: null pointers for empty lists.
    unsafe {
        assert_eq!((ntvr_topology_primitives(7, 11), ntvr_topology_vertices_per_primitive(7)), (0, 0));
        assert_eq!(ntvr_emission_list(7, true, indices.as_ptr(), indices.len(), null(), null_mut(), 0), 0);
        assert_eq!(ntvr_emission_list(0, true, null(), 3, null(), null_mut(), 0), 0);
        assert_eq!(ntvr_emission_list(0, true, indices.as_ptr(), indices.len(), null(), null_mut(), 9), 9);
    }
}
