// SPDX-License-Identifier: MIT

//! The cost of each command, in the trace event format that Perfetto and `chrome://tracing` read.
//!
//! ```text
//! { "name": "draw knot", "cat": "draw", "ph": "X", "ts": 1203.5, "dur": 41.2, "args": { "handlers": 7, ... } }
//! ```
//!
//! Times are those of the host, in microseconds since the trace began.

use crate::destination;
use crate::draw::commands::{Command, Draw, Set};
use anyhow::Result;
use ntv_driver::context::{Context, Counters};
use serde_json::{json, Value};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The events so far.
pub(super) struct Trace {
    path: PathBuf,
    began: Instant,
    events: Vec<Value>,
}

/// The start of an event: the time and the counters.
pub(super) struct Start {
    at: Instant,
    counters: Counters,
}

impl Trace {
    /// A trace that will be written to `path`.
    pub(super) fn new(path: &Path) -> Trace {
        Trace { path: path.to_path_buf(), began: Instant::now(), events: Vec::new() }
    }

    /// Starts an event.
    pub(super) fn start(&self, context: &Context) -> Start {
        Start { at: Instant::now(), counters: context.counters() }
    }

    /// Ends the event of a command.
    pub(super) fn end(&mut self, start: Start, command: &Command, program: Option<&str>, context: &Context) {
        let (category, detail) = describe(command);
        let name = match (command, program) {
            (Command::Draw(_) | Command::Dispatch(_), Some(program)) => {
                format!("{} ({program})", format!("{category} {detail}").trim())
            }
            _ => format!("{category} {detail}"),
        };
        self.event(&start, category, name.trim(), context);
    }

    /// Adds an event that began at `start` and ends now.
    pub(super) fn event(&mut self, start: &Start, category: &str, name: &str, context: &Context) {
        let (now, counters) = (Instant::now(), context.counters());
        let begin = micros(start.at.duration_since(self.began));
        self.events.push(json!({
            "name": name, "cat": category, "ph": "X", "pid": 1, "tid": 1,
            "ts": begin, "dur": micros(now.duration_since(start.at)), "args": changes(&start.counters, &counters),
        }));
        if matches!(category, "draw" | "dispatch" | "clear") {
            self.phases(begin, &start.counters, &counters);
        }
    }

    /// Adds the time of handlers, by phase, as children of the event that began at `begin`. Their durations are exact, their
    /// order is that of the phases.
    fn phases(&mut self, mut begin: f64, before: &Counters, after: &Counters) {
        const NAMES: [&str; 3] = ["outside of the rendering", "begin of the rendering", "within the rendering"];
        for (name, (before, after)) in NAMES.into_iter().zip(before.phases.iter().zip(&after.phases)) {
            let took = micros(after.saturating_sub(*before));
            if took > 0.0 {
                self.events.push(json!({
                    "name": name, "cat": "phase", "ph": "X", "pid": 1, "tid": 1, "ts": begin, "dur": took,
                }));
            }
            begin += took;
        }
    }

    /// Writes the file.
    pub(super) fn write(self) -> Result<()> {
        let trace = json!({ "displayTimeUnit": "ns", "traceEvents": self.events });
        Ok(destination::write(&self.path, trace.to_string().as_bytes())?)
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1000.0
}

/// The kind of a command, and the name of its object.
fn describe(command: &Command) -> (&'static str, String) {
    let name = |name: &crate::draw::scene::Name| name.get_ref().clone();
    match command {
        Command::Set(set) => ("set", changed(set)),
        Command::Draw(draw) => ("draw", drawn(draw)),
        Command::Dispatch(_) => ("dispatch", String::new()),
        Command::Clear(_) => ("clear", String::new()),
        Command::Blit(_) => ("blit", String::new()),
        Command::CopyBuffer(copy) => ("copy", name(&copy.to)),
        Command::Mipmaps(texture) => ("mipmaps", name(texture)),
        Command::Write(write) => ("write", name(&write.buffer)),
        Command::BeginQuery(query) => ("begin query", name(query)),
        Command::EndQuery(query) => ("end query", name(query)),
        Command::BeginCapture(_) => ("begin capture", String::new()),
        Command::EndCapture(_) => ("end capture", String::new()),
        Command::Barrier(_) => ("barrier", String::new()),
        Command::Repeat(_) => ("repeat", String::new()),
        Command::Probe(_) => ("probe", String::new()),
    }
}

fn changed(set: &Set) -> String {
    let has = [
        ("framebuffer", set.framebuffer.is_some()),
        ("program", set.program.is_some()),
        ("vertex_elements", set.vertex_elements.is_some()),
        ("vertex_buffers", set.vertex_buffers.is_some()),
        ("blend", set.blend.is_some()),
        ("rasterizer", set.rasterizer.is_some()),
        ("depth_stencil", set.depth_stencil.is_some()),
        ("uniforms", !set.uniforms.is_empty()),
        ("textures", !set.textures.is_empty()),
        ("blocks", !set.blocks.is_empty()),
        ("storage", !set.storage.is_empty()),
        ("images", !set.images.is_empty()),
    ];
    let names: Vec<&str> = has.iter().filter(|row| row.1).map(|row| row.0).collect();
    names.join(", ")
}

fn drawn(draw: &Draw) -> String {
    if draw.workgroups.is_some() {
        return "workgroups".to_string();
    }
    match (&draw.mesh, &draw.captured, &draw.indirect, draw.vertices) {
        (Some(mesh), ..) => mesh.get_ref().clone(),
        (_, Some(buffer), ..) => format!("captured {}", buffer.get_ref()),
        (_, _, Some(indirect), _) => format!("indirect {}", indirect.buffer.get_ref()),
        (.., Some(1)) => "1 vertex".to_string(),
        (.., vertices) => format!("{} vertices", vertices.unwrap_or(0)),
    }
}

/// The counters that changed from `before` to `after`, with their differences.
fn changes(before: &Counters, after: &Counters) -> Value {
    let before = super::counters::rows(before);
    let rows = before.iter().zip(super::counters::rows(after));
    let changed = rows.filter(|(before, after)| after.1 != before.1);
    changed.map(|(before, after)| (after.0.to_string(), Value::from(after.1.wrapping_sub(before.1)))).collect()
}
