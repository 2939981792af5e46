//! Connections between terminal and gateway that stand before anybody wants one.
//!
//! Each carries one connection of a client: behind an [introduction](Introduction) what the client sends, and what the
//! server sends back. None needs a handshake over the satellite then, and its window is as it is when a connection is new.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, SocketAddrV4};
use std::rc::Rc;

use bentpipe_net::{Intercepted, Listener, Net};
use bentpipe_run::{Algorithm, BulkSpec, Dscp, Http, RunSpec, Transport, Visit, Workload};
use futures_util::future::join_all;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::legs::ACCEPT_PAUSE;
use crate::hosts::Hosts;

/// The gateway's port for connections with the default mark; the code point is added for the others.
const FIRST_PORT: u16 = 3130;
/// Handshakes at once before the run: a flight that every queue of a return link holds.
const HANDSHAKES_AT_ONCE: usize = 32;
/// Connections to a host that a browser opens ahead of need.
const SPARES_OF_BROWSER: usize = 2;

/// Where the gateway awaits standing connections that are marked so.
pub(super) fn port(mark: Dscp) -> u16 {
    FIRST_PORT + u16::from(mark.get())
}

/// How many connections over TCP the clients of a run may open in all, by their marks. A client that opens more, as after
/// resets, has them opened when it wants them.
pub(super) fn wanted(spec: &RunSpec) -> BTreeMap<Dscp, usize> {
    let mut wanted = BTreeMap::new();
    match &spec.workload {
        Workload::PageLoad(load) if load.http.transport() == Transport::Tcp => {
            let hosts = Hosts::of_page(&load.page).names().len();
            let requests = 1 + load.page.objects.len();
            let connections = match (load.http, load.requests_per_connection) {
                (Http::H2 | Http::H2c | Http::Spdy, _) => hosts,
                (Http::H1 | Http::H1s, None) => requests.min(hosts * load.connections.max(1) as usize),
                _ => requests,
            };
            let of_visit = if load.visit == Some(Visit::Repeat) { hosts } else { 0 };
            let of_browser = if spec.client.is_some() { SPARES_OF_BROWSER * hosts } else { 0 };
            wanted.insert(spec.mark(), connections + of_visit + of_browser);
        }
        Workload::Iperf3(BulkSpec { .. }) => {
            // One of them is for what both ends tell each other.
            wanted.insert(spec.mark(), 2);
        }
        Workload::Bulk(_) | Workload::Flows(_) => {
            let flows = spec.flows().into_iter().flat_map(|flows| flows.flows);
            for flow in flows.filter(|flow| flow.transport == Transport::Tcp) {
                *wanted.entry(flow.dscp.unwrap_or(Dscp::DEFAULT)).or_default() += 1;
            }
        }
        Workload::PageLoad(_) | Workload::Ping(_) => {}
    }
    wanted
}

/// A terminal's way to its gateway: connections that stand, and what opens another.
pub(super) struct Pool<N: Net> {
    net: N,
    cc: Algorithm,
    gateway: IpAddr,
    standing: Rc<RefCell<BTreeMap<Dscp, VecDeque<N::Stream>>>>,
}

impl<N: Net> Clone for Pool<N> {
    fn clone(&self) -> Self {
        let Self { net, cc, gateway, standing } = self;
        Self { net: net.clone(), cc: *cc, gateway: *gateway, standing: Rc::clone(standing) }
    }
}

impl<N: Net> Pool<N> {
    /// Without connections yet, which `net` opens with the settings that it has.
    pub(super) fn new(net: N, cc: Algorithm, gateway: IpAddr) -> Self {
        Self { net, cc, gateway, standing: Rc::default() }
    }

    /// Opens what is wanted, and returns when all of them stand.
    pub(super) async fn fill(&self, wanted: BTreeMap<Dscp, usize>) -> io::Result<()> {
        let marks = wanted.into_iter().flat_map(|(mark, count)| std::iter::repeat_n(mark, count));
        let marks = Rc::new(RefCell::new(marks));
        let worker = async || {
            loop {
                let Some(mark) = marks.borrow_mut().next() else { return Ok(()) };
                let stream = self.opened_early(mark).await?;
                self.standing.borrow_mut().entry(mark).or_default().push_back(stream);
            }
        };
        join_all((0..HANDSHAKES_AT_ONCE).map(|_| worker())).await.into_iter().collect()
    }

    /// A connection with this mark for a client's own; one that has to be opened where none is left.
    pub(super) async fn take(&self, mark: Dscp) -> io::Result<N::Stream> {
        let standing = self.standing.borrow_mut().get_mut(&mark).and_then(VecDeque::pop_front);
        match standing {
            Some(stream) => Ok(stream),
            None => self.open(mark).await,
        }
    }

