// SPDX-License-Identifier: MIT

//! Validates modules with the installed `spirv-val`.

use anyhow::{bail, ensure, Result};
use ntv::Target;
use std::io::Write;
use std::process::{Command, Stdio};

const PROGRAM: &str = "spirv-val";

/// Fails if there is no `spirv-val`.
pub(crate) fn require() -> Result<()> {
    match Command::new(PROGRAM).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => bail!("{PROGRAM} does not work: {}", String::from_utf8_lossy(&output.stderr).trim()),
        Err(error) => bail!("--validate needs {PROGRAM} ({error}); on Debian: apt-get install spirv-tools"),
    }
}

/// Validates `binary` by the rules of `target`.
pub(crate) fn module(binary: &[u8], target: &Target) -> Result<()> {
    let mut child = Command::new(PROGRAM)
        .args(target.spirv_val_arguments())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // `spirv-val` may find an error in the header and exit before it has read everything; its output then has the reason.
        let _ = stdin.write_all(binary);
    }
    let output = child.wait_with_output()?;
    let said = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "{PROGRAM}: {}", String::from_utf8_lossy(&said).trim());
    Ok(())
}
