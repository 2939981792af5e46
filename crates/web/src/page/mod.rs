//! Pages: an HTML document and the objects it embeds, made from a [`PageSpec`] alone.
//!
//! The origin serves a [`Site`] and the loader makes the same one to know what it must receive, so
//! every body is verified byte for byte by its digest.

mod html;
mod jpeg;
mod sites;

use std::collections::BTreeMap;

use bentpipe_run::PageSpec;
use bytes::Bytes;
use ring::digest::{Digest, SHA256, digest};

pub use sites::Sites;

/// The path of the HTML document.
pub const INDEX: &str = "/";

/// All resources of a page by path.
#[derive(Clone, Debug)]
pub struct Site {
    resources: BTreeMap<String, Resource>,
}

/// One resource.
#[derive(Clone, Debug)]
pub struct Resource {
    /// Media type.
    pub content_type: &'static str,
    /// The content.
    pub body: Bytes,
    /// SHA-256 of the content.
    pub digest: Digest,
}

impl Site {
    /// Makes the page: the same bytes for the same spec, on any machine.
    pub fn of(page: &PageSpec) -> Self {
        let objects = page.objects.iter().map(|object| {
            let length = usize::try_from(object.bytes.get()).expect("an object fits in memory");
            (object.path.clone(), Resource::new("image/jpeg", jpeg::of_length(length, &object.path)))
        });
        let index = (INDEX.to_owned(), Resource::new("text/html; charset=utf-8", html::document(page)));
        Self { resources: objects.chain([index]).collect() }
    }

    /// The resource at a path.
    pub fn get(&self, path: &str) -> Option<&Resource> {
        self.resources.get(path)
    }

    /// All resources in order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Resource)> {
        self.resources.iter().map(|(path, resource)| (path.as_str(), resource))
    }
}

impl Resource {
    fn new(content_type: &'static str, body: Vec<u8>) -> Self {
        let digest = digest(&SHA256, &body);
        Self { content_type, body: body.into(), digest }
    }
}
