// SPDX-License-Identifier: MIT

//! The structure of the source: imports between modules, the public interface, the use of `unsafe`, the lengths of files and
//! functions.

#[path = "layering/api.rs"]
mod api;
mod support;

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, File, Ident, ImplItemFn, Item, ItemFn, ItemMod, ItemUse, Signature, TraitItemFn};
use syn::{UseName, UseRename, UseTree, Visibility};

/// Every module of the crate for NIR, with the other modules that it may import.
///
/// `text` and `wire` do not import each other.
const NIR_LAYERS: &[(&str, &[&str])] = &[
    ("entity", &[]),
    ("error", &["feature"]),
    ("near", &[]),
    ("feature", &[]),
    ("location", &[]),
    ("op", &["entity", "error", "feature"]),
    ("ir", &["entity", "error", "location", "op"]),
    ("text", &["entity", "error", "near", "op", "ir"]),
    ("wire", &["entity", "error", "op", "ir"]),
];

/// Every module of the library, with the other modules that it may import. The library has the modules for NIR as its own.
///
/// `analysis` imports neither `text` nor `wire`. `check`, `pass`, `spirv` do not import each other.
const LAYERS: &[(&str, &[&str])] = &[
    ("setters", &[]),
    ("descriptors", &[]),
    ("target", &["descriptors", "entity", "error", "feature", "op"]),
    ("module", &["entity", "error", "location", "near", "ir"]),
    ("import", &["entity", "error", "location", "ir", "module"]),
    ("link", &["entity", "error", "module"]),
    ("variant", &["entity", "error", "module"]),
    ("analysis", &["entity", "error", "location", "op", "target", "ir"]),
    ("check", &["entity", "error", "op", "target", "ir", "analysis", "report", "raise", "capture"]),
    ("report", &["error", "feature", "ir"]),
    ("raise", &["entity", "error", "op", "target", "ir", "analysis", "report"]),
    ("plan", &["entity", "error", "setters", "op", "target", "ir", "analysis", "raise"]),
    ("capture", &["entity", "error", "op", "ir"]),
    ("pass", &["entity", "error", "location", "op", "target", "ir", "analysis", "plan", "capture"]),
    ("spirv", &["entity", "error", "setters", "location", "op", "target", "ir", "analysis", "module"]),
    (
        "translator",
        &[
            "entity", "error", "setters", "op", "target", "ir", "text", "wire", "analysis", "check", "raise",
            "capture", "plan", "pass", "spirv", "module",
        ],
    ),
];

/// The most lines of a file, except for tables.
const FILE_LINES: usize = 800;

/// The most lines of a function.
const FUNCTION_LINES: usize = 80;

#[test]
fn modules_import_upwards() {
    let wrong: Vec<String> = [("nir/src", NIR_LAYERS), ("src", LAYERS)].into_iter().flat_map(wrong_imports).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The imports of a crate, whose source is in `folder`, that `layers` does not allow.
fn wrong_imports((folder, layers): (&str, &[(&str, &[&str])])) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources(&[folder]) {
        let Some(module) = source.module() else { continue };
        let own = module[0].as_str();
        let Some((_, allowed)) = layers.iter().find(|(name, _)| *name == own) else {
            wrong.push(format!("{}: module {own} is not in the table", source.name));
            continue;
        };
        let imports: BTreeSet<String> = source.imports().into_iter().map(|mut path| path.swap_remove(0)).collect();
        let refused = imports.iter().filter(|import| *import != own && !allowed.contains(&import.as_str()));
        wrong.extend(refused.map(|import| format!("{}: {own} may not import {import}", source.name)));
    }
    wrong
}

/// Modules of the library whose files have no circular imports. Imports of a folder's `mod.rs` by the files of the folder are
/// ignored.
const WITHOUT_CIRCULAR_IMPORTS: &[&str] = &["analysis", "capture", "check", "module", "pass", "plan", "variant"];

#[test]
fn files_have_no_circular_imports() {
    refuse_circular_imports("src", |module| WITHOUT_CIRCULAR_IMPORTS.contains(&module));
    refuse_circular_imports("interp/src", |_| true);
}

