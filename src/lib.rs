//! ntv translates NIR, the SSA shader IR of Mesa's drivers, to SPIR-V for Vulkan layered drivers.
//!
//! A shader goes one way through the crate:
//!
//! ```text
//! NIR text --text::parse--> ir::Shader --check--> pass::pipeline --> ir::Shader --spirv::emit--> Module
//! ```
//!
//! | module | what lives there |
//! |-|-|
//! | [`op`] | the opcode tables: one row says everything about an opcode |
//! | [`ir`] | a shader as data, and the builder and rewriter that change it |
//! | [`text`] | NIR's printed form, in both of Mesa's dialects, to IR and back |
//! | [`wire`] | NIR as words, from a C driver, to IR and back |
//! | [`plan`] | which storage class each uniform block of a program gets |
//! | [`capture`] | which component of which output goes to which byte of a transform feedback buffer |
//! | [`check`] | the rules of NIR, and what a [`Target`] must have |
//! | [`pass`] | lowerings and optimisations, one per file, and their order |
//! | [`module`] | a SPIR-V module with the tables of what may change in it |
//! | [`spirv`] | IR to words |
//! | [`import`] | tables for SPIR-V from elsewhere |
//! | [`link`], [`variant`] | other words of the same modules, at link and draw time |
//! | [`interp`] | runs a shader on the CPU |
//! | [`target`] | every fact about the driver below |
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
//! let mut shader = ntv::text::parse(dump).remove(0).shader?;
//! let module = ntv::Translator::default().translate(&mut shader, &ntv::EmitOptions::default())?;
//! assert_eq!(module.words[0], 0x0723_0203);
//! # Ok::<(), ntv::Errors>(())
//! ```

pub mod entity;
pub mod error;
mod feature;
pub mod op;
pub mod target;

pub mod ir;
pub mod module;

pub mod analysis;
pub mod capture;
pub mod check;
pub mod interp;
pub mod pass;
pub mod plan;
pub mod spirv;
pub mod text;
mod translator;
pub mod wire;

pub mod import;
pub mod link;
pub mod variant;

pub use error::{Error, ErrorKind, Errors, Place};
pub use ir::Shader;
pub use module::{Binding, DescriptorKind, Key, Module};
pub use pass::BufferAccess;
pub use spirv::EmitOptions;
pub use target::{Feature, Target, Workaround};
pub use translator::{Input, Options, Translator};
