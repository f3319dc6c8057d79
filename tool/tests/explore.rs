// SPDX-License-Identifier: MIT

//! The server of `ntv explore`: what it answers, and what it refuses. `cargo xtask explorer` has built the page before.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const DUMP: &str = include_str!("../../examples/ubo_loop.nir");

/// A running `ntv explore`, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
        command.args(["explore", "--no-open"]).args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the tool");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
        let address = line.trim().strip_prefix("http://").expect("an address").to_string();
        Server { child, address }
    }

    /// The address without a path.
    fn host(&self) -> &str {
        self.address.split('/').next().expect("a host")
    }

    /// The whole reply to a request with this first line, and this value of the header Host.
    fn reply(&self, line: &str, host: &str) -> String {
        self.send(&format!("{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
    }

    fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.host()).expect("a server");
        stream.write_all(request.as_bytes()).expect("a reader");
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).expect("a reply");
        String::from_utf8_lossy(&reply).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.reply(&format!("GET {path}"), self.host())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_has_a_strict_policy() {
    let server = Server::start(&[]);
    assert!(server.host().starts_with("127.0.0.1:"), "{}", server.address);
    let page = server.get("/");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("<title>"), "{page}");
    for header in ["default-src 'none'", "X-Content-Type-Options: nosniff", "Cross-Origin-Resource-Policy: same-origin"]
    {
        assert!(page.contains(header), "{header} is not in {page}");
    }
    assert!(!page.contains("unsafe-inline") && !page.contains("'unsafe-eval'"), "{page}");
    // A copy on another server has the same policy, except for a rule that works only in a header.
    let policy = page.lines().find_map(|line| line.strip_prefix("Content-Security-Policy: ")).expect("a policy");
    let policy = policy.trim_end().strip_suffix("; frame-ancestors 'none'").expect("a rule for frames");
    assert!(page.contains(&format!("content=\"{policy}\"")), "{page}");
    assert!(server.get("/ntv_explorer_bg.wasm").contains("Content-Type: application/wasm"));
}

#[test]
fn the_dump_of_the_command_line_is_served() {
    let server = Server::start(&["examples/ubo_loop.nir"]);
    assert!(server.address.ends_with("/?dump"), "{}", server.address);
    let reply = server.get("/dump");
    assert!(reply.starts_with("HTTP/1.1 200") && reply.ends_with(DUMP), "{reply}");
    assert!(Server::start(&[]).get("/dump").starts_with("HTTP/1.1 404"));
}

/// GLSL is compiled for each request: all stages of a program, with the errors of Mesa in the reply.
#[test]
fn glsl_of_the_command_line_is_served_as_nir() {
    let server = Server::start(&["examples/glsl/marble.vert", "examples/glsl/marble.frag"]);
    let reply = server.get("/dump");
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    assert!(reply.contains("shader: MESA_SHADER_VERTEX") && reply.contains("shader: MESA_SHADER_FRAGMENT"), "{reply}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.frag");
    std::fs::write(&path, "#version 330\nout vec4 color;\nvoid main() { color = none; }\n").expect("a file");
    let reply = Server::start(&[path.to_str().expect("a name")]).get("/dump");
    assert!(reply.starts_with("HTTP/1.1 500") && reply.contains("a.frag:3: `none' undeclared"), "{reply}");
}

#[test]
fn other_methods_hosts_and_paths_are_refused() {
    let server = Server::start(&["examples/ubo_loop.nir"]);
    for method in ["POST", "HEAD", "PUT", "DELETE", "OPTIONS"] {
        let reply = server.reply(&format!("{method} /dump"), server.host());
        assert!(reply.starts_with("HTTP/1.1 405"), "{method}: {reply}");
        assert!(reply.contains("Allow: GET"), "{method}: {reply}");
    }
    let port = server.host().rsplit(':').next().expect("a port");
    for host in ["example.org", "127.0.0.1", "127.0.0.1.example.org", &format!("example.org:{port}"), ""] {
        let reply = server.reply("GET /dump", host);
        assert!(reply.starts_with("HTTP/1.1 403") && !reply.contains("MESA_SHADER"), "{host}: {reply}");
    }
    assert!(server.send("GET /dump HTTP/1.0\r\n\r\n").contains(" 403 "), "a request without a host");
    assert!(server.reply("GET /", &format!("localhost:{port}")).starts_with("HTTP/1.1 200"));
    for path in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/index.html/", "/\\..\\Cargo.toml"] {
        assert!(server.get(path).starts_with("HTTP/1.1 404"), "{path}");
    }
}

/// A connection that has sent `start`, and sends nothing more.
fn stalled(server: &Server, start: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.host()).expect("a server");
    stream.write_all(start.as_bytes()).expect("a reader");
    stream
}

#[test]
fn clients_that_stall_do_not_hold_up_others() {
    let server = Server::start(&["examples/ubo_loop.nir"]);
    let host = server.host().to_string();
    let starts = [
        String::new(),
        "GET /du".to_string(),
        format!("GET /dump HTTP/1.1\r\nHost: {host}\r\nX-A: "),
        format!("POST /dump HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\nstart"),
        format!("GET /dump HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
    ];
    let open: Vec<TcpStream> = (0..50).map(|n| stalled(&server, &starts[n % starts.len()])).collect();
    let start = Instant::now();
    for _ in 0..20 {
        assert!(server.get("/dump").ends_with(DUMP));
    }
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
    drop(open);
}

#[test]
fn stalled_heads_are_ended() {
    let server = Server::start(&[]);
    let mut stream = stalled(&server, "GET / HTTP/1.1\r\nHost: ");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    let start = Instant::now();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("the end of the connection");
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    // More than the most connections: those that wait are served when the others are ended.
    let open: Vec<TcpStream> = (0..100).map(|_| stalled(&server, "GET")).collect();
    assert!(server.get("/").starts_with("HTTP/1.1 200"));
    drop(open);
}

#[test]
fn bodies_and_heads_of_any_size_are_refused() {
    let server = Server::start(&["examples/ubo_loop.nir"]);
    let host = server.host();
    for length in ["1000000000000000", "18446744073709551615", "99999999999999999999999", "-1", "x"] {
        for method in ["GET", "POST"] {
            let request = format!("{method} /dump HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n");
            let reply = server.send(&request);
            let is_fine = method == "GET" && reply.starts_with("HTTP/1.1 200") && reply.ends_with(DUMP);
            assert!(is_fine || reply.starts_with("HTTP/1.1 4"), "{method} {length}: {reply}");
        }
    }
    let huge = "a".repeat(1 << 20);
    for request in [format!("GET /{huge} HTTP/1.1\r\n"), format!("GET / HTTP/1.1\r\nX: {huge}\r\n"), huge] {
        let mut stream = TcpStream::connect(host).expect("a server");
        // The server may close the connection before it has all.
        let _ = stream.write_all(request.as_bytes());
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        assert!(!reply.starts_with(b"HTTP/1.1 200"));
    }
    assert!(server.get("/dump").ends_with(DUMP), "the server is not there any more");
}

#[test]
fn a_dump_that_cannot_be_read_is_refused() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ntv"));
    let output = command.args(["explore", "--no-open", "no-such-file.nir"]).output().expect("the tool");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-file.nir"));
}
