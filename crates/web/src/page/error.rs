//! Why a page cannot be made.

use std::io;

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// An object where none can be.
    #[error("page.objects.{object}.path: expected {expected}, found {path}")]
    Path {
        /// The object.
        object: usize,
        /// What it says.
        path: String,
        /// What it might say.
        expected: &'static str,
    },
    /// An object that nobody can name.
    #[error("page.objects.{object}.after: expected {expected}, found object {after}")]
    After {
        /// The object.
        object: usize,
        /// What it says.
        after: usize,
        /// What it might say.
        expected: &'static str,
    },
    /// Objects that name each other and are named by nobody else.
    #[error("page.objects.{0}.after: expected to lead to the document, found a circle")]
    Circle(usize),
    /// A wait where nothing can wait.
    #[error("page.objects.{0}.wait_ns: expected none after a style sheet, which loads what it names at once")]
    Wait(usize),
    /// A file that cannot be read.
    #[error("{file}: {error}")]
    File {
        /// The file.
        file: String,
        /// Why.
        error: io::Error,
    },
    /// A file that has changed.
    #[error("{file}: expected the SHA-256 digest {expected}, found {found}")]
    Digest {
        /// The file.
        file: String,
        /// The spec's.
        expected: String,
        /// The file's.
        found: String,
    },
    /// A file of another length than its object.
    #[error("{file}: expected {expected} bytes, found {found}")]
    Length {
        /// The file.
        file: String,
        /// The object's.
        expected: u64,
        /// The file's.
        found: usize,
    },
}
