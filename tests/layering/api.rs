// SPDX-License-Identifier: MIT

//! The public interface of the library and of its crate for NIR is written down in `api.txt`, so that it changes on purpose only:
//! `BLESS=1` writes the file.
//!
//! What macros make, such as the opcodes, is not in it. What the documentation does not show is no part of the interface.

use super::{sources, support, Source, HIDDEN};
use std::collections::BTreeSet;
use std::fs;
use syn::spanned::Spanned;
use syn::{Attribute, Fields, ImplItem, Item, ItemImpl, ItemTrait, TraitItem, Visibility};

const FILE: &str = "tests/layering/api.txt";

#[test]
fn the_public_interface_is_written_down() {
    let sources = sources(&["nir/src", "src"]);
    let hidden: BTreeSet<Vec<String>> = sources.iter().flat_map(hidden_modules).collect();
    let mut lines = BTreeSet::new();
    for source in sources {
        let module = source.module().unwrap_or_default();
        if (1..=module.len()).all(|len| !hidden.contains(&module[..len])) && !source.name.contains("/tests") {
            let place = module.first().map_or("ntv", String::as_str);
            lines.extend(public_items(&source).into_iter().map(|item| format!("{place}: {item}\n")));
        }
    }
    let (lines, path) = (lines.into_iter().collect::<Vec<_>>(), support::root().join(FILE));
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, lines.concat()).expect("a writable file");
    }
    let written = fs::read_to_string(&path).expect("a readable file");
    let written: Vec<&str> = written.split_inclusive('\n').collect();
    assert!(written.len() > 500, "only {} items", written.len());
    let less = written.iter().filter(|line| !lines.iter().any(|own| own == *line)).map(|line| format!("- {line}"));
    let more = lines.iter().filter(|line| !written.contains(&line.as_str())).map(|line| format!("+ {line}"));
    let changed: String = less.chain(more).collect();
    assert!(
        changed.is_empty(),
        "the public interface has changed; if that is intended, run this with BLESS=1:\n{changed}"
    );
}

/// The paths of the modules that a file hides from the documentation.
fn hidden_modules(source: &Source) -> Vec<Vec<String>> {
    let own = source.module().unwrap_or_default();
    let modules = source.syntax().items.into_iter().filter_map(|item| match item {
        Item::Mod(module) if is_hidden(&module.attrs) => Some(module.ident.to_string()),
        _ => None,
    });
    let hidden: Vec<Vec<String>> = modules.map(|name| [own.clone(), vec![name]].concat()).collect();
    let known =
        |path: &Vec<String>| path.len() > 1 || HIDDEN.contains(&path[0].as_str()) || source.name.starts_with("nir/");
    assert!(hidden.iter().all(known), "{}: a module of the library is hidden that HIDDEN does not name", source.name);
    hidden
}

/// The public items of a file, each as a line.
fn public_items(source: &Source) -> Vec<String> {
    let mut lines = Vec::new();
    for item in source.syntax().items {
        match item {
            Item::Fn(item) if is_public(&item.vis, &item.attrs) => lines.push(text(&item.sig)),
            Item::Const(item) if is_public(&item.vis, &item.attrs) => {
                lines.push(format!("const {}: {}", item.ident, text(&item.ty)));
            }
            Item::Static(item) if is_public(&item.vis, &item.attrs) => {
                lines.push(format!("static {}: {}", item.ident, text(&item.ty)));
            }
            Item::Type(item) if is_public(&item.vis, &item.attrs) => {
                lines.push(format!("type {} = {}", item.ident, text(&item.ty)));
            }
            Item::Use(item) if is_public(&item.vis, &item.attrs) => lines.push(format!("use {}", text(&item.tree))),
            Item::Struct(item) if is_public(&item.vis, &item.attrs) => {
                let name = item.ident.to_string();
                lines.extend(public_fields(&name, &item.fields));
                lines.push(format!("struct {name}"));
            }
            Item::Enum(item) if is_public(&item.vis, &item.attrs) => {
                lines.extend(item.variants.iter().map(|variant| format!("{}::{}", item.ident, text(variant))));
                lines.push(format!("enum {}", item.ident));
            }
            Item::Trait(item) if is_public(&item.vis, &item.attrs) => lines.extend(trait_items(&item)),
            Item::Impl(item) if item.trait_.is_none() => lines.extend(public_impl_items(&item)),
            _ => {}
        }
    }
    lines
}

fn public_fields(name: &str, fields: &Fields) -> Vec<String> {
    let public = fields.iter().enumerate().filter(|(_, field)| is_public(&field.vis, &field.attrs));
    let field = |(at, field): (usize, &syn::Field)| {
        let own = field.ident.as_ref().map_or(at.to_string(), ToString::to_string);
        format!("{name}.{own}: {}", text(&field.ty))
    };
    public.map(field).collect()
}

fn trait_items(item: &ItemTrait) -> Vec<String> {
    let functions = item.items.iter().filter_map(|function| match function {
        TraitItem::Fn(function) => Some(format!("{}: {}", item.ident, text(&function.sig))),
        _ => None,
    });
    functions.chain([format!("trait {}", item.ident)]).collect()
}

fn public_impl_items(item: &ItemImpl) -> Vec<String> {
    let own = text(&item.self_ty);
    let line = |part: &ImplItem| match part {
        ImplItem::Fn(part) if is_public(&part.vis, &part.attrs) => Some(format!("{own}: {}", text(&part.sig))),
        ImplItem::Const(part) if is_public(&part.vis, &part.attrs) => {
            Some(format!("{own}: const {}: {}", part.ident, text(&part.ty)))
        }
        _ => None,
    };
    item.items.iter().filter_map(line).collect()
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let hides = |attribute: &Attribute| attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("hidden"));
    attributes.iter().any(|attribute| attribute.path().is_ident("doc") && hides(attribute))
}

/// The source of a part of a file, in one line and without comments and attributes.
fn text(part: &impl Spanned) -> String {
    let source = part.span().source_text().unwrap_or_default();
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or("").trim());
    let code = lines.filter(|line| !line.starts_with("#[")).collect::<Vec<_>>().join(" ");
    let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("( ", "(").replace(", )", ")").replace("{ ", "{").replace(", }", "}").replace(" }", "}")
}
