// SPDX-License-Identifier: MIT

//! Another Rust library in the program of `neighbour.c`, as rusticl is in its own.

use std::collections::HashMap;
use std::panic::{catch_unwind, resume_unwind};

/// The number of different characters in `number`, or 0 after a panic. Uses memory, random numbers, a thread and panics.
#[no_mangle]
pub extern "C" fn count_digits(number: u32) -> usize {
    let count = move || {
        if number == 0 {
            resume_unwind(Box::new("a panic without a message on stderr"));
        }
        number.to_string().chars().map(|digit| (digit, ())).collect::<HashMap<_, _>>().len()
    };
    std::thread::spawn(move || catch_unwind(count).unwrap_or(0)).join().unwrap_or(0)
}
