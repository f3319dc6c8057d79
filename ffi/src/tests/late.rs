// SPDX-License-Identifier: MIT

//! Modules with tables through the ABI: the same words as from the library.

use super::{constants, EMPTY_KEY, EMPTY_OPTIONS};
use crate::bindings::*;
use crate::{
    ntvr_likely_keys, ntvr_link, ntvr_module_create, ntvr_module_destroy, ntvr_module_instantiate, ntvr_module_load,
    ntvr_module_store, ntvr_program_keys, ntvr_result_free, ntvr_target_init, ntvr_translator_create,
    ntvr_translator_destroy,
};
use ntv_core::ir::Capture;
use ntv_core::module::{Assignment, PatchKind, SETTLED};
use ntv_core::{text, wire, EmitOptions, Key, Module, Shader, Translator};
use std::ptr::{null, null_mut};

fn shader(stage: &str, body: &str) -> Shader {
    let text = format!(
        "shader: MESA_SHADER_{stage}\ndecl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
         32 %0 = load_const (0x00000000)\n    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n\
         {body}    // succs: b1\n    block b1:\n}}\n"
    );
    text::parse(&text).expect("a shader")
}

fn output(slot: &str, base: u32) -> String {
    format!(
        "    @store_output (%1, %0) (base={base}, range=1, wrmask=xyzw, component=0, src_type=float32, io location={slot} slots=1)\n"
    )
}

pub(super) fn shaders() -> [Shader; 2] {
    let vertex = output("VARYING_SLOT_POS", 0) + &output("VARYING_SLOT_VAR0", 1);
    [shader("VERTEX", &vertex), shader("FRAGMENT", &output("FRAG_RESULT_DATA0", 0))]
}

/// A module of the library.
fn own(mut shader: Shader) -> Module {
    let options = EmitOptions::default().offer(u64::MAX).linkable(true);
    Translator::default().translate(&mut shader, &options).expect("a module")
}

/// A module through the ABI.
pub(super) fn created(shader: &Shader) -> *mut ntvr_module {
    created_with(shader, null())
}

fn created_with(shader: &Shader, push_constants: *const ntvr_push_constants) -> *mut ntvr_module {
    let options = ntvr_options { push_constants, ..EMPTY_OPTIONS };
    let (mut target, mut result) = (super::of_caller(), super::of_caller());
    let (mut module, wire) = (null_mut(), wire::encode(shader));
    // SAFETY: all pointers are to what they should be.
    unsafe {
        let translator = ntvr_translator_create();
        assert!(ntvr_target_init(target.as_mut_ptr(), 1 << 22 | 3 << 12));
        let (words, len) = (wire.as_ptr(), wire.len());
        let (module_at, result_at) = (&mut module, result.as_mut_ptr());
        let status =
            ntvr_module_create(translator, target.as_ptr(), words, len, u64::MAX, module_at, &options, result_at);
        assert_eq!(status, NTVR_OK);
        assert!(result.assume_init_ref().words.is_null());
        ntvr_result_free(result.as_mut_ptr(), null());
        ntvr_translator_destroy(translator);
    }
    module
}

/// The words that `call` puts in a result.
fn words(call: impl FnOnce(*mut ntvr_result) -> ntvr_status) -> Vec<u32> {
    let mut result = super::of_caller();
    assert_eq!(call(result.as_mut_ptr()), NTVR_OK);
    // SAFETY: the call wrote it, and it is freed here.
    unsafe {
        let filled = result.assume_init_ref();
        let words = std::slice::from_raw_parts(filled.words, filled.num_words).to_vec();
        ntvr_result_free(result.as_mut_ptr(), null());
        words
    }
}

