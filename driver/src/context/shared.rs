// SPDX-License-Identifier: MIT

//! The objects that all contexts of a device share: programs, modules, pipelines, samplers, and the worker that warms pipelines
//! up.

use crate::context::BlendState;
use crate::device::{Device, Logical};
use crate::error::Result;
use crate::pipeline::{DiskCache, Numbers, PipelineDesc, PipelineSource, Pipelines, VertexElements, Word};
use crate::program::Programs;
use crate::resource::{Sampler, SamplerState};
use std::path::PathBuf;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::JoinHandle;

/// The objects that contexts share.
pub(crate) struct Shared {
    /// Declared first, so that the worker ends before the objects that it uses are dropped.
    worker: Mutex<Option<Worker>>,
    pub(crate) programs: Programs,
    pub(crate) pipelines: Arc<Pipelines>,
    pub(crate) blends: Arc<Numbers<BlendState>>,
    pub(crate) elements: Arc<Numbers<VertexElements>>,
    samplers: Mutex<Vec<Weak<Sampler>>>,
}

/// The reference of a device to its shared objects.
pub(crate) type SharedSlot = Mutex<Weak<Shared>>;

impl Shared {
    /// The shared objects of `device`; the first context creates them.
    pub(crate) fn of(device: &Device, pipeline_cache: Option<PathBuf>) -> Result<Arc<Shared>> {
        let mut slot = device.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = slot.upgrade() {
            return Ok(shared);
        }
        let logical = &device.logical;
        let disk = DiskCache::new(logical, pipeline_cache)?;
        let pipelines = Arc::new(Pipelines::new(logical, disk));
        let shared = Arc::new(Shared {
            worker: Mutex::new(None),
            programs: Programs::new(logical, device.target(), &pipelines),
            blends: Numbers::new(Word::Blend, &pipelines),
            elements: Numbers::new(Word::VertexElements, &pipelines),
            pipelines,
            samplers: Mutex::default(),
        });
        *slot = Arc::downgrade(&shared);
        Ok(shared)
    }

    /// The sampler with this state.
    pub(crate) fn sampler(&self, device: &Arc<Logical>, state: &SamplerState) -> Result<Arc<Sampler>> {
        let mut samplers = self.samplers.lock().unwrap_or_else(PoisonError::into_inner);
        samplers.retain(|sampler| sampler.strong_count() > 0);
        let known = samplers.iter().filter_map(Weak::upgrade).find(|sampler| sampler.state == *state);
        if let Some(sampler) = known {
            return Ok(sampler);
        }
        let sampler = Sampler::new(device, state)?;
        samplers.push(Arc::downgrade(&sampler));
        Ok(sampler)
    }

    /// Sends `jobs` to the worker, which creates their pipelines.
    pub(crate) fn warm_up(&self, jobs: Vec<(PipelineDesc, PipelineSource)>) {
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = worker.get_or_insert_with(|| Worker::new(&self.pipelines));
        worker.send(jobs);
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The worker ends first: it may be creating a pipeline.
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // If the cache cannot be written, the next run creates it again.
        let _ = self.pipelines.disk.save();
    }
}

type Job = (PipelineDesc, PipelineSource);

/// A thread that creates pipelines before draws need them.
struct Worker {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    fn new(pipelines: &Arc<Pipelines>) -> Worker {
        let (sender, jobs) = mpsc::channel::<Job>();
        let pipelines = Arc::clone(pipelines);
        let work = move || {
            for (desc, source) in jobs {
                // If it fails here, the draw that needs it fails again, with an error.
                let _ = pipelines.warm(&desc, &source);
            }
        };
        // Without a thread there is no warm-up.
        let thread = std::thread::Builder::new().name("ntv-warm-up".into()).spawn(work).ok();
        Worker { jobs: Some(sender), thread }
    }

    fn send(&self, jobs: Vec<Job>) {
        if let Some(sender) = &self.jobs {
            for job in jobs {
                // The thread takes jobs until the sender is dropped; if there is no thread, the job is dropped.
                let _ = sender.send(job);
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // The thread has ended, even if it panicked.
            let _ = thread.join();
        }
    }
}
