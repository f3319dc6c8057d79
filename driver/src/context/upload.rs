// SPDX-License-Identifier: MIT

//! Uploads to the device: memory that the host writes and commands read.

use super::Context;
use crate::error::{Error, Result};
use crate::resource::{BufferDescription, BufferStorage, Usage};
use std::sync::Arc;

/// The size of a chunk in bytes.
const CHUNK: u64 = 1 << 20;

/// The name of chunks. A log of null-vulkan has their contents instead of their addresses.
const NAME: &std::ffi::CStr = c"~uploads";

/// Chunks of memory, filled in sequence. A chunk that no batch uses any more is reused.
#[derive(Default)]
pub(super) struct Uploads {
    chunks: Vec<Arc<BufferStorage>>,
    current: Option<Arc<BufferStorage>>,
    offset: u64,
}

/// The position of uploaded bytes.
#[derive(Clone)]
pub(super) struct Uploaded {
    pub(super) storage: Arc<BufferStorage>,
    pub(super) offset: u64,
}

impl Context {
    /// Writes `bytes`, padded with zeros to `size`, into upload memory, at a multiple of `alignment`.
    pub(super) fn upload(&mut self, bytes: &[u8], size: u64, alignment: u64) -> Result<Uploaded> {
        let size = size.max(bytes.len() as u64).max(1);
        let place = self.reserve(size, alignment)?;
        let padding = size as usize - bytes.len();
        let written = place.storage.write(place.offset, bytes)
            && (padding == 0 || place.storage.write(place.offset + bytes.len() as u64, &vec![0; padding]));
        if !written {
            return Err(Error::new("the host cannot write the upload memory"));
        }
        self.counters.uploaded_bytes += size;
        self.batch.bytes += size;
        // Only the host writes it.
        self.batch.keep_buffer(&place.storage);
        Ok(place)
    }

    fn reserve(&mut self, size: u64, alignment: u64) -> Result<Uploaded> {
        let alignment = alignment.max(4);
        if size > CHUNK {
            return Ok(Uploaded { storage: self.chunk(size)?, offset: 0 });
        }
        let uploads = &mut self.uploads;
        let offset = uploads.offset.next_multiple_of(alignment);
        if let Some(storage) = uploads.current.clone().filter(|_| offset + size <= CHUNK) {
            uploads.offset = offset + size;
            return Ok(Uploaded { storage, offset });
        }
        uploads.current = None;
        let free = uploads.chunks.iter().find(|chunk| Arc::strong_count(chunk) == 1).cloned();
        let storage = match free {
            Some(storage) => storage,
            None => {
                let storage = self.chunk(CHUNK)?;
                self.uploads.chunks.push(Arc::clone(&storage));
                storage
            }
        };
        (self.uploads.current, self.uploads.offset) = (Some(Arc::clone(&storage)), size);
        Ok(Uploaded { storage, offset: 0 })
    }

    fn chunk(&self, size: u64) -> Result<Arc<BufferStorage>> {
        let storage = BufferStorage::new(&self.device, BufferDescription { size, usage: Usage::Stream })?;
        self.device.functions.name(*storage.raw, NAME);
        Ok(Arc::new(storage))
    }
}