/// Fails if files of the chosen modules of a crate, whose source is in `folder`, have circular imports.
fn refuse_circular_imports(folder: &str, is_chosen: impl Fn(&str) -> bool) {
    let mut imports: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for source in sources(&[folder]) {
        let module = source.module().filter(|module| is_chosen(&module[0]));
        imports.extend(module.map(|module| (module, source.imports())));
    }
    assert!(imports.len() > 20, "{folder} has only {} files", imports.len());
    let files: BTreeSet<Vec<String>> = imports.keys().cloned().collect();
    for (module, paths) in &mut imports {
        let file = |path: &Vec<String>| {
            (1..=path.len()).rev().map(|len| path[..len].to_vec()).find(|path| files.contains(path))
        };
        *paths = paths.iter().filter_map(file).filter(|file| !module.starts_with(file)).collect();
    }
    // Removes files whose imports are all removed, until no file is left or the rest has circular imports.
    while let Some(module) = imports.iter().find(|(_, files)| files.is_empty()).map(|(module, _)| module.clone()) {
        imports.remove(&module);
        for files in imports.values_mut() {
            files.remove(&module);
        }
    }
    assert!(imports.is_empty(), "files in circular imports, or that import such files: {imports:#?}");
}

/// Modules that the documentation of the library does not show.
const HIDDEN: &[&str] = &["analysis", "pass", "spirv"];

#[test]
fn public_types_have_names_of_their_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources(&["src", "nir/src"]) {
        if source.module().is_some_and(|module| !HIDDEN.contains(&module[0].as_str())) {
            source
                .public_types()
                .into_iter()
                .for_each(|name| places.entry(name).or_default().push(source.name.clone()));
        }
    }
    assert!(places.len() > 100, "only {} public types", places.len());
    places.retain(|_, places| places.len() > 1);
    assert!(places.is_empty(), "public types with one name: {places:#?}");
}

/// The folders of code, besides those of the C library and of tests.
const CODE: &[&str] = &["src", "tool", "driver", "xtask", "gen", "interp", "nir", "null-vulkan", "prove", "benches"];

/// Where unsafe code is, besides `ffi/`: calls of Vulkan, and of the OpenGL that compiles GLSL in a process of its own.
const UNSAFE: &[&str] = &["driver/src/", "null-vulkan/src/", "tool/src/glsl/child.rs"];

#[test]
fn unsafe_code_is_in_few_folders() {
    let sources = sources(&[CODE, &["tests"]].concat());
    let stray: Vec<String> = sources
        .into_iter()
        .filter(|source| !UNSAFE.iter().any(|place| source.name.starts_with(place)))
        .filter(Source::has_unsafe)
        .map(|source| source.name)
        .collect();
    assert!(stray.is_empty(), "unsafe outside ffi/ and {UNSAFE:?}: {}", stray.join(", "));
}

#[test]
fn files_are_short() {
    // Tables and generated code.
    let exempt = |name: &str| name.starts_with("nir/src/op/") || name == "ffi/src/bindings.rs";
    let long: Vec<String> = sources(&[CODE, &["ffi", "tests"]].concat())
        .into_iter()
        .filter(|source| !exempt(&source.name) && source.text.lines().count() > FILE_LINES)
        .map(|source| format!("{}: {} lines", source.name, source.text.lines().count()))
        .collect();
    assert!(long.is_empty(), "files over {FILE_LINES} lines:\n{}", long.join("\n"));
}

#[test]
fn functions_are_short() {
    let mut long = Vec::new();
    for source in sources(&[CODE, &["ffi"]].concat()) {
        let too_long = source.functions().into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES);
        long.extend(too_long.map(|(name, lines)| format!("{}: {name} has {lines} lines", source.name)));
    }
    assert!(long.is_empty(), "functions over {FUNCTION_LINES} lines:\n{}", long.join("\n"));
}

/// A file of Rust.
struct Source {
    /// The path below the root of the repository.
    name: String,
    text: String,
}

fn sources(folders: &[&str]) -> Vec<Source> {
    let files = folders.iter().flat_map(|folder| support::files(&support::root().join(folder), &["rs"]));
    files.map(|file| Source::read(&file)).collect()
}

impl Source {
    fn read(file: &Path) -> Source {
        let name = file.strip_prefix(support::root()).expect("a file of the repository");
        let name = name.to_string_lossy().replace('\\', "/");
        Source { name, text: fs::read_to_string(file).expect("a source file") }
    }

