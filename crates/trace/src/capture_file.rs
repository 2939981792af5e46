//! A capture's file, which is on the disk when it is finished.

use std::fs::File;
use std::io::{self, BufWriter, IntoInnerError};
use std::path::{Path, PathBuf};

use bentpipe_units::Time;

use crate::WallClock;
use crate::fresh_file::fresh_file;
use crate::pcapng::{Capture, Interface, add_secrets};

/// Room for what a disk is asked to write at once.
const BUFFER_BYTES: usize = 1 << 20;

/// A [`Capture`] that is written to a file. Errors name the file and say what the system says.
pub struct CaptureFile {
    path: PathBuf,
    capture: Capture<BufWriter<File>>,
}

impl CaptureFile {
    /// Starts a capture in place of what has its name, and of a symbolic link without following it; `clock_start` is
    /// the wall clock at [`Time::ZERO`] of the run's clock.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: PathBuf, clock_start: WallClock) -> io::Result<Self> {
        let file = fresh_file(&path).map_err(|error| unwritten(&path, &error))?;
        Self::with_file(path, file, clock_start)
    }

    fn with_file(path: PathBuf, file: File, clock_start: WallClock) -> io::Result<Self> {
        let capture = Capture::new(BufWriter::with_capacity(BUFFER_BYTES, file), clock_start)
            .map_err(|error| unwritten(&path, &error))?;
        Ok(Self { path, capture })
    }

    /// Adds an IP packet that passed `interface` at `at` on the run's clock.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn packet(&mut self, interface: Interface, at: Time, packet: &[u8]) -> io::Result<()> {
        self.capture.packet(interface, at, packet).map_err(|error| unwritten(&self.path, &error))
    }

    /// Ends the capture, with TLS secrets (NSS key-log lines) at its head, if there are any.
    ///
    /// It is on the disk then: a disk that is full or fails may say so only when one waits for it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self, key_log: &[String]) -> io::Result<()> {
        let Self { path, capture } = self;
        let file = capture.into_inner().into_inner().map_err(IntoInnerError::into_error);
        let written = match file {
            Ok(_) if !key_log.is_empty() => add_secrets(&path, key_log),
            Ok(file) => file.sync_all(),
            Err(error) => Err(error),
        };
        written.map_err(|error| unwritten(&path, &error))
    }
}

fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write the capture {}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
