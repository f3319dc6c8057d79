// SPDX-License-Identifier: MIT

//! Compares the pictures of glmark2's scenes with both translators.
//!
//! A scene moves with the clock, so libfaketime stops the clock: at the start, and five seconds later. Xvfb has its screen in a
//! file, and the contents of this file are a picture when they no longer change.

use super::driver::{Driver, Translator};
use super::source::install_missing;
use anyhow::{bail, ensure, Context, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NEEDS: &str = "glmark2-es2-x11 xvfb libfaketime";
const FAKETIME: &str = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const SIZE: &str = "400x300";
const TIMES: [&str; 2] = ["2026-01-01 00:00:00", "2026-01-01 00:00:05"];

/// The CPU time in seconds without a change after which a picture is taken.
const STABLE: f64 = 1.0;
/// The CPU time without a change for the picture from before the change of the clock.
const UNMOVED: f64 = 3.0;
/// The CPU time without a change for a picture of one colour, which is probably a scene that still loads.
const UNICOLOR: f64 = 8.0;
/// The time without a picture after which a scene has failed.
const PATIENCE: Duration = Duration::from_secs(600);

/// Compares all scenes of `tests/mesa/glmark2.txt`.
pub(crate) fn compare(driver: &Driver) -> Result<()> {
    install_missing(NEEDS)?;
    let screen = Screen::start()?;
    let list = fs::read_to_string(crate::root().join("tests/mesa/glmark2.txt"))?;
    let (mut count, mut differing) = (0, 0);
    println!("{:>7} {:>7} {:>7}  scene", "differ", "colours", "later");
    for scene in list.lines().filter(|line| !line.starts_with('#')) {
        let c = screen.pictures(driver, Translator::C, scene)?;
        // Of the same NIR. With `rust` the state tracker keeps vectors, so that sums have other roundings.
        let rust = screen.pictures(driver, Translator::Both, scene)?;
        let pixels: usize = c.iter().zip(&rust).map(|(c, rust)| different(c, rust)).sum();
        let [first, later] = rust.map(|picture| colours(&picture));
        println!("{pixels:7} {first:7} {later:7}  {scene}");
        count += 1;
        differing += usize::from(pixels > 0 || first.max(later) < 2);
    }
    ensure!(differing == 0, "{differing} of {count} scenes differ, or show nothing");
    println!("{count} scenes are the same with c and with rust");
    Ok(())
}

/// An X server without a monitor.
struct Screen {
    server: Child,
    display: String,
    folder: TempDir,
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Screen {
    fn start() -> Result<Screen> {
        let folder = tempfile::tempdir()?;
        let mut command = Command::new("Xvfb");
        // The screen is white, so that it differs from a black picture.
        command.args(["-displayfd", "1", "-nolisten", "tcp", "-wr", "-screen", "0"]).arg(format!("{SIZE}x24"));
        command.arg("-fbdir").arg(folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().context("cannot start Xvfb")?;
        let mut number = String::new();
        if let Some(pipe) = server.stdout.take() {
            BufReader::new(pipe).read_line(&mut number)?;
        }
        Ok(Screen { server, display: format!(":{}", number.trim()), folder })
    }

    /// The pictures of `scene` at each of [`TIMES`].
    fn pictures(&self, driver: &Driver, translator: Translator, scene: &str) -> Result<[Vec<u8>; 2]> {
        let empty = self.picture()?;
        let clock = self.folder.path().join("clock");
        fs::write(&clock, TIMES[0])?;
        let log = self.folder.path().join("log");
        let mut command = Command::new("glmark2-es2");
        driver.environment(&mut command, translator);
        command.args(["--size", SIZE, "--benchmark"]).arg(format!("{scene}:duration=1000"));
        command.env("DISPLAY", &self.display).env("LD_PRELOAD", FAKETIME);
        command.env("FAKETIME_TIMESTAMP_FILE", &clock).env("FAKETIME_NO_CACHE", "1");
        command.stdout(Stdio::null()).stderr(File::create(&log)?);
        let mut program = command.spawn().context("cannot start glmark2-es2")?;
        let first = self.stable(&mut program, Some(empty.as_slice()), &[]);
        fs::write(&clock, TIMES[1])?;
        let later = self.stable(&mut program, None, first.as_deref().unwrap_or_default());
        program.kill()?;
        program.wait()?;
        for line in fs::read_to_string(&log)?.lines().filter(|line| line.contains("ntv: ")) {
            println!("{line}");
        }
        // Waits until the window is closed.
        while self.picture()? != empty {
            sleep(Duration::from_millis(50));
        }
        first.and_then(|first| Ok([first, later?])).with_context(|| format!("{scene} with {}", translator.name()))
    }

    /// The next picture that no longer changes and is not `empty`. The previous one was `before`.
    fn stable(&self, program: &mut Child, empty: Option<&[u8]>, before: &[u8]) -> Result<Vec<u8>> {
        let start = Instant::now();
        let (mut last, mut since) = (Vec::new(), 0.0);
        while start.elapsed() < PATIENCE {
            sleep(Duration::from_millis(100));
            ensure!(program.try_wait()?.is_none(), "glmark2-es2 has ended");
            let picture = self.picture()?;
            if Some(picture.as_slice()) == empty || picture != last {
                (last, since) = (picture, work(program)?);
                continue;
            }
            let enough = match colours(&picture) {
                0 | 1 => UNICOLOR,
                _ if picture == before => UNMOVED,
                _ => STABLE,
            };
            if work(program)? - since > enough {
                return Ok(picture);
            }
        }
        bail!("the picture does not stop changing")
    }

    /// The contents of the screen: a constant header, and four bytes for each pixel.
    fn picture(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(self.file())?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn file(&self) -> PathBuf {
        Path::new(self.folder.path()).join("Xvfb_screen0")
    }
}

/// The CPU time of `program` in seconds.
fn work(program: &Child) -> Result<f64> {
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string(format!("/proc/{}/stat", program.id()))?;
    // The name, which may have spaces, is in parentheses; the times in user and kernel mode are the 12th and 13th fields after it.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Ok(fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / TICKS)
}

/// The number of pixels in which two pictures differ.
fn different(a: &[u8], b: &[u8]) -> usize {
    let pixels = a.chunks(4).zip(b.chunks(4)).filter(|(a, b)| a != b).count();
    pixels + a.len().abs_diff(b.len())
}

/// The number of colours of a picture. A few bytes of the header do not change the result.
fn colours(picture: &[u8]) -> usize {
    const HEADER: usize = 4096;
    picture.get(HEADER..).unwrap_or_default().chunks_exact(4).collect::<BTreeSet<_>>().len()
}
