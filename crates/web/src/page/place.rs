//! Where the resources of a page are.

/// The path of the HTML document.
pub const INDEX: &str = "/";

/// Where a resource is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number of its host.
    pub host: usize,
    /// Path and query.
    pub path: String,
}

impl Place {
    /// A place on the page's own host.
    pub fn own(path: impl Into<String>) -> Self {
        Self { host: 0, path: path.into() }
    }
}
