//! The page as it is served on one address.

use std::net::IpAddr;
use std::sync::Arc;

use bentpipe_units::Bytes;

use crate::page::{Resource, Site};

/// The page as it is served on one address.
#[derive(Clone, Debug)]
pub(super) struct Served {
    site: Arc<Site>,
    /// The number of the host whose address it is.
    host: usize,
    /// What the header of a response has in HTTP/1.1, where the run says so.
    response_header: Option<Bytes>,
}

impl Served {
    pub(super) fn new(site: &Arc<Site>, host: usize, response_header: Option<Bytes>) -> Self {
        Self { site: Arc::clone(site), host, response_header }
    }

    /// The size that the header of a response is to have in HTTP/1.1, with its first line and the empty one.
    pub(super) fn response_header_bytes(&self) -> Option<usize> {
        self.response_header.map(|size| usize::try_from(size.get()).unwrap_or(usize::MAX))
    }

    /// The number of the host on whose address it is served.
    pub(super) fn number(&self) -> usize {
        self.host
    }

    /// The number of the host that a request names (RFC 9110 section 7.2), or none where that is not served.
    ///
    /// A request that names none, or the address itself, means the host to whose address it came. Where there is but one
    /// host, all names are its names.
    pub(super) fn host(&self, authority: Option<&str>) -> Option<usize> {
        let Some(name) = authority.map(without_port).filter(|name| !name.is_empty()) else {
            return Some(self.host);
        };
        let hosts = self.site.hosts();
        let is_address = name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
        if is_address || hosts.names().len() == 1 { Some(self.host) } else { hosts.number(name) }
    }

    /// The resource at a path of a host.
    pub(super) fn resource(&self, host: usize, path: &str) -> Option<&Resource> {
        self.site.on(host, path)
    }

    /// Whether documents of one host embed what others serve.
    pub(super) fn has_several_hosts(&self) -> bool {
        self.site.hosts().names().len() > 1
    }
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_run::{ObjectSpec, PageSpec};

    use super::*;
    use crate::HOST;
    use crate::page::NoFiles;

    fn served(further: Option<&str>, host: usize) -> Served {
        let object =
            ObjectSpec { host: further.map(str::to_owned), ..ObjectSpec::new("/a.jpg", Bytes::new(10)) };
        let site = Site::of(&PageSpec::new("page", [object]), &NoFiles).unwrap();
        Served::new(&Arc::new(site), host, None)
    }

    #[test]
    fn a_request_is_for_the_host_that_it_names_and_else_for_that_of_the_address() {
        let served = served(Some("cdn.example"), 1);
        for (authority, expected) in [
            (None, Some(1)),
            (Some(""), Some(1)),
            (Some(HOST), Some(0)),
            (Some("origin.bentpipe.test:8443"), Some(0)),
            (Some("CDN.example:443"), Some(1)),
            (Some("198.18.1.1"), Some(1)),
            (Some("198.18.1.1:80"), Some(1)),
            (Some("[::1]:80"), Some(1)),
            (Some("other.example"), None),
            (Some("cdn.example:x"), None),
        ] {
            assert_eq!(served.host(authority), expected, "{authority:?}");
        }
    }

    #[test]
    fn a_page_of_one_host_is_served_by_any_name() {
        assert_eq!(served(None, 0).host(Some("other.example")), Some(0));
    }
}