#[test]
fn linked_words_are_those_of_the_library() {
    let shaders = shaders();
    let handles = shaders.each_ref().map(created);
    let own = shaders.map(own);
    let linked = ntv_core::link::link(&own.each_ref(), Vec::new()).expect("a link");
    let mut results = [null_mut(); 2];
    let stages = handles.map(|handle| handle.cast_const());
    let key = ntvr_key { bits: Key::STRIP | Key::FLIP_Y, ..EMPTY_KEY };
    // SAFETY: all pointers are to what they should be.
    unsafe {
        assert_eq!(ntvr_link(stages.as_ptr(), 2, null(), results.as_mut_ptr(), null(), null_mut()), NTVR_OK);
        for (handle, module) in results.iter().zip(&linked.modules) {
            let mut expected = Vec::new();
            module
                .instantiate(&Key { size: key.size, ..Key::new(key.bits) }, &mut expected)
                .expect("a key that it takes");
            assert_eq!(words(|result| ntvr_module_instantiate(*handle, &key, null(), result)), expected);
            let stored = words(|result| ntvr_module_store(*handle, null(), result));
            assert_eq!(Module::from_words(&stored).as_ref(), Ok(module));
            // The words of an imported module may differ, for example if two varyings share a type and only one may be removed.
            let imported = ntv_core::import::import(&expected).expect("a module");
            let stripped = ntvr_key { bits: Key::STRIP, ..key };
            for (form, of, key) in [(&stored, module, key), (&expected, &imported, stripped)] {
                let mut loaded = null_mut();
                let (len, result) = (form.len(), null_mut());
                assert_eq!(ntvr_module_load(form.as_ptr(), len, &mut loaded, null(), result), NTVR_OK);
                let mut expected = Vec::new();
                of.instantiate(&Key { size: key.size, ..Key::new(key.bits) }, &mut expected)
                    .expect("a key that it takes");
                assert_eq!(words(|result| ntvr_module_instantiate(loaded, &key, null(), result)), expected);
                ntvr_module_destroy(loaded);
            }
        }
        let mut keys = [EMPTY_KEY; 4];
        assert_eq!(ntvr_program_keys(stages.as_ptr(), 2, &key, keys.as_mut_ptr(), null(), null_mut()), NTVR_OK);
        assert_eq!([keys[0].bits, keys[1].bits], [Key::FLIP_Y, 0]);
        assert_eq!(ntvr_likely_keys(stages.as_ptr(), 2, &key, keys.as_mut_ptr(), 4), 4);
        assert_eq!(keys[0].bits, key.bits);
        handles.into_iter().chain(results).for_each(|handle| ntvr_module_destroy(handle));
    }
}

/// A module of a shader with an alpha takes tests of it if it is created with the place of the reference.
#[test]
fn the_place_of_the_reference_is_that_of_the_options() {
    let shader = shader("FRAGMENT", &output("FRAG_RESULT_DATA0", 0));
    let test = ntvr_key { bits: Key::alpha_test(2), ..EMPTY_KEY };
    for (offset, expected) in [(4, NTVR_OK), (NTVR_NONE, NTVR_ERROR_ARGUMENT), (2, NTVR_ERROR_ARGUMENT)] {
        let pushed = ntvr_push_constants {
            struct_size: std::mem::size_of::<ntvr_push_constants>() as u32,
            alpha_reference: offset,
            point_size: NTVR_NONE,
        };
        let handle = created_with(&shader, &pushed);
        let mut result = super::of_caller();
        // SAFETY: all pointers are to what they should be.
        unsafe {
            assert_eq!(ntvr_module_instantiate(handle, &test, null(), result.as_mut_ptr()), expected);
            ntvr_result_free(result.as_mut_ptr(), null());
            ntvr_module_destroy(handle);
        }
    }
}

/// A link without decisions.
const NOTHING: ntvr_link_info = ntvr_link_info {
    struct_size: std::mem::size_of::<ntvr_link_info>() as u32,
    moves: null(),
    num_moves: 0,
    spec_ids: null(),
    num_spec_ids: 0,
    spec_values: null(),
    num_spec_values: 0,
    locations: null(),
    num_locations: 0,
    components: null(),
    num_components: 0,
    indices: null(),
    num_indices: 0,
    captures: null(),
    num_captures: 0,
    workgroup_size: [0; 3],
    patch_vertices: 0,
};

/// The error of a call that is refused.
fn refusal(call: impl FnOnce(*mut ntvr_result) -> ntvr_status) -> String {
    let mut result = super::of_caller();
    assert_eq!(call(result.as_mut_ptr()), NTVR_ERROR_ARGUMENT);
    // SAFETY: the call wrote it, and it is freed here.
    unsafe {
        let message = std::ffi::CStr::from_ptr(result.assume_init_ref().error).to_string_lossy().into_owned();
        ntvr_result_free(result.as_mut_ptr(), null());
        message
    }
}

/// A shader of the repository's corpus.
pub(super) fn file(path: &str) -> Shader {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(path);
    let text = std::fs::read_to_string(path).expect("a dump");
    text::parse(&text).expect("a shader")
}

/// Rows of an assignment for C.
#[derive(Default)]
struct Rows {
    moves: Vec<ntvr_move>,
    spec_ids: Vec<ntvr_spec_id>,
    spec_values: Vec<ntvr_spec_value>,
    numbers: [Vec<ntvr_varying_number>; 3],
    captures: Vec<ntvr_capture>,
}

