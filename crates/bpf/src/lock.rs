//! One process at a time looks for a registration and makes or removes one.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg, OFlag};

/// Waits for some ten milliseconds. This crate does not: its caller does.
pub type Pause = fn();

/// The file stays: one that is removed could be locked by one process under its name and by another without.
const PATH: &str = "/run/bentpipe-congestion-controls.lock";
/// Attempts before one goes on without, whoever may hold the lock: half a second, with pauses of ten milliseconds.
const ATTEMPTS: usize = 50;

/// Waits for the lock, which goes with its process; `None` when it cannot be had.
///
/// It spares processes a second look and decides nothing: the kernel registers a name once, and other containers
/// have another `/run`.
pub(crate) fn take(pause: Pause) -> Option<Flock<File>> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600).custom_flags(OFlag::O_NOFOLLOW.bits());
    let mut file = options.open(PATH).ok()?;
    for _ in 0..ATTEMPTS {
        file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => return Some(lock),
            Err((file, Errno::EWOULDBLOCK)) => file,
            Err(_) => return None,
        };
        pause();
    }
    None
}
