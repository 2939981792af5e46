//! Whatever the network and the peer do.

use bentpipe_cc::Algorithm;
use bentpipe_tcp::{
    Connection, Flags, Options, Payload, SackBlocks, SackPermitted, Segment, SeqNumber, State, SynOptions,
    Timestamps,
};
use bentpipe_units::{Duration, Time};
use proptest::prelude::*;

use crate::common::{Direction, Pair, Side, at, config, ms};

#[derive(Clone, Debug)]
struct Trouble {
    lose: Vec<u64>,
    hold: Vec<(u64, u64)>,
    double: Vec<u64>,
}

fn trouble() -> impl Strategy<Value = Trouble> {
    let number = 0..400_u64;
    (
        prop::collection::vec(number.clone(), 0..60),
        prop::collection::vec((number.clone(), 0..300_u64), 0..60),
        prop::collection::vec(number, 0..60),
    )
        .prop_map(|(lose, hold, double)| Trouble { lose, hold, double })
}

fn direction(trouble: &Trouble, mbit: u64, queue: u64) -> Direction {
    let mut direction = Direction::rate(mbit, ms(40)).with_queue(queue);
    direction.lose = trouble.lose.iter().copied().collect();
    direction.hold = trouble.hold.iter().map(|(number, delay)| (*number, ms(*delay))).collect();
    direction.double = trouble.double.iter().copied().collect();
    direction
}

/// Bytes that tell their position.
fn text(length: usize) -> Vec<u8> {
    (0..length).map(|n| (n * 31 % 251) as u8).collect()
}

fn algorithm() -> impl Strategy<Value = Algorithm> {
    prop::sample::select(Algorithm::ALL.to_vec())
}