    /// A connection to a gateway that may not have come up yet.
    async fn opened_early(&self, mark: Dscp) -> io::Result<N::Stream> {
        loop {
            match self.open(mark).await {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    self.net.sleep(ACCEPT_PAUSE).await;
                }
                result => return result,
            }
        }
    }

    async fn open(&self, mark: Dscp) -> io::Result<N::Stream> {
        self.net.connect(SocketAddr::new(self.gateway, port(mark)), self.cc, mark).await
    }
}

/// Accepts the next of a terminal's connections, which come here for one mark; one that cannot be accepted waits until a
/// descriptor is free.
pub(super) async fn accepted<N: Net>(net: &N, listener: &mut N::Listener) -> N::Stream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(_) => net.sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Whose connection a standing one carries: what names it (RFC 9293 section 3.3.1), as the terminal tells the gateway
/// ahead of the client's first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Introduction {
    source: SocketAddrV4,
    destination: SocketAddrV4,
}

impl Introduction {
    /// Address and port of either end.
    pub(super) const BYTES: usize = 12;

    /// That of a connection between two hosts.
    ///
    /// # Errors
    /// When they are none of IPv4.
    pub(super) fn of<S>(connection: &Intercepted<S>) -> io::Result<Self> {
        match (connection.source, connection.destination) {
            (SocketAddr::V4(source), SocketAddr::V4(destination)) => Ok(Self { source, destination }),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    pub(super) fn encode(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (half, end) in bytes.chunks_exact_mut(Self::BYTES / 2).zip([self.source, self.destination]) {
            half[..4].copy_from_slice(&end.ip().octets());
            half[4..].copy_from_slice(&end.port().to_be_bytes());
        }
        bytes
    }

    /// The connection that `stream` carries from now on, when its terminal has said which.
    pub(super) async fn await_on<S: AsyncRead + Unpin>(
        mut stream: S,
        mark: Dscp,
    ) -> io::Result<Intercepted<S>> {
        let mut bytes = [0; Self::BYTES];
        stream.read_exact(&mut bytes).await?;
        let Self { source, destination } = Self::decode(bytes);
        Ok(Intercepted { stream, source: source.into(), destination: destination.into(), dscp: mark })
    }

    fn decode(bytes: [u8; Self::BYTES]) -> Self {
        let end = |at: usize| {
            let address = Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
            SocketAddrV4::new(address, u16::from_be_bytes([bytes[at + 4], bytes[at + 5]]))
        };
        Self { source: end(0), destination: end(Self::BYTES / 2) }
    }
}

#[cfg(test)]
mod tests {
    use bentpipe_run::{ObjectSpec, PageLoadSpec, PageSpec};
    use bentpipe_units::Bytes;

    use super::*;

    fn page_load(change: impl FnOnce(&mut PageLoadSpec)) -> RunSpec {
        let mut spec: RunSpec =
            serde_json::from_str(include_str!("../../../run/tests/data/spec.json")).unwrap();
        let objects = (1..=20).map(|n| ObjectSpec::new(format!("/object-{n}.jpg"), Bytes::new(1_000)));
        let mut load = PageLoadSpec::new(Http::H1, 6, PageSpec::new("page", objects));
        change(&mut load);
        spec.workload = Workload::PageLoad(load);
        spec
    }

    #[test]
    fn as_many_stand_as_a_page_may_take() {
        let count = |change: fn(&mut PageLoadSpec)| wanted(&page_load(change)).into_values().sum::<usize>();
        assert_eq!(count(|_| {}), 6);
        assert_eq!(count(|load| load.http = Http::H2), 1);
        // The document and twenty objects, each over its own.
        assert_eq!(count(|load| load.http = Http::Http10), 21);
        assert_eq!(count(|load| load.requests_per_connection = Some(1)), 21);
        assert_eq!(count(|load| load.visit = Some(Visit::Repeat)), 7);
        assert_eq!(count(|load| load.http = Http::H3), 0);
    }

    #[test]
    fn an_introduction_is_read_as_it_was_written() {
        let end = |last, port| SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, last), port);
        let introduction = Introduction { source: end(1, 40_000), destination: end(2, 443) };
        let bytes = introduction.encode();
        assert_eq!(bytes, [198, 18, 0, 1, 0x9c, 0x40, 198, 18, 0, 2, 0x01, 0xbb]);
        assert_eq!(Introduction::decode(bytes), introduction);
    }
}
