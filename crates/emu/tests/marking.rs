//! Marks of datagrams, as a relay between client and origin finds them in the headers.
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

use std::io::IoSliceMut;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::common::{
    PORTS, Site, address, available_cc, client, load, page, page_load, record, run, spec, transfer,
};
use bentpipe_emu::KernelNet;
use bentpipe_run::{BulkSpec, Direction, Dscp, Http, PingSpec, RunSpec, Status, Transport, Workload};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::ping;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrIn, recvmsg, setsockopt, sockopt};

/// Long enough for any datagram of the loopback interface.
const PATIENCE: Duration = Duration::from_secs(5);

/// The traffic classes of what client and origin sent.
#[derive(Debug, Default)]
struct Classes {
    client: Vec<u8>,
    origin: Vec<u8>,
}

/// Passes datagrams on between one client and the origin.
struct Relay {
    address: IpAddr,
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Classes>,
}

impl Relay {
    fn start(origin: IpAddr, port: u16) -> Self {
        let address = address();
        let socket = UdpSocket::bind((address, port)).unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(20))).unwrap();
        setsockopt(&socket, sockopt::IpRecvTos, &true).unwrap();
        let is_over = Arc::<AtomicBool>::default();
        let ends = Arc::clone(&is_over);
        let thread = thread::spawn(move || pass_on(&socket, SocketAddr::new(origin, port), &ends));
        Self { address, is_over, thread }
    }

    fn finish(self) -> Classes {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

fn pass_on(socket: &UdpSocket, origin: SocketAddr, is_over: &AtomicBool) -> Classes {
    let (mut classes, mut client) = (Classes::default(), None);
    let mut buffer = vec![0; 65_536];
    while !is_over.load(Ordering::Relaxed) {
        let Some((length, from, class)) = receive(socket, &mut buffer) else { continue };
        let to = if from == origin {
            classes.origin.push(class);
            client
        } else {
            classes.client.push(class);
            client = Some(from);
            Some(origin)
        };
        // A datagram that comes for somebody who has left is lost.
        to.map(|to| socket.send_to(&buffer[..length], to));
    }
    classes
}

/// A datagram, its sender and the traffic class in its header.
fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> Option<(usize, SocketAddr, u8)> {
    let mut control = nix::cmsg_space!(u8);
    let mut parts = [IoSliceMut::new(buffer)];
    let flags = MsgFlags::empty();
    let received = recvmsg::<SockaddrIn>(socket.as_raw_fd(), &mut parts, Some(&mut control), flags).ok()?;
    let class = received.cmsgs().unwrap().find_map(|message| match message {
        ControlMessageOwned::Ipv4Tos(class) => Some(class),
        _ => None,
    });
    let from = received.address.unwrap();
    let from = SocketAddr::new(IpAddr::V4(from.ip()), from.port());
    Some((received.bytes, from, class.expect("a traffic class")))
}

fn marks() -> [Dscp; 3] {
    // None, assured forwarding 11 (RFC 2597), expedited forwarding (RFC 3246).
    [0, 10, 46].map(|code_point| Dscp::new(code_point).unwrap())
}

fn assert_marked(classes: &Classes, dscp: Dscp, what: &str) {
    for (name, classes) in [("client", &classes.client), ("origin", &classes.origin)] {
        assert!(!classes.is_empty(), "{what}: nothing from the {name}");
        let found = classes.iter().map(|class| Dscp::of_traffic_class(*class));
        assert!(found.into_iter().all(|found| found == dscp), "{what}: {name} {dscp:?} {classes:?}");
    }
}

/// Runs what is over QUIC through a relay.
fn over_quic(spec: &RunSpec, port: u16) -> Classes {
    run(async {
        let site = Site::start(spec);
        let relay = Relay::start(site.address, port);
        let client = client(spec, relay.address, site.authority_der.clone());
        let report = match &spec.workload {
            Workload::PageLoad(_) => load(client).await,
            _ => transfer(client).await,
        };
        let record = record(spec, report, site.origin.report());
        assert_eq!((record.status, &record.reasons), (Status::Succeeded, &Vec::new()));
        relay.finish()
    })
}

fn marked(workload: Workload, dscp: Dscp) -> RunSpec {
    RunSpec { dscp: Some(dscp), ..spec(available_cc()[0], workload) }
}

#[test]
fn datagrams_of_quic_are_marked_in_both_directions() {
    for dscp in marks() {
        for direction in [Direction::Down, Direction::Up] {
            let bytes = Some(Bytes::new(200_000));
            let flow = BulkSpec { transport: Transport::Quic, direction, bytes, duration_ns: None };
            let classes = over_quic(&marked(Workload::Bulk(flow), dscp), PORTS.bulk);
            assert_marked(&classes, dscp, &format!("{direction:?}"));
            let sender = if direction == Direction::Down { &classes.origin } else { &classes.client };
            assert!(sender.len() > 200_000 / 1500, "every datagram is seen");
        }
        let classes = over_quic(&marked(page_load(Http::H3, page(3, 20_000)), dscp), PORTS.https);
        assert_marked(&classes, dscp, "a page");
    }
}

#[test]
fn the_mark_of_quic_stands_beside_its_congestion_bits() {
    for dscp in marks() {
        let classes = over_quic(&marked(page_load(Http::H3, page(1, 1_000)), dscp), PORTS.https);
        // RFC 9000 section 13.4.2: ECT(0), binary 10, until the path is found to take the bits off, as the relay does.
        assert_eq!(classes.client[0], dscp.traffic_class() | 0b10);
        assert_eq!(classes.origin[0], dscp.traffic_class() | 0b10);
    }
}

#[test]
fn pings_and_their_answers_are_marked() {
    for dscp in marks() {
        let requests =
            PingSpec { count: 5, interval_ns: Duration::from_millis(5), payload_bytes: Bytes::new(56) };
        let spec = marked(Workload::Ping(requests.clone()), dscp);
        let classes = run(async {
            let site = Site::start(&spec);
            let relay = Relay::start(site.address, PORTS.echo);
            let (at, local) = (SocketAddr::new(relay.address, PORTS.echo), IpAddr::V4(Ipv4Addr::LOCALHOST));
            let report = ping::run(&KernelNet::default(), &requests, at, local, dscp, PATIENCE).await;
            assert!(report.ping.unwrap().rtts.iter().all(Option::is_some));
            relay.finish()
        });
        assert_eq!((classes.client.len(), classes.origin.len()), (5, 5));
        assert_marked(&classes, dscp, "pings");
    }
}
