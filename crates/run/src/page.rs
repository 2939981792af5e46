//! What a page consists of: its document, its objects, and where each comes from.

use bentpipe_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ObjectKind;

/// A page: an HTML document and what it makes a browser fetch, from one host or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageSpec {
    /// Its name in scenarios and figures.
    pub name: String,
    /// The embedded objects; those that the document names stand there in this order.
    pub objects: Vec<ObjectSpec>,
    /// Length of the HTML document, where it is to be more than its markup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_bytes: Option<Bytes>,
    /// The host of the document; without it the origin's usual name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The document itself, where it is not made from the objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<FileSpec>,
}

/// One embedded object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    /// Absolute path on its host, such as `/object-1.jpg`; a query may follow.
    pub path: String,
    /// Length of the body; only a style sheet or a script that names more than fits into it is longer.
    pub bytes: Bytes,
    /// Its host; without it the page's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// What it is to the page.
    #[serde(default, skip_serializing_if = "ObjectKind::is_image")]
    pub kind: ObjectKind,
    /// Index of the style sheet or the script that names it; without it the document does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<usize>,
    /// Time between the arrival of what names it and its request, which only a document and a script can wait. Without
    /// it: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait_ns: Option<Duration>,
    /// Its content, where that is not made up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileSpec>,
}

/// A file and what it must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSpec {
    /// The folder.
    pub folder: String,
    /// Path of the file in the folder.
    pub name: String,
    /// SHA-256 of the content, in hexadecimal digits.
    pub sha256: String,
}

impl PageSpec {
    /// A page of one host whose document is no longer than its markup.
    pub fn new(name: impl Into<String>, objects: impl IntoIterator<Item = ObjectSpec>) -> Self {
        let objects = objects.into_iter().collect();
        Self { name: name.into(), objects, document_bytes: None, host: None, document: None }
    }
}

impl ObjectSpec {
    /// An image that the document names, on the page's host.
    pub fn new(path: impl Into<String>, bytes: Bytes) -> Self {
        Self {
            path: path.into(),
            bytes,
            host: None,
            kind: ObjectKind::Image,
            after: None,
            wait_ns: None,
            file: None,
        }
    }
}
