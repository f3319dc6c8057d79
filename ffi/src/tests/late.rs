//! Modules with tables through the ABI: the same words as from the library.

use super::constants;
use crate::bindings::*;
use crate::{
    ntv_context_create, ntv_context_destroy, ntv_likely_keys, ntv_link, ntv_module_create, ntv_module_destroy,
    ntv_module_instantiate, ntv_module_load, ntv_module_store, ntv_program_keys, ntv_result_free, ntv_target_init,
};
use ntv_core::module::Assignment;
use ntv_core::{text, wire, EmitOptions, Key, Module, Shader, Translator};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

fn shader(stage: &str, body: &str) -> Shader {
    let text = format!(
        "shader: MESA_SHADER_{stage}\ndecl_function main () (entrypoint)\n\nimpl main {{\n    block b0:  // preds:\n    \
         32 %0 = load_const (0x00000000)\n    32x4 %1 = load_const (0x00000000, 0x00000000, 0x00000000, 0x00000000)\n\
         {body}    // succs: b1\n    block b1:\n}}\n"
    );
    text::parse(&text).remove(0).shader.expect("a shader")
}

fn output(slot: &str, base: u32) -> String {
    format!(
        "    @store_output (%1, %0) (base={base}, range=1, wrmask=xyzw, component=0, src_type=float32, io location={slot} slots=1)\n"
    )
}

fn shaders() -> [Shader; 2] {
    let vertex = output("VARYING_SLOT_POS", 0) + &output("VARYING_SLOT_VAR0", 1);
    [shader("VERTEX", &vertex), shader("FRAGMENT", &output("FRAG_RESULT_DATA0", 0))]
}

/// A module of the library.
fn own(mut shader: Shader) -> Module {
    let options = EmitOptions { offer: u64::MAX, linkable: true, ..EmitOptions::default() };
    Translator::default().translate(&mut shader, &options).expect("a module")
}

/// A module through the ABI.
fn created(shader: &Shader) -> *mut ntv_module {
    let (mut target, mut result) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let (mut module, wire) = (null_mut(), wire::encode(shader));
    // SAFETY: all pointers are to what they should be.
    unsafe {
        let context = ntv_context_create();
        assert!(ntv_target_init(target.as_mut_ptr(), 1 << 22 | 3 << 12));
        let (words, len) = (wire.as_ptr(), wire.len());
        let (module_at, result_at) = (&mut module, result.as_mut_ptr());
        let status = ntv_module_create(context, target.as_ptr(), words, len, null(), u64::MAX, module_at, result_at);
        assert_eq!(status, NTV_OK);
        assert!(result.assume_init_ref().words.is_null());
        ntv_result_free(result.as_mut_ptr(), null());
        ntv_context_destroy(context);
    }
    module
}

