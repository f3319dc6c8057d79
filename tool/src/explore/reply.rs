// SPDX-License-Identifier: MIT

//! The replies of the explorer's server.
//!
//! Other pages of the browser must not be able to use it: it answers only GET, only to requests whose Host header is the loopback
//! address (a foreign name that resolves to it has another one), and no reply allows other origins to read it.

use super::files;
use anyhow::{Context, Result};
use std::borrow::Cow;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use tiny_http::{Header, Method, Request, Response};

/// What the page may load: its own files, and WebAssembly. The page itself has the same policy, for copies on other servers; only
/// `frame-ancestors` has no effect there.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-codemirror'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The dump of the command line.
pub(super) enum Dump {
    /// A file, which is read for each request, so that a reload of the page shows it as it is.
    File(PathBuf),
    /// The contents of stdin.
    Stdin(Vec<u8>),
}

impl Dump {
    /// The dump `path`; `-` is stdin. A file must be readable.
    pub(super) fn open(path: &Path) -> Result<Dump> {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
            return Ok(Dump::Stdin(bytes));
        }
        fs::read(path).with_context(|| path.display().to_string())?;
        Ok(Dump::File(path.to_path_buf()))
    }

    fn read(&self) -> io::Result<Cow<'_, [u8]>> {
        match self {
            Dump::File(path) => fs::read(path).map(Cow::Owned),
            Dump::Stdin(bytes) => Ok(Cow::Borrowed(bytes)),
        }
    }
}

/// A reply.
pub(super) struct Reply<'a> {
    status: u16,
    media_type: &'static str,
    body: Cow<'a, [u8]>,
}

impl<'a> Reply<'a> {
    fn text(status: u16, text: impl Into<String>) -> Reply<'a> {
        let body = Cow::Owned(text.into().into_bytes());
        Reply { status, media_type: "text/plain; charset=utf-8", body }
    }

    /// Answers `request`.
    pub(super) fn send(self, request: Request) -> io::Result<()> {
        let mut response = Response::from_data(self.body.into_owned()).with_status_code(self.status);
        let headers = [
            ("Content-Type", self.media_type),
            ("Content-Security-Policy", POLICY),
            ("X-Content-Type-Options", "nosniff"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ];
        for (name, value) in headers {
            response.add_header(Header::from_bytes(name, value).map_err(|()| io::ErrorKind::InvalidInput)?);
        }
        if self.status == 405 {
            response.add_header(Header::from_bytes("Allow", "GET").map_err(|()| io::ErrorKind::InvalidInput)?);
        }
        request.respond(response)
    }
}

/// The reply to `request` of a server on `port`.
pub(super) fn to<'a>(request: &Request, port: u16, dump: Option<&'a Dump>) -> Reply<'a> {
    let hosts = request.headers().iter().filter(|header| header.field.equiv("Host"));
    let mut hosts = hosts.map(|header| header.value.as_str());
    let is_local = |host: &str| [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host.to_string());
    if !hosts.next().is_some_and(is_local) || hosts.next().is_some() {
        return Reply::text(403, "The explorer answers only on the loopback address.\n");
    }
    if *request.method() != Method::Get {
        return Reply::text(405, "The explorer answers only GET.\n");
    }
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    match (path, dump) {
        ("/dump", Some(dump)) => match dump.read() {
            Ok(body) => Reply { status: 200, media_type: "application/octet-stream", body },
            Err(error) => Reply::text(500, format!("The dump cannot be read: {error}\n")),
        },
        _ => page(if path == "/" { "index.html" } else { path.trim_start_matches('/') }),
    }
}

/// A file of the page.
fn page<'a>(name: &str) -> Reply<'a> {
    match files::get(name) {
        Some(body) => Reply { status: 200, media_type: files::media_type(name), body },
        None => Reply::text(404, "There is no such file.\n"),
    }
}
