//! Transfers between programs of our own through proxies that end QUIC: each byte is compared with the one that was sent.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;

use crate::sample::{half_of, sample};
use crate::transfers::{Noise, SERVER, network};
use bentpipe_http::quic::{Host, ProxyEnd, Role, Sender};
use bentpipe_http::tls::Identity;
use bentpipe_net::Net;
use bentpipe_run::{
    Algorithm, BulkSpec, Direction, Dscp, LossSpec, PepSpec, QuicSplitSpec, RunSpec, TerrestrialSpec,
    Transport, Workload,
};
use bentpipe_sim::{Network, SimNet};
use bentpipe_units::{Bytes, Duration, Rate};
use bentpipe_web::{HOST, Ports, pep};
use futures_util::future::{join, join_all};
use noq::{
    Connection, ConnectionError, Endpoint, ReadError, RecvStream, SendStream, StreamId, VarInt, WriteError,
};
use proptest::prelude::*;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));
const MEGABYTE: u64 = 1_000_000;
const RESET: VarInt = VarInt::from_u32(7);
const STOP: VarInt = VarInt::from_u32(8);
const DONE: VarInt = VarInt::from_u32(9);

/// A stream on which both ends send at once.
#[derive(Clone, Copy, Debug)]
struct Transfer {
    start: Duration,
    /// Which of the connections it takes.
    connection: usize,
    up: Half,
    down: Half,
}

/// One direction of it.
#[derive(Clone, Copy, Debug)]
struct Half {
    length: u64,
    /// Its sender resets it once so many bytes have been sent.
    resets_after: Option<u64>,
    /// Its receiver wants no more once so many have come.
    stops_after: Option<u64>,
}

/// How a direction ended for one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Whole,
    Reset,
    Stopped,
    Lost,
}

/// A path of this rate and round trip with proxies whose buffers are small, for them to fill up.
fn spec(rate: u64, rtt: Duration) -> RunSpec {
    let mut spec = sample();
    let rate = Rate::from_bps(rate);
    spec.link.forward = half_of(rtt, rate, rate.volume_in(rtt).max(Bytes::new(100_000)));
    spec.link.return_ = spec.link.forward.clone();
    spec.cc = Algorithm::Cubic;
    windows(&mut spec, 300_000, 100_000);
    // It says at which port proxies accept: nothing of it is run.
    let (transport, direction) = (Transport::Quic, Direction::Down);
    spec.workload = Workload::Bulk(BulkSpec { transport, direction, bytes: None, duration_ns: None });
    spec
}

fn windows(spec: &mut RunSpec, window: u64, relay: u64) {
    let window = Bytes::new(window);
    spec.quic.stream_receive_window_bytes = window;
    spec.quic.receive_window_bytes = window;
    spec.quic.send_window_bytes = window;
    let pep = QuicSplitSpec { cc: spec.cc, quic: spec.quic.clone(), relay_buffer_bytes: Bytes::new(relay) };
    spec.pep = Some(PepSpec::QuicSplit(pep));
}

fn end<'a>(spec: &'a RunSpec, identity: &'a Identity, role: Role, index: u16) -> ProxyEnd<'a> {
    ProxyEnd { spec, identity, role, sender: Sender::new(spec.cc, index, Dscp::DEFAULT) }
}

async fn send(mut out: SendStream, noise: Noise, half: Half) -> Fate {
    let mut at = 0;
    loop {
        if half.resets_after.is_some_and(|after| at >= after) {
            out.reset(RESET).unwrap();
            return Fate::Reset;
        }
        let bytes = noise.from(at);
        if bytes.is_empty() {
            break;
        }
        match out.write(bytes).await {
            Ok(taken) => at += taken as u64,
            Err(WriteError::Stopped(code)) => {
                assert_eq!(code, STOP);
                return Fate::Stopped;
            }
            Err(_) => return Fate::Lost,
        }
    }
    out.finish().unwrap();
    match out.stopped().await {
        Ok(None) => Fate::Whole,
        Ok(Some(code)) => {
            assert_eq!(code, STOP);
            Fate::Stopped
        }
        Err(_) => Fate::Lost,
    }
}

