// SPDX-License-Identifier: MIT

//! The debug information of a library: symbols, and the source files of instructions.

use super::phase::{self, Phase};
use addr2line::Loader;
use anyhow::{Context, Result};
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

/// A function of a library.
pub(crate) struct Function {
    pub(crate) addresses: Range<u64>,
    /// The name in the table of symbols.
    pub(crate) name: String,
    /// The name of the source file, if the table has it.
    pub(crate) source: Option<String>,
}

/// A program or library that was read.
struct Image {
    /// By address.
    functions: Vec<Function>,
    lines: Option<Loader>,
    /// The root of ntv's repository when its library was compiled, with a slash at the end.
    root: Option<String>,
    name: String,
}

/// The origin of an instruction.
#[derive(Debug)]
pub(crate) struct Origin {
    /// The phase of its source files, and the name of the pass.
    pub(crate) phase: Option<(Phase, Option<Rc<str>>)>,
    /// The function in the table of symbols, demangled.
    pub(crate) symbol: Rc<str>,
    /// The source file of the innermost function that was inlined there.
    pub(crate) file: Rc<str>,
    /// The innermost source file that is ntv's own.
    pub(crate) own: Rc<str>,
}

/// All libraries that were read, by path.
#[derive(Default)]
pub(crate) struct Images(HashMap<String, Image>);

impl Images {
    /// The offset of the function `name` of the library at `path` from its first byte.
    pub(crate) fn function(&mut self, path: &str, name: &str) -> Result<u64> {
        let found = self.get(path)?.functions.iter().find(|function| function.name == name);
        Ok(found.with_context(|| format!("no function {name} in {path}"))?.addresses.start)
    }

    /// The symbol of the function at `offset`, without the suffix that a compiler adds to the name of a part or copy.
    pub(crate) fn symbol(&mut self, path: &str, offset: u64) -> Result<&str> {
        let symbol = self.get(path)?.at(offset).map_or("", |function| &function.name);
        Ok(symbol.split('.').next().unwrap_or(symbol))
    }

    /// The origin of the instruction at `offset`.
    pub(crate) fn place(&mut self, path: &str, offset: u64) -> Result<Origin> {
        self.get(path)?.place(offset)
    }

    fn get(&mut self, path: &str) -> Result<&Image> {
        if !self.0.contains_key(path) {
            self.0.insert(path.to_owned(), Image::open(Path::new(path))?);
        }
        Ok(&self.0[path])
    }
}

impl Image {
    fn open(path: &Path) -> Result<Image> {
        let at = || path.display().to_string();
        let bytes = std::fs::read(path).with_context(at)?;
        let functions = functions(&object::File::parse(&*bytes).with_context(at)?);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // Without line tables, only symbols are used.
        let lines = Loader::new(path).ok();
        let mut image = Image { functions, lines, root: None, name };
        image.root = image.find_root();
        Ok(image)
    }

    /// Finds the root: some line of the function `ntvr_module_create` is of a file below `ffi/src/`.
    fn find_root(&self) -> Option<String> {
        let function = self.functions.iter().find(|function| function.name == "ntvr_module_create")?;
        let mut files = function.addresses.clone().flat_map(|offset| self.files(offset));
        files.find_map(|file| file.split_once("ffi/src/").map(|(root, _)| root.to_owned()))
    }

    fn at(&self, offset: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|function| function.addresses.start <= offset);
        self.functions[..after].last().filter(|function| function.addresses.contains(&offset))
    }

    /// The source files of the functions that are inlined at `offset`, the innermost first.
    fn files(&self, offset: u64) -> Vec<String> {
        let mut files = Vec::new();
        let Some(mut frames) = self.lines.as_ref().and_then(|lines| lines.find_frames(offset).ok()) else {
            return files;
        };
        while let Ok(Some(frame)) = frames.next() {
            files.extend(frame.location.and_then(|location| location.file).map(str::to_owned));
        }
        files
    }

    fn place(&self, offset: u64) -> Result<Origin> {
        let files = self.files(offset);
        let files: Vec<&str> = files.iter().map(|file| short(file, self.root.as_deref())).collect();
        let function = self.at(offset);
        let symbol = match function {
            Some(function) => format!("{:#}", rustc_demangle::demangle(&function.name)),
            None => format!("[{}]", self.name),
        };
        let source = function.and_then(|function| function.source.as_deref()).unwrap_or(&self.name);
        let own = files.iter().find(|file| is_own(file)).copied().unwrap_or(source);
        let phase = phase::of_chain(&files).map(|(phase, pass)| (phase, pass.map(Rc::from)));
        Ok(Origin {
            phase,
            symbol: symbol.into(),
            file: files.first().copied().unwrap_or(source).into(),
            own: own.into(),
        })
    }
}

