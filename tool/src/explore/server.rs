// SPDX-License-Identifier: MIT

//! The server of the explorer: hyper, with limits, so that no client can hold it up or fill its memory.

use super::reply::{self, Dump};
use anyhow::{Context, Result};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

/// The most connections at a time: others wait. A browser opens six.
const MOST_CONNECTIONS: usize = 64;

/// The time for the head of a request, and for the whole connection: each has one request. The page is 4 MB.
const HEAD_TIME: Duration = Duration::from_secs(2);
const CONNECTION_TIME: Duration = Duration::from_secs(60);

/// The largest head of a request, in bytes. Bodies are not read.
const LARGEST_HEAD: usize = 16 << 10;

/// A server that listens on the loopback address.
pub(super) struct Server {
    listener: TcpListener,
    pub(super) port: u16,
}

impl Server {
    /// Listens on `port`, 0 for any.
    pub(super) fn new(port: u16) -> Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let listener = listener.with_context(|| format!("cannot listen on port {port}"))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(Server { listener, port })
    }

    /// Serves until the process is ended.
    pub(super) fn run(self, dump: Option<Dump>) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let (dump, places) = (Arc::new(dump), Arc::new(Semaphore::new(MOST_CONNECTIONS)));
            loop {
                let place = places.clone().acquire_owned().await?;
                // A client that is gone again is no reason to end; nor are too many open files, for which others have to end.
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let connection = connection(stream, self.port, dump.clone());
                tokio::spawn(async move {
                    // A browser may close its connection before the reply.
                    let _ = tokio::time::timeout(CONNECTION_TIME, connection).await;
                    drop(place);
                });
            }
        })
    }
}

fn connection(stream: TcpStream, port: u16, dump: Arc<Option<Dump>>) -> impl Future<Output = hyper::Result<()>> {
    let service = service_fn(move |request| {
        let reply = reply::to(&request, port, dump.as_ref().as_ref());
        std::future::ready(Ok::<_, Infallible>(reply))
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LARGEST_HEAD)
        .keep_alive(false)
        .title_case_headers(true)
        .serve_connection(TokioIo::new(stream), service)
}