/// # Panics
/// When a byte is another one than was sent, or the stream ends before its end.
async fn receive(mut back: RecvStream, noise: Noise, half: Half) -> Fate {
    let mut at = 0;
    loop {
        if half.stops_after.is_some_and(|after| at >= after) {
            back.stop(STOP).unwrap();
            return Fate::Stopped;
        }
        match back.read_chunk(usize::MAX).await {
            Ok(Some(found)) => {
                assert!(at + found.len() as u64 <= noise.length, "more bytes than were sent");
                assert!(noise.matches(at, &found), "a wrong byte near {at}");
                at += found.len() as u64;
            }
            Ok(None) => {
                assert_eq!(at, noise.length, "the stream ends before its end");
                return Fate::Whole;
            }
            Err(ReadError::Reset(code)) => {
                assert_eq!(code, RESET);
                return Fate::Reset;
            }
            Err(_) => return Fate::Lost,
        }
    }
}

/// What client and server send on a stream of this number.
fn noises(number: usize, transfer: &Transfer) -> [Noise; 2] {
    [Noise::new(2 * number, transfer.up.length), Noise::new(2 * number + 1, transfer.down.length)]
}

/// What the programs at both ends share.
struct State {
    transfers: Vec<Transfer>,
    /// Their numbers by the port of the client's connection and the number of the stream, which both ends see alike.
    numbers: RefCell<BTreeMap<(u16, StreamId), usize>>,
    /// Of each: sent and received up, sent and received down.
    fates: RefCell<Vec<[Option<Fate>; 4]>>,
}

/// Runs all of them over so many connections. The fates of each, and what terminal and gateway have counted.
fn run_all(
    spec: &RunSpec,
    connections: usize,
    transfers: &[Transfer],
) -> (Vec<[Fate; 4]>, Vec<pep::PepReport>) {
    let (network, peps) = network(spec);
    let state = Rc::new(State {
        transfers: transfers.to_vec(),
        numbers: RefCell::default(),
        fates: RefCell::new(vec![[None; 4]; transfers.len()]),
    });
    serve(&network, spec, &state);
    let (net, spec, shared) = (network.client(), spec.clone(), Rc::clone(&state));
    network
        .run(async move {
            let opened = join_all((0..connections).map(|index| opened(&net, &spec, index as u16))).await;
            join_all((0..shared.transfers.len()).map(|number| {
                let (endpoint, connection) = &opened[shared.transfers[number].connection];
                let port = endpoint.local_addr().unwrap().port();
                ask(&net, connection, port, number, &shared)
            }))
            .await;
            net.sleep(Duration::from_secs(10)).await;
            for (_, connection) in &opened {
                connection.close(DONE, b"");
            }
        })
        .unwrap();
    network.run_for(Duration::from_secs(10));
    let fates = state.fates.borrow();
    let fates = fates.iter().map(|fates| fates.map(|fate| fate.expect("an end still waits"))).collect();
    (fates, peps.iter().map(pep::Pep::report).collect())
}

/// A connection that the client opens.
async fn opened(net: &SimNet, spec: &RunSpec, index: u16) -> (Endpoint, Connection) {
    let identity = Identity::from_seed(&[HOST], spec.seed).unwrap();
    let host = Host { name: HOST, at: SocketAddr::new(SERVER, Ports::STANDARD.bulk) };
    let end = end(spec, &identity, Role::Client, index);
    end.open(net, SocketAddr::new(CLIENT, 0), host, b"bulk").await.unwrap()
}

/// The client's end of a stream.
async fn ask(net: &SimNet, connection: &Connection, port: u16, number: usize, state: &State) {
    let transfer = state.transfers[number];
    net.sleep(transfer.start).await;
    let (out, back) = connection.open_bi().await.unwrap();
    state.numbers.borrow_mut().insert((port, out.id()), number);
    let [up, down] = noises(number, &transfer);
    let (sent, received) = join(send(out, up, transfer.up), receive(back, down, transfer.down)).await;
    let fates = &mut state.fates.borrow_mut()[number];
    (fates[0], fates[3]) = (Some(sent), Some(received));
}

fn serve(network: &Network, spec: &RunSpec, state: &Rc<State>) {
    let (net, identity) = (network.server(), Identity::from_seed(&[HOST], spec.seed).unwrap());
    let at = SocketAddr::new(SERVER, Ports::STANDARD.bulk);
    let endpoint =
        end(spec, &identity, Role::Origin, 0).accepting(&net, at, &[HOST.to_owned()], "bulk").unwrap();
    let state = Rc::clone(state);
    net.clone().spawn(async move {
        while let Some(incoming) = endpoint.accept().await {
            let port = incoming.remote_address().port();
            let (host, state) = (net.clone(), Rc::clone(&state));
            net.spawn(async move { serve_streams(&host, &incoming.await.unwrap(), port, &state).await });
        }
    });
}

