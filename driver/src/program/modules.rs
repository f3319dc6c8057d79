// SPDX-License-Identifier: MIT

//! Vulkan modules: one for equal words, created from the words that a program's stage has for a key.

use super::Program;
use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use ash::vk;
use ntv::module::ShaderStage;
use ntv::variant::{Cache, CacheCounters};
use ntv::Key;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The maximum number of words that are kept, of all modules together: 16 MiB.
const BOUND: usize = 4 << 20;

/// The modules of a device.
pub(crate) struct Modules {
    cache: Mutex<Cache<Arc<Owned<vk::ShaderModule>>>>,
    nanoseconds: AtomicU64,
}

impl Default for Modules {
    fn default() -> Modules {
        Modules { cache: Mutex::new(Cache::new(BOUND)), nanoseconds: AtomicU64::new(0) }
    }
}

/// An error of a cache, from Vulkan or from ntv.
struct Failed(Error);

impl From<ntv::Error> for Failed {
    fn from(error: ntv::Error) -> Failed {
        Failed(Error::new(error.to_string()))
    }
}

impl Modules {
    /// The module of each stage of `program` for `key`.
    pub(crate) fn get(
        &self,
        device: &Arc<Logical>,
        program: &Program,
        key: &Key,
    ) -> Result<Vec<(ShaderStage, Arc<Owned<vk::ShaderModule>>)>> {
        let keys = program.variants.keys(key).map_err(|error| Error::new(error.to_string()))?;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut modules = Vec::new();
        for (shader, key) in keys {
            let made = cache.get(shader, &key, |words| {
                let start = Instant::now();
                let made = create_module(device, words).map(Arc::new).map_err(Failed);
                self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
                made
            });
            modules.push((shader.module.stage, Arc::clone(made.map_err(|failed| failed.0)?)));
        }
        // Pipelines that are being created hold their modules.
        cache.take_evicted();
        Ok(modules)
    }

    /// Removes the modules of `program`, which is being dropped.
    pub(crate) fn remove(&self, program: &Program) {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        program.variants.shaders().iter().for_each(|shader| cache.remove(shader.id));
        cache.take_evicted();
    }

    /// The time that Vulkan took to create them.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    pub(crate) fn counters(&self) -> CacheCounters {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).counters()
    }
}

/// Creates a module of words.
pub(crate) fn create_module(device: &Arc<Logical>, words: &[u32]) -> Result<Owned<vk::ShaderModule>> {
    let info = vk::ShaderModuleCreateInfo::default().code(words);
    // SAFETY: the words are a valid module: those of ntv, or those that its user vouches for.
    let module = unsafe { device.raw.create_shader_module(&info, None) }.during("vkCreateShaderModule")?;
    Ok(Owned::new(device, module))
}
