// SPDX-License-Identifier: MIT

//! Converts options of transform feedback that shaders write themselves, from and to C.

use crate::bindings::*;
use crate::entry::Failure;
use crate::module::rows;
use crate::names::text;
use crate::sized::read;
use ntv_core::capture::{
    emission_list, Attribute, AttributeFormat, BackEnd, CaptureState, DrawList, ProvokingVertex, Topology, STATE_WORDS,
};

/// The options of captures of a translation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Captures {
    pub(crate) back_end: BackEnd,
    pub(crate) slot: Option<(u32, u32)>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) instance_location: Option<u32>,
}

/// The captures that the options point to.
///
/// # Safety
/// `options` is null or points to options with the given number of attributes.
pub(crate) unsafe fn captures(options: *const ntvr_xfb_options) -> Result<Captures, Failure> {
    // SAFETY: by the contract.
    let Some(options) = (unsafe { read(options) })? else { return Ok(Captures::default()) };
    let back_end = match options.back_end {
        NTVR_XFB_EXTENSION => BackEnd::Extension,
        NTVR_XFB_STORAGE => BackEnd::Storage,
        NTVR_XFB_COMPUTE => BackEnd::Compute,
        other => return Err(Failure::argument(format!("back_end of the captures is {other}"))),
    };
    let slot = (options.set, options.binding);
    // SAFETY: by the contract.
    let attributes = unsafe { rows(options.attributes, options.num_attributes, "attributes") }?;
    // SAFETY: each has a string or null.
    let attributes = attributes.iter().map(|row| unsafe { attribute(row) }).collect::<Result<_, _>>()?;
    let instance_location = options.passes_instance.then_some(options.instance_location);
    Ok(Captures { back_end, slot: Some(slot).filter(|slot| *slot != (0, 0)), attributes, instance_location })
}

/// An attribute.
///
/// # Safety
/// Its format is null or a string.
unsafe fn attribute(row: &ntvr_attribute) -> Result<Attribute, Failure> {
    // SAFETY: by the contract.
    let name = unsafe { text(row.format) }.unwrap_or("NULL");
    let format = AttributeFormat::from_name(name)
        .ok_or_else(|| Failure::argument(format!("attribute {} has the format {name}", row.location)))?;
    let &ntvr_attribute { location, binding, offset, stride, per_instance, divisor, .. } = row;
    Ok(Attribute { location, format, binding, offset, stride, divisor: per_instance.then_some(divisor) })
}

fn topology(number: u32) -> Option<Topology> {
    Topology::ALL.get(number as usize).copied()
}

fn provoking(first: bool) -> ProvokingVertex {
    if first {
        ProvokingVertex::First
    } else {
        ProvokingVertex::Last
    }
}

/// `ntvr_xfb_state_words`.
///
/// # Safety
/// `state` is null or points to a state, `words` is null or points to space for its words.
pub(crate) unsafe fn state_words(state: *const ntvr_xfb_state, words: *mut u32) -> bool {
    // SAFETY: by the contract.
    let Ok(Some(state)) = (unsafe { read(state) }) else { return false };
    let Some(topology) = topology(state.topology).filter(|_| !words.is_null()) else { return false };
    let only_counts = state.only_counts && !state.is_active;
    let list = DrawList { first_word: state.list_first_word, base_vertex: state.base_vertex };
    let state = CaptureState {
        is_active: state.is_active,
        topology,
        provoking: provoking(state.first_provokes),
        first_vertex: state.first_vertex,
        vertices: state.vertices,
        first_instance: state.first_instance,
        instances: state.instances,
        draw: state.draw,
        primitives_before: state.primitives_before,
        primitives_most: state.primitives_most,
        first_words: state.first_words,
        list: state.has_list.then_some(list),
    };
    let made = if only_counts { state.counting_words() } else { state.words() };
    // SAFETY: there is space for the words, which need not be initialized.
    unsafe { words.copy_from_nonoverlapping(made.as_ptr(), STATE_WORDS) };
    true
}

/// `ntvr_topology_primitives`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn primitives(number: u32, vertices: u32) -> u32 {
    topology(number).map_or(0, |topology| topology.primitives(vertices))
}

/// `ntvr_topology_vertices_per_primitive`.
///
/// # Safety
/// There are no requirements.
pub(crate) unsafe fn vertices_per_primitive(number: u32) -> u32 {
    topology(number).map_or(0, Topology::vertices_per_primitive)
}

/// `ntvr_emission_list`.
///
/// # Safety
/// Pointers are null or point to the data that `ntvr_xfb.h` documents: `indices` to `num_indices`, `list` to space for `most`.
pub(crate) unsafe fn list(
    number: u32,
    first_provokes: bool,
    indices: *const u32,
    num_indices: usize,
    restart: *const u32,
    list: *mut u32,
    most: usize,
) -> usize {
    // SAFETY: by the contract.
    let (indices, restart) = unsafe { (rows(indices, num_indices, "indices"), restart.as_ref()) };
    let (Some(topology), Ok(indices)) = (topology(number), indices) else { return 0 };
    let made = emission_list(topology, provoking(first_provokes), indices, restart.copied());
    if !list.is_null() {
        // SAFETY: there is space for `most`, which need not be initialized.
        unsafe { list.copy_from_nonoverlapping(made.as_ptr(), made.len().min(most)) };
    }
    made.len()
}
