//! The functions by name.

use super::{command, descriptor, device, instance, memory, pipeline, query, queue, resource};
use ash::vk;
use std::ffi::{c_char, CStr};

/// A function that an application may ask for.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) pointer: unsafe extern "system" fn(),
}

/// A table of functions: a row is the type of the function's pointer in ash, from which its name follows, and the function.
macro_rules! functions {
    ($($pfn:ident = $function:expr;)*) => {
        &[$($crate::null::table::Function {
            name: stringify!($pfn).split_at("PFN_".len()).1,
            // SAFETY: pointers to functions have one size; whoever calls it casts it back to the type that its name says.
            pointer: unsafe { std::mem::transmute::<ash::vk::$pfn, unsafe extern "system" fn()>($function) },
        }),*]
    };
}
pub(super) use functions;

/// The tables in the order in which they are searched.
const TABLES: &[&[Function]] = &[
    instance::FUNCTIONS,
    device::FUNCTIONS,
    memory::FUNCTIONS,
    resource::FUNCTIONS,
    descriptor::FUNCTIONS,
    pipeline::FUNCTIONS,
    query::FUNCTIONS,
    queue::FUNCTIONS,
    command::FUNCTIONS,
    command::COMMANDS,
];

fn find(name: &str) -> Option<&'static Function> {
    TABLES.iter().copied().flatten().find(|function| function.name == name)
}

/// A function by its name, or by that of the extension from which it came into Vulkan.
fn look_up(name: &str) -> Option<unsafe extern "system" fn()> {
    let core = || name.strip_suffix("KHR").or(name.strip_suffix("EXT")).and_then(find);
    // Some functions that were promoted from one extension into another.
    let khr = || name.strip_suffix("EXT").and_then(|stem| find(&format!("{stem}KHR")));
    find(name).or_else(core).or_else(khr).map(|function| function.pointer)
}

/// `vkGetInstanceProcAddr`.
pub(super) unsafe extern "system" fn get_instance_proc_addr(
    _: vk::Instance,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a C string.
    unsafe { CStr::from_ptr(name) }.to_str().ok().and_then(look_up)
}

/// `vkGetDeviceProcAddr`.
pub(super) unsafe extern "system" fn get_device_proc_addr(
    _: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the caller gives a C string.
    unsafe { CStr::from_ptr(name) }.to_str().ok().and_then(look_up)
}