async fn serve_streams(net: &SimNet, connection: &Connection, port: u16, state: &Rc<State>) {
    let ended = loop {
        let (out, asked) = match connection.accept_bi().await {
            Ok(streams) => streams,
            Err(error) => break error,
        };
        let (number, state) = (state.numbers.borrow()[&(port, asked.id())], Rc::clone(state));
        net.spawn(async move {
            let transfer = state.transfers[number];
            let [up, down] = noises(number, &transfer);
            let (received, sent) =
                join(receive(asked, up, transfer.up), send(out, down, transfer.down)).await;
            let fates = &mut state.fates.borrow_mut()[number];
            (fates[1], fates[2]) = (Some(received), Some(sent));
        });
    };
    let ConnectionError::ApplicationClosed(close) = ended else { panic!("{ended}") };
    assert_eq!(close.error_code, DONE);
}

/// What must be, of one direction: its two ends agree on how it went.
fn check(half: &Half, [sent, received]: [Fate; 2]) {
    match (half.resets_after, half.stops_after) {
        (None, None) => assert_eq!([sent, received], [Fate::Whole; 2], "{half:?}"),
        // Either may come first.
        _ => assert!(
            matches!(
                (sent, received),
                (Fate::Whole, Fate::Whole | Fate::Stopped)
                    | (Fate::Reset, Fate::Reset | Fate::Stopped)
                    | (Fate::Stopped, Fate::Stopped)
            ),
            "{half:?}: {sent:?} {received:?}"
        ),
    }
}

#[test]
fn whoever_is_not_to_be_reached_is_told_to_the_client_by_the_proxies_code() {
    let spec = spec(10_000_000, Duration::from_millis(600));
    let (network, peps) = network(&spec);
    let (net, identity) = (network.client(), Identity::from_seed(&[HOST], spec.seed).unwrap());
    let closed = network
        .run(async move {
            let end = end(&spec, &identity, Role::Client, 0);
            let at = SocketAddr::new(SERVER, Ports::STANDARD.bulk);
            let (_endpoint, connection) =
                end.open(&net, SocketAddr::new(CLIENT, 0), Host { name: HOST, at }, b"bulk").await.unwrap();
            connection.closed().await
        })
        .unwrap();
    let lost = match &closed {
        ConnectionError::ApplicationClosed(close) => close.error_code == pep::LOST,
        // Both handshakes of the gateway are given up when the client's own connection has been idle for as long.
        ConnectionError::TimedOut => true,
        _ => false,
    };
    assert!(lost, "{closed}");
    network.run_for(Duration::from_secs(200));
    assert!(peps.iter().all(|pep| (pep.report().connections, pep.report().errors) == (1, 1)));
}

// ---- many transfers at once ------------------------------------------------------------------------------------

/// Numbers of any length in bits, each as often as any other.
fn spread(least: u64, most: u64) -> impl Strategy<Value = u64> {
    (least.max(1).ilog2()..=most.ilog2())
        .prop_flat_map(move |bits| least.max(1 << bits)..=most.min((2 << bits) - 1))
}

fn half() -> impl Strategy<Value = Half> {
    let cut = || prop_oneof![4 => Just(None), 1 => spread(1, 100_000).prop_map(Some)];
    (spread(1, 60_000), cut(), cut()).prop_map(|(length, resets_after, stops_after)| Half {
        length,
        resets_after,
        stops_after,
    })
}

fn transfer(connections: usize) -> impl Strategy<Value = Transfer> {
    (spread(1, 10_000_000_000).prop_map(Duration::from_nanos), 0..connections, half(), half())
        .prop_map(|(start, connection, up, down)| Transfer { start, connection, up, down })
}

