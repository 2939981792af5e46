//! The addresses of sockets: `bind`, `getsockname`, `getpeername`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4};

use bentpipe_tcp::State;

use super::Simulated;
use super::socket::Kind;
use super::sockets::{Attempt, done, error};
use crate::call::{Address, End};
use crate::outcome::{Handle, Missing, Outcome, Output};
use crate::settings::IpVersion;

impl Simulated<'_> {
    /// `__inet_bind`.
    pub(super) fn bind(&mut self, socket: Handle, address: Address) -> Attempt {
        let any = SocketAddr::from((Ipv4Addr::UNSPECIFIED, self.settings.bind_port));
        let at = match address {
            Address::Script => any,
            Address::At(at) => at,
            Address::Unspecified => return Err(Missing("to bind without a family of addresses".to_owned())),
        };
        let Some(found) = self.sockets.get_mut(&socket) else { return error(libc::EBADF) };
        let host = match at.ip().to_canonical() {
            IpAddr::V4(host) => host,
            host if host.is_unspecified() => Ipv4Addr::UNSPECIFIED,
            host if host == self.settings.local => self.local,
            IpAddr::V6(_) => return error(libc::EADDRNOTAVAIL),
        };
        if host.is_loopback() || host.is_multicast() || host.is_broadcast() {
            return Err(Missing(format!("a socket at {host}")));
        }
        if !host.is_unspecified() && host != self.local {
            return error(libc::EADDRNOTAVAIL);
        }
        if found.kind != Kind::Fresh {
            return error(libc::EINVAL);
        }
        if at.port() != self.settings.bind_port {
            return Err(Missing("other ports than the script's".to_owned()));
        }
        (found.kind, found.bound) = (Kind::Bound, host);
        done(Outcome::of(0))
    }

    /// What the script calls an address of the endpoint's.
    fn address(&self, host: Ipv4Addr) -> IpAddr {
        let standing_for = match host {
            host if host == self.local => self.settings.local,
            host if host == self.remote => self.settings.remote,
            _ if self.settings.ip_version == IpVersion::V6 => Ipv6Addr::UNSPECIFIED.into(),
            host => host.into(),
        };
        let known = self.settings.ip_version.address(standing_for);
        known.expect("the addresses are of the script's version of IP")
    }

    /// `inet_getname`, `inet6_getname`.
    pub(super) fn name(&self, socket: Handle, end: End) -> Attempt {
        let Some(found) = self.sockets.get(&socket) else { return error(libc::EBADF) };
        if !found.kind.is_socket() {
            return error(libc::ENOTSOCK);
        }
        let connection = match found.kind {
            Kind::Connection(id) => self.connections.get(&id).map(|connected| &connected.connection),
            _ => None,
        };
        let is_open =
            connection.filter(|it| !matches!(it.state(), State::SynSent | State::TimeWait | State::Closed));
        let name = match (end, connection) {
            (End::Peer, _) => match is_open {
                Some(connection) => connection.remote(),
                None => return error(libc::ENOTCONN),
            },
            (End::Local, Some(connection)) => connection.local(),
            (End::Local, None) => {
                let port = if found.kind == Kind::Fresh { 0 } else { self.settings.bind_port };
                SocketAddrV4::new(found.bound, port)
            }
        };
        let host = self.address(*name.ip());
        let output = Output::Address(SocketAddr::new(host, name.port()));
        done(Outcome { output, ..Outcome::of(0) })
    }
}