impl Rows {
    fn new(module: &Module, assignment: &Assignment) -> Rows {
        let length = |at| assignment.lengths.iter().find(|row| row.0 == at).map_or(0, |row| row.1);
        let number = |row: &(u32, u32)| ntvr_varying_number { varying: row.0, number: row.1 };
        let numbers = [&assignment.locations, &assignment.components, &assignment.indices];
        Rows {
            moves: module
                .bindings
                .iter()
                .map(|it| {
                    let [new_set, new_binding] = assignment.binding(it.set, it.binding);
                    let new_count = length([it.set, it.binding]);
                    ntvr_move { set: it.set, binding: it.binding, new_set, new_binding, new_count }
                })
                .collect(),
            spec_ids: assignment.spec_ids.iter().map(|row| ntvr_spec_id { id: row.0, new_id: row.1 }).collect(),
            spec_values: assignment.spec_values.iter().map(|row| ntvr_spec_value { id: row.0, value: row.1 }).collect(),
            numbers: numbers.map(|rows| rows.iter().map(number).collect()),
            captures: assignment
                .captures
                .iter()
                .map(|(varying, it)| ntvr_capture {
                    varying: *varying,
                    buffer: it.buffer,
                    stride: it.stride,
                    offset: it.offset,
                })
                .collect(),
        }
    }

    fn info(&self, assignment: &Assignment) -> ntvr_link_info {
        let [locations, components, indices] = &self.numbers;
        ntvr_link_info {
            struct_size: std::mem::size_of::<ntvr_link_info>() as u32,
            moves: self.moves.as_ptr(),
            num_moves: self.moves.len(),
            spec_ids: self.spec_ids.as_ptr(),
            num_spec_ids: self.spec_ids.len(),
            spec_values: self.spec_values.as_ptr(),
            num_spec_values: self.spec_values.len(),
            locations: locations.as_ptr(),
            num_locations: locations.len(),
            components: components.as_ptr(),
            num_components: components.len(),
            indices: indices.as_ptr(),
            num_indices: indices.len(),
            captures: self.captures.as_ptr(),
            num_captures: self.captures.len(),
            workgroup_size: assignment.local_size.unwrap_or_default(),
            patch_vertices: assignment.output_vertices.unwrap_or_default(),
        }
    }
}

