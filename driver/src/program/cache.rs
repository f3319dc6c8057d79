// SPDX-License-Identifier: MIT

//! The programs of a device, by their shaders.

use super::{Builder, Layouts, Program, ProgramOptions, Shader};
use crate::device::Logical;
use crate::error::Result;
use crate::pipeline::Pipelines;
use ntv::Target;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The programs of a device.
pub(crate) struct Programs {
    state: Mutex<State>,
    pub(crate) layouts: Layouts,
    target: Target,
    pipelines: Weak<Pipelines>,
}

struct State {
    builder: Builder,
    known: FxHashMap<Vec<u64>, Arc<Program>>,
    built: u64,
}

impl Programs {
    pub(crate) fn new(device: &Logical, target: &Target, pipelines: &Arc<Pipelines>) -> Programs {
        let builder = Builder::new(device, target);
        let state = State { builder, known: FxHashMap::default(), built: 0 };
        let (layouts, pipelines) = (Layouts::default(), Arc::downgrade(pipelines));
        Programs { state: Mutex::new(state), layouts, target: target.clone(), pipelines }
    }

    /// The program of `shaders`, which are in the order of the pipeline; the first call builds it with `options`.
    pub(crate) fn get(
        &self,
        device: &Arc<Logical>,
        shaders: &[Arc<Shader>],
        options: &ProgramOptions,
    ) -> Result<(Arc<Program>, bool)> {
        let name: Vec<u64> = shaders.iter().map(|shader| shader.id).collect();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = state.known.get(&name) {
            return Ok((Arc::clone(program), false));
        }
        let program = self.adopt(state.builder.build((device, &self.layouts), shaders, options)?);
        state.built += 1;
        state.known.insert(name, Arc::clone(&program));
        Ok((program, true))
    }

    /// Makes the drop of `program` also drop its modules and pipelines.
    pub(crate) fn adopt(&self, mut program: Program) -> Arc<Program> {
        program.pipelines = Weak::clone(&self.pipelines);
        Arc::new(program)
    }

    /// The target of translations.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Removes all programs with this shader. Programs in use are dropped with their last user.
    pub(crate) fn remove(&self, shader: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.known.retain(|name, _| !name.contains(&shader));
    }

    /// The number of programs that exist, and the number that were built so far.
    pub(crate) fn counts(&self) -> (usize, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.known.len(), state.built)
    }
}
