// SPDX-License-Identifier: MIT

//! What the crate does for its users: the tests of private items are with these.

mod op;
mod text;
