//! The code point of a socket (RFC 2474): `IP_TOS` over IPv4, `IPV6_TCLASS` over IPv6.

use std::io;
use std::net::SocketAddr;

use bentpipe_run::Dscp;
use socket2::SockRef;

/// Marks all that a socket sends from now on.
pub(crate) fn mark(socket: SockRef<'_>, address: SocketAddr, dscp: Dscp) -> io::Result<()> {
    let traffic_class = u32::from(dscp.traffic_class());
    match address {
        SocketAddr::V4(_) => socket.set_tos_v4(traffic_class),
        SocketAddr::V6(_) => socket.set_tclass_v6(traffic_class),
    }
}
