// SPDX-License-Identifier: MIT

//! The replies of the explorer's server.
//!
//! Other pages of the browser must not be able to use it: it answers only GET, only to requests whose Host header is the loopback
//! address (a foreign name that resolves to it has another one), and no reply allows other origins to read it.

use super::files;
use crate::diagnostics::Reporter;
use crate::glsl;
use anyhow::{Context, Result};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use std::borrow::Cow;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// What the page may load: its own files, and WebAssembly. The page itself has the same policy, for copies on other servers; only
/// `frame-ancestors` has no effect there.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'nonce-codemirror'; img-src 'self' data:; \
                      connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The dump of the command line.
pub(super) enum Dump {
    /// Files, which are read for each request, so that a reload of the page shows them as they are. GLSL is compiled.
    Files(Vec<PathBuf>),
    /// The contents of stdin.
    Stdin(Bytes),
}

impl Dump {
    /// The dump in the files `paths`; `-` alone is stdin. Files must be readable.
    pub(super) fn open(paths: &[PathBuf]) -> Result<Dump> {
        if paths == [Path::new("-")] {
            let mut bytes = Vec::new();
            io::stdin().lock().read_to_end(&mut bytes).context("cannot read stdin")?;
            return Ok(Dump::Stdin(bytes.into()));
        }
        for path in paths {
            fs::read(path).with_context(|| path.display().to_string())?;
        }
        Ok(Dump::Files(paths.to_vec()))
    }

    fn read(&self) -> Result<Bytes> {
        match self {
            Dump::Files(paths) if paths.len() > 1 || paths.iter().any(|path| glsl::is_glsl(path)) => {
                glsl::read(paths, &Reporter::new(false)).map(Bytes::from)
            }
            Dump::Files(paths) => Ok(paths.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?.concat().into()),
            Dump::Stdin(bytes) => Ok(bytes.clone()),
        }
    }
}

/// A reply: its body is in memory.
type Reply = Response<Full<Bytes>>;

fn reply(status: StatusCode, media_type: &'static str, body: Bytes) -> Reply {
    let mut reply = Response::new(Full::new(body));
    *reply.status_mut() = status;
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    reply.headers_mut().extend(headers.map(|(name, value)| (name, HeaderValue::from_static(value))));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        reply.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET"));
    }
    reply
}

fn text(status: StatusCode, text: impl Into<String>) -> Reply {
    reply(status, "text/plain; charset=utf-8", text.into().into())
}

/// The reply to `request` of a server on `port`. Its body is not read.
pub(super) fn to<B>(request: &Request<B>, port: u16, dump: Option<&Dump>) -> Reply {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let is_local =
        |host: &HeaderValue| [format!("127.0.0.1:{port}"), format!("localhost:{port}")].iter().any(|own| host == own);
    if !hosts.next().is_some_and(is_local) || hosts.next().is_some() {
        return text(StatusCode::FORBIDDEN, "The explorer answers only on the loopback address.\n");
    }
    if request.method() != Method::GET {
        return text(StatusCode::METHOD_NOT_ALLOWED, "The explorer answers only GET.\n");
    }
    match (request.uri().path(), dump) {
        ("/dump", Some(dump)) => match dump.read() {
            Ok(body) => reply(StatusCode::OK, "application/octet-stream", body),
            Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("The dump cannot be read: {error:#}\n")),
        },
        (path, _) => page(if path == "/" { "index.html" } else { path.trim_start_matches('/') }),
    }
}

/// A file of the page.
fn page(name: &str) -> Reply {
    match files::get(name) {
        Some(Cow::Borrowed(body)) => reply(StatusCode::OK, files::media_type(name), Bytes::from_static(body)),
        Some(Cow::Owned(body)) => reply(StatusCode::OK, files::media_type(name), body.into()),
        None => text(StatusCode::NOT_FOUND, "There is no such file.\n"),
    }
}
