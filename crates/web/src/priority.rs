//! Priorities of a page's requests (RFC 9218).

use bentpipe_http::priority::{Delivery, FIELD, Priority};
use bentpipe_run::Priorities;
use http::HeaderMap;

use crate::page::INDEX;

/// Gives a request for `path` its priority, where requests state one.
pub(crate) fn state(headers: &mut HeaderMap, path: &str, priorities: Priorities) {
    if priorities.are_stated() {
        headers.insert(FIELD, of_path(path).field());
    }
}

/// What Firefox asks for, whose header fields the loader has.
///
/// The document 0 and incremental, an image 5 and incremental, a style sheet, a script or a font of the head 2
/// ("Firefox Network Prioritization and Scheduling", for version 132 and later). A page's spec names no types, hence by
/// extension.
fn of_path(path: &str) -> Priority {
    let file = path.split(['?', '#']).next().unwrap_or(path);
    match file.rsplit_once('.').map(|(_, extension)| extension) {
        _ if path == INDEX => Priority { urgency: 0, delivery: Delivery::Incremental },
        Some("css" | "js" | "woff" | "woff2") => Priority { urgency: 2, delivery: Delivery::Whole },
        _ => Priority { urgency: 5, delivery: Delivery::Incremental },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_state_what_firefox_does() {
        for (path, expected) in [
            ("/", "u=0, i"),
            ("/object-1.jpg", "u=5, i"),
            ("/no-extension", "u=5, i"),
            ("/style.css?v=2", "u=2"),
            ("/app.js", "u=2"),
        ] {
            let mut headers = HeaderMap::new();
            state(&mut headers, path, Priorities::On);
            assert_eq!(headers[FIELD], expected, "{path}");
            assert_eq!(Priority::of_request(&headers), of_path(path), "{path}");
        }
    }

    #[test]
    fn requests_state_nothing_unless_they_are_to() {
        for priorities in [Priorities::Off, Priorities::Unstated] {
            let mut headers = HeaderMap::new();
            state(&mut headers, "/style.css", priorities);
            assert!(headers.is_empty(), "{priorities:?}");
        }
    }
}