/// The words that `call` puts in a result.
fn words(call: impl FnOnce(*mut ntv_result) -> ntv_status) -> Vec<u32> {
    let mut result = MaybeUninit::uninit();
    assert_eq!(call(result.as_mut_ptr()), NTV_OK);
    // SAFETY: the call wrote it, and it goes here.
    unsafe {
        let filled = result.assume_init_ref();
        let words = std::slice::from_raw_parts(filled.words, filled.num_words).to_vec();
        ntv_result_free(result.as_mut_ptr(), null());
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
    let key = ntv_key { bits: Key::STRIP | Key::FLIP_Y, size: [0; 2] };
    // SAFETY: all pointers are to what they should be.
    unsafe {
        assert_eq!(ntv_link(stages.as_ptr(), 2, null(), results.as_mut_ptr()), NTV_OK);
        for (handle, module) in results.iter().zip(&linked.modules) {
            let mut expected = Vec::new();
            module.instantiate(&Key { bits: key.bits, size: key.size }, &mut expected).expect("a key that it takes");
            assert_eq!(words(|result| ntv_module_instantiate(*handle, &key, null(), result)), expected);
            let stored = words(|result| ntv_module_store(*handle, null(), result));
            assert_eq!(Module::from_words(&stored).as_ref(), Ok(module));
            // Import may make other words of a module, as where two varyings share a type and only one may go.
            let imported = ntv_core::import::import(&expected).expect("a module");
            for (form, of) in [(&stored, module), (&expected, &imported)] {
                let mut loaded = null_mut();
                assert_eq!(ntv_module_load(form.as_ptr(), form.len(), &mut loaded), NTV_OK);
                let mut expected = Vec::new();
                of.instantiate(&Key { bits: key.bits, size: key.size }, &mut expected);
                assert_eq!(words(|result| ntv_module_instantiate(loaded, &key, null(), result)), expected);
                ntv_module_destroy(loaded);
            }
        }
        let mut keys = [ntv_key { bits: 0, size: [0; 2] }; 4];
        assert_eq!(ntv_program_keys(stages.as_ptr(), 2, &key, keys.as_mut_ptr()), NTV_OK);
        assert_eq!([keys[0].bits, keys[1].bits], [Key::FLIP_Y, 0]);
        assert_eq!(ntv_likely_keys(stages.as_ptr(), 2, &key, keys.as_mut_ptr(), 4), 4);
        assert_eq!(keys[0].bits, key.bits);
        handles.into_iter().chain(results).for_each(|handle| ntv_module_destroy(handle));
    }
}

/// A link that decides nothing besides.
const NOTHING: ntv_link_info = ntv_link_info {
    moves: null(),
    num_moves: 0,
    spec_values: null(),
    num_spec_values: 0,
    workgroup_size: [0; 3],
    patch_vertices: 0,
};

/// A shader of the repository's corpus.
fn file(path: &str) -> Shader {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus").join(path);
    let text = std::fs::read_to_string(path).expect("a dump");
    text::parse(&text).remove(0).shader.expect("a shader")
}

/// Descriptors that move, an array that gets longer, a constant, a workgroup size, a size of patches.
#[test]
fn a_link_decides_what_the_library_can() {
    let files = [
        "compile/texture_arrays.nir",
        "directives/variable_shared_memory.nir",
        "mesa/ssbo.nir",
        "stages/generated_tess_control.nir",
    ];
    for shader in files.map(file) {
        let (handle, module) = (created(&shader), own(shader));
        let rows = || module.bindings.iter();
        let moved = |it: &ntv_core::module::Binding| ntv_move {
            set: it.set,
            binding: it.binding,
            new_set: it.set + 2,
            new_binding: it.binding + 1,
            new_count: if it.count > 1 { it.count + 3 } else { 0 },
        };
        let (moves, values) = (rows().map(moved).collect::<Vec<_>>(), [ntv_spec_value { id: 4, value: 64 }]);
        let info = ntv_link_info {
            moves: moves.as_ptr(),
            num_moves: moves.len(),
            spec_values: values.as_ptr(),
            num_spec_values: 1,
            workgroup_size: [4, 2, 1],
            patch_vertices: 5,
        };
        let assignment = Assignment {
            bindings: rows().map(|it| ([it.set, it.binding], [it.set + 2, it.binding + 1])).collect(),
            lengths: rows().filter(|it| it.count > 1).map(|it| ([it.set, it.binding], it.count + 3)).collect(),
            spec_values: vec![(4, 64)],
            local_size: Some([4, 2, 1]),
            output_vertices: Some(5),
            ..Assignment::default()
        };
        let expected = ntv_core::link::link(&[&module], vec![assignment]).expect("a link").modules.remove(0);
        assert_ne!(expected.words, module.words);
        let mut linked = null_mut();
        // SAFETY: all pointers are to what they should be.
        unsafe {
            assert_eq!(ntv_link([handle.cast_const()].as_ptr(), 1, &info, &mut linked), NTV_OK);
            let stored = words(|result| ntv_module_store(linked, null(), result));
            assert_eq!(Module::from_words(&stored), Ok(expected));
            [handle, linked].into_iter().for_each(|handle| ntv_module_destroy(handle));
        }
    }
}

#[test]
fn null_pointers_and_other_words_are_refused() {
    let handle = created(&shaders()[0]);
    let stages = [handle.cast_const(), handle.cast_const()];
    let (mut module, mut linked, key) = (null_mut(), [null_mut(); 2], ntv_key { bits: 0, size: [0; 2] });
    let mut keys = key;
    // SAFETY: all pointers are null or to what they should be.
    unsafe {
        assert_eq!(ntv_module_load(null(), 0, &mut module), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_module_load([1u32, 2, 3].as_ptr(), 3, &mut module), NTV_ERROR_MALFORMED);
        assert_eq!(ntv_module_load([0x0723_0203u32].as_ptr(), 1, &mut module), NTV_ERROR_MALFORMED);
        assert!(module.is_null());
        assert_eq!(ntv_module_load([1u32].as_ptr(), 1, null_mut()), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_link(stages.as_ptr(), 2, null(), linked.as_mut_ptr()), NTV_ERROR_ARGUMENT);
        for info in [ntv_link_info { num_moves: 1, ..NOTHING }, ntv_link_info { num_spec_values: 1, ..NOTHING }] {
            assert_eq!(ntv_link(stages.as_ptr(), 1, &info, linked.as_mut_ptr()), NTV_ERROR_ARGUMENT);
        }
        assert_eq!(ntv_link([null()].as_ptr(), 1, null(), linked.as_mut_ptr()), NTV_ERROR_ARGUMENT);
        assert!(linked.iter().all(|module| module.is_null()));
        assert_eq!(ntv_program_keys(null(), 0, &key, &mut keys), NTV_ERROR_ARGUMENT);
        assert_eq!(ntv_likely_keys(null(), 0, &key, &mut keys, 1), 0);
        assert_eq!(ntv_module_store(handle, null(), null_mut()), NTV_ERROR_ARGUMENT);
        let mut result = MaybeUninit::uninit();
        assert_eq!(ntv_module_instantiate(null(), &key, null(), result.as_mut_ptr()), NTV_ERROR_ARGUMENT);
        assert!(!result.assume_init_ref().error.is_null());
        ntv_result_free(result.as_mut_ptr(), null());
        ntv_module_destroy(null_mut());
        ntv_module_destroy(handle);
    }
}

#[test]
fn bits_of_keys_have_the_numbers_of_the_library() {
    let header = include_str!("../../ntv.h");
    let defined = header.lines().filter_map(|line| line.strip_prefix("#define NTV_KEY_")?.split_once(" UINT64_C(0x"));
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
        assert_eq!(constants[&format!("NTV_DITHER_{name}")], number);
    }
}
