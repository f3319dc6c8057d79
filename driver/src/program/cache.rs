//! The programs of a device, by the shaders that they are made of.

use super::{Builder, Layouts, Program, ProgramOptions, Shader};
use crate::device::Logical;
use crate::error::Result;
use ntv::Target;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Programs that were made so far.
pub(crate) struct Programs {
    state: Mutex<State>,
    pub(crate) layouts: Layouts,
    target: Target,
}

struct State {
    builder: Builder,
    known: FxHashMap<Vec<u64>, Arc<Program>>,
    built: u64,
}

impl Programs {
    pub(crate) fn new(device: &Logical, target: &Target) -> Programs {
        let builder = Builder::new(device, target);
        let state = State { builder, known: FxHashMap::default(), built: 0 };
        Programs { state: Mutex::new(state), layouts: Layouts::default(), target: target.clone() }
    }

    /// The program of `shaders`, which come in the order of the pipeline; made with `options` if it is not there.
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
        let program = Arc::new(state.builder.build((device, &self.layouts), shaders, options)?);
        state.built += 1;
        state.known.insert(name, Arc::clone(&program));
        Ok((program, true))
    }

    /// What translations may use.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Forgets all programs with this shader, and gives them.
    pub(crate) fn remove(&self, shader: u64) -> Vec<Arc<Program>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut gone = Vec::new();
        state.known.retain(|name, program| {
            let stays = !name.contains(&shader);
            if !stays {
                gone.push(Arc::clone(program));
            }
            stays
        });
        gone
    }

    /// Programs that there are, and that were made so far.
    pub(crate) fn counts(&self) -> (usize, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.known.len(), state.built)
    }
}
