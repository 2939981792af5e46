//! The part that is the link: a real-time process between two TUN devices.

use std::io::{self, BufRead};
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use bentpipe_link::Direction;
use bentpipe_units::Time;
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::sys::prctl::set_timerslack;
use serde::Serialize;

use super::{Configuration, PartError};
use crate::bare_timer::BareTimers;
use crate::capture::Tap;
use crate::control;
use crate::cores;
use crate::pump::{Devices, Pump};
use crate::tun::Device;

/// When the measurement begins.
#[derive(Serialize)]
struct Marked {
    begin_ns: Time,
}

/// The link: moves packets between two TUN devices until the report is asked for or the input ends.
///
/// # Errors
/// When the configuration is malformed, a device fails or the capture cannot be written.
pub fn link() -> Result<(), PartError> {
    let configuration: Configuration = control::configuration()?;
    let Some([client, server]) = configuration.devices else {
        return Err(io::Error::other("the link needs two devices").into());
    };
    let to_client = configuration.spec.link_direction(bentpipe_run::Direction::Down);
    let (gateway, terminal) = match to_client {
        Direction::Forward => (server, client),
        Direction::Return => (client, server),
    };
    let devices = Devices { gateway: device(gateway)?, terminal: device(terminal)? };
    let tap = configuration.capture().map(|path| Tap::create(path, to_client)).transpose()?;
    let mut pump = Pump::new(&configuration.spec, devices, tap);
    be_punctual();
    let cores = cores::allowed();
    if let Some(core) = configuration.link_core {
        cores::stay_on(core);
    }
    control::answer(&"ready")?;
    let input = io::stdin();
    let mut order = String::new();
    let mut timers = None;
    loop {
        pump.run(input.as_fd())?;
        order.clear();
        // One order at a time: the orchestrator waits for each answer, so no second line is buffered.
        input.lock().read_line(&mut order)?;
        match order.trim() {
            "mark" => {
                // Its priority has been given to this process by now, and they inherit it.
                let started = BareTimers::start(&cores);
                control::answer(&Marked { begin_ns: pump.mark(started.last_stalls()) })?;
                timers = Some(started);
            }
            "close" => {
                pump.close();
                control::answer(&"closing")?;
            }
            "report" => {
                // The answer says that the run is over, so the capture is on the disk before it.
                let seen = timers.map(BareTimers::stop);
                let report = pump.report(seen.as_ref());
                pump.finish()?;
                return Ok(control::answer(&report)?);
            }
            _ => return Ok(pump.finish()?),
        }
    }
}

/// Wakes at the instant asked for and finds its memory there; both are best effort.
fn be_punctual() {
    let _ = set_timerslack(1);
    let _ = mlockall(MlockAllFlags::MCL_CURRENT);
}

fn device(fd: RawFd) -> io::Result<Device> {
    // SAFETY: the orchestrator opened the descriptor for this process alone, and nothing else here uses it.
    Device::new(unsafe { OwnedFd::from_raw_fd(fd) })
}
