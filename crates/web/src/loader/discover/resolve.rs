use crate::hosts::Hosts;
use crate::page::Place;

/// Where a reference found at `base` leads (RFC 3986 section 5.2); none where that is no host of the page, or not to be
/// had over HTTP.
pub(super) fn resolve(hosts: &Hosts, base: &Place, reference: &str) -> Option<Place> {
    let reference = reference.trim().split('#').next().filter(|reference| !reference.is_empty())?;
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
            let name = authority.split(':').next().unwrap_or(authority);
            (hosts.number(name)?, if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
        }
        None => (base.host, on_host(&base.path, rest)),
    };
    let path = path.parse::<http::uri::PathAndQuery>().ok()?.to_string();
    Some(Place { host, path })
}

/// A reference without a host, found at `base`.
fn on_host(base: &str, reference: &str) -> String {
    let base = base.split('?').next().unwrap_or(base);
    if reference.starts_with('/') {
        reference.to_owned()
    } else if reference.starts_with('?') {
        format!("{base}{reference}")
    } else {
        let folder = base.rfind('/').map_or("", |slash| &base[..slash]);
        let (path, query) = reference.split_at(reference.find('?').unwrap_or(reference.len()));
        format!("{}{query}", without_dots(&format!("{folder}/{path}")))
    }
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
    use bentpipe_run::{ObjectSpec, PageSpec};
    use bentpipe_units::Bytes;

    use super::*;

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
            ("//cdn.example/g", Some((1, "/g"))),
            ("//cdn.example:443/g", Some((1, "/g"))),
            ("https://origin.bentpipe.test/g?a:b", Some((0, "/g?a:b"))),
            ("HTTP://CDN.example", Some((1, "/"))),
            ("//other.example/g", None),
            ("g:h", None),
            ("data:image/png;base64,AA", None),
            ("#s", None),
        ] {
            let expected = expected.map(|(host, path): (_, &str)| Place { host, path: path.to_owned() });
            assert_eq!(resolve(&hosts, &base, reference), expected, "{reference}");
        }
    }
}
