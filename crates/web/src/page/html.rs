//! The HTML document.

use std::fmt::Write;

use bentpipe_run::ObjectKind;

use super::filler::{MARKUP, fill};
use super::reference::{quoted, reference};
use super::script;
use super::style;
use super::tree::{Naming, Tree};

const END: &str = "</html>\n";

/// The HTML document that embeds the page's objects in order, filled up to its length if it has one of its own.
pub(super) fn document(tree: &Tree<'_>) -> Vec<u8> {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    let name = escaped(&tree.page.name);
    let _ = writeln!(html, "<title>{name}</title>");
    if tree.has_calls() {
        let _ = write!(html, "<script>\n{}</script>\n", script::DEFINITION);
    }
    let heading = format!("<h1>{name}</h1>\n");
    let mut is_in_head = true;
    for at in tree.named_by_document(Naming::Declared) {
        let goes_to_head = matches!(tree.object(at).kind, ObjectKind::Style | ObjectKind::Script);
        if is_in_head && !goes_to_head {
            html.push_str(&heading);
            is_in_head = false;
        }
        html.push_str(&embedded(tree, at));
    }
    if is_in_head {
        html.push_str(&heading);
    }
    html.extend(shown(tree).map(|at| format!("<p id=\"{0}\">{0}</p>\n", style::element(at))));

    let calls: String = tree.named_by_document(Naming::Called).map(|at| script::call(tree, at)).collect();
    let calls = if calls.is_empty() { calls } else { format!("<script>\n{calls}</script>\n") };
    let length = tree
        .page
        .document_bytes
        .map_or(0, |length| usize::try_from(length.get()).expect("a document fits in memory"));
    let missing = length.saturating_sub(html.len() + calls.len() + END.len());
    if calls.is_empty() {
        html.push_str(END);
        fill(&mut html, MARKUP, missing);
    } else {
        // What waits for the document starts at its end.
        fill(&mut html, MARKUP, missing);
        html.extend([&calls, END]);
    }
    html.into_bytes()
}

/// The element that has a browser fetch an object.
fn embedded(tree: &Tree<'_>, at: usize) -> String {
    let url = reference(tree, at, 0);
    match tree.object(at).kind {
        ObjectKind::Image => format!("<img src=\"{}\" alt=\"\">\n", escaped(&url)),
        ObjectKind::Style => format!("<link rel=\"stylesheet\" href=\"{}\">\n", escaped(&url)),
        // It runs when it has come, whatever else has not.
        ObjectKind::Script => format!("<script async src=\"{}\"></script>\n", escaped(&url)),
        ObjectKind::Font => format!("<style>\n{}</style>\n", style::font(at, &quoted(&url))),
        ObjectKind::Other => unreachable!("scripts call for it"),
    }
}

/// The objects that need an element to be shown by: those that style rules name.
fn shown(tree: &Tree<'_>) -> impl Iterator<Item = usize> {
    (0..tree.page.objects.len()).filter(|at| match (tree.parent(*at), tree.object(*at).kind) {
        (None, ObjectKind::Font) => true,
        (Some(ObjectKind::Style), ObjectKind::Font | ObjectKind::Image) => true,
        (None | Some(_), _) => false,
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
