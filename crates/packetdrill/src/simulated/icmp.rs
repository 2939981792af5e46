//! Messages of ICMP about segments of the endpoint (RFC 1122 section 4.2.3.9; `tcp_v4_err`, `tcp_v6_err`).

use bentpipe_tcp::{SeqNumber, State};

use super::Simulated;
use super::counters::OUT_OF_WINDOW_ICMPS;
use crate::icmp::Icmp;
use crate::outcome::Missing;
use crate::settings::IpVersion;

/// What a message means for a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Nothing,
    /// The segment did not fit.
    TooBig,
    Unreachable {
        errno: i32,
        /// Whether a handshake that a peer has begun is forgotten.
        ends_request: bool,
        /// Whether it takes a doubling of the timer back (RFC 6069).
        reverts_backoff: bool,
    },
}

impl Simulated<'_> {
    /// A message comes.
    pub(super) fn hear_of(&mut self, icmp: &Icmp) -> Result<(), Missing> {
        let is_v6 = self.settings.ip_version == IpVersion::V6;
        let numbers = if is_v6 { icmp.message.v6 } else { icmp.message.v4 };
        let (kind, code) =
            numbers.ok_or_else(|| Missing("the message in this version of ICMP".to_owned()))?;
        let meaning = if is_v6 { meaning_v6(kind, code) } else { meaning_v4(kind, code) };
        let about = (icmp.about.source_port, icmp.about.destination_port);
        let found = self.connections.iter_mut().find(|(_, connected)| {
            let connection = &connected.connection;
            (connection.local().port(), connection.remote().port()) == about
                && !matches!(connection.state(), State::Closed | State::TimeWait)
        });
        let Some((&id, connected)) = found else { return Ok(()) };
        if !connected.connection.has_out(SeqNumber(icmp.about.seq)) {
            self.counters.count(OUT_OF_WINDOW_ICMPS, 1);
            return Ok(());
        }
        let is_request =
            connected.connection.state() == State::SynReceived && !connected.connection.is_open();
        let is_accepted =
            self.sockets.values().any(|socket| socket.kind == super::socket::Kind::Connection(id));
        match (meaning, connected.connection.state()) {
            (Meaning::Nothing, _) => {}
            // tcp_req_err
            (Meaning::Unreachable { ends_request: true, .. }, _) if is_request => {
                self.endpoint.forget(&connected.connection);
                self.connections.remove(&id);
            }
            (_, _) if is_request => {}
            (Meaning::TooBig, _) if icmp.mtu >= self.host.config.mtu => {}
            (Meaning::TooBig, _) => return Err(Missing("a path whose MTU shrinks".to_owned())),
            (Meaning::Unreachable { errno, .. }, State::SynSent) => {
                connected.soft_error = Some(errno);
                connected.connection.give_up();
            }
            (Meaning::Unreachable { errno, .. }, State::SynReceived) if !is_accepted => {
                connected.soft_error = Some(errno);
                connected.connection.give_up();
            }
            (Meaning::Unreachable { reverts_backoff: true, .. }, _)
                if connected.connection.info().backoff > 0 =>
            {
                return Err(Missing("a timeout that ICMP takes back (RFC 6069)".to_owned()));
            }
            (Meaning::Unreachable { errno, .. }, _) => connected.soft_error = Some(errno),
        }
        self.settle();
        Ok(())
    }
}

/// `icmp_err_convert`, and what `tcp_v4_err` makes of the other types.
const fn meaning_v4(kind: u8, code: u8) -> Meaning {
    let errno = match (kind, code) {
        (3, 4) => return Meaning::TooBig,
        (3, 0 | 6 | 9 | 11) => libc::ENETUNREACH,
        (3, 2) => libc::ENOPROTOOPT,
        (3, 3) => libc::ECONNREFUSED,
        (3, 5) => libc::EOPNOTSUPP,
        (3, 7) => libc::EHOSTDOWN,
        (3, 8) => libc::ENONET,
        (3, ..=15) | (11, _) => libc::EHOSTUNREACH,
        (12, _) => libc::EPROTO,
        _ => return Meaning::Nothing,
    };
    let is_of_route = matches!((kind, code), (3, 0 | 1));
    let ends_request = is_of_route || kind > 10;
    Meaning::Unreachable { errno, ends_request, reverts_backoff: is_of_route }
}

/// `icmpv6_err_convert`.
const fn meaning_v6(kind: u8, code: u8) -> Meaning {
    let errno = match (kind, code) {
        (2, _) => return Meaning::TooBig,
        (1, 0) => libc::ENETUNREACH,
        (1, 1 | 5 | 6) => libc::EACCES,
        (1, 2 | 3) | (3, _) => libc::EHOSTUNREACH,
        (1, 4) => libc::ECONNREFUSED,
        (1 | 4, _) => libc::EPROTO,
        _ => return Meaning::Nothing,
    };
    let ends_request = !matches!((kind, code), (1, 0 | 2 | 3) | (3, _));
    Meaning::Unreachable { errno, ends_request, reverts_backoff: matches!((kind, code), (1, 0)) }
}
