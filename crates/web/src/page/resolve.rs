//! Where references lead (RFC 3986 section 5.2).

use super::place::Place;
use crate::hosts::Hosts;

/// Bytes of a path with its query: what the longest URL that can be requested ([`http::Uri`]) has beside its
/// scheme and the longest name of a host (RFC 1035 section 2.3.4).
const LONGEST_PATH: usize = 65_534 - "https://".len() - 253;
/// What is left as it is in a path and a query, beside letters and digits: what URLs are made of (RFC 3986
/// section 2), and what browsers do not encode (URL Standard, section 1.3).
const KEPT: &[u8] = b"-._~/%!$&'()*+,;=:@[]|^?";

/// Where a reference found at `base` leads (RFC 3986 section 5.2); none where that is no host of the page, or
/// not to be had over HTTP, or longer than can be asked for.
pub(crate) fn resolve(hosts: &Hosts, base: &Place, reference: &str) -> Option<Place> {
    // URL Standard, section 4.4: lines may be broken anywhere.
    let reference = reference.trim().replace(['\t', '\n', '\r'], "");
    let reference = reference.split('#').next().filter(|reference| !reference.is_empty())?;
    // RFC 3986 section 4.2: in a relative reference a colon stands after the first slash or in the query.
    let first = reference.split(['/', '?']).next().unwrap_or(reference);
    let rest = match first.split_once(':') {
        None => reference,
        Some((scheme, _)) => {
            let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
            reference.get(scheme.len() + 1..).filter(|rest| is_http && rest.starts_with("//"))?
        }
    };
    let (host, path) = match rest.strip_prefix("//") {
        Some(absolute) => {
            let end = absolute.find(['/', '?']).unwrap_or(absolute.len());
            let (authority, path) = absolute.split_at(end);
            let (name, port) = authority.split_once(':').unwrap_or((authority, ""));
            // Which of HTTP's own ports it is, the run decides.
            let host = hosts.number(name).filter(|_| matches!(port, "" | "80" | "443"))?;
            (host, on_host("/", path))
        }
        None => (base.host, on_host(&base.path, rest)),
    };
    let path = encoded(&path);
    (path.len() <= LONGEST_PATH).then_some(Place { host, path })
}

/// A reference without a host, found at `base`.
fn on_host(base: &str, reference: &str) -> String {
    let base = path_and_query(base).0;
    let (path, query) = path_and_query(reference);
    let path = if path.starts_with('/') {
        without_dots(path)
    } else if path.is_empty() {
        base.to_owned()
    } else {
        let folder = base.rfind('/').map_or("", |slash| &base[..slash]);
        without_dots(&format!("{folder}/{path}"))
    };
    format!("{path}{query}")
}

/// The query with its question mark.
fn path_and_query(reference: &str) -> (&str, &str) {
    reference.split_at(reference.find('?').unwrap_or(reference.len()))
}

/// Percent-encoded (RFC 3986 section 2.1) as browsers do it, and for pages of files scenario/page/folder.py.
fn encoded(path: &str) -> String {
    let mut encoded = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || KEPT.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// RFC 3986 section 5.2.4.
fn without_dots(path: &str) -> String {
    let mut segments = Vec::new();
    let mut ends_in_folder = false;
    for segment in path.split('/').skip(1) {
        ends_in_folder = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            segment => segments.push(segment),
        }
    }
    if ends_in_folder {
        segments.push("");
    }
    format!("/{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use bentpipe_run::{Http, ObjectSpec, PageSpec};
    use bentpipe_units::Bytes;

    use super::*;
    use crate::loader::url;

    #[test]
    fn references_lead_where_the_rfc_says_on_the_hosts_of_the_page() {
        let cdn = ObjectSpec { host: Some("cdn.example".to_owned()), ..ObjectSpec::new("/a", Bytes::new(1)) };
        let hosts = Hosts::of_page(&PageSpec::new("page", [cdn]));
        let base = Place { host: 1, path: "/b/c/d;p?q".to_owned() };
        // RFC 3986 section 5.4, with the host's number for "http://a".
        for (reference, expected) in [
            ("g", Some((1, "/b/c/g"))),
            ("./g", Some((1, "/b/c/g"))),
            ("g/", Some((1, "/b/c/g/"))),
            ("/g", Some((1, "/g"))),
            ("?y", Some((1, "/b/c/d;p?y"))),
            ("g?y#s", Some((1, "/b/c/g?y"))),
            (".", Some((1, "/b/c/"))),
            ("..", Some((1, "/b/"))),
            ("../g", Some((1, "/b/g"))),
            ("../../../g", Some((1, "/g"))),
            ("/./g", Some((1, "/g"))),
            ("/../g", Some((1, "/g"))),
            ("g?y/../x", Some((1, "/b/c/g?y/../x"))),
            ("//cdn.example/g", Some((1, "/g"))),
            ("//cdn.example/a/../g", Some((1, "/g"))),
            ("//cdn.example?y", Some((1, "/?y"))),
            ("//cdn.example:443/g", Some((1, "/g"))),
            ("//cdn.example:8080/g", None),
            ("https://origin.bentpipe.test/g?a:b", Some((0, "/g?a:b"))),
            ("HTTP://CDN.example", Some((1, "/"))),
            ("//other.example/g", None),
            ("g:h", None),
            ("data:image/png;base64,AA", None),
            ("#s", None),
            // URL Standard, sections 1.3 and 4.4.
            (" my\ng\u{fc}\"%20.jpg?a b{} ", Some((1, "/b/c/myg%C3%BC%22%20.jpg?a%20b%7B%7D"))),
            ("/\u{fc} g", Some((1, "/%C3%BC%20g"))),
        ] {
            let expected = expected.map(|(host, path): (_, &str)| Place { host, path: path.to_owned() });
            assert_eq!(resolve(&hosts, &base, reference), expected, "{reference}");
        }
    }

    #[test]
    fn a_path_is_no_longer_than_a_url_that_can_be_requested() {
        // 253 characters in labels of at most 63.
        let host = [63, 63, 63, 61].map(|letters| "h".repeat(letters)).join(".");
        let page = PageSpec { host: Some(host.clone()), ..PageSpec::new("page", []) };
        let (hosts, longest) = (Hosts::of_page(&page), format!("/{}", "g".repeat(LONGEST_PATH - 1)));
        assert_eq!(resolve(&hosts, &Place::own("/"), &longest), Some(Place::own(longest.clone())));
        assert!(url(Http::H3, &host, &longest).parse::<http::Uri>().is_ok());
        assert!(resolve(&hosts, &Place::own("/"), &format!("{longest}g")).is_none());
        assert!(url(Http::H3, &host, &format!("{longest}g")).parse::<http::Uri>().is_err());
    }
}
