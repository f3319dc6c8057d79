// SPDX-License-Identifier: MIT

//! The files of the page, which `cargo xtask explorer` builds.

use rust_embed::RustEmbed;
use std::borrow::Cow;

/// The folder is empty in the binary if it did not exist when the tool was built.
#[derive(RustEmbed)]
#[folder = "../explorer/page/dist"]
#[allow_missing = true]
struct Page;

/// The contents of a file of the page.
pub(super) fn get(name: &str) -> Option<Cow<'static, [u8]>> {
    Page::get(name).map(|file| file.data)
}

/// The media type of a file, by the end of its name.
pub(super) fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}
