// SPDX-License-Identifier: MIT

//! State tracking, without Vulkan: sets against a model, walks, tables, revisions, cached values, observers.

mod cursor;
mod derived;
mod fixture;
mod incremental;
mod observer;
mod random;
mod revision;
mod rules;
mod sets;
mod table;
mod tracked;
