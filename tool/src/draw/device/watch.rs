// SPDX-License-Identifier: MIT

//! `ntv draw --watch`: shows frames per second and the counters of the context on a terminal.

use super::counters::rows;
use crate::diagnostics::Reporter;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use ntv_driver::context::Counters;
use std::time::{Duration, Instant};

/// The time between updates of the numbers.
const PERIOD: Duration = Duration::from_millis(250);

/// The number of counters in a line.
const COLUMNS: usize = 3;

/// The view on the terminal.
pub(super) struct Watch {
    about: ProgressBar,
    head: ProgressBar,
    lines: Vec<ProgressBar>,
    device: String,
    began: Instant,
    frames: u32,
    shown: Shown,
}

/// The counts at the last update.
struct Shown {
    at: Instant,
    frames: u32,
    counters: Counters,
}

impl Watch {
    /// Opens the view.
    pub(super) fn new(device: &str, about: &str) -> Watch {
        let all = MultiProgress::new();
        let style =
            ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        let text = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        let about = all.add(ProgressBar::new_spinner().with_style(text).with_message(about.to_string()));
        let head = all.add(ProgressBar::new_spinner().with_style(style));
        let plain = ProgressStyle::with_template("  {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        let count = rows(&Counters::default()).len().div_ceil(COLUMNS);
        let line = |_| all.add(ProgressBar::new_spinner().with_style(plain.clone()));
        let now = Instant::now();
        let shown = Shown { at: now, frames: 0, counters: Counters::default() };
        let (lines, device) = ((0..count).map(line).collect(), device.to_string());
        Watch { about, head, lines, device, began: now, frames: 0, shown }
    }

    /// Counts a drawn frame.
    pub(super) fn frame(&mut self, counters: &Counters) {
        self.frames += 1;
        let now = Instant::now();
        let passed = now.duration_since(self.shown.at);
        if passed < PERIOD {
            return;
        }
        let frames = self.frames - self.shown.frames;
        let draws = counters.draws - self.shown.counters.draws;
        let seconds = passed.as_secs_f64();
        self.about.tick();
        self.head.tick();
        self.head.set_message(format!(
            "{}: {:.1} frames/s, {:.0} draws/s, {} draws a frame, frame {}",
            self.device,
            f64::from(frames) / seconds,
            draws as f64 / seconds,
            draws / u64::from(frames.max(1)),
            self.frames
        ));
        // A counter, and its growth in a frame.
        let before = rows(&self.shown.counters);
        let cells: Vec<String> = rows(counters)
            .iter()
            .zip(before)
            .map(|((name, value), (_, before))| {
                let each = value.wrapping_sub(before) as f64 / f64::from(frames.max(1));
                format!("{name:>23} {value:>10} {:<9}", format!("+{each:.1}"))
            })
            .collect();
        for (line, cells) in self.lines.iter().zip(cells.chunks(COLUMNS)) {
            line.set_message(cells.concat());
        }
        self.shown = Shown { at: now, frames: self.frames, counters: *counters };
    }

    /// Closes the view and reports the totals.
    pub(super) fn finish(self, counters: &Counters, reporter: &Reporter) {
        self.lines.iter().for_each(ProgressBar::finish_and_clear);
        self.head.finish_and_clear();
        self.about.finish_and_clear();
        let seconds = self.began.elapsed().as_secs_f64();
        let rate = f64::from(self.frames) / seconds;
        reporter.say(&format!("{}: {} frames in {seconds:.1} s, {rate:.1} frames/s", self.device, self.frames));
        for (name, value) in rows(counters).into_iter().filter(|row| row.1 != 0) {
            reporter.say(&format!("{name:>23} {value}"));
        }
    }
}
