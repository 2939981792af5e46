use std::fmt::Write;

use bentpipe_run::PageSpec;

/// The HTML document that embeds the page's objects in order.
pub(super) fn document(page: &PageSpec) -> Vec<u8> {
    let mut html = String::from("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    let name = escaped(&page.name);
    let _ = writeln!(html, "<title>{name}</title>\n<h1>{name}</h1>");
    for object in &page.objects {
        let _ = writeln!(html, "<img src=\"{}\" alt=\"\">", escaped(&object.path));
    }
    html.push_str("</html>\n");
    html.into_bytes()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