/// Cuts the text into writes.
fn writes(text: &[u8], size: usize) -> Vec<Payload> {
    text.chunks(size).map(|chunk| Payload::Bytes(chunk.to_vec().into())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn both_streams_arrive_whole_through_loss_reordering_and_duplication(
        down in trouble(),
        up in trouble(),
        cc in algorithm(),
        lengths in (1..200_000_usize, 1..50_000_usize),
        write in 100..20_000_usize,
        queue in 5_000..100_000_u64,
    ) {
        let mut pair = Pair::new(config(cc), config(cc), direction(&down, 20, queue), direction(&up, 20, queue));
        pair.keep_log = false;
        let (there, back) = (text(lengths.1), text(lengths.0));
        pair.client.backlog = writes(&there, write);
        pair.server.backlog = writes(&back, write);
        pair.client.finishes = true;
        pair.server.finishes = true;
        pair.run_while(at(3_000_000), |pair| !(pair.client.ended && pair.server.ended));
        prop_assert!(pair.client.bytes == back);
        prop_assert!(pair.server.bytes == there);
        pair.run_until(pair.now + Duration::from_secs(400));
        prop_assert!(pair.client.conn().is_closed() && pair.server.conn().is_closed());
    }
}

/// A segment near what the peer expects, with anything in it.
fn segment(near_seq: u32, near_ack: u32) -> impl Strategy<Value = Segment> {
    let near = |number: u32| {
        prop_oneof![
            4 => (-20_000..20_000_i32).prop_map(move |offset| SeqNumber(number.wrapping_add(offset as u32))),
            1 => any::<u32>().prop_map(SeqNumber),
        ]
    };
    let flags = prop::collection::vec(
        prop_oneof![
            60 => Just(Flags::ACK),
            3 => Just(Flags::FIN),
            1 => Just(Flags::SYN),
            1 => Just(Flags::RST),
            10 => Just(Flags::PSH),
        ],
        1..3,
    );
    let timestamps = prop_oneof![
        1 => prop::option::of((any::<u32>(), any::<u32>())),
        4 => (0..100_000_u32, 0..100_000_u32).prop_map(Some),
    ];
    let syn = prop::option::of((any::<u16>(), prop::option::of(any::<u8>())));
    let sack = prop::collection::vec((near(near_ack), near(near_ack)), 0..4);
    (near(near_seq), near(near_ack), flags, any::<u16>(), timestamps, syn, sack, 0..3000_u64).prop_map(
        |(seq, ack, flags, window, timestamps, syn, sack, length)| {
            let mut blocks = SackBlocks::default();
            for (start, end) in sack {
                blocks.push(start, end);
            }
            Segment {
                source: "10.0.0.1:9".parse().expect("an address"),
                destination: "10.0.0.2:80".parse().expect("an address"),
                flags: flags.into_iter().fold(Flags::NONE, Flags::with),
                seq,
                ack,
                window,
                options: Options {
                    syn: syn.map(|(mss, window_scale)| SynOptions {
                        mss,
                        window_scale,
                        sack: SackPermitted::Yes,
                        fast_open: None,
                    }),
                    timestamps: timestamps.map(|(value, echo)| Timestamps { value, echo }),
                    sack: blocks,
                },
                ecn: 0,
                gso_size: None,
                payload: Payload::Length(length),
            }
        },
    )
}

/// A segment of the handshake with the endpoint whose SYN is number 7; ours is number 999.
fn opening(flags: Flags, ack: u32) -> Segment {
    let syn = SynOptions { mss: 1460, window_scale: Some(7), sack: SackPermitted::Yes, fast_open: None };
    let is_syn = flags.contains(Flags::SYN);
    Segment {
        source: "10.0.0.1:9".parse().expect("an address"),
        destination: "10.0.0.2:80".parse().expect("an address"),
        flags,
        seq: SeqNumber(if is_syn { 999 } else { 1000 }),
        ack: SeqNumber(ack),
        window: 60_000,
        options: Options {
            syn: is_syn.then_some(syn),
            timestamps: Some(Timestamps { value: 1, echo: 0 }),
            sack: SackBlocks::default(),
        },
        ecn: 0,
        gso_size: None,
        payload: Payload::EMPTY,
    }
}

/// What the fuzzed connection does between segments.
fn settle(connection: &mut Connection, now: Time) -> usize {
    let mut sent = 0;
    while connection.poll_transmit(now).is_some() {
        sent += 1;
        assert!(sent < 100_000, "an endless burst");
    }
    while connection.poll_event().is_some() {}
    sent
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_sequence_of_segments_and_times_makes_an_endpoint_panic(
        segments in prop::collection::vec((segment(1000, 7), 0..2000_u64, any::<bool>()), 1..80),
        server in any::<bool>(),
        cc in algorithm(),
    ) {
        let mut settings = config(cc);
        settings.seed = 7;
        let (local, remote) = ("10.0.0.2:80".parse().expect("an address"), "10.0.0.1:9".parse().expect("an address"));
        let mut now = Time::ZERO;
        let mut connection = if server {
            Connection::accept(&settings, &opening(Flags::SYN, 0), now)
        } else {
            Connection::connect(&settings, local, remote, now)
        };
        let _ = connection.write(now, &Payload::Length(100_000));
        settle(&mut connection, now);
        now += ms(50);
        let flags = if server { Flags::ACK } else { Flags::SYN.with(Flags::ACK) };
        connection.handle_segment(now, &opening(flags, 8));
        settle(&mut connection, now);
        prop_assert!(connection.state() == State::Established);
        for (segment, wait, act) in segments {
            now += Duration::from_millis(wait);
            while connection.poll_timeout().is_some_and(|at| at <= now) {
                let at = connection.poll_timeout().expect("a timer");
                connection.handle_timeout(at);
                settle(&mut connection, at);
                prop_assert!(connection.poll_timeout() != Some(at), "a timer that does not go off");
            }
            connection.handle_segment(now, &segment);
            settle(&mut connection, now);
            if act {
                let _ = connection.read(now, 5_000);
                let _ = connection.write(now, &Payload::Length(3_000));
                settle(&mut connection, now);
            }
            let info = connection.info();
            prop_assert!(info.in_flight.get() <= 1 << 32);
        }
        connection.close(now);
        settle(&mut connection, now);
    }

    #[test]
    fn a_segment_that_strays_into_a_connection_from_outside_changes_no_byte(
        strays in prop::collection::vec((any::<u32>(), 0..3000_u64), 1..20),
    ) {
        // Far from what is expected: refused by RFC 9293's window check.
        let mut pair = Pair::symmetric(ms(50));
        pair.open();
        let whole = text(50_000);
        pair.send(Side::Server, Payload::Bytes(whole.clone().into()));
        for (seq, length) in strays {
            let flags = Flags::ACK;
            let (source, destination) = (pair.server.conn().local(), pair.server.conn().remote());
            let expected = pair.log.iter().rev().find(|record| record.from == Side::Server).expect("sent").seq;
            let distance = (seq % (1 << 30)) + (1 << 29);
            let stray = Segment {
                source,
                destination,
                flags,
                seq: SeqNumber(expected.wrapping_add(distance)),
                ack: SeqNumber(0),
                window: 0,
                options: Options::default(),
                ecn: 0,
                gso_size: None,
                payload: Payload::Length(length),
            };
            let now = pair.now;
            pair.client.conn().handle_segment(now, &stray);
            pair.turn(Side::Client);
        }
        pair.run_while(at(60_000), |pair| pair.client.received < 50_000);
        prop_assert!(pair.client.bytes == whole);
    }
}