/// All possible decisions about a module, with numbers that depend on `by`.
fn everything(module: &Module, by: u32) -> Assignment {
    let open = |kind| module.patches.iter().filter(move |patch| patch.kind == kind && patch.when != SETTLED);
    let of = |kind: PatchKind| {
        let mut all: Vec<u32> = open(kind).map(|it| it.arg).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let arrays = of(PatchKind::ArrayLength).into_iter().map(|row| module.bindings[row as usize]);
    let row = |it: &ntv_core::Binding| [it.set, it.binding];
    Assignment {
        locations: of(PatchKind::Location)
            .into_iter()
            .map(|it| (it, module.interface[it as usize].location + by))
            .collect(),
        components: of(PatchKind::Component).into_iter().map(|it| (it, 0)).collect(),
        // Options depend on the source of blending, which stays.
        indices: module
            .patches
            .iter()
            .filter(|it| it.kind == PatchKind::Index)
            .map(|it| (it.arg, module.words[it.at as usize]))
            .collect(),
        captures: of(PatchKind::XfbBuffer)
            .into_iter()
            .map(|it| (it, Capture { buffer: by, stride: 64 * by, offset: 4 * by }))
            .collect(),
        bindings: module.bindings.iter().map(|it| (row(it), [it.set + by, it.binding + 1])).collect(),
        lengths: arrays.map(|it| (row(&it), it.count + by)).collect(),
        spec_ids: vec![(4, 4 + by)],
        spec_values: vec![(4, 64 * by)],
        local_size: open(PatchKind::LocalSize).next().map(|_| [4, by, 1]),
        output_vertices: open(PatchKind::OutputVertices).next().map(|it| it.arg.min(4 + by)),
    }
}

/// Every kind of decision, with different ones for each stage.
#[test]
fn a_link_decides_what_the_library_can() {
    let files = [
        &["stages/feedback_of_variables.nir", "directives/index.nir"][..],
        &["compile/texture_arrays.nir"],
        &["directives/variable_shared_memory.nir"],
        &["mesa/ssbo.nir"],
        &["pass/algebraic.nir"],
        &["stages/generated_tess_control.nir"],
        &["pass/lower_io_packed.nir"],
    ];
    let mut decided = [0; 8];
    for stages in files {
        let shaders: Vec<Shader> = stages.iter().map(|path| file(path)).collect();
        let handles: Vec<*const ntvr_module> = shaders.iter().map(|shader| created(shader).cast_const()).collect();
        let modules: Vec<Module> = shaders.into_iter().map(own).collect();
        let assignments: Vec<Assignment> = (1..).zip(&modules).map(|(by, module)| everything(module, by)).collect();
        let rows: Vec<Rows> = modules.iter().zip(&assignments).map(|(module, it)| Rows::new(module, it)).collect();
        let infos: Vec<ntvr_link_info> = rows.iter().zip(&assignments).map(|(rows, it)| rows.info(it)).collect();
        for it in &assignments {
            let sizes = [usize::from(it.local_size.is_some()), usize::from(it.output_vertices.is_some())];
            let counts =
                [it.locations.len(), it.components.len(), it.indices.len(), it.captures.len(), it.bindings.len()];
            let all = counts.into_iter().chain([it.lengths.len()]).chain(sizes);
            decided.iter_mut().zip(all).for_each(|(sum, count)| *sum += count);
        }
        let references: Vec<&Module> = modules.iter().collect();
        let expected = ntv_core::link::link(&references, assignments).expect("a link").modules;
        let mut linked = vec![null_mut(); modules.len()];
        // SAFETY: all pointers are to what they should be.
        unsafe {
            let (at, len) = (linked.as_mut_ptr(), handles.len());
            assert_eq!(ntvr_link(handles.as_ptr(), len, infos.as_ptr(), at, null(), null_mut()), NTVR_OK);
            for (handle, (expected, module)) in linked.iter().zip(expected.into_iter().zip(&modules)) {
                assert_ne!(expected.words, module.words);
                let stored = words(|result| ntvr_module_store(*handle, null(), result));
                assert_eq!(Module::from_words(&stored), Ok(expected));
            }
            handles.into_iter().map(|it| it.cast_mut()).chain(linked).for_each(|handle| ntvr_module_destroy(handle));
        }
    }
    assert!(decided.iter().all(|count| *count > 0), "{decided:?}");
}

/// The errors of the library are reported to C in the same words.
#[test]
fn refusals_say_why() {
    let [vertex, fragment] = shaders().each_ref().map(|shader| created(shader).cast_const());
    let (mut linked, key) = ([null_mut(); 2], ntvr_key { bits: Key::FLIP_Y | 1 << 63, ..EMPTY_KEY });
    let capture = [ntvr_capture { varying: 0, buffer: 0, stride: 16, offset: 0 }];
    let info = ntvr_link_info { captures: capture.as_ptr(), num_captures: 1, ..NOTHING };
    let at = linked.as_mut_ptr();
    // SAFETY: all pointers are to what they should be.
    unsafe {
        let wrong = refusal(|result| ntvr_link([fragment, vertex].as_ptr(), 2, null(), at, null(), result));
        assert_eq!(wrong, "no pipeline has a vertex stage right after a fragment stage");
        let wrong = refusal(|result| ntvr_link(&vertex, 1, &info, at, null(), result));
        assert_eq!(wrong, "varying 0 of the vertex stage is not captured");
        let wrong = refusal(|result| ntvr_module_instantiate(fragment, &key, null(), result));
        assert!(wrong.starts_with("the fragment module cannot take `0x8000000000000000` in a key"), "{wrong}");
        let mut keys = [key; 2];
        let stages = [vertex, fragment];
        let wrong = refusal(|result| ntvr_program_keys(stages.as_ptr(), 2, &key, keys.as_mut_ptr(), null(), result));
        assert!(wrong.starts_with("the vertex module cannot take `0x8000000000000000` in a key"), "{wrong}");
        assert!(linked.iter().all(|module| module.is_null()));
        [vertex, fragment].into_iter().for_each(|handle| ntvr_module_destroy(handle.cast_mut()));
    }
}

/// A cache returns the words with a flipped bit, cut, or from another version.
#[test]
fn damaged_stores_are_refused() {
    let handle = created(&shaders()[1]);
    // SAFETY: all pointers are to what they should be.
    unsafe {
        let stored = words(|result| ntvr_module_store(handle, null(), result));
        let flipped = |at: usize| stored.iter().zip(0..).map(|(word, index)| word ^ u32::from(index == at)).collect();
        let damaged: [(Vec<u32>, &str); 5] = [
            (flipped(0), "not a stored module"),
            (flipped(1), "a stored module of version "),
            (flipped(stored.len() - 1), "a stored module is damaged"),
            (stored[..stored.len() - 1].to_vec(), "a stored module is damaged"),
            (stored[..8].to_vec(), "a stored module is too short"),
        ];
        for (words, expected) in damaged {
            let (mut module, mut result) = (handle, super::of_caller());
            let status = ntvr_module_load(words.as_ptr(), words.len(), &mut module, null(), result.as_mut_ptr());
            assert!(status == NTVR_ERROR_MALFORMED && module.is_null());
            let message = std::ffi::CStr::from_ptr(result.assume_init_ref().error).to_string_lossy().into_owned();
            assert!(message.contains(expected), "{message}");
            ntvr_result_free(result.as_mut_ptr(), null());
        }
        ntvr_module_destroy(handle);
    }
}

#[test]
fn null_pointers_and_other_words_are_refused() {
    let handle = created(&shaders()[0]);
    let stages = [handle.cast_const(), handle.cast_const()];
    let (mut module, mut linked, key) = (null_mut(), [null_mut(); 2], EMPTY_KEY);
    let (mut keys, at) = (key, linked.as_mut_ptr());
    // SAFETY: all pointers are null or valid.
    unsafe {
        let load = |words: &[u32], to| ntvr_module_load(words.as_ptr(), words.len(), to, null(), null_mut());
        assert_eq!(load(&[1, 2, 3], &mut module), NTVR_ERROR_MALFORMED);
        assert_eq!(load(&[0x0723_0203], &mut module), NTVR_ERROR_MALFORMED);
        assert_eq!(load(&[1], null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(ntvr_module_load(null(), 0, &mut module, null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert!(module.is_null());
        let missing = |info: ntvr_link_info| refusal(|result| ntvr_link(stages.as_ptr(), 1, &info, at, null(), result));
        assert!(missing(ntvr_link_info { num_moves: 1, ..NOTHING }).starts_with("moves is NULL"));
        assert!(missing(ntvr_link_info { num_spec_ids: 1, ..NOTHING }).starts_with("spec_ids is NULL"));
        assert!(missing(ntvr_link_info { num_spec_values: 1, ..NOTHING }).starts_with("spec_values is NULL"));
        assert!(missing(ntvr_link_info { num_locations: 1, ..NOTHING }).starts_with("locations is NULL"));
        assert!(missing(ntvr_link_info { num_components: 1, ..NOTHING }).starts_with("components is NULL"));
        assert!(missing(ntvr_link_info { num_indices: 1, ..NOTHING }).starts_with("indices is NULL"));
        assert!(missing(ntvr_link_info { num_captures: 1, ..NOTHING }).starts_with("captures is NULL"));
        assert_eq!(
            refusal(|result| ntvr_link(null(), 2, null(), at, null(), result)),
            "stages is NULL, or has too many rows"
        );
        assert_eq!(refusal(|result| ntvr_link([null()].as_ptr(), 1, null(), at, null(), result)), "module is NULL");
        assert_eq!(refusal(|result| ntvr_link(null(), 0, null(), at, null(), result)), "there are no stages");
        assert!(linked.iter().all(|module| module.is_null()));
        let keys_of_none = refusal(|result| ntvr_program_keys(null(), 0, &key, &mut keys, null(), result));
        assert_eq!(keys_of_none, "there are no stages");
        assert_eq!(ntvr_likely_keys(null(), 0, &key, &mut keys, 1), 0);
        assert_eq!(ntvr_module_store(handle, null(), null_mut()), NTVR_ERROR_ARGUMENT);
        assert_eq!(refusal(|result| ntvr_module_instantiate(null(), &key, null(), result)), "module is NULL");
        ntvr_module_destroy(null_mut());
        ntvr_module_destroy(handle);
    }
}

#[test]
fn bits_of_keys_have_the_numbers_of_the_library() {
    let header = include_str!("../../ntvr_module.h");
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define NTVR_KEY_")?.split_once(" UINT64_C(0x"));
    let defined: Vec<(String, u64)> = defined
        .map(|(name, rest)| {
            let digits = rest.split(')').next().expect("digits");
            (name.to_lowercase(), u64::from_str_radix(digits, 16).expect("a number"))
        })
        .collect();
    let options = ntv_core::module::OPTIONS.iter().filter(|row| row.mask.count_ones() == 1);
    let options: Vec<(String, u64)> = options.map(|row| (row.name.to_string(), row.mask)).collect();
    assert_eq!(defined, options);
}

#[test]
fn formats_of_dithering_have_the_numbers_of_the_library() {
    let constants = constants();
    for (number, (name, _)) in (1..).zip(Key::DITHERED_FORMATS) {
        assert_eq!(constants[&format!("NTVR_DITHER_{name}")], number);
    }
}
