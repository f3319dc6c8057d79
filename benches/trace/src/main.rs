// SPDX-License-Identifier: MIT

//! Runs a program of piglit's on a driver that translates each shader with both translators (`ZINK_NTVR=compare`), and logs the
//! code, constants and memory that each translation touches. The program is stepped through a translation one instruction at a
//! time, so the figures do not depend on other load of the machine.
//!
//! ```text
//! ntv-trace run [--functions FILE] LOG PROGRAM [ARGUMENT]...   what each translation touches, a line for each phase
//! ntv-trace sizes LIBRARY LOG                                  how much machine code of each translator a driver has
//! ```
//!
//! `cargo xtask bench --lines` runs it for many tests. `benches/results/README.md` explains the figures, and the table of
//! functions, which shows where the lines are.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod trace;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() -> anyhow::Result<std::process::ExitCode> {
    trace::main()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() -> anyhow::Result<()> {
    anyhow::bail!("programs are stepped through on Linux on x86-64 only")
}
