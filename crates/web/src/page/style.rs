//! Style sheets.

use bentpipe_run::ObjectKind;

use super::filler::fill_code;
use super::reference::{quoted, reference};
use super::tree::Tree;

/// A style sheet of an object's length that loads what it names: style sheets by `@import`, images as the backgrounds of
/// elements that the document has for them, fonts for the text of such elements.
pub(super) fn sheet(tree: &Tree<'_>, at: usize, length: usize) -> Vec<u8> {
    let kind = |kind: ObjectKind| {
        tree.named_by(at).iter().copied().filter(move |named| tree.object(*named).kind == kind)
    };
    let url = |named| quoted(&reference(tree, named, tree.host(at)));
    let mut css = String::new();
    // Imports come before all other rules (CSS Cascading and Inheritance Level 3, section 2).
    for named in kind(ObjectKind::Style) {
        css.push_str(&format!("@import url({});\n", url(named)));
    }
    for named in kind(ObjectKind::Image) {
        css.push_str(&format!("#{}{{background-image:url({})}}\n", element(named), url(named)));
    }
    for named in kind(ObjectKind::Font) {
        css.push_str(&font(named, &url(named)));
    }
    fill_code(&mut css, length);
    css.into_bytes()
}

/// Has the text of an object's element be set in the font at `url`, which makes a browser fetch it.
pub(super) fn font(at: usize, url: &str) -> String {
    let name = element(at);
    format!("@font-face{{font-family:{name};src:url({url})}}\n#{name}{{font-family:{name}}}\n")
}

/// The id of the element that shows an object.
pub(super) fn element(at: usize) -> String {
    format!("object-{at}")
}
