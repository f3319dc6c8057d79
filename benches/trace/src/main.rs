//! Runs a program of piglit's on a driver that translates each shader with both translators (`ZINK_NTV=compare`), and writes
//! down what code, constants and memory each translation touches. The program is stepped through a translation one instruction
//! at a time, so the figures do not depend on what else the machine does.
//!
//! ```text
//! ntv-trace run [--functions FILE] LOG PROGRAM [ARGUMENT]...   what each translation touches, one line for each phase
//! ntv-trace sizes LIBRARY LOG                                  how much machine code of each translator a driver has
//! ```
//!
//! `cargo xtask bench --lines` runs it for many tests. The functions' table is for developers: where lines of code are.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod breakpoints;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod decode;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod functions;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod image;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod log;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod maps;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod phase;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod process;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod run;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod sizes;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod touched;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod tracer;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod translation;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn main() -> anyhow::Result<std::process::ExitCode> {
    run::main()
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn main() -> anyhow::Result<()> {
    anyhow::bail!("programs are stepped through on Linux on x86-64 only")
}
