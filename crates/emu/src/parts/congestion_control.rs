//! The part that has the kernel offer an eBPF congestion control for as long as its input is open.

use std::time::Duration;
use std::{io, thread};

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

/// Registers an eBPF congestion control or shares what another process has registered, answers `"registered"`,
/// and lets go of it when the input ends.
///
/// # Errors
/// When there is no such program, another one has its name, or the kernel does not take it.
pub fn congestion_control() -> Result<(), PartError> {
    let Wanted { name } = control::configuration()?;
    let program = Control::named(&name).ok_or(PartError::NoProgram(name))?;
    let _registration = Registration::new(&program, pause)?;
    control::answer(&"registered")?;
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    Ok(())
}

/// Removes congestion controls that killed processes have left registered and returns their names
/// ([`bentpipe_bpf::remove_leftovers`]).
pub fn remove_congestion_control_leftovers() -> Vec<&'static str> {
    bentpipe_bpf::remove_leftovers(pause)
}

fn pause() {
    thread::sleep(Duration::from_millis(10));
}
