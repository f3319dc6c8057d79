// SPDX-License-Identifier: MIT

//! Whether each pass keeps the meaning of a shader.
//!
//! A proof of a translation says that all passes together are right. [`prove_passes`] proves one after the other: the shader before a
//! pass against the shader after it, and the last one against the words. So it also names the pass that is wrong.

use crate::compare::{Prover, Verdict};
use ntv::error::Errors;
use ntv::pass::PIPELINE;
use ntv::{EmitOptions, Options, Shader, Translator};

/// The name of the step from the lowered shader to the words.
pub const EMISSION: &str = "emission";

/// A step of a translation, and whether the shader means the same after it.
#[derive(Debug)]
pub struct Proof {
    /// The name of the pass, or [`EMISSION`].
    pub step: &'static str,
    /// The answer.
    pub verdict: Verdict,
}

/// Proves each pass that changes `shader`, and the emission.
///
/// # Errors
/// The shader has no translation with these options.
pub fn prove_passes(prover: &mut Prover, shader: &Shader, options: &Options) -> Result<Vec<Proof>, Errors> {
    let target = &options.target;
    let mut translator = Translator::new(options.clone());
    let module = translator.translate(&mut shader.clone(), &EmitOptions::default())?;
    let mut proofs = Vec::new();
    let mut before = shader.clone();
    for pass in PIPELINE {
        let mut after = shader.clone();
        translator.lower(&mut after, Some(pass.name))?;
        if after != before {
            let verdict = prover.prove_lowered(&before, target, (&after, &module.words));
            proofs.push(Proof { step: pass.name, verdict });
            before = after;
        }
    }
    let verdict = prover.prove(&before, target, &module.words);
    proofs.push(Proof { step: EMISSION, verdict });
    Ok(proofs)
}
