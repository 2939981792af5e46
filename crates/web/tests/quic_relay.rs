//! The streams of two QUIC connections carried to each other, over a network in memory.

// The QUIC library wants an instant to call zero; which one changes nothing.
#![allow(clippy::disallowed_methods)]

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;

use bentpipe_http::quic::{Host, ProxyEnd, Role, Sender};
use bentpipe_http::tls::Identity;
use bentpipe_net::Net;
use bentpipe_net::testing::{ADDRESS, MemoryNet};
use bentpipe_run::{Direction, Dscp, RunSpec};
use bentpipe_units::{Bytes, Duration};
use bentpipe_web::HOST;
use bentpipe_web::pep::relay_quic;
use noq::{ApplicationClose, Connection, ConnectionError, Endpoint, ReadError, VarInt, WriteError};

/// The window of a connection and of each of its streams, in bytes.
const WINDOW: u64 = 50_000;
const PROTOCOL: &str = "test";

/// The two ends of a connection through a relay, and what keeps it.
struct Relayed {
    net: MemoryNet,
    client: Connection,
    server: Connection,
    /// Bytes carried up and down.
    carried: Rc<RefCell<[usize; 2]>>,
    /// How the relay ended, once it has.
    ended: Rc<RefCell<Option<Result<(), ConnectionError>>>>,
    _endpoints: [Endpoint; 4],
}

fn spec() -> RunSpec {
    let mut spec: RunSpec = serde_json::from_str(include_str!("../../run/tests/data/spec.json")).unwrap();
    let window = Bytes::new(WINDOW);
    spec.quic.stream_receive_window_bytes = window;
    spec.quic.receive_window_bytes = window;
    spec.quic.send_window_bytes = window;
    spec
}

/// A connection, both ends of it.
async fn connected(
    net: &MemoryNet,
    port: u16,
    [opens, accepts]: [Role; 2],
) -> (Connection, Connection, [Endpoint; 2]) {
    let (spec, identity) = (spec(), Identity::from_seed(&[HOST], 1).unwrap());
    let end = |role| ProxyEnd {
        spec: &spec,
        identity: &identity,
        role,
        sender: Sender::new(spec.cc, port, Dscp::DEFAULT),
    };
    let at = SocketAddr::new(ADDRESS, port);
    let server = end(accepts).accepting(net, at, &[HOST.to_owned()], PROTOCOL).unwrap();
    let from = SocketAddr::new(ADDRESS, 0);
    let opening = end(opens);
    let opening = opening.open(net, from, Host { name: HOST, at }, PROTOCOL.as_bytes());
    let accepting = async { server.accept().await.unwrap().await.unwrap() };
    let (opened, accepted) = futures_util::future::join(opening, accepting).await;
    let (client, connection) = opened.unwrap();
    (connection, accepted, [client, server])
}

impl Relayed {
    async fn new(net: MemoryNet) -> Self {
        let (client, near, near_ends) = connected(&net, 1, [Role::Client, Role::TerminalAccepting]).await;
        let (far, server, far_ends) = connected(&net, 2, [Role::TerminalOpening, Role::Origin]).await;
        let carried = Rc::<RefCell<[usize; 2]>>::default();
        let ended = Rc::<RefCell<Option<Result<(), ConnectionError>>>>::default();
        let (counted, told) = (Rc::clone(&carried), Rc::clone(&ended));
        net.spawn(async move {
            let result = relay_quic(&near, &far, |direction, bytes| {
                counted.borrow_mut()[usize::from(direction == Direction::Down)] += bytes;
            });
            let result = result.await;
            *told.borrow_mut() = Some(result);
        });
        let [first, second] = near_ends;
        let [third, fourth] = far_ends;
        Self { net, client, server, carried, ended, _endpoints: [first, second, third, fourth] }
    }
}

fn with<F: Future<Output = ()> + 'static>(test: impl FnOnce(Relayed) -> F + 'static) {
    MemoryNet::run(|net| async move { test(Relayed::new(net).await).await });
}

/// Bytes of which no two neighbours are alike.
fn noise(seed: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u8).wrapping_mul(31).wrapping_add((at >> 8) as u8) ^ seed).collect()
}

#[test]
fn each_stream_has_its_number_and_its_bytes_at_the_other_end_whoever_opens_it() {
    with(|relayed| async move {
        for (from, to, place) in
            [(&relayed.client, &relayed.server, 0), (&relayed.server, &relayed.client, 1)]
        {
            // RFC 9000 section 2.1: numbers count by four, and their two last bits say who has opened what.
            for number in 0..20_u8 {
                let (question, answer) = (noise(number, 10_007), noise(!number, 3));
                let (mut out, mut back) = from.open_bi().await.unwrap();
                let sent = question.clone();
                relayed.net.spawn(async move {
                    out.write_all(&sent).await.unwrap();
                    out.finish().unwrap();
                    out.stopped().await.unwrap();
                });
                let (mut reply, mut asked) = to.accept_bi().await.unwrap();
                assert_eq!(asked.id(), back.id());
                assert!(asked.read_to_end(usize::MAX).await.unwrap() == question);
                reply.write_all(&answer).await.unwrap();
                reply.finish().unwrap();
                assert!(back.read_to_end(usize::MAX).await.unwrap() == answer);

                let mut out = from.open_uni().await.unwrap();
                out.write_all(&question).await.unwrap();
                out.finish().unwrap();
                let mut told = to.accept_uni().await.unwrap();
                assert_eq!(told.id(), out.id());
                assert!(told.read_to_end(usize::MAX).await.unwrap() == question);
            }
            let (onwards, back) = (20 * 2 * 10_007, 20 * 3);
            let expected = if place == 0 { [onwards, back] } else { [onwards + back; 2] };
            assert_eq!(*relayed.carried.borrow(), expected);
        }
    });
}

