//! Addresses of sockets as scripts write them: `{sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("192.0.2.1")}`.
//!
//! They follow the version of IP that a script runs with: one that is written for IPv4 also runs with sockets of IPv6,
//! whose addresses are mapped then.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use crate::call::Address;
use crate::expected::ExpectedOutput;
use crate::expression::Expression;
use crate::outcome::{Missing, Output};
use crate::prepare::Arguments;
use crate::settings::IpVersion;

impl Arguments<'_> {
    /// Where to bind or connect; `...` is the script's own.
    pub fn address(&self, at: usize) -> Result<Address, Missing> {
        let written = self.argument(at)?;
        if *written == Expression::Any {
            return Ok(Address::Script);
        }
        if *written == Expression::Symbol("AF_UNSPEC".to_owned()) {
            return Ok(Address::Unspecified);
        }
        let family =
            ["sa_family", "sin_family", "sin6_family"].into_iter().find_map(|name| written.field(name));
        if family.and_then(|family| family.number(self.defined)) == Some(i64::from(libc::AF_UNSPEC)) {
            return Ok(Address::Unspecified);
        }
        self.socket_address(written).map(Address::At)
    }

    /// The address that a call is expected to give; any for `...`.
    pub fn address_output(&self, at: usize) -> Result<ExpectedOutput, Missing> {
        Ok(match self.argument(at)? {
            Expression::Any => ExpectedOutput::Any,
            written => ExpectedOutput::Exactly(Output::Address(self.socket_address(written)?)),
        })
    }

    fn socket_address(&self, written: &Expression) -> Result<SocketAddr, Missing> {
        let missing = || Missing(format!("addresses such as {written}"));
        let either = |names: [&str; 2]| names.into_iter().find_map(|name| written.field(name));
        let port = either(["sin_port", "sin6_port"]).ok_or_else(missing)?;
        let port = u16::try_from(self.value(port)?).map_err(|_| missing())?;
        let host = either(["sin_addr", "sin6_addr"]).and_then(host).ok_or_else(missing)?;
        let host = self.ip_version.address(host).ok_or_else(|| {
            Missing(format!("the address {host} with --ip_version={}", self.ip_version.name()))
        })?;
        Ok(SocketAddr::new(host, port))
    }
}

impl IpVersion {
    /// An address as sockets of this version have it; none where they have no such address.
    pub fn address(self, written: IpAddr) -> Option<IpAddr> {
        match (self, written) {
            // Of a socket that is IPv6's in spite of the version.
            (_, written) if written == IpAddr::from(Ipv6Addr::UNSPECIFIED) => Some(written),
            (Self::V4, IpAddr::V4(_)) | (Self::V6, IpAddr::V6(_)) => Some(written),
            (Self::V6 | Self::V4Mapped, written) if written.is_unspecified() => {
                Some(Ipv6Addr::UNSPECIFIED.into())
            }
            // RFC 4291 section 2.5.5.2.
            (Self::V4Mapped, IpAddr::V4(written)) => Some(written.to_ipv6_mapped().into()),
            (Self::V4Mapped, IpAddr::V6(address)) => address.to_ipv4_mapped().map(|_| written),
            (Self::V4, IpAddr::V6(_)) | (Self::V6, IpAddr::V4(_)) => None,
        }
    }
}

/// `inet_addr("192.0.2.1")`, `inet_pton(AF_INET6, "fd3d::1")`, `INADDR_ANY`.
fn host(written: &Expression) -> Option<IpAddr> {
    match written {
        Expression::Text(text) => text.parse().ok(),
        Expression::Applied(_, arguments) => arguments.iter().find_map(host),
        Expression::Symbol(name) if name == "INADDR_ANY" => Some(IpAddr::from([0; 4])),
        Expression::Symbol(name) if name == "in6addr_any" => Some(IpAddr::from([0_u16; 8])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_seen(version: IpVersion, written: &str) -> Option<String> {
        version.address(written.parse().unwrap()).map(|address| address.to_string())
    }

    #[test]
    fn an_address_is_as_sockets_of_the_version_have_it() {
        // RFC 4291 section 2.5.5.2; ipv6(7), in6addr_any.
        let of = |version| ["192.0.2.1", "0.0.0.0", "fd3d::1", "::"].map(|written| as_seen(version, written));
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(of(IpVersion::V4), [some("192.0.2.1"), some("0.0.0.0"), None, some("::")]);
        assert_eq!(of(IpVersion::V4Mapped), [some("::ffff:192.0.2.1"), some("::"), None, some("::")]);
        assert_eq!(of(IpVersion::V6), [None, some("::"), some("fd3d::1"), some("::")]);
        assert_eq!(as_seen(IpVersion::V4Mapped, "::ffff:192.0.2.1"), some("::ffff:192.0.2.1"));
    }
}
