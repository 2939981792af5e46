//! Pages: an HTML document and the objects it embeds, made from a [`PageSpec`](bentpipe_run::PageSpec) and the files that it names.
//!
//! The origin serves a [`Site`] and the loader makes the same one to know what it must receive, so
//! every body is verified byte for byte by its digest.

mod error;
mod files;
mod filler;
mod gif;
mod html;
mod image;
mod jpeg;
mod noise;
mod place;
mod reference;
mod resolve;
pub(crate) mod script;
mod site;
mod sites;
mod style;
mod tree;

pub(crate) use bentpipe_run::media;
pub use error::PageError;
pub use files::{Files, NoFiles};
pub use place::{INDEX, Place};
pub(crate) use resolve::resolve;
pub use site::{Resource, Site};
pub use sites::Sites;
