// SPDX-License-Identifier: MIT

//! The memory mappings of a process.

use anyhow::{Context, Result};

/// A mapping of a process: a line of `/proc/PID/maps`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) start: u64,
    pub(crate) end: u64,
    writable: bool,
    /// The offset of its start in the file.
    pub(crate) offset: u64,
    /// The path of the file, if there is one.
    pub(crate) file: Option<String>,
}

/// The mappings of a process by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Maps(Vec<Mapping>);

impl Maps {
    /// Parses a text such as `/proc/PID/maps`.
    pub(crate) fn parse(text: &str) -> Result<Maps> {
        let line = |line: &str| mapping(line).with_context(|| format!("not a mapping: {line}"));
        Ok(Maps(text.lines().map(line).collect::<Result<_>>()?))
    }

    /// The mapping with `address`.
    pub(crate) fn find(&self, address: u64) -> Option<&Mapping> {
        let at = self.0.partition_point(|mapping| mapping.end <= address);
        self.0.get(at).filter(|mapping| mapping.start <= address)
    }

    /// Whether the memory at `address` comes from a file and is read only: constants, and tables of addresses that the dynamic
    /// linker filled in before it removed the write permission. `None` if nothing is mapped there.
    pub(crate) fn is_constant(&self, address: u64) -> Option<bool> {
        self.find(address).map(|mapping| mapping.file.is_some() && !mapping.writable)
    }

    /// Path and address of the first mapping of a file whose name `wanted` accepts.
    pub(crate) fn file(&self, wanted: impl Fn(&str) -> bool) -> Option<(&str, u64)> {
        let named = self.0.iter().filter(|mapping| mapping.offset == 0);
        named.filter_map(|mapping| Some((mapping.file.as_deref()?, mapping.start))).find(|(path, _)| {
            let name = path.rsplit('/').next().unwrap_or(path);
            wanted(name)
        })
    }

    /// The address of the start of the file at this path.
    pub(crate) fn start_of(&self, path: &str) -> Option<u64> {
        self.0
            .iter()
            .find(|mapping| mapping.file.as_deref() == Some(path))
            .map(|mapping| mapping.start - mapping.offset)
    }
}

/// `7f1c2a000000-7f1c2a021000 r-xp 00001000 fe:01 1234   /usr/lib/libc.so.6`
fn mapping(line: &str) -> Option<Mapping> {
    let mut words = line.splitn(6, ' ');
    let (start, end) = words.next()?.split_once('-')?;
    let rights = words.next()?;
    let offset = words.next()?;
    let file = words.nth(2).map(str::trim).filter(|path| path.starts_with('/'));
    let number = |text| u64::from_str_radix(text, 16).ok();
    Some(Mapping {
        start: number(start)?,
        end: number(end)?,
        writable: rights.contains('w'),
        offset: number(offset)?,
        file: file.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
555000000000-555000001000 r--p 00000000 fe:01 12                         /usr/bin/some program
555000001000-555000002000 r-xp 00001000 fe:01 12                         /usr/bin/some program
555000003000-555000004000 rw-p 00002000 fe:01 12                         /usr/bin/some program
555000005000-555000006000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000001000 r--p 00000000 00:00 0 
";

    #[test]
    fn constants_are_file_mappings_that_are_not_writable() {
        let maps = Maps::parse(TEXT).unwrap();
        let constant = |address| maps.is_constant(address);
        assert_eq!(constant(0x5550_0000_0000), Some(true));
        assert_eq!(constant(0x5550_0000_1fff), Some(true));
        assert_eq!(constant(0x5550_0000_2000), None);
        assert_eq!(constant(0x5550_0000_3000), Some(false));
        assert_eq!(constant(0x5550_0000_5000), Some(false));
        assert_eq!(constant(0x7f00_0000_0000), Some(false));
        assert_eq!(constant(0x7f00_0000_1000), None);
    }

    #[test]
    fn files_are_found_by_name() {
        let maps = Maps::parse(TEXT).unwrap();
        assert_eq!(maps.file(|name| name == "some program"), Some(("/usr/bin/some program", 0x5550_0000_0000)));
        assert_eq!(maps.file(|name| name == "usr"), None);
        assert_eq!(maps.start_of("/usr/bin/some program"), Some(0x5550_0000_0000));
    }

    #[test]
    fn other_text_is_an_error() {
        assert!(Maps::parse("hello").is_err());
    }
}
