//! Vulkan's pipeline cache, kept in a file between runs.
//!
//! What is in the file is the driver's. A file of another driver or version, or a damaged one, is not used: the header that every
//! cache begins with (Vulkan, "Pipeline Cache Header") says what made it, and the file has a sum of its bytes before it.

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

/// The cache of a device.
pub(crate) struct DiskCache {
    device: Arc<Logical>,
    pub(crate) raw: Owned<vk::PipelineCache>,
    path: Option<PathBuf>,
}

impl DiskCache {
    /// A cache with what the file at `path` has, if it is there and whole.
    pub(crate) fn new(device: &Arc<Logical>, path: Option<PathBuf>) -> Result<DiskCache> {
        let data = path.as_deref().and_then(|path| fs::read(path).ok()).and_then(unpack).unwrap_or_default();
        let info = vk::PipelineCacheCreateInfo::default().initial_data(&data);
        // SAFETY: the bytes are those that some driver wrote, whole; one that is not its own a driver ignores.
        let raw = unsafe { device.raw.create_pipeline_cache(&info, None) }.during("vkCreatePipelineCache")?;
        let raw = Owned::new(device, raw);
        Ok(DiskCache { device: Arc::clone(device), raw, path })
    }

    /// Writes it to its file, whole or not at all. Does nothing without a file.
    pub(crate) fn save(&self) -> Result<()> {
        let Some(path) = &self.path else { return Ok(()) };
        // SAFETY: the cache is of this device.
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

/// The cache's bytes in those of a file, if it is whole.
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
