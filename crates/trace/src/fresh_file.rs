//! Files of ours in folders where others may write: made anew, no link followed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Makes a file of ours in place of whatever has its name, in a folder where others may write.
///
/// A symbolic link is removed and not followed: it would have root write where another user says.
///
/// # Errors
/// When what is there cannot be removed, comes back at once, or there can be no file.
pub(crate) fn fresh_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => File::create_new(path),
    }
}
