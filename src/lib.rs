// SPDX-License-Identifier: MIT

//! ntv translates NIR, the shader IR of Mesa's drivers, to SPIR-V for Vulkan. It is made for layered drivers, which run one
//! graphics API on a driver of another.
//!
//! ```text
//!  NIR as text      NIR as words                            the other stages      a draw
//!       |                |                                        |                 |
//!  text::parse     wire::Decoder                              link::link      module::Key
//!       |                |                                        |                 |
//!       +-> ir::Shader <-+                                        v                 v
//!               |                          module::Module ---> Module ---> Module::instantiate
//!               v                                 ^                                 |
//!  +------ Translator -----------------------+    |                                 v
//!  |  check  ->  passes in order  ->  emit   | ---+                           SPIR-V words
//!  +-----------------------------------------+
//!               ^
//!       target::Target: what the device can do
//! ```
//!
//! A [`Translator`] checks a shader, runs the passes that it needs, and emits a [`Module`]: SPIR-V words with tables of what links and
//! draws may still change in them. [`Module::instantiate`] writes the words for one draw. A driver that knows everything
//! before the translation uses [`Module::words`](Module#structfield.words) as they are.
//!
//! # From text
//!
//! [`text::parse`] reads a shader as Mesa prints it; [`text::find`] finds all shaders of a log:
//!
//! ```
//! let dump = "\
//! shader: MESA_SHADER_FRAGMENT
//! decl_function main () (entrypoint)
//!
//! impl main {
//!     block b0:  // preds:
//!     32     %0 = load_const (0x00000000)
//!     32x4   %1 = load_const (0x3f800000, 0x00000000, 0x00000000, 0x3f800000)
//!     @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1)
//!     // succs: b1
//!     block b1:
//! }
//! ";
//! let mut shader = ntv::text::parse(dump)?;
//! let module = ntv::Translator::default().translate(&mut shader, &ntv::EmitOptions::default())?;
//! assert_eq!(module.words[0], 0x0723_0203);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! # From words
//!
//! A driver writes a shader as words ([`wire`]). One decoder, one translator and one shader for each thread keep their memory from
//! shader to shader:
//!
//! ```
//! use ntv::wire::Decoder;
//! use ntv::{EmitOptions, Feature, Key, Options, Shader, Target, Translator};
//!
//! # let dump = "\
//! # shader: MESA_SHADER_VERTEX
//! # decl_function main () (entrypoint)
//! #
//! # impl main {
//! #     block b0:  // preds:
//! #     32     %0 = load_const (0x00000000)
//! #     32x4   %1 = load_const (0x3f800000, 0x00000000, 0x00000000, 0x3f800000)
//! #     @store_output (%1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32, io location=VARYING_SLOT_POS slots=1)
//! #     // succs: b1
//! #     block b1:
//! # }
//! # ";
//! # let wire = ntv::wire::encode(&ntv::text::parse(dump)?);
//! let mut target = Target::preset("vulkan1.2").expect("a preset");
//! target.set(Feature::shaderFloat64, false);
//! let mut translator = Translator::new(Options::default().target(target));
//! let (mut decoder, mut shader) = (Decoder::default(), Shader::default());
//!
//! decoder.decode(&wire, &mut shader)?;
//! let module = translator.translate(&mut shader, &EmitOptions::default().offer(Key::ALL))?;
//!
//! let mut words = Vec::new();
//! module.instantiate(&Key::new(Key::FLIP_Y), &mut words)?;
//! assert_ne!(words, module.words);
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! # Reflection
//!
//! A module has lists of its descriptors, and of the inputs and outputs that it shares with other stages. [`import::reflect`] reads
//! the same of any SPIR-V:
//!
//! ```
//! # let dump = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ubo_loop.nir"));
//! let module = ntv::Translator::default().translate(&mut ntv::text::parse(dump)?, &ntv::EmitOptions::default())?;
//! for block in &module.bindings {
//!     println!("set {}, binding {}: {:?} of at least {} bytes", block.set, block.binding, block.kind, block.min_range);
//! }
//! let outputs = module.interface.iter().filter(|it| it.is_output && it.builtin.is_none());
//! assert_eq!((module.bindings.len(), outputs.count()), (1, 1));
//!
//! let reflection = ntv::import::reflect(&module.words)?;
//! assert_eq!((reflection.stage, reflection.bindings.len()), (module.stage, 1));
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! # Links and variants
//!
//! [`link::link`] removes what stages do not share, and packs their locations. A [`Key`] then has the facts of a draw, and
//! [`variant::Program`] gives each stage its part of it. Neither translates again:
//!
//! ```
//! use ntv::{variant, EmitOptions, Key};
//!
//! # let vertex = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/vertex.nir"));
//! # let fragment = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/fragment.nir"));
//! let (mut translator, options) = (ntv::Translator::default(), EmitOptions::default().offer(Key::ALL));
//! let vertex = translator.translate(&mut ntv::text::parse(vertex)?, &options)?;
//! let fragment = translator.translate(&mut ntv::text::parse(fragment)?, &options)?;
//!
//! let linked = ntv::link::link(&[&vertex, &fragment], Vec::new())?;
//! println!("{} outputs and {} inputs are removed", linked.removed_outputs, linked.removed_inputs);
//!
//! let number = |(id, module): (u64, ntv::Module)| variant::NumberedModule { id, module: module.into() };
//! let program = variant::Program::new((0..).zip(linked.modules).map(number).collect())?;
//! let mut words = Vec::new();
//! for (stage, key) in program.keys(&Key::new(Key::FLIP_Y))? {
//!     stage.module.instantiate(&key, &mut words)?;
//!     println!("{} has {} words", stage.module.stage.name(), words.len());
//! }
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! # Errors
//!
//! The library prints nothing, and panics on no input. Each problem is an [`Error`] with its kind and its place, and says what to do
//! if the target lacks a feature:
//!
//! ```
//! use ntv::{ErrorKind, Feature, Options, Target, Translator};
//!
//! let errors = ntv::text::parse("shader: MESA_SHADER_VERTEX\nsubgroup_size: many\n").unwrap_err();
//! assert_eq!((errors.0[0].kind, errors.0[0].place.line), (ErrorKind::Syntax, 2));
//!
//! # let dump = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/captures.nir"));
//! let mut target = Target::default();
//! target.set(Feature::transformFeedback, false);
//! let mut translator = Translator::new(Options::default().target(target));
//! let errors = translator.translate(&mut ntv::text::parse(dump)?, &ntv::EmitOptions::default()).unwrap_err();
//! assert_eq!(errors.0[0].lacks, Some(Feature::transformFeedback));
//! println!("{errors}\n{}", errors.0[0].advice().unwrap_or_default());
//! # Ok::<(), ntv::Errors>(())
//! ```
//!
//! # Modules
//!
//! | module | subject |
//! |-|-|
//! | [`text`], [`wire`] | NIR as Mesa prints it, and as words from a C driver, to IR and back |
//! | [`ir`], [`entity`] | a shader as data, and the arenas and ids that it is made of |
//! | [`op`] | the tables of opcodes |
//! | [`target`] | every fact about the device that a shader is translated for |
//! | [`check`] | the rules of NIR, and what a [`Target`] must have |
//! | [`module`], [`link`], [`variant`] | SPIR-V with tables: words for links and draws |
//! | [`import`] | tables for SPIR-V of other compilers |
//! | [`plan`] | which storage class each uniform block of a program gets |
//! | [`capture`] | transform feedback: which component of which output is captured to which byte |
//! | [`error`] | what is wrong with a shader, and where |
//!
//! Modules that this documentation does not show, such as `analysis`, `pass`, `spirv` and `op::fold`, are public for the tools
//! and tests of the repository. They are not part of the interface, and change with any version.

#![forbid(unsafe_code)]

mod descriptors;
mod setters;
pub mod target;

pub mod module;

#[doc(hidden)]
pub mod analysis;
pub mod capture;
pub mod check;
#[doc(hidden)]
pub mod pass;
pub mod plan;
pub mod raise;
mod report;
#[doc(hidden)]
pub mod spirv;
mod translator;

pub mod import;
pub mod link;
pub mod variant;

pub use ntv_nir::{entity, error, ir, near, op, text, wire};
use ntv_nir::{feature, location};

pub use analysis::push_constants::PushConstants;
pub use error::{Error, ErrorKind, Errors, Place};
pub use ir::Shader;
pub use module::{Binding, DescriptorKind, Key, Module};
pub use pass::BufferAccess;
pub use spirv::EmitOptions;
pub use target::{Feature, Target, Workaround};
pub use translator::{Input, Options, Translator};

/// README's example of Rust, as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
