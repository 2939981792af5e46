//! A page as it is served: every resource with its digest.

use std::collections::BTreeMap;

use bentpipe_run::{ObjectKind, PageSpec, media};
use bentpipe_units::Duration;
use bytes::Bytes;
use ring::digest::{Digest, SHA256, digest};

use super::error::PageError;
use super::files::{self, Files};
use super::place::{INDEX, Place};
use super::tree::Tree;
use super::{html, image, noise, script, style};
use crate::hosts::Hosts;

/// All resources of a page by host and path.
#[derive(Clone, Debug)]
pub struct Site {
    hosts: Hosts,
    /// By number of the host.
    resources: Vec<BTreeMap<String, Resource>>,
    named: BTreeMap<Place, Vec<(Place, Duration)>>,
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
    ///
    /// # Errors
    /// When objects name what they cannot, or a file cannot be read or is not the one which the spec speaks of.
    pub fn of(page: &PageSpec, files: &dyn Files) -> Result<Self, PageError> {
        let tree = Tree::of(page)?;
        let mut resources = vec![BTreeMap::new(); tree.hosts.names().len()];
        for (at, object) in page.objects.iter().enumerate() {
            resources[tree.host(at)].insert(object.path.clone(), resource(&tree, at, files)?);
        }
        resources[0].insert(INDEX.to_owned(), document(&tree, files)?);
        let named = named_by_files(&tree);
        Ok(Self { hosts: tree.hosts, resources, named })
    }

    /// The hosts that it is on.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// The resource at a path of the page's own host.
    pub fn get(&self, path: &str) -> Option<&Resource> {
        self.on(0, path)
    }

    /// The resource at a path of a host. Where none has a query, one without it is meant.
    pub fn on(&self, host: usize, path: &str) -> Option<&Resource> {
        self.found(host, path).map(|(_, resource)| resource)
    }

    /// Where the resource is that a place stands for: there, or there without the query.
    pub fn place(&self, place: &Place) -> Option<Place> {
        let (path, _) = self.found(place.host, &place.path)?;
        Some(Place { host: place.host, path: path.clone() })
    }

    /// What the page says that a file at a place names, each with its wait; nothing of what is made, which
    /// can be read.
    pub fn named_by(&self, place: &Place) -> &[(Place, Duration)] {
        self.named.get(place).map_or(&[], Vec::as_slice)
    }

    /// All resources in order of their hosts and paths.
    pub fn iter(&self) -> impl Iterator<Item = (Place, &Resource)> {
        self.resources.iter().enumerate().flat_map(|(host, resources)| {
            let place = move |path: &String| Place { host, path: path.clone() };
            resources.iter().map(move |(path, resource)| (place(path), resource))
        })
    }

    fn found(&self, host: usize, path: &str) -> Option<(&String, &Resource)> {
        let resources = self.resources.get(host)?;
        resources.get_key_value(path).or_else(|| resources.get_key_value(path.split_once('?')?.0))
    }
}

impl Resource {
    fn new(content_type: &'static str, body: Vec<u8>) -> Self {
        let digest = digest(&SHA256, &body);
        Self { content_type, body: body.into(), digest }
    }
}

fn named_by_files(tree: &Tree<'_>) -> BTreeMap<Place, Vec<(Place, Duration)>> {
    let mut named: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, object) in tree.page.objects.iter().enumerate() {
        let (by, file) = match object.after {
            None => (Place::own(INDEX), &tree.page.document),
            Some(after) => (tree.place(after).clone(), &tree.object(after).file),
        };
        if file.is_some() {
            let wait = object.wait_ns.unwrap_or(Duration::ZERO);
            named.entry(by).or_default().push((tree.place(at).clone(), wait));
        }
    }
    named
}

fn document(tree: &Tree<'_>, files: &dyn Files) -> Result<Resource, PageError> {
    let body = match &tree.page.document {
        Some(file) => files::verified(file, files)?,
        None => html::document(tree),
    };
    Ok(Resource::new(media::HTML, body))
}

fn resource(tree: &Tree<'_>, at: usize, files: &dyn Files) -> Result<Resource, PageError> {
    let object = tree.object(at);
    let length = usize::try_from(object.bytes.get()).expect("an object fits in memory");
    let content_type = media::of_object(object);
    if let Some(file) = &object.file {
        let body = files::verified(file, files)?;
        return if body.len() == length {
            Ok(Resource::new(content_type, body))
        } else {
            let file = files::path(file);
            Err(PageError::Length { file, expected: object.bytes.get(), found: body.len() })
        };
    }
    let body = match object.kind {
        ObjectKind::Image => image::of_length(length, &object.path),
        ObjectKind::Script => script::script(tree, at, length),
        ObjectKind::Style => style::sheet(tree, at, length),
        ObjectKind::Font | ObjectKind::Other => noise::of_length(length, &object.path),
    };
    Ok(Resource::new(content_type, body))
}
