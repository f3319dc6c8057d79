// SPDX-License-Identifier: MIT

//! The links, paths and commands of the documentation exist.

#[path = "support/markdown.rs"]
mod markdown;
mod support;

use markdown::Markdown;
use std::fs;
use std::path::{Path, PathBuf};

/// Placeholders in paths, and the start of paths in other projects.
const PLACEHOLDERS: &[&str] = &["NAME", "FOLDER", "PREFIX", "*", "...", "src/gallium/", "subprojects/"];

/// The ends of the names of files and folders that a page may name.
const EXTENSIONS: &[&str] =
    &["/", ".rs", ".md", ".toml", ".c", ".h", ".nir", ".py", ".svg", ".build", ".patch", ".txt"];

/// A page of the documentation.
struct Page {
    /// The path below the root of the repository.
    name: String,
    /// The folder that contains it.
    folder: PathBuf,
    text: String,
    markdown: Markdown,
}

/// The pages at the root, those of `docs/`, and the READMEs of other folders.
fn pages() -> Vec<Page> {
    let folders = ["docs", "tests", "benches/results", "ffi/mesa", "fuzz"].map(|folder| support::root().join(folder));
    let own = folders.iter().flat_map(|folder| support::files(folder, &["md"]));
    let root = fs::read_dir(support::root()).expect("a readable folder").map(|entry| entry.expect("a file").path());
    let root = root.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    root.chain(own.filter(|path| !path.iter().any(|part| part == "target"))).map(|path| Page::read(&path)).collect()
}

impl Page {
    fn read(path: &Path) -> Page {
        let name = path.strip_prefix(support::root()).unwrap_or(path).display().to_string();
        let text = fs::read_to_string(path).expect("a readable page");
        Page { name, folder: path.parent().expect("a folder").to_path_buf(), markdown: Markdown::parse(&text), text }
    }

    /// Whether `path` exists, from the root of the repository or from the folder of this page.
    fn has(&self, path: &str) -> bool {
        [support::root(), &self.folder].iter().any(|folder| folder.join(path).exists())
    }

    /// The problem of a link of this page, if it has one.
    fn problem_of(&self, link: &str) -> Option<&'static str> {
        let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
        let file = if path.is_empty() { support::root().join(&self.name) } else { self.folder.join(path) };
        match anchor {
            _ if !file.exists() => Some("is not a file"),
            Some(anchor) if !Page::read(&file).markdown.anchors.iter().any(|heading| heading == anchor) => {
                Some("is not a heading")
            }
            _ => None,
        }
    }
}

/// Whether `span` is meant as the path of a file or folder of the repository.
fn is_path(span: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let looks_so = span.trim_end_matches('/').contains('/') && span.chars().all(is_plain) && !span.starts_with('/');
    looks_so && EXTENSIONS.iter().any(|end| span.ends_with(end)) && !PLACEHOLDERS.iter().any(|it| span.contains(it))
}

/// The words that follow `command` in the code and backticks of all pages, with the name of the page.
fn uses(command: &str) -> Vec<(String, String)> {
    let mut uses = Vec::new();
    for page in pages() {
        let code = page.markdown.blocks.iter().flat_map(|(_, code)| code.lines().map(str::trim_start));
        let code = code.chain(page.markdown.spans.iter().map(String::as_str));
        let names = code.filter_map(|line| line.strip_prefix(command)?.split_whitespace().next());
        let names = names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase()));
        uses.extend(names.map(|name| (page.name.clone(), name.to_string())));
    }
    uses
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn links_refer_to_files_and_headings() {
    let pages = pages();
    let links = pages.iter().flat_map(|page| page.markdown.links.iter().map(move |link| (page, link)));
    let links: Vec<(&Page, &String)> = links.filter(|(_, link)| !link.contains("://")).collect();
    assert!(links.len() > 80, "only {} links", links.len());
    let problem = |(page, link): &(&Page, &String)| Some(format!("{}: {link} {}", page.name, page.problem_of(link)?));
    assert_none(&links.iter().filter_map(problem).collect::<Vec<_>>());
}

#[test]
fn paths_that_pages_name_exist() {
    let (mut problems, mut count) = (Vec::new(), 0);
    for page in pages() {
        let paths: Vec<&String> = page.markdown.spans.iter().filter(|span| is_path(span)).collect();
        count += paths.len();
        let missing = paths.iter().filter(|path| !page.has(path));
        problems.extend(missing.map(|path| format!("{}: there is no {path}", page.name)));
    }
    assert!(count > 150, "only {count} paths");
    assert_none(&problems);
}

#[test]
fn commands_that_pages_name_exist() {
    let chores = include_str!("../xtask/src/main.rs");
    let chores =
        uses("cargo xtask ").into_iter().filter(|(_, name)| !chores.contains(&format!("command == \"{name}\"")));
    let mut problems: Vec<String> = chores.map(|(page, name)| format!("{page}: there is no chore {name}")).collect();
    let arguments = include_str!("../tool/src/args/mod.rs");
    let commands = arguments.split("enum Command {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("an enum");
    let is_command =
        |name: &str| commands.to_lowercase().lines().any(|line| line.trim().starts_with(&format!("{name}(")));
    let own = ["options", "help"];
    let used = uses("ntv ");
    assert!(used.len() > 30, "only {} commands", used.len());
    let unknown = used.into_iter().filter(|(_, name)| !own.contains(&name.as_str()) && !is_command(name));
    problems.extend(unknown.map(|(page, name)| format!("{page}: ntv has no command {name}")));
    assert_none(&problems);
}

/// Readers do not have the folders of a particular machine.
#[test]
fn pages_name_no_path_of_a_machine() {
    let homes = ["/home/", "/root/", "/work/", "/tmp/"];
    let named = pages().into_iter().filter(|page| homes.iter().any(|home| page.text.contains(home)));
    assert_none(&named.map(|page| page.name).collect::<Vec<_>>());
}
