//! Which object names which.

use std::collections::BTreeSet;

use bentpipe_run::{ObjectKind, ObjectSpec, PageSpec};
use bentpipe_units::Duration;

use super::error::PageError;
use super::place::{INDEX, Place};
use super::resolve::resolve;
use crate::hosts::Hosts;

/// A page with what names what.
pub(super) struct Tree<'a> {
    pub(super) page: &'a PageSpec,
    pub(super) hosts: Hosts,
    /// By object.
    places: Vec<Place>,
    /// By object: those that it names.
    children: Vec<Vec<usize>>,
    /// Those that the document names.
    roots: Vec<usize>,
}

/// How an object is fetched by what names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// By an element of the document, or a rule of a style sheet.
    Declared,
    /// By a call in a script.
    Called,
}

impl<'a> Tree<'a> {
    /// # Errors
    /// When an object is where none can be, or is named by what cannot name it, or in a circle, or waits where
    /// nothing can.
    pub(super) fn of(page: &'a PageSpec) -> Result<Self, PageError> {
        let hosts = Hosts::of_page(page);
        let places = places(page, &hosts)?;
        let (mut children, mut roots) = (vec![Vec::new(); page.objects.len()], Vec::new());
        for (at, object) in page.objects.iter().enumerate() {
            check(page, at, object)?;
            match object.after {
                None => roots.push(at),
                Some(after) => children[after].push(at),
            }
        }
        Ok(Self { page, hosts, places, children, roots })
    }

    pub(super) fn object(&self, at: usize) -> &'a ObjectSpec {
        &self.page.objects[at]
    }

    /// The number of an object's host.
    pub(super) fn host(&self, at: usize) -> usize {
        self.places[at].host
    }

    pub(super) fn place(&self, at: usize) -> &Place {
        &self.places[at]
    }

    /// What an object names, in the order of the page.
    pub(super) fn named_by(&self, at: usize) -> &[usize] {
        &self.children[at]
    }

    /// What the document names, in the order of the page.
    pub(super) fn named_by_document(&self, naming: Naming) -> impl Iterator<Item = usize> {
        self.roots.iter().copied().filter(move |at| self.naming(*at) == naming)
    }

    /// Whether any object is called for.
    pub(super) fn has_calls(&self) -> bool {
        (0..self.page.objects.len()).any(|at| self.naming(at) == Naming::Called)
    }

    /// The kind of what names an object; none when it is the document.
    pub(super) fn parent(&self, at: usize) -> Option<ObjectKind> {
        self.object(at).after.map(|after| self.object(after).kind)
    }

    fn naming(&self, at: usize) -> Naming {
        let object = self.object(at);
        let waits = object.wait_ns.is_some_and(|wait| wait > Duration::ZERO);
        match self.parent(at) {
            Some(ObjectKind::Script) => Naming::Called,
            None if waits || object.kind == ObjectKind::Other => Naming::Called,
            _ => Naming::Declared,
        }
    }
}

/// Where the objects are, each of which is asked for by what leads there and nowhere else.
fn places(page: &PageSpec, hosts: &Hosts) -> Result<Vec<Place>, PageError> {
    let mut taken = BTreeSet::from([Place::own(INDEX)]);
    let place = |(at, object): (usize, &ObjectSpec)| {
        let wrong = |expected| PageError::Path { object: at, path: object.path.clone(), expected };
        let host = hosts.of_object(object.host.as_deref());
        let place = Place { host, path: object.path.clone() };
        let root = Place { host, path: INDEX.to_owned() };
        if resolve(hosts, &root, &place.path).as_ref() != Some(&place) {
            return Err(wrong("a path from the root as it is asked for, without dots, percent-encoded"));
        }
        if !taken.insert(place.clone()) {
            return Err(wrong("one that nothing else on its host has"));
        }
        Ok(place)
    };
    page.objects.iter().enumerate().map(place).collect()
}

fn check(page: &PageSpec, at: usize, object: &ObjectSpec) -> Result<(), PageError> {
    let Some(after) = object.after else { return Ok(()) };
    let wrong = |expected| Err(PageError::After { object: at, after, expected });
    let Some(parent) = page.objects.get(after) else { return wrong("the index of an object") };
    if !leads_to_document(page, at) {
        return Err(PageError::Circle(at));
    }
    // What is not made here names what it names.
    if parent.file.is_some() {
        return Ok(());
    }
    match (parent.kind, object.kind) {
        (ObjectKind::Script, _) => Ok(()),
        (ObjectKind::Style, ObjectKind::Script | ObjectKind::Other) => wrong("the document or a script"),
        (ObjectKind::Style, _) if object.wait_ns.is_some_and(|wait| wait > Duration::ZERO) => {
            Err(PageError::Wait(at))
        }
        (ObjectKind::Style, _) => Ok(()),
        (ObjectKind::Image | ObjectKind::Font | ObjectKind::Other, _) => wrong("a style sheet or a script"),
    }
}

fn leads_to_document(page: &PageSpec, at: usize) -> bool {
    // A way that ends at no object is not this one's fault.
    let step = |at: &usize| page.objects[*at].after.filter(|after| *after < page.objects.len());
    // A way without a circle passes no object twice.
    std::iter::successors(Some(at), step).take(page.objects.len() + 1).count() <= page.objects.len()
}