fn paths() -> impl Strategy<Value = RunSpec> {
    let loss = || (0.0..0.03).prop_map(|p| LossSpec::Bernoulli { p });
    let cc = || prop::sample::select(Algorithm::ALL.to_vec());
    let ends = (cc(), cc(), spread(3_000, 200_000), any::<u64>());
    (spread(10_000_000, 1_000_000_000), spread(1, 600), [loss(), loss(), loss()], ends).prop_map(
        |(rate, ms, [forward, return_, terrestrial], (cc, satellite, relay, seed))| {
            let mut spec = spec(rate, Duration::from_millis(ms));
            (spec.link.forward.loss, spec.link.return_.loss) = (forward, return_);
            spec.terrestrial = Some(TerrestrialSpec { loss: terrestrial });
            (spec.cc, spec.seed) = (cc, seed);
            windows(&mut spec, 300_000, relay);
            let Some(PepSpec::QuicSplit(pep)) = &mut spec.pep else { unreachable!() };
            pep.cc = satellite;
            spec
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn two_hundred_streams_arrive_byte_by_byte_or_end_as_they_were_ended(
        spec in paths(),
        transfers in prop::collection::vec(transfer(10), 200),
    ) {
        // Every byte was the right one, and no stream ended before its end: an end of a transfer fails otherwise.
        let (fates, reports) = run_all(&spec, 10, &transfers);
        for (transfer, [up_sent, up_received, down_sent, down_received]) in transfers.iter().zip(fates) {
            check(&transfer.up, [up_sent, up_received]);
            check(&transfer.down, [down_sent, down_received]);
        }
        for report in reports {
            prop_assert_eq!((report.connections, report.errors), (10, 0));
        }
    }
}

/// So many bytes in transfers of all lengths, in both directions, every tenth of them cut off, over a fast link that loses
/// packets as the terrestrial side does.
fn mixed(total: u64) {
    const CONNECTIONS: usize = 40;
    let rate = 1_000_000_000;
    let mut spec = spec(rate, Duration::from_millis(20));
    spec.cc = Algorithm::Bbr;
    windows(&mut spec, 8 << 20, 1 << 20);
    spec.link.forward.loss = LossSpec::Bernoulli { p: 1e-5 };
    spec.link.return_.loss = LossSpec::Bernoulli { p: 1e-5 };
    spec.terrestrial = Some(TerrestrialSpec { loss: LossSpec::Bernoulli { p: 1e-4 } });
    let mut transfers = Vec::new();
    let (planned, mut start) = (Cell::new(0), Duration::ZERO);
    let whole = |length: u64| {
        let length = length.min(total - planned.get());
        planned.set(planned.get() + length);
        Half { length, resets_after: None, stops_after: None }
    };
    for length in [1, 1_000, 50_000, 1_448, 20 * MEGABYTE, 65_536, 3 * MEGABYTE, 7].into_iter().cycle() {
        if planned.get() >= total {
            break;
        }
        let number = transfers.len();
        let (up, down) = if number % 3 == 0 { (length, length / 2) } else { (length / 3, length) };
        let (mut up, mut down) = (whole(up), whole(down));
        match number % 20 {
            3 => up.resets_after = Some(up.length / 2),
            13 => down.stops_after = Some(down.length / 2),
            _ => {}
        }
        transfers.push(Transfer { start, connection: number % CONNECTIONS, up, down });
        start += Rate::from_bps(rate).time_for(Bytes::new(up.length.max(down.length)));
    }
    let (fates, reports) = run_all(&spec, CONNECTIONS, &transfers);
    let mut whole = 0;
    for (transfer, [up_sent, up_received, down_sent, down_received]) in transfers.iter().zip(fates) {
        check(&transfer.up, [up_sent, up_received]);
        check(&transfer.down, [down_sent, down_received]);
        whole += if up_received == Fate::Whole { transfer.up.length } else { 0 };
        whole += if down_received == Fate::Whole { transfer.down.length } else { 0 };
    }
    for report in reports {
        assert_eq!((report.connections, report.errors), (CONNECTIONS as u64, 0));
        assert!(report.up_bytes.get() + report.down_bytes.get() >= whole);
    }
    println!("{} streams of {} bytes, {whole} of them in whole directions", transfers.len(), planned.get());
}

#[test]
fn mixed_transfers_of_100_mb_arrive_without_a_wrong_byte() {
    mixed(100 * MEGABYTE);
}

#[test]
#[ignore = "takes minutes: cargo test --release -- --ignored"]
fn mixed_transfers_of_10_gb_arrive_without_a_wrong_byte() {
    mixed(10_000 * MEGABYTE);
}
