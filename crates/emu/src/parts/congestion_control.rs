use std::io;

use bentpipe_bpf::{Control, Registration};
use serde::Deserialize;

use super::PartError;
use crate::control;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// The name in the kernel, such as `bp_hybla`.
    name: String,
}

/// Registers an eBPF congestion control, answers `"registered"` and takes it back when the input ends.
///
/// # Errors
/// When there is no such program, or the kernel does not take it.
pub fn congestion_control() -> Result<(), PartError> {
    let Wanted { name } = control::configuration()?;
    let program = Control::named(&name).ok_or(PartError::NoProgram(name))?;
    let _registration = Registration::new(&program)?;
    control::answer(&"registered")?;
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    Ok(())
}