/// The functions in the table of symbols, by address.
pub(crate) fn functions(file: &object::File<'_>) -> Vec<Function> {
    let mut functions = Vec::new();
    let mut source = None;
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(name) = symbol.name() else { continue };
        match symbol.kind() {
            // Symbols that are local to a file come after its name.
            SymbolKind::File => source = Some(name.to_owned()).filter(|name| !name.is_empty()),
            SymbolKind::Text if symbol.size() > 0 => {
                let addresses = symbol.address()..symbol.address() + symbol.size();
                let source = source.clone().filter(|_| symbol.is_local());
                functions.push(Function { addresses, name: name.to_owned(), source });
            }
            _ => {}
        }
    }
    functions.sort_by_key(|function| function.addresses.start);
    functions.dedup_by_key(|function| function.addresses.start);
    functions
}

/// A path without the parts that differ between machines: below `root`, or below the folder of Rust's library or of a crate.
fn short<'a>(path: &'a str, root: Option<&str>) -> &'a str {
    let below = root.and_then(|root| path.strip_prefix(root));
    let registry =
        || path.split_once("/registry/src/").and_then(|(_, rest)| rest.split_once('/')).map(|(_, rest)| rest);
    let rust = || path.strip_prefix("/rustc/").and_then(|rest| rest.split_once('/')).map(|(_, rest)| rest);
    below.or_else(registry).or_else(rust).unwrap_or(path)
}

/// Whether a path from [`short`] is in ntv's repository.
fn is_own(path: &str) -> bool {
    path.starts_with("src/") || path.starts_with("nir/src/") || path.starts_with("ffi/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short() {
        let root = Some("/home/me/ntv/");
        assert_eq!(short("/home/me/ntv/nir/src/ir/mod.rs", root), "nir/src/ir/mod.rs");
        assert_eq!(
            short("/home/me/.cargo/registry/src/index-12/hashbrown-0.15.2/src/raw.rs", root),
            "hashbrown-0.15.2/src/raw.rs"
        );
        assert_eq!(short("/rustc/5980/library/core/src/ptr/mod.rs", root), "library/core/src/ptr/mod.rs");
        assert_eq!(short("/elsewhere/src/check/mod.rs", root), "/elsewhere/src/check/mod.rs");
        assert_eq!(short("/home/me/ntv/nir/src/ir/mod.rs", None), "/home/me/ntv/nir/src/ir/mod.rs");
    }

    #[test]
    fn crates_are_not_ntv() {
        assert!(is_own("nir/src/ir/mod.rs") && is_own("ffi/src/lib.rs"));
        assert!(!is_own("hashbrown-0.15.2/src/raw.rs") && !is_own("library/core/src/ptr/mod.rs"));
    }

    /// This program has the symbols and line tables that the module reads from others.
    #[test]
    fn functions_have_symbols_and_files() {
        let program = std::env::current_exe().unwrap();
        let image = Image::open(&program).unwrap();
        let function =
            image.functions.iter().find(|function| function.name.contains("functions_have_symbols_and_files"));
        let start = function.unwrap().addresses.start;
        let place = image.place(start).unwrap();
        assert!(place.symbol.contains("functions_have_symbols_and_files"), "{place:?}");
        assert!(image.files(start).iter().any(|file| file.ends_with("image.rs")), "{:?}", image.files(start));
        assert_eq!(place.phase, None);
    }
}
