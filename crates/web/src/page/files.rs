//! Where the files of pages are read.

use std::fmt;
use std::io;

use bentpipe_run::FileSpec;
use ring::digest::{SHA256, digest};

use super::PageError;

/// Where the files of pages are read.
pub trait Files: fmt::Debug + Send + Sync {
    /// The content of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, file: &FileSpec) -> io::Result<Vec<u8>>;
}

/// For pages that have no files.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _file: &FileSpec) -> io::Result<Vec<u8>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "files are not read here"))
    }
}

/// The content of a file that is the one which the spec speaks of.
pub(super) fn verified(file: &FileSpec, files: &dyn Files) -> Result<Vec<u8>, PageError> {
    let content = files.read(file).map_err(|error| PageError::File { file: path(file), error })?;
    let found: String = digest(&SHA256, &content).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    if !found.eq_ignore_ascii_case(&file.sha256) {
        return Err(PageError::Digest { file: path(file), expected: file.sha256.clone(), found });
    }
    Ok(content)
}

/// Where a file is, for people.
pub(super) fn path(file: &FileSpec) -> String {
    format!("{}/{}", file.folder, file.name)
}
