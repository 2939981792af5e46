use std::fmt::Write;
use std::iter;

use bentpipe_run::PageSpec;

const COMMENT: (&str, &str) = ("<!--", "-->");

/// The HTML document that embeds the page's objects in order, filled up to its length if it has one of its own.
pub(super) fn document(page: &PageSpec) -> Vec<u8> {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    let name = escaped(&page.name);
    let _ = writeln!(html, "<title>{name}</title>\n<h1>{name}</h1>");
    for object in &page.objects {
        let _ = writeln!(html, "<img src=\"{}\" alt=\"\">", escaped(&object.path));
    }
    html.push_str("</html>\n");
    if let Some(length) = page.document_bytes {
        let length = usize::try_from(length.get()).expect("a document fits in memory");
        let missing = length.saturating_sub(html.len());
        fill(&mut html, missing);
    }
    html.into_bytes()
}

/// Adds so many bytes that mean nothing: a comment, or blanks where none is that short.
fn fill(html: &mut String, bytes: usize) {
    let (open, close) = COMMENT;
    match bytes.checked_sub(open.len() + close.len()) {
        Some(inside) => html.extend([open, &" ".repeat(inside), close]),
        None => html.extend(iter::repeat_n(' ', bytes)),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
