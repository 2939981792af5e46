//! One registration of a name at a time.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// A lock on a name; it goes with its process.
#[derive(Debug)]
pub(crate) struct NameLock {
    path: PathBuf,
    _lock: Flock<File>,
}

impl NameLock {
    /// `None` when another process has it.
    pub fn take(name: &str) -> io::Result<Option<Self>> {
        let path = PathBuf::from(format!("/run/bentpipe-{name}.lock"));
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => Ok(Some(Self { path, _lock: lock })),
            Err((_, Errno::EWOULDBLOCK)) => Ok(None),
            Err((_, error)) => Err(error.into()),
        }
    }
}

impl Drop for NameLock {
    fn drop(&mut self) {
        // Whoever has opened it in this moment holds a lock on nothing; the kernel refuses a name taken twice anyway.
        let _ = fs::remove_file(&self.path);
    }
}
