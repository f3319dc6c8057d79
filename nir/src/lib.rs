// SPDX-License-Identifier: MIT

//! NIR, the shader IR of Mesa's drivers: a shader as data ([`ir`]), as Mesa prints it ([`text`]), and as words from a C driver
//! ([`wire`]).
//!
//! ntv has these modules under its own name, and its documentation shows them. This crate is for programs that read or write NIR
//! and translate nothing.
//!
//! | module | subject |
//! |-|-|
//! | [`text`], [`wire`] | NIR as Mesa prints it, and as words, to IR and back |
//! | [`ir`], [`entity`] | a shader as data, and the arenas and ids that it is made of |
//! | [`op`] | the tables of opcodes |
//! | [`feature`] | the features of Vulkan that opcodes need |
//! | [`error`] | what is wrong with a text or with words, and where |
//! | [`near`] | names that are similar to a wrong one |

#![forbid(unsafe_code)]

pub mod entity;
pub mod error;
pub mod feature;
pub mod ir;
#[doc(hidden)]
pub mod location;
pub mod near;
pub mod op;
pub mod text;
pub mod wire;
