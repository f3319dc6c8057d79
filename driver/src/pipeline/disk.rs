// SPDX-License-Identifier: MIT

//! Vulkan's pipeline cache, kept in a file between runs.
//!
//! The driver defines the contents of the file. A file of another driver or version, or a damaged one, is not used: the header of
//! every cache (Vulkan, "Pipeline Cache Header") identifies its driver, and the file has a checksum before the cache.

use crate::device::handle::Owned;
use crate::device::Logical;
use crate::error::{Context as _, Error, Result};
use ash::vk;
use std::fs;
use std::hash::Hasher;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The start of a file.
const MAGIC: [u8; 8] = *b"ntvpc\0\0\x01";

/// The pipeline cache of a device.
pub(crate) struct DiskCache {
    device: Arc<Logical>,
    pub(crate) raw: Owned<vk::PipelineCache>,
    path: Option<PathBuf>,
}

impl DiskCache {
    /// A cache with the contents of the file at `path`, if it exists and is not damaged.
    pub(crate) fn new(device: &Arc<Logical>, path: Option<PathBuf>) -> Result<DiskCache> {
        let data = path.as_deref().and_then(|path| fs::read(path).ok()).and_then(unpack).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the bytes are those that a driver wrote, complete; a driver ignores a cache of another driver.
        let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }.during("vkCreatePipelineCache")?;
        let raw = Owned::new(device, raw);
        Ok(DiskCache { device: Arc::clone(device), raw, path })
    }

    /// Writes it to its file, completely or not at all. Does nothing without a file.
    pub(crate) fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        // SAFETY: the cache belongs to this device.
        let data = unsafe { self.device.raw.get_pipeline_cache_data(*self.raw) }.during("vkGetPipelineCacheData")?;
        write(path, &data).map_err(|error| Error::new(format!("{}: {error}", path.display())))
    }
}

fn write(path: &Path, data: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let mut file = fs::File::create(&name)?;
    let written = file.write_all(&MAGIC).and_then(|()| file.write_all(&sum(data).to_le_bytes()));
    let written = written.and_then(|()| file.write_all(data)).and_then(|()| fs::rename(&name, path));
    written.inspect_err(|_| drop(fs::remove_file(&name)))
}

/// The cache in the bytes of a file, if the file is not damaged.
fn unpack(mut file: Vec<u8>) -> Option<Vec<u8>> {
    let head = MAGIC.len() + 8;
    let stored = file.get(MAGIC.len()..head)?;
    let stored = u64::from_le_bytes(stored.try_into().ok()?);
    if !file.starts_with(&MAGIC) || sum(&file[head..]) != stored {
        return None;
    }
    file.drain(..head);
    Some(file)
}

fn sum(data: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(data);
    hasher.write_usize(data.len());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_files_are_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/cache");
        write(&path, b"some bytes").unwrap();
        let file = fs::read(&path).unwrap();
        assert_eq!(unpack(file.clone()).as_deref(), Some(&b"some bytes"[..]));
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 1;
            assert_eq!(unpack(damaged), None, "byte {at}");
            assert_eq!(unpack(file[..at].to_vec()), None, "{at} bytes");
        }
    }
}
