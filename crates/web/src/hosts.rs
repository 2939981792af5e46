//! The hosts of a run by number, name and address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use bentpipe_http::quic;
use bentpipe_run::{PageSpec, RunSpec, Workload};

use crate::{HOST, RESOLVER};

/// The hosts of a run by their numbers: the page's own is zero, others follow in the order in which objects name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

/// A host as a client reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Remote {
    /// Its number.
    pub(crate) host: usize,
    pub(crate) name: String,
    pub(crate) address: IpAddr,
}

impl Hosts {
    /// Those of a run's page; of other workloads the origin alone.
    pub fn of(spec: &RunSpec) -> Self {
        match &spec.workload {
            Workload::PageLoad(load) => Self::of_page(&load.page),
            Workload::Bulk(_) | Workload::Flows(_) | Workload::Iperf3(_) | Workload::Ping(_) => {
                Self(vec![HOST.to_owned()])
            }
        }
    }

    /// Those that have a certificate in a run: its own, and the resolver where the client asks one.
    pub fn certified(spec: &RunSpec) -> Self {
        let mut hosts = Self::of(spec);
        hosts.0.extend(spec.dns.map(|_| RESOLVER.to_owned()));
        hosts
    }

    /// Those of a page.
    pub fn of_page(page: &PageSpec) -> Self {
        let mut hosts = Self(vec![page.host.clone().unwrap_or_else(|| HOST.to_owned())]);
        for name in page.objects.iter().filter_map(|object| object.host.as_ref()) {
            if hosts.number(name).is_none() {
                hosts.0.push(name.clone());
            }
        }
        hosts
    }

    /// Their names.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// The number of a host; names have no case (RFC 9110 section 4.2.3).
    pub fn number(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|known| known.eq_ignore_ascii_case(name))
    }

    /// The number of an object's host.
    pub fn of_object(&self, host: Option<&str>) -> usize {
        host.and_then(|name| self.number(name)).unwrap_or(0)
    }

    /// The address of a host where number zero has `origin`: the others follow from the next 256 addresses on (198.18.1.1
    /// after 198.18.0.2). Each has one of its own, else browsers share a connection among hosts (RFC 9113 section 9.1.1).
    pub fn address(origin: IpAddr, host: usize) -> IpAddr {
        if host == 0 {
            return origin;
        }
        match origin {
            IpAddr::V4(origin) => {
                let network = origin.to_bits() & !0xFF;
                IpAddr::V4(Ipv4Addr::from_bits(network.wrapping_add(0x100).wrapping_add(host as u32)))
            }
            IpAddr::V6(origin) => {
                let network = origin.to_bits() & !0xFF;
                IpAddr::V6(Ipv6Addr::from_bits(network.wrapping_add(0x100).wrapping_add(host as u128)))
            }
        }
    }

    /// All of them, for a client that finds number zero at `origin`.
    pub(crate) fn remotes(&self, origin: IpAddr) -> impl Iterator<Item = Remote> {
        let remote = move |(host, name): (usize, &String)| Remote {
            host,
            name: name.clone(),
            address: Self::address(origin, host),
        };
        self.0.iter().enumerate().map(remote)
    }
}

impl Remote {
    /// A service of it as QUIC needs to know it.
    pub(crate) fn service(&self, port: u16) -> quic::Host<'_> {
        quic::Host { name: &self.name, at: SocketAddr::new(self.address, port) }
    }

    /// The host of workloads that have one.
    pub(crate) fn only(origin: IpAddr) -> Self {
        Self { host: 0, name: HOST.to_owned(), address: origin }
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_run::ObjectSpec;
    use bentpipe_units::Bytes;

    use super::*;

    fn object(host: Option<&str>) -> ObjectSpec {
        ObjectSpec { host: host.map(str::to_owned), ..ObjectSpec::new("/a.jpg", Bytes::new(1)) }
    }

    #[test]
    fn hosts_are_numbered_in_the_order_of_their_appearance_and_the_page_s_own_is_the_first() {
        let named = ["b.example", "a.example", "B.example", "www.example", "WWW.example"].map(Some);
        let objects = named.into_iter().chain([None]);
        let page =
            PageSpec { host: Some("www.example".to_owned()), ..PageSpec::new("page", objects.map(object)) };
        let hosts = Hosts::of_page(&page);
        assert_eq!(hosts.names(), ["www.example", "b.example", "a.example"]);
        assert_eq!(hosts.number("B.Example"), Some(1));
        assert_eq!(hosts.number("c.example"), None);
        assert_eq!(Hosts::of_page(&PageSpec::new("page", [])).names(), [HOST]);
    }

    #[test]
    fn every_host_has_an_address_of_its_own() {
        let origin = IpAddr::from([198, 18, 0, 2]);
        let expected = [[198, 18, 0, 2], [198, 18, 1, 1], [198, 18, 1, 2], [198, 18, 2, 0]].map(IpAddr::from);
        assert_eq!([0, 1, 2, 256].map(|host| Hosts::address(origin, host)), expected);
    }
}