#[test]
fn a_reset_and_a_refusal_to_read_are_passed_on_with_their_codes_and_the_other_direction_goes_on() {
    with(|relayed| async move {
        let (mut out, mut back) = relayed.client.open_bi().await.unwrap();
        out.write_all(b"question").await.unwrap();
        let (mut reply, mut asked) = relayed.server.accept_bi().await.unwrap();
        asked.read_exact(&mut [0; 8]).await.unwrap();
        out.reset(VarInt::from_u32(77)).unwrap();
        let error = asked.read_to_end(100).await.unwrap_err();
        assert!(
            matches!(error, noq::ReadToEndError::Read(ReadError::Reset(code)) if code == VarInt::from_u32(77))
        );
        reply.write_all(b"answer").await.unwrap();
        back.read_exact(&mut [0; 6]).await.unwrap();
        back.stop(VarInt::from_u32(88)).unwrap();
        let code = reply.stopped().await.unwrap();
        assert_eq!(code, Some(VarInt::from_u32(88)));
        assert_eq!(reply.write_all(b"more").await, Err(WriteError::Stopped(VarInt::from_u32(88))));
    });
}

#[test]
fn of_what_was_held_up_before_a_reset_little_is_still_handed_over() {
    with(|relayed| async move {
        let mut out = relayed.client.open_uni().await.unwrap();
        let sent = noise(1, 10_000_000);
        // Nobody reads: it stands still.
        let sending = out.write_all(&sent);
        assert!(bentpipe_net::within(&relayed.net, Duration::from_secs(20), sending).await.is_none());
        out.reset(VarInt::from_u32(5)).unwrap();
        let mut told = relayed.server.accept_uni().await.unwrap();
        let mut received = 0;
        let end = loop {
            match told.read_chunk(1_000).await {
                Ok(Some(chunk)) => received += chunk.len(),
                end => break end,
            }
        };
        assert!(matches!(end, Err(ReadError::Reset(code)) if code == VarInt::from_u32(5)), "{end:?}");
        // What is on the second connection, and the chunk in between.
        assert!(received as u64 <= 2 * WINDOW + 64 * 1024, "{received}");
    });
}

#[test]
fn a_receiver_that_does_not_read_holds_its_sender_up_within_the_windows_of_both_connections() {
    with(|relayed| async move {
        let mut out = relayed.server.open_uni().await.unwrap();
        let sent = Rc::new(RefCell::new(0_u64));
        let counted = Rc::clone(&sent);
        let bytes = noise(9, 1_000_000);
        let copy = bytes.clone();
        relayed.net.spawn(async move {
            for chunk in copy.chunks(1_000) {
                out.write_all(chunk).await.unwrap();
                *counted.borrow_mut() += chunk.len() as u64;
            }
            out.finish().unwrap();
            out.stopped().await.unwrap();
        });
        relayed.net.sleep(Duration::from_secs(20)).await;
        // Of each of two connections what is not acknowledged and what is not read, and a chunk in between.
        let most = 4 * WINDOW + 64 * 1024;
        assert!((WINDOW..most).contains(&*sent.borrow()), "{}", sent.borrow());
        let mut told = relayed.client.accept_uni().await.unwrap();
        assert!(told.read_to_end(usize::MAX).await.unwrap() == bytes);
    });
}

#[test]
fn a_close_is_passed_on_with_its_code_behind_the_streams_that_had_ended() {
    with(|relayed| async move {
        let bytes = noise(3, 1_000_000);
        let mut out = relayed.server.open_uni().await.unwrap();
        let (copy, server) = (bytes.clone(), relayed.server.clone());
        relayed.net.spawn(async move {
            out.write_all(&copy).await.unwrap();
            out.finish().unwrap();
            // The relay has all of it then, but the client does not.
            out.stopped().await.unwrap();
            server.close(VarInt::from_u32(256), b"no more");
        });
        let mut told = relayed.client.accept_uni().await.unwrap();
        let mut received = Vec::new();
        while let Some(chunk) = told.read_chunk(7_000).await.unwrap() {
            received.extend(chunk);
            relayed.net.sleep(Duration::from_millis(3)).await;
        }
        assert!(received == bytes);
        let ConnectionError::ApplicationClosed(ApplicationClose { error_code, reason }) =
            relayed.client.closed().await
        else {
            panic!("closed by the application")
        };
        assert_eq!((error_code, &reason[..]), (VarInt::from_u32(256), &b"no more"[..]));
        assert_eq!(*relayed.ended.borrow(), Some(Ok(())));
    });
}

#[test]
fn a_stream_that_a_close_cuts_off_does_not_end_as_if_it_were_whole() {
    with(|relayed| async move {
        let mut out = relayed.client.open_uni().await.unwrap();
        out.write_all(b"half of it").await.unwrap();
        let mut told = relayed.server.accept_uni().await.unwrap();
        told.read_exact(&mut [0; 10]).await.unwrap();
        relayed.client.close(VarInt::from_u32(1), b"");
        let cut = told.read_chunk(10).await;
        assert!(
            matches!(cut, Err(ReadError::ConnectionLost(ConnectionError::ApplicationClosed(_)))),
            "{cut:?}"
        );
    });
}
