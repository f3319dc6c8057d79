// SPDX-License-Identifier: MIT

//! The kernels of transform feedback on the interpreter: they are valid, and have the results of the CPU's counting and lists.

#[path = "support/compact.rs"]
mod compact;
#[path = "support/kernels.rs"]
mod kernels;
mod support;

use ntv::capture::kernels::Kernel;
use ntv::{check, text, EmitOptions, Options, Shader, Target, Translator};
use ntv_interp::{Buffer, Inputs, Limits, Resources};

fn shader(kernel: Kernel) -> Shader {
    text::parse(kernel.nir()).unwrap_or_else(|errors| panic!("{kernel:?}: {errors}"))
}

/// A runner that fails the test at undefined behaviour, accesses out of bounds, or races.
fn interpreter() -> impl FnMut(Kernel, &mut Vec<Vec<u32>>) {
    let shaders = Kernel::ALL.map(shader);
    move |kernel, buffers| {
        let storage = buffers.iter().map(|words| Buffer::new(support::bytes(words))).collect();
        let mut resources = Resources { storage, ..Resources::default() };
        let limits = Limits { instructions: 20_000_000, ..Limits::default() };
        let outcome = ntv_interp::run(&shaders[kernel as usize], &mut resources, &Inputs::default(), limits);
        assert!(outcome.faults.is_empty(), "{kernel:?}: {}", outcome.faults[0]);
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        for (words, buffer) in buffers.iter_mut().zip(resources.storage) {
            *words = buffer.bytes.chunks_exact(4).map(word).collect();
        }
    }
}

#[test]
fn the_interpreter_counts_as_the_cpu_does() {
    kernels::check_counters(&mut interpreter());
}

#[test]
fn the_interpreter_lists_as_the_cpu_does() {
    kernels::check_lists(&mut interpreter());
}

#[test]
fn the_interpreter_compacts_as_the_cpu_does() {
    compact::check_compact(&mut interpreter());
}

#[test]
fn modules_are_valid() {
    for kernel in Kernel::ALL {
        let mut shader = shader(kernel);
        check::validate(&shader).unwrap_or_else(|errors| panic!("{kernel:?}: {errors}"));
        let target = Target::default();
        let mut translator = Translator::new(Options::default().target(target.clone()));
        let module = translator.translate(&mut shader, &EmitOptions::default()).expect("a module");
        support::spirv_val(&module.words, &target).unwrap_or_else(|problem| panic!("{kernel:?}: {problem}"));
    }
}