    fn syntax(&self) -> File {
        syn::parse_file(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// The path of this module in its crate, `pass::io` for `src/pass/io/mod.rs`; `None` for `lib.rs` and
    /// files of tests.
    fn module(&self) -> Option<Vec<String>> {
        let path = self.name.trim_start_matches("interp/").trim_start_matches("nir/");
        let path = Path::new(path.strip_prefix("src/")?).with_extension("");
        let mut path: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        path.retain(|part| part != "mod");
        (path[0] != "lib" && !path.contains(&"tests".to_string())).then_some(path)
    }

    /// The paths, outside of tests, that start with `crate`, `ntv_nir` or `super`, resolved from the root of the crate.
    fn imports(&self) -> BTreeSet<Vec<String>> {
        let mut imports = Imports { module: self.module().unwrap_or_default(), paths: BTreeSet::new() };
        imports.visit_file(&self.syntax());
        imports.paths
    }

    fn has_unsafe(&self) -> bool {
        let tokens = self.text.parse().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        has_word(tokens, "unsafe")
    }

    /// The names of structs, enums and traits that are `pub`. Those that other crates do not reach are `pub(crate)`, which the lint
    /// `unreachable_pub` checks.
    fn public_types(&self) -> Vec<String> {
        let types = self.syntax().items.into_iter().filter_map(|item| match item {
            Item::Struct(item) => Some((item.vis, item.ident)),
            Item::Enum(item) => Some((item.vis, item.ident)),
            Item::Trait(item) => Some((item.vis, item.ident)),
            _ => None,
        });
        types.filter(|(vis, _)| matches!(vis, Visibility::Public(_))).map(|(_, ident)| ident.to_string()).collect()
    }

    /// Every function outside of tests that has a body, with the number of its lines from `fn` to the closing brace.
    fn functions(&self) -> Vec<(String, usize)> {
        let mut functions = Functions(Vec::new());
        functions.visit_file(&self.syntax());
        functions.0
    }
}

/// Whether `word` is one of these tokens, including those of macros.
fn has_word(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => has_word(group.stream(), word),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether an item is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Collects paths that start with `crate`, `ntv_nir` or `super`.
struct Imports {
    /// The module that is visited.
    module: Vec<String>,
    paths: BTreeSet<Vec<String>>,
}

impl Imports {
    fn add<'a>(&mut self, names: impl Iterator<Item = &'a Ident>) {
        let mut path: Option<Vec<String>> = None;
        for name in names {
            match (name.to_string().as_str(), &mut path) {
                ("crate" | "ntv_nir", _) => path = Some(Vec::new()),
                ("self", Some(_)) => {}
                ("super", Some(path)) => drop(path.pop()),
                ("super", None) => {
                    path = Some(self.module.split_last().map_or(Vec::new(), |(_, parent)| parent.to_vec()))
                }
                (name, Some(path)) => path.push(name.to_string()),
                (_, None) => return,
            }
        }
        self.paths.extend(path.filter(|path| !path.is_empty()));
    }

    fn add_tree<'a>(&mut self, before: &mut Vec<&'a Ident>, tree: &'a UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(&path.ident);
                self.add_tree(before, &path.tree);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_tree(before, tree)),
            UseTree::Name(UseName { ident }) | UseTree::Rename(UseRename { ident, .. }) => {
                self.add(before.iter().copied().chain([ident]));
            }
            UseTree::Glob(_) => self.add(before.iter().copied()),
        }
    }
}

impl<'a> Visit<'a> for Imports {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_for_tests(&module.attrs) {
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.add_tree(&mut Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.add(path.segments.iter().map(|segment| &segment.ident));
        visit::visit_path(self, path);
    }
}

/// Collects functions with the numbers of their lines.
struct Functions(Vec<(String, usize)>);

impl Functions {
    fn add(&mut self, signature: &Signature, body: &Block) {
        let lines = body.span().end().line - signature.fn_token.span.start().line + 1;
        self.0.push((signature.ident.to_string(), lines));
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'a TraitItemFn) {
        if let Some(body) = &function.default {
            self.add(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn sources_are_parsed() {
    let text = "
        use super::{super::ir::{self, x}, super::op};
        fn f<'a>() { // unsafe
            let s = \"} \\\" fn g() {\"; let c = '{'; crate::text::parse(s);
        }
        m! { fn h() { unsafe { } } }
        #[cfg(test)]
        mod tests { use crate::check; fn long() {} }
    ";
    let source = |name: &str, text: &str| Source { name: name.to_string(), text: text.to_string() };
    let pass = source("src/pass/testing.rs", text);
    assert_eq!(pass.functions(), [("f".to_string(), 3)]);
    let paths = ["ir", "ir::x", "op", "text::parse"];
    assert_eq!(pass.imports(), paths.map(|path| path.split("::").map(str::to_string).collect()).into());
    assert_eq!(pass.module(), Some(vec!["pass".to_string(), "testing".to_string()]));
    assert!(pass.has_unsafe());
    assert!(!source("a.rs", "fn f() { let s = \"unsafe\"; }").has_unsafe());
}
